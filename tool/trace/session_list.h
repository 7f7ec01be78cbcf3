/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of "goprobectl list" without a target: the functions of each session. */
#ifndef GOPROBE_TRACE_SESSION_LIST_H
#define GOPROBE_TRACE_SESSION_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "trace/client.h"

/* A point of a session. */
struct list_point {
	uint64_t offset;	/* its place in the file */
	uint8_t trap;	/* enum goprobe_trap, from the module */
};

/* A file of a session, put together from messages. */
struct list_session {
	uint32_t session;	/* session id */
	uint32_t owner;	/* process that made it */
	uint32_t file;	/* which of its files */
	char *path;	/* where that is */
	int32_t *pids;	/* traced processes */
	size_t npids;	/* their number; 0: all, without @group */
	bool group;	/* and those of a control group */
	struct list_point *points;	/* its points */
	size_t npoints;	/* their number */
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
