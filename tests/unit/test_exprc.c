// SPDX-License-Identifier: GPL-2.0
/*
 * exprc.c, sigparse.c: expressions compiled against real programs. What comes out
 * is held against the module's rules for programs and then run, on registers and
 * memory that the rows give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bins.h"
#include "exprc.h"
#include "exprstep.h"
#include "goabi.h"
#include "gofield.h"
#include "near.h"
#include "sigparse.h"
#include "spec.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define REGS 33

/* --- a machine ---------------------------------------- */

struct word {
	uint64_t at;
	uint64_t value;
};

/**
 * struct machine - a traced thread
 * @regs: by DWARF number; what is not set is odd, so that its use shows
 * @sp: at function entry
 * @words: memory: nothing else is readable
 * @nwords: their number
 * @frame: what a record would hold
 * @failed: status of the item that failed
 */
struct machine {
	uint64_t regs[REGS];
	uint64_t sp;
	struct word words[32];
	size_t nwords;
	uint8_t frame[PLAN_FRAME_MAX];
	int failed[EXPR_LIST_MAX];
};

static const char *const reg_names[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11",
};

/* "ax=1 bx=20000 @20010=7 sp=8000"; all numbers are hexadecimal. */
static void machine_set(struct machine *m, const char *setup)
{
	char what[16];
	uint64_t v;
	int n;

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < REGS; i++)
		m->regs[i] = 0xbadbadbadbad0000 + i;
	m->sp = 0x8000;
	while (sscanf(setup, " %15[^=]=%lx%n", what, &v, &n) == 2) {
		int reg = -1, x;

		setup += n;
		if (what[0] == '@') {
			m->words[m->nwords++] = (struct word){ strtoul(what + 1, NULL, 16), v };
			continue;
		}
		if (sscanf(what, "x%d", &x) == 1)
			reg = 17 + x;
		for (size_t i = 0; i < N(reg_names); i++)
			if (strcmp(reg_names[i], what) == 0)
				reg = (int)i;
		assert_true(reg >= 0);
		m->regs[reg] = v;
	}
	assert_int_equal(*setup, 0);
}

static bool machine_read(const struct machine *m, uint64_t at, uint8_t *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t k = 0;

		while (k < m->nwords && at + i - m->words[k].at >= 8)
			k++;
		if (k == m->nwords)
			return false;
		to[i] = m->words[k].value >> (at + i - m->words[k].at) * 8;
	}
	return true;
}

static void machine_piece(struct machine *m, const struct goprobe_piece *p, uint32_t size)
{
	assert_true(p->size && p->frame + p->size <= size);
	switch (p->source) {
	case GOPROBE_FROM_INT_REG:
		assert_true(p->reg < 16 && p->size <= 8);
		memcpy(m->frame + p->frame, &m->regs[p->reg], p->size);
		return;
	case GOPROBE_FROM_FLOAT_REG:
		assert_in_range(p->reg, 17, 32);
		assert_true(p->size == 4 || p->size == 8);
		memcpy(m->frame + p->frame, &m->regs[p->reg], p->size);
		return;
	case GOPROBE_FROM_STACK:
		assert_in_range(p->offset, 0, (1 << 20) - 1);
		assert_true(machine_read(m, m->sp + p->offset, m->frame + p->frame, p->size));
		return;
	case GOPROBE_FROM_STATIC:
		assert_true(machine_read(m, p->address, m->frame + p->frame, p->size));
		return;
	}
	fail();
}

/* kmod/verify.c's rules. */
static void check_op(const struct goprobe_op *o, size_t left, uint32_t size)
{
	bool word = o->size == 1 || o->size == 2 || o->size == 4 || o->size == 8;

	assert_true(o->code > GOPROBE_OP_UNSPEC && o->code < __GOPROBE_OP_MAX);
	assert_true(o->a < 16 && o->b < 16);
	assert_true(!o->pad && !o->pad2);
	switch (o->code) {
	case GOPROBE_OP_JUMP:
	case GOPROBE_OP_JEQ:
	case GOPROBE_OP_JNE:
	case GOPROBE_OP_JLT:
	case GOPROBE_OP_JGE:
	case GOPROBE_OP_JSLT:
	case GOPROBE_OP_JSGE:
	case GOPROBE_OP_TRY:
		assert_true(o->offset <= left && !o->size);
		assert_true(o->code == GOPROBE_OP_TRY || !o->value);
		return;
	case GOPROBE_OP_STORE:
	case GOPROBE_OP_COPY:
		assert_true(o->size && o->offset + o->size <= size);
		assert_true(o->code == GOPROBE_OP_COPY ? !o->a : word && !o->b && !o->value);
		return;
	case GOPROBE_OP_LOAD:
		assert_true(word && !o->offset);
		return;
	case GOPROBE_OP_SIGN:
		assert_true(word && !o->offset && !o->value);
		return;
	case GOPROBE_OP_FAIL:
		assert_true(o->value > GOPROBE_CHUNK_OK && o->value < __GOPROBE_CHUNK_MAX);
		assert_true(!o->a && !o->b && !o->size && !o->offset);
		return;
	case GOPROBE_OP_MOVE:
	case GOPROBE_OP_ADD:
	case GOPROBE_OP_REG:
		assert_true(!o->size && !o->offset && !o->value);
		return;
	default:
		assert_true(!o->size && !o->offset && !o->b);
	}
}

