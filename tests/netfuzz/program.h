/* SPDX-License-Identifier: GPL-2.0 */
/* Random programs of plans and filters, which the module must accept. */
#ifndef NETFUZZ_PROGRAM_H
#define NETFUZZ_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "choice.h"

/* Purposes of a filter. */
enum program_kind {
	PROGRAM_PLAN,
	PROGRAM_CALL,		/* a filter for any hit */
	PROGRAM_END,		/* for ends of calls that are timed or paired */
	PROGRAM_KEY,		/* makes a key, for any hit */
	PROGRAM_END_KEY,
	PROGRAM_EDIT,		/* sets and writes what is there already */
	__PROGRAM_MAX,
};

/**
 * struct program - a program that is being made
 * @c: what decides
 * @ops: its operations
 * @n: how many there will be
 * @kind: whose
 * @frame: bytes of the plan's frame
 * @address: link-time addresses that are worth asking for
 * @naddresses: how many
 * @members: the session has a set of goroutines
 * @ids: number of functions; see struct places
 * @copies: bytes that may still be copied or compared
 * @unders: GOPROBE_OP_UNDERs that there may still be
 * @tries: items that there are
 */
struct program {
	struct choice *c;
	struct goprobe_op *ops;
	uint32_t n;
	enum program_kind kind;
	uint32_t frame;
	const uint64_t *address;
	uint32_t naddresses;
	bool members;
	uint32_t ids;
	uint32_t copies;
	uint32_t unders;
	uint32_t tries;
};

void program_make(struct program *p);

/* The id of a function's points, by what their hits do. */
enum id_mode { ID_RECORD, ID_COUNT, ID_TIME, ID_PAIR, ID_MODES };

static inline uint32_t id_of(uint32_t function, enum id_mode mode)
{
	return mode * 1000 + function;
}

#endif
