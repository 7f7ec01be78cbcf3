/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * goprobe: the protocol between goprobe.ko and its clients.
 *
 * Transport
 * =========
 * Generic netlink, family "goprobe", version 1, in the initial network
 * namespace. Every command needs CAP_SYS_ADMIN in the initial user namespace.
 * Every refusal carries an extended-ack sentence that says what is wrong.
 * All integers are in host byte order. All offsets and sizes are in bytes.
 *
 * Objects
 * =======
 * A *session* belongs to the socket that made it: one socket, one session. It
 * ends with the socket, with all it owns; there is no command to delete one. Its
 * breakpoints are then taken away by a worker: who has asked for a descriptor
 * (GOPROBE_SESSION_F_FD) and closes that one waits until none is left.
 * A session owns *files* (Go binaries), *types* (places of references in
 * memory), *plans* (how to assemble a record), *points* (breakpoints) and one
 * ring of records for each CPU.
 *
 * Commands
 * ========
 * Those that concern a session, but for dumps, are carried out by a worker, one
 * after the other, which then answers: the sender waits for the answer only, and can be
 * killed meanwhile. At most 16 of a session wait; -EBUSY: there are so many.
 *
 * GOPROBE_CMD_GET_INFO (do)
 *	reply: A_VERSION (string), A_ABILITIES (u64, GOPROBE_ABILITY_*),
 *	A_LIMITS (struct goprobe_limits).
 *
 * GOPROBE_CMD_SESSION_NEW (do)
 *	A_RING_BYTES (u32, optional): size of each CPU's ring; rounded up to a
 *	power of two. A_CALLS (u32, optional): calls that can be open at once, of
 *	functions that are timed or paired. A_HELD (struct goprobe_held, optional):
 *	room for calls that are held. A_KEYS (struct goprobe_keys, optional): room
 *	for what is counted and timed by key. A_BREAKER (struct goprobe_breaker,
 *	optional): when hits are too many. A_STATES (u32, optional): in how many states
 *	goroutines are told apart, GOPROBE_STATES_MAX at most: GOPROBE_ACTION_STATE.
 *	A_MEMBERS (u32, optional): room for the set of goroutines that GOPROBE_OP_MEMBER
 *	asks about. A_PIDS (s32[], optional): only these processes are traced
 *	(thread group ids as the caller sees them); absent: every process that
 *	maps a session's file. A process that is not in the list never gets a
 *	breakpoint, except by fork from a listed one: those hits are not recorded.
 *	A_FLAGS (u32, optional): GOPROBE_SESSION_F_*.
 *	reply: A_SESSION (u32), A_RING_BYTES (u32, as given), with
 *	GOPROBE_SESSION_F_FD A_FD (u32), a descriptor of the sender's.
 *	-EEXIST: the socket has a session. -ESRCH: no such process.
 *
 * GOPROBE_CMD_FILE_ADD (do)
 *	A_FD (u32): the Go binary, opened for reading. A_RUNTIME
 *	(struct goprobe_runtime): where that binary's Go runtime keeps things.
 *	As long as the session lives nobody can open it for writing.
 *	reply: A_FILE (u32), counted from 0. -ETXTBSY: it is open for writing.
 *	-ETIMEDOUT: a read of it, here or in POINTS_ADD, has not been answered for 5 s.
 *
 * GOPROBE_CMD_TYPES_ADD (do)
 *	A_TYPES (struct goprobe_type[]), A_REFS (struct goprobe_ref[]): appended
 *	to the session's tables, at any time; at least one type. goprobe_type.ref
 *	counts from the start of this message's A_REFS; goprobe_ref.type is a
 *	session type id and may be of a type that is yet to come: until then it is
 *	not followed.
 *	reply: A_FIRST (u32): the session type id of the first one.
 *
 * GOPROBE_CMD_DYNAMIC_ADD (do)
 *	A_FILE (u32), A_DYNAMIC (struct goprobe_dynamic[]): which session type
 *	the values have that a run-time type descriptor, or a closure's code,
 *	names. At any time, all or none; what is known already is replaced.
 *	reply: A_COUNT (u32): number of addresses that are known of the file.
 *
 * GOPROBE_CMD_PLANS_ADD (do)
 *	A_PLANS (struct goprobe_plan[]), A_PIECES (struct goprobe_piece[], optional),
 *	A_OPS (struct goprobe_op[], optional). goprobe_plan.piece and .op count
 *	from the start of this message's A_PIECES and A_OPS.
 *	reply: A_FIRST (u32): the session plan id of the first one.
 *
 * GOPROBE_CMD_FILTERS_ADD (do)
 *	A_FILTERS (struct goprobe_filter[]), A_OPS (struct goprobe_op[]).
 *	goprobe_filter.op counts from the start of this message's A_OPS.
 *	reply: A_FIRST (u32): the session filter id of the first one; they are
 *	counted from 1.
 *
 * GOPROBE_CMD_POINTS_ADD (do)
 *	A_FILE (u32), A_POINTS (struct goprobe_point[]): all or none. Before a
 *	point is accepted its file offset is shown to lie in an executable
 *	segment, and its bytes to be the expected ones. Points fire at once but
 *	are not recorded before GOPROBE_CMD_START; GOPROBE_ACTION_JOIN and _PART are
 *	done from the beginning.
 *	reply: A_COUNT (u32): number of points the session has now.
 *	-ENOSPC: the delays of all edits at a place, of all sessions, would be more than
 *	GOPROBE_DELAY_NS_MAX together. -EMLINK: three points that record, of
 *	sessions that are GOPROBE_SESSION_F_LOSSLESS, are there already.
 *
 * GOPROBE_CMD_POINTS_DEL (do)
 *	A_IDS (u32[]): takes the breakpoints with these ids away, and waits until no
 *	handler can run on their behalf. What they have counted stays. Points that are
 *	added later get ids of their own: a call that is open still would be taken for one of
 *	theirs.
 *	reply: A_COUNT (u32): number of points the session has now.
 *
 * GOPROBE_CMD_MEMBERS_ADD (do)
 *	A_MEMBER (struct goprobe_member[]): these goroutines join the session's set, all
 *	or none. The session must have room for one. reply: A_COUNT (u32): how many it has now.
 *	-ENOSPC: there is no room. -ESRCH: no such process.
 *
 * GOPROBE_CMD_START (do)
 *	From now on hits are recorded. If the session's breaker has stopped it before, they are not,
 *	and its statistics say so.
 *
 * GOPROBE_CMD_STOP (do)
 *	Takes every breakpoint of the session away and waits until no handler
 *	can run on its behalf. Records stay readable.
 *
 * GOPROBE_CMD_READ (dump)
 *	Drains the rings: each message has A_CPU (u32) and A_RECORDS (binary:
 *	whole records, one after another); the last one has A_TIME (u64) and
 *	A_BACKLOG (u64) only. Records of one CPU are in the order of their
 *	times. A_TIME is a moment (CLOCK_MONOTONIC, ns): every record with time
 *	<= A_TIME has been handed out in this pass or before, so a reader that
 *	merges by time, and holds back younger records until the next pass,
 *	shows all records in order. There are few of those, if any.
 *	A_BACKLOG: bytes committed since the pass began.
 *
 * GOPROBE_CMD_READY (message from the kernel, no reply)
 *	Sent once after a pass when there are records again: at once when a ring
 *	is a quarter full, else some milliseconds later. Losing it loses nothing;
 *	a reader should also read about once a second.
 *
 * GOPROBE_CMD_GET_STATS (do)
 *	reply: A_STATS (u64[]), indexed by enum goprobe_stat, summed over CPUs.
 *
 * GOPROBE_CMD_TALLIES (dump)
 *	What the session's points have counted and timed, by id, in rising order:
 *	each message has A_TALLIES (struct goprobe_tally, each followed by its
 *	buckets). Nothing is reset and no handler is disturbed; numbers are
 *	exact once GOPROBE_CMD_STOP has been answered.
 *
 * GOPROBE_CMD_KEYS (dump)
 *	What has been counted and timed by key, in no order: each message has
 *	A_KEYED (struct goprobe_keyed, each followed by its key and its buckets).
 *	Nothing is reset, as for GOPROBE_CMD_TALLIES.
 *
 * GOPROBE_CMD_OPEN (dump)
 *	Calls that are timed or paired and have not ended, those of one goroutine
 *	together, the deepest first, 4096 at most: each message has A_OPEN (struct goprobe_open,
 *	each followed by the call's record, if it is held). Calls of processes that
 *	have ended are not among them.
 *
 * GOPROBE_CMD_LIST (dump)
 *	One or more messages for each session and file: A_SESSION (u32),
 *	A_OWNER (u32: process that made the session, init namespace), A_PATH
 *	(string: where the file is, as seen by the caller), A_PIDS (s32[],
 *	absent if all), A_POINTS (struct goprobe_point[], without code, filter and
 *	edit: 0), A_FILE (u32).
 *
 * Who executes the instruction
 * ============================
 * The instruction under a breakpoint is emulated by the kernel if it is a relative
 * jump, a call, a push or a one-byte NOP (x86-64), else single-stepped, which takes
 * a second exception. Where the kernel lets a handler change the instruction
 * pointer, the module carries out returns and simple instructions itself, and
 * there is no second exception: GOPROBE_ABILITY_EXECUTE.
 *
 * Versions do not tell whether the kernel does, so it is tried, once after the module
 * has been loaded: while abilities have GOPROBE_ABILITY_UNTESTED, a client can
 * begin a session for its own process, add its own executable as a file (a
 * goprobe_runtime of zeros with GOPROBE_REG_NONE will do), in that a point
 * of kind GOPROBE_POINT_SELF_TEST on code that consists of
 * GOPROBE_SELF_TEST_CODE, call that code with GOPROBE_SELF_TEST_ROUNDS in ecx
 * and in edx, and close the socket.
 * Points that are placed after that profit from it.
 *
 * Records
 * =======
 * See struct goprobe_record. A record is: the header; with GOPROBE_RECORD_F_HELD
 * a __u64, with GOPROBE_RECORD_F_SPLIT a __u64 for each state; then, if it has a
 * plan, the frame (goprobe_type.size bytes of the plan's type, as if the values
 * stood in Go memory one after the other, padded to 8) and chunks (struct
 * goprobe_chunk, each followed by its bytes, padded to 8): what the frame's
 * references point to, breadth first. With GOPROBE_NO_PLAN there are neither frame
 * nor chunks. In GOPROBE_RECORD_LOST struct goprobe_lost follows the header.
 */
#ifndef _UAPI_GOPROBE_H
#define _UAPI_GOPROBE_H

#include <linux/types.h>

#define GOPROBE_GENL_NAME	"goprobe"
#define GOPROBE_GENL_VERSION	1

enum goprobe_cmd {
	GOPROBE_CMD_UNSPEC,
	GOPROBE_CMD_GET_INFO,
	GOPROBE_CMD_SESSION_NEW,
	GOPROBE_CMD_FILE_ADD,
	GOPROBE_CMD_TYPES_ADD,
	GOPROBE_CMD_PLANS_ADD,
	GOPROBE_CMD_POINTS_ADD,
	GOPROBE_CMD_START,
	GOPROBE_CMD_STOP,
	GOPROBE_CMD_READ,
	GOPROBE_CMD_READY,
	GOPROBE_CMD_GET_STATS,
	GOPROBE_CMD_LIST,
	GOPROBE_CMD_DYNAMIC_ADD,
	GOPROBE_CMD_TALLIES,
	GOPROBE_CMD_FILTERS_ADD,
	GOPROBE_CMD_KEYS,
	GOPROBE_CMD_OPEN,
	GOPROBE_CMD_POINTS_DEL,
	GOPROBE_CMD_MEMBERS_ADD,
	__GOPROBE_CMD_MAX,
	GOPROBE_CMD_MAX = __GOPROBE_CMD_MAX - 1,
};

enum goprobe_attr {
	GOPROBE_A_UNSPEC,
	GOPROBE_A_PAD,
	GOPROBE_A_VERSION,	/* string: the module's version */
	GOPROBE_A_ABILITIES,	/* u64: GOPROBE_ABILITY_* */
	GOPROBE_A_LIMITS,	/* struct goprobe_limits */
	GOPROBE_A_SESSION,	/* u32 */
	GOPROBE_A_RING_BYTES,	/* u32 */
	GOPROBE_A_PIDS,		/* s32[] */
	GOPROBE_A_FD,		/* u32: file descriptor */
	GOPROBE_A_RUNTIME,	/* struct goprobe_runtime */
	GOPROBE_A_FILE,		/* u32 */
	GOPROBE_A_TYPES,	/* struct goprobe_type[] */
	GOPROBE_A_REFS,		/* struct goprobe_ref[] */
	GOPROBE_A_PLANS,	/* struct goprobe_plan[] */
	GOPROBE_A_PIECES,	/* struct goprobe_piece[] */
	GOPROBE_A_POINTS,	/* struct goprobe_point[] */
	GOPROBE_A_FIRST,	/* u32 */
	GOPROBE_A_COUNT,	/* u32 */
	GOPROBE_A_CPU,		/* u32 */
	GOPROBE_A_RECORDS,	/* struct goprobe_record... */
	GOPROBE_A_TIME,		/* u64: CLOCK_MONOTONIC, ns */
	GOPROBE_A_BACKLOG,	/* u64: bytes */
	GOPROBE_A_STATS,	/* u64[], see enum goprobe_stat */
	GOPROBE_A_OWNER,	/* u32: process id */
	GOPROBE_A_PATH,		/* string */
	GOPROBE_A_FLAGS,	/* u32: GOPROBE_SESSION_F_* */
	GOPROBE_A_DYNAMIC,	/* struct goprobe_dynamic[] */
	GOPROBE_A_OPS,		/* struct goprobe_op[] */
	GOPROBE_A_CALLS,	/* u32 */
	GOPROBE_A_TALLIES,	/* struct goprobe_tally... */
	GOPROBE_A_FILTERS,	/* struct goprobe_filter[] */
	GOPROBE_A_HELD,		/* struct goprobe_held */
	GOPROBE_A_KEYS,		/* struct goprobe_keys */
	GOPROBE_A_KEYED,	/* struct goprobe_keyed... */
	GOPROBE_A_OPEN,		/* struct goprobe_open... */
	GOPROBE_A_IDS,		/* u32[] */
	GOPROBE_A_BREAKER,	/* struct goprobe_breaker */
	GOPROBE_A_STATES,	/* u32 */
	GOPROBE_A_MEMBERS,	/* u32 */
	GOPROBE_A_MEMBER,	/* struct goprobe_member[] */
	__GOPROBE_A_MAX,
	GOPROBE_A_MAX = __GOPROBE_A_MAX - 1,
};

/* What this module on this kernel can do (GOPROBE_A_ABILITIES). */
#define GOPROBE_ABILITY_FAULT_IN	(1ULL << 0) /* values in absent pages are read */
#define GOPROBE_ABILITY_FLOAT_REGS	(1ULL << 1) /* GOPROBE_FROM_FLOAT_REG works */
#define GOPROBE_ABILITY_EXECUTE		(1ULL << 2) /* see "Who executes the instruction" */
#define GOPROBE_ABILITY_UNTESTED	(1ULL << 3) /* not known yet whether EXECUTE */
#define GOPROBE_ABILITY_TALLY		(1ULL << 4) /* GOPROBE_ACTION_COUNT and _TIME */
#define GOPROBE_ABILITY_FILTER		(1ULL << 5) /* goprobe_point.filter, _POINT_F_* */
#define GOPROBE_ABILITY_EDIT		(1ULL << 6) /* the module was loaded with allow_writes=1 */

/**
 * struct goprobe_limits - the most of each that the module accepts
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
 * @calls: GOPROBE_A_CALLS
 * @filters: filters of one session
 * @held_bytes: goprobe_held.calls times goprobe_held.bytes
 * @keys: goprobe_keys.number
 * @key_bytes: goprobe_keys.bytes
 * @members: GOPROBE_A_MEMBERS
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
	__u32 held_bytes;
	__u32 keys;
	__u32 key_bytes;
	__u32 members;
};

/**
 * struct goprobe_held - room for calls that wait until they return
 * @calls: how many at once
 * @bytes: of each: the record that it becomes, header included
 */
struct goprobe_held {
	__u32 calls;
	__u32 bytes;
};

/**
 * struct goprobe_keys - room for keys
 * @number: how many different ones, of all ids together
 * @bytes: of the longest; rounded up to a multiple of 8
 */
struct goprobe_keys {
	__u32 number;
	__u32 bytes;
};

/**
 * struct goprobe_breaker - when a session takes too much of the programs' time
 * @hit_ns: what a hit takes, all in all, on this machine
 * @percent: so much of one processor's time is too much; all processors count together
 *
 * When hits have taken more than that for GOPROBE_BREAKER_MS in a row, the session stops by
 * itself, as with GOPROBE_CMD_STOP, and the reader is told that there is something to
 * read. GOPROBE_STAT_BROKEN then says how many hits there were in a second. The same where hits
 * take locks (kernels before 6.14), come at least as fast as one processor makes them, and the
 * programs' system time is more than that: then they wait for each other. That is so from the
 * first point on, before GOPROBE_CMD_START as well, which then does nothing. (With so many ids and
 * processors that to add up hits takes more than 10 ms, it takes longer to find out.)
 */
struct goprobe_breaker {
	__u32 hit_ns;
	__u32 percent;
};

#define GOPROBE_BREAKER_MS	400

/*
 * The most states: GOPROBE_A_STATES. A goroutine is in the one that was told last
 * (GOPROBE_ACTION_STATE); but who makes a call that is timed or paired, or comes to its end, is
 * in state 0, whatever was told before. So a change that nobody tells of counts as time of the
 * state before, until the next one. The states of a call are together its duration; waits in
 * calls that it makes are its own, too. Calls on a system stack are in state 0.
 */
#define GOPROBE_STATES_MAX	16

/**
 * struct goprobe_member - a goroutine of the session's set
 * @goid: its id
 * @tgid: its process, as the caller sees it
 * @pad: 0
 */
struct goprobe_member {
	__u64 goid;
	__s32 tgid;
	__u32 pad;
};

/*
 * A thread whose record finds no room in the ring waits for the reader, in the
 * kernel, instead of losing it: until there is room, it is killed, the session ends,
 * or 5 s are over. Then the record is lost after all, and nobody waits any more
 * until the reader has begun another pass.
 */
#define GOPROBE_SESSION_F_LOSSLESS	(1U << 0)
/*
 * The reader's buffer has at least GOPROBE_LARGE_BYTES: messages of records can be as
 * large, where the kernel's own for readers with large buffers end at 32 KiB. They are
 * not copied into a message first: as long as a message is not read, its part of the
 * ring, a quarter at most, and what comes behind it is not free.
 */
#define GOPROBE_SESSION_F_LARGE		(1U << 1)
/*
 * The reply has GOPROBE_A_FD, a descriptor that is closed on exec. The session ends when its last
 * copy is closed, or the socket before; close(), or the process's end, then waits until no
 * breakpoint of the session is left and no handler runs for it. No lock is held meanwhile that
 * others need: so this is the way to wait for the end.
 */
#define GOPROBE_SESSION_F_FD		(1U << 2)
#define GOPROBE_SESSION_F_ALL		(GOPROBE_SESSION_F_LOSSLESS | GOPROBE_SESSION_F_LARGE | \
					 GOPROBE_SESSION_F_FD)

