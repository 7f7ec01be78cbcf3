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

#define DETOUR_PAGE 4096U
#define DETOUR_CPUS 4096U
#define DETOUR_STRIDE (1UL << GP_DETOUR_CPU_SHIFT)
#define DETOUR_CF 1ULL
#define DETOUR_ZF 64ULL
#define DETOUR_SHAPES 4

/* Where things are in the function's page; the detour and its numbers are pages of their own. */
enum { DETOUR_BRANCH = 0x100, DETOUR_COLD = 0x140, DETOUR_MORESTACK = 0x200 };

/* Behind the detour: what is executed in place of a landing. */
enum { DETOUR_LANDING = 0x800 };

/* What a function begins with. */
struct detour_shape {
	const char *name;
	const char *branch;
	const char *cold;
};

/* The state at the end of the function; how: detour_path. */
struct detour_left {
	uint64_t regs[16];
	uint64_t path;
	uint64_t top;
};

extern const struct detour_shape detour_shapes[DETOUR_SHAPES];
extern uint8_t *detour_memory;		/* function, detour, numbers of each CPU */
extern bool detour_has_rdpid, detour_has_bmi2;
extern uint64_t detour_regs[16], detour_flags, detour_entry, detour_path, detour_top;
extern uint64_t detour_stack[20];	/* what is on the stack */

/* In assembly: what the test calls, and the ends. Epilogues return to detour_next(). */
void detour_run(void);
void detour_next(void);
void detour_cold(void);
void detour_morestack(void);

int detour_set_up(void **state);
/* "48 89 c4": its bytes. */
size_t detour_parse(const char *text, uint8_t *to);
uint64_t detour_random(void);
/* Near the ends of ranges, or anything. */
uint64_t detour_number(void);
uint8_t *detour_numbers(void);
struct gp_detour_site detour_function(const struct detour_shape *shape);
void detour_registers(void);
void detour_patch(const struct gp_detour_site *site, const struct gp_detour *d);
struct detour_left detour_execute(const uint64_t regs[16]);

#endif
