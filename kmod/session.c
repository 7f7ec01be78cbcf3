// SPDX-License-Identifier: GPL-2.0
/*
 * A session: one socket's probes, rings and death.
 *
 * Locking: gp_sessions_lock guards the table. A session's lock is taken inside
 * nothing and outside gp_points_lock (probe.c). Neither is taken by handlers.
 *
 * Lifetime: a session dies with its socket, on one path, whatever closed it: out
 * of the table, no more records, every breakpoint taken away and every handler
 * waited for (gp_session_stop()), then the last reference frees it. It holds a
 * reference to the module, so that the module can't go before.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "dynamic.h"
#include "file.h"
#include "plan.h"
#include "probe.h"
#include "ring.h"
#include "session.h"
#include "stream.h"
#include "verify.h"

static DEFINE_MUTEX(gp_sessions_lock);
static LIST_HEAD(gp_sessions);
static u32 gp_nsessions;
static u32 gp_session_last_id;
static int gp_cpuhp_state = -1;

int gp_refuse(struct netlink_ext_ack *extack, int err, const char *why)
{
	if (extack)
		extack->_msg = why;
	return err;
}

bool gp_session_wants_mm(const struct gp_session *s, const struct mm_struct *mm)
{
	struct task_struct *leader, *t;
	u32 i;

	if (!s->npids)
		return true;
	for (i = 0; i < s->npids; i++) {
		leader = pid_task(s->pids[i], PIDTYPE_TGID);
		if (!leader)
			continue;
		/* The first thread may have ended before the others. */
		for_each_thread(leader, t) {
			const struct mm_struct *its = READ_ONCE(t->mm);

			if (its == mm)
				return true;
			if (its)
				break;	/* the others have the same */
		}
	}
	return false;
}

static void gp_session_free_pids(struct gp_session *s)
{
	while (s->npids)
		put_pid(s->pids[--s->npids]);
	kvfree(s->pids);
}

static int gp_session_take_pids(struct gp_session *s, const s32 *pids, u32 n,
				struct netlink_ext_ack *extack)
{
	struct pid *pid;

	if (!n)
		return 0;
	s->pids = kvcalloc(n, sizeof(*s->pids), GFP_KERNEL_ACCOUNT);
	if (!s->pids)
		return gp_refuse(extack, -ENOMEM, "out of memory");
	for (; s->npids < n; s->npids++) {
		pid = find_get_pid(pids[s->npids]);
		if (!pid)
			return gp_refuse(extack, -ESRCH, "there is no such process");
		s->pids[s->npids] = pid;
		if (!pid_has_task(pid, PIDTYPE_TGID)) {
			s->npids++;
			return gp_refuse(extack, -ESRCH, "it is a thread, or there is no such process");
		}
	}
	return 0;
}

static int gp_session_make_rings(struct gp_session *s)
{
	int cpu;

	s->rings = kvcalloc(nr_cpu_ids, sizeof(*s->rings), GFP_KERNEL_ACCOUNT);
	if (!s->rings)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		s->rings[cpu] = gp_ring_new(s->ring_bytes, cpu);
		if (!s->rings[cpu])
			return -ENOMEM;
		cond_resched();
	}
	return 0;
}

/* Nothing refers to it any more: no handler, no timer, no dump. */
static void gp_session_free(struct gp_session *s)
{
	u32 i;
	int cpu;

	if (s->rings)
		for_each_possible_cpu(cpu)
			gp_ring_free(s->rings[cpu]);
	kvfree(s->rings);
	for (i = 0; i < s->nplans; i++)
		gp_plan_free(s->plans[i]);
	kvfree(s->plans);
	for (i = 0; i < s->nfiles; i++)
		gp_file_close(s->files[i]);
	gp_types_fini(&s->types);
	kvfree(s->probes);
	gp_session_free_pids(s);
	mutex_destroy(&s->lock);
	mutex_destroy(&s->read_lock);
	kfree(s);
}

static void gp_session_release(struct kref *ref)
{
	struct gp_session *s = container_of(ref, struct gp_session, ref);

	gp_session_free(s);
	module_put(THIS_MODULE);
}

void gp_session_put(struct gp_session *s)
{
	kref_put(&s->ref, gp_session_release);
}

