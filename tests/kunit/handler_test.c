// SPDX-License-Identifier: GPL-2.0
/*
 * A hit, from the consumer to its counter: whatever is unusual, each probe counts it
 * once, as what it was. Memory is as in capture_world.h; the processor's clock, the
 * reader that is waited for and who executes the instruction are the test's.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

static u32 fake_copy(void *to, unsigned long address, u32 size);

static int windows;	/* onto the target's memory, that are open */
static u32 wrong;	/* reads outside of one, or with page faults enabled */

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

#include "capture_world.h"

static u32 word_copy(void *to, unsigned long address, u32 size)
{
	wrong += !pagefault_disabled();
	return fake_copy(to, address, size);
}

#undef gp_user_copy
#define gp_user_copy word_copy

#define TLS	0x7f0000001000UL	/* where g is, of code that has it there */
#define PROCESS	77ULL

static u64 ticks;

static inline u64 fake_ticks(void)
{
	return ticks;
}

static inline u64 fake_process(const struct task_struct *task, const struct mm_struct *mm)
{
	return PROCESS;
}

#define gp_arch_ticks			fake_ticks
#define gp_arch_thread_pointer()	(TLS + 8)
#define gp_arch_process			fake_process

/* Kernels differ in what they give to handlers; this is what ours needs. */
#undef GP_UPROBE_HANDLER
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *(uc), struct pt_regs *(regs))

#include "../../kmod/calls.c"
#include "../../kmod/handler.c"
#include "../../kmod/ring.c"
#include "../../kmod/seen.c"
#include "../../kmod/tally.c"

#define G	(A + 0x100000)		/* a runtime.g, whose stack is all of A */
#define SP	(A + 0x4000)
#define DEPTH	(A + A_SIZE - SP)
#define ADJUST	16			/* the probe's SP is so much below the entry's */
#define GOID	37ULL
#define IP	0x481234UL

static const struct goprobe_runtime rt = {
	.g_reg = 14, .g_tls = -8, .g_stack_lo = 0, .g_stack_hi = 8, .g_goid = 152,
	.g_m = 48, .m_curg = 192,
};

static u8 g_memory[GP_RUNTIME_SPAN], tls[8];

/* Regions of memory, besides A. */
enum { VALUES, IN_G, IN_TLS };

/* What is unusual about a hit. */
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

#define WAYS	(GP_WAY_LEAVE + 1)

static struct gp_session s;
static struct gp_ring **rings, **no_rings;
static struct gp_point point;
static struct gp_probe_set *set;
static struct gp_probe probes[WAYS];
static struct pid *nobody;

static u32 served, executed, waited, woken[GP_STREAM_WAKE_NOW + 1];
static u64 counted_before;	/* hits that had been counted when the instruction was executed */
static u32 patience, room_after;

void gp_faultin_serve(struct gp_faultin *f)
{
	region_of(f->address)->state = HERE;
	ticks += 1000;
	served++;
}

void gp_stream_wake(struct gp_session *session, enum gp_stream_wake wake)
{
	woken[wake]++;
}

static void drain_rings(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		gp_ring_consume(rings[cpu], rings[cpu]->head - rings[cpu]->tail);
}

bool gp_stream_wait_for_room(struct gp_session *session)
{
	if (++waited == room_after)
		drain_rings();
	return waited < patience;
}

/* As gp_session_stats() adds them up. */
static void read_stats(u64 stats[__GOPROBE_STAT_MAX])
{
	int cpu, i;

	memset(stats, 0, sizeof(*stats) * __GOPROBE_STAT_MAX);
	for_each_online_cpu(cpu)
		for (i = 0; i < __GOPROBE_STAT_MAX; i++)
			stats[i] += rings[cpu]->stat[i];
	stats[GOPROBE_STAT_LOST_NO_RING] += atomic64_read(&s.no_ring);
	gp_tallies_stats(&s.tallies, stats);
}

