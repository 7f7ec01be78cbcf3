// SPDX-License-Identifier: GPL-2.0
/* goprobectl write: set package variables of a running process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "eval/process.h"
#include "output/edit.h"
#include "trace/client.h"

static const char about[] =
"Usage: goprobectl write [OPTION...] -p PID ASSIGNMENT...\n"
"\n"
"Set package variables of a running process, and what they point to. The module must\n"
"have been loaded with allow_writes=1, by which the administrator allows it. The kernel\n"
"log has each write.\n"
"\n"
"An ASSIGNMENT is 'main.debug = true', 'main.limit = main.limit * 2',\n"
"'main.server.timeout = 5s', 'main.jobs = main.jobs[:10]', or begins with an address\n"
"and the type of a pointer: '(*main.Cart)(0xc000012340).total = 0'. Separate several by\n"
"commas, or give each as an argument. Integers, floats and booleans can be set; strings\n"
"and slices can only be shortened.\n"
"\n"
"The process runs on meanwhile. It may overwrite the value at that moment, or see half of\n"
"it, unless the variable is a single aligned word.\n";

static const char examples[] =
"Examples:\n"
"  Make a server log more:\n"
"      goprobectl write -p 4121 'main.debug = true'\n"
"  What would that change?\n"
"      goprobectl write --dry-run -p 4121 'http.DefaultClient.Timeout = 5s'\n";

/* A run of the command. */
struct writing {
	bool json;		/* in JSON */
	bool dry_run;		/* nothing is written */
	char **texts;		/* assignments */
	size_t ntexts;		/* their number */
	struct edit *edits;	/* compiled */
	struct arena mem;	/* for what is made of them */
	struct eval_process look;	/* the process */
	int log;		/* the kernel log */
	struct buf out;		/* the output */
};

/* --- setting up --------------------------------------------------------------- */

static int compile(struct writing *w, const char *text, struct edit *ret, struct diag *d)
{
	const struct expr_scope scope = {
		.bin = w->look.eval.bin, .secrets = &w->look.eval.limits.secrets, .mem = &w->mem,
	};
	struct editexpr *sets = arena_alloc(&w->mem, sizeof(*sets));
	struct lex lx;

	if (!sets)
		return diag_set(d, "out of memory");
	if (lex_scan(&lx, &w->mem, text, 0, d) || edit_parse_parse_sets(&lx, sets, d))
		return -1;
	if (lex_peek(&lx, 0)->kind != LEX_END)
		return lex_wrong(&lx, lex_peek(&lx, 0), d, "nothing can follow here");
	return edit_compile_memory(&scope, text, sets, ret, d);
}

/* The host lets programs be changed, or it does not. */
static int ask(struct diag *d)
{
	struct client_info info;
	struct client *client = NULL;
	int err = client_open(&client, d);

	if (!err)
		err = client_get_info(client, &info, d);
	client_close(client);
	if (err || info.abilities & GOPROBE_ABILITY_EDIT)
		return err;
	diag_set(d, "nothing can be changed: the goprobe module was loaded without allow_writes=1");
	diag_hint(d, "'modprobe -r goprobe; modprobe goprobe allow_writes=1' allows it; --dry-run shows what would be changed");
	return -1;
}

static int set_up(struct writing *w, const struct options *o, struct diag *d)
{
	if (!w->dry_run && ask(d))
		return -1;
	if (eval_process_open(&w->look, &o->pids, d) || !eval_process_is_clear(&w->look, d))
		return -1;
	w->look.eval.limits.secrets = o->plan.secrets;
	w->edits = arena_array(&w->mem, w->ntexts, sizeof(*w->edits));
	if (!w->edits)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < w->ntexts; i++)
		if (compile(w, w->texts[i], &w->edits[i], d))
			return -1;
	if (w->dry_run)
		return 0;
	w->log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (w->log < 0)
		return diag_errno(d, errno, "can't write to the kernel log, in which each write is recorded");
	return 0;
}

/* --- an assignment -------------------------------------------------------------- */

static const char *why_missed(const struct writing *w, const struct edit *e)
{
	const char *why = NULL;

	/* What it was as well: its place has to be found. */
	for (size_t i = 0; !why && i < e->show.nvalues; i++)
		why = value_missed(&w->look.eval.rec, i);
	return why;
}

/* One of them, with what was read for it. */
struct assignment {
	struct writing *w;	/* the run */
	const struct edit *e;	/* compiled */
};

