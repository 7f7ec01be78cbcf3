/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites of capture, walk and programs: a target whose memory is a
 * table of regions (some are there, some have to be brought in, some are unavailable),
 * tables, a plan, and a capture that is made twice.
 *
 * Included by suites only, each of which compiles the files under test into itself.
 */
#ifndef CAPTURE_WORLD_H
#define CAPTURE_WORLD_H

#include <kunit/test.h>
#include <linux/preempt.h>
#include <linux/types.h>

static u32 fake_copy(void *to, unsigned long address, u32 size);
#ifndef gp_user_copy
#define gp_user_copy fake_copy
#endif

#include "../../kmod/arch/arch.h"

/* The registers are the test's, what else there is of the processor is real. */
void real_float_regs(struct gp_float_regs *ret, u16 mask);
void real_set_float(u8 index, u64 value, u32 size);
#define gp_arch_float_regs real_float_regs
#define gp_arch_set_float real_set_float
#include "../../kmod/arch/x86.c"
#undef gp_arch_float_regs
#undef gp_arch_set_float
#include "../../kmod/capture/capture.c"
#include "../../kmod/capture/dynamic_types.c"
#include "../../kmod/capture/plan.c"
#include "../../kmod/capture/program.c"
#include "../../kmod/capture/search.c"
#include "../../kmod/capture/types.c"
#include "../../kmod/control/verify.c"
#include "../../kmod/capture/walk.c"

#define HDR	((u32)sizeof(struct goprobe_chunk))
#define FAULT	GOPROBE_CHUNK_FAULT
#define REMOTE	GOPROBE_CHUNK_REMOTE
#define BAD	GOPROBE_CHUNK_BAD
#define BYTES	GOPROBE_TYPE_BYTES
#define ITAB	GOPROBE_TYPE_ITAB
#define CODE	GOPROBE_TYPE_CODE
#define MISSED	GOPROBE_TYPE_MISSED

/* State of a region that is not there: enum goprobe_chunk_status, or */
#define HERE	0xffff	/* it is there */
#define ABSENT	0	/* it is brought in when asked for */

struct region {
	unsigned long from;
	u32 size;
	u16 state;
	const u8 *bytes;
};

#define REGIONS	8

static struct region regions[REGIONS];
static u32 nregions;
static u32 copies __maybe_unused;	/* calls of gp_user_copy() */

static inline struct region *region_of(unsigned long address)
{
	u32 i;

	for (i = 0; i < nregions; i++)
		if (address >= regions[i].from &&
		    address - regions[i].from < regions[i].size)
			return &regions[i];
	return NULL;
}

/* After vanishes_with reads this region gets that state: its page was unmapped again. */
static struct region *vanishing;
static u32 vanishes_with;
static u16 vanishes_to;

static u32 fake_copy(void *to, unsigned long address, u32 size)
{
	u8 *byte = to;

	copies++;
	if (vanishes_with && !--vanishes_with)
		vanishing->state = vanishes_to;
	for (; size; size--, address++) {
		const struct region *r = region_of(address);

		if (!r || r->state != HERE)
			return size;
		*byte++ = r->bytes[address - r->from];
	}
	return 0;
}

/* Places that can't be written so far, and what becomes of them: as of a region. */
static unsigned long unwritable_from, unwritable_to;
static u16 unwritable_state;

static inline bool unwritable(unsigned long address)
{
	return address >= unwritable_from && address < unwritable_to;
}

static u16 verdict_of(unsigned long address)
{
	const struct region *r = region_of(address);

	if (unwritable(address))
		return unwritable_state;
	/* Who asks for what is there, and can be written, wants what lies next to it as well. */
	if (r == &regions[0] && r->state == HERE)
		return GOPROBE_CHUNK_OK;
	return r ? r->state : FAULT;
}

int gp_faultin_ask(struct gp_faultin *f, unsigned long address)
{
	u16 verdict = verdict_of(address);

	if (verdict != GOPROBE_CHUNK_OK)
		return verdict;
	f->address = address;
	return -EAGAIN;
}

static u16 float_mask __maybe_unused;	/* that was asked for last */

void gp_arch_float_regs(struct gp_float_regs *ret, u16 mask)
{
	u32 reg, i;

	float_mask = mask;
	memset(ret, 0xee, sizeof(*ret));
	for (reg = 0; reg < GP_ARCH_FLOAT_REGS; reg++)
		for (i = 0; mask & 1 << reg && i < 16; i++)
			ret->reg[reg][i] = reg * 16 + i;
}

