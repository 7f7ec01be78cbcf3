// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs on this processor, in nanoseconds: the harness's functions without anything,
 * and with their jumps; beside them a system call and, where the kernel has them, its own probes
 * of user space.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "native.h"

/* Calls of a round: notes of two places fit into a ring. The best round was not disturbed. */
#define CALLS 100
#define ROUNDS 2000

static uint64_t counter;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Of a loop of calls, each a nanosecond or more. */
static double best_of(void (*round)(const void *what), const void *what, int calls, int rounds)
{
	double best = 1e18;

	for (int i = 0; i < rounds; i++) {
		double began = now(), took;

		round(what);
		took = (now() - began) / calls;
		if (took < best)
			best = took;
		change_drain(false);
	}
	return best;
}

struct call {
	unsigned int function;
	uint64_t value;
};

static void call_round(const void *what)
{
	const struct call *c = what;

	for (int i = 0; i < CALLS; i++) {
		register uint64_t count __asm__("rdi") = (uint64_t)&accounts[0].calls[c->function];
		register uint64_t number __asm__("rsi") = c->value;
		register uint64_t g __asm__("r14") = (uint64_t)&gs[0];

		__asm__ volatile("sub $256,%%rsp\n\tcall *%3\n\tadd $256,%%rsp"
				 : "+r"(count), "+r"(number), "+r"(g)
				 : "r"(functions[c->function].start)
				 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13",
				   "r15", "memory", "cc");
	}
}

static void ask_round(const void *what)
{
	(void)what;
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

/* Begins with an instruction that every kernel emulates, not single-steps: PUSH. */
__attribute__((noinline, noclone)) static void probed(void)
{
	__asm__ volatile("push %%rbp\n\tincq %0\n\tpop %%rbp" : "+m"(counter) : : "cc");
}

static void probed_round(const void *what)
{
	(void)what;
	for (int i = 0; i < CALLS; i++)
		probed();
}

/* Where a function is in the file that is executed. */
static uint64_t offset_of(uint64_t at)
{
	char line[512];
	uint64_t found = 0, from, to, offset;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && from <= at &&
		    at < to)
			found = at - from + offset;
	if (f)
		fclose(f);
	return found;
}

/* A probe of the kernel's at probed(), or at its return; or -1. */
static int probe(bool at_return)
{
	struct perf_event_attr a = {
		.size = sizeof(a), .config = at_return, .uprobe_path = (uint64_t)"/proc/self/exe",
		.probe_offset = offset_of((uint64_t)probed),
	};
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int got = f ? fscanf(f, "%u", &a.type) : 0;

	if (f)
		fclose(f);
	return got == 1 ? (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) : -1;
}

static void show_probe(const char *what, bool at_return, double plain)
{
	int fd = probe(at_return);

	if (fd < 0) {
		printf("          %s: this machine does not let them be measured\n", what);
		return;
	}
	printf("  +%7.1f ns  %s\n", best_of(probed_round, NULL, CALLS, 100) - plain, what);
	close(fd);
}

static const struct {
	const char *what, *function;
	uint64_t value;
} rows[] = {
	{ "counted", "count, short", 0 },
	{ "counted, with a condition that is true", "test, short", TEST_LOW },
	{ "counted, with a condition that is false", "test, short", 0 },
	{ "timed: its beginning and its end", "time, short", 0 },
	{ "recorded, with two integers", "note, short, call", 0 },
	{ "recorded, and its end", "note, short", 0 },
};

static struct call call_of(size_t row)
{
	struct call c = { 0, rows[row].value };

	while (strcmp(functions[c.function].name, rows[row].function) != 0)
		c.function++;
	return c;
}

void bench_show(void)
{
	double plain[sizeof(rows) / sizeof(rows[0])], bare;
	struct call c;

	change_unprobe(true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		c = call_of(i);
		plain[i] = best_of(call_round, &c, CALLS, ROUNDS);
	}
	change_unprobe(false);
	change_run(&change_arm);
	printf("a call takes %.1f ns; without a trap it takes longer if it is\n", plain[0]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		c = call_of(i);
		printf("  +%7.1f ns  %s\n", best_of(call_round, &c, CALLS, ROUNDS) - plain[i],
		       rows[i].what);
	}
	change_run(&change_disarm);
	change_run(&change_restore);
	bare = best_of(probed_round, NULL, CALLS, ROUNDS);
	printf("and for comparison:\n");
	printf("  +%7.1f ns  a system call (getppid)\n", best_of(ask_round, NULL, CALLS, ROUNDS));
	show_probe("a probe of the kernel's (uprobe), emulated, whose consumer counts", false,
		   bare);
	show_probe("one at a return (uretprobe)", true, bare);
}
