// SPDX-License-Identifier: GPL-2.0
/*
 * The module's rules for programs and plans: that part of kmod/control/verify.c, as it is, but that
 * each rule can be left out. Limits that four operations can't reach are smaller here.
 */
#include <stdlib.h>

#include "prove.h"

#define BIT(n) (1U << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALIGN(x, a) (((x) + (a) - 1) / (a) * (a))
#define U32_MAX UINT32_MAX
#define __stringify(x) #x
#define static_assert _Static_assert

unsigned int left_out;

/* Rules are called by their lines. */
static bool rule(unsigned int line)
{
	return line != left_out;
}

static bool is_power_of_2(u32 n)
{
	return n && !(n & (n - 1));
}

static bool gp_is_word_size(u32 size)
{
	return size <= 8 && is_power_of_2(size);
}

static u32 max(u32 a, u32 b)
{
	return a > b ? a : b;
}

static int gp_arch_int_reg(u8 dwarf)
{
	return dwarf < 16 ? dwarf * 8 : -1;
}

static int gp_arch_float_reg(u8 dwarf)
{
	return dwarf >= 17 && dwarf < 33 ? dwarf - 17 : -1;
}

#define GP_ARCH_SP 7

static const struct gp_type *gp_types_find(const struct gp_types *types, u32 id)
{
	return id < types->n ? &types->type : NULL;
}

#include "rules.inc"

const char *rules_of_filter(const struct goprobe_op *ops, u32 n)
{
	const struct goprobe_filter filter = { .nops = n };

	return gp_verify_filter(&filter, ops, n);
}

const char *rules_of_program(const struct goprobe_op *ops, u32 n, u32 frame)
{
	u32 tries;

	return gp_verify_program(ops, n, frame, GP_FILTERS_ONLY, &tries);
}
