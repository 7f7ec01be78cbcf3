// SPDX-License-Identifier: GPL-2.0
/* goprobectl attach: watch the calls of functions. All of it is libgoprobe. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace_options.h"

/* Until the end: an exit code. */
static int watch(struct goprobe_trace *t, const struct attachopt *a, struct diag *d)
{
	struct goprobe_counts n;
	int code;

	if (goprobe_trace_start(t) || goprobe_trace_run(t))
		return traceopt_failed(t, d);
	goprobe_trace_counts(t, &n, sizeof(n));
	if (a->record && !a->set.v[GOPROBE_OPTION_QUIET])
		fprintf(stderr, "recorded in %s: %" PRIu64 " bytes; goprobectl replay prints it\n",
			a->record, n.recorded_bytes);
	code = goprobe_trace_exit_status(t);
	if (code)
		return code;
	return n.broken ? CMD_BROKEN : a->strict && n.lost ? CMD_LOST : CMD_DONE;
}

static int run(int argc, char **argv, struct diag *d)
{
	struct attachopt a = { 0 };
	struct goprobe_trace *t;
	int code = attachopt_parse(&a, argc, argv, d);

	if (code == CMD_DONE) {
		t = traceopt_new(&a, d);
		code = t ? watch(t, &a, d) : CMD_FAILED;
		goprobe_trace_free(t);
	}
	attachopt_fini(&a);
	return code;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.summary = "print calls and returns of functions as they happen",
	.help = attachopt_help,
	.run = run,
};
