// SPDX-License-Identifier: GPL-2.0
/* Detours that leave notes of calls or their ends: what is executed, and what is refused. */
#include "detour.h"

#include <pthread.h>
#include <string.h>

static struct {
	uint64_t pad[9], procid;
} runtime_m;

static struct gp_detour_ring *ring_of(long place)
{
	return (struct gp_detour_ring *)(detour_numbers(place) + DETOUR_STRIDE / 16);
}

static struct gp_detour note_detour(const struct gp_detour_site *site)
{
	static const uint8_t words[] = { 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14 };
	struct gp_detour d = detour_at(site), tests = detour_of_tests(site);

	d.rejected = tests.rejected;
	d.ntests = tests.ntests;
	memcpy(d.test, tests.test, sizeof(d.test));
	for (uint32_t i = 0; i < d.ntests; i++)
		if (site->frame && d.test[i].reg == DETOUR_RBP)
			d.test[i].reg = DETOUR_RDX;
	d.ring = (uint64_t)ring_of(0);
	d.id = (uint32_t)(detour_random() >> 33) | 1;
	d.goid = offsetof(struct detour_g, goid);
	d.m = offsetof(struct detour_g, m);
	d.procid = 72;
	d.nwords = detour_random() % (GP_DETOUR_WORDS + 1);
	for (uint32_t i = 0; i < d.nwords; i++)
		do
			d.word[i] = words[detour_random() % N(words)];
		while (site->frame && d.word[i] == DETOUR_RBP);
	return d;
}

static void check_note(const struct gp_detour_site *site, const struct gp_detour *d,
		       const struct gp_detour_note *note, const uint64_t regs[16],
		       const struct detour_left *l)
{
	assert_int_equal(note->state, 2 * d->id + 1);
	assert_int_equal(note->depth, (uint32_t)detour_depth(site, l));
	assert_int_equal(note->goid, detour_g.goid);
	assert_int_equal(note->tid, (uint32_t)runtime_m.procid);
	for (uint32_t i = 0; i < GP_DETOUR_WORDS; i++)
		assert_int_equal(note->word[i], i < d->nwords ? regs[d->word[i]] : 0);
}

/*
 * A call or its end that passes all tests leaves a note and goes on as without a detour; where the
 * note is taken, or on a system stack, it lands and leaves the note alone.
 */
FORMS(test_note, 0, DETOUR_SHAPES, "a call leaves a note, or lands")
{
	uint64_t notes = 0, taken = 0, system = 0, rejected = 0;

	if (!detour_has_rdpid)
		skip();
	detour_g.m = (uint64_t)&runtime_m;
	for (int round = 0; round < 3000; round++) {
		struct gp_detour_site site = detour_function((size_t)*state);
		struct gp_detour d = note_detour(&site);
		uint32_t next = (uint32_t)detour_random() & ~127U;
		uint32_t at = next / 128 % GP_DETOUR_NOTES;
		uint32_t used = detour_random() % 4 ? 0 : 2 * (uint32_t)detour_random() + 1;
		uint64_t regs[16], from, to, before = detour_counted(1);
		bool pass = true, tried;
		struct detour_left want, got;

		detour_registers(&site, &d);
		detour_g.goid = detour_random() % 8 ? detour_random() | 1 : 0;
		runtime_m.procid = detour_random();
		memcpy(regs, detour_regs, sizeof(regs));
		want = detour_execute(regs);
		for (long place = 0; place < detour_nplaces; place++) {
			memset(ring_of(place), 0, sizeof(struct gp_detour_ring));
			ring_of(place)->next = next;
			ring_of(place)->note[at].state = used;
		}
		detour_landed->n = 0;
		detour_patch(&site, &d);
		from = detour_ticks();
		got = detour_execute(regs);
		to = detour_ticks();
		want.regs[DETOUR_R15] = 0;
		got.regs[DETOUR_R15] = 0;
		assert_memory_equal(&got, &want, sizeof(got));
		for (uint32_t i = 0; i < d.ntests; i++)
			pass &= detour_test_holds(&d.test[i], regs[d.test[i].reg]);
		assert_int_equal(detour_counted(1) - before, want.path == 1 && !pass);
		rejected += want.path == 1 && !pass;
		pass &= want.path == 1;
		tried = pass && detour_g.goid;
		system += pass && !detour_g.goid;
		taken += tried && used;
		assert_int_equal(detour_landed->n, pass && (!detour_g.goid || used));
		if (detour_landed->n)
			assert_int_equal(detour_landed->end, 2 * d.number + GP_DETOUR_END_UNKNOWN);
		for (long place = 0; place < detour_nplaces; place++) {
			struct gp_detour_ring *ring = ring_of(place);

			if (ring->next == next + 128) {
				assert_true(tried);
				tried = false;
				if (!used) {
					notes++;
					check_note(&site, &d, &ring->note[at], regs, &want);
					assert_in_range(ring->note[at].time, from, to);
					memset(&ring->note[at], 0, sizeof(ring->note[at]));
				}
				ring->next = next;
			}
			assert_int_equal(ring->next, next);
			if (used)
				assert_int_equal(ring->note[at].state, used);
			ring->next = 0;
			ring->note[at].state = 0;
			for (size_t i = 0; i < sizeof(*ring) / 8; i++)
				assert_int_equal(((uint64_t *)ring)[i], 0);
		}
		assert_false(tried);
	}
	assert_in_range(notes, 300, 2500);
	assert_in_range(taken, 100, 1500);
	assert_in_range(system, 50, 1000);
	assert_in_range(rejected, 100, 2500);
}

