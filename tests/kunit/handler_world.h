/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites of hits: a point with probes, a session with rings, a goroutine whose
 * memory is as in capture_world.h. The test replaces the processor's clock, the wait for the
 * reader, and the execution of the instruction.
 *
 * Included by suites only, each of which compiles the files under test into itself.
 */
#ifndef HANDLER_WORLD_H
#define HANDLER_WORLD_H

#include <linux/slab.h>
#include <linux/uaccess.h>
#include "../spec_tables.h"

static u32 fake_copy(void *to, unsigned long address, u32 size);

static int windows;	/* onto the target's memory, that are open */
static u32 wrong;	/* reads outside of one, or with page faults enabled; waits out of place */

static bool window_open(unsigned long at, unsigned long size)
{
	if (at > TASK_SIZE_MAX - size)
		return false;
	windows++;
	return true;
}

static bool window_get(void *to, unsigned long at, u32 size)
{
	wrong += windows != 1 || !pagefault_disabled();
	return !fake_copy(to, at, size);
}

#undef user_read_access_begin
#undef user_read_access_end
#undef unsafe_get_user
#define user_read_access_begin(at, size)	window_open((unsigned long)(at), size)
#define user_read_access_end()			(windows--)
#define unsafe_get_user(x, at, label) \
	do { \
		if (!window_get(&(x), (unsigned long)(at), sizeof(*(at)))) \
			goto label; \
	} while (0)

static u32 word_copy(void *to, unsigned long address, u32 size)
{
	wrong += !pagefault_disabled();
	return fake_copy(to, address, size);
}

#define gp_user_copy word_copy

#include "capture_world.h"

/* Writes: into A only, whatever memory is called so. */
static bool fake_writable(unsigned long address)
{
	wrong += !pagefault_disabled();
	return address >= A && address < A + A_SIZE && !unwritable(address);
}

/* How many writes find that the page was unmapped after the check. */
static u32 goes_again;
static unsigned long goes_from, goes_to;

static bool fake_put(unsigned long address, u64 value, u32 size)
{
	if (goes_again && address < goes_to && address + size > goes_from) {
		goes_again--;
		unwritable_from = goes_from;
		unwritable_to = goes_to;
	}
	if (!fake_writable(address) || !fake_writable(address + size - 1))
		return false;
	memcpy(arena + (address - A), &value, size);
	return true;
}

#define gp_user_writable	fake_writable
#define gp_user_put		fake_put

static u64 float_set[GP_ARCH_FLOAT_REGS];
static u32 float_size[GP_ARCH_FLOAT_REGS];

void gp_arch_set_float(u8 index, u64 value, u32 size)
{
	float_set[index] = value;
	float_size[index] = size;
}

#define TLS	0x7f0000001000UL	/* where g is, of code that has it there */
#define PROCESS	77ULL

static u64 ticks, now_ns;

static inline u64 fake_ticks(void)
{
	return ticks;
}

static inline u64 fake_process(const struct task_struct *task, const struct mm_struct *mm)
{
	return PROCESS;
}

static inline u64 fake_ns(void)
{
	return READ_ONCE(now_ns);
}

#define gp_arch_ticks			fake_ticks
#define ktime_get_ns			fake_ns
#define gp_arch_thread_pointer()	(TLS + 8)
#define gp_arch_process			fake_process

/* Kernels differ in what they give to handlers; this is what ours needs. */
#undef GP_UPROBE_HANDLER
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *(uc), struct pt_regs *(regs))

#include "../../kmod/stats/calls.c"
#include "../../kmod/stats/calls_scan.c"
#include "../../kmod/hit/edit.c"
#include "../../kmod/hit/edit_ops.c"
#include "../../kmod/control/filter_build.c"
#include "../../kmod/hit/filter.c"
#include "../../kmod/hit/handler.c"
#include "../../kmod/stats/pending.c"
#include "../../kmod/hit/hit.c"
#include "../../kmod/hit/keyed.c"
#include "../../kmod/hit/noted.c"
#include "../../kmod/stats/keys.c"
#include "../../kmod/stats/goroutine_set.c"
#include "../../kmod/hit/pair.c"
#include "../../kmod/hit/reject.c"
#include "../../kmod/hit/timed.c"
#include "../../kmod/ring/ring.c"
#include "../../kmod/capture/visited.c"
#include "../../kmod/stats/states.c"
#include "../../kmod/stats/remote.c"
#include "../../kmod/stats/tally.c"
#include "../../kmod/hit/notify.c"

#define G	(A + 0x100000)		/* a runtime.g, whose stack is all of A */
#define SP	(A + 0x4000)
#define DEPTH	(A + A_SIZE - SP)
#define WORDS	gp_calls_depth(DEPTH)
#define ADJUST	16			/* the probe's SP is so much below the entry's */
#define GOID	37ULL
#define IP	0x481234UL
#define TIMED	1U			/* ids whose calls are open */
#define PAIRED	2U

