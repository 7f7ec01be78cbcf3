// SPDX-License-Identifier: GPL-2.0
/* What must hold at the end. */
#include <stdio.h>

#include "learn.h"
#include "report.h"
#include "told.h"

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
		if (i == GOPROBE_CMD_READY || told.command[i].accepted)
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
		if (told.ops[i])
			continue;
		printf("operation %d was never in a message that was accepted\n", i);
		all = false;
	}
	return all;
}

bool claims_hits(void)
{
	return told.programs && told.stat[GOPROBE_STAT_FILTERED] &&
	       told.stat[GOPROBE_STAT_UNDECIDED] && told.stat[GOPROBE_STAT_TIMED];
}

int claims(unsigned long runs, const char *wrong)
{
	unsigned long faults = told.faults;

	if (wrong)
		printf("%s\n", wrong);
	claim(!faults, "each message is answered, each refusal has a sentence, what is right is accepted, all that is read is whole");
	claim(all_commands_accepted(), "every command has been accepted");
	claim(all_operations_accepted(), "every operation has been in a program that was accepted");
	claim(told.accepted * 2 > told.messages, "most messages were accepted");
	claim(claims_hits(), "hits ran into plans and filters");
	claim(runs && !wrong, "the programs did what they do without probes");
	claim(learn_nothing_is_probed(), "no session is left");
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
