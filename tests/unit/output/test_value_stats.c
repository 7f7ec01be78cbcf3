// SPDX-License-Identifier: GPL-2.0
/* Values look right as text and as JSON: rows, and histograms by powers of two and by steps. */
#include "output/stats_print.h"
#include "rows.h"

static const struct gofunc fn = { .name = "main.f" };
static const struct gotype int_type = { .name = "int", .kind = GOTYPE_INT, .size = 8 };
static const struct gotype uint_type = { .name = "uint64", .kind = GOTYPE_UINT, .size = 8 };
static const struct gotype time_type = { .name = "time.Duration", .kind = GOTYPE_INT, .size = 8 };

#define VALUES_MAX 8
#define LEAST INT64_MIN
#define MOST INT64_MAX

static const struct value_case {
	const char *claim;
	const struct gotype *type;
	struct group_by_range range;
	size_t n;
	int64_t values[VALUES_MAX];
	const char *text, *json;
} cases[] = {
	{
		"no value", &int_type, { 0 }, 0, { 0 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         1             -           -           -           -  main.f\n",
		"\"expr\":\"x\",\"type\":\"int\",\"buckets\":[]}\n",
	}, {
		"numbers without a sign", &uint_type, { 0 }, 5, { 0, 1, 3, 5, 7 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         5            16        3.20           0           7  main.f\n"
		"\nmain.f\n"
		"         0          1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
		"         1          1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
		"         2          1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
		"         4          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
		"\"expr\":\"x\",\"type\":\"uint64\",\"sum\":16,\"mean\":3.20,\"min\":0,\"max\":7,\"buckets\":[{\"from\":0,\"calls\":1},{\"from\":1,\"calls\":1},{\"from\":3,\"calls\":1},{\"from\":5,\"calls\":1},{\"from\":7,\"calls\":1}]}\n",
	}, {
		"numbers on both sides of 0", &int_type, { 0 }, 7, { -9, -8, -2, -1, 0, 1, 4 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         7           -15       -2.14          -9           4  main.f\n"
		"\nmain.f\n"
		"       -16          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"        -8          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"        -4          0 |                                        |\n"
		"        -2          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"        -1          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"         0          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"         1          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"         2          0 |                                        |\n"
		"         4          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
		"\"expr\":\"x\",\"type\":\"int\",\"sum\":-15,\"mean\":-2.14,\"min\":-9,\"max\":4,\"buckets\":[{\"from\":-12,\"calls\":1},{\"from\":-8,\"calls\":1},{\"from\":-2,\"calls\":1},{\"from\":-1,\"calls\":1},{\"from\":0,\"calls\":1},{\"from\":1,\"calls\":1},{\"from\":4,\"calls\":1}]}\n",
	}, {
		"the least and the greatest number", &int_type, { 0 }, 2, { LEAST, MOST },
		NULL,
		"\"expr\":\"x\",\"type\":\"int\",\"sum\":-1,\"mean\":-0.50,\"min\":-9223372036854775808,\"max\":9223372036854775807,\"buckets\":[{\"from\":-9223372036854775808,\"calls\":1},{\"from\":6917529027641081856,\"calls\":1}]}\n",
	}, {
		"a sum that 64 bits cannot hold", &int_type, { 0 }, 2, { MOST, MOST },
		NULL,
		"\"expr\":\"x\",\"type\":\"int\",\"sum_overflow\":true,\"min\":9223372036854775807,\"max\":9223372036854775807,\"buckets\":[{\"from\":6917529027641081856,\"calls\":2}]}\n",
	}, {
		"a negative one", &int_type, { 0 }, 3, { LEAST, -1, 0 },
		NULL,
		"\"expr\":\"x\",\"type\":\"int\",\"sum_overflow\":true,\"min\":-9223372036854775808,\"max\":0,\"buckets\":[{\"from\":-9223372036854775808,\"calls\":1},{\"from\":-1,\"calls\":1},{\"from\":0,\"calls\":1}]}\n",
	}, {
		"one without a sign", &uint_type, { 0 }, 2, { -1, -1 },
		NULL,
		"\"expr\":\"x\",\"type\":\"uint64\",\"sum_overflow\":true,\"min\":18446744073709551615,\"max\":18446744073709551615,\"buckets\":[{\"from\":16140901064495857664,\"calls\":2}]}\n",
	}, {
		"the greatest number without a sign", &uint_type, { 0 }, 1, { -1 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         1 18446744073709551615 18446744073709551615.00 18446744073709551615 18446744073709551615  main.f\n"
		"\nmain.f\n"
		" 9223372036854775808          1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n",
		NULL,
	}, {
		"durations", &time_type, { 0 }, 2, { 1500, -3000000000 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         2        -2.99s      -1.49s      -3.00s      1.50us  main.f\n",
		NULL,
	}, {
		"steps", &int_type, { .low = -10, .high = 20, .step = 10, .n = 3 }, 7,
		{ -11, -10, -1, 0, 19, 20, LEAST / 2 },
		"     CALLS           SUM        MEAN         MIN         MAX  FUNCTION\n"
		"         7 -4611686018427387887 -658812288346769698.12 -4611686018427387904          20  main.f\n"
		"\nmain.f\n"
		"     < -10          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"       -10          2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|\n"
		"         0          1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
		"        10          1 |@@@@@@@@@@@@@@@@@@@@                    |\n"
		"        20          1 |@@@@@@@@@@@@@@@@@@@@                    |\n",
		"\"expr\":\"x\",\"type\":\"int\",\"sum\":-4611686018427387887,\"mean\":-658812288346769698.12,\"min\":-4611686018427387904,\"max\":20,\"buckets\":[{\"below\":-10,\"calls\":2},{\"from\":-10,\"calls\":2},{\"from\":0,\"calls\":1},{\"from\":10,\"calls\":1},{\"from\":20,\"calls\":1}]}\n",
	},
};

/* As goprobe.h has it: @bits for each power of two. */
static unsigned int log_bucket(uint64_t n, unsigned int bits)
{
	unsigned int top = n ? 63 - __builtin_clzll(n) : 0;

	if (n < 1ULL << bits)
		return n;
	return ((top - bits + 1) << bits) + (n >> (top - bits) & ((1U << bits) - 1));
}

static unsigned int bucket_of(const struct group_by_value *v, int64_t x)
{
	const struct group_by_range *r = &v->range;

	if (r->step)
		return x < r->low ? 0 : x >= r->high ? r->n + 1 : (x - r->low) / r->step + 1;
	if (!v->is_signed)
		return log_bucket(x, 2);
	return x < 0 ? 125 - log_bucket(~x, 1) : 126 + log_bucket(x, 1);
}

static void count(const struct value_case *c, const struct group_by_value *v, struct tallies *t)
{
	uint64_t buckets[GOPROBE_BUCKETS] = { 0 };
	struct goprobe_tally tally = {
		.hits = c->n ?: 1, .min = UINT64_MAX, .nbuckets = GOPROBE_BUCKETS,
	};

	for (size_t i = 0; i < c->n; i++) {
		uint64_t x = c->values[i], rank = v->is_signed ? x ^ 1ULL << 63 : x;

		buckets[bucket_of(v, x)]++;
		tally.sum += x;
		tally.min = rank < tally.min ? rank : tally.min;
		tally.max = rank > tally.max ? rank : tally.max;
	}
	assert_int_equal(tallies_init(t, 1), 0);
	t->v[0].value = v;
	tallies_add(t, &tally, buckets);
	tallies_sort(t, TALLIES_BY_CALLS);
}

static void expect(const struct stats_print *s, const struct tallies *t, const char *want)
{
	struct buf b = { 0 };
	const char *got;

	stats_print_table(s, t, &(struct stats_print_when){ 0 }, &b);
	buf_char(&b, 0);
	assert_false(b.failed);
	got = s->json ? strstr(b.p, "\"expr\"") : b.p;
	assert_non_null(got);
	assert_string_equal(got, want);
	buf_fini(&b);
}

ROWS(test_value, cases)
{
	const struct value_case *c = *state;
	const struct group_by key = { .value = {
		.name = "x", .type = c->type, .is_signed = c->type->kind == GOTYPE_INT,
		.range = c->range,
	} };
	struct plan_func pf = { .fn = &fn, .key = &key }, *list[] = { &pf };
	const struct plan plan = { .o = &plan_defaults, .funcs = list, .nfuncs = 1 };
	struct stats_print s = { .plan = &plan, .valued = true, .histogram = true };
	struct tallies t;

	count(c, &key.value, &t);
	if (c->type == &time_type)
		s.histogram = false;
	if (c->text)
		expect(&s, &t, c->text);
	s.json = true;
	if (c->json)
		expect(&s, &t, c->json);
	tallies_fini(&t);
}
