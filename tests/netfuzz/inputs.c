// SPDX-License-Identifier: GPL-2.0
/*
 * DIR/socket-N is what socket N is at work on: if the kernel ends, it is one of these. They go
 * to the host at once, past the guest's cache. DIR/fault-N is what a claim failed with.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"

#define FAULTS_MAX	100

static const char *dir;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int files[SOCKETS_MAX];
static const struct input *at_work[SOCKETS_MAX];
static unsigned int faults;
static _Thread_local const struct input *own;

static int create(const char *what, unsigned int n)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s-%u", dir, what, n);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT, 0644);
	return fd < 0 ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_SYNC, 0644) : fd;
}

static bool write_input(int fd, const struct input *in)
{
	return pwrite(fd, in->bytes, in->len, 0) == (ssize_t)in->len && !ftruncate(fd, in->len);
}

void inputs_open(const char *where, unsigned int sockets)
{
	dir = where;
	for (unsigned int i = 0; dir && i < sockets; i++) {
		files[i] = create("socket", i);
		if (files[i] >= 0)
			continue;
		printf("netfuzz: inputs can't be left in %s\n", dir);
		dir = NULL;
	}
}

void inputs_begin(unsigned int socket, const struct input *in)
{
	pthread_mutex_lock(&lock);
	at_work[socket] = in;
	pthread_mutex_unlock(&lock);
	own = in;
	if (in && dir && !write_input(files[socket], in))
		printf("netfuzz: socket %u's input can't be left in %s\n", socket, dir);
}

static void leave(const struct input *in)
{
	int fd;

	if (faults == FAULTS_MAX)
		return;
	fd = create("fault", faults);
	if (fd >= 0 && write_input(fd, in))
		printf("netfuzz: its input: %s/fault-%u, %zu bytes\n", dir, faults, in->len);
	if (fd >= 0)
		close(fd);
	faults++;
}

void inputs_fault(void)
{
	if (!dir)
		return;
	pthread_mutex_lock(&lock);
	if (own)
		leave(own);
	for (unsigned int i = 0; !own && i < SOCKETS_MAX; i++)
		if (at_work[i])
			leave(at_work[i]);
	pthread_mutex_unlock(&lock);
}

bool inputs_read(struct input *in, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, in->bytes, INPUT_MAX);

	if (fd >= 0)
		close(fd);
	in->len = n > 0 ? n : 0;
	return n > 0;
}
