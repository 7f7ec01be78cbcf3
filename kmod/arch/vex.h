/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions with VEX that the kernel rejects. Pure: the kernel and user space compile it, so the
 * tool refuses what the module refuses.
 */
#ifndef GP_VEX_H
#define GP_VEX_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/**
 * gp_vex_is_rejected() - whether the kernel places no breakpoint on an instruction with VEX
 * @opcode: the byte behind its prefix
 *
 * The kernel looks that byte up among the instructions without a prefix (arch/x86/kernel/uprobes.c,
 * good_insns_64). So it rejects VPADDQ (d4) as AAM, and VMOVDQU (6f) as OUTS, but only when a
 * process maps the file: then no one hears of it.
 *
 * Return: whether that is so.
 */
static inline bool gp_vex_is_rejected(__u8 opcode)
{
	switch (opcode) {
	case 0x06: case 0x07: case 0x0e: case 0x16: case 0x17: case 0x1e: case 0x1f:
	case 0x27: case 0x2f: case 0x37: case 0x3f: case 0x60: case 0x61: case 0x62:
	case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0x82: case 0x9a:
	case 0xcc: case 0xcd: case 0xce: case 0xcf: case 0xd4: case 0xd5: case 0xd6:
	case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xea:
	case 0xec: case 0xed: case 0xee: case 0xef: case 0xf1: case 0xf4: case 0xfa: case 0xfb:
		return true;
	default:
		return false;
	}
}

#endif
