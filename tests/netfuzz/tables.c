// SPDX-License-Identifier: GPL-2.0
/* Types, dynamic types, plans and filters. */
#include <string.h>

#include "model.h"

#define FRAME_MAX	4096
#define RECORD_MAX	(24U << 10)
#define REFS		256
#define PIECES		128
#define OPS		1024
#define LEAST_OPS	3

static uint32_t ref_size(uint8_t kind)
{
	return kind == GOPROBE_REF_SLICE ? 24 :
	       kind == GOPROBE_REF_STRING || kind == GOPROBE_REF_IFACE ||
	       kind == GOPROBE_REF_EFACE ? 16 : 8;
}

static void make_ref(struct model *m, struct choice *c, struct goprobe_ref *ref, uint32_t size)
{
	bool objects = ref->kind == GOPROBE_REF_SLICE || ref->kind == GOPROBE_REF_ARRAY;

	if (objects || ref->kind == GOPROBE_REF_POINTER)
		/* Also of types that are yet to come. */
		ref->type = choice_below(c, m->ntypes + m->more + 4);
	ref->flags = choice_once_in(c, 4) ? GOPROBE_REF_F_SAME_LEVEL : 0;
	if (objects)
		ref->elements_shift = choice_once_in(c, 4) ? choice_below(c, 16) : 0;
	if (ref->kind != GOPROBE_REF_ARRAY)
		return;
	ref->count = 1 + choice_below(c, GOPROBE_COUNT_MAX);
	ref->count_size = ref->count == GOPROBE_COUNT_FLAGS_LOG2 ? 2 : 1U << choice_below(c, 4);
	ref->count_offset = choice_below(c, size - ref->count_size + 1);
}

/* Wipes of one type; how many. */
static uint32_t make_wipes(struct choice *c, struct goprobe_ref *refs, uint32_t cap, uint32_t size)
{
	uint32_t n = choice_once_in(c, 3) ? choice_below(c, 4) : 0, offset = 0, i;

	for (i = 0; i < n && i < cap; i++) {
		offset += choice_below(c, 12);
		if (offset >= size)
			break;
		refs[i] = (struct goprobe_ref){ .offset = offset, .kind = GOPROBE_REF_WIPE,
						.count_offset = choice_from(c, 1, size - offset) };
		offset += refs[i].count_offset;
	}
	return i;
}

/* References of one type, from @refs on; how many. */
static uint32_t make_refs(struct model *m, struct choice *c, struct goprobe_ref *refs,
			  uint32_t cap, uint32_t size)
{
	uint32_t n = choice_below(c, 8), offset = 0, same = 0, i;

	for (i = 0; i < n && i < cap; i++) {
		uint8_t kind = 1 + choice_below(c, GOPROBE_REF_FUNC);
		uint32_t step = choice_below(c, 4) * 8;

		same = step && i ? 1 : same + 1;
		offset += i ? step : 0;
		if (same > 4) {
			offset += 8;
			same = 1;
		}
		if (offset + ref_size(kind) > size)
			break;
		refs[i] = (struct goprobe_ref){ .offset = offset, .kind = kind };
		make_ref(m, c, &refs[i], size);
	}
	return i + make_wipes(c, refs + i, cap - i, size);
}

static uint32_t some_size(struct choice *c)
{
	switch (choice_below(c, 8)) {
	case 0:
		return choice_below(c, 65536);
	case 1:
		return choice_below(c, 256);
	case 2:
		return 8;
	default:
		return 8 * choice_below(c, 24);
	}
}

void model_types(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t n = 1 + choice_below(c, 8), nrefs = 0, i;
	struct goprobe_type types[8];
	struct goprobe_ref refs[REFS];

	m->more = n;
	for (i = 0; i < n; i++) {
		types[i] = (struct goprobe_type){ .size = some_size(c), .ref = nrefs };
		types[i].nrefs = make_refs(m, c, refs + nrefs, REFS - nrefs, types[i].size);
		nrefs += types[i].nrefs;
		m->more_value[i] = types[i].size;
	}
	wire_begin(msg, GOPROBE_CMD_TYPES_ADD);
	wire_put(msg, GOPROBE_A_TYPES, types, n * sizeof(*types));
	if (nrefs || choice_once_in(c, 2))
		wire_put(msg, GOPROBE_A_REFS, refs, nrefs * sizeof(*refs));
}