#define GOPROBE_LARGE_BYTES		65536

/*
 * Registers are named by their DWARF numbers (System V x86-64 psABI, figure
 * 3.36): 0 rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8-15 r8-r15,
 * 17-32 xmm0-xmm15.
 */
#define GOPROBE_REG_NONE	0xff

/**
 * struct goprobe_runtime - where one Go binary's runtime keeps things
 * @g_reg: register that holds g in register-ABI code, or GOPROBE_REG_NONE
 * @pad: 0
 * @g_tls: offset of g from the thread pointer (x86-64: fs base)
 * @g_stack_lo: offset of g.stack.lo in runtime.g
 * @g_stack_hi: offset of g.stack.hi
 * @g_goid: offset of g.goid (8 bytes)
 * @g_m: offset of g.m (pointer to runtime.m)
 * @m_curg: offset of m.curg (pointer to runtime.g) in runtime.m
 * @pad2: 0
 * @code_delta: link-time address of the Go code less its offset in the file
 *
 * All offsets must be below 4096 and multiples of 8. With @code_delta a hit
 * tells where the file has been loaded: all other addresses of this protocol
 * that are said to be link-time ones are moved by as much.
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
	__u32 pad2;
	__s64 code_delta;
};

/* Kinds of reference (struct goprobe_ref), with the words at its offset. */
enum goprobe_ref_kind {
	GOPROBE_REF_UNSPEC,
	GOPROBE_REF_POINTER,	/* {ptr}: one object of type @type */
	GOPROBE_REF_STRING,	/* {ptr, len}: len bytes; @type 0 */
	GOPROBE_REF_SLICE,	/* {ptr, len, cap}: len objects of type @type */
	GOPROBE_REF_IFACE,	/* {itab, data}: see below; @type 0 */
	GOPROBE_REF_EFACE,	/* {type, data}: likewise */
	GOPROBE_REF_FUNC,	/* {ptr}: a closure, see below; @type 0 */
	GOPROBE_REF_ARRAY,	/* {ptr}: as many of type @type as @count says */
	__GOPROBE_REF_MAX,
	GOPROBE_REF_MAX = __GOPROBE_REF_MAX - 1,
};

