// SPDX-License-Identifier: GPL-2.0
/* output/stacks.c and what shows stacks: output/folded.c, output/stack_print.c, export/pprof.c. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "export/pprof.h"
#include "output/folded.h"
#include "output/screen.h"
#include "output/stack_print.h"
#include "rows.h"
#include "unpprof.h"

#define COUNT(v) (sizeof(v) / sizeof(*(v)))

static const enum stacks_value types[] = { STACKS_CALLS, STACKS_TIME };

/* --- made by hand ---------------------------------------------------- */

static struct symbols shop = { .name = "/bin/shop" }, libc = { .name = "/lib/libc.so.6" };
static struct symbols nowhere;

static const struct gobin_frame frames[] = {
	[0] = { "main.leaf", "/src/leaf.go", 3, 1, true, false },
	[1] = { "main.mid", "/src/mid.go", 20, 10, false, false },
	[2] = { "main.main", "/src/main.go", 7, 5, false, false },
	[3] = { NULL, NULL, 0, 0, false, false },
	[4] = { "main.F[go.shape.struct { X int; Y int }]", "/src/a b.go", 1, 1, false, false },
	[5] = { "main.\n\"odd\"\033", NULL, 0, 0, false, false },
	[6] = { "", NULL, 0, 0, false, false },
};

static const struct symbol places[] = {
	[0] = { &shop, 0x401010, 0x401000, &frames[0], 2, 0 },
	[1] = { &shop, 0x402020, 0x402000, &frames[2], 1, 0 },
	[2] = { &libc, 0x7f0001, 0, &frames[3], 1, 0 },
	[3] = { &nowhere, 0x123, 0, &frames[3], 1, 0 },
	[4] = { &shop, 0x403030, 0x403000, &frames[4], 1, 0 },
	[5] = { &shop, 0x404040, 0x404000, &frames[5], 1, 0 },
	[6] = { &shop, 0x405050, 0x405000, NULL, 0, 0 },	/* a wrapper */
	[7] = { &nowhere, 0x456, 0, &frames[6], 1, 0 },
};

static const struct stacks_label pid = { "pid", NULL, 12, NULL };
static const struct stacks_label labels[] = {
	{ "pid", NULL, 13, NULL }, { "func", "main.leaf", 0, NULL },
	{ "waited", NULL, -5, "nanoseconds" },
};

static const struct symbol *simple[] = { &places[0], &places[6], &places[1] };
static const struct symbol *strange[] = { &places[4], &places[5], &places[2], &places[3] };

static struct stack hand_made[] = {
	{ simple, 3, false, { 9, 5000 }, &pid, 1 },
	{ strange, 4, true, { 2, 0 }, NULL, 0 },
	{ simple, 3, false, { 1, 70 }, labels, 3 },
	{ simple, 0, false, { 0, 1 }, NULL, 0 },
};

static struct stack *order[] = {
	&hand_made[0], &hand_made[1], &hand_made[2], &hand_made[3],
};

static const struct stacks made = { .types = types, .ntypes = 2, .v = order, .n = 4 };

/* Of a damaged table. */
static const struct symbol *empty_name[] = { &places[7] };
static struct stack nameless = { empty_name, 1, false, { 3, 0 }, NULL, 0 };
static struct stack *nameless_order[] = { &nameless };
static const struct stacks no_name = {
	.types = types, .ntypes = 1, .v = nameless_order, .n = 1,
};

/* Files have names that strangers choose. */
static struct symbols hostile = { .name = "/lib/a;b \xc2\x9b[2J\x9b\x1b[\xc3\xbc" };
static const struct symbol stranger = { &hostile, 0x7f0002, 0, &frames[3], 1, 0 };
static const struct symbol *strangers[] = { &stranger };
static struct stack hostile_stack = { strangers, 1, false, { 4, 0 }, NULL, 0 };
static struct stack *hostile_order[] = { &hostile_stack };
static const struct stacks of_hostile = {
	.types = types, .ntypes = 1, .v = hostile_order, .n = 1,
};

static void expect(struct buf *b, const char *want)
{
	assert_false(b->failed);
	buf_char(b, '\0');
	assert_string_equal(b->p ? b->p : "", want);
	buf_fini(b);
}

