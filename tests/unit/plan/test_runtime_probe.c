// SPDX-License-Identifier: GPL-2.0
/* Probes on runtime functions, in all programs. */
#include <stdint.h>

#include <string.h>

#include "bins.h"
#include "plan/runtime_probe.h"
#include "rows.h"

#define FORMS "", "-pie", "-stripped"

static struct plan *plan_of(struct gobin *bin, const char *func)
{
	struct plan_options o = plan_defaults;
	struct diag d = { 0 };
	struct plan *p;

	o.goroutine = true;
	p = plan_new(&o);
	assert_non_null(p);
	assert_int_equal(plan_add(p, bin, bins_func(bin, func), &d), 0);
	return p;
}

static size_t points_of(const struct plan *p, uint32_t id, uint32_t kind)
{
	size_t n = 0;

	for (size_t i = 0; i < p->files[0].n; i++)
		n += p->files[0].v[i].id == id && p->files[0].v[i].kind == kind;
	return n;
}

/* It returns somewhere, what it does before does not matter, and all of that is hidden. */
TEST(test_go, "runtime.newproc1 is traced where it returns")
{
	struct bins_each b = BINS("shapes", FORMS);
	size_t points;

	while (bins_next(&b)) {
		struct plan *p = plan_of(b.bin, "main.Ints");
		struct diag d = { 0 };
		const struct plan_func *f;

		for (int twice = 0; twice < 2; twice++)
			assert_int_equal(runtime_probe_add(p, &b.bin, 1, PLAN_ROLE_GO, &d), 0);
		assert_int_equal(plan_finish(p, &d), 0);
		assert_int_equal(p->nfuncs, 2);
		f = p->funcs[1];
		assert_int_equal(f->role, PLAN_ROLE_GO);
		assert_int_equal(f->ret.size, sizeof(struct runtime_probe_go));
		assert_int_equal(points_of(p, 1, GOPROBE_POINT_CALL), 0);
		assert_in_range(points_of(p, 1, GOPROBE_POINT_RETURN), 1, 9);
		assert_int_equal(runtime_probe_count(p, &points), 1);
		assert_int_equal(points, points_of(p, 1, GOPROBE_POINT_RETURN));
		plan_free(p);
	}
}

/* With returns, what ends calls is traced where it is called; without them nothing is. */
TEST(test_ends, "what ends calls is traced, if returns are")
{
	static const enum plan_role roles[] = {
		PLAN_ROLE_NONE, PLAN_ROLE_PANIC, PLAN_ROLE_RECOVERY, PLAN_ROLE_FATAL,
		PLAN_ROLE_BEGIN, PLAN_ROLE_GO,
	};
	struct bins_each b = BINS("shapes", FORMS);
	size_t points;

	while (bins_next(&b)) {
		struct plan_options o = plan_defaults;
		/* The linker leaves it out of programs that do not use it. */
		const struct gofunc *goexit = bins_func(b.bin, "runtime.Goexit");
		struct plan *p = plan_of(b.bin, "main.Ints");
		struct diag d = { 0 };

		o.no_return = true;
		assert_int_equal(runtime_probe_add_all(p, &b.bin, 1, &o, &d), 0);
		assert_int_equal(p->nfuncs, 1);
		o.no_return = false;
		o.goroutine = true;
		assert_int_equal(runtime_probe_add_all(p, &b.bin, 1, &o, &d), 0);
		assert_null(goexit);
		assert_int_equal(p->nfuncs, N(roles));
		for (uint32_t i = 1; i < N(roles); i++) {
			bool go = roles[i] == PLAN_ROLE_GO;

			assert_int_equal(p->funcs[i]->role, roles[i]);
			assert_int_equal(points_of(p, i, GOPROBE_POINT_CALL), !go);
			assert_int_equal(!points_of(p, i, GOPROBE_POINT_RETURN), !go);
			assert_int_equal(points_of(p, i, GOPROBE_POINT_TAIL), 0);
		}
		assert_int_equal(plan_finish(p, &d), 0);
		assert_int_equal(runtime_probe_count(p, &points), N(roles) - 1);
		plan_free(p);
	}
}

/* The actions of the points that notify the module, in their order. */
static void actions_of(const struct plan *p, char *text)
{
	*text = 0;
	for (size_t i = 0; i < p->files[0].n; i++) {
		const struct goprobe_point *pt = &p->files[0].v[i];
		const struct goprobe_filter *f;

		if (pt->action < GOPROBE_ACTION_STATE)
			continue;
		f = &p->filters[pt->filter - 1];
		assert_int_equal(p->filter_ops[f->op + f->nops - 1].code, GOPROBE_OP_KEY);
		assert_int_equal(pt->plan, GOPROBE_NO_PLAN);
		assert_int_equal(pt->kind, pt->action == GOPROBE_ACTION_SET_ADD ?
				 GOPROBE_POINT_RETURN : GOPROBE_POINT_CALL);
		if (!*text ||
		    text[strlen(text) - 1] != "jpu"[pt->action - GOPROBE_ACTION_SET_ADD] ||
		    pt->action == GOPROBE_ACTION_UNWIND)
			strncat(text, &"jpu"[pt->action - GOPROBE_ACTION_SET_ADD], 1);
	}
}

