/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stand-in for the kernel and the module, with which kmod/capture/program.c compiles into
 * goprobectl: a capture that reads another process, and has no registers.
 */
#ifndef GOPROBE_EVAL_KERNEL_H
#define GOPROBE_EVAL_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <goprobe.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define U64_MAX UINT64_MAX
#define BIT_ULL(n) (1ULL << (n))
#define likely(x) (x)
#define unlikely(x) (x)
#define noinline __attribute__((noinline))
#define GP_UNINITIALIZED

static inline u64 min(u64 a, u64 b)
{
	return a < b ? a : b;
}

#define min_t(type, a, b) ((type)min(a, b))

/* A processor's guesses are the kernel's concern. */
static inline u32 array_index_nospec(u32 i, u32 n)
{
	return i < n ? i : 0;
}

static inline s64 sign_extend64(u64 value, int index)
{
	return (s64)(value << (63 - index)) >> (63 - index);
}

struct gp_op;

struct gp_plan {
	struct goprobe_plan w;
	const struct gp_op *ops;
};

/* A capture under way. */
struct gp_capture {
	const struct gp_plan *plan;	/* its program */
	const u8 *regs;	/* registers, which no program of goprobectl uses */
	u64 sp;		/* like @regs */
	u64 bias;	/* run-time addresses of the file less its link-time addresses */
	u8 *to;		/* the frame, with space for chunks behind it */
	u32 space;	/* bytes at @to */
	u32 used;	/* bytes written */
	u16 flags;	/* GOPROBE_RECORD_F_* */
	/* Reads the process: exactly @len bytes at run-time address @at, or returns false. */
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	void *read_ctx;	/* first argument of @read */
};

static inline int gp_capture_copy(struct gp_capture *c, void *to, u64 address, u32 *size)
{
	if (c->read(c->read_ctx, address, to, *size))
		return GOPROBE_CHUNK_OK;
	*size = 0;
	return GOPROBE_CHUNK_FAULT;
}

/* The module's way to read one word; here gp_capture_copy() reads all. */
static inline bool gp_user_load(u64 *to, u64 address)
{
	(void)to;
	(void)address;
	return false;
}

struct gp_float_regs {
	u8 reg[16][16];
};

static inline void gp_arch_float_regs(struct gp_float_regs *ret, u16 mask)
{
	(void)mask;
	memset(ret, 0, sizeof(*ret));
}

#endif
