// SPDX-License-Identifier: GPL-2.0
/* Detours: where they are possible, and what their code does, executed by this processor. */
#include "rows.h"
#include "detour.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <arch/detour.h>

#define PAGE 4096U
#define CPUS 4096U
#define STRIDE (1UL << GP_DETOUR_CPU_SHIFT)
#define CF 1ULL
#define ZF 64ULL

/* --- where they are possible ---------------------------------------------------------- */

static size_t parse(const char *text, uint8_t *to)
{
	size_t n = 0;

	for (const char *p = text; *p; p += strspn(p, " "))
		to[n++] = (uint8_t)strtoul(p, (char **)&p, 16);
	return n;
}

struct find_case {
	const char *name;
	const char *branch;
	const char *cold;
	uint64_t place;
	const char *want;	/* NULL: it is possible */
	uint8_t shape;
	uint8_t cold_len;
};

#define SHORT GP_DETOUR_SHORT
#define NO_CHECK "it is not entered through the branch of a stack check"
#define NO_SPACE "the first instruction of its cold block has no space for a jump"

static const struct find_case cases[] = {
	{ "a long branch", "0f 86 00 01 00 00", "", 0, NULL, GP_DETOUR_LONG },
	{ "a long branch whose last byte is on the next page", "0f 86 00 01 00 00", "", 4096 - 5,
	  NULL, GP_DETOUR_LONG },
	{ "a long branch that would change on two pages", "0f 86 00 01 00 00", "", 4096 - 4,
	  "its stack check is on two pages" },
	{ "a long branch backwards", "0f 86 00 ff ff ff", "", 0, NO_CHECK },
	{ "half of a long branch", "0f 86 00 01 00", "", 0, NO_CHECK },
	{ "another long branch", "0f 84 00 01 00 00", "", 0, NO_CHECK },
	{ "a short branch to a call", "76 20", "e8 10 00 00 00 eb f0", 0, NULL, SHORT, 5 },
	{ "a short branch backwards", "76 f0", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "a short branch to itself", "76 00", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "another short branch", "77 20", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "half of a short branch", "76", "e8 10 00 00 00 eb f0", 0, NO_CHECK },
	{ "half of a call", "76 20", "e8 10 00 00", 0, NO_SPACE },
	{ "mov [rsp+8], rax", "76 20", "48 89 44 24 08 90 90 90 90", 0, NULL, SHORT, 5 },
	{ "mov [rsp+8], r9b", "76 20", "44 88 4c 24 08 90 90 90 90", 0, NULL, SHORT, 5 },
	{ "mov [rsp+256], eax", "76 20", "89 84 24 00 01 00 00 90 90", 0, NULL, SHORT, 7 },
	{ "mov [rsp+256], rax", "76 20", "48 89 84 24 00 01 00 00 90", 0, NULL, SHORT, 8 },
	{ "movsd [rsp+8], xmm0", "76 20", "f2 0f 11 44 24 08 90 90 90", 0, NULL, SHORT, 6 },
	{ "mov [rsp+8], eax has four bytes", "76 20", "89 44 24 08 90 90 90 90 90", 0, NO_SPACE },
	{ "movsd [rsp+256], xmm8 has ten", "76 20", "f2 44 0f 11 84 24 00 01 00", 0, NO_SPACE },
	{ "mov [rax+8], rax", "76 20", "48 89 40 08 90 90 90 90 90", 0, NO_SPACE },
	{ "mov [rsp+rax+8], rax", "76 20", "48 89 44 04 08 90 90 90 90", 0, NO_SPACE },
	{ "mov rax, [rsp+8]", "76 20", "48 8b 44 24 08 90 90 90 90", 0, NO_SPACE },
	{ "lock", "76 20", "f0 48 89 44 24 08 90 90 90", 0, NO_SPACE },
	{ "few bytes to look at", "76 20", "48 89 44 24 08", 0, NO_SPACE },
	{ "the cold block on the next page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 34,
	  "its stack check and its cold block are on different pages" },
	{ "the last byte that changes on the next page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 38,
	  "its stack check and its cold block are on different pages" },
	{ "all on one page", "76 20", "e8 10 00 00 00 eb f0", 4096 - 39, NULL, SHORT, 5 },
};

static void test_find(void **state)
{
	const struct find_case *c = *state;
	uint8_t branch[16], cold[16], *heap, *heap_cold;
	size_t n = parse(c->branch, branch), ncold = parse(c->cold, cold);
	struct gp_detour_site site;
	const char *why;

	/* On the heap, so that a read past the end is seen. */
	heap = malloc(n);
	memcpy(heap, branch, n);
	heap_cold = malloc(ncold ? ncold : 1);
	memcpy(heap_cold, cold, ncold);
	why = gp_detour_find(heap, (uint32_t)n, heap_cold, (uint32_t)ncold, c->place, &site);
	if (c->want) {
		assert_non_null(why);
		assert_string_equal(why, c->want);
		assert_int_equal(site.shape, GP_DETOUR_NONE);
	} else {
		assert_null(why);
		assert_int_equal(site.shape, c->shape);
		assert_int_equal(site.cold_len, c->cold_len);
	}
	free(heap);
	free(heap_cold);
}

/* --- what they do --------------------------------------------------------------------- */

/*
 * A function's beginning in memory of its own: a branch, what follows it, a cold block, morestack.
 * What is executed ends at one of three places, where all registers are stored.
 */
