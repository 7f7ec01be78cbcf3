// SPDX-License-Identifier: GPL-2.0
/* How calls end, as words and keys. */
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
