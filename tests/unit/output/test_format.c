// SPDX-License-Identifier: GPL-2.0
/*
 * From records to lines. The times are made up, and the
 * time zone is UTC, so the lines are always the same.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/counting.h"
#include "compile/edit.h"
#include "gobin/sched_state.h"
#include "output/screen.h"
#include "export/template.h"
#include "rows.h"
#include "trace/stream.h"

static const struct gotype t_int = { .kind = GOTYPE_INT, .name = "int", .size = 8 };
static const struct gotype t_string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };

static const struct gotype t_empty = { .kind = GOTYPE_STRUCT, .name = "main.Empty" };

static const struct plan_value empty_args[] = { { .name = "e", .type = &t_empty } };

static const struct plan_value add_args[] = {
	{ .name = "sku", .type = &t_string },
	{ .name = "qty", .type = &t_int, .offset = 16, .stack = true },
	{ .name = "_", .type = &t_int, .unavailable = "its place is not known" },
};

static const struct plan_value add_results[] = { { .name = "~r0", .type = &t_int } };

static const struct gofunc add_fn = { .name = "shop.(*Cart).Add", .entry = 0x1000, .end = 0x1100 };
static const struct gofunc bare_fn = { .name = "main.bare", .entry = 0x2000, .end = 0x2100 };

/* A place in inlined code, with registers behind its value. */
static const struct gofunc foo_fn = { .name = "main.foo", .entry = 0x3000, .end = 0x3100 };
static const struct gotype t_list = { GOTYPE_SLICE, "[]int8", 24, 8, .elem = &t_int };
static const struct plan_value at_values[] = {
	{ .name = "n", .type = &t_int },
	{ .name = "m", .type = &t_int, .unavailable = "optimized out here" },
	/* Its length is where n is. */
	{ .name = "t", .type = &t_list, .unavailable = "optimized out here", .length = true },
};

static const struct plan_at at = {
	.vaddr = 0x301f, .file = "/src/main.go", .line = 42, .inlined = "main.bar", .begins = true,
	.name = "main.foo+0x1f main.go:42",
};

/* An address of which neither file nor line is known. */
static const struct plan_at bare_at = { .vaddr = 0x2004, .name = "main.bare+0x4" };

/* A call that is changed: behind its argument is what that will be, and what it was. */
static const struct gofunc set_fn = { .name = "main.set", .entry = 0x4000, .end = 0x4100 };
static const struct plan_value set_args[] = {
	{ .name = "n", .type = &t_int },
	{ .name = "n", .type = &t_int, .offset = 8 },
	{ .name = "n", .type = &t_int, .offset = 16 },
};

static const struct edit_set set_sets[] = { { .name = "n", .is = 0, .was = 1 } };
static const struct edit set_edit = {
	.nops = 1, .sets = set_sets, .nsets = 1, .delay = 50000000, .show.nvalues = 2,
};

/* A program begins. */
static const struct gofunc main_fn = { .name = "runtime.main", .entry = 0x5000, .end = 0x5100 };

static struct plan_func funcs[] = {
	{ .fn = &add_fn, .call = { add_args, N(add_args), 24, 0 },
	  .ret = { add_results, N(add_results), 8, 1 } },
	{ .fn = &bare_fn, .id = 1,
	  .call = { .plan = GOPROBE_NO_PLAN, .unavailable = "the binary has no debug information" },
	  .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &foo_fn, .id = 2, .at = &at,
	  .call = { at_values, N(at_values), 136, 2, .has_registers = true, .registers = 8 } },
	{ .fn = &bare_fn, .id = 3, .at = &bare_at,
	  .call = { .plan = GOPROBE_NO_PLAN, .unavailable = "nothing is known of it" } },
	{ .fn = &set_fn, .id = 4,
	  .call = { set_args, 1, 24, 3, .edit = &set_edit, .first_edit = 1 },
	  .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &set_fn, .id = 5,
	  .call = { set_args, 1, 24, 3, .edit = &set_edit, .first_edit = 1, .dry_run = true },
	  .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &foo_fn, .id = 6,
	  .call = { at_values, 1, 136, 2, .has_registers = true, .registers = 8 },
	  .ret = { .plan = GOPROBE_NO_PLAN, .has_registers = true } },
	{ .fn = &main_fn, .id = 7, .hidden = true, .role = PLAN_ROLE_BEGIN,
	  .call = { .plan = GOPROBE_NO_PLAN }, .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &main_fn, .id = 8, .role = PLAN_ROLE_BEGIN,
	  .call = { .plan = GOPROBE_NO_PLAN }, .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &add_fn, .id = 9, .call = { add_args, N(add_args), 24, 0, .receiver = true },
	  .ret = { add_results, N(add_results), 8, 1 } },
	{ .fn = &bare_fn, .id = 10,
	  .call = { empty_args, N(empty_args), .plan = GOPROBE_NO_PLAN },
	  .ret = { .plan = GOPROBE_NO_PLAN } },
	{ .fn = &add_fn, .id = 11,
	  .call = { add_args, N(add_args), 24, 0, .receiver = true, .context = true },
	  .ret = { add_results, N(add_results), 8, 1 } },
};