static struct gp_session *gp_session_find(u32 portid)
{
	struct gp_session *s;

	list_for_each_entry(s, &gp_sessions, node)
		if (s->portid == portid)
			return s;
	return NULL;
}

static int gp_session_publish(struct gp_session *s, struct netlink_ext_ack *extack)
{
	if (gp_session_find(s->portid))
		return gp_refuse(extack, -EEXIST, "this socket has a session already");
	if (gp_nsessions >= GP_SESSIONS_MAX)
		return gp_refuse(extack, -EUSERS, "there are too many sessions");
	/* A command can still come when unloading has been decided on. */
	if (!try_module_get(THIS_MODULE))
		return gp_refuse(extack, -ENODEV, "the module is being unloaded");
	s->id = ++gp_session_last_id;
	gp_nsessions++;
	list_add_tail(&s->node, &gp_sessions);
	return 0;
}

/**
 * gp_session_new() - make a socket's session
 * @portid: the socket
 * @ring_bytes: size of each CPU's ring; rounded up
 * @pids: processes to trace, as the caller sees them
 * @npids: their number; 0 for every process
 * @extack: for the sentence on error
 *
 * Return: the session, with a reference for the caller, or an ERR_PTR().
 */
struct gp_session *gp_session_new(u32 portid, u32 ring_bytes, const s32 *pids,
				  u32 npids, struct netlink_ext_ack *extack)
{
	struct gp_session *s;
	int err;

	if (ring_bytes < GP_RING_MIN || ring_bytes > GP_RING_MAX) {
		gp_refuse(extack, -ERANGE, "the ring size is not between 64 KiB and 64 MiB");
		return ERR_PTR(-ERANGE);
	}
	if (npids > GP_PIDS_MAX) {
		gp_refuse(extack, -E2BIG, "more than 1024 processes");
		return ERR_PTR(-E2BIG);
	}
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s) {
		gp_refuse(extack, -ENOMEM, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&s->lock);
	mutex_init(&s->read_lock);
	kref_init(&s->ref);
	INIT_LIST_HEAD(&s->node);
	gp_stream_init(s);
	s->portid = portid;
	s->owner = task_tgid_nr(current);
	s->ring_bytes = roundup_pow_of_two(ring_bytes);

	err = gp_session_take_pids(s, pids, npids, extack);
	if (err)
		goto err_free;
	/* With CPU hotplug kept out, so that no CPU is forgotten. */
	cpus_read_lock();
	err = gp_session_make_rings(s);
	if (err) {
		gp_refuse(extack, err, "there is no memory for rings of that size");
	} else {
		mutex_lock(&gp_sessions_lock);
		err = gp_session_publish(s, extack);
		if (!err)
			kref_get(&s->ref);
		mutex_unlock(&gp_sessions_lock);
	}
	cpus_read_unlock();
	if (err)
		goto err_free;
	return s;

err_free:
	gp_session_free(s);
	return ERR_PTR(err);
}

/* The socket's session, with a reference, or NULL. */
struct gp_session *gp_session_get(u32 portid)
{
	struct gp_session *s;

	mutex_lock(&gp_sessions_lock);
	s = gp_session_find(portid);
	if (s)
		kref_get(&s->ref);
	mutex_unlock(&gp_sessions_lock);
	return s;
}

/* The session with the lowest number from @id on, with a reference, or NULL. */
struct gp_session *gp_session_get_from(u32 id)
{
	struct gp_session *s, *ret = NULL;

	mutex_lock(&gp_sessions_lock);
	list_for_each_entry(s, &gp_sessions, node)
		if (s->id >= id && (!ret || s->id < ret->id))
			ret = s;
	if (ret)
		kref_get(&ret->ref);
	mutex_unlock(&gp_sessions_lock);
	return ret;
}

/**
 * gp_session_socket_closed() - a socket is gone, and its session with it
 * @portid: the socket
 *
 * Context: the closing task, which may be dying. When it returns no breakpoint of the
 * session is left.
 */
