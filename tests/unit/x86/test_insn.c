// SPDX-License-Identifier: GPL-2.0
/* Places for breakpoints in a function's code. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "x86/insn.h"
#include "x86/stack_check.h"

#define BASE 0x401000U
/* The runtime's morestack of these tests, before the function. */
#define MORESTACK 0x400f00U

struct insn_case {
	const char *claim;
	/* In hex; "more" is a call of morestack and a jump to the entry. */
	const char *code;
	bool wrapper;
	/* ~: carried out by the module, !: single-stepped, else emulated */
	const char *want;
};

static const struct insn_case cases[] = {
	{
		"small frame: the branch behind the compare with g in R14",
		/* cmp rsp, [r14+16]; jbe +3; push rbp; pop rbp; ret */
		"49 3b 66 10 76 03 55 5d c3 more",
		false, "check@4+2 rets 8~",
	}, {
		"the branch may be long, spills may precede the call",
		/* jbe +1; mov [rsp+8], rax; movsd [..], x0 */
		"49 3b 66 10 0f 86 01 00 00 00 c3 48 89 44 24 08 f2 0f 11 44 24 10 90 more",
		false, "check@4+6 rets 10~",
	}, {
		"middle frame: LEA into R12 first",
		/* lea r12, [rsp-56]; cmp r12, [r14+16] */
		"4c 8d 64 24 c8 4d 3b 66 10 76 01 c3 more",
		false, "check@9+2 rets 11~",
	}, {
		"huge frame: a subtraction that may wrap",
		/* mov r12, rsp; sub; jb +7; cmp r12, [r14+16] */
		"49 89 e4 49 81 ec 20 86 01 00 72 07 4d 3b 66 10 76 01 c3 more",
		false, "check@16+2 rets 18~",
	}, {
		"on the system stack the other guard is compared",
		"49 3b 66 18 76 01 c3 more",
		false, "check@4+2 rets 6~",
	}, {
		"ABI0: g is loaded from TLS",
		/* mov r14, fs:[-8]; cmp rsp, [r14+16] */
		"64 4c 8b 34 25 f8 ff ff ff 49 3b 66 10 76 01 c3 more",
		false, "check@13+2 abi0 rets 15~",
	}, {
		"ABI0 before Go 1.17: g is in RCX",
		"64 48 8b 0c 25 f8 ff ff ff 48 3b 61 10 76 01 c3 more",
		false, "check@13+2 abi0 rets 15~",
	}, {
		"ABI0 assembly with a middle frame",
		/* lea r12, [rsp-416]; cmp r12, [r14+16] */
		"64 4c 8b 34 25 f8 ff ff ff 4c 8d a4 24 60 fe ff ff 4d 3b 66 10 76 01 c3 more",
		false, "check@21+2 abi0 rets 23~",
	}, {
		"ABI0 assembly with a huge frame",
		"64 4c 8b 34 25 f8 ff ff ff 49 89 e4 49 81 ec 20 86 01 00 72 07 4d 3b 66 10 76 01 c3 more",
		false, "check@25+2 abi0 rets 27~",
	}, {
		"ABI0 in a PIE: the offset is in a register",
		/* mov r14, -8; mov r14, fs:[r14]; cmp rsp, [r14+16] */
		"49 c7 c6 f8 ff ff ff 64 4d 8b 36 49 3b 66 10 76 01 c3 more",
		false, "check@15+2 abi0 rets 17~",
	}, {
		"ABI0 in a PIE before Go 1.17",
		/* mov rcx, fs:[rcx]; lea rax, [rsp-56]; cmp rax, [rcx+16] */
		"48 c7 c1 f8 ff ff ff 64 48 8b 09 48 8d 44 24 c8 48 3b 41 10 76 01 c3 more",
		false, "check@20+2 abi0 rets 22~",
	}, {
		"ABI0 in a shared library: the offset is in the GOT",
		"4c 8b 35 00 10 00 00 64 4d 8b 36 49 3b 66 10 76 01 c3 more",
		false, "check@15+2 abi0 rets 17~",
	}, {
		"ABI0 in a shared library before Go 1.17",
		"48 8b 0d 00 10 00 00 64 48 8b 09 48 3b 61 10 76 01 c3 more",
		false, "check@15+2 abi0 rets 17~",
	}, {
		"a load of g from elsewhere is no stack check",
		/* mov r14, [rax] */
		"4c 8b 30 49 3b 66 10 76 01 c3 c3",
		false, "first@0+3~ rets 9~ 10~",
	}, {
		"nor is one that loads another register than is compared",
		/* mov r14, fs:[-8]; cmp rsp, [rcx+16] */
		"64 4c 8b 34 25 f8 ff ff ff 48 3b 61 10 76 01 c3 c3",
		false, "first@0+9! rets 15~ 16~",
	}, {
		"huge frame before Go 1.17",
		/* mov rsi, [rcx+16]; cmp rsi; je more; lea; sub rax, rsi; cmp rax */
		"64 48 8b 0c 25 f8 ff ff ff 48 8b 71 10 48 81 fe de fa ff ff 74 14 48 8d 84 24 a0 03 00 00 48 29 f0 48 3d 00 86 01 00 76 01 c3 more",
		false, "check@39+2 abi0 rets 41~",
	}, {
		"huge frame in a PIE before Go 1.17",
		"48 c7 c1 f8 ff ff ff 64 48 8b 09 48 8b 71 10 48 81 fe de fa ff ff 74 14 48 8d 84 24 a0 03 00 00 48 29 f0 48 3d 00 86 01 00 76 01 c3 more",
		false, "check@41+2 abi0 rets 43~",
	}, {
		"a bounds check is no stack check",
		"48 83 f8 03 76 01 c3 more",
		false, "refused: a jump leads back to its first instruction, where each round would count as a call",
	}, {
		"a branch that does not lead to morestack is no stack check",
		"49 3b 66 10 76 01 c3 e8 00 00 00 00 c3",
		false, "first@0+4~ rets 6~ 12~",
	}, {
		"nor one with other instructions before the call",
		/* add rax, rax */
		"49 3b 66 10 76 01 c3 48 01 c0 e8 f1 fe ff ff c3",
		false, "first@0+4~ rets 6~ 15~",
	}, {
		"without a check: PUSH is emulated",
		"55 48 89 e5 5d c3",
		false, "push@0+1 rets 5~",
	}, {
		"PUSH of an upper register too",
		"41 54 41 5c c3",
		false, "push@0+2 rets 4~",
	}, {
		"a NOP as well",
		"90 c3",
		false, "nop@0+1 rets 1~",
	}, {
		"XCHG R8,RAX is refused: older kernels take it for a NOP",
		"49 90 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"XCHG AX,AX is not a plain NOP",
		"66 90 c3",
		false, "first@0+2~ rets 2~",
	}, {
		"any other simple first instruction is carried out by the module",
		"48 01 d8 c3",
		false, "first@0+3~ rets 3~",
	}, {
		"what is not simple is single-stepped",
		/* xchg [rax], rbx */
		"48 87 18 c3",
		false, "first@0+3! rets 3~",
	}, {
		"a branch behind a comparison finds the arguments as they were",
		/* test rax, rax; je +1 */
		"48 85 c0 74 01 c3 c3",
		false, "jump@3+2 rets 5~ 6~",
	}, {
		"so does one behind several instructions that change only flags, R12 and R13",
		/* nop dword [rax]; cmp rbx, 3; lea r12, [rsp-8]; mov r13, rax; ja +1 */
		"0f 1f 00 48 83 fb 03 4c 8d 64 24 f8 49 89 c5 0f 87 01 00 00 00 c3 c3",
		false, "jump@15+6 rets 21~ 22~",
	}, {
		"a call, too",
		"48 85 c0 e8 00 00 00 00 c3",
		false, "jump@3+5 rets 8~",
	}, {
		"a jump that leaves the function is its entry and its end",
		"e9 00 10 00 00",
		false, "jump@0+5 tails 0 alone",
	}, {
		"but not where it has another instruction, so that they can be distinguished",
		/* test rax, rax; jmp */
		"48 85 c0 e9 00 10 00 00",
		false, "first@0+3~ tails 3",
	}, {
		"a PUSH further on",
		"48 39 d8 55 5d c3",
		false, "push@3+1 rets 5~",
	}, {
		"not behind one that changes an argument",
		/* add rax, rbx; je */
		"48 01 d8 74 01 c3 c3",
		false, "first@0+3~ rets 5~ 6~",
	}, {
		"nor the closure",
		/* xor edx, edx; je */
		"31 d2 74 01 c3 c3",
		false, "first@0+2~ rets 4~ 5~",
	}, {
		"nor g",
		"4d 89 e6 74 01 c3 c3",
		false, "first@0+3~ rets 5~ 6~",
	}, {
		"nor the frame pointer",
		"48 89 e5 74 01 c3 c3",
		false, "first@0+3~ rets 5~ 6~",
	}, {
		"nor SP, which names the call",
		"48 83 ec 18 74 01 c3 c3",
		false, "first@0+4! rets 6~ 7~",
	}, {
		"nor behind a comparison with memory, which can fault",
		/* cmp qword [rax], 0; je */
		"48 83 38 00 74 01 c3 c3",
		false, "first@0+4~ rets 6~ 7~",
	}, {
		"nor behind a load into R12",
		"4c 8b 20 74 01 c3 c3",
		false, "first@0+3~ rets 5~ 6~",
	}, {
		"nor behind a store",
		/* mov [rsp+8], rax; je */
		"48 89 44 24 08 74 01 c3 c3",
		false, "first@0+5~ rets 7~ 8~",
	}, {
		"nor behind what is not simple",
		/* xorps xmm0, xmm0; je */
		"0f 57 c0 74 01 c3 c3",
		false, "first@0+3! rets 5~ 6~",
	}, {
		"nor behind a RET",
		"c3 74 01 c3 c3",
		false, "first@0+1~ rets 0~ 3~ 4~ alone",
	}, {
		"not at the head of a loop behind the entry",
		/* test rax, rax; 3: je +4; nop; nop; jmp 3; ret */
		"48 85 c0 74 04 90 90 eb fa c3",
		false, "first@0+3~ rets 9~",
	}, {
		"nor behind one",
		/* test rax, rax; 3: test rbx, rbx; je +2; jmp 3; ret */
		"48 85 c0 48 85 db 74 02 eb f9 c3",
		false, "first@0+3~ rets 10~",
	}, {
		"nor if jumps lead nobody knows where",
		/* test rax, rax; je +2; jmp rcx; ret */
		"48 85 c0 74 02 ff e1 c3",
		false, "first@0+3~ rets 7~",
	}, {
		"not so far on that calls take long to get there",
		"48 39 d8 48 39 d8 48 39 d8 48 39 d8 48 39 d8 48 39 d8 48 39 d8 48 39 d8 74 01 c3 c3",
		false, "first@0+3~ rets 26~ 27~",
	}, {
		"a function may be nothing but its RET",
		"c3 cc cc cc",
		false, "first@0+1~ rets 0~ alone",
	}, {
		"every RET counts, also with an operand or a prefix",
		"48 85 c0 74 01 c3 74 03 c2 08 00 f3 c3",
		false, "jump@3+2 rets 5~ 8! 11!",
	}, {
		"a jump out of the function ends it",
		"84 00 e9 00 10 00 00",
		false, "first@0+2~ tails 2",
	}, {
		"an indirect jump does so in a wrapper",
		"48 8b 08 ff e1",
		true, "first@0+3~ tails 3!",
	}, {
		"but not at an index: methods are inlined into wrappers, with their switches",
		"48 8b 08 ff 24 c8 c3",
		true, "first@0+3~ rets 6~",
	}, {
		"and may be a switch elsewhere",
		"48 8b 08 ff e1 c3",
		false, "first@0+3~ rets 5~",
	}, {
		"the head of a loop would count each round as a call",
		/* cmp qword [rax], 0; jne entry */
		"48 83 38 00 75 fa c3",
		false, "refused: a jump leads back to its first instruction, where each round would count as a call",
	}, {
		"LOCK is not to be stepped over",
		"f0 48 ff 00 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor AVX-512",
		"62 f1 fe 48 6f 00 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor a fence",
		"0f ae f0 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor SYSCALL",
		"0f 05 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor CPUID's neighbour RDTSCP",
		"0f 01 f9 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor UD2",
		"0f 0b",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor segment prefixes of old",
		"2e 0f 1f 00 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor VPADDQ, whose opcode is AAM's without a prefix",
		"c5 f9 d4 c0 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"nor VMOVDQU with a prefix of three bytes",
		"c4 c1 7e 6f 00 c3",
		false, "refused: the kernel can't step over its first instruction",
	}, {
		"VPADDD may be",
		"c5 f9 fe c0 c3",
		false, "first@0+4! rets 4~",
	}, {
		"PADDQ may be",
		"66 0f d4 c0 c3",
		false, "first@0+4! rets 4~",
	}, {
		"FS and AVX may be",
		"c5 f8 77 c3",
		false, "first@0+3! rets 3~",
	}, {
		"AVX-512 further on is decoded",
		"90 62 f1 fe 48 6f 00 c3",
		false, "nop@0+1 rets 7~",
	}, {
		"code that can't be decoded proves nothing",
		"90 c3 06 07 c3",
		false, "refused: its code can't be decoded",
	}, {
		"zeros behind the code are padding",
		"90 c3 00",
		false, "nop@0+1 rets 1~",
	}, {
		"a branch into an instruction proves the decoding wrong",
		"74 01 48 89 c3 c3",
		false, "refused: a branch leads into one of its instructions",
	}, {
		"a truncated check is no stack check",
		"49 3b 66 10 76 70 c3",
		false, "first@0+4~ rets 6~",
	},
};

