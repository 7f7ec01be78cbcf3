// SPDX-License-Identifier: GPL-2.0
/*
 * Is the code of a detour what it should be? The second look at code that is about to be written
 * into a program: it shares nothing with detour.c, which made it. Code is a sequence of the pieces
 * below, and nothing else.
 */
#include "detour.h"

/* What the last four bytes of a piece lead to, or say. */
enum gp_piece_end {
	GP_PIECE_PLAIN,
	GP_PIECE_NUMBER,	/* anything */
	GP_PIECE_COLD,		/* the cold block */
	GP_PIECE_COLD_RETURN,	/* behind the call in the cold block */
	GP_PIECE_MORESTACK,	/* where that call leads to */
	GP_PIECE_NEXT,		/* behind the branch */
	GP_PIECE_LANDING,	/* the landing */
	GP_PIECE_COUNTER,	/* one of both counters; they are the four bytes at @at */
	GP_PIECE_REJECT,	/* where rejected calls are counted */
	GP_PIECE_SLOTS,		/* the table of slots */
	GP_PIECE_TIMES,		/* the times of CPU 0 */
	GP_PIECE_ID,		/* the function */
	GP_PIECE_STACK_HI,	/* the offset of stack.hi */
	GP_PIECE_JUMP,		/* what the landing's handler gets */
	GP_PIECE_EXTREME,	/* the same, of a call that is longer or shorter than others */
	GP_PIECE_GOID,		/* ... of goid */
	GP_PIECE_M,		/* ... of m */
	GP_PIECE_PROCID,	/* ... of m.procid */
	GP_PIECE_RING,		/* the ring of CPU 0 */
	GP_PIECE_LAND,		/* where calls land that leave no note */
	GP_PIECE_STATE,		/* what commits a note */
	GP_PIECE_UNKNOWN,	/* where calls land that are not in their slot, or find it taken */
	GP_PIECE_SHORTER,	/* where calls land that are longer or shorter than others */
	GP_PIECE_RATE,		/* the rate, which is behind all instructions */
};

#define GP_PIECE_MAX	42

/* Bytes of instructions that short jumps go over. */
#define GP_PIECE_SAYS	6	/* mov $n,%r12d */
#define GP_PIECE_LEA	7	/* lea n(%rip),%r12 */
#define GP_PIECE_PUSH	2	/* push %r12 */
#define GP_PIECE_JMP	5	/* jmp n */

/* Byte @i of a number. */
#define BYTE(n, i)	((n) >> 8 * (i) & 255)

/* Where a member is. */
#define IN_SLOT(member)		offsetof(struct gp_detour_slot, member)
#define IN_TIMES(member, i)	BYTE(offsetof(struct gp_detour_times, member), i)
#define IN_NOTE(member)		offsetof(struct gp_detour_note, member)
#define IN_RING(member)		offsetof(struct gp_detour_ring, member)

/* Where the last slot and the last note are. */
#define LAST_SLOT	((GP_DETOUR_SLOTS - 1) * sizeof(struct gp_detour_slot))
#define LAST_NOTE	((GP_DETOUR_NOTES - 1) * sizeof(struct gp_detour_note))

/**
 * struct gp_piece - some instructions that belong together
 * @len: their bytes
 * @end: enum gp_piece_end
 * @at: where the four bytes are that @end is about
 * @shift: where the byte is that says how far apart CPUs' numbers are; 0: none
 * @code: the bytes
 * @any: bits of each byte that can be anything
 */
struct gp_piece {
	__u8 len;
	__u8 end;
	__u8 at;
	__u8 shift;
	__u8 code[GP_PIECE_MAX];
	__u8 any[GP_PIECE_MAX];
};

static const struct gp_piece gp_piece_count = {
	/* lock incq n(%rip) */
	8, GP_PIECE_COUNTER, 4, 0, { 0xf0, 0x48, 0xff, 0x05 }, { [4] = 255, 255, 255, 255 },
};

