// SPDX-License-Identifier: GPL-2.0
/*
 * Points of a session: checking against its objects, conversion to probes, placing; of a message
 * all or none.
 *
 * Locking: see points.h, sessions.c and probe.c.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "capture/plan.h"
#include "control/breaker.h"
#include "control/objects.h"
#include "control/points.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/sessions.h"
#include "control/trapless.h"
#include "control/verify.h"
#include "gfp.h"
#include "hit/edit.h"
#include "hit/filter.h"
#include "session/file.h"
#include "session/probe.h"
#include "session/reading.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/keys.h"

static const u16 gp_record_kind[] = {
	[GOPROBE_POINT_CALL] = GOPROBE_RECORD_CALL,
	[GOPROBE_POINT_RETURN] = GOPROBE_RECORD_RETURN,
	[GOPROBE_POINT_TAIL] = GOPROBE_RECORD_TAIL,
	[GOPROBE_POINT_SELF_TEST] = GOPROBE_RECORD_CALL,
	[GOPROBE_POINT_AT] = GOPROBE_RECORD_AT,
};

/* Action of hits, after a filter, if any. */
static enum gp_way gp_points_then(const struct goprobe_point *p, const struct gp_probe *probe)
{
	bool call = p->kind == GOPROBE_POINT_CALL, keyed = probe->filter && probe->filter->keyed;

	switch (p->action) {
	case GOPROBE_ACTION_COUNT:
		return keyed ? GP_WAY_COUNT_KEY : GP_WAY_COUNT;
	case GOPROBE_ACTION_STATE:
	case GOPROBE_ACTION_SET_ADD:
	case GOPROBE_ACTION_SET_REMOVE:
	case GOPROBE_ACTION_UNWIND:
		return GP_WAY_NOTIFY;
	case GOPROBE_ACTION_TIME:
		if (call && keyed)
			return GP_WAY_ENTER_KEY;
		if (!call && (probe->filter || p->flags & GOPROBE_POINT_F_KEYED))
			return GP_WAY_END;
		if (probe->g_reg < 0 || (!call && p->skip) || probe->session->limits.states)
			return GP_WAY_TIME;
		return call ? GP_WAY_ENTER : GP_WAY_LEAVE;
	}
	if (p->flags & GOPROBE_POINT_F_PAIRED)
		return call ? GP_WAY_CALL : GP_WAY_END;
	return probe->quick ? GP_WAY_QUICK : GP_WAY_GENERAL;
}

static void gp_points_choose_way(const struct goprobe_point *p, struct gp_probe *probe)
{
	probe->quick = probe->g_reg >= 0 && (!probe->plan || probe->plan->quick);
	probe->then = gp_points_then(p, probe);
	probe->pairs = p->action == GOPROBE_ACTION_TIME || p->flags & GOPROBE_POINT_F_PAIRED;
	probe->remembers = p->kind == GOPROBE_POINT_CALL && probe->pairs;
	probe->way = probe->filter ? GP_WAY_FILTER : probe->then;
	/* The end finds its call first: its duration may matter. A key needs the program. */
	if (probe->then == GP_WAY_END || probe->then == GP_WAY_COUNT_KEY ||
	    probe->then == GP_WAY_ENTER_KEY || probe->then == GP_WAY_NOTIFY)
		probe->way = probe->then;
	/* gp_edit_hit() evaluates the filter itself. */
	if (probe->edit)
		probe->way = GP_WAY_EDIT;
}

static bool gp_points_needs_tally(const struct goprobe_point *p)
{
	return p->action == GOPROBE_ACTION_COUNT || p->action == GOPROBE_ACTION_TIME ||
	       p->flags & GOPROBE_POINT_F_PAIRED;
}