/* How many objects GOPROBE_REF_ARRAY leads to; n is the number in the field. */
enum goprobe_count {
	GOPROBE_COUNT_NONE,	/* for the other kinds */
	GOPROBE_COUNT_N,	/* n */
	GOPROBE_COUNT_PLUS_1,	/* n + 1: n is a mask */
	GOPROBE_COUNT_LOG2,	/* 1 << n */
	/*
	 * n is two bytes, flags and a logarithm: 1 << logarithm if the flags have
	 * GOPROBE_COUNT_FLAG_FULL, else half of that, at least 1.
	 */
	GOPROBE_COUNT_FLAGS_LOG2,
	GOPROBE_COUNT_IF_0,	/* 1 if n is 0, else none */
	__GOPROBE_COUNT_MAX,
	GOPROBE_COUNT_MAX = __GOPROBE_COUNT_MAX - 1,
};

#define GOPROBE_COUNT_FLAG_FULL		(1U << 3)

/*
 * The object does not count as one level of goprobe_plan.depth: buckets of a
 * map, a list's next element.
 */
#define GOPROBE_REF_F_SAME_LEVEL	(1U << 0)
#define GOPROBE_REF_F_ALL		(GOPROBE_REF_F_SAME_LEVEL)

/**
 * struct goprobe_ref - a place in a type that refers to other memory
 * @offset: where, in the type: a multiple of 8
 * @type: session type id of what is there
 * @count_offset: of GOPROBE_REF_ARRAY: where in the type the number is
 * @kind: enum goprobe_ref_kind
 * @flags: GOPROBE_REF_F_*
 * @count: of GOPROBE_REF_ARRAY: enum goprobe_count
 * @count_size: of GOPROBE_REF_ARRAY: bytes of the number: 1, 2, 4 or 8; 2 for
 *	GOPROBE_COUNT_FLAGS_LOG2
 * @elements_shift: of GOPROBE_REF_ARRAY and _SLICE: one object holds so many
 *	elements, as a power of 2: the limit is goprobe_plan.elements >> it, at
 *	least 1 if any elements are wanted
 * @pad: 0
 *
 * GOPROBE_REF_IFACE: its first chunk has address itab + 8 and type
 * GOPROBE_TYPE_ITAB; its 8 bytes are the address of the dynamic type. An empty
 * interface needs none: its first word is the type.
 *
 * The type's link-time address is looked up among the file's dynamic types. If
 * it is known, the chunk of the value follows: at the address in the data word
 * or, if it is GOPROBE_DYNAMIC_F_DIRECT, the data word is the value and what it
 * refers to follows, on the level that the value would have had.
 *
 * GOPROBE_REF_FUNC: the word at the pointer is the address of code. If it is
 * among the dynamic types, the chunk at the pointer is of that type, else it is
 * these 8 bytes, of type GOPROBE_TYPE_CODE.
 */