static const struct goprobe_runtime rt = {
	.g_reg = 14, .g_tls = -8, .g_stack_lo = 0, .g_stack_hi = 8, .g_goid = 152,
	.g_m = 48, .m_curg = 192, .m_procid = 72,
};

static u8 g_memory[GP_RUNTIME_SPAN], tls[8];

/* Regions of memory, besides A. */
enum { VALUES, IN_G, IN_TLS };

/* Unusual properties of a hit. */
#define NOT_RUNNING	BIT(0)
#define OTHER		BIT(1)	/* another process */
#define RESTART		BIT(2)
#define FAR		BIT(3)	/* g is another stack's */
#define IN_THREAD	BIT(4)	/* g is in TLS */
#define G_ABSENT	BIT(5)
#define G_DENIED	BIT(6)
#define TLS_ABSENT	BIT(7)
#define TLS_DENIED	BIT(8)
#define VALUES_ABSENT	BIT(9)
#define NO_RING		BIT(10)
#define RING_FULL	BIT(11)
#define OPEN		BIT(12)	/* the call has been remembered */
#define NO_CALLS	BIT(13)	/* all calls are open */
#define UNUSUAL_MASK	(BIT(14) - 1)
#define ODD		BIT(14)	/* g is no address of a g */
#define SYSTEM		BIT(15)	/* g has no id */
#define RETURNS		BIT(16)	/* the record is a return's */
#define UNKNOWN		BIT(17)	/* of a return: the call has not been remembered */

#define PROBES	5

static struct gp_session s;
static struct gp_ring **rings, **no_rings;
static struct gp_point point;
static struct gp_probe_set *set;
static struct gp_probe probes[PROBES];
static struct pid *nobody;

static u32 reaps_wanted, served, executed, waited, woken[GP_STREAM_WAKE_NOW + 1];
static u64 counted_before;	/* hits that had been counted when the instruction was executed */
static u32 patience, space_after;
static u32 patience_left;	/* that the hit has, of which all its waits take */

void gp_faultin_serve(struct gp_faultin *f)
{
	wrong += preempt_count() || pagefault_disabled();
	region_of(f->address)->state = HERE;
	ticks += 1000;
	served++;
}

void gp_faultin_serve_write(struct gp_faultin *f)
{
	wrong += preempt_count() || pagefault_disabled() || !unwritable_to;
	if (unwritable(f->address)) {
		unwritable_from = 0;
		unwritable_to = 0;
	}
	served++;
}

/* Whether the breakpoint may leave a process that is not wanted. */
static bool leaves;

bool gp_point_leaves(struct gp_point *the_point)
{
	wrong += preempt_count() || pagefault_disabled() || the_point != &point;
	return leaves;
}

/* Whether the process that hits is in the session's control group. */
static bool in_group;

bool gp_session_has_task(const struct gp_session *session, struct task_struct *t)
{
	return in_group && t == current;
}

void gp_stream_wake(struct gp_session *session, enum gp_stream_wake wake)
{
	woken[wake]++;
}

/* How often notes have been drained. */
static u32 drains;

void gp_stream_drain(struct gp_session *session, u32 cpu)
{
	wrong += preempt_count() || pagefault_disabled();
	drains++;
}

void gp_reap_soon(struct gp_session *session)
{
	reaps_wanted++;
}

static inline void drain_rings(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		rings[cpu]->handed_out = rings[cpu]->head;
		rings[cpu]->tail = rings[cpu]->head;
	}
}

u32 gp_stream_wait_for_space(struct gp_session *session, u32 left)
{
	wrong += preempt_count() || pagefault_disabled() || !left || left != patience_left;
	if (++waited == space_after)
		drain_rings();
	patience_left = waited < patience ? left - 1 : 0;
	return patience_left;
}

/* As gp_session_stats() adds them up. */
static inline void read_stats(u64 stats[__GOPROBE_STAT_MAX])
{
	int cpu, i;

	memset(stats, 0, sizeof(*stats) * __GOPROBE_STAT_MAX);
	for_each_online_cpu(cpu)
		for (i = 0; i < __GOPROBE_STAT_MAX; i++)
			stats[i] += rings[cpu]->stat[i];
	stats[GOPROBE_STAT_LOST_NO_RING] += atomic64_read(&s.no_ring);
	gp_tallies_stats(&s.tallies, stats);
	/* The only one that has a filter. */
	if (probes[0].filter)
		stats[GOPROBE_STAT_FILTERED] += gp_filter_rejected(probes[0].filter);
}

/* Is it one of the counters of which each hit counts in exactly one? */
static inline bool is_of_hits(u32 stat)
{
	return spec_of_hits[stat];
}

