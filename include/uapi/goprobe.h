/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Protocol between goprobe.ko and its clients: sessions, points, records and statistics.
 * goprobe_prog.h has types, plans, filters and edits.
 *
 * Transport
 * =========
 * Generic netlink, family "goprobe", in the initial network namespace. Every command needs
 * CAP_SYS_ADMIN in the initial user namespace. Every refusal carries an extended-ack message with
 * the reason. All integers are in host byte order. All offsets and sizes are in bytes.
 *
 * Objects
 * =======
 * A *session* belongs to the socket that made it: one socket, one session. It ends with the socket,
 * and with it all that it owns; there is no command to delete one. A worker then removes its
 * breakpoints. A client that has requested a descriptor (GOPROBE_SESSION_F_FD) and closes it waits
 * until no breakpoint is left. A session owns *files* (Go binaries), *types* (positions of
 * references in memory), *plans* (descriptions of records), *filters* (conditions, keys and edits),
 * *points* (breakpoints), and one ring of records for each CPU.
 *
 * Commands
 * ========
 * A worker runs the commands of a session, except dumps, one after the other. The sender waits only
 * for the answer, and can be killed meanwhile. At most 16 commands of a session can wait; -EBUSY:
 * there are too many.
 *
 * GOPROBE_CMD_GET_INFO (do)
 *	reply: A_VERSION (string), A_ABILITIES (u64, GOPROBE_ABILITY_*),
 *	A_LIMITS (struct goprobe_limits).
 *	-EPROTO: the message's genetlink version is not GOPROBE_GENL_VERSION.
 *
 * GOPROBE_CMD_LIST (dump)
 *	The sessions of this host: one or more messages for each session and file: A_SESSION
 *	(u32), A_OWNER (u32: process that made the session, in the initial pid namespace), A_PATH
 *	(string: of the file, as the caller sees it), A_PIDS (s32[]), A_FLAGS (u32:
 *	GOPROBE_SESSION_F_CGROUP, or absent; without both all processes are traced), A_POINTS
 *	(struct goprobe_point[]; code, filter and edit are 0), A_FILE (u32).
 *
 * GOPROBE_CMD_SESSION_NEW (do)
 *	A_PIDS (s32[], optional): the traced processes (thread group ids as the caller sees them);
 *	absent: every process that maps a file of the session. Other processes never get a
 *	breakpoint, except by fork from a listed one; such hits are not recorded.
 *	A_FLAGS (u32, optional): GOPROBE_SESSION_F_*. A_FD (u32): see GOPROBE_SESSION_F_CGROUP.
 *	A_RING_BYTES (u32, optional): size of each CPU's ring; rounded up to a power of two.
 *	A_CALL_LIMIT (u32, optional): calls of timed or paired functions that can be open at once.
 *	A_PENDING_LIMIT (struct goprobe_pending_limit, optional): number and size of pending
 *	records. A_KEY_LIMIT (struct goprobe_key_limit, optional): number and size of keys.
 *	A_GOROUTINE_SET_LIMIT (u32, optional): capacity of the set of goroutines for
 *	GOPROBE_OP_IN_SET. A_STATES (u32, optional): number of states of goroutines,
 *	GOPROBE_STATES_MAX at most: see there. A_BREAKER (struct goprobe_breaker, optional):
 *	overload breaker.
 *	reply: A_SESSION (u32), A_RING_BYTES (u32, the actual size); with GOPROBE_SESSION_F_FD:
 *	A_FD (u32), a descriptor of the sender.
 *	-EEXIST: the socket has a session. -ESRCH: no such process. -EBADF: no control group.
 *	-ENOENT: it was removed.
 *
 * GOPROBE_CMD_FILE_ADD (do)
 *	A_FD (u32): the Go binary, opened for reading. A_RUNTIME (struct goprobe_runtime): offsets
 *	of that binary's Go runtime. While the session lives, nobody can open the file for writing.
 *	reply: A_FILE (u32), counted from 0. -ETXTBSY: the file is open for writing.
 *	-ETIMEDOUT: a read of the file, here or in POINTS_ADD, has had no answer for 5 s.
 *
 * GOPROBE_CMD_TYPES_ADD (do)
 *	A_TYPES (struct goprobe_type[]), A_REFS (struct goprobe_ref[]): appended to the session's
 *	tables, at any time; at least one type. goprobe_type.ref counts from the start of this
 *	message's A_REFS. goprobe_ref.type is a session type id, also of a type that will be added
 *	later; until then the reference is not followed.
 *	reply: A_FIRST (u32): session type id of the first type.
 *
 * GOPROBE_CMD_DYNAMIC_ADD (do)
 *	A_FILE (u32), A_DYNAMIC (struct goprobe_dynamic[]): session types of run-time type
 *	descriptors and closures. At any time, all or none; known addresses get the new type.
 *	reply: A_COUNT (u32): number of known addresses of the file.
 *
 * GOPROBE_CMD_PLANS_ADD (do)
 *	A_PLANS (struct goprobe_plan[]), A_PIECES (struct goprobe_piece[], optional), A_OPS
 *	(struct goprobe_op[], optional). goprobe_plan.piece and .op count from the start of this
 *	message's A_PIECES and A_OPS.
 *	reply: A_FIRST (u32): session plan id of the first plan.
 *
 * GOPROBE_CMD_FILTERS_ADD (do)
 *	A_FILTERS (struct goprobe_filter[]), A_OPS (struct goprobe_op[]). goprobe_filter.op counts
 *	from the start of this message's A_OPS.
 *	reply: A_FIRST (u32): session filter id of the first filter; filters count from 1.
 *
 * GOPROBE_CMD_POINTS_ADD (do)
 *	A_FILE (u32), A_POINTS (struct goprobe_point[]): all or none. The module checks that a
 *	point's file offset lies in an executable segment, and that its bytes are the expected
 *	ones. Points fire at once but are not recorded before GOPROBE_CMD_START, except for
 *	GOPROBE_ACTION_SET_ADD and _SET_REMOVE.
 *	reply: A_COUNT (u32): number of points of the session.
 *	-ENOSPC: the delays of all edits at a place, of all sessions, would exceed
 *	GOPROBE_DELAY_NS_MAX together. -EMLINK: recording points of three sessions with
 *	GOPROBE_SESSION_F_LOSSLESS already exist there. -EBUSY: a jump of another point has
 *	changed the code there.
 *
 * GOPROBE_CMD_POINTS_DEL (do)
 *	A_IDS (u32[]): removes the breakpoints with these ids, and waits until no handler can run
 *	for them. Their counts and times stay. Give points that are added later new ids: an open
 *	call of a removed point would be taken for a call of the new one.
 *	reply: A_COUNT (u32): number of points of the session.
 *
 * GOPROBE_CMD_GOROUTINES_ADD (do)
 *	A_GOROUTINES (struct goprobe_goroutine[]): added to the session's set of goroutines, all or
 *	none. The session must have a set.
 *	reply: A_COUNT (u32): number of goroutines in the set.
 *	-ENOSPC: the set is full. -ESRCH: no such process.
 *
 * GOPROBE_CMD_START (do)
 *	Starts recording. If the session's breaker has stopped it before, START has no effect, and
 *	the statistics say so.
 *
 * GOPROBE_CMD_STOP (do)
 *	Removes every breakpoint of the session, and waits until no handler can run for it. Records
 *	stay readable.
 *
 * GOPROBE_CMD_READ (dump)
 *	Drains the rings: each message has A_CPU (u32) and A_RECORDS (whole records, one after
 *	another); the last one has only A_TIME (u64) and A_BACKLOG (u64). A_CPU is the CPU, or the
 *	number of CPUs + CPU for records that were written without a trap. Records of one A_CPU are
 *	in the order of their times. A_TIME is a moment (CLOCK_MONOTONIC, ns): this pass and
 *	earlier ones have handed out every record with time <= A_TIME. So a reader that merges
 *	by time, and holds the few younger records back until the next pass, shows all records in
 *	order. A_BACKLOG: bytes that were committed since the pass began.
 *
 * GOPROBE_CMD_READY (event)
 *	Sent once after a pass when there are records again: at once when a ring is a quarter full,
 *	else some milliseconds later. A lost READY loses no records; a reader should also read
 *	about once a second.
 *
 * GOPROBE_CMD_GET_STATS (do)
 *	reply: A_STATS (u64[]), indexed by enum goprobe_stat, summed over CPUs.
 *
 * GOPROBE_CMD_TALLIES (dump)
 *	Counts and times of the session's points, by rising id: each message has A_TALLIES (struct
 *	goprobe_tally, each followed by its buckets and states). Nothing is reset, and no handler is
 *	disturbed. Numbers are exact after GOPROBE_CMD_STOP has been answered.
 *
 * GOPROBE_CMD_KEYS (dump)
 *	Counts and times by key, in no order: each message has A_KEY_STATS (struct
 *	goprobe_key_stats, each followed by its key, buckets and states). Nothing is reset.
 *
 * GOPROBE_CMD_OPEN_CALLS (dump)
 *	Timed or paired calls that have not ended. Calls of one goroutine are together, the deepest
 *	first, at most 4096: each message has A_OPEN_CALLS (struct goprobe_open_call, each followed
 *	by the call's record, if it is pending). Calls of exited processes are not listed.
 *
 * Records
 * =======
 * A record (struct goprobe_record) is: the header; with GOPROBE_RECORD_F_PENDING a __u64, with
 * GOPROBE_RECORD_F_SPLIT a __u64 for each state; then, if it has a plan, the frame and the chunks.
 * The frame has goprobe_type.size bytes of the plan's type, laid out like Go memory, padded to 8.
 * Each chunk (struct goprobe_chunk) is followed by its bytes, padded to 8: the memory to which the
 * frame's references lead, breadth first. With GOPROBE_NO_PLAN there are neither frame nor chunks.
 * In a GOPROBE_RECORD_LOST, struct goprobe_lost follows the header.
 */
#ifndef _UAPI_GOPROBE_H
#define _UAPI_GOPROBE_H

#include <linux/types.h>

#include "goprobe_prog.h"

#define GOPROBE_GENL_NAME	"goprobe"
#define GOPROBE_GENL_VERSION	2

enum goprobe_cmd {
	GOPROBE_CMD_UNSPEC,
	/* This host. */
	GOPROBE_CMD_GET_INFO,
	GOPROBE_CMD_LIST,
	/* A session and its objects. */
	GOPROBE_CMD_SESSION_NEW,
	GOPROBE_CMD_FILE_ADD,
	GOPROBE_CMD_TYPES_ADD,
	GOPROBE_CMD_DYNAMIC_ADD,
	GOPROBE_CMD_PLANS_ADD,
	GOPROBE_CMD_FILTERS_ADD,
	GOPROBE_CMD_POINTS_ADD,
	GOPROBE_CMD_POINTS_DEL,
	GOPROBE_CMD_GOROUTINES_ADD,
	GOPROBE_CMD_START,
	GOPROBE_CMD_STOP,
	/* Records. */
	GOPROBE_CMD_READ,
	GOPROBE_CMD_READY,
	/* Counts and times. */
	GOPROBE_CMD_GET_STATS,
	GOPROBE_CMD_TALLIES,
	GOPROBE_CMD_KEYS,
	GOPROBE_CMD_OPEN_CALLS,
	__GOPROBE_CMD_MAX,
	GOPROBE_CMD_MAX = __GOPROBE_CMD_MAX - 1,
};

enum goprobe_attr {
	GOPROBE_A_UNSPEC,
	GOPROBE_A_PAD,
	/* The module. */
	GOPROBE_A_VERSION,		/* string: the module's version */
	GOPROBE_A_ABILITIES,		/* u64: GOPROBE_ABILITY_* */
	GOPROBE_A_LIMITS,		/* struct goprobe_limits */
	/* A session. */
	GOPROBE_A_SESSION,		/* u32 */
	GOPROBE_A_OWNER,		/* u32: process id */
	GOPROBE_A_PIDS,			/* s32[] */
	GOPROBE_A_FLAGS,		/* u32: GOPROBE_SESSION_F_* */
	GOPROBE_A_FD,			/* u32: file descriptor */
	GOPROBE_A_RING_BYTES,		/* u32 */
	GOPROBE_A_CALL_LIMIT,		/* u32 */
	GOPROBE_A_PENDING_LIMIT,	/* struct goprobe_pending_limit */
	GOPROBE_A_KEY_LIMIT,		/* struct goprobe_key_limit */
	GOPROBE_A_GOROUTINE_SET_LIMIT,	/* u32 */
	GOPROBE_A_STATES,		/* u32 */
	GOPROBE_A_BREAKER,		/* struct goprobe_breaker */
	/* Objects. */
	GOPROBE_A_FILE,			/* u32 */
	GOPROBE_A_PATH,			/* string */
	GOPROBE_A_RUNTIME,		/* struct goprobe_runtime */
	GOPROBE_A_TYPES,		/* struct goprobe_type[] */
	GOPROBE_A_REFS,			/* struct goprobe_ref[] */
	GOPROBE_A_DYNAMIC,		/* struct goprobe_dynamic[] */
	GOPROBE_A_PLANS,		/* struct goprobe_plan[] */
	GOPROBE_A_PIECES,		/* struct goprobe_piece[] */
	GOPROBE_A_FILTERS,		/* struct goprobe_filter[] */
	GOPROBE_A_OPS,			/* struct goprobe_op[] */
	GOPROBE_A_POINTS,		/* struct goprobe_point[] */
	GOPROBE_A_IDS,			/* u32[] */
	GOPROBE_A_GOROUTINES,		/* struct goprobe_goroutine[] */
	GOPROBE_A_FIRST,		/* u32: id of the first added object */
	GOPROBE_A_COUNT,		/* u32: number of objects */
	/* Records. */
	GOPROBE_A_CPU,			/* u32: see GOPROBE_CMD_READ */
	GOPROBE_A_RECORDS,		/* struct goprobe_record... */
	GOPROBE_A_TIME,			/* u64: CLOCK_MONOTONIC, ns */
	GOPROBE_A_BACKLOG,		/* u64: bytes */
	/* Counts and times. */
	GOPROBE_A_STATS,		/* u64[]: see enum goprobe_stat */
	GOPROBE_A_TALLIES,		/* struct goprobe_tally... */
	GOPROBE_A_KEY_STATS,		/* struct goprobe_key_stats... */
	GOPROBE_A_OPEN_CALLS,		/* struct goprobe_open_call... */
	__GOPROBE_A_MAX,
	GOPROBE_A_MAX = __GOPROBE_A_MAX - 1,
};

/* --- The module ----------------------------------------------------------------------------- */

/* Abilities of this module on this kernel (GOPROBE_A_ABILITIES). */
#define GOPROBE_ABILITY_FAULT_IN	(1ULL << 0) /* values in absent pages are read */
#define GOPROBE_ABILITY_FLOAT_REGS	(1ULL << 1) /* GOPROBE_FROM_FLOAT_REG works */
#define GOPROBE_ABILITY_EMULATE		(1ULL << 2) /* handlers can emulate instructions */
#define GOPROBE_ABILITY_UNTESTED	(1ULL << 3) /* GOPROBE_POINT_SELF_TEST decides on EMULATE */
#define GOPROBE_ABILITY_TALLY		(1ULL << 4) /* GOPROBE_ACTION_COUNT and _TIME */
#define GOPROBE_ABILITY_FILTER		(1ULL << 5) /* goprobe_point.filter, _POINT_F_* */
#define GOPROBE_ABILITY_EDIT		(1ULL << 6) /* the module was loaded with allow_writes=1 */
#define GOPROBE_ABILITY_JUMP		(1ULL << 7) /* the module was loaded with allow_jumps=1 */
#define GOPROBE_ABILITY_WIPE		(1ULL << 8) /* GOPROBE_REF_WIPE */
#define GOPROBE_ABILITY_KEY_HASH	(1ULL << 9) /* a value of GOPROBE_OP_KEY_BYTES */
#define GOPROBE_ABILITY_SEARCH		(1ULL << 10) /* GOPROBE_OP_MATCH, _FIND and _DATA */
#define GOPROBE_ABILITY_CGROUP		(1ULL << 11) /* GOPROBE_SESSION_F_CGROUP */

/**
 * struct goprobe_limits - limits of the module
 * @sessions: sessions on this host at once
 * @points: points of one session
 * @files: files of one session
 * @types: types of one session
 * @refs: references in one session's types
 * @plans: plans of one session
 * @pieces: pieces of one plan
 * @pids: processes in GOPROBE_A_PIDS
 * @frame_bytes: size of a plan's frame
 * @record_bytes: size of a record, header and chunks included
 * @ring_bytes: size of one CPU's ring
 * @batch: types, refs, plans, points or dynamic types in one message
 * @ops: operations of one plan
 * @dynamic: dynamic types of one file
 * @depth: goprobe_plan.depth
 * @tallies: ids of one session that are counted or timed
 * @timed: ids of one session that are timed
 * @calls: GOPROBE_A_CALL_LIMIT
 * @filters: filters of one session
 * @pending_bytes: goprobe_pending_limit.calls times goprobe_pending_limit.bytes
 * @keys: goprobe_key_limit.number
 * @key_bytes: goprobe_key_limit.bytes
 * @goroutines: GOPROBE_A_GOROUTINE_SET_LIMIT
 */
struct goprobe_limits {
	__u32 sessions;
	__u32 points;
	__u32 files;
	__u32 types;
	__u32 refs;
	__u32 plans;
	__u32 pieces;
	__u32 pids;
	__u32 frame_bytes;
	__u32 record_bytes;
	__u32 ring_bytes;
	__u32 batch;
	__u32 ops;
	__u32 dynamic;
	__u32 depth;
	__u32 tallies;
	__u32 timed;
	__u32 calls;
	__u32 filters;
	__u32 pending_bytes;
	__u32 keys;
	__u32 key_bytes;
	__u32 goroutines;
};

/* --- Sessions ------------------------------------------------------------------------------- */

/*
 * If a record finds no space in the ring, its thread waits for the reader, in the kernel, until
 * there is space, the thread is killed, the session ends, or 5 s are over. After that the record is
 * lost, and no thread waits again until the reader starts a new pass.
 */
#define GOPROBE_SESSION_F_LOSSLESS	(1U << 0)
/*
 * The reader's buffer has at least GOPROBE_LARGE_BYTES, and messages of records can be that large;
 * those of the kernel's own dumps are at most 32 KiB. Records are not copied into messages: while a
 * message is unread, its part of the ring, at most a quarter, and everything behind it stay in use.
 */
#define GOPROBE_SESSION_F_LARGE		(1U << 1)
/*
 * The reply has GOPROBE_A_FD, a descriptor that is closed on exec. The session ends when the last
 * copy of the descriptor is closed, or the socket before. close(), or the exit of the process, then
 * waits until no breakpoint of the session is left and no handler runs for it. The wait holds no
 * lock that others need, so this is the way to wait for the end.
 */
#define GOPROBE_SESSION_F_FD		(1U << 2)
/*
 * Points with GOPROBE_POINT_F_JUMP become jumps after many hits: the program itself counts then,
 * without a trap. Needs GOPROBE_A_PIDS and GOPROBE_ABILITY_JUMP; with GOPROBE_SESSION_F_CGROUP they
 * stay breakpoints.
 */
#define GOPROBE_SESSION_F_JUMPS		(1U << 3)
/* With GOPROBE_SESSION_F_JUMPS: before the first hit. */
#define GOPROBE_SESSION_F_JUMPS_AT_ONCE	(1U << 4)
/*
 * GOPROBE_A_FD is a directory of a control group of version 2: besides GOPROBE_A_PIDS the processes
 * in it, or below it, are traced, now and later. A process that enters it after it has mapped a
 * file may lack breakpoints there.
 */
#define GOPROBE_SESSION_F_CGROUP	(1U << 5)
#define GOPROBE_SESSION_F_ALL		(GOPROBE_SESSION_F_LOSSLESS | GOPROBE_SESSION_F_LARGE | \
					 GOPROBE_SESSION_F_FD | GOPROBE_SESSION_F_JUMPS | \
					 GOPROBE_SESSION_F_JUMPS_AT_ONCE | \
					 GOPROBE_SESSION_F_CGROUP)

