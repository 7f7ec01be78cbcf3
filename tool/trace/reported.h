/* SPDX-License-Identifier: GPL-2.0 */
/* Open calls that were reported: each is reported once while it is open. */
#ifndef GOPROBE_TRACE_REPORTED_H
#define GOPROBE_TRACE_REPORTED_H

#include <stddef.h>
#include <stdint.h>

#include <goprobe.h>

#include "base/arena.h"
#include "base/hmap.h"

struct reported_call;

/* Those that may be open still. All zero, there are none. */
struct reported {
	uint64_t looks;		/* how often it was looked at all open calls */
	struct hmap calls;	/* by who made them */
	struct reported_call *all;	/* all of them, in @mem */
	struct arena mem;	/* what is in @calls */
};

/*
 * Add a call. 1: it is to be reported, 0: it was reported already, -1: no memory. @asked: when
 * open calls were queried. @since: when the call was made, by the age in the module's answer.
 */
int reported_add(struct reported *s, const struct goprobe_open_call *o, uint64_t asked,
		 uint64_t since);
/* A look is over that has found @n to be shown: forget what has ended, if that is most. 0 or -1. */
int reported_looked(struct reported *s, uint64_t n);
void reported_fini(struct reported *s);

#endif