static const struct gp_piece gp_piece_count_per_cpu = {
	22, GP_PIECE_COUNTER, 12, 8,
	{
		0xf3, 0x41, 0x0f, 0xc7, 0xfc,			/* rdpid %r12 */
		0x41, 0xc1, 0xe4, 0,				/* shl $shift,%r12d */
		0x4c, 0x8d, 0x2d, 0x00, 0x00, 0x00, 0x00,	/* lea n(%rip),%r13 */
		0xf0, 0x4b, 0xff, 0x44, 0x25, 0x00,		/* lock incq (%r13,%r12) */
	},
	{ [12] = 255, 255, 255, 255 },
};

static const struct gp_piece gp_piece_next = {
	5, GP_PIECE_NEXT, 1, 0, { 0xe9 }, { [1] = 255, 255, 255, 255 },
};

static const struct gp_piece gp_pieces_land[] = {
	/* mov $n,%r12d */
	{ GP_PIECE_SAYS, GP_PIECE_JUMP, 2, 0, { 0x41, 0xbc }, { [2] = 255, 255, 255, 255 } },
	/* lea n(%rip),%r13 */
	{ 7, GP_PIECE_NEXT, 3, 0, { 0x4c, 0x8d, 0x2d }, { [3] = 255, 255, 255, 255 } },
	/* jmp n */
	{ 5, GP_PIECE_LANDING, 1, 0, { 0xe9 }, { [1] = 255, 255, 255, 255 } },
};

/* What tests consist of: nothing but R12, R13 and the flags is written. */
#define GP_PIECES_TEST	10

static const struct gp_piece gp_pieces_test[GP_PIECES_TEST] = {
	/* mov %reg,%r12 */
	{ 3, GP_PIECE_PLAIN, 0, 0, { 0x49, 0x89, 0xc4 }, { 0x04, 0x00, 0x38 } },
	/* shl $n,%r12 */
	{ 4, GP_PIECE_PLAIN, 0, 0, { 0x49, 0xc1, 0xe4 }, { [3] = 63 } },
	/* movabs $n,%r13; imul %r13,%r12 */
	{ 14, GP_PIECE_NUMBER, 2, 0, { 0x49, 0xbd, [10] = 0x4d, 0x0f, 0xaf, 0xe5 },
	  { [2] = 255, 255, 255, 255, 255, 255, 255, 255 } },
	/* sub $n,%r12 */
	{ 7, GP_PIECE_NUMBER, 3, 0, { 0x49, 0x81, 0xec }, { [3] = 255, 255, 255, 255 } },
	/* movabs $n,%r13; sub %r13,%r12 */
	{ 13, GP_PIECE_NUMBER, 2, 0, { 0x49, 0xbd, [10] = 0x4d, 0x29, 0xec },
	  { [2] = 255, 255, 255, 255, 255, 255, 255, 255 } },
	/* cmp $n,%reg, and of 32 bits */
	{ 7, GP_PIECE_NUMBER, 3, 0, { 0x48, 0x81, 0xf8 },
	  { 0x01, 0x00, 0x07, 255, 255, 255, 255 } },
	{ 7, GP_PIECE_NUMBER, 3, 0, { 0x41, 0x81, 0xf8 },
	  { 0x00, 0x00, 0x07, 255, 255, 255, 255 } },
	{ 6, GP_PIECE_NUMBER, 2, 0, { 0x81, 0xf8 }, { 0x00, 0x07, 255, 255, 255, 255 } },
	/* movabs $n,%r13; cmp %r13,%r12 */
	{ 13, GP_PIECE_NUMBER, 2, 0, { 0x49, 0xbd, [10] = 0x4d, 0x39, 0xec },
	  { [2] = 255, 255, 255, 255, 255, 255, 255, 255 } },
	/* je, jne, jbe, ja */
	{ 6, GP_PIECE_REJECT, 2, 0, { 0x0f, 0x84 }, { 0x00, 0x03, 255, 255, 255, 255 } },
};