uint64_t detour_regs[16], detour_flags, detour_entry, detour_path, detour_top;
uint64_t detour_stack[20];	/* what is on the stack */

asm(".text\n"
	"detour_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub $256, %rsp\n"
	"	lea detour_stack(%rip), %rsi\n"
	"	mov %rsp, %rdi\n"
	"	mov $20, %ecx\n"
	"	cld\n"
	"	rep movsq\n"
	"	mov %rsp, detour_regs+32(%rip)\n"
	"	push detour_flags(%rip); popfq\n"
	"	movsd detour_regs(%rip), %xmm0\n"
	"	mov detour_regs(%rip), %rax\n"
	"	mov detour_regs+8(%rip), %rcx\n"
	"	mov detour_regs+16(%rip), %rdx\n"
	"	mov detour_regs+24(%rip), %rbx\n"
	"	mov detour_regs+40(%rip), %rbp\n"
	"	mov detour_regs+48(%rip), %rsi\n"
	"	mov detour_regs+56(%rip), %rdi\n"
	"	mov detour_regs+64(%rip), %r8\n"
	"	mov detour_regs+72(%rip), %r9\n"
	"	mov detour_regs+80(%rip), %r10\n"
	"	mov detour_regs+88(%rip), %r11\n"
	"	mov detour_regs+96(%rip), %r12\n"
	"	mov detour_regs+104(%rip), %r13\n"
	"	mov detour_regs+112(%rip), %r14\n"
	"	mov detour_regs+120(%rip), %r15\n"
	"	jmp *detour_entry(%rip)\n"
	"detour_next:\n"
	"	movq $1, detour_path(%rip)\n"
	"	jmp 0f\n"
	"detour_cold:\n"
	"	movq $2, detour_path(%rip)\n"
	"	jmp 0f\n"
	"detour_morestack:\n"
	"	movq $3, detour_path(%rip)\n"
	"0:	mov %rax, detour_regs(%rip)\n"
	"	mov %rcx, detour_regs+8(%rip)\n"
	"	mov %rdx, detour_regs+16(%rip)\n"
	"	mov %rbx, detour_regs+24(%rip)\n"
	"	mov %rbp, detour_regs+40(%rip)\n"
	"	mov %rsi, detour_regs+48(%rip)\n"
	"	mov %rdi, detour_regs+56(%rip)\n"
	"	mov %r8, detour_regs+64(%rip)\n"
	"	mov %r9, detour_regs+72(%rip)\n"
	"	mov %r10, detour_regs+80(%rip)\n"
	"	mov %r11, detour_regs+88(%rip)\n"
	"	mov %r14, detour_regs+112(%rip)\n"
	"	mov %r15, detour_regs+120(%rip)\n"
	"	mov detour_regs+32(%rip), %rax\n"
	"	sub %rsp, %rax\n"
	"	mov %rax, detour_regs+96(%rip)\n"		/* bytes pushed */
	"	mov (%rsp), %rax\n"
	"	mov %rax, detour_regs+104(%rip)\n"		/* the last of them */
	"	mov detour_regs+32(%rip), %rsp\n"
	"	mov 8(%rsp), %rax\n"
	"	mov %rax, detour_top(%rip)\n"			/* where cold blocks store */
	"	add $256, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

/* Where things are in the function's page; the detour and its numbers are pages of their own. */
enum { BRANCH = 0x100, COLD = 0x140, MORESTACK = 0x200 };

/* Behind the detour: what is executed in place of a landing. */
enum { LANDING = 0x800 };

static uint8_t *memory;		/* function, detour, numbers of each CPU */
static bool has_rdpid, has_bmi2;

/* Where CPU 0 has its numbers; CPU n has them n strides higher. */
static uint8_t *numbers(void)
{
	return memory + 2 * PAGE;
}

static uint64_t seed = 1;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void jump_out(uint8_t *at, void (*to)(void))
{
	static const uint8_t jmp[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(at, jmp, sizeof(jmp));
	memcpy(at + sizeof(jmp), &to, sizeof(to));
}

struct shape {
	const char *name;
	const char *branch;
	const char *cold;
};

static const struct shape shapes[] = {
	{ "a long branch", "0f 86 3a 00 00 00", "48 89 44 24 08" },
	{ "a call in the cold block", "76 3e", "e8 bb 00 00 00" },
	{ "a store in the cold block", "76 3e", "48 89 44 24 08 90 90 90 90" },
	{ "a store of a float", "76 3e", "f2 0f 11 44 24 08 90 90 90" },
};

/* Write the function; what can become of its branch. */
static struct gp_detour_site make_function(const struct shape *shape)
{
	uint8_t branch[16], cold[16];
	size_t n = parse(shape->branch, branch), ncold = parse(shape->cold, cold);
	struct gp_detour_site site;

	memset(memory, 0xcc, PAGE);
	memcpy(memory + BRANCH, branch, n);
	jump_out(memory + BRANCH + n, detour_next);
	memcpy(memory + COLD, cold, ncold);
	jump_out(memory + COLD + ncold, detour_cold);
	jump_out(memory + MORESTACK, detour_morestack);
	assert_null(gp_detour_find(memory + BRANCH, 16, memory + COLD, 16,
				   (uint64_t)(memory + BRANCH), &site));
	assert_int_equal(site.cold_at, COLD - BRANCH);
	return site;
}

/* Numbers that comparisons distinguish: near the ends of ranges, or anything. */
static uint64_t number(void)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000, 0xffffffffffffffff,
	};
	uint64_t r = random64();

	if (r % 4 == 0)
		return random64();
	return edges[r / 4 % N(edges)] + r / 64 % 3 - 1;
}

