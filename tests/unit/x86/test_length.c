// SPDX-License-Identifier: GPL-2.0
/* Lengths of instructions, against the disassembler. */
#include <stdint.h>

#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "rows.h"
#include "x86/length.h"

static ZydisDecoder decoder;

static int setup(void **state)
{
	(void)state;
	return ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
					    ZYDIS_STACK_WIDTH_64)) ? -1 : 0;
}

/* Length by the disassembler, 0 if that knows none; x86_len() must agree or be silent. */
static size_t compare(const uint8_t *p, size_t n, size_t *known)
{
	size_t len = x86_len(p, n);
	ZydisDecodedInstruction in;
	struct x86_jump j;

	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, p, n, &in)))
		return 0;
	if (!len && x86_jump(p, n, &j)) {
		bool plain = in.meta.category == ZYDIS_CATEGORY_COND_BR ||
			     in.mnemonic == ZYDIS_MNEMONIC_JMP;

		assert_int_equal(j.len, in.length);
		assert_int_equal(j.ret, in.mnemonic == ZYDIS_MNEMONIC_RET);
		assert_int_equal(j.always, in.mnemonic == ZYDIS_MNEMONIC_JMP);
		assert_true(j.ret || plain);
		if (plain)
			assert_int_equal(j.by, in.raw.imm[0].value.s);
		++*known;
		return in.length;
	}
	if (!len)
		return in.length;
	if (len != in.length)
		fail_msg("%02x %02x %02x %02x %02x: %zu, not %u bytes", p[0],
			 n > 1 ? p[1] : 0, n > 2 ? p[2] : 0, n > 3 ? p[3] : 0,
			 n > 4 ? p[4] : 0, len, in.length);
	/* Nothing that may end a function, or lead elsewhere in it. */
	switch (in.meta.category) {
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_SYSCALL:
		fail_msg("%02x %02x: a branch", p[0], p[1]);
	default:
		break;
	}
	++*known;
	return len;
}

/* Every instruction of whole programs; most are known. */
TEST(test_programs, "programs, instruction by instruction")
{
	struct bins_each b = BINS("shapes", "", "-noopt");

	while (bins_next(&b)) {
		size_t nf, known = 0, all = 0;
		const struct gofunc *fn = gobin_funcs(b.bin, &nf);

		for (size_t k = 0; k < nf; k++) {
			size_t size = fn[k].end - fn[k].entry, at = 0, len;
			const uint8_t *p = gobin_code(b.bin, fn[k].entry, size);

			if (!p)
				continue;
			while (at < size) {
				len = compare(p + at, size - at, &known);
				if (!len)
					break;
				at += len;
				all++;
			}
		}
		print_message("%s: %zu of %zu\n", b.path, known, all);
		assert_true(known * 10 > all * 9);
	}
}

/* Bytes as they come: whatever is known agrees, and no byte behind is read. */
TEST(test_noise, "noise")
{
	struct x86_jump none;
	size_t known = 0;

	srand(1);
	for (int i = 0; i < 1000000; i++) {
		size_t n = 1 + (size_t)rand() % 15;
		uint8_t *p = malloc(n);

		for (size_t k = 0; k < n; k++)
			p[k] = (uint8_t)(rand() >> 4);
		/* More of what has prefixes and two bytes. */
		if (i & 1)
			p[0] = (uint8_t)(0x40 | (p[0] & 0xf));
		if (n > 1 && i & 2)
			p[i & 1] = 0x0f;
		compare(p, n, &known);
		free(p);
	}
	assert_in_range(known, 100000, 1000000);
	assert_int_equal(x86_len(NULL, 0), 0);
	assert_false(x86_jump(NULL, 0, &none));
}

AROUND_ALL(setup, NULL)
