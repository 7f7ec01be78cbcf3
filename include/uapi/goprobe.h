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
 * dies with the socket, with all it owns; there is no command to delete one.
 * A session owns *files* (Go binaries), *types* (places of references in
 * memory), *plans* (how to assemble a record), *points* (breakpoints) and one
 * ring of records for each CPU.
 *
 * Commands
 * ========
 * GOPROBE_CMD_GET_INFO (do)
 *	reply: A_VERSION (string), A_ABILITIES (u64, GOPROBE_ABILITY_*),
 *	A_LIMITS (struct goprobe_limits).
 *
 * GOPROBE_CMD_SESSION_NEW (do)
 *	A_RING_BYTES (u32, optional): size of each CPU's ring; rounded up to a
 *	power of two. A_PIDS (s32[], optional): only these processes are traced
 *	(thread group ids as the caller sees them); absent: every process that
 *	maps a session's file. A process that is not in the list never gets a
 *	breakpoint, except by fork from a listed one: those hits are not recorded.
 *	reply: A_SESSION (u32), A_RING_BYTES (u32, as given).
 *	-EEXIST: the socket has a session. -ESRCH: no such process.
 *
 * GOPROBE_CMD_FILE_ADD (do)
 *	A_FD (u32): the Go binary, opened for reading. A_RUNTIME
 *	(struct goprobe_runtime): where that binary's Go runtime keeps things.
 *	reply: A_FILE (u32), counted from 0.
 *
 * GOPROBE_CMD_TYPES_ADD (do)
 *	A_TYPES (struct goprobe_type[]), A_REFS (struct goprobe_ref[]): appended
 *	to the session's tables. goprobe_type.ref counts from the start of this
 *	message's A_REFS; goprobe_ref.type is a session type id and may name any
 *	type of this message. Refused with -EBUSY once the session has plans.
 *	reply: A_FIRST (u32): the session type id of the first one.
 *
 * GOPROBE_CMD_PLANS_ADD (do)
 *	A_PLANS (struct goprobe_plan[]), A_PIECES (struct goprobe_piece[]).
 *	goprobe_plan.piece counts from the start of this message's A_PIECES.
 *	reply: A_FIRST (u32): the session plan id of the first one.
 *
 * GOPROBE_CMD_POINTS_ADD (do)
 *	A_FILE (u32), A_POINTS (struct goprobe_point[]): all or none. Before a
 *	point is accepted its file offset is shown to lie in an executable
 *	segment, and its bytes to be the expected ones. Points fire at once but
 *	are not recorded before GOPROBE_CMD_START.
 *	reply: A_COUNT (u32): number of points the session has now.
 *
 * GOPROBE_CMD_START (do)
 *	From now on hits are recorded.
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
 *	shows all records in order. A pass ends at what was committed when it
 *	began.
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
 * GOPROBE_CMD_LIST (dump)
 *	One or more messages for each session and file: A_SESSION (u32),
 *	A_OWNER (u32: process that made the session, init namespace), A_PATH
 *	(string: where the file is, as seen by the caller), A_PIDS (s32[],
 *	absent if all), A_POINTS (struct goprobe_point[], without code), A_FILE (u32).
 *
 * Records
 * =======
 * See struct goprobe_record. A record is: the header; for GOPROBE_RECORD_CALL
 * and _RETURN the frame (goprobe_type.size bytes of the plan's type, as if
 * the values stood in Go memory one after the other, padded to 8); then chunks
 * (struct goprobe_chunk, each followed by its bytes, padded to 8): what the
 * frame's references point to, breadth first. A record with plan
 * GOPROBE_NO_PLAN has neither.
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
	GOPROBE_A_FLAGS,	/* u32: reserved, 0 */
	__GOPROBE_A_MAX,
	GOPROBE_A_MAX = __GOPROBE_A_MAX - 1,
};

/* What this module on this kernel can do (GOPROBE_A_ABILITIES). */
#define GOPROBE_ABILITY_FAULT_IN	(1ULL << 0) /* values in absent pages are read */
#define GOPROBE_ABILITY_FLOAT_REGS	(1ULL << 1) /* GOPROBE_FROM_FLOAT_REG works */

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
 * @batch: types, refs, plans or points in one message
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
};

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
 *
 * All offsets must be below 4096 and multiples of 8.
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
};

/* Kinds of reference (struct goprobe_ref), with the words at its offset. */
enum goprobe_ref_kind {
	GOPROBE_REF_UNSPEC,
	GOPROBE_REF_POINTER,	/* {ptr}: one object of type @type */
	GOPROBE_REF_STRING,	/* {ptr, len}: len bytes; @type ignored, 0 */
	GOPROBE_REF_SLICE,	/* {ptr, len, cap}: len objects of type @type */
	GOPROBE_REF_IFACE,	/* {itab, data}: the itab's type word, see below */
	__GOPROBE_REF_MAX,
	GOPROBE_REF_MAX = __GOPROBE_REF_MAX - 1,
};

/**
 * struct goprobe_ref - a place in a type that refers to other memory
 * @offset: where, in the type
 * @kind: enum goprobe_ref_kind
 * @pad: 0
 * @type: session type id of what is there
 *
 * The chunk of GOPROBE_REF_IFACE has address itab + 8 and type
 * GOPROBE_TYPE_ITAB; its 8 bytes are the address of the dynamic type. An empty
 * interface needs no reference: its first word is the type.
 */
struct goprobe_ref {
	__u32 offset;
	__u16 kind;
	__u16 pad;
	__u32 type;
};

