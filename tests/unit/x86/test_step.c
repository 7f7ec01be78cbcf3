// SPDX-License-Identifier: GPL-2.0
/* Instructions that the module executes itself, against a disassembler. */
#include "rows.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <arch/step.h>

#include "bins.h"

#define TEXT 128

static const char *const kinds[] = {
	[GP_STEP_RET] = "ret", [GP_STEP_NOP] = "nop", [GP_STEP_MOV] = "mov",
	[GP_STEP_LEA] = "lea", [GP_STEP_ADD] = "add", [GP_STEP_OR] = "or",
	[GP_STEP_AND] = "and", [GP_STEP_SUB] = "sub", [GP_STEP_XOR] = "xor",
	[GP_STEP_CMP] = "cmp", [GP_STEP_TEST] = "test",
};

static uint64_t low_bytes(int64_t value, unsigned int bytes)
{
	return bytes < 8 ? (uint64_t)value & ((1ULL << 8 * bytes) - 1) : (uint64_t)value;
}

/* "[r4+r1<<3+0x10]" */
static int show_ea(char *to, bool rip, int base, int index, int shift, int64_t disp)
{
	int n = sprintf(to, "[");

	if (rip)
		n += sprintf(to + n, "rip");
	if (base >= 0)
		n += sprintf(to + n, "r%d", base);
	if (index >= 0)
		n += sprintf(to + n, "+r%d<<%d", index, shift);
	return n + sprintf(to + n, "%+lld]", (long long)disp);
}

static int show_step_operand(char *to, const struct gp_step *s, int kind, int reg, int width)
{
	int n = sprintf(to, " %d:", width);

	switch (kind) {
	case GP_STEP_REG:
		return n + sprintf(to + n, "r%d", reg);
	case GP_STEP_IMM:
		return n + sprintf(to + n, "%#llx", (long long)low_bytes(s->imm, s->width));
	case GP_STEP_MEM:
		return n + show_ea(to + n, s->ea.rip,
				   s->ea.base == GP_STEP_NO_REG ? -1 : s->ea.base,
				   s->ea.index == GP_STEP_NO_REG ? -1 : s->ea.index,
				   s->ea.shift, s->ea.disp);
	}
	to[0] = 0;
	return 0;
}

/* "3 sub 8:r4 8:0x18" */
static void show_step(char *to, const struct gp_step *s)
{
	int n = sprintf(to, "%d %s", s->length, kinds[s->kind]);

	if (s->kind == GP_STEP_LEA) {
		n += show_step_operand(to + n, s, s->to, s->to_reg, s->width);
		show_step_operand(to + n, s, GP_STEP_MEM, 0, 0);
	} else if (s->kind != GP_STEP_RET && s->kind != GP_STEP_NOP) {
		n += show_step_operand(to + n, s, s->to, s->to_reg, s->width);
		show_step_operand(to + n, s, s->from, s->from_reg, s->from_width);
	}
}

static int register_number(ZydisRegister reg)
{
	int id = ZydisRegisterGetId(reg);

	if (reg == ZYDIS_REGISTER_NONE || reg == ZYDIS_REGISTER_RIP)
		return -1;
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR8)
		return id;
	/* In the order AL ... BL, AH ... BH, SPL ... */
	return id < 4 ? id : id < 8 ? 100 + id : id - 4;
}

static int show_operand(char *to, const ZydisDecodedOperand *op, unsigned int width)
{
	int n = sprintf(to, " %d:", op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE ? width :
			op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
			op->mem.type == ZYDIS_MEMOP_TYPE_AGEN ? 0 : op->size / 8);

	switch (op->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return n + sprintf(to + n, "r%d", register_number(op->reg.value));
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return n + sprintf(to + n, "%#llx",
				   (long long)low_bytes(op->imm.value.s, width));
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (op->mem.segment == ZYDIS_REGISTER_FS ||
		    op->mem.segment == ZYDIS_REGISTER_GS)
			n += sprintf(to + n, "with a segment ");
		return n + show_ea(to + n, op->mem.base == ZYDIS_REGISTER_RIP,
				   register_number(op->mem.base),
				   register_number(op->mem.index),
				   __builtin_ctz(op->mem.scale | 0x80),
				   op->mem.disp.has_displacement ? op->mem.disp.value : 0);
	default:
		return n + sprintf(to + n, "?");
	}
}

/* The same by the disassembler. */
static void show_decoded(char *to, const uint8_t *code, size_t len)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	const char *name;
	ZydisDecoder dec;
	int n;

	ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&dec, code, len, &in, op))) {
		sprintf(to, "nothing");
		return;
	}
	name = ZydisMnemonicGetString(in.mnemonic);
	if (in.mnemonic == ZYDIS_MNEMONIC_MOVZX)
		name = "mov";
	n = sprintf(to, "%d %s", in.length, name);
	if (in.mnemonic == ZYDIS_MNEMONIC_NOP)
		return;
	for (int i = 0; i < in.operand_count_visible; i++)
		n += show_operand(to + n, &op[i], op[0].size / 8);
	if (in.address_width != 64)
		sprintf(to + n, " narrow address");
}