static const struct gp_piece gp_pieces_long[] = {
	/* jbe cold */
	{ 6, GP_PIECE_COLD, 2, 0, { 0x0f, 0x86 }, { [2] = 255, 255, 255, 255 } },
};

static const struct gp_piece gp_pieces_call[] = {
	/* ja over what follows; lea n(%rip),%r12; push %r12 */
	{ 11, GP_PIECE_COLD_RETURN, 5, 0,
	  { 0x77, GP_PIECE_LEA + GP_PIECE_PUSH + GP_PIECE_JMP, 0x4c, 0x8d, 0x25, [9] = 0x41, 0x54 },
	  { [5] = 255, 255, 255, 255 } },
	/* jmp morestack */
	{ 5, GP_PIECE_MORESTACK, 1, 0, { 0xe9 }, { [1] = 255, 255, 255, 255 } },
};

/* R12: the depth of the call. R15 and R13: its slot. */
static const struct gp_piece gp_pieces_slot[] = {
	/* mov n(%r14),%r12 */
	{ 7, GP_PIECE_STACK_HI, 3, 0, { 0x4d, 0x8b, 0xa6 }, { [3] = 255, 255, 255, 255 } },
	{
		28, GP_PIECE_SLOTS, 24, 0,
		{
			0x49, 0x29, 0xe4,			/* sub %rsp,%r12 */
			0xc4, 0x43, 0xfb, 0xf0, 0xee, 0x02,	/* rorx $2,%r14,%r13 */
			0x47, 0x8d, 0x6c, 0xa5, 0x00,		/* lea (%r13,%r12,4),%r13d */
			/* and $place of the last,%r13d */
			0x41, 0x81, 0xe5,
			BYTE(LAST_SLOT, 0), BYTE(LAST_SLOT, 1), BYTE(LAST_SLOT, 2), 0,
			0x4c, 0x8d, 0x3d,			/* lea n(%rip),%r15 */
		},
		{ [24] = 255, 255, 255, 255 },
	},
};

#define GP_PIECES_OPEN	3

static const struct gp_piece gp_pieces_open[GP_PIECES_OPEN] = {
	{
		20, GP_PIECE_UNKNOWN, 16, 0,
		{
			0x4d, 0x01, 0xfd,			/* add %r15,%r13 */
			0x49, 0x89, 0xc7,			/* mov %rax,%r15 */
			0x31, 0xc0,				/* xor %eax,%eax */
			0xf0, 0x4d, 0x0f, 0xb1, 0x75, 0x00,	/* lock cmpxchg %r14,(%r13) */
			0x0f, 0x85,				/* jne n */
		},
		{ [16] = 255, 255, 255, 255 },
	},
	{
		12, GP_PIECE_ID, 8, 0,
		{
			0x45, 0x89, 0x65, IN_SLOT(depth),	/* mov %r12d,depth(%r13) */
			0x41, 0xc7, 0x45, IN_SLOT(id),		/* movl $n,id(%r13) */
		},
		{ [8] = 255, 255, 255, 255 },
	},
	{
		19, GP_PIECE_PLAIN, 0, 0,
		{
			0x49, 0x89, 0xd4,			/* mov %rdx,%r12 */
			0x0f, 0x31,				/* rdtsc */
			0x41, 0x89, 0x45, IN_SLOT(began),	/* mov %eax,began(%r13) */
			0x41, 0x89, 0x55, IN_SLOT(began) + 4,	/* mov %edx,began+4(%r13) */
			0x4c, 0x89, 0xf8,			/* mov %r15,%rax */
			0x4c, 0x89, 0xe2,			/* mov %r12,%rdx */
		},
	},
};

static const struct gp_piece gp_piece_taken = {
	/* mov %r15,%rax */
	3, GP_PIECE_PLAIN, 0, 0, { 0x4c, 0x89, 0xf8 },
};

