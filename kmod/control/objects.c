// SPDX-License-Identifier: GPL-2.0
/*
 * Objects of a session: files, types, dynamic types, plans, filters, goroutines, and the tables
 * that points need. Each is verified, then added; of a message all or none.
 *
 * Locking: see objects.h, sessions.c and probe.c.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "capture/dynamic_types.h"
#include "capture/plan.h"
#include "control/filter_build.h"
#include "control/objects.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/sessions.h"
#include "control/verify.h"
#include "gfp.h"
#include "hit/filter.h"
#include "session/file.h"
#include "session/reading.h"
#include "session/reap.h"
#include "session/session.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"
#include "stats/keys.h"
#include "stats/pending.h"
#include "stats/states.h"

static int gp_objects_keep_file(struct gp_session *s, struct gp_file *f,
				struct netlink_ext_ack *extack)
{
	int ret;

	mutex_lock(&s->turn);
	mutex_lock(&s->lock);
	if (s->stopped) {
		ret = gp_refuse_stopped(s, extack);
	} else {
		s->objects.files[s->objects.nfiles] = f;
		ret = s->objects.nfiles++;
	}
	mutex_unlock(&s->lock);
	mutex_unlock(&s->turn);
	return ret;
}

int gp_objects_add_file(struct gp_session *s, struct file *file,
			const struct goprobe_runtime *rt,
			struct netlink_ext_ack *extack)
{
	const char *why;
	struct gp_file *f;
	int ret;

	if (READ_ONCE(s->stopped))
		return gp_refuse_stopped(s, extack);
	if (s->objects.nfiles == GP_FILES_MAX)
		return gp_refuse(extack, -E2BIG, "the session has too many files");
	why = gp_verify_runtime(rt);
	if (why)
		return gp_refuse(extack, -EINVAL, why);
	f = gp_file_open(file, rt, &s->reads, &why);
	if (IS_ERR(f))
		return gp_refuse(extack, PTR_ERR(f), why);
	ret = gp_objects_keep_file(s, f, extack);
	if (ret < 0)
		gp_file_close(f);
	return ret;
}

int gp_objects_add_types(struct gp_session *s, const struct gp_request *r,
			 struct netlink_ext_ack *extack)
{
	struct gp_objects *o = &s->objects;
	const char *why;
	int first;

	if (r->ntypes > GP_TYPES_MAX - o->types.n || r->nrefs > GP_REFS_MAX - o->types.nrefs)
		return gp_refuse(extack, -E2BIG, "the session has too many types");
	why = gp_verify_types(r->types, r->ntypes, r->refs, r->nrefs);
	if (why)
		return gp_refuse(extack, -EINVAL, why);
	first = gp_types_add(&o->types, r->types, r->ntypes, r->refs, r->nrefs);
	if (first < 0)
		return gp_refuse(extack, first, "out of memory");
	return first;
}

/* All or none. */
int gp_objects_add_dynamic(struct gp_session *s, const struct gp_request *r,
			   struct netlink_ext_ack *extack)
{
	struct gp_objects *o = &s->objects;
	struct gp_dynamic *dynamic;
	const char *why;
	int err;
	u32 i;

	if (r->file >= o->nfiles)
		return gp_refuse(extack, -EINVAL, "the session has no such file");
	for (i = 0; i < r->ndynamic; i++) {
		why = gp_verify_dynamic(&r->dynamic[i], &o->types);
		if (why)
			return gp_refuse(extack, -EINVAL, why);
	}
	dynamic = &o->files[r->file]->dynamic;
	err = gp_dynamic_add(dynamic, r->dynamic, r->ndynamic, &o->types);
	if (err)
		return gp_refuse(extack, err, err == -ENOMEM ? "out of memory" :
				 "the file has too many dynamic types");
	return dynamic->n;
}

/* Make space for @more pointers behind @n in a table that doubles. */
int gp_objects_grow(void ***table, u32 *space, u32 n, u32 more)
{
	u32 want = max3(n + more, *space * 2, 64U);
	void **bigger;

	if (n + more <= *space)
		return 0;
	bigger = kvcalloc(want, sizeof(void *), GP_GFP_CHARGED);
	if (!bigger)
		return -ENOMEM;
	if (n)
		memcpy(bigger, *table, n * sizeof(void *));
	kvfree(*table);
	*table = bigger;
	*space = want;
	return 0;
}

