// SPDX-License-Identifier: GPL-2.0
/* goprobectl doctor: would a trace work here, and if not, what has to be done? */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "gobin/gobin.h"
#include "host/kernel.h"
#include "host/module.h"
#include "host/report.h"
#include "host/rights.h"
#include "host/sessions.h"
#include "output/row.h"
#include "process/target.h"
#include "trace/client.h"
#include "trace/selftest.h"
#include "trace/session_list.h"

static const char about[] =
"Usage: goprobectl doctor [--report] [-o text|json] [-p PID|-b FILE]\n"
"\n"
"Examine what a trace needs: the kernel, rights, the module, and with -p or -b the\n"
"program. Each line is ok, warn or FAIL; an arrow shows what to do. The module is not\n"
"loaded for that. The exit status is 0 if a trace would work.\n";

static const char examples[] =
"Examples:\n"
"  Would a trace work on this machine?\n"
"      goprobectl doctor\n"
"  And what can be seen in this process?\n"
"      goprobectl doctor -p 4121\n"
"  What do the developers need to know of this machine?\n"
"      goprobectl doctor --report > report.txt\n";

static const char *const verdicts[] = {
	[FINDING_OK] = "ok", [FINDING_WARN] = "warn", [FINDING_FAIL] = "FAIL",
};

static void add_diag(struct findings *f, const char *check, enum finding_verdict verdict,
		     struct diag *d)
{
	findings_add(f, check, verdict, "%s", d->message ? d->message : "out of memory");
	if (d->hint)
		findings_remedy(f, "%s", d->hint);
	diag_fini(d);
}

static void examine_hit(struct findings *f)
{
	struct diag d = { 0 };
	int64_t ns = selftest_hit_ns(&d);

	if (ns < 0)
		add_diag(f, "hit", FINDING_WARN, &d);
	else
		findings_add(f, "hit", FINDING_OK, "a call and its return cost %" PRId64 " ns", ns);
}

/* Traces of others, which may have been left behind. */
static void examine_others(struct client *c, struct findings *f)
{
	struct session_list_print all = { 0 };
	struct diag d = { 0 };
	uint32_t *owners;
	size_t n = 0;

	if (client_dump(c, GOPROBE_CMD_LIST, session_list_add, &all, &d)) {
		add_diag(f, "sessions", FINDING_WARN, &d);
		session_list_fini(&all);
		return;
	}
	owners = calloc(all.n + 1, sizeof(*owners));
	/* A session has a row for each of its files. */
	for (size_t i = 0; owners && i < all.n; i++)
		if (!i || all.v[i].session != all.v[i - 1].session)
			owners[n++] = all.v[i].owner;
	if (owners)
		sessions_examine(&host_here, owners, n, f);
	f->failed |= !owners;
	free(owners);
	session_list_fini(&all);
}

/* What the loaded module says. */
static void examine_session(struct findings *f)
{
	struct diag d = { 0 }, why = { 0 };
	struct client_info info;
	struct client *c;

	client_load = NULL;
	if (client_open(&c, &d)) {
		add_diag(f, "connection", FINDING_FAIL, &d);
		return;
	}
	if (selftest_get_info(c, &info, &why, &d)) {
		add_diag(f, "connection", FINDING_FAIL, &d);
	} else if (why.message) {
		add_diag(f, "selftest", FINDING_WARN, &why);
	} else if (info.abilities & GOPROBE_ABILITY_EMULATE) {
		findings_add(f, "selftest", FINDING_OK, "the module emulates instructions");
	} else {
		findings_add(f, "selftest", FINDING_WARN,
			     "the module can't emulate instructions, so a hit costs more");
		findings_remedy(f, "see /sys/module/goprobe/parameters/execute");
	}
	diag_fini(&why);
	examine_others(c, f);
	client_close(c);
	examine_hit(f);
}

static void examine_inlining(struct gobin *bin, struct findings *f)
{
	size_t n, inlined = 0;

	if (gobin_load_inlined(bin)) {
		f->failed = true;
		return;
	}

	const struct gofunc *funcs = gobin_funcs(bin, &n);

	for (size_t i = 0; i < n; i++)
		inlined += !!(funcs[i].flags & GOFUNC_INLINED);
	findings_add(f, "inlining", FINDING_OK, "%zu of %zu functions have no code of their own",
		     inlined, n);
	if (inlined)
		findings_remedy(f, "'goprobectl list' shows which; go build -gcflags=all=-l keeps them");
}

