/* SPDX-License-Identifier: GPL-2.0 */
/* A session from its first message to its end, as an input says. */
#ifndef NETFUZZ_LIFE_H
#define NETFUZZ_LIFE_H

#include <stdbool.h>
#include <stddef.h>

#include "kept.h"
#include "model.h"
#include "target.h"

/* Messages of who shares a session's socket. */
#define LIFE_SHARED	24

/**
 * struct life - what one thread needs for that
 * @binaries: programs that can be probed
 * @nbinaries: how many
 * @pids: processes that run them
 * @npids: how many
 * @target: programs that run into breakpoints, now and then
 * @wire: its socket
 * @model: the session
 * @msg: the message that is sent
 * @shared: commands of who shares its socket
 * @stats: what the session has counted when it was last asked
 * @in: what says what happens
 * @new: so much of it has led to something new
 * @fresh: the last message has
 */
struct life {
	const struct binary *binaries;
	uint32_t nbinaries;
	const int32_t *pids;
	uint32_t npids;
	struct target *target;
	struct wire wire;
	struct model model;
	struct wire_msg msg;
	uint8_t shared[LIFE_SHARED];
	uint64_t stats[__GOPROBE_STAT_MAX];
	const struct input *in;
	size_t new;
	bool fresh;
};

/* Return: how many of the input's bytes have led to something new; 0: none. */
size_t life_live(struct life *l, const struct input *in);

#endif
