// SPDX-License-Identifier: GPL-2.0
/* goprobectl top: a live table of functions on the terminal. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/plain.h"
#include "cmd/counting.h"
#include "cmd/child_output.h"
#include "cmd/cmd.h"
#include "cmd/terminal.h"
#include "cmd/top_rows.h"
#include "output/row.h"
#include "output/stats_print.h"

/* The smallest terminal that shows something. */
#define COLUMNS_MIN 40
#define LINES_MIN 5
/* Lines above and below the rows. */
#define FRAME_LINES 3
/* Of the page of a function: how long stacks are counted, and how many slow calls are shown. */
#define CALLERS_TIME "3s"
#define CALLERS_TOP "5"
#define SLOW_CALLS "20"

static const char about[] =
"Usage: goprobectl top [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl top [OPTION...] -b FILE PATTERN...\n"
"\n"
"Show the functions that a PATTERN names in a table that fills the terminal: calls per\n"
"second, the times within which 50 % and 99 % of the new calls returned, calls that returned\n"
"an error, all calls, and how the rate has changed. The kernel counts and times, as with\n"
"latency. Patterns are those of latency.\n"
"\n"
"Keys: up and down (or k and j), page up and down, home and end select a function. Enter\n"
"shows its callers (stack), and calls that take longer than its P99 (attach); Esc returns.\n"
"s sorts by the next column, p pauses, ? shows the keys, q or Ctrl-C ends.\n";

static const char examples[] =
"Examples:\n"
"  Which functions of a package are called most now, and how long do they take?\n"
"      goprobectl top -p 4121 'shop.*'\n"
"  Only calls that fail?\n"
"      goprobectl top -p 4121 'shop.charge if err != nil'\n";

static const char *const keys[] = {
	"up, k        the function above", "down, j      the function below",
	"page up/down a screen up or down", "home, end    the first, the last function",
	"Enter        its callers and slow calls", "Esc          back to the table",
	"s            sort by the next column", "p            pause, continue",
	"?            these keys, the table", "q, Ctrl-C    end", NULL,
};

enum page { TABLE, FUNCTION, KEYS };

/* A run of the command. */
struct top {
	struct counting c;		/* the session that counts */
	struct tallies tallies;		/* what it has counted */
	/* Hits by id; those of hidden functions are calls that returned an error. */
	uint64_t *errors;
	bool knows_errors;		/* there are such functions */
	struct toprows rows;		/* what is shown of it */
	struct shown_names names;	/* what its functions are called */
	uint64_t last;			/* when the tallies were last read */
	enum page page;			/* what is on the screen */
	bool paused;			/* the table stays as it is */
	const char *name;		/* of FUNCTION: the function */
	/* Of FUNCTION: 1 in 100 of its calls, or 1 in 10 of few, took as long, ns; 0: not known. */
	uint64_t slower;
	struct child_output callers;	/* of FUNCTION: goprobectl stack */
	struct child_output slow;		/* of FUNCTION: goprobectl attach */
	size_t skipped;			/* of FUNCTION: lines above the screen */
	struct buf notice;		/* what would have been printed while the screen was open */
};

/* --- the screen -------------------------------------------------------------- */

static void put_line(size_t y, enum terminal_style style, struct buf *b, size_t columns)
{
	screen_shorten(b, 0, columns);
	buf_char(b, 0);
	if (!b->failed)
		terminal_line(y, style, b->p);
	b->len = 0;
}

static void put_text(size_t y, enum terminal_style style, const char *text, size_t columns)
{
	struct buf b = { 0 };

	plain_add(&b, text);
	put_line(y, style, &b, columns);
	buf_fini(&b);
}

static size_t height(void)
{
	size_t lines, columns;

	terminal_size(&lines, &columns);
	return lines > FRAME_LINES ? lines - FRAME_LINES : 0;
}

static void draw_table(struct top *t, size_t columns)
{
	struct toprows *rows = &t->rows;
	struct buf b = { 0 };

	toprows_move(rows, 0, height());
	buf_str(&b, "goprobectl top: ");
	row_count(&b, rows->n, "function");
	buf_number(&b, ", ", rows->norder);
	buf_str(&b, " called");
	if (t->c.run.session.plan->copies.places)
		buf_number(&b, ", inlined places not timed: ",
			   t->c.run.session.plan->copies.places);
	buf_str(&b, "; every ");
	buf_duration(&b, t->c.o->interval);
	if (t->paused)
		buf_str(&b, "; paused");
	put_line(0, TERMINAL_PLAIN, &b, columns);
	toprows_head(&b, rows->by, columns);
	put_line(1, TERMINAL_HEAD, &b, columns);
	for (size_t i = 0; i < height() && rows->first + i < rows->norder; i++) {
		size_t at = rows->first + i;

		toprows_row(&b, &rows->v[rows->order[at]], rows->snapshots, columns);
		put_line(2 + i, at == rows->selected ? TERMINAL_SELECTED : TERMINAL_PLAIN, &b,
			 columns);
	}
	buf_fini(&b);
}