/* An accepted instruction is as the disassembler sees it. Return: whether it is accepted. */
static bool check(const uint8_t *code, size_t len)
{
	char got[TEXT], want[TEXT];
	struct gp_step s;

	if (!gp_step_decode(code, (uint32_t)len, &s))
		return false;
	show_step(got, &s);
	show_decoded(want, code, len);
	assert_string_equal(got, want);
	return true;
}

struct step_case {
	const char *claim;
	const char *code;	/* in hex */
	const char *want;	/* NULL: refused */
};

static const struct step_case cases[] = {
	{ "RET", "c3", "1 ret" },
	{ "NOP", "90", "1 nop" },
	{ "NOP of two bytes", "66 90", "2 nop" },
	{ "NOP of nine", "66 0f 1f 84 00 00 00 00 00", "9 nop" },
	{ "a small immediate", "48 83 eb 18", "4 sub 8:r3 8:0x18" },
	{ "a large one", "48 81 eb 88 00 00 00", "7 sub 8:r3 8:0x88" },
	{ "an immediate is signed", "48 83 c3 80", "4 add 8:r3 8:0xffffffffffffff80" },
	{ "also a long one", "48 05 00 00 00 80", "6 add 8:r0 8:0xffffffff80000000" },
	{ "clearing a register", "31 c0", "2 xor 4:r0 4:r0" },
	{ "both directions of it", "45 33 c9", "3 xor 4:r9 4:r9" },
	{ "AND", "83 e0 3f", "3 and 4:r0 4:0x3f" },
	{ "OR", "41 09 d8", "3 or 4:r8 4:r3" },
	{ "is it nil?", "48 85 c0", "3 test 8:r0 8:r0" },
	{ "the nil check", "84 00", "2 test 1:[r0+0] 1:r0" },
	{ "TEST of a byte", "40 84 f6", "3 test 1:r6 1:r6" },
	{ "TEST with an immediate", "f7 c1 07 00 00 00", "6 test 4:r1 4:0x7" },
	{ "TEST of RAX with one", "48 a9 07 00 00 80", "6 test 8:r0 8:0xffffffff80000007" },
	{ "CMP with memory", "48 83 78 08 00", "5 cmp 8:[r0+8] 8:0" },
	{ "CMP of a byte in static data", "80 3d 10 00 00 00 ff", "7 cmp 1:[rip+16] 1:0xff" },
	{ "CMP of a byte", "3c 00", NULL },
	{ "CMP of a low byte", "80 fb 22", "3 cmp 1:r3 1:0x22" },
	{ "CMP of registers", "48 39 d8", "3 cmp 8:r0 8:r3" },
	{ "CMP from memory", "48 3b 43 10", "4 cmp 8:r0 8:[r3+16]" },
	{ "CMP of RAX", "48 3d 10 27 00 00", "6 cmp 8:r0 8:0x2710" },
	{ "moving a register", "48 89 c3", "3 mov 8:r3 8:r0" },
	{ "moving half of one", "44 8b d0", "3 mov 4:r10 4:r0" },
	{ "a constant", "b8 ff ff ff ff", "5 mov 4:r0 4:0xffffffff" },
	{ "a signed constant", "48 c7 c1 ff ff ff ff", "7 mov 8:r1 8:0xffffffffffffffff" },
	{ "a long constant", "49 ba 88 77 66 55 44 33 22 11",
	  "10 mov 8:r10 8:0x1122334455667788" },
	{ "loading", "48 8b 00", "3 mov 8:r0 8:[r0+0]" },
	{ "R13 needs a displacement", "41 8b 45 00", "4 mov 4:r0 4:[r13+0]" },
	{ "R12 needs a SIB byte", "49 8b 44 24 08", "5 mov 8:r0 8:[r12+8]" },
	{ "loading an element", "48 8b 44 cb 10", "5 mov 8:r0 8:[r3+r1<<3+16]" },
	{ "R12 can be an index", "4a 8b 04 a0", "4 mov 8:r0 8:[r0+r12<<2+0]" },
	{ "an index without a base", "8b 04 8d 00 01 00 00", "7 mov 4:r0 4:[+r1<<2+256]" },
	{ "an absolute address", "48 8b 04 25 f8 ff ff ff", "8 mov 8:r0 8:[-8]" },
	{ "loading an argument from the stack", "48 8b 7c 24 08", "5 mov 8:r7 8:[r4+8]" },
	{ "loading static data", "48 8b 05 00 10 00 00", "7 mov 8:r0 8:[rip+4096]" },
	{ "loading a byte", "0f b6 40 04", "4 mov 4:r0 1:[r0+4]" },
	{ "loading two", "48 0f b7 08", "4 mov 8:r1 2:[r0+0]" },
	{ "a byte of a register", "0f b6 c3", "3 mov 4:r0 1:r3" },
	{ "spilling an argument", "48 89 44 24 08", "5 mov 8:[r4+8] 8:r0" },
	{ "half of one", "89 5c 24 10", "4 mov 4:[r4+16] 4:r3" },
	{ "a constant result", "48 c7 44 24 10 fe ff ff ff",
	  "9 mov 8:[r4+16] 8:0xfffffffffffffffe" },
	{ "an address", "48 8d 05 f9 ff ff ff", "7 lea 8:r0 0:[rip-7]" },
	{ "a sum", "8d 04 18", "3 lea 4:r0 0:[r0+r3<<0+0]" },

	{ "SP may be compared", "48 39 e0", "3 cmp 8:r0 8:r4" },
	{ "and be the one that is", "48 83 fc 10", "4 cmp 8:r4 8:0x10" },

	{ "nothing at all", "", NULL },
	{ "making space on the stack is refused", "48 83 ec 18", NULL },
	{ "SP by a register", "48 89 ec", NULL },
	{ "SP by an address", "48 8d 64 24 e8", NULL },
	{ "SP from memory", "48 8b 65 f8", NULL },
	{ "RET that pops arguments is refused", "c2 08 00", NULL },
	{ "RET with a prefix", "f3 c3", NULL },
	{ "far RET", "cb", NULL },
	{ "XCHG R8,RAX is no NOP", "49 90", NULL },
	{ "PAUSE neither", "f3 90", NULL },
	{ "nor another hint", "0f 1f c8", NULL },
	{ "a REX prefix alone", "48", NULL },
	{ "two REX prefixes", "48 48 89 c3", NULL },
	{ "16 bits", "66 89 c3", NULL },
	{ "an address of 32 bits", "67 8b 00", NULL },
	{ "thread-local storage", "64 48 8b 0c 25 f8 ff ff ff", NULL },
	{ "an old segment prefix", "3e 8b 00", NULL },
	{ "LOCK", "f0 83 28 01", NULL },
	{ "storing outside the stack", "48 89 08", NULL },
	{ "a constant to there", "c7 00 01 00 00 00", NULL },
	{ "storing at an index of the stack", "48 89 04 cc", NULL },
	{ "changing memory", "48 01 08", NULL },
	{ "by a constant", "83 04 24 01", NULL },
	{ "with an operand in memory", "48 03 08", NULL },
	{ "ADC reads a flag", "48 11 d8", NULL },
	{ "SBB, too", "48 83 d8 00", NULL },
	{ "AH", "84 e4", NULL },
	{ "BH in a compare", "80 ff 00", NULL },
	{ "CH of a register", "0f b6 c5", NULL },
	{ "bytes but in CMP and TEST", "80 c0 01", NULL },
	{ "NOT is not TEST", "48 f7 d0", NULL },
	{ "LEA of a register", "8d c0", NULL },
	{ "cut off in the immediate", "48 83 ec", NULL },
	{ "cut off in the displacement", "48 8b 44 24", NULL },
	{ "cut off before the SIB byte", "48 8b 44", NULL },
};

