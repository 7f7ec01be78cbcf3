// SPDX-License-Identifier: GPL-2.0
/* Program that changes code for a while, and compares what was counted with what was called. */
#define _GNU_SOURCE
#include <getopt.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

_Atomic uint64_t strange;

static const char usage[] = "usage: native [--seconds N] [--without STEPS:N]\n"
			    "       native --steps | --bench\n";

/* What hits of all sites did. */
struct sum {
	uint64_t hits, jumped, trapped, landed;
	uint64_t shortest;	/* calls that took 0 to 3 */
};

static void fatal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;

	(void)info;
	dprintf(2, "native: signal %d at 0x%llx\n", sig, c->uc_mcontext.gregs[REG_RIP]);
	_exit(4);
}

static uint64_t counted(uint64_t at)
{
	uint64_t n = 0;

	for (long stripe = 0; at && stripe < nstripes; stripe++)
		n += *code_counter(at, stripe);
	return n;
}

/* Calls that detours have ended, and their ticks. */
static uint64_t timed(const struct site *s, uint64_t *ticks)
{
	uint64_t n = 0;

	for (long stripe = 0; stripe < nstripes; stripe++) {
		const struct gp_detour_times *t = code_times(s, stripe);

		for (size_t i = 0; i < sizeof(t->bucket) / sizeof(t->bucket[0]); i++)
			n += t->bucket[i];
		*ticks += t->sum;
	}
	return n;
}

static bool wrong(const struct site *s, const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return false;
	printf("not ok %s, %s: %s: %" PRIu64 ", but the program's own number is %" PRIu64 "\n",
	       functions[s->function].name, s->s.frame ? "end" : "entry", what, got, want);
	return true;
}

/* Each end has a beginning, in a slot or without one; durations lie inside of the calls'. */
static bool times_wrong(const struct site *s, uint64_t calls, uint64_t around, struct sum *sum)
{
	uint64_t ticks = 0, n = timed(s, &ticks);

	sum->jumped += n;
	for (long stripe = 0; stripe < nstripes; stripe++)
		for (int i = 0; i < 4; i++)
			sum->shortest += code_times(s, stripe)->bucket[i];
	ticks += s->ticks;
	if (ticks > around) {
		printf("not ok %s: calls took %" PRIu64 " ticks, but the program measured %" PRIu64 "\n",
		       functions[s->function].name, ticks, around);
		return true;
	}
	return wrong(s, "calls that ended", n + s->timed + s->no_slot, calls);
}

static bool site_wrong(const struct site *s, struct sum *sum)
{
	uint64_t calls = 0, passed = 0, around = 0, hits;

	for (int i = 0; i < 2 * WORKERS; i++) {
		calls += accounts[i].calls[s->function];
		passed += accounts[i].passed[s->function];
		around += accounts[i].ticks[s->function];
	}
	sum->hits += calls;
	sum->trapped += s->trapped + s->trapped_rejected;
	sum->landed += s->landed;
	if (s->use == USE_TIME && s->s.frame)
		return times_wrong(s, calls, around, sum);
	/* Of a timed call the beginning is not counted in detours: its end is. */
	if (s->use == USE_TIME)
		return false;
	hits = counted(s->d.hits) + s->trapped + s->landed + s->noted;
	sum->jumped += counted(s->d.hits) + s->noted + counted(s->d.rejected);
	return wrong(s, "hits", hits, s->d.ntests ? passed : calls) ||
	       (s->d.ntests && wrong(s, "rejected hits",
				     counted(s->d.rejected) + s->trapped_rejected, calls - passed));
}

