/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Programs of goprobe: how the module finds and copies the values of a Go program.
 *
 * Overview
 * ========
 * A *type* has a size and the positions of its *references*: pointers, strings, slices and the
 * like. A *plan* describes a record. Its *pieces* fill the frame from registers, the stack and
 * static data; its *program* computes more of the frame. Then the module follows the references
 * in the frame, breadth first, and appends the memory to which they lead as chunks.
 *
 * A *filter* is a program without a frame. It decides whether a hit counts. It can also make a
 * *key*, by which the hit is counted or timed. An *edit* is a filter that modifies the traced
 * program.
 *
 * The verifier of the module checks all of these when they are added. goprobe.h includes this file.
 */
#ifndef _UAPI_GOPROBE_PROG_H
#define _UAPI_GOPROBE_PROG_H

#include <linux/types.h>

/* --- Types and references ------------------------------------------------------------------- */

/* Kinds of reference (struct goprobe_ref), with the words at its offset. */
enum goprobe_ref_kind {
	GOPROBE_REF_UNSPEC,
	GOPROBE_REF_POINTER,	/* {ptr}: one object of type @type */
	GOPROBE_REF_STRING,	/* {ptr, len}: len bytes; @type 0 */
	GOPROBE_REF_SLICE,	/* {ptr, len, cap}: len objects of type @type */
	GOPROBE_REF_ARRAY,	/* {ptr}: objects of type @type, @count of them */
	GOPROBE_REF_IFACE,	/* {itab, data}: an interface; @type 0 */
	GOPROBE_REF_EFACE,	/* {type, data}: an empty interface; @type 0 */
	GOPROBE_REF_FUNC,	/* {ptr}: a closure; @type 0 */
	GOPROBE_REF_WIPE,	/* no reference: bytes that no record has; see below */
	__GOPROBE_REF_MAX,
	GOPROBE_REF_MAX = __GOPROBE_REF_MAX - 1,
};

/* Number of objects of a GOPROBE_REF_ARRAY; n is the number in the field. */
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
 * The object does not count as a level of goprobe_plan.depth: buckets of a map, the next element of
 * a list.
 */
#define GOPROBE_REF_F_SAME_LEVEL	(1U << 0)
#define GOPROBE_REF_F_ALL		(GOPROBE_REF_F_SAME_LEVEL)

/**
 * struct goprobe_ref - a place in a type that refers to other memory
 * @offset: position in the type: a multiple of 8; for GOPROBE_REF_WIPE any
 * @type: session type id of the objects
 * @count_offset: for GOPROBE_REF_ARRAY: position of the number in the type; for GOPROBE_REF_WIPE:
 *	number of bytes
 * @kind: enum goprobe_ref_kind
 * @flags: GOPROBE_REF_F_*
 * @count: for GOPROBE_REF_ARRAY: enum goprobe_count
 * @count_size: for GOPROBE_REF_ARRAY: bytes of the number: 1, 2, 4 or 8; 2 for
 *	GOPROBE_COUNT_FLAGS_LOG2
 * @elements_shift: for GOPROBE_REF_ARRAY and _SLICE: log2 of the elements in one object: the limit
 *	of objects is goprobe_plan.elements >> @elements_shift, at least 1 if any elements are
 *	wanted
 * @pad: 0
 *
 * GOPROBE_REF_IFACE: its first chunk has address itab + 8 and type GOPROBE_TYPE_ITAB; its 8 bytes
 * are the address of the dynamic type. An empty interface has no such chunk: its first word is the
 * address of the type.
 *
 * The module looks the type's link-time address up among the file's dynamic types. If it is known,
 * the chunk of the value follows, at the address in the data word. With GOPROBE_DYNAMIC_F_DIRECT
 * the data word is the value, and the module follows its references, on the level that the value
 * would have.
 *
 * GOPROBE_REF_FUNC: the word at the pointer is the address of code. If that is among the dynamic
 * types, the chunk at the pointer is of that type. Otherwise the chunk is these 8 bytes, of type
 * GOPROBE_TYPE_CODE.
 *
 * GOPROBE_REF_WIPE: when the walk has ended, the module clears these bytes in the frame, or in each
 * object of the type that it has copied, before a reader can see the record. The same memory keeps
 * its bytes where it was copied as another type. Needs GOPROBE_ABILITY_WIPE.
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

/**
 * struct goprobe_type - size of a type and positions of its references
 * @size: size of one object
 * @ref: index of its first reference
 * @nrefs: number of references; their offsets do not fall, and at most 4 offsets are equal. Those
 *	of GOPROBE_REF_WIPE come last, by rising offset, and do not overlap
 */
