// SPDX-License-Identifier: GPL-2.0
/* Probe points of code; the input is a function's code, behind 2 bytes. */
#include "fuzz.h"

#include "x86/insn.h"

struct code {
	size_t len;
	unsigned int modulus;
};

static bool is_morestack(void *ctx, uint64_t vaddr)
{
	const struct code *c = ctx;

	return vaddr % c->modulus == 0;
}

static void inside(const struct insn_point *p, size_t len)
{
	FUZZ_HOLDS(p->len && p->at < len && p->len <= len - p->at);
}

int fuzz_insn(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	struct code c = { .modulus = 1 + feed_u8(&feed) };
	struct insn_code code = {
		.vaddr = 0x401000, .wrapper = feed_u8(&feed) & 1, .exits = true,
		.is_morestack = is_morestack, .ctx = &c,
	};
	struct insn_scan s;
	struct insn_tls tls;
	uint8_t *bytes = feed_copy(&feed, 1U << 16, &c.len);

	code.bytes = bytes;
	code.len = c.len;
	FUZZ_HOLDS(!insn_scan(&code, &s));
	if (s.refused) {
		FUZZ_HOLDS(!s.nrets && !s.ntails);
	} else {
		inside(&s.call, c.len);
		for (size_t i = 0; i < s.nrets; i++) {
			inside(&s.rets[i], c.len);
			if (!s.exits[i].no_jump)
				inside(&s.exits[i].begin, c.len);
		}
		for (size_t i = 0; i < s.ntails; i++)
			inside(&s.tails[i], c.len);
	}
	insn_scan_fini(&s);
	insn_find_tls(bytes, c.len, code.vaddr, &tls);
	free(bytes);
	return 0;
}
