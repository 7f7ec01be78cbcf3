// SPDX-License-Identifier: GPL-2.0
/*
 * Which points of a session become jumps, and when.
 *
 * A hit of a breakpoint costs the same whether or not there are jumps: it counts. Now and then a
 * worker looks at the counters: a point with many hits is worth a jump.
 *
 * Locking: the worker takes the session's turn, if it is free; otherwise it tries again later. So
 * the holder of the turn never waits for it.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "capture/plan.h"
#include "compat.h"
#include "control/filter_build.h"
#include "control/session_stats.h"
#include "control/trapless.h"
#include "gfp.h"
#include "hit/filter.h"
#include "hit/noted.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "jump/notebook.h"
#include "jump/text.h"
#include "session/file.h"
#include "session/jumps.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/tally.h"

/* Number of hits that make a breakpoint worth a jump. */
#define GP_TRAPLESS_HITS	100

/*
 * Interval of the worker while breakpoints are hit. It doubles with each pass that finds no hit, up
 * to GP_TRAPLESS_CARE_MS. The worker rests longer than a pass took, by a factor: it takes a tenth
 * of a processor at most. A pass looks at all threads of the processes: gp_text_refuses().
 */
#define GP_TRAPLESS_MS		20
#define GP_TRAPLESS_REST	10

/* How often it looks after jumps. */
#define GP_TRAPLESS_CARE_MS	1000

/* So long points become jumps at a time: commands of the session, and its end, wait. */
#define GP_TRAPLESS_TURN_NS	(100 * NSEC_PER_MSEC)

/* Operations of a filter that a drain evaluates: for all notes of a CPU, with preemption off. */
#define GP_TRAPLESS_OPS		128

static bool gp_trapless_param;
module_param_named(allow_jumps, gp_trapless_param, bool, 0444);
MODULE_PARM_DESC(allow_jumps, "let clients have breakpoints replaced by jumps to code that is written into the program (default: N)");

bool gp_trapless_allowed(void)
{
	return gp_trapless_param;
}

/* The test as a detour makes it. Return: false if none can. */
static bool gp_trapless_test(struct gp_detour_test *to, const struct gp_test *t)
{
	u8 reg;

	if (t->loads)
		return false;
	for (reg = 0; reg < GP_ARCH_INT_REGS; reg++)
		if (gp_arch_reg_offset[reg] == t->from)
			break;
	/* Detours use R12 and R13 themselves. */
	if (reg == GP_ARCH_INT_REGS || reg == 12 || reg == 13)
		return false;
	*to = (struct gp_detour_test){
		.reg = reg, .shift = t->shift, .want = t->want, .mul = t->mul,
		.low = t->low, .span = t->span,
	};
	return true;
}

static bool gp_trapless_tests(struct gp_jump_plan *plan, const struct gp_filter *filter)
{
	u32 i;

	BUILD_BUG_ON(GP_FILTER_TESTS > GP_DETOUR_TESTS);
	if (!filter->njumped)
		return false;
	for (i = 0; i < filter->njumped; i++)
		if (!gp_trapless_test(&plan->test[i], &filter->test[i]))
			return false;
	plan->ntests = i;
	return true;
}

/* Does the probe leave records that do not depend on others? */
static bool gp_trapless_leaves_records(const struct gp_probe *probe)
{
	return (probe->then == GP_WAY_QUICK || probe->then == GP_WAY_GENERAL) && !probe->remembers;
}

/* Are registers in the record that detours use? */
static bool gp_trapless_shows_ours(const struct gp_plan *plan)
{
	u16 r12 = gp_arch_int_reg(12), r13 = gp_arch_int_reg(13);
	u32 i;

	for (i = 0; plan && i < plan->npieces; i++)
		if (plan->pieces[i].source == GOPROBE_FROM_INT_REG &&
		    (plan->pieces[i].from == r12 || plan->pieces[i].from == r13))
			return true;
	for (i = 0; plan && i < plan->w.nops; i++)
		if (plan->ops[i].code == GOPROBE_OP_REG &&
		    (plan->ops[i].b == r12 || plan->ops[i].b == r13))
			return true;
	return false;
}