#define GP_PIECES_CLOSE	9

static const struct gp_piece gp_pieces_close[GP_PIECES_CLOSE] = {
	{
		10, GP_PIECE_UNKNOWN, 6, 0,
		{
			0x4f, 0x39, 0x34, 0x2f,			/* cmp %r14,(%r15,%r13) */
			0x0f, 0x85,				/* jne n */
		},
		{ [6] = 255, 255, 255, 255 },
	},
	{
		11, GP_PIECE_UNKNOWN, 7, 0,
		{
			0x47, 0x39, 0x64, 0x2f, IN_SLOT(depth),	/* cmp %r12d,depth(%r15,%r13) */
			0x0f, 0x85,				/* jne n */
		},
		{ [7] = 255, 255, 255, 255 },
	},
	/* cmpl $n,id(%r15,%r13) */
	{
		9, GP_PIECE_ID, 5, 0, { 0x43, 0x81, 0x7c, 0x2f, IN_SLOT(id) },
		{ [5] = 255, 255, 255, 255 },
	},
	/* jne n */
	{ 6, GP_PIECE_UNKNOWN, 2, 0, { 0x0f, 0x85 }, { [2] = 255, 255, 255, 255 } },
	{
		40, GP_PIECE_RATE, 36, 0,
		{
			0x49, 0x89, 0xc4,			/* mov %rax,%r12 */
			0x0f, 0x31,				/* rdtsc */
			0x48, 0xc1, 0xe2, 0x20,			/* shl $32,%rdx */
			0x48, 0x09, 0xc2,			/* or %rax,%rdx */
			0x4c, 0x89, 0xe0,			/* mov %r12,%rax */
			0x4b, 0x2b, 0x54, 0x2f, IN_SLOT(began),	/* sub began(%r15,%r13),%rdx */
			0x4b, 0xc7, 0x04, 0x2f, 0, 0, 0, 0,	/* movq $0,(%r15,%r13) */
			0x48, 0x01, 0xd2,			/* add %rdx,%rdx */
			0xc4, 0xe2, 0x9b, 0xf6, 0x15,		/* mulx n(%rip),%r12,%rdx */
		},
		{ [36] = 255, 255, 255, 255 },
	},
	{
		16, GP_PIECE_TIMES, 12, 8,
		{
			0xf3, 0x41, 0x0f, 0xc7, 0xff,		/* rdpid %r15 */
			0x41, 0xc1, 0xe7, 0,			/* shl $shift,%r15d */
			0x4c, 0x8d, 0x2d,			/* lea n(%rip),%r13 */
		},
		{ [12] = 255, 255, 255, 255 },
	},
	{
		16, GP_PIECE_SHORTER, 12, 0,
		{
			0x4d, 0x01, 0xfd,			/* add %r15,%r13 */
			/* cmp %rdx,min(%r13) */
			0x49, 0x39, 0x95, IN_TIMES(min, 0), IN_TIMES(min, 1), 0, 0,
			0x0f, 0x87,				/* ja n */
		},
		{ [12] = 255, 255, 255, 255 },
	},
	{
		13, GP_PIECE_SHORTER, 9, 0,
		{
			/* cmp %rdx,max(%r13) */
			0x49, 0x39, 0x95, IN_TIMES(max, 0), IN_TIMES(max, 1), 0, 0,
			0x0f, 0x82,				/* jb n */
		},
		{ [9] = 255, 255, 255, 255 },
	},
	{
		38, GP_PIECE_PLAIN, 0, 0,
		{
			/* lock add %rdx,sum(%r13) */
			0xf0, 0x49, 0x01, 0x95, IN_TIMES(sum, 0), IN_TIMES(sum, 1), 0, 0,
			0x49, 0x89, 0xd4,			/* mov %rdx,%r12 */
			0x49, 0x83, 0xcc, 0x04,			/* or $4,%r12 */
			0x4d, 0x0f, 0xbd, 0xe4,			/* bsr %r12,%r12 */
			0x41, 0x83, 0xec, 0x02,			/* sub $2,%r12d */
			0xc4, 0x62, 0x9b, 0xf7, 0xfa,		/* shrx %r12,%rdx,%r15 */
			0x47, 0x8d, 0x24, 0xa7,			/* lea (%r15,%r12,4),%r12d */
			0xf0, 0x4b, 0xff, 0x44, 0xe5, 0x00,	/* lock incq (%r13,%r12,8) */
		},
	},
};

