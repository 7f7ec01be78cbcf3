// SPDX-License-Identifier: GPL-2.0
/* goprobectl plan: what attach would tell the module, for other programs. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/write_all.h"
#include "cmd/cmd.h"
#include "cmd/trace_options.h"

static const char help[] =
"Usage: goprobectl plan [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl plan [OPTION...] -b FILE PATTERN...\n"
"\n"
"Write the plan for the module, and the meaning of its records, as JSON: for programs\n"
"that speak to the module themselves, such as the Go package in clients/go. PATTERNs and\n"
"options are those of goprobectl attach. The module is not needed. docs/plan.md says\n"
"what is in it.\n"
"\n"
"  -p, --pid PID[,PID...]  running processes; may be given more than once\n"
"  -b, --binary FILE       a program\n"
"      --output FILE       write to FILE instead of standard output\n"
"      --learned           first read from standard input what records have shown\n"
"  -q, --quiet             do not say what is left out\n"
"      --no-return, --inlined, --registers, --split, --times N, --sample 1/N,\n"
"      --sample-by WHAT, --rate N, --depth N, --string-limit N, --elements N,\n"
"      --objects N, --bytes N\n"
"                          what to capture, and of which calls: goprobectl attach --help\n"
"\n"
"Example:\n"
"      goprobectl plan -b ./shop --output shop.plan 'shop.(*Cart).Add'\n";

/* What matters to a session has no place in a plan. */
static int check(const struct attachopt *a, struct diag *d)
{
	static const struct {
		enum goprobe_option option;
		const char *name;
	} session[] = {
		{ GOPROBE_OPTION_DURATION_NS, "--duration" },
		{ GOPROBE_OPTION_EVENTS, "--events" },
		{ GOPROBE_OPTION_RING_BYTES, "--buffer" },
		{ GOPROBE_OPTION_LOSSLESS, "--lossless" },
		{ GOPROBE_OPTION_HELD, "--held" },
	};
	const char *option = a->what.command ? "a command" : a->record ? "--record" :
			     a->strict ? "--strict" : NULL;

	for (size_t i = 0; !option && i < sizeof(session) / sizeof(*session); i++)
		if (a->set.given[session[i].option])
			option = session[i].name;
	if (!option)
		return CMD_DONE;
	diag_set(d, "a plan is not traced, so %s means nothing", option);
	return CMD_USAGE;
}

/* The number at *@p, of at most @most, and the blanks behind it; false: there is none. */
static bool read_number(const char **p, int base, uint64_t most, uint64_t *ret)
{
	char *end;

	/* strtoull() takes blanks and signs. */
	if (!isxdigit((unsigned char)**p))
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, base);
	if (end == *p || errno || *ret > most || (*end && !isspace((unsigned char)*end)))
		return false;
	*p = end + strspn(end, " \t\r\n");
	return true;
}

/* "0 type 4f8a40 2", "0 func 4829e0 1" */
static bool read_line(const char *line, struct goprobe_learned *ret)
{
	uint64_t file, level;

	*ret = (struct goprobe_learned){ 0 };
	if (!read_number(&line, 10, UINT32_MAX, &file))
		return false;
	ret->func = strncmp(line, "func ", 5) == 0;
	if (!ret->func && strncmp(line, "type ", 5))
		return false;
	line += 5;
	if (!read_number(&line, 16, UINT64_MAX, &ret->address) ||
	    !read_number(&line, 10, UINT32_MAX, &level) || *line)
		return false;
	ret->file = (uint32_t)file;
	ret->level = (uint32_t)level;
	return true;
}

/* What records have shown: lines, of which those without an empty one between go together. */
static int learn(struct goprobe_trace *t, struct diag *d)
{
	struct goprobe_learned *v = NULL;
	char *line = NULL;
	size_t n = 0, cap = 0, room = 0;
	int err = 0;

	while (!err && getline(&line, &room, stdin) > 0) {
		if (*line == '\n') {
			err = goprobe_trace_learned(t, v, n, sizeof(*v)) ?
			      traceopt_failed(t, d) : 0;
			n = 0;
		} else if (grow(&v, n + 1, &cap, sizeof(*v))) {
			err = diag_set(d, "out of memory");
		} else if (!read_line(line, &v[n++])) {
			err = diag_set(d, "standard input has no FILE, 'type' or 'func', ADDRESS and LEVEL in a line: %.*s",
				       (int)strcspn(line, "\n"), line);
		}
	}
	if (!err && !feof(stdin))
		err = diag_errno(d, errno, "can't read standard input");
	if (!err && n && goprobe_trace_learned(t, v, n, sizeof(*v)))
		err = traceopt_failed(t, d);
	free(line);
	free(v);
	return err ? CMD_FAILED : CMD_DONE;
}

static int export(struct goprobe_trace *t, const char *path, struct diag *d)
{
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
	int code = CMD_DONE, err;

	if (fd < 0) {
		diag_errno(d, errno, "can't write %s", path);
		return CMD_FAILED;
	}
	if (goprobe_trace_export(t, fd))
		code = traceopt_failed(t, d);
	err = path ? writing_close(fd) : 0;
	if (err && code == CMD_DONE) {
		diag_errno(d, -err, "can't write the plan");
		code = CMD_FAILED;
	}
	return code;
}

static int run(int argc, char **argv, struct diag *d)
{
	struct attachopt a = { 0 };
	struct goprobe_trace *t;
	int code = attachopt_parse(&a, argc, argv, d);
	const char *path = a.output;

	if (code == CMD_DONE)
		code = check(&a, d);
	if (code == CMD_DONE) {
		a.output = NULL;
		t = traceopt_new(&a, d);
		code = t ? CMD_DONE : CMD_FAILED;
		if (t && a.learned)
			code = goprobe_trace_plan(t) ? traceopt_failed(t, d) : learn(t, d);
		if (code == CMD_DONE)
			code = export(t, path, d);
		goprobe_trace_free(t);
	}
	attachopt_fini(&a);
	return code;
}

const struct cmd cmd_plan = {
	.name = "plan",
	.summary = "write attach's plan for the module, for other programs",
	.help = help,
	.run = run,
};
