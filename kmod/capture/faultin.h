/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slow path of reading the target's memory: brings absent pages in, if nobody can delay that
 * without limit.
 */
#ifndef GP_FAULTIN_H
#define GP_FAULTIN_H

#include <linux/types.h>
#include <goprobe.h>

/* Unreadable pages that one hit remembers, and pages that one hit may bring in. */
#define GP_FAULTIN_REFUSED	4
#define GP_FAULTIN_TRIES	32

/*
 * Kernels of distributions clear every local variable (INIT_STACK_ALL_ZERO), the larger ones with
 * a string instruction. For a variable that is filled in anyway, or used only on a slow path, that
 * would be a notable part of a hit's cost.
 */
#if __has_attribute(uninitialized)
#define GP_UNINITIALIZED	__attribute__((uninitialized))
#else
#define GP_UNINITIALIZED
#endif

/**
 * struct gp_faultin - what is known of absent memory in one hit
 * @address: the first absent byte, when a capture asks for it
 * @tries: pages requested so far
 * @sleeps: number of sleeps for the lock of the program's mappings
 * @nrefused: number of @refused
 * @refused: unreadable pages, and why (enum goprobe_chunk_status)
 */
struct gp_faultin {
	unsigned long address;
	u16 tries;
	u16 sleeps;
	u32 nrefused;
	struct {
		unsigned long page;
		u16 status;
	} refused[GP_FAULTIN_REFUSED];
};

static inline void gp_faultin_init(struct gp_faultin *f)
{
	f->tries = 0;
	f->sleeps = 0;
	f->nrefused = 0;
}

int gp_faultin_ask(struct gp_faultin *f, unsigned long address);
void gp_faultin_serve(struct gp_faultin *f);
void gp_faultin_serve_write(struct gp_faultin *f);

#endif
