// SPDX-License-Identifier: GPL-2.0
/* Claims that must hold at the end. */
#include <stdio.h>
#include <stdlib.h>

#include "report.h"
#include "totals.h"
#include "wire.h"

static unsigned int passed, failed;

static void claim(bool holds, const char *what)
{
	printf("%s netfuzz: %s\n", holds ? "ok" : "not ok", what);
	if (holds)
		passed++;
	else
		failed++;
}

static bool all_commands_accepted(void)
{
	bool all = true;

	for (int i = 1; i < __GOPROBE_CMD_MAX; i++) {
		if (i == GOPROBE_CMD_READY || totals.command[i].accepted)
			continue;
		printf("command %d was never accepted\n", i);
		all = false;
	}
	return all;
}

static bool all_operations_accepted(void)
{
	bool all = true;

	for (int i = 1; i < __GOPROBE_OP_MAX; i++) {
		if (totals.ops[i])
			continue;
		printf("operation %d was never in a message that was accepted\n", i);
		all = false;
	}
	return all;
}

static void count_session(void *listed, uint8_t cmd, uint16_t attr, const void *data, uint32_t len)
{
	(void)data;
	(void)len;
	*(unsigned int *)listed += cmd == GOPROBE_CMD_LIST && attr == GOPROBE_A_SESSION;
}

static bool no_session_is_left(void)
{
	unsigned int listed = 0;
	struct wire w = { .got = count_session, .arg = &listed, .buffer = malloc(WIRE_BUFFER) };
	struct wire_msg *m = malloc(sizeof(*m));
	struct wire_answer a;
	bool ok = !wire_open(&w);

	wire_begin(m, GOPROBE_CMD_LIST);
	ok = ok && !wire_call(&w, m, &a) && !a.error && !listed;
	wire_close(&w);
	free(w.buffer);
	free(m);
	return ok;
}

bool claims_hits(void)
{
	return totals.programs && totals.stat[GOPROBE_STAT_FILTERED] &&
	       totals.stat[GOPROBE_STAT_UNDECIDED] && totals.stat[GOPROBE_STAT_TIMED];
}

int claims(unsigned long runs, const char *wrong)
{
	unsigned long faults = totals.faults;

	if (wrong)
		printf("%s\n", wrong);
	claim(!faults, "each message is answered, each refusal has a message, what is right is accepted, all that is read is whole");
	claim(all_commands_accepted(), "every command has been accepted");
	claim(all_operations_accepted(), "every operation has been in a program that was accepted");
	claim(totals.accepted * 2 > totals.messages, "most messages were accepted");
	claim(claims_hits(), "hits ran into plans and filters");
	claim(runs && !wrong, "the programs did what they do without probes");
	claim(no_session_is_left(), "no session is left");
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
