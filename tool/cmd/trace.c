// SPDX-License-Identifier: GPL-2.0
/* Traces of libgoprobe, for the commands that use them. */
#include "cmd/trace.h"
#include "trace/progress.h"

static int progress(void *ctx, size_t placed, size_t all)
{
	static struct progress placing;

	(void)ctx;
	progress_show(&placing, placed, all);
	return 0;
}

struct goprobe_trace *cmd_trace(struct options *o, struct diag *d)
{
	struct goprobe_trace *t;

	o->signals = true;
	t = trace_new(o);
	if (!t) {
		diag_set(d, "out of memory");
		return NULL;
	}
	goprobe_trace_on_notice(t, session_print, NULL);
	if (!o->quiet)
		goprobe_trace_on_progress(t, progress, NULL);
	return t;
}

int cmd_trace_failed(const struct goprobe_trace *t, struct diag *d)
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
