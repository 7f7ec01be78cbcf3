// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that call the functions, and count what they do: on all processors in turn, while their
 * stacks grow, and while signals interrupt them, whose handlers call the functions, too.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "native.h"

#define ROUND 1000
#define ALT_STACK 65536U

struct account accounts[2 * WORKERS];
struct g gs[2 * WORKERS];
_Atomic bool stopping;

/* Calls while no place has a breakpoint or a jump. */
static struct account unprobed[WORKERS];
static _Atomic bool pausing, is_unprobed;
static _Atomic int parked;

static struct m ms[2 * WORKERS];
static pthread_t threads[WORKERS], disturber, drainer;
static _Atomic int ready;
static __thread int self;

/* Call a function as the goroutine @who. */
static void call(int who, struct account *a, unsigned int f, uint64_t value)
{
	register uint64_t counter __asm__("rdi") = (uint64_t)&a->calls[f];
	register uint64_t number __asm__("rsi") = value;
	register uint64_t g __asm__("r14") = (uint64_t)&gs[who];
	uint64_t from;

	a->passed[f] += value - TEST_LOW <= TEST_SPAN;
	from = __rdtsc();
	/* Below what may be in the red zone. */
	__asm__ volatile("sub $256,%%rsp\n\tcall *%3\n\tadd $256,%%rsp"
			 : "+r"(counter), "+r"(number), "+r"(g)
			 : "r"(functions[f].start)
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r15",
			   "memory", "cc");
	a->ticks[f] += __rdtsc() - from;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void interrupted(int sig)
{
	int who = WORKERS + self;
	struct account *a = &accounts[who];
	uint64_t x = a->signals[0] * 7919 + 12345;

	a->signals[0]++;
	a->signals[sig == SIGPROF ? 1 : sig == SIGURG ? 2 : 3]++;
	if (pausing || is_unprobed)
		return;
	/* A handler interrupts no other handler, so @who is one thread's. */
	for (int i = 0; i < 4; i++) {
		next_random(&x);
		call(who, a, (unsigned int)(x >> 20) % nfunctions, x >> 32 & 0xffff);
	}
}

void work_set_up_g(int who, const void *stack)
{
	gs[who] = (struct g){
		.hi = (uint64_t)stack, .m = (uint64_t)&ms[who], .goid = (uint64_t)who + 1,
	};
	ms[who].procid = (uint64_t)who + 100;
}

/* Have no thread in a call. Context: the thread that changes code. */
static void park(void)
{
	pausing = true;
	while (parked < WORKERS)
		usleep(10);
}

static void unpark(void)
{
	pausing = false;
	while (parked)
		usleep(10);
}

void work_unprobed(void (*unprobe)(bool unprobed))
{
	park();
	unprobe(true);
	is_unprobed = true;
	unpark();
	usleep(200);
	park();
	is_unprobed = false;
	unprobe(false);
	unpark();
}

static void wait_parked(void)
{
	parked++;
	while (pausing)
		usleep(10);
	parked--;
}

static void *work(void *arg)
{
	stack_t alt = { .ss_sp = malloc(ALT_STACK), .ss_size = ALT_STACK };
	uint64_t x = (uint64_t)arg * 7919 + 1;
	int who = (int)(uint64_t)arg;

	self = who;
	work_set_up_g(who, (char *)__builtin_frame_address(0) + 4096);
	work_set_up_g(WORKERS + who, (char *)__builtin_frame_address(0) + 8192);
	if (!alt.ss_sp || sigaltstack(&alt, NULL))
		exit(2);
	ready++;
	while (!stopping) {
		for (int i = 0; i < ROUND; i++) {
			next_random(&x);
			if (!(x >> 8 & 63)) {
				gs[who].guard = ~0ULL;
				accounts[who].grown++;
			}
			if (pausing)
				wait_parked();
			call(who, is_unprobed ? &unprobed[who] : &accounts[who],
			     (unsigned int)(x >> 16) % nfunctions, x >> 40 & 0xffff);
		}
	}
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
	free(alt.ss_sp);
	return NULL;
}

/* Signals on both stacks, and other processors. */
static void *disturb(void *arg)
{
	uint64_t x = 99;
	cpu_set_t set;

	(void)arg;
	while (!stopping) {
		next_random(&x);
		pthread_kill(threads[x % WORKERS], x & 16 ? SIGURG : SIGUSR1);
		if (!(x >> 6 & 3)) {
			CPU_ZERO(&set);
			CPU_SET((x >> 9) % (uint64_t)ncpus, &set);
			if (x >> 8 & 1)
				for (long cpu = 0; cpu < ncpus; cpu++)
					CPU_SET((size_t)cpu, &set);
			/* A processor may be offline, or not ours. */
			pthread_setaffinity_np(threads[(x >> 24) % WORKERS], sizeof(set), &set);
		}
		usleep((useconds_t)(x >> 32) % 200);
	}
	return NULL;
}

static void *drain(void *arg)
{
	uint64_t x = 7;

	(void)arg;
	while (!stopping) {
		change_drain(false);
		if (!(next_random(&x) & 3))
			usleep(50);
	}
	return NULL;
}

static int set_handlers(void)
{
	struct sigaction a = { .sa_handler = interrupted, .sa_flags = SA_RESTART };

	sigaddset(&a.sa_mask, SIGPROF);
	sigaddset(&a.sa_mask, SIGURG);
	sigaddset(&a.sa_mask, SIGUSR1);
	if (sigaction(SIGUSR1, &a, NULL))
		return -1;
	a.sa_flags |= SA_ONSTACK;
	return sigaction(SIGURG, &a, NULL) || sigaction(SIGPROF, &a, NULL) ? -1 : 0;
}

int work_start(void)
{
	struct sigaction trap = {
		.sa_sigaction = change_trap, .sa_flags = SA_SIGINFO | SA_NODEFER,
	};
	struct itimerval profile = { { 0, 2000 }, { 0, 2000 } };
	sigset_t all, before;

	if (sigaction(SIGTRAP, &trap, NULL) || set_handlers())
		return -1;
	for (long i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return -1;
	while (ready < WORKERS)
		usleep(100);
	/* Only workers are interrupted. */
	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&disturber, NULL, disturb, NULL) ||
	    pthread_create(&drainer, NULL, drain, NULL))
		return -1;
	return setitimer(ITIMER_PROF, &profile, NULL);
}

void work_stop(void)
{
	stopping = true;
	for (int i = 0; i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(disturber, NULL);
	pthread_join(drainer, NULL);
	change_drain(true);
}