/* Is it one of the counters of which each hit counts in exactly one? */
static bool is_of_hits(u32 stat)
{
	return stat != GOPROBE_STAT_FAULT_INS && stat != GOPROBE_STAT_WAITS &&
	       stat != GOPROBE_STAT_WAIT_NS;
}

static u64 all_hits(const u64 stats[__GOPROBE_STAT_MAX])
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		n += is_of_hits(i) ? stats[i] : 0;
	return n;
}

void gp_execute_hit(struct gp_execute *e, struct pt_regs *regs)
{
	u64 stats[__GOPROBE_STAT_MAX];

	read_stats(stats);
	counted_before = all_hits(stats);
	executed++;
}

static void free_rings(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (rings)
			gp_ring_free(rings[cpu]);
}

static int make_rings(struct kunit *test)
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
static int make_plan(void)
{
	w->types[0].size = 16;
	w->w.npieces = 2;
	w->pieces[1] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = 1, .size = 8, .frame = 8,
	};
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	return load() || !w->plan->quick ? -EINVAL : 0;
}

static int handler_init(struct kunit *test)
{
	int err = capture_init(test);

	memset(&s, 0, sizeof(s));
	gp_tallies_init(&s.tallies);
	rings = NULL;
	set = kunit_kzalloc(test, struct_size(set, probe, WAYS), GFP_KERNEL);
	if (err || !set || make_rings(test) || make_plan() || gp_seen_init())
		return -ENOMEM;
	s.calls = gp_calls_new(GP_CALLS_MIN);
	if (!s.calls || gp_tallies_add(&s.tallies, 1, true))
		return -ENOMEM;
	s.calls->clock = (struct gp_clock){ .mult = 1 };
	return 0;
}

static void handler_exit(struct kunit *test)
{
	gp_calls_free(s.calls);
	gp_tallies_fini(&s.tallies);
	gp_seen_fini();
	gp_seen = NULL;
	free_rings();
	capture_exit(test);
}

static void make_probe(struct gp_probe *probe, enum gp_way way, u32 unusual)
{
	bool returns = unusual & RETURNS;

	*probe = (struct gp_probe){
		.session = &s, .plan = w->plan, .runtime = &rt, .id = 5, .plan_id = 3,
		.record_kind = returns ? GOPROBE_RECORD_RETURN : GOPROBE_RECORD_CALL,
		.stat = returns ? GOPROBE_STAT_RETURNS : GOPROBE_STAT_CALLS,
		.skip = unusual & RESTART ? GOPROBE_SKIP_IF_BE : GOPROBE_SKIP_NEVER,
		.way = way, .sp_adjust = ADJUST, .address = IP,
		.g_reg = unusual & IN_THREAD ? -1 : offsetof(struct pt_regs, r14),
		.dynamic = &w->dynamic, .tally = gp_tallies_find(&s.tallies, 1),
	};
}

static void make_memory(u32 unusual)
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
static void make_calls(u32 unusual)
{
	const struct gp_calls_key key = {
		.process = PROCESS, .g = G, .goid = unusual & SYSTEM ? 0 : GOID,
	};
	u32 i;

	gp_calls_home(s.calls, key.process, key.g)->top = NULL;
	for (i = 0; i < s.calls->npools; i++)
		s.calls->pools[i].free = NULL;
	gp_calls_fill_pools(s.calls, GP_CALLS_MIN);
	if (unusual & (OPEN | NO_CALLS))
		gp_calls_enter(s.calls, key, DEPTH - 64, probes[0].tally);
	if (unusual & OPEN)
		gp_calls_enter(s.calls, key, DEPTH, probes[0].tally);
	for (i = 0; unusual & NO_CALLS && i < s.calls->npools; i++)
		s.calls->pools[i].free = NULL;
}

static void make_rings_full(bool full)
{
	int cpu;

	drain_rings();
	for_each_online_cpu(cpu)
		if (full)
			rings[cpu]->head += rings[cpu]->size;
}