static int load(struct machine *m, uint64_t base, const struct goprobe_op *o, uint8_t *to)
{
	uint64_t at = base + o->value;

	if (base < 4096 || at < 4096)
		return GOPROBE_CHUNK_NIL;
	return machine_read(m, at, to, o->size) ? GOPROBE_CHUNK_OK : GOPROBE_CHUNK_FAULT;
}

static bool jumps(const struct goprobe_op *o, uint64_t a, uint64_t b)
{
	switch (o->code) {
	case GOPROBE_OP_JUMP:
		return true;
	case GOPROBE_OP_JEQ:
		return a == b;
	case GOPROBE_OP_JNE:
		return a != b;
	case GOPROBE_OP_JLT:
		return a < b;
	case GOPROBE_OP_JGE:
		return a >= b;
	case GOPROBE_OP_JSLT:
		return (int64_t)a < (int64_t)b;
	case GOPROBE_OP_JSGE:
		return (int64_t)a >= (int64_t)b;
	}
	return false;
}

static int step(struct machine *m, uint64_t *r, const struct goprobe_op *o)
{
	uint64_t *a = &r[o->a], b = r[o->b];

	switch (o->code) {
	case GOPROBE_OP_IMM:
	case GOPROBE_OP_STATIC:
		*a = o->value;
		break;
	case GOPROBE_OP_REG:
		*a = m->regs[o->b];
		break;
	case GOPROBE_OP_SP:
		*a = m->sp + o->value;
		break;
	case GOPROBE_OP_LOAD:
		*a = 0;
		return load(m, b, o, (uint8_t *)a);
	case GOPROBE_OP_COPY:
		return load(m, b, o, m->frame + o->offset);
	case GOPROBE_OP_SIGN:
		*a = (int64_t)(b << (64 - o->size * 8)) >> (64 - o->size * 8);
		break;
	case GOPROBE_OP_MOVE:
		*a = b;
		break;
	case GOPROBE_OP_ADD:
		*a += b;
		break;
	case GOPROBE_OP_ADD_I:
		*a += o->value;
		break;
	case GOPROBE_OP_MUL_I:
		*a *= o->value;
		break;
	case GOPROBE_OP_STORE:
		memcpy(m->frame + o->offset, a, o->size);
		break;
	case GOPROBE_OP_FAIL:
		return (int)o->value;
	}
	return GOPROBE_CHUNK_OK;
}

static void machine_run(struct machine *m, const struct plan_capture *c)
{
	uint64_t r[16] = { 0 };
	size_t item = 0, resume = 0;

	for (size_t i = 0; i < c->npieces; i++)
		machine_piece(m, &c->pieces[i], c->size);
	for (size_t i = 0; i < c->nops; i++)
		check_op(&c->ops[i], c->nops - i - 1, c->size);
	for (size_t i = 0; i < c->nops;) {
		const struct goprobe_op *o = &c->ops[i];
		int status;

		if (o->code == GOPROBE_OP_TRY) {
			assert_true(o->value < c->nvalues);
			item = o->value;
			resume = i + 1 + o->offset;
			i++;
			continue;
		}
		if (jumps(o, r[o->a], r[o->b])) {
			i += 1 + o->offset;
			continue;
		}
		status = step(m, r, o);
		i++;
		if (status == GOPROBE_CHUNK_OK)
			continue;
		assert_true(i <= resume);
		m->failed[item] = status;
		i = resume;
	}
}

/* --- compiling ---------------------------------------- */

static struct bins_entry bins[BINS_MAX];
static struct gobin *newest, *oldest, *stripped;
static struct arena mem;
static struct spec specs[256];
static size_t nspecs;

/* 0, or -1 and @d is set. @side is 0 for the call's list. */
static int compile(struct gobin *bin, const char *text, int side, struct plan_capture *c,
		   struct diag *d)
{
	struct exprc_scope scope = { .bin = bin, .mem = &mem, .results = side };
	struct sigparse types = { .bin = bin, .mem = &mem };
	struct spec *s = &specs[nspecs];

	assert_true(nspecs < N(specs));
	if (spec_parse(text, s, d))
		return -1;
	nspecs++;
	scope.fn = bins_func(bin, s->pattern);
	if (!scope.fn)
		fail_msg("no function %s", s->pattern);
	scope.abi0 = scope.fn->flags & GOFUNC_ABI0;
	scope.sig = gobin_sig(bin, scope.fn);
	if (s->sig) {
		types.text = s->text;
		scope.sig = sigparse_sig(&types, s->sig, scope.fn, d);
		if (!scope.sig)
			return -1;
	}
	return exprc_compile(&scope, side ? s->ret : s->call, c, d);
}

