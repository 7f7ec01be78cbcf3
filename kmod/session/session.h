/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions: one socket's objects, probes and rings, and its end. */
#ifndef GP_SESSION_H
#define GP_SESSION_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <goprobe.h>

#include "capture/types.h"
#include "ring/clock.h"
#include "ring/timeline.h"
#include "session/reading.h"
#include "stats/tally.h"

struct gp_calls;
struct gp_file;
struct gp_filter;
struct gp_keys;
struct gp_goroutine_set;
struct gp_notebook;
struct gp_plan;
struct gp_probe;
struct gp_ring;
struct cgroup;
struct file;
struct sock;

/* See struct goprobe_limits. */
#define GP_FILES_MAX	64

/**
 * struct gp_breaker - a session's breaker
 * @wish: its limits; @wish.percent is 0: none
 * @work: checks them now and then
 * @hits: number of hits at the last check
 * @system: the programs' system time at the last check, ns
 * @time: of the last check, ns; 0: none yet
 * @strikes: number of checks in a row that were above the limit
 * @broken: hits a second when it stopped the session, or 0
 */
struct gp_breaker {
	struct goprobe_breaker wish;
	struct delayed_work work;
	u64 hits;
	u64 system;
	u64 time;
	u32 strikes;
	u64 broken;
};

/**
 * struct gp_trapless - which of a session's points become jumps
 * @wanted: some may; fixed
 * @at_once: they need not have many hits; fixed
 * @work: looks at them now and then
 * @hits: number of hits that handlers have recorded, or rejected by a program, when it last looked
 * @all: number of all hits then
 * @ms: its interval
 * @file: the file that it looks at next, modulo their number
 * @next: the process
 * @care: when it looks after jumps again, ns
 * @lost: jumps that have disappeared
 * @taken: pages that jumps have taken of the processes: struct gp_spare
 * @no_memory: points that would be jumps, but some process has no memory for them
 */
struct gp_trapless {
	bool wanted;
	bool at_once;
	struct delayed_work work;
	u64 hits;
	u64 all;
	u32 ms;
	u32 file;
	u32 next;
	u64 care;
	u64 lost;
	atomic_long_t taken;
	u64 no_memory;
};

/**
 * struct gp_commands - commands of a session that wait for its worker
 * @lock: guards all of them
 * @list: the commands
 * @n: their number
 * @ending: the session ends; no more are added
 * @worker: runs them one after the other, then ends the session
 */
struct gp_commands {
	spinlock_t lock;	/* guards all of them */
	struct list_head list;
	u32 n;
	bool ending;
	struct work_struct worker;
};

/**
 * struct gp_limits - sizes of tables that a session makes when its points need them
 * @calls: calls that can be open at once
 * @goroutines: goroutines in the set, or 0
 * @states: states of goroutines for times by state, or 0; fixed
 * @pending: records that can be pending
 * @keys: keys, and their size
 */
struct gp_limits {
	u32 calls;
	u32 goroutines;
	u32 states;
	struct goprobe_pending_limit pending;
	struct goprobe_key_limit keys;
};

/**
 * struct gp_objects - objects that a client has added
 * @nfiles: number of @files
 * @files: binaries; only grows
 * @types: types; only grows, read by handlers
 * @nplans: number of @plans
 * @plans_cap: capacity of @plans
 * @plans: by id
 * @nfilters: number of @filters
 * @filters_cap: capacity of @filters
 * @filters: by id, which is counted from 1
 * @nprobes: number of @probes
 * @probes_cap: capacity of @probes
 * @probes: in the order they were added
 * @refusal: buffer for a formatted error message; only the worker uses it
 */
struct gp_objects {
	u32 nfiles;
	struct gp_file *files[GP_FILES_MAX];
	struct gp_types types;
	u32 nplans;
	u32 plans_cap;
	struct gp_plan **plans;
	u32 nfilters;
	u32 filters_cap;
	struct gp_filter **filters;
	u32 nprobes;
	u32 probes_cap;
	struct gp_probe **probes;
	char refusal[192];
};

