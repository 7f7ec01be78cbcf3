// SPDX-License-Identifier: GPL-2.0
/* value/text.c: SIMD vectors as Go's literals. */
#include <string.h>

#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal

static const struct gotype t_mark128 = TYPE(STRUCT, "simd/archsimd.v128", 0);
static const struct gotype t_ownmark = TYPE(STRUCT, "main.v128", 0);
static const struct gotype t_two = TYPE(ARRAY, "[2]int64", 16, .elem = &t_int64, .count = 2);
static const struct gofield vector_fields[] = {
	{ "int64x2", &t_mark128, 0 }, { "vals", &t_two, 0 },
};

static const struct gotype t_vector =
	TYPE(STRUCT, "simd/archsimd.Int64x2", 16, FIELDS(vector_fields));
static const struct gotype t_vectors =
	TYPE(ARRAY, "[2]simd/archsimd.Int64x2", 32, .elem = &t_vector, .count = 2);
static const struct gofield ownvector_fields[] = {
	{ "int64x2", &t_ownmark, 0 }, { "vals", &t_two, 0 },
};

static const struct gotype t_ownvector = TYPE(STRUCT, "main.Int64x2", 16, FIELDS(ownvector_fields));

TEST(test_vectors, "SIMD vectors as their elements")
{
	recs_begin();
	SAYS(SHOW(&t_vector, 5, -6), "archsimd.Int64x2{5, -6}");
	SAYS(SHOW(&t_vectors, 1, 2, 3, 4), "[2]archsimd.Int64x2{{1, 2}, {3, 4}}");
	SAYS(SHOW(&t_ownvector, 5, -6), "main.Int64x2{int64x2: main.v128{}, vals: [2]int64{5, -6}}");
	SAYS(JSON(&t_vector, 5, -6), "{'int64x2':{},'vals':[5,-6]}");
	recs_ctx.full = true;
	SAYS(SHOW(&t_vector, 5, -6), "archsimd.Int64x2{int64x2: archsimd.v128{}, vals: [2]int64{5, -6}}");
	recs_ctx.full = false;
}