void model_dynamic(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t n = choice_below(c, 12), i;
	struct goprobe_dynamic d[12];

	for (i = 0; i < n; i++) {
		d[i] = (struct goprobe_dynamic){
			.address = choice_below(c, 8) ?
				   m->address[choice_below(c, MODEL_ADDRESSES)] :
				   choice_word(c) | 1,
			.type = choice_below(c, m->ntypes ?: 1),
		};
		/* Of 8 bytes, which may hold more than one word's reference all the same. */
		if (d[i].type < m->ntypes && m->type_size[d[i].type] == 8 && choice_below(c, 2))
			d[i].flags = GOPROBE_DYNAMIC_F_DIRECT;
	}
	wire_begin(msg, GOPROBE_CMD_DYNAMIC_ADD);
	wire_put_u32(msg, GOPROBE_A_FILE, choice_below(c, m->nfiles ?: 1));
	wire_put(msg, GOPROBE_A_DYNAMIC, d, n * sizeof(*d));
}

static void make_piece(struct model *m, struct choice *c, struct goprobe_piece *p, uint32_t frame)
{
	p->source = 1 + choice_below(c, GOPROBE_FROM_MAX);
	switch (p->source) {
	case GOPROBE_FROM_INT_REG:
		p->reg = choice_below(c, 16);
		p->size = choice_below(c, 4) ? 8 : 1U << choice_below(c, 4);
		break;
	case GOPROBE_FROM_FLOAT_REG:
		p->reg = 17 + choice_below(c, 16);
		p->size = 4U << choice_below(c, 3);
		break;
	case GOPROBE_FROM_STACK:
		p->size = choice_from(c, 1, choice_below(c, 4) ? 32 : frame);
		p->offset = choice_below(c, 4) ? 8 * (int)choice_below(c, 32) :
						 (int)choice_below(c, 8192) - 4096;
		break;
	case GOPROBE_FROM_STATIC:
		p->size = choice_from(c, 1, 16);
		p->address = m->address[choice_below(c, MODEL_ADDRESSES)] + choice_below(c, 64);
	}
	if (p->size > frame)
		*p = (struct goprobe_piece){ .source = GOPROBE_FROM_INT_REG, .size = 1 };
	p->frame = choice_below(c, frame - p->size + 1) & (choice_below(c, 8) ? ~7U : ~0U);
}

/* A type that can be a frame; 0 if the table has none; the plan is then refused. */
static uint32_t some_frame(struct model *m, struct choice *c)
{
	uint32_t i, t = 0;

	for (i = 0; i < 8; i++) {
		t = choice_below(c, m->ntypes ?: 1);
		if (t < m->ntypes && m->type_size[t] <= FRAME_MAX)
			break;
	}
	return t;
}

static uint32_t some_number_of_ops(struct choice *c, uint32_t cap)
{
	uint32_t n = choice_once_in(c, 32) ? choice_from(c, 100, OPS) : choice_from(c, 2, 32);

	return n < cap ? n : cap;
}

static void offer(struct model *m, const struct goprobe_op *ops, uint32_t n)
{
	memset(m->offered, 0, sizeof(m->offered));
	for (uint32_t i = 0; i < n; i++)
		m->offered[ops[i].code] = 1;
}

static uint32_t make_program(struct model *m, struct choice *c, struct goprobe_op *ops, uint32_t n,
			     enum program_kind kind, uint32_t frame)
{
	struct program p = {
		.c = c, .ops = ops, .n = n, .kind = kind, .frame = frame, .address = m->address,
		.naddresses = MODEL_ADDRESSES, .ids = m->binaries[0].nfunctions,
		.members = m->members,
	};