/* mov $n,%r12d; jmp over the same of calls that are unknown */
static const struct gp_piece gp_piece_extreme = {
	8, GP_PIECE_EXTREME, 2, 0, { 0x41, 0xbc, [6] = 0xeb, GP_PIECE_SAYS },
	{ [2] = 255, 255, 255, 255 },
};

#define GP_PIECES_CLAIM	8

/* R13: a note, claimed. Before gp_piece_commit come the registers. */
static const struct gp_piece gp_pieces_claim[GP_PIECES_CLAIM] = {
	/* mov n(%r14),%r15 */
	{ 7, GP_PIECE_GOID, 3, 0, { 0x4d, 0x8b, 0xbe }, { [3] = 255, 255, 255, 255 } },
	/* test %r15,%r15; je n */
	{ 9, GP_PIECE_LAND, 5, 0, { 0x4d, 0x85, 0xff, 0x0f, 0x84 }, { [5] = 255, 255, 255, 255 } },
	{
		16, GP_PIECE_RING, 12, 8,
		{
			0xf3, 0x41, 0x0f, 0xc7, 0xfc,		/* rdpid %r12 */
			0x41, 0xc1, 0xe4, 0,			/* shl $shift,%r12d */
			0x4c, 0x8d, 0x2d,			/* lea n(%rip),%r13 */
		},
		{ [12] = 255, 255, 255, 255 },
	},
	{
		42, GP_PIECE_LAND, 38, 0,
		{
			0x4d, 0x01, 0xe5,			/* add %r12,%r13 */
			/* mov $size of a note,%r12d */
			0x41, 0xbc, sizeof(struct gp_detour_note), 0, 0, 0,
			0x45, 0x0f, 0xc1, 0x65, 0x00,		/* xadd %r12d,(%r13) */
			/* and $place of the last,%r12d */
			0x41, 0x81, 0xe4, BYTE(LAST_NOTE, 0), BYTE(LAST_NOTE, 1), 0, 0,
			/* lea note(%r13,%r12),%r13 */
			0x4f, 0x8d, 0xac, 0x25, IN_RING(note), 0, 0, 0,
			0xf0, 0x41, 0x0f, 0xba, 0x6d, 0x00, 0x00, /* lock btsl $0,(%r13) */
			0x0f, 0x82,				/* jc n */
		},
		{ [38] = 255, 255, 255, 255 },
	},
	/* mov %r15,goid(%r13); mov n(%r14),%r15 */
	{
		11, GP_PIECE_STACK_HI, 7, 0, { 0x4d, 0x89, 0x7d, IN_NOTE(goid), 0x4d, 0x8b, 0xbe },
		{ [7] = 255, 255, 255, 255 },
	},
	/* sub %rsp,%r15; mov %r15d,depth(%r13); mov n(%r14),%r15 */
	{
		14, GP_PIECE_M, 10, 0,
		{ 0x49, 0x29, 0xe7, 0x45, 0x89, 0x7d, IN_NOTE(depth), 0x4d, 0x8b, 0xbe },
		{ [10] = 255, 255, 255, 255 },
	},
	/* mov n(%r15),%r15d */
	{ 7, GP_PIECE_PROCID, 3, 0, { 0x45, 0x8b, 0xbf }, { [3] = 255, 255, 255, 255 } },
	/* mov %r15d,tid(%r13) */
	{ 4, GP_PIECE_PLAIN, 0, 0, { 0x45, 0x89, 0x7d, IN_NOTE(tid) } },
};

