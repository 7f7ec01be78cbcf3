// SPDX-License-Identifier: GPL-2.0
/* Accepted programs, run by the module's interpreter (capture/program.c) on all their paths. */
#include <stdlib.h>
#include <string.h>

#include "prove.h"

/* What stands for the kernel has types and limits of its own. */
#undef GP_OP_REGS
#include "capture/program.h"

/* An address that can be read, if the choice for it says so. */
#define READABLE 0x10000

/**
 * struct choice - what happens on a path
 * @jumps: a bit for each operation: a conditional jump there is taken
 * @fails: a bit for each read: it fails
 * @reads: number of reads
 * @bytes: of the large ones
 */
struct choice {
	unsigned int jumps, fails, reads;
	u32 bytes;
};

static bool read_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	struct choice *choice = ctx;

	if (choice->fails & 1U << choice->reads++ || at != READABLE)
		return false;
	if (len > sizeof(u64))
		choice->bytes += (u32)len;
	memset(to, 1, len);
	return true;
}

static const char *run_path(const struct gp_op *ops, u32 n, struct gp_capture *c,
			    struct choice *choice)
{
	struct gp_program p = { .c = c, .end = ops + n };

	for (u32 i = 0; i < n; i++)
		p.r[i] = choice->jumps >> i & 1;
	p.r[GP_OP_REGS - 1] = READABLE;
	if (gp_program_go(&p, ops) != p.end)
		return "a program of a plan does not end";
	if (p.err || c->used > c->space)
		return "a record is too small for what fails";
	return choice->bytes > GP_COPIES_MAX ? "a program copies more than it may" : NULL;
}

const char *run_program(const struct goprobe_op *ops, u32 n, u32 frame)
{
	struct gp_op *its = malloc(n * sizeof(*its));
	const char *why = NULL;
	u32 space = frame;

	for (u32 i = 0; i < n; i++) {
		its[i] = gp_op_of(&ops[i]);
		if (ops[i].code == GOPROBE_OP_TRY)
			space += sizeof(struct goprobe_chunk);
	}
	for (unsigned int way = 0; way < 256 && !why; way++) {
		struct choice choice = { .jumps = way % 16, .fails = way / 16 };
		struct gp_capture c = {
			.to = calloc(1, space), .space = space, .used = frame,
			.read = read_memory, .read_ctx = &choice,
		};

		why = run_path(its, n, &c, &choice);
		free(c.to);
	}
	free(its);
	return why;
}
