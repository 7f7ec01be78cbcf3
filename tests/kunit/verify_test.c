// SPDX-License-Identifier: GPL-2.0
/*
 * The trust gate: each of its messages, values on both sides of each
 * limit, sums that overflow; and that what is right passes. Plans and their programs
 * are in verify_plan_test.c.
 */
#include "verify_world.h"

#define RT_PAD		"padding of the runtime description is not 0"
#define RT_REG		"g_reg is not an integer register"
#define RT_TLS		"g_tls is not a multiple of 8"
#define RT_OFFSET	"an offset of the runtime description is not a multiple of 8 below 4096"

static const struct row runtime_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "g only in TLS", NULL, { SET(rt.g_reg, GOPROBE_REG_NONE) } },
	{ "the last integer register", NULL, { SET(rt.g_reg, 15) } },
	{ "one past the integer registers", RT_REG, { SET(rt.g_reg, 16) } },
	{ "a float register", RT_REG, { SET(rt.g_reg, 17) } },
	{ "almost none", RT_REG, { SET(rt.g_reg, 0xfe) } },
	{ "first padding byte", RT_PAD, { SET(rt.pad[0], 1) } },
	{ "second padding byte", RT_PAD, { SET(rt.pad[1], 1) } },
	{ "third padding byte", RT_PAD, { SET(rt.pad[2], 1) } },
	{ "TLS offset not aligned", RT_TLS, { SET(rt.g_tls, -4) } },
	{ "TLS offset far below", NULL, { SET(rt.g_tls, S32_MIN) } },
	{ "TLS offset far above", NULL, { SET(rt.g_tls, S32_MAX - 7) } },
	{ "stack.lo at the last place", NULL, { SET(rt.g_stack_lo, 4088) } },
	{ "stack.lo past it", RT_OFFSET, { SET(rt.g_stack_lo, 4096) } },
	{ "stack.lo not aligned", RT_OFFSET, { SET(rt.g_stack_lo, 4) } },
	{ "stack.lo so large that adding wraps", RT_OFFSET,
	  { SET(rt.g_stack_lo, U32_MAX - 7) } },
	{ "stack.hi past", RT_OFFSET, { SET(rt.g_stack_hi, 4096) } },
	{ "stack.hi not aligned", RT_OFFSET, { SET(rt.g_stack_hi, 9) } },
	{ "goid past", RT_OFFSET, { SET(rt.g_goid, 4096) } },
	{ "goid not aligned", RT_OFFSET, { SET(rt.g_goid, 1) } },
	{ "m past", RT_OFFSET, { SET(rt.g_m, 4096) } },
	{ "m not aligned", RT_OFFSET, { SET(rt.g_m, 2) } },
	{ "curg past", RT_OFFSET, { SET(rt.m_curg, 4096) } },
	{ "curg not aligned", RT_OFFSET, { SET(rt.m_curg, 4) } },
	{ "procid unknown", NULL, { SET(rt.m_procid, 0) } },
	{ "procid past", RT_OFFSET, { SET(rt.m_procid, 4096) } },
	{ "procid not aligned", RT_OFFSET, { SET(rt.m_procid, 4) } },
	{ "all at the last place", NULL,
	  { SET(rt.g_stack_hi, 4088), SET(rt.g_goid, 4088), SET(rt.g_m, 4088),
	    SET(rt.m_curg, 4088), SET(rt.m_procid, 4088) } },
};

KUNIT_ARRAY_PARAM(runtime, runtime_rows, row_desc);

static void runtime_descriptions(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_runtime(&w.rt));
}

#define T_LARGE		"a type is larger than 65535 bytes"
#define T_REFS		"a type's references lie outside the message"
#define T_ORDER		"a type's references are not in rising order"
#define T_SAME		"a type has more than 4 references at one place"
#define R_KIND		"a reference has an unknown kind"
#define R_PAD		"padding of a reference is not 0"
#define R_OUTSIDE	"a reference lies outside its type"
#define R_ALIGN		"a reference's offset is not a multiple of 8"
#define T_NONE		"a message has no types"
#define R_FLAGS		"a reference has unknown flags"
#define R_TYPE		"a reference names a type id above the limit of types"
#define R_SHIFT		"a reference holds too many elements in one object"
#define R_NO_COUNT	"a reference that is no array has a count"
#define R_COUNT		"a reference has an unknown count"
#define R_COUNT_SIZE	"a reference's count is not 1, 2, 4 or 8 bytes"
#define R_COUNT_FLAGS	"a reference's count with flags is not 2 bytes"
#define R_COUNT_AT	"a reference's count lies outside its type"
#define R_NEEDLESS	"a reference that needs no type names one"

