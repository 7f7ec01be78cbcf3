// SPDX-License-Identifier: GPL-2.0
/*
 * What differs between Go releases. Offsets of runtime.g are the same on every
 * architecture; tests/unit compares them with each toolchain's own DWARF.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "goversion.h"

int goversion_parse(const char *text)
{
	const char *p = strstr(text, "go1.");
	char *end;
	long n;

	if (!p || !isdigit((unsigned char)p[4]))
		return -1;
	n = strtol(p + 4, &end, 10);
	return n >= 0 && n < 1000 ? (int)n : -1;
}

bool goversion_regabi(int minor)
{
	return minor >= 17;
}

void goversion_runtime(int minor, struct goprobe_runtime *rt)
{
	rt->g_reg = goversion_regabi(minor) ? 14 : GOPROBE_REG_NONE;
	rt->g_stack_lo = 0x00;
	rt->g_stack_hi = 0x08;
	rt->g_m = 0x30;
	/* 1.23 added syscallbp before it, 1.25 took gobuf.ret away. */
	rt->g_goid = minor == 23 || minor == 24 ? 0xa0 : 0x98;
	/* 1.25 took an 8-byte field before m.procid away. */
	rt->m_curg = minor >= 25 ? 0xb8 : 0xc0;
}

uint8_t goversion_funcid_wrapper(int minor)
{
	if (minor >= 25)
		return 23;
	if (minor >= 22)
		return 22;
	if (minor >= 18)
		return 21;
	return 22;
}

struct goversion_moduledata goversion_moduledata(int minor)
{
	struct goversion_moduledata md = {
		.text = 0xb0, .types = 0x128, .etypes = 0x130, .gofunc = 0x140,
	};

	if (minor <= 15) {
		md.text = 0x60;
		md.types = 0xc8;
		md.etypes = 0xd0;
		md.gofunc = 0;
	} else if (minor <= 17) {
		md.types = 0x118;
		md.etypes = 0x120;
		md.gofunc = 0;
	} else if (minor <= 19) {
		md.types = 0x118;
		md.etypes = 0x120;
		md.gofunc = 0x130;
	} else if (minor >= 27) {
		/* 1.27 put typedesclen and the itab table in between. */
		md.etypes = 0x138;
		md.gofunc = 0x158;
	}
	md.size = md.gofunc > md.etypes ? md.gofunc + 8 : md.etypes + 8;
	return md;
}

bool goversion_name_varint(int minor)
{
	return minor >= 17;
}
