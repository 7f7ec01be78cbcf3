// SPDX-License-Identifier: GPL-2.0
/*
 * Variables of a program in a memory that the tests make
 * up, hostile ones too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/deferred_step.h"
#include "compile/expr.h"
#include "eval/eval.h"
#include "eval/watchvar.h"
#include "gobin/runtime_layout.h"
#include "gobin/variable.h"
#include "rows.h"

#define BIAS 0x10000000ULL
#define HEAP 0xc000000000ULL
#define HEAP_SIZE 8192

/**
 * struct process - the memory of a program that was never run
 * @statics: where its variables are: one page
 * @page: its bytes
 * @heap: at HEAP; and again behind it, endlessly, if it is @endless
 */
struct process {
	uint64_t statics;
	uint8_t page[256];
	uint8_t heap[HEAP_SIZE];
	bool endless;
	size_t reads;
};

static struct process proc;
static struct gobin *bin;
static struct arena mem;
static struct eval *g;
static struct value_ctx values;

static bool read_process(void *ctx, uint64_t at, void *to, size_t len)
{
	struct process *p = ctx;

	p->reads++;
	if (at >= p->statics && at - p->statics + len <= sizeof(p->page)) {
		memcpy(to, p->page + (at - p->statics), len);
		return true;
	}
	if (at < HEAP || (!p->endless && at - HEAP + len > HEAP_SIZE))
		return false;
	for (size_t i = 0; i < len; i++)
		((uint8_t *)to)[i] = p->heap[(at - HEAP + i) % HEAP_SIZE];
	return true;
}

static void put(uint8_t *at, uint64_t word)
{
	memcpy(at, &word, sizeof(word));
}

static void compile(const char *text, struct plan_capture *c)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem };
	struct expr_list list = { .text = text, .n = 1 };
	struct diag d = { 0 };
	const struct expr *e;
	struct lex lx;

	list.v = &e;
	if (lex_scan(&lx, &mem, text, 0, &d) || expr_parse(&lx, &e, &d) ||
	    expr_compile(&scope, &list, c, &d))
		fail_msg("%s", d.message);
}

/* A variable's text; its first words are in proc.page. */
static const char *show(const char *text)
{
	static struct buf b;
	struct plan_capture c;
	uint8_t number[8];
	const char *why;

	compile(text, &c);
	assert_int_equal(eval_take(g, &c), 0);
	b.len = 0;
	value_record(&values, &g->rec);
	value_start(&values, &b);

	struct value_at at = { .type = c.values[0].type, .p = g->frame + c.values[0].offset,
			       .len = c.size - c.values[0].offset };

	why = value_missed(&g->rec, 0);
	if (!why && c.values[0].steps)
		why = deferred_step_go(c.values[0].steps, &values, &at, number);
	if (why)
		buf_str(&b, why);
	else
		value_text(&values, &b, at.type, at.p, at.len);
	buf_char(&b, 0);
	return b.p;
}

/* Let proc.page be where the variable is. */
static void at_variable(const char *text)
{
	struct plan_capture c;

	memset(&proc, 0, sizeof(proc));
	compile(text, &c);
	assert_int_equal(c.pieces[0].source, GOPROBE_FROM_STATIC);
	proc.statics = c.pieces[0].address + BIAS;
}

TEST(test_number, "a number")
{
	at_variable("main.on");
	assert_string_equal(show("main.on"), "false");
	proc.page[0] = 1;
	assert_string_equal(show("main.on"), "true");
}

/* Two strings at HEAP. */
static void put_args(uint64_t len)
{
	at_variable("os.Args");
	put(proc.page, HEAP);
	put(proc.page + 8, len);
	put(proc.page + 16, len);
	put(proc.heap, HEAP + 100);
	put(proc.heap + 8, 3);
	put(proc.heap + 16, HEAP + 200);
	put(proc.heap + 24, 2);
	memcpy(proc.heap + 100, "one", 3);
	memcpy(proc.heap + 200, "xy", 2);
}

