// SPDX-License-Identifier: GPL-2.0
/* Inputs: of chance, or kept ones that are changed. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kept.h"

#define KEPT	1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct input *kept[KEPT];
static unsigned int nkept;

uint64_t kept_random(uint64_t *state)
{
	/* splitmix64 */
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t n)
{
	return (kept_random(state) >> 8) % n;
}

static void fill(struct input *in, size_t from, uint64_t *state)
{
	for (size_t i = from; i < in->len; i += sizeof(uint64_t)) {
		uint64_t random = kept_random(state);
		size_t left = in->len - i;

		memcpy(in->bytes + i, &random, left < sizeof(random) ? left : sizeof(random));
	}
}

/* Where it ended, the session goes on. */
static void prolong(struct input *in, uint64_t *state)
{
	size_t from = in->len;

	in->len += below(state, INPUT_MAX - from + 1);
	fill(in, from, state);
}

/* A part of another one at the same place, or at any. */
static void splice(struct input *in, const struct input *other, uint64_t *state)
{
	size_t from = below(state, other->len), n = 1 + below(state, other->len - from);
	size_t to = below(state, 2) ? from : below(state, in->len);

	if (to >= in->len)
		to = in->len - 1;
	if (n > INPUT_MAX - to)
		n = INPUT_MAX - to;
	memcpy(in->bytes + to, other->bytes + from, n);
	if (to + n > in->len)
		in->len = to + n;
}

static void change(struct input *in, uint64_t *state)
{
	size_t at = below(state, in->len), n;

	switch (below(state, 5)) {
	case 0:
		in->bytes[at] = kept_random(state) >> 16;
		return;
	case 1:
		in->bytes[at] ^= 1U << below(state, 8);
		return;
	case 2:		/* all that comes after it has another meaning */
		n = 1 + below(state, 8);
		if (n < in->len - at) {
			memmove(in->bytes + at, in->bytes + at + n, in->len - at - n);
			in->len -= n;
		}
		return;
	case 3:
		n = 1 + below(state, 8);
		if (in->len + n <= INPUT_MAX) {
			memmove(in->bytes + at + n, in->bytes + at, in->len - at);
			in->len += n;
		}
		return;
	case 4:		/* choose the rest again */
		fill(in, at, state);
	}
}

/* One of those that are kept; false: there are none. */
static bool some(struct input *in, uint64_t *state)
{
	const struct input *one;
	bool any;

	pthread_mutex_lock(&lock);
	any = nkept;
	if (any) {
		one = kept[below(state, nkept)];
		in->len = one->len;
		memcpy(in->bytes, one->bytes, one->len);
	}
	pthread_mutex_unlock(&lock);
	return any;
}

void kept_next(struct input *in, uint64_t *state)
{
	static _Thread_local struct input other;

	if (!below(state, 4) || !some(in, state)) {
		in->len = 256 + below(state, INPUT_MAX - 256);
		fill(in, 0, state);
		return;
	}
	if (!below(state, 4) && some(&other, state))
		splice(in, &other, state);
	for (size_t n = below(state, 16); n; n--)
		change(in, state);
	prolong(in, state);
}

void kept_add(const struct input *in, size_t len)
{
	struct input *copy = len ? malloc(offsetof(struct input, bytes) + len) : NULL;

	if (!copy)
		return;
	copy->len = len;
	memcpy(copy->bytes, in->bytes, len);
	pthread_mutex_lock(&lock);
	if (nkept < KEPT) {
		kept[nkept++] = copy;
		copy = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(copy);
}

unsigned int kept_count(void)
{
	return nkept;
}