static struct gp_detour_test random_test(void)
{
	static const uint8_t shifts[] = { 0, 0, 0, 32, 32, 48, 56 };
	struct gp_detour_test t = { .reg = random64() % 12 };
	uint64_t r = random64();

	if (t.reg == 4)
		t.reg = 15;
	t.shift = shifts[r % N(shifts)];
	t.want = r >> 8 & 1;
	t.mul = r >> 11 & 1 ? r >> 32 | 1 : 0;
	t.low = r >> 9 & 1 ? number() << t.shift : 0;
	t.span = r >> 10 & 1 ? number() << t.shift : 0;
	return t;
}

static bool holds(const struct gp_detour_test *t, uint64_t value)
{
	return ((value << t->shift) * (t->mul ? t->mul : 1) - t->low <= t->span) == t->want;
}

/* The inverse of @odd modulo 2^64: @odd to the power of 2^63 - 1. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t n = 1;

	for (int bit = 0; bit < 63; bit++, odd *= odd)
		n *= odd;
	return n;
}

/* A number near one of the ends of the test's range, mostly. */
static uint64_t number_for(const struct gp_detour_test *t)
{
	uint64_t r = random64(), end = r & 1 ? t->low : t->low + t->span;

	if (r >> 1 & 1)
		return number();
	end = (end >> t->shift) + (r >> 2) % 3 - 1;
	if (t->mul)
		end *= inverse(t->mul);
	return end + (t->shift ? random64() << (64 - t->shift) : 0);
}

static struct gp_detour random_detour(void)
{
	struct gp_detour d = {
		.branch = (uint64_t)(memory + BRANCH),
		.code = (uint64_t)(memory + PAGE),
		.hits = (uint64_t)(memory + 2 * PAGE),
		.rejected = (uint64_t)(memory + 2 * PAGE + 8),
		.per_cpu = has_rdpid && random64() & 1,
		.ntests = random64() & 1 ? 0 : random64() % (GP_DETOUR_TESTS + 1),
	};

	for (uint32_t i = 0; i < d.ntests; i++)
		d.test[i] = random_test();
	if (d.ntests && random64() & 1) {
		d.landing = d.code + LANDING;
		d.hits = 0;
	}
	return d;
}

static void random_registers(const struct gp_detour *d)
{
	static const uint64_t flags[] = {
		0x202, 0x202, 0x202, 0x202 | CF, 0x202 | ZF, 0x202 | CF | ZF,
	};

	for (size_t i = 0; i < N(detour_regs); i++)
		detour_regs[i] = number();
	for (uint32_t i = 0; i < d->ntests; i++)
		detour_regs[d->test[i].reg] = number_for(&d->test[i]);
	detour_flags = flags[random64() % N(flags)];
	detour_entry = (uint64_t)(memory + BRANCH);
}

static uint64_t counted(unsigned int counter)
{
	uint64_t n = 0;

	for (size_t cpu = 0; cpu < CPUS; cpu++) {
		uint64_t *p = (uint64_t *)(numbers() + cpu * STRIDE) + counter;

		/* Pages that nobody has written stay without memory. */
		if (cpu && !has_rdpid)
			break;
		n += *p;
	}
	return n;
}

/* The state at the end of the function; how: detour_path. */
struct left {
	uint64_t regs[16];
	uint64_t path;
	uint64_t top;
};

static struct left execute(const uint64_t regs[16])
{
	struct left l;

	memcpy(detour_regs, regs, sizeof(detour_regs));
	detour_run();
	memcpy(l.regs, detour_regs, sizeof(l.regs));
	l.path = detour_path;
	l.top = detour_top;
	return l;
}

/* A landing whose breakpoint counts, in the third counter. */
static void make_landing(void)
{
	uint8_t *at = memory + PAGE + LANDING;
	uint8_t count[] = { 0xf0, 0x48, 0xff, 0x05, 0, 0, 0, 0 };	/* lock incq n(%rip) */
	uint8_t landing[GP_DETOUR_LANDING];
	int32_t by = (int32_t)(2 * PAGE + 16 - (PAGE + LANDING + sizeof(count)));

	gp_detour_emit_landing(landing);
	assert_true(gp_detour_check_landing(landing));
	memcpy(count + 4, &by, sizeof(by));
	memcpy(at, count, sizeof(count));
	memcpy(at + sizeof(count), landing, sizeof(landing));
}

static void patch(const struct gp_detour_site *site, const struct gp_detour *d)
{
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t len = gp_detour_emit(site, d, code);

	assert_in_range(len, 1, GP_DETOUR_MAX);
	assert_true(gp_detour_check(site, d, code, len));
	memcpy(memory + PAGE, code, len);
	if (d->landing)
		make_landing();
	assert_true(gp_detour_jumps(site, d, branch, cold));
	if (site->shape == GP_DETOUR_SHORT) {
		memcpy(memory + COLD, cold, sizeof(cold));
		memory[BRANCH] = branch[0];
		assert_int_equal(branch[1], site->branch[1]);
	} else {
		memcpy(memory + BRANCH, branch, sizeof(branch));
	}
}

/*
 * The function with its detour leaves everything as without; and counts if it goes on and all tests
 * hold.
 */