#define GOPROBE_LARGE_BYTES		65536

/**
 * struct goprobe_pending_limit - limits of pending records, which wait until their call returns
 * @calls: records at once
 * @bytes: size of each record, header included
 */
struct goprobe_pending_limit {
	__u32 calls;
	__u32 bytes;
};

/**
 * struct goprobe_key_limit - limits of keys
 * @number: different keys, of all ids together
 * @bytes: size of the longest key; rounded up to a multiple of 8
 */
struct goprobe_key_limit {
	__u32 number;
	__u32 bytes;
};

/*
 * Maximum for GOPROBE_A_STATES. A goroutine's state is the one last set by GOPROBE_ACTION_STATE.
 * Entering or leaving a timed or paired call sets it to 0 (running). Time after a change without a
 * notification counts for the previous state, until the next one. A call's times by state add up to
 * its duration, and include the calls that it makes. Calls on a system stack are in state 0.
 */
#define GOPROBE_STATES_MAX	16

/**
 * struct goprobe_breaker - overload breaker: limit of a session's use of the programs' time
 * @hit_ns: time of a hit on this machine, all included
 * @percent: limit in percent of one processor's time, for all processors together
 *
 * When hits have taken more than the limit for GOPROBE_BREAKER_MS, the session stops by itself, as
 * with GOPROBE_CMD_STOP, and the reader gets a GOPROBE_CMD_READY. GOPROBE_STAT_BROKEN is then the
 * number of hits in a second.
 *
 * On kernels where hits take locks (before 6.14), hits can wait for each other. There the session
 * also stops when hits come at least as fast as one processor can make them, and the programs'
 * system time exceeds the limit.
 *
 * The breaker is armed when the first point is added. If it trips before GOPROBE_CMD_START, START
 * has no effect. If adding up the hits of all ids and processors takes more than 10 ms, the breaker
 * reacts later.
 */