static struct gp_probe *gp_points_new_probe(struct gp_session *s, u32 file,
					    const struct goprobe_point *p)
{
	const struct gp_file *f = s->objects.files[file];
	const struct goprobe_runtime *rt = &f->runtime;
	struct gp_probe *probe = kzalloc(sizeof(*probe), GP_GFP_CHARGED);

	if (!probe)
		return NULL;
	probe->session = s;
	probe->tally = gp_points_needs_tally(p) ? gp_tallies_find(&s->tallies, p->id) : NULL;
	probe->plan = p->plan == GOPROBE_NO_PLAN ? NULL : s->objects.plans[p->plan];
	probe->filter = p->filter ? s->objects.filters[p->filter - 1] : NULL;
	probe->edit = p->edit ? s->objects.filters[p->edit - 1] : NULL;
	probe->action = p->action;
	probe->plan_id = p->plan;
	probe->runtime = rt;
	probe->id = p->id;
	probe->record_kind = gp_record_kind[p->kind];
	probe->stat = p->kind == GOPROBE_POINT_RETURN || p->kind == GOPROBE_POINT_TAIL ?
		      GOPROBE_STAT_RETURNS : GOPROBE_STAT_CALLS;
	probe->point_kind = p->kind;
	probe->skip = p->skip;
	probe->flags = p->flags;
	probe->sp_adjust = p->sp_adjust;
	probe->g_reg = p->flags & GOPROBE_POINT_F_ABI0 ||
		       rt->g_reg == GOPROBE_REG_NONE ? -1 : gp_arch_int_reg(rt->g_reg);
	gp_points_choose_way(p, probe);
	probe->file = file;
	probe->offset = p->offset;
	probe->address = p->offset + rt->code_delta;
	probe->dynamic = &f->dynamic;
	probe->delay_ns = probe->edit ? probe->edit->delay_ns : 0;
	return probe;
}

/*
 * Refuse with the point's place and the reason. The buffer is free: the worker has sent the
 * previous message before it makes the next one.
 */
static int gp_points_refuse_point(struct gp_session *s,
				  struct netlink_ext_ack *extack, int err,
				  const struct goprobe_point *p, const char *why)
{
	snprintf(s->objects.refusal, sizeof(s->objects.refusal), "point %u at file offset 0x%llx: %s",
		 p->id, p->offset, why);
	return gp_refuse(extack, err, s->objects.refusal);
}

static bool gp_points_notifies(const struct goprobe_point *p)
{
	return p->action >= GOPROBE_ACTION_STATE;
}

/* Check what a point with notifications needs of the session and of its filter. */
static const char *gp_points_check_notify(const struct gp_session *s,
					  const struct goprobe_point *p,
					  const struct gp_filter *filter)
{
	if (!filter || !filter->keyed)
		return "its filter makes no key, so it notifies of nothing";
	return s->limits.states || p->action != GOPROBE_ACTION_STATE ? NULL :
	       "it notifies of states, and the session has none";
}

/* Check what a timed or paired point needs of the session. */
static const char *gp_points_check_pair(const struct gp_session *s,
					const struct goprobe_point *p)
{
	const struct gp_filter *filter = p->filter ? s->objects.filters[p->filter - 1] : NULL;
	const struct gp_plan *plan = p->plan == GOPROBE_NO_PLAN ? NULL : s->objects.plans[p->plan];
	bool timed = p->action == GOPROBE_ACTION_TIME;

	if (filter && filter->ends && (p->kind == GOPROBE_POINT_CALL ||
				       !(timed || p->flags & GOPROBE_POINT_F_PAIRED)))
		return "a filter uses a duration, but no timed or paired call ends at the point";
	if (filter && filter->valued && p->action != GOPROBE_ACTION_COUNT &&
	    (!timed || p->kind == GOPROBE_POINT_CALL))
		return "a filter makes a value, but the point neither counts nor ends timed calls";
	if (gp_points_notifies(p))
		return gp_points_check_notify(s, p, filter);
	if (filter && filter->keyed && p->action != GOPROBE_ACTION_COUNT &&
	    !(p->flags & GOPROBE_POINT_F_KEYED))
		return "a filter makes a key, but the point neither counts nor times by key";
	if (p->flags & GOPROBE_POINT_F_SPLIT && !s->limits.states)
		return "its records have times by state, and the session has no states";
	if (p->flags & GOPROBE_POINT_F_SPLIT &&
	    (plan ? plan->record_bytes : sizeof(struct goprobe_record)) +
	    s->limits.states * sizeof(u64) > GP_RECORD_MAX)
		return "its plan's records with times by state can be larger than 24 KiB";
	if (!(p->flags & GOPROBE_POINT_F_PENDING))
		return NULL;
	if (!s->limits.pending.calls)
		return "the session has no pending records; set GOPROBE_A_PENDING_LIMIT";
	if ((plan ? plan->record_bytes : sizeof(struct goprobe_record)) + sizeof(u64) >
	    s->limits.pending.bytes)
		return "its plan's records can be larger than a pending record";
	return NULL;
}