static void test_execute(void **state)
{
	const struct shape *shape = *state;
	uint64_t hits = counted(0), rejected = counted(1), landed = counted(2);
	uint64_t passed = 0, failed = 0, lands = 0;

	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = make_function(shape);
		struct gp_detour d = random_detour();
		uint64_t regs[16];
		struct left want, got;
		bool pass = true;

		random_registers(&d);
		memcpy(regs, detour_regs, sizeof(regs));
		want = execute(regs);
		patch(&site, &d);
		got = execute(regs);
		assert_memory_equal(&got, &want, sizeof(got));
		for (uint32_t i = 0; i < d.ntests; i++)
			pass &= holds(&d.test[i], regs[d.test[i].reg]);
		assert_int_equal(want.path, !(detour_flags & (CF | ZF)) ? 1 :
				 site.cold_len && site.cold[0] == 0xe8 ? 3 : 2);
		if (want.path != 1)
			continue;
		passed += pass && !d.landing;
		lands += pass && d.landing;
		failed += !pass;
		/* Looking at 4096 pages takes long. */
		if (round % 100)
			continue;
		assert_int_equal(counted(0) - hits, passed);
		assert_int_equal(counted(1) - rejected, failed);
	}
	assert_int_equal(counted(0) - hits, passed);
	assert_int_equal(counted(1) - rejected, failed);
	assert_int_equal(counted(2) - landed, lands);
	assert_in_range(passed, 500, 2500);
	assert_in_range(lands, 20, 2500);
	assert_in_range(failed, 300, 2500);
}

/* --- what is refused ------------------------------------------------------------------ */

/* Where the tests are in the code, whose numbers may be any. */
static void find_tests(const struct gp_detour_site *site, const struct gp_detour *d, uint32_t len,
		       uint32_t *from, uint32_t *to)
{
	struct gp_detour bare = *d;
	uint8_t code[GP_DETOUR_MAX];
	uint32_t count = d->per_cpu ? 27 : 13;

	bare.ntests = 0;
	bare.landing = 0;
	bare.hits = bare.rejected;
	*from = gp_detour_emit(site, &bare, code) - count;
	*to = len - count - (d->landing ? 18 : count);
	if (!d->ntests)
		*to = *from;
}

/* Each bit of the code matters, but for the numbers and registers of tests. */
static void test_one_bit(void **state)
{
	const struct shape *shape = *state;
	struct gp_detour_site site = make_function(shape);

	for (int round = 0; round < 200; round++) {
		struct gp_detour d = random_detour();
		uint8_t code[GP_DETOUR_MAX];
		uint32_t len = gp_detour_emit(&site, &d, code), from, to;

		find_tests(&site, &d, len, &from, &to);
		for (uint32_t bit = 0; bit < 8 * len; bit++) {
			code[bit / 8] ^= 1U << bit % 8;
			if (gp_detour_check(&site, &d, code, len))
				assert_in_range(bit / 8, from, to - 1);
			code[bit / 8] ^= 1U << bit % 8;
		}
		for (uint32_t n = 0; n < len; n++)
			if (!d.ntests || n != len - (d.per_cpu ? 27 : 13))
				assert_false(gp_detour_check(&site, &d, code, n));
	}
}

/* Calls that fail a test are counted, whatever is behind it. */
static void test_reject(void **state)
{
	struct gp_detour_site site = make_function(&shapes[0]);

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct gp_detour d = random_detour(), other;
		uint8_t code[GP_DETOUR_MAX];
		uint32_t len = gp_detour_emit(&site, &d, code), from, to, by;

		if (!d.ntests)
			continue;
		find_tests(&site, &d, len, &from, &to);
		for (by = 0; by < len; by++) {
			memcpy(code + to - 4, &by, 4);
			assert_int_equal(gp_detour_check(&site, &d, code, len),
					 to + by == len - (d.per_cpu ? 27 : 13));
		}
		by = len - (d.per_cpu ? 27 : 13) - to;
		memcpy(code + to - 4, &by, 4);
		other = d;
		other.ntests--;
		assert_false(gp_detour_check(&site, &other, code, len));
	}
}

/* A detour that another one is taken for. */
static void test_landing(void **state)
{
	const struct shape *shape = &shapes[0];
	struct gp_detour_site site = make_function(shape);
	uint8_t code[GP_DETOUR_MAX], landing[GP_DETOUR_LANDING];
	struct gp_detour d = random_detour(), other;
	uint32_t len;

	(void)state;
	while (!d.landing)
		d = random_detour();
	len = gp_detour_emit(&site, &d, code);
	assert_true(gp_detour_check(&site, &d, code, len));
	other = d;
	other.landing += 16;
	assert_false(gp_detour_check(&site, &other, code, len));
	other.landing = 0;
	assert_false(gp_detour_check(&site, &other, code, len));
	gp_detour_emit_landing(landing);
	for (uint32_t bit = 0; bit < 8 * sizeof(landing); bit++) {
		landing[bit / 8] ^= 1U << bit % 8;
		assert_false(gp_detour_check_landing(landing));
		landing[bit / 8] ^= 1U << bit % 8;
	}
}

static void test_noise(void **state)
{
	struct gp_detour_site site = make_function(&shapes[0]);
	struct gp_detour d = random_detour();

	(void)state;
	for (int round = 0; round < 200000; round++) {
		uint32_t len = 1 + round % 64;
		uint8_t *code = malloc(len);

		for (uint32_t i = 0; i < len; i++)
			code[i] = (uint8_t)random64();
		assert_false(gp_detour_check(&site, &d, code, len));
		free(code);
	}
}