TEST(test_folded, "folded: one line for each stack, whatever its names")
{
	struct buf b = { .p = NULL };

	folded_put(&made, 0, &b);
	expect(&b, "[truncated];[unknown];[libc.so.6];main._\"odd\"_;"
	       "main.F[go.shape.struct_{_X_int,_Y_int_}] 2\n"
	       "main.main;main.mid;main.leaf 10\n");
	folded_put(&made, 1, &b);
	expect(&b, "[empty] 1\nmain.main;main.mid;main.leaf 5070\n");
	folded_put(&of_hostile, 0, &b);
	expect(&b, "[a,b__[2J__[\xc3\xbc] 4\n");
	folded_put(&no_name, 0, &b);
	expect(&b, "[unknown] 3\n");
	folded_put(&(struct stacks){ .types = types, .ntypes = 1 }, 0, &b);
	expect(&b, "");
}

/* Frames of a waiting goroutine that a terminal does not show. */
TEST(test_brief, "on a terminal frames of the runtime are folded, and paths are short")
{
	static const struct gobin_frame at[] = {
		{ .func = "runtime.gopark", .file = "/go/src/runtime/proc.go", .line = 1 },
		{ .func = "runtime.chanrecv", .file = "/go/src/runtime/chan.go", .line = 2 },
		{ .func = "main.wait", .file = "/src/shop/wait.go", .line = 3 },
		{ .func = "runtime.goexit", .file = "/go/src/runtime/asm.s", .line = 4 },
	};
	struct symbol symbols[4];
	const struct symbol *all[4];
	struct stack k = { all, 4, false, { 1 }, NULL, 0 };
	struct buf b = { .p = NULL };

	for (size_t i = 0; i < 4; i++) {
		symbols[i] = (struct symbol){ &shop, 0x401010, 0x401000, &at[i], 1, 0 };
		all[i] = &symbols[i];
	}
	screen.brief = true;
	stack_print_frames_text(&k, &b);
	expect(&b, "    ... 2 frames of the runtime\n"
	       "    main.wait  shop/wait.go:3\n"
	       "    ... 1 frame of the runtime\n");
	/* There is nothing but the runtime. */
	k.n = 2;
	stack_print_frames_text(&k, &b);
	expect(&b, "    runtime.gopark  runtime/proc.go:1\n"
	       "    runtime.chanrecv  runtime/chan.go:2\n");
	screen.brief = false;
	k.n = 4;
	stack_print_frames_text(&k, &b);
	expect(&b, "    runtime.gopark  /go/src/runtime/proc.go:1\n"
	       "    runtime.chanrecv  /go/src/runtime/chan.go:2\n"
	       "    main.wait  /src/shop/wait.go:3\n"
	       "    runtime.goexit  /go/src/runtime/asm.s:4\n");
}

TEST(test_text, "text: nothing in a name reaches the terminal")
{
	struct buf b = { .p = NULL };

	stack_print_text(&made, 2, &b);
	expect(&b, "9 calls, 5.00us time, mean 555ns, 75.0 %, pid 12\n"
	       "    main.leaf (inlined)  /src/leaf.go:3\n"
	       "    main.mid  /src/mid.go:20\n"
	       "    main.main  /src/main.go:7\n"
	       "\n"
	       "2 calls, 0ns time, mean 0ns, 16.6 %\n"
	       "    main.F[...]  /src/a b.go:1\n"
	       "    main.?\"odd\"?\n"
	       "    0x7f0001 in /lib/libc.so.6\n"
	       "    0x123\n"
	       "    ... and its callers\n"
	       "\n"
	       "2 more stacks: 1 call, 8.3 %\n");
	stack_print_text(&(struct stacks){ .types = types, .ntypes = 1 }, 0, &b);
	expect(&b, "");
}

