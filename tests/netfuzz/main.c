// SPDX-License-Identifier: GPL-2.0
/*
 * netfuzz: messages of all kinds for the module, most of them right, on several sockets, while
 * the programs that are probed run.
 *
 *	netfuzz [-s SEED] [-t SECONDS] [-n MESSAGES] [-j SOCKETS] [-p REST] [-d DIR] [-g GROUP] [-v]
 *		STRESS PLACES LOAD PLACES [INPUT...]
 *
 * Inputs run first, one after the other. Then it continues until that many messages have been sent,
 * or for that long.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "inputs.h"
#include "life.h"
#include "report.h"
#include "target.h"
#include "totals.h"

/* Least numbers of messages and hits, for busy machines, with a time limit. */
#define LEAST_MESSAGES	1500
#define PATIENCE	12

/*
 * Number of sockets whose sessions place breakpoints. That is dear: all who do, and who take
 * them away, wait for each other, and each for grace periods.
 */
#define PLACING		3

/* A clock that counts instructions may be slow. */
#define PROGRESS_SECONDS	60
#define PROGRESS_MESSAGES	10000

/* So long no socket gets an answer only if something is stuck. */
#define STUCK_SECONDS		180

static struct binary binaries[2];
static struct target target = { .rest = 1 };
static struct report_run run = { .seed = 1, .sockets = 8 };
static unsigned long seconds = 20, most_messages;
static bool verbose;
static const char *dir;
static atomic_uint working;

static bool is_time(void)
{
	unsigned long messages = atomic_load(&totals.messages);
	bool enough = messages >= LEAST_MESSAGES && claims_hits();

	if (most_messages)
		return messages >= most_messages;
	return report_elapsed(&run) >= (enough ? 1 : PATIENCE) * seconds;
}

static struct life *life_new(void)
{
	struct life *l = calloc(1, sizeof(*l));

	l->wire.buffer = malloc(WIRE_BUFFER);
	l->binaries = binaries;
	l->nbinaries = 2;
	l->target = &target;
	return l;
}

static void life_free(struct life *l)
{
	free(l->wire.buffer);
	free(l);
}

static void live(struct life *l, const struct input *in, unsigned int socket)
{
	/* Our own, a child's, one that runs another program, and none. */
	const int32_t pids[] = {
		getpid(), atomic_load(&target.pids[0]), atomic_load(&target.pids[1]), 1, 999999,
	};
	size_t new;

	l->pids = pids;
	l->npids = sizeof(pids) / sizeof(*pids);
	inputs_begin(socket, in);
	new = life_live(l, in);
	inputs_begin(socket, NULL);
	kept_add(in, new);
}

/* One socket after the other. */
static void *worker(void *arg)
{
	unsigned int socket = (uintptr_t)arg;
	uint64_t state = run.seed * 1000003 + socket;
	struct input *in = malloc(sizeof(*in));
	struct life *l = life_new();

	if (cover_open())
		run.covered = true;
	while (!is_time()) {
		kept_next(in, &state);
		in->bytes[0] = socket < PLACING ? MODEL_PLACES : MODEL_PLACES_NOT;
		live(l, in, socket);
	}
	cover_close();
	free(in);
	life_free(l);
	atomic_fetch_sub(&working, 1);
	return NULL;
}

/* Inputs that something was wrong with. */
static unsigned int again(char *const paths[], unsigned int n)
{
	struct input *in = malloc(sizeof(*in));
	struct life *l = life_new();
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (inputs_read(in, paths[i]))
			live(l, in, 0);
		else
			totals_fault("%s can't be read", paths[i]);
	}
	free(in);
	life_free(l);
	return n;
}

static void usage(void)
{
	fprintf(stderr, "usage: netfuzz [-s SEED] [-t SECONDS] [-n MESSAGES] [-j SOCKETS] [-p REST] [-d DIR] [-g GROUP] [-v] STRESS PLACES LOAD PLACES [INPUT...]\n");
	exit(2);
}

