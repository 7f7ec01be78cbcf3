// SPDX-License-Identifier: GPL-2.0
/* The exit code of a run: what its command says, what went wrong, and what is missing. */
#include "rows.h"

#include "base/exit_code.h"
#include "trace/run.h"

/* Wait statuses. */
#define EXITED(code) ((code) << 8)
#define KILLED(signal) (signal)

static struct code_row {
	const char *claim;
	bool command, strict;
	int status;
	uint64_t broken, lost;
	size_t nmissing;
	int want;
} code_rows[] = {
	{ "nothing went wrong", .want = CMD_DONE },
	{ "the command's status", .command = true, .status = EXITED(7), .want = 7 },
	{ "a signal killed the command", .command = true, .status = KILLED(9), .want = 137 },
	{ "the command's status counts most", .command = true, .status = EXITED(7), .broken = 1,
	  .lost = 1, .strict = true, .nmissing = 1, .want = 7 },
	{ "the breaker", .broken = 5000, .lost = 1, .strict = true, .nmissing = 1,
	  .want = CMD_BROKEN },
	{ "the breaker, and the command is well", .command = true, .broken = 1,
	  .want = CMD_BROKEN },
	{ "losses, which nobody asked for", .lost = 3, .want = CMD_DONE },
	{ "losses", .lost = 3, .strict = true, .nmissing = 1, .want = CMD_LOST },
	{ "no losses", .strict = true, .want = CMD_DONE },
	{ "patterns that trace nothing", .nmissing = 2, .want = CMD_FAILED },
};

ROWS(test_code, code_rows)
{
	const struct code_row *row = *state;
	struct options o = { .strict = row->strict };
	struct plan plan = { .o = &plan_defaults, .nmissing = row->nmissing };
	struct target_process process = { .pid = 1, .pidfd = -1, .ended = true };
	struct run r = {
		.session = {
			.o = &o, .plan = &plan,
			.target = {
				.command = row->command, .go = -1, .failed = -1,
				.status = row->status, .processes = &process,
				.nprocesses = row->command,
			},
		},
		.lost = row->lost,
	};

	r.session.interrupt.target = &r.session.target;
	r.session.interrupt.fd = -1;
	r.stats[GOPROBE_STAT_BROKEN] = row->broken;
	assert_int_equal(run_exit_code(&r), row->want);
}