static const struct gp_piece gp_piece_commit = {
	30, GP_PIECE_STATE, 26, 0,
	{
		0x49, 0x89, 0xc4,				/* mov %rax,%r12 */
		0x49, 0x89, 0xd7,				/* mov %rdx,%r15 */
		0x0f, 0x31,					/* rdtsc */
		0x41, 0x89, 0x45, IN_NOTE(time),		/* mov %eax,time(%r13) */
		0x41, 0x89, 0x55, IN_NOTE(time) + 4,		/* mov %edx,time+4(%r13) */
		0x4c, 0x89, 0xe0,				/* mov %r12,%rax */
		0x4c, 0x89, 0xfa,				/* mov %r15,%rdx */
		0x41, 0xc7, 0x45, 0x00,				/* movl $n,(%r13) */
	},
	{ [26] = 255, 255, 255, 255 },
};

/**
 * struct gp_look - a check under way
 * @site: of the detour
 * @d: the detour
 * @code: its code
 * @len: bytes of it
 * @at: how far it is
 * @counters: how often each counter is counted: hits, rejected
 * @ntests: how often a test can reject a call
 * @reject: where all of these lead to
 * @nlands: how often a call can land for want of a note, or of a call in its slot
 * @land: where all of these lead to
 * @nshorter: how often a call can land that is shorter or longer than others
 * @shorter: where all of these lead to
 */
struct gp_look {
	const struct gp_detour_site *site;
	const struct gp_detour *d;
	const __u8 *code;
	__u32 len;
	__u32 at;
	__u32 counters[2];
	__u32 ntests;
	__u64 reject;
	__u32 nlands;
	__u64 land;
	__u32 nshorter;
	__u64 shorter;
};

static __s32 gp_look_number(const __u8 *p)
{
	__u32 n = 0;
	int i;

	for (i = 3; i >= 0; i--)
		n = n << 8 | p[i];
	return n;
}

static bool gp_look_same(const __u8 *a, const __u8 *b, __u32 n)
{
	while (n && a[n - 1] == b[n - 1])
		n--;
	return !n;
}

/* Do all of these lead to the same place? */
static bool gp_look_meet(__u32 *n, __u64 *place, __u64 to)
{
	if (!(*n)++)
		*place = to;
	return to == *place;
}

/* The number at the end of a piece is right. @end: address of what follows the number */
static bool gp_look_end(struct gp_look *l, const struct gp_piece *p, __s32 number, __u64 end)
{
	__u64 cold = l->d->branch + l->site->cold_at, to = end + number;

	switch (p->end) {
	case GP_PIECE_COLD:
		return to == cold;
	case GP_PIECE_COLD_RETURN:
		return to == cold + 5;
	case GP_PIECE_MORESTACK:
		return to == cold + 5 + gp_look_number(l->site->cold + 1);
	case GP_PIECE_NEXT:
		return to == l->d->branch + l->site->branch_len;
	case GP_PIECE_LANDING:
		return to == l->d->landing;
	case GP_PIECE_COUNTER:
		l->counters[0] += to == l->d->hits;
		l->counters[1] += to == l->d->rejected;
		return to == l->d->hits || to == l->d->rejected;
	case GP_PIECE_REJECT:
		return gp_look_meet(&l->ntests, &l->reject, to);
	case GP_PIECE_SLOTS:
		return to == l->d->slots;
	case GP_PIECE_TIMES:
		return to == l->d->times;
	case GP_PIECE_ID:
		return (__u32)number == l->d->id;
	case GP_PIECE_STACK_HI:
		return (__u32)number == l->d->stack_hi;
	case GP_PIECE_JUMP:
		return (__u32)number == 2 * l->d->number;
	case GP_PIECE_EXTREME:
		return (__u32)number == 2 * l->d->number + 1;
	case GP_PIECE_GOID:
		return (__u32)number == l->d->goid;
	case GP_PIECE_M:
		return (__u32)number == l->d->m;
	case GP_PIECE_PROCID:
		return (__u32)number == l->d->procid;
	case GP_PIECE_RING:
		return to == l->d->ring;
	case GP_PIECE_LAND:
	case GP_PIECE_UNKNOWN:
		return gp_look_meet(&l->nlands, &l->land, to);
	case GP_PIECE_SHORTER:
		return gp_look_meet(&l->nshorter, &l->shorter, to);
	case GP_PIECE_RATE:
		return to == l->d->code + l->len - sizeof(l->d->rate);
	case GP_PIECE_STATE:
		return l->d->id && (__u32)number >> 1 == l->d->id && number & 1;
	}
	return true;
}

