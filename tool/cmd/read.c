// SPDX-License-Identifier: GPL-2.0
/* goprobectl read: expressions on the memory of a running process, once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/clock.h"
#include "base/write_all.h"
#include "cmd/cmd.h"
#include "eval/process.h"
#include "eval/variable.h"

static const char help[] =
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
"  -p, --pid PID          the process\n"
"  -b, --binary FILE      variables of FILE, a library in Go that the process has in\n"
"                         its memory, not of its executable\n"
"      --depth N          pointers followed one after another (default 2)\n"
"      --string-limit N   bytes of a string (default 256)\n"
"      --elements N       elements of a slice, map or channel (default 64)\n"
"  -o, --format FORMAT    text or json\n"
"\n"
"Values that change together may be of different moments.\n"
"\n"
"Examples:\n"
"  The settings that a server runs with:\n"
"      goprobectl read -p 4121 main.config 'main.config.backends[0]'\n"
"  What a pointer in a trace led to:\n"
"      goprobectl read -p 4121 --depth 4 '*(*main.Cart)(0xc000012340)'\n";

/* What is read of one EXPR, besides the tables of maps. */
#define READ_BYTES_MAX (4U << 20)

enum { OPT_DEPTH = 256, OPT_STRING_LIMIT, OPT_ELEMENTS };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "string-limit", required_argument, NULL, OPT_STRING_LIMIT },
	{ "elements", required_argument, NULL, OPT_ELEMENTS },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/**
 * struct reading - a run of the command
 * @pid: argument of -p
 * @json: in JSON
 * @limits: of what is copied
 * @vars: what to read
 * @nvars: their number
 * @mem: for what is made of them
 * @look: the process
 * @out: the output
 */
struct reading {
	const char *pid;
	bool json;
	struct plan_options limits;
	struct watchvar *vars;
	size_t nvars;
	struct arena mem;
	struct proclook look;
	struct buf out;
};

static int parse_limit(const char *option, uint32_t *to, uint64_t most, struct diag *d)
{
	uint64_t n;

	if (!argument_number(optarg, 0, most, &n))
		return argument_fail(option, optarg, "a number", d);
	*to = (uint32_t)n;
	return CMD_DONE;
}

static int parse_option(struct reading *r, int opt, char **argv, struct diag *d)
{
	const struct out_format *format;

	switch (opt) {
	case 'h':
		return CMD_HELP;
	case 'p':
		if (r->pid || strchr(optarg, ',')) {
			diag_set(d, "read looks at one process");
			return CMD_USAGE;
		}
		r->pid = optarg;
		return target_check_pids(optarg, d) ? CMD_USAGE : CMD_DONE;
	case 'b':
		r->look.file = optarg;
		return CMD_DONE;
	case 'o':
		if (cmd_parse_format(optarg, &format, d))
			return CMD_USAGE;
		r->json = format == &out_json;
		return CMD_DONE;
	case OPT_DEPTH:
		return parse_limit("--depth", &r->limits.depth, PLAN_DEPTH_MAX, d);
	case OPT_STRING_LIMIT:
		return parse_limit("--string-limit", &r->limits.string_limit, PLAN_BYTES_MAX, d);
	case OPT_ELEMENTS:
		return parse_limit("--elements", &r->limits.elements, PLAN_BYTES_MAX, d);
	default:
		return cmd_bad_option(argv, opt, options, d);
	}
}

static int parse(struct reading *r, int argc, char **argv, struct diag *d)
{
	int opt, code;

	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":p:b:o:h", options, NULL)) != -1) {
		code = parse_option(r, opt, argv, d);
		if (code)
			return code;
	}
	if (!r->pid) {
		diag_set(d, "no process: give -p PID");
		return CMD_USAGE;
	}
	r->nvars = argc - optind;
	if (!r->nvars) {
		diag_set(d, "no EXPR: what is to be read?");
		return CMD_USAGE;
	}
	r->vars = arena_array(&r->mem, r->nvars, sizeof(*r->vars));
	if (!r->vars) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	for (size_t i = 0; i < r->nvars; i++)
		r->vars[i].text = argv[optind + i];
	return CMD_DONE;
}

static int put(struct reading *r, size_t i, struct diag *d)
{
	struct watchvar_value at;
	struct buf *b = &r->out;

	if (watchvar_read(&r->vars[i], &r->look.globals, &r->look.values, &at))
		return diag_set(d, "out of memory");
	if (r->json) {
		json_element(b);
		buf_char(b, '{');
		watchvar_json(&r->vars[i], &r->look.values, &at, b);
		buf_char(b, '}');
		return 0;
	}
	buf_str(b, r->vars[i].c.values[0].name);
	buf_str(b, " = ");
	watchvar_text(&r->look.values, &at, b);
	buf_char(b, '\n');
	return 0;
}

static int read_all(struct reading *r, struct diag *d)
{
	struct buf *b = &r->out;

	if (proclook_open(&r->look, r->pid, d))
		return -1;
	r->look.globals.limits = r->limits;
	for (size_t i = 0; i < r->nvars; i++)
		if (watchvar_compile(&r->vars[i], r->look.globals.bin, &r->mem, d))
			return -1;
	if (r->json) {
		json_line(b, "read");
		json_u64(b, "pid", r->look.procmem.pid);
		json_u64(b, "time_ns", clock_now(CLOCK_REALTIME));
		json_raw(b, "values", "[");
	}
	for (size_t i = 0; i < r->nvars; i++)
		if (put(r, i, d))
			return -1;
	if (target_ended(&r->look.target))
		return diag_set(d, "process %d has ended", r->look.procmem.pid);
	if (r->json)
		buf_str(b, "]}\n");
	return writing_print(b, d);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct reading *r = calloc(1, sizeof(*r));
	int code;

	if (!r) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	r->limits = plan_defaults;
	/* The text is read by a person: what was asked for limits it, and not a buffer. */
	r->limits.objects = RECORD_CHUNKS_MAX;
	r->limits.bytes = READ_BYTES_MAX;
	code = parse(r, argc, argv, d);
	if (code == CMD_DONE)
		code = read_all(r, d) ? CMD_FAILED : CMD_DONE;
	proclook_fini(&r->look);
	arena_fini(&r->mem);
	buf_fini(&r->out);
	free(r);
	return code;
}

const struct cmd cmd_read = {
	.name = "read",
	.summary = "print package variables of a process, and what is at an address",
	.help = help,
	.run = run,
};
