// SPDX-License-Identifier: GPL-2.0
/* goprobectl watch: package variables of a running process, again and again. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "exprc.h"
#include "exprstep.h"
#include "globals.h"
#include "procmem.h"
#include "sigparse.h"
#include "target.h"
#include "varname.h"

static const char help[] =
"Usage: goprobectl watch [OPTION...] -p PID VAR...\n"
"\n"
"Print package variables of a running process, and how fast numbers among them\n"
"change. No breakpoint is set: the process's memory is read while it runs, and\n"
"the module is not needed.\n"
"\n"
"A VAR is a variable with its package, or an expression that begins with one:\n"
"main.counter, http.DefaultClient.Timeout, 'len(main.jobs)', 'main.users[\"ann\"].age'.\n"
"In a program without debug information the type follows: 'main.counter int64'.\n"
"\n"
"  -p, --pid PID          the process\n"
"  -i, --interval TIME    between two lines: 1s, 200ms, 1m (default 1s)\n"
"      --count N          end after N lines\n"
"  -o, --format FORMAT    text or json\n"
"\n"
"Ctrl-C ends it, and so does the end of the process.\n"
"\n"
"Examples:\n"
"  How fast does a program count?\n"
"      goprobectl watch -p 4121 main.counter\n"
"  Once, for another program to read:\n"
"      goprobectl watch -p 4121 --count 1 -o json main.config\n";

/**
 * struct var - a variable, or what is made of it
 * @text: as it was given
 * @c: how to read it
 * @last: its value before, if it is a number
 * @known: @last is there
 */
struct var {
	const char *text;
	struct plan_capture c;
	double last;
	bool known;
};

/**
 * struct watching - a run of the command
 * @pid: argument of -p
 * @interval: ns
 * @count: lines, or 0
 * @json: in JSON
 * @vars: what to watch
 * @nvars: their number
 * @mem: for what is made of them
 * @target: the process
 * @procmem: its memory
 * @globals: reads it
 * @values: shows it
 * @line: the line at hand
 * @last: when the one before was made, CLOCK_MONOTONIC ns, or 0
 */
struct watching {
	const char *pid;
	uint64_t interval;
	uint64_t count;
	bool json;
	struct var *vars;
	size_t nvars;
	struct arena mem;
	struct target target;
	struct procmem procmem;
	struct globals globals;
	struct value_ctx values;
	struct buf line;
	uint64_t last;
};

enum { OPT_COUNT = 256 };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "format", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* --- arguments ------------------------------------------------------------- */

static int parse_option(struct watching *w, int opt, char **argv, struct diag *d)
{
	const struct out_format *format;

	switch (opt) {
	case 'h':
		return CMD_HELP;
	case 'p':
		if (w->pid || strchr(optarg, ',')) {
			diag_set(d, "watch looks at one process");
			return CMD_USAGE;
		}
		w->pid = optarg;
		return target_check_pids(optarg, d) ? CMD_USAGE : CMD_DONE;
	case 'i':
		if (!cmd_parse_duration(optarg, &w->interval) || w->interval < 1000000)
			return cmd_bad_value("--interval", optarg, "a time from 1ms on: 5s, 200ms",
					     d);
		return CMD_DONE;
	case OPT_COUNT:
		if (!cmd_parse_number(optarg, 1, UINT64_MAX, &w->count))
			return cmd_bad_value("--count", optarg, "a number from 1 on", d);
		return CMD_DONE;
	case 'o':
		if (cmd_parse_format(optarg, &format, d))
			return CMD_USAGE;
		w->json = format == &out_json;
		return CMD_DONE;
	default:
		return cmd_bad_option(argv, opt, options, d);
	}
}

static int parse(struct watching *w, int argc, char **argv, struct diag *d)
{
	int opt, code;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":p:i:o:h", options, NULL)) != -1) {
		code = parse_option(w, opt, argv, d);
		if (code)
			return code;
	}
	if (!w->pid) {
		diag_set(d, "no process: give -p PID");
		return CMD_USAGE;
	}
	w->nvars = argc - optind;
	if (!w->nvars) {
		diag_set(d, "no VAR: which variables?");
		return CMD_USAGE;
	}
	w->vars = arena_array(&w->mem, w->nvars, sizeof(*w->vars));
	if (!w->vars) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	for (size_t i = 0; i < w->nvars; i++)
		w->vars[i].text = argv[optind + i];
	return CMD_DONE;
}