static struct plan_func *func_list[] = {
	&funcs[0], &funcs[1], &funcs[2], &funcs[3], &funcs[4], &funcs[5], &funcs[6],
	&funcs[7], &funcs[8], &funcs[9], &funcs[10], &funcs[11],
};

static struct goprobe_type types[] = { { 24 }, { 8 }, { 136 }, { 24 } };
static struct goprobe_plan plans[] = {
	{ .type = 0 }, { .type = 1 }, { .type = 2 }, { .type = 3 },
};

static const struct plan plan = {
	.o = &plan_defaults, .funcs = func_list, .nfuncs = N(func_list), .types = types,
	.ntypes = N(types), .plans = plans, .nplans = N(plans),
};

#define ADD	0
#define METHOD	9
#define BARE	1
#define AT	2
#define AT_BARE	3
#define SET	4
#define DRY	5
#define REGS	6
#define BEGIN	7
#define MAIN	8
#define EMPTY	10
#define IN_CONTEXT	11

/* 14:03:22 on some day; records' times count from there. */
#define EPOCH	1795269802000000000ULL

/**
 * struct step - a record
 * @kind: GOPROBE_RECORD_*
 * @id: function
 * @us: when
 * @depth: its depth
 * @flags: GOPROBE_RECORD_F_*
 */
struct step {
	uint16_t kind;
	uint32_t id;
	uint64_t us;
	uint64_t depth;
	uint16_t flags;
};

#define CALL(...)	{ GOPROBE_RECORD_CALL, __VA_ARGS__ }
#define RETURN(...)	{ GOPROBE_RECORD_RETURN, __VA_ARGS__ }
#define PLACE(...)	{ GOPROBE_RECORD_AT, __VA_ARGS__ }
#define TAIL(...)	{ GOPROBE_RECORD_TAIL, __VA_ARGS__ }
#define LOST(us)	{ GOPROBE_RECORD_LOST, 0, us }
#define NO_G		GOPROBE_RECORD_F_NO_G
#define HELD		GOPROBE_RECORD_F_PENDING	/* for 300 us */
#define SPLIT		GOPROBE_RECORD_F_SPLIT	/* 3 ms ran, 1 ms waited for a channel */
#define MISSED		0x80	/* no flag of a record: nothing could be read of what is set */

/* A frame and its plan, behind what is there already: the new size. */
static size_t put_frame(uint8_t *p, size_t size, struct goprobe_record *h, const struct step *s)
{
	static const uint64_t set[] = { 7, 9, 7 };
	struct goprobe_chunk missed = {
		.address = 2, .type = GOPROBE_TYPE_MISSED, .status = GOPROBE_CHUNK_NIL,
	};
	uint64_t at[17] = { 12 };

	if (s->id == AT || (s->id == REGS && s->kind == GOPROBE_RECORD_CALL)) {
		for (uint64_t i = 1; i < N(at); i++)
			at[i] = i - 2;	/* of the first one: all ones */
		h->plan = 2;
		memcpy(p + size, at, sizeof(at));
		return size + sizeof(at);
	}
	if ((s->id != SET && s->id != DRY) || s->kind != GOPROBE_RECORD_CALL)
		return size;
	h->plan = 3;
	memcpy(p + size, set, sizeof(set));
	size += sizeof(set);
	if (!(s->flags & MISSED))
		return size;
	memcpy(p + size, &missed, sizeof(missed));
	return size + sizeof(missed);
}

/* Is it a call of main.Add, whatever of that is asked for? */
static bool is_add(const struct step *s)
{
	return s->id == ADD || s->id == METHOD || s->id == IN_CONTEXT;
}

static size_t put(uint8_t *p, const struct step *s)
{
	static const uint64_t args[] = { 0x5000, 5, 2 }, result[] = { 84 };
	struct goprobe_record h = {
		.kind = s->kind,
		.flags = s->flags & ~MISSED,
		.id = s->id,
		.plan = GOPROBE_NO_PLAN,
		.tgid = 4121,
		.tid = 4125,
		.time = s->us * 1000 + 1,
		.goid = s->flags & NO_G ? 0 : 37,
		.depth = s->depth,
		.ip = 0x55301f,
	};
	struct goprobe_chunk c = { .address = 0x5000, .type = GOPROBE_TYPE_BYTES, .size = 5 };
	struct goprobe_lost l = { .cpu = 1, .cause = GOPROBE_LOST_RING_FULL, .count = 12 };
	size_t size = sizeof(h);

	if (s->flags & HELD) {
		const uint64_t ago = 300000;

		memcpy(p + size, &ago, sizeof(ago));
		size += sizeof(ago);
	}
	if (s->flags & SPLIT) {
		const uint64_t split[__GOSTATES_MAX] = {
			[SCHED_STATE_RUNNING] = 3000000, [SCHED_STATE_CHAN] = 1000000,
		};

		memcpy(p + size, split, sizeof(split));
		size += sizeof(split);
	}
	size = put_frame(p, size, &h, s);
	if (s->kind == GOPROBE_RECORD_LOST) {
		memcpy(p + size, &l, sizeof(l));
		size += sizeof(l);
	} else if (is_add(s) && s->kind == GOPROBE_RECORD_CALL) {
		h.plan = 0;
		memcpy(p + size, args, sizeof(args));
		memcpy(p + size + sizeof(args), &c, sizeof(c));
		memcpy(p + size + sizeof(args) + sizeof(c), "A-119\0\0", 8);
		size += sizeof(args) + sizeof(c) + 8;
	} else if (is_add(s) && s->kind == GOPROBE_RECORD_RETURN) {
		h.plan = 1;
		memcpy(p + size, result, sizeof(result));
		size += sizeof(result);
	}
	h.words = size / 8;
	memcpy(p, &h, sizeof(h));
	return size;
}

