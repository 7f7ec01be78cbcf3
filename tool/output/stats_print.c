// SPDX-License-Identifier: GPL-2.0
/* What has been counted and timed, as text and as JSON. */
#include "output/state_print.h"
#include "output/stats_print.h"

/* Columns of a duration ("1.23ms"), and of the bar of a histogram. */
#define DURATION_WIDTH 8
#define BAR_WIDTH 40

static const struct {
	const char *name;
	unsigned int permille;
} quantiles[] = { { "p50", 500 }, { "p90", 900 }, { "p99", 990 } };

#define NQUANTILES (sizeof(quantiles) / sizeof(*quantiles))

static const char *name(const struct tallyshow *s, uint32_t id)
{
	return plan_func_name(s->plan->funcs[id]);
}

void tallyshow_names(const struct tallyshow *s, struct goshape_names *names)
{
	for (uint32_t i = 0; i < s->plan->nfuncs; i++)
		goshape_names_add(names, name(s, i));
}

static size_t shown(const struct tallyshow *s, const struct tallies *t)
{
	return s->top && s->top < t->norder ? s->top : t->norder;
}

/* --- text ------------------------------------------------------------ */

static void right(struct buf *b, const char *s, unsigned int width)
{
	size_t n = strlen(s);

	buf_fill(b, ' ', n < width ? width - n : 0);
	buf_str(b, s);
}

static void duration_right(struct buf *b, uint64_t ns)
{
	size_t start = b->len, n;

	buf_duration(b, ns);
	n = b->len - start;
	if (n >= DURATION_WIDTH || !buf_room(b, DURATION_WIDTH - n))
		return;
	memmove(b->p + start + DURATION_WIDTH - n, b->p + start, n);
	memset(b->p + start, ' ', DURATION_WIDTH - n);
	b->len += DURATION_WIDTH - n;
}

void tallyshow_head(const struct tallyshow *s, uint64_t ns, const char *last, struct buf *b)
{
	right(b, "calls", 10);
	if (ns)
		right(b, "per second", 12);
	if (ns)
		right(b, "all", 12);
	if (s->timed) {
		right(b, "sum", DURATION_WIDTH + 2);
		for (size_t i = 0; i < NQUANTILES; i++)
			right(b, quantiles[i].name, DURATION_WIDTH + 2);
		right(b, "max", DURATION_WIDTH + 2);
	}
	buf_str(b, "  ");
	buf_str(b, last);
	buf_char(b, '\n');
}

void tallyshow_line(const struct tallyshow *s, const struct tally *t, const char *what,
		    uint64_t ns, struct buf *b)
{
	buf_u64_right(b, ns ? t->new : t->calls, 10);
	if (ns) {
		buf_u64_right(b, (uint64_t)(t->new * 1e9 / ns + 0.5), 12);
		buf_u64_right(b, t->calls, 12);
	}
	if (s->timed && t->took.n) {
		buf_str(b, "  ");
		duration_right(b, t->took.sum);
		for (size_t i = 0; i < NQUANTILES; i++) {
			buf_str(b, "  ");
			duration_right(b, histogram_quantile(&t->took, quantiles[i].permille));
		}
		buf_str(b, "  ");
		duration_right(b, t->took.max);
	} else if (s->timed) {
		for (size_t i = 0; i < NQUANTILES + 2; i++)
			right(b, "-", DURATION_WIDTH + 2);
	}
	buf_str(b, "  ");
	buf_str(b, what);
	buf_char(b, '\n');
	if (!t->is_split || !t->took.n)
		return;
	buf_fill(b, ' ', 12);
	splitshow_text(t->split, b);
	buf_char(b, '\n');
}

void tallyshow_histogram(const struct tally *t, const char *what, struct buf *b)
{
	uint64_t rows[HISTOGRAM_ROWS], most = 0;
	unsigned int first = HISTOGRAM_ROWS, last = 0;

	if (!t->took.n)
		return;
	histogram_rows(&t->took, rows);
	for (unsigned int r = 0; r < HISTOGRAM_ROWS; r++) {
		if (!rows[r])
			continue;
		first = first < r ? first : r;
		last = r;
		most = rows[r] > most ? rows[r] : most;
	}
	buf_char(b, '\n');
	buf_str(b, what);
	buf_char(b, '\n');
	for (unsigned int r = first; r <= last; r++) {
		unsigned int bar = (unsigned int)((double)rows[r] * BAR_WIDTH / most + 0.5);

		buf_str(b, "  ");
		duration_right(b, histogram_row_from(r));
		buf_u64_right(b, rows[r], 11);
		buf_str(b, " |");
		buf_fill(b, '@', bar);
		buf_fill(b, ' ', BAR_WIDTH - bar);
		buf_str(b, "|\n");
	}
}