void gp_session_socket_closed(u32 portid)
{
	struct gp_session *s;

	mutex_lock(&gp_sessions_lock);
	s = gp_session_find(portid);
	if (s) {
		list_del_init(&s->node);
		gp_nsessions--;
	}
	mutex_unlock(&gp_sessions_lock);
	if (!s)
		return;
	mutex_lock(&s->lock);
	gp_session_stop(s);
	mutex_unlock(&s->lock);
	gp_stream_fini(s);
	gp_session_put(s);
}

/* Context: s->lock, as for all that follows. */
int gp_session_add_file(struct gp_session *s, int fd,
			const struct goprobe_runtime *rt,
			struct netlink_ext_ack *extack)
{
	const char *why;
	struct gp_file *f;

	if (s->stopped)
		return gp_refuse(extack, -ESHUTDOWN, "the session has been stopped");
	if (s->nfiles == GP_FILES_MAX)
		return gp_refuse(extack, -E2BIG, "the session has too many files");
	why = gp_verify_runtime(rt);
	if (why)
		return gp_refuse(extack, -EINVAL, why);
	f = gp_file_open(fd, rt, &why);
	if (IS_ERR(f))
		return gp_refuse(extack, PTR_ERR(f), why);
	s->files[s->nfiles] = f;
	return s->nfiles++;
}

int gp_session_add_types(struct gp_session *s, const struct goprobe_type *types,
			 u32 ntypes, const struct goprobe_ref *refs, u32 nrefs,
			 struct netlink_ext_ack *extack)
{
	const char *why;
	int first;

	if (ntypes > GP_TYPES_MAX - s->types.n || nrefs > GP_REFS_MAX - s->types.nrefs)
		return gp_refuse(extack, -E2BIG, "the session has too many types");
	why = gp_verify_types(types, ntypes, refs, nrefs);
	if (why)
		return gp_refuse(extack, -EINVAL, why);
	first = gp_types_add(&s->types, types, ntypes, refs, nrefs);
	if (first < 0)
		return gp_refuse(extack, first, "out of memory");
	return first;
}

/* All or none. */
int gp_session_add_dynamic(struct gp_session *s, u32 file,
			   const struct goprobe_dynamic *add, u32 n,
			   struct netlink_ext_ack *extack)
{
	struct gp_dynamic *dynamic;
	const char *why;
	int err;
	u32 i;

	if (file >= s->nfiles)
		return gp_refuse(extack, -EINVAL, "the session has no such file");
	for (i = 0; i < n; i++) {
		why = gp_verify_dynamic(&add[i], &s->types);
		if (why)
			return gp_refuse(extack, -EINVAL, why);
	}
	dynamic = &s->files[file]->dynamic;
	err = gp_dynamic_add(dynamic, add, n, &s->types);
	if (err)
		return gp_refuse(extack, err, err == -ENOMEM ? "out of memory" :
				 "the file has too many dynamic types");
	return dynamic->n;
}

/* Make room for @more pointers behind @n in a table that doubles. */
static int gp_table_grow(void ***table, u32 *room, u32 n, u32 more)
{
	u32 want = max3(n + more, *room * 2, 64U);
	void **bigger;

	if (n + more <= *room)
		return 0;
	bigger = kvcalloc(want, sizeof(void *), GFP_KERNEL_ACCOUNT);
	if (!bigger)
		return -ENOMEM;
	if (n)
		memcpy(bigger, *table, n * sizeof(void *));
	kvfree(*table);
	*table = bigger;
	*room = want;
	return 0;
}

int gp_session_add_plans(struct gp_session *s, const struct gp_plans_wire *w,
			 struct netlink_ext_ack *extack)
{
	u32 first = s->nplans, i;
	const char *why;

	if (w->nplans > GP_PLANS_MAX - s->nplans)
		return gp_refuse(extack, -E2BIG, "the session has too many plans");
	for (i = 0; i < w->nplans; i++) {
		why = gp_verify_plan(&w->plans[i], w->pieces, w->npieces, w->ops,
				     w->nops, &s->types);
		if (why)
			return gp_refuse(extack, -EINVAL, why);
		cond_resched();
	}
	if (gp_table_grow((void ***)&s->plans, &s->plans_room, s->nplans, w->nplans))
		return gp_refuse(extack, -ENOMEM, "out of memory");
	for (i = 0; i < w->nplans; i++, s->nplans++) {
		s->plans[s->nplans] = gp_plan_new(&w->plans[i], w->pieces, w->ops,
						  &s->types, s->nplans);
		if (!s->plans[s->nplans])
			goto err;
		cond_resched();
	}
	return first;

err:
	while (s->nplans > first)
		gp_plan_free(s->plans[--s->nplans]);
	return gp_refuse(extack, -ENOMEM, "out of memory");
}

