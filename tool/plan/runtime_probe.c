// SPDX-License-Identifier: GPL-2.0
/* Probes on functions of the runtime that report events of other calls and goroutines. */
#include <stddef.h>
#include <string.h>

#include "gobin/release.h"
#include "gobin/runtime_layout.h"
#include "gobin/sched_state.h"
#include "plan/runtime_probe.h"
#include "plan/survey.h"

#define WORD 8U

/* DWARF numbers of the registers that the first two arguments and results are in. */
#define REG_RAX 0U
#define REG_RBX 3U

/* Of a role's operations. */
#define OPS_MAX 16
#define PIECES_MAX 2

static const struct gosig no_sig = { 0 };
static const struct plan_capture no_values = { 0 };

static const struct gotype any = {
	.kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 2 * WORD, .align = WORD,
	.empty = true,
};

/* What gopanic is given; it has no name in what is shown. */
static const struct plan_value panic_value = { .name = "_", .type = &any };

/* A role's capture under construction. */
struct making {
	const struct gobin *bin;			/* the binary */
	const struct runtime_layout_g *l;			/* where its g keeps things */
	bool regs;					/* arguments and results are in registers */
	struct goprobe_piece pieces[PIECES_MAX];	/* space for its pieces */
	struct goprobe_op ops[OPS_MAX];			/* and operations */
	struct plan_capture c;				/* the capture */
	uint64_t descendant;				/* plan.descendant */
};

static void op(struct making *m, struct goprobe_op o)
{
	m->ops[m->c.nops++] = o;
}

/* Register 0: the word at entry SP + @at, or where a register has it instead. */
static void op_word(struct making *m, uint8_t reg, uint64_t at)
{
	if (m->regs) {
		op(m, (struct goprobe_op){ .code = GOPROBE_OP_REG, .b = reg });
		return;
	}
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_SP, .value = at });
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_LOAD, .size = WORD });
}

/* Register @a: the word at register @b + @at. */
static void op_load(struct making *m, uint8_t a, uint8_t b, uint64_t at)
{
	const struct goprobe_op load = {
		.code = GOPROBE_OP_LOAD, .a = a, .b = b, .size = WORD, .value = at,
	};

	op(m, load);
}

/* The word at @frame: register 1. */
static void op_store(struct making *m, uint32_t frame)
{
	const struct goprobe_op store = {
		.code = GOPROBE_OP_STORE, .a = 1, .size = WORD, .offset = frame,
	};

	op(m, store);
}

/*
 * newproc1 returns the new g, on the caller's stack before 1.17, behind 40 bytes of
 * arguments. Not in an item: GOPROBE_RECORD_F_FAULT reports a failure.
 */
static void make_go(struct making *m)
{
	m->c.size = sizeof(struct runtime_probe_go);
	op_word(m, REG_RAX, WORD + 40);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_goid);
	op_store(m, offsetof(struct runtime_probe_go, goid));
	op_load(m, 1, 0, m->l->gopc);
	op_store(m, offsetof(struct runtime_probe_go, pc));
}

static void make_panic(struct making *m)
{
	m->c.size = 2 * WORD;
	m->c.values = &panic_value;
	m->c.nvalues = 1;
	if (!m->regs) {
		m->pieces[m->c.npieces++] = (struct goprobe_piece){
			.source = GOPROBE_FROM_STACK, .size = 2 * WORD, .offset = WORD,
		};
		return;
	}
	m->pieces[m->c.npieces++] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = REG_RAX, .size = WORD,
	};
	m->pieces[m->c.npieces++] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = REG_RBX, .size = WORD, .frame = WORD,
	};
}

/* It is given g, which knows what has been recovered, and in which frame. */
static void make_recovery(struct making *m)
{
	m->c.size = sizeof(struct runtime_probe_recovery);
	op_word(m, REG_RAX, WORD);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_stack_hi);
	op_store(m, offsetof(struct runtime_probe_recovery, hi));
	if (m->l->panic_sp) {
		op_load(m, 1, 0, m->l->panic);
		op_load(m, 1, 1, m->l->panic_sp);
	} else {
		op_load(m, 1, 0, m->l->sigcode0);
	}
	op_store(m, offsetof(struct runtime_probe_recovery, sp));
}

