// SPDX-License-Identifier: GPL-2.0
/* Program that looks at all states, as the code is, and with each step or rule left out. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define STEPS_MAX 16

struct rules rules;
enum gp_detour_shape shape;
struct ops steps[RESTORE + 1][2];
bool has_another;

/* The steps of steps.h, which are changed here. */
struct table {
	const char *name;
	enum phase phase;
	struct gp_step v[STEPS_MAX];
	unsigned int n;
};

static struct table tables[3];
static bool is_verbose;
static unsigned int passed, failed;
static uint64_t nstates;

static void verdict(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	*(ok ? &passed : &failed) += 1;
}

/* --- steps ---------------------------------------------------------------------------------- */

static void set_table(struct table *t, const char *name, enum phase phase, const struct gp_step *v,
		      size_t n)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	t->phase = phase;
	memcpy(t->v, v, n * sizeof(*v));
	t->n = (unsigned int)n;
}

static void reset_tables(void)
{
	set_table(&tables[0], "arm", ARM, gp_steps_arm, N(gp_steps_arm));
	set_table(&tables[1], "disarm", DISARM, gp_steps_disarm, N(gp_steps_disarm));
	set_table(&tables[2], "restore", RESTORE, gp_steps_restore, N(gp_steps_restore));
}

static void add(struct ops *ops, enum op_kind kind, unsigned int at, uint8_t code)
{
	ops->v[ops->n++] = (struct op){ (uint8_t)kind, (uint8_t)at, code };
}

static void add_step(struct ops *ops, const struct gp_step *step, bool changes_cold)
{
	unsigned int begin = step->part == GP_STEP_COLD ? COLD : 0;
	unsigned int n = begin ? GP_DETOUR_JUMP : writer_branch_bytes();

	if (step->kind == GP_STEP_SYNC)
		add(ops, OP_SYNC, 0, 0);
	else if (begin && !changes_cold)
		return;
	else if (step->kind == GP_STEP_FIRST)
		add(ops, OP_WRITE, begin, step->code);
	else
		for (unsigned int i = 1; i < n; i++)
			add(ops, OP_WRITE, begin + i, step->code);
}

static void make_ops(const struct table *t, bool changes_cold, struct ops *ops)
{
	ops->n = 0;
	if (!rules.unlocked)
		add(ops, OP_LOCK, 0, 0);
	for (unsigned int i = 0; i < t->n; i++)
		add_step(ops, &t->v[i], changes_cold);
	add(ops, OP_UNLOCK, 0, 0);
}

static void take_tables(void)
{
	for (unsigned int k = 0; k < N(tables); k++)
		for (int cold = 0; cold < 2; cold++)
			make_ops(&tables[k], cold, &steps[tables[k].phase][cold]);
	has_another = true;
}

static bool is_write(const struct ops *ops, unsigned int i)
{
	return ops->v[i].kind == OP_WRITE;
}

/* Has the module all steps of the table, in that order, under the lock, and at most more syncs? */
static bool is_as_table(const struct ops *module, const struct ops *table)
{
	bool synced = false, locked = false;
	unsigned int at = 0;

	for (unsigned int i = 0; i < module->n; i++) {
		const struct op *op = &module->v[i];

		synced |= op->kind == OP_SYNC;
		if (op->kind == OP_LOCK || op->kind == OP_UNLOCK)
			locked = op->kind == OP_LOCK;
		if (!is_write(module, i))
			continue;
		for (; at < table->n && !is_write(table, at); at++)
			if (table->v[at].kind == OP_SYNC && !synced)
				return false;
		if (at == table->n || !locked || table->v[at].at != op->at ||
		    table->v[at].code != op->code)
			return false;
		at++;
		synced = false;
	}
	for (; at < table->n; at++)
		if (is_write(table, at) || (table->v[at].kind == OP_SYNC && !synced))
			return false;
	return !locked;
}

static bool take_module(void)
{
	struct ops another;
	bool same = true;

	take_tables();
	for (unsigned int k = 0; k < N(tables); k++)
		for (int cold = 0; cold < 2; cold++) {
			struct ops *table = &steps[tables[k].phase][cold], module;

			if (tables[k].phase == (cold ? DISARM : RESTORE))
				continue;
			if (cold && shape != GP_DETOUR_SHORT)
				continue;
			same &= module_steps(tables[k].phase, cold, false, &module) &&
				is_as_table(&module, table);
			*table = module;
		}
	has_another = shape == GP_DETOUR_SHORT && module_steps(ARM, true, true, &another);
	return same && (!has_another || (another.n == steps[ARM][1].n &&
		!memcmp(another.v, steps[ARM][1].v, another.n * sizeof(another.v[0]))));
}

/* --- runs ----------------------------------------------------------------------------------- */

/* The last one has most states: what is bad everywhere is found before. */
static const enum gp_detour_shape shapes[] = {
	GP_DETOUR_EXIT, GP_DETOUR_EXIT_POP, GP_DETOUR_LONG, GP_DETOUR_SHORT,
};

static const char *explore(void)
{
	struct state s = { .flags = NO_DETOUR, .cold = GP_STEP_FILE, .goal = GP_STEP_FILE };
	const char *why;

	memset(s.now, GP_STEP_FILE, sizeof(s.now));
	memset(s.seen, 1U << GP_STEP_FILE, sizeof(s.seen));
	why = states_explore(&s);
	nstates += states_number();
	if (why && is_verbose)
		states_print_bad();
	return why;
}

