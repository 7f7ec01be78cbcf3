// SPDX-License-Identifier: GPL-2.0
/* goprobectl read: expressions on the memory of a running process, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "eval/process.h"
#include "eval/watchvar.h"

static const char about[] =
"Usage: goprobectl read [OPTION...] -p PID EXPR...\n"
"\n"
"Print package variables of a running process, and what is at an address. No\n"
"breakpoint is set: the process's memory is read while it runs, and the module\n"
"is not needed.\n"
"\n"
"An EXPR is a variable with its package, or begins with one: main.counter,\n"
"'len(main.jobs)', 'main.users[\"ann\"].age'; or it begins with an address and the\n"
"type of a pointer: '*(*main.Cart)(0xc000012340)', '(*main.Cart)(0xc000012340).items[0]'.\n"
"In a program without debug information the type follows: 'main.counter int64'.\n"
"\n"
"Values are read one after another, so they can be of different moments. Where\n"
"some can't be read, the others are, and the exit status is 1.\n";

static const char examples[] =
"Examples:\n"
"  The settings that a server runs with:\n"
"      goprobectl read -p 4121 main.config 'main.config.backends[0]'\n"
"  What a pointer in a trace led to:\n"
"      goprobectl read -p 4121 --depth 4 '*(*main.Cart)(0xc000012340)'\n";

/* What is read of one EXPR, besides the tables of maps. */
#define READ_BYTES_MAX (4U << 20)

/* A run of the command. */
struct reading {
	bool json;		/* in JSON */
	struct watchvar_list vars;	/* what to read */
	struct arena mem;	/* what is made of them */
	struct eval_process look;	/* the process */
	struct buf out;		/* the output */
};

static int put(struct reading *r, size_t i, struct diag *d)
{
	const struct watchvar *v = &r->vars.v[i];
	struct watchvar_value at;
	struct buf *b = &r->out;

	if (watchvar_read(v, &r->look.eval, &r->look.values, &at))
		return diag_set(d, "out of memory");
	if (r->json) {
		json_element(b);
		buf_char(b, '{');
		watchvar_json(v, &r->look.values, &at, b);
		buf_char(b, '}');
		return 0;
	}
	buf_str(b, v->c.values[0].name);
	buf_str(b, " = ");
	watchvar_text(&r->look.values, &at, b);
	buf_char(b, '\n');
	return 0;
}

static int read_all(struct reading *r, const struct options *o, struct diag *d)
{
	struct expr_scope scope = { .secrets = &o->plan.secrets, .mem = &r->mem };
	struct diag others = { 0 };
	struct buf *b = &r->out;

	if (eval_process_open(&r->look, &o->pids, d))
		return -1;
	if (!eval_process_is_clear(&r->look, &others))
		diag_print(&others, "goprobectl", stderr);
	diag_fini(&others);
	scope.bin = r->look.eval.bin;
	if (watchvar_list_compile(&r->vars, o->operands, o->noperands, &scope, d))
		return -1;
	r->look.values.full = o->screen.full;
	r->look.eval.limits = o->plan;
	/* The text is read by a person: what was asked for limits it, and not a buffer. */
	r->look.eval.limits.objects = RECORD_CHUNKS_MAX;
	r->look.eval.limits.bytes = READ_BYTES_MAX;
	if (r->json) {
		json_line(b, "read");
		json_u64(b, "pid", r->look.procmem.pid);
		json_u64(b, "time_ns", clock_now(CLOCK_REALTIME));
		json_raw(b, "values", "[");
	}
	for (size_t i = 0; i < r->vars.n; i++)
		if (put(r, i, d))
			return -1;
	if (target_ended(&r->look.target))
		return diag_set(d, "process %d has ended", r->look.procmem.pid);
	if (r->json) {
		buf_char(b, ']');
		watchvar_list_json(&r->vars, b);
		buf_str(b, "}\n");
	}
	return writing_print(b, d);
}

static int run(struct options *o, struct diag *d)
{
	struct reading r = { .json = o->format == OPTION_JSON, .look.file = o->file };
	int code = read_all(&r, o, d) || r.vars.nwrong ? CMD_FAILED : CMD_DONE;

	watchvar_list_print(&r.vars, stderr);
	watchvar_list_fini(&r.vars);
	eval_process_fini(&r.look);
	arena_fini(&r.mem);
	buf_fini(&r.out);
	return code;
}

const struct cmd cmd_read = {
	.name = "read",
	.summary = "print package variables of a process, and values at addresses",
	.command = COMMAND_READ,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_TEXTS,
	.missing = "no EXPR: what is to be read?",
	.run = run,
};