/* Numbers of a detour that are in its code, with its words. */
static const size_t numbers_of[] = {
	offsetof(struct gp_detour, ring), offsetof(struct gp_detour, landing),
	offsetof(struct gp_detour, branch), offsetof(struct gp_detour, stack_hi),
	offsetof(struct gp_detour, goid), offsetof(struct gp_detour, m),
	offsetof(struct gp_detour, procid), offsetof(struct gp_detour, id),
	offsetof(struct gp_detour, number), offsetof(struct gp_detour, nwords),
};

/* Registers that detours change, or epilogues have changed, are in no note. */
static void check_words(const struct gp_detour_site *site, const struct gp_detour *like)
{
	uint8_t code[GP_DETOUR_MAX], other[GP_DETOUR_MAX], *mov = code;
	struct gp_detour d = *like;
	uint32_t len;

	d.nwords = 1;
	d.word[0] = 7;
	len = gp_detour_emit(site, &d, code);
	while (memcmp(mov, "\x49\x89\x7d\x20", 4))		/* mov %rdi,32(%r13) */
		mov++;
	for (uint32_t reg = 0; reg < 256; reg++) {
		bool kept = reg <= 14 && reg != 4 && reg != 12 && reg != 13 &&
			    !(site->frame && reg == DETOUR_RBP);

		d.word[0] = (uint8_t)reg;
		mov[0] = reg < 8 ? 0x49 : 0x4d;
		mov[2] = (uint8_t)(0x45 | (reg & 7) << 3);
		assert_int_equal(gp_detour_can_note(site, (uint8_t)reg), kept);
		assert_int_equal(gp_detour_check(site, &d, code, len), kept);
		assert_int_equal(gp_detour_emit(site, &d, other), kept ? len : 0);
	}
}

/* Each bit of a detour that leaves notes is checked, and each of its numbers. */
FORMS(test_note_bits, 0, DETOUR_FORMS, "each bit of a detour is checked, and each of its numbers")
{
	uint8_t code[GP_DETOUR_MAX];

	for (int round = 0; round < 25; round++) {
		struct gp_detour_site site = detour_function((size_t)*state);
		struct gp_detour d = note_detour(&site);
		uint32_t len;

		d.ntests = 0;
		len = detour_exact(&site, &d, code);
		for (size_t i = 0; i < N(numbers_of); i++)
			detour_matters(&site, &d, code, len, numbers_of[i]);
		for (size_t i = 0; i < d.nwords; i++)
			detour_matters(&site, &d, code, len, offsetof(struct gp_detour, word[i]));
		DETOUR_NOT_MADE(&site, &d, landing, 0);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, 0);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, GP_DETOUR_CPU_SHIFT_MIN - 1);
		DETOUR_NOT_MADE(&site, &d, cpu_shift, GP_DETOUR_CPU_SHIFT_MAX + 1);
		DETOUR_NOT_MADE(&site, &d, id, 0);
		DETOUR_NOT_MADE(&site, &d, id, 1U << 31);
		DETOUR_NOT_MADE(&site, &d, nwords, GP_DETOUR_WORDS + 1);
		DETOUR_NOT_MADE(&site, &d, ring, d.ring + (1ULL << 32));
		check_words(&site, &d);
		d.ntests = 1;
		d.test[0] = (struct gp_detour_test){ .want = true };
		assert_int_not_equal(gp_detour_emit(&site, &d, code), 0);
		DETOUR_NOT_MADE(&site, &d, test[0].reg, 12);
		DETOUR_NOT_MADE(&site, &d, test[0].reg, 13);
		if (!site.frame)
			continue;
		DETOUR_NOT_MADE(&site, &d, test[0].reg, DETOUR_RSP);
		DETOUR_NOT_MADE(&site, &d, test[0].reg, DETOUR_RBP);
		DETOUR_NOT_MADE(&site, &d, ring, 0);
	}
}