#define PAD_32 "                                "

/* 16 of them, and where it is. */
#define REGS_JSON \
	"'registers':{'rax':'0xffffffffffffffff','rbx':'0x0','rcx':'0x1','rdx':'0x2','rsi':'0x3','rdi':'0x4','rbp':'0x5','rsp':'0x6','r8':'0x7','r9':'0x8','r10':'0x9','r11':'0xa','r12':'0xb','r13':'0xc','r14':'0xd','r15':'0xe','rip':'0x55301f'}"
#define REGS_TEXT \
	"  {rax=0xffffffffffffffff rbx=0x0 rcx=0x1 rdx=0x2 rsi=0x3 rdi=0x4 rbp=0x5 rsp=0x6 r8=0x7 r9=0x8 r10=0x9 r11=0xa r12=0xb r13=0xc r14=0xd r15=0xe rip=0x55301f}\n"

static struct format_case {
	const char *claim;
	struct step in[6];
	const char *text, *json;	/* json: with ' for " */
} cases[] = {
	{ "a call", { CALL(ADD, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(sku=\"A-119\", qty=2, <its place is not known>)\n",
	  "{'kind':'call','func':'shop.(*Cart).Add','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802104881001,'args':[{'name':'sku','type':'string','value':'A-119'},{'name':'qty','type':'int','value':2},{'name':'_','type':'int','unavailable':'its place is not known'}]}\n",
	},
	{ "a receiver, in text behind the arguments", { CALL(METHOD, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(qty=2, <its place is not known>, sku=\"A-119\")\n",
	  "{'kind':'call','func':'shop.(*Cart).Add','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802104881001,'args':[{'name':'sku','type':'string','value':'A-119'},{'name':'qty','type':'int','value':2},{'name':'_','type':'int','unavailable':'its place is not known'}]}\n",
	},
	{ "a context and a receiver, in text behind the arguments",
	  { CALL(IN_CONTEXT, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(<its place is not known>, qty=2, sku=\"A-119\")\n",
	  "{'kind':'call','func':'shop.(*Cart).Add','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802104881001,'args':[{'name':'sku','type':'string','value':'A-119'},{'name':'qty','type':'int','value':2},{'name':'_','type':'int','unavailable':'its place is not known'}]}\n",
	},
	{ "nothing but a value without bytes, of which a record has nothing",
	  { CALL(EMPTY, 1, 100) },
	  "14:03:22.000001    37  > main.bare(e=main.Empty{})\n",
	  "{'kind':'call','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'args':[{'name':'e','type':'main.Empty','value':{}}]}\n",
	},
	{ "a return, with its duration in its column",
	  { CALL(BARE, 1, 100), RETURN(BARE, 413, 100) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000413    37  < main.bare => ()" PAD_32 "                 412us\n",
	  "{'kind':'call','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'unavailable':'the binary has no debug information'}\n"
	  "{'kind':'return','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000413001,'duration_ns':412000,'results':[]}\n",
	},
	{ "results; the call was not seen", { RETURN(ADD, 1, 100) },
	  "14:03:22.000001    37  < shop.(*Cart).Add => (84)" PAD_32 "call not seen\n",
	  "{'kind':'return','func':'shop.(*Cart).Add','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'duration_ns':null,'duration_unavailable':'call not seen','results':[{'name':'~r0','type':'int','value':84}]}\n",
	},
	{ "a tail jump has no results", { TAIL(BARE, 1, 100) },
	  "14:03:22.000001    37  < main.bare => (<ended by a jump to another function>)    call not seen\n",
	  "{'kind':'return','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'duration_ns':null,'duration_unavailable':'call not seen','unavailable':'ended by a jump to another function'}\n",
	},
	{ "unreadable stack arguments", { CALL(ADD, 1, 100, GOPROBE_RECORD_F_FAULT) },
	  "14:03:22.000001    37  > shop.(*Cart).Add(sku=\"A-119\", qty=<no readable memory>, <its place is not known>)\n",
	  NULL },
	{ "no goroutine", { RETURN(BARE, 1, 0, NO_G) },
	  "14:03:22.000001     -  < main.bare => ()" PAD_32 "          no goroutine\n",
	  "{'kind':'return','func':'main.bare','pid':4121,'tid':4125,'goid':null,'time_ns':1795269802000001001,'duration_ns':null,'duration_unavailable':'no goroutine','results':[]}\n",
	},
	{ "a call that a panic ended", { CALL(BARE, 1, 200), RETURN(BARE, 5, 100) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000005    37  ! main.bare did not return: panic or Goexit; called 14:03:22.000001\n"
	  "14:03:22.000005    37  < main.bare => ()" PAD_32 "         call not seen\n",
	  NULL },
	{ "a call that was held has its own time, and its return its duration",
	  { CALL(BARE, 413, 100, HELD), RETURN(BARE, 413, 100) },
	  "14:03:22.000113    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000413    37  < main.bare => ()" PAD_32 "                 300us\n",
	  NULL },
	{ "the values of a call that was held", { CALL(ADD, 413, 100, HELD) },
	  "14:03:22.000113    37  > shop.(*Cart).Add(sku=\"A-119\", qty=2, <its place is not known>)\n",
	  NULL },
	{ "a place, with its line, in whose code it is, and registers", { PLACE(AT, 5) },
	  "14:03:22.000005    37  @ main.foo+0x1f main.go:42 (n=12, m=<optimized out here>, t=[]int8<optimized out here> (len 12))"
	  REGS_TEXT,
	  "{'kind':'at','func':'main.foo','offset':31,'file':'/src/main.go','line':42,'inlined':'main.bar','begins':true,'pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000005001,'values':[{'name':'n','type':'int','value':12},{'name':'m','type':'int','unavailable':'optimized out here'},{'name':'t','type':'[]int8','unavailable':'optimized out here','len':12}],"
	  REGS_JSON "}\n",
	},
	{ "a place of which nothing is known, on no goroutine", { PLACE(AT_BARE, 5, 0, NO_G) },
	  "14:03:22.000005     -  @ main.bare+0x4 (<nothing is known of it>)\n",
	  "{'kind':'at','func':'main.bare','offset':4,'pid':4121,'tid':4125,'goid':null,'time_ns':1795269802000005001,'unavailable':'nothing is known of it'}\n",
	},
	{ "a place belongs to no call: the one that is open goes on",
	  { CALL(BARE, 1, 100), PLACE(AT_BARE, 5, 100), RETURN(BARE, 413, 100) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000005    37  @ main.bare+0x4 (<nothing is known of it>)\n"
	  "14:03:22.000413    37  < main.bare => ()" PAD_32 "                 412us\n",
	  NULL },
	{ "registers of a call; a return has none where its frame has not",
	  { CALL(REGS, 1, 100), RETURN(REGS, 3, 100) },
	  "14:03:22.000001    37  > main.foo(n=12)" REGS_TEXT
	  "14:03:22.000003    37  < main.foo => ()" PAD_32 "                 2.00us\n",
	  "{'kind':'call','func':'main.foo','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'args':[{'name':'n','type':'int','value':12}],"
	  REGS_JSON "}\n"
	  "{'kind':'return','func':'main.foo','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000003001,'duration_ns':2000,'results':[]}\n",
	},
	{ "what a call is changed to, what that was, and for how long it is delayed",
	  { CALL(SET, 1, 100) },
	  "14:03:22.000001    37  > main.set(n=7)  set n = 9 (was 7)  delayed 50.0ms\n",
	  "{'kind':'call','func':'main.set','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'args':[{'name':'n','type':'int','value':7}],'set':[{'name':'n','type':'int','value':9,'was':{'value':7}}],'delay_ns':50000000}\n",
	},
	{ "what it would be changed to",
	  { CALL(DRY, 1, 100) },
	  "14:03:22.000001    37  > main.set(n=7)  would set n = 9 (was 7)  would delay 50.0ms\n",
	  "{'kind':'call','func':'main.set','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'args':[{'name':'n','type':'int','value':7}],'set':[{'name':'n','type':'int','value':9,'was':{'value':7}}],'delay_ns':50000000,'dry_run':true}\n",
	},
	{ "a change that is not made, as its place could not be found",
	  { CALL(SET, 1, 100, MISSED) },
	  "14:03:22.000001    37  > main.set(n=7)  not changed: nil pointer\n",
	  "{'kind':'call','func':'main.set','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'args':[{'name':'n','type':'int','value':7}],'set':[{'name':'n','type':'int','value':9,'was':{'unavailable':'nil pointer'}}],'delay_ns':50000000,'not_changed':'nil pointer'}\n",
	},
	{ "how the time of a call divides is its duration, whatever the records' times",
	  { CALL(BARE, 1, 100), RETURN(BARE, 9000, 100, SPLIT) },
	  NULL,
	  "{'kind':'call','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802000001001,'unavailable':'the binary has no debug information'}\n"
	  "{'kind':'return','func':'main.bare','pid':4121,'tid':4125,'goid':37,'time_ns':1795269802009000001,'duration_ns':4000000,'split':{'running_ns':3000000,'runnable_ns':0,'syscall_ns':0,'chan_ns':1000000,'select_ns':0,'sync_ns':0,'net_ns':0,'sleep_ns':0,'gc_ns':0,'other_ns':0},'results':[]}\n",
	},
	{ "a call of the program that was there before has not ended, and nothing returns from it",
	  { CALL(BARE, 1, 200), CALL(BEGIN, 5, 100), RETURN(BARE, 9, 200) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000009    37  < main.bare => ()" PAD_32 "         call not seen\n",
	  NULL },
	{ "that is so before the call that reports it, if that is an event, on whatever stack",
	  { CALL(BARE, 1, 200), CALL(MAIN, 5, 100), CALL(BARE, 6, 300), CALL(BEGIN, 7, 0, NO_G),
	    RETURN(BARE, 9, 300) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000005    37  > runtime.main()\n"
	  "14:03:22.000006    37  > main.bare(<the binary has no debug information>)\n"
	  "14:03:22.000009    37  < main.bare => ()" PAD_32 "         call not seen\n",
	  NULL },
	{ "losses, where they fell", { LOST(7) },
	  "14:03:22.000007     -  ! 12 records lost on CPU 1: ring full\n",
	  "{'kind':'lost','cpu':1,'cause':'ring_full','count':12,'time_ns':1795269802000007001}\n",
	},
};

static void begin(struct stream *s, struct output *o, const struct output_format *format, int fd)
{
	output_init(o, format, fd);
	o->epoch = EPOCH;
	assert_int_equal(stream_init(s, &plan, o, true), 0);
}

static void feed(struct stream *s, const struct step *steps, size_t n)
{
	uint64_t words[128];

	for (size_t i = 0; i < n && steps[i].kind; i++) {
		size_t len = put((uint8_t *)words, &steps[i]);

		assert_int_equal(stream_add(s, 0, (uint8_t *)words, len), 0);
	}
	stream_round(s, UINT64_MAX, 0);
	assert_false(stream_print(s, SIZE_MAX));
}

static struct stream stream;

/* Expected JSON is written with ' for ", to be legible. */
static void same(struct buf *b, const char *want, bool json)
{
	for (size_t i = 0; json && i < b->len; i++)
		if (b->p[i] == '"')
			b->p[i] = '\'';
	buf_char(b, 0);
	assert_string_equal(b->p, want);
}

static void check(const struct format_case *row, const struct output_format *format,
		  const char *want)
{
	struct output o;

	begin(&stream, &o, format, -1);
	feed(&stream, row->in, N(row->in));
	same(&o.buf, want, format == &out_json);
	assert_int_equal(stream.sum.malformed, 0);
	stream_fini(&stream);
	output_fini(&o);
}

ROWS(test_row, cases)
{
	const struct format_case *row = *state;

	if (row->text)
		check(row, &out_text, row->text);
	if (row->json)
		check(row, &out_json, row->json);
}

/* Lines on a terminal, and with other times. */
static const struct screen_case {
	const char *claim;
	struct screen screen;
	struct step in[6];
	const char *text;
} screens[] = {
	{ "a line fits the terminal", { .columns = 90 }, { CALL(ADD, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(sku=\"A-119\", qty=2, <its place is not known>)\n"
	},
	{ "the longest value is shortened", { .columns = 75 }, { CALL(ADD, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(sku=\"A-119\", qty=2, <its place…>)\n"
	},
	{ "a short receiver stays, and an argument is shortened", { .columns = 85 },
	  { CALL(METHOD, 104881, 100) },
	  "14:03:22.104881    37  > shop.(*Cart).Add(qty=2, <its place is not kn…>, sku=\"A-119\")\n"
	},
	{ "a duration ends where the terminal does", { .columns = 60 },
	  { CALL(BARE, 1, 100), RETURN(BARE, 413, 100) },
	  "14:03:22.000001    37  > main.bare(<the binary has no debu…)\n"
	  "14:03:22.000413    37  < main.bare => ()               412us\n"
	},
	{ "what is no value is cut", { .columns = 75 }, { CALL(REGS, 1, 100) },
	  "14:03:22.000001    37  > main.foo(n=12)  {rax=0xffffffffffffffff rbx=0x0 …}\n"
	},
	{ "colours", { .colored = true },
	  { CALL(BARE, 1, 100), RETURN(BARE, 413, 100), LOST(500) },
	  "\033[2m14:03:22.000001    37  \033[m> \033[1mmain.bare\033[m(<the binary has no debug information>)\n"
	  "\033[2m14:03:22.000413    37  \033[m< \033[1mmain.bare\033[m => ()                                                 \033[36m412us\033[m\n"
	  "\033[2m14:03:22.000500     -  \033[m\033[31m! 12 records lost on CPU 1: ring full\033[m\n"
	},
	{ "colours take no columns", { .colored = true, .columns = 75 },
	  { CALL(ADD, 104881, 100) },
	  "\033[2m14:03:22.104881    37  \033[m> \033[1mshop.(*Cart).Add\033[m(sku=\"A-119\", qty=2, <its place…>)\n"
	},
	{ "seconds since the first line", { .time = SCREEN_RELATIVE },
	  { CALL(BARE, 1, 100), RETURN(BARE, 1500413, 100) },
	  "    0.000000    37  > main.bare(<the binary has no debug information>)\n"
	  "    1.500412    37  < main.bare => ()                                                    1.50s\n"
	},
	{ "the time in full", { .time = SCREEN_ISO }, { CALL(BARE, 1, 200), RETURN(BARE, 5, 100) },
	  "2026-11-21T14:03:22.000001+00:00    37  > main.bare(<the binary has no debug information>)\n"
	  "2026-11-21T14:03:22.000005+00:00    37  ! main.bare did not return: panic or Goexit; called 2026-11-21T14:03:22.000001+00:00\n"
	  "2026-11-21T14:03:22.000005+00:00    37  < main.bare => ()                        call not seen\n"
	},
};

ROWS(test_screens, screens)
{
	const struct screen_case *row = *state;
	const struct format_case as = { .in = { row->in[0], row->in[1], row->in[2] } };

	screen = row->screen;
	check(&as, &out_text, row->text);
	memset(&screen, 0, sizeof(screen));
}

TEST(test_header, "the header names the columns")
{
	struct output o;

	output_init(&o, &out_text, -1);
	out_text.header(&o);
	o.pids = true;
	out_text.header(&o);
	buf_char(&o.buf, 0);
	assert_string_equal(o.buf.p, "TIME             GOID  EVENT\n"
				     "TIME                PID  GOID  EVENT\n");
	output_fini(&o);
}

/* A call that is open on a system stack may have led to the program's start. */
TEST(test_other_program, "calls of the program before, but not on system stacks")
{
	const struct step steps[] = {
		CALL(BARE, 1, 200), CALL(BARE, 2, 300, GOPROBE_RECORD_F_SYSTEM),
		CALL(BARE, 3, 400), CALL(BEGIN, 5, 100),
	};
	struct output o;

	begin(&stream, &o, &out_text, -1);
	feed(&stream, steps, N(steps));
	assert_int_equal(stream.sum.gone, 2);
	stream_fini(&stream);
	output_fini(&o);
}

TEST(test_pids, "with several processes there is a column for them")
{
	const struct step call = CALL(BARE, 1, 100);
	struct output o;

	begin(&stream, &o, &out_text, -1);
	o.pids = true;
	feed(&stream, &call, 1);
	same(&o.buf, "14:03:22.000001    4121    37  > main.bare(<the binary has no debug information>)\n",
	     false);
	stream_fini(&stream);
	output_fini(&o);
}

/* Values that are long in several lines: each on lines of its own, if it is not alone. */
TEST(test_lines, "values in lines")
{
	const struct step steps[] = { CALL(ADD, 1, 100), RETURN(ADD, 413, 100) };
	struct output o;

	begin(&stream, &o, &out_text, -1);
	stream.values.width = 60;
	feed(&stream, steps, N(steps));
	same(&o.buf, "14:03:22.000001    37  > shop.(*Cart).Add(\n"
		     "    sku=\"A-119\",\n"
		     "    qty=2,\n"
		     "    <its place is not known>,\n"
		     ")\n"
		     "14:03:22.000413    37  < shop.(*Cart).Add => (84)" PAD_32 "        412us\n",
	     false);
	stream_fini(&stream);
	output_fini(&o);
}

TEST(test_most, "no more lines than asked for, but losses are reported")
{
	const struct step steps[] = {
		CALL(BARE, 1, 100), LOST(2), RETURN(BARE, 3, 100), CALL(BARE, 4, 100),
	};
	struct output o;

	begin(&stream, &o, &out_json, -1);
	stream.most = 2;
	feed(&stream, steps, N(steps));
	assert_true(stream_full(&stream));
	assert_int_equal(stream.sum.events, 2);
	buf_char(&o.buf, 0);
	assert_null(strstr(o.buf.p, "000004001"));
	assert_non_null(strstr(o.buf.p, "\"lost\""));
	stream_fini(&stream);
	output_fini(&o);
}

TEST(test_malformed, "what can't be understood is counted, and the rest is shown")
{
	uint64_t words[128] = { 0 };
	struct step unknown = CALL(99, 1, 100), good = CALL(BARE, 2, 100);
	struct output o;

	begin(&stream, &o, &out_json, -1);
	feed(&stream, &unknown, 1);
	assert_int_equal(stream_add(&stream, 0, (uint8_t *)words, 64), 0);
	feed(&stream, &good, 1);
	assert_int_equal(stream.sum.malformed, 2);
	assert_int_equal(stream.sum.calls, 1);
	assert_string_equal(stream.why_malformed, "unknown point");
	stream_fini(&stream);
	output_fini(&o);
}

TEST(test_summary, "the summary names losses, also when they are zero")
{
	struct output_summary s = {
		.events = 2, .calls = 1, .returns = 1, .ns = 3149000000,
	};
	struct buf talk = { 0 };
	struct output o;

	output_init(&o, &out_text, -1);
	out_text.summary(&o, &s, &talk);
	buf_char(&talk, 0);
	assert_string_equal(talk.p, "2 events in 3.1s, 0 lost (0 ring full, 0 no ring)\n");
	assert_int_equal(o.buf.len, 0);

	s.stats[GOPROBE_STAT_LOST_RING_FULL] = 12;
	s.open = 1;
	s.stats[GOPROBE_STAT_NO_SPACE] = 1;
	s.stats[GOPROBE_STAT_FILTERED] = 12345;
	s.stats[GOPROBE_STAT_UNDECIDED] = 1;
	s.stats[GOPROBE_STAT_SAMPLED] = 7;
	s.stats[GOPROBE_STAT_LIMITED] = 1;
	s.unwound = 2;
	s.gone = 4;
	s.stats[GOPROBE_STAT_WAITS] = 3;
	s.stats[GOPROBE_STAT_WAIT_NS] = 250000000;
	talk.len = 0;
	out_text.summary(&o, &s, &talk);
	buf_char(&talk, 0);
	assert_string_equal(talk.p, "2 events in 3.1s, 13 lost (12 ring full, 0 no ring, 1 no room)\n"
			    "the buffers were full: --buffer 16m makes them larger, --lossless makes the program wait instead\n"
				    "2 calls ended without returning (panic or Goexit)\n"
				    "1 call had not returned\n"
				    "4 calls ended when their process exited, or executed another program\n"
				    "12345 calls did not pass the condition\n"
				    "1 call with a condition that could not be evaluated\n"
				    "7 calls left out of the sample\n"
				    "1 call beyond the limit\n"
				    "3 records waited for space in the buffer, 0.3s in all\n");
	talk.len = 0;
	out_json.summary(&o, &s, &talk);
	assert_int_equal(talk.len, 0);
	same(&o.buf, "{'kind':'summary','events':2,'lost':13,'seconds':3.149000,'calls':1,'returns':1,'places':0,'unwound':2,'open':1,'doubtful':0,'forgotten':0,'gone':4,'filtered':12345,'undecided':1,'sampled':7,'limited':1,'waits':3,'wait_seconds':0.250000,'lost_by_cause':{'ring_full':12,'no_ring':0,'no_room':1,'malformed':0}}\n",
	     true);
	buf_fini(&talk);
	output_fini(&o);
}

/* A reader that takes nothing: what can't be written is kept, comes later, and is not kept then. */
TEST(test_slow_reader, "what a slow reader does not take is kept")
{
	static char line[1000];
	size_t written = 9000, got = 0;
	char buf[4096];
	struct output o;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	output_init(&o, &out_text, fds[1]);
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	for (size_t i = 0; i < written; i++) {
		buf_mem(&o.buf, line, sizeof(line));
		assert_int_equal(output_flush(&o, false), 0);
	}
	assert_true(output_pending(&o) > OUTPUT_KEEP);
	while (got < written * sizeof(line)) {
		ssize_t n = read(fds[0], buf, sizeof(buf));

		assert_true(n > 0);
		for (ssize_t i = 0; i < n; i++, got++)
			assert_int_equal(buf[i], line[got % sizeof(line)]);
		assert_int_equal(output_flush(&o, false), 0);
	}
	assert_int_equal(output_pending(&o), 0);
	assert_in_range(o.buf.cap, 0, OUTPUT_KEEP);
	close(fds[0]);
	close(fds[1]);
	output_fini(&o);
}

/* Another process at the same terminal or pipe may have made it non-blocking for all. */
TEST(test_nonblocking, "an output that does not block is waited for")
{
	static char text[1 << 18];
	char buf[4096];
	struct output o;
	ssize_t n;
	size_t got = 0;
	int fds[2], status;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	pid = fork();
	if (!pid) {
		close(fds[1]);
		while ((n = read(fds[0], buf, sizeof(buf))) > 0)
			got += (size_t)n;
		_exit(got != sizeof(text));
	}
	close(fds[0]);
	output_init(&o, &out_text, fds[1]);
	memset(text, 'x', sizeof(text));
	buf_mem(&o.buf, text, sizeof(text));
	assert_int_equal(output_flush(&o, true), 0);
	assert_int_equal(output_pending(&o), 0);
	close(fds[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	output_fini(&o);
}

/* Those who print a table at a time share it, too. */
TEST(test_writing, "and so it is for tables")
{
	static char text[1 << 18];
	char buf[4096];
	int fds[2], status;
	size_t got = 0;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	pid = fork();
	if (!pid) {
		struct counting c = { .fd = fds[1] };
		struct diag d = { 0 };
		struct buf b = { .p = text, .len = sizeof(text) };

		_exit(counting_write(&c, &b, &d) || c.run.unread);
	}
	close(fds[1]);
	/* It is full before anything is taken. */
	usleep(100000);
	while ((n = read(fds[0], buf, sizeof(buf))) > 0)
		got += (size_t)n;
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(got, sizeof(text));
}

/* Lines by a template. */
static const struct template_case {
	const char *claim;
	const char *template;
	struct step in[6];
	const char *want;
} templates[] = {
	{ "a line for each call, with what is known then", "{time} {goid} {func} {args.sku}",
	  { CALL(ADD, 104881, 100), RETURN(ADD, 104882, 100) },
	  "14:03:22.104881 37 shop.(*Cart).Add \"A-119\"\n" },
	{ "values of the call in the line of its end",
	  "{func}({args.qty}) = {results.~r0} {duration}, {args.sku}",
	  { CALL(ADD, 1, 100), RETURN(ADD, 413, 100) },
	  "shop.(*Cart).Add(2) = 84 412us, \"A-119\"\n" },
	{ "all values, and numbers of values", "{args} {args.0} {results} {results.0}",
	  { CALL(ADD, 1, 100), RETURN(ADD, 413, 100) },
	  "(sku=\"A-119\", qty=2, <its place is not known>) \"A-119\" (84) 84\n" },
	{ "with {kind} a line for each event", "{kind} {args.qty} {results.0} {ended}",
	  { CALL(ADD, 1, 100), RETURN(ADD, 413, 100) }, "call 2 - -\nreturn 2 84 return\n" },
	{ "calls in each other", "{args.qty} {duration_ns}",
	  { CALL(ADD, 1, 100), CALL(ADD, 2, 200), RETURN(ADD, 3, 200), RETURN(ADD, 5, 100) },
	  "2 1000\n2 4000\n" },
	{ "a call that was not seen", "{args.sku} {duration} {results.0}",
	  { RETURN(ADD, 413, 100) }, "- - 84\n" },
	{ "a call that did not return", "{func} {args} {ended} {panic} {results.0} {duration_ns}",
	  { CALL(BARE, 1, 200), RETURN(ADD, 5, 100) },
	  "main.bare (<the binary has no debug information>) unwound - - 4000\n"
	  "shop.(*Cart).Add - return - 84 -\n" },
	{ "a place, whose values are arguments", "{func} {args.n} {args.x} {pid} {tid}",
	  { PLACE(AT, 5) }, "main.foo+0x1f main.go:42 12 - 4121 4125\n" },
	{ "no goroutine", "{goid}", { CALL(BARE, 1, 0, NO_G) }, "-\n" },
	{ "braces, tabs and other text", "{{{time_ns}}}\\t\\\\}x", { CALL(BARE, 1, 0) },
	  "{1795269802000001001}\t\\}x\n" },
	{ "losses are no lines", "{func}", { LOST(5), CALL(BARE, 6, 0) }, "main.bare\n" },
};

ROWS(test_template, templates)
{
	const struct template_case *c = *state;
	struct template t = { 0 };
	struct diag d = { 0 };
	struct stream s;
	struct output o;

	assert_int_equal(template_parse(&t, c->template, &d), 0);
	begin(&s, &o, &out_template, -1);
	o.template = &t;
	feed(&s, c->in, N(c->in));
	same(&o.buf, c->want, false);
	stream_fini(&s);
	output_fini(&o);
	template_fini(&t);
}

static const struct template_error {
	const char *claim;
	const char *template;
	const char *message;
	const char *hint;
} errors[] = {
	{ "an unknown field", "{func} {fuc}", "'{fuc}' is no field of an event",
	  "the fields are time, time_ns, kind, func, pid" },
	{ "a field that has no parts", "{func.x}", "'{func.x}' is no field", NULL },
	{ "no name", "{args.}", "'{args.}' is no field", NULL },
	{ "nothing", "{}", "'{}' is no field", NULL },
	{ "no end", "{func", "a field of the format has no end", "a brace {{" },
	{ "a brace in a field", "{fu{nc}", "a field of the format has no end", NULL },
	{ "an argument that no function has", "{args.skew}", "no traced function has 'args.skew'",
	  "they have: sku, qty, _" },
	{ "a number that no function has", "{results.7}", "no traced function has 'results.7'",
	  "~r0" },
	{ "returns that are not traced", "{duration}", "--no-return leaves them out", NULL },
};

ROWS(test_template_error, errors)
{
	const struct template_error *e = *state;
	bool ends = !strstr(e->message, "--no-return");
	struct template t = { 0 };
	struct diag d = { 0 };

	assert_int_equal(template_parse(&t, e->template, &d) ||
			 template_check(&t, &plan, ends, &d), 1);
	assert_non_null(strstr(d.message, e->message));
	if (e->hint)
		assert_non_null(strstr(d.hint, e->hint));
	diag_fini(&d);
	template_fini(&t);
}

static int set_up(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

AROUND_ALL(set_up, NULL)