/* "7 type" of value @i; "!range" if it failed; "?reason" if it is unavailable */
static void show(FILE *f, const struct machine *m, const struct plan_capture *c, size_t i)
{
	static const char *const statuses[] = {
		[GOPROBE_CHUNK_FAULT] = "!fault", [GOPROBE_CHUNK_NIL] = "!nil",
		[GOPROBE_CHUNK_RANGE] = "!range", [GOPROBE_CHUNK_TYPE] = "!type",
	};
	const struct plan_value *v = &c->values[i];

	fputs(i ? " | " : "", f);
	if (v->unavailable) {
		fprintf(f, "?%s", v->unavailable);
		return;
	}
	if (m->failed[i]) {
		fputs(statuses[m->failed[i]], f);
		return;
	}
	assert_true(v->offset + v->type->size <= c->size);
	for (size_t k = 0; k < v->type->size; k += 8) {
		uint64_t word = 0;

		memcpy(&word, m->frame + v->offset + k,
		       v->type->size - k < 8 ? v->type->size - k : 8);
		fprintf(f, "%lx ", word);
	}
	fputs(v->type->name, f);
	for (size_t k = 0; v->steps && k < v->steps->n; k++)
		fprintf(f, " >%d", v->steps->v[k].kind);
}

/* --- values ---------------------------------------- */

static struct value_row {
	const char *claim, *text, *setup, *shown;
	int side;
} values[] = {
	{ "a parameter in a register", "main.Ints(a)", "ax=7", "7 int" },
	{ "of a byte only the byte", "main.Ints(b, g)", "bx=1234ff r9=5501", "ff int8 | 1 bool" },
	{ "in any order, twice", "main.Ints(e, a, e)", "ax=7 si=9", "9 uint64 | 7 int | 9 uint64" },
	{ "a float", "main.Floats(b, i)", "x1=40400000 ax=5", "40400000 float32 | 5 int" },
	{ "both parts of a string", "main.Strings(s)", "ax=20000 bx=5", "20000 5 string" },
	{ "the length of a string is a part of it", "main.Strings(len(s), len(b), cap(b))",
	  "ax=20000 bx=5 di=6 si=7", "5 int | 6 int | 7 int" },
	{ "what is on the stack", "main.TenInts(j, a)", "ax=1 @8008=a", "a int | 1 int" },
	{ "a field in a register", "main.Structs(m.B, m.C, p.Y)",
	  "x0=3ff0000000000000 bx=20000 cx=3 r9=8",
	  "3ff0000000000000 float64 | 20000 3 string | 8 int" },
	{ "a field on the stack", "main.Structs(i.Name)", "@8010=20000 @8018=4", "20000 4 string" },
	{ "a promoted field", "main.Structs(i.ID)", "@8008=2a", "2a int" },
	{ "a type without bytes", "main.Structs(e)", "", "main.Empty" },
	{ "a field behind a pointer", "main.Refs(p.Value)", "di=20000 @20028=7", "7 int" },
	{ "behind several", "main.Refs(p.Left.Right.Value)",
	  "di=20000 @20000=30000 @30008=40000 @40028=7", "7 int" },
	{ "a field of a value on the stack, behind a pointer", "main.Refs(t.Left.Value)",
	  "@8008=20000 @20028=7", "7 int" },
	{ "nil at the start", "main.Refs(p.Value)", "di=0", "!nil" },
	{ "nil on the way", "main.Refs(p.Left.Value)", "di=20000 @20000=0", "!nil" },
	{ "nothing readable", "main.Refs(p.Left.Value)", "di=20000", "!fault" },
	{ "a failure is one value's own", "main.Refs(p.Value, len(t.Kids), p.Left.Value)",
	  "di=20000 @20000=0 @20028=7 @8020=3", "7 int | 3 int | !nil" },
	{ "a value that is pointed to", "main.Refs(*p.Left)",
	  "di=20000 @20000=30000 @30000=1 @30008=2 @30010=3 @30018=4 @30020=5 @30028=6",
	  "1 2 3 4 5 6 main.Tree" },
	{ "the value of a pointer to a number", "main.Loop(*p)", "ax=20000 @20000=9", "9 int" },
	{ "an element", "main.Slices(a[1].Name)", "ax=20000 bx=2 cx=2 @20038=30000 @20040=4",
	  "30000 4 string" },
	{ "the first element", "main.Slices(a[0].ID)", "ax=20000 bx=1 @20000=2a", "2a int" },
	{ "an element that is not there", "main.Slices(a[2].Name)", "ax=20000 bx=2 cx=9",
	  "!range" },
	{ "an element of nil", "main.Slices(a[0])", "ax=0 bx=0 cx=0", "!range" },
	{ "an element of an element", "main.Slices(b[1][2])",
	  "di=20000 si=2 @20018=30000 @20020=3 @30010=7", "7 int" },
	{ "the second index is checked too", "main.Slices(b[1][2])",
	  "di=20000 si=2 @20018=30000 @20020=2", "!range" },
	{ "elements of a slice in memory", "main.Refs(p.Kids[1].Kids[0].Value)",
	  "di=20000 @20010=30000 @20018=2 @30040=40000 @30048=1 @40028=7", "7 int" },
	{ "the length of a slice in memory", "main.Refs(len(p.Kids), cap(p.Kids))",
	  "di=20000 @20018=2 @20020=4", "2 int | 4 int" },
	{ "an index that is a parameter", "main.BlankLast(s[a])",
	  "ax=2 bx=20000 cx=3 @20000=636261",
	  "63 uint8" },
	{ "a negative index", "main.BlankLast(s[a])", "ax=ffffffffffffffff bx=20000 cx=3",
	  "!range" },
	{ "an index from the stack", "main.Vast(v[0])", "@8008=ff", "ff uint8" },
	{ "an index into what is on the stack", "main.Vast(v[b])", "bx=2 @8008=aabbcc",
	  "aa uint8" },
	{ "an index out of an array", "main.Vast(v[b])", "bx=1388", "!range" },
	{ "an array in a register", "main.Arrays(a[0], d[0].Y)", "ax=5 cx=6", "5 int | 6 int" },
	{ "an array on the stack", "main.Arrays(e[1], b[1])", "@8028=20000 @8030=3 @8010=8",
	  "20000 3 string | 8 int" },
	{ "the length of an array", "main.Arrays(len(b), cap(e), len(c))", "",
	  "2 int | 3 int | 0 int" },
	{ "a nil map has no entries, a nil channel no elements",
	  "main.Refs(len(m), len(c), cap(c))",
	  "ax=0 bx=0", "0 int | 0 int | 0 int" },
	{ "the length of a channel", "main.Refs(len(c), cap(c))", "bx=20000 @20000=3 @20008=5",
	  "3 int | 5 int" },
	{ "the length of a map", "main.Refs(len(m))", "ax=20000 @20000=3", "3 int" },
	{ "the entry of a map is found later", "main.Refs(m[\"a\"])", "ax=20000",
	  "20000 map[string]int >2" },
	{ "what an interface holds is found later", "main.Interfaces(e.s)", "cx=1 di=2",
	  "1 2 error >0" },
	{ "the elements of a variadic parameter", "main.Variadic(len(args), args[0])",
	  "cx=20000 di=1 @20000=1 @20008=2", "1 int | 1 2 interface {}" },
	{ "a receiver", "main.(*Point).Pointer(p.X, k)", "ax=20000 @20000=5 bx=6",
	  "5 int | 6 int" },
	{ "a result in a register", "main.Ints()(~r0)", "ax=3", "3 int", 1 },
	{ "results by name", "main.Results()(c, f[1], d[0])",
	  "x0=4008000000000000 @8010=9 di=20000 si=1 @20000=4",
	  "4008000000000000 float64 | 9 int | 4 int", 1 },
	{ "a signature that is given", "main.Ints(x *main.Point, y []string) : (x.Y, y[0])",
	  "ax=20000 @20008=5 bx=30000 cx=1 @30000=40000 @30008=2", "5 int | 40000 2 string" },
};

