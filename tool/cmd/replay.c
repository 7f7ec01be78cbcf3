// SPDX-License-Identifier: GPL-2.0
/* goprobectl replay: a recording as lines. All of it is libgoprobe. */
#include <inttypes.h>
#include <stdio.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "cmd/trace.h"
#include "export/compare.h"

static const char about[] =
"Usage: goprobectl replay [OPTION...] FILE [PATTERN...]\n"
"       goprobectl replay [OPTION...] --diff OLD FILE [PATTERN...]\n"
"\n"
"Print what 'goprobectl attach --record FILE' has recorded: the lines that attach\n"
"would have printed. With PATTERNs, as those of attach, only calls of the functions that\n"
"they name are shown. The module is not needed, but the programs that were traced are:\n"
"types and names come from them. --diff compares the durations of calls with those of an\n"
"older recording, also of another build of the program.\n";

static const char examples[] =
"Examples:\n"
"  Record ten seconds at full speed, look at them later:\n"
"      goprobectl attach -p 4121 --record calls.rec --duration 10s 'shop.*'\n"
"      goprobectl replay calls.rec\n"
"  Only the calls of one package, and those of one function of another:\n"
"      goprobectl replay calls.rec 'shop.*' main.handle\n"
"  What happened between 10 s and 12 s after its begin, and at a time of day?\n"
"      goprobectl replay --since 10s --until 12s calls.rec\n"
"      goprobectl replay --since 14:03:20 --until 14:03:25 calls.rec\n"
"  What did requests spend their time on?\n"
"      goprobectl replay --graph calls.rec\n"
"      goprobectl replay --flat calls.rec 'shop.*'\n"
"  What has become slower since the last release?\n"
"      goprobectl replay -b ./shop-1.4 -b ./shop-1.5 --diff 1.4.rec 1.5.rec\n"
"  On another machine, which has the program elsewhere:\n"
"      goprobectl replay -b ./shop -o json calls.rec\n";

/* A run with --diff. */
struct comparison {
	const struct options *o;	/* what the user asked for */
	struct compare compare;		/* durations of both recordings */
	enum compare_side side;		/* the recording that is being read */
	bool failed;			/* there is no memory */
	uint64_t lost[COMPARE_SIDES];	/* records, by recording */
};

/* A goprobe_event_fn. */
static int add(void *ctx, const struct goprobe_event *e)
{
	struct comparison *c = ctx;
	uint64_t ns;

	if (goprobe_event_duration(e, &ns))
		c->failed |= compare_add(&c->compare, c->side, goprobe_event_func(e), ns);
	return c->failed;
}

static int read_side(struct comparison *c, struct goprobe_trace *t, const char *path,
		     struct diag *d)
{
	struct goprobe_counts n;

	goprobe_trace_on_notice(t, session_print, NULL);
	for (size_t i = 0; i < c->o->files.n; i++)
		if (goprobe_trace_program(t, c->o->files.v[i]))
			return cmd_trace_failed(t, d);
	for (size_t i = 1; i < c->o->noperands; i++)
		if (goprobe_trace_add(t, c->o->operands[i]))
			return cmd_trace_failed(t, d);
	if (goprobe_trace_replay(t, path) || goprobe_trace_on_event(t, add, c) ||
	    goprobe_trace_start(t) || goprobe_trace_run(t))
		return cmd_trace_failed(t, d);
	goprobe_trace_counts(t, &n, sizeof(n));
	c->lost[c->side] = n.lost;
	return CMD_DONE;
}

static int read_both(struct comparison *c, struct diag *d)
{
	const char *const paths[COMPARE_SIDES] = { c->o->diff, c->o->operands[0] };
	int code = CMD_DONE;

	for (int side = 0; !code && side < COMPARE_SIDES; side++) {
		struct goprobe_trace *t = goprobe_trace_new();

		c->side = side;
		c->failed = !t;
		if (t)
			code = read_side(c, t, paths[side], d);
		goprobe_trace_free(t);
		if (!c->failed)
			continue;
		diag_set(d, "out of memory");
		code = CMD_FAILED;
	}
	return code;
}

static int diff(const struct options *o, struct diag *d)
{
	struct comparison c = { .o = o };
	struct buf b = { 0 };
	int code;

	if (o->format > OPTION_JSON) {
		diag_set(d, "--diff is text or JSON");
		return CMD_USAGE;
	}
	code = read_both(&c, d);
	if (!code)
		compare_put(&c.compare, o->format == OPTION_JSON, &b);
	if (!code && writing_print(&b, d))
		code = CMD_FAILED;
	if (!code && !c.compare.n && !o->quiet)
		fprintf(stderr, "neither recording has calls with a duration\n");
	if (!code && (c.lost[COMPARE_OLD] || c.lost[COMPARE_NEW])) {
		fprintf(stderr, "records were lost, and their calls are missing: %" PRIu64
			" of the old recording, %" PRIu64 " of the new one\n",
			c.lost[COMPARE_OLD], c.lost[COMPARE_NEW]);
		code = o->strict ? CMD_LOST : CMD_DONE;
	}
	compare_fini(&c.compare);
	buf_fini(&b);
	return code;
}

static int play(struct options *o, struct diag *d)
{
	struct goprobe_trace *t = cmd_trace(o, d);
	int code;

	if (!t)
		return CMD_FAILED;
	if (goprobe_trace_replay(t, o->operands[0]) || goprobe_trace_start(t) ||
	    goprobe_trace_run(t))
		code = cmd_trace_failed(t, d);
	else
		code = trace_exit_code(t);
	goprobe_trace_free(t);
	return code;
}

static int run(struct options *o, struct diag *d)
{
	return o->diff ? diff(o, d) : play(o, d);
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "print a recording of calls",
	.command = COMMAND_REPLAY,
	.needs = CMD_NEEDS_NOTHING,
	.about = about,
	.examples = examples,
	.operands = CMD_RECORDING,
	.missing = "no FILE: which recording?",
	.run = run,
};