/* The world before a hit of one probe. */
static void make(enum gp_way way, u32 unusual)
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
	s.lossless = false;
	s.stalled = false;
	atomic_set(&s.armed, GP_STREAM_READING);
	memset(woken, 0, sizeof(woken));
	served = 0;
	executed = 0;
	waited = 0;
	patience = 0;
	room_after = 0;
	windows = 0;
	wrong = 0;
}

static u64 before[__GOPROBE_STAT_MAX], after[__GOPROBE_STAT_MAX];

static u64 counted(u32 stat)
{
	return after[stat] - before[stat];
}

/* Return: all is as it should be after any hit. */
static bool hit(void)
{
	int depth = preempt_count(), ret;
	struct pt_regs regs = w->regs;

	read_stats(before);
	ret = gp_handler_hit(&point.uc, &w->regs);
	read_stats(after);
	return !ret && preempt_count() == depth && !pagefault_disabled() && !windows &&
	       !wrong && !memcmp(&regs, &w->regs, sizeof(regs));
}

/* The only record in the rings, or the first one. */
static const struct goprobe_record *first_record(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (gp_ring_used(rings[cpu]))
			return (const void *)gp_ring_first(rings[cpu]);
	return NULL;
}

/* The ways that a row is of. */
#define QUICK	BIT(GP_WAY_QUICK)
#define GENERAL	BIT(GP_WAY_GENERAL)
#define COUNT	BIT(GP_WAY_COUNT)
#define ENTER	BIT(GP_WAY_ENTER)
#define LEAVE	BIT(GP_WAY_LEAVE)
#define RECORD	(QUICK | GENERAL)
#define TIME	(ENTER | LEAVE)
#define ALL	(RECORD | COUNT | TIME)

/* What a hit counts as if nothing is wrong. */
#define WELL	__GOPROBE_STAT_MAX

static enum goprobe_stat well(enum gp_way way)
{
	switch (way) {
	case GP_WAY_COUNT:
		return GOPROBE_STAT_COUNTED;
	case GP_WAY_ENTER:
		return GOPROBE_STAT_OPENED;
	case GP_WAY_LEAVE:
		return GOPROBE_STAT_TIMED;
	default:
		return GOPROBE_STAT_CALLS;
	}
}

struct hit_case {
	const char *claim;
	u32 ways;
	u32 unusual;
	enum goprobe_stat want;
};

