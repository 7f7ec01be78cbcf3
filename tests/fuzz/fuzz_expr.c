// SPDX-License-Identifier: GPL-2.0
/*
 * Specs of users, compiled into a plan for a function, or for places, of a real program, down to
 * the module's programs. The input is two bytes of options, a spec, and in the next line what is
 * counted by. The program is one of those in GOPROBE_FUZZ_PROGRAMS, with debug information or
 * without.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "compile/group_by.h"
#include "plan/place.h"
#include "plan/request.h"
#include "plan/runtime_probe.h"
#include "plan/survey.h"
#include "planned.h"

/* A line can be in many functions, and a short name be inlined everywhere. */
#define PLACES 8

static const char *const functions[] = {
	"main.describe", "main.(*circle).area", "main.add", "main.main",
};

/* Other than NULL once it was tried. */
static struct gobin *programs[2];

static struct gobin *program(size_t which)
{
	static const char *const names[] = { "tiny-1.27", "tiny-1.27-stripped" };
	const char *dir = getenv("GOPROBE_FUZZ_PROGRAMS");
	struct diag d = { .message = NULL };
	char path[4096];
	int fd;

	if (programs[which])
		return programs[which];
	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", names[which]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || gobin_open(fd, path, &programs[which], &d)) {
		fprintf(stderr, "expr: nothing to run with: %s\n", path);
		exit(1);
	}
	close(fd);
	return programs[which];
}

/**
 * struct wish - an input, taken apart
 * @bin: the program
 * @name: of the function that a name or pattern stands for
 * @opt: what is asked for besides
 * @seed: for what the programs run on
 * @spec: what is asked for
 * @by: what is counted by
 */
struct wish {
	struct gobin *bin;
	const char *name;
	struct plan_options opt;
	uint32_t seed;
	struct spec spec;
	struct group_by_exprs by;
};

static void refused(struct diag *d, const char *text)
{
	FUZZ_HOLDS(d->message);
	/* The underlined part is inside the text. */
	if (d->text) {
		FUZZ_HOLDS(!strcmp(d->text, text));
		FUZZ_HOLDS(d->at <= strlen(text) && d->len <= strlen(text) - d->at);
	}
	diag_fini(d);
}

/* Only what the commands let through: see cmd/attach.c and cmd/counting.c. */
static void options(struct wish *w, struct feed *feed)
{
	uint8_t kind = feed_u8(feed), more = feed_u8(feed);
	struct plan_options *o = &w->opt;

	*o = plan_defaults;
	w->seed = kind | (uint32_t)more << 8;
	w->bin = program(kind & 1);
	w->name = functions[kind / 2 % 4];
	o->action = (kind & 0x18) == 0x18 ? GOPROBE_ACTION_COUNT :
		    (kind & 0x18) == 0x10 ? GOPROBE_ACTION_TIME : GOPROBE_ACTION_RECORD;
	if (o->action == GOPROBE_ACTION_COUNT) {
		o->stack = more & 1 ? 8 : 0;
		o->creator = (more & 3) == 3;
		return;
	}
	o->split = more & 4;
	if (o->action == GOPROBE_ACTION_TIME)
		return;
	o->registers = more & 8;
	o->goroutine = more & 0x10;
	o->dry_run = more & 0x20;
	o->no_return = (more & 0x44) == 0x40;
	o->limits.sample = (more & 3) * 3;
	o->limits.by = more & 0x80 && !o->no_return ? PLAN_SAMPLE_ROOT :
		       kind & 0x20 ? PLAN_SAMPLE_GOROUTINE : PLAN_SAMPLE_CALL;
	o->limits.rate = kind & 0x40 ? 100 : 0;
	o->limits.times = kind & 0x80 ? 7 : 0;
}