struct goprobe_breaker {
	__u32 hit_ns;
	__u32 percent;
};

#define GOPROBE_BREAKER_MS	400

/* --- Files ---------------------------------------------------------------------------------- */

/**
 * struct goprobe_runtime - offsets of one Go binary's runtime
 * @g_reg: register that holds g in register-ABI code, or GOPROBE_REG_NONE
 * @pad: 0
 * @g_tls: offset of g from the thread pointer (x86-64: fs base)
 * @g_stack_lo: offset of g.stack.lo in runtime.g
 * @g_stack_hi: offset of g.stack.hi
 * @g_goid: offset of g.goid (8 bytes)
 * @g_m: offset of g.m (pointer to runtime.m)
 * @m_curg: offset of m.curg (pointer to runtime.g) in runtime.m
 * @m_procid: offset of m.procid (8 bytes: the thread's id, as its process sees it), or 0: unknown.
 *	Then no record is written without a trap
 * @code_delta: link-time address of the Go code minus its offset in the file
 *
 * All offsets must be below 4096 and multiples of 8. From @code_delta and the address of a hit the
 * module computes where the file is loaded. All other link-time addresses of this protocol are
 * moved by the same distance.
 */
struct goprobe_runtime {
	__u8  g_reg;
	__u8  pad[3];
	__s32 g_tls;
	__u32 g_stack_lo;
	__u32 g_stack_hi;
	__u32 g_goid;
	__u32 g_m;
	__u32 m_curg;
	__u32 m_procid;
	__s64 code_delta;
};