TEST(test_json, "JSON: a line for each stack")
{
	struct buf b = { .p = NULL };

	stack_print_json(&made, 3, &b);
	expect(&b, "{\"kind\":\"stack\",\"count\":9,\"sum_ns\":5000,\"mean_ns\":555,\"frames\":[{\"func\":\"main.leaf\",\"file\":\"/src/leaf.go\",\"line\":3,\"inlined\":true},{\"func\":\"main.mid\",\"file\":\"/src/mid.go\",\"line\":20},{\"func\":\"main.main\",\"file\":\"/src/main.go\",\"line\":7}],\"labels\":{\"pid\":12}}\n"
	       "{\"kind\":\"stack\",\"count\":2,\"sum_ns\":0,\"mean_ns\":0,\"frames\":[{\"func\":\"main.F[go.shape.struct { X int; Y int }]\",\"file\":\"/src/a b.go\",\"line\":1},{\"func\":\"main.\\n\\\"odd\\\"\\u001b\"},{\"func\":null,\"address\":\"0x7f0001\",\"binary\":\"/lib/libc.so.6\"},{\"func\":null,\"address\":\"0x123\"}],\"truncated\":true}\n"
	       "{\"kind\":\"stack\",\"count\":1,\"sum_ns\":70,\"mean_ns\":70,\"frames\":[{\"func\":\"main.leaf\",\"file\":\"/src/leaf.go\",\"line\":3,\"inlined\":true},{\"func\":\"main.mid\",\"file\":\"/src/mid.go\",\"line\":20},{\"func\":\"main.main\",\"file\":\"/src/main.go\",\"line\":7}],\"labels\":{\"pid\":13,\"func\":\"main.leaf\",\"waited\":-5}}\n");
}

static const struct pprof_about about = { .time_ns = 1795264005, .duration_ns = 1000000 };

/* Decompress the profile in @b, which is freed. */
static void take_apart(struct buf *b, struct buf *text)
{
	struct buf plain = { .p = NULL };

	assert_false(b->failed);
	assert_true(unpprof_gunzip((uint8_t *)b->p, b->len, &plain));
	if (!unpprof((uint8_t *)plain.p, plain.len, text))
		fail_msg("%.*s", (int)text->len, text->p);
	buf_fini(&plain);
	buf_fini(b);
}

TEST(test_pprof, "pprof: all that is known of a stack is there")
{
	struct buf b = { .p = NULL }, text = { .p = NULL };

	pprof_put(&made, &about, &b);
	take_apart(&b, &text);
	expect(&text, "counts calls/count\ncounts time/nanoseconds\n"
	       "sample 9 5000 pid=12\n"
	       "  map 1 0x401010 main.leaf /src/leaf.go:3 @1 main.mid /src/mid.go:20 @10\n"
	       "  map 1 0x402020 main.main /src/main.go:7 @5\n"
	       "sample 2 0\n"
	       "  map 1 0x403030 main.F[go.shape.struct { X int; Y int }] /src/a b.go:1 @1\n"
	       "  map 1 0x404040 main.\n\"odd\"\033 :0 @0\n"
	       "  map 2 0x7f0001\n"
	       "  map 0 0x123\n"
	       "  map 0 0x0 [truncated] :0 @0\n"
	       "sample 1 70 pid=13 func=main.leaf0 waited=-5nanoseconds\n"
	       "  map 1 0x401010 main.leaf /src/leaf.go:3 @1 main.mid /src/mid.go:20 @10\n"
	       "  map 1 0x402020 main.main /src/main.go:7 @5\n"
	       "sample 0 1\n"
	       "mapping 1 0x0-0x0+0x0 /bin/shop  1111\n"
	       "mapping 2 0x0-0x0+0x0 /lib/libc.so.6  0000\n"
	       "time 1795264005\nfor 1000000\neach calls/count\nperiod 1\nfirst calls\n");
	pprof_put(&(struct stacks){ .types = types, .ntypes = 1 }, &(struct pprof_about){ 0 }, &b);
	take_apart(&b, &text);
	expect(&text, "counts calls/count\neach calls/count\nperiod 1\nfirst calls\n");
}

/* The creator of the goroutine: behind the frames, and a root. */
TEST(test_creator_shown, "the creator of a goroutine is shown")
{
	static struct stack created = { simple, 3, true, { 3 }, .creator = &places[0] };
	static struct stack *one[] = { &created };
	const struct stacks s = { .types = types, .ntypes = 1, .v = one, .n = 1 };
	struct buf b = { .p = NULL }, text = { .p = NULL };

	stack_print_text(&s, 0, &b);
	expect(&b, "3 calls, 100.0 %\n"
	       "    main.leaf (inlined)  /src/leaf.go:3\n"
	       "    main.mid  /src/mid.go:20\n"
	       "    main.main  /src/main.go:7\n"
	       "    ... and its callers\n"
	       "    created by main.leaf  /src/leaf.go:3\n");
	stack_print_json(&s, 0, &b);
	assert_false(b.failed);
	buf_char(&b, '\0');
	assert_non_null(strstr(b.p,
			       "\"line\":7}],\"created_by\":{\"func\":\"main.leaf\","));
	assert_non_null(strstr(b.p, "\"file\":\"/src/leaf.go\",\"line\":3},\"truncated\":true}\n"));
	b.len = 0;
	folded_put(&s, 0, &b);
	expect(&b, "created_by_main.leaf;[truncated];main.main;main.mid;main.leaf 3\n");
	pprof_put(&s, &(struct pprof_about){ 0 }, &b);
	take_apart(&b, &text);
	buf_char(&text, '\0');
	assert_non_null(strstr(text.p, "  map 0 0x0 [truncated] :0 @0\n"
			       "  map 0 0x0 created by main.leaf /src/leaf.go:3 @1\n"));
	buf_fini(&text);
}