struct goprobe_ref {
	__u32 offset;
	__u32 type;
	__u32 count_offset;
	__u8  kind;
	__u8  flags;
	__u8  count;
	__u8  count_size;
	__u8  elements_shift;
	__u8  pad[3];
};

/* What a chunk's goprobe_chunk.type says when it is no session type id. */
#define GOPROBE_TYPE_BYTES	0xffffffffU	/* of a string */
#define GOPROBE_TYPE_ITAB	0xfffffffeU	/* type word of an itab */
#define GOPROBE_TYPE_CODE	0xfffffffdU	/* code word of a closure */
#define GOPROBE_TYPE_MISSED	0xfffffffcU	/* an operation failed: struct goprobe_op */

#define GOPROBE_DYNAMIC_F_DIRECT	(1U << 0) /* the data word is the value */
#define GOPROBE_DYNAMIC_F_ALL		(GOPROBE_DYNAMIC_F_DIRECT)

/**
 * struct goprobe_dynamic - what a run-time type descriptor or code stands for
 * @address: link-time address of the descriptor, or of a closure's code
 * @type: session type id; of 8 bytes if direct
 * @flags: GOPROBE_DYNAMIC_F_*
 */
struct goprobe_dynamic {
	__u64 address;
	__u32 type;
	__u32 flags;
};

/**
 * struct goprobe_type - size of a type and the places of its references
 * @size: size of one object
 * @ref: index of its first reference
 * @nrefs: number of references; their offsets do not fall, and at most 4 are the
 *	same
 */
struct goprobe_type {
	__u32 size;
	__u32 ref;
	__u32 nrefs;
};

enum goprobe_source {
	GOPROBE_FROM_UNSPEC,
	GOPROBE_FROM_INT_REG,	/* low @size bytes (1, 2, 4, 8) of @reg */
	GOPROBE_FROM_FLOAT_REG,	/* low @size bytes (4, 8, 16) of @reg */
	GOPROBE_FROM_STACK,	/* @size bytes at entry SP + @offset */
	GOPROBE_FROM_STATIC,	/* @size bytes at link-time address @address */
	__GOPROBE_FROM_MAX,
	GOPROBE_FROM_MAX = __GOPROBE_FROM_MAX - 1,
};

/**
 * struct goprobe_piece - one part of a frame and where it comes from
 * @source: enum goprobe_source
 * @reg: register, for the register sources
 * @pad: 0
 * @size: bytes
 * @frame: where it goes in the frame
 * @offset: for GOPROBE_FROM_STACK, from the SP at function entry, where the
 *	return address is at offset 0; -4096 <= offset < 2^20
 * @address: for GOPROBE_FROM_STATIC
 */
struct goprobe_piece {
	__u8  source;
	__u8  reg;
	__u16 pad;
	__u32 size;
	__u32 frame;
	__s32 offset;
	__u64 address;
};

/*
 * Operations: a program of a plan runs after its pieces, and fills more of the
 * frame, before its references are followed. It has 16 registers of 64 bits, r0 to
 * r15, all 0 at the start, and only jumps forward, so that it ends. a and b are
 * registers; what an operation does not use is 0.
 */