/*
 * Calls a function at its branch, which is not taken, or at its epilogue; then it returns.
 * Registers that a note can have are @value.
 */
void detour_call(void *function, uint64_t value, void *runtime_g, uint64_t frame);

asm(".text\n"
	"detour_call:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rdx, %r14\n"
	"	mov %rdi, %r12\n"
	"	mov %rcx, %r13\n"
	"	mov %rsi, %rax; mov %rsi, %rcx; mov %rsi, %rdx; mov %rsi, %rbx; mov %rsi, %rbp\n"
	"	mov %rsi, %rdi; mov %rsi, %r8; mov %rsi, %r9; mov %rsi, %r10; mov %rsi, %r11\n"
	"	lea 0f(%rip), %r15\n"
	"	push %r15\n"
	"	sub %r13, %rsp\n"
	"	jmp *%r12\n"
	"0:	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

#define CALLERS	8
#define NOTES	200000

static bool callers_stop;
static uint32_t callers_frame;

/* Return: how many calls. */
static void *call_many(void *arg)
{
	uint64_t n;

	for (n = 0; !__atomic_load_n(&callers_stop, __ATOMIC_RELAXED); n++)
		detour_call(detour_memory + DETOUR_BRANCH, (uint64_t)(uintptr_t)arg << 48 | n,
			    &detour_g, callers_frame);
	return (void *)(uintptr_t)n;
}

/* Free all notes that are committed; each must be of one call. Return: how many. */
static uint64_t take_notes(uint32_t nwords)
{
	uint64_t n = 0;

	for (long place = 0; place < detour_nplaces; place++) {
		for (uint32_t i = 0; i < GP_DETOUR_NOTES; i++) {
			struct gp_detour_note *note = &ring_of(place)->note[i];

			if (__atomic_load_n(&note->state, __ATOMIC_ACQUIRE) <= 1)
				continue;
			for (uint32_t word = 1; word < nwords; word++)
				assert_int_equal(note->word[word], note->word[0]);
			__atomic_store_n(&note->state, 0, __ATOMIC_RELEASE);
			n++;
		}
	}
	return n;
}

/* Threads that leave notes at once, and are preempted anywhere, never share one. */
FORMS(test_many_callers, 0, 1, "threads that leave notes at once never share one")
{
	struct gp_detour_site site = detour_function((size_t)*state);
	struct gp_detour d = note_detour(&site);
	pthread_t threads[CALLERS];
	uint64_t notes = 0, calls = 0;

	if (!detour_has_rdpid)
		skip();
	d.ntests = 0;
	d.nwords = 10;
	memcpy(d.word, (const uint8_t[]){ 0, 1, 2, 3, 6, 7, 8, 9, 10, 11 }, 10);
	detour_memory[DETOUR_BRANCH + site.branch_len] = 0xc3;
	callers_frame = site.frame;
	callers_stop = false;
	detour_g.goid = 1;
	detour_g.m = (uint64_t)&runtime_m;
	for (long place = 0; place < detour_nplaces; place++)
		memset(ring_of(place), 0, sizeof(struct gp_detour_ring));
	detour_landed->n = 0;
	detour_patch(&site, &d);
	for (uintptr_t i = 0; i < CALLERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, call_many, (void *)i), 0);
	while (notes < NOTES)
		notes += take_notes(d.nwords);
	__atomic_store_n(&callers_stop, true, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < CALLERS; i++) {
		void *n;

		pthread_join(threads[i], &n);
		calls += (uintptr_t)n;
	}
	notes += take_notes(d.nwords);
	assert_int_equal(notes + detour_landed->n, calls);
}

MORE_FORMS(test_note, DETOUR_SHAPES, DETOUR_FORMS,
	   "the end of a call leaves a note, or lands")
MORE_FORMS(test_many_callers, DETOUR_SHAPES, DETOUR_SHAPES + 2,
	   "threads that leave notes at once never share one")