static unsigned int report(uint64_t changes)
{
	uint64_t grown = 0, signals[4] = { 0 };
	struct sum sum = { 0 };
	unsigned int bad = 0;

	for (unsigned int i = 0; i < nsites; i++)
		bad += site_wrong(&sites[i], &sum);
	for (unsigned int i = 0; i < GP_DETOUR_SLOTS; i++)
		bad += code_slots()[i].g != 0;
	for (int i = 0; i < 2 * WORKERS; i++) {
		grown += accounts[i].grown;
		for (int k = 0; k < 4; k++)
			signals[k] += accounts[i].signals[k];
	}
	printf("%" PRIu64 " changes of %u places each way, %" PRIu64 " hits: %" PRIu64
	       " without a trap, %" PRIu64 " with one, %" PRIu64 " landed\n",
	       changes, nsites, sum.hits, sum.jumped, sum.trapped, sum.landed);
	printf("%" PRIu64 " stacks grew; %" PRIu64 " signals: %" PRIu64 " SIGPROF, %" PRIu64
	       " SIGURG, %" PRIu64 " SIGUSR1 on the thread's own stack\n",
	       grown, signals[0], signals[1], signals[2], signals[3]);
	if (strange)
		printf("not ok %" PRIu64 " notes are not what a thread writes\n", strange);
	if (!changes || !sum.jumped || !sum.trapped || !sum.landed || !sum.shortest ||
	    !signals[1] || !grown) {
		printf("not ok something never happened\n");
		bad++;
	}
	return bad + (unsigned int)strange;
}

static uint64_t change_for(unsigned int seconds)
{
	uint64_t end = (uint64_t)time(NULL) + seconds, changes = 0;
	unsigned int x = 1;

	while ((uint64_t)time(NULL) < end) {
		change_run(&change_arm);
		x = x * 1103515245 + 12345;
		if (x >> 16 & 1)
			usleep((x >> 20) % 100);
		change_run(&change_disarm);
		if (!(x >> 18 & 3))
			change_run(&change_restore);
		if (!(x >> 20 & 63))
			work_unprobed(change_unprobe);
		changes++;
	}
	change_run(&change_restore);
	return changes;
}

static struct change_steps *const all_steps[] = { &change_arm, &change_disarm, &change_restore };

/* A line for each step: how --without names it, and what it is. */
static void list_steps(void)
{
	static const char *const kinds[] = { "sync", "first byte", "other bytes" };
	static const char *const parts[] = { "branch", "cold block" };
	static const char *const codes[] = { "breakpoint", "jump", "file" };

	for (size_t k = 0; k < 3; k++) {
		for (unsigned int i = 0; i < all_steps[k]->n; i++) {
			const struct gp_step *s = &all_steps[k]->v[i];

			printf("%s:%u\t%s", all_steps[k]->name, i, kinds[s->kind]);
			if (s->kind != GP_STEP_SYNC)
				printf(" of the %s: %s", parts[s->part], codes[s->code]);
			printf("\n");
		}
	}
}

static int leave_out(const char *text)
{
	for (size_t k = 0; k < 3; k++) {
		struct change_steps *s = all_steps[k];
		size_t n = strlen(s->name);

		if (strncmp(text, s->name, n) != 0 || text[n] != ':')
			continue;
		s->left_out = atoi(text + n + 1);
		return s->left_out < (int)s->n ? 0 : -1;
	}
	return -1;
}

static int bench(void)
{
	struct sigaction trap = {
		.sa_sigaction = change_trap, .sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	work_set_up_g(0, (char *)__builtin_frame_address(0) + 4096);
	if (sigaction(SIGTRAP, &trap, NULL) || code_make())
		return 2;
	bench_show();
	return 0;
}

static int parse(int argc, char **argv, unsigned int *seconds, bool *benched)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "without", required_argument, NULL, 'w' },
		{ "steps", no_argument, NULL, 'l' },
		{ "bench", no_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's') {
			*seconds = (unsigned int)atoi(optarg);
		} else if (c == 'b') {
			*benched = true;
		} else if (c == 'l') {
			list_steps();
			exit(0);
		} else if (c != 'w' || leave_out(optarg)) {
			fputs(usage, stderr);
			return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction a = { .sa_sigaction = fatal, .sa_flags = SA_SIGINFO };
	unsigned int seconds = 20, bad;
	bool benched = false;
	uint64_t changes;

	if (parse(argc, argv, &seconds, &benched))
		return 2;
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0)) {
		perror("native: membarrier");
		return 2;
	}
	if (benched)
		return bench();
	if (sigaction(SIGSEGV, &a, NULL) || sigaction(SIGILL, &a, NULL) ||
	    sigaction(SIGBUS, &a, NULL) || code_make() || work_start())
		return 2;
	changes = change_for(seconds);
	work_stop();
	bad = report(changes);
	return bad != 0;
}