static void make_nothing(struct making *m)
{
	(void)m;
}

/* What a role needs. */
static const struct role {
	const char *func;	/* a function */
	bool ret;		/* it is traced where that returns, not where it is called */
	bool shares;		/* it may be traced for its own sake, too */
	void (*make)(struct making *m);	/* how its frame is filled */
} roles[__PLAN_ROLE_MAX] = {
	[PLAN_ROLE_GO] = { "runtime.newproc1", true, false, make_go },
	[PLAN_ROLE_PANIC] = { "runtime.gopanic", false, true, make_panic },
	[PLAN_ROLE_RECOVERY] = { "runtime.recovery", false, false, make_recovery },
	[PLAN_ROLE_FATAL] = { "runtime.fatalpanic", false, true, make_nothing },
	[PLAN_ROLE_GOEXIT] = { "runtime.Goexit", false, true, make_nothing },
	[PLAN_ROLE_BEGIN] = { "runtime.main", false, true, make_nothing },
};

static const struct gofunc *find(const struct gobin *bin, const char *name)
{
	size_t n;
	const struct gofunc *f = gobin_funcs(bin, &n);

	for (size_t i = 0; i < n; i++)
		if (f[i].entry && !strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

/* The same function, traced for its own sake, or NULL. */
static struct plan_func *wanted(const struct plan *p, const struct gobin *bin,
				const struct gofunc *fn)
{
	for (size_t i = 0; i < p->nfuncs; i++)
		if (p->funcs[i]->bin == bin && !p->funcs[i]->at &&
		    p->funcs[i]->action < GOPROBE_ACTION_STATE &&
		    p->funcs[i]->fn->entry == fn->entry)
			return p->funcs[i];
	return NULL;
}

static int add(struct plan *p, struct gobin *bin, enum plan_role role, struct diag *d)
{
	const struct gofunc *fn = find(bin, roles[role].func);
	int minor = gobin_go_minor(bin);
	struct making m = {
		.bin = bin, .l = &runtime_layout_get(minor)->g, .regs = release_regabi(minor),
	};
	struct plan_func info, *same = fn ? wanted(p, bin, fn) : NULL;

	if (same && roles[role].shares)
		same->role = role;
	if (!fn || same)
		return 0;
	plan_survey(bin, fn, &info);
	if (info.refused)
		return 0;
	m.c.pieces = m.pieces;
	m.c.ops = m.ops;
	roles[role].make(&m);
	return plan_add_request(p, bin, fn, &(struct plan_request){
		.sig = &no_sig, .role = role,
		.call = roles[role].ret ? &no_values : &m.c,
		.ret = roles[role].ret ? &m.c : &no_values,
	}, d);
}

int runtime_probe_add(struct plan *p, struct gobin *const *bins, size_t nbins, enum plan_role role,
		      struct diag *d)
{
	for (size_t i = 0; i < nbins; i++)
		if (add(p, bins[i], role, d))
			return -1;
	return 0;
}

/* --- notifications of the module ---------------------------------------------------- */

static int diag_missing(const struct gobin *bin, const char *what, struct diag *d)
{
	return diag_set(d, "%s has no %s, so what its goroutines do can't be followed",
			gobin_path(bin), what);
}

static int add_states(struct plan *p, struct gobin *bin, struct diag *d)
{
	const struct gofunc *fn, *park = find(bin, "runtime.park_m");
	struct sched_state_bin what = { .minor = gobin_go_minor(bin) };
	struct goprobe_op ops[SCHED_STATE_OPS];
	struct plan_notification note = { .action = GOPROBE_ACTION_STATE, .ops = ops };

	if (sched_state_reasons(gobin_file(bin), &what.reasons))
		return diag_missing(bin, "table of wait reasons", d);
	if (park) {
		what.park[0] = park->entry;
		what.park[1] = park->end;
	}
	for (int i = 0; i < SCHED_STATE_SOURCES; i++) {
		const struct sched_state_source *s = &gostates_sources[i];

		if (what.minor < s->first || what.minor > s->last)
			continue;
		fn = find(bin, s->func);
		/* The linker leaves out what the program does not use. */
		if (!fn && s->needed)
			return diag_missing(bin, s->func, d);
		note.nops = fn ? sched_state_program(&what, i, ops) : 0;
		if (fn && plan_add_notification(p, bin, fn, &note, d))
			return -1;
	}
	return 0;
}

/*
 * Add the probes that follow the states of goroutines, in all binaries. 0, or -1 with @d set: a
 * binary's functions are unknown, or there is no memory.
 */
static int add_all_states(struct plan *p, struct gobin *const *bins, size_t nbins, struct diag *d)
{
	for (size_t i = 0; i < nbins; i++)
		if (add_states(p, bins[i], d))
			return -1;
	return 0;
}

/* Register @reg is the next word of the key. */
static void op_key(struct making *m, uint8_t reg)
{
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_KEY, .a = reg });
}

