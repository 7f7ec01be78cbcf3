// SPDX-License-Identifier: GPL-2.0
/*
 * watch - print calls and returns of functions of a process, with libgoprobe
 *
 *	watch [-j] [-n EVENTS] PID PATTERN...
 *	watch [-j] [-n EVENTS] -r RECORDING
 *
 * -j prints the library's JSON; without -j each event is a line of text. Ends after EVENTS
 * events, with the process, or by Ctrl-C. -r shows a recording of
 * "goprobectl attach --record" instead of a process.
 *
 *	cc watch.c $(pkg-config --cflags --libs goprobe) -o watch
 */
#include <inttypes.h>
#include <libgoprobe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void show_value(const struct goprobe_event *e, size_t i)
{
	struct goprobe_value v;

	if (goprobe_event_value(e, i, &v, sizeof(v)))
		return;
	printf("%s%s=", i ? ", " : "", v.name);
	switch (v.kind) {
	case GOPROBE_VALUE_BOOL:
		printf("%s", v.u ? "true" : "false");
		break;
	case GOPROBE_VALUE_INT:
		printf("%" PRId64, v.i);
		break;
	case GOPROBE_VALUE_UINT:
		printf("%" PRIu64, v.u);
		break;
	case GOPROBE_VALUE_FLOAT:
		printf("%g", v.f);
		break;
	case GOPROBE_VALUE_STRING:
		printf("\"%.*s\"%s", (int)v.nbytes, v.bytes, v.nbytes < v.len ? "..." : "");
		break;
	case GOPROBE_VALUE_POINTER:
		printf("%#" PRIx64, v.u);
		break;
	case GOPROBE_VALUE_OTHER:
		printf("%s", goprobe_event_value_json(e, i));
		break;
	case GOPROBE_VALUE_NONE:
		printf("<%s>", v.unavailable);
		break;
	}
}

static int show(void *ctx, const struct goprobe_event *e)
{
	uint64_t ns;

	(void)ctx;
	switch (goprobe_event_kind(e)) {
	case GOPROBE_EVENT_CALL:
		printf("goroutine %" PRIu64 " calls %s(", goprobe_event_goid(e),
		       goprobe_event_func(e));
		break;
	case GOPROBE_EVENT_RETURN:
		printf("goroutine %" PRIu64 " returns from %s", goprobe_event_goid(e),
		       goprobe_event_func(e));
		if (goprobe_event_duration(e, &ns))
			printf(" after %" PRIu64 " ns", ns);
		printf(" (");
		break;
	case GOPROBE_EVENT_AT:
		printf("goroutine %" PRIu64 " is in %s (", goprobe_event_goid(e),
		       goprobe_event_func(e));
		break;
	case GOPROBE_EVENT_UNWOUND:
		printf("goroutine %" PRIu64 " leaves %s without returning\n",
		       goprobe_event_goid(e), goprobe_event_func(e));
		return 0;
	case GOPROBE_EVENT_LOST:
		printf("%" PRIu64 " records lost\n", goprobe_event_lost(e));
		return 0;
	}
	for (size_t i = 0; i < goprobe_event_nvalues(e); i++)
		show_value(e, i);
	puts(")");
	return ferror(stdout);
}

static int show_json(void *ctx, const struct goprobe_event *e)
{
	const char *json = goprobe_event_json(e);

	(void)ctx;
	puts(json ? json : "{\"kind\":\"error\"}");
	return ferror(stdout);
}

static int failed(struct goprobe_trace *t)
{
	const char *hint = goprobe_trace_hint(t);

	fprintf(stderr, "watch: %s\n", goprobe_trace_error(t));
	if (hint)
		fprintf(stderr, "    %s\n", hint);
	goprobe_trace_free(t);
	return 1;
}

/* A process and patterns, or a recording. */
static int set_up(struct goprobe_trace *t, const char *recording, char **args)
{
	if (recording)
		return goprobe_trace_replay(t, recording);
	if (goprobe_trace_pid(t, atoi(*args)) || goprobe_trace_set(t, GOPROBE_OPTION_SIGNALS, 1))
		return -1;
	while (*++args)
		if (goprobe_trace_add(t, *args))
			return -1;
	return 0;
}

static int trace(goprobe_event_fn fn, uint64_t events, const char *recording, char **args)
{
	struct goprobe_trace *t = goprobe_trace_new();
	struct goprobe_counts n;

	if (!t)
		return 1;
	if (set_up(t, recording, args) ||
	    goprobe_trace_set(t, GOPROBE_OPTION_EVENTS, events) ||
	    goprobe_trace_on_event(t, fn, NULL) || goprobe_trace_start(t))
		return failed(t);
	fprintf(stderr, "started\n");
	if (goprobe_trace_run(t))
		return failed(t);
	goprobe_trace_counts(t, &n, sizeof(n));
	fprintf(stderr, "%" PRIu64 " calls, %" PRIu64 " returns, %" PRIu64 " lost\n", n.calls,
		n.returns, n.lost);
	goprobe_trace_free(t);
	return 0;
}

int main(int argc, char **argv)
{
	const char *recording = NULL;
	goprobe_event_fn fn = show;
	uint64_t events = 0;
	int opt;

	while ((opt = getopt(argc, argv, "jn:r:")) != -1) {
		if (opt == 'j')
			fn = show_json;
		else if (opt == 'n')
			events = strtoull(optarg, NULL, 10);
		else if (opt == 'r')
			recording = optarg;
		else
			return 2;
	}
	if (argc - optind < (recording ? 0 : 2)) {
		fprintf(stderr, "usage: watch [-j] [-n EVENTS] PID PATTERN...\n"
				"       watch [-j] [-n EVENTS] -r RECORDING\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	return trace(fn, events, recording, argv + optind);
}
