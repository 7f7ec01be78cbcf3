// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of the kernel, as far as no socket is needed: the client's handlers of
 * messages. The input is one message behind 2 bytes.
 */
#include "../../tool/trace/client.c"
#include "../../tool/trace/client_command.c"

#include "fuzz.h"

static int use_records(void *ctx, uint32_t cpu, uint8_t *p, size_t len)
{
	uint32_t *sum = ctx;

	for (size_t i = 0; i < len; i++)
		*sum += p[i];
	return cpu == UINT32_MAX;
}

static int use_session(void *ctx, const struct attrs *s, struct diag *d)
{
	uint32_t *sum = ctx;

	(void)d;
	*sum += (uint32_t)strnlen(s->path ? s->path : "", s->npath);
	for (size_t i = 0; i < s->npids; i++)
		*sum += (uint32_t)s->pids[i];
	for (size_t i = 0; i < s->npoints; i++)
		*sum += (uint32_t)s->points[i].offset;
	return 0;
}

static int use_item(void *ctx, const void *item, const uint64_t *rest)
{
	const uint32_t *words = item;
	uint32_t *sum = ctx;

	*sum += *words + (uint32_t)*(rest - 1);
	return 0;
}

int fuzz_netlink(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	uint8_t which = feed_u8(&feed), cut = feed_u8(&feed);
	struct client_pass result = { .bytes = 0 };
	struct diag d = { .message = NULL };
	struct client *c = calloc(1, sizeof(*c));
	struct nlmsghdr *h;
	uint32_t sum = 0;
	struct attrs a = { .nids = 0 };
	struct asking ask = { .cmd = GOPROBE_CMD_GET_INFO, .a = &a };
	struct pass pass = { .fn = use_records, .ctx = &sum, .ret = &result };
	struct items items[] = {
		{ .cmd = GOPROBE_CMD_TALLIES, .fn = use_item, .ctx = &sum },
		{ .cmd = GOPROBE_CMD_KEYS, .fn = use_item, .ctx = &sum },
		{ .cmd = GOPROBE_CMD_OPEN_CALLS, .fn = use_item, .ctx = &sum },
	};
	struct dump dumps[] = {
		{ .cmd = GOPROBE_CMD_READ, .fn = add_records, .ctx = &pass },
		{ .cmd = GOPROBE_CMD_LIST, .fn = use_session, .ctx = &sum },
		{ .cmd = GOPROBE_CMD_TALLIES, .fn = add_items, .ctx = &items[0] },
		{ .cmd = GOPROBE_CMD_KEYS, .fn = add_items, .ctx = &items[1] },
		{ .cmd = GOPROBE_CMD_OPEN_CALLS, .fn = add_items, .ctx = &items[2] },
	};
	size_t len;

	if (!c)
		abort();
	h = (struct nlmsghdr *)feed_copy(&feed, 8192, &len);
	if (len >= sizeof(*h)) {
		/* nlmsg_ok() has looked at that. */
		h->nlmsg_len = (uint32_t)(len - cut % (len - sizeof(*h) + 1));
		if (which % 6)
			handle(c, h, "a trial", dump_message, &dumps[which % 6 - 1], &d);
		else
			handle(c, h, "a trial", reply_message, &ask, &d);
	}
	diag_fini(&d);
	free(c);
	free(h);
	return 0;
}