static const struct row types_rows[] = {
	{ "right ones pass", NULL, {} },
	{ "none at all", T_NONE, { SET(ntypes, 0), SET(nrefs, 0) } },
	{ "references, but no types", T_NONE, { SET(ntypes, 0) } },
	{ "the largest type", NULL, { SET(types[0].size, 65535) } },
	{ "a type one byte larger", T_LARGE, { SET(types[0].size, 65536) } },
	{ "the largest number", T_LARGE, { SET(types[0].size, U32_MAX) } },
	{ "the last type is looked at as well", T_LARGE, { SET(types[3].size, 65536) } },
	{ "what is behind the types is not", NULL, { SET(types[4].size, 65536) } },
	{ "references end where the message's do", NULL, { SET(types[1].ref, 2) } },
	{ "references begin past the end", T_REFS, { SET(types[1].ref, 4) } },
	{ "one reference too many", T_REFS, { SET(types[1].nrefs, 3) } },
	{ "no references at the end", NULL,
	  { SET(types[1].ref, 4), SET(types[1].nrefs, 0) } },
	{ "no references past the end", T_REFS,
	  { SET(types[1].ref, 5), SET(types[1].nrefs, 0) } },
	{ "more references than there are", T_REFS, { SET(types[0].nrefs, 5) } },
	{ "ref + nrefs wraps to 0", T_REFS, { SET(types[1].ref, U32_MAX) } },
	{ "ref + nrefs wraps into the table", T_REFS,
	  { SET(types[1].ref, U32_MAX), SET(types[1].nrefs, 3) } },
	{ "nrefs so large that ref + nrefs wraps", T_REFS,
	  { SET(types[1].nrefs, U32_MAX) } },
	{ "no references in the message", T_REFS, { SET(nrefs, 0) } },
	{ "two references at one place", NULL, { SET(refs[1].offset, 0) } },
	{ "four references at one place", NULL,
	  { SET(types[0].nrefs, 4), SET(refs[1].offset, 0) } },
	{ "five references at one place", T_SAME,
	  { SET(types[0].nrefs, 5), SET(refs[1].offset, 0), SET(nrefs, 5),
	    SET(refs[4].kind, GOPROBE_REF_FUNC) } },
	{ "five references at two places", NULL,
	  { SET(types[0].nrefs, 5), SET(refs[1].offset, 0), SET(nrefs, 5),
	    SET(refs[4].kind, GOPROBE_REF_FUNC), SET(refs[4].offset, 8) } },
	{ "references in falling order", T_ORDER,
	  { SET(refs[0].offset, 24), SET(refs[1].offset, 16) } },
	{ "one word further is in order", NULL, { SET(refs[1].offset, 8) } },
	{ "one byte further is not aligned", R_ALIGN, { SET(refs[1].offset, 1) } },
	{ "half a word further is not", R_ALIGN, { SET(refs[1].offset, 20) } },
	{ "the last reference is looked at as well", R_ALIGN,
	  { SET(types[2].size, 16), SET(refs[3].offset, 7) } },
	{ "kind 0", R_KIND, { SET(refs[0].kind, GOPROBE_REF_UNSPEC) } },
	{ "kind one past the last", R_KIND, { SET(refs[0].kind, __GOPROBE_REF_MAX) } },
	{ "kind 255", R_KIND, { SET(refs[0].kind, 255) } },
	{ "the one flag", NULL, { SET(refs[1].flags, GOPROBE_REF_F_SAME_LEVEL) } },
	{ "the next flag", R_FLAGS, { SET(refs[1].flags, 2) } },
	{ "first padding byte", R_PAD, { SET(refs[1].pad[0], 1) } },
	{ "second padding byte", R_PAD, { SET(refs[1].pad[1], 1) } },
	{ "third padding byte", R_PAD, { SET(refs[1].pad[2], 0x80) } },
	{ "a string at the end of its type", NULL,
	  { SET(types[0].nrefs, 1), SET(refs[0].offset, 48) } },
	{ "a string across the end", R_OUTSIDE,
	  { SET(types[0].nrefs, 1), SET(refs[0].offset, 49) } },
	{ "a slice at the end", NULL, { SET(refs[1].offset, 40) } },
	{ "a slice across the end", R_OUTSIDE, { SET(refs[1].offset, 41) } },
	{ "a pointer at the end", NULL, { SET(refs[2].offset, 16) } },
	{ "a pointer across the end", R_OUTSIDE, { SET(refs[2].offset, 17) } },
	{ "an interface at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 8) } },
	{ "an interface across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 9) } },
	{ "an offset so large that adding wraps", R_OUTSIDE,
	  { SET(refs[1].offset, U32_MAX - 3) } },
	{ "a type too small for any reference", R_OUTSIDE, { SET(types[1].size, 7) } },
	{ "a type of just a pointer", NULL, { SET(types[1].size, 8) } },
	{ "an empty interface at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 8) } },
	{ "an empty interface across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE), SET(refs[2].type, 0),
	    SET(refs[2].offset, 9) } },
	{ "a func at the end", NULL,
	  { SET(refs[2].kind, GOPROBE_REF_FUNC), SET(refs[2].type, 0),
	    SET(refs[2].offset, 16) } },
	{ "a func across the end", R_OUTSIDE,
	  { SET(refs[2].kind, GOPROBE_REF_FUNC), SET(refs[2].type, 0),
	    SET(refs[2].offset, 17) } },
	{ "an array across the end", R_OUTSIDE, { SET(refs[3].offset, 1) } },
	{ "a pointer to its own type", NULL, { SET(refs[2].type, 1) } },
	{ "a pointer to a type that is yet to come", NULL, { SET(refs[2].type, 4) } },
	{ "a slice of a type that is yet to come", NULL, { SET(refs[1].type, 65535) } },
	{ "an array of a type that is yet to come", NULL, { SET(refs[3].type, 65535) } },
	{ "a pointer to a type that can't come", R_TYPE, { SET(refs[2].type, 65536) } },
	{ "a slice of a type that can't come", R_TYPE, { SET(refs[1].type, 65536) } },
	{ "an array of a type that can't come", R_TYPE, { SET(refs[3].type, 65536) } },
	{ "the largest type id", R_TYPE, { SET(refs[2].type, U32_MAX) } },
	{ "the id that stands for itabs", R_TYPE,
	  { SET(refs[2].type, GOPROBE_TYPE_ITAB) } },
	{ "objects of 2^15 elements", NULL, { SET(refs[1].elements_shift, 15) } },
	{ "objects of 2^16 elements", R_SHIFT, { SET(refs[1].elements_shift, 16) } },
	{ "arrays of 2^15 elements", NULL, { SET(refs[3].elements_shift, 15) } },
	{ "arrays of 2^255 elements", R_SHIFT, { SET(refs[3].elements_shift, 255) } },
	{ "a pointer to 2 elements", R_SHIFT, { SET(refs[2].elements_shift, 1) } },
	{ "a string of 2 elements", R_SHIFT, { SET(refs[0].elements_shift, 1) } },
	{ "a string with a count", R_NO_COUNT, { SET(refs[0].count, 1) } },
	{ "a slice with the size of a count", R_NO_COUNT, { SET(refs[1].count_size, 8) } },
	{ "a pointer with a count's offset", R_NO_COUNT, { SET(refs[2].count_offset, 8) } },
	{ "an array that is not counted", R_COUNT,
	  { SET(refs[3].count, GOPROBE_COUNT_NONE) } },
	{ "the last count", NULL, { SET(refs[3].count, GOPROBE_COUNT_MAX) } },
	{ "one past the last count", R_COUNT, { SET(refs[3].count, __GOPROBE_COUNT_MAX) } },
	{ "a count of 0 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 0) } },
	{ "a count of 1 byte", NULL, { SET(refs[3].count_size, 1) } },
	{ "a count of 3 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 3) } },
	{ "a count of 8 bytes", NULL,
	  { SET(refs[3].count_size, 8), SET(refs[3].count_offset, 0) } },
	{ "a count of 16 bytes", R_COUNT_SIZE, { SET(refs[3].count_size, 16) } },
	{ "a count with flags", NULL,
	  { SET(refs[3].count, GOPROBE_COUNT_FLAGS_LOG2), SET(refs[3].count_size, 2) } },
	{ "a count with flags, of 1 byte", R_COUNT_FLAGS,
	  { SET(refs[3].count, GOPROBE_COUNT_FLAGS_LOG2), SET(refs[3].count_size, 1) } },
	{ "a count with flags, of 4 bytes", R_COUNT_FLAGS,
	  { SET(refs[3].count, GOPROBE_COUNT_FLAGS_LOG2), SET(refs[3].count_size, 4) } },
	{ "a count across the end", R_COUNT_AT, { SET(refs[3].count_offset, 5) } },
	{ "a count whose end wraps", R_COUNT_AT, { SET(refs[3].count_offset, U32_MAX - 3) } },
	{ "a string with a type", R_NEEDLESS, { SET(refs[0].type, 1) } },
	{ "an interface with a type", R_NEEDLESS,
	  { SET(refs[2].kind, GOPROBE_REF_IFACE) } },
	{ "an empty interface with a type", R_NEEDLESS,
	  { SET(refs[2].kind, GOPROBE_REF_EFACE) } },
	{ "a func with a type", R_NEEDLESS, { SET(refs[2].kind, GOPROBE_REF_FUNC) } },
};

KUNIT_ARRAY_PARAM(types, types_rows, row_desc);

static void types_and_references(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_types(w.types, w.ntypes, w.refs, w.nrefs));
}

#define W_FIELDS	"a wipe has a type, flags or a count"
#define W_NOTHING	"a wipe clears nothing"
#define W_OUTSIDE	"a wipe lies outside its type"
#define W_ORDER		"a type's wipes overlap, or are not in rising order"
#define W_LAST		"a reference is behind a wipe of its type"
#define WIPE(at, bytes, ...) \
	{ .kind = GOPROBE_REF_WIPE, .offset = (at), .count_offset = (bytes), __VA_ARGS__ }
#define STRING(at)	{ .kind = GOPROBE_REF_STRING, .offset = (at) }

struct wipe_row {
	const char *claim;
	const char *why;
	struct goprobe_ref refs[2];	/* of a type of 64 bytes */
};

static const struct wipe_row wipe_rows[] = {
	{ "a wipe", NULL, { WIPE(16, 24) } },
	{ "a wipe of a byte, not aligned", NULL, { WIPE(63, 1) } },
	{ "a wipe of the whole type", NULL, { WIPE(0, 64) } },
	{ "a wipe of a byte more", W_OUTSIDE, { WIPE(0, 65) } },
	{ "a wipe across the end", W_OUTSIDE, { WIPE(60, 5) } },
	{ "a wipe behind the end", W_OUTSIDE, { WIPE(65, 1) } },
	{ "a wipe whose end wraps", W_OUTSIDE, { WIPE(8, U32_MAX) } },
	{ "a wipe of nothing", W_NOTHING, { WIPE(16, 0) } },
	{ "two wipes side by side", NULL, { WIPE(3, 5), WIPE(8, 1) } },
	{ "two wipes that overlap", W_ORDER, { WIPE(3, 5), WIPE(7, 1) } },
	{ "two wipes in falling order", W_ORDER,
	  { WIPE(8, 1), WIPE(3, 5) } },
	{ "the second wipe is looked at as well", W_OUTSIDE,
	  { WIPE(3, 5), WIPE(60, 5) } },
	{ "a wipe behind a reference, of its words", NULL, { STRING(16), WIPE(0, 32) } },
	{ "a reference behind a wipe", W_LAST, { WIPE(0, 8), STRING(16) } },
	{ "a wipe with a type", W_FIELDS, { WIPE(0, 8, .type = 1) } },
	{ "a wipe with a flag", W_FIELDS, { WIPE(0, 8, .flags = 1) } },
	{ "a wipe with a count", W_FIELDS, { WIPE(0, 8, .count = 1) } },
	{ "a wipe with the size of a count", W_FIELDS, { WIPE(0, 8, .count_size = 1) } },
	{ "a wipe of elements", W_FIELDS, { WIPE(0, 8, .elements_shift = 1) } },
	{ "a wipe with padding", R_PAD, { WIPE(0, 8, .pad = { 0, 1 }) } },
};

static void wipe_desc(const struct wipe_row *row, char *desc)
{
	strscpy(desc, row->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wipe, wipe_rows, wipe_desc);

static void wipes(struct kunit *test)
{
	const struct wipe_row *row = test->param_value;
	const struct goprobe_type type = { .size = 64, .nrefs = row->refs[1].kind ? 2 : 1 };

	KUNIT_EXPECT_STREQ(test, gp_verify_types(&type, 1, row->refs, type.nrefs) ?: "accepted",
			   row->why ?: "accepted");
}

#define D_ADDRESS	"a dynamic type has no address"
#define D_FLAGS		"a dynamic type has unknown flags"
#define D_TYPE		"a dynamic type names a type that does not exist"
#define D_SIZE		"a direct type is not 8 bytes"
#define D_REF		"a direct type refers to other memory by more than one word"
#define DIRECT		SET(dynamic.flags, GOPROBE_DYNAMIC_F_DIRECT)
/* Type 2 with one reference, of that kind. */
#define WORD(k)		{ DIRECT, SET(dynamic.type, 2), SET(refs[3].kind, k) }

static const struct row dynamic_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "no address", D_ADDRESS, { SET(dynamic.address, 0) } },
	{ "any other address", NULL, { SET(dynamic.address, U64_MAX) } },
	{ "the next flag", D_FLAGS, { SET(dynamic.flags, 2) } },
	{ "the last type", NULL, { SET(dynamic.type, 3) } },
	{ "past the last type", D_TYPE, { SET(dynamic.type, 4) } },
	{ "the largest type id", D_TYPE, { SET(dynamic.type, U32_MAX) } },
	{ "no types", D_TYPE, { SET(ntypes, 0), SET(dynamic.type, 0) } },
	{ "a direct word", NULL, { DIRECT, SET(dynamic.type, 2) } },
	{ "a direct word that refers to nothing", NULL,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].nrefs, 0) } },
	{ "a direct pointer", NULL, WORD(GOPROBE_REF_POINTER) },
	{ "a direct func", NULL, WORD(GOPROBE_REF_FUNC) },
	{ "a direct string", D_REF, WORD(GOPROBE_REF_STRING) },
	{ "a direct slice", D_REF, WORD(GOPROBE_REF_SLICE) },
	{ "a direct interface", D_REF, WORD(GOPROBE_REF_IFACE) },
	{ "a direct empty interface", D_REF, WORD(GOPROBE_REF_EFACE) },
	{ "a direct word that is wiped", NULL,
	  { DIRECT, SET(dynamic.type, 2), SET(refs[3].kind, GOPROBE_REF_WIPE),
	    SET(refs[3].type, 0), SET(refs[3].count, 0), SET(refs[3].count_size, 0) } },
	{ "direct, of 24 bytes", D_SIZE, { DIRECT } },
	{ "direct, of nothing", D_SIZE, { DIRECT, SET(dynamic.type, 3) } },
	{ "direct, of 7 bytes", D_SIZE,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].size, 7) } },
	{ "direct, of 9 bytes", D_SIZE,
	  { DIRECT, SET(dynamic.type, 2), SET(types[2].size, 9) } },
};