TEST(test_frames_cut, "text and JSON of one stack say that it has more frames")
{
	struct stack k = { simple, 1, true, { 1 }, NULL, 0 };
	struct buf b = { .p = NULL };

	stack_print_frames_text(&k, &b);
	expect(&b, "    main.leaf (inlined)  /src/leaf.go:3\n    main.mid  /src/mid.go:20\n"
	       "    ... and its callers\n");
	buf_char(&b, '{');
	stack_print_frames_json(&k, &b);
	buf_char(&b, '}');
	expect(&b, "{\"frames\":[{\"func\":\"main.leaf\",\"file\":\"/src/leaf.go\",\"line\":3,\"inlined\":true},{\"func\":\"main.mid\",\"file\":\"/src/mid.go\",\"line\":20}],\"truncated\":true}");
}

/* Weights of time: states stand below the numbers, and add up. */
TEST(test_split, "times have a mean, and states below them")
{
	static const enum stacks_value weights[] = { STACKS_WAIT, STACKS_TIME, STACKS_CALLS };
	const uint64_t one[__GOSTATES_MAX] = {
		[SCHED_STATE_RUNNING] = 400, [SCHED_STATE_CHAN] = 600};
	struct stacks_sample sample = { .values = { 600, 1000, 1 }, .split = one };
	struct buf b = { .p = NULL };
	struct stacks s;

	stacks_init(&s, weights, 3);
	for (int round = 0; round < 2; round++) {
		stacks_zero(&s);
		assert_int_equal(stacks_add(&s, &sample) | stacks_add(&s, &sample), 0);
	}
	stack_print_text(&s, 0, &b);
	expect(&b, "1.20us wait, 2.00us time, 2 calls, mean 1.00us, 100.0 %\n"
	       "    chan 60.0 % 1.20us, running 40.0 % 800ns\n");
	stack_print_json(&s, 0, &b);
	buf_char(&b, '\0');
	assert_non_null(strstr(b.p, "\"wait_ns\":1200,\"sum_ns\":2000,\"count\":2,"));
	assert_non_null(strstr(b.p, "\"mean_ns\":1000,\"split\":{\"running_ns\":800,"));
	buf_fini(&b);
	stacks_fini(&s);
}

/* The parts of a key are beside the numbers, and roots. */
TEST(test_keyed, "parts of a key are beside the numbers, and roots")
{
	static const struct stacks_label parts[] = { { "r.Path", "\"/a b;c_d\"" },
						     { "ok", "true" } };
	static const struct stacks_label json[] = { { "ok", "{\"expr\":\"ok\"}" },
						    { "n", "{\"expr\":\"n\"}" } };
	static struct stack stack = { simple, 3, true, { 3 }, parts, 2, .creator = &places[0] };
	static struct stack *one[] = { &stack };
	struct stacks s = { .types = types, .ntypes = 1, .keyed = true, .v = one, .n = 1 };
	struct buf b = { .p = NULL }, text = { .p = NULL };

	stack_print_text(&s, 0, &b);
	buf_char(&b, '\0');
	assert_non_null(strstr(b.p, ", r.Path=\"/a b;c_d\", ok=true\n    main.leaf"));
	assert_non_null(strstr(b.p, "3 calls, 100.0 %, "));
	b.len = 0;
	folded_put(&s, 0, &b);
	expect(&b, "r.Path=\"/a_b\\x3bc\\_d\";ok=true;created_by_main.leaf;[truncated];main.main;main.mid;main.leaf 3\n");
	pprof_put(&s, &(struct pprof_about){ 0 }, &b);
	take_apart(&b, &text);
	buf_char(&text, '\0');
	assert_non_null(strstr(text.p, "sample 3 r.Path=\"/a b;c_d\"0 ok=true0\n"));
	buf_fini(&text);
	stack.labels = json;
	stack_print_json(&s, 0, &b);
	buf_char(&b, '\0');
	assert_non_null(strstr(b.p, "\"key\":[{\"expr\":\"ok\"},{\"expr\":\"n\"}],\"frames\""));
	assert_null(strstr(b.p, "labels"));
	buf_fini(&b);
}

