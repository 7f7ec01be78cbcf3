// SPDX-License-Identifier: GPL-2.0
/* Control flow of functions. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "x86/flow.h"

#define INSNS_MAX 16

/*
 * What is said of each instruction: f, the next one can follow; j, a target can; a, it jumps
 * anywhere; b, conditional jump; u, of an unsigned comparison; e, effect; l, load.
 */
static struct flow_row {
	const char *claim;
	const char *code;	/* in hex */
	const char *insns;
	int closed;		/* this one is closed; -1: none is */
	const char *reached;	/* which are reached from the entry on */
} rows[] = {
	/* cmp qword ptr [rax], 0; je +3; inc qword ptr [rax]; ret */
	{ "a branch, and a write that it decides about", "48 83 38 00 74 03 48 ff 00 c3",
	  "fl fjb fel -", -1, "1111" },
	{ "nothing is behind a closed one", "48 83 38 00 74 03 48 ff 00 c3", "fl fjb fel -", 1,
	  "1000" },
	{ "but what another path leads to", "48 83 38 00 74 03 48 ff 00 c3", "fl fjb fel -", 2,
	  "1101" },
	/* mov [rsp+8], rax; mov rcx, [rsp+8]; lea rdx, [rax+8]; ret */
	{ "the stack is no memory, and an address is no access",
	  "48 89 44 24 08 48 8b 4c 24 08 48 8d 50 08 c3", "f f f -", -1, "1111" },
	/* lock cmpxchg [rdx], ecx; jne -6; call; ret */
	{ "a loop around an atomic access", "f0 0f b1 0a 75 fa e8 00 00 00 00 c3",
	  "fel fjb fe -", -1, "1111" },
	/* jmp +1; int3; cmp eax, 5; jae -6; ud2 */
	{ "jumps forward and back, and traps", "eb 01 cc 83 f8 05 73 f8 0f 0b", "j - f fjbu -", -1,
	  "10111" },
	/* jmp [rax+rcx*8]; ret; nop; ret */
	{ "a table may lead where nothing runs into", "ff 24 c8 c3 90 c3", "a - f -", -1, "1111" },
	/* mov eax, [rip+0]; cmp dword ptr [rip+0], 0; ret */
	{ "a constant is no memory, a variable that is compared is",
	  "8b 05 00 00 00 00 83 3d 00 00 00 00 00 c3", "f fl -", -1, "111" },
};

static void describe(const struct flow_insn *in, char *to)
{
	const char *start = to;

	if (in->falls)
		*to++ = 'f';
	if (in->jumps)
		*to++ = 'j';
	if (in->anywhere)
		*to++ = 'a';
	if (in->branch)
		*to++ = 'b';
	if (in->branch && in->fused)
		*to++ = 'u';
	if (in->effect)
		*to++ = 'e';
	if (in->load)
		*to++ = 'l';
	if (to == start)
		*to++ = '-';
	*to = 0;
}

ROWS(test_flow, rows)
{
	const struct flow_row *row = *state;
	size_t n = (strlen(row->code) + 1) / 3;
	uint8_t *bytes = calloc(n, 1), closed[INSNS_MAX] = { 0 }, reached[INSNS_MAX];
	struct insn_code code = { .bytes = bytes, .len = n };
	char text[INSNS_MAX * 9] = "", letters[9], digits[INSNS_MAX + 1] = "";
	uint32_t stack[INSNS_MAX];
	struct flow f;

	for (size_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)strtoul(row->code + 3 * i, NULL, 16);
	assert_int_equal(flow_init(&f, &code), 0);
	assert_true(f.n <= INSNS_MAX);
	for (size_t i = 0; i < f.n; i++) {
		describe(&f.v[i], letters);
		strcat(text, i ? " " : "");
		strcat(text, letters);
		assert_int_equal(flow_find(&f, f.v[i].at), i);
	}
	assert_string_equal(text, row->insns);
	if (row->closed >= 0)
		closed[row->closed] = 1;
	flow_reach(&f, SIZE_MAX, closed, reached, stack);
	for (size_t i = 0; i < f.n; i++)
		digits[i] = reached[i] ? '1' : '0';
	assert_string_equal(digits, row->reached);
	flow_fini(&f);
	free(bytes);
}

TEST(test_none, "a branch into an instruction, and what is no code")
{
	static const uint8_t inside[] = { 0x74, 0x01, 0x48, 0x89, 0xc8, 0xc3 }, bad[] = { 0x06 };
	struct insn_code code = { .bytes = inside, .len = sizeof(inside) };
	struct flow f;

	assert_int_equal(flow_init(&f, &code), -1);
	code = (struct insn_code){ .bytes = bad, .len = sizeof(bad) };
	assert_int_equal(flow_init(&f, &code), -1);
}
