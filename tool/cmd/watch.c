// SPDX-License-Identifier: GPL-2.0
/* goprobectl watch: package variables of a running process, again and again. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "eval/process.h"
#include "eval/watchvar.h"
#include "output/screen.h"

static const char about[] =
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
"watch ends with the process, too. Where some can't be read, the others are, and the\n"
"exit status is 1.\n";

static const char examples[] =
"Examples:\n"
"  How fast does a program count?\n"
"      goprobectl watch -p 4121 main.counter\n"
"  Once, for another program to read:\n"
"      goprobectl watch -p 4121 --count 1 -o json main.config\n";

/* A run of the command. */
struct watching {
	bool json;		/* in JSON */
	struct watchvar_list vars;	/* what to watch */
	struct arena mem;	/* for what is made of them */
	struct eval_process look;	/* the process */
	struct buf line;	/* the line at hand */
	uint64_t last;		/* when the one before was made, CLOCK_MONOTONIC ns, or 0 */
};

/* --- a line --------------------------------------------------------------------- */

static void begin_line(struct watching *w, uint64_t real)
{
	struct buf *b = &w->line;

	b->len = 0;
	if (w->json) {
		json_line(b, "watch");
		json_u64(b, "pid", w->look.procmem.pid);
		json_u64(b, "time_ns", real);
		json_raw(b, "values", "[");
		return;
	}
	screen_time(b, real, 3);
}

/* 0; 1 if the process is no more, or who reads the lines; -1 with @d set. */
static int print_line(struct watching *w, struct diag *d)
{
	uint64_t t = clock_now(CLOCK_MONOTONIC), ns = w->last ? t - w->last : 0;

	w->last = t;
	begin_line(w, clock_now(CLOCK_REALTIME));
	for (size_t i = 0; i < w->vars.n; i++) {
		if (watchvar_put(&w->vars.v[i], &w->look.eval, &w->look.values, &w->line,
				 w->json, ns))
			return diag_set(d, "out of memory");
	}
	/* What was read of a process that was ending is not worth showing. */
	if (target_ended(&w->look.target))
		return 1;
	if (w->json) {
		buf_char(&w->line, ']');
		watchvar_list_json(&w->vars, &w->line);
		buf_char(&w->line, '}');
	} else {
		screen_fit(&w->line, 0, NULL, 0);
	}
	buf_char(&w->line, '\n');
	return writing_buf(STDOUT_FILENO, &w->line, d);
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

/* Until the next line is due: true; false if a signal, the process's end or @end comes first. */
static bool wait_next(struct watching *w, const struct waiting *f, uint64_t end, bool *ended)
{
	struct pollfd fds[] = {
		{ .fd = f->timer, .events = POLLIN }, { .fd = f->signals, .events = POLLIN },
		{ .fd = w->look.target.processes[0].pidfd, .events = POLLIN },
	};
	uint64_t ticks;

	for (;;) {
		uint64_t now = clock_now(CLOCK_MONOTONIC), left = end > now ? end - now : 0;
		/* A day is short enough for poll(). */
		int ms = left < 86400000 * CLOCK_MS ?
			 (int)((left + CLOCK_MS - 1) / CLOCK_MS) : 86400000;

		if (poll(fds, 3, ms) < 0 && errno != EINTR)
			return false;
		*ended = target_ended(&w->look.target);
		if (fds[1].revents || *ended || clock_now(CLOCK_MONOTONIC) >= end)
			return false;
		if (fds[0].revents)
			return read(f->timer, &ticks, sizeof(ticks)) == sizeof(ticks);
	}
}

static int watch(struct watching *w, const struct options *o, struct diag *d)
{
	struct waiting f = { -1, -1 };
	struct buf b = { 0 };
	uint64_t end = o->duration ? clock_now(CLOCK_MONOTONIC) + o->duration : UINT64_MAX;
	bool ended = false;
	int err = open_waiting(&f, o->interval, d);

	for (uint64_t n = 0; !err && (!o->lines || n < o->lines); n++) {
		if (n && !wait_next(w, &f, end, &ended))
			break;
		err = print_line(w, d);
		if (err > 0) {
			ended = target_ended(&w->look.target);
			err = 0;
			break;
		}
	}
	close_waiting(&f);
	if (ended) {
		target_put_ended(&w->look.target, &b);
		fprintf(stderr, "%.*s\n", (int)b.len, b.p);
	}
	buf_fini(&b);
	return err || w->vars.nwrong ? CMD_FAILED : CMD_DONE;
}

static int set_up(struct watching *w, const struct options *o, struct diag *d)
{
	struct expr_scope scope = { .secrets = &o->plan.secrets, .mem = &w->mem };
	struct diag others = { 0 };
	int err;

	if (eval_process_open(&w->look, &o->pids, d))
		return -1;
	if (!eval_process_is_clear(&w->look, &others))
		diag_print(&others, "goprobectl", stderr);
	diag_fini(&others);
	w->look.values.full = o->screen.full;
	w->look.eval.limits.secrets = o->plan.secrets;
	scope.bin = w->look.eval.bin;
	err = watchvar_list_compile(&w->vars, o->operands, o->noperands, &scope, d);
	watchvar_list_print(&w->vars, stderr);
	return err;
}

static int run(struct options *o, struct diag *d)
{
	struct watching w = { .json = o->format == OPTION_JSON, .look.file = o->file };
	int code = set_up(&w, o, d) ? CMD_FAILED : watch(&w, o, d);

	watchvar_list_fini(&w.vars);
	eval_process_fini(&w.look);
	arena_fini(&w.mem);
	buf_fini(&w.line);
	return code;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "print package variables of a process again and again",
	.command = COMMAND_WATCH,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_TEXTS,
	.missing = "no VAR: which variables?",
	.run = run,
};