static size_t put_morestack(uint8_t *to, size_t at)
{
	int32_t rel = (int32_t)(MORESTACK - (BASE + at + 5));

	to[at] = 0xe8;			/* call */
	memcpy(to + at + 1, &rel, 4);
	to[at + 5] = 0xeb;		/* jmp */
	to[at + 6] = (uint8_t)(0 - (at + 7));
	return at + 7;
}

static size_t assemble(const char *hex, uint8_t *to)
{
	size_t n = 0;

	while (*hex) {
		if (!strncmp(hex, "more", 4)) {
			n = put_morestack(to, n);
			hex += 4;
		} else {
			char *end;

			to[n++] = (uint8_t)strtoul(hex, &end, 16);
			hex = end;
		}
		while (*hex == ' ')
			hex++;
	}
	return n;
}

static bool is_morestack(void *ctx, uint64_t vaddr)
{
	(void)ctx;
	return vaddr == MORESTACK;
}

static char *show(const struct insn_scan *s)
{
	static const char *const kinds[] = {
		"none", "check", "push", "nop", "jump", "first",
	};
	static const char *const hows[] = {
		[INSN_HOW_EMULATED] = "", [INSN_HOW_CARRIED_OUT] = "~",
		[INSN_HOW_STEPPED] = "!",
	};
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	if (s->refused) {
		fprintf(f, "refused: %s", s->refused);
	} else {
		fprintf(f, "%s@%u+%u%s%s", kinds[s->entry], s->call.at,
			s->call.len, hows[s->call.how], s->abi0 ? " abi0" : "");
		if (s->nrets)
			fputs(" rets", f);
		for (size_t i = 0; i < s->nrets; i++)
			fprintf(f, " %u%s", s->rets[i].at,
				hows[s->rets[i].how]);
		if (s->ntails)
			fputs(" tails", f);
		for (size_t i = 0; i < s->ntails; i++)
			fprintf(f, " %u%s", s->tails[i].at,
				hows[s->tails[i].how]);
		fputs(insn_is_alone(s) ? " alone" : "", f);
	}
	fclose(f);
	return text;
}