struct goprobe_type {
	__u32 size;
	__u32 ref;
	__u32 nrefs;
};

#define GOPROBE_DYNAMIC_F_DIRECT	(1U << 0) /* the data word is the value */
#define GOPROBE_DYNAMIC_F_ALL		(GOPROBE_DYNAMIC_F_DIRECT)

/**
 * struct goprobe_dynamic - session type of a run-time type descriptor, or of a closure
 * @address: link-time address of the descriptor, or of the closure's code
 * @type: session type id; of 8 bytes with GOPROBE_DYNAMIC_F_DIRECT
 * @flags: GOPROBE_DYNAMIC_F_*
 */
struct goprobe_dynamic {
	__u64 address;
	__u32 type;
	__u32 flags;
};

/* --- Plans ---------------------------------------------------------------------------------- */

/*
 * Registers are named by their DWARF numbers (System V x86-64 psABI, figure 3.36): 0 rax, 1 rdx,
 * 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8-15 r8-r15, 17-32 xmm0-xmm15.
 */
#define GOPROBE_REG_NONE	0xff

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
 * struct goprobe_piece - a part of a frame and its source
 * @source: enum goprobe_source
 * @reg: register, for the register sources
 * @pad: 0
 * @size: bytes
 * @frame: position in the frame
 * @offset: for GOPROBE_FROM_STACK: from the SP at function entry, where the return address has
 *	offset 0; -4096 <= offset < 2^20
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

/**
 * struct goprobe_plan - description of a record
 * @type: session type id of the frame
 * @piece: index of its first piece
 * @npieces: number of pieces
 * @op: index of its first operation
 * @nops: number of operations; 0: no program
 * @string_limit: most bytes that are copied of a string
 * @elements: most objects that are copied of a slice (so bytes, of a []byte)
 * @objects: most chunks in one record
 * @bytes: most bytes of chunks in one record, chunk headers included
 * @depth: most references that are followed one after another; 0: none; at most 255
 * @stack: offset in the frame, a multiple of 8, of the call stack: a word with the number of
 *	addresses, then link-time addresses: that of the hit, and return addresses, by frame
 *	pointers, on the goroutine's own stack. 0 addresses: g is not known
 * @nstack: most addresses of the call stack; 0: none is captured
 *
 * Bytes of the frame that neither a piece nor an operation fills are zero. Chunks of
 * GOPROBE_TYPE_MISSED are in addition to @objects and @bytes.
 *
 * With @elements above GOPROBE_ELEMENTS_ANY, @objects or @bytes may cut a record short. Then the
 * module copies as many elements of each array as fit together with what they refer to, at least
 * GOPROBE_ELEMENTS_ANY, and sets GOPROBE_RECORD_F_BUDGET.
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
	__u32 stack;
	__u32 nstack;
};

#define GOPROBE_NO_PLAN		0xffffffffU

/* Elements of an array that are copied if they fit, whatever they refer to. */
#define GOPROBE_ELEMENTS_ANY	64

/* --- Operations ----------------------------------------------------------------------------- */

/*
 * A plan's program runs after its pieces. It has 16 registers of 64 bits, r0 to r15, all 0 at the
 * start, and only jumps forward, so that it ends. a and b are registers; unused fields are 0.
 */