TEST(test_large_values, "sums do not wrap")
{
	static struct stack huge = { simple, 1, false, { UINT64_MAX, 1 }, NULL, 0 };
	static struct stack *two[] = { &huge, &huge };
	const struct stacks s = { .types = types, .ntypes = 1, .v = two, .n = 2 };
	struct buf b = { .p = NULL }, text = { .p = NULL };

	assert_int_equal(stacks_sum(&s, 0), UINT64_MAX);
	folded_put(&s, 0, &b);
	expect(&b, "main.mid;main.leaf 18446744073709551615\n");
	pprof_put(&s, &(struct pprof_about){ 0 }, &b);
	take_apart(&b, &text);
	buf_char(&text, '\0');
	assert_non_null(strstr(text.p, "sample 9223372036854775807\n"));
	buf_fini(&text);
}

/* --- of a program ---------------------------------------------------- */

/**
 * struct program - one whose stacks are made up
 * @bin: it
 * @syms: its places
 * @s: its stacks
 * @func: its functions
 * @n: their number
 */
struct program {
	struct gobin *bin;
	struct symbols syms;
	struct stacks s;
	const struct gofunc *func;
	size_t n;
};

static void program_init(struct program *p, struct gobin *bin)
{
	p->bin = bin;
	symbols_init(&p->syms, bin, NULL);
	stacks_init(&p->s, types, 1);
	p->func = gobin_funcs(bin, &p->n);
}

static void program_fini(struct program *p)
{
	stacks_fini(&p->s);
	symbols_fini(&p->syms);
}

static void add(struct program *p, uint64_t value, const struct stacks_pc *pcs, size_t n,
		const struct stacks_label *label)
{
	const struct stacks_sample sample = {
		.pcs = pcs, .npcs = n, .values = { value }, .labels = label, .nlabels = !!label,
	};

	assert_int_equal(stacks_add(&p->s, &sample), 0);
}

static void expect_sorted(const struct stacks *s)
{
	static const uint64_t want[] = { 64, 48, 8, 5, 5, 5, 2 };

	assert_int_equal(s->n, COUNT(want));
	for (size_t i = 0; i < s->n; i++)
		assert_int_equal(s->v[i]->values[0], want[i]);
	assert_string_equal(s->v[0]->labels[0].text, "12");
	assert_int_equal(s->v[1]->labels[0].number, 12);
	/* Of equals: no frame, one without a name, one with a name. */
	assert_int_equal(s->v[3]->n, 0);
	assert_null(s->v[4]->places[0]->frames[0].func);
	assert_string_equal(s->v[5]->places[0]->frames[0].func, "main.main");
}

TEST(test_add, "equal stacks with equal labels are one")
{
	static const struct stacks_label text = { "pid", "12", 0, NULL };
	struct gobin *bin = bins_newest("");
	uint64_t pc = bins_func(bin, "main.main")->entry;
	struct program p;

	program_init(&p, bin);

	const struct stacks_pc one[] = { { &p.syms, pc }, { &p.syms, pc + 9 } };
	const struct stacks_pc two[] = { { &p.syms, pc }, { NULL, pc + 9 } };

	add(&p, 1, one, 2, NULL);
	add(&p, 2, two, 2, NULL);
	add(&p, 4, one, 2, NULL);
	add(&p, 8, one, 1, NULL);
	add(&p, 16, one, 2, &pid);
	add(&p, 32, one, 2, &pid);
	add(&p, 64, one, 2, &text);
	add(&p, 5, two + 1, 1, NULL);
	add(&p, 3, NULL, 0, NULL);
	add(&p, 2, NULL, 0, NULL);
	stacks_sort(&p.s);
	expect_sorted(&p.s);
	/* It begins where execution is, the rest are return addresses. */
	assert_int_equal(p.s.v[5]->places[0]->pc, pc);
	assert_int_equal(p.s.v[5]->places[1]->pc, pc + 8);
	stacks_zero(&p.s);
	assert_int_equal(stacks_sum(&p.s, 0), 0);
	add(&p, 7, one, 1, NULL);
	stacks_sort(&p.s);
	assert_int_equal(p.s.n, 7);
	assert_int_equal(p.s.v[0]->values[0], 7);
	assert_int_equal(p.s.v[0]->n, 1);
	program_fini(&p);
	gobin_free(bin);
}