ROWS(test_code, cases)
{
	const struct insn_case *c = *state;
	uint8_t buf[128], *bytes;
	size_t len = assemble(c->code, buf);
	struct insn_code code = {
		.len = len, .vaddr = BASE, .wrapper = c->wrapper,
		.is_morestack = is_morestack,
	};
	struct insn_scan s;
	char *got;

	/* On the heap, so that a read past the end is seen. */
	bytes = malloc(len);
	memcpy(bytes, buf, len);
	code.bytes = bytes;
	assert_int_equal(insn_scan(&code, &s), 0);
	got = show(&s);
	assert_string_equal(got, c->want);
	insn_scan_fini(&s);
	free(got);
	free(bytes);
}

/* --- epilogues ----------------------------------------------------------------------- */

#define NO_EPILOGUE "it ends without an epilogue that a jump can replace"
#define LED_INTO "branches lead into an epilogue of it"

static const struct exit_case {
	const char *claim;
	const char *code;
	/* Of each RET, the first instruction of the epilogue, or why it can't become a jump. */
	const char *exits;
	const char *no_time;
	int64_t shift;		/* of the code's address */
} exits[] = {
	{
		"a small frame ends with ADD and POP",
		/* push rbp; mov rbp, rsp; sub rsp, 16; add rsp, 16; pop rbp; ret */
		"49 3b 66 10 76 0e 55 48 89 e5 48 83 ec 10 48 83 c4 10 5d c3 more",
		"14+4 frame 24", NULL,
	}, {
		"a larger one with a longer ADD",
		"49 3b 66 10 76 0d 55 48 89 e5 48 81 c4 00 01 00 00 5d c3 more",
		"10+7 frame 264", NULL,
	}, {
		"one of 128 bytes with SUB $-128",
		"49 3b 66 10 76 0a 55 48 89 e5 48 83 ec 80 5d c3 more",
		"10+4 frame 136", NULL,
	}, {
		"before Go 1.21 with MOV and ADD",
		"49 3b 66 10 76 0a 48 8b 6c 24 10 48 83 c4 18 c3 more",
		"6+5 frame 24", NULL,
	}, {
		"the same with a longer ADD",
		"49 3b 66 10 76 0d 48 8b 6c 24 78 48 81 c4 80 00 00 00 c3 more",
		"6+5 frame 128", NULL,
	}, {
		"the same with a longer MOV as well",
		"49 3b 66 10 76 10 48 8b ac 24 00 01 00 00 48 81 c4 08 01 00 00 c3 more",
		"6+8 frame 264", NULL,
	}, {
		"a branch to an epilogue does no harm",
		"49 3b 66 10 76 08 74 00 48 83 c4 10 5d c3 more",
		"8+4 frame 24", NULL,
	}, {
		"one to its POP does",
		"49 3b 66 10 76 08 74 04 48 83 c4 10 5d c3 more",
		LED_INTO, LED_INTO,
	}, {
		"one to its RET as well",
		"49 3b 66 10 76 08 74 05 48 83 c4 10 5d c3 more",
		LED_INTO, LED_INTO,
	}, {
		"and a jump that leads nobody knows where",
		/* jmp rax */
		"49 3b 66 10 0f 86 08 00 00 00 ff e0 48 83 c4 10 5d c3 more",
		"it has jumps whose targets are not known",
		"it has jumps whose targets are not known",
	}, {
		"without a frame there is no epilogue",
		"49 3b 66 10 76 01 c3 more",
		NO_EPILOGUE, NO_EPILOGUE,
	}, {
		"an epilogue of RBP alone is too short",
		"49 3b 66 10 76 02 5d c3 more",
		NO_EPILOGUE, NO_EPILOGUE,
	}, {
		"a RET with an operand does not count",
		"49 3b 66 10 76 08 48 83 c4 10 5d c2 00 00 more",
		NO_EPILOGUE, NO_EPILOGUE,
	}, {
		"nor does the end of another instruction",
		/* movabs rax, 0x10c4834800000000; pop rbp */
		"49 3b 66 10 76 0c 48 b8 00 00 00 00 48 83 c4 10 5d c3 more",
		NO_EPILOGUE, NO_EPILOGUE,
	}, {
		"what changes is on one page",
		"49 3b 66 10 0f 86 06 00 00 00 48 83 c4 10 5d c3 more",
		"an epilogue of it is on two pages", "an epilogue of it is on two pages", -13,
	}, {
		"the page of the RET does not matter",
		"49 3b 66 10 0f 86 06 00 00 00 48 83 c4 10 5d c3 more",
		"10+4 frame 24", NULL, -15,
	}, {
		"the module does not take a frame of more than 1 MiB",
		"49 3b 66 10 76 09 48 81 c4 00 00 20 00 5d c3 more",
		"its stack frame is larger than 1 MiB", "its stack frame is larger than 1 MiB",
	}, {
		"each RET has its own",
		/* je +6 */
		"49 3b 66 10 76 0a 74 06 48 83 c4 10 5d c3 5d c3 more",
		"8+4 frame 24, " NO_EPILOGUE, NO_EPILOGUE,
	}, {
		"calls are not timed if the function can end in another one",
		/* je +5; jmp 0x1000 further */
		"49 3b 66 10 76 0d 74 05 e9 00 10 00 00 48 83 c4 10 5d c3 more",
		"13+4 frame 24", "a jump to another function ends it",
	}, {
		"nor if nothing can count them",
		"55 48 89 e5 48 83 ec 10 48 83 c4 10 5d c3",
		"8+4 frame 24", "it has no stack check",
	},
};

