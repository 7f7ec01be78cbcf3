// SPDX-License-Identifier: GPL-2.0
/* goprobectl replay: a recording as lines. All of it is libgoprobe. */
#include "cmd/cmd.h"
#include "cmd/trace.h"

static const char about[] =
"Usage: goprobectl replay [OPTION...] FILE\n"
"\n"
"Print what 'goprobectl attach --record FILE' has recorded: the lines that attach\n"
"would have printed. The module is not needed, but the programs that were traced are:\n"
"types and names come from them.\n";

static const char examples[] =
"Examples:\n"
"  Record ten seconds at full speed, look at them later:\n"
"      goprobectl attach -p 4121 --record calls.rec --duration 10s 'shop.*'\n"
"      goprobectl replay calls.rec\n"
"  On another machine, which has the program elsewhere:\n"
"      goprobectl replay -b ./shop -o json calls.rec\n";

static int run(struct options *o, struct diag *d)
{
	struct goprobe_trace *t = cmd_trace(o, d);
	struct goprobe_counts n;
	int code = CMD_DONE;

	if (!t)
		return CMD_FAILED;
	if (goprobe_trace_replay(t, o->operands[0]) || goprobe_trace_start(t) ||
	    goprobe_trace_run(t)) {
		code = cmd_trace_failed(t, d);
	} else if (o->strict) {
		goprobe_trace_counts(t, &n, sizeof(n));
		code = n.lost ? CMD_LOST : CMD_DONE;
	}
	goprobe_trace_free(t);
	return code;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "print what attach --record has recorded",
	.command = COMMAND_REPLAY,
	.about = about,
	.examples = examples,
	.operands = CMD_FILE,
	.missing = "no FILE: which recording?",
	.run = run,
};