/* --- what to read ------------------------------------------------------------ */

/* "main.counter int64" */
static bool is_typed(const struct lex *lx)
{
	return lex_is(lex_peek(lx, 1), '.') && lex_peek(lx, 2)->kind == LEX_NAME &&
	       typexpr_follows(lx, 3);
}

/* Where the program does not tell the type. */
static int typed_variable(struct watching *w, struct lex *lx, struct var *v, struct diag *d)
{
	struct sigparse types = { .bin = w->globals.bin, .mem = &w->mem, .text = v->text };
	struct plan_value *value = arena_alloc(&w->mem, sizeof(*value));
	struct goprobe_piece *piece = arena_alloc(&w->mem, sizeof(*piece));
	const struct lex_token *package = lex_peek(lx, 0), *last = lex_peek(lx, 2);
	char *name = arena_printf(&w->mem, "%s.%s", package->s, last->s);
	const struct typexpr *t;
	struct govar var;
	int found;

	lx->i += 3;
	if (!name || !value || !piece)
		return diag_set(d, "out of memory");
	if (typexpr_parse(lx, &t, d))
		return -1;
	found = varname_find(w->globals.bin, name, &var, d);
	if (!found)
		varname_unknown(w->globals.bin, name, d);
	if (found <= 0) {
		diag_span(d, v->text, package->at, last->at + last->len - package->at);
		return -1;
	}
	*value = (struct plan_value){ .name = name, .type = sigparse_type(&types, t, d) };
	if (!value->type)
		return -1;
	if (value->type->size > PLAN_FRAME_MAX)
		return diag_set(d, "a value of type %s is too large", value->type->name);
	*piece = (struct goprobe_piece){ .source = GOPROBE_FROM_STATIC, .address = var.vaddr,
					 .size = value->type->size };
	v->c = (struct plan_capture){ .values = value, .nvalues = 1, .pieces = piece,
				      .npieces = value->type->size != 0,
				      .size = value->type->size };
	return 0;
}

static int compile(struct watching *w, struct var *v, struct diag *d)
{
	struct exprc_scope scope = { .bin = w->globals.bin, .mem = &w->mem };
	struct expr_list list = { .text = v->text, .n = 1 };
	const struct expr *e;
	struct lex lx;
	bool typed;

	if (lex_scan(&lx, &w->mem, v->text, 0, d))
		return -1;
	typed = is_typed(&lx);
	if (typed ? typed_variable(w, &lx, v, d) : expr_parse(&lx, &e, d))
		return -1;
	if (lex_peek(&lx, 0)->kind != LEX_END)
		return lex_wrong(&lx, lex_peek(&lx, 0), d, "nothing can follow here");
	if (typed)
		return 0;
	list.v = &e;
	return exprc_compile(&scope, &list, &v->c, d);
}

static bool read_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	return procmem_read(ctx, at, to, len);
}

static int set_up(struct watching *w, struct diag *d)
{
	struct globals *g = &w->globals;

	if (target_add_pids(&w->target, w->pid, d))
		return -1;
	g->bin = w->target.bins[0];
	g->read = read_memory;
	g->read_ctx = &w->procmem;
	g->limits = plan_defaults;
	for (size_t i = 0; i < w->nvars; i++)
		if (compile(w, &w->vars[i], d))
			return -1;
	if (procmem_init(&w->procmem, w->target.processes[0].pid, g->bin, d))
		return -1;
	g->bias = w->procmem.bias;
	globals_init(g);
	value_init(&w->values, &g->env);
	return 0;
}