/* What a child has printed, in lines below a head. */
static void put_output(struct buf *b, const char *head, const struct child_output *c)
{
	buf_str(b, head);
	buf_char(b, '\n');
	buf_mem(b, c->text.p, c->text.len);
	if (c->text.len && c->text.p[c->text.len - 1] != '\n')
		buf_char(b, '\n');
	buf_str(b, c->pid ? "  ...\n\n" : c->text.len ? "\n" : "  none\n\n");
}

static void put_function(struct top *t, struct buf *b)
{
	struct buf head = { 0 };

	put_output(b, "CALLERS, counted for " CALLERS_TIME, &t->callers);
	buf_str(&head, "CALLS SLOWER THAN ");
	buf_duration(&head, t->slower);
	buf_char(&head, 0);
	if (t->slower && !head.failed)
		put_output(b, head.p, &t->slow);
	buf_fini(&head);
	buf_char(b, 0);
}

static void draw_function(struct top *t, size_t columns)
{
	struct buf b = { 0 };
	size_t n = 0, space = height() + 1, at = 0;

	put_function(t, &b);
	if (!b.failed) {
		for (const char *p = b.p; *p; p++)
			n += *p == '\n';
		if (t->skipped + space > n)
			t->skipped = n > space ? n - space : 0;
		for (char *line = b.p, *rest; (rest = strchr(line, '\n')); line = rest + 1, at++) {
			*rest = 0;
			if (at >= t->skipped && at < t->skipped + space)
				put_text(1 + at - t->skipped, TERMINAL_PLAIN, line, columns);
		}
	}
	put_text(0, TERMINAL_HEAD, t->name, columns);
	buf_fini(&b);
}

static void draw_keys(size_t columns)
{
	put_text(0, TERMINAL_HEAD, "Keys", columns);
	for (size_t i = 0; keys[i] && i < height() + 1; i++)
		put_text(1 + i, TERMINAL_PLAIN, keys[i], columns);
}

static void draw(struct top *t)
{
	static const char *const foot[] = {
		[TABLE] = "q ends, ? keys, Enter function, s sort, p pause",
		[FUNCTION] = "Esc back, q ends, up and down scroll", [KEYS] = "? or Esc back, q ends",
	};
	size_t lines, columns;

	terminal_size(&lines, &columns);
	terminal_begin();
	if (columns < COLUMNS_MIN || lines < LINES_MIN) {
		put_text(0, TERMINAL_NOTE, "too small: 40 x 5 needed", columns);
	} else {
		if (t->page == TABLE)
			draw_table(t, columns);
		else if (t->page == FUNCTION)
			draw_function(t, columns);
		else
			draw_keys(columns);
		if (t->notice.len)
			put_text(lines - 1, TERMINAL_NOTE, t->notice.p, columns);
		else
			put_text(lines - 1, TERMINAL_PLAIN, foot[t->page], columns);
	}
	terminal_end();
}

/* While the screen is open, a notice is in its last line. */
static void say(void *ctx, const char *text)
{
	struct top *t = ctx;

	if (!terminal_is_open()) {
		session_print(NULL, text);
		return;
	}
	t->notice.len = 0;
	buf_str(&t->notice, text);
	buf_char(&t->notice, 0);
	if (t->notice.failed)
		t->notice.len = 0;
}

/* --- the page of a function -------------------------------------------------- */

static void leave_function(struct top *t)
{
	child_output_end(&t->callers);
	child_output_end(&t->slow);
	t->c.own[1] = -1;
	t->c.own[2] = -1;
	t->page = TABLE;
}

static char **put_option(char **argv, const char *option, const char *value)
{
	if (value) {
		*argv++ = (char *)option;
		*argv++ = (char *)value;
	}
	return argv;
}

