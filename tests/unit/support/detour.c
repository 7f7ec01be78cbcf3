// SPDX-License-Identifier: GPL-2.0
/* A function with a detour, which this processor executes. */
#include "detour.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the detours of epilogues lie whose POP stays; in no CPU's numbers. */
#define POP_CODE (0x5d000000UL + DETOUR_STRIDE / 2)

size_t detour_parse(const char *text, uint8_t *to)
{
	size_t n = 0;

	for (const char *p = text; *p; p += strspn(p, " "))
		to[n++] = (uint8_t)strtoul(p, (char **)&p, 16);
	return n;
}

/*
 * A function's beginning in memory of its own: a branch, what follows it, a cold block, morestack.
 * What is executed ends at one of three places, where all registers are stored.
 */
uint64_t detour_regs[16], detour_flags, detour_entry, detour_path, detour_top;
uint64_t detour_stack[20];	/* what is on the stack */

asm(".text\n"
	".globl detour_next\n"
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

uint8_t *detour_memory;
bool detour_has_rdpid, detour_has_bmi2;
struct detour_landed *detour_landed;
struct detour_g detour_g;
long detour_nplaces;

/* Some are shared by several CPUs. */
static const uint8_t shifts[] = { GP_DETOUR_CPU_SHIFT_MIN, 27, GP_DETOUR_CPU_SHIFT_MAX };

static uint32_t places[N(shifts) * DETOUR_CPUS];

uint8_t *detour_numbers(long place)
{
	return detour_memory + 2 * DETOUR_PAGE + places[place];
}

/* Where the numbers of each CPU can be: 0 is the first, and CPU 0's. */
static void find_places(uint32_t cpus)
{
	uint32_t n = 0, seen;

	for (size_t s = 0; s < N(shifts); s++)
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			places[n] = cpu << shifts[s];
			for (seen = 0; places[seen] != places[n]; seen++)
				;
			n += seen == n;
		}
	detour_nplaces = n;
}

static uint64_t seed = 1;

uint64_t detour_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

uint64_t detour_ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

static void jump_out(uint8_t *at, void (*to)(void))
{
	static const uint8_t jmp[] = { 0xff, 0x25, 0, 0, 0, 0 };

	memcpy(at, jmp, sizeof(jmp));
	memcpy(at + sizeof(jmp), &to, sizeof(to));
}

/* What a function begins with. */
static const struct detour_shape {
	const char *name;
	const char *branch;
	const char *cold;
} shapes[DETOUR_SHAPES] = {
	{ "a long branch", "0f 86 3a 00 00 00", "48 89 44 24 08" },
	{ "a call in the cold block", "76 3e", "e8 bb 00 00 00" },
	{ "a store in the cold block", "76 3e", "48 89 44 24 08 90 90 90 90" },
	{ "a store of a float", "76 3e", "f2 0f 11 44 24 08 90 90 90" },
};

#define NO_EPILOGUE "it ends without an epilogue that a jump can replace"
#define EXIT GP_DETOUR_EXIT
#define EXIT_POP GP_DETOUR_EXIT_POP