enum goprobe_op_code {
	GOPROBE_OP_UNSPEC,
	/* Values. */
	GOPROBE_OP_IMM,		/* a = value */
	GOPROBE_OP_REG,		/* a = the target's integer register b (DWARF number) */
	GOPROBE_OP_FRAME,	/* a = @size bytes (1, 2, 4, 8) at @offset of the frame */
	GOPROBE_OP_SP,		/* a = SP at function entry + value */
	GOPROBE_OP_STATIC,	/* a = run-time address of link-time address value */
	GOPROBE_OP_LOAD,	/* a = @size bytes in the target at b + value; can fail */
	GOPROBE_OP_FLOAT,	/* a = low @size bytes (4, 8) of the float register b */
	GOPROBE_OP_SIGN,	/* a = the low @size bytes of b, sign-extended */
	GOPROBE_OP_LOW,		/* a = the low @size bytes of b */
	GOPROBE_OP_ORDER,	/* a = signed number that orders like the float in b */
	/* Arithmetic modulo 2^64. */
	GOPROBE_OP_MOVE,	/* a = b */
	GOPROBE_OP_ADD,		/* a += b */
	GOPROBE_OP_SUB,
	GOPROBE_OP_MUL,
	GOPROBE_OP_DIV,		/* unsigned; by 0 it fails with GOPROBE_CHUNK_RANGE */
	GOPROBE_OP_MOD,		/* the remainder */
	GOPROBE_OP_SDIV,	/* signed, rounded towards 0, as in Go */
	GOPROBE_OP_SMOD,
	GOPROBE_OP_AND,
	GOPROBE_OP_OR,
	GOPROBE_OP_XOR,
	GOPROBE_OP_SHL,		/* by b; from 64 on nothing is left */
	GOPROBE_OP_SHR,
	GOPROBE_OP_SAR,		/* keeps the sign */
	GOPROBE_OP_ADD_I,	/* a += value */
	GOPROBE_OP_MUL_I,	/* a *= value */
	/* Jumps: @offset operations are skipped if the comparison holds. */
	GOPROBE_OP_JUMP,	/* always */
	GOPROBE_OP_JEQ,		/* a == b */
	GOPROBE_OP_JNE,
	GOPROBE_OP_JLT,		/* a < b, unsigned */
	GOPROBE_OP_JGE,
	GOPROBE_OP_JSLT,	/* signed */
	GOPROBE_OP_JSGE,
	GOPROBE_OP_JEQ_I,	/* a == value; the others likewise */
	GOPROBE_OP_JNE_I,
	GOPROBE_OP_JLT_I,
	GOPROBE_OP_JGE_I,
	GOPROBE_OP_JSLT_I,
	GOPROBE_OP_JSGE_I,
	/* Results. */
	GOPROBE_OP_TRY,		/* item value begins; if it fails @offset ops are skipped */
	GOPROBE_OP_FAIL,	/* the item fails with status value */
	GOPROBE_OP_STORE,	/* the low @size bytes of a go to @offset of the frame */
	GOPROBE_OP_COPY,	/* @size bytes in the target at b + value go there; can fail */
	GOPROBE_OP_END,		/* the program ends; a filter's hit passes */
	/* In filters only. */
	GOPROBE_OP_REJECT,	/* the hit does not pass: enum goprobe_reject */
	GOPROBE_OP_TASK,	/* a = what enum goprobe_task value says */
	GOPROBE_OP_DURATION,	/* a = ns that the call took: struct goprobe_filter */
	GOPROBE_OP_NUMBER,	/* a = how often this filter has come to NUMBER value: 0 or 1 */
	GOPROBE_OP_UNDER,	/* a = 1 if a call of id value is open on the goroutine, else 0 */
	GOPROBE_OP_SAME,	/* a = 1 if memory is the same, else 0: see below; can fail */
	/* In filters only: the key that a hit counts by; see struct goprobe_filter. */
	GOPROBE_OP_KEY,		/* a is its next word */
	GOPROBE_OP_KEY_BYTES,	/* the b bytes at a, the first @size of them; can fail */
	GOPROBE_OP_KEY_STACK,	/* who called whom, value functions at most; can fail */
	/* In filters only. */
	GOPROBE_OP_QUOTA,	/* a = 1 of the first value hits, then 0: see below */
	GOPROBE_OP_ROOT,	/* a = enum goprobe_root */
	GOPROBE_OP_MEMBER,	/* a = 1 if goroutine b of this process is in the set, else 0 */
	/* In edits only: see struct goprobe_point. */
	GOPROBE_OP_SET,		/* the target's integer register b = a */
	GOPROBE_OP_SET_FLOAT,	/* the low @size bytes (4, 8) of the float register b = a */
	GOPROBE_OP_WRITE,	/* low @size bytes of a go to the target's b + value; can fail */
	GOPROBE_OP_DELAY,	/* the thread sleeps for value ns, GOPROBE_DELAY_NS_MAX at most */
	__GOPROBE_OP_MAX,
	GOPROBE_OP_MAX = __GOPROBE_OP_MAX - 1,
};

/* What GOPROBE_OP_TASK gives. */
enum goprobe_task {
	GOPROBE_TASK_GOID,	/* goroutine id; 0 without a goroutine */
	GOPROBE_TASK_TGID,	/* process, in the initial pid namespace */
	GOPROBE_TASK_TID,	/* thread, likewise */
	GOPROBE_TASK_G,		/* address of the runtime.g that has this id; 0 without */
	__GOPROBE_TASK_MAX,
	GOPROBE_TASK_MAX = __GOPROBE_TASK_MAX - 1,
};

/*
 * What GOPROBE_OP_ROOT gives: is the session inside of one of its calls, on this
 * goroutine? Of calls that are remembered, and whose filter has this operation, the deepest
 * one counts that is less deep than the hit.
 */
enum goprobe_root {
	GOPROBE_ROOT_NONE,	/* no: this is where a tree of calls begins */
	GOPROBE_ROOT_OPEN,	/* yes: in one that passed its filter */
	GOPROBE_ROOT_MUTED,	/* yes: in one that was rejected with GOPROBE_REJECT_F_MUTED */
};

/* Why a hit does not pass (GOPROBE_OP_REJECT: value), and so which counter it counts in. */
enum goprobe_reject {
	GOPROBE_REJECT_FILTERED,	/* GOPROBE_STAT_FILTERED */
	GOPROBE_REJECT_LIMITED,		/* GOPROBE_STAT_LIMITED */
	GOPROBE_REJECT_SAMPLED,		/* GOPROBE_STAT_SAMPLED */
	__GOPROBE_REJECT_MAX,
	GOPROBE_REJECT_MAX = __GOPROBE_REJECT_MAX - 1,
};

/*
 * With that: a call that would be remembered, had it passed, is, for GOPROBE_OP_ROOT and for
 * nothing else; its return counts as that of a call that was not (GOPROBE_STAT_NO_CALL). If there
 * is no room for it, it counts in GOPROBE_STAT_NO_ROOM instead.
 */
#define GOPROBE_REJECT_F_MUTED	(1U << 8)

/*
 * The longest GOPROBE_OP_DELAY, and that of all edits at one place together: 1 s. The thread sleeps
 * in the handler: until it is killed or the session ends, at the latest. What waits for all threads
 * (a garbage collection) waits for it.
 */
#define GOPROBE_DELAY_NS_MAX	1000000000ULL