static const u16 gp_record_kind[] = {
	[GOPROBE_POINT_CALL] = GOPROBE_RECORD_CALL,
	[GOPROBE_POINT_RETURN] = GOPROBE_RECORD_RETURN,
	[GOPROBE_POINT_TAIL] = GOPROBE_RECORD_TAIL,
};

static struct gp_probe *gp_session_new_probe(struct gp_session *s, u32 file,
					     const struct goprobe_point *p)
{
	const struct gp_file *f = s->files[file];
	const struct goprobe_runtime *rt = &f->runtime;
	struct gp_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);

	if (!probe)
		return NULL;
	probe->session = s;
	probe->plan = p->plan == GOPROBE_NO_PLAN ? NULL : s->plans[p->plan];
	probe->plan_id = p->plan;
	probe->runtime = rt;
	probe->id = p->id;
	probe->record_kind = gp_record_kind[p->kind];
	probe->stat = p->kind == GOPROBE_POINT_CALL ? GOPROBE_STAT_CALLS :
						      GOPROBE_STAT_RETURNS;
	probe->point_kind = p->kind;
	probe->skip = p->skip;
	probe->flags = p->flags;
	probe->sp_adjust = p->sp_adjust;
	probe->g_reg = p->flags & GOPROBE_POINT_F_ABI0 ||
		       rt->g_reg == GOPROBE_REG_NONE ? -1 : gp_arch_int_reg(rt->g_reg);
	probe->quick = probe->g_reg >= 0 && (!probe->plan || probe->plan->quick);
	probe->file = file;
	probe->offset = p->offset;
	probe->address = p->offset + rt->code_delta;
	probe->dynamic = &f->dynamic;
	return probe;
}

/* Refuse with the point's place and the reason. */
static int gp_session_refuse_point(struct gp_session *s,
				   struct netlink_ext_ack *extack, int err,
				   const struct goprobe_point *p, const char *why)
{
	snprintf(s->refusal, sizeof(s->refusal), "point %u at file offset 0x%llx: %s",
		 p->id, p->offset, why);
	return gp_refuse(extack, err, s->refusal);
}

static int gp_session_check_point(struct gp_session *s, u32 file,
				  const struct goprobe_point *p,
				  struct netlink_ext_ack *extack)
{
	const char *why;
	int err;

	why = gp_verify_point(p, s->nplans);
	if (why)
		return gp_session_refuse_point(s, extack, -EINVAL, p, why);
	err = gp_file_check_point(s->files[file], p, &why);
	if (err)
		return gp_session_refuse_point(s, extack, err, p, why);
	return 0;
}

static int gp_session_add_point(struct gp_session *s, u32 file,
				const struct goprobe_point *p,
				struct gp_sweep *sweep,
				struct netlink_ext_ack *extack)
{
	struct gp_probe *probe;
	int err;

	probe = gp_session_new_probe(s, file, p);
	if (!probe)
		return gp_refuse(extack, -ENOMEM, "out of memory");
	err = gp_probe_add(probe, s->files[file], sweep);
	if (err)
		return gp_session_refuse_point(s, extack, err, p, err == -EUSERS ?
					       "there are too many probes already" :
					       "the kernel refused the breakpoint");
	s->probes[s->nprobes++] = probe;
	return 0;
}

/**
 * struct gp_session_batch - points that are added together
 * @s: the session
 * @caller: who adds them
 * @file: index of their file
 * @points: the points
 * @n: their number
 * @extack: for the sentence on error
 * @err: result
 */
struct gp_session_batch {
	struct gp_session *s;
	struct task_struct *caller;
	u32 file;
	const struct goprobe_point *points;
	u32 n;
	struct netlink_ext_ack *extack;
	int err;
};