/* Go past the piece, if it is next. */
static bool gp_look_at(struct gp_look *l, const struct gp_piece *p)
{
	const __u8 *code = l->code + l->at;
	__u32 i;

	if (p->len > l->len - l->at)
		return false;
	for (i = 0; i < p->len; i++)
		if (i && i == p->shift ? code[i] != l->d->cpu_shift :
		    (code[i] ^ p->code[i]) & ~p->any[i])
			return false;
	if (p->end > GP_PIECE_NUMBER &&
	    !gp_look_end(l, p, gp_look_number(code + p->at), l->d->code + l->at + p->at + 4))
		return false;
	l->at += p->len;
	return true;
}

/* What the branch or epilogue did, at the beginning. */
static bool gp_look_displaced(struct gp_look *l)
{
	const struct gp_detour_site *site = l->site;
	__u64 back = l->d->branch + site->cold_at + site->cold_len;
	__u32 n = site->cold_len;

	if (site->frame) {
		l->at = site->branch_len;
		return l->len >= l->at && gp_look_same(l->code, site->branch, l->at);
	}
	if (site->shape == GP_DETOUR_LONG)
		return gp_look_at(l, gp_pieces_long);
	if (site->shape != GP_DETOUR_SHORT)
		return false;
	if (site->cold[0] == 0xe8)
		return gp_look_at(l, &gp_pieces_call[0]) && gp_look_at(l, &gp_pieces_call[1]);
	/* ja over the displaced instruction, and the jump behind it */
	if (n < 5 || n > GP_DETOUR_COLD || l->len < n + 7 || l->code[0] != 0x77 ||
	    l->code[1] != n + 5 || !gp_look_same(l->code + 2, site->cold, n) ||
	    l->code[n + 2] != 0xe9)
		return false;
	l->at = n + 7;
	return l->d->code + l->at + gp_look_number(l->code + n + 3) == back;
}

static bool gp_look_count(struct gp_look *l)
{
	return gp_look_at(l, l->d->cpu_shift ? &gp_piece_count_per_cpu : &gp_piece_count) &&
	       gp_look_at(l, &gp_piece_next);
}

static bool gp_look_land(struct gp_look *l)
{
	return gp_look_at(l, &gp_pieces_land[0]) && gp_look_at(l, &gp_pieces_land[1]) &&
	       gp_look_at(l, &gp_pieces_land[2]);
}

static bool gp_look_slot(struct gp_look *l)
{
	return gp_look_at(l, &gp_pieces_slot[0]) && gp_look_at(l, &gp_pieces_slot[1]);
}

/* Go past pieces, if they are next. */
static bool gp_look_at_all(struct gp_look *l, const struct gp_piece *p, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++)
		if (!gp_look_at(l, &p[i]))
			return false;
	return true;
}

/* A call opens, and goes on; or its slot is taken, and it lands. */
static bool gp_look_open(struct gp_look *l)
{
	return gp_look_displaced(l) && gp_look_slot(l) &&
	       gp_look_at_all(l, gp_pieces_open, GP_PIECES_OPEN) &&
	       gp_look_at(l, &gp_piece_next) && l->land == l->d->code + l->at &&
	       gp_look_at(l, &gp_piece_taken) && gp_look_land(l);
}