/**
 * struct goprobe_op - one operation
 * @code: enum goprobe_op_code
 * @a: register
 * @b: register, or a DWARF number
 * @pad: 0
 * @size: bytes: 1, 2, 4 or 8; of GOPROBE_OP_COPY any number
 * @offset: in the frame; or operations to skip; of GOPROBE_OP_QUOTA, ms
 * @pad2: 0
 * @value: immediate
 *
 * An item is what one capture expression asks for: the @offset operations behind
 * its GOPROBE_OP_TRY. When one of them fails, a chunk is added: @address is the
 * item's number, @type is GOPROBE_TYPE_MISSED, @status says why, and there are no
 * bytes; what it has stored is undone to 0 by the reader. What fails elsewhere ends
 * the program, with GOPROBE_RECORD_F_FAULT. With b, or b + value, below 4096,
 * LOAD and COPY fail with GOPROBE_CHUNK_NIL.
 *
 * GOPROBE_OP_ORDER: of -0.0 as of 0.0; @size is 4 or 8. Of what is no number (NaN)
 * there is no order: @offset operations are skipped.
 *
 * GOPROBE_OP_SAME: the memory at a, and that at b; value is the number of the register
 * that has the number of bytes, of which the first @size are compared, 4096 at most.
 *
 * GOPROBE_OP_UNDER: calls are open that are timed or paired. On a system stack so are those of
 * the goroutine that the thread works for. It fails with GOPROBE_CHUNK_RANGE if more than 4096 of
 * either would have to be looked at. All that goes for GOPROBE_OP_ROOT, too.
 *
 * GOPROBE_OP_QUOTA: counts the hits that come to it; with @offset, anew in each period of
 * that many ms of CLOCK_MONOTONIC, and value is below 2^24. A filter has two at most, one of each
 * kind. A hit counts once, and so it has one number, even if a page is absent and its filter
 * begins anew.
 *
 * GOPROBE_OP_SET is not for the stack pointer, nor for the register that has g.
 * What an edit sets and writes is set and written when it has come to its end, and not at all
 * if one of its operations fails, or if a place can't be written: memory that the program itself
 * may not write stays as it is. So what it reads is what was there before. DELAYs come last, and
 * are GOPROBE_DELAY_NS_MAX together at most. An edit has 32 of these at most; it makes no key, and
 * has no GOPROBE_OP_DURATION. With GOPROBE_OP_REJECT it changes nothing, which is no failure.
 *
 * The COPYs and SAMEs of a program are 64 KiB together at most, its UNDERs and ROOTs 16.
 */
struct goprobe_op {
	__u8  code;
	__u8  a;
	__u8  b;
	__u8  pad;
	__u32 size;
	__u32 offset;
	__u32 pad2;
	__u64 value;
};

/**
 * struct goprobe_plan - how to assemble a record
 * @type: session type id of the frame
 * @piece: index of its first piece
 * @npieces: number of pieces
 * @op: index of its first operation
 * @nops: number of operations; 0: no program
 * @string_limit: bytes copied of a string
 * @elements: objects copied of a slice (and so bytes, of a []byte)
 * @objects: chunks in one record; what is beyond is not copied
 * @bytes: bytes of chunks in one record, chunk headers included
 * @depth: references followed one after another; 0 follows none; at most 255
 *
 * Bytes of the frame that neither a piece nor an operation fills are zero. Chunks of
 * GOPROBE_TYPE_MISSED are in addition to @objects and @bytes.
 *
 * With @elements above GOPROBE_ELEMENTS_ANY, a record that @objects or @bytes would cut short
 * has so many elements of each array, but no fewer than that, as fit with what they refer to;
 * it says GOPROBE_RECORD_F_BUDGET.
 */
struct goprobe_plan {
	__u32 type;
	__u32 piece;
	__u32 npieces;
	__u32 op;
	__u32 nops;
	__u32 string_limit;
	__u32 elements;
	__u32 objects;
	__u32 bytes;
	__u32 depth;
};

#define GOPROBE_NO_PLAN		0xffffffffU

/* So many elements of an array are copied, if they fit, whatever they refer to. */
#define GOPROBE_ELEMENTS_ANY	64

/**
 * struct goprobe_filter - which hits count
 * @op: index of its first operation
 * @nops: number of operations; at least one
 *
 * A filter is a program without frame: GOPROBE_OP_FRAME, _TRY, _STORE and _COPY are not
 * for it. A hit passes unless the program comes to GOPROBE_OP_REJECT, or to an operation
 * that fails: that it can't be told is counted apart (GOPROBE_STAT_UNDECIDED).
 *
 * With GOPROBE_OP_DURATION it is for the ends of calls that are timed or paired only.
 *
 * A filter that makes a key is for points that count or time: what they count is counted
 * by key as well, with what the operations have put into it, one after the other: words
 * (GOPROBE_OP_KEY); the number of bytes, in a word, and the bytes, padded to 8
 * (GOPROBE_OP_KEY_BYTES); the number of addresses, in a word, and the link-time addresses
 * where functions will be returned to, beginning with that of the hit (GOPROBE_OP_KEY_STACK:
 * by frame pointers, on the goroutine's own stack). What does not fit into a key is left
 * out, but a word is not: the filter then can't tell. Of a call that is timed the key is that of
 * its end, if its end has one, else that of the call.
 *
 * The points of GOPROBE_ACTION_STATE, _JOIN, _PART and _UNWIND have filters that make keys of a
 * few words, which say what is to be done; no words: nothing. What are not such words is
 * counted as UNDECIDED. They need no room for keys.
 */
struct goprobe_filter {
	__u32 op;
	__u32 nops;
};

