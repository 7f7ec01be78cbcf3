// SPDX-License-Identifier: GPL-2.0
/* Counters of the kernel's answers, and reports of faults. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "totals.h"

#define REFUSALS	512
#define FAULTS_SHOWN	20

struct totals totals;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	char text[256];
	unsigned long n;
} refusal[REFUSALS];
static unsigned int nrefusals;

void totals_fault(const char *format, ...)
{
	va_list args;

	if (atomic_fetch_add(&totals.faults, 1) >= FAULTS_SHOWN)
		return;
	pthread_mutex_lock(&lock);
	fputs("netfuzz: ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	inputs_fault();
	fflush(stdout);
	pthread_mutex_unlock(&lock);
}

/* With numbers as N, since they say where, not why. */
static void generalize(char *to, size_t size, const char *from)
{
	size_t n = 0;

	while (*from && n + 1 < size) {
		size_t digits = strspn(from, "0123456789");

		if (!strncmp(from, "0x", 2))
			digits = 2 + strspn(from + 2, "0123456789abcdef");
		to[n++] = digits ? 'N' : *from;
		from += digits ?: 1;
	}
	to[n] = 0;
}

static bool remember(uint8_t cmd, const char *text)
{
	char general[240], line[256];
	unsigned int i;
	bool new;

	generalize(general, sizeof(general), text);
	snprintf(line, sizeof(line), "%2u: %s", cmd, general);
	pthread_mutex_lock(&lock);
	for (i = 0; i < nrefusals && strcmp(refusal[i].text, line); i++)
		;
	new = i == nrefusals && nrefusals < REFUSALS;
	if (new)
		memcpy(refusal[nrefusals++].text, line, sizeof(line));
	if (i < nrefusals)
		refusal[i].n++;
	pthread_mutex_unlock(&lock);
	return new;
}

unsigned int totals_refusals(bool print)
{
	unsigned int i;

	pthread_mutex_lock(&lock);
	for (i = 0; print && i < nrefusals; i++)
		printf("  %8lu  %s\n", refusal[i].n, refusal[i].text);
	pthread_mutex_unlock(&lock);
	return nrefusals;
}

/* Generic netlink's own, before the module is asked: no such command, a dump is under way. */
static bool is_netlinks(const struct wire_msg *msg, int error)
{
	struct wire_msg right;

	wire_begin(&right, msg->cmd);
	if (error == EBUSY)
		return msg->dump;
	return error == EOPNOTSUPP && (!msg->cmd || msg->cmd == GOPROBE_CMD_READY ||
				       msg->cmd > GOPROBE_CMD_MAX || msg->dump != right.dump);
}

/* Errors of valid messages: one came too late, or exceeds a limit. */
static bool is_excuse(const char *text)
{
	return strstr(text, "too many") || strstr(text, "memory") || strstr(text, "stopped");
}

static struct totals_command *command_of(uint8_t cmd)
{
	return &totals.command[cmd < TOTALS_OTHER ? cmd : TOTALS_OTHER];
}

static bool was_accepted(const struct model *m, const struct wire_msg *msg,
			 struct totals_command *command)
{
	bool programs = msg->cmd == GOPROBE_CMD_PLANS_ADD || msg->cmd == GOPROBE_CMD_FILTERS_ADD;

	atomic_fetch_add(&totals.accepted, 1);
	for (int i = 0; programs && i < __GOPROBE_OP_MAX; i++)
		if (m->offered[i])
			atomic_fetch_add(&totals.ops[i], 1);
	return !atomic_fetch_add(&command->accepted, 1);
}

bool totals_answer(const struct model *m, const struct wire_msg *msg, const struct wire_answer *a,
		   unsigned long us)
{
	struct totals_command *command = command_of(msg->cmd);

	atomic_fetch_add(&totals.messages, 1);
	atomic_fetch_add(&command->sent, 1);
	atomic_fetch_add(&command->us, us);
	if (!a->error)
		return was_accepted(m, msg, command);
	if (!a->message[0]) {
		if (!is_netlinks(msg, a->error))
			totals_fault("command %u was refused without a message: %s", msg->cmd,
				     strerror(a->error));
		atomic_fetch_add(&totals.netlink, 1);
		atomic_fetch_add(&command->netlink, 1);
		return false;
	}
	atomic_fetch_add(&totals.refused, 1);
	atomic_fetch_add(&command->refused, 1);
	if (model_is_right(m, msg) && !is_excuse(a->message))
		totals_fault("command %u was refused though nothing is wrong with it: %s", msg->cmd,
			     a->message);
	return remember(msg->cmd, a->message);
}

void totals_stray(uint8_t cmd, const struct wire_answer *a)
{
	struct totals_command *command = command_of(cmd);

	atomic_fetch_add(&totals.messages, 1);
	atomic_fetch_add(&command->sent, 1);
	if (!a->error) {
		atomic_fetch_add(&totals.accepted, 1);
		atomic_fetch_add(&command->accepted, 1);
	} else if (a->message[0]) {
		atomic_fetch_add(&totals.refused, 1);
		atomic_fetch_add(&command->refused, 1);
	} else if (a->error == EBUSY || a->error == EOPNOTSUPP) {
		atomic_fetch_add(&totals.netlink, 1);
		atomic_fetch_add(&command->netlink, 1);
	} else {
		totals_fault("a message of two was refused without a message: %s",
			     strerror(a->error));
	}
}