enum goprobe_op_code {
	GOPROBE_OP_UNSPEC,
	/* Values. */
	GOPROBE_OP_IMM,		/* a = value */
	GOPROBE_OP_REG,		/* a = the target's integer register b (DWARF number) */
	GOPROBE_OP_FLOAT,	/* a = low @size bytes (4, 8) of the float register b */
	GOPROBE_OP_SP,		/* a = SP at function entry + value */
	GOPROBE_OP_FRAME,	/* a = @size bytes (1, 2, 4, 8) at @offset of the frame */
	GOPROBE_OP_STATIC,	/* a = run-time address of link-time address value */
	GOPROBE_OP_LOAD,	/* a = @size bytes in the target at b + value; can fail */
	GOPROBE_OP_MOVE,	/* a = b */
	GOPROBE_OP_LOW,		/* a = the low @size bytes of b */
	GOPROBE_OP_SIGN,	/* a = the low @size bytes of b, sign-extended */
	GOPROBE_OP_ORDER,	/* a = signed number that orders like the float in b */
	/* Arithmetic modulo 2^64. */
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
	GOPROBE_OP_SHL,		/* by b; from 64 on the result is 0 */
	GOPROBE_OP_SHR,
	GOPROBE_OP_SAR,		/* keeps the sign */
	GOPROBE_OP_ADD_I,	/* a += value */
	GOPROBE_OP_MUL_I,	/* a *= value */
	/* Jumps: if the comparison holds, @offset operations are skipped. */
	GOPROBE_OP_JUMP,	/* always */
	GOPROBE_OP_JEQ,		/* a == b */
	GOPROBE_OP_JNE,
	GOPROBE_OP_JLT,		/* a < b, unsigned */
	GOPROBE_OP_JGE,
	GOPROBE_OP_JSLT,	/* signed */
	GOPROBE_OP_JSGE,
	GOPROBE_OP_JEQ_I,	/* a == value; so for the other comparisons */
	GOPROBE_OP_JNE_I,
	GOPROBE_OP_JLT_I,
	GOPROBE_OP_JGE_I,
	GOPROBE_OP_JSLT_I,
	GOPROBE_OP_JSGE_I,
	/* Results. */
	GOPROBE_OP_TRY,		/* item value begins; if it fails, @offset operations are skipped */
	GOPROBE_OP_FAIL,	/* the item fails with status value */
	GOPROBE_OP_STORE,	/* low @size bytes of a to @offset of the frame */
	GOPROBE_OP_COPY,	/* @size bytes in the target at b + value to there; can fail */
	GOPROBE_OP_END,		/* the program ends; the hit passes a filter */
	/* In filters only: the hit and its goroutine. */
	GOPROBE_OP_REJECT,	/* the hit does not pass: enum goprobe_reject */
	GOPROBE_OP_TASK,	/* a = enum goprobe_task value */
	GOPROBE_OP_DURATION,	/* a = ns that the call took: struct goprobe_filter */
	GOPROBE_OP_NUMBER,	/* a = the hit's number, from 1 on, of counter value (0 or 1) */
	GOPROBE_OP_QUOTA,	/* a = 1 for the first value hits, then 0 */
	GOPROBE_OP_UNDER,	/* a = 1 if a call of id value is open on the goroutine, else 0 */
	GOPROBE_OP_ROOT,	/* a = enum goprobe_root */
	GOPROBE_OP_IN_SET,	/* a = 1 if goroutine b of this process is in the set, else 0 */
	GOPROBE_OP_SAME,	/* a = 1 if two areas of memory are equal, else 0; can fail */
	/* In filters only: the key; see struct goprobe_filter. */
	GOPROBE_OP_KEY,		/* a is its next word */
	GOPROBE_OP_KEY_BYTES,	/* the b bytes at a, at most @size, perhaps their hash; can fail */
	GOPROBE_OP_KEY_STACK,	/* the call stack, at most value functions; can fail */
	GOPROBE_OP_VALUE,	/* a is the hit's value, unsigned */
	GOPROBE_OP_SVALUE,	/* ... signed */
	GOPROBE_OP_BUCKET,	/* a is the value's bucket; from GOPROBE_BUCKETS on the last one */
	/* In edits only. */
	GOPROBE_OP_SET,		/* the target's integer register b = a */
	GOPROBE_OP_SET_FLOAT,	/* the low @size bytes (4, 8) of the float register b = a */
	GOPROBE_OP_WRITE,	/* low @size bytes of a to the target's b + value; can fail */
	GOPROBE_OP_DELAY,	/* the thread sleeps for value ns, GOPROBE_DELAY_NS_MAX at most */
	/* In filters only: searches. They need GOPROBE_ABILITY_SEARCH. */
	GOPROBE_OP_MATCH,	/* a = 1 if an automaton accepts b bytes at a, else 0; can fail */
	GOPROBE_OP_FIND,	/* a = index of the element at a that is a key; can fail */
	GOPROBE_OP_DATA,	/* does nothing; value is a part of a search before it */
	__GOPROBE_OP_MAX,
	GOPROBE_OP_MAX = __GOPROBE_OP_MAX - 1,
};