static struct gobin *row_bin;

static void test_value(void **state)
{
	const struct value_row *row = *state;
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c = { 0 };
	struct diag d = { 0 };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	machine_set(m, row->setup);
	if (compile(row_bin, row->text, row->side, &c, &d))
		fail_msg("%s", d.sentence);
	machine_run(m, &c);
	for (size_t i = 0; i < c.nvalues; i++)
		show(f, m, &c, i);
	fclose(f);
	assert_string_equal(text, row->shown);
	free(text);
	free(m);
}

/* The same on the oldest: all on the stack. */
static struct value_row old_values[] = {
	{ "before 1.17 all is on the stack", "main.Ints(b, e)", "@8010=aa @8018=bb",
	  "aa int8 | bb uint64" },
	{ "pointers too", "main.Refs(p.Left.Value)", "@8020=20000 @20000=30000 @30028=7", "7 int" },
	{ "slices too", "main.Slices(a[1].Name)", "@8008=20000 @8010=2 @20038=30000 @20040=4",
	  "30000 4 string" },
	{ "results too", "main.Ints()(~r7)", "@8030=3", "3 int", 1 },
};

static void test_old_value(void **state)
{
	if (!oldest) {
		print_message("no program of Go 1.16 or older\n");
		skip();
	}
	row_bin = oldest;
	test_value(state);
	row_bin = newest;
}

/* --- errors ---------------------------------------- */

