// SPDX-License-Identifier: GPL-2.0
/*
 * Counted and timed calls as OpenMetrics text: https://prometheus.io/docs/specs/om/open_metrics_spec/
 * says what is written. All samples of a metric stand together, so that the items are read once for
 * each metric.
 */
#include "export/openmetrics.h"
#include "output/metric_label.h"

/* Upper ends of buckets are powers of two, less 1 ns: 511 ns to 69 s, the same at all times. */
#define FIRST_ROW 10
#define LAST_ROW 37

struct sample;

/* A metric. */
struct metric {
	const char *name;	/* its name */
	const char *type;	/* its type */
	const char *unit;	/* its unit, or NULL */
	const char *help;	/* what it is */
	const char *number;	/* the number of rows that it is, by its key in JSON; or: */
	bool split;		/* only calls whose time is divided have it */
	/* Its samples of a timed item. */
	void (*put)(const struct sample *s, const struct stats_print_item *item, struct buf *b);
};

/* What all samples of a metric have. */
struct sample {
	const struct metric *m;	/* the metric */
	const struct stats_print *show;	/* how it is shown */
};

/* goprobe_calls_total{host="a",program="shop",pid="12",func="main.foo" */
static void open_sample(const struct sample *s, const char *suffix,
			const struct stats_print_item *item, struct buf *b)
{
	buf_str(b, s->m->name);
	buf_str(b, suffix);
	buf_char(b, '{');
	if (s->show->whose && *s->show->whose) {
		buf_str(b, s->show->whose);
		buf_char(b, ',');
	}
	metriclabel_put(b, "func", item->func, strlen(item->func));
	if (item->key && *item->key) {
		buf_char(b, ',');
		buf_str(b, item->key);
	}
}

static void put_number(const struct sample *s, const char *suffix,
		       const struct stats_print_item *item, uint64_t n, struct buf *b)
{
	open_sample(s, suffix, item, b);
	buf_number(b, "} ", n);
	buf_char(b, '\n');
}

static void put_ns(struct buf *b, uint64_t ns)
{
	buf_u64(b, ns / 1000000000);
	buf_char(b, '.');
	buf_digits(b, ns % 1000000000, 9);
}

static void put_durations(const struct sample *s, const struct stats_print_item *item,
			  struct buf *b)
{
	uint64_t rows[HISTOGRAM_ROWS], calls = 0;

	histogram_rows(&item->tally.took, rows);
	for (unsigned int r = 0; r < LAST_ROW; r++) {
		calls += rows[r];
		if (r + 1 < FIRST_ROW)
			continue;
		open_sample(s, "_bucket", item, b);
		buf_str(b, ",le=\"");
		put_ns(b, histogram_row_from(r + 1) - 1);
		buf_number(b, "\"} ", calls);
		buf_char(b, '\n');
	}
	open_sample(s, "_bucket", item, b);
	buf_number(b, ",le=\"+Inf\"} ", item->tally.took.n);
	buf_char(b, '\n');
	put_number(s, "_count", item, item->tally.took.n, b);
	open_sample(s, "_sum", item, b);
	buf_str(b, "} ");
	put_ns(b, item->tally.took.sum);
	buf_char(b, '\n');
}

static void put_split(const struct sample *s, const struct stats_print_item *item, struct buf *b)
{
	for (int i = 0; item->tally.is_split && i < __GOSTATES_MAX; i++) {
		open_sample(s, "_total", item, b);
		buf_char(b, ',');
		metriclabel_put(b, "state", gostates_names[i], strlen(gostates_names[i]));
		buf_str(b, "} ");
		put_ns(b, item->tally.split[i]);
		buf_char(b, '\n');
	}
}

static const struct metric metrics[] = {
	{ "goprobe_calls", "counter", NULL, "Calls of the function.", .number = "calls" },
	{ "goprobe_calls_unwound", "counter", NULL, "Calls that ended by a panic or Goexit.",
	  .number = "unwound" },
	{ "goprobe_calls_open", "gauge", NULL, "Calls that have not ended.", .number = "open" },
	{ "goprobe_call_duration_seconds", "histogram", "seconds",
	  "Time from call to return, of calls that have returned.", .put = put_durations },
	{ "goprobe_call_state_seconds", "counter", "seconds",
	  "That time by what the goroutine did or waited for.", .split = true,
	  .put = put_split },
};

static void put_line(struct buf *b, const char *what, const struct metric *m, const char *text)
{
	buf_str(b, "# ");
	buf_str(b, what);
	buf_char(b, ' ');
	buf_str(b, m->name);
	buf_char(b, ' ');
	buf_str(b, text);
	buf_char(b, '\n');
}

static void put_metric(const struct sample *s, const struct stats_print_items *items, size_t n,
		       struct buf *b)
{
	const struct metric *m = s->m;
	struct stats_print_item item = { .func = "" };
	bool begun = false;
	uint64_t number;

	for (size_t i = 0; i < n; i++) {
		items->item(items->ctx, i, &item);
		if (m->number ? !stats_print_number(s->show, &item, m->number, &number) :
				!s->show->timed || (m->split && !item.tally.is_split))
			continue;
		if (!begun) {
			put_line(b, "TYPE", m, m->type);
			if (m->unit)
				put_line(b, "UNIT", m, m->unit);
			put_line(b, "HELP", m, m->help);
		}
		begun = true;
		if (m->put)
			m->put(s, &item, b);
		else
			put_number(s, strcmp(m->type, "counter") ? "" : "_total", &item, number,
				   b);
	}
}

void openmetrics_put(const struct stats_print *s, const struct stats_print_when *when,
		     const struct stats_print_items *items, struct buf *b)
{
	size_t n = s->top && s->top < items->n ? s->top : items->n;

	(void)when;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(&(struct sample){ &metrics[i], s }, items, n, b);
	buf_str(b, "# EOF\n");
}

/* Unless @value is empty. */
static void put_whose(const char *name, const char *value, size_t n, struct buf *b)
{
	if (!n)
		return;
	if (b->len)
		buf_char(b, ',');
	metriclabel_put(b, name, value, n);
}

void openmetrics_whose(const struct openmetrics_whose *w, struct buf *b)
{
	put_whose("host", w->host.p, w->host.len, b);
	put_whose("program", w->programs.p, w->programs.len, b);
	put_whose("pid", w->pids.p, w->pids.len, b);
	put_whose("container", w->container, w->container ? strlen(w->container) : 0, b);
	put_whose("pod", w->pod, w->pod ? strlen(w->pod) : 0, b);
	buf_char(b, 0);
	b->failed |= w->host.failed || w->programs.failed || w->pids.failed;
}
