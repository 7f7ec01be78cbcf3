/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The slow path of reading the target's memory: bring a page in, if waiting for
 * it can't be made to last by anybody.
 */
#ifndef GP_FAULTIN_H
#define GP_FAULTIN_H

#include <linux/types.h>
#include <goprobe.h>

/* Places of one hit that can't be had, and pages of one hit that were brought in. */
#define GP_FAULTIN_REFUSED	4
#define GP_FAULTIN_TRIES	32

/*
 * Distributions' kernels clear every local variable (INIT_STACK_ALL_ZERO), the
 * larger ones with a string instruction. For one that is filled in anyway, or is
 * only looked at on a slow path, that would be a good part of a hit.
 */
#if __has_attribute(uninitialized)
#define GP_UNINITIALIZED	__attribute__((uninitialized))
#else
#define GP_UNINITIALIZED
#endif

/**
 * struct gp_faultin - what one hit has learnt about absent memory
 * @address: the first byte that was missing, when a capture asks for it
 * @tries: pages asked for so far
 * @sleeps: how often it has slept as the program's memory was locked
 * @nrefused: number of @refused
 * @refused: pages that can't be had, and why (enum goprobe_chunk_status)
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

u16 gp_faultin_verdict(const struct gp_faultin *f, unsigned long address);
void gp_faultin_serve(struct gp_faultin *f);
void gp_faultin_serve_write(struct gp_faultin *f);

#endif
