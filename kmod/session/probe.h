/* SPDX-License-Identifier: GPL-2.0 */
/* Probes. A *probe* is one session's interest in a point. */
#ifndef GP_PROBE_H
#define GP_PROBE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <goprobe.h>

struct gp_dynamic;
struct gp_filter;
struct gp_inode;
struct gp_jump_plan;
struct gp_plan;
struct gp_point;
struct gp_session;
struct gp_tally;

/* Action of a probe's hits; decided when the probe is made. */
enum gp_way {
	GP_WAY_QUICK,		/* a record, and the fast path is worth trying */
	GP_WAY_GENERAL,		/* a record */
	GP_WAY_COUNT,
	GP_WAY_COUNT_KEY,	/* by key */
	GP_WAY_NOTIFY,		/* a goroutine notification by its filter, nothing else */
	GP_WAY_ENTER,		/* a timed call */
	GP_WAY_ENTER_KEY,	/* by key */
	GP_WAY_LEAVE,		/* the return of a timed call */
	GP_WAY_TIME,		/* both, where g is not in a register */
	GP_WAY_TIMED,		/* both, where a slot may have the call: hit/timed.c */
	GP_WAY_CALL,		/* a paired call */
	GP_WAY_END,		/* its end; or, with a filter, the end of a timed call */
	GP_WAY_FILTER,		/* a filter comes first */
	GP_WAY_EDIT,		/* changes the program, after all others */
};

/**
 * struct gp_probe - one session's interest in a point
 * @session: its session; outlives the probe
 * @tally: of its id, unless its hits leave records
 * @plan: what to capture, or NULL
 * @filter: which hits count, or NULL: all
 * @edit: changes to the program after a hit that counts, or NULL
 * @runtime: offsets in the file's Go runtime
 * @id: the client's
 * @plan_id: of @plan, or GOPROBE_NO_PLAN
 * @record_kind: enum goprobe_record_kind of its records
 * @point_kind: enum goprobe_point_kind
 * @skip: enum goprobe_skip
 * @stat: enum goprobe_stat that counts its records
 * @flags: GOPROBE_POINT_F_*
 * @way: enum gp_way: first action of its hits
 * @then: enum gp_way: action of hits that pass a filter that comes first
 * @quick: its hits leave a record, and the fast path is worth trying
 * @pairs: its calls and returns belong together, timed or paired: once per place
 * @remembers: its calls are remembered if they pass a filter
 * @action: enum goprobe_action
 * @sp_adjust: SP at entry is SP plus this
 * @g_reg: offset of g in struct pt_regs, or -1 if g is in TLS
 * @point: its point
 * @file: index of its file in the session
 * @offset: in that file
 * @address: link-time address of the point
 * @dynamic: the file's dynamic types
 * @delay_ns: longest delay of a hit by @edit
 * @leaving: it is being removed: its hits are not delayed any more
 * @logged: the kernel log has a line about its edits
 * @jump: how it counts or times without breakpoints, or NULL; its lists are guarded by its inode's
 *	lock
 * @hot: it has had many hits; for control/trapless.c
 * @trap: enum goprobe_trap; only to be shown
 * @dead: link in struct gp_sweep, or in gp_file.leaving
 */
struct gp_probe {
	struct gp_session *session;
	const struct gp_tally *tally;
	const struct gp_plan *plan;
	struct gp_filter *filter;
	struct gp_filter *edit;
	const struct goprobe_runtime *runtime;
	u32 id;
	u32 plan_id;
	u16 record_kind;
	u8 point_kind;
	u8 skip;
	u8 stat;
	u8 flags;
	u8 way;
	u8 then;
	bool quick;
	bool pairs;
	bool remembers;
	u8 action;
	s32 sp_adjust;
	s32 g_reg;
	struct gp_point *point;
	u32 file;
	u64 offset;
	u64 address;
	const struct gp_dynamic *dynamic;
	u32 delay_ns;
	bool leaving;
	atomic_t logged;
	struct gp_jump_plan *jump;
	bool hot;
	u8 trap;
	struct list_head dead;
};

/**
 * struct gp_sweep - a batch of additions and removals in one inode
 * @inode: the inode; its lock is held until all handlers have ended
 * @points: to be freed once no handler can use them
 * @sets: ... sets
 * @probes: ... probes
 * @held: the point that keeps the inode known to the kernel, or NULL; is in @points
 * @rested: processor time when it last left the processor to others
 */
struct gp_sweep {
	struct gp_inode *inode;
	struct list_head points;
	struct list_head sets;
	struct list_head probes;
	struct gp_point *held;
	u64 rested;
};

typedef void (*gp_sweep_fn)(struct gp_sweep *sweep, void *arg);

/**
 * struct gp_sweep_job - a sweep that the caller waits for
 * @work: runs it
 * @inode: the inode
 * @fn: adds and removes probes; NULL: no sweep is running
 * @arg: its argument
 */
struct gp_sweep_job {
	struct work_struct work;
	struct gp_inode *inode;
	gp_sweep_fn fn;
	void *arg;
};

void gp_sweep_run(struct gp_inode *inode, gp_sweep_fn fn, void *arg);
void gp_sweep_queue(struct gp_sweep_job *job, struct gp_inode *inode, gp_sweep_fn fn, void *arg);
void gp_sweep_wait(struct gp_sweep_job *job);
int gp_probe_add(struct gp_probe *probe, const struct goprobe_point *wire, struct gp_sweep *sweep);
void gp_probe_del(struct gp_probe *probe, struct gp_sweep *sweep);

int gp_probe_init(void);
void gp_probe_fini(void);

#endif