/* The uppermost control group, and one below it without processes. */
static void open_groups(const char *path)
{
	int top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	model_groups[0] = top;
	if (top >= 0 && (!mkdirat(top, "netfuzz", 0755) || errno == EEXIST))
		model_groups[1] = openat(top, "netfuzz", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (model_groups[1] >= 0)
		return;
	fprintf(stderr, "netfuzz: %s: %s\n", path, strerror(errno));
	exit(2);
}

static void option(int o, const char *value)
{
	switch (o) {
	case 's':
		run.seed = strtoull(value, NULL, 0);
		return;
	case 't':
		seconds = strtoul(value, NULL, 0);
		return;
	case 'n':
		most_messages = strtoul(value, NULL, 0);
		return;
	case 'j':
		run.sockets = strtoul(value, NULL, 0);
		return;
	case 'p':
		target.rest = strtoul(value, NULL, 0);
		return;
	case 'd':
		dir = value;
		return;
	case 'g':
		open_groups(value);
		return;
	case 'v':
		verbose = true;
		return;
	}
	usage();
}

static void options(int argc, char **argv)
{
	int o;

	while ((o = getopt(argc, argv, "s:t:n:j:p:d:g:v")) != -1)
		option(o, optarg);
	if (argc - optind < 4 || !run.sockets || run.sockets > SOCKETS_MAX)
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

static void sysrq(char what)
{
	FILE *f = fopen("/proc/sysrq-trigger", "w");

	if (f) {
		fputc(what, f);
		fclose(f);
	}
}

/*
 * The module does not answer any more. Who waits for it can't be ended, so, in the machine that is
 * made for this, the kernel is: after it has reported where each thread waits.
 */
static void stuck(void)
{
	totals_fault("no message has been answered for %d s; the kernel's log shows where each thread waits",
		     STUCK_SECONDS);
	if (!getenv("GOPROBE_VM"))
		_exit(1);
	sysrq('w');
	sysrq('l');
	sleep(5);
	sysrq('b');
	_exit(1);
}

/* Inputs of files, then all sockets, and the programs beside them. */
static void work(char *const paths[], unsigned int n)
{
	pthread_t thread[SOCKETS_MAX], runner;
	unsigned long next = PROGRESS_SECONDS, at = PROGRESS_MESSAGES, last = 0;
	double moved = 0;

	pthread_create(&runner, NULL, target_run, &target);
	run.again = again(paths, n);
	atomic_store(&working, run.sockets);
	for (unsigned int i = 0; i < run.sockets; i++)
		pthread_create(&thread[i], NULL, worker, (void *)(uintptr_t)i);
	while (atomic_load(&working)) {
		usleep(200000);
		if (atomic_load(&totals.messages) != last)
			moved = report_elapsed(&run);
		last = atomic_load(&totals.messages);
		if (report_elapsed(&run) - moved > STUCK_SECONDS)
			stuck();
		if (report_elapsed(&run) < next && atomic_load(&totals.messages) < at)
			continue;
		report_progress(&run, target.runs);
		next = report_elapsed(&run) + PROGRESS_SECONDS;
		at = atomic_load(&totals.messages) + PROGRESS_MESSAGES;
	}
	for (unsigned int i = 0; i < run.sockets; i++)
		pthread_join(thread[i], NULL);
	atomic_store(&target.over, true);
	pthread_join(runner, NULL);
}

int main(int argc, char **argv)
{
	const char *wrong;

	options(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("seed %llu\n", (unsigned long long)run.seed);
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
	inputs_open(dir, run.sockets);
	report_begin(&run);
	work(argv + optind + 4, argc - optind - 4);
	wrong = target_end(&target);
	report_end(&run, target.runs, verbose);
	if (dir)
		cover_leave(dir);
	return claims(target.runs, wrong);
}
