/* SPDX-License-Identifier: GPL-2.0 */
/* How calls end: the one list of it for text, JSON and other formats. */
#ifndef GOPROBE_EVENT_CALL_END_H
#define GOPROBE_EVENT_CALL_END_H

#include <stdbool.h>

#include "base/buf.h"

enum callend {
	CALLEND_OPEN,		/* it has not */
	CALLEND_RETURNED,
	CALLEND_TAIL,		/* by a jump to another function: no results */
	CALLEND_UNWOUND,	/* without returning: by one of the next two; which, was not seen */
	CALLEND_PANIC,
	CALLEND_GOEXIT,
	CALLEND_UNSEEN,		/* before something else was seen that proves it */
	__CALLEND_MAX
};

/* For programs: "jump". Keys of docs/json.md. */
const char *callend_key(enum callend end);

/* For people: "ended by a jump to another function"; of a return: "". */
const char *callend_words(enum callend end);

/*
 * For people, with the panic that ended it, or NULL: "panic: boom". One panic ends several calls: a
 * long one is written once. @again: it stands in a line before.
 */
void callend_put(struct buf *b, enum callend end, const char *panic, bool again);

/* Without returning: the call was unwound. */
static inline bool callend_is_unwound(enum callend end)
{
	return end == CALLEND_UNWOUND || end == CALLEND_PANIC || end == CALLEND_GOEXIT;
}

#endif