/* A scratch memory for the target, at an address of its own. */
#define A	0xc000000000UL
#define A_SIZE	0x8000U

static u8 arena[A_SIZE];

static inline void poke(unsigned long at, u64 value)
{
	memcpy(arena + (at - A), &value, 8);
}

/* One capture: tables, plan, space and result. */
#define TYPES	12
#define REFS	64
#define PIECES	17
#define OPS	64

struct world {
	struct goprobe_type types[TYPES];
	u32 ntypes;
	struct goprobe_ref refs[REFS];
	u32 nrefs;
	struct goprobe_piece pieces[PIECES];
	struct goprobe_op ops[OPS];
	struct goprobe_plan w;
	struct pt_regs regs;
	unsigned long sp;
	u64 bias;
	struct gp_faultin faultin;
	u32 used;
	u16 flags;
	struct gp_types table;
	struct gp_dynamic dynamic;
	struct gp_visited *visited;
	struct gp_plan *plan;
	u8 *to;
	u8 *again;
};

static struct world *w;

/* Space behind the largest record, to detect writes beyond it. */
#define BEHIND	4096
#define TO_SIZE	(GP_RECORD_MAX + BEHIND)

static inline int capture_init(struct kunit *test)
{
	w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	if (!w)
		return -ENOMEM;
	w->visited = kunit_kzalloc(test, sizeof(*w->visited), GFP_KERNEL);
	w->to = kunit_kzalloc(test, TO_SIZE, GFP_KERNEL);
	w->again = kunit_kzalloc(test, TO_SIZE, GFP_KERNEL);
	if (!w->visited || !w->to || !w->again)
		return -ENOMEM;
	memset(arena, 0, sizeof(arena));
	regions[0] = (struct region){ A, A_SIZE, HERE, arena };
	nregions = 1;
	/* Where not said otherwise: one word, from rax, and no budget is short. */
	w->w = (struct goprobe_plan){
		.npieces = 1, .string_limit = 1024, .elements = 1024,
		.objects = 1000, .bytes = 20000, .depth = 1,
	};
	w->pieces[0] = (struct goprobe_piece){ .source = GOPROBE_FROM_INT_REG, .size = 8 };
	w->types[0].size = 8;
	w->ntypes = 1;
	return 0;
}

static inline void unload(void)
{
	gp_plan_free(w->plan);
	w->plan = NULL;
	gp_dynamic_fini(&w->dynamic);
	memset(&w->dynamic, 0, sizeof(w->dynamic));
	gp_types_fini(&w->table);
	memset(&w->table, 0, sizeof(w->table));
}

static inline void capture_exit(struct kunit *test)
{
	if (w)
		unload();
}

/* As the session does with what a client sends. */
static inline const char *load(void)
{
	const char *why = gp_verify_types(w->types, w->ntypes, w->refs, w->nrefs);

	if (why)
		return why;
	unload();
	if (gp_types_add(&w->table, w->types, w->ntypes, w->refs, w->nrefs) < 0)
		return "no memory";
	why = gp_verify_plan(&w->w, w->pieces, PIECES, w->ops, OPS, &w->table);
	if (why)
		return why;
	w->plan = gp_plan_new(&w->w, w->pieces, w->ops, &w->table, 0);
	return w->plan ? NULL : "no memory";
}

static inline void must_load(struct kunit *test)
{
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
}

/* From here on an address stands for a type. After load(). */
static inline void make_dynamic(struct kunit *test, u64 address, u32 type, u32 flags)
{
	struct goprobe_dynamic d = { address, type, flags };

	KUNIT_ASSERT_STREQ(test, gp_verify_dynamic(&d, &w->table) ?: "accepted", "accepted");
	KUNIT_ASSERT_EQ(test, gp_dynamic_add(&w->dynamic, &d, 1, &w->table), 0);
}

/* Run with memory as it is, over what is there. */
static inline int run_over(u8 *to, u32 space)
{
	struct gp_capture c = {
		.plan = w->plan, .regs = &w->regs, .sp = w->sp, .bias = w->bias,
		.dynamic = &w->dynamic, .to = to, .space = space,
		.faultin = &w->faultin, .visited = w->visited,
	};
	int err;

	/* As in a handler. */
	preempt_disable();
	err = gp_capture_run(&c);
	preempt_enable();
	w->used = c.used;
	w->flags = c.flags;
	return err;
}

/* @to is filled with @fill before. */
static inline int run_once(u8 *to, u32 space, u8 fill)
{
	memset(to, fill, TO_SIZE);
	return run_over(to, space);
}

/*
 * Capture twice, over different garbage: what differs afterwards is not from the
 * target. Nothing may be written behind the space.
 */