/* A call of another instruction on the same line, and one of another line. */
TEST(test_same_lines, "stacks that read the same are one, but not in a profile")
{
	struct gobin *bin = bins_newest("");
	uint64_t pc = bins_func(bin, "main.main")->entry, other = pc, same = 0;
	const uint64_t end = bins_func(bin, "main.main")->end;
	struct program p;

	program_init(&p, bin);
	while (++other < end &&
	       symbols_at(&p.syms, other, 0)->looks == symbols_at(&p.syms, pc, 0)->looks)
		same = other;
	assert_in_range(same, pc + 1, end - 2);
	for (int by_address = 0; by_address < 2; by_address++) {
		const uint64_t at[] = { pc, same, other };

		stacks_fini(&p.s);
		stacks_init(&p.s, types, 1);
		p.s.by_address = by_address;
		for (size_t i = 0; i < COUNT(at); i++)
			add(&p, 1 << i, &(struct stacks_pc){ &p.syms, at[i] }, 1, NULL);
		assert_int_equal(p.s.n, by_address ? 3 : 2);
		assert_int_equal(stacks_sum(&p.s, 0), 7);
		assert_int_equal(p.s.v[0]->values[0], by_address ? 1 : 3);
	}
	program_fini(&p);
	gobin_free(bin);
}

TEST(test_creators, "stacks of goroutines that others have started are others")
{
	struct gobin *bin = bins_newest("");
	uint64_t pc = bins_func(bin, "main.main")->entry;
	struct program p;

	program_init(&p, bin);

	const struct stacks_pc at[] = { { &p.syms, pc } };
	const struct stacks_pc creators[] = {
		{ &p.syms, pc + 9 }, { &p.syms, 0 }, { NULL, pc }, { &p.syms, -pc },
		{ &p.syms, pc + 9 },
	};

	for (size_t i = 0; i < COUNT(creators); i++) {
		const struct stacks_sample sample = {
			.pcs = at, .npcs = 1, .creator = creators[i], .values = { 1 << i },
		};

		assert_int_equal(stacks_add(&p.s, &sample), 0);
	}
	/* An address outside functions has no frame. */
	stacks_sort(&p.s);
	assert_int_equal(p.s.n, 2);
	assert_int_equal(p.s.v[0]->values[0], 1 + 16);
	assert_string_equal(stack_creator(p.s.v[0])->func, "main.main");
	assert_int_equal(p.s.v[1]->values[0], 2 + 4 + 8);
	assert_null(p.s.v[1]->creator);
	program_fini(&p);
	gobin_free(bin);
}

/* Stacks of three functions each, one for each few functions of the program. */
static void make_stacks(struct program *p)
{
	for (size_t i = 0; i + 16 < p->n; i += 8) {
		struct stacks_pc pcs[3];

		for (size_t k = 0; k < 3; k++) {
			const struct gofunc *f = &p->func[i + k * 7];

			pcs[k] = (struct stacks_pc){ &p->syms, f->entry };
			if (k)
				pcs[k].pc += (f->end - f->entry) / 2 + 1;
		}
		add(p, i + 1, pcs, 3, i % 3 ? &pid : NULL);
	}
	stacks_sort(&p->s);
}

static void want_frame(struct buf *b, const struct gobin_frame *f)
{
	buf_str(b, f->func);
	if (f->file) {
		buf_char(b, ' ');
		buf_str(b, f->file);
		buf_number(b, ":", f->line);
	}
	buf_char(b, '\n');
}

/* The output of "pprof -traces -lines" for the stack, as read_traces() has it. */
static void want_traces(struct buf *b, const struct stack *k)
{
	if (k->nlabels)
		buf_number(b, "pid: ", k->labels[0].number);
	buf_str(b, k->nlabels ? "\n" : "");
	buf_u64(b, k->values[0]);
	buf_char(b, ' ');
	for (size_t i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->places[i]->n; j++)
			want_frame(b, &k->places[i]->frames[j]);
	}
}