const struct detour_exit detour_exits[DETOUR_EXITS] = {
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

static struct gp_detour_site make_beginning(const struct detour_shape *shape)
{
	uint8_t branch[16], cold[16];
	size_t n = detour_parse(shape->branch, branch), ncold = detour_parse(shape->cold, cold);
	struct gp_detour_site site;

	memset(detour_memory, 0xcc, DETOUR_PAGE);
	memcpy(detour_memory + DETOUR_BRANCH, branch, n);
	jump_out(detour_memory + DETOUR_BRANCH + n, detour_next);
	memcpy(detour_memory + DETOUR_COLD, cold, ncold);
	jump_out(detour_memory + DETOUR_COLD + ncold, detour_cold);
	jump_out(detour_memory + DETOUR_MORESTACK, detour_morestack);
	assert_null(gp_detour_find(detour_memory + DETOUR_BRANCH, 16, detour_memory + DETOUR_COLD,
				   16, (uint64_t)(detour_memory + DETOUR_BRANCH), &site));
	assert_int_equal(site.cold_at, DETOUR_COLD - DETOUR_BRANCH);
	return site;
}

static struct gp_detour_site make_end(const struct detour_exit *e)
{
	uint8_t *at = detour_memory + DETOUR_BRANCH;
	struct gp_detour_site site;

	gp_detour_find_exit(at, (uint32_t)detour_parse(e->code, at), e->place, &site);
	return site;
}

struct gp_detour_site detour_function(size_t form)
{
	return form < DETOUR_SHAPES ? make_beginning(&shapes[form]) :
	       make_end(&detour_exits[form - DETOUR_SHAPES]);
}

/* Numbers that comparisons distinguish: near the ends of ranges, or anything. */
static uint64_t number(void)
{
	static const uint64_t edges[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffff80000000, 0xffffffffffffffff,
	};
	uint64_t r = detour_random();

	if (r % 4 == 0)
		return detour_random();
	return edges[r / 4 % N(edges)] + r / 64 % 3 - 1;
}

static struct gp_detour_test random_test(void)
{
	static const uint8_t shifts[] = { 0, 0, 0, 32, 32, 48, 56 };
	struct gp_detour_test t = { .reg = detour_random() % 12 };
	uint64_t r = detour_random();

	if (t.reg == 4)
		t.reg = 15;
	t.shift = shifts[r % N(shifts)];
	t.want = r >> 8 & 1;
	t.mul = r >> 11 & 1 ? r >> 32 | 1 : 0;
	t.low = r >> 9 & 1 ? number() << t.shift : 0;
	t.span = r >> 10 & 1 ? number() << t.shift : 0;
	return t;
}

bool detour_test_holds(const struct gp_detour_test *t, uint64_t value)
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
	uint64_t r = detour_random(), end = r & 1 ? t->low : t->low + t->span;

	if (r >> 1 & 1)
		return number();
	end = (end >> t->shift) + (r >> 2) % 3 - 1;
	if (t->mul)
		end *= inverse(t->mul);
	return end + (t->shift ? detour_random() << (64 - t->shift) : 0);
}

struct gp_detour detour_at(const struct gp_detour_site *site)
{
	struct gp_detour d = {
		.branch = (uint64_t)(detour_memory + DETOUR_BRANCH),
		.code = (uint64_t)detour_memory +
			(site->shape == EXIT_POP ? POP_CODE : DETOUR_PAGE),
		.number = detour_random() % 512,
		.stack_hi = offsetof(struct detour_g, hi),
		.cpu_shift = shifts[detour_random() % N(shifts)],
	};

	d.landing = d.code + DETOUR_LANDING;
	return d;
}

struct gp_detour detour_of_tests(const struct gp_detour_site *site)
{
	struct gp_detour d = detour_at(site);

	d.hits = (uint64_t)detour_numbers(0);
	d.rejected = d.hits + 8;
	if (!detour_has_rdpid || detour_random() & 1)
		d.cpu_shift = 0;
	d.ntests = detour_random() & 1 ? 0 : detour_random() % (GP_DETOUR_TESTS + 1);
	for (uint32_t i = 0; i < d.ntests; i++)
		d.test[i] = random_test();
	if (d.ntests && detour_random() & 1)
		d.hits = 0;
	else
		d.landing = 0;
	return d;
}

void detour_registers(const struct gp_detour_site *site, const struct gp_detour *d)
{
	static const uint64_t flags[] = {
		0x202, 0x202, 0x202, 0x202 | DETOUR_CF, 0x202 | DETOUR_ZF,
		0x202 | DETOUR_CF | DETOUR_ZF,
	};

	for (size_t i = 0; i < N(detour_regs); i++)
		detour_regs[i] = number();
	for (uint32_t i = 0; i < d->ntests; i++)
		detour_regs[d->test[i].reg] = number_for(&d->test[i]);
	detour_regs[DETOUR_R14] = (uint64_t)&detour_g;
	detour_g.hi = (uint64_t)__builtin_frame_address(0) + (detour_random() & 0x3ffffff8);
	detour_flags = flags[detour_random() % N(flags)];
	detour_entry = (uint64_t)(detour_memory + DETOUR_BRANCH);
	for (size_t i = 0; i < N(detour_stack); i++)
		detour_stack[i] = detour_random();
	if (site->frame)
		detour_stack[site->frame / 8] = (uint64_t)detour_next;
}