/* Check the edit of a point; a filter must not change anything. */
static const char *gp_points_check_edit(const struct gp_session *s,
					const struct goprobe_runtime *rt,
					const struct goprobe_point *p)
{
	const struct gp_filter *filter = p->filter ? s->objects.filters[p->filter - 1] : NULL;
	const struct gp_filter *edit = p->edit ? s->objects.filters[p->edit - 1] : NULL;

	if (filter && filter->edits)
		return "a filter that is no edit sets, writes or delays";
	if (!edit)
		return NULL;
	if (!edit->edits)
		return "its edit neither sets nor writes nor delays anything";
	if (rt->g_reg != GOPROBE_REG_NONE && edit->sets & BIT(gp_arch_int_reg(rt->g_reg) / 8))
		return "its edit sets the register of g";
	if (filter && filter->keyed)
		return "a point that counts by key cannot have an edit";
	return NULL;
}

static int gp_points_check_point(struct gp_session *s, u32 file, const struct gp_reading *code,
				 u32 i, const struct goprobe_point *p,
				 struct netlink_ext_ack *extack)
{
	const char *why;
	int err;

	why = gp_verify_point(p, s->objects.nplans, s->objects.nfilters);
	if (!why)
		why = gp_points_check_pair(s, p);
	if (!why)
		why = gp_points_check_edit(s, &s->objects.files[file]->runtime, p);
	if (why)
		return gp_points_refuse_point(s, extack, -EINVAL, p, why);
	if (p->edit && !gp_edit_allowed())
		return gp_points_refuse_point(s, extack, -EPERM, p,
					      "nothing can be changed: the module was loaded without allow_writes=1");
	err = gp_file_check_point(s->objects.files[file], code, i, p, &why);
	if (err)
		return gp_points_refuse_point(s, extack, err, p, why);
	return 0;
}

static const char *gp_points_why_no_probe(int err)
{
	switch (err) {
	case -ENOMEM:
		return "out of memory";
	case -EUSERS:
		return "there are too many probes already";
	case -ENOSPC:
		return "all delays at the place would exceed 1 s";
	case -EMLINK:
		return "three lossless sessions already probe this place";
	case -EBUSY:
		return "a session that counts without traps has changed the code there";
	case -EUCLEAN:
		return "a process has other code there than its file: restart it";
	case -EEXIST:
		return "the session already times or pairs this place";
	}
	return "the kernel refused the breakpoint";
}

static int gp_points_add_point(struct gp_session *s, u32 file, const struct gp_reading *code,
			       u32 i, const struct goprobe_point *p, struct gp_sweep *sweep)
{
	const struct gp_reading_part *cold = gp_file_cold_part(code, i);
	struct gp_probe *probe;
	int err;

	probe = gp_points_new_probe(s, file, p);
	if (!probe)
		return -ENOMEM;
	if (gp_trapless_plan(probe, p, cold->bytes, cold->err ? 0 : cold->size)) {
		kfree(probe);
		return -ENOMEM;
	}
	err = gp_probe_add(probe, p, sweep);
	if (err)
		return err;
	mutex_lock(&s->lock);
	s->objects.probes[s->objects.nprobes++] = probe;
	mutex_unlock(&s->lock);
	return 0;
}

/**
 * struct gp_points_batch - points that are added together
 * @s: the session
 * @file: index of their file
 * @code: what was read of it at the points
 * @points: the points
 * @n: their number
 * @refused: the point that could not be added, or NULL: the caller has the error message
 * @err: result
 */
struct gp_points_batch {
	struct gp_session *s;
	u32 file;
	const struct gp_reading *code;
	const struct goprobe_point *points;
	u32 n;
	const struct goprobe_point *refused;
	int err;
};