static void text_table(const struct tallyshow *s, const struct tallies *t, uint64_t real,
		       uint64_t ns, struct buf *b)
{
	struct goshape_names names = { 0 };
	size_t n = shown(s, t);

	tallyshow_names(s, &names);
	if (ns) {
		buf_time_of_day(b, real);
		buf_char(b, '\n');
	}
	if (n)
		tallyshow_head(s, ns, "function", b);
	for (size_t i = 0; i < n; i++)
		tallyshow_line(s, &t->v[t->order[i]],
			       goshape_names_get(&names, name(s, t->order[i])), ns, b);
	for (size_t i = 0; s->histogram && i < n; i++)
		tallyshow_histogram(&t->v[t->order[i]],
				    goshape_names_get(&names, name(s, t->order[i])), b);
	if (ns)
		buf_char(b, '\n');
	goshape_names_fini(&names);
}

/* --- JSON ------------------------------------------------------------ */

static void json_ends(const struct tally *t, struct buf *b)
{
	buf_number(b, ",\"returned\":", t->took.n);
	buf_number(b, ",\"open\":", tally_open(t));
	buf_number(b, ",\"unwound\":", t->unwound);
	buf_number(b, ",\"gone\":", t->gone);
}

static void json_quantiles(const struct tally *t, struct buf *b)
{
	if (!t->took.n)
		return;
	buf_number(b, ",\"sum_ns\":", t->took.sum);
	buf_number(b, ",\"min_ns\":", t->took.min);
	for (size_t i = 0; i < NQUANTILES; i++) {
		buf_str(b, ",\"");
		buf_str(b, quantiles[i].name);
		buf_number(b, "_ns\":", histogram_quantile(&t->took, quantiles[i].permille));
	}
	buf_number(b, ",\"max_ns\":", t->took.max);
}

static void json_buckets(const struct histogram *h, struct buf *b)
{
	bool any = false;

	buf_str(b, ",\"buckets\":[");
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		buf_number(b, any ? ",{\"from_ns\":" : "{\"from_ns\":", histogram_from(i));
		buf_number(b, ",\"calls\":", h->bucket[i]);
		buf_char(b, '}');
		any = true;
	}
	buf_char(b, ']');
}

void tallyshow_json_calls(const struct tally *t, uint64_t real, uint64_t ns, struct buf *b)
{
	buf_number(b, ",\"time_ns\":", real);
	buf_number(b, ",\"calls\":", t->calls);
	if (ns) {
		buf_number(b, ",\"new\":", t->new);
		buf_number(b, ",\"new_ns\":", ns);
	}
}

void tallyshow_json_times(const struct tallyshow *s, const struct tally *t, struct buf *b)
{
	json_quantiles(t, b);
	if (t->is_split) {
		buf_str(b, ",\"split\":");
		splitshow_json(t->split, b);
	}
	if (s->histogram)
		json_buckets(&t->took, b);
}

static void json_line(const struct tallyshow *s, const struct tally *t, const char *function,
		      uint64_t real, uint64_t ns, struct buf *b)
{
	buf_str(b, s->timed ? "{\"kind\":\"latency\",\"func\":" : "{\"kind\":\"count\",\"func\":");
	buf_json_str(b, function);
	tallyshow_json_calls(t, real, ns, b);
	if (s->timed) {
		json_ends(t, b);
		tallyshow_json_times(s, t, b);
	}
	buf_str(b, "}\n");
}

void tallyshow_table(const struct tallyshow *s, const struct tallies *t, uint64_t real, uint64_t ns,
		     struct buf *b)
{
	size_t n = shown(s, t);

	if (!s->json) {
		text_table(s, t, real, ns, b);
		return;
	}
	for (size_t i = 0; i < n; i++)
		json_line(s, &t->v[t->order[i]], name(s, t->order[i]), real, ns, b);
}

/* --- the end --------------------------------------------------------- */