/* --- Points --------------------------------------------------------------------------------- */

enum goprobe_point_kind {
	GOPROBE_POINT_UNSPEC,
	GOPROBE_POINT_CALL,	/* the function has been entered */
	GOPROBE_POINT_RETURN,	/* a RET that ends it */
	GOPROBE_POINT_TAIL,	/* a jump that ends it: no results */
	GOPROBE_POINT_AT,	/* anywhere in a function: neither a call nor its end */
	GOPROBE_POINT_SELF_TEST, /* GOPROBE_SELF_TEST_CODE, without a plan */
	__GOPROBE_POINT_MAX,
	GOPROBE_POINT_MAX = __GOPROBE_POINT_MAX - 1,
};

/* When a hit does not count (struct goprobe_point.skip). */
enum goprobe_skip {
	GOPROBE_SKIP_NEVER,
	GOPROBE_SKIP_IF_BE,	/* x86: CF or ZF set: the JBE will be taken */
	__GOPROBE_SKIP_MAX,
	GOPROBE_SKIP_MAX = __GOPROBE_SKIP_MAX - 1,
};

/* What a hit does (struct goprobe_point.action). */
enum goprobe_action {
	GOPROBE_ACTION_RECORD,	/* writes a record */
	GOPROBE_ACTION_COUNT,	/* adds one to goprobe_tally.hits of its id */
	GOPROBE_ACTION_TIME,	/* a call: opens it; the end of a call: measures its duration */
	/*
	 * Notifications: the words of the filter's key; g is an address of a runtime.g of this
	 * process. For functions of the runtime, points of any kind, with their own ids. They leave
	 * nothing else.
	 */
	/* up to 4 pairs of g, state: the new state, below GOPROBE_A_STATES */
	GOPROBE_ACTION_STATE,
	GOPROBE_ACTION_SET_ADD,		/* goroutine id: added to the session's set */
	GOPROBE_ACTION_SET_REMOVE,	/* goroutine id: removed from the set */
	/*
	 * g, goroutine id, bytes from stack.hi, 0 or 1: the goroutine's deeper calls have ended
	 * without returning. With 1, pending records of GOPROBE_POINT_F_UNWOUND are written,
	 * callers first, before the records of points that the session added later at this place.
	 */
	GOPROBE_ACTION_UNWIND,
	__GOPROBE_ACTION_MAX,
	GOPROBE_ACTION_MAX = __GOPROBE_ACTION_MAX - 1,
};

