// SPDX-License-Identifier: GPL-2.0
/* goprobectl attach: watch the calls of functions. All of it is libgoprobe. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace.h"

static const char about[] =
"Usage: goprobectl attach [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl attach [OPTION...] -b FILE PATTERN...\n"
"       goprobectl attach [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print each call and return of the functions that a PATTERN names: a function's\n"
"full name, a glob, or a /regular expression/ found anywhere in the name.\n"
"\n"
"A list behind a PATTERN names the values to show at calls, a second list those at returns:\n"
"'main.handle(r.Method, r.URL.Path, len(r.Header), *r.TLS, m[\"k\"], main.counter)(err)'.\n"
"A condition chooses calls: 'main.handle if r.Method == \"POST\" && len(r.Body) > 4096',\n"
"'main.handle if err != nil && duration > 10ms', 'main.handle if n % 100 == 0'.\n"
"A PATTERN can be a place in the code, with its variables: 'main.go:42(x, y) if x > 3',\n"
"'main.handle+0x1f($rax)', '*0x4829e0'.\n"
"For a program without debug information, the list can be the function's signature:\n"
"'main.handle(w http.ResponseWriter, r *http.Request) (n int, err error)'.\n"
"\n"
"Changes stand at the end: 'set timeout = 5s, r.n = 0', 'on return set err = nil',\n"
"'delay 50ms'. The module must have been loaded with allow_writes=1. A delay holds the\n"
"thread; the garbage collector waits for it, too.\n";

static const char examples[] =
"Examples:\n"
"  Watch one method in a running process:\n"
"      goprobectl attach -p 4121 'shop.(*Cart).Add'\n"
"  Calls that fail, and calls for one caller that take long:\n"
"      goprobectl attach -p 4121 'shop.(*Cart).Add if qty > 9 && err != nil'\n"
"      goprobectl attach -p 4121 'main.query if under(main.handle) && duration > 1s'\n"
"  What does a server do when a backend is slow, or fails?\n"
"      goprobectl attach -p 4121 'main.fetch delay 50ms if n % 10 == 0'\n"
"      goprobectl attach -p 4121 'main.fetch on return set n = 0'\n"
"  Every function of package main, from the start of a program:\n"
"      goprobectl attach 'main.*' -- ./server -listen :8080\n"
"  Ten seconds of all processes that run a binary, for another program to read:\n"
"      goprobectl attach -b /usr/bin/caddy -o json --duration 10s \\\n"
"          '/^net\\/http\\.\\(\\*Server\\)\\.Serve$/' > calls.json\n";

/* Until the end: an exit code. */
static int watch(struct goprobe_trace *t, const struct options *o, struct diag *d)
{
	struct goprobe_counts n;

	if (goprobe_trace_start(t) || goprobe_trace_run(t))
		return cmd_trace_failed(t, d);
	goprobe_trace_counts(t, &n, sizeof(n));
	if (o->record && !o->quiet)
		fprintf(stderr, "recorded in %s: %" PRIu64 " bytes; goprobectl replay prints it\n",
			o->record, n.recorded_bytes);
	return trace_exit_code(t);
}

static int run(struct options *o, struct diag *d)
{
	struct goprobe_trace *t = cmd_trace(o, d);
	int code = t ? watch(t, o, d) : CMD_FAILED;

	goprobe_trace_free(t);
	return code;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.summary = "print calls and returns of functions as they happen",
	.command = COMMAND_ATTACH,
	.about = about,
	.examples = examples,
	.operands = CMD_SPECS,
	.places = true,
	.edits = true,
	.run = run,
};