/* Are there only integers in registers in records of that plan, or NULL, as many as a note has? */
static bool gp_trapless_is_flat(const struct gp_plan *record)
{
	u32 i;

	if (!record)
		return true;
	if (record->w.nops || record->w.nstack || record->frame->nwipes ||
	    (record->w.depth && record->frame->nrefs) || record->npieces > GP_DETOUR_WORDS ||
	    record->frame_bytes > GP_DETOUR_WORDS * sizeof(u64))
		return false;
	for (i = 0; i < record->npieces; i++)
		if (record->pieces[i].source != GOPROBE_FROM_INT_REG ||
		    record->pieces[i].size > sizeof(u64))
			return false;
	return true;
}

/* The registers of a flat record as a note has them. Return: false if detours change one. */
static bool gp_trapless_note_frame(struct gp_jump_plan *plan, const struct gp_plan *record)
{
	struct gp_note_point *note = &plan->note;
	const struct gp_piece *p;
	u8 reg;
	u32 i;

	for (i = 0; i < record->npieces; i++) {
		p = &record->pieces[i];
		for (reg = 0; gp_arch_reg_offset[reg] != p->from; reg++)
			;
		if (!gp_detour_can_note(&plan->site, reg))
			return false;
		plan->word[i] = reg;
		note->part[i].frame = p->frame;
		note->part[i].size = p->size;
		note->in_parts |= p->size != sizeof(u64) || p->frame != i * sizeof(u64);
	}
	note->words = record->npieces;
	note->noted = note->words;
	note->in_parts |= record->frame_bytes != note->words * sizeof(u64);
	note->size += record->frame_bytes;
	return true;
}

/* Do detours find the goroutine? They have g in R14. */
static bool gp_trapless_knows_goroutine(const struct gp_probe *probe)
{
	return probe->g_reg == gp_arch_int_reg(14) && probe->runtime->m_procid;
}

/* How a detour makes notes for the probe's records. Return: whether it can. */
static bool gp_trapless_plan_note(struct gp_jump_plan *plan, const struct gp_probe *probe)
{
	struct goprobe_record head = { .kind = probe->record_kind, .id = probe->id,
				       .plan = probe->plan_id };

	if (!gp_trapless_knows_goroutine(probe) || !gp_trapless_is_flat(probe->plan))
		return false;
	plan->note.size = sizeof(head);
	plan->note.stat = probe->stat;
	if (probe->plan && !gp_trapless_note_frame(plan, probe->plan))
		return false;
	head.words = plan->note.size / 8;
	memcpy(&plan->note.head, &head, sizeof(u64));
	memcpy(&plan->note.id, (u8 *)&head + sizeof(u64), sizeof(u64));
	return true;
}

/* Can a drain evaluate the filter, and detours not? */
static bool gp_trapless_drains_decide(const struct gp_filter *filter)
{
	return filter && filter->local && !filter->njumped && filter->nops <= GP_TRAPLESS_OPS;
}

/* Notes have what the filter reads, behind what is in the frame. Return: whether they can. */
static bool gp_trapless_note_registers(struct gp_jump_plan *plan, const struct gp_filter *filter)
{
	struct gp_note_point *note = &plan->note;
	u8 reg;

	for (reg = 0; reg < GP_ARCH_INT_REGS; reg++) {
		if (!(filter->registers & BIT(gp_arch_reg_offset[reg] / 8)) ||
		    memchr(plan->word, reg, note->noted))
			continue;
		if (note->noted == GP_DETOUR_WORDS || !gp_detour_can_note(&plan->site, reg))
			return false;
		plan->word[note->noted++] = reg;
	}
	for (reg = 0; reg < note->noted; reg++)
		note->from[reg] = gp_arch_reg_offset[plan->word[reg]];
	return true;
}

/* Can code in a process read what stamps the session's records? */
static bool gp_trapless_can_note(const struct gp_session *s)
{
	return gp_area_per_cpu() && READ_ONCE(s->clock.mult);
}

