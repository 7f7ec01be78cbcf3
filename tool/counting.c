// SPDX-License-Identifier: GPL-2.0
/* What commands have in common that let the kernel count, and print now and then. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "counting.h"

static int parse_option(struct counting *c, int opt, struct diag *d)
{
	switch (opt) {
	case 'p':
	case 'b':
		return targetopt_option(&c->what, opt, optarg, d);
	case 'q':
		c->quiet = true;
		break;
	case 'i':
		if (!cmd_parse_duration(optarg, &c->interval) || c->interval < 1000000)
			return cmd_bad_value("--interval", optarg, "a time from 1ms on: 5s, 200ms",
					     d);
		break;
	case COUNTING_OPT_DURATION:
		if (!cmd_parse_duration(optarg, &c->duration))
			return cmd_bad_value("--duration", optarg, "a time: 5s, 200ms, 1m", d);
		break;
	}
	return CMD_DONE;
}

int counting_parse(struct counting *c, int argc, char **argv, const struct option *options,
		   int (*own)(void *ctx, int opt, struct diag *d), struct diag *d)
{
	int opt, code = targetopt_begin(&c->what, &argc, argv, d);

	opterr = 0;
	optind = 1;
	while (!code &&
	       (opt = getopt_long(argc, argv, ":" TARGETOPT_SHORT "o:i:qh", options, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return cmd_bad_option(argv, opt, options, d);
		code = parse_option(c, opt, d);
		if (!code)
			code = own(c->ctx, opt, d);
	}
	return code ? code : targetopt_end(&c->what, argc, argv, !c->lists, d);
}

int counting_set_up(struct counting *c, const struct plan_options *options, struct diag *d)
{
	struct tracing *t = &c->tracing;

	t->quiet = c->quiet;
	/* There are no records: the smallest rings will do. */
	return tracing_open(t, &c->what, d) || tracing_plan(t, &c->what, options, d) ||
	       tracing_arm(t, 0, 64U << 10, d) ? -1 : 0;
}

int counting_write(struct counting *c, const struct buf *b, struct diag *d)
{
	bool written = !b->failed && fwrite(b->p, 1, b->len, stdout) == b->len && !fflush(stdout);

	c->broken = !written && !b->failed && errno == EPIPE;
	return written || c->broken ? 0 : b->failed ? diag_set(d, "out of memory") :
	       diag_errno(d, errno, "can't write the output");
}

/* Until @until, or something happens to a process or a signal comes. */
static void await(struct counting *c, struct pollfd *fds, uint64_t until)
{
	/* A process that can't be waited for is looked at now and then. */
	uint64_t t = clock_now(CLOCK_MONOTONIC), most = t + 1000000000ULL;

	until = until < most ? until : most;
	fds[0] = (struct pollfd){ .fd = c->tracing.interrupt.fd, .events = POLLIN };
	poll(fds, 1 + target_poll(&c->tracing.target, fds + 1),
	     until > t ? (until - t + 999999) / 1000000 : 0);
}

static int loop(struct counting *c, struct pollfd *fds, struct diag *d)
{
	uint64_t end = c->duration ? c->started + c->duration : UINT64_MAX;
	uint64_t next = c->interval ? c->started + c->interval : UINT64_MAX;
	struct target *target = &c->tracing.target;

	while (!c->broken) {
		await(c, fds, next < end ? next : end);

		uint64_t t = clock_now(CLOCK_MONOTONIC);

		if (target_ended(target) || t >= end ||
		    (interrupt_came(&c->tracing.interrupt) && !target->command))
			return 0;
		if (t < next)
			continue;
		if (c->print(c->ctx, NULL, d))
			return -1;
		/* Whoever is too late leaves some out. */
		next += (t - next) / c->interval * c->interval + c->interval;
	}
	return 0;
}

static int finish(struct counting *c, struct diag *d)
{
	uint64_t stats[__GOPROBE_STAT_MAX];
	struct tallyshow_end end = { .stats = stats };

	if (client_stop(c->tracing.client, d))
		return -1;
	end.ns = clock_now(CLOCK_MONOTONIC) - c->started;
	if (client_get_stats(c->tracing.client, stats, d))
		return -1;
	return c->broken ? 0 : c->print(c->ctx, &end, d);
}

int counting_run(struct counting *c, const char *doing, struct diag *d)
{
	struct target *target = &c->tracing.target;
	struct pollfd *fds = calloc(target->nprocesses + 1, sizeof(*fds));
	int err = fds ? client_start(c->tracing.client, d) : diag_set(d, "out of memory");

	c->started = clock_now(CLOCK_MONOTONIC);
	if (!err) {
		tracing_say_started(&c->tracing, doing);
		err = target->command ? target_release(target, d) : 0;
	}
	if (!err)
		err = loop(c, fds, d) || finish(c, d);
	free(fds);
	if (err)
		return CMD_FAILED;
	/* Whatever is left of the session goes before the command is waited for. */
	tracing_disarm(&c->tracing);
	interrupt_await_command(&c->tracing.interrupt);
	return target->command ? target_exit_status(target) : CMD_DONE;
}

void counting_fini(struct counting *c)
{
	tracing_fini(&c->tracing);
	targetopt_fini(&c->what);
}