#define GOPROBE_POINT_F_ABI0	(1U << 0) /* g is not in g_reg but in TLS */
/*
 * With GOPROBE_ACTION_RECORD: the end of a call is recorded only if the call passed its filter and
 * has been remembered. All points of a function, and no others, have the same id.
 */
#define GOPROBE_POINT_F_PAIRED	(1U << 1)
/*
 * For a paired call: its record is pending (GOPROBE_A_PENDING_LIMIT), and is written together with
 * that of its end, if the end passes its filter.
 */
#define GOPROBE_POINT_F_PENDING	(1U << 2)
/* For a pending call: GOPROBE_ACTION_UNWIND writes its record, without a record of its end. */
#define GOPROBE_POINT_F_UNWOUND	(1U << 3)
/* For ends of paired calls, with GOPROBE_A_STATES: their records have GOPROBE_RECORD_F_SPLIT. */
#define GOPROBE_POINT_F_SPLIT	(1U << 4)
/* With GOPROBE_ACTION_TIME, for all points of a function: they are also timed by key. */
#define GOPROBE_POINT_F_KEYED	(1U << 5)
/*
 * The point may become a jump (GOPROBE_SESSION_F_JUMPS), or stay a breakpoint: the kernel decodes
 * the code itself. The client has decoded the whole function.
 * - With GOPROBE_ACTION_RECORD to _TIME, for a call at the branch of a stack check
 *   (GOPROBE_SKIP_IF_BE). Nothing jumps into the branch, and only the branch jumps to, or into, the
 *   first instruction of its cold block.
 * - With GOPROBE_ACTION_RECORD or _TIME, for a return at the first instruction of an epilogue that
 *   ends with a RET; @code has all of it. x86-64: [MOV n(RSP), RBP;] ADD n, RSP; [POP RBP;] [NOPs;]
 *   RET. Nothing jumps to the instructions behind the first.
 * Points that time, and returns, have neither filter nor key, and the session no states. Points
 * that record are not paired, and their plan has nothing but integer registers, at most 12, and
 * follows no reference; of a call with a filter it may have more, then hits that pass take a trap,
 * in code that the module adds to the process. Others stay breakpoints.
 */