/* A line without spaces around it; those inside are one each. */
static void put_trimmed(struct buf *b, const char *line)
{
	size_t start = b->len;

	for (; *line; line++) {
		bool space = *line == ' ' || *line == '\n';

		if (!space)
			buf_char(b, *line);
		else if (b->len > start && b->p[b->len - 1] != ' ')
			buf_char(b, ' ');
	}
	if (b->len > start && b->p[b->len - 1] == ' ')
		b->len--;
	buf_char(b, '\n');
}

/*
 * What the tool says behind its head, between rulers; returns how many frames are inlined,
 * by its own marks. These are left out: not all that were inlined have one.
 */
static size_t read_traces(const char *tool, const char *profile, struct buf *b)
{
	char command[2048], line[4096], *mark;
	size_t inlined = 0;
	bool head = true;
	FILE *f;

	snprintf(command, sizeof(command),
		 "'%s' -symbolize=none -traces -lines '%s' 2>/dev/null", tool, profile);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		bool ruler = !strncmp(line, "-----------+", 12);

		mark = strstr(line, " (inline)\n");
		inlined += !!mark;
		if (mark)
			*mark = 0;
		if (!head && !ruler)
			put_trimmed(b, line);
		head &= !ruler;
	}
	assert_int_equal(pclose(f), 0);
	return inlined;
}

/* Says where they differ, which are long. */
static void expect_lines(const char *tool, struct buf *got, const char *want)
{
	size_t i = 0, line = 0;

	buf_char(got, '\0');
	for (; got->p[i] == want[i] && want[i]; i++)
		line = want[i] == '\n' ? i + 1 : line;
	if (got->p[i] != want[i])
		fail_msg("%s: \"%.300s\", not \"%.300s\"", tool, got->p + line, want + line);
	buf_fini(got);
}

static void write_profile(const struct stacks *s, char *path)
{
	struct buf b = { .p = NULL };
	int fd = mkstemp(path);

	pprof_put(s, &about, &b);
	assert_true(fd >= 0 && !b.failed);
	assert_int_equal(write(fd, b.p, b.len), b.len);
	close(fd);
	buf_fini(&b);
}

static void ask(const char *tool, const struct stacks *s, const char *profile)
{
	struct buf want = { .p = NULL }, got = { .p = NULL };

	for (size_t i = 0; i < s->n; i++)
		want_traces(&want, s->v[i]);
	buf_char(&want, '\0');
	assert_true(read_traces(tool, profile, &got) > 10);
	expect_lines(tool, &got, want.p);
	buf_fini(&want);
}

/* Every release's own reader shows what was written of every release's program. */
TEST(test_go_tool, "pprof: go tool pprof reads what was written")
{
	struct bins_each b = BINS("frames", "", "-pie-stripped");

	while (bins_next(&b)) {
		char path[] = "/tmp/goprobe-test-XXXXXX";
		struct bins_each tool = BINS("pprof", "");
		struct program p;

		program_init(&p, b.bin);
		make_stacks(&p);
		assert_true(p.s.n > 100);
		write_profile(&p.s, path);
		while (bins_next_path(&tool))
			ask(tool.path, &p.s, path);
		unlink(path);
		program_fini(&p);
	}
}

/* One mapping, with the file's own addresses, so that readers take the names from here. */
TEST(test_mapping, "pprof: the mapping is that of the file")
{
	struct bins_each b = BINS("frames", "", "-pie");

	while (bins_next(&b)) {
		struct buf file = { .p = NULL }, text = { .p = NULL }, want = { .p = NULL };
		struct gobin_range r;
		struct program p;

		program_init(&p, b.bin);
		make_stacks(&p);
		pprof_put(&p.s, &about, &file);
		take_apart(&file, &text);
		buf_char(&text, '\0');
		assert_int_equal(gobin_code_range(b.bin, p.func->entry, &r), 0);
		buf_str(&want, "mapping 1 ");
		buf_hex(&want, r.start);
		buf_char(&want, '-');
		buf_hex(&want, r.end);
		buf_char(&want, '+');
		buf_hex(&want, r.offset);
		buf_char(&want, ' ');
		buf_str(&want, b.path);
		buf_char(&want, ' ');
		buf_str(&want, gobin_build_id(b.bin));
		buf_str(&want, " 1111\ntime ");
		buf_char(&want, '\0');
		assert_non_null(strstr(text.p, want.p));
		buf_fini(&want);
		buf_fini(&text);
		program_fini(&p);
	}
}