static struct error_row {
	const char *claim, *text, *at, *sentence, *hint;
	int side;
} errors[] = {
	{ "an unknown parameter", "main.Strings(s, nn)", "nn", "main.Strings has no parameter 'nn'",
	  "it takes s, b, n; did you mean 'n'?" },
	{ "a parameter that is far from any", "main.Strings(configuration)", "configuration",
	  "main.Strings has no parameter 'configuration'", "it takes s, b, n" },
	{ "an unknown result", "main.Strings()(outt)", "outt", "main.Strings has no result 'outt'",
	  "it returns out, err; did you mean 'out'?", 1 },
	{ "a result at the call", "main.Strings(err)", "err",
	  "'err' is a result: it is known only when main.Strings returns",
	  "the first list is of the call, the second one of the return: 'main.Strings()(err)'" },
	{ "a parameter at the return", "main.Strings()(n)", "n",
	  "'n' is a parameter: it is known only when main.Strings is called",
	  "the first list is of the call, the second one of the return: 'main.Strings(n)()'", 1 },
	{ "an unknown field", "main.Refs(p.Valeu)", "Valeu", "main.Tree has no field 'Valeu'",
	  "did you mean 'Value'?" },
	{ "an unknown field, nothing near", "main.Refs(p.Left.Colour)", "Colour",
	  "main.Tree has no field 'Colour'", "it has Left, Right, Kids, Value" },
	{ "a field of a number", "main.Ints(a.b)", "b", "'a' is of type int, which has no fields",
	  NULL },
	{ "a pointer that is none", "main.Ints(*a)", "*", "'a' is of type int, not a pointer",
	  NULL },
	{ "an element of a number", "main.Ints(a[0])", "[",
	  "'a' is of type int, which has no elements",
	  NULL },
	{ "an element of a struct's field", "main.Refs(p.Value[1])", "[",
	  "'p.Value' is of type int, which has no elements", NULL },
	{ "an index that is a string", "main.Slices(a[\"x\"])", "\"x\"", "an index is a number",
	  NULL },
	{ "an index that is negative", "main.Slices(a[-1])", "1", "an index is not negative",
	  NULL },
	{ "an index that is no number", "main.Strings(b[s])", "s",
	  "'s' is of type string, and an index is a whole number", NULL },
	{ "an index beyond an array", "main.Arrays(b[2])", "2",
	  "index 2 is out of the range of [2]int",
	  NULL },
	{ "a key of another type", "main.Refs(m[1])", "1", "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "a key that is a parameter", "main.Refs(m[p])", "p", "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "the length of a number", "main.Ints(len(a))", "len",
	  "'a' is of type int, which has no length",
	  NULL },
	{ "the capacity of a string", "main.Strings(cap(s))", "cap",
	  "'s' is of type string, which has no capacity", NULL },
	{ "a type of what is no interface", "main.Ints(a.(int))", "(",
	  "'a' is of type int, not an interface",
	  NULL },
	{ "a type that is an interface", "main.Interfaces(s.(error))", "error",
	  "an interface never holds an interface, such as error", NULL },
	{ "a type that is not there", "main.Interfaces(s.(*main.Squaer))", "main.Squaer",
	  "the binary has no type 'main.Squaer'", "did you mean 'main.Square'?" },
	{ "an unknown variable of a package", "main.Ints(main.snik)", "main.snik",
	  "no package variable is called 'main.snik'", "did you mean 'main.sink'?" },
	{ "an unknown variable with a path", "main.Ints(encoding/json.x)", "encoding/json.x",
	  "no package variable is called 'encoding/json.x'", NULL },
	{ "a number", "main.Ints(a, 5)", "5", "a number is no value of the program", NULL },
	{ "a string", "main.Ints(a, \"x\")", "\"x\"", "a string in quotes can only be a key",
	  NULL },
	{ "an unknown type in a signature", "main.Ints(x *main.Nope) : (x)", "main.Nope",
	  "the binary has no type 'main.Nope'", NULL },
	{ "a type without its package", "main.Ints(x Point) : (x)", "Point",
	  "the binary has no type 'Point'", NULL },
	{ "a pointer to no slice", "main.Loop(p[0])", "[",
	  "'p' is of type *int, which has no elements",
	  NULL },
};

static void test_error(void **state)
{
	const struct error_row *row = *state;
	struct plan_capture c;
	struct diag d = { 0 };

	assert_int_equal(compile(newest, row->text, row->side, &c, &d), -1);
	assert_string_equal(d.sentence, row->sentence);
	assert_string_equal(d.text, row->text);
	assert_int_equal(d.len, strlen(row->at));
	assert_memory_equal(d.text + d.at, row->at, d.len);
	if (row->hint)
		assert_string_equal(d.hint ? d.hint : "(none)", row->hint);
	diag_fini(&d);
}

/* --- variables, assertions ---------------------------------------- */

static void put(struct machine *m, uint64_t at, uint64_t value)
{
	m->words[m->nwords++] = (struct word){ at, value };
}

static void test_variables(void **state)
{
	static const char *const texts[] = {
		"main.Ints(main.on)", "main.Ints(on)", "main.Leaf(on, a)",
	};
	struct machine *m = calloc(1, sizeof(*m));

	(void)state;
	for (size_t i = 0; i < N(texts); i++) {
		struct plan_capture c;
		struct diag d = { 0 };

		if (compile(newest, texts[i], 0, &c, &d))
			fail_msg("%s", d.sentence);
		assert_int_equal(c.pieces[0].source, GOPROBE_FROM_STATIC);
		assert_int_equal(c.pieces[0].size, 1);
		machine_set(m, "ax=3");
		put(m, c.pieces[0].address, 1);
		machine_run(m, &c);
		assert_int_equal(m->frame[c.values[0].offset], 1);
		assert_string_equal(c.values[0].type->name, "bool");
	}
	free(m);
}