#define GOPROBE_POINT_F_JUMP	(1U << 6)
#define GOPROBE_POINT_F_ALL \
	(GOPROBE_POINT_F_ABI0 | GOPROBE_POINT_F_PAIRED | GOPROBE_POINT_F_PENDING | \
	 GOPROBE_POINT_F_UNWOUND | GOPROBE_POINT_F_SPLIT | GOPROBE_POINT_F_KEYED | \
	 GOPROBE_POINT_F_JUMP)

/* Why hits of a point take a trap: goprobe_point.trap in the answer of GOPROBE_CMD_LIST. */
enum goprobe_trap {
	GOPROBE_TRAP_ALWAYS,	/* the code, or a missing flag of the point or the session */
	GOPROBE_TRAP_NONE,	/* they take none: the point is a jump, at least in one process */
	GOPROBE_TRAP_RARE,	/* they have been few */
	GOPROBE_TRAP_FILTER,	/* its filter, key or plan is more than code in a process can do */
	GOPROBE_TRAP_SHARED,	/* there are other points, at its place or in the code to change */
	GOPROBE_TRAP_CHANGED,	/* the process's code is not, or was not left, as it must be */
	GOPROBE_TRAP_MEMORY,	/* the process has no memory to spare for it, or none nearby */
	GOPROBE_TRAP_DEBUGGED,	/* a debugger holds the process */
	GOPROBE_TRAP_CLOCK,	/* this processor, or its clock, can't time calls in the process */
	GOPROBE_TRAP_RECORD,	/* its record has more than integers in registers */
	GOPROBE_TRAP_SHADOW_STACK, /* the process has shadow stacks */
	__GOPROBE_TRAP_MAX,
	GOPROBE_TRAP_MAX = __GOPROBE_TRAP_MAX - 1,
};

#define GOPROBE_CODE_MAX	16

/*
 * Self-test of GOPROBE_ABILITY_EMULATE. While the module's abilities have GOPROBE_ABILITY_UNTESTED,
 * a client can begin a session for its own process, add its own executable as a file (a
 * goprobe_runtime of zeros with GOPROBE_REG_NONE will do) and in it a point of kind
 * GOPROBE_POINT_SELF_TEST, call that code with GOPROBE_SELF_TEST_ROUNDS in ecx and in edx, and
 * close the socket. Points that are placed after that benefit from it.
 *
 * x86-64: 0: dec ecx; dec edx; jnz 0b; ret. In some rounds, which it chooses at random, the module
 * skips the first instruction. ecx in the next round shows whether the kernel has skipped it.
 */
#define GOPROBE_SELF_TEST_CODE	"\xff\xc9\xff\xca\x75\xfa\xc3"
#define GOPROBE_SELF_TEST_SIZE	7
#define GOPROBE_SELF_TEST_ROUNDS 32

/**
 * struct goprobe_point - a breakpoint to place
 * @offset: position in the file
 * @id: the client's number; is in each record
 * @plan: session plan id, or GOPROBE_NO_PLAN
 * @kind: enum goprobe_point_kind
 * @skip: enum goprobe_skip
 * @flags: GOPROBE_POINT_F_*
 * @code_len: number of bytes in @code: at least the whole instruction
 * @sp_adjust: SP at function entry minus SP at the point
 * @code: the bytes expected at @offset
 * @action: enum goprobe_action; only GOPROBE_ACTION_RECORD has a plan
 * @trap: 0; the module answers with enum goprobe_trap
 * @pad: 0
 * @filter: session filter id: which hits count; 0: all
 * @edit: session filter id of an edit; 0: none. Needs GOPROBE_ABILITY_EDIT
 * @pad2: 0
 *
 * An edit runs after the hit has done its action, if the hit counts: it passed its filter and, for
 * a paired point, its call is remembered; even if its record is lost. Records of other points at
 * the same place show what was there before, whenever those points were added. Several edits are
 * made in the order in which they were added. The instruction at the point sees the changes. Points
 * with an edit have GOPROBE_ACTION_RECORD, or GOPROBE_ACTION_COUNT without a key. The first time
 * that an edit changes something, the kernel log has a line with the session, the process and the
 * place.
 *
 * GOPROBE_ACTION_TIME: all points of a function, and no others, have the same id. A session can
 * time or pair a place only once.
 */
struct goprobe_point {
	__u64 offset;
	__u32 id;
	__u32 plan;
	__u8  kind;
	__u8  skip;
	__u8  flags;
	__u8  code_len;
	__s32 sp_adjust;
	__u8  code[GOPROBE_CODE_MAX];
	__u8  action;
	__u8  trap;
	__u8  pad[2];
	__u32 filter;
	__u32 edit;
	__u32 pad2;
};

/**
 * struct goprobe_goroutine - a goroutine of the session's set
 * @goid: its id
 * @tgid: its process, as the caller sees it
 * @pad: 0
 */
struct goprobe_goroutine {
	__u64 goid;
	__s32 tgid;
	__u32 pad;
};

/* --- Records -------------------------------------------------------------------------------- */

enum goprobe_record_kind {
	GOPROBE_RECORD_UNSPEC,
	GOPROBE_RECORD_CALL,
	GOPROBE_RECORD_RETURN,
	GOPROBE_RECORD_TAIL,
	GOPROBE_RECORD_AT,
	GOPROBE_RECORD_LOST,	/* followed by struct goprobe_lost */
	__GOPROBE_RECORD_MAX,
	GOPROBE_RECORD_MAX = __GOPROBE_RECORD_MAX - 1,
};

#define GOPROBE_RECORD_F_NO_G	(1U << 0) /* no goroutine: goid and depth are 0 */
#define GOPROBE_RECORD_F_SYSTEM	(1U << 1) /* on a system stack: goid is m.curg's */
#define GOPROBE_RECORD_F_FAULT	(1U << 2) /* a piece of the frame is unreadable: 0 */
#define GOPROBE_RECORD_F_BUDGET	(1U << 3) /* the walk stopped at objects or bytes */
/*
 * A call that was pending. A __u64 before the frame: ns from the call to @time, when its end was
 * found to pass. The record of that end follows.
 */
