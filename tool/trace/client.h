/* SPDX-License-Identifier: GPL-2.0 */
/* The module's commands. Nothing else knows netlink. */
#ifndef GOPROBE_TRACE_CLIENT_H
#define GOPROBE_TRACE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/diag.h"

struct client;

/**
 * struct client_info - what the module says about itself
 * @version: its version
 * @abilities: GOPROBE_ABILITY_*
 * @limits: the most it accepts of each
 */
struct client_info {
	char version[32];
	uint64_t abilities;
	struct goprobe_limits limits;
};

/*
 * How client_open() loads a module that is not loaded: 0, or -1 with the reason. NULL, as in
 * libgoprobe: it does not, its caller's user has to.
 */
extern int (*client_load)(struct diag *d);

/* Connect. Fails with a message and a hint if the module is not there. */
int client_open(struct client **ret, struct diag *d);
/* The kernel ends the session, if there is one. */
void client_close(struct client *c);
/* For poll(): readable when client_ready() has something to look at. */
int client_fd(const struct client *c);

int client_get_info(struct client *c, struct client_info *ret, struct diag *d);

/*
 * @npids == 0: all processes. @flags: GOPROBE_SESSION_F_*. @held: limits of pending calls, or
 * NULL. @keys: limits of the table of keys, or NULL. @breaker: when to stop; NULL, or 0 percent:
 * never. @nstates: GOPROBE_A_STATES, or 0. @members: capacity of the set of goroutines; 0: no set.
 * @ring_bytes: in: wish, 0 for any; out: as given.
 */
int client_session_new(struct client *c, const int32_t *pids, size_t npids, uint32_t flags,
		       const struct goprobe_pending_limit *held,
		       const struct goprobe_key_limit *keys,
		       const struct goprobe_breaker *breaker, uint32_t nstates, uint32_t members,
		       uint32_t *ring_bytes, struct diag *d);
int client_file_add(struct client *c, int fd, const struct goprobe_runtime *rt,
		    uint32_t *file, struct diag *d);
/* *@first: id of the first one, for those that follow. */
int client_types_add(struct client *c, const struct goprobe_type *types, size_t ntypes,
		     const struct goprobe_ref *refs, size_t nrefs, uint32_t *first,
		     struct diag *d);
/* *@known: how many addresses the module knows of the file now. */
int client_dynamic_add(struct client *c, uint32_t file, const struct goprobe_dynamic *types,
		       size_t n, uint32_t *known, struct diag *d);
int client_plans_add(struct client *c, const struct goprobe_plan *plans, size_t nplans,
		     const struct goprobe_piece *pieces, size_t npieces,
		     const struct goprobe_op *ops, size_t nops, uint32_t *first,
		     struct diag *d);
int client_filters_add(struct client *c, const struct goprobe_filter *filters, size_t n,
		       const struct goprobe_op *ops, size_t nops, uint32_t *first,
		       struct diag *d);
int client_points_add(struct client *c, uint32_t file, const struct goprobe_point *points,
		      size_t n, struct diag *d);
/* Take the points with these ids away. *@left: how many the session has now. */
int client_points_del(struct client *c, const uint32_t *ids, size_t n, uint32_t *left,
		      struct diag *d);
/* These goroutines join the session's set; *@ret: how many it has now. */
int client_members_add(struct client *c, const struct goprobe_goroutine *v, size_t n, uint32_t *ret,
		       struct diag *d);
int client_start(struct client *c, struct diag *d);
int client_stop(struct client *c, struct diag *d);
/* Counters that this module does not have are 0. */
int client_get_stats(struct client *c, uint64_t stats[__GOPROBE_STAT_MAX], struct diag *d);

/* Most bytes that may be given to client_*_add() in one array. */
#define CLIENT_ARRAY_MAX 65000

/* Gets whole records of one CPU; other than 0 ends the pass with that value. */
typedef int (*client_records_fn)(void *ctx, uint32_t cpu, uint8_t *p, size_t len);

/**
 * struct client_pass - one pass over the rings
 * @time: GOPROBE_A_TIME
 * @backlog: GOPROBE_A_BACKLOG
 * @bytes: bytes of records
 */
struct client_pass {
	uint64_t time;
	uint64_t backlog;
	uint64_t bytes;
};

int client_read(struct client *c, client_records_fn fn, void *ctx, struct client_pass *ret,
		struct diag *d);
/* Has the kernel said that there are records? Never waits; forgets it. */
bool client_ready(struct client *c);
/*
 * Has it said so between the answers to something else? Then client_ready() is true,
 * and poll() need not know.
 */
bool client_notified(const struct client *c);

/*
 * Gets what is known of one id, with t->nbuckets buckets, and t->nstates states behind them;
 * other than 0 ends it.
 */
typedef int (*client_tally_fn)(void *ctx, const struct goprobe_tally *t,
			       const uint64_t *buckets);

/* What the kernel has counted and timed, by id, in rising order. */
int client_tallies(struct client *c, client_tally_fn fn, void *ctx, struct diag *d);

/*
 * What has been counted by one key: the key's words (@keyed->key_bytes / 8), and the buckets,
 * with keyed->tally.nstates states behind them.
 * Anything but 0 ends it: there is no memory.
 */
typedef int (*client_key_fn)(void *ctx, const struct goprobe_key_stats *keyed, const uint64_t *key,
			     const uint64_t *buckets);
int client_keys(struct client *c, client_key_fn fn, void *ctx, struct diag *d);

/*
 * A call that is open, and the held record of it, 8-aligned, which may be changed. Anything but
 * 0 ends it: there is no memory.
 */
typedef int (*client_opened_fn)(void *ctx, const struct goprobe_open_call *open, uint8_t *record);
int client_opened(struct client *c, client_opened_fn fn, void *ctx, struct diag *d);

/**
 * struct client_session - part of a session, as GOPROBE_CMD_LIST shows it
 * @session: session id
 * @owner: process that made it
 * @file: which of its files
 * @path: where that is, or ""
 * @pids: traced processes
 * @npids: their number; 0: all
 * @points: points in that file; perhaps not all, see GOPROBE_CMD_LIST
 * @npoints: their number
 */
struct client_session {
	uint32_t session;
	uint32_t owner;
	uint32_t file;
	const char *path;
	const int32_t *pids;
	size_t npids;
	const struct goprobe_point *points;
	size_t npoints;
};

typedef int (*client_session_fn)(void *ctx, const struct client_session *s);

int client_list(struct client *c, client_session_fn fn, void *ctx, struct diag *d);

#endif