enum goprobe_point_kind {
	GOPROBE_POINT_UNSPEC,
	GOPROBE_POINT_CALL,	/* the function has been entered */
	GOPROBE_POINT_RETURN,	/* a RET that ends it */
	GOPROBE_POINT_TAIL,	/* a jump that ends it: no results */
	GOPROBE_POINT_SELF_TEST, /* GOPROBE_SELF_TEST_CODE, without a plan */
	GOPROBE_POINT_AT,	/* anywhere in a function: neither a call nor its end */
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

#define GOPROBE_POINT_F_ABI0	(1U << 0) /* g is not in g_reg: take it from TLS */
/*
 * Of GOPROBE_ACTION_RECORD: an end of a call is recorded only if the call passed its
 * filter and has been remembered. All points of a function, and no others, have the
 * same id.
 */
#define GOPROBE_POINT_F_PAIRED	(1U << 1)
/*
 * Of a paired call: its record is held (GOPROBE_A_HELD), and written together with that of
 * its end, if that passes its filter.
 */
#define GOPROBE_POINT_F_HELD	(1U << 2)
/* Of GOPROBE_ACTION_TIME, all points of a function: they are timed by key, too. */
#define GOPROBE_POINT_F_KEYED	(1U << 3)
/* Of a call that is held: GOPROBE_ACTION_UNWIND writes its record, without one of its end. */
#define GOPROBE_POINT_F_UNWOUND	(1U << 4)
/*
 * Of ends of paired calls, with GOPROBE_A_STATES: their records have GOPROBE_RECORD_F_SPLIT.
 */
#define GOPROBE_POINT_F_SPLIT	(1U << 5)
#define GOPROBE_POINT_F_ALL \
	(GOPROBE_POINT_F_ABI0 | GOPROBE_POINT_F_PAIRED | GOPROBE_POINT_F_HELD | \
	 GOPROBE_POINT_F_KEYED | GOPROBE_POINT_F_UNWOUND | GOPROBE_POINT_F_SPLIT)

/* What a hit leaves behind (struct goprobe_point.action). */
enum goprobe_action {
	GOPROBE_ACTION_RECORD,	/* a record */
	GOPROBE_ACTION_COUNT,	/* goprobe_tally.hits of its id is one more */
	GOPROBE_ACTION_TIME,	/* of a call: it is open; of its end: how long it took */
	/*
	 * Nothing but what the words of the filter's key say, g being addresses of runtime.g of
	 * this process. Points of a runtime's own functions, of any kind; an id of its own.
	 */
	/* up to 4 pairs of g, state: in that it is from now on, below GOPROBE_A_STATES */
	GOPROBE_ACTION_STATE,
	GOPROBE_ACTION_JOIN,	/* goroutine id: joins the session's set */
	GOPROBE_ACTION_PART,	/* goroutine id: leaves it */
	/*
	 * g, goroutine id, bytes from stack.hi, 0 or 1: its calls that are deeper have ended
	 * otherwise; with 1 those of GOPROBE_POINT_F_UNWOUND are written, callers first, before
	 * what other points of the session at this place leave that were added later
	 */
	GOPROBE_ACTION_UNWIND,
	__GOPROBE_ACTION_MAX,
	GOPROBE_ACTION_MAX = __GOPROBE_ACTION_MAX - 1,
};

#define GOPROBE_CODE_MAX	16

/*
 * x86-64: 0: dec ecx; dec edx; jnz 0b; ret. In some rounds, which it chooses at random, the
 * module skips the first instruction. What is in ecx in the next one says whether the kernel has
 * skipped it, too.
 */
#define GOPROBE_SELF_TEST_CODE	"\xff\xc9\xff\xca\x75\xfa\xc3"
#define GOPROBE_SELF_TEST_SIZE	7
#define GOPROBE_SELF_TEST_ROUNDS 32

/**
 * struct goprobe_point - a breakpoint to place
 * @offset: where, in the file
 * @id: what the client calls it; comes back in each record
 * @plan: session plan id, or GOPROBE_NO_PLAN
 * @kind: enum goprobe_point_kind
 * @skip: enum goprobe_skip
 * @flags: GOPROBE_POINT_F_*
 * @code_len: number of bytes in @code: at least the whole instruction
 * @sp_adjust: SP at function entry is SP here plus this
 * @code: the bytes expected at @offset
 * @action: enum goprobe_action; a plan is for GOPROBE_ACTION_RECORD only
 * @pad: 0
 * @filter: session filter id: which hits count; 0: all
 * @edit: session filter id of an edit; 0: none. Needs GOPROBE_ABILITY_EDIT
 * @pad2: 0
 *
 * An edit is a filter with GOPROBE_OP_SET, _SET_FLOAT, _WRITE or _DELAY. It is run after a hit
 * has left its record, or whatever it leaves, if the hit counts: if it passed its filter and, of a
 * point that is paired, its call is remembered; also if the record found no room. Records of
 * others at the same place show what was there before, whenever they were added; several edits
 * are made in the order in which they were added. What the instruction at the point sees is what
 * they have set. Such points are of GOPROBE_ACTION_RECORD or _COUNT, the latter not by key. The
 * first time that an edit changes something, the kernel log tells who changes which process, and
 * where.
 *
 * GOPROBE_ACTION_TIME: all points of a function, and no others, have the same
 * id. A session can time or pair a place only once.
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
	__u8  pad[3];
	__u32 filter;
	__u32 edit;
	__u32 pad2;
};

enum goprobe_record_kind {
	GOPROBE_RECORD_UNSPEC,
	GOPROBE_RECORD_CALL,
	GOPROBE_RECORD_RETURN,
	GOPROBE_RECORD_TAIL,
	GOPROBE_RECORD_LOST,	/* followed by struct goprobe_lost */
	GOPROBE_RECORD_AT,
	__GOPROBE_RECORD_MAX,
	GOPROBE_RECORD_MAX = __GOPROBE_RECORD_MAX - 1,
};

#define GOPROBE_RECORD_F_NO_G	(1U << 0) /* no goroutine here; goid, depth 0 */
#define GOPROBE_RECORD_F_SYSTEM	(1U << 1) /* on a system stack: goid is m.curg's */
#define GOPROBE_RECORD_F_FAULT	(1U << 2) /* a piece of the frame is unreadable: 0 */
#define GOPROBE_RECORD_F_BUDGET	(1U << 3) /* the walk stopped at objects or bytes */
/*
 * A call that was held: before the frame is a __u64, by how many ns the call was made
 * before @time, when its end was found to pass. The record of that end follows.
 */
#define GOPROBE_RECORD_F_HELD	(1U << 4)
/*
 * Before the frame is a __u64 for each of the session's states: for how many ns the
 * goroutine was in it during the call. Together they are the call's duration, from when it was
 * remembered to when its end was hit; the records' times are those of when they were written.
 */
#define GOPROBE_RECORD_F_SPLIT	(1U << 5)

/**
 * struct goprobe_record - header of a record, 8-aligned
 * @words: size of the whole record, in words of 8 bytes
 * @kind: enum goprobe_record_kind
 * @flags: GOPROBE_RECORD_F_*
 * @depth: g.stack.hi - SP at function entry, in words of 8 bytes: with @goid it
 *	names the call. Enough for 32 GiB; Go ends a stack at 1 GB, unless
 *	debug.SetMaxStack allows more
 * @id: goprobe_point.id
 * @plan: session plan id, or GOPROBE_NO_PLAN
 * @tid: thread, in the initial pid namespace
 * @tgid: process, likewise
 * @time: CLOCK_MONOTONIC, ns; in between two passes of the reader it may be a straight
 *	line where the kernel corrects its clock
 * @goid: goroutine id
 * @ip: address of the point in the process (so: where the file is mapped)
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

/* Why there are no bytes, or fewer than asked for (goprobe_chunk.status). */
enum goprobe_chunk_status {
	GOPROBE_CHUNK_OK,	/* all, or as many as the plan's limits allow */
	GOPROBE_CHUNK_FAULT,	/* no readable memory there */
	GOPROBE_CHUNK_REMOTE,	/* absent page that must not be waited for */
	GOPROBE_CHUNK_BAD,	/* impossible length */
	/* Of GOPROBE_TYPE_MISSED only: */
	GOPROBE_CHUNK_NIL,	/* nil was dereferenced */
	GOPROBE_CHUNK_RANGE,	/* index out of range */
	GOPROBE_CHUNK_TYPE,	/* an interface holds another type */
	GOPROBE_CHUNK_UNUSED,	/* the program does not use it, and has lost it */
	/* Of any again: */
	GOPROBE_CHUNK_LOCKED,	/* absent page, mappings locked for long */
	__GOPROBE_CHUNK_MAX,
	GOPROBE_CHUNK_MAX = __GOPROBE_CHUNK_MAX - 1,
};