/* Places of all shapes, by the steps of the tables. */
static const char *explore_all(void)
{
	const char *why = NULL;

	nstates = 0;
	for (unsigned int i = 0; i < N(shapes) && !why; i++) {
		shape = shapes[i];
		take_tables();
		why = explore();
	}
	return why;
}

static void run_tables(void)
{
	const char *why = explore_all();
	char text[200];

	snprintf(text, sizeof(text), "of %llu states of %u threads none is bad%s%s",
		 (unsigned long long)nstates, THREADS, why ? ": " : "", why ? why : "");
	verdict(!why, text);
}

static void run_module(void)
{
	const char *why = NULL;
	bool same = true;
	char text[200];

	nstates = 0;
	for (unsigned int i = 0; i < N(shapes) && !why; i++) {
		shape = shapes[i];
		same &= take_module();
		why = explore();
	}
	snprintf(text, sizeof(text), "of %llu states with the module's own steps none is bad%s%s",
		 (unsigned long long)nstates, why ? ": " : "", why ? why : "");
	verdict(!why, text);
	verdict(same, "the module writes in the order of the table, with more syncs");
}

static void must_be_bad(const char *what)
{
	const char *why = explore_all();
	char text[300];

	snprintf(text, sizeof(text), "%s: %s", what, why ? why : "nothing is found");
	verdict(why, text);
}

/* Two steps between the same syncs that write different parts: no thread sees their order. */
static bool may_change_places(const struct table *t, unsigned int a, unsigned int b)
{
	for (unsigned int i = a; i <= b; i++)
		if (t->v[i].kind == GP_STEP_SYNC)
			return false;
	return t->v[a].part != t->v[b].part;
}

/* Would it be seen if the module took these steps instead of the table's? */
static void must_differ(const struct table *changed)
{
	struct table its = *changed;
	bool differs = false;
	struct ops module, table;

	reset_tables();
	for (unsigned int i = 0; i < N(shapes); i++) {
		shape = shapes[i];
		make_ops(&its, shape == GP_DETOUR_SHORT, &module);
		make_ops(changed, shape == GP_DETOUR_SHORT, &table);
		differs |= !is_as_table(&module, &table);
	}
	if (!differs)
		verdict(false, "a module with other steps passes as one with the table's");
}

static void leave_out(struct table *t, unsigned int i)
{
	char text[100];

	memmove(&t->v[i], &t->v[i + 1], (t->n - i - 1) * sizeof(t->v[0]));
	t->n--;
	snprintf(text, sizeof(text), "without %s:%u", t->name, i);
	must_be_bad(text);
	must_differ(t);
}

static void exchange(struct table *t, unsigned int a, unsigned int b)
{
	struct gp_step step = t->v[a];
	char text[100];

	if (!memcmp(&t->v[a], &t->v[b], sizeof(step)))
		return;
	snprintf(text, sizeof(text), "%s:%u and %u exchanged", t->name, a, b);
	t->v[a] = t->v[b];
	t->v[b] = step;
	if (may_change_places(t, a, b)) {
		const char *why = explore_all();

		printf("%s %s: harmless, as no sync is between them, and they write different parts\n",
		       why ? "not ok" : "ok", text);
		*(why ? &failed : &passed) += 1;
		reset_tables();
	} else {
		must_be_bad(text);
		must_differ(t);
	}
}

static void run_other_orders(void)
{
	for (unsigned int k = 0; k < N(tables); k++)
		for (unsigned int a = 0; a < tables[k].n; a++) {
			leave_out(&tables[k], a);
			for (unsigned int b = a + 1; b < tables[k].n; b++)
				exchange(&tables[k], a, b);
		}
}

static void run_rules(void)
{
	static const struct {
		const char *what;
		struct rules rules;
	} rows[] = {
		{ "cold blocks restored without a look at threads", { .restores_blindly = true } },
		{ "detours' memory used again without a look", { .frees_blindly = true } },
		{ "looks past what signals have interrupted", { .looks_past_signals = true } },
		{ "looks past who has hit a breakpoint in a cold block",
		  { .looks_past_traps = true } },
		{ "detours' memory used again though a child has it", { .frees_of_child = true } },
		{ "jumps made under a debugger", { .arms_debugged = true } },
		{ "changes without the lock of the mappings", { .unlocked = true } },
		{ "limit: a breakpoint at the POP of an epilogue", { .pop_breakpoint = true } },
		{ "limit: a uprobe at a cold block", { .cold_breakpoint = true } },
		{ "limit: a child with jumps traced by another tool", { .child_traced = true } },
		{ "limit: a fork while somebody's breakpoint is on a jump",
		  { .fork_over_breakpoint = true } },
		{ "limit: a debugger's breakpoint where code changes",
		  { .changed_under_debugger = true } },
		{ "limit: a debugger writes whole words while code changes",
		  { .debugger_words = true } },
	};

	for (unsigned int i = 0; i < N(rows); i++) {
		rules = rows[i].rules;
		must_be_bad(rows[i].what);
		memset(&rules, 0, sizeof(rules));
	}
}

int main(int argc, char **argv)
{
	is_verbose = argc > 1 && !strcmp(argv[1], "--verbose");
	if (argc > 1 + is_verbose) {
		fprintf(stderr, "usage: model [--verbose]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	states_init();
	reset_tables();
	run_tables();
	run_module();
	run_rules();
	run_other_orders();
	printf("%u passed, %u failed, 0 skipped\n", passed, failed);
	return failed != 0;
}