/* Can hits of that point leave notes, as far as the values go that they need? */
static bool gp_trapless_may_note(const struct gp_session *s, const struct goprobe_point *p)
{
	if (p->action == GOPROBE_ACTION_COUNT)
		return p->filter && gp_trapless_drains_decide(s->objects.filters[p->filter - 1]);
	return p->action == GOPROBE_ACTION_RECORD &&
	       gp_trapless_is_flat(p->plan == GOPROBE_NO_PLAN ? NULL : s->objects.plans[p->plan]);
}

/* Make the notebook of a session, if some of these points can use it, and it has none. */
void gp_trapless_prepare(struct gp_session *s, u32 file, const struct goprobe_point *points, u32 n)
{
	const struct goprobe_point *p;
	bool wanted = false;

	if (!s->trapless.wanted || s->notebook || !s->objects.files[file]->runtime.m_procid ||
	    !gp_trapless_can_note(s))
		return;
	for (p = points; p < points + n && !wanted; p++)
		wanted = p->flags & GOPROBE_POINT_F_JUMP && gp_trapless_may_note(s, p);
	if (wanted)
		/* Pairs with gp_stream_ring(). */
		smp_store_release(&s->notebook, gp_notebook_new(s->ring_bytes, &s->clock));
}

/* The probe's hits leave notes, if they can. Return: whether they can. */
static bool gp_trapless_use_notebook(struct gp_jump_plan *plan, struct gp_probe *probe)
{
	struct gp_session *s = probe->session;

	probe->trap = gp_trapless_can_note(s) ? GOPROBE_TRAP_MEMORY : GOPROBE_TRAP_CLOCK;
	plan->notebook = s->notebook;
	return plan->notebook;
}

/*
 * How the probe's hits that leave records are recorded, or at least rejected, without breakpoints.
 * Return: whether they can.
 */
static bool gp_trapless_plan_record(struct gp_jump_plan *plan, struct gp_probe *probe)
{
	probe->trap = GOPROBE_TRAP_RECORD;
	if (gp_trapless_plan_note(plan, probe) && gp_trapless_use_notebook(plan, probe))
		return true;
	return probe->filter && probe->point_kind == GOPROBE_POINT_CALL &&
	       !gp_trapless_shows_ours(probe->plan);
}

/*
 * How the probe's hits leave notes that a drain decides about, and counts if @counts. Return:
 * whether they can.
 */
static bool gp_trapless_plan_judged(struct gp_jump_plan *plan, struct gp_probe *probe, bool counts)
{
	if (!gp_trapless_drains_decide(probe->filter) || !gp_trapless_knows_goroutine(probe))
		return false;
	if (!counts && !gp_trapless_plan_note(plan, probe)) {
		probe->trap = GOPROBE_TRAP_RECORD;
		return false;
	}
	plan->note.passes = gp_noted_passes;
	plan->note.probe = probe;
	return gp_trapless_note_registers(plan, probe->filter) &&
	       gp_trapless_use_notebook(plan, probe);
}

/*
 * How the probe's hits that do not time are counted or recorded without breakpoints. Return:
 * whether they can.
 */
static bool gp_trapless_plan_count(struct gp_jump_plan *plan, struct gp_probe *probe)
{
	bool counts = probe->then == GP_WAY_COUNT || probe->then == GP_WAY_COUNT_KEY;
	struct gp_session *s = probe->session;

	probe->trap = GOPROBE_TRAP_FILTER;
	/* Detours of epilogues do neither. */
	if (plan->site.frame && (counts || probe->filter))
		return false;
	if (!counts && !gp_trapless_leaves_records(probe))
		return false;
	if (probe->filter && !gp_trapless_tests(plan, probe->filter))
		return gp_trapless_plan_judged(plan, probe, counts);
	if (counts)
		plan->hits = &gp_tallies_find(&s->tallies, probe->id)->jumped;
	if (probe->filter)
		plan->rejected = &probe->filter->jumped;
	return counts || gp_trapless_plan_record(plan, probe);
}