static bool is_shifted_morestack(void *ctx, uint64_t vaddr)
{
	const struct exit_case *c = ctx;

	return vaddr == MORESTACK + (uint64_t)c->shift;
}

ROWS(test_exit, exits)
{
	struct exit_case *c = *state;
	char got[256] = "";
	uint8_t buf[64];
	struct insn_code code = {
		.bytes = buf, .len = assemble(c->code, buf), .vaddr = BASE + (uint64_t)c->shift,
		.exits = true, .is_morestack = is_shifted_morestack, .ctx = c,
	};
	struct insn_scan s;
	size_t n = 0;

	assert_int_equal(insn_scan(&code, &s), 0);
	assert_null(s.refused);
	for (size_t i = 0; i < s.nrets; i++) {
		const struct insn_exit *e = &s.exits[i];

		n += (size_t)snprintf(got + n, sizeof(got) - n, i ? ", " : "");
		if (e->no_jump)
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%s", e->no_jump);
		else
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%u+%u frame %u",
					      e->begin.at, e->begin.len, e->frame);
	}
	assert_string_equal(got, c->exits);
	assert_string_equal(s.no_time ? s.no_time : "", c->no_time ? c->no_time : "");
	insn_scan_fini(&s);
}

/* Whether a function that starts again has lost its arguments. */
static const struct {
	const char *code;
	uint32_t want;
} agains[] = {
	/* one RET, and the way to morestack: bare, behind a NOP; with a spill of RAX, of X0 */
	{ "49 3b 66 10 76 01 c3 more", 12 },
	{ "49 3b 66 10 76 01 c3 90 more", 13 },
	{ "49 3b 66 10 76 01 c3 48 89 44 24 08 more", 0 },
	{ "49 3b 66 10 76 01 c3 f2 0f 11 44 24 10 90 more", 0 },
};