/* Links are followed from a variable too; its short name will do. */
static void test_variable_path(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture whole, c;
	struct diag d = { 0 };
	uint64_t at;

	(void)state;
	if (compile(newest, "main.Ints(os.Stdout)", 0, &whole, &d) ||
	    compile(newest, "main.Ints(os.Stdout.name)", 0, &c, &d))
		fail_msg("%s", d.sentence);
	at = whole.pieces[0].address;
	assert_string_equal(whole.values[0].type->name, "*os.File");
	machine_set(m, "");
	put(m, at, 0x20000);
	put(m, 0x20000, 0x30000);
	/* os.File embeds *os.file, whose name is a string. */
	for (uint64_t k = 0; k < 0x60; k += 8)
		put(m, 0x30000 + k, 0x1000 + k);
	machine_run(m, &c);
	assert_int_equal(m->failed[0], 0);
	assert_string_equal(c.values[0].type->name, "string");
	assert_int_equal(m->frame[c.values[0].offset + 1], 0x10);
	free(m);
}

static void test_assertions(void **state)
{
	const struct gotype *square = gobin_find_type(newest, "main.Square");
	const struct gotype *pointer = gobin_find_type(newest, "*errors.errorString");
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;
	struct diag d = { 0 };

	(void)state;
	assert_non_null(square);
	assert_non_null(pointer);
	if (compile(newest, "main.Interfaces(s.(main.Square).Side, e.(*errors.errorString).s, any.(main.Square))",
		    0, &c, &d))
		fail_msg("%s", d.sentence);
	machine_set(m, "ax=20000 bx=30000 @30000=40 cx=21000 di=31000 @31000=5 @31008=6 r8=30000");
	m->regs[4] = square->rtype;
	put(m, 0x20008, square->rtype);
	put(m, 0x21008, pointer->rtype);
	machine_run(m, &c);
	for (int i = 0; i < 3; i++)
		assert_int_equal(m->failed[i], 0);
	assert_int_equal(m->frame[c.values[0].offset], 0x40);
	assert_int_equal(m->frame[c.values[1].offset], 5);
	assert_int_equal(m->frame[c.values[2].offset], 0x40);

	/* Other types, and none. */
	machine_set(m, "ax=20000 bx=30000 @30000=40 @20008=1234 cx=0 di=0 si=0 r8=0");
	machine_run(m, &c);
	assert_int_equal(m->failed[0], GOPROBE_CHUNK_TYPE);
	assert_int_equal(m->failed[1], GOPROBE_CHUNK_NIL);
	assert_int_equal(m->failed[2], GOPROBE_CHUNK_TYPE);
	free(m);
}

/* --- signatures ---------------------------------------- */

/* A type text, and what it comes to in the newest program. */
static const struct {
	const char *text, *name;
	enum gotype_kind kind;
	uint64_t size;
	uint32_t align;
} types[] = {
	{ "int", "int", GOTYPE_INT, 8, 8 },
	{ "byte", "uint8", GOTYPE_UINT, 1, 1 },
	{ "rune", "int32", GOTYPE_INT, 4, 4 },
	{ "any", "interface {}", GOTYPE_INTERFACE, 16, 8 },
	{ "error", "error", GOTYPE_INTERFACE, 16, 8 },
	{ "complex64", "complex64", GOTYPE_COMPLEX, 8, 4 },
	{ "complex128", "complex128", GOTYPE_COMPLEX, 16, 8 },
	{ "unsafe.Pointer", "unsafe.Pointer", GOTYPE_POINTER, 8, 8 },
	{ "[]byte", "[]uint8", GOTYPE_SLICE, 24, 8 },
	{ "[3]uint16", "[3]uint16", GOTYPE_ARRAY, 6, 2 },
	{ "*main.Point", "*main.Point", GOTYPE_POINTER, 8, 8 },
	{ "main.Mixed", "main.Mixed", GOTYPE_STRUCT, 40, 8 },
	{ "[]main.Item", "[]main.Item", GOTYPE_SLICE, 24, 8 },
	{ "time.Duration", "time.Duration", GOTYPE_INT, 8, 8 },
	{ "map[string][7]main.Point", "map[string][7]main.Point", GOTYPE_MAP, 8, 8 },
	{ "func(int, ...string) error", "func(int, ...string) error", GOTYPE_FUNC, 8, 8 },
	{ "<-chan main.Point", "<-chan main.Point", GOTYPE_CHAN, 8, 8 },
	{ "struct{ a byte; b int32; c byte }", "struct { a uint8; b int32; c uint8 }",
	  GOTYPE_STRUCT,
	  12, 4 },
	{ "struct{ a int; b struct{} }", "struct { a int; b struct {} }", GOTYPE_STRUCT, 16, 8 },
	{ "interface{ Area() float64 }", "interface { Area() float64 }", GOTYPE_INTERFACE, 16, 8 },
	{ "*text/template.Template", "*text/template.Template", GOTYPE_POINTER, 8, 8 },
	{ "*template.Template", "*text/template.Template", GOTYPE_POINTER, 8, 8 },
};