static const struct hit_case hit_cases[] = {
	{ "nothing unusual", ALL, 0, WELL },
	{ "a record of a return", RECORD, RETURNS, GOPROBE_STAT_RETURNS },
	{ "not started", ALL & ~LEAVE, NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
	{ "not started, and no call to end", LEAVE, NOT_RUNNING | UNKNOWN,
	  GOPROBE_STAT_NOT_STARTED },
	{ "another process", ALL & ~LEAVE, OTHER, GOPROBE_STAT_OTHER_PROCESS },
	{ "another process, and no call to end", LEAVE, OTHER | UNKNOWN,
	  GOPROBE_STAT_OTHER_PROCESS },
	{ "a start that is no call", ALL, RESTART, GOPROBE_STAT_RESTARTS },
	{ "no goroutine", RECORD | COUNT, FAR, WELL },
	{ "no goroutine to time", TIME, FAR, GOPROBE_STAT_NO_GOROUTINE },
	{ "a g that is none", RECORD | COUNT, ODD, WELL },
	{ "a g that is none, to time", TIME, ODD, GOPROBE_STAT_NO_GOROUTINE },
	{ "a g that is absent", RECORD | TIME, G_ABSENT, WELL },
	{ "a g that can't be had", RECORD | COUNT, G_DENIED, WELL },
	{ "a g that can't be had, to time", TIME, G_DENIED, GOPROBE_STAT_NO_GOROUTINE },
	{ "a system stack", TIME, SYSTEM, WELL },
	{ "g in TLS", GENERAL | COUNT | TIME, IN_THREAD, WELL },
	{ "g in TLS, not started", GENERAL | COUNT | ENTER, IN_THREAD | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "g in TLS, not started, and no call to end", LEAVE,
	  IN_THREAD | NOT_RUNNING | UNKNOWN, GOPROBE_STAT_NOT_STARTED },
	{ "g in TLS, another process", GENERAL | COUNT | ENTER, IN_THREAD | OTHER,
	  GOPROBE_STAT_OTHER_PROCESS },
	{ "g in TLS, another process, and no call to end", LEAVE,
	  IN_THREAD | OTHER | UNKNOWN, GOPROBE_STAT_OTHER_PROCESS },
	{ "g in TLS, a start that is no call", GENERAL | COUNT | TIME, IN_THREAD | RESTART,
	  GOPROBE_STAT_RESTARTS },
	{ "g in TLS, no goroutine", GENERAL | COUNT, IN_THREAD | FAR, WELL },
	{ "g in TLS, no goroutine to time", TIME, IN_THREAD | FAR,
	  GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, which is absent", GENERAL | TIME, IN_THREAD | TLS_ABSENT, WELL },
	{ "g in TLS, which can't be had", GENERAL | COUNT, IN_THREAD | TLS_DENIED, WELL },
	{ "g in TLS, which can't be had, to time", TIME, IN_THREAD | TLS_DENIED,
	  GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, both absent", GENERAL | TIME, IN_THREAD | TLS_ABSENT | G_ABSENT, WELL },
	{ "values that are absent", RECORD, VALUES_ABSENT, WELL },
	{ "no room in the ring", RECORD, RING_FULL, GOPROBE_STAT_LOST_RING_FULL },
	{ "no room in the ring, not started", RECORD, RING_FULL | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "no room in the ring, which nobody needs", COUNT | TIME, RING_FULL, WELL },
	{ "no ring", RECORD, NO_RING, GOPROBE_STAT_LOST_NO_RING },
	{ "no ring, which nobody needs", COUNT | TIME, NO_RING, WELL },
	{ "no calls left", ENTER, NO_CALLS, GOPROBE_STAT_NO_ROOM },
	{ "no calls left, not started", ENTER, NO_CALLS | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "no calls left, which nobody needs", RECORD | COUNT | LEAVE, NO_CALLS, WELL },
	{ "in place of a call that has not returned", ENTER, OPEN, WELL },
	{ "no call to end", LEAVE, UNKNOWN, GOPROBE_STAT_NO_CALL },
	{ "no call to end, as there was none left", LEAVE, UNKNOWN | NO_CALLS,
	  GOPROBE_STAT_NO_CALL },
	{ "g in TLS, no call to end", LEAVE, IN_THREAD | UNKNOWN, GOPROBE_STAT_NO_CALL },
};

static void hit_desc(const struct hit_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hit, hit_cases, hit_desc);

static void a_hit_counts_as_what_it_was(struct kunit *test)
{
	const struct hit_case *c = test->param_value;
	u32 way, i;

	for (way = 0; way < WAYS; way++) {
		enum goprobe_stat want = c->want == WELL ? well(way) : c->want;
		bool record = want == GOPROBE_STAT_CALLS || want == GOPROBE_STAT_RETURNS;
		u32 absent = c->unusual & (G_ABSENT | TLS_ABSENT | VALUES_ABSENT);

		if (!(c->ways & BIT(way)))
			continue;
		make(way, c->unusual | (BIT(way) == LEAVE && !(c->unusual & UNKNOWN) ? OPEN : 0));
		KUNIT_EXPECT_TRUE_MSG(test, hit(), "way %u", way);
		for (i = 0; i < __GOPROBE_STAT_MAX; i++)
			if (is_of_hits(i))
				KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
						    "way %u, counter %u", way, i);
		KUNIT_EXPECT_EQ_MSG(test, !!first_record(), record || c->unusual & RING_FULL,
				    "way %u", way);
		KUNIT_EXPECT_EQ_MSG(test, served, hweight32(absent), "way %u", way);
		KUNIT_EXPECT_EQ_MSG(test, counted(GOPROBE_STAT_FAULT_INS),
				    BIT(way) & RECORD ? (u64)served : 0ULL, "way %u", way);
		KUNIT_EXPECT_EQ(test, executed, 0U);
	}
}

static void whatever_comes_together_a_hit_counts_once(struct kunit *test)
{
	u32 unusual, way, i, seen_stats = 0;

	for (way = 0; way < WAYS; way++) {
		for (unusual = 0; unusual <= UNUSUAL_MASK; unusual++) {
			/* That is what the short way is not for. */
			if (way == GP_WAY_QUICK && unusual & IN_THREAD)
				continue;
			make(way, unusual);
			KUNIT_ASSERT_TRUE_MSG(test, hit(), "way %u, 0x%x", way, unusual);
			KUNIT_ASSERT_EQ_MSG(test, all_hits(after) - all_hits(before), 1ULL,
					    "way %u, 0x%x", way, unusual);
			for (i = 0; i < __GOPROBE_STAT_MAX; i++)
				seen_stats |= is_of_hits(i) && counted(i) ? BIT(i) : 0;
		}
		cond_resched();
	}
	/* All but returns, which make no difference. */
	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, !!(seen_stats & BIT(i)),
				    is_of_hits(i) && i != GOPROBE_STAT_RETURNS,
				    "counter %u", i);
}

static void each_probe_of_a_point_counts_before_the_instruction_goes_on(struct kunit *test)
{
	u32 i;

	make(GP_WAY_QUICK, OPEN);
	for (i = 0; i < WAYS; i++) {
		make_probe(&probes[i], WAYS - 1 - i, 0);
		set->probe[i] = &probes[i];
	}
	set->n = WAYS;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), (u64)WAYS);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_TIMED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OPENED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_COUNTED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 2ULL);
	KUNIT_EXPECT_EQ(test, executed, 0U);

	point.execute.by = GP_EXECUTOR_HANDLER;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, executed, 1U);
	KUNIT_EXPECT_EQ(test, counted_before, all_hits(after));
	set->n = 1;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, executed, 2U);
	KUNIT_EXPECT_EQ(test, counted_before, all_hits(after));
}

