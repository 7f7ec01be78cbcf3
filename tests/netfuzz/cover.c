// SPDX-License-Identifier: GPL-2.0
/* KCOV: Documentation/dev-tools/kcov.rst of the kernel says what is asked of it here. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kept.h"

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_DISABLE	_IO('c', 101)
#define KCOV_TRACE_PC	0

#define WORDS		(256UL << 10)
#define PLACES		(1U << 20)

static atomic_uchar seen[PLACES];
static atomic_uint nseen;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned long module_from, module_to;

static _Thread_local atomic_ulong *words;
static _Thread_local int fd = -1;

/* Where the module is: what else runs on the way to it is not our business. */
static void find_module(void)
{
	FILE *f = fopen("/proc/modules", "r");
	unsigned long size, at;
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "goprobe %lu %*s %*s %*s %lx", &size, &at) != 2)
			continue;
		module_from = at;
		module_to = at + size;
	}
	if (f)
		fclose(f);
}

bool cover_open(void)
{
	pthread_once(&once, find_module);
	fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (!ioctl(fd, KCOV_INIT_TRACE, WORDS)) {
		words = mmap(NULL, WORDS * sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED,
			     fd, 0);
		if (words != MAP_FAILED && !ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
			return true;
	}
	words = NULL;
	close(fd);
	return false;
}

void cover_close(void)
{
	if (!words)
		return;
	ioctl(fd, KCOV_DISABLE, 0);
	munmap((void *)words, WORDS * sizeof(*words));
	close(fd);
	words = NULL;
}

void cover_begin(void)
{
	if (words)
		atomic_store(&words[0], 0);
}

bool cover_end(void)
{
	unsigned long n = words ? atomic_load(&words[0]) : 0, i;
	bool new = false;

	for (i = 1; i <= n && i < WORDS; i++) {
		unsigned long pc = atomic_load(&words[i]);

		if (pc < module_from || pc >= module_to)
			continue;
		if (atomic_load(&seen[(pc - module_from) % PLACES]) ||
		    atomic_exchange(&seen[(pc - module_from) % PLACES], 1))
			continue;
		atomic_fetch_add(&nseen, 1);
		new = true;
	}
	return new;
}

unsigned int cover_places(void)
{
	return atomic_load(&nseen);
}

void cover_leave(const char *dir)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/executed", dir);
	f = fopen(path, "w");
	for (unsigned long i = 0; f && i < PLACES; i++)
		if (atomic_load(&seen[i]))
			fprintf(f, "%lx\n", i);
	if (f)
		fclose(f);
}