int gp_objects_add_plans(struct gp_session *s, const struct gp_request *r,
			 struct netlink_ext_ack *extack)
{
	struct gp_objects *o = &s->objects;
	u32 first = o->nplans, i;
	const char *why;

	if (r->nplans > GP_PLANS_MAX - o->nplans)
		return gp_refuse(extack, -E2BIG, "the session has too many plans");
	for (i = 0; i < r->nplans; i++) {
		why = gp_verify_plan(&r->plans[i], r->pieces, r->npieces, r->ops,
				     r->nops, &o->types);
		if (why)
			return gp_refuse(extack, -EINVAL, why);
		cond_resched();
	}
	if (gp_objects_grow((void ***)&o->plans, &o->plans_cap, o->nplans, r->nplans))
		return gp_refuse(extack, -ENOMEM, "out of memory");
	for (i = 0; i < r->nplans; i++, o->nplans++) {
		o->plans[o->nplans] = gp_plan_new(&r->plans[i], r->pieces, r->ops,
						  &o->types, o->nplans);
		if (!o->plans[o->nplans])
			goto err;
		cond_resched();
	}
	return first;

err:
	while (o->nplans > first)
		gp_plan_free(o->plans[--o->nplans]);
	return gp_refuse(extack, -ENOMEM, "out of memory");
}

/* Make the table of open calls, and with @held pending records. */
int gp_objects_make_calls(struct gp_session *s, bool held, struct netlink_ext_ack *extack)
{
	if (!s->calls)
		s->calls = gp_calls_new(s->limits.calls);
	if (!s->calls)
		return gp_refuse(extack, -ENOMEM, "out of memory for the table of open calls");
	if (s->limits.states && !s->calls->states)
		s->calls->states = gp_states_new(s->limits.states, s->calls->nstacks,
						 s->limits.calls);
	if (s->limits.states && !s->calls->states)
		return gp_refuse(extack, -ENOMEM,
				 "out of memory for times by state of open calls");
	if (held && !s->calls->held)
		s->calls->held = gp_pending_new(s->limits.pending.calls, s->limits.pending.bytes);
	if (held && !s->calls->held)
		return gp_refuse(extack, -ENOMEM, "out of memory for pending records");
	return 0;
}

/* Make the set of goroutines. */
int gp_objects_make_set(struct gp_session *s, struct netlink_ext_ack *extack)
{
	if (!s->limits.goroutines)
		return gp_refuse(extack, -EINVAL, "the session has no set of goroutines");
	if (!s->members)
		s->members = gp_goroutine_set_new(s->limits.goroutines);
	return s->members ? 0 :
	       gp_refuse(extack, -ENOMEM, "out of memory for the set of goroutines");
}

/* Make the table of keys. */
int gp_objects_make_keys(struct gp_session *s, struct netlink_ext_ack *extack)
{
	if (!s->limits.keys.number)
		return gp_refuse(extack, -EINVAL, "the session has no keys; set GOPROBE_A_KEY_LIMIT");
	if (!s->keys)
		s->keys = gp_keys_new(s->limits.keys.number, s->limits.keys.bytes);
	return s->keys ? 0 : gp_refuse(extack, -ENOMEM, "out of memory for keys");
}

static int gp_objects_refuse_filter(struct netlink_ext_ack *extack, int err)
{
	return gp_refuse(extack, err, err == -ENOMEM ? "out of memory" :
			 "the session counts, times or looks up too many ids");
}

/* All or none. */
int gp_objects_add_filters(struct gp_session *s, const struct gp_request *r,
			   struct netlink_ext_ack *extack)
{
	struct gp_objects *o = &s->objects;
	u32 first = o->nfilters, i;
	int err = 0;