TEST(test_again, "arguments are lost by a function that starts again and keeps none")
{
	ZydisDecoder dec;

	assert_true(ZYAN_SUCCESS(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
						  ZYDIS_STACK_WIDTH_64)));
	for (size_t i = 0; i < sizeof(agains) / sizeof(*agains); i++) {
		uint8_t buf[128];
		struct insn_code code = {
			.bytes = buf, .len = assemble(agains[i].code, buf), .vaddr = BASE,
			.is_morestack = is_morestack,
		};
		struct stack_check p;

		assert_int_equal(stack_check_find(&code, &dec, &p), 0);
		assert_int_equal(p.again, agains[i].want);
	}
}

/* Any bytes at all: points lie inside, and nothing is read outside. */
TEST(test_noise, "any bytes give points inside the code, or none")
{
	uint32_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		size_t len = 1 + round % 61;
		uint8_t *bytes = malloc(len);
		struct insn_code code = {
			.bytes = bytes, .len = len, .vaddr = BASE, .exits = true,
			.is_morestack = is_morestack,
		};
		struct insn_scan s;
		struct insn_tls tls;

		for (size_t i = 0; i < len; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = seed >> 24;
		}
		/* Half of them begin like a function. */
		if (round % 2 && len > 6)
			memcpy(bytes, "\x49\x3b\x66\x10\x76", 5);
		assert_int_equal(insn_scan(&code, &s), 0);
		if (!s.refused)
			assert_true(s.call.at + s.call.len <= len);
		for (size_t i = 0; i < s.nrets; i++)
			assert_true(s.rets[i].at + s.rets[i].len <= len &&
				    s.exits[i].begin.at <= s.rets[i].at);
		for (size_t i = 0; i < s.ntails; i++)
			assert_true(s.tails[i].at + s.tails[i].len <= len);
		insn_find_tls(bytes, len, BASE, &tls);
		insn_scan_fini(&s);
		free(bytes);
	}
}

TEST(test_tls, "the offset of g from the thread pointer is read from code")
{
	static const struct {
		const char *claim;
		const char *code;
		int err;
		int32_t offset;
		uint64_t slot;
	} tls[] = {
		{ "absolute", "64 48 8b 04 25 a8 ff ff ff", 0, -88, 0 },
		{ "in a register",
		  "48 c7 c1 f8 ff ff ff 64 48 8b 01", 0, -8, 0 },
		{ "loaded from the GOT",
		  "48 8b 0d 00 10 00 00 64 48 8b 01", 0, 0, BASE + 0x1007 },
		{ "none", "48 89 d8 c3", -1, 0, 0 },
		{ "cut off", "64 48 8b 04", -1, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(tls) / sizeof(*tls); i++) {
		struct insn_tls got;
		uint8_t buf[64];
		size_t len = assemble(tls[i].code, buf);

		assert_int_equal(insn_find_tls(buf, len, BASE, &got),
				 tls[i].err);
		if (tls[i].err)
			continue;
		assert_int_equal(got.slot, tls[i].slot);
		if (!got.slot)
			assert_int_equal(got.offset, tls[i].offset);
	}
}
