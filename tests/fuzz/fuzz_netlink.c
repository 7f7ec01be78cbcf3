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

static int use_session(void *ctx, const struct client_session *s)
{
	uint32_t *sum = ctx;

	*sum += (uint32_t)strlen(s->path);
	for (size_t i = 0; i < s->npids; i++)
		*sum += (uint32_t)s->pids[i];
	for (size_t i = 0; i < s->npoints; i++)
		*sum += (uint32_t)s->points[i].offset;
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
	struct pass pass = { .fn = use_records, .ctx = &sum, .ret = &result };
	struct listing listing = { .fn = use_session, .ctx = &sum };
	client_message_fn fns[] = { keep, pass_message, list_message };
	void *ctxs[] = { NULL, &pass, &listing };
	size_t len;

	if (!c)
		abort();
	h = (struct nlmsghdr *)feed_copy(&feed, 8192, &len);
	if (len >= sizeof(*h)) {
		/* nlmsg_ok() has looked at that. */
		h->nlmsg_len = (uint32_t)(len - cut % (len - sizeof(*h) + 1));
		handle(c, h, "a trial", fns[which % 3], ctxs[which % 3], &d);
	}
	diag_fini(&d);
	free(c);
	free(h);
	return 0;
}