/**
 * struct gp_session - a session
 * @running: records are made; written by the holder of @turn, or by the end of the session
 * @lossless: a hit waits for space in a full ring; fixed
 * @large: the reader takes messages of GOPROBE_LARGE_BYTES; fixed
 * @stalled: 1 + the CPU on whose ring a hit has waited in vain, while the ring has had no space
 *	since; or 0
 * @clock: stamps records
 * @calls: open calls, or NULL if nothing is timed; made before the first probe that does
 * @keys: counters by key, or NULL; made before the first probe that uses them
 * @members: the set of goroutines, or NULL; made before the first filter that uses it
 * @rings: by CPU; NULL for a CPU that has none; fixed but for CPUs that come up later
 * @notebook: notes of calls, or NULL; made before the first point that leaves some
 * @pid: the first of @pids, or NULL; fixed
 * @pids: traced processes; @npids of them, or all if 0; fixed
 * @npids: number of @pids
 * @cgroup: processes in it are traced, too, or NULL; fixed
 * @armed: enum gp_stream_armed
 * @no_ring: hits on CPUs without a ring
 * @ready: sends GOPROBE_CMD_READY
 * @drain: makes records of notes now and then
 * @drain_ms: its interval
 * @reap: forgets calls and goroutines of exited processes
 * @space: hits that wait for space in a ring, or for the end of a delay
 * @ref: references: of the table, of the worker, of the descriptor, and of each dump
 * @node: in the table of sessions
 * @id: number
 * @sk: owner's socket, as long as the session is in the table
 * @portid: its port, which may belong to another socket once this one is closed
 * @owner: owner's process, for GOPROBE_CMD_LIST
 * @ring_bytes: size of each ring
 * @commands: commands that wait for the worker
 * @reads: of files; the worker's
 * @turn: serialises commands, the breaker and the end; held while handlers are waited for
 * @lock: guards all members below, which change only under @turn too; no holder waits for
 *	handlers
 * @breaker: stops the session when its hits take too much time
 * @trapless: which points become jumps
 * @stopped: no more points
 * @quiet: no handler can run for it any more; written once, read by the reader
 * @limits: sizes
 * @tallies: counters and histograms
 * @objects: files, types, plans, filters and probes
 * @read_lock: one consumer of the rings at a time; guards @line
 * @line: the times of the last pass
 */
struct gp_session {
	/* Handlers read this at each hit. */
	bool running;
	bool lossless;
	bool large;
	u32 stalled;
	struct gp_clock clock;
	struct gp_calls *calls;
	struct gp_keys *keys;
	struct gp_goroutine_set *members;
	struct gp_ring **rings;
	struct gp_notebook *notebook;
	const struct pid *pid;
	struct pid **pids;
	u32 npids;
	struct cgroup *cgroup;
	atomic_t armed;

	/* Handlers use this now and then. */
	atomic64_t no_ring;
	struct delayed_work ready;
	struct delayed_work drain;
	u32 drain_ms;
	struct delayed_work reap;
	wait_queue_head_t space;

	/* Lifetime and owner. */
	struct kref ref;
	struct list_head node;
	u32 id;
	struct sock *sk;
	u32 portid;
	pid_t owner;
	u32 ring_bytes;

	struct gp_commands commands;
	struct gp_reads reads;

	struct mutex turn;	/* serialises commands, the breaker and the end */
	struct mutex lock;	/* guards the members below */
	struct gp_breaker breaker;
	struct gp_trapless trapless;
	bool stopped;
	bool quiet;
	struct gp_limits limits;
	struct gp_tallies tallies;
	struct gp_objects objects;

	struct mutex read_lock;	/* one consumer of the rings */
	struct gp_timeline line;
};

bool gp_session_has_task(const struct gp_session *s, struct task_struct *t);

/* Whether the current process is traced. Each hit asks; usually one process is traced. */
static __always_inline bool gp_session_wants_current(const struct gp_session *s)
{
	const struct pid *pid = task_tgid(current);
	u32 i;

	if (likely(s->pid == pid) || (!s->npids && !s->cgroup))
		return true;
	for (i = 1; i < s->npids; i++)
		if (s->pids[i] == pid)
			return true;
	return s->cgroup && gp_session_has_task(s, current);
}

bool gp_session_wants_mm(const struct gp_session *s, const struct mm_struct *mm);

static inline void gp_session_no_ring(struct gp_session *s)
{
	atomic64_inc(&s->no_ring);
}

#endif
