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

static inline s64 sign_extend64(u64 value, int index)
{
	return (s64)(value << (63 - index)) >> (63 - index);
}

struct gp_op;

struct gp_plan {
	struct goprobe_plan w;
	const struct gp_op *ops;
};

/**
 * struct gp_capture - a capture under way
 * @plan: its program
 * @regs: registers, which no program of goprobectl uses
 * @sp: like @regs
 * @bias: run-time addresses of the file less its link-time addresses
 * @to: the frame, with space for chunks behind it
 * @space: bytes at @to
 * @used: bytes written
 * @flags: GOPROBE_RECORD_F_*
 * @read: reads the process: exactly @len bytes at run-time address @at, or returns false
 * @read_ctx: first argument of @read
 */
struct gp_capture {
	const struct gp_plan *plan;
	const u8 *regs;
	u64 sp;
	u64 bias;
	u8 *to;
	u32 space;
	u32 used;
	u16 flags;
	bool (*read)(void *ctx, uint64_t at, void *to, size_t len);
	void *read_ctx;
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
