// SPDX-License-Identifier: GPL-2.0
/*
 * Table and lifetime of sessions. Their content is in objects.c and points.c.
 *
 * Locking: gp_sessions_lock guards the table and is never held for long. Slow actions on a session
 * take its turn: the worker of its commands (command.c), and its breaker. They change its tables
 * under its lock too, but never wait for anybody with the lock. So readers need only the lock. A
 * turn nests inside nothing and outside the locks of inodes (probe.c), which nest outside the
 * session's lock. Handlers take none of them.
 *
 * Lifetime: a session ends with its socket or its descriptor, on one path, whatever closed them: no
 * more commands, no more records, every breakpoint removed and every handler ended
 * (gp_session_stop()), removed from the table; then the last reference frees it. The worker does
 * that, because the kernel announces a closed socket with locks held that all of netlink needs. A
 * task that closes the descriptor waits for it, without locks. A session holds a reference to the
 * module, so that the module cannot be unloaded before.
 *
 * Owner: a socket, not a port. Netlink lets others have a port before it announces that its socket
 * is closed (netlink_release()), and it announces only the port.
 */
#include <linux/anon_inodes.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/string.h>
#include <net/sock.h>

#include "capture/plan.h"
#include "control/breaker.h"
#include "control/command.h"
#include "control/message.h"
#include "control/objects.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/session_run.h"
#include "control/sessions.h"
#include "control/trapless.h"
#include "compat.h"
#include "gfp.h"
#include "jump/notebook.h"
#include "ring/ring.h"
#include "session/reap.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"
#include "stats/keys.h"
#include "stats/pending.h"

static DEFINE_MUTEX(gp_sessions_lock);
static LIST_HEAD(gp_sessions);
static u32 gp_nsessions;
static u32 gp_session_last_id;
static int gp_cpuhp_state = -1;

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
	s->pids = kvcalloc(n, sizeof(*s->pids), GP_GFP_CHARGED);
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
	s->pid = s->pids[0];
	return 0;
}

static int gp_session_take_cgroup(struct gp_session *s, const struct gp_request *r,
				  struct netlink_ext_ack *extack)
{
	struct cgroup *cgroup;

	if (!(r->flags & GOPROBE_SESSION_F_CGROUP))
		return 0;
	cgroup = gp_compat_cgroup(r->fd);
	if (cgroup == ERR_PTR(-ENOENT))
		return gp_refuse(extack, -ENOENT, "the control group has been removed");
	if (IS_ERR(cgroup))
		return gp_refuse(extack, PTR_ERR(cgroup),
				 "the descriptor is no directory of a control group of version 2");
	s->cgroup = cgroup;
	return 0;
}