ROWS(test_case, cases)
{
	const struct step_case *c = *state;
	char got[TEXT] = "refused";
	struct gp_step s;
	size_t len = 0;
	uint8_t *code;
	uint8_t buf[16];

	for (const char *p = c->code; *p; p += strspn(p, " "))
		buf[len++] = (uint8_t)strtoul(p, (char **)&p, 16);
	/* On the heap, so that a read past the end is seen. */
	code = malloc(len ? len : 1);
	memcpy(code, buf, len);
	if (gp_step_decode(code, (uint32_t)len, &s)) {
		show_step(got, &s);
		assert_true(check(code, len));
	}
	assert_string_equal(got, c->want ? c->want : "refused");
	/* Without its last byte it is not all there. */
	if (c->want)
		assert_false(gp_step_decode(code, (uint32_t)len - 1, &s));
	free(code);
}

static uint32_t random32(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Half of it begins with REX, for otherwise one in 16 would. */
TEST(test_noise, "random bytes are what a disassembler sees, or refused")
{
	uint32_t seed = 1;
	size_t accepted = 0;

	for (int round = 0; round < 1000000; round++) {
		uint8_t code[16];

		for (size_t i = 0; i < sizeof(code); i++)
			code[i] = (uint8_t)random32(&seed);
		if (round % 2)
			code[0] = 0x40 | (code[0] & 0xf);
		accepted += check(code, 1 + round % sizeof(code));
	}
	assert_in_range(accepted, 50000, 500000);
}

/* From each byte of the file on, also where no instruction begins. */
static size_t check_file(const char *path)
{
	int fd = bins_copy(path);
	struct stat st;
	const uint8_t *p;
	size_t accepted = 0;

	assert_int_equal(fstat(fd, &st), 0);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	for (size_t at = 0; at + 16 <= (size_t)st.st_size; at++)
		accepted += check(p + at, 16);
	munmap((void *)p, (size_t)st.st_size);
	close(fd);
	return accepted;
}

TEST(test_programs, "so are all bytes of programs")
{
	struct bins_entry bins[BINS_MAX];
	size_t n = bins_list("-stripped", bins);

	for (size_t i = 0; i < n; i++)
		assert_in_range(check_file(bins[i].path), 10000, SIZE_MAX);
}