/* A landing whose breakpoint leaves a note. */
static void make_landing(const struct gp_detour *d)
{
	uint8_t code[] = {
		0xf0, 0x48, 0xff, 0x05, 0, 0, 0, 0,	/* lock incq landed->n */
		0x4c, 0x89, 0x25, 0, 0, 0, 0,		/* mov %r12,landed->end */
		0x48, 0x89, 0x15, 0, 0, 0, 0,		/* mov %rdx,landed->ns */
	};
	static const uint8_t ends[] = { 8, 15, 22 };
	uint8_t *at = (uint8_t *)d->landing;

	for (uint32_t i = 0; i < N(ends); i++) {
		int32_t by = (int32_t)((uint8_t *)detour_landed + 8 * i - (at + ends[i]));

		memcpy(code + ends[i] - 4, &by, sizeof(by));
	}
	memcpy(at, code, sizeof(code));
	gp_detour_emit_landing(at + sizeof(code));
	assert_true(gp_detour_check_landing(at + sizeof(code)));
}

/* Write the detour, checked, and have the function jump there. */
void detour_patch(const struct gp_detour_site *site, const struct gp_detour *d)
{
	uint8_t code[GP_DETOUR_MAX], branch[GP_DETOUR_JUMP], cold[GP_DETOUR_JUMP];
	uint32_t len = gp_detour_emit(site, d, code);

	assert_in_range(len, 1, GP_DETOUR_MAX);
	assert_true(gp_detour_check(site, d, code, len));
	memcpy((uint8_t *)d->code, code, len);
	assert_true(gp_detour_jumps(site, d, branch, cold));
	if (site->shape == GP_DETOUR_SHORT) {
		memcpy(detour_memory + DETOUR_COLD, cold, sizeof(cold));
		detour_memory[DETOUR_BRANCH] = branch[0];
		assert_int_equal(branch[1], site->branch[1]);
	} else {
		memcpy(detour_memory + DETOUR_BRANCH, branch, sizeof(branch));
	}
	if (d->landing)
		make_landing(d);
}

struct detour_left detour_execute(const uint64_t regs[16])
{
	struct detour_left l;

	memcpy(detour_regs, regs, sizeof(detour_regs));
	detour_run();
	memcpy(l.regs, detour_regs, sizeof(l.regs));
	l.path = detour_path;
	l.top = detour_top;
	return l;
}

uint64_t detour_depth(const struct gp_detour_site *site, const struct detour_left *l)
{
	return detour_g.hi - (l->regs[DETOUR_RSP] + site->frame);
}

uint64_t detour_counted(unsigned int counter)
{
	uint64_t n = 0;

	for (long at = 0; at < detour_nplaces; at++)
		n += ((uint64_t *)detour_numbers(at))[counter];
	return n;
}

uint32_t detour_exact(const struct gp_detour_site *site, const struct gp_detour *d, uint8_t *code)
{
	uint32_t len = gp_detour_emit(site, d, code);

	assert_int_not_equal(len, 0);
	assert_true(gp_detour_check(site, d, code, len));
	for (uint32_t bit = 0; bit < 8 * len; bit++) {
		code[bit / 8] ^= 1U << bit % 8;
		assert_false(gp_detour_check(site, d, code, len));
		code[bit / 8] ^= 1U << bit % 8;
	}
	for (uint32_t n = 0; n < len; n++)
		assert_false(gp_detour_check(site, d, code, n));
	return len;
}

void detour_matters(const struct gp_detour_site *site, const struct gp_detour *d,
		    const uint8_t *code, uint32_t len, size_t at)
{
	struct gp_detour other = *d;

	((uint8_t *)&other)[at] ^= 8;
	assert_false(gp_detour_check(site, &other, code, len));
}

/* Once, before the first test is added. */
static void set_up(void)
{
	unsigned int a, b, c, d;

	if (detour_memory)
		return;
	detour_has_rdpid = __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & (1U << 22);
	detour_has_bmi2 = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & (1U << 8);
	detour_memory = mmap(NULL, 2 * DETOUR_PAGE + DETOUR_CPUS * DETOUR_STRIDE,
			     PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (detour_memory == MAP_FAILED)
		abort();
	detour_landed = (struct detour_landed *)(detour_memory + DETOUR_STRIDE / 2);
	find_places((uint32_t)sysconf(_SC_NPROCESSORS_CONF));
}

void detour_add(int line, size_t from, size_t to, CMUnitTestFunction func, const char *claim)
{
	static char names[64][100];
	static size_t n;

	set_up();
	for (size_t form = from; form < to; form++) {
		const char *name = form < DETOUR_SHAPES ? shapes[form].name :
				   detour_exits[form - DETOUR_SHAPES].name;

		if (detour_function(form).shape == GP_DETOUR_NONE)
			continue;
		snprintf(names[n], sizeof(names[n]), "%s: %s", name, claim);
		rows_add(line, names[n++], func, (void *)form);
	}
}
