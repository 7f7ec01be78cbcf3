// SPDX-License-Identifier: GPL-2.0
/*
 * Captures of anything: any plan that the verifier passes, over any memory, gives a
 * record that can be decoded and keeps to the plan.
 */
#include "random_world.h"

static u32 wipes;	/* bytes that were wiped, and not 0 before */

/* Mostly small; sometimes at a limit. */
static u32 rnd_size(u32 max)
{
	switch (rnd(8)) {
	case 0:
		return rnd(max + 1);
	case 1:
		return max - rnd(min(max, 9U) + 1);
	default:
		return rnd(min(max, 100U) + 1);
	}
}

static bool has_type(u8 kind)
{
	return kind == GOPROBE_REF_POINTER || kind == GOPROBE_REF_SLICE ||
	       kind == GOPROBE_REF_ARRAY;
}

static void random_ref(struct goprobe_ref *ref, u32 size)
{
	if (!rnd(4))
		ref->flags = GOPROBE_REF_F_SAME_LEVEL;
	if (ref->kind != GOPROBE_REF_ARRAY)
		return;
	ref->count = 1 + rnd(GOPROBE_COUNT_MAX);
	ref->count_size = ref->count == GOPROBE_COUNT_FLAGS_LOG2 ? 2 : 1 << rnd(4);
	ref->count_offset = rnd(size - min_t(u32, size, ref->count_size) + 1);
	ref->elements_shift = rnd(5);
}

static void random_wipes(u32 type)
{
	u32 size = w->types[type].size, offset = rnd(40), bytes;

	for (; offset < size && w->nrefs < REFS && rnd(4); offset += bytes + rnd(9)) {
		bytes = 1 + rnd(min(size - offset, 24U));
		add_wipe(type, offset, bytes);
	}
}

static void random_tables(void)
{
	u32 t, r, offset;

	memset(w->types, 0, sizeof(w->types));
	w->nrefs = 0;
	w->ntypes = 1 + rnd(TYPES);
	for (t = 0; t < w->ntypes; t++) {
		struct goprobe_type *type = &w->types[t];

		type->size = rnd_size(rnd(4) ? 256 : t ? 65535 : 4096);
		type->ref = w->nrefs;
		if (rnd(2))
			type->size = ALIGN(type->size, 8) & 0xffff;
		offset = rnd(2) * 8;
		for (r = rnd(7); r && w->nrefs < REFS; r--) {
			u8 kind = 1 + rnd(GOPROBE_REF_FUNC);

			if (offset + gp_ref_size(kind) > type->size)
				break;
			add_ref(t, offset, kind, has_type(kind) ? rnd(w->ntypes + 1) : 0);
			random_ref(&w->refs[w->nrefs - 1], type->size);
			offset += 8 * rnd(5);
		}
		if (!rnd(3))
			random_wipes(t);
	}
}

static void random_plan(void)
{
	u32 frame, i;

	w->w = (struct goprobe_plan){
		.npieces = rnd(PIECES + 1), .string_limit = rnd_size(24576),
		.elements = rnd_size(24576),
		.objects = rnd(3) ? 1536 : rnd_size(1536),
		.bytes = rnd(3) ? 20000 : rnd_size(20000),
		.depth = rnd(8),
	};
	frame = w->types[0].size;
	if (!frame)
		w->w.npieces = 0;
	for (i = 0; i < w->w.npieces; i++) {
		struct goprobe_piece *p = &w->pieces[i];

		*p = (struct goprobe_piece){ .source = 1 + rnd(GOPROBE_FROM_MAX), .reg = rnd(16) };
		p->size = 8;
		if (p->source == GOPROBE_FROM_FLOAT_REG) {
			p->reg += 17;
			p->size = 4 << rnd(3);
		}
		if (p->source == GOPROBE_FROM_STACK) {
			p->size = 1 + rnd(frame);
			p->offset = rnd(4) ? 8 * (s32)rnd(16) : (s32)rnd(256) - 100;
		}
		if (p->source == GOPROBE_FROM_STATIC) {
			p->size = 1 + rnd(frame);
			p->address = A + rnd(A_SIZE) - w->bias;
		}
		if (p->size > frame)
			*p = (struct goprobe_piece){ .source = GOPROBE_FROM_INT_REG, .size = 1 };
		p->frame = rnd(frame - p->size + 1);
		if (rnd(4))
			p->frame &= ~7U;
	}
}