TEST(test_strings, "strings, elements, lengths")
{
	put_args(2);
	assert_string_equal(show("os.Args"), "[]string{\"one\", \"xy\"}");
	assert_string_equal(show("os.Args[1]"), "\"xy\"");
	assert_string_equal(show("len(os.Args)"), "2");
	assert_string_equal(show("len(os.Args[0])"), "3");
	assert_string_equal(show("os.Args[0][1]"), "110");
	assert_string_equal(show("os.Args[2]"), "index out of range");
}

TEST(test_absent, "what is not there says why")
{
	put_args(2);
	put(proc.heap + 16, 0x5000);
	assert_string_equal(show("os.Args[1]"), "<no readable memory>");
	put(proc.page, 0x5000);
	assert_string_equal(show("os.Args[1]"), "no readable memory");
	put(proc.page, 0);
	assert_string_equal(show("os.Args[1]"), "nil pointer");
	proc.statics = 0;
	assert_string_equal(show("os.Args"), "no readable memory");
}

/* A string is on the level of what it stands in. */
TEST(test_depth, "values beyond --depth, and values that do not fit")
{
	put_args(2);
	g->limits.depth = 0;
	assert_string_equal(show("os.Args"), "[]string<beyond --depth> (len 2)");
	assert_string_equal(show("os.Args[1]"), "<beyond --depth>");
	g->limits.depth = 1;
	assert_string_equal(show("os.Args"), "[]string{\"one\", \"xy\"}");
	g->limits.objects = 2;
	assert_string_equal(show("os.Args"), "[]string{\"one\", <record is full>}");
	g->limits = plan_defaults;
}

/* The value in an interface, found when it is read and when it is shown. */
TEST(test_interface, "what interfaces hold")
{
	const struct gotype *point = gobin_find_type(bin, "main.Point");

	assert_non_null(point);
	at_variable("main.sink");
	put(proc.page, point->rtype + BIAS);
	put(proc.page + 8, HEAP + 64);
	put(proc.heap + 64, 5);
	put(proc.heap + 72, 6);
	assert_string_equal(show("main.sink"), "main.Point{X: 5, Y: 6}");
	assert_string_equal(show("main.sink.(main.Point).Y"), "6");
	assert_string_equal(show("main.sink.(main.Point)"), "main.Point{X: 5, Y: 6}");
	assert_string_equal(show("main.sink.Y"), "6");
	assert_string_equal(show("main.sink.Z"), "no such field");
	assert_string_equal(show("main.sink[1]"), "can't be indexed");
	assert_string_equal(show("main.sink.(*main.Point)"), "another dynamic type");
	put(proc.page, 0);
	assert_string_equal(show("main.sink"), "nil");
	assert_string_equal(show("main.sink.(main.Point).Y"), "another dynamic type");
	assert_string_equal(show("main.sink.Y"), "nil interface");
}

/* --- types made by hand ------------------------------------------------------ */

static const struct gotype t_int = { .kind = GOTYPE_INT, .name = "int", .size = 8 };
static const struct gotype t_string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };
static const struct gotype t_unsafe = {
	.kind = GOTYPE_POINTER, .name = "unsafe.Pointer", .size = 8,
};

static const struct gofield impl_fields[] = {
	{ .name = "a", .type = &t_int }, { .name = "s", .type = &t_string, .offset = 8 },
	{ .name = "u", .type = &t_unsafe, .offset = 24 },
};

static const struct gotype t_impl = {
	.kind = GOTYPE_STRUCT, .name = "main.impl", .size = 32, .fields = impl_fields, .nfields = 3,
};

static const struct gotype p_impl = {
	.kind = GOTYPE_POINTER, .name = "*main.impl", .size = 8, .elem = &t_impl,
};

static const struct gotype t_hint = {
	.kind = GOTYPE_ARRAY, .name = "[0]*main.impl", .elem = &p_impl,
};

static const struct gofield atomic_fields[] = {
	{ .name = "_", .type = &t_hint }, { .name = "v", .type = &t_unsafe },
};

static const struct gotype t_atomic = {
	.kind = GOTYPE_STRUCT, .name = "sync/atomic.Pointer[main.impl]", .size = 8,
	.fields = atomic_fields, .nfields = 2,
};