/* What a chunk's goprobe_chunk.type says when it is no session type id. */
#define GOPROBE_TYPE_BYTES	0xffffffffU	/* of a string */
#define GOPROBE_TYPE_ITAB	0xfffffffeU	/* type word of an itab */

/**
 * struct goprobe_type - size of a type and the places of its references
 * @size: size of one object
 * @ref: index of its first reference
 * @nrefs: number of references, in rising order of offset
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
 */
struct goprobe_piece {
	__u8  source;
	__u8  reg;
	__u16 pad;
	__u32 size;
	__u32 frame;
	__s32 offset;
};

/**
 * struct goprobe_plan - how to assemble a record
 * @type: session type id of the frame
 * @piece: index of its first piece
 * @npieces: number of pieces
 * @string_limit: bytes copied of a string
 * @elements: objects copied of a slice (and so bytes, of a []byte)
 * @objects: chunks in one record; what is beyond is not copied
 * @bytes: bytes of chunks in one record, chunk headers included
 * @depth: references followed one after another; 0 follows none
 *
 * Bytes of the frame that no piece fills are zero.
 */
struct goprobe_plan {
	__u32 type;
	__u32 piece;
	__u32 npieces;
	__u32 string_limit;
	__u32 elements;
	__u32 objects;
	__u32 bytes;
	__u32 depth;
};

#define GOPROBE_NO_PLAN		0xffffffffU

enum goprobe_point_kind {
	GOPROBE_POINT_UNSPEC,
	GOPROBE_POINT_CALL,	/* the function has been entered */
	GOPROBE_POINT_RETURN,	/* a RET that ends it */
	GOPROBE_POINT_TAIL,	/* a jump that ends it: no results */
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
#define GOPROBE_POINT_F_ALL	(GOPROBE_POINT_F_ABI0)

#define GOPROBE_CODE_MAX	16

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
};

enum goprobe_record_kind {
	GOPROBE_RECORD_UNSPEC,
	GOPROBE_RECORD_CALL,
	GOPROBE_RECORD_RETURN,
	GOPROBE_RECORD_TAIL,
	GOPROBE_RECORD_LOST,	/* followed by struct goprobe_lost */
	__GOPROBE_RECORD_MAX,
	GOPROBE_RECORD_MAX = __GOPROBE_RECORD_MAX - 1,
};

#define GOPROBE_RECORD_F_NO_G	(1U << 0) /* no goroutine here; goid, depth 0 */
#define GOPROBE_RECORD_F_SYSTEM	(1U << 1) /* on a system stack: goid is m.curg's */
#define GOPROBE_RECORD_F_FAULT	(1U << 2) /* a piece of the frame is unreadable: 0 */
#define GOPROBE_RECORD_F_BUDGET	(1U << 3) /* the walk stopped at objects or bytes */

/**
 * struct goprobe_record - header of a record, 8-aligned
 * @size: of the whole record, a multiple of 8
 * @kind: enum goprobe_record_kind
 * @flags: GOPROBE_RECORD_F_*
 * @id: goprobe_point.id
 * @plan: session plan id, or GOPROBE_NO_PLAN
 * @tgid: process, in the initial pid namespace
 * @tid: thread, likewise
 * @time: CLOCK_MONOTONIC, ns
 * @goid: goroutine id
 * @depth: g.stack.hi - SP at function entry: with @goid it names the call
 * @ip: address of the point in the process (so: where the file is mapped)
 */
struct goprobe_record {
	__u32 size;
	__u16 kind;
	__u16 flags;
	__u32 id;
	__u32 plan;
	__u32 tgid;
	__u32 tid;
	__u64 time;
	__u64 goid;
	__u64 depth;
	__u64 ip;
};

/* Why there are no bytes, or fewer than asked for (goprobe_chunk.status). */
enum goprobe_chunk_status {
	GOPROBE_CHUNK_OK,	/* all, or as many as the plan's limits allow */
	GOPROBE_CHUNK_FAULT,	/* no readable memory there */
	GOPROBE_CHUNK_REMOTE,	/* absent page that must not be waited for */
	GOPROBE_CHUNK_BAD,	/* impossible length */
};

/**
 * struct goprobe_chunk - a piece of memory that the frame refers to
 * @address: where it was
 * @type: session type id, or GOPROBE_TYPE_*
 * @size: bytes that follow, before padding to a multiple of 8
 * @status: enum goprobe_chunk_status
 */
struct goprobe_chunk {
	__u64 address;
	__u32 type;
	__u16 size;
	__u16 status;
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
 * Counters of a session. Each hit of one of its points counts in exactly one of
 * CALLS, RETURNS, LOST_*, RESTARTS, OTHER_PROCESS, NOT_STARTED.
 */
enum goprobe_stat {
	GOPROBE_STAT_CALLS,		/* call records committed */
	GOPROBE_STAT_RETURNS,		/* return and tail records committed */
	GOPROBE_STAT_LOST_RING_FULL,
	GOPROBE_STAT_LOST_NO_RING,
	GOPROBE_STAT_RESTARTS,		/* goprobe_point.skip applied */
	GOPROBE_STAT_OTHER_PROCESS,	/* breakpoint inherited by fork */
	GOPROBE_STAT_NOT_STARTED,	/* before START, or after STOP */
	GOPROBE_STAT_FAULT_INS,		/* captures repeated with the page brought in */
	__GOPROBE_STAT_MAX,
	GOPROBE_STAT_MAX = __GOPROBE_STAT_MAX - 1,
};

#endif /* _UAPI_GOPROBE_H */
