/* SPDX-License-Identifier: GPL-2.0 */
/* The command that fits next: the last line that a person reads of a summary. */
#ifndef GOPROBE_CMD_NEXT_H
#define GOPROBE_CMD_NEXT_H

#include "base/buf.h"
#include "option/option.h"

/* A command that looks at the same target. */
struct next {
	const char *command;	/* it, with options */
	const char *option;	/* an option that takes @name, or NULL */
	const char *name;	/* the function, variable or pattern that follows, or NULL */
	const char *behind;	/* options behind that, or NULL */
	const char *why;	/* what it shows */
};

/*
 * Append "next: goprobectl latency -p 12 'main.f'   # how long its calls take\n". Nothing if the
 * target is neither a process nor a file: a command has ended.
 */
void next_put(const struct next *next, const struct options *o, struct buf *b);
/* Say it on standard error, to people only: on a terminal, unless o->quiet, or in JSON. */
void next_say(const struct next *next, const struct options *o);

#endif