static inline u64 all_hits(const u64 stats[__GOPROBE_STAT_MAX])
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		n += is_of_hits(i) ? stats[i] : 0;
	return n;
}

void gp_emulate_hit(struct gp_emulate *e, struct pt_regs *regs)
{
	u64 stats[__GOPROBE_STAT_MAX];

	read_stats(stats);
	counted_before = all_hits(stats);
	executed++;
}

static inline void free_rings(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (rings)
			gp_ring_free(rings[cpu]);
}

static inline int make_rings(struct kunit *test)
{
	int cpu;

	rings = kunit_kcalloc(test, nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	no_rings = kunit_kcalloc(test, nr_cpu_ids, sizeof(*rings), GFP_KERNEL);
	if (!rings || !no_rings)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		rings[cpu] = gp_ring_new(GP_RING_MIN, cpu);
		if (!rings[cpu])
			return -ENOMEM;
	}
	return 0;
}

/* A string, from rax and rdx: the short way is enough for it. */
static inline int make_plan(void)
{
	w->types[0].size = 16;
	w->w.npieces = 2;
	w->pieces[1] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = 1, .size = 8, .frame = 8,
	};
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	return load() || !w->plan->quick ? -EINVAL : 0;
}

static inline int handler_init(struct kunit *test)
{
	int err = capture_init(test);

	memset(&s, 0, sizeof(s));
	gp_tallies_init(&s.tallies);
	rings = NULL;
	set = kunit_kzalloc(test, struct_size(set, probe, PROBES), GFP_KERNEL);
	if (err || !set || make_rings(test) || make_plan() || gp_visited_init())
		return -ENOMEM;
	s.calls = gp_calls_new(GP_CALLS_MIN);
	s.members = gp_goroutine_set_new(4);
	if (!s.calls || !s.members || gp_tallies_add(&s.tallies, TIMED, true) ||
	    gp_tallies_add(&s.tallies, PAIRED, false))
		return -ENOMEM;
	gp_tallies_find(&s.tallies, PAIRED)->paired = true;
	gp_tallies_find(&s.tallies, PAIRED)->counts_open = true;
	s.calls->clock = (struct gp_clock){ .mult = 1 };
	return 0;
}

static inline void handler_exit(struct kunit *test)
{
	gp_calls_free(s.calls);
	gp_goroutine_set_free(s.members);
	gp_tallies_fini(&s.tallies);
	gp_visited_fini();
	gp_visited = NULL;
	free_rings();
	capture_exit(test);
}

/* Paired calls are not timed. */
static inline struct gp_tally *tally_of(enum gp_way way)
{
	return gp_tallies_find(&s.tallies,
			       way == GP_WAY_CALL || way == GP_WAY_END ? PAIRED : TIMED);
}

/* As the session does; calls and returns go one way where g is not in a register. */
static inline void set_way(struct gp_probe *probe, enum gp_way way)
{
	bool timed = way == GP_WAY_ENTER || way == GP_WAY_LEAVE;
	bool ends = way == GP_WAY_LEAVE || way == GP_WAY_END;

	if (timed && (probe->g_reg < 0 || (ends && probe->skip)))
		way = GP_WAY_TIME;
	probe->then = way;
	probe->way = way;
	probe->point_kind = ends ? GOPROBE_POINT_RETURN : GOPROBE_POINT_CALL;
	probe->action = timed ? GOPROBE_ACTION_TIME :
			way == GP_WAY_COUNT ? GOPROBE_ACTION_COUNT : GOPROBE_ACTION_RECORD;
	probe->remembers = !ends && way >= GP_WAY_ENTER;
}

static inline void make_probe(struct gp_probe *probe, enum gp_way way, u32 unusual)
{
	bool returns = unusual & RETURNS;

	*probe = (struct gp_probe){
		.session = &s, .plan = w->plan, .runtime = &rt, .id = 5, .plan_id = 3,
		.record_kind = returns ? GOPROBE_RECORD_RETURN : GOPROBE_RECORD_CALL,
		.stat = returns ? GOPROBE_STAT_RETURNS : GOPROBE_STAT_CALLS,
		.skip = unusual & RESTART ? GOPROBE_SKIP_IF_BE : GOPROBE_SKIP_NEVER,
		.quick = way == GP_WAY_QUICK, .sp_adjust = ADJUST, .address = IP,
		.g_reg = unusual & IN_THREAD ? -1 : offsetof(struct pt_regs, r14),
		.dynamic = &w->dynamic, .tally = tally_of(way), .point = &point,
	};
	set_way(probe, way);
}