#define GOPROBE_RECORD_F_PENDING (1U << 4)
/*
 * A __u64 before the frame for each of the session's states: ns that the goroutine was in it during
 * the call. Their sum is the call's duration, from when it was remembered to the hit at its end.
 * The times of records are those of their writing.
 */
#define GOPROBE_RECORD_F_SPLIT	(1U << 5)

/**
 * struct goprobe_record - header of a record, 8-aligned
 * @words: size of the whole record, in words of 8 bytes
 * @kind: enum goprobe_record_kind
 * @flags: GOPROBE_RECORD_F_*
 * @depth: g.stack.hi - SP at function entry, in words of 8 bytes: with @goid it identifies the
 *	call. Sufficient for 32 GiB; Go limits a stack to 1 GB, unless debug.SetMaxStack allows more
 * @id: goprobe_point.id
 * @plan: session plan id, or GOPROBE_NO_PLAN
 * @tid: thread, in the initial pid namespace
 * @tgid: process, in the initial pid namespace
 * @time: CLOCK_MONOTONIC, ns; between two passes of the reader it may be a straight line where the
 *	kernel corrects its clock
 * @goid: goroutine id
 * @ip: address of the point in the process, which shows where the file is mapped
 */
struct goprobe_record {
	__u16 words;
	__u8  kind;
	__u8  flags;
	__u32 depth;
	__u32 id;
	__u32 plan;
	__u32 tid;
	__u32 tgid;
	__u64 time;
	__u64 goid;
	__u64 ip;
};

/* Values of goprobe_chunk.type that are no session type ids. */
#define GOPROBE_TYPE_BYTES	0xffffffffU	/* of a string */
#define GOPROBE_TYPE_ITAB	0xfffffffeU	/* type word of an itab */
#define GOPROBE_TYPE_CODE	0xfffffffdU	/* code word of a closure */
#define GOPROBE_TYPE_MISSED	0xfffffffcU	/* an operation failed: struct goprobe_op */

/* Why a chunk has no bytes, or fewer than requested (goprobe_chunk.status). */
enum goprobe_chunk_status {
	GOPROBE_CHUNK_OK,	/* all, or as many as the plan's limits allow */
	GOPROBE_CHUNK_FAULT,	/* no readable memory */
	GOPROBE_CHUNK_REMOTE,	/* absent page that must not be waited for */
	GOPROBE_CHUNK_LOCKED,	/* absent page, mappings locked for long */
	GOPROBE_CHUNK_BAD,	/* impossible length */
	/* With GOPROBE_TYPE_MISSED only: */
	GOPROBE_CHUNK_NIL,	/* nil was dereferenced */
	GOPROBE_CHUNK_RANGE,	/* index out of range */
	GOPROBE_CHUNK_TYPE,	/* an interface holds another type */
	GOPROBE_CHUNK_UNUSED,	/* the program does not use the value, and has lost it */
	__GOPROBE_CHUNK_MAX,
	GOPROBE_CHUNK_MAX = __GOPROBE_CHUNK_MAX - 1,
};

/**
 * struct goprobe_chunk - a piece of memory to which a reference leads
 * @address: its address
 * @type: session type id, or GOPROBE_TYPE_*
 * @size: bytes that follow, before padding to a multiple of 8
 * @status: enum goprobe_chunk_status
 * @level: number of references from the frame to the chunk, 1 for a reference of the frame,
 *	without those with GOPROBE_REF_F_SAME_LEVEL
 */
struct goprobe_chunk {
	__u64 address;
	__u32 type;
	__u16 size;
	__u8  status;
	__u8  level;
};

enum goprobe_lost_cause {
	GOPROBE_LOST_UNSPEC,
	GOPROBE_LOST_RING_FULL,	/* the reader was too slow */
	GOPROBE_LOST_NO_RING,	/* no memory for the ring of a CPU that came up later */
	__GOPROBE_LOST_MAX,
	GOPROBE_LOST_MAX = __GOPROBE_LOST_MAX - 1,
};

/**
 * struct goprobe_lost - records that are missing at this place of the stream
 * @cpu: their CPU
 * @cause: enum goprobe_lost_cause
 * @count: their number
 */
struct goprobe_lost {
	__u32 cpu;
	__u32 cause;
	__u64 count;
};

/* --- Counts and times ----------------------------------------------------------------------- */

/*
 * Buckets of durations: four for each power of two. For n nanoseconds, the bucket is n if n is
 * below 4, else 4 * (b - 1) + the two bits that follow the highest bit, which is bit b. So bucket
 * i >= 4 begins at (4 + i % 4) << (i / 4 - 1).
 *
 * Unsigned values (GOPROBE_OP_VALUE) have the same buckets. Signed ones have two for each power of
 * two. For a value v >= 0, the bucket is 126 + n, where n is v if v is below 2, else 2 * b + the
 * bit that follows the highest bit, which is bit b. For v < 0 it is 125 - n, with n of -1 - v. The
 * client decides what the buckets of GOPROBE_OP_BUCKET mean.
 */
#define GOPROBE_BUCKETS		252