KUNIT_ARRAY_PARAM(dynamic, dynamic_rows, row_desc);

static void dynamic_types(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct gp_types types;
	struct world w;

	world_make(&w, row);
	world_load(test, &w, &types);
	expect(test, row, gp_verify_dynamic(&w.dynamic, &types));
	gp_types_fini(&types);
}

#define O_KIND		"a point has an unknown kind"
#define O_SKIP		"a point has an unknown skip condition"
#define O_FLAGS		"a point has unknown flags"
#define O_KEYED		"a point is timed by key, but not timed"
#define O_PLAN		"a point names a plan that does not exist"
#define O_CODE		"a point has no code of its instruction"
#define O_FAR		"a point's stack pointer is too far from the one at entry"
#define O_FILTER	"a point names a filter that does not exist"
#define O_EDIT		"a point names an edit that does not exist"
#define O_NO_EDIT	"a point has an edit, but neither records nor counts"
#define O_PAD		"padding of a point is not 0"
#define O_ACTION	"a point has an unknown action"
#define O_NO_RECORD	"a point has a plan, but leaves no record"
#define O_PAIRED	"a point is paired, but leaves no record"
#define O_SELF		"a self-test is paired"
#define O_UNWOUND	"a point is written when unwound, but not pending"
#define O_HELD		"a point is pending, but no paired call"
#define O_SPLIT		"a point has times by state, but is no end of a paired call"
#define NO_PLAN		SET(point.plan, GOPROBE_NO_PLAN)
#define PAIRED		GOPROBE_POINT_F_PAIRED
#define HELD		GOPROBE_POINT_F_PENDING
#define DIVIDED		GOPROBE_POINT_F_SPLIT
#define O_AT		"a point that is neither a call nor an end is timed or paired"
#define O_AT_SKIP	"a point has a skip condition, but is no call"
#define O_JUMP		"a jump is neither at a stack check nor an end of recorded or timed calls"
#define NO_SKIP		SET(point.skip, GOPROBE_SKIP_NEVER)
#define JUMP		SET(point.flags, GOPROBE_POINT_F_JUMP)