static const struct gotype *parse_type(struct gobin *bin, const char *text, struct diag *d)
{
	struct sigparse s = { .bin = bin, .mem = &mem, .text = text };
	const struct typexpr *t;
	struct lex lx;

	if (lex_scan(&lx, &mem, text, 0, d) || typexpr_parse(&lx, &t, d))
		return NULL;
	return sigparse_type(&s, t, d);
}

static void test_types(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(types); i++) {
		struct diag d = { 0 };
		const struct gotype *t = parse_type(newest, types[i].text, &d);

		if (!t)
			fail_msg("%s: %s", types[i].text, d.sentence);
		assert_string_equal(t->name, types[i].name);
		assert_int_equal(t->kind, types[i].kind);
		assert_int_equal(t->size, types[i].size);
		assert_int_equal(t->align, types[i].align);
	}
}

static void same_type(const struct gotype *a, const struct gotype *b, int depth)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->align, b->align);
	assert_int_equal(a->empty, b->empty);
	if (!depth || a == b)
		return;
	if (a->kind == GOTYPE_STRUCT) {
		assert_int_equal(a->nfields, b->nfields);
		for (size_t i = 0; i < a->nfields; i++) {
			assert_string_equal(a->fields[i].name, b->fields[i].name);
			assert_int_equal(a->fields[i].offset, b->fields[i].offset);
			same_type(a->fields[i].type, b->fields[i].type, depth - 1);
		}
	}
	if (a->elem && b->elem)
		same_type(a->elem, b->elem, depth - 1);
}

/*
 * Each function of package main, with the signature that its debug information
 * gives, written out and read back: the same types in the same places.
 */
static void test_signatures(void **state)
{
	size_t n, checked = 0;
	const struct gofunc *f = gobin_funcs(newest, &n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const struct gosig *sig = gobin_sig(newest, &f[i]), *got;
		struct sigparse types = { .bin = newest, .mem = &mem };
		char *text, *spec_text;
		struct diag d = { 0 };
		struct spec s;

		if (strncmp(f[i].name, "main.", 5) || strchr(f[i].name, '[') || sig->incomplete ||
		    f[i].flags & GOFUNC_WRAPPER || strstr(f[i].name, ".func"))
			continue;
		text = gobin_sig_text(newest, &f[i]);
		spec_text = arena_printf(&mem, "%s%s : ()", f[i].name, text + strlen("func"));
		if (spec_parse(spec_text, &s, &d))
			fail_msg("%s: %s", spec_text, d.sentence);
		types.text = s.text;
		got = sigparse_sig(&types, s.sig, &f[i], &d);
		if (!got)
			fail_msg("%s: %s", spec_text, d.sentence);
		assert_int_equal(got->nparams, sig->nparams);
		assert_int_equal(got->nresults, sig->nresults);
		for (size_t k = 0; k < sig->nparams; k++)
			same_type(got->params[k].type, sig->params[k].type, 4);
		for (size_t k = 0; k < sig->nresults; k++)
			same_type(got->results[k].type, sig->results[k].type, 4);
		assert_int_equal(sigparse_args_bytes(got, f[i].flags & GOFUNC_ABI0),
				 gobin_args_bytes(newest, &f[i]));
		spec_fini(&s);
		free(text);
		checked++;
	}
	assert_true(checked > 30);
}

struct map_walk {
	struct gobin *bin;
	size_t compared;
};

static int compare_map(void *ctx, uint64_t vaddr, const char *name)
{
	struct map_walk *w = ctx;
	const struct gotype *t = gobin_rtype(w->bin, vaddr), *built;
	struct sigparse s = { .bin = w->bin, .mem = &mem, .text = "" };
	/* Named unlike any, so that it is built from its parts. */
	struct typexpr key = { .name = t && t->key ? t->key->name : "" };
	struct typexpr elem = { .name = t && t->elem ? t->elem->name : "" };
	struct typexpr map = { .kind = TYPEXPR_MAP, .name = "?", .key = &key, .elem = &elem };
	struct diag d = { 0 };

	(void)name;
	if (!t || t->kind != GOTYPE_MAP || !t->map ||
	    gobin_find_type(w->bin, key.name) != t->key ||
	    gobin_find_type(w->bin, elem.name) != t->elem)
		return 0;
	built = sigparse_type(&s, &map, &d);
	assert_non_null(built);
	assert_int_equal(built->map->swiss, t->map->swiss);
	assert_int_equal(built->map->size, t->map->size);
	assert_int_equal(built->map->key_at, t->map->key_at);
	assert_int_equal(built->map->key_stride, t->map->key_stride);
	assert_int_equal(built->map->elem_at, t->map->elem_at);
	assert_int_equal(built->map->elem_stride, t->map->elem_stride);
	assert_int_equal(built->map->key_indirect, t->map->key_indirect);
	assert_int_equal(built->map->elem_indirect, t->map->elem_indirect);
	w->compared++;
	return 0;
}