/* The epilogue; the call ends, and goes on or lands; then the rate. */
static bool gp_look_close(struct gp_look *l)
{
	__u32 i;

	if (!gp_look_displaced(l) || !gp_look_slot(l) ||
	    !gp_look_at_all(l, gp_pieces_close, GP_PIECES_CLOSE) ||
	    !gp_look_at(l, &gp_piece_next) || l->shorter != l->d->code + l->at ||
	    !gp_look_at(l, &gp_piece_extreme) || l->land != l->d->code + l->at ||
	    !gp_look_land(l) || l->len - l->at < sizeof(l->d->rate))
		return false;
	for (i = 0; i < sizeof(l->d->rate); i++)
		if (l->code[l->at++] != (__u8)(l->d->rate >> 8 * i))
			return false;
	return true;
}

/* mov %reg,n(%r13): a register that detours leave alone, to word @i of the note */
static bool gp_look_word(struct gp_look *l, __u32 i)
{
	const __u8 *code = l->code + l->at;
	__u8 reg = l->d->word[i];

	if (l->len - l->at < 4 || reg > 14 || reg == 4 || reg == 12 || reg == 13 ||
	    (l->site->frame && reg == 5) || code[0] != (reg < 8 ? 0x49 : 0x4d) || code[1] != 0x89 ||
	    code[2] != (0x45 | (reg & 7) << 3) || code[3] != IN_NOTE(word) + 8 * i)
		return false;
	l->at += 4;
	return true;
}

/* A call leaves a note and goes on, or lands. */
static bool gp_look_note(struct gp_look *l)
{
	__u32 i;

	if (l->d->nwords > GP_DETOUR_WORDS)
		return false;
	if (!gp_look_at_all(l, gp_pieces_claim, GP_PIECES_CLAIM))
		return false;
	for (i = 0; i < l->d->nwords; i++)
		if (!gp_look_word(l, i))
			return false;
	return gp_look_at(l, &gp_piece_commit) && gp_look_at(l, &gp_piece_next) &&
	       l->land == l->d->code + l->at && gp_look_land(l);
}

static bool gp_look_passed(struct gp_look *l)
{
	if (l->d->ring)
		return gp_look_note(l);
	if (l->d->landing)
		return gp_look_land(l);
	return gp_look_count(l) && l->counters[0] == 1 && !l->counters[1];
}

static bool gp_look_test(struct gp_look *l)
{
	__u32 i;

	for (i = 0; i < GP_PIECES_TEST; i++)
		if (gp_look_at(l, &gp_pieces_test[i]))
			return true;
	return false;
}

bool gp_detour_check(const struct gp_detour_site *site, const struct gp_detour *d,
		     const __u8 *code, __u32 len)
{
	struct gp_look l = { .site = site, .d = d, .code = code, .len = len };

	/* Fewer than 20 bits would leave some of the node's number. */
	if (len > GP_DETOUR_MAX || (d->cpu_shift && (d->cpu_shift < 20 || d->cpu_shift > 31)))
		return false;
	if (d->slots)
		return (site->frame ? gp_look_close(&l) : gp_look_open(&l)) && l.at == len;
	if (!gp_look_displaced(&l))
		return false;
	while (gp_look_test(&l))
		;
	if (l.ntests != d->ntests || !gp_look_passed(&l))
		return false;
	if (l.ntests && (l.reject != d->code + l.at || !gp_look_count(&l) || l.counters[1] != 1))
		return false;
	return l.at == len;
}

bool gp_detour_check_landing(const __u8 code[GP_DETOUR_LANDING])
{
	/* nop */
	return code[0] == 0x90 &&
	       /* jmp *%r13 */
	       code[1] == 0x41 && code[2] == 0xff && code[3] == 0xe5;
}
