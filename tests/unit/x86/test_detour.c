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

asm(".text\n"
	"detour_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	sub $256, %rsp\n"
	"	movq $0, (%rsp); movq $0, 8(%rsp)\n"
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

/* Where things are in the function's page; the detour and its counters are pages of their own. */
enum { BRANCH = 0x100, COLD = 0x140, MORESTACK = 0x200 };

/* Behind the detour: what is executed in place of a landing. */
enum { LANDING = 0x800 };

static uint8_t *memory;		/* function, detour, counters of each CPU */
static bool has_rdpid;

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
		uint64_t *p = (uint64_t *)(memory + (2 + cpu) * PAGE) + counter;

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
	uint32_t count = d->per_cpu ? 34 : 13;

	bare.ntests = 0;
	bare.landing = 0;
	bare.hits = bare.rejected;
	*from = gp_detour_emit(site, &bare, code) - count;
	*to = len - count - (d->landing ? 12 : count);
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
			if (!d.ntests || n != len - (d.per_cpu ? 34 : 13))
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
					 to + by == len - (d.per_cpu ? 34 : 13));
		}
		by = len - (d.per_cpu ? 34 : 13) - to;
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

static int set_up(void **state)
{
	unsigned int a, b, c, d;

	(void)state;
	has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & (1U << 22);
	memory = mmap(NULL, (2 + CPUS) * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	struct CMUnitTest tests[4 + N(cases) + 2 * N(shapes)] = {
		{ "a detour that is out of reach, or tests a register it changes, is not made",
		  test_reach },
		{ "random bytes are no detour", test_noise },
		{ "a detour lands where it should, and each bit of a landing is checked",
		  test_landing },
		{ "a test rejects to the counter of rejected calls alone", test_reject },
	};
	struct CMUnitTest *t = tests + 4 + N(cases);
	static char names[2 * N(shapes)][100];

	ROWS(tests + 4, cases, test_find);
	for (size_t i = 0; i < N(shapes); i++) {
		void *shape = (void *)&shapes[i];

		sprintf(names[2 * i], "%s: a function does the same with a detour, which counts",
			shapes[i].name);
		sprintf(names[2 * i + 1], "%s: each bit of a detour is checked", shapes[i].name);
		t[2 * i] = (struct CMUnitTest){ names[2 * i], test_execute, NULL, NULL, shape };
		t[2 * i + 1] = (struct CMUnitTest){ names[2 * i + 1], test_one_bit, NULL, NULL,
						    shape };
	}
	return cmocka_run_group_tests(tests, set_up, NULL);
}
