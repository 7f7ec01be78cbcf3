// SPDX-License-Identifier: GPL-2.0
/* The stack of a goroutine that does not run. */
#include "base/unaligned.h"
#include "process/stack.h"

/* Read at once: many frames are smaller than what a system call costs. */
#define WINDOW 2048U

struct window {
	const struct gostack *s;
	uint64_t at;
	size_t len;
	uint8_t bytes[WINDOW];
};

/* The word at @at, of which there are 8 bytes below s->hi. */
static bool read_word(struct window *w, uint64_t at, uint64_t *ret)
{
	if (at < w->at || at - w->at + 8 > w->len) {
		uint64_t left = w->s->hi - at;

		w->at = at;
		w->len = left < WINDOW ? left : WINDOW;
		if (!w->s->read(w->s->ctx, at, w->bytes, w->len)) {
			w->len = 0;
			return false;
		}
	}
	*ret = load_u64(w->bytes + (at - w->at));
	return true;
}

/* SP rises by a word at least with each function, so that the stack's end is reached. */
enum stack_end stack_walk(const struct gostack *s, struct stack_frame *v, size_t max,
			  size_t *n)
{
	struct window w = { .s = s };
	uint64_t pc = s->pc, sp = s->sp;

	*n = 0;
	if (s->lo % 8 || s->hi % 8 || s->lo >= s->hi || sp % 8 || sp < s->lo)
		return STACK_BROKEN;
	for (;;) {
		struct gobin_place place;

		if (sp > s->hi - 8 || !s->place(s->ctx, pc - s->bias, &place) ||
		    place.depth % 8 || place.depth > s->hi - 8 - sp)
			return STACK_BROKEN;
		if (*n == max)
			return STACK_CUT;
		sp += place.depth;
		v[(*n)++] = (struct stack_frame){ pc - s->bias, s->hi - sp, place.begun };
		if (place.top)
			return STACK_WHOLE;
		if (!read_word(&w, sp, &pc))
			return STACK_BROKEN;
		sp += 8;
	}
}
