// SPDX-License-Identifier: GPL-2.0
/*
 * Self-test of the module: a breakpoint in our own code, which we then hit. See
 * GOPROBE_SELF_TEST_CODE in include/uapi/goprobe.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/selftest.h"
#include "trace/selftest_code.h"

/*
 * Calls that are timed together, and how often: the shortest time is the one in which nothing else
 * was done. Their records fit into the smallest ring.
 */
#define CALLS 100
#define ROUNDS 5
#define HITS_PER_CALL 2

#define RING_BYTES 65536

/* DWARF number of the register that Go has its g in. */
#define REG_R14 14

/* Where code of ours is: in memory, then in the file. */
static int find(struct dl_phdr_info *info, size_t size, void *ctx)
{
	uint64_t *at = ctx;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = info->dlpi_phdr + i;
		uint64_t from = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || *at < from || *at - from >= ph->p_filesz)
			continue;
		*at = *at - from + ph->p_offset;
		return 1;
	}
	/* The first is the program itself. */
	return -1;
}

/* A session for ourselves, with our own file. */
static int begin(struct client *c, int fd, const struct goprobe_runtime *rt, uint32_t *file,
		 struct diag *d)
{
	struct attrs a = {
		.pids = &(int32_t){ getpid() }, .npids = 1, .ring_bytes = RING_BYTES,
	};

	if (client_session_new(c, &a, d))
		return -1;
	a = (struct attrs){ .fd = fd, .runtime = rt };
	if (client_ask(c, GOPROBE_CMD_FILE_ADD, &a, d))
		return -1;
	*file = a.file;
	return 0;
}

static int add(struct client *c, uint32_t file, const struct goprobe_point *point, struct diag *d)
{
	struct attrs a = { .file = file, .points = point, .npoints = 1 };

	return client_ask(c, GOPROBE_CMD_POINTS_ADD, &a, d);
}

static int place(struct client *c, int fd, struct diag *d)
{
	const struct goprobe_runtime rt = { .g_reg = GOPROBE_REG_NONE };
	uint64_t at = (uintptr_t)selftest_code;
	struct goprobe_point point = {
		.plan = GOPROBE_NO_PLAN,
		.kind = GOPROBE_POINT_SELF_TEST,
		.code_len = GOPROBE_SELF_TEST_SIZE,
	};
	uint32_t file;

	if (dl_iterate_phdr(find, &at) != 1)
		return diag_set(d, "goprobectl can't find its own code");
	point.offset = at;
	memcpy(point.code, GOPROBE_SELF_TEST_CODE, GOPROBE_SELF_TEST_SIZE);
	return begin(c, fd, &rt, &file, d) || add(c, file, &point, d) ? -1 : 0;
}

static int test(struct client *c, int fd, int64_t *ret, struct diag *d)
{
	(void)ret;
	if (place(c, fd, d))
		return -1;
	selftest_run(GOPROBE_SELF_TEST_ROUNDS);
	return 0;
}

/* Run @fn in a session of its own, that ends with it. */
static int run(int (*fn)(struct client *c, int fd, int64_t *ret, struct diag *d), int64_t *ret,
	       struct diag *d)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), err;
	struct client *c;

	if (fd < 0)
		return diag_errno(d, errno, "can't open goprobectl's own file");
	err = client_open(&c, d);
	if (!err) {
		err = fn(c, fd, ret, d);
		client_close(c);
	}
	close(fd);
	return err;
}

/* --- what a hit takes ------------------------------------------------------------- */

/* A breakpoint as in Go code, but that there is no goroutine. */
static int add_point(struct client *c, uint32_t file, const uint8_t *code, uint8_t kind,
		     struct diag *d)
{
	uint64_t at = (uintptr_t)code;
	struct goprobe_point point = { .plan = GOPROBE_NO_PLAN, .kind = kind, .code_len = 1 };

	if (dl_iterate_phdr(find, &at) != 1)
		return diag_set(d, "goprobectl can't find its own code");
	point.offset = at;
	point.code[0] = *code;
	return add(c, file, &point, d);
}

/* The shortest time that CALLS calls take, ns. */
static int64_t time_calls(void)
{
	int64_t best = INT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		int64_t began = (int64_t)clock_now(CLOCK_MONOTONIC), took;

		for (int i = 0; i < CALLS; i++)
			selftest_call();
		took = (int64_t)clock_now(CLOCK_MONOTONIC) - began;
		best = took < best ? took : best;
	}
	return best;
}

static int measure(struct client *c, int fd, int64_t *ret, struct diag *d)
{
	const struct goprobe_runtime rt = { .g_reg = REG_R14 };
	const uint8_t *call = (const uint8_t *)(uintptr_t)selftest_call;
	int64_t without = time_calls(), with;
	uint32_t file;

	if (begin(c, fd, &rt, &file, d) ||
	    add_point(c, file, call, GOPROBE_POINT_CALL, d) ||
	    add_point(c, file, selftest_ret, GOPROBE_POINT_RETURN, d) ||
	    client_ask(c, GOPROBE_CMD_START, NULL, d))
		return -1;
	with = time_calls();
	*ret = with > without ? (with - without) / (CALLS * HITS_PER_CALL) : 0;
	*ret += !*ret;
	return 0;
}

int64_t selftest_hit_ns(struct diag *d)
{
	int64_t ns = -1;

	return run(measure, &ns, d) ? -1 : ns;
}

/* --- who executes the instruction ------------------------------------------------- */

int selftest_get_info(struct client *c, struct client_info *ret, struct diag *why,
		      struct diag *d)
{
	if (client_get_info(c, ret, d))
		return -1;
	if (!(ret->abilities & GOPROBE_ABILITY_UNTESTED))
		return 0;
	run(test, NULL, why);
	return client_get_info(c, ret, d);
}