/* --- a line --------------------------------------------------------------------- */

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* The number in it, also in a sync/atomic one; a time's length is none. */
static bool number_of(const struct value_at *at, double *ret)
{
	const struct gotype *t = at->type;
	const uint8_t *p = at->p;
	int64_t i;

	if (t->kind == GOTYPE_STRUCT && strncmp(t->name, "sync/atomic.", 12) == 0 && t->nfields) {
		const struct gofield *last = &t->fields[t->nfields - 1];

		if (last->offset + last->type->size > at->len)
			return false;
		p += last->offset;
		t = last->type;
	}
	if (t->size > at->len || strcmp(t->name, "time.Duration") == 0)
		return false;
	switch (t->kind) {
	case GOTYPE_INT:
	case GOTYPE_UINT:
		if (!value_integer(t, p, &i))
			return false;
		*ret = t->kind == GOTYPE_INT ? (double)i : (double)(uint64_t)i;
		return true;
	case GOTYPE_FLOAT:
		*ret = value_float(p, t->size);
		return isfinite(*ret);
	default:
		return false;
	}
}

/* Change per second; false if there is none to tell. */
static bool rate_of(struct var *v, const struct value_at *at, uint64_t ns, double *ret)
{
	double before = v->last;
	bool known = v->known;

	v->known = at && number_of(at, &v->last);
	if (!known || !v->known || !ns)
		return false;
	*ret = (v->last - before) * 1e9 / ns;
	return true;
}

/* "+12.5/s": one decimal is enough for small ones, none for large ones. */
static void put_rate(struct buf *b, double rate)
{
	char s[64];

	snprintf(s, sizeof(s), fabs(rate) < 100 && rate != rint(rate) ? " (%+.1f/s)" : " (%+.0f/s)",
		 rate);
	buf_str(b, s);
}

static void put_text(struct watching *w, struct var *v, const struct value_at *at, const char *why,
		     uint64_t ns)
{
	struct buf *b = &w->line;
	double rate;

	buf_str(b, "  ");
	buf_str(b, v->c.values[0].name);
	buf_char(b, '=');
	if (why) {
		buf_char(b, '<');
		buf_str(b, why);
		buf_char(b, '>');
	} else {
		value_start(&w->values, b);
		value_text(&w->values, b, at->type, at->p, at->len);
	}
	if (rate_of(v, why ? NULL : at, ns, &rate))
		put_rate(b, rate);
}

static void put_json(struct watching *w, struct var *v, const struct value_at *at, const char *why,
		     uint64_t ns)
{
	const struct plan_value *val = &v->c.values[0];
	const struct gotype *t = !why ? at->type : val->steps ? val->steps->type : val->type;
	struct buf *b = &w->line;
	double rate;

	buf_str(b, b->p[b->len - 1] == '[' ? "{\"name\":" : ",{\"name\":");
	buf_json_str(b, val->name);
	buf_str(b, ",\"type\":");
	buf_json_str(b, t ? value_type_name(t) : "?");
	buf_char(b, ',');
	if (why) {
		buf_str(b, "\"unavailable\":");
		buf_json_str(b, why);
	} else {
		value_start(&w->values, b);
		value_json(&w->values, b, at->type, at->p, at->len);
	}
	if (rate_of(v, why ? NULL : at, ns, &rate)) {
		buf_str(b, ",\"rate\":");
		buf_float(b, rate, sizeof(rate));
	}
	buf_char(b, '}');
}

/* Read a variable and append it to the line. */
static int show(struct watching *w, struct var *v, uint64_t ns)
{
	const struct plan_value *val = &v->c.values[0];
	struct globals *g = &w->globals;
	uint8_t number[8];
	const char *why;

	if (globals_take(g, &v->c))
		return -1;
	value_record(&w->values, &g->rec);
	value_start(&w->values, &w->line);

	struct value_at at = { .type = val->type, .p = g->frame + val->offset,
			       .len = v->c.size - val->offset };

	why = val->unavailable ? val->unavailable : value_missed(&g->rec, 0);
	if (!why && val->steps)
		why = exprsteps_go(val->steps, &w->values, &at, number);
	if (w->json)
		put_json(w, v, &at, why, ns);
	else
		put_text(w, v, &at, why, ns);
	return 0;
}

