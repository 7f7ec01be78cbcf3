/* SPDX-License-Identifier: GPL-2.0 */
/* The module's commands. Nothing else knows netlink. */
#ifndef GOPROBE_TRACE_CLIENT_H
#define GOPROBE_TRACE_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "trace/attrs.h"

struct client;

/* What the module says about itself. */
struct client_info {
	char version[32];		/* its version */
	uint64_t abilities;		/* GOPROBE_ABILITY_* */
	struct goprobe_limits limits;	/* the most it accepts of each */
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

/*
 * Send a command that is not a dump, with those members of *@a that it has; its reply's members
 * are then set, and lead to what is valid until the next command. NULL: it has none.
 */
int client_ask(struct client *c, enum goprobe_cmd cmd, struct attrs *a, struct diag *d);
int client_get_info(struct client *c, struct client_info *ret, struct diag *d);
/* A GOPROBE_CMD_SESSION_NEW, with a look at the number of processes. */
int client_session_new(struct client *c, struct attrs *a, struct diag *d);
/* Counters that this module does not have are 0. */
int client_get_stats(struct client *c, uint64_t stats[__GOPROBE_STAT_MAX], struct diag *d);

/* Most bytes of an array. */
#define CLIENT_ARRAY_MAX 65000

/* Gets whole records of one GOPROBE_A_CPU; other than 0 ends the pass with that value. */
typedef int (*client_records_fn)(void *ctx, uint32_t cpu, uint8_t *p, size_t len);

/* One pass over the rings. */
struct client_pass {
	uint64_t time;		/* GOPROBE_A_TIME */
	uint64_t backlog;	/* GOPROBE_A_BACKLOG */
	uint64_t bytes;		/* bytes of records */
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
 * Gets one struct of a sequence, and what follows it: the buckets of a tally, with its states
 * behind them; the same behind the words of a key; the held record of an open call. Anything but 0
 * ends it: there is no memory.
 */
typedef int (*client_item_fn)(void *ctx, const void *item, const uint64_t *rest);
/*
 * GOPROBE_CMD_TALLIES: struct goprobe_tally, in rising order of ids; _KEYS: struct
 * goprobe_key_stats; _OPEN_CALLS: struct goprobe_open_call.
 */
int client_items(struct client *c, enum goprobe_cmd cmd, client_item_fn fn, void *ctx,
		 struct diag *d);

/* Gets one message of a dump; other than 0 ends it. */
typedef int (*client_attrs_fn)(void *ctx, const struct attrs *a, struct diag *d);
int client_dump(struct client *c, enum goprobe_cmd cmd, client_attrs_fn fn, void *ctx,
		struct diag *d);

#endif
