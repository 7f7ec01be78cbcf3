// SPDX-License-Identifier: GPL-2.0
/* Channels (runtime/chan.go), as far as a record has them. */
#include <string.h>

#include "value/map.h"

/* Goroutines in the waiting list that begins with the sudog at @address. */
static unsigned int waiting(struct value_ctx *v, const struct runtime_layout_sudog *l,
			    uint64_t address, bool *more)
{
	unsigned int n = 0;

	/* Each has a chunk of its own; a list that is longer is a circle. */
	while (address && n <= v->rec->nchunks) {
		uint64_t have;
		const uint8_t *p = value_mem_at(&v->mem, address, &have);

		n++;
		if (have < l->size)
			break;
		address = value_word(p + l->next);
	}
	*more = address != 0;
	return n;
}

/* Elements in the order they will be received, up to the first that is missing. */
static void buffer(struct value_ctx *v, const struct gotype *t, uint64_t address, uint64_t recvx,
		   struct value_chan *ret)
{
	struct value_bytes b;

	value_objects(v, NULL, address, t->elem->size, ret->cap, &b);
	if (!t->elem->size)
		recvx = 0;	/* one is like the other */
	ret->data = b.data;
	ret->slots = ret->cap;
	ret->first = recvx;
	if (recvx >= b.have) {
		ret->unavailable = b.unavailable;
		return;
	}
	ret->have = ret->len;
	if (b.have < ret->cap && ret->have > b.have - recvx)
		ret->have = b.have - recvx;
}

void value_chan(struct value_ctx *v, const struct gotype *t, const uint8_t *word,
		struct value_chan *ret)
{
	const struct value_from from = { t, word };
	uint64_t address = value_word(word);
	const struct runtime_layout *all =
		v->env && v->env->layout ? v->env->layout(v->env->ctx) : NULL;
	const struct runtime_layout_chan *l;
	const uint8_t *p;
	uint64_t have;
	uint32_t closed;

	*ret = (struct value_chan){ .unavailable = "unknown layout" };
	if (!all || !t->elem)
		return;
	l = &all->chan;
	p = value_mem_at(&v->mem, address, &have);
	if (have < l->size) {
		ret->unavailable = value_why(v, &from, address) ?: "cut at a limit";
		return;
	}
	ret->unavailable = NULL;
	/* A timer's has a buffer, but not to the program: len and cap are 0. */
	if (!l->timer || !value_word(p + l->timer)) {
		ret->len = value_word(p + l->qcount);
		ret->cap = value_word(p + l->dataqsiz);
	}
	memcpy(&closed, p + l->closed, sizeof(closed));
	ret->closed = closed;
	ret->receivers = waiting(v, &all->sudog, value_word(p + l->recvq), &ret->more_receivers);
	ret->senders = waiting(v, &all->sudog, value_word(p + l->sendq), &ret->more_senders);
	if (ret->len > ret->cap || (ret->len && value_word(p + l->recvx) >= ret->cap))
		ret->unavailable = "impossible length";
	else if (ret->len)
		buffer(v, t, value_word(p + l->buf), value_word(p + l->recvx), ret);
}

const uint8_t *value_chan_element(const struct value_chan *c, const struct gotype *t, uint64_t i)
{
	return c->data + (c->first + i) % c->slots * t->elem->size;
}
