/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of "goprobectl list": a function, or a session's functions. */
#ifndef GOPROBE_LIST_H
#define GOPROBE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "client.h"
#include "gobin.h"

void list_header(struct buf *b);
/**
 * struct list_survey - how a function would be probed
 * @refused: why it can't be (static string), or NULL
 * @nrets: RETs that end it
 * @ntails: jumps that do
 * @entry: enum plan_entry
 */
struct list_survey {
	const char *refused;
	uint32_t nrets;
	uint32_t ntails;
	unsigned int entry;
};

/* Reads the function's code: quick for one function after the other in a file. */
void list_survey(struct gobin *bin, const struct gofunc *fn, struct list_survey *ret);
void list_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
		   const struct list_survey *info, bool json);

/**
 * struct list_session - a file of a session, put together from messages
 * @session: session id
 * @owner: process that made it
 * @file: which of its files
 * @path: where that is
 * @pids: traced processes
 * @npids: their number; 0: all
 * @offsets: file offsets of its points
 * @noffsets: their number
 */
struct list_session {
	uint32_t session;
	uint32_t owner;
	uint32_t file;
	char *path;
	int32_t *pids;
	size_t npids;
	uint64_t *offsets;
	size_t noffsets;
};

struct list_sessions {
	struct list_session *v;
	size_t n;
};

/* A client_session_fn with a struct list_sessions for its context. */
int list_session_add(void *ctx, const struct client_session *s);
void list_sessions(struct buf *b, const struct list_sessions *sessions, bool json);
void list_sessions_fini(struct list_sessions *sessions);

#endif