/* Values of GOPROBE_OP_TASK. */
enum goprobe_task {
	GOPROBE_TASK_GOID,	/* goroutine id; 0 without a goroutine */
	GOPROBE_TASK_TGID,	/* process, in the initial pid namespace */
	GOPROBE_TASK_TID,	/* thread, in the initial pid namespace */
	GOPROBE_TASK_G,		/* address of the runtime.g with that id; 0 without a goroutine */
	__GOPROBE_TASK_MAX,
	GOPROBE_TASK_MAX = __GOPROBE_TASK_MAX - 1,
};

/*
 * Results of GOPROBE_OP_ROOT: whether the goroutine is inside a tree of calls. The deepest call
 * decides that is less deep than the hit, is remembered, and has a filter with this operation.
 */
enum goprobe_root {
	GOPROBE_ROOT_NONE,	/* no: a tree begins here */
	GOPROBE_ROOT_OPEN,	/* yes: in a call that passed its filter */
	GOPROBE_ROOT_MUTED,	/* yes: in a call rejected with GOPROBE_REJECT_F_MUTED */
};

/* Reasons of GOPROBE_OP_REJECT, and the counter in which the hit counts. */
enum goprobe_reject {
	GOPROBE_REJECT_FILTERED,	/* GOPROBE_STAT_FILTERED */
	GOPROBE_REJECT_LIMITED,		/* GOPROBE_STAT_LIMITED */
	GOPROBE_REJECT_SAMPLED,		/* GOPROBE_STAT_SAMPLED */
	__GOPROBE_REJECT_MAX,
	GOPROBE_REJECT_MAX = __GOPROBE_REJECT_MAX - 1,
};

/*
 * Modifier of a reason: the rejected call is remembered for GOPROBE_OP_ROOT, and for nothing else.
 * Its return counts in GOPROBE_STAT_NO_CALL. If too many calls are open, the call counts in
 * GOPROBE_STAT_NO_SPACE.
 */
#define GOPROBE_REJECT_F_MUTED	(1U << 8)

/*
 * The longest GOPROBE_OP_DELAY, and the longest sum of delays of all edits at one place: 1 s. The
 * thread sleeps in the handler, at most until it is killed or the session ends. Whatever waits for
 * all threads (a garbage collection) waits for it.
 */
#define GOPROBE_DELAY_NS_MAX	1000000000ULL

/*
 * What a CPU takes of counter 1 at a time. A prime: the first numbers of blocks have all remainders
 * by any divisor but its multiples.
 */
#define GOPROBE_NUMBER_BLOCK	61