	if (r->nfilters > GP_FILTERS_MAX - o->nfilters)
		return gp_refuse(extack, -E2BIG, "the session has too many filters");
	for (i = 0; i < r->nfilters; i++) {
		const char *why = gp_verify_filter(&r->filters[i], r->ops, r->nops);

		if (why)
			return gp_refuse(extack, -EINVAL, why);
		cond_resched();
	}
	if (gp_objects_grow((void ***)&o->filters, &o->filters_cap, o->nfilters, r->nfilters))
		return gp_refuse(extack, -ENOMEM, "out of memory");
	for (i = 0; !err && i < r->nfilters; i++) {
		struct gp_filter *filter = gp_filter_new(&r->filters[i], r->ops, &s->tallies);

		if (IS_ERR(filter)) {
			err = gp_objects_refuse_filter(extack, PTR_ERR(filter));
			break;
		}
		o->filters[o->nfilters++] = filter;
		if (filter->under)
			err = gp_objects_make_calls(s, false, extack);
		if (!err && filter->members)
			err = gp_objects_make_set(s, extack);
		cond_resched();
	}
	if (!err)
		return first + 1;
	while (o->nfilters > first)
		gp_filter_free(o->filters[--o->nfilters]);
	return err;
}

/* Number of the process with id @tgid in @ns; 0: no such process. */
static u64 gp_objects_process(pid_t tgid, struct pid_namespace *ns)
{
	struct task_struct *leader, *t;
	u64 process = 0;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(tgid, ns), PIDTYPE_TGID);
	if (leader) {
		/* The first thread may have exited before the others. */
		for_each_thread(leader, t) {
			task_lock(t);
			if (t->mm)
				process = gp_arch_process(t, t->mm);
			task_unlock(t);
			if (process)
				break;
		}
	}
	rcu_read_unlock();
	return process;
}

/* Add all or none. Goroutines that were in the set before stay, and get process 0 in @process. */
static int gp_objects_join(struct gp_session *s, const struct goprobe_goroutine *add, u32 n,
			   u64 *process, struct netlink_ext_ack *extack)
{
	u32 i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = gp_goroutine_set_join(s->members, process[i], add[i].goid);
		if (ret > 0)
			process[i] = 0;
		if (ret >= 0)
			continue;
		while (i--)
			gp_goroutine_set_part(s->members, process[i], add[i].goid);
		return gp_refuse(extack, ret, ret == -ENOSPC ?
				 "the set of goroutines is full" :
				 "no goroutine can have that id");
	}
	return gp_goroutine_set_number(s->members);
}

/**
 * gp_objects_add_goroutines() - add goroutines to the session's set
 * @s: the session
 * @ns: namespace of the process ids
 * @add: the goroutines
 * @n: number of @add
 * @extack: gets the error message
 *
 * Return: number of goroutines in the set, or an error.
 */
int gp_objects_add_goroutines(struct gp_session *s, struct pid_namespace *ns,
			      const struct goprobe_goroutine *add, u32 n,
			      struct netlink_ext_ack *extack)
{
	u64 *process;
	u32 i;
	int ret;

	ret = gp_objects_make_set(s, extack);
	if (ret)
		return ret;
	gp_reap(s);
	process = kvcalloc(n, sizeof(*process), GP_GFP_CHARGED);
	if (!process)
		return gp_refuse(extack, -ENOMEM, "out of memory");
	for (i = 0; !ret && i < n; i++) {
		process[i] = gp_objects_process(add[i].tgid, ns);
		if (add[i].pad)
			ret = gp_refuse(extack, -EINVAL, "padding of a goroutine is not 0");
		else if (!process[i])
			ret = gp_refuse(extack, -ESRCH, "there is no such process");
	}
	if (!ret)
		ret = gp_objects_join(s, add, n, process, extack);
	kvfree(process);
	return ret;
}

/* Context: no handler can run for the session. */
void gp_objects_free(struct gp_session *s)
{
	u32 i;

	for (i = 0; i < s->objects.nplans; i++) {
		gp_plan_free(s->objects.plans[i]);
		cond_resched();
	}
	kvfree(s->objects.plans);
	for (i = 0; i < s->objects.nfilters; i++) {
		gp_filter_free(s->objects.filters[i]);
		cond_resched();
	}
	kvfree(s->objects.filters);
	for (i = 0; i < s->objects.nfiles; i++)
		gp_file_close(s->objects.files[i]);
	gp_types_fini(&s->objects.types);
	gp_calls_free(s->calls);
	gp_keys_free(s->keys);
	gp_goroutine_set_free(s->members);
	gp_tallies_fini(&s->tallies);
	kvfree(s->objects.probes);
}
