// SPDX-License-Identifier: GPL-2.0
/* Points: those of a function together, of what they need what there is. */
#include <string.h>

#include "model.h"

#define POINTS	64

/* Actions at the hits of one function. */
struct wish {
	enum id_mode mode;
	bool held;
	bool keyed;
	uint32_t plan;
	uint32_t filter[2];	/* of its call, of its ends */
	uint32_t edit;
};

static bool filter_fits(const struct wish *w, uint8_t kind, bool end)
{
	bool ends = kind == PROGRAM_END || kind == PROGRAM_END_KEY;
	bool key = kind == PROGRAM_KEY || kind == PROGRAM_END_KEY;

	if (kind == PROGRAM_EDIT)
		return false;
	if (ends && (!end || w->mode == ID_RECORD || w->mode == ID_COUNT))
		return false;
	return !key || w->mode == ID_COUNT || w->keyed;
}

static uint32_t some_filter(const struct model *m, struct choice *c, const struct wish *w, bool end)
{
	uint32_t f, i;

	if (!m->nfilters || choice_once_in(c, 2))
		return 0;
	for (i = 0; i < 6; i++) {
		f = choice_below(c, m->nfilters);
		if (filter_fits(w, m->filter_kind[f], end))
			return f + 1;
	}
	return 0;
}

static bool makes_key(const struct model *m, uint32_t filter)
{
	uint8_t kind = filter ? m->filter_kind[filter - 1] : PROGRAM_CALL;

	return kind == PROGRAM_KEY || kind == PROGRAM_END_KEY;
}

/* If it is not known what filters there are, one of them might change the program. */
static uint32_t some_edit(const struct model *m, struct choice *c, const struct wish *w)
{
	uint32_t f, i;

	if (!m->nfilters || m->blurred || w->mode == ID_TIME || makes_key(m, w->filter[0]) ||
	    makes_key(m, w->filter[1]))
		return 0;
	for (i = 0; i < 4; i++) {
		f = choice_below(c, m->nfilters);
		if (m->filter_kind[f] == PROGRAM_EDIT)
			return f + 1;
	}
	return 0;
}

static uint32_t some_plan(const struct model *m, struct choice *c, const struct wish *w)
{
	uint32_t p = choice_below(c, m->nplans ?: 1), need;

	if (!m->nplans || choice_once_in(c, 6))
		return GOPROBE_NO_PLAN;
	need = m->plan_bytes[p] + sizeof(uint64_t);
	return w->held && need > m->held ? GOPROBE_NO_PLAN : p;
}

static void make_wish(const struct model *m, struct choice *c, struct wish *w)
{
	*w = (struct wish){ .mode = choice_below(c, ID_MODES), .plan = GOPROBE_NO_PLAN };
	w->held = w->mode == ID_PAIR && m->held && choice_below(c, 2);
	w->keyed = w->mode == ID_TIME && m->keys && choice_below(c, 2);
	w->filter[0] = some_filter(m, c, w, false);
	w->filter[1] = some_filter(m, c, w, true);
	if (w->mode == ID_RECORD || w->mode == ID_PAIR)
		w->plan = some_plan(m, c, w);
	if (choice_once_in(c, 3))
		w->edit = some_edit(m, c, w);
}

static void make_point(struct choice *c, const struct wish *w, const struct place *at,
		       struct goprobe_point *p)
{
	static const uint8_t action[] = {
		[ID_RECORD] = GOPROBE_ACTION_RECORD, [ID_COUNT] = GOPROBE_ACTION_COUNT,
		[ID_TIME] = GOPROBE_ACTION_TIME, [ID_PAIR] = GOPROBE_ACTION_RECORD,
	};
	bool end = at->kind != GOPROBE_POINT_CALL;

