// SPDX-License-Identifier: GPL-2.0
/* Registers that a function sets before it returns. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "x86/returned.h"

enum { AX = 1 << 0, CX = 1 << 2, BX = 1 << 3, X0 = 1 << 17, X1 = 1 << 18 };

static struct code_row {
	const char *claim;
	const char *code;	/* in hex */
	uint64_t want;
} rows[] = {
	/* mov rax, [rsp+8]; xor ebx, ebx; add rsp, 16; pop rbp; ret */
	{ "loads and zeroes", "48 8b 44 24 08 31 db 48 83 c4 10 5d c3", AX | BX },
	/* cvtsi2sd xmm0, rax; movups xmm1, xmm0; ret: X0 has been used, AX is older */
	{ "floats", "f2 48 0f 2a c0 0f 10 c8 c3", X1 },
	/* movsd xmm0, [rsp+8]; ret */
	{ "a float from memory", "f2 0f 10 44 24 08 c3", X0 },
	/* mov rcx, [rsp+8]; mov rax, [rcx]; ret */
	{ "what leads to a value is used", "48 8b 4c 24 08 48 8b 01 c3", AX },
	/* mov cl, 5; mov [rsp], cl; ret */
	{ "so is what is stored", "b1 05 88 0c 24 c3", 0 },
	/* mov eax, 5; add rax, rcx; ret */
	{ "what is changed is still set", "b8 05 00 00 00 48 01 c8 c3", AX },
	/* mov rcx, rbx; call; mov rax, rcx; ret */
	{ "nothing outlasts a call", "48 89 d9 e8 00 00 00 00 b8 01 00 00 00 c3", AX },
	/* mov rcx, rbx; jne +1; ret; ret */
	{ "nor is it for sure behind a branch", "48 89 d9 75 01 c3 c3", 0 },
	/* mov rax, rcx; ret; mov rcx, rax; ret */
	{ "every RET counts", "48 89 c8 c3 48 89 c1 c3", AX | CX },
	/* mov rax, rcx; jmp; int3 */
	{ "a jump is no RET", "48 89 c8 eb 00 cc", 0 },
	{ "no instruction", "06", 0 },
};

ROWS(test_code, rows)
{
	const struct code_row *row = *state;
	size_t n = (strlen(row->code) + 1) / 3;
	/* In an object of its own: nothing behind it may be read. */
	uint8_t *code = calloc(n, 1);

	for (size_t i = 0; i < n; i++)
		code[i] = (uint8_t)strtoul(row->code + 3 * i, NULL, 16);
	assert_int_equal(returned_registers(code, n), row->want);
	for (size_t i = 0; i < n; i++)
		returned_registers(code + i, n - i);
	free(code);
}

TEST(test_none, "a function without code")
{
	assert_int_equal(returned_registers(NULL, 0), 0);
}