/* "-p 4121,4122", "-b FILE": which programs this one traces. */
static char **put_target(const struct options *o, struct buf *pids, char **argv)
{
	for (size_t i = 0; i < o->pids.n; i++)
		buf_number(pids, i ? "," : "", o->pids.v[i]);
	buf_char(pids, 0);
	argv = put_option(argv, "--container", o->wish.container);
	argv = put_option(argv, "--pod", o->wish.pod);
	argv = put_option(argv, "--cgroup", o->wish.group);
	argv = put_option(argv, "-p", o->pids.n && !option_wishes(o) ? pids->p : NULL);
	return put_option(argv, "-b", o->file);
}

/* The last argument is @spec. */
static int start(struct top *t, struct child_output *child, char *const *options, const char *spec,
		 struct diag *d)
{
	char *argv[24] = { "goprobectl" }, **to = argv + 1;
	struct buf pids = { 0 };
	size_t lines, columns;
	int err;

	terminal_size(&lines, &columns);
	while (*options)
		*to++ = *options++;
	to = put_target(t->c.o, &pids, to);
	*to = (char *)spec;
	err = pids.failed ? diag_set(d, "out of memory") :
	      child_output_start(child, argv, columns, &t->c.run.session.interrupt.mask, d);
	buf_fini(&pids);
	return err;
}

static int start_slow(struct top *t, struct diag *d)
{
	static char *const options[] = {
		"attach", "-q", "--color=never", "--events", SLOW_CALLS, NULL
	};
	char *spec;
	int err;

	if (asprintf(&spec, "%s if duration > %lluns", t->name,
		     (unsigned long long)t->slower) < 0)
		return diag_set(d, "out of memory");
	err = start(t, &t->slow, options, spec, d);
	free(spec);
	return err;
}

static int enter_function(struct top *t, struct diag *d)
{
	static char *const options[] = {
		"stack", "-q", "--color=never", "--duration", CALLERS_TIME, "--top", CALLERS_TOP,
		NULL
	};
	const struct toprow *row = toprows_selected(&t->rows);

	if (!row)
		return 0;
	t->page = FUNCTION;
	t->name = row->name;
	/* Of few calls the slowest may stay the only one that slow. */
	t->slower = histogram_quantile_floor(&row->took, row->took.n < 1000 ? 900 : 990);
	t->skipped = 0;
	if (start(t, &t->callers, options, t->name, d) || (t->slower && start_slow(t, d)))
		return -1;
	t->c.own[1] = t->callers.fd;
	t->c.own[2] = t->slow.pid ? t->slow.fd : -1;
	return 0;
}

static void read_function(struct top *t)
{
	child_output_read(&t->callers);
	child_output_read(&t->slow);
	t->c.own[1] = t->callers.pid ? t->callers.fd : -1;
	t->c.own[2] = t->slow.pid ? t->slow.fd : -1;
}

/* --- keys -------------------------------------------------------------------- */

static void scroll(struct top *t, long by)
{
	size_t up = by < 0 ? -by : 0;

	if (t->page == TABLE)
		toprows_move(&t->rows, by, height());
	else if (by < 0)
		t->skipped -= up < t->skipped ? up : t->skipped;
	else
		t->skipped += by;
}

/* Keys that move: by how many rows or lines; 0: another key. */
static long moves(int key)
{
	switch (key) {
	case TERMINAL_UP:
	case 'k':
		return -1;
	case TERMINAL_DOWN:
	case 'j':
		return 1;
	case TERMINAL_PAGE_UP:
		return -(long)height();
	case TERMINAL_PAGE_DOWN:
		return height();
	case TERMINAL_HOME:
		return -INT32_MAX;
	case TERMINAL_END:
		return INT32_MAX;
	default:
		return 0;
	}
}

/* 1: the user ends it. */
static int take_key(struct top *t, int key, struct diag *d)
{
	long by = moves(key);

	if (by)
		scroll(t, by);
	else if (key == 'q')
		return 1;
	else if (key == '?' && t->page != FUNCTION)
		t->page = t->page == KEYS ? TABLE : KEYS;
	else if (key == TERMINAL_ESCAPE && t->page == KEYS)
		t->page = TABLE;
	else if (key == TERMINAL_ESCAPE)
		leave_function(t);
	else if (t->page != TABLE)
		return 0;
	else if (key == 's')
		toprows_sort(&t->rows, (t->rows.by + 1) % TOPROWS_ORDERS);
	else if (key == 'p')
		t->paused = !t->paused;
	else if (key == TERMINAL_ENTER)
		return enter_function(t, d);
	return 0;
}

static int input(struct counting *counting, struct diag *d)
{
	struct top *t = (struct top *)counting;
	int key, over = terminal_hung_up();

	while (!over && (key = terminal_key()) != TERMINAL_NONE) {
		t->notice.len = 0;
		over = take_key(t, key, d);
	}
	if (t->page == FUNCTION)
		read_function(t);
	if (!over)
		draw(t);
	return over;
}