static void begin_line(struct watching *w, uint64_t real)
{
	struct buf *b = &w->line;
	time_t second = real / 1000000000;
	char clock[16];
	struct tm tm;

	b->len = 0;
	if (w->json) {
		buf_str(b, "{\"kind\":\"watch\",\"pid\":");
		buf_u64(b, w->procmem.pid);
		buf_str(b, ",\"time_ns\":");
		buf_u64(b, real);
		buf_str(b, ",\"values\":[");
		return;
	}
	localtime_r(&second, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	buf_str(b, clock);
	buf_char(b, '.');
	buf_digits(b, real % 1000000000 / 1000000, 3);
}

/* 0; 1 if the process is no more; -1 with @d set. */
static int print_line(struct watching *w, struct diag *d)
{
	uint64_t t = now(CLOCK_MONOTONIC), ns = w->last ? t - w->last : 0;

	w->last = t;
	begin_line(w, now(CLOCK_REALTIME));
	for (size_t i = 0; i < w->nvars; i++)
		if (show(w, &w->vars[i], ns))
			return diag_set(d, "out of memory");
	/* What was read of a process that was ending is not worth showing. */
	if (target_ended(&w->target))
		return 1;
	buf_str(&w->line, w->json ? "]}\n" : "\n");
	if (w->line.failed)
		return diag_set(d, "out of memory");
	if (fwrite(w->line.p, 1, w->line.len, stdout) != w->line.len || fflush(stdout))
		return diag_errno(d, errno, "can't write");
	return 0;
}

/* --- the run ------------------------------------------------------------------------ */

struct waiting {
	int timer;
	int signals;
};

static int open_waiting(struct waiting *f, uint64_t interval, struct diag *d)
{
	struct timespec every = { interval / 1000000000, interval % 1000000000 };
	struct itimerspec when = { .it_interval = every, .it_value = every };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	f->signals = signalfd(-1, &set, SFD_CLOEXEC);
	f->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (f->signals < 0 || f->timer < 0 || timerfd_settime(f->timer, 0, &when, NULL))
		return diag_errno(d, errno, "can't set a timer");
	return 0;
}

static void close_waiting(const struct waiting *f)
{
	if (f->timer >= 0)
		close(f->timer);
	if (f->signals >= 0)
		close(f->signals);
}

/* Until the next line is due: true; false if a signal or the process's end comes first. */
static bool wait_next(struct watching *w, const struct waiting *f, bool *ended)
{
	struct pollfd fds[] = {
		{ .fd = f->timer, .events = POLLIN }, { .fd = f->signals, .events = POLLIN },
		{ .fd = w->target.processes[0].pidfd, .events = POLLIN },
	};
	uint64_t ticks;

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return false;
		*ended = target_ended(&w->target);
		if (fds[1].revents || *ended)
			return false;
		if (fds[0].revents)
			return read(f->timer, &ticks, sizeof(ticks)) == sizeof(ticks);
	}
}

static int watch(struct watching *w, struct diag *d)
{
	struct waiting f = { -1, -1 };
	bool ended = false;
	int err = open_waiting(&f, w->interval, d);

	for (uint64_t n = 0; !err && (!w->count || n < w->count); n++) {
		if (n && !wait_next(w, &f, &ended))
			break;
		err = print_line(w, d);
		if (err > 0) {
			ended = true;
			err = 0;
			break;
		}
	}
	close_waiting(&f);
	if (ended)
		fprintf(stderr, "goprobectl: process %d has ended\n", w->procmem.pid);
	return err ? CMD_FAILED : CMD_DONE;
}

static int run(int argc, char **argv, struct diag *d)
{
	struct watching *w = calloc(1, sizeof(*w));
	int code;

	if (!w) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	w->interval = 1000000000;
	code = parse(w, argc, argv, d);
	if (code == CMD_DONE)
		code = set_up(w, d) ? CMD_FAILED : watch(w, d);
	value_fini(&w->values);
	globals_fini(&w->globals);
	target_fini(&w->target);
	arena_fini(&w->mem);
	buf_fini(&w->line);
	free(w);
	return code;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "print package variables of a process again and again",
	.help = help,
	.run = run,
};
