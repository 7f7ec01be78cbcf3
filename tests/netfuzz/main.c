// SPDX-License-Identifier: GPL-2.0
/*
 * netfuzz: messages of all kinds for the module, most of them right, on several sockets, while
 * the programs that are probed run.
 *
 *	netfuzz [-s SEED] [-t SECONDS] [-n MESSAGES] [-j SOCKETS] [-v] STRESS PLACES LOAD PLACES
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "life.h"
#include "target.h"
#include "told.h"

#define SOCKETS_MAX	16

/* So that a busy machine gets to everything, too: at least so many, but not for ever. */
#define LEAST_MESSAGES	1500
#define PATIENCE	12

static struct binary binaries[2];
static struct target target;
static uint64_t seed = 1;
static unsigned long seconds = 20, most_messages = ~0UL;
static unsigned int sockets = 4;
static bool verbose;
static struct timespec began;
static atomic_bool covered;
static unsigned int passed, failed;

static double elapsed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - began.tv_sec + (now.tv_nsec - began.tv_nsec) / 1e9;
}

static bool is_time(void)
{
	unsigned long messages = atomic_load(&told.messages);

	if (messages >= most_messages)
		return true;
	return elapsed() >= (messages < LEAST_MESSAGES ? PATIENCE : 1) * seconds;
}

/* One socket after the other. */
static void *worker(void *arg)
{
	struct life *l = calloc(1, sizeof(*l));
	struct input *in = malloc(sizeof(*in));
	uint64_t state = seed * 1000003 + (uintptr_t)arg;
	/* Our own, a child's, one that runs another program, and none. */
	int32_t pids[5] = { getpid(), 1, 1, 1, 999999 };

	l->wire.buffer = malloc(WIRE_BUFFER);
	l->binaries = binaries;
	l->nbinaries = 2;
	l->pids = pids;
	l->npids = 5;
	if (cover_open())
		atomic_store(&covered, true);
	while (!is_time()) {
		pids[1] = atomic_load(&target.pids[0]);
		pids[2] = atomic_load(&target.pids[1]);
		kept_next(in, &state);
		if (life_live(l, in))
			kept_add(in);
	}
	cover_close();
	free(l->wire.buffer);
	free(in);
	free(l);
	return NULL;
}

static void claim(bool holds, const char *what)
{
	printf("%s netfuzz: %s\n", holds ? "ok" : "not ok", what);
	if (holds)
		passed++;
	else
		failed++;
}

static unsigned int listed;

static void count_session(void *arg, uint8_t cmd, uint16_t attr, const void *data, uint32_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	listed += cmd == GOPROBE_CMD_LIST && attr == GOPROBE_A_SESSION;
}

