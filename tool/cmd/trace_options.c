// SPDX-License-Identifier: GPL-2.0
/* The options of attach as a trace of libgoprobe. */
#include <stdlib.h>
#include <string.h>

#include "cmd/trace_options.h"
#include "trace/progress.h"
#include "trace/session.h"

static int progress(void *ctx, size_t placed, size_t all)
{
	static struct progress placing;

	(void)ctx;
	progress_show(&placing, placed, all);
	return 0;
}

/* What is not given keeps its default. */
int traceopt_set(struct goprobe_trace *t, const struct optvalues *set)
{
	for (int i = 0; i < OPTVALUE_NUMBER; i++)
		if (set->given[i] && goprobe_trace_set(t, (enum goprobe_option)i, set->v[i]))
			return -1;
	return 0;
}

static int set_options(struct goprobe_trace *t, const struct attachopt *a)
{
	const struct plan_limits *limits = &a->limit.limits;
	const struct {
		enum goprobe_option option;
		uint64_t value;
	} more[] = {
		{ GOPROBE_OPTION_SIGNALS, 1 },
		{ GOPROBE_OPTION_SAMPLE, limits->sample },
		{ GOPROBE_OPTION_SAMPLE_BY, limits->by },
		{ GOPROBE_OPTION_RATE, limits->rate },
		{ GOPROBE_OPTION_TIMES, limits->times },
		{ GOPROBE_OPTION_MAX_LOAD, a->load.off ? GOPROBE_LOAD_ANY : a->load.percent },
	};

	if (traceopt_set(t, &a->set))
		return -1;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (goprobe_trace_set(t, more[i].option, more[i].value))
			return -1;
	return 0;
}

/* "12,34": targetopt has seen to it that it is such a list. */
static int add_pids(struct goprobe_trace *t, const char *list)
{
	char *end;

	do {
		if (goprobe_trace_pid(t, strtol(list, &end, 10)))
			return -1;
		list = end + 1;
	} while (*end);
	return 0;
}

static int set_target(struct goprobe_trace *t, const struct target_spec *what)
{
	for (size_t i = 0; i < what->npids; i++)
		if (add_pids(t, what->pids[i]))
			return -1;
	if (what->file && goprobe_trace_file(t, what->file))
		return -1;
	if (what->command &&
	    goprobe_trace_command(t, (const char *const *)what->command))
		return -1;
	for (size_t i = 0; i < what->nspecs; i++)
		if (goprobe_trace_add(t, what->specs[i].text))
			return -1;
	return 0;
}

int traceopt_output(struct goprobe_trace *t, const struct out_format *format, const char *path)
{
	return goprobe_trace_output(t, format == &out_json ? GOPROBE_FORMAT_JSON :
						 GOPROBE_FORMAT_TEXT, path);
}

static int set_output(struct goprobe_trace *t, const struct attachopt *a)
{
	return a->record ? goprobe_trace_record(t, a->record) :
			   traceopt_output(t, a->format, a->output);
}

int traceopt_failed(const struct goprobe_trace *t, struct diag *d)
{
	size_t at, len;
	const char *place = goprobe_trace_place(t, &at, &len);

	diag_set(d, "%s", goprobe_trace_error(t) ?: "out of memory");
	if (goprobe_trace_hint(t))
		diag_hint(d, "%s", goprobe_trace_hint(t));
	if (place)
		diag_span(d, place, at, len);
	return CMD_FAILED;
}

struct goprobe_trace *traceopt_begin(struct diag *d)
{
	struct goprobe_trace *t = goprobe_trace_new();

	if (t)
		goprobe_trace_on_notice(t, tracing_print, NULL);
	else
		diag_set(d, "out of memory");
	return t;
}

struct goprobe_trace *traceopt_new(const struct attachopt *a, struct diag *d)
{
	struct goprobe_trace *t = traceopt_begin(d);

	if (!t)
		return NULL;
	if (!a->set.v[GOPROBE_OPTION_QUIET])
		goprobe_trace_on_progress(t, progress, NULL);
	if (!set_options(t, a) && !set_target(t, &a->what) && !set_output(t, a))
		return t;
	traceopt_failed(t, d);
	goprobe_trace_free(t);
	return NULL;
}
