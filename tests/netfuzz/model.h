/* SPDX-License-Identifier: GPL-2.0 */
/* Model of a session, to which the next message can refer; and messages. */
#ifndef NETFUZZ_MODEL_H
#define NETFUZZ_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "choice.h"
#include "places.h"
#include "program.h"
#include "wire.h"

#define MODEL_TYPES	4096
#define MODEL_PLANS	1024
#define MODEL_FILTERS	1024
#define MODEL_ADDRESSES	16
#define MODEL_GROUPS	2

/*
 * Directories of control groups that sessions can have, opened: the first has all processes, the
 * other none. -1: not there.
 */
extern int model_groups[MODEL_GROUPS];

/* The first byte of an input: whether the session places breakpoints. */
#define MODEL_PLACES	1
#define MODEL_PLACES_NOT	0

/**
 * struct model - a session, as far as its client knows
 * @binaries: programs that can be probed
 * @nbinaries: how many
 * @pids: processes that run them, or not
 * @npids: how many
 * @places: messages that may still place breakpoints, which is dear: all that do wait for
 *	each other; others with points have one that is refused at last
 * @placed: some are placed
 * @file: which program each file is
 * @type_size: of each type
 * @plan_type: of each plan, so that its records can be read
 * @plan_bytes: the largest record of each
 * @filter_kind: enum program_kind of each filter
 * @held: bytes for a held call
 * @keys: the session has a table of keys
 * @states: number of goroutine states
 * @members: the session has a table of members
 * @address: link-time addresses that programs ask for and dynamic types have
 * @blurred: a damaged message has been accepted: what there is may be otherwise
 * @offered: codes of operations in the message that is being made
 */
struct model {
	const struct binary *binaries;
	uint32_t nbinaries;
	const int32_t *pids;
	uint32_t npids;
	bool session;
	bool started;
	bool stopped;
	uint32_t places;
	bool placed;
	uint32_t nfiles;
	uint8_t file[256];
	uint32_t ntypes;
	uint32_t type_size[MODEL_TYPES];
	uint32_t nplans;
	uint32_t plan_type[MODEL_PLANS];
	uint32_t plan_bytes[MODEL_PLANS];
	uint32_t nfilters;
	uint8_t filter_kind[MODEL_FILTERS];
	uint32_t held;
	bool keys;
	uint32_t states;
	bool members;
	bool blurred;
	uint64_t address[MODEL_ADDRESSES];
	uint8_t offered[__GOPROBE_OP_MAX];
	/* Objects to add if the message is accepted. */
	uint32_t more;
	uint32_t more_value[64];
	uint32_t more_bytes[64];
	uint32_t new_held;
	bool new_keys;
	uint32_t new_states;
	bool new_members;
	uint8_t new_file;
};

void model_begin(struct model *m, struct choice *c, const struct binary *binaries,
		 uint32_t nbinaries, const int32_t *pids, uint32_t npids);
/* A message: a right one; then, perhaps, it is damaged. */
void model_message(struct model *m, struct choice *c, struct wire_msg *msg);
void model_session(struct model *m, struct choice *c, struct wire_msg *msg);
void model_file(struct model *m, struct choice *c, struct wire_msg *msg);
/* It has been accepted, with that number for an answer. */
void model_accepted(struct model *m, const struct wire_msg *msg, uint32_t number);
/*
 * Must the module accept it, as nothing is wrong with it and it needs nothing that another
 * message may have taken?
 */
bool model_is_right(const struct model *m, const struct wire_msg *msg);

/* tables.c */
void model_types(struct model *m, struct choice *c, struct wire_msg *msg);
void model_dynamic(struct model *m, struct choice *c, struct wire_msg *msg);
void model_plans(struct model *m, struct choice *c, struct wire_msg *msg);
void model_filters(struct model *m, struct choice *c, struct wire_msg *msg);
/* points.c */
void model_points(struct model *m, struct choice *c, struct wire_msg *msg);
void model_points_del(struct model *m, struct choice *c, struct wire_msg *msg);
/* damage.c */
void damage(const struct model *m, struct choice *c, struct wire_msg *msg);

#endif
