/* SPDX-License-Identifier: GPL-2.0 */
/* A session: one socket's probes, rings and death. */
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
struct gp_plan;
struct gp_probe;
struct gp_ring;
struct file;
struct sock;

/* See struct goprobe_limits. */
#define GP_FILES_MAX	64

/**
 * struct gp_breaker - a session's breaker
 * @wish: when; @wish.percent is 0 if there is none
 * @work: looks at it now and then
 * @hits: how many there had been when it was last looked at
 * @system: the programs' system time then, ns
 * @time: when that was, ns; 0: not yet
 * @strikes: how often in a row there were too many
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
 * struct gp_session - a session
 * @running: records are made; written by who has @turn, or ends the session; read by handlers
 * @lossless: who finds no room waits; fixed
 * @large: the reader takes messages of GOPROBE_LARGE_BYTES; fixed
 * @stalled: 1 + the CPU on whose ring somebody has waited in vain, and has no room been made
 *	since; 0: nobody has
 * @clock: what records are stamped with
 * @calls: open calls, or NULL if nothing is timed; there before the first probe that
 *	does
 * @keys: what is counted by key, or NULL; there before the first probe that does
 * @members: its set of goroutines, or NULL; there before the first filter that asks
 * @rings: by CPU; NULL for a CPU that could not get one; fixed but for CPUs
 *	that come up later
 * @pid: the first of @pids, or NULL; fixed
 * @pids: processes that are traced; @npids of them, or every one if 0; fixed
 * @npids: number of @pids
 * @armed: enum gp_stream_armed
 * @no_ring: hits on CPUs without a ring
 * @ready: sends GOPROBE_CMD_READY
 * @reap: forgets what processes have left that are no more
 * @room: who waits for room in a ring, or out a delay
 * @ref: the table's, the worker's, that of its descriptor, and one for each dump under way
 * @node: in the table of sessions
 * @id: number
 * @sk: owner's socket, as long as the session is in the table
 * @portid: its port, which may be another socket's when this one has been closed
 * @owner: owner's process, for GOPROBE_CMD_LIST
 * @ring_bytes: size of each ring
 * @commands_lock: guards what follows, up to @work
 * @commands: those that wait for the worker
 * @ncommands: number of @commands
 * @ending: it ends; none is added any more
 * @work: the worker: carries out @commands, one after the other, then ends the session
 * @reads: of files; the worker's
 * @turn: serialises commands, the breaker and the end; held while handlers are waited for
 * @lock: guards all below, which changes only under @turn as well; nobody is waited for with it
 *	held
 * @breaker: stops it when hits are too many
 * @stopped: no more points
 * @quiet: no handler can run for it any more; written once, read by the reader
 * @ncalls: calls that @calls must have room for
 * @nmembers: goroutines that @members must have room for, or 0
 * @tallies: what is counted and timed
 * @nstates: states that goroutines are told apart in, or 0; fixed
 * @nfiles: number of @files
 * @files: binaries; only grows
 * @types: its types; only grows, read by handlers
 * @nplans: number of @plans
 * @plans_room: room in @plans
 * @plans: by id
 * @hold: room for calls that are held, as the client has asked for it
 * @key_room: room for keys, likewise
 * @nfilters: number of @filters
 * @filters_room: room in @filters
 * @filters: by id, which is counted from 1
 * @nprobes: number of @probes
 * @probes_room: room in @probes
 * @probes: in the order they were added
 * @refusal: a sentence that was made for one refusal; the worker's
 * @read_lock: makes for one consumer of the rings; guards what follows
 * @line: the last pass's
 */
struct gp_session {
	bool running;
	bool lossless;
	bool large;
	u32 stalled;
	struct gp_clock clock;
	struct gp_calls *calls;
	struct gp_keys *keys;
	struct gp_goroutine_set *members;
	struct gp_ring **rings;
	const struct pid *pid;
	struct pid **pids;
	u32 npids;
	atomic_t armed;

	atomic64_t no_ring;
	struct delayed_work ready;
	struct delayed_work reap;
	wait_queue_head_t room;
	struct kref ref;
	struct list_head node;
	u32 id;
	struct sock *sk;
	u32 portid;
	pid_t owner;
	u32 ring_bytes;

	spinlock_t commands_lock;	/* guards the commands that wait */
	struct list_head commands;
	u32 ncommands;
	bool ending;
	struct work_struct work;
	struct gp_reads reads;

	struct mutex turn;	/* serialises commands, the breaker and the end */
	struct mutex lock;	/* guards what follows */
	struct gp_breaker breaker;
	bool stopped;
	bool quiet;
	u32 ncalls;
	u32 nmembers;
	struct gp_tallies tallies;
	u32 nstates;
	u32 nfiles;
	struct gp_file *files[GP_FILES_MAX];
	struct gp_types types;
	u32 nplans;
	u32 plans_room;
	struct gp_plan **plans;
	struct goprobe_held hold;
	struct goprobe_keys key_room;
	u32 nfilters;
	u32 filters_room;
	struct gp_filter **filters;
	u32 nprobes;
	u32 probes_room;
	struct gp_probe **probes;
	char refusal[192];

	struct mutex read_lock;	/* one consumer of the rings */
	struct gp_timeline line;
};

/* Is the current process traced? Part of every hit, mostly of the only process that is. */
static __always_inline bool gp_session_wants_current(const struct gp_session *s)
{
	const struct pid *pid = task_tgid(current);
	u32 i;

	if (likely(s->pid == pid) || !s->npids)
		return true;
	for (i = 1; i < s->npids; i++)
		if (s->pids[i] == pid)
			return true;
	return false;
}

bool gp_session_wants_mm(const struct gp_session *s, const struct mm_struct *mm);

static inline void gp_session_no_ring(struct gp_session *s)
{
	atomic64_inc(&s->no_ring);
}

#endif
