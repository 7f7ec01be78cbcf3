// SPDX-License-Identifier: GPL-2.0
/*
 * value*.c on what no program has: lengths that lie, circles, chunks over one
 * another, types that do not fit. It must end, soon, and with a bounded text.
 */
#include <time.h>

#include "recs.h"
#include "rows.h"

#define HUGE UINT64_MAX
/* The longest time of one argument, under sanitizers on a busy machine. */
#define SECONDS_MAX 20
#define TEXT_MAX (8U << 20)

static const struct gotype t_self = TYPE(SLICE, "main.Self", 24, .elem = &t_self);
static const struct gotype p_self = TYPE(POINTER, "*main.P", 8, .elem = &p_self);
static const struct gotype t_fan;
static const struct gotype p_fan = TYPE(POINTER, "*main.Fan", 8, .elem = &t_fan);
static const struct gotype t_fan_array = TYPE(ARRAY, "[8]*main.Fan", 64, .elem = &p_fan,
					      .count = 8);
static const struct gofield fan_fields[] = { { "To", &t_fan_array, 0 }, { "S", &t_string, 64 } };
static const struct gotype t_fan = TYPE(STRUCT, "main.Fan", 80, FIELDS(fan_fields));

static const struct gomap swiss = {
	.swiss = true, .size = 8 + 8 * 24, .key_at = 8, .key_stride = 24, .elem_at = 16,
	.elem_stride = 24,
};

static const struct gotype t_map = TYPE(MAP, "map[int]any", 8, .key = &t_int, .elem = &t_any,
					.map = &swiss);
static const struct gomap buckets = {
	.size = 8 + 8 * 16 + 8, .key_at = 8, .key_stride = 8, .elem_at = 72, .elem_stride = 8,
	.elem_indirect = true,
};

static const struct gotype t_old = TYPE(MAP, "map[int]string", 8, .key = &t_int,
					.elem = &t_string, .map = &buckets);
static const struct gomap lying = {
	.swiss = true, .size = 24, .key_at = 8, .key_stride = 0xffffffff, .elem_at = 0xfffffff0,
	.elem_stride = 1,
};

static const struct gotype t_lying = TYPE(MAP, "map[int]int", 8, .key = &t_int, .elem = &t_int,
					  .map = &lying);
static const struct gotype t_chan = TYPE(CHAN, "chan any", 8, .elem = &t_any);
static const struct gotype t_func = TYPE(FUNC, "func()", 8);
static const struct gofield closure_fields[] = {
	{ "F", &t_uint64, 0 }, { "&x", &p_fan, 8 }, { "y", &t_any, 16 },
};

static const struct gotype t_closure = TYPE(STRUCT, "main.f", 32, FIELDS(closure_fields));
static const struct gofield context_fields[] = { { "Context", &t_error, 0 } };
static const struct gotype t_context = TYPE(STRUCT, "context.cancelCtx", 16,
					    FIELDS(context_fields));
static const struct gotype p_context = TYPE(POINTER, "*context.cancelCtx", 8, .elem = &t_context);
static const struct gofield wrap_fields[] = { { "cause", &t_error, 0 }, { "msg", &t_string, 16 } };
static const struct gotype t_wrap = TYPE(STRUCT, "github.com/pkg/errors.withMessage", 32,
					  FIELDS(wrap_fields));
static const struct gotype p_wrap = TYPE(POINTER, "*github.com/pkg/errors.withMessage", 8,
					  .elem = &t_wrap);
static const struct gofield sticking_out[] = {
	{ "a", &t_int, 12 }, { "b", NULL, 0 }, { "state", &t_int, HUGE }, { "c", &t_fan, 8 },
};

static const struct gotype t_mutex = TYPE(STRUCT, "sync.Mutex", 16, FIELDS(sticking_out));