/**
 * struct goprobe_chunk - a piece of memory that the frame refers to
 * @address: where it was
 * @type: session type id, or GOPROBE_TYPE_*
 * @size: bytes that follow, before padding to a multiple of 8
 * @status: enum goprobe_chunk_status
 * @level: references followed to get here, 1 for what the frame refers to, but
 *	for those with GOPROBE_REF_F_SAME_LEVEL
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
 * @cpu: where
 * @cause: enum goprobe_lost_cause
 * @count: how many
 */
struct goprobe_lost {
	__u32 cpu;
	__u32 cause;
	__u64 count;
};

/*
 * Buckets of durations: four for each power of two. Of a number n of nanoseconds,
 * below 4 it is n, else 4 * (b - 1) + the two bits that follow the highest one,
 * which is bit b. So bucket i >= 4 begins at (4 + i % 4) << (i / 4 - 1).
 */
#define GOPROBE_BUCKETS		252

/**
 * struct goprobe_tally - what has been counted and timed of an id
 * @id: goprobe_point.id
 * @first: the first bucket that follows
 * @nbuckets: how many follow, a __u64 each; all others are 0
 * @hits: hits of its points with GOPROBE_ACTION_COUNT
 * @calls: calls that were remembered, of which those are open that are not in a
 *	bucket, nor in @unwound, @gone or @filtered
 * @unwound: calls that ended without returning: by panic or Goexit. Of those that
 *	were deepest it is known only when their goroutine, or another one in its
 *	place, comes to a point again
 * @filtered: calls whose end did not pass its filter
 * @gone: calls whose process ended, or executed another program, before them; of
 *	those it is known when the tallies are read
 * @sum: ns of those in the buckets
 * @min: ns of the shortest; all ones if there is none
 * @max: ns of the longest
 * @nstates: how many states follow the buckets, a __u64 each: of @sum, the ns in which goroutines
 *	were in it. 0, or as many as the session has
 * @pad: 0
 *
 * A call is its goroutine's time from entry to return, whatever it waited for. Calls
 * on a system stack count, hits without a goroutine do not.
 */
struct goprobe_tally {
	__u32 id;
	__u16 first;
	__u16 nbuckets;
	__u64 hits;
	__u64 calls;
	__u64 unwound;
	__u64 gone;
	__u64 filtered;
	__u64 sum;
	__u64 min;
	__u64 max;
	__u32 nstates;
	__u32 pad;
};

/**
 * struct goprobe_keyed - what has been counted and timed of an id by one key
 * @tally: as of the id, but: @calls are those that are in the buckets, @unwound, @gone and
 *	@filtered are 0
 * @key_bytes: bytes of the key that follows, a multiple of 8; buckets and states come after it
 * @pad: 0
 */
struct goprobe_keyed {
	struct goprobe_tally tally;
	__u32 key_bytes;
	__u32 pad;
};

/**
 * struct goprobe_open - a call that has not ended
 * @id: goprobe_point.id
 * @tgid: process, in the initial pid namespace
 * @goid: goroutine id; 0 on a system stack
 * @g: address of its runtime.g
 * @age: ns since the call was made
 * @depth: as goprobe_record.depth
 * @record_bytes: size of the held record that follows, with GOPROBE_RECORD_F_HELD; its time,
 *	and by how much the call was made before, are 0
 */
struct goprobe_open {
	__u32 id;
	__u32 tgid;
	__u64 goid;
	__u64 g;
	__u64 age;
	__u32 depth;
	__u32 record_bytes;
};

/*
 * Counters of a session. Each hit of one of its points counts in exactly one of
 * CALLS, RETURNS, LOST_*, RESTARTS, OTHER_PROCESS, NOT_STARTED, COUNTED, OPENED,
 * TIMED, NO_ROOM, NO_CALL, NO_GOROUTINE, FILTERED, UNDECIDED, LIMITED, SAMPLED, TOLD. A call
 * that is held is OPENED; what becomes of its record is LET_GO, or LOST_* as well, or nothing.
 * BROKEN, NO_KEY and what comes after TOLD are besides.
 */
enum goprobe_stat {
	GOPROBE_STAT_CALLS,		/* records of calls, and of GOPROBE_POINT_AT, committed */
	GOPROBE_STAT_RETURNS,		/* return and tail records committed */
	GOPROBE_STAT_LOST_RING_FULL,
	GOPROBE_STAT_LOST_NO_RING,
	GOPROBE_STAT_RESTARTS,		/* goprobe_point.skip applied */
	GOPROBE_STAT_OTHER_PROCESS,	/* breakpoint inherited by fork */
	GOPROBE_STAT_NOT_STARTED,	/* before START, or after STOP */
	GOPROBE_STAT_FAULT_INS,		/* captures repeated with the page brought in */
	GOPROBE_STAT_WAITS,		/* records that waited for room, written or not */
	GOPROBE_STAT_WAIT_NS,		/* how long, together */
	GOPROBE_STAT_COUNTED,		/* GOPROBE_ACTION_COUNT */
	/* GOPROBE_ACTION_TIME, and what is paired: */
	GOPROBE_STAT_OPENED,		/* calls remembered, without a record */
	GOPROBE_STAT_TIMED,		/* returns of such calls */
	GOPROBE_STAT_NO_ROOM,		/* calls not remembered: too many are open */
	GOPROBE_STAT_NO_CALL,		/* returns of calls that were not remembered */
	GOPROBE_STAT_NO_GOROUTINE,	/* calls and returns of no goroutine */
	GOPROBE_STAT_FILTERED,		/* hits that did not pass their filter */
	GOPROBE_STAT_UNDECIDED,		/* hits whose filter could not tell */
	GOPROBE_STAT_LET_GO,		/* records of held calls committed */
	GOPROBE_STAT_BROKEN,		/* hits a second when the breaker stopped it, or 0 */
	GOPROBE_STAT_NO_KEY,		/* what counted without a key: there was no room for it */
	GOPROBE_STAT_LIMITED,		/* hits beyond a limit: GOPROBE_REJECT_LIMITED */
	GOPROBE_STAT_SAMPLED,		/* hits left out of a sample: GOPROBE_REJECT_SAMPLED */
	GOPROBE_STAT_TOLD,		/* GOPROBE_ACTION_STATE and the like, passed or not */
	GOPROBE_STAT_NO_MEMBER,		/* goroutines that did not join: there was no room */
	GOPROBE_STAT_EDITED,		/* hits after which something was set, written or delayed */
	GOPROBE_STAT_NOT_EDITED,	/* hits whose edit failed, or the write did */
	__GOPROBE_STAT_MAX,
	GOPROBE_STAT_MAX = __GOPROBE_STAT_MAX - 1,
};

#endif /* _UAPI_GOPROBE_H */