/* Sessions there are, of whomever. */
static bool nothing_is_probed(void)
{
	struct wire w = { .got = count_session, .buffer = malloc(WIRE_BUFFER) };
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

/* A session of its own that asks for something. */
static bool accepts(uint16_t attr, uint32_t number)
{
	struct wire w = { .got = count_session, .buffer = malloc(WIRE_BUFFER) };
	struct wire_msg *m = malloc(sizeof(*m));
	struct wire_answer a;
	bool ok = !wire_open(&w);

	wire_begin(m, GOPROBE_CMD_SESSION_NEW);
	if (attr)
		wire_put_u32(m, attr, number);
	ok = ok && !wire_call(&w, m, &a) && !a.error;
	if (ok && !attr) {
		struct goprobe_filter filter = { .nops = 1 };
		struct goprobe_op op = { .code = number, .value = number == GOPROBE_OP_QUOTA };

		wire_begin(m, GOPROBE_CMD_FILTERS_ADD);
		wire_put(m, GOPROBE_A_FILTERS, &filter, sizeof(filter));
		wire_put(m, GOPROBE_A_OPS, &op, sizeof(op));
		ok = !wire_call(&w, m, &a) && !a.error;
	}
	wire_close(&w);
	free(w.buffer);
	free(m);
	return ok;
}

/* What this module has, of what not every module has. */
static void learn(void)
{
	model_has_states = accepts(GOPROBE_A_STATES, 1);
	model_has_members = accepts(GOPROBE_A_MEMBERS, 1);
	for (int i = 1; i < __GOPROBE_OP_MAX; i++) {
		if (!program_is_new(i))
			continue;
		if (accepts(0, i))
			program_learn(i);
		else
			printf("operation %d: the module does not have it\n", i);
	}
	if (!model_has_states || !model_has_members)
		printf("states or members: the module does not have them\n");
}

static unsigned long hits(void)
{
	static const uint8_t not_a_hit[] = {
		GOPROBE_STAT_FAULT_INS, GOPROBE_STAT_WAITS, GOPROBE_STAT_WAIT_NS,
		GOPROBE_STAT_LET_GO, GOPROBE_STAT_BROKEN, GOPROBE_STAT_NO_KEY,
		GOPROBE_STAT_NO_MEMBER, GOPROBE_STAT_EDITED, GOPROBE_STAT_NOT_EDITED,
	};
	unsigned long n = 0;

	for (int i = 0; i < __GOPROBE_STAT_MAX; i++)
		n += memchr(not_a_hit, i, sizeof(not_a_hit)) ? 0 : told.stat[i];
	return n;
}

static bool all_commands_accepted(void)
{
	bool all = true;

	for (int i = 1; i < __GOPROBE_CMD_MAX; i++) {
		if (i == GOPROBE_CMD_READY || told.commands[i] ||
		    (i == GOPROBE_CMD_MEMBERS_ADD && !model_has_members))
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
		if (told.ops[i] || !program_has(i))
			continue;
		printf("operation %d was never in a message that was accepted\n", i);
		all = false;
	}
	return all;
}

static void report(void)
{
	printf("seed %llu, %u sockets at once, %.0f s: %lu sessions, %lu messages, %lu accepted, %lu refused with a sentence (%u different), %lu by generic netlink without one\n",
	       (unsigned long long)seed, sockets, elapsed(), told.sessions, told.messages,
	       told.accepted, told.refused, told_sentences(verbose), told.netlink);
	printf("%lu hits, %lu in records, %lu filtered, %lu undecided, %lu counted, %lu timed, %lu let go, %lu lost; %lu records read, %lu of them with a plan, with %lu chunks; %lu rows of numbers, %lu open calls\n",
	       hits(), told.stat[GOPROBE_STAT_CALLS] + told.stat[GOPROBE_STAT_RETURNS],
	       told.stat[GOPROBE_STAT_FILTERED], told.stat[GOPROBE_STAT_UNDECIDED],
	       told.stat[GOPROBE_STAT_COUNTED], told.stat[GOPROBE_STAT_TIMED],
	       told.stat[GOPROBE_STAT_LET_GO], told.stat[GOPROBE_STAT_LOST_RING_FULL],
	       told.records, told.programs, told.chunks, told.tallies, told.open);
	if (atomic_load(&covered))
		printf("%u inputs kept, %u places of the module executed\n", kept_count(),
		       cover_places());
	else
		printf("%u inputs kept, by answers: this kernel has no /sys/kernel/debug/kcov\n",
		       kept_count());
	printf("stress: %lu runs with the right output\n", target.runs);
}

static void claims(const char *wrong)
{
	unsigned long faults = told.faults;

	if (wrong)
		printf("%s\n", wrong);
	claim(!faults, "each message is answered, each refusal has a sentence, what is right is accepted, all that is read is whole");
	claim(all_commands_accepted(), "every command has been accepted");
	claim(all_operations_accepted(), "every operation has been in a program that was accepted");
	claim(told.accepted * 2 > told.messages, "most messages were accepted");
	claim(told.programs && told.stat[GOPROBE_STAT_FILTERED] &&
	      told.stat[GOPROBE_STAT_UNDECIDED] && told.stat[GOPROBE_STAT_TIMED],
	      "hits ran into plans and filters");
	claim(target.runs && !wrong, "the programs did what they do without probes");
	claim(nothing_is_probed(), "no session is left");
}

static void usage(void)
{
	fprintf(stderr, "usage: netfuzz [-s SEED] [-t SECONDS] [-n MESSAGES] [-j SOCKETS] [-v] STRESS PLACES LOAD PLACES\n");
	exit(2);
}

static void options(int argc, char **argv)
{
	int o;

	while ((o = getopt(argc, argv, "s:t:n:j:v")) != -1) {
		switch (o) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			most_messages = strtoul(optarg, NULL, 0);
			break;
		case 'j':
			sockets = strtoul(optarg, NULL, 0);
			break;
		case 'v':
			verbose = true;
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 4 || !sockets || sockets > SOCKETS_MAX)
		usage();
	for (int i = 0; i < 2; i++) {
		const char *path = argv[optind + 2 * i];
		const char *why = places_read(&binaries[i], path, argv[optind + 2 * i + 1]);

		if (!why)
			continue;
		fprintf(stderr, "netfuzz: %s: %s\n", path, why);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	pthread_t thread[SOCKETS_MAX], runner;
	const char *wrong;

	options(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %llu\n", (unsigned long long)seed);
	if (!wire_family()) {
		fprintf(stderr, "netfuzz: the module is not loaded\n");
		return 2;
	}
	target.stress = binaries[0].path;
	target.load = binaries[1].path;
	wrong = target_begin(&target);
	if (wrong) {
		fprintf(stderr, "netfuzz: %s\n", wrong);
		return 2;
	}
	learn();
	clock_gettime(CLOCK_MONOTONIC, &began);
	pthread_create(&runner, NULL, target_run, &target);
	for (unsigned int i = 0; i < sockets; i++)
		pthread_create(&thread[i], NULL, worker, (void *)(uintptr_t)i);
	for (unsigned int i = 0; i < sockets; i++)
		pthread_join(thread[i], NULL);
	atomic_store(&target.over, true);
	pthread_join(runner, NULL);
	wrong = target_end(&target);
	report();
	claims(wrong);
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
