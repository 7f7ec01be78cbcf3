// SPDX-License-Identifier: GPL-2.0
/* Captured variables from a closure's code. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "x86/captured.h"

static struct code_row {
	const char *claim;
	const char *code;	/* in hex */
	enum captured how;	/* is the variable kept that is at offset 8 */
	bool outside;		/* is anything used behind it */
} rows[] = {
	/* lea rax, [rdx+8]; ret */
	{ "an address of the closure", "48 8d 42 08 c3", CAPTURED_VALUE, false },
	/* add rdx, 8 */
	{ "an address that is added up", "48 83 c2 08 c3", CAPTURED_VALUE, false },
	/* mov rax, [rdx+8] */
	{ "an address in the closure", "48 8b 42 08 c3", CAPTURED_REFERENCE, false },
	/* add rax, [rdx+8] */
	{ "a number", "48 03 42 08 c3", CAPTURED_VALUE, false },
	/* mov rax, [rdx+rax*8+8] */
	{ "an element", "48 8b 44 c2 08 c3", CAPTURED_VALUE, false },
	/* mov [rsp+16], rdx; xor edx, edx; mov rcx, [rsp+16]; lea rax, [rcx+8] */
	{ "the closure's address is kept on the stack",
	  "48 89 54 24 10 31 d2 48 8b 4c 24 10 48 8d 41 08 c3", CAPTURED_VALUE, false },
	/* mov [rsp+16], rdx; movups [rsp+8], xmm15; mov rcx, [rsp+16]; lea rax, [rcx+16] */
	{ "something else is there later",
	  "48 89 54 24 10 44 0f 11 7c 24 08 48 8b 4c 24 10 48 8d 41 10 c3", CAPTURED_UNKNOWN,
	  false },
	/* call; mov rax, [rdx+16] */
	{ "a call changes the register", "e8 00 00 00 00 48 8b 42 10 c3", CAPTURED_UNKNOWN, false },
	/* ret; mov rax, [rdx+16] */
	{ "what is behind the end is another way", "c3 48 8b 42 10 c3", CAPTURED_UNKNOWN, false },
	/* cmp rsp, [r14+16]; jbe; mov rax, [rdx+8]; add rax, [rdx+16] */
	{ "two variables", "49 3b 66 10 76 09 48 8b 42 08 48 03 42 10 c3", CAPTURED_REFERENCE,
	  true },
	/* mov rcx, rdx; lea rax, [rcx+16] */
	{ "another one alone", "48 89 d1 48 8d 41 10 c3", CAPTURED_UNKNOWN, true },
	/* mov rax, [rdx] */
	{ "the code's address is no variable", "48 8b 02 c3", CAPTURED_UNKNOWN, false },
	{ "no instruction", "06", CAPTURED_UNKNOWN, false },
};

ROWS(test_code, rows)
{
	static const struct captured_span known[] = { { 0, 8 }, { 8, 16 } };
	const struct code_row *row = *state;
	size_t n = (strlen(row->code) + 1) / 3;
	/* In an object of its own: nothing behind it may be read. */
	uint8_t *code = calloc(n, 1);

	for (size_t i = 0; i < n; i++)
		code[i] = (uint8_t)strtoul(row->code + 3 * i, NULL, 16);
	assert_int_equal(captured_how(code, n, 8), row->how);
	assert_int_equal(captured_outside(code, n, known, N(known)), row->outside);
	for (size_t k = 0; k < n; k++)
		captured_outside(code + k, n - k, known, N(known));
	free(code);
}

TEST(test_none, "a function without code")
{
	assert_int_equal(captured_how(NULL, 0, 8), CAPTURED_UNKNOWN);
	assert_false(captured_outside(NULL, 0, NULL, 0));
}