static void op_value(struct making *m, uint8_t code, uint8_t reg, uint64_t value)
{
	op(m, (struct goprobe_op){ .code = code, .a = reg, .value = value });
}

/* The new goroutine joins if the one that starts it is a member, or is whom it is about. */
static void notify_born(struct making *m)
{
	op_value(m, GOPROBE_OP_TASK, 0, GOPROBE_TASK_GOID);
	op(m, (struct goprobe_op){
		.code = GOPROBE_OP_JEQ_I, .offset = 3, .value = m->descendant });
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_IN_SET });
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_JNE_I, .offset = 1 });
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_REJECT });
	op_word(m, REG_RAX, WORD + 40);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_goid);
	op_key(m, 1);
}

/* It is given g. */
static void notify_ended(struct making *m)
{
	op_word(m, REG_RAX, WORD);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_goid);
	op_key(m, 1);
}

/* As make_recovery(). */
static void notify_recovery(struct making *m)
{
	op_word(m, REG_RAX, WORD);
	op_key(m, 0);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_goid);
	op_key(m, 1);
	op_load(m, 1, 0, gobin_runtime(m->bin)->g_stack_hi);
	if (m->l->panic_sp) {
		op_load(m, 2, 0, m->l->panic);
		op_load(m, 2, 2, m->l->panic_sp);
	} else {
		op_load(m, 2, 0, m->l->sigcode0);
	}
	op(m, (struct goprobe_op){ .code = GOPROBE_OP_SUB, .a = 1, .b = 2 });
	op_key(m, 1);
	op_value(m, GOPROBE_OP_IMM, 1, 1);
	op_key(m, 1);
}

/* All calls of the goroutine are over; @written: by a panic. */
static void notify_all(struct making *m, bool written)
{
	op_value(m, GOPROBE_OP_TASK, 0, GOPROBE_TASK_G);
	op_key(m, 0);
	op_value(m, GOPROBE_OP_TASK, 0, GOPROBE_TASK_GOID);
	op_key(m, 0);
	op_value(m, GOPROBE_OP_IMM, 0, 0);
	op_key(m, 0);
	op_value(m, GOPROBE_OP_IMM, 0, written);
	op_key(m, 0);
}

static void notify_fatal(struct making *m)
{
	notify_all(m, true);
}

static void notify_goexit(struct making *m)
{
	notify_all(m, false);
}

/* Points that notify the module of goroutine events. */
struct notifier {
	const char *funcs[2];		/* a function, and what it was called before */
	uint8_t action;			/* enum goprobe_action */
	bool optional;			/* programs may be without */
	void (*make)(struct making *m);	/* the key */
};

static const struct notifier kin[] = {
	{ { "runtime.newproc1" }, GOPROBE_ACTION_SET_ADD, false, notify_born },
	{ { "runtime.gdestroy", "runtime.goexit0" }, GOPROBE_ACTION_SET_REMOVE, false,
	  notify_ended },
};