/* As gp_trapless_plan_count(), of hits that begin or end timed calls. */
static bool gp_trapless_plan_time(struct gp_jump_plan *plan, struct gp_probe *probe)
{
	const struct gp_clock *clock = &probe->session->calls->clock;

	probe->trap = GOPROBE_TRAP_FILTER;
	if (probe->way != probe->then ||
	    (probe->then != GP_WAY_ENTER && probe->then != GP_WAY_LEAVE))
		return false;
	probe->trap = GOPROBE_TRAP_CLOCK;
	/* The rate is below 2^64. */
	if (!gp_area_per_cpu() || !gp_arch_can_time() || !clock->mult ||
	    (u64)clock->mult >> clock->shift > 1)
		return false;
	/* Detours have g in R14. */
	probe->trap = GOPROBE_TRAP_ALWAYS;
	if (probe->g_reg != gp_arch_int_reg(14))
		return false;
	plan->timed = probe->tally;
	plan->slots = &probe->session->objects.files[probe->file]->slots;
	plan->id = probe->id;
	plan->rate = (u64)clock->mult << (63 - clock->shift);
	return true;
}

/* Find the code that becomes a jump. Return: whether it can be one. */
static bool gp_trapless_find(struct gp_jump_plan *plan, struct gp_probe *probe,
			     const struct goprobe_point *p, const u8 *cold, u32 cold_len)
{
	probe->trap = GOPROBE_TRAP_ALWAYS;
	if (p->kind == GOPROBE_POINT_CALL)
		return !gp_detour_find(p->code, p->code_len, cold, cold_len, p->offset,
				       &plan->site);
	return !gp_detour_find_exit(p->code, p->code_len, p->offset, &plan->site) &&
	       p->sp_adjust == plan->site.frame;
}

static int gp_trapless_make_plan(struct gp_probe *probe, const struct goprobe_point *p,
				 const u8 *cold, u32 cold_len)
{
	bool time = p->action == GOPROBE_ACTION_TIME;
	struct gp_session *s = probe->session;
	struct gp_jump_plan *plan;

	if (!(p->flags & GOPROBE_POINT_F_JUMP) || probe->edit)
		return 0;
	plan = kzalloc(sizeof(*plan), GP_GFP_CHARGED);
	if (!plan)
		return -ENOMEM;
	INIT_LIST_HEAD(&plan->jumps);
	/* Its tally was made before. */
	if (time && gp_tally_add_remote(gp_tallies_find(&s->tallies, p->id))) {
		kfree(plan);
		return -ENOMEM;
	}
	plan->runtime = probe->runtime;
	if (!gp_trapless_find(plan, probe, p, cold, cold_len) ||
	    !(time ? gp_trapless_plan_time(plan, probe) : gp_trapless_plan_count(plan, probe))) {
		kfree(plan);
		return 0;
	}
	probe->trap = GOPROBE_TRAP_RARE;
	probe->jump = plan;
	if (time) {
		probe->then = GP_WAY_TIMED;
		probe->way = GP_WAY_TIMED;
	}
	return 0;
}

int gp_trapless_plan(struct gp_probe *probe, const struct goprobe_point *p, const u8 *cold,
		     u32 cold_len)
{
	int err = probe->session->trapless.wanted ?
		  gp_trapless_make_plan(probe, p, cold, cold_len) : 0;

	/* An end that stays a breakpoint ends calls whose entry is a jump. */
	if (probe->session->trapless.wanted && probe->way == GP_WAY_LEAVE) {
		probe->then = GP_WAY_TIMED;
		probe->way = GP_WAY_TIMED;
	}
	return err;
}

/* --- the worker ----------------------------------------------------------------------- */

static bool gp_trapless_is_hot(const struct gp_session *s, const struct gp_probe *probe)
{
	u64 hits = 0;

	if (s->trapless.at_once)
		return true;
	/* Of hits that leave records only those count that a jump would save. */
	if (probe->tally)
		hits = gp_tally_trapped(probe->tally);
	if (probe->jump->timed)
		hits = gp_tally_calls(probe->tally);
	/* Records are not counted by point. */
	if (probe->jump->notebook)
		hits += s->trapless.hits;
	if (probe->filter && hits < GP_TRAPLESS_HITS)
		hits += gp_filter_rejected(probe->filter);
	return hits >= GP_TRAPLESS_HITS;
}