/* @report: for others to read, without paths. */
static void examine_binary(struct gobin *bin, bool report, struct findings *f)
{
	const char *path = gobin_debug_path(bin);

	findings_add(f, "program", FINDING_OK, "%s, %s", report ? "a Go program" : gobin_path(bin),
		     gobin_go_version(bin));
	if (gobin_has_types(bin)) {
		findings_add(f, "debuginfo", FINDING_OK, "found in %s",
			     !path ? "the program" : report ? "a file of its own" : path);
	} else {
		findings_add(f, "debuginfo", FINDING_WARN, "%s: arguments have no names and types",
			     gobin_no_types(bin));
		findings_remedy(f, "build without -ldflags=-s or -w, or install its debug file");
	}
	if (gobin_unread(bin))
		findings_add(f, "debuginfo", FINDING_WARN, "%s",
			     report ? "a part of it can't be read" : gobin_unread(bin));
	examine_inlining(bin, f);
}

/* Why the program can't be examined; a report does not name it. */
static void add_unnamed(struct findings *f, bool report, struct diag *d)
{
	if (!report) {
		add_diag(f, "program", FINDING_FAIL, d);
		return;
	}
	findings_add(f, "program", FINDING_FAIL, "the program can't be examined");
	findings_remedy(f, "without --report, doctor says why");
	diag_fini(d);
}

static void examine_target(struct options *o, struct findings *f)
{
	struct target t = { 0 };
	struct diag d = { 0 };
	size_t older;

	if (o->file ? target_set_file(&t, o->file, &older, &d) : target_add_pids(&t, &o->pids, &d))
		add_unnamed(f, o->report, &d);
	for (size_t i = 0; i < t.nbins; i++)
		examine_binary(t.bins[i], o->report, f);
	target_fini(&t);
}

/* The kernel's log names programs, and what others do. */
static void say_what_is_missing(struct findings *f)
{
	findings_add(f, "log", FINDING_OK, "the kernel's log is not in this report");
	findings_remedy(f, "if the kernel complained, add that part once you have read it: dmesg | grep -A 40 goprobe");
}

static const struct column columns[] = {
	{ "verdict", NULL, 6 }, { "check", NULL, 12 }, { "fact", NULL, 0 }, { "remedy", NULL, 0 },
};

static void put(const struct finding *v, struct row *r)
{
	row_begin(r, "finding");
	row_str(r, &columns[0], verdicts[v->verdict]);
	row_str(r, &columns[1], v->check);
	row_str(r, &columns[2], v->fact);
	if (v->remedy)
		row_text(r, "\n                  -> ");
	row_str_or_null(r, &columns[3], v->remedy);
	row_end(r);
}

static int run(struct options *o, struct diag *d)
{
	struct findings f = { 0 };
	struct buf b = { 0 };
	struct row r = { .b = &b, .mode = row_mode(o->format == OPTION_JSON), .whole = true };
	int code = CMD_DONE;

	if (o->report)
		report_examine(&host_here, &f);
	kernel_examine(&host_here, &f);
	rights_examine(&host_here, &f);
	module_examine(&host_here, &f);
	if (module_is_loaded(&host_here) && !findings_get(&f, "rights", FINDING_FAIL))
		examine_session(&f);
	rights_examine_tracers(&host_here, &f);
	if (o->file || o->pids.n)
		examine_target(o, &f);
	if (o->report)
		say_what_is_missing(&f);
	for (size_t i = 0; i < f.n; i++)
		put(&f.v[i], &r);
	if (f.failed)
		diag_set(d, "out of memory");
	if (f.failed || writing_print(&b, d) || findings_get(&f, NULL, FINDING_FAIL))
		code = CMD_FAILED;
	buf_fini(&b);
	findings_fini(&f);
	return code;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "check the requirements of a trace, and name remedies",
	.command = COMMAND_DOCTOR,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.run = run,
};
