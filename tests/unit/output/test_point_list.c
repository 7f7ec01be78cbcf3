// SPDX-License-Identifier: GPL-2.0
/* Output of list --points. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "output/point_list.h"

struct text_case {
	const char *claim;
	const char *code;	/* at 0x401000 */
	size_t len;
	const char *text;
	const char *why;	/* of what is single-stepped, else NULL */
};

static const struct text_case texts[] = {
	{ "a branch shows where it leads", "\x76\x03", 2, "jbe 0x401005", NULL },
	{ "static data by its address", "\x48\x8b\x05\x00\x10\x00\x00", 7,
	  "mov rax, [0x402007]", NULL },
	{ "making space on the stack", "\x48\x83\xec\x18", 4, "sub rsp, 0x18", "changes SP" },
	{ "a store", "\x48\x89\x18", 3, "mov [rax], rbx", "writes memory" },
	{ "an exchange", "\x48\x87\x18", 3, "xchg [rax], rbx", "writes memory" },
	{ "what uses XMM registers", "\x0f\x57\xc0", 3, "xorps xmm0, xmm0",
	  "floating point or vectors" },
	{ "g in thread-local storage", "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff", 9,
	  "mov rcx, fs:[0xfffffffffffffff8]", "thread-local storage" },
	{ "a jump to a method", "\xff\xe1", 2, "jmp rcx", "an indirect jump" },
	{ "anything else", "\x0f\xba\xe0\x03", 4, "bt eax, 0x03", "not a simple instruction" },
	{ "what can't be decoded", "\x06", 1, "not decoded", "not decoded" },
};

ROWS(test_text, texts)
{
	const struct text_case *c = *state;
	const uint8_t *code = (const uint8_t *)c->code;
	char got[INSN_TEXT_MAX];

	insn_text(code, c->len, 0x401000, got);
	assert_string_equal(got, c->text);
	if (c->why)
		assert_string_equal(insn_why_stepped(code, c->len), c->why);
}

/* Lines of a function in text. */
static char *lines(struct gobin *bin, const char *name, enum point_list_ability ability)
{
	struct point_list_total total = { 0 };
	const struct gofunc *fn = bins_func(bin, name);
	struct buf b = { 0 };

	assert_non_null(fn);
	point_list_function(&b, bin, fn, ability, &total, false);
	point_list_end(&b, &total, ability, false);
	buf_char(&b, 0);
	assert_false(b.failed);
	return b.p;
}

struct line_case {
	const char *claim;
	const char *func;
	enum point_list_ability ability;
	const char *want[4];	/* each is in the lines */
};

static const struct line_case cases[] = {
	{
		"a function with a stack check",
		"main.HugeFrame", POINT_LIST_ABLE,
		{ "emulated by the kernel; --trapless makes it a jump\n",
		  "carried out by goprobe; --trapless makes its epilogue a jump\n",
		  "1 emulated by the kernel, 1 carried out by goprobe, 0 single-stepped\n",
		  "step: 100.0 %; where goprobe can't carry out instructions 50.0 %\n" },
	}, {
		"the same where the module can't",
		"main.HugeFrame", POINT_LIST_UNABLE,
		{ "call    jbe 0x",
		  "single-stepped: goprobe can't carry it out on this kernel; --trapless ",
		  "1 that goprobe could carry out, 0 single-stepped\n",
		  "step: 50.0 %; where goprobe carries out instructions 100.0 %\n" },
	}, {
		"a point is named by its function",
		"main.Nothing", POINT_LIST_NOT_ASKED,
		{ "main.Nothing+0x0 ", "call    ret ", "return  ret ",
		  "2 points in 1 function: 0 emulated by the kernel, 2 carried out by goprobe, " },
	}, {
		"a function of a single instruction is reported",
		"main.Nothing", POINT_LIST_NOT_ASKED,
		{ "ret                                     carried out by goprobe; the function is this instruction alone, and can't be timed; always a trap: it has no stack check\n",
		  "can't be timed; always a trap: it ends without an epilogue that a jump can replace\n",
		},
	}, {
		"a function that can't be probed is only counted",
		"runtime.morestack", POINT_LIST_ABLE,
		{ "0 points in 0 functions (1 more can't be probed): 0 emulated" },
	},
};

ROWS(test_lines, cases)
{
	const struct line_case *c = *state;
	struct gobin *bin = bins_newest("");
	char *got = lines(bin, c->func, c->ability);

	for (size_t i = 0; i < N(c->want) && c->want[i]; i++) {
		if (!strstr(got, c->want[i]))
			fail_msg("no \"%s\" in:\n%s", c->want[i], got);
	}
	free(got);
	gobin_free(bin);
}

/* --- a place, as list --instructions shows it ---------------------------------------- */

static const struct place_case {
	const char *claim;
	const char *func;
	uint64_t offset;
	bool json;
	size_t refused;
	const char *want[3];	/* each is in the line */
	const char *unwanted;	/* this is not, or NULL */
} places[] = {
	{ "an instruction", "main.Nothing", 0, false, 0,
	  { "main.Nothing+0x0 ", "insn    ret ", "carried out by goprobe" }, "can't" },
	{ "the inside of one", "main.HugeFrame", 1, false, 1,
	  { "main.HugeFrame+0x1 ", "insn    - ",
	    "can't be probed: it is inside of an instruction" }, NULL },
	{ "the inside of one, in JSON", "main.HugeFrame", 1, true, 1,
	  { "\"point\":\"insn\",\"offset\":1,\"refused\":\"it is inside of an instruction",
	    "\"address\":\"0x" }, "\"code\"" },
	{ "assembly of the runtime that has a name of its own", "gcWriteBarrier", 0, true, 1,
	  { "\"offset\":0,\"refused\":\"the runtime's own assembly\"" }, "\"executed\"" },
	{ "the part of it that switches stacks", "gogo", 0, true, 1,
	  { "\"offset\":0,\"refused\":\"the runtime's own assembly\"" }, "\"executed\"" },
	{ "code that must be left alone", "runtime.mcall", 0, true, 1,
	  { "\"offset\":0,\"refused\":\"runtime code that switches or copies stacks\"" },
	  "\"executed\"" },
};

ROWS(test_place, places)
{
	const struct place_case *c = *state;
	struct gobin *bin = bins_newest("");
	const struct gofunc *fn = bins_func(bin, c->func);
	struct point_list_place place = { .at = { .bin = bin, .fn = fn } };
	struct point_list_total total = { 0 };
	struct buf b = { 0 };

	assert_non_null(fn);
	place.at.vaddr = fn->entry + c->offset;
	point_list_instruction(&b, &place, POINT_LIST_ABLE, &total, c->json);
	buf_char(&b, 0);
	assert_false(b.failed);
	for (size_t i = 0; i < N(c->want) && c->want[i]; i++) {
		if (!strstr(b.p, c->want[i]))
			fail_msg("no \"%s\" in:\n%s", c->want[i], b.p);
	}
	if (c->unwanted && strstr(b.p, c->unwanted))
		fail_msg("\"%s\" in:\n%s", c->unwanted, b.p);
	assert_int_equal(total.no_insns, c->refused);
	buf_fini(&b);
	gobin_free(bin);
}