/* The variable at proc.page, of a type that the program has not. */
static void of_type(const struct gotype *t, struct plan_capture *c)
{
	static struct plan_value value;
	static struct goprobe_piece piece;

	memset(&proc, 0, sizeof(proc));
	proc.statics = 0x500000 + BIAS;
	value = (struct plan_value){ .name = "x", .type = t };
	piece = (struct goprobe_piece){ .source = GOPROBE_FROM_STATIC, .address = 0x500000,
					.size = t->size };
	*c = (struct plan_capture){ .values = &value, .nvalues = 1, .pieces = &piece,
				    .npieces = 1, .size = t->size };
}

static const char *show_captured(const struct plan_capture *c)
{
	static struct buf b;

	assert_int_equal(eval_take(g, c), 0);
	b.len = 0;
	value_record(&values, &g->rec);
	value_start(&values, &b);
	value_text(&values, &b, c->values[0].type, g->frame, c->size);
	buf_char(&b, 0);
	return b.p;
}

TEST(test_atomic_pointer, "what an atomic.Pointer points to")
{
	struct plan_capture c;

	of_type(&t_atomic, &c);
	put(proc.page, HEAP + 16);
	put(proc.heap + 16, 9);
	put(proc.heap + 24, HEAP + 64);
	put(proc.heap + 32, 3);
	put(proc.heap + 40, HEAP);
	memcpy(proc.heap + 64, "abc", 3);
	g->limits.depth = 1;
	assert_string_equal(show_captured(&c),
			    "atomic.Pointer[main.impl](&main.impl{a: 9, s: \"abc\", u: unsafe.Pointer(0xc000000000)})");
	/* Nothing is full: it is the depth. */
	g->limits.depth = 0;
	assert_string_equal(show_captured(&c),
			    "atomic.Pointer[main.impl]((*main.impl)(0xc000000010))");
	g->limits = plan_defaults;
}

/* A map of @n entries in the last of 32 groups of a table, each group @each of them. */
static void put_map(const struct gomap *m, unsigned int n, unsigned int each)
{
	const struct runtime_layout_swiss *s = &runtime_layout_get(gobin_go_minor(bin))->swiss;
	uint8_t *groups = proc.heap + 1024;

	put(proc.page, HEAP);
	put(proc.heap + s->used, n);
	put(proc.heap + s->dir_ptr, HEAP + 512);
	put(proc.heap + s->dir_len, 1);
	put(proc.heap + 512, HEAP + 768);
	put(proc.heap + 768 + s->table_groups, HEAP + 1024);
	put(proc.heap + 768 + s->table_mask, 31);
	for (unsigned int i = 32; i--;) {
		uint8_t *group = groups + i * m->size;

		memset(group, 0x80, 8);
		for (unsigned int k = 0; k < each && n; k++) {
			group[k] = 1;
			put(group + m->key_at + k * m->key_stride, n--);
		}
	}
}

static size_t count(const char *s, char c)
{
	size_t n = 0;

	while (*s)
		n += *s++ == c;
	return n;
}

/* At least as many entries as were asked for, wherever they are in the map. */
TEST(test_elements, "as many entries of a map as were asked for")
{
	static const struct gomap layout = {
		.swiss = true, .size = 136, .key_at = 8, .key_stride = 16, .elem_at = 16,
		.elem_stride = 16,
	};
	static const struct gotype t_map = {
		.kind = GOTYPE_MAP, .name = "map[int]int", .size = 8, .key = &t_int,
		.elem = &t_int, .map = &layout,
	};
	static const unsigned int elements[] = { 10, 64, 65, 100, 150, 200, 1000 };
	struct plan_capture c;

	if (runtime_layout_get(gobin_go_minor(bin))->minor < 24)
		skip();
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		of_type(&t_map, &c);
		put_map(&layout, 200, 7);
		g->limits.elements = elements[i];

		/* A share of the groups, as the module copies; and more if these have none. */
		assert_in_range(count(show_captured(&c), ':'),
				elements[i] < 200 ? elements[i] : 200, 200);
	}
	/* It was larger once. */
	g->limits = plan_defaults;
	of_type(&t_map, &c);
	put_map(&layout, 3, 1);
	assert_string_equal(show_captured(&c), "map[int]int{1: 0, 2: 0, 3: 0}");
}

/* --- how fast it changes ------------------------------------------------------ */

