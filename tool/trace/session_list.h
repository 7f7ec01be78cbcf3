/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of "goprobectl list" without a target: the functions of each session. */
#ifndef GOPROBE_TRACE_SESSION_LIST_H
#define GOPROBE_TRACE_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "trace/client.h"

/**
 * struct list_point - a point of a session
 * @offset: its place in the file
 * @trap: enum goprobe_trap, from the module
 */
struct list_point {
	uint64_t offset;
	uint8_t trap;
};

/**
 * struct list_session - a file of a session, put together from messages
 * @session: session id
 * @owner: process that made it
 * @file: which of its files
 * @path: where that is
 * @pids: traced processes
 * @npids: their number; 0: all
 * @points: its points
 * @npoints: their number
 */
struct list_session {
	uint32_t session;
	uint32_t owner;
	uint32_t file;
	char *path;
	int32_t *pids;
	size_t npids;
	struct list_point *points;
	size_t npoints;
};

struct session_list_print {
	struct list_session *v;
	size_t n;
};

/* A client_attrs_fn with a struct session_list_print for its context. */
int session_list_add(void *ctx, const struct attrs *s, struct diag *d);
void session_list_print(struct buf *b, const struct session_list_print *sessions, bool json);
void session_list_fini(struct session_list_print *sessions);

#endif