static void add_function(struct wish *w, struct plan *p, struct arena *mem)
{
	struct diag d = { .message = NULL };
	struct buf warnings = { 0 };
	struct plan_request r;
	const struct gofunc *f;
	size_t n;

	memset(&r, 0, sizeof(r));
	f = gobin_funcs(w->bin, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i].name, w->name))
			continue;
		if (request_make(&w->spec, p, w->bin, &f[i], mem, &r, &warnings, &d))
			FUZZ_HOLDS(d.message);
		else if (plan_add_request(p, w->bin, &f[i], &r, &d))
			FUZZ_HOLDS(d.message);
		break;
	}
	diag_fini(&d);
	buf_fini(&warnings);
}

static void add_places(struct wish *w, struct plan *p, struct arena *mem, const struct places *v)
{
	for (size_t i = 0; i < v->n && i < PLACES; i++) {
		struct diag d = { .message = NULL };
		struct plan_request r;
		struct insn_point point;

		plan_survey_at(&v->v[i], &point);
		if (request_make_at(&w->spec, p, &v->v[i], mem, &r, &d) ||
		    plan_add_at(p, &v->v[i], &r, &d))
			FUZZ_HOLDS(d.message);
		diag_fini(&d);
	}
}

static void find_places(struct wish *w, struct plan *p, struct arena *mem)
{
	struct diag d = { .message = NULL };
	struct places v = { 0 };

	if (place_find(&v, &w->bin, 1, &w->spec, &d))
		refused(&d, w->spec.text);
	add_places(w, p, mem, &v);
	place_fini(&v);
}

/* All inlining trees are searched: too slow for any name but that of which there is a place. */
static void find_inlined(struct wish *w, struct plan *p, struct arena *mem)
{
	struct places v = { 0 };

	if (w->spec.kind != SPEC_NAME || strcmp(w->spec.pattern, "main.twice") != 0)
		return;
	FUZZ_HOLDS(!place_inlined(&v, w->bin, &w->spec, true));
	add_places(w, p, mem, &v);
	place_fini(&v);
}

static void make_plan(struct wish *w)
{
	struct arena mem = { .head = NULL };
	struct diag d = { .message = NULL };
	struct plan *p = plan_new(&w->opt);

	if (!p)
		abort();
	if (spec_is_place(&w->spec))
		find_places(w, p, &mem);
	else
		add_function(w, p, &mem);
	if (!w->spec.sig && !w->spec.ret)
		find_inlined(w, p, &mem);
	if (p->nfuncs && !runtime_probe_add_all(p, &w->bin, 1, &w->opt, &d))
		planned_see(p, w->seed);
	diag_fini(&d);
	plan_free(p);
	arena_fini(&mem);
}

/* A key, or what is counted a value. */
static int parse_by(struct wish *w, const char *text, struct diag *d)
{
	if (w->opt.action != GOPROBE_ACTION_COUNT || !(w->seed & 0x800))
		return group_by_parse(&w->by, text, d);
	if (w->seed & 0x1000)
		FUZZ_HOLDS(!group_by_parse_range(&w->by, "-5,1000,7", d));
	return group_by_parse_value(&w->by, text, d);
}

/* Counts can be grouped by a key, or have a value; records cannot. */
static int parse(struct wish *w, const char *text, const char *by)
{
	struct diag d = { .message = NULL };
	bool record = w->opt.action == GOPROBE_ACTION_RECORD;

	if ((record ? spec_parse : spec_parse_condition)(text, &w->spec, &d)) {
		refused(&d, text);
		return -1;
	}
	if (!record && !w->opt.stack && by[0]) {
		if (parse_by(w, by, &d))
			refused(&d, by);
		else
			w->opt.by = &w->by;
	}
	return 0;
}

int fuzz_expr(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size < 4096 ? size : 4096 };
	struct wish w = { .bin = NULL };
	char *text, *by;

	options(&w, &feed);
	text = feed_line(&feed);
	by = feed_line(&feed);
	/* A name is enough; what the pattern matches is of fuzz_spec. */
	if (text[0] != '/' && !parse(&w, text, by)) {
		make_plan(&w);
		spec_fini(&w.spec);
	}
	group_by_fini(&w.by);
	free(text);
	free(by);
	return 0;
}