/* All maps of whole programs: from their parts as their descriptors have them. */
static void test_map_layouts(void **state)
{
	size_t n = bins_list("", bins);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct map_walk w = { .bin = bins_open(bins[i].path) };

		gobin_each_rtype(w.bin, compare_map, &w);
		if (w.compared < 5)
			fail_msg("%s: %zu maps", bins[i].path, w.compared);
		gobin_free(w.bin);
	}
}

/* --- stripped ---------------------------------------- */

static void test_stripped(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c = { 0 };
	struct diag d = { 0 };

	(void)state;
	assert_int_equal(compile(stripped, "main.Leaf(a)", 0, &c, &d), -1);
	assert_string_equal(d.hint, "write the signature before it: 'main.Leaf(a T): (a)'");
	diag_fini(&d);
	if (compile(stripped,
		    "main.Structs(m struct { A int8; B float64; C string; _ int16; D bool }, p main.Point) : (m.C, p.Y)",
		    0, &c, &d))
		fail_msg("%s", d.sentence);
	machine_set(m, "bx=20000 cx=3 r9=8");
	machine_run(m, &c);
	assert_int_equal(m->frame[c.values[0].offset + 8], 3);
	assert_int_equal(m->frame[c.values[1].offset], 8);
	free(m);
}

static void test_registers(void **state)
{
	static const struct {
		int32_t bytes;
		size_t n;
	} rows[] = { { 0, 0 }, { 8, 1 }, { 12, 2 }, { 72, 9 }, { 4000, 9 }, { -1, 9 } };
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(exprc_registers(&mem, rows[i].bytes, &c), 0);
		assert_int_equal(c.nvalues, rows[i].n);
	}
	machine_set(m, "ax=1 bx=2 cx=3 di=4 si=5 r8=6 r9=7 r10=8 r11=9");
	machine_run(m, &c);
	for (uint64_t i = 0; i < 9; i++)
		assert_int_equal(m->frame[c.values[i].offset], i + 1);
	assert_string_equal(c.values[0].name, "$rax");
	assert_string_equal(c.values[8].name, "$r11");
	free(m);
}

/* What takes more than a record or a program has is refused, or says so. */
static void test_limits(void **state)
{
	struct plan_capture c;
	struct diag d = { 0 };
	char text[4000] = "main.Refs(p";

	(void)state;
	for (int i = 0; i < 15; i++)
		strcat(text, ".Kids[0]");
	strcat(text, ".Value)");
	if (compile(newest, text, 0, &c, &d))
		fail_msg("%s", d.sentence);
	assert_true(c.nops < 512);
	stpcpy(text, "main.Refs(");
	for (int i = 0; i < 8; i++)
		strcat(text, "p.Kids[len(");
	strcat(text, "p.Kids");
	for (int i = 0; i < 8; i++)
		strcat(text, ")].Kids");
	strcat(text, ")");
	assert_int_equal(compile(newest, text, 0, &c, &d), -1);
	assert_string_equal(d.sentence, "this takes more steps than a record can");
	diag_fini(&d);
	/* 5000 bytes of the stack. */
	if (compile(newest, "main.Vast(v, a)", 0, &c, &d))
		fail_msg("%s", d.sentence);
	assert_string_equal(c.values[0].unavailable, "larger than a record can hold");
	assert_null(c.values[1].unavailable);
}

static int open_all(void **state)
{
	size_t n = bins_list("", bins);

	(void)state;
	newest = bins_open(bins[n - 1].path);
	oldest = bins[0].minor < 17 ? bins_open(bins[0].path) : NULL;
	n = bins_list("-stripped", bins);
	stripped = bins_open(bins[n - 1].path);
	row_bin = newest;
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	gobin_free(newest);
	gobin_free(oldest);
	gobin_free(stripped);
	arena_fini(&mem);
	while (nspecs)
		spec_fini(&specs[--nspecs]);
	return 0;
}

int main(void)
{
	struct CMUnitTest tests[9 + N(values) + N(old_values) + N(errors)] = {
		{ "package variables, with and without their package", test_variables },
		{ "what package variables point to", test_variable_path },
		{ "type assertions are compared where it happens", test_assertions },
		{ "types that a user writes", test_types },
		{ "signatures written out are read back", test_signatures },
		{ "maps from their parts are as the compiler has them", test_map_layouts },
		{ "signatures make stripped programs readable", test_stripped },
		{ "registers, of functions that nothing is known of", test_registers },
		{ "limits", test_limits },
	};
	struct CMUnitTest *t = tests + 9;

	for (size_t i = 0; i < N(values); i++)
		*t++ = (struct CMUnitTest){ .name = values[i].claim, .test_func = test_value,
					    .initial_state = &values[i] };
	for (size_t i = 0; i < N(errors); i++)
		*t++ = (struct CMUnitTest){ .name = errors[i].claim, .test_func = test_error,
					    .initial_state = &errors[i] };
	for (size_t i = 0; i < N(old_values); i++)
		*t++ = (struct CMUnitTest){ .name = old_values[i].claim,
					    .test_func = test_old_value,
					    .initial_state = &old_values[i] };

	return cmocka_run_group_tests(tests, open_all, close_all);
}
