/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What commands have in common that let the kernel count, or remember open calls, and print
 * that now and then.
 */
#ifndef GOPROBE_CMD_COUNTING_H
#define GOPROBE_CMD_COUNTING_H

#include "base/buf.h"
#include "cmd/cmd.h"
#include "gobin/symbols.h"
#include "net/http_server.h"
#include "output/stats_print.h"
#include "trace/run.h"

struct counting;

/* What such a command has of its own. */
struct counting_cmd {
	const char *doing;					/* "counting" */
	/* Place the breakpoints, with counting_set_up(); 0, or -1 with @d set. */
	int (*set_up)(struct counting *c, struct diag *d);
	/* Read what has been counted and print it; @end: this is the last time. */
	int (*print)(struct counting *c, const struct stats_print_end *end, struct diag *d);
	/*
	 * After each wait: read what counting.own has, without waiting; 0, 1: the user ends it, or
	 * -1 with @d set. NULL: there is no counting.own.
	 */
	int (*input)(struct counting *c, struct diag *d);
	/* There is a reason to end, which is printed now; or NULL. */
	void (*leave)(struct counting *c);
};

/* Descriptors of a command's own that it waits for. */
#define COUNTING_OWN 3

/* A run of such a command, which has this for its first member. */
struct counting {
	struct run run;	/* the session that counts, and its run */
	const struct counting_cmd *cmd;	/* the command */
	struct options *o;	/* what the user asked for */
	bool looks;	/* it is printed when it has begun and before it ends, too */
	int fd;		/* where output goes */
	int own[COUNTING_OWN];	/* what counting_cmd.input reads; -1: nothing */
	/* Serves what is counted, or NULL; counting_fini() frees it. */
	struct httpserver *server;
	/* What addresses mean, by file of the plan; or NULL: counting_name_files(). */
	struct symbols *files;
	bool ending;	/* what is printed now is the last before the breakpoints are taken away */
	struct buf json;	/* what is said of a breaker, before the last table */
};

/*
 * Run the command: breakpoints, counting and printing. @c: all zero but for what the command sets.
 * Returns the command's exit code; call counting_fini() afterwards.
 */
int counting_run(struct counting *c, const struct counting_cmd *cmd, struct options *o,
		 struct diag *d);
/* Set the breakpoints, by the plan of @c->o. 0, or -1 with @d set. */
int counting_set_up(struct counting *c, struct diag *d);
/* Make @c->files, of the plan that counting_set_up() has made. 0, or -1 with @d set. */
int counting_name_files(struct counting *c, struct diag *d);
/* That of a function. */
struct symbols *counting_file(const struct counting *c, const struct plan_func *pf);
/* Create the file of --output. A started command does not get it. 0, or -1 with @d set. */
int counting_open(struct counting *c, struct diag *d);
/* Is all there? It can't be written to any more. 0, or -1 with @d set. */
int counting_close(struct counting *c, struct diag *d);
/*
 * Make @b the content of the file of --output, at once: a reader sees all of the old or all of the
 * new content. 0, or -1 with @d set.
 */
int counting_replace(struct counting *c, const struct buf *b, struct diag *d);
/* To the output. 0, also if nobody reads it any more: then it ends soon. */
int counting_write(struct counting *c, const struct buf *b, struct diag *d);
void counting_fini(struct counting *c);

#endif
