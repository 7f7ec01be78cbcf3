// SPDX-License-Identifier: GPL-2.0
/*
 * Differences between Go releases. Offsets of runtime.g are the same on every
 * architecture; tests/unit compares them with each toolchain's own DWARF.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gobin/release.h"

int release_parse(const char *text)
{
	const char *p = strstr(text, "go1.");
	char *end;
	long n;

	if (!p || !isdigit((unsigned char)p[4]))
		return -1;
	n = strtol(p + 4, &end, 10);
	return n >= 0 && n < 1000 ? (int)n : -1;
}

bool release_regabi(int minor)
{
	return minor >= 17;
}

void release_runtime(int minor, struct goprobe_runtime *rt)
{
	rt->g_reg = release_regabi(minor) ? 14 : GOPROBE_REG_NONE;
	rt->g_stack_lo = 0x00;
	rt->g_stack_hi = 0x08;
	rt->g_m = 0x30;
	/* 1.23 added syscallbp before it, 1.25 took gobuf.ret away. */
	rt->g_goid = minor == 23 || minor == 24 ? 0xa0 : 0x98;
	/* 1.25 took gobuf.ret away, which m.morebuf has before both. */
	rt->m_procid = minor >= 25 ? 0x40 : 0x48;
	rt->m_curg = minor >= 25 ? 0xb8 : 0xc0;
}

uint8_t release_funcid_wrapper(int minor)
{
	if (minor >= 25)
		return 23;
	if (minor >= 22)
		return 22;
	if (minor >= 18)
		return 21;
	return 22;
}

struct release_moduledata release_moduledata(int minor)
{
	static const struct {
		int until;
		struct release_moduledata md;
	} table[] = {
		{ 15, { .text = 0x60, .types = 0xc8, .etypes = 0xd0,
			.typelinks = 0xf0, .itablinks = 0x108,
			.size = 0x120 } },
		{ 17, { .text = 0xb0, .types = 0x118, .etypes = 0x120,
			.typelinks = 0x140, .itablinks = 0x158,
			.size = 0x170 } },
		{ 19, { .text = 0xb0, .types = 0x118, .etypes = 0x120,
			.gofunc = 0x130, .typelinks = 0x150,
			.itablinks = 0x168, .size = 0x180 } },
		{ 25, { .text = 0xb0, .types = 0x128, .etypes = 0x130,
			.gofunc = 0x140, .typelinks = 0x160,
			.itablinks = 0x178, .size = 0x190 } },
		/* 1.26 put epclntab in between. */
		{ 26, { .text = 0xb0, .types = 0x128, .etypes = 0x130,
			.gofunc = 0x140, .typelinks = 0x168,
			.itablinks = 0x180, .size = 0x198 } },
		{ INT_MAX, { .text = 0xb0, .types = 0x128, .desc_len = 0x130,
			     .etypes = 0x138, .itabs = 0x140, .gofunc = 0x158,
			     .size = 0x160 } },
	};
	size_t i = 0;

	while (minor > table[i].until)
		i++;
	return table[i].md;
}

bool release_name_varint(int minor)
{
	return minor >= 17;
}

bool release_direct_in_kind(int minor)
{
	return minor <= 25;
}

bool release_field_marked(int minor)
{
	return minor <= 18;
}

bool release_swiss_maps(int minor, const char *version)
{
	return minor >= 24 && !strstr(version, "noswissmap");
}