static void test_reach(void **state)
{
	struct gp_detour_site site = make_function(&shapes[1]);
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	const struct gp_detour near = {
		.branch = 0x100000000, .code = 0x140000000, .hits = 0x140010000,
		.rejected = 0x140010008,
	};
	struct gp_detour d = near;

	(void)state;
	assert_int_not_equal(gp_detour_emit(&site, &d, code), 0);
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	d.code += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
	d = near;
	d.hits += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	for (uint8_t reg = 0; reg < 16; reg++) {
		d = near;
		d.ntests = 1;
		d.test[0] = (struct gp_detour_test){ .reg = reg, .want = true };
		assert_int_equal(!gp_detour_emit(&site, &d, code), reg == 12 || reg == 13);
	}
	d = near;
	d.landing = near.code + 0x1000;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	d.ntests = 1;
	assert_int_not_equal(gp_detour_emit(&site, &d, code), 0);
	d.landing += 1ULL << 32;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	d = near;
	d.ntests = GP_DETOUR_TESTS + 1;
	assert_int_equal(gp_detour_emit(&site, &d, code), 0);
	site.shape = GP_DETOUR_NONE;
	assert_int_equal(gp_detour_emit(&site, &near, code), 0);
}

/* --- timed calls ---------------------------------------------------------------------- */

/* Where the detours of epilogues lie whose POP stays; in no CPU's numbers. */
#define POP_CODE (0x5d000000UL + STRIDE / 2)

enum { RSP = 4, RBP = 5, RDX = 2, R14 = 14, R15 = 15 };

struct exit_case {
	const char *name;
	const char *code;
	uint64_t place;
	const char *want;	/* NULL: it is possible */
	uint8_t shape;
	uint32_t frame;
};

#define NO_EPILOGUE "it ends without an epilogue that a jump can replace"
#define EXIT GP_DETOUR_EXIT
#define EXIT_POP GP_DETOUR_EXIT_POP

static const struct exit_case exits[] = {
	{ "add rsp, 136; pop", "48 81 c4 88 00 00 00 5d c3", 0, NULL, EXIT, 144 },
	{ "add rsp, 64; pop", "48 83 c4 40 5d c3", 0, NULL, EXIT_POP, 72 },
	{ "sub rsp, -128; pop", "48 83 ec 80 5d c3", 0, NULL, EXIT_POP, 136 },
	{ "mov rbp, [rsp+56]; add rsp, 64", "48 8b 6c 24 38 48 83 c4 40 c3", 0, NULL, EXIT, 64 },
	{ "mov rbp, [rsp+128]; add rsp, 136", "48 8b ac 24 80 00 00 00 48 81 c4 88 00 00 00 c3", 0,
	  NULL, EXIT, 136 },
	{ "add rsp, 64; pop; nop", "48 83 c4 40 5d 90 c3", 0, NULL, EXIT_POP, 72 },
	{ "add rsp, 136; pop; two nops", "48 81 c4 88 00 00 00 5d 90 90 c3", 0, NULL, EXIT, 144 },
	{ "mov rbp, [rsp+56]; add rsp, 64; nop", "48 8b 6c 24 38 48 83 c4 40 90 c3", 0, NULL, EXIT,
	  64 },
	{ "the RET behind a NOP is cut off", "48 83 c4 40 5d 90", 0, NO_EPILOGUE },
	{ "nops that are too many", "48 83 c4 40 5d 90 90 90 90 90 90 90 90 90 90 90 c3", 0,
	  NO_EPILOGUE },
	{ "the RET is cut off", "48 83 c4 40 5d", 0, NO_EPILOGUE },
	{ "the POP is cut off", "48 83 c4 40", 0, NO_EPILOGUE },
	{ "no frame", "5d c3", 0, NO_EPILOGUE },
	{ "only a RET", "c3", 0, NO_EPILOGUE },
	{ "another register is popped", "48 83 c4 40 5b c3", 0, NO_EPILOGUE },
	{ "a frame of less than nothing", "48 83 c4 c0 5d c3", 0, NO_EPILOGUE },
	{ "sub rsp, 64", "48 83 ec 40 5d c3", 0, NO_EPILOGUE },
	{ "a jump in place of the RET", "48 83 c4 40 5d eb", 0, NO_EPILOGUE },
	{ "rbp is restored from elsewhere", "48 8b 6c 24 30 48 83 c4 40 c3", 0, NO_EPILOGUE },
	{ "rbp is restored twice", "48 8b 6c 24 38 48 83 c4 40 5d c3", 0, NO_EPILOGUE },
	{ "an epilogue on two pages", "48 83 c4 40 5d c3", 4096 - 4,
	  "an epilogue of it is on two pages" },
	{ "an epilogue whose RET is on the next page", "48 83 c4 40 5d c3", 4096 - 5, NULL,
	  EXIT_POP, 72 },
};

static void test_find_exit(void **state)
{
	const struct exit_case *c = *state;
	uint8_t code[20], *heap;
	size_t n = parse(c->code, code);
	struct gp_detour_site site;
	const char *why;

	heap = malloc(n);
	memcpy(heap, code, n);
	why = gp_detour_find_exit(heap, (uint32_t)n, c->place, &site);
	if (c->want) {
		assert_non_null(why);
		assert_string_equal(why, c->want);
		assert_int_equal(site.shape, GP_DETOUR_NONE);
	} else {
		assert_null(why);
		assert_int_equal(site.shape, c->shape);
		assert_int_equal(site.frame, c->frame);
		assert_int_equal(site.branch_len, n - 1);
	}
	free(heap);
}

