// SPDX-License-Identifier: GPL-2.0
/* Reasons for missing values, from tables of types as the module has them. */
#include "plan/not_captured.h"
#include "recs.h"
#include "rows.h"

enum { FRAME, NODE, LAST };

static struct goprobe_ref refs[] = {
	{ .offset = 0, .kind = GOPROBE_REF_POINTER, .type = NODE },
	{ .offset = 8, .kind = GOPROBE_REF_IFACE },
	{ .offset = 0, .kind = GOPROBE_REF_POINTER, .type = LAST },
	{ .offset = 8, .kind = GOPROBE_REF_EFACE },
	{ .offset = 24, .kind = GOPROBE_REF_POINTER, .flags = GOPROBE_REF_F_SAME_LEVEL },
	{ .offset = 32, .kind = GOPROBE_REF_IFACE, .flags = GOPROBE_REF_F_SAME_LEVEL },
};

static struct goprobe_type types[] = {
	[FRAME] = { .size = 32, .ref = 0, .nrefs = 2 },
	[NODE] = { .size = 48, .ref = 2, .nrefs = 4 },
	[LAST] = { .size = 16 },
};

static struct goprobe_plan plans[] = {
	{ .type = FRAME, .depth = 2, .objects = 8 }, { .type = FRAME, .depth = 2 },
};

static const struct plan plan = {
	.o = &plan_defaults, .types = types, .ntypes = N(types), .refs = refs, .nrefs = N(refs),
	.plans = plans, .nplans = N(plans),
};

static const struct gotype t_g = TYPE(STRUCT, "runtime.g", 400);
static const struct gotype p_g = TYPE(POINTER, "*runtime.g", 8, .elem = &t_g);
static const struct gotype t_item = TYPE(STRUCT, "main.Item", 16);
static const struct gotype p_item = TYPE(POINTER, "*main.Item", 8, .elem = &t_item);

#define DEEP "beyond --depth"
#define FRAMED { .type = GOPROBE_TYPE_MISSED }

static const struct row {
	const char *claim;
	struct record_chunk at;
	uint64_t offset;
	const struct gotype *t;
	uint16_t flags;
	uint32_t plan;
	const char *why;
} rows[] = {
	{ "a reference that is followed, to a type that is not known", FRAMED, 0, &p_item, 0, 0,
	  "not followed" },
	{ "a place of the frame that is no reference", FRAMED, 24, &p_item, 0, 0, "not followed" },
	{ "an interface holds a type that is not known", FRAMED, 8, &t_error, 0, 0,
	  "type not known yet" },
	{ "a pointer beyond the last level", FRAMED, 16, &p_item, 0, 0, "type not known yet" },
	{ "a pointer that is never followed", FRAMED, 16, &p_g, 0, 0, "not followed" },
	{ "a record that was full", FRAMED, 0, &p_item, GOPROBE_RECORD_F_BUDGET, 0,
	  "beyond --bytes" },
	{ "a record with all objects", FRAMED, 0, &p_item, GOPROBE_RECORD_F_BUDGET, 1,
	  "beyond --objects" },
	{ "full or not, what is not followed is not", FRAMED, 24, &p_item,
	  GOPROBE_RECORD_F_BUDGET, 0, "not followed" },
	{ "one step before the end", { .type = NODE, .level = 1 }, 8, &t_any, 0, 0,
	  "type not known yet" },
	{ "at the end", { .type = NODE, .level = 2 }, 8, &t_any, 0, 0, DEEP },
	{ "in the second object of a slice", { .type = NODE, .level = 1 }, 48 + 8, &t_any, 0, 0,
	  "type not known yet" },
	{ "at the end, held by an interface", { .type = NODE, .level = 2 }, 16, &p_item, 0, 0,
	  DEEP },
	{ "what is on the same level is no step", { .type = NODE, .level = 2 }, 24, &p_item, 0, 0,
	  "not followed" },
	{ "an interface beyond the last level", { .type = NODE, .level = 2 }, 32, &t_error, 0, 0,
	  "type not known yet" },
	{ "the types of the last level have no references", { .type = LAST, .level = 2 }, 0,
	  &p_item, 0, 0, DEEP },
	{ "the bytes of a string", { .type = GOPROBE_TYPE_BYTES, .level = 1 }, 0, &p_item, 0, 0,
	  NULL },
	{ "a plan that there is not", FRAMED, 0, &p_item, 0, 7, NULL },
};

ROWS(test_why, rows)
{
	const struct row *row = *state;
	const struct record r = { .h = { .flags = row->flags, .plan = row->plan } };
	bool framed = row->at.type == GOPROBE_TYPE_MISSED;
	const char *why =
		not_captured_why(&plan, &r, framed ? NULL : &row->at, row->offset, row->t);

	if (!row->why) {
		assert_null(why);
		return;
	}
	assert_non_null(why);
	assert_string_equal(why, row->why);
	/* Distinguished by its address. */
	assert_int_equal(why == VALUE_DEEP, strcmp(why, DEEP) == 0);
}