static const struct row point_rows[] = {
	{ "a right one passes", NULL, {} },
	{ "a return", NULL, { SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a tail call", NULL, { SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "any place", NULL, { SET(point.kind, GOPROBE_POINT_AT), NO_SKIP } },
	{ "any place, counted", NULL,
	  { SET(point.kind, GOPROBE_POINT_AT), NO_SKIP, NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "any place, timed", O_AT,
	  { SET(point.kind, GOPROBE_POINT_AT), NO_SKIP, NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "any place, paired", O_AT,
	  { SET(point.kind, GOPROBE_POINT_AT), NO_SKIP,
	    SET(point.flags, GOPROBE_POINT_F_PAIRED) } },
	{ "any place, skipped", O_AT_SKIP, { SET(point.kind, GOPROBE_POINT_AT) } },
	{ "kind 0", O_KIND, { SET(point.kind, GOPROBE_POINT_UNSPEC) } },
	{ "kind one past the last", O_KIND, { SET(point.kind, __GOPROBE_POINT_MAX) } },
	{ "kind 255", O_KIND, { SET(point.kind, 255) } },
	{ "never skipped", NULL, { SET(point.skip, GOPROBE_SKIP_NEVER) } },
	{ "skip one past the last", O_SKIP, { SET(point.skip, __GOPROBE_SKIP_MAX) } },
	{ "the one flag", NULL, { SET(point.flags, GOPROBE_POINT_F_ABI0) } },
	{ "the flag behind the last", O_FLAGS, { SET(point.flags, 128) } },
	{ "the highest flag beside the one", O_FLAGS, { SET(point.flags, 0x81) } },
	{ "no plan", NULL, { SET(point.plan, GOPROBE_NO_PLAN) } },
	{ "no plan when there are none", NULL,
	  { SET(point.plan, GOPROBE_NO_PLAN), SET(nplans, 0) } },
	{ "plan 0 when there are none", O_PLAN, { SET(nplans, 0) } },
	{ "past the last plan", O_PLAN, { SET(point.plan, 1) } },
	{ "almost no plan", O_PLAN, { SET(point.plan, GOPROBE_NO_PLAN - 1) } },
	{ "no code", O_CODE, { SET(point.code_len, 0) } },
	{ "one byte of code", NULL, { SET(point.code_len, 1) } },
	{ "all of the code", NULL, { SET(point.code_len, GOPROBE_CODE_MAX) } },
	{ "more code than fits", O_CODE,
	  { SET(point.code_len, GOPROBE_CODE_MAX + 1) } },
	{ "the highest SP", NULL, { SET(point.sp_adjust, 1 << 20) } },
	{ "one byte higher", O_FAR, { SET(point.sp_adjust, (1 << 20) + 1) } },
	{ "the lowest SP", NULL, { SET(point.sp_adjust, -(1 << 20)) } },
	{ "one byte lower", O_FAR, { SET(point.sp_adjust, -(1 << 20) - 1) } },
	{ "the lowest number", O_FAR, { SET(point.sp_adjust, S32_MIN) } },
	{ "the processor has a say", "there is already a breakpoint instruction",
	  { SET(point.code[0], 0xcc) } },
	{ "any id", NULL, { SET(point.id, U32_MAX) } },
	{ "the last action for all", NULL, { SET(point.action, GOPROBE_ACTION_TIME), NO_PLAN } },
	{ "one past it", O_ACTION, { SET(point.action, __GOPROBE_ACTION_MAX), NO_PLAN } },
	{ "counted, with a plan", O_NO_RECORD, { SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "timed, with a plan", O_NO_RECORD, { SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "the first filter", NULL, { SET(point.filter, 1) } },
	{ "the last filter", NULL, { SET(point.filter, 2) } },
	{ "past the last filter", O_FILTER, { SET(point.filter, 3) } },
	{ "the largest filter", O_FILTER, { SET(point.filter, U32_MAX) } },
	{ "a filter when there are none", O_FILTER, { SET(point.filter, 1), SET(nfilters, 0) } },
	{ "the last edit", NULL, { SET(point.edit, 2) } },
	{ "past the last edit", O_EDIT, { SET(point.edit, 3) } },
	{ "counted, with an edit", NULL,
	  { SET(point.edit, 1), NO_PLAN, SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "timed, with an edit", O_NO_EDIT,
	  { SET(point.edit, 1), NO_PLAN, SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a reason of traps", O_PAD, { SET(point.trap, 1) } },
	{ "first padding byte", O_PAD, { SET(point.pad[0], 1) } },
	{ "last padding byte", O_PAD, { SET(point.pad[1], 1) } },
	{ "padding at the end", O_PAD, { SET(point.pad2, 1) } },
	{ "a call that is paired", NULL, { SET(point.flags, PAIRED) } },
	{ "paired, without a plan", NULL, { SET(point.flags, PAIRED), NO_PLAN } },
	{ "a return that is paired", NULL,
	  { SET(point.flags, PAIRED), SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a tail call that is paired", NULL,
	  { SET(point.flags, PAIRED), SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "counted and paired", O_PAIRED,
	  { SET(point.flags, PAIRED), NO_PLAN, SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "timed and paired", O_PAIRED,
	  { SET(point.flags, PAIRED), NO_PLAN, SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a self-test that is paired", O_SELF,
	  { SET(point.flags, PAIRED), SET(point.kind, GOPROBE_POINT_SELF_TEST) } },
	{ "a call that is held", NULL, { SET(point.flags, PAIRED | HELD) } },
	{ "all flags of what is recorded", NULL,
	  { SET(point.flags, GOPROBE_POINT_F_ABI0 | PAIRED | HELD) } },
	{ "recorded, and timed by key", O_KEYED, { SET(point.flags, GOPROBE_POINT_F_KEYED) } },
	{ "counted, and timed by key", O_KEYED,
	  { SET(point.flags, GOPROBE_POINT_F_KEYED), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "timed by key", NULL,
	  { SET(point.flags, GOPROBE_POINT_F_KEYED), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a return that has its time divided", NULL,
	  { SET(point.flags, PAIRED | DIVIDED), SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a tail call that has", NULL,
	  { SET(point.flags, PAIRED | DIVIDED), SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "a call that has", O_SPLIT, { SET(point.flags, PAIRED | DIVIDED) } },
	{ "a return that has, and is not paired", O_SPLIT,
	  { SET(point.flags, DIVIDED), SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "timed, with its time divided", O_SPLIT,
	  { SET(point.flags, DIVIDED), SET(point.kind, GOPROBE_POINT_RETURN), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a call that notifies of states", NULL,
	  { NO_PLAN, SET(point.action, GOPROBE_ACTION_STATE) } },
	{ "any place that notifies of states", NULL,
	  { SET(point.kind, GOPROBE_POINT_AT), SET(point.skip, GOPROBE_SKIP_NEVER), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_STATE) } },
	{ "it notifies of states, with a plan", O_NO_RECORD,
	  { SET(point.action, GOPROBE_ACTION_STATE) } },
	{ "it notifies of states, and is paired", O_PAIRED,
	  { SET(point.flags, PAIRED), NO_PLAN, SET(point.action, GOPROBE_ACTION_STATE) } },
	{ "held, and written when it is unwound", NULL,
	  { SET(point.flags, PAIRED | HELD | GOPROBE_POINT_F_UNWOUND) } },
	{ "written when it is unwound, and not held", O_UNWOUND,
	  { SET(point.flags, PAIRED | GOPROBE_POINT_F_UNWOUND) } },
	{ "held, and not paired", O_HELD, { SET(point.flags, HELD) } },
	{ "a return that is held", O_HELD,
	  { SET(point.flags, PAIRED | HELD), SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a tail call that is held", O_HELD,
	  { SET(point.flags, PAIRED | HELD), SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "timed and held", O_HELD,
	  { SET(point.flags, HELD), NO_PLAN, SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a self-test that is held", O_HELD,
	  { SET(point.flags, HELD), SET(point.kind, GOPROBE_POINT_SELF_TEST) } },
	{ "a jump at a stack check", NULL, { JUMP, SET(point.skip, GOPROBE_SKIP_IF_BE) } },
	{ "a jump at a call without a check", O_JUMP, { JUMP, NO_SKIP } },
	{ "a jump at the end of a recorded call", NULL,
	  { JUMP, NO_SKIP, SET(point.kind, GOPROBE_POINT_RETURN) } },
	{ "a jump at the end of a timed call", NULL,
	  { JUMP, NO_SKIP, SET(point.kind, GOPROBE_POINT_RETURN), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_TIME) } },
	{ "a jump at the end of a counted call", O_JUMP,
	  { JUMP, NO_SKIP, SET(point.kind, GOPROBE_POINT_RETURN), NO_PLAN,
	    SET(point.action, GOPROBE_ACTION_COUNT) } },
	{ "a jump at a tail call", O_JUMP, { JUMP, NO_SKIP, SET(point.kind, GOPROBE_POINT_TAIL) } },
	{ "any offset: the file has the last word", NULL, { SET(point.offset, U64_MAX) } },
};

KUNIT_ARRAY_PARAM(point, point_rows, row_desc);

static void points(struct kunit *test)
{
	const struct row *row = test->param_value;
	struct world w;

	world_make(&w, row);
	expect(test, row, gp_verify_point(&w.point, w.nplans, w.nfilters));
}

/* NULL for "accepted". */
static const char *self_test(u32 change)
{
	struct goprobe_point p = {
		.kind = GOPROBE_POINT_SELF_TEST,
		.plan = GOPROBE_NO_PLAN,
		.code_len = GOPROBE_SELF_TEST_SIZE,
		.code = GOPROBE_SELF_TEST_CODE,
	};

	switch (change) {
	case 1:
		p.plan = 0;
		break;
	case 2:
		p.skip = GOPROBE_SKIP_IF_BE;
		break;
	case 3:
		p.code_len--;
		break;
	case 4:
		p.code_len++;
		break;
	case 5:
		p.code[GOPROBE_SELF_TEST_SIZE - 1] ^= 1;
		break;
	case 6:
		p.filter = 1;
		break;
	case 7:
		p.action = GOPROBE_ACTION_COUNT;
		break;
	}
	return gp_verify_point(&p, 1, 1);
}

static void a_self_test_has_its_code_and_nothing_else(struct kunit *test)
{
	u32 change;

	KUNIT_EXPECT_TRUE(test, !self_test(0));
	for (change = 1; change <= 7; change++)
		KUNIT_EXPECT_TRUE(test, self_test(change));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_self_test_has_its_code_and_nothing_else),
	KUNIT_CASE_PARAM(runtime_descriptions, runtime_gen_params),
	KUNIT_CASE_PARAM(types_and_references, types_gen_params),
	KUNIT_CASE_PARAM(wipes, wipe_gen_params),
	KUNIT_CASE_PARAM(dynamic_types, dynamic_gen_params),
	KUNIT_CASE_PARAM(points, point_gen_params),
	{}
};

static struct kunit_suite suite = { .name = "verify", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Trust gate: KUnit suite");