/* The linker leaves Goexit out of programs that do not use it. */
static const struct notifier panics[] = {
	{ { "runtime.recovery" }, GOPROBE_ACTION_UNWIND, false, notify_recovery },
	{ { "runtime.fatalpanic" }, GOPROBE_ACTION_UNWIND, false, notify_fatal },
	{ { "runtime.Goexit" }, GOPROBE_ACTION_UNWIND, true, notify_goexit },
};

static int notify(struct plan *p, struct gobin *bin, const struct notifier *t, struct diag *d)
{
	const struct gofunc *fn = find(bin, t->funcs[0]);
	int minor = gobin_go_minor(bin);
	struct making m = {
		.bin = bin, .l = &runtime_layout_get(minor)->g, .regs = release_regabi(minor),
		.descendant = p->descendant,
	};
	struct plan_notification note = {
		.action = t->action, .ret = t->action == GOPROBE_ACTION_SET_ADD,
		.first = t->action == GOPROBE_ACTION_UNWIND, .ops = m.ops,
	};

	if (!fn && t->funcs[1])
		fn = find(bin, t->funcs[1]);
	if (!fn && t->optional)
		return 0;
	if (!fn)
		return diag_set(d, "%s has no function %s, which this condition needs",
				gobin_path(bin), t->funcs[0]);
	t->make(&m);
	note.nops = m.c.nops;
	return plan_add_notification(p, bin, fn, &note, d);
}

static int notify_each(struct plan *p, struct gobin *bin, const struct notifier *t, size_t n,
		       struct diag *d)
{
	for (size_t i = 0; i < n; i++)
		if (notify(p, bin, &t[i], d))
			return -1;
	return 0;
}

/* Probes that conditions need to notify the module. */
static int notify_all_of(struct plan *p, struct gobin *const *bins, size_t nbins, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; !err && i < nbins; i++) {
		if (p->descendant)
			err = notify_each(p, bins[i], kin, sizeof(kin) / sizeof(*kin), d);
		if (!err && p->unwinds)
			err = notify_each(p, bins[i], panics, sizeof(panics) / sizeof(*panics), d);
	}
	return err;
}

int runtime_probe_add_all(struct plan *p, struct gobin *const *bins, size_t nbins,
			  const struct plan_options *options, struct diag *d)
{
	bool ends = false;
	int err;

	if ((options->split && add_all_states(p, bins, nbins, d)) || plan_add_errors(p, d))
		return -1;
	for (size_t i = 0; i < p->nfuncs; i++)
		ends |= p->funcs[i]->ends;
	err = notify_all_of(p, bins, nbins, d);
	if (err || options->action != GOPROBE_ACTION_RECORD || options->no_return || !ends)
		return err;
	for (int role = PLAN_ROLE_PANIC; !err && role <= PLAN_ROLE_BEGIN; role++)
		err = runtime_probe_add(p, bins, nbins, role, d);
	return err || !options->goroutine ? err :
	       runtime_probe_add(p, bins, nbins, PLAN_ROLE_GO, d);
}

static bool is_filled(const struct record *r, size_t size)
{
	return r->frame && r->frame_size >= size && !(r->h.flags & GOPROBE_RECORD_F_FAULT);
}

bool runtime_probe_go(const struct record *r, struct runtime_probe_go *ret)
{
	if (!is_filled(r, sizeof(*ret)))
		return false;
	memcpy(ret, r->frame, sizeof(*ret));
	return ret->goid;
}

bool runtime_probe_recovery(const struct record *r, uint64_t *depth)
{
	struct runtime_probe_recovery rec;

	if (!is_filled(r, sizeof(rec)))
		return false;
	memcpy(&rec, r->frame, sizeof(rec));
	*depth = (rec.hi - rec.sp) / 8;
	return rec.sp && rec.sp < rec.hi;
}

size_t runtime_probe_count(const struct plan *p, size_t *points)
{
	size_t n = 0;

	*points = 0;
	for (size_t i = 0; i < p->nfuncs; i++)
		n += p->funcs[i]->hidden;
	for (size_t i = 0; n && i < p->nfiles; i++)
		for (size_t k = 0; k < p->files[i].n; k++)
			*points += p->funcs[p->files[i].v[k].id]->hidden;
	return n;
}
