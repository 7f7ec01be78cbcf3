// SPDX-License-Identifier: GPL-2.0
/* How calls end, as words and keys. */
#include <string.h>

#include "event/call_end.h"

static const struct {
	const char *key;
	const char *words;
} ends[__CALLEND_MAX] = {
	[CALLEND_OPEN] = { "open", "not returned" },
	[CALLEND_RETURNED] = { "return", "" },
	[CALLEND_TAIL] = { "jump", "ended by a jump to another function" },
	[CALLEND_UNWOUND] = { "unwound", "panic or Goexit" },
	[CALLEND_PANIC] = { "panic", "panic" },
	[CALLEND_GOEXIT] = { "goexit", "Goexit" },
	[CALLEND_UNSEEN] = { "unseen", "its end was not seen: records were lost" },
};

const char *callend_key(enum callend end)
{
	return ends[end].key;
}

const char *callend_words(enum callend end)
{
	return ends[end].words;
}

/* A longer panic is written once. */
#define PANIC_SHORT 32

void callend_put(struct buf *b, enum callend end, const char *panic, bool again)
{
	if (again && panic && strlen(panic) > PANIC_SHORT) {
		buf_str(b, "the same panic");
		return;
	}
	buf_str(b, ends[end].words);
	buf_str(b, panic ? ": " : "");
	buf_str(b, panic ? panic : "");
}
