/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of the DWARF standard (version 5, chapter 7) that are used here. */
#ifndef GOPROBE_DWARF_CONSTANTS_H
#define GOPROBE_DWARF_CONSTANTS_H

#define DW_TAG_array_type		0x01
#define DW_TAG_formal_parameter		0x05
#define DW_TAG_lexical_block		0x0b
#define DW_TAG_member			0x0d
#define DW_TAG_pointer_type		0x0f
#define DW_TAG_compile_unit		0x11
#define DW_TAG_structure_type		0x13
#define DW_TAG_subroutine_type		0x15
#define DW_TAG_typedef			0x16
#define DW_TAG_inlined_subroutine	0x1d
#define DW_TAG_subrange_type		0x21
#define DW_TAG_base_type		0x24
#define DW_TAG_subprogram		0x2e
#define DW_TAG_variable			0x34

#define DW_AT_location			0x02
#define DW_AT_name			0x03
#define DW_AT_byte_size			0x0b
#define DW_AT_stmt_list			0x10
#define DW_AT_low_pc			0x11
#define DW_AT_high_pc			0x12
#define DW_AT_language			0x13
#define DW_AT_producer			0x25
#define DW_AT_upper_bound		0x2f
#define DW_AT_abstract_origin		0x31
#define DW_AT_count			0x37
#define DW_AT_data_member_location	0x38
#define DW_AT_decl_line			0x3b
#define DW_AT_encoding			0x3e
#define DW_AT_type			0x49
#define DW_AT_call_line			0x59
#define DW_AT_variable_parameter	0x4b
#define DW_AT_ranges			0x55
#define DW_AT_addr_base			0x73

#define DW_FORM_addr			0x01
#define DW_FORM_block2			0x03
#define DW_FORM_block4			0x04
#define DW_FORM_data2			0x05
#define DW_FORM_data4			0x06
#define DW_FORM_data8			0x07
#define DW_FORM_string			0x08
#define DW_FORM_block			0x09
#define DW_FORM_block1			0x0a
#define DW_FORM_data1			0x0b
#define DW_FORM_flag			0x0c
#define DW_FORM_sdata			0x0d
#define DW_FORM_strp			0x0e
#define DW_FORM_udata			0x0f
#define DW_FORM_ref_addr		0x10
#define DW_FORM_ref1			0x11
#define DW_FORM_ref2			0x12
#define DW_FORM_ref4			0x13
#define DW_FORM_ref8			0x14
#define DW_FORM_ref_udata		0x15
#define DW_FORM_sec_offset		0x17
#define DW_FORM_exprloc			0x18
#define DW_FORM_flag_present		0x19
#define DW_FORM_strx			0x1a
#define DW_FORM_addrx			0x1b
#define DW_FORM_strp_sup		0x1d
#define DW_FORM_data16			0x1e
#define DW_FORM_line_strp		0x1f
#define DW_FORM_ref_sig8		0x20
#define DW_FORM_implicit_const		0x21
#define DW_FORM_loclistx		0x22
#define DW_FORM_rnglistx		0x23
#define DW_FORM_strx1			0x25
#define DW_FORM_strx2			0x26
#define DW_FORM_strx3			0x27
#define DW_FORM_strx4			0x28
#define DW_FORM_addrx1			0x29
#define DW_FORM_addrx2			0x2a
#define DW_FORM_addrx3			0x2b
#define DW_FORM_addrx4			0x2c

#define DW_ATE_boolean			0x02
#define DW_ATE_complex_float		0x03
#define DW_ATE_float			0x04
#define DW_ATE_signed			0x05
#define DW_ATE_unsigned			0x07

#define DW_OP_addr			0x03
#define DW_OP_consts			0x11
#define DW_OP_plus			0x22
#define DW_OP_plus_uconst		0x23
#define DW_OP_reg0			0x50
#define DW_OP_reg31			0x6f
#define DW_OP_regx			0x90
#define DW_OP_fbreg			0x91
#define DW_OP_piece			0x93
#define DW_OP_call_frame_cfa		0x9c
#define DW_OP_addrx			0xa1

#define DW_UT_compile			0x01

#define DW_RLE_base_address		0x05

#define DW_LLE_end_of_list		0x00
#define DW_LLE_base_addressx		0x01
#define DW_LLE_startx_endx		0x02
#define DW_LLE_startx_length		0x03
#define DW_LLE_offset_pair		0x04
#define DW_LLE_default_location		0x05
#define DW_LLE_base_address		0x06
#define DW_LLE_start_end		0x07
#define DW_LLE_start_length		0x08

#define DW_LNS_copy			0x01
#define DW_LNS_advance_pc		0x02
#define DW_LNS_advance_line		0x03
#define DW_LNS_set_file			0x04
#define DW_LNS_negate_stmt		0x06
#define DW_LNS_const_add_pc		0x08
#define DW_LNS_fixed_advance_pc		0x09
#define DW_LNS_set_prologue_end		0x0a

#define DW_LNE_end_sequence		0x01
#define DW_LNE_set_address		0x02

#define DW_LNCT_path			0x01
#define DW_LNCT_directory_index		0x02

#define DW_LANG_Go			0x16

/* Go's own: src/cmd/internal/dwarf/dwarf.go. */
#define DW_AT_go_kind			0x2900
#define DW_AT_go_key			0x2901
#define DW_AT_go_elem			0x2902
#define DW_AT_go_embedded_field		0x2903
#define DW_AT_go_runtime_type		0x2904
#define DW_AT_go_dict_index		0x2906
#define DW_AT_go_closure_offset		0x2907

#endif