/* Ticks of all calls that have been timed so far. */
static u64 all_ticks(void)
{
	static u64 buckets[GOPROBE_BUCKETS];
	struct goprobe_tally tally;

	gp_tally_read(gp_tallies_find(&s.tallies, 1), 1, &tally, buckets);
	return tally.sum;
}

static void what_a_hit_waits_for_is_not_part_of_the_call(struct kunit *test)
{
	u32 kinds[] = { 0, G_ABSENT, IN_THREAD, IN_THREAD | TLS_ABSENT | G_ABSENT }, i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u64 sum = all_ticks();

		make(GP_WAY_ENTER, kinds[i]);
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OPENED), 1ULL);
		ticks += 300;
		make_memory(kinds[i]);
		probes[0].way = GP_WAY_LEAVE;
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_TIMED), 1ULL);
		KUNIT_EXPECT_EQ(test, all_ticks() - sum, 300ULL);
	}
}

static void both_ways_write_the_same_record(struct kunit *test)
{
	u32 size = sizeof(struct goprobe_record) + 16 + HDR + 8;
	struct goprobe_record *quick = (void *)w->again, *general = (void *)w->to;

	make(GP_WAY_QUICK, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	KUNIT_ASSERT_EQ(test, first_record()->words * 8, size);
	memcpy(quick, first_record(), size);
	make(GP_WAY_GENERAL, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	memcpy(general, first_record(), size);
	general->time = quick->time;
	KUNIT_EXPECT_EQ(test, memcmp(quick, general, size), 0);
	KUNIT_EXPECT_EQ(test, (u32)quick->kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, (u32)quick->flags, 0U);
	KUNIT_EXPECT_EQ(test, quick->id, 5U);
	KUNIT_EXPECT_EQ(test, quick->plan, 3U);
	KUNIT_EXPECT_EQ(test, quick->tgid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, quick->tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, quick->goid, GOID);
	KUNIT_EXPECT_EQ(test, quick->depth, DEPTH / 8);
	KUNIT_EXPECT_EQ(test, quick->ip, (u64)IP);
	KUNIT_EXPECT_EQ(test, *(u64 *)(quick + 1), (u64)w->regs.ax);
	KUNIT_EXPECT_EQ(test, *((u64 *)(quick + 1) + 1), 5ULL);
}

struct wait_case {
	const char *claim;
	u32 patience;	/* after so many waits it is given up */
	u32 room_after;	/* so many waits */
	bool stalled;
	u32 waits;
	enum goprobe_stat want;
};

static const struct wait_case wait_cases[] = {
	{ "room at once", 9, 1, false, 1, GOPROBE_STAT_CALLS },
	{ "room that others have taken before", 9, 3, false, 3, GOPROBE_STAT_CALLS },
	{ "room at the last moment", 1, 1, false, 1, GOPROBE_STAT_CALLS },
	{ "no room", 2, 0, false, 2, GOPROBE_STAT_LOST_RING_FULL },
	{ "a reader that is known to be gone", 9, 1, true, 0, GOPROBE_STAT_LOST_RING_FULL },
};

static void wait_desc(const struct wait_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wait, wait_cases, wait_desc);

static void who_waits_for_room_counts_once(struct kunit *test)
{
	const struct wait_case *c = test->param_value;
	u32 way;

	for (way = GP_WAY_QUICK; way <= GP_WAY_GENERAL; way++) {
		make(way, RING_FULL);
		s.lossless = true;
		s.stalled = c->stalled;
		patience = c->patience;
		room_after = c->room_after;
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, waited, c->waits);
		KUNIT_EXPECT_EQ(test, counted(c->want), 1ULL);
		KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
	}
}

/* Which CPU it is makes no difference: all of them have lost one. */
static void a_loss_is_told_before_the_next_record(struct kunit *test)
{
	const struct goprobe_record *rec;
	int cpu;

	make(GP_WAY_QUICK, 0);
	for_each_online_cpu(cpu)
		gp_ring_lose(rings[cpu], GOPROBE_LOST_RING_FULL, GOPROBE_STAT_LOST_RING_FULL);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 1ULL);
	KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
	rec = first_record();
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, (u32)rec->kind, (u32)GOPROBE_RECORD_LOST);
	rec = (const void *)rec + rec->words * 8;
	KUNIT_EXPECT_EQ(test, (u32)rec->kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, rec->goid, GOID);
}

