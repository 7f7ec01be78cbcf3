// SPDX-License-Identifier: GPL-2.0
/* Stacks of any names, as text, JSON, folded and as a profile that is read back. */
#include "fuzz.h"

#include "export/pprof.h"
#include "output/folded.h"
#include "output/stack_print.h"
#include "unpprof.h"

#define NAMES 8
#define PLACES 12
#define STACKS 10
#define DEPTH 6

static const enum stacks_value types[] = { STACKS_CALLS, STACKS_TIME };

/* All that the stacks are made of. */
struct made {
	char *names[NAMES];
	struct symbols files[2];
	struct gobin_frame frames[PLACES][3];
	struct symbol places[PLACES];
	const struct symbol *on[STACKS][DEPTH];
	struct stacks_label labels[STACKS];
	struct stack stacks[STACKS];
	struct stack *order[STACKS];
	struct stacks all;
};

static const char *name(struct made *m, struct feed *f)
{
	return m->names[feed_u8(f) % NAMES];
}

static void make_place(struct made *m, struct symbol *s, struct gobin_frame *v, struct feed *f)
{
	uint8_t how = feed_u8(f);

	*s = (struct symbol){
		.of = &m->files[how & 1], .pc = feed_u64(f), .frames = v, .n = how >> 1 & 3,
	};
	for (size_t i = 0; i < s->n; i++)
		v[i] = (struct gobin_frame){
			.func = name(m, f), .file = how & 8 ? name(m, f) : NULL,
			.line = feed_u16(f), .start_line = how & 16, .inlined = i + 1 < s->n,
		};
	if (how & 32) {
		v[0].func = NULL;
		v[0].file = NULL;
		s->n = 1;
	}
}

static void make_stack(struct made *m, size_t i, struct feed *f)
{
	struct stack *k = &m->stacks[i];
	uint8_t how = feed_u8(f);

	*k = (struct stack){
		.places = m->on[i], .n = how % (DEPTH + 1), .cut = how & 64,
		.values = { feed_u64(f), feed_u64(f) }, .labels = &m->labels[i],
		.nlabels = how >> 7,
	};
	m->labels[i] = (struct stacks_label){
		.key = name(m, f), .text = how & 32 ? name(m, f) : NULL,
		.number = how & 32 ? 0 : (int64_t)feed_u64(f), .unit = how & 16 ? name(m, f) : NULL,
	};
	for (size_t j = 0; j < k->n; j++)
		m->on[i][j] = &m->places[feed_u8(f) % PLACES];
	m->order[i] = k;
}

static void make(struct made *m, struct feed *f)
{
	for (size_t i = 0; i < NAMES; i++)
		m->names[i] = feed_line(f);
	m->files[0].name = m->names[0];
	for (size_t i = 0; i < PLACES; i++)
		make_place(m, &m->places[i], m->frames[i], f);
	for (size_t i = 0; i < STACKS; i++)
		make_stack(m, i, f);
	m->all = (struct stacks){
		.types = types, .ntypes = 1 + (feed_u8(f) & 1), .v = m->order, .n = STACKS,
	};
}

/* Each line has one space, and a number behind it; they are in order and differ. */
static void check_folded(const struct stacks *s)
{
	struct buf b = { .p = NULL };
	const char *last = NULL;
	size_t nlast = 0;

	folded_put(s, 0, &b);
	for (const char *p = b.p, *end; p && p < b.p + b.len; p = end + 1) {
		const char *space = memchr(p, ' ', b.len - (p - b.p));
		size_t n = space - p;

		end = memchr(p, '\n', b.len - (p - b.p));
		FUZZ_HOLDS(end && space && space > p && space < end);
		FUZZ_HOLDS(strspn(space + 1, "0123456789") == (size_t)(end - space - 1));
		if (last) {
			int d = memcmp(last, p, nlast < n ? nlast : n);

			FUZZ_HOLDS(d < 0 || (!d && nlast < n));
		}
		last = p;
		nlast = n;
	}
	buf_fini(&b);
}

static void check_json(const struct stacks *s)
{
	struct buf b = { .p = NULL };
	size_t lines = 0;

	stack_print_json(s, 0, &b);
	for (const char *p = b.p, *end; p < b.p + b.len; p = end + 1) {
		end = memchr(p, '\n', b.len - (p - b.p));
		FUZZ_HOLDS(end && json_is_valid(p, end - p));
		lines++;
	}
	FUZZ_HOLDS(lines == s->n);
	buf_fini(&b);
}

static void check_text(const struct stacks *s)
{
	struct buf b = { .p = NULL };

	stack_print_text(s, 3, &b);
	for (size_t i = 0; i < b.len; i++)
		FUZZ_HOLDS(b.p[i] == '\n' || ((uint8_t)b.p[i] >= ' ' && b.p[i] != 0x7f));
	buf_fini(&b);
}

static void check_pprof(const struct stacks *s)
{
	struct buf gz = { .p = NULL }, back = { .p = NULL };
	struct buf text = { .p = NULL };
	const struct pprof_about about = { .duration_ns = s->v[0]->values[0] };

	pprof_put(s, &about, &gz);
	FUZZ_HOLDS(!gz.failed);
	FUZZ_HOLDS(unpprof_gunzip((uint8_t *)gz.p, gz.len, &back));
	FUZZ_HOLDS(unpprof((uint8_t *)back.p, back.len, &text));
	buf_fini(&gz);
	buf_fini(&back);
	buf_fini(&text);
}

int fuzz_stacks(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	struct buf text = { .p = NULL };
	struct made *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	/* The reader of the checks takes anything, too. */
	unpprof(data, size < 256 ? size : 256, &text);
	buf_fini(&text);
	make(m, &feed);
	check_folded(&m->all);
	check_json(&m->all);
	check_text(&m->all);
	check_pprof(&m->all);
	stacks_sort(&m->all);
	for (size_t i = 1; i < m->all.n; i++)
		FUZZ_HOLDS(m->order[i - 1]->values[0] >= m->order[i]->values[0]);
	for (size_t i = 0; i < NAMES; i++)
		free(m->names[i]);
	free(m);
	return 0;
}