static const struct gotype *const all[] = {
	&t_self, &p_self, &p_fan, &t_map, &t_old, &t_lying, &t_chan, &t_func, &t_context,
	&p_context, &t_wrap, &p_wrap, &t_mutex, &t_any, &t_error, &t_string, &t_bytes, &t_strings,
	&t_fan,
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void bounded(const struct gotype *t, const void *p)
{
	double start = now();

	for (int json = 0; json < 2; json++)
		assert_true(strlen(recs_show(t, p, json)) < TEXT_MAX);
	recs_ctx.width = 60;
	assert_true(strlen(recs_show(t, p, false)) < TEXT_MAX);
	recs_ctx.width = 0;
	recs_ctx.no_zero = true;
	assert_true(strlen(recs_show(t, p, false)) < TEXT_MAX);
	recs_ctx.no_zero = false;
	assert_true(now() - start < SECONDS_MAX);
}

#define BOUNDED(t, ...) bounded(t, WORDS(__VA_ARGS__))

TEST(test_lengths, "lengths that lie")
{
	recs_begin();
	PUT(0x100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
	BOUNDED(&t_string, 0x100, HUGE);
	BOUNDED(&t_string, HUGE, HUGE);
	BOUNDED(&t_bytes, 0x100, HUGE, HUGE);
	BOUNDED(&t_strings, 0x100, HUGE / 2, HUGE);
	/* The last bytes there are: the end of the chunk is past all addresses. */
	PUT(HUGE - 7, 5);
	BOUNDED(&t_string, HUGE - 7, 16);
	BOUNDED(&p_self, HUGE - 7);
	/* Maps and channels of impossible sizes. */
	PUT(0x1000, HUGE, 0, 0x1000, HUGE);
	BOUNDED(&t_map, 0x1000);
	PUT(0x1100, HUGE, 0, 0x1000, 1ULL << 60);
	BOUNDED(&t_map, 0x1100);
	PUT(0x1200, HUGE, 0, 0x1208, 1, 0, 0, 0x1000, HUGE);
	BOUNDED(&t_map, 0x1200);
	PUT(0x2000, HUGE, HUGE, 0x100, 0, 0, 0, HUGE - 1, 0x2000, 0, 0x2000, 0);
	BOUNDED(&t_chan, 0x2000);
	recs_go(20);
	PUT(0x3000, HUGE, 0xff00, 0x100, 0x100);
	BOUNDED(&t_old, 0x3000);
	PUT(0x3100, HUGE, 40 << 8, 0x100, 0x100);
	BOUNDED(&t_old, 0x3100);
}

/* Memory in which each word is the address of some word of it. */
static void web(size_t words, uint64_t step)
{
	uint64_t *m = malloc(words * 8);

	for (size_t i = 0; i < words; i++)
		m[i] = 0x10000 + (i * step + 1) % words * 8;
	recs_put(0x10000, m, words * 8);
	free(m);
}

TEST(test_circles, "circles of all kinds")
{
	recs_begin();
	PUT(0x100, 0x100, 2, 2, 0x100, 2, 2);
	BOUNDED(&t_self, 0x100, 2, 2);
	BOUNDED(&p_self, 0x100);
	web(8000, 7);
	for (size_t i = 0; i < N(all); i++)
		BOUNDED(all[i], 0x10000, 0x10040, 0x10080, 0x100c0, 0x10100, 0x10000, 0x10040,
			0x10080, 0x100c0, 0x10100);
	/* An overflow bucket that is its own; a table that lists itself. */
	recs_go(20);
	PUT(0x500, 100, 0, 0x600, 0);
	PUT(0x600, 0x4141414141414141, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0x600);
	BOUNDED(&t_old, 0x500);
	/* Errors and contexts that wrap themselves. */
	recs_itab(0x700, recs_type(&p_wrap, true));
	recs_itab(0x740, recs_type(&p_context, true));
	PUT(0x800, 0x700, 0x800, 0x10000, 5);
	BOUNDED(&t_error, 0x700, 0x800);
	PUT(0x900, 0x740, 0x900);
	BOUNDED(&t_error, 0x740, 0x900);
}

/* A long string that all of many elements share: 60000 times 4096 bytes. */
TEST(test_much_text, "text is bounded, whatever refers to it")
{
	uint64_t *m = malloc(4000 * 16);
	char *s = malloc(60000);

	recs_begin();
	memset(s, 1, 60000);
	recs_put(0x100000, s, 60000);
	for (int i = 0; i < 4000; i++) {
		m[2 * i] = 0x100000;
		m[2 * i + 1] = 60000;
	}
	recs_put(0x200000, m, 4000 * 16);
	BOUNDED(&t_strings, 0x200000, 4000, 4000);
	free(s);
	free(m);
}

static uint64_t random_word(uint64_t *seed)
{
	uint64_t v;

	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	v = *seed >> 33;
	switch (v & 7) {
	case 0:
		return v >> 3 & 15;
	case 1:
		return HUGE - (v >> 3 & 15);
	case 2:
		return RECS_TYPES + 0x40 * (v >> 3 & 15);
	case 3:
		return 0x401000;
	default:
		return 0x10000 + (v >> 3 & 0x3ff) * 8;
	}
}

TEST(test_random, "memory at random")
{
	uint64_t seed = 1;

	for (int round = 0; round < 150; round++) {
		recs_begin();
		recs_go(18 + round % 10);
		recs_func(0x401000, "main.f", &t_closure);
		for (size_t i = 0; i < 16; i++)
			recs_type(all[i % N(all)], i & 1);
		for (int i = 0; i < 40 + round % 50; i++) {
			uint64_t words[64];
			uint64_t at = 0x10000 + (random_word(&seed) & 0x1ff8);

			for (size_t k = 0; k < N(words); k++)
				words[k] = random_word(&seed);
			recs_put(at, words, random_word(&seed) % sizeof(words));
		}
		recs_missing(0x10100, 1, round);
		for (size_t i = 0; i < N(all); i++) {
			uint64_t words[10];

			for (size_t k = 0; k < N(words); k++)
				words[k] = random_word(&seed);
			bounded(all[i], words);
		}
	}
}
