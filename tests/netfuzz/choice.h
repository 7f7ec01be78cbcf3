/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decisions, read from a string of bytes: the same bytes make the same messages, and bytes that
 * are changed a little make messages that are a little different. Behind the end all are 0.
 */
#ifndef NETFUZZ_CHOICE_H
#define NETFUZZ_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct choice - what is left of an input
 * @at: the next byte
 * @left: remaining bytes
 */
struct choice {
	const uint8_t *at;
	size_t left;
};

static inline uint64_t choice_bytes(struct choice *c, unsigned int n)
{
	uint64_t v = 0;

	for (; n && c->left; n--, c->left--)
		v = v << 8 | *c->at++;
	return v;
}

/* Below @n, which is not 0. */
static inline uint32_t choice_below(struct choice *c, uint32_t n)
{
	if (n == 1)
		return 0;
	return choice_bytes(c, n <= 256 ? 1 : n <= 65536 ? 2 : 4) % n;
}

/* From @low to @high. */
static inline uint32_t choice_from(struct choice *c, uint32_t low, uint32_t high)
{
	return low + choice_below(c, high - low + 1);
}

/* Once in @n; never when the input has ended. */
static inline bool choice_once_in(struct choice *c, uint32_t n)
{
	return c->left && choice_below(c, n) == n - 1;
}

/* Mostly small numbers, but whatever breaks things as well. */
uint64_t choice_word(struct choice *c);

#endif