/* A runtime.g, the slots, and what a landing finds in R12 and RDX. */
static struct {
	uint64_t lo, hi;
} g;

static struct landed {
	uint64_t n, end, ns;
} *landed;

static struct gp_detour_slot *slots;

static struct gp_detour timed_detour(const struct gp_detour_site *site)
{
	struct gp_detour d = {
		.branch = (uint64_t)(memory + BRANCH),
		.code = (uint64_t)(memory + (site->shape == EXIT_POP ? POP_CODE : PAGE)),
		.slots = (uint64_t)slots,
		.times = (uint64_t)numbers(),
		.rate = 1ULL << 62 | random64() >> 2,
		.number = random64() % 512,
		.id = (uint32_t)random64(),
		.stack_hi = 8,
		.per_cpu = true,
	};

	d.landing = d.code + LANDING;
	return d;
}

/* A landing whose breakpoint leaves a note. */
static void make_timed_landing(const struct gp_detour *d)
{
	uint8_t code[] = {
		0xf0, 0x48, 0xff, 0x05, 0, 0, 0, 0,	/* lock incq landed->n */
		0x4c, 0x89, 0x25, 0, 0, 0, 0,		/* mov %r12,landed->end */
		0x48, 0x89, 0x15, 0, 0, 0, 0,		/* mov %rdx,landed->ns */
	};
	static const uint8_t ends[] = { 8, 15, 22 };
	uint8_t *at = (uint8_t *)d->landing;

	for (uint32_t i = 0; i < N(ends); i++) {
		int32_t by = (int32_t)((uint8_t *)landed + 8 * i - (at + ends[i]));

		memcpy(code + ends[i] - 4, &by, sizeof(by));
	}
	memcpy(at, code, sizeof(code));
	gp_detour_emit_landing(at + sizeof(code));
}

static void patch_timed(const struct gp_detour_site *site, const struct gp_detour *d)
{
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t len = gp_detour_emit(site, d, code);

	assert_in_range(len, 1, LANDING);
	assert_true(gp_detour_check(site, d, code, len));
	memcpy((uint8_t *)d->code, code, len);
	make_timed_landing(d);
	assert_true(gp_detour_jumps(site, d, branch, cold));
	if (site->shape == GP_DETOUR_SHORT) {
		memcpy(memory + COLD, cold, sizeof(cold));
		memory[BRANCH] = branch[0];
	} else {
		memcpy(memory + BRANCH, branch, sizeof(branch));
	}
}

static uint64_t ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

/* Registers of a call; the stack has a frame of any size that ends at detour_next. */
static void timed_registers(const struct gp_detour_site *site)
{
	struct gp_detour none = { .ntests = 0 };

	random_registers(&none);
	detour_flags = random64() % 4 ? 0x202 : 0x202 | CF;
	detour_regs[R14] = (uint64_t)&g;
	for (size_t i = 0; i < N(detour_stack); i++)
		detour_stack[i] = random64();
	if (site->frame)
		detour_stack[site->frame / 8] = (uint64_t)detour_next;
}

/* What a function at its entry, or at its end, may lose. */
static void forget(struct left *l, bool at_end)
{
	l->regs[R15] = 0;
	if (at_end)
		l->regs[RDX] = 0;
}

/* The depth of a call that has left @l. */
static uint64_t depth_of(const struct gp_detour_site *site, const struct left *l)
{
	return g.hi - (l->regs[RSP] + site->frame);
}

/*
 * A call opens in its slot and goes on as without a detour; where the slot is taken it lands and
 * leaves the slot alone.
 */
static void test_open(void **state)
{
	uint64_t lands = 0, opens = 0;

	if (!has_rdpid || !has_bmi2)
		skip();
	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = make_function(*state);
		struct gp_detour d = timed_detour(&site);
		bool taken = random64() & 1;
		struct gp_detour_slot *slot, before;
		uint64_t regs[16], depth, from, to;
		struct left want, got;

		timed_registers(&site);
		g.hi = (uint64_t)&lands + (random64() & 0x3ffffff8);
		memcpy(regs, detour_regs, sizeof(regs));
		want = execute(regs);
		depth = depth_of(&site, &want);
		forget(&want, false);
		slot = &slots[gp_detour_slot_of((uint64_t)&g, depth)];
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		if (taken)
			*slot = (struct gp_detour_slot){ random64() | 1, 2, 3, 4, 5 };
		before = *slot;
		landed->n = 0;
		patch_timed(&site, &d);
		from = ticks();
		got = execute(regs);
		to = ticks();
		forget(&got, false);
		assert_memory_equal(&got, &want, sizeof(got));
		if (want.path != 1 || taken) {
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(landed->n, want.path == 1);
			lands += landed->n;
			continue;
		}
		opens++;
		assert_int_equal(landed->n, 0);
		assert_int_equal(slot->g, (uint64_t)&g);
		assert_int_equal(slot->depth, (uint32_t)depth);
		assert_int_equal(slot->id, d.id);
		assert_in_range(slot->began, from, to);
		memset(slot, 0, sizeof(*slot));
		for (uint32_t i = 0; i < GP_DETOUR_SLOTS; i++)
			assert_int_equal(slots[i].g | slots[i].began | slots[i].depth, 0);
	}
	assert_in_range(lands, 500, 2500);
	assert_in_range(opens, 500, 2500);
}

