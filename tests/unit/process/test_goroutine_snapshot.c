// SPDX-License-Identifier: GPL-2.0
/* Snapshots of goroutines: a runtime.g in own memory, at rest or changed by a thread. */
#include "rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "gobin/runtime_layout.h"
#include "process/goroutine_snapshot.h"

#define WORDS 64
#define LOOKS 1000000U

static uint64_t labels[2];	/* data, length */

static const struct row {
	const char *name;
	uint32_t status;
	bool there;
	bool consistent;
	size_t n;
	bool labels;
	/* A thread changes this meanwhile. */
	enum { NOTHING, TURNS, GOID, LABELS } changes;
	/* The fault of the stack. */
	enum { GOOD, NO_SP, NO_PC } stack;
} cases[] = {
	{ "a goroutine at rest is consistent", GOROUTINE_WAITING, true, true, 1 },
	{ "so it is with labels", GOROUTINE_WAITING, true, true, 1, true },
	{ "so is a runnable one", GOROUTINE_RUNNABLE, true, true, 1 },
	{ "one that runs has no stack", GOROUTINE_RUNNING, true, true, 0 },
	{ "labels of one that runs are not certain", GOROUTINE_RUNNING, true, false, 0, true },
	{ "a dead goroutine has no snapshot", GOROUTINE_DEAD, false },
	{ "one whose stack is being moved is torn", 8, true, false, 0 },
	{ "of one that runs now and then some looks are torn", GOROUTINE_WAITING, true, false, 1,
	  .changes = TURNS },
	{ "labels that are readable in one look of two make it torn", GOROUTINE_WAITING, true,
	  false, 1, true, .changes = LABELS },
	{ "another one in its place makes it torn", GOROUTINE_RUNNING, true, false, 0,
	  .changes = GOID },
	{ "one with SP outside of its stack is torn", GOROUTINE_WAITING, true, false, 0,
	  .stack = NO_SP },
	{ "one whose stack leads nowhere is torn", GOROUTINE_WAITING, true, false, 0,
	  .stack = NO_PC },
};

static struct gobin *bin;
static struct goroutine_snapshot_reader reader;
static struct goroutine_snapshot snap;
static uint64_t g[WORDS], stack[WORDS];
static atomic_bool stop;

static void set(uint32_t at, uint64_t value)
{
	memcpy((uint8_t *)g + at, &value, sizeof(value));
}

static void *change_turns(void *unused)
{
	volatile uint8_t *turns = (uint8_t *)g + reader.r.turns;

	while (!atomic_load(&stop))
		++*turns;
	return unused;
}

static void *change_goid(void *unused)
{
	volatile uint64_t *goid = &g[gobin_runtime(bin)->g_goid / 8];

	while (!atomic_load(&stop))
		++*goid;
	return unused;
}

/* A set of one label more than the limit cannot be read. */
static void *change_labels(void *unused)
{
	volatile uint64_t *n = &labels[1];

	while (!atomic_load(&stop))
		*n ^= GOROUTINE_LABELS_MAX + 1;
	*n = 0;
	return unused;
}

static void *(*const changers[])(void *) = {
	[TURNS] = change_turns, [GOID] = change_goid, [LABELS] = change_labels,
};

static void make_g(const struct row *row)
{
	const struct runtime_layout_g *l = &runtime_layout_get(gobin_go_minor(bin))->g;
	const struct goprobe_runtime *rt = gobin_runtime(bin);
	uint64_t sp = (uintptr_t)&stack[WORDS - 4];

	memset(g, 0, sizeof(g));
	set(rt->g_goid, 7);
	set(rt->g_stack_lo, (uintptr_t)stack);
	set(rt->g_stack_hi, (uintptr_t)&stack[WORDS]);
	set(l->sp, row->stack == NO_SP ? (uintptr_t)&stack[WORDS] : sp);
	set(l->pc, row->stack == NO_PC ? 8 : bins_func(bin, "runtime.goexit")->entry + 1);
	set(l->labels, row->labels ? (uintptr_t)labels : 0);
	memcpy((uint8_t *)g + l->status, &row->status, sizeof(row->status));
}

ROWS(test_row, cases)
{
	const struct row *row = *state;
	pthread_t thread;

	make_g(row);
	atomic_store(&stop, false);
	if (row->changes)
		assert_int_equal(pthread_create(&thread, NULL, changers[row->changes], NULL), 0);
	/* The thread does not run all the time: of a look when it does not, all is certain. */
	for (unsigned int looks = 0; looks < LOOKS; looks++) {
		assert_int_equal(goroutine_snapshot_read(&reader, (uintptr_t)g, &snap), row->there);
		if (!row->changes || !snap.consistent)
			break;
	}
	atomic_store(&stop, true);
	if (row->changes)
		pthread_join(thread, NULL);
	if (!row->there)
		return;
	assert_int_equal(snap.consistent, row->consistent);
	assert_int_equal(snap.n, row->n);
	if (!row->changes)
		assert_int_equal(snap.gr.goid, 7);
}

static int set_up(void **state)
{
	struct diag d = { 0 };

	(void)state;
	bin = bins_newest("");
	reader.labels = true;
	reader.layout = PPROF_LABELS_SLICE;
	reader.r.bin = bin;
	reader.r.m.pid = getpid();
	return goroutine_reader_find_turns(&reader.r, &d);
}

static int tear_down(void **state)
{
	(void)state;
	gobin_free(bin);
	return 0;
}

AROUND_ALL(set_up, tear_down)