/**
 * struct goprobe_op - an operation
 * @code: enum goprobe_op_code
 * @a: register
 * @b: register, or a DWARF number
 * @pad: 0
 * @size: bytes: 1, 2, 4 or 8; for GOPROBE_OP_COPY any number
 * @offset: in the frame; or operations to skip; for GOPROBE_OP_QUOTA, ms
 * @pad2: 0
 * @value: immediate
 *
 * An *item* is the result of one capture expression: the @offset operations behind its
 * GOPROBE_OP_TRY. When one of them fails, the record gets a chunk without bytes: its @address is
 * the item's number, its @type is GOPROBE_TYPE_MISSED, its @status is the reason. The reader must
 * treat what the item has stored as 0. A failure outside of items ends the program, with
 * GOPROBE_RECORD_F_FAULT. If b, or b + value, is below 4096, LOAD and COPY fail with
 * GOPROBE_CHUNK_NIL.
 *
 * GOPROBE_OP_ORDER: -0.0 equals 0.0; @size is 4 or 8. A NaN has no order: @offset operations are
 * skipped.
 *
 * GOPROBE_OP_SAME compares the memory at a with that at b. value is the number of the register with
 * the number of bytes; at most @size bytes are compared, 4096 at most.
 *
 * GOPROBE_OP_UNDER: calls that are timed or paired are open. On a system stack, the open calls of
 * the goroutine for which the thread works count too. The operation fails with GOPROBE_CHUNK_RANGE
 * if it would have to look at more than 4096 calls of either. The same holds for GOPROBE_OP_ROOT.
 *
 * GOPROBE_OP_NUMBER numbers the hits that reach it. Counter 0 gives numbers in order; all CPUs
 * write its cache line. Of counter 1 each CPU takes GOPROBE_NUMBER_BLOCK numbers at a time: each
 * hit has a number of its own, but a later hit may have a lower one, and numbers are left out.
 *
 * GOPROBE_OP_QUOTA counts the hits that reach it. With @offset, it starts again in each period of
 * that many ms of CLOCK_MONOTONIC, and value is below 2^24. A filter has at most two, one of each
 * kind. A hit counts once, in GOPROBE_OP_NUMBER too, even if a page is absent and its filter runs
 * again.
 *
 * GOPROBE_OP_SET cannot set the stack pointer, nor the register of g. An edit's changes are made
 * when its program has ended, so it reads what was there before. No change is made if an operation
 * fails or a place cannot be written; memory that the program itself may not write stays as it is.
 * DELAYs come last, at most GOPROBE_DELAY_NS_MAX together. An edit has at most 32 of these
 * operations. It makes no key and no value, and has no GOPROBE_OP_DURATION. With GOPROBE_OP_REJECT
 * it changes nothing, which is no failure.
 *
 * GOPROBE_OP_KEY_BYTES: value is 0, or the most bytes that are hashed, 4096 at most. It needs
 * GOPROBE_ABILITY_KEY_HASH.
 *
 * MATCH and FIND: the @offset operations behind them are skipped. These are DATA, whose values, one
 * after the other, are bytes of the search. Bytes that are not there are 0.
 *
 * GOPROBE_OP_MATCH: the first 256 bytes of the search are a class for each byte. Behind them is a
 * row of value bytes for each state from GOPROBE_MATCH_START on: the next state for each class, and
 * in the last place the one at the end. The automaton accepts in GOPROBE_MATCH_YES, which it does
 * not leave, nor does it leave GOPROBE_MATCH_NO. It begins in GOPROBE_MATCH_START. The operation
 * fails with GOPROBE_CHUNK_BAD if the first @size bytes do not decide, and there are more.
 *
 * GOPROBE_OP_FIND looks at GOPROBE_FIND_ELEMENTS elements; without the key among them the result is
 * their number. The key is the first @size bytes of the search. The low 32 bits of value are the
 * distance of elements. With GOPROBE_FIND_F_STRING an element is the address and the length of a
 * string, else it begins with the bytes that are compared. There is a byte for each element at b;
 * only elements count whose byte is between the two of value, see GOPROBE_FIND_LEAST_SHIFT.
 *
 * All COPYs, SAMEs, KEY_BYTES, MATCHes and FINDs of a program are at most 64 KiB together, where a
 * FIND counts for each of its elements. It has at most 16 UNDERs and ROOTs.
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

/*
 * Bit of the hash in a key: it covers all bytes of the string, so other strings have other hashes,
 * but for one of 2^63. Without it the string was longer than what is hashed, or its end was not
 * readable: other strings can have the same key. Equal strings have equal hashes in all sessions of
 * one version of the module.
 */