TEST(test_rates, "rates, of what wraps around too")
{
	static const struct gotype t_int8 = { .kind = GOTYPE_INT, .name = "int8", .size = 1 };
	static const struct gotype t_uint64 = { .kind = GOTYPE_UINT, .name = "uint64", .size = 8 };
	static const struct {
		const struct gotype *t;
		uint64_t from, to;
		const char *text;
	} rows[] = {
		{ &t_int8, 100, 120, "  x=120 (+20/s)" },
		{ &t_int8, 120, 0x84, "  x=-124 (+12/s)" },
		{ &t_int8, 0x84, 120, "  x=120 (-12/s)" },
		{ &t_int, 5, 2, "  x=2 (-3/s)" },
		{ &t_uint64, 1, -1ULL, "  x=18446744073709551615 (-2/s)" },
		{ &t_uint64, 1ULL << 60, (1ULL << 60) + 1, "  x=1152921504606846977 (+1/s)" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct watchvar v = { .text = "x" };
		struct buf b = { 0 };

		of_type(rows[i].t, &v.c);
		put(proc.page, rows[i].from);
		assert_int_equal(watchvar_put(&v, g, &values, &b, false, 0), 0);
		put(proc.page, rows[i].to);
		b.len = 0;
		assert_int_equal(watchvar_put(&v, g, &values, &b, false, 1000000000), 0);
		buf_char(&b, 0);
		assert_string_equal(b.p, rows[i].text);
		buf_fini(&b);
	}
}

/* Lengths that no program has; memory without an end. */
TEST(test_hostile, "what is hostile ends")
{
	static const uint64_t lengths[] = { 3, 1000, 1ULL << 40, 1ULL << 62, UINT64_MAX };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_args(lengths[i]);
		proc.endless = true;
		show("os.Args");
		assert_true(proc.reads < 10000);
		assert_true(g->rec.nchunks <= g->limits.objects);
	}
	/* Every word leads to every other one, in types with pointers, maps, channels. */
	for (uint32_t seed = 1; seed < 300; seed++) {
		uint32_t x = seed;

		at_variable("os.Stdout");
		proc.endless = true;
		for (size_t k = 0; k < HEAP_SIZE; k += 8) {
			x = x * 1103515245 + 12345;
			put(proc.heap + k, x & 0x400 ? HEAP + x / 2048 % HEAP_SIZE : x / 2048 % 5);
		}
		put(proc.page, HEAP + seed * 8);
		show(seed & 1 ? "os.Stdout" : "*os.Stdout");
		assert_true(proc.reads < 10000);
	}
}

/* Each variable of the program, in memory that means nothing. */
TEST(test_all_variables, "variables of all kinds in meaningless memory")
{
	static const char *const all[] = {
		"encoding/json.Valid", "time.Local", "time.localLoc", "os.ErrExist", "io.EOF",
		"runtime.allp", "runtime.sched", "main.sink", "unicode.Categories",
		"reflect.bytesType", "syscall.env", "os.Stderr",
	};
	size_t shown = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct gobin_variable v;

		if (gobin_variable_find(bin, all[i], &v) || !v.type || v.type->size > 256)
			continue;
		at_variable(all[i]);
		proc.endless = true;
		for (size_t k = 0; k < HEAP_SIZE; k += 8)
			put(proc.heap + k, HEAP + k * 7 % HEAP_SIZE);
		for (size_t k = 0; k < sizeof(proc.page); k += 8)
			put(proc.page + k, HEAP + k * 16);
		assert_true(strlen(show(all[i])) > 0);
		shown++;
	}
	assert_true(shown >= 5);
}

static int set_up(void **state)
{
	(void)state;
	bin = bins_newest("");
	g = calloc(1, sizeof(*g));
	g->bin = bin;
	g->bias = BIAS;
	g->read = read_process;
	g->read_ctx = &proc;
	g->limits = plan_defaults;
	eval_init(g);
	value_init(&values, &g->env);
	return 0;
}

static int take_down(void **state)
{
	(void)state;
	value_fini(&values);
	eval_fini(g);
	free(g);
	gobin_free(bin);
	arena_fini(&mem);
	return 0;
}

AROUND_ALL(set_up, take_down)