static void value_at(void *ctx, size_t i, struct output_shown *ret)
{
	const struct assignment *a = ctx;
	const struct eval *g = &a->w->look.eval;
	const struct plan_value *v = &a->e->show.values[i];

	ret->why = v->unavailable ? v->unavailable : value_missed(&g->rec, i);
	ret->at = (struct value_at){
		.type = v->type, .p = g->frame + v->offset, .len = a->e->show.size - v->offset,
	};
}

static void put(struct writing *w, const struct edit *e)
{
	struct assignment a = { w, e };
	const struct edit_show show = {
		.v = &w->look.values, .values = e->show.values, .value = value_at, .ctx = &a,
	};
	struct buf *b = &w->out;

	for (size_t i = 0; !w->json && i < e->nsets; i++) {
		buf_str(b, w->dry_run ? "would set " : "set ");
		edit_text_set(&show, &e->sets[i], b);
		buf_char(b, '\n');
	}
	if (!w->json)
		return;
	json_line(b, "write");
	json_u64(b, "pid", w->look.procmem.pid);
	json_u64(b, "time_ns", clock_now(CLOCK_REALTIME));
	json_flag(b, "dry_run", w->dry_run);
	edit_json_sets(&show, e, b);
	json_end_line(b);
}

/* In one line, whatever was typed. */
static int log_write(const struct writing *w, const char *text, struct diag *d)
{
	struct buf b = { 0 };
	int err = 0;

	buf_str(&b, "goprobe: process ");
	buf_u64(&b, w->look.procmem.pid);
	buf_str(&b, " is being changed: ");
	for (const char *s = text; *s; s++)
		buf_char(&b, *s >= ' ' && *s < 0x7f ? *s : '?');
	buf_str(&b, ", by process ");
	buf_u64(&b, getpid());
	buf_char(&b, '\n');
	if (b.failed)
		err = diag_set(d, "out of memory");
	else if (write(w->log, b.p, b.len) != (ssize_t)b.len)
		err = diag_errno(d, errno, "can't write to the kernel log, in which each write is recorded");
	buf_fini(&b);
	return err;
}

static int write_all(struct writing *w, const char *text, const struct edit *e, struct diag *d)
{
	struct eval_write writes[EVAL_WRITES_MAX];
	size_t n;

	if (eval_edit(&w->look.eval, e->ops, e->nops, writes, &n))
		return diag_set(d, "'%s' could not be worked out: the program has changed meanwhile",
				text);
	if (log_write(w, text, d))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!procmem_write(&w->look.procmem, writes[i].at, &writes[i].value,
				   writes[i].size))
			return diag_errno(d, errno, "'%s' could not be written, or not all of it",
					  text);
	return 0;
}

/* What was read, and what is about to be written, is of the process that was asked for. */
static int check_same(struct writing *w, struct diag *d)
{
	struct eval_process *l = &w->look;
	struct procmem now;

	if (target_ended(&l->target))
		return diag_set(d, "process %d has ended", l->procmem.pid);
	if (procmem_init(&now, l->procmem.pid, l->eval.bin, d))
		return -1;
	return now.bias == l->procmem.bias ? 0 :
	       diag_set(d, "process %d has started again", l->procmem.pid);
}

static int assign(struct writing *w, const char *text, const struct edit *e, struct diag *d)
{
	const char *why;

	w->out.len = 0;
	if (eval_take(&w->look.eval, &e->show))
		return diag_set(d, "out of memory");
	value_record(&w->look.values, &w->look.eval.rec);
	why = why_missed(w, e);
	if (why)
		return diag_set(d, "'%s' can't be: %s", text, why);
	if (check_same(w, d))
		return -1;
	put(w, e);
	if (w->out.failed)
		return diag_set(d, "out of memory");
	if (!w->dry_run && write_all(w, text, e, d))
		return -1;
	return writing_print(&w->out, d);
}

static int run(struct options *o, struct diag *d)
{
	struct writing w = {
		.json = o->format == OPTION_JSON, .dry_run = o->plan.dry_run,
		.texts = o->operands, .ntexts = o->noperands, .look.file = o->file, .log = -1,
	};
	int code = set_up(&w, o, d) ? CMD_FAILED : CMD_DONE;

	for (size_t i = 0; code == CMD_DONE && i < w.ntexts; i++)
		if (assign(&w, w.texts[i], &w.edits[i], d))
			code = CMD_FAILED;
	if (w.log >= 0)
		close(w.log);
	eval_process_fini(&w.look);
	arena_fini(&w.mem);
	buf_fini(&w.out);
	return code;
}

const struct cmd cmd_write = {
	.name = "write",
	.summary = "set package variables of a process",
	.command = COMMAND_WRITE,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_TEXTS,
	.missing = "no ASSIGNMENT: what is to be set?",
	.run = run,
};