/* Notifications that conditions need, before other work at these places, for panics. */
TEST(test_notifications, "notifications that conditions need")
{
	struct bins_each b = BINS("shapes", FORMS);

	while (bins_next(&b)) {
		struct plan *p = plan_of(b.bin, "main.Ints");
		struct plan_options o = plan_defaults;
		struct diag d = { 0 };
		char text[64];

		p->descendant = 5;
		p->unwinds = true;
		if (runtime_probe_add_all(p, &b.bin, 1, &o, &d))
			fail_msg("%s", d.message);
		assert_int_equal(plan_finish(p, &d), 0);
		actions_of(p, text);
		assert_string_equal(text, "uujp");
		assert_int_equal(p->files[0].v[0].action, GOPROBE_ACTION_UNWIND);
		assert_int_equal(p->naround, 4);
		/* They are no function's that is traced. */
		for (size_t i = 0; i < p->nfuncs; i++)
			assert_true(p->funcs[i]->around == (p->funcs[i]->action >=
							    GOPROBE_ACTION_STATE));
		plan_free(p);
	}
}

/* A function that the user traces also reports other calls, if its records can. */
TEST(test_shared, "also where it is traced for its own sake")
{
	static const struct {
		const char *func;
		enum plan_role role;
	} funcs[] = {
		{ "runtime.gopanic", PLAN_ROLE_PANIC }, { "runtime.fatalpanic", PLAN_ROLE_FATAL },
		{ "runtime.main", PLAN_ROLE_BEGIN }, { "runtime.recovery", PLAN_ROLE_NONE },
	};
	struct gobin *bin = bins_newest("");

	for (size_t i = 0; i < N(funcs); i++) {
		struct plan *p = plan_of(bin, funcs[i].func);
		struct diag d = { 0 };

		assert_int_equal(runtime_probe_add_all(p, &bin, 1, &plan_defaults, &d), 0);
		assert_int_equal(p->nfuncs, 4);
		assert_int_equal(p->funcs[0]->role, funcs[i].role);
		assert_false(p->funcs[0]->hidden);
		plan_free(p);
	}
	gobin_free(bin);
}

static const struct {
	uint64_t hi, sp, depth;
} recoveries[] = {
	{ 0x2000, 0x1f80, 0x10 }, { 0x2000, 0x2000, 0 }, { 0x2000, 0, 0 }, { 0x1000, 0x2000, 0 },
};

TEST(test_recovery, "a frame that goes on is in its stack")
{
	static struct record r;

	for (size_t i = 0; i < N(recoveries); i++) {
		struct runtime_probe_recovery sent = { recoveries[i].hi, recoveries[i].sp };
		uint64_t depth = 0;

		r.h.flags = 0;
		r.frame = (const uint8_t *)&sent;
		r.frame_size = sizeof(sent);
		assert_int_equal(runtime_probe_recovery(&r, &depth), !!recoveries[i].depth);
		if (recoveries[i].depth)
			assert_int_equal(depth, recoveries[i].depth);
		r.frame_size = 8;
		assert_false(runtime_probe_recovery(&r, &depth));
	}
}

/* A spec that names it shows it. */
TEST(test_wanted, "unless somebody wants to see it")
{
	struct bins_each b = BINS("shapes", "");
	size_t points;

	while (bins_next(&b)) {
		struct plan *p = plan_of(b.bin, "runtime.newproc1");
		struct diag d = { 0 };

		assert_int_equal(runtime_probe_add(p, &b.bin, 1, PLAN_ROLE_GO, &d), 0);
		assert_int_equal(p->nfuncs, 1);
		assert_int_equal(runtime_probe_count(p, &points), 0);
		assert_int_equal(points, 0);
		plan_free(p);
	}
}

/* Calls report their goroutine where g is in a register. */
TEST(test_goroutine, "calls report their goroutine if g is in a register")
{
	struct bins_each b = BINS("shapes", FORMS);

	while (bins_next(&b)) {
		struct plan *p = plan_of(b.bin, "main.Ints");
		const struct plan_frame *f = &p->funcs[0]->call;

		if (f->unavailable || b.minor < 17) {
			assert_false(f->has_goroutine);
		} else {
			assert_true(f->has_goroutine);
			assert_int_equal(f->goroutine % 8, 0);
			assert_int_equal(f->goroutine + sizeof(struct plan_goroutine), f->size);
		}
		assert_false(p->funcs[0]->ret.has_goroutine);
		plan_free(p);
	}
}

static struct row {
	const char *claim;
	uint32_t size;
	uint32_t flags;
	uint64_t goid;
	bool found;
} rows[] = {
	{ "a record with the values", 16, 0, 7, true },
	{ "a record that is too small does not", 8, 0, 7, false },
	{ "nor does one that could not be filled", 16, GOPROBE_RECORD_F_FAULT, 7, false },
	{ "there is no goroutine 0", 16, 0, 0, false },
	{ "nor one without a frame", 0, 0, 7, false },
};

ROWS(test_record, rows)
{
	const struct row *row = *state;
	static struct record r;
	struct runtime_probe_go sent = { .goid = row->goid, .pc = 99 }, got;

	r.h.flags = row->flags;
	r.frame = row->size ? (const uint8_t *)&sent : NULL;
	r.frame_size = row->size;
	assert_int_equal(runtime_probe_go(&r, &got), row->found);
	if (row->found)
		assert_memory_equal(&got, &sent, sizeof(got));
}

/* A function begins where its func keyword is, and nowhere outside of code. */
TEST(test_line, "what is executed where")
{
	struct bins_each b = BINS("shapes", FORMS);

	while (bins_next(&b)) {
		const struct gofunc *f = bins_func(b.bin, "main.main");
		struct goline at;

		assert_true(gobin_line(b.bin, f->entry, &at));
		assert_string_equal(at.func, "main.main");
		assert_string_equal(at.file, f->file);
		assert_in_range(at.line, 1, 100000);
		assert_true(gobin_line(b.bin, f->end - 1, &at));
		assert_false(gobin_line(b.bin, 0, &at));
		assert_false(gobin_line(b.bin, UINT64_MAX, &at));
	}
}