static struct gp_probe *gp_points_pop_probe(struct gp_session *s)
{
	struct gp_probe *probe;

	mutex_lock(&s->lock);
	probe = s->objects.probes[--s->objects.nprobes];
	mutex_unlock(&s->lock);
	return probe;
}

/* Add all or none. Context: the session's turn. */
static void gp_points_add_batch(struct gp_sweep *sweep, void *arg)
{
	struct gp_points_batch *b = arg;
	struct gp_session *s = b->s;
	u32 first = s->objects.nprobes, i;
	int err = 0;

	for (i = 0; !err && i < b->n; i++) {
		err = gp_points_add_point(s, b->file, b->code, i, &b->points[i], sweep);
		if (err)
			b->refused = &b->points[i];
		else if (READ_ONCE(s->commands.ending))
			err = -ESHUTDOWN;
		cond_resched();
	}
	while (err && s->objects.nprobes > first)
		gp_probe_del(gp_points_pop_probe(s), sweep);
	b->err = err;
}

static int gp_points_refuse_tally(struct gp_session *s, struct netlink_ext_ack *extack, int err,
				  const struct goprobe_point *p)
{
	return gp_points_refuse_point(s, extack, err, p, err == -ENOMEM ? "out of memory" :
				      "the session counts or times too many ids");
}

/* Prepare the tally for GOPROBE_OP_ROOT and muted calls, if @filter uses them. */
static int gp_points_add_roots(struct gp_tally *tally, const struct gp_filter *filter)
{
	WRITE_ONCE(tally->roots, tally->roots | filter->roots);
	return filter->mutes ? gp_tally_add_muted(tally) : 0;
}

/*
 * Prepare the tally for a point that opens paired calls. Once calls may be open, it is too late to
 * start counting them: calls that a later point's filter rejects look at their own stack instead.
 */
static void gp_points_add_opening(struct gp_tally *tally, const struct gp_filter *filter)
{
	if (!tally->opens)
		WRITE_ONCE(tally->counts_open, filter && !filter->roots);
	tally->opens = true;
}

/* Whether a point needs keys. For time by key, the filter of another point may make the key. */
static bool gp_points_needs_keys(const struct gp_session *s, const struct goprobe_point *p)
{
	bool keyed = p->filter && s->objects.filters[p->filter - 1]->keyed;
	u32 i;

	if (!(p->flags & GOPROBE_POINT_F_KEYED) || s->keys)
		return keyed;
	for (i = 0; !keyed && i < s->objects.nfilters; i++)
		keyed = s->objects.filters[i]->keyed;
	return keyed;
}

/*
 * Make what a point's hits need besides a ring: counters, the table of open calls. It stays, even
 * if the point is refused.
 */
static int gp_points_add_tally(struct gp_session *s, const struct goprobe_point *p,
			       struct netlink_ext_ack *extack)
{
	bool timed = p->action == GOPROBE_ACTION_TIME, paired = p->flags & GOPROBE_POINT_F_PAIRED;
	const struct gp_filter *filter = p->filter ? s->objects.filters[p->filter - 1] : NULL;
	bool valued = p->action == GOPROBE_ACTION_COUNT && filter && filter->valued;
	struct gp_tally *tally;
	int err = 0;