	program_make(&p);
	return p.tries;
}

static void limits(struct choice *c, struct goprobe_plan *p, uint32_t fixed, uint32_t frame)
{
	p->string_limit = choice_below(c, choice_below(c, 4) ? 256 : RECORD_MAX + 1);
	p->elements = choice_below(c, choice_below(c, 4) ? 64 : RECORD_MAX + 1);
	p->objects = choice_below(c, choice_below(c, 4) ? 100 : RECORD_MAX / 16 + 1);
	p->bytes = choice_below(c, choice_below(c, 4) ? 2048 : RECORD_MAX - fixed + 1);
	if (p->bytes > RECORD_MAX - fixed)
		p->bytes = RECORD_MAX - fixed;
	p->depth = choice_below(c, choice_below(c, 8) ? 6 : 256);
	if (frame >= 16 && !choice_below(c, 4)) {
		p->stack = choice_below(c, frame / 8 - 1) * 8;
		p->nstack = 1 + choice_below(c, (frame - p->stack) / 8 - 1);
	}
}

void model_plans(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t n = 1 + choice_below(c, 4), npieces = 0, nops = 0, i;
	struct goprobe_piece pieces[PIECES];
	struct goprobe_plan plans[4];
	struct goprobe_op ops[OPS];

	m->more = n;
	for (i = 0; i < n; i++) {
		uint32_t type = some_frame(m, c), frame, tries = 0, fixed, k;

		plans[i] = (struct goprobe_plan){ .type = type, .piece = npieces, .op = nops };
		frame = type < m->ntypes ? m->type_size[type] : 0;
		k = frame ? choice_below(c, PIECES / 4) : 0;
		plans[i].npieces = k;
		memset(pieces + npieces, 0, k * sizeof(*pieces));
		for (; k; k--)
			make_piece(m, c, &pieces[npieces++], frame);
		if (choice_below(c, 4)) {
			plans[i].nops = some_number_of_ops(c, OPS - nops);
			tries = make_program(m, c, ops + nops, plans[i].nops, PROGRAM_PLAN, frame);
			nops += plans[i].nops;
		}
		fixed = sizeof(struct goprobe_record) + ((frame + 7) & ~7U) +
			tries * sizeof(struct goprobe_chunk);
		limits(c, &plans[i], fixed < RECORD_MAX ? fixed : RECORD_MAX, frame);
		m->more_value[i] = type;
		m->more_bytes[i] = fixed + plans[i].bytes;
	}
	offer(m, ops, nops);
	wire_begin(msg, GOPROBE_CMD_PLANS_ADD);
	wire_put(msg, GOPROBE_A_PLANS, plans, n * sizeof(*plans));
	wire_put(msg, GOPROBE_A_PIECES, pieces, npieces * sizeof(*pieces));
	wire_put(msg, GOPROBE_A_OPS, ops, nops * sizeof(*ops));
}

void model_filters(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t n = 1 + choice_below(c, 4), nops = 0, i;
	struct goprobe_filter filters[4];
	struct goprobe_op ops[OPS];

	m->more = n;
	for (i = 0; i < n; i++) {
		enum program_kind kind = PROGRAM_CALL + choice_below(c, m->keys ? 4 : 2);

		if (choice_once_in(c, 8))
			kind = PROGRAM_EDIT;
		filters[i].op = nops;
		/* Each has some, whatever those before it have. */
		filters[i].nops = some_number_of_ops(c, OPS - nops - LEAST_OPS * (n - i)) +
				  LEAST_OPS;
		make_program(m, c, ops + nops, filters[i].nops, kind, 0);
		nops += filters[i].nops;
		m->more_value[i] = kind;
	}
	offer(m, ops, nops);
	wire_begin(msg, GOPROBE_CMD_FILTERS_ADD);
	wire_put(msg, GOPROBE_A_FILTERS, filters, n * sizeof(*filters));
	wire_put(msg, GOPROBE_A_OPS, ops, nops * sizeof(*ops));
}
