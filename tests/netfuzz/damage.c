// SPDX-License-Identifier: GPL-2.0
/* Messages that are not as they should be, but for breakpoints in the middle of instructions. */
#include <string.h>

#include "model.h"

static struct nlattr *some_attr(struct choice *c, struct wire_msg *msg)
{
	uint32_t skip = choice_below(c, 3), at = 0;
	struct nlattr *nla;

	for (;;) {
		nla = (struct nlattr *)(msg->body + at);
		at += NLA_ALIGN(nla->nla_len);
		if (!skip-- || nla->nla_len < NLA_HDRLEN || msg->len < at + NLA_HDRLEN)
			return nla;
	}
}

/* In the bytes of an attribute, or anywhere. */
static void break_bytes(struct choice *c, struct wire_msg *msg)
{
	struct nlattr *nla = some_attr(c, msg);
	uint8_t *from = (uint8_t *)(nla + 1), *end = msg->body + msg->len;
	uint32_t n, i;

	if (choice_once_in(c, 8))
		from = msg->body;
	n = end > from ? end - from : 0;
	for (i = 1 + choice_below(c, 4); n && i; i--) {
		static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff, 16 };
		uint8_t *byte = from + choice_below(c, n);

		*byte = choice_below(c, 2) ? edges[choice_below(c, sizeof(edges))] :
					     *byte ^ 1U << choice_below(c, 8);
	}
}

static void break_words(struct choice *c, struct wire_msg *msg)
{
	uint32_t n = msg->len / 4, value, i;

	for (i = 1 + choice_below(c, 3); n > 1 && i; i--) {
		value = choice_word(c);
		memcpy(msg->body + 4 * choice_from(c, 1, n - 1), &value, sizeof(value));
	}
}

static void drop_attr(struct choice *c, struct wire_msg *msg)
{
	struct nlattr *nla = some_attr(c, msg);
	uint32_t len = NLA_ALIGN(nla->nla_len), at = (uint8_t *)nla - msg->body;

	if (len < NLA_HDRLEN || at + len > msg->len)
		return;
	memmove(nla, (uint8_t *)nla + len, msg->len - at - len);
	msg->len -= len;
}

/* One that may come twice, or does not belong here. */
static void more_attr(struct choice *c, struct wire_msg *msg)
{
	uint8_t data[256];
	uint32_t n = choice_below(c, 4) ? 4 * choice_below(c, 64) : choice_below(c, 256), i;

	for (i = 0; i < n; i++)
		data[i] = choice_below(c, 4) ? 0 : choice_bytes(c, 1);
	wire_put(msg, choice_below(c, GOPROBE_A_MAX + 3), data, n);
}

static void many(struct choice *c, struct wire_msg *msg)
{
	struct nlattr *nla = some_attr(c, msg);
	uint32_t len = nla->nla_len - NLA_HDRLEN, times = choice_from(c, 2, 600), i;
	uint8_t *end = msg->body + msg->len;
	const uint8_t *from = (uint8_t *)(nla + 1);
	struct nlattr *bigger = (struct nlattr *)end;

	if (!len || nla->nla_len < NLA_HDRLEN || from + len > end)
		return;
	times = times * len > 50000 ? 50000 / len : times;
	if (!times || NLA_ALIGN(NLA_HDRLEN + times * len) > WIRE_MAX - msg->len)
		return;
	memset(bigger, 0, NLA_ALIGN(NLA_HDRLEN + times * len));
	bigger->nla_type = nla->nla_type;
	bigger->nla_len = NLA_HDRLEN + times * len;
	for (i = 0; i < times; i++)
		memcpy((uint8_t *)(bigger + 1) + i * len, from, len);
	msg->len += NLA_ALIGN(bigger->nla_len);
}

static void once(struct choice *c, struct wire_msg *msg)
{
	struct nlattr *nla = some_attr(c, msg);

	if (msg->len < NLA_HDRLEN) {
		more_attr(c, msg);
		return;
	}
	switch (choice_below(c, 10)) {
	case 0:
		nla->nla_type = choice_below(c, GOPROBE_A_MAX + 3);
		return;
	case 1:
		nla->nla_len = choice_below(c, 2) ? nla->nla_len - choice_from(c, 1, 8) :
						    choice_below(c, 65536);
		return;
	case 2:
		msg->len -= choice_below(c, msg->len);
		return;
	case 3:
		drop_attr(c, msg);
		return;
	case 4:
		more_attr(c, msg);
		return;
	case 5:
		many(c, msg);
		return;
	case 6:
		break_words(c, msg);
		return;
	}
	break_bytes(c, msg);
}

static bool is_place(const struct model *m, uint64_t offset)
{
	for (uint32_t i = 0; i < m->nbinaries; i++)
		if (places_has(&m->binaries[i], offset))
			return true;
	return false;
}

/* Would one of its points do harm, whatever the rest of it is, to whichever program? */
static bool harms(const struct model *m, const struct wire_msg *msg)
{
	struct goprobe_point p;

	if (msg->cmd != GOPROBE_CMD_POINTS_ADD)
		return false;
	/* All offsets at which a point may begin: arrays can be cut, and moved. */
	for (uint32_t at = 0; at + sizeof(p) <= msg->len; at += 4) {
		memcpy(&p, msg->body + at, sizeof(p));
		if (p.edit && is_place(m, p.offset))
			return true;
		for (uint32_t i = 0; i < m->nbinaries; i++)
			if (places_harm(&m->binaries[i], &p))
				return true;
	}
	return false;
}

/* Requests for memory are no news, and the guest has little. */
static bool devours(const struct wire_msg *msg)
{
	uint32_t at, i;

	if (msg->cmd != GOPROBE_CMD_SESSION_NEW)
		return false;
	for (at = 0; at + NLA_HDRLEN <= msg->len;) {
		const struct nlattr *nla = (const void *)(msg->body + at);
		uint64_t all = 1;

		if (nla->nla_len < NLA_HDRLEN || nla->nla_len > msg->len - at)
			return false;
		for (i = NLA_HDRLEN; i + 4 <= nla->nla_len && i < 12; i += 4) {
			uint32_t n;

			memcpy(&n, (const uint8_t *)nla + i, 4);
			all *= n;
		}
		if ((nla->nla_type == GOPROBE_A_RING_BYTES ||
		     nla->nla_type == GOPROBE_A_PENDING_LIMIT ||
		     nla->nla_type == GOPROBE_A_KEY_LIMIT) && all > 16 << 20 && all < 1ULL << 31)
			return true;
		at += NLA_ALIGN(nla->nla_len);
	}
	return false;
}

void damage(const struct model *m, struct choice *c, struct wire_msg *msg)
{
	static _Thread_local struct wire_msg whole;
	uint32_t times;

	if (!choice_once_in(c, 6))
		return;
	memcpy(&whole, msg, offsetof(struct wire_msg, body) + msg->len);
	for (times = 1 + choice_below(c, 2); times; times--)
		once(c, msg);
	if (choice_once_in(c, 12)) {
		msg->cmd = choice_below(c, GOPROBE_CMD_MAX + 3);
		msg->dump = choice_below(c, 2);
	}
	msg->damaged = true;
	if (harms(m, msg) || devours(msg))
		memcpy(msg, &whole, offsetof(struct wire_msg, body) + whole.len);
}