/* Does it leave notes, in a session that has lost the counter? */
static bool gp_trapless_lacks_clock(struct gp_probe *probe)
{
	if (!probe->jump->notebook || READ_ONCE(probe->session->clock.mult))
		return false;
	WRITE_ONCE(probe->trap, GOPROBE_TRAP_CLOCK);
	return true;
}

/* Points of the file that are worth a jump, or NULL; *@n: how many. */
static struct gp_probe **gp_trapless_hot(struct gp_session *s, u32 file, u32 *n)
{
	struct gp_probe **hot = kvmalloc_array(max(s->objects.nprobes, 1U), sizeof(*hot),
					       GFP_KERNEL);
	u32 i;

	*n = 0;
	for (i = 0; hot && i < s->objects.nprobes; i++) {
		struct gp_probe *probe = s->objects.probes[i];

		if (probe->file != file || !probe->jump || gp_trapless_lacks_clock(probe))
			continue;
		if (!probe->hot)
			probe->hot = gp_trapless_is_hot(s, probe);
		if (probe->hot)
			hot[(*n)++] = probe;
		cond_resched();
	}
	return hot;
}

/* The memory of a process, with a reference, or NULL: it has ended, or nothing may be changed. */
static struct mm_struct *gp_trapless_mm(struct pid *pid, struct gp_probe **hot, u32 n)
{
	struct task_struct *t = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm = NULL;
	enum goprobe_trap trap;
	bool times = false;
	u32 i;

	if (!t)
		return NULL;
	for (i = 0; i < n; i++)
		if (hot[i]->jump->timed || hot[i]->jump->notebook)
			times = true;
	trap = gp_text_refuses(t, times);
	for (i = 0; trap != GOPROBE_TRAP_NONE && i < n; i++)
		if (hot[i]->trap != GOPROBE_TRAP_NONE)
			WRITE_ONCE(hot[i]->trap, trap);
	if (trap == GOPROBE_TRAP_NONE)
		mm = get_task_mm(t);
	put_task_struct(t);
	return mm;
}

/* The end of the session, or somebody who wants its processor time, does not wait for the turn. */
static bool gp_trapless_must_stop(const struct gp_session *s, u64 end)
{
	return READ_ONCE(s->commands.ending) || ktime_get_ns() >= end;
}

/*
 * Points of a file become jumps, in one process after the other, from the next one on. Return:
 * whether some did.
 */
static bool gp_trapless_advance_file(struct gp_session *s, u32 file, u64 end)
{
	struct gp_probe **hot;
	struct mm_struct *mm;
	bool any = false;
	struct pid *pid;
	u32 i, n;

	hot = gp_trapless_hot(s, file, &n);
	for (i = 0; n && i < s->npids && !gp_trapless_must_stop(s, end); i++) {
		pid = s->pids[s->trapless.next++ % s->npids];
		mm = gp_trapless_mm(pid, hot, n);
		if (!mm)
			continue;
		any |= gp_jumps_advance(s->objects.files[file], mm, pid, hot, n, end);
		if (s->notebook && s->notebook->mm)
			gp_stream_drain_soon(s);
		mmput_async(mm);
	}
	kvfree(hot);
	return any;
}

/* How many points could not become jumps for want of memory? What was so once is reported. */
static void gp_trapless_count_missing(struct gp_session *s)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < s->objects.nprobes; i++) {
		n += s->objects.probes[i]->trap == GOPROBE_TRAP_MEMORY;
		cond_resched();
	}
	WRITE_ONCE(s->trapless.no_memory, max(s->trapless.no_memory, n));
}

/* Return: whether there may be more to do soon. */
static bool gp_trapless_advance(struct gp_session *s)
{
	u64 end = ktime_get_ns() + GP_TRAPLESS_TURN_NS;
	bool any = false;
	u32 i;

	for (i = 0; i < s->objects.nfiles && !gp_trapless_must_stop(s, end); i++)
		any |= gp_trapless_advance_file(s, s->trapless.file++ % s->objects.nfiles, end);
	return any || ktime_get_ns() >= end;
}

/*
 * How many hits have handlers recorded, or rejected by a program? Return: whether there have been
 * any hits since the last time.
 */