static int gp_session_make_rings(struct gp_session *s)
{
	int cpu;

	s->rings = kvcalloc(nr_cpu_ids, sizeof(*s->rings), GP_GFP_CHARGED);
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

/* Context: nobody refers to the session any more: no handler, no timer, no dump. */
static void gp_session_free(struct gp_session *s)
{
	int cpu;

	if (s->rings)
		for_each_possible_cpu(cpu)
			gp_ring_free(s->rings[cpu]);
	kvfree(s->rings);
	gp_notebook_free(s->notebook);
	gp_objects_free(s);
	gp_session_free_pids(s);
	if (s->cgroup)
		gp_compat_cgroup_put(s->cgroup);
	gp_reads_fini(&s->reads);
	mutex_destroy(&s->turn);
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

static struct gp_session *gp_session_find(const struct sock *sk)
{
	struct gp_session *s;

	list_for_each_entry(s, &gp_sessions, node)
		if (s->sk == sk && !s->commands.ending)
			return s;
	return NULL;
}

/*
 * The session of a socket that had that port and is being closed. If two sockets had the port, one
 * after the other, it may be the other one's session: each announcement ends one, so both end.
 */
static struct gp_session *gp_session_find_dead(u32 portid)
{
	struct gp_session *s;

	list_for_each_entry(s, &gp_sessions, node)
		if (s->portid == portid && sock_flag(s->sk, SOCK_DEAD) && !s->commands.ending)
			return s;
	return NULL;
}

static int gp_session_publish(struct gp_session *s, struct netlink_ext_ack *extack)
{
	if (gp_session_find(s->sk))
		return gp_refuse(extack, -EEXIST, "this socket already has a session");
	if (gp_nsessions >= GP_SESSIONS_MAX)
		return gp_refuse(extack, -EUSERS, "there are too many sessions");
	/* A command can still arrive after the unloading has been decided. */
	if (!try_module_get(THIS_MODULE))
		return gp_refuse(extack, -ENODEV, "the module is being unloaded");
	sock_hold(s->sk);
	s->id = ++gp_session_last_id;
	gp_nsessions++;
	list_add_tail(&s->node, &gp_sessions);
	return 0;
}

/* Reason why the session cannot be made, or NULL. *@err: its error. */
static const char *gp_session_refuses(const struct gp_request *r, int *err)
{
	*err = -ERANGE;
	if (r->ring_bytes < GP_RING_MIN || r->ring_bytes > GP_RING_MAX)
		return "the ring size is not between 64 KiB and 64 MiB";
	if (r->call_limit < GP_CALLS_MIN || r->call_limit > GP_CALLS_MAX)
		return "the number of open calls is not between 1024 and 1048576";
	if (r->pending_limit.calls && r->pending_limit.bytes < sizeof(struct gp_pending_record))
		return "a pending record is smaller than a record's header";
	if (r->pending_limit.bytes > GP_RECORD_MAX)
		return "a pending record is larger than the largest record";
	if ((u64)r->pending_limit.calls * r->pending_limit.bytes > GP_PENDING_BYTES_MAX)
		return "pending records would take more than 1 GiB";
	if (r->key_limit.number > GP_KEYS_MAX || r->key_limit.bytes > GP_KEY_BYTES_MAX)
		return "the limit of keys is above 262144 keys of 768 bytes";
	if (r->key_limit.number && !r->key_limit.bytes)
		return "the size of keys is 0";
	if (r->states > GOPROBE_STATES_MAX)
		return "the number of states is above " __stringify(GOPROBE_STATES_MAX);
	if (r->goroutine_set_limit > GP_GOROUTINE_SET_MAX)
		return "the set of goroutines is larger than 1048576";
	*err = -EINVAL;
	if (r->flags & ~GOPROBE_SESSION_F_ALL)
		return "a session has unknown flags";
	if (r->fd && !(r->flags & GOPROBE_SESSION_F_CGROUP))
		return "a session has a descriptor without GOPROBE_SESSION_F_CGROUP";
	*err = -EPERM;
	if (r->flags & GOPROBE_SESSION_F_JUMPS && !gp_trapless_allowed())
		return "there can be no jumps without allow_jumps=1";
	*err = -E2BIG;
	return r->npids > GP_PIDS_MAX ? "the list has more than " __stringify(GP_PIDS_MAX)
				       " processes" : NULL;
}

/**
 * gp_session_new() - make a socket's session
 * @sk: the socket
 * @portid: its port
 * @r: its parameters
 * @extack: gets the error message
 *
 * Return: the session, with a reference for the caller, or an ERR_PTR().
 */
struct gp_session *gp_session_new(struct sock *sk, u32 portid,
				  const struct gp_request *r,
				  struct netlink_ext_ack *extack)
{
	struct gp_session *s;
	const char *why;
	int err;

	why = gp_session_refuses(r, &err);
	if (why) {
		gp_refuse(extack, err, why);
		return ERR_PTR(err);
	}
	s = kzalloc(sizeof(*s), GP_GFP_CHARGED);
	if (!s) {
		gp_refuse(extack, -ENOMEM, "out of memory");
		return ERR_PTR(-ENOMEM);
	}
	mutex_init(&s->turn);
	mutex_init(&s->lock);
	mutex_init(&s->read_lock);
	kref_init(&s->ref);
	INIT_LIST_HEAD(&s->node);
	gp_command_open(s);
	gp_stream_open(s, gp_message_send_ready);
	gp_reap_open(s);
	gp_breaker_init(&s->breaker, &r->breaker);
	gp_tallies_init(&s->tallies);
	s->limits.calls = r->call_limit;
	s->limits.pending = r->pending_limit;
	s->limits.keys = r->key_limit;
	s->limits.states = r->states;
	s->tallies.nstates = r->states;
	s->limits.goroutines = r->goroutine_set_limit;
	s->sk = sk;
	s->portid = portid;
	s->owner = task_tgid_nr(current);
	s->ring_bytes = roundup_pow_of_two(r->ring_bytes);
	s->lossless = r->flags & GOPROBE_SESSION_F_LOSSLESS;
	s->large = r->flags & GOPROBE_SESSION_F_LARGE;

	err = gp_session_take_pids(s, r->pids, r->npids, extack);
	if (!err)
		err = gp_session_take_cgroup(s, r, extack);
	if (err)
		goto err_free;
	gp_trapless_init(s, r->flags);
	/* Without CPU hotplug, so that no CPU is missed. */
	cpus_read_lock();
	err = gp_session_make_rings(s);
	if (err) {
		gp_refuse(extack, err, "out of memory for rings of that size");
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
struct gp_session *gp_session_get(const struct sock *sk)
{
	struct gp_session *s;

	mutex_lock(&gp_sessions_lock);
	s = gp_session_find(sk);
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

/* Context: gp_sessions_lock. The session is in the table, and not ending. */
static void gp_session_end(struct gp_session *s)
{
	WRITE_ONCE(s->running, false);
	gp_stream_wake_waiters(s);
	gp_command_queue_end(s);
}

static void gp_session_close(struct gp_session *s)
{
	mutex_lock(&gp_sessions_lock);
	if (!s->commands.ending)
		gp_session_end(s);
	mutex_unlock(&gp_sessions_lock);
}

/**
 * gp_session_socket_closed() - end the session of a socket that is being closed
 * @portid: its port
 *
 * Context: the closing task, in netlink's chain of notifiers: does not wait.
 */
void gp_session_socket_closed(u32 portid)
{
	struct gp_session *s;

	mutex_lock(&gp_sessions_lock);
	s = gp_session_find_dead(portid);
	if (s)
		gp_session_end(s);
	mutex_unlock(&gp_sessions_lock);
}

/* When it returns no breakpoint of the session is left. */
static int gp_session_fd_release(struct inode *inode, struct file *file)
{
	struct gp_session *s = file->private_data;

	gp_session_close(s);
	/* A kernel thread may close files for others; it must not wait. */
	if (!(current->flags & PF_KTHREAD))
		gp_command_wait_end(s);
	gp_session_put(s);
	return 0;
}

static const struct file_operations gp_session_fops = {
	.owner = THIS_MODULE,
	.release = gp_session_fd_release,
};

/**
 * gp_session_open_fd() - make a session's descriptor
 * @s: the session
 * @file: set to the file to install; if the caller puts it instead, the session ends
 *
 * Return: its number, or an error; then the session ends.
 */
int gp_session_open_fd(struct gp_session *s, struct file **file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC), err = fd;

	if (fd >= 0) {
		*file = anon_inode_getfile("[goprobe]", &gp_session_fops, s, O_RDONLY | O_CLOEXEC);
		if (!IS_ERR(*file)) {
			kref_get(&s->ref);
			return fd;
		}
		err = PTR_ERR(*file);
		put_unused_fd(fd);
	}
	*file = NULL;
	gp_session_close(s);
	return err;
}

/* End a session. May be called repeatedly. Context: its worker. */
void gp_session_finish(struct gp_session *s)
{
	if (list_empty(&s->node))
		return;
	mutex_lock(&s->turn);
	gp_session_stop(s);
	mutex_unlock(&s->turn);
	gp_breaker_stop(s);
	gp_trapless_stop(s);
	gp_reap_close(s);
	gp_stream_close(s);
	mutex_lock(&gp_sessions_lock);
	list_del_init(&s->node);
	gp_nsessions--;
	mutex_unlock(&gp_sessions_lock);
	/* No new reader finds it. A running dump ends with the socket's memory. */
	sock_put(s->sk);
	gp_session_put(s);
}

/*
 * A CPU comes up: give it a ring in each session. If that fails, its hits count as lost. No session
 * begins meanwhile, because gp_session_new() holds off CPU hotplug.
 */
static int gp_session_cpu_up(unsigned int cpu)
{
	struct gp_session *s;
	u32 id = 0;

	while ((s = gp_session_get_from(id))) {
		if (!s->rings[cpu])
			/* Readers of the pointer see the ring initialized. */
			smp_store_release(&s->rings[cpu],
					  gp_ring_new(s->ring_bytes, cpu));
		id = s->id + 1;
		gp_session_put(s);
	}
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