#define GOPROBE_KEY_HASH_WHOLE	1ULL

/* States of the automaton of GOPROBE_OP_MATCH, and the most bytes of a row. */
#define GOPROBE_MATCH_NO		0
#define GOPROBE_MATCH_YES		1
#define GOPROBE_MATCH_START		2
#define GOPROBE_MATCH_COLUMNS_MAX	257

/* What GOPROBE_OP_FIND looks at, and the parts of its value above the distance. */
#define GOPROBE_FIND_ELEMENTS		8
#define GOPROBE_FIND_LEAST_SHIFT	32
#define GOPROBE_FIND_MOST_SHIFT		40
#define GOPROBE_FIND_F_STRING		(1ULL << 48)

/* --- Filters, keys and edits ---------------------------------------------------------------- */

/**
 * struct goprobe_filter - a program that decides which hits count
 * @op: index of its first operation
 * @nops: number of operations; at least one
 *
 * A filter has no frame: it cannot use GOPROBE_OP_FRAME, _TRY, _STORE and _COPY. A hit passes
 * unless the program reaches GOPROBE_OP_REJECT, or an operation fails. A hit with a failed
 * operation is undecided, and counts in GOPROBE_STAT_UNDECIDED.
 *
 * A filter with GOPROBE_OP_DURATION is only for the ends of calls that are timed or paired.
 *
 * A filter that makes a key is for points that count or time. Their hits are counted and timed by
 * key, in addition. The key is what the operations append: words (GOPROBE_OP_KEY); a word with the
 * number of bytes, and the bytes, padded to 8 (GOPROBE_OP_KEY_BYTES); a word with the number of
 * addresses, and the link-time addresses of the call stack (GOPROBE_OP_KEY_STACK). Where bytes are
 * left out, and value of GOPROBE_OP_KEY_BYTES is not 0, a word with the hash of all bytes follows
 * those that are there: see GOPROBE_KEY_HASH_WHOLE. The stack begins
 * with the address of the hit; the others are return addresses, by frame pointers, on the
 * goroutine's own stack. Bytes and addresses that do not fit are left out; if a word does not fit,
 * the hit is undecided. The key of a timed call is that of its end, if the end's filter makes one,
 * else that of the call.
 *
 * A filter that makes a value (GOPROBE_OP_VALUE, _SVALUE), with or without a key, is for points
 * with GOPROBE_ACTION_COUNT and for the ends of calls with GOPROBE_ACTION_TIME and
 * GOPROBE_POINT_F_KEYED. The hit's value takes the place of a duration in the tallies of its id and
 * its key: see struct goprobe_tally. The filters of an id make values of one sign, or none of them
 * does. The last value counts, and the last GOPROBE_OP_BUCKET; a hit without a value has 0. The
 * session needs GOPROBE_A_KEY_LIMIT.
 *
 * Points of GOPROBE_ACTION_STATE, _SET_ADD, _SET_REMOVE and _UNWIND have filters whose keys are
 * notifications of a few words. No words are no notification. Invalid words count in
 * GOPROBE_STAT_UNDECIDED. Such keys need no GOPROBE_A_KEY_LIMIT.
 *
 * An edit is a filter with GOPROBE_OP_SET, _SET_FLOAT, _WRITE or _DELAY: see goprobe_point.edit.
 */
struct goprobe_filter {
	__u32 op;
	__u32 nops;
};

#endif /* _UAPI_GOPROBE_PROG_H */