/**
 * struct goprobe_tally - counts and times of an id
 * @id: goprobe_point.id
 * @first: the first bucket that follows
 * @nbuckets: number of buckets that follow, a __u64 each; all others are 0
 * @hits: hits of its points with GOPROBE_ACTION_COUNT; also if they have values
 * @calls: calls that were remembered; those that are not in a bucket, nor in @unwound, @exited or
 *	@filtered are open
 * @unwound: calls that ended without returning: by panic or Goexit. The deepest calls of a
 *	goroutine are counted only when it, or another one on its stack, hits a point again
 * @exited: calls whose process exited, or executed another program; counted when the tallies are
 *	read
 * @filtered: calls whose end did not pass its filter
 * @sum: ns of the calls in the buckets
 * @min: ns of the shortest; all ones: no call
 * @max: ns of the longest
 * @nstates: number of states that follow the buckets, a __u64 each: the ns of @sum in which
 *	goroutines were in it. 0, or the session's number of states
 * @pad: 0
 *
 * A call's duration is its goroutine's time from entry to return, waits included. Calls on a system
 * stack count, hits without a goroutine do not.
 *
 * If the id's filters make values, the buckets, @sum, @min and @max are about these values. @sum is
 * modulo 2^64. In @min and @max of signed values the highest bit is inverted, so that they compare
 * as unsigned numbers.
 */
struct goprobe_tally {
	__u32 id;
	__u16 first;
	__u16 nbuckets;
	__u64 hits;
	__u64 calls;
	__u64 unwound;
	__u64 exited;
	__u64 filtered;
	__u64 sum;
	__u64 min;
	__u64 max;
	__u32 nstates;
	__u32 pad;
};

/**
 * struct goprobe_key_stats - counts and times of an id by one key
 * @tally: as of the id, but: @hits are those without a value, @calls those in the buckets,
 *	@unwound, @exited and @filtered are 0
 * @key_bytes: bytes of the key that follows, a multiple of 8; then come buckets and states
 * @pad: 0
 */
struct goprobe_key_stats {
	struct goprobe_tally tally;
	__u32 key_bytes;
	__u32 pad;
};

/**
 * struct goprobe_open_call - a call that has not ended
 * @id: goprobe_point.id
 * @tgid: process, in the initial pid namespace
 * @goid: goroutine id; 0 on a system stack
 * @g: address of its runtime.g
 * @age: ns since the call was made
 * @depth: as goprobe_record.depth
 * @record_bytes: size of the pending record that follows, with GOPROBE_RECORD_F_PENDING; its time,
 *	and the ns from the call to it, are 0
 */
struct goprobe_open_call {
	__u32 id;
	__u32 tgid;
	__u64 goid;
	__u64 g;
	__u64 age;
	__u32 depth;
	__u32 record_bytes;
};

/*
 * Counters of a session. Each hit of one of its points counts in exactly one of CALLS to
 * NO_GOROUTINE. The counters from RELEASED on are in addition. A pending call is OPENED; its record
 * is later RELEASED, or counts in LOST_* too, or is dropped.
 */
enum goprobe_stat {
	/* Hits that record. */
	GOPROBE_STAT_CALLS,		/* records of calls, and of GOPROBE_POINT_AT, committed */
	GOPROBE_STAT_RETURNS,		/* return and tail records committed */
	GOPROBE_STAT_LOST_RING_FULL,
	GOPROBE_STAT_LOST_NO_RING,
	/* Hits that count, time or notify. */
	GOPROBE_STAT_COUNTED,		/* GOPROBE_ACTION_COUNT */
	GOPROBE_STAT_OPENED,		/* timed or paired calls remembered, without a record */
	GOPROBE_STAT_TIMED,		/* returns of such calls */
	GOPROBE_STAT_NOTIFIED,		/* GOPROBE_ACTION_STATE to _UNWIND, passed or not */
	/* Hits that do not pass their filter. */
	GOPROBE_STAT_FILTERED,		/* rejected by a condition */
	GOPROBE_STAT_UNDECIDED,		/* the filter could not be evaluated */
	GOPROBE_STAT_LIMITED,		/* beyond a limit: GOPROBE_REJECT_LIMITED */
	GOPROBE_STAT_SAMPLED,		/* not in the sample: GOPROBE_REJECT_SAMPLED */
	/* Hits that cannot count. */
	GOPROBE_STAT_RESTARTS,		/* goprobe_point.skip applied */
	GOPROBE_STAT_OTHER_PROCESS,	/* breakpoint inherited by fork */
	GOPROBE_STAT_NOT_STARTED,	/* before START, or after STOP */
	GOPROBE_STAT_NO_SPACE,		/* calls not remembered: too many are open */
	GOPROBE_STAT_NO_CALL,		/* returns of calls that were not remembered */
	GOPROBE_STAT_NO_GOROUTINE,	/* timed or paired calls and returns of no goroutine */
	/* In addition. */
	GOPROBE_STAT_RELEASED,		/* pending records committed */
	GOPROBE_STAT_NO_KEY,		/* hits counted without a key: the table of keys is full */
	GOPROBE_STAT_SET_FULL,		/* goroutines not added to the set: it is full */
	GOPROBE_STAT_FAULT_INS,		/* captures repeated with the page brought in */
	GOPROBE_STAT_WAITS,		/* records that waited for space, written or not */
	GOPROBE_STAT_WAIT_NS,		/* sum of these waits */
	GOPROBE_STAT_EDITED,		/* hits with a change or a delay */
	GOPROBE_STAT_NOT_EDITED,	/* hits with an edit that failed */
	GOPROBE_STAT_BROKEN,		/* hits a second when the breaker tripped, or 0 */
	/* of CALLS, RETURNS, COUNTED, FILTERED, OPENED and TIMED: without a trap */
	GOPROBE_STAT_JUMPED,
	GOPROBE_STAT_JUMPS_LOST,	/* jumps that vanished: hits are missing */
	GOPROBE_STAT_JUMPS_NO_MEMORY,	/* points that stay breakpoints: GOPROBE_TRAP_MEMORY */
	__GOPROBE_STAT_MAX,
	GOPROBE_STAT_MAX = __GOPROBE_STAT_MAX - 1,
};

#endif /* _UAPI_GOPROBE_H */