	*p = (struct goprobe_point){
		.offset = at->offset, .id = id_of(at->function, w->mode), .plan = w->plan,
		.kind = at->kind, .code_len = at->code_len, .action = action[w->mode],
		.filter = w->filter[end], .edit = w->edit,
	};
	memcpy(p->code, at->code, sizeof(p->code));
	/* The branch of a stack check. */
	if (!end && (p->code[0] == 0x76 || (p->code[0] == 0x0f && p->code[1] == 0x86)))
		p->skip = choice_once_in(c, 16) ? GOPROBE_SKIP_NEVER : GOPROBE_SKIP_IF_BE;
	if (w->mode == ID_PAIR)
		p->flags |= GOPROBE_POINT_F_PAIRED;
	if (w->held && !end)
		p->flags |= GOPROBE_POINT_F_PENDING;
	if (w->keyed)
		p->flags |= GOPROBE_POINT_F_KEYED;
	if (choice_once_in(c, 16))
		p->flags |= GOPROBE_POINT_F_ABI0;
	/* Flags that some modules have, and others refuse. */
	if (choice_once_in(c, 24))
		p->flags |= choice_below(c, 2) ? GOPROBE_POINT_F_UNWOUND : GOPROBE_POINT_F_SPLIT;
	if (choice_once_in(c, 24))
		p->kind = GOPROBE_POINT_AT;
	if (choice_once_in(c, 24)) {
		p->action = choice_below(c, __GOPROBE_ACTION_MAX);
		p->plan = GOPROBE_NO_PLAN;
		p->edit = 0;
	}
	/* Edits write where the stack pointer is. */
	if (choice_once_in(c, 16)) {
		p->sp_adjust = (int)choice_below(c, 4096) - 2048;
		p->edit = 0;
	}
}

/* The module finds its fault only if all points before it are right. */
static void spoil(const struct model *m, struct choice *c, struct goprobe_point *p)
{
	switch (choice_below(c, 13)) {
	case 0:
		p->plan = m->nplans + choice_below(c, 4);
		return;
	case 1:
		p->filter = m->nfilters + 1 + choice_below(c, 4);
		return;
	case 2:
		p->edit = choice_from(c, 1, m->nfilters + 1);
		return;
	case 3:
		p->kind = choice_below(c, 2) ? GOPROBE_POINT_UNSPEC : __GOPROBE_POINT_MAX;
		return;
	case 4:
		p->action = __GOPROBE_ACTION_MAX + choice_below(c, 8);
		return;
	case 5:
		p->flags |= GOPROBE_POINT_F_ALL + 1;
		return;
	case 6:
		p->skip = __GOPROBE_SKIP_MAX + choice_below(c, 8);
		return;
	case 7:
		*(choice_below(c, 3) ? &p->trap : &p->pad[choice_below(c, 2)]) = 1;
		return;
	case 8:
		p->code_len = choice_below(c, 2) ? 0 : GOPROBE_CODE_MAX + 1;
		return;
	case 9:
		/* A part of the file that is not loaded: names of symbols. */
		p->offset = m->binaries[0].size - sizeof(p->code) - choice_below(c, 4096);
		memcpy(p->code, m->binaries[0].data + p->offset, sizeof(p->code));
		return;
	case 10:
		p->offset = choice_word(c) | 1ULL << 62;
		return;
	case 11:
		p->flags |= GOPROBE_POINT_F_PENDING | GOPROBE_POINT_F_KEYED;
		p->pad2 = 1;
		return;
	}
	p->code[choice_below(c, p->code_len)] ^= 1U << choice_below(c, 8);
}

void model_points(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t file = choice_below(c, m->nfiles ?: 1), functions, n = 0, i;
	const struct binary *b = &m->binaries[m->file[file]];
	struct goprobe_point points[POINTS];

	for (functions = 1 + choice_below(c, m->places ? 6 : 3); functions; functions--) {
		uint32_t f = choice_below(c, b->nfunctions);
		struct wish w;

		make_wish(m, c, &w);
		for (i = 0; i < b->nplaces && n < POINTS; i++)
			if (b->places[i].function == f)
				make_point(c, &w, &b->places[i], &points[n++]);
	}
	if (m->places)
		m->places--;
	else
		spoil(m, c, &points[n - 1]);
	wire_begin(msg, GOPROBE_CMD_POINTS_ADD);
	wire_put_u32(msg, GOPROBE_A_FILE, file);
	wire_put(msg, GOPROBE_A_POINTS, points, n * sizeof(*points));
}

void model_points_del(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t ids[16], n = choice_from(c, 1, 16), i;

	for (i = 0; i < n; i++)
		ids[i] = id_of(choice_below(c, m->binaries[0].nfunctions),
			       choice_below(c, ID_MODES));
	wire_begin(msg, GOPROBE_CMD_POINTS_DEL);
	wire_put(msg, GOPROBE_A_IDS, ids, n * sizeof(*ids));
}
