// SPDX-License-Identifier: GPL-2.0
/*
 * The module's self-test: a breakpoint in our own code, which we then run into. See
 * "Who executes the instruction" in include/uapi/goprobe.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "selftest.h"
#include "selftest_code.h"

/* Where the code of the self-test is: in memory, then in the file. */
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

static int place(struct client *c, int fd, struct diag *d)
{
	const struct goprobe_runtime rt = { .g_reg = GOPROBE_REG_NONE };
	uint64_t at = (uintptr_t)selftest_code;
	struct goprobe_point point = {
		.plan = GOPROBE_NO_PLAN,
		.kind = GOPROBE_POINT_SELF_TEST,
		.code_len = GOPROBE_SELF_TEST_SIZE,
	};
	int32_t pid = getpid();
	uint32_t file, ring_bytes = 65536;

	if (dl_iterate_phdr(find, &at) != 1)
		return diag_set(d, "goprobectl can't find its own code");
	point.offset = at;
	memcpy(point.code, GOPROBE_SELF_TEST_CODE, GOPROBE_SELF_TEST_SIZE);
	return client_session_new(c, &pid, 1, 0, NULL, NULL, &ring_bytes, d) ||
	       client_file_add(c, fd, &rt, &file, d) ||
	       client_points_add(c, file, &point, 1, d) ? -1 : 0;
}

static void run(struct diag *d)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct client *c;

	if (fd < 0) {
		diag_errno(d, errno, "can't open goprobectl's own file");
		return;
	}
	/* Of its own: the session ends with it. */
	if (!client_open(&c, d)) {
		if (!place(c, fd, d))
			selftest_run();
		client_close(c);
	}
	close(fd);
}

int selftest_get_info(struct client *c, struct client_info *ret, struct diag *why,
		      struct diag *d)
{
	if (client_get_info(c, ret, d))
		return -1;
	if (!(ret->abilities & GOPROBE_ABILITY_UNTESTED))
		return 0;
	run(why);
	return client_get_info(c, ret, d);
}