static inline void make_memory(u32 unusual)
{
	u64 g = unusual & ODD ? G + 4 : G;
	u64 lo = unusual & FAR ? SP : A, hi = A + A_SIZE;
	u64 goid = unusual & SYSTEM ? 0 : GOID;

	memset(g_memory, 0, sizeof(g_memory));
	memcpy(g_memory + rt.g_stack_lo, &lo, 8);
	memcpy(g_memory + rt.g_stack_hi, &hi, 8);
	memcpy(g_memory + rt.g_goid, &goid, 8);
	memcpy(tls, &g, 8);
	regions[VALUES].state = unusual & VALUES_ABSENT ? ABSENT : HERE;
	regions[IN_G] = (struct region){
		G, sizeof(g_memory), unusual & G_DENIED ? REMOTE :
				     unusual & G_ABSENT ? ABSENT : HERE, g_memory };
	regions[IN_TLS] = (struct region){
		TLS, sizeof(tls), unusual & TLS_DENIED ? REMOTE :
				  unusual & TLS_ABSENT ? ABSENT : HERE, tls };
	nregions = 3;
	w->regs = (struct pt_regs){
		.ip = IP, .sp = SP - ADJUST, .ax = A + 8, .dx = 5,
		.r14 = unusual & IN_THREAD ? 0 : g,
		.flags = unusual & RESTART ? X86_EFLAGS_CF : 0,
	};
}

/* Calls that are open before the hit. */
static inline void make_calls(u32 unusual)
{
	const struct gp_calls_key key = {
		.process = PROCESS, .g = G, .goid = unusual & SYSTEM ? 0 : GOID,
	};
	u32 i;

	gp_calls_home(s.calls, key.process, key.g)->top = NULL;
	atomic_set(&gp_tallies_find(&s.tallies, PAIRED)->open, 0);
	for (i = 0; i < s.calls->npools; i++)
		s.calls->pools[i].free = NULL;
	gp_calls_fill_pools(s.calls, GP_CALLS_MIN);
	if (unusual & (OPEN | NO_CALLS))
		gp_calls_open(s.calls, key, WORDS - 8, tally_of(GP_WAY_LEAVE), 0);
	if (unusual & OPEN)
		gp_calls_open(s.calls, key, WORDS, probes[0].tally, 0);
	for (i = 0; unusual & NO_CALLS && i < s.calls->npools; i++)
		s.calls->pools[i].free = NULL;
}

static inline void make_rings_full(bool full)
{
	int cpu;

	drain_rings();
	for_each_online_cpu(cpu)
		if (full)
			rings[cpu]->head += rings[cpu]->size;
}

/* The world before a hit of one probe. */
static inline void make(enum gp_way way, u32 unusual)
{
	make_probe(&probes[0], way, unusual);
	set->n = 1;
	set->probe[0] = &probes[0];
	RCU_INIT_POINTER(point.set, set);
	point.execute.by = GP_EXECUTOR_KERNEL;
	make_memory(unusual);
	make_calls(unusual);
	make_rings_full(unusual & RING_FULL);
	s.rings = unusual & NO_RING ? no_rings : rings;
	s.running = !(unusual & NOT_RUNNING);
	s.pids = &nobody;
	s.npids = unusual & OTHER ? 1 : 0;
	leaves = true;
	s.lossless = false;
	s.stalled = false;
	atomic_set(&s.armed, GP_STREAM_READING);
	memset(woken, 0, sizeof(woken));
	served = 0;
	executed = 0;
	waited = 0;
	patience = 0;
	space_after = 0;
	windows = 0;
	wrong = 0;
}

static u64 before[__GOPROBE_STAT_MAX], after[__GOPROBE_STAT_MAX];

static inline u64 counted(u32 stat)
{
	return after[stat] - before[stat];
}

/* The breakpoint leaves a process that nobody wants; the hit of one may have found no ring. */
static inline bool returned(int ret)
{
	bool other = counted(GOPROBE_STAT_OTHER_PROCESS);

	return other ? ret == (leaves ? UPROBE_HANDLER_REMOVE : 0) :
	       !ret || (leaves && s.npids && s.rings == no_rings);
}

/* Return: all is as it should be after any hit. */
static inline bool hit(void)
{
	int depth = preempt_count(), ret;
	struct pt_regs regs = w->regs;

	read_stats(before);
	reaps_wanted = 0;
	patience_left = GP_STREAM_PATIENCE;
	ret = gp_handler_hit(&point.uc, &w->regs);
	read_stats(after);
	return returned(ret) && preempt_count() == depth && !pagefault_disabled() && !windows &&
	       !wrong && !memcmp(&regs, &w->regs, sizeof(regs)) &&
	       (s.rings == no_rings || reaps_wanted == counted(GOPROBE_STAT_NO_SPACE) +
						       counted(GOPROBE_STAT_SET_FULL));
}

/* The only record in the rings, or the first one. */
static inline const struct goprobe_record *first_record(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (gp_ring_used(rings[cpu]))
			return (const void *)gp_ring_first(rings[cpu]);
	return NULL;
}

#endif