/* The bucket of a duration: see GOPROBE_BUCKETS. */
static uint32_t bucket_of(uint64_t ns)
{
	uint32_t top = 63 - (uint32_t)__builtin_clzll(ns | 1);

	return ns < 4 ? (uint32_t)ns : 4 * (top - 1) + (ns >> (top - 2) & 3);
}

static uint64_t ns_of(uint64_t passed, uint64_t rate)
{
	return (uint64_t)((__uint128_t)(2 * passed) * rate >> 64);
}

/* What the one CPU that has closed a call has added; all is 0 afterwards but for min and max. */
static struct gp_detour_times take_times(void)
{
	struct gp_detour_times sum = { .sum = 0 }, *its;

	for (size_t cpu = 0; cpu < 256; cpu++) {
		its = (struct gp_detour_times *)(numbers() + cpu * STRIDE);
		for (uint32_t i = 0; i < N(sum.bucket); i++)
			sum.bucket[i] += its->bucket[i];
		sum.sum += its->sum;
		memset(its, 0, offsetof(struct gp_detour_times, min));
	}
	return sum;
}

static void set_limits(uint64_t min, uint64_t max)
{
	for (size_t cpu = 0; cpu < 256; cpu++) {
		struct gp_detour_times *its = (void *)(numbers() + cpu * STRIDE);

		its->min = min;
		its->max = max;
	}
}

/*
 * A call that its slot has ends there, and adds its duration; others, and those that are longer or
 * shorter than all before, or end before they begin, land.
 */
static void test_close(void **state)
{
	const struct exit_case *c = *state;
	uint64_t ends = 0, unknown = 0, extreme = 0;

	if (!has_rdpid || !has_bmi2)
		skip();
	take_times();
	for (int round = 0; round < 1000; round++) {
		uint64_t regs[16], depth, from, to, other = random64() % 7;
		struct gp_detour_slot *slot, before;
		struct gp_detour_times times;
		struct gp_detour_site site;
		struct left want, got;
		struct gp_detour d;
		size_t n = parse(c->code, memory + BRANCH);
		uint64_t before_now = random64() >> (30 + random64() % 26);
		uint32_t buckets = 0;

		assert_null(gp_detour_find_exit(memory + BRANCH, (uint32_t)n, 0, &site));
		d = timed_detour(&site);
		timed_registers(&site);
		g.hi = (uint64_t)&ends + (random64() & 0x3ffffff8);
		memcpy(regs, detour_regs, sizeof(regs));
		want = execute(regs);
		depth = depth_of(&site, &want);
		forget(&want, true);
		assert_int_equal(want.path, 1);
		memset(slots, 0, GP_DETOUR_SLOTS * sizeof(*slots));
		slot = &slots[gp_detour_slot_of((uint64_t)&g, depth)];
		from = ticks();
		*slot = (struct gp_detour_slot){
			.g = (uint64_t)&g + (other == 0 ? 512 : 0),
			.depth = (uint32_t)depth + (other == 1 ? 8 : 0),
			.id = d.id + (other == 6), .began = from - before_now,
		};
		/* As if the CPU where it began were ahead. */
		if (other == 5)
			slot->began = from + before_now + (1ULL << 33);
		before = *slot;
		set_limits(other == 2 ? UINT64_MAX : 4,
			   other == 3 ? 4 : other == 5 ? 1ULL << 50 : UINT64_MAX);
		landed->n = 0;
		patch_timed(&site, &d);
		got = execute(regs);
		to = ticks();
		forget(&got, true);
		assert_memory_equal(&got, &want, sizeof(got));
		times = take_times();
		for (uint32_t i = 0; i < N(times.bucket); i++)
			buckets += (uint32_t)times.bucket[i];
		if (other < 2 || other == 6) {
			unknown++;
			assert_memory_equal(slot, &before, sizeof(before));
			assert_int_equal(landed->end, 2 * d.number + GP_DETOUR_END_UNKNOWN);
		} else {
			assert_int_equal(slot->g, 0);
		}
		assert_int_equal(landed->n, other != 4);
		assert_int_equal(buckets, other == 4);
		if (other == 2 || other == 3 || other == 5) {
			extreme++;
			assert_int_equal(landed->end, 2 * d.number + GP_DETOUR_END_EXTREME);
			times.sum = gp_detour_ns(landed->ns, d.rate);
		} else if (other == 4) {
			ends++;
			assert_int_equal(times.bucket[bucket_of(times.sum)], 1);
		}
		if (other == 5)
			assert_int_equal(times.sum, 0);
		else if (other >= 2 && other < 5)
			assert_in_range(times.sum, ns_of(before_now, d.rate),
					ns_of(before_now + to - from, d.rate));
	}
	assert_in_range(ends, 70, 400);
	assert_in_range(unknown, 200, 700);
	assert_in_range(extreme, 200, 700);
}

/* Numbers of a detour that are in its code: at entries the first six, at ends all. */
static const size_t numbers_of[] = {
	offsetof(struct gp_detour, id), offsetof(struct gp_detour, number),
	offsetof(struct gp_detour, slots),
	offsetof(struct gp_detour, landing), offsetof(struct gp_detour, stack_hi),
	offsetof(struct gp_detour, branch), offsetof(struct gp_detour, times),
	offsetof(struct gp_detour, rate),
};

