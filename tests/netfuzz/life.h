/* SPDX-License-Identifier: GPL-2.0 */
/* A session from its first message to its end, as an input says. */
#ifndef NETFUZZ_LIFE_H
#define NETFUZZ_LIFE_H

#include <stdbool.h>

#include "kept.h"
#include "model.h"

/**
 * struct life - what one thread needs for that
 * @binaries: programs that can be probed
 * @nbinaries: how many
 * @pids: processes that run them
 * @npids: how many
 * @wire: its socket
 * @model: the session
 * @msg: the message that is sent
 * @stats: what the session has counted when it was last asked
 * @new: something new has happened
 */
struct life {
	const struct binary *binaries;
	uint32_t nbinaries;
	const int32_t *pids;
	uint32_t npids;
	struct wire wire;
	struct model model;
	struct wire_msg msg;
	uint64_t stats[__GOPROBE_STAT_MAX];
	bool new;
};

/* Return: whether the input has led to something new. */
bool life_live(struct life *l, const struct input *in);

#endif
