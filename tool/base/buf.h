/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A growing text buffer with the formatting that the hot path needs: no
 * printf, no allocation once it has grown to its working size.
 */
#ifndef GOPROBE_BASE_BUF_H
#define GOPROBE_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Text under construction. A zeroed buf is empty. buf_fini() frees it. */
struct buf {
	char *p;	/* the text, not terminated */
	size_t len;	/* bytes of it */
	size_t cap;	/* bytes allocated */
	bool failed;	/* memory ran out and something is missing */
};

void buf_fini(struct buf *b);
bool buf_grow(struct buf *b, size_t n);

/* Reserve @n more bytes; false if memory ran out. */
static inline bool buf_room(struct buf *b, size_t n)
{
	return b->cap - b->len >= n || buf_grow(b, n);
}

static inline void buf_mem(struct buf *b, const void *p, size_t n)
{
	if (n && buf_room(b, n)) {
		memcpy(b->p + b->len, p, n);
		b->len += n;
	}
}

static inline void buf_char(struct buf *b, char c)
{
	if (buf_room(b, 1))
		b->p[b->len++] = c;
}

static inline void buf_str(struct buf *b, const char *s)
{
	buf_mem(b, s, strlen(s));
}

/* The numbers from 00 to 99, two digits each. */
extern const char buf_pairs[];

/* Write two digits into reserved bytes, and return the position behind them. */
static inline char *buf_pair(char *to, unsigned int two)
{
	memcpy(to, buf_pairs + 2 * two, 2);
	return to + 2;
}

/* Write a number of at most BUF_U64_MAX digits, in the same way. */
#define BUF_U64_MAX 20
char *buf_put_u64(char *to, uint64_t v);

void buf_fill(struct buf *b, char c, size_t n);
void buf_u64(struct buf *b, uint64_t v);
void buf_i64(struct buf *b, int64_t v);
/* @key as it is, then @v. Inline, so that the lengths of keys are known to the compiler. */
static inline void buf_number(struct buf *b, const char *key, uint64_t v)
{
	buf_str(b, key);
	buf_u64(b, v);
}

/* @v in decimal, right-aligned in @width columns. */
void buf_u64_right(struct buf *b, uint64_t v, unsigned int width);
/* Exactly @digits decimal digits. */
void buf_digits(struct buf *b, uint64_t v, unsigned int digits);
/* "0xc000012340" */
void buf_hex(struct buf *b, uint64_t v);
/* "f": the lowest four bits of @v. */
void buf_hex_digit(struct buf *b, unsigned int v);
/* "0f" */
void buf_hex_byte(struct buf *b, uint8_t v);
/* As Go's %v and strconv 'g', shortest that reads back; @size is 4 or 8. */
void buf_float(struct buf *b, double v, unsigned int size);
/* "412us", "3.10ms": three significant digits. */
void buf_duration(struct buf *b, uint64_t ns);
/* "1.204113": seconds, to the microsecond. */
void buf_seconds(struct buf *b, uint64_t ns);
/* As Go's strconv.Quote. */
void quote_go(struct buf *b, const uint8_t *s, size_t n);
/*
 * A JSON string. A byte that is not part of valid UTF-8 becomes \udcXX, where
 * XX is the byte: no valid text holds a lone surrogate, so this can be undone.
 */
void quote_json(struct buf *b, const uint8_t *s, size_t n);
void quote_json_str(struct buf *b, const char *s);
/* As a shell reads it back: in single quotes, where it needs them. */
void quote_shell(struct buf *b, const char *word);

/*
 * Decode the UTF-8 sequence at @s (at most @n bytes, @n > 0). Returns its
 * length, or 0 if it is not valid; *@ret is the code point.
 */
size_t quote_utf8(const uint8_t *s, size_t n, uint32_t *ret);

#endif
