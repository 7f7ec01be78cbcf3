/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function with a detour, which this processor executes: a branch, what follows it, a cold block,
 * morestack; or an epilogue. What is executed ends at one of three places, where all registers are
 * stored.
 */
#ifndef GOPROBE_TEST_DETOUR_H
#define GOPROBE_TEST_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/detour.h>

#include "rows.h"

#define DETOUR_PAGE 4096U
#define DETOUR_CPUS 4096U
#define DETOUR_STRIDE (1UL << GP_DETOUR_CPU_SHIFT_MIN)
#define DETOUR_CF 1ULL
#define DETOUR_ZF 64ULL
#define DETOUR_SHAPES 4
#define DETOUR_EXITS 22
#define DETOUR_FORMS (DETOUR_SHAPES + DETOUR_EXITS)

/* Hardware numbers. */
enum { DETOUR_RDX = 2, DETOUR_RSP = 4, DETOUR_RBP = 5, DETOUR_R14 = 14, DETOUR_R15 = 15 };

/* Where things are in the function's page; the detour and its numbers are pages of their own. */
enum { DETOUR_BRANCH = 0x100, DETOUR_COLD = 0x140, DETOUR_MORESTACK = 0x200 };

/* Behind the detour: what is executed in place of a landing. */
enum { DETOUR_LANDING = 0x800 };

/* What a function ends with. */
struct detour_exit {
	const char *name;
	const char *code;
	uint64_t place;
	const char *want;	/* NULL: it can become a jump */
	uint8_t shape;
	uint32_t frame;
};

/* What calls that land leave: how many, R12 and RDX of the last. */
struct detour_landed {
	uint64_t n, end, ns;
};

/* A runtime.g. */
struct detour_g {
	uint64_t lo, hi, goid, m;
};

/* The state at the end of the function; how: detour_path. */
struct detour_left {
	uint64_t regs[16];
	uint64_t path;
	uint64_t top;
};

extern const struct detour_exit detour_exits[DETOUR_EXITS];
extern struct detour_landed *detour_landed;
extern struct detour_g detour_g;
extern long detour_nplaces;
extern uint8_t *detour_memory;		/* function, detour, numbers of each CPU */
extern bool detour_has_rdpid, detour_has_bmi2;
extern uint64_t detour_regs[16], detour_flags, detour_entry, detour_path, detour_top;
extern uint64_t detour_stack[20];	/* what is on the stack */

/* In assembly: what the test calls, and the ends. Epilogues return to detour_next(). */
void detour_run(void);
void detour_next(void);
void detour_cold(void);
void detour_morestack(void);

/*
 * The head of a test of each form from @from to before @to that can become a jump; the form is the
 * test's state. MORE_FORMS() gives the same function others.
 */
#define FORMS(func, from, to, claim) \
	TEST_HEAD(func); \
	MORE_FORMS(func, from, to, claim) \
	TEST_HEAD(func)
#define MORE_FORMS(func, from, to, claim) \
	AT_START(func##_##from, detour_add(__LINE__, from, to, func, claim))
void detour_add(int line, size_t from, size_t to, CMUnitTestFunction func, const char *claim);
/* "48 89 c4": its bytes. */
size_t detour_parse(const char *text, uint8_t *to);
uint64_t detour_random(void);
uint64_t detour_ticks(void);
uint8_t *detour_numbers(long place);
/*
 * Write the function of a form: its branch, and its cold block; or, from form DETOUR_SHAPES on, its
 * epilogue. Return: what can become of that.
 */
struct gp_detour_site detour_function(size_t form);
/* What detours that land have in common. */
struct gp_detour detour_at(const struct gp_detour_site *site);
/* One that has random tests, or none, and counts or lands. */
struct gp_detour detour_of_tests(const struct gp_detour_site *site);
bool detour_test_holds(const struct gp_detour_test *t, uint64_t value);
/* Registers of a call, and its stack, all of them random; of tests, mostly near their ends. */
void detour_registers(const struct gp_detour_site *site, const struct gp_detour *d);
void detour_patch(const struct gp_detour_site *site, const struct gp_detour *d);
struct detour_left detour_execute(const uint64_t regs[16]);
/* The depth of a call that has left @l. */
uint64_t detour_depth(const struct gp_detour_site *site, const struct detour_left *l);
/* Calls that one of both counters of a detour of tests counts. */
uint64_t detour_counted(unsigned int counter);
/* @code gets the code of @d, of which each bit matters, and its length. Return: its bytes */
uint32_t detour_exact(const struct gp_detour_site *site, const struct gp_detour *d, uint8_t *code);
/* Byte @at of @d matters: with another one, @code is not the code of @d. */
void detour_matters(const struct gp_detour_site *site, const struct gp_detour *d,
		    const uint8_t *code, uint32_t len, size_t at);
/* There is no code for a detour that is as @d but for a member. */
#define DETOUR_NOT_MADE(site, d, member, value) do { \
	struct gp_detour other_ = *(d); \
	uint8_t code_[GP_DETOUR_MAX]; \
\
	other_.member = (value); \
	assert_int_equal(gp_detour_emit(site, &other_, code_), 0); \
} while (0)

#endif