/* Each bit of a detour that times is checked, and each number that it has. */
static void test_timed_bits(void **state)
{
	uint8_t code[GP_DETOUR_MAX];

	(void)state;
	for (size_t i = 0; i < N(shapes) + N(exits); i++) {
		const struct exit_case *c = i < N(shapes) ? NULL : &exits[i - N(shapes)];
		struct gp_detour_site site;
		struct gp_detour d, other;
		uint32_t len;

		if (c && c->want)
			continue;
		if (!c)
			site = make_function(&shapes[i]);
		else
			gp_detour_find_exit(code, (uint32_t)parse(c->code, code), 0, &site);
		d = timed_detour(&site);
		len = gp_detour_emit(&site, &d, code);
		assert_int_not_equal(len, 0);
		assert_true(gp_detour_check(&site, &d, code, len));
		for (uint32_t bit = 0; bit < 8 * len; bit++) {
			code[bit / 8] ^= 1U << bit % 8;
			assert_false(gp_detour_check(&site, &d, code, len));
			code[bit / 8] ^= 1U << bit % 8;
		}
		for (uint32_t n = 0; n < len; n++)
			assert_false(gp_detour_check(&site, &d, code, n));
		for (size_t n = 0; n < N(numbers_of); n++) {
			if (!c && n > 5)
				break;
			other = d;
			((uint8_t *)&other)[numbers_of[n]] ^= 8;
			assert_false(gp_detour_check(&site, &other, code, len));
		}
		other = d;
		other.slots = 0;
		assert_false(gp_detour_check(&site, &other, code, len));
		other = d;
		other.landing = 0;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.per_cpu = false;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.ntests = 1;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
		other = d;
		other.slots += 1ULL << 32;
		assert_int_equal(gp_detour_emit(&site, &other, code), 0);
	}
}

/* A jump whose last byte is the POP leads to where that says, and nowhere else. */
static void test_pop_stays(void **state)
{
	uint8_t code[16], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t n = (uint32_t)parse("48 83 c4 40 5d c3", code);
	struct gp_detour_site site;
	struct gp_detour d;

	(void)state;
	assert_null(gp_detour_find_exit(code, n, 0, &site));
	d = timed_detour(&site);
	d.code = d.branch + 5 + 0x5d000000;
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	assert_int_equal(branch[0], 0xe9);
	assert_int_equal(branch[4], 0x5d);
	d.code--;
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
	d.code = d.branch + 5 + 0x5dffffff;
	assert_true(gp_detour_jumps(&site, &d, branch, cold));
	d.code++;
	assert_false(gp_detour_jumps(&site, &d, branch, cold));
}

/* No two calls that can be open at the same time are taken for each other, wherever g lies. */
static void test_slots(void **state)
{
	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t a = random64() & 0x7ffffffffff8, depth = random64() & 0x3ffffff8;
		uint64_t deeper = depth + 8 + random64() % 500 * 8;
		uint32_t slot = gp_detour_slot_of(a, depth);

		assert_in_range(slot, 0, GP_DETOUR_SLOTS - 1);
		/* Calls of a goroutine that are near each other have slots of their own. */
		assert_int_not_equal(slot, gp_detour_slot_of(a, deeper));
	}
}

static int set_up(void **state)
{
	unsigned int a, b, c, d;

	(void)state;
	has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & (1U << 22);
	has_bmi2 = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & (1U << 8);
	memory = mmap(NULL, 2 * PAGE + CPUS * STRIDE, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	slots = (struct gp_detour_slot *)(memory + STRIDE / 4);
	landed = (struct landed *)(memory + STRIDE / 2);
	return memory == MAP_FAILED ? -1 : 0;
}

#define SINGLE 7

int main(void)
{
	struct CMUnitTest tests[SINGLE + N(cases) + 3 * N(shapes) + 2 * N(exits)] = {
		{ "a detour that is out of reach, or tests a register it changes, is not made",
		  test_reach },
		{ "random bytes are no detour", test_noise },
		{ "a detour lands where it should, and each bit of a landing is checked",
		  test_landing },
		{ "a test rejects to the counter of rejected calls alone", test_reject },
		{ "each bit of a detour that times is checked, and each of its numbers",
		  test_timed_bits },
		{ "a jump that keeps a POP as its last byte leads there alone", test_pop_stays },
		{ "open calls of a goroutine have slots of their own", test_slots },
	};
	struct CMUnitTest *t = tests + SINGLE + N(cases);
	static char names[3 * N(shapes) + N(exits)][100];
	size_t n = 0;

	ROWS(tests + SINGLE, cases, test_find);
	ROWS(t, exits, test_find_exit);
	t += N(exits);
	for (size_t i = 0; i < N(shapes); i++) {
		void *shape = (void *)&shapes[i];

		sprintf(names[n], "%s: a function does the same with a detour, which counts",
			shapes[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_execute, NULL, NULL, shape };
		sprintf(names[n], "%s: each bit of a detour is checked", shapes[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_one_bit, NULL, NULL, shape };
		sprintf(names[n], "%s: a timed call opens in its slot, or lands", shapes[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_open, NULL, NULL, shape };
	}
	for (size_t i = 0; i < N(exits); i++) {
		if (exits[i].want)
			continue;
		sprintf(names[n], "%s: a timed call ends and adds its duration, or lands",
			exits[i].name);
		*t++ = (struct CMUnitTest){ names[n++], test_close, NULL, NULL, (void *)&exits[i] };
	}
	return _cmocka_run_group_tests("detour", tests, (size_t)(t - tests), set_up, NULL);
}