static uint64_t calls(const struct tallies *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->v[i].calls;
	return n;
}

/* Why calls, or returns, have no duration. */
static const struct {
	enum goprobe_stat stat;
	const char *key;
	const char *text;
} untimed[] = {
	{ GOPROBE_STAT_NO_ROOM, "no_room",
	  "calls that were not timed, because too many were open" },
	{ GOPROBE_STAT_NO_CALL, "no_call",
	  "returns of calls that had begun before, or did not count" },
	{ GOPROBE_STAT_NO_GOROUTINE, "no_goroutine", "hits outside any goroutine" },
};

/* What the conditions, if there are any, left out. */
static const struct {
	enum goprobe_stat stat;
	const char *key;
	const char *text;
} left_out[] = {
	{ GOPROBE_STAT_FILTERED, "filtered", "calls that did not pass the condition" },
	{ GOPROBE_STAT_UNDECIDED, "undecided",
	  "calls with a condition or a key that could not be told" },
};

#define NLEFT_OUT (sizeof(left_out) / sizeof(*left_out))
#define NUNTIMED (sizeof(untimed) / sizeof(*untimed))

void tallyshow_summary(const struct tallyshow *s, const struct tallies *t,
		       const struct tallyshow_end *end, struct buf *b)
{
	buf_str(b, "{\"kind\":\"summary\"");
	buf_number(b, ",\"functions\":", t->n);
	buf_number(b, ",\"called\":", t->norder);
	buf_number(b, ",\"calls\":", calls(t));
	buf_str(b, ",\"seconds\":");
	buf_seconds(b, end->ns);
	for (size_t i = 0; s->timed && i < NUNTIMED; i++) {
		buf_str(b, ",\"");
		buf_str(b, untimed[i].key);
		buf_number(b, "\":", end->stats[untimed[i].stat]);
	}
	for (size_t i = 0; i < NLEFT_OUT; i++) {
		buf_str(b, ",\"");
		buf_str(b, left_out[i].key);
		buf_number(b, "\":", end->stats[left_out[i].stat]);
	}
	if (end->stats[GOPROBE_STAT_NO_MEMBER])
		buf_number(b, ",\"no_member\":", end->stats[GOPROBE_STAT_NO_MEMBER]);
	if (s->keys) {
		buf_number(b, ",\"keys\":", s->keys->called);
		buf_number(b, ",\"no_key\":", end->stats[GOPROBE_STAT_NO_KEY]);
	}
	buf_str(b, "}\n");
}

static void say(struct buf *b, const char *what, uint64_t n)
{
	if (!n)
		return;
	buf_str(b, what);
	buf_str(b, ": ");
	buf_u64(b, n);
	buf_char(b, '\n');
}

void tallyshow_say(const struct tallyshow *s, const struct tallies *t,
		   const struct tallyshow_end *end, struct buf *b)
{
	uint64_t n = calls(t), all;

	buf_u64(b, n);
	buf_str(b, n == 1 ? " call of " : " calls of ");
	buf_u64(b, t->norder);
	buf_str(b, t->norder == 1 ? " function" : " functions");
	if (s->keys)
		buf_number(b, " by ", s->keys->called);
	if (s->keys)
		buf_str(b, s->keys->called == 1 ? " key" : " keys");
	buf_str(b, " in ");
	buf_duration(b, end->ns);
	if (t->norder < t->n) {
		buf_str(b, "; ");
		buf_u64(b, t->n - t->norder);
		buf_str(b, " not called");
	}
	all = s->keys ? s->keys->called : t->norder;
	if (s->top && s->top < all) {
		buf_str(b, "; ");
		buf_u64(b, all - s->top);
		buf_str(b, " not shown");
	}
	buf_char(b, '\n');
	if (s->keys)
		say(b, "calls without a key, because there was no room (--keys N makes more)",
		    end->stats[GOPROBE_STAT_NO_KEY]);
	for (size_t i = 0; i < NLEFT_OUT; i++)
		say(b, left_out[i].text, end->stats[left_out[i].stat]);
	say(b, "goroutines not followed, because too many descend from that of the condition",
	    end->stats[GOPROBE_STAT_NO_MEMBER]);
	for (size_t i = 0; s->timed && i < NUNTIMED; i++)
		say(b, untimed[i].text, end->stats[untimed[i].stat]);
}
