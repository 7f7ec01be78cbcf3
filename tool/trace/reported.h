/* SPDX-License-Identifier: GPL-2.0 */
/* Open calls that have been shown: each is once, as long as it is open. */
#ifndef GOPROBE_TRACE_REPORTED_H
#define GOPROBE_TRACE_REPORTED_H

#include <stddef.h>
#include <stdint.h>

#include <goprobe.h>

#include "base/arena.h"
#include "base/hmap.h"

struct shown_call;

/**
 * struct shown - those that may be open still
 * @looks: how often it was looked at all open calls
 * @calls: by who made them
 * @all: all of them, in @mem
 * @mem: what is in @calls
 *
 * All zero, there are none.
 */
struct shown {
	uint64_t looks;
	struct hmap calls;
	struct shown_call *all;
	struct arena mem;
};

/*
 * Is it new that this call is to be shown? 1: it is, 0: it is known, -1: there is no memory. @asked
 * is when open calls were asked for, @since when it was made, seen from when it was told.
 */
int shown_add(struct shown *s, const struct goprobe_open *o, uint64_t asked, uint64_t since);
/* A look is over that has found @n to be shown: forget what has ended, if that is most. 0 or -1. */
int shown_looked(struct shown *s, uint64_t n);
void shown_fini(struct shown *s);

#endif