/* One that the verifier passes, with @left operations behind it. */
static void random_op(struct goprobe_op *op, u32 left, u32 frame)
{
	u32 uses;

	*op = (struct goprobe_op){ .code = rnd(6) ? 1 + rnd(GOPROBE_OP_END) : GOPROBE_OP_TRY };
	uses = gp_op_uses[op->code];
	if (uses & GP_USES_A)
		op->a = rnd(3);
	if (uses & (GP_USES_B | GP_USES_REG))
		op->b = rnd(3);
	if (uses & GP_USES_FLOAT)
		op->b = 17 + rnd(16);
	if (uses & GP_USES_SIZE)
		op->size = 1 << rnd(4);
	if (op->code == GOPROBE_OP_FLOAT || op->code == GOPROBE_OP_ORDER)
		op->size = 4 << rnd(2);
	if (uses & GP_USES_BYTES)
		op->size = 1 + rnd(rnd(2) ? 16 : 300);
	if (uses & GP_USES_FRAME)
		op->offset = rnd(frame > op->size ? frame - op->size + 1 : 1);
	if (uses & GP_USES_SKIP)
		op->offset = rnd(min(left, 8U) + 1);
	if (uses & GP_USES_VALUE)
		op->value = rnd(2) ? rnd(100) : A + rnd(A_SIZE) - w->bias * rnd(2);
	if (uses & GP_USES_STATUS)
		op->value = 1 + rnd(GOPROBE_CHUNK_MAX);
	if (op->code == GOPROBE_OP_END && left && rnd(4))
		op->code = GOPROBE_OP_IMM;
}

static void random_program(void)
{
	u32 i;

	w->w.nops = rnd(3) ? 0 : rnd(OPS);
	for (i = 0; i < w->w.nops; i++)
		random_op(&w->ops[i], w->w.nops - i - 1, w->types[0].size);
}

/* Some of the words in memory stand for types, some of them direct. */
static void random_dynamic(void)
{
	u32 i;

	for (i = rnd(3) * 200; i; i--) {
		struct goprobe_dynamic d = {
			.address = gp_load(arena + 8 * rnd(A_SIZE / 8)) - w->bias,
			.type = rnd(w->ntypes), .flags = rnd(2),
		};

		if (!gp_verify_dynamic(&d, &w->table))
			gp_dynamic_add(&w->dynamic, &d, 1, &w->table);
	}
}

/* Items of the program that say that they have failed; *@at is moved behind them. */
static const char *decode_missed(u32 *at)
{
	u32 tries = 0, i;

	for (i = 0; i < w->w.nops; i++)
		tries += w->ops[i].code == GOPROBE_OP_TRY;
	for (; *at < w->used; *at += HDR) {
		const struct goprobe_chunk *c = (const void *)(w->to + *at);

		if (c->type != MISSED)
			return NULL;
		if (!tries--)
			return "more items have failed than there are";
		if (c->size || c->level || !c->status || c->status > GOPROBE_CHUNK_MAX)
			return "an item that has failed with something";
	}
	return NULL;
}

/* Whether byte @at of objects of that type is wiped. */
static bool is_wiped(u32 type, u32 at)
{
	const struct goprobe_type *t = &w->types[type];
	u32 i;

	for (i = t->ref; i < t->ref + t->nrefs; i++)
		if (w->refs[i].kind == GOPROBE_REF_WIPE &&
		    at % t->size - w->refs[i].offset < w->refs[i].count_offset)
			return true;
	return false;
}

/* Whether the chunk has what is in memory, with zeros where its type is wiped. */
static bool is_from_memory(const struct goprobe_chunk *c)
{
	const u8 *bytes = (const u8 *)(c + 1);
	u32 i;

	if (c->address < A || c->address + c->size > A + A_SIZE)
		return !c->size;
	for (i = 0; i < c->size; i++) {
		bool wiped = c->type < w->ntypes && is_wiped(c->type, i);

		wipes += wiped && arena[c->address - A + i];
		if (bytes[i] != (wiped ? 0 : arena[c->address - A + i]))
			return false;
	}
	return true;
}