static void only_a_reader_that_waits_is_woken(struct kunit *test)
{
	int cpu;

	make(GP_WAY_QUICK, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON] + woken[GP_STREAM_WAKE_NOW], 0U);
	atomic_set(&s.armed, GP_STREAM_WAITING);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON], 1U);
	for_each_online_cpu(cpu)
		rings[cpu]->head += rings[cpu]->size / 4;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON], 1U);
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_NOW], 1U);

	make(GP_WAY_COUNT, 0);
	atomic_set(&s.armed, GP_STREAM_WAITING);
	KUNIT_EXPECT_TRUE(test, hit());
	probes[0].way = GP_WAY_ENTER;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON] + woken[GP_STREAM_WAKE_NOW], 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_hit_counts_as_what_it_was, hit_gen_params),
	KUNIT_CASE(whatever_comes_together_a_hit_counts_once),
	KUNIT_CASE(each_probe_of_a_point_counts_before_the_instruction_goes_on),
	KUNIT_CASE(what_a_hit_waits_for_is_not_part_of_the_call),
	KUNIT_CASE(both_ways_write_the_same_record),
	KUNIT_CASE_PARAM(who_waits_for_room_counts_once, wait_gen_params),
	KUNIT_CASE(a_loss_is_told_before_the_next_record),
	KUNIT_CASE(only_a_reader_that_waits_is_woken),
	{}
};

static struct kunit_suite suite = {
	.name = "handler",
	.init = handler_init,
	.exit = handler_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hits: KUnit suite");
