// SPDX-License-Identifier: GPL-2.0
/*
 * Does this machine execute what was written last?
 *
 *	mkdir -p build && cc -O2 -pthread -o build/stale THIS-FILE
 *	tests/vm/run --smp 4 --parallel --no-module -- build/stale 3 60 0
 *
 * Threads do what the kernel does for those that it single-steps: each takes a slot of
 * one page, writes an instruction there by another mapping of that page, executes
 * it in the slot, and gives the slot back. Under QEMU (10.0, as tests/vm/qemu has it) with
 * processors in parallel it happens that what is executed is what was in the slot before. A
 * traced program then dies, with any tracer: of Go 1.19, runtime.futexsleep began
 * with "sub rsp, 0x40" of runtime.casgstatus in place of its own 0x48, and returned to
 * what it found 8 bytes above its return address. With processors that take turns, and
 * on a real machine, it does not happen.
 *
 * usage: stale THREADS SECONDS NAP	each thread sleeps a moment after NAP calls; 0: never
 *
 * Exit status: 0 if all calls were right, 1 if not, 2 if that is not known.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, SLOTS = 32, SLOT_BYTES = 128, PAGE = 4096 };

static atomic_uint taken;
static uint8_t *writable, *executable;
static atomic_bool stop;
static atomic_ulong calls, wrong;
static uint32_t nap;

static unsigned int take_slot(void)
{
	for (;;) {
		unsigned int n = __builtin_ctz(~atomic_load(&taken));

		if (!(atomic_fetch_or(&taken, 1U << n) >> n & 1))
			return n;
	}
}

/* Write "mov eax, value; ret" into a slot and call it. */
static uint32_t execute(unsigned int slot, uint32_t value)
{
	uint8_t code[6] = { 0xb8, value, value >> 8, value >> 16, value >> 24, 0xc3 };
	unsigned int a, b, c, d;
	uint32_t (*fn)(void);

	memcpy(writable + slot * SLOT_BYTES, code, sizeof(code));
	/* The processor fetches the instructions behind this again. */
	__cpuid(0, a, b, c, d);
	fn = (uint32_t (*)(void))(executable + slot * SLOT_BYTES);
	return fn();
}

static void *run(void *arg)
{
	uint32_t value = (uint32_t)(uintptr_t)arg << 24;

	while (!stop) {
		unsigned int slot = take_slot();
		uint32_t got = execute(slot, value);

		atomic_fetch_and(&taken, ~(1U << slot));
		if (got != value && atomic_fetch_add(&wrong, 1) < 10)
			printf("slot %u: 0x%x was written, 0x%x executed\n", slot, value, got);
		atomic_fetch_add(&calls, 1);
		value++;
		if (nap && value % nap == 0)
			usleep(value % 100);
	}
	return NULL;
}

/* Processors forget where pages are. */
static void flush(void)
{
	char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	*p = 1;
	munmap(p, PAGE);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int n = argc == 4 ? atoi(argv[1]) : 0, started = 0, fd = memfd_create("slots", 0);
	time_t end;

	if (n < 1 || n > THREADS) {
		fprintf(stderr, "usage: stale THREADS SECONDS NAP, with 1 to %d threads\n",
			THREADS);
		return 2;
	}
	nap = atoi(argv[3]);
	if (fd < 0 || ftruncate(fd, PAGE))
		return perror("stale: memfd"), 2;
	writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	executable = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (writable == MAP_FAILED || executable == MAP_FAILED)
		return perror("stale: mmap"), 2;
	end = time(NULL) + atoi(argv[2]);
	while (started < n &&
	       !pthread_create(&threads[started], NULL, run, (void *)(uintptr_t)started))
		started++;
	while (time(NULL) < end) {
		flush();
		usleep(200);
	}
	stop = true;
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads: %lu calls, %lu wrong\n", started, atomic_load(&calls),
	       atomic_load(&wrong));
	return wrong != 0;
}