/* All or none. */
static void gp_session_add_batch(struct gp_sweep *sweep, void *arg)
{
	struct gp_session_batch *b = arg;
	struct gp_session *s = b->s;
	u32 first = s->nprobes, i;
	int err = 0;

	for (i = 0; !err && i < b->n; i++) {
		err = gp_session_add_point(s, b->file, &b->points[i], sweep, b->extack);
		if (!err && fatal_signal_pending(b->caller))
			err = gp_refuse(b->extack, -EINTR, "interrupted");
		cond_resched();
	}
	while (err && s->nprobes > first)
		gp_probe_del(s->probes[--s->nprobes], sweep);
	b->err = err;
}

int gp_session_add_points(struct gp_session *s, u32 file,
			  const struct goprobe_point *points, u32 n,
			  struct netlink_ext_ack *extack)
{
	struct gp_session_batch batch = {
		.s = s,
		.caller = current,
		.file = file,
		.points = points,
		.n = n,
		.extack = extack,
	};
	int err;
	u32 i;

	if (s->stopped)
		return gp_refuse(extack, -ESHUTDOWN, "the session has been stopped");
	if (file >= s->nfiles)
		return gp_refuse(extack, -EINVAL, "the session has no such file");
	if (n > GP_POINTS_MAX - s->nprobes)
		return gp_refuse(extack, -E2BIG, "the session has too many points");
	/* Before other sessions have to wait: the file may be slow to read. */
	for (i = 0; i < n; i++) {
		err = gp_session_check_point(s, file, &points[i], extack);
		if (err)
			return err;
		cond_resched();
	}
	if (gp_table_grow((void ***)&s->probes, &s->probes_room, s->nprobes, n))
		return gp_refuse(extack, -ENOMEM, "out of memory");
	gp_sweep_run(gp_session_add_batch, &batch);
	return batch.err ? batch.err : s->nprobes;
}

int gp_session_start(struct gp_session *s, struct netlink_ext_ack *extack)
{
	if (s->stopped)
		return gp_refuse(extack, -ESHUTDOWN, "the session has been stopped");
	WRITE_ONCE(s->running, true);
	return 0;
}

static void gp_session_del_probes(struct gp_sweep *sweep, void *arg)
{
	struct gp_session *s = arg;

	while (s->nprobes) {
		gp_probe_del(s->probes[--s->nprobes], sweep);
		cond_resched();
	}
}

/**
 * gp_session_stop() - take every breakpoint away and wait for the handlers
 * @s: the session; its lock is held
 */
void gp_session_stop(struct gp_session *s)
{
	if (s->stopped)
		return;
	s->stopped = true;
	WRITE_ONCE(s->running, false);
	gp_sweep_run(gp_session_del_probes, s);
	/* The last losses are seen before it is seen as quiet. */
	smp_store_release(&s->quiet, true);
}

void gp_session_stats(struct gp_session *s, u64 stats[__GOPROBE_STAT_MAX])
{
	int cpu, i;

	memset(stats, 0, sizeof(*stats) * __GOPROBE_STAT_MAX);
	for_each_possible_cpu(cpu) {
		const struct gp_ring *ring = READ_ONCE(s->rings[cpu]);

		for (i = 0; ring && i < __GOPROBE_STAT_MAX; i++)
			stats[i] += READ_ONCE(ring->stat[i]);
	}
	stats[GOPROBE_STAT_LOST_NO_RING] += atomic64_read(&s->no_ring);
}

/* A CPU comes up: give it a ring in each session. Its hits are counted if not. */
static int gp_session_cpu_up(unsigned int cpu)
{
	struct gp_session *s;

	mutex_lock(&gp_sessions_lock);
	list_for_each_entry(s, &gp_sessions, node)
		if (!s->rings[cpu])
			/* The ring is made before it is seen. */
			smp_store_release(&s->rings[cpu],
					  gp_ring_new(s->ring_bytes, cpu));
	mutex_unlock(&gp_sessions_lock);
	return 0;
}

int gp_session_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "goprobe:online",
					      gp_session_cpu_up, NULL);

	if (state < 0)
		return state;
	gp_cpuhp_state = state;
	return 0;
}

void gp_session_fini(void)
{
	cpuhp_remove_state_nocalls(gp_cpuhp_state);
}