/* --- counting ---------------------------------------------------------------- */

static int set_up(struct counting *counting, struct diag *d)
{
	struct top *t = (struct top *)counting;
	const struct plan *plan;
	size_t n;

	t->c.o->plan.action = GOPROBE_ACTION_TIME;
	t->c.o->plan.errors = true;
	t->c.run.session.say = say;
	t->c.run.session.ctx = t;
	if (counting_set_up(&t->c, d))
		return -1;
	plan = t->c.run.session.plan;
	/* Those that nobody asked for come last. */
	n = plan->nfuncs - plan->naround - plan->nhidden;
	t->errors = calloc(plan->nfuncs + 1, sizeof(*t->errors));
	if (!t->errors || tallies_init(&t->tallies, n) || toprows_init(&t->rows, n))
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++) {
		t->tallies.v[i].ends = plan->funcs[i]->count_ends;
		t->rows.v[i].name = plan_func_name(plan->funcs[i]);
		shown_names_add(&t->names, t->rows.v[i].name);
		if (!plan->funcs[i]->errors)
			continue;
		t->rows.v[i].errors = &t->errors[plan->funcs[i]->errors];
		t->knows_errors = true;
	}
	for (size_t i = 0; i < n; i++)
		t->rows.v[i].shown = shown_names_get(&t->names, t->rows.v[i].name);
	return 0;
}

static int add_tally(void *ctx, const void *item, const uint64_t *buckets)
{
	const struct goprobe_tally *from = item;
	struct top *t = ctx;

	if (from->id < t->c.run.session.plan->nfuncs)
		t->errors[from->id] = from->hits;
	return tallies_add(&t->tallies, from, buckets);
}

static int read_tallies(struct top *t, struct diag *d)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	tallies_begin(&t->tallies);
	if (client_items(t->c.run.session.client, GOPROBE_CMD_TALLIES, add_tally, t, d))
		return -1;
	toprows_add(&t->rows, &t->tallies, now - t->last);
	t->last = now;
	return 0;
}

static int print_end(struct top *t, const struct stats_print_end *end, struct diag *d)
{
	struct stats_print show = { .plan = t->c.run.session.plan, .timed = true };
	uint64_t stats[__GOPROBE_STAT_MAX];
	struct stats_print_end shown = *end;
	struct buf b = { 0 };

	if (read_tallies(t, d))
		return -1;
	memcpy(stats, end->stats, sizeof(stats));
	/* Returns without an error did not pass, either. */
	if (t->knows_errors)
		stats[GOPROBE_STAT_FILTERED] = 0;
	shown.stats = stats;
	tallies_sort(&t->tallies, TALLIES_BY_CALLS);
	stats_print_say(&show, &t->tallies, &shown, &b);
	if (!t->c.o->quiet)
		fprintf(stderr, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
	return 0;
}

/* A counting_cmd.leave. */
static void leave(struct counting *counting)
{
	struct top *t = (struct top *)counting;

	leave_function(t);
	terminal_close();
	/* The screen did not show "^C". */
	t->c.run.session.interrupt.typed = false;
}

static int print(struct counting *counting, const struct stats_print_end *end, struct diag *d)
{
	struct top *t = (struct top *)counting;

	if (t->c.ending)
		return end ? print_end(t, end, d) : 0;
	if (!terminal_is_open()) {
		t->last = t->c.run.started;
		if (terminal_open(screen.colored, d))
			return -1;
	} else if (!t->paused && read_tallies(t, d)) {
		return -1;
	}
	draw(t);
	return 0;
}

static int run(struct options *o, struct diag *d)
{
	const struct counting_cmd cmd = {
		.doing = "timing", .set_up = set_up, .print = print, .input = input,
		.leave = leave,
	};
	struct top t = { .c = { .looks = true, .own = { STDIN_FILENO, -1, -1 } } };
	int code = terminal_check(d) ? CMD_USAGE : counting_run(&t.c, &cmd, o, d);

	leave_function(&t);
	terminal_close();
	counting_fini(&t.c);
	tallies_fini(&t.tallies);
	toprows_fini(&t.rows);
	shown_names_fini(&t.names);
	free(t.errors);
	buf_fini(&t.notice);
	return code;
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "a live table of functions on the terminal",
	.command = COMMAND_TOP,
	.about = about,
	.examples = examples,
	.operands = CMD_CONDITIONS,
	.run = run,
};