/* NULL if the chunk that begins there is right. */
static const char *decode_chunk(const struct goprobe_chunk *c, u32 left)
{
	u32 padded;

	if (left < HDR)
		return "a torn header";
	padded = ALIGN((u32)c->size, 8);
	if (left - HDR < padded)
		return "a torn chunk";
	if (memchr_inv((const u8 *)(c + 1) + c->size, 0, padded - c->size))
		return "padding that is not 0";
	if (c->type >= w->ntypes && c->type != BYTES && c->type != ITAB && c->type != CODE)
		return "a type that does not exist";
	if (c->status > BAD)
		return "a status that does not exist";
	if (c->level > w->w.depth)
		return "deeper than the plan allows";
	if (!is_from_memory(c))
		return "bytes that are not in memory, or should be wiped";
	if (!c->status && c->type < w->ntypes && c->size % w->types[c->type].size)
		return "part of an object";
	return NULL;
}

/* NULL if what is in the record can be decoded and keeps to the plan. */
static const char *decode(void)
{
	u32 at = frame_bytes(), n = 0;
	const char *why = decode_missed(&at);

	if (!why && w->used > at + w->w.bytes)
		return "more bytes than the plan allows";
	for (; !why && at < w->used; n++) {
		const struct goprobe_chunk *c = (const void *)(w->to + at);

		why = decode_chunk(c, w->used - at);
		at += HDR + ALIGN((u32)c->size, 8);
	}
	if (!why && n > w->w.objects)
		return "more objects than the plan allows";
	return why;
}

/* Chunks of that type. */
static u32 nchunks_of(u32 type)
{
	u32 n = 0, i;

	for (i = 0; chunk(i); i++)
		n += chunk(i)->type == type;
	return n;
}

static void any_verified_plan_over_any_memory(struct kunit *test)
{
	u32 n, tries, plans = 0, whole = 0, chunks = 0, short_of_space = 0;
	u32 itabs = 0, codes = 0, missed = 0;

	random_state = 88172645463325252ULL;
	wipes = 0;
	for (n = 0; n < 10000; n++) {
		u32 space;
		int err;

		w->bias = rnd(3) << 12;
		random_tables();
		random_plan();
		random_program();
		random_memory();
		if (load())
			continue;
		random_dynamic();
		plans++;
		space = rnd(3) ? w->plan->record_bytes - sizeof(struct goprobe_record) :
				frame_bytes() + rnd(2000);
		for (tries = 0; tries <= REGIONS; tries++) {
			err = run(test, space);
			if (err != -EAGAIN)
				break;
			KUNIT_ASSERT_NOT_NULL(test, region_of(w->faultin.address));
			KUNIT_ASSERT_EQ(test, (u32)region_of(w->faultin.address)->state,
					(u32)ABSENT);
			region_of(w->faultin.address)->state = HERE;
		}
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			/* Held calls have space for the largest possible record. */
			KUNIT_ASSERT_LT(test, space, w->plan->record_bytes -
					(u32)sizeof(struct goprobe_record));
			short_of_space++;
			continue;
		}
		KUNIT_ASSERT_STREQ(test, decode() ?: "right", "right");
		whole++;
		chunks += nchunks();
		itabs += nchunks_of(ITAB);
		codes += nchunks_of(CODE);
		missed += nchunks_of(MISSED);
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, plans, 4000U);
	KUNIT_EXPECT_GT(test, whole, 3000U);
	KUNIT_EXPECT_GT(test, chunks, 3000U);
	KUNIT_EXPECT_GT(test, itabs, 100U);
	KUNIT_EXPECT_GT(test, codes, 100U);
	KUNIT_EXPECT_GT(test, missed, 100U);
	KUNIT_EXPECT_GT(test, short_of_space, 20U);
	KUNIT_EXPECT_GT(test, wipes, 1000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(any_verified_plan_over_any_memory),
	{}
};

static struct kunit_suite suite = {
	.name = "random",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Captures of anything: KUnit suite");