static inline int run(struct kunit *test, u32 space)
{
	u32 used;
	u16 flags;
	int err;

	err = run_once(w->again, space, 0x5a);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->again + space, 0x5a, TO_SIZE - space));
	used = w->used;
	flags = w->flags;
	KUNIT_EXPECT_EQ(test, run_once(w->to, space, 0xa5), err);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to + space, 0xa5, TO_SIZE - space));
	if (err)
		return err;
	KUNIT_EXPECT_EQ(test, w->used, used);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, (u32)flags);
	KUNIT_EXPECT_LE(test, w->used, space);
	if (w->used <= space)
		KUNIT_EXPECT_EQ(test, memcmp(w->to, w->again, w->used), 0);
	return 0;
}

/* With what has been loaded. */
static inline void capture_again(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, run(test, GP_RECORD_MAX), 0);
}

static inline void capture(struct kunit *test)
{
	must_load(test);
	capture_again(test);
}

/* Add to the tables. Return: the type's id. */
static inline u32 add_type(u32 size)
{
	w->types[w->ntypes] = (struct goprobe_type){ size, w->nrefs, 0 };
	return w->ntypes++;
}

static inline void add_ref(u32 type, u32 offset, u16 kind, u32 to)
{
	if (!w->types[type].nrefs++)
		w->types[type].ref = w->nrefs;
	w->refs[w->nrefs++] = (struct goprobe_ref){ .offset = offset, .kind = kind, .type = to };
}

static inline struct goprobe_ref *last_ref(void)
{
	return &w->refs[w->nrefs - 1];
}

/* Behind the type's references. */
static inline void add_wipe(u32 type, u32 offset, u32 bytes)
{
	add_ref(type, offset, GOPROBE_REF_WIPE, 0);
	last_ref()->count_offset = bytes;
}

static inline void add_array(u32 type, u32 offset, u32 to, u8 count, u32 count_offset,
			     u8 count_size)
{
	add_ref(type, offset, GOPROBE_REF_ARRAY, to);
	last_ref()->count = count;
	last_ref()->count_offset = count_offset;
	last_ref()->count_size = count_size;
}

/* The frame is {ptr, len, cap}, from rax, rdx, rcx. */
static inline void frame_of_three(u64 ax, u64 dx, u64 cx)
{
	u32 i;

	w->types[0].size = 24;
	w->w.npieces = 3;
	for (i = 0; i < 3; i++)
		w->pieces[i] = (struct goprobe_piece){
			.source = GOPROBE_FROM_INT_REG, .reg = i, .size = 8, .frame = 8 * i,
		};
	w->regs.ax = ax;
	w->regs.dx = dx;
	w->regs.cx = cx;
}

static inline u32 frame_bytes(void)
{
	return w->plan->frame_bytes;
}

/* The chunk with that number, or NULL if there are fewer. */
static inline const struct goprobe_chunk *chunk(u32 n)
{
	u32 at = frame_bytes();

	while (at < w->used) {
		const struct goprobe_chunk *c = (const void *)(w->to + at);

		if (!n--)
			return c;
		at += HDR + ALIGN((u32)c->size, 8);
	}
	return NULL;
}

static inline u32 nchunks(void)
{
	u32 n = 0;

	while (chunk(n))
		n++;
	return n;
}

static inline void expect_chunk(struct kunit *test, u32 n, u64 address, u32 type,
				u32 size, u16 status)
{
	const struct goprobe_chunk *c = chunk(n);

	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_EXPECT_EQ(test, c->address, address);
	KUNIT_EXPECT_EQ(test, c->type, type);
	KUNIT_EXPECT_EQ(test, (u32)c->size, size);
	KUNIT_EXPECT_EQ(test, (u32)c->status, (u32)status);
	if (address >= A && address + size <= A + A_SIZE)
		KUNIT_EXPECT_EQ(test, memcmp(c + 1, arena + (address - A), size), 0);
	KUNIT_EXPECT_TRUE(test, !memchr_inv((const u8 *)(c + 1) + size, 0,
					    ALIGN(size, 8) - size));
}

static inline void expect_level(struct kunit *test, u32 n, u32 level)
{
	KUNIT_ASSERT_NOT_NULL(test, chunk(n));
	KUNIT_EXPECT_EQ(test, (u32)chunk(n)->level, level);
}

static inline void expect_budget(struct kunit *test, bool spent)
{
	KUNIT_EXPECT_EQ(test, !!(w->flags & GOPROBE_RECORD_F_BUDGET), spent);
}

#endif