	if (p->action == GOPROBE_ACTION_STATE || p->action == GOPROBE_ACTION_UNWIND)
		return gp_objects_make_calls(s, false, extack);
	if (gp_points_notifies(p))
		return gp_objects_make_set(s, extack);
	if (!gp_points_needs_tally(p))
		return 0;
	if (gp_points_needs_keys(s, p))
		err = gp_objects_make_keys(s, extack);
	if (err)
		return err;
	if (timed || paired)
		err = gp_objects_make_calls(s, p->flags & GOPROBE_POINT_F_PENDING, extack);
	if (err)
		return err;
	err = gp_tallies_add(&s->tallies, p->id, false);
	if (err)
		return gp_points_refuse_tally(s, extack, err, p);
	tally = gp_tallies_find(&s->tallies, p->id);
	/* Otherwise returns of one kind would end calls of the other, or values be durations. */
	if (((timed || valued) && tally->paired) || (paired && tally->times))
		return gp_points_refuse_point(s, extack, -EINVAL, p,
					      "its id is both timed and paired");
	if ((timed && tally->valued) || (valued && tally->times && !tally->valued))
		return gp_points_refuse_point(s, extack, -EINVAL, p,
					      "its id is both timed and counted with values");
	if (paired)
		WRITE_ONCE(tally->paired, true);
	if (paired && p->kind == GOPROBE_POINT_CALL)
		gp_points_add_opening(tally, filter);
	if (valued)
		WRITE_ONCE(tally->valued, true);
	if (p->flags & GOPROBE_POINT_F_UNWOUND)
		WRITE_ONCE(tally->unwound, true);
	if (p->flags & GOPROBE_POINT_F_KEYED || valued) {
		err = s->keys ? gp_keys_add_times(s->keys, s->limits.states) : -ENOENT;
		if (err)
			return gp_points_refuse_point(s, extack, err, p, s->keys ?
						      "out of memory for times by key" :
						      "no filter of the session makes keys");
	}
	err = gp_tallies_add(&s->tallies, p->id, timed || valued);
	if (!err && (timed || paired) && p->kind == GOPROBE_POINT_CALL && filter)
		err = gp_points_add_roots(tally, filter);
	return err ? gp_points_refuse_tally(s, extack, err, p) : 0;
}

/* Check all that can be checked before the kernel gets the breakpoints. */
static int gp_points_check_points(struct gp_session *s, u32 file, const struct gp_reading *code,
				  const struct goprobe_point *points, u32 n,
				  struct netlink_ext_ack *extack)
{
	int err;
	u32 i;

	for (i = 0; i < n; i++) {
		err = gp_points_check_point(s, file, code, i, &points[i], extack);
		if (!err)
			err = gp_points_add_tally(s, &points[i], extack);
		if (err)
			return err;
		cond_resched();
	}
	if (gp_objects_grow((void ***)&s->objects.probes, &s->objects.probes_cap,
			    s->objects.nprobes, n))
		return gp_refuse(extack, -ENOMEM, "out of memory");
	return 0;
}

/* Place the points. Context: the session's turn. */
static int gp_points_place_points(struct gp_session *s, u32 file, const struct gp_reading *code,
				  const struct goprobe_point *points, u32 n,
				  struct netlink_ext_ack *extack)
{
	struct gp_points_batch batch = {
		.s = s,
		.file = file,
		.code = code,
		.points = points,
		.n = n,
	};
	int err;

	if (s->stopped)
		return gp_refuse_stopped(s, extack);
	mutex_lock(&s->lock);
	err = gp_points_check_points(s, file, code, points, n, extack);
	mutex_unlock(&s->lock);
	if (err)
		return err;
	gp_trapless_prepare(s, file, points, n);
	gp_sweep_run(s->objects.files[file]->inode, gp_points_add_batch, &batch);
	if (batch.refused)
		return gp_points_refuse_point(s, extack, batch.err, batch.refused,
					      gp_points_why_no_probe(batch.err));
	if (batch.err)
		return gp_refuse_stopped(s, extack);
	if (n)
		gp_breaker_start(s);
	if (s->running)
		gp_trapless_start(s);
	return s->objects.nprobes;
}

int gp_points_add(struct gp_session *s, const struct gp_request *r, struct netlink_ext_ack *extack)
{
	struct gp_reading *code;
	const char *why;
	int ret;

	if (READ_ONCE(s->stopped))
		return gp_refuse_stopped(s, extack);
	if (r->file >= s->objects.nfiles)
		return gp_refuse(extack, -EINVAL, "the session has no such file");
	if (r->npoints > GP_POINTS_MAX - READ_ONCE(s->objects.nprobes))
		return gp_refuse(extack, -E2BIG, "the session has too many points");
	code = gp_file_read_points(s->objects.files[r->file], r->points, r->npoints, &s->reads,
				   &why);
	if (IS_ERR(code))
		return gp_refuse(extack, PTR_ERR(code), why);
	mutex_lock(&s->turn);
	ret = gp_points_place_points(s, r->file, code, r->points, r->npoints, extack);
	mutex_unlock(&s->turn);
	gp_reading_put(code);
	return ret;
}
