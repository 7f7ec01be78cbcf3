/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JSON objects and lists under construction. A function that adds a member or an element puts the
 * comma itself: the last byte of the buffer says whether another one stands before.
 */
#ifndef GOPROBE_BASE_JSON_H
#define GOPROBE_BASE_JSON_H

#include "base/buf.h"

/* Does the next member or element need a comma? */
static inline bool json_follows(const struct buf *b)
{
	/* A bit makes '{' of '[', and of no other character that can stand here. */
	return b->len && (b->p[b->len - 1] | 0x20) != '{';
}

/*
 * Begin a member: "key":, with a comma if it needs one. @key needs no escape. Inline, so that the
 * compiler knows the lengths of constant keys.
 */
static inline void json_key(struct buf *b, const char *key)
{
	size_t n = strlen(key);
	char *to;

	if (!buf_room(b, n + sizeof(",\"\":")))
		return;
	to = b->p + b->len;
	if (json_follows(b))
		*to++ = ',';
	*to++ = '"';
	memcpy(to, key, n);
	to += n;
	*to++ = '"';
	*to++ = ':';
	b->len = to - b->p;
}

/* Begin a member whose key is any text. */
static inline void json_name(struct buf *b, const char *name)
{
	if (json_follows(b))
		buf_char(b, ',');
	quote_json_str(b, name);
	buf_char(b, ':');
}

/* Begin an element of a list. */
static inline void json_element(struct buf *b)
{
	if (json_follows(b))
		buf_char(b, ',');
}

/* A member whose value is JSON already: "true", "[1,2]". */
static inline void json_raw(struct buf *b, const char *key, const char *json)
{
	json_key(b, key);
	buf_str(b, json);
}

static inline void json_u64(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_u64(b, v);
}

/* A number, or null if it is not @known. */
static inline void json_known(struct buf *b, const char *key, bool known, uint64_t v)
{
	json_key(b, key);
	if (known)
		buf_u64(b, v);
	else
		buf_str(b, "null");
}

/* A string; null if @s is NULL. */
static inline void json_str(struct buf *b, const char *key, const char *s)
{
	json_key(b, key);
	if (s)
		quote_json_str(b, s);
	else
		buf_str(b, "null");
}

/* A number in hex as a string, since many readers round numbers of 64 bits. */
static inline void json_hex(struct buf *b, const char *key, uint64_t v)
{
	json_key(b, key);
	buf_char(b, '"');
	buf_hex(b, v);
	buf_char(b, '"');
}

/* A member that is true, or absent. */
static inline void json_flag(struct buf *b, const char *key, bool set)
{
	if (set)
		json_raw(b, key, "true");
}

/* Begin a line: {"kind":"call" */
static inline void json_line(struct buf *b, const char *kind)
{
	buf_str(b, "{\"kind\":\"");
	buf_str(b, kind);
	buf_char(b, '"');
}

static inline void json_end_line(struct buf *b)
{
	buf_str(b, "}\n");
}

#endif
