/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers of DWARF: the standard's from elfutils, and Go's own. */
#ifndef GOPROBE_DWARF_CONSTANTS_H
#define GOPROBE_DWARF_CONSTANTS_H

#include <dwarf.h>

/* Go's own: src/cmd/internal/dwarf/dwarf.go. */
#define DW_AT_go_kind			0x2900
#define DW_AT_go_key			0x2901
#define DW_AT_go_elem			0x2902
#define DW_AT_go_embedded_field		0x2903
#define DW_AT_go_runtime_type		0x2904
#define DW_AT_go_package_name		0x2905
#define DW_AT_go_dict_index		0x2906
#define DW_AT_go_closure_offset		0x2907

#endif