static bool gp_trapless_count_hits(struct gp_session *s)
{
	u64 stats[__GOPROBE_STAT_MAX] = {}, all;

	gp_stream_add_stats(s, 0, stats);
	s->trapless.hits = stats[GOPROBE_STAT_CALLS] + stats[GOPROBE_STAT_RETURNS] +
			   stats[GOPROBE_STAT_FILTERED] + stats[GOPROBE_STAT_SAMPLED] +
			   stats[GOPROBE_STAT_UNDECIDED];
	all = gp_session_hits(s);
	if (all == s->trapless.all)
		return false;
	s->trapless.all = all;
	return true;
}

static void gp_trapless_care(struct gp_session *s, u64 now)
{
	u32 i, lost = 0;

	if (now < s->trapless.care)
		return;
	s->trapless.care = now + GP_TRAPLESS_CARE_MS * NSEC_PER_MSEC;
	for (i = 0; i < s->objects.nfiles; i++)
		lost += gp_jumps_look_after(s->objects.files[i], &s->tallies);
	WRITE_ONCE(s->trapless.lost, s->trapless.lost + lost);
}

/* Without the processor's counter there are no notes. */
static void gp_trapless_check_clock(struct gp_session *s)
{
	struct gp_clock today;

	if (!s->notebook || !s->notebook->mm)
		return;
	/* Passes of a reader find that out, but a session that only counts has none. */
	gp_clock_init(&today);
	if (!today.mult && !s->notebook->records)
		WRITE_ONCE(s->clock.mult, 0);
	if (!READ_ONCE(s->clock.mult))
		gp_trapless_pause(s);
}

/* @took: ns of processor time that a pass took */
static void gp_trapless_queue(struct gp_session *s, u64 took)
{
	u64 rest = div_u64(took * GP_TRAPLESS_REST, NSEC_PER_MSEC);

	gp_stream_queue(&s->trapless.work, min_t(u64, max_t(u64, rest, s->trapless.ms), U32_MAX));
}

static void gp_trapless_work(struct work_struct *work)
{
	struct gp_session *s = container_of(to_delayed_work(work), struct gp_session,
					    trapless.work);
	u64 began = current->se.sum_exec_runtime;
	bool busy;

	if (!mutex_trylock(&s->turn)) {
		gp_stream_queue(&s->trapless.work, GP_TRAPLESS_MS);
		return;
	}
	if (s->stopped)
		goto out;
	if (s->running) {
		gp_trapless_check_clock(s);
		busy = gp_trapless_count_hits(s);
		busy |= gp_trapless_advance(s);
		s->trapless.ms = busy ? GP_TRAPLESS_MS :
				 min_t(u32, 2 * s->trapless.ms, GP_TRAPLESS_CARE_MS);
		gp_trapless_count_missing(s);
		gp_trapless_care(s, ktime_get_ns());
	}
	gp_trapless_queue(s, current->se.sum_exec_runtime - began);
out:
	mutex_unlock(&s->turn);
}

void gp_trapless_init(struct gp_session *s, u32 flags)
{
	/*
	 * Where not all processes are listed, those would be missing that are forked later; and
	 * their copies of jumps would get breakpoints, which breaks them.
	 */
	s->trapless.wanted = flags & GOPROBE_SESSION_F_JUMPS && s->npids && !s->cgroup;
	s->trapless.at_once = flags & GOPROBE_SESSION_F_JUMPS_AT_ONCE;
	s->trapless.ms = GP_TRAPLESS_MS;
	INIT_DELAYED_WORK(&s->trapless.work, gp_trapless_work);
}

void gp_trapless_start(struct gp_session *s)
{
	s->trapless.ms = GP_TRAPLESS_MS;
	if (s->trapless.wanted && !s->stopped)
		gp_trapless_queue(s, 0);
}

void gp_trapless_pause(struct gp_session *s)
{
	u32 lost = gp_jumps_close_all(s), i;

	WRITE_ONCE(s->trapless.lost, s->trapless.lost + lost);
	for (i = 0; i < s->objects.nprobes; i++)
		if (s->objects.probes[i]->jump)
			WRITE_ONCE(s->objects.probes[i]->trap, GOPROBE_TRAP_RARE);
}

void gp_trapless_stop(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->trapless.work);
}
