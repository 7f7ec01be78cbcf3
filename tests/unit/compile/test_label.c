// SPDX-License-Identifier: GPL-2.0
/*
 * Label("key") in conditions, keys and captures, compiled against real
 * programs of either way to keep labels, and run on goroutines that the rows describe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/cond.h"
#include "compile/group_by.h"
#include "conds.h"
#include "gobin/pprof_labels.h"
#include "gobin/runtime_layout.h"
#include "lang/spec.h"
#include "machine.h"
#include "rows.h"

#define G 0x10000
#define M 0x11000
#define SET 0x12000
#define MAP 0x13000
#define ENTRIES 0x14000
#define TEXT 0x20000

/* Slices; buckets, and all on the stack. */

/* --- goroutines with labels ------------------------------------------------------- */

static void put_text(struct machine *m, uint64_t at, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t word = 0;

		memcpy(&word, s + i, n - i < 8 ? n - i : 8);
		machine_put(m, at + i, word);
	}
}

/* A string's header at @at; its bytes are where the @k-th are. */
static void put_string(struct machine *m, uint64_t at, size_t k, const char *s, size_t n)
{
	machine_put(m, at, n ? TEXT + k * 0x100 : 0);
	machine_put(m, at + 8, n);
	put_text(m, TEXT + k * 0x100, s, n);
}

/* Where key @i, and its value, are. */
static uint64_t key_at(bool slice, size_t i)
{
	return slice ? ENTRIES + i * 32 : ENTRIES + 8 + i * 16;
}

static uint64_t value_at(bool slice, size_t i)
{
	return slice ? ENTRIES + i * 32 + 16 : ENTRIES + 8 + 128 + i * 16;
}

/* "a=b c=d": a goroutine with these. "-": a free slot. "none": none were ever set. */
static void put_labels(struct machine *m, const struct gobin *bin, const char *labels)
{
	bool slice = gobin_go_minor(bin) >= 24;
	uint64_t hashes = 0;
	size_t n = 0, slots = 0;

	m->task[GOPROBE_TASK_G] = G;
	m->regs[gobin_runtime(bin)->g_reg & 15] = G;
	machine_put(m, G + gobin_runtime(bin)->g_m, M);
	machine_put(m, M + gobin_runtime(bin)->m_curg, G);
	machine_put(m, G + runtime_layout_get(gobin_go_minor(bin))->g.labels,
		    strcmp(labels, "none") ? SET : 0);
	if (!strcmp(labels, "none"))
		return;
	for (const char *s = labels; *s; s += strcspn(s, " "), s += *s == ' ') {
		size_t len = strcspn(s, " "), key = strcspn(s, "=");

		if (*s != '-') {
			put_string(m, key_at(slice, slots), 2 * slots, s, key);
			put_string(m, value_at(slice, slots), 2 * slots + 1, s + key + 1,
				   len - key - 1);
			hashes |= (uint64_t)(5 + slots) << (slots % 8 * 8);
			n++;
		}
		slots++;
	}
	if (slice) {
		machine_put(m, SET, ENTRIES);
		machine_put(m, SET + 8, n);
		return;
	}
	machine_put(m, SET, n ? MAP : 0);
	machine_put(m, MAP, n);
	/* More than 8 are in more than one bucket. */
	machine_put(m, MAP + 8, n > 8 ? 1 << 8 : 0);
	machine_put(m, MAP + 16, ENTRIES);
	machine_put(m, MAP + 24, 0);
	machine_put(m, ENTRIES, hashes);
	machine_put(m, ENTRIES + 8 + 256, 0);
}

static int compile(struct gobin *bin, const char *text, struct filter_pair *ret, struct diag *d)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem };
	struct spec s;
	int err;

	if (spec_parse(text, &s, d))
		return -1;
	scope.fn = bins_func(bin, s.pattern);
	assert_non_null(scope.fn);
	scope.abi0 = scope.fn->flags & GOFUNC_ABI0;
	scope.sig = gobin_sig(bin, scope.fn);
	err = cond_compile(&scope, s.text, s.cond, ret, d);
	spec_fini(&s);
	return err;
}

static const char *verdict(struct machine *m, const struct filter *f)
{
	static const char *const words[] = {
		[MACHINE_PASSES] = "yes", [MACHINE_REJECTED] = "no", [MACHINE_UNDECIDED] = "?",
	};

	return words[machine_filter(m, f->ops, f->nops)];
}

/* --- conditions --------------------------------------------------------------------- */

#define EIGHT "a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8"
#define SIXTEEN EIGHT " i=9 j=10 k=11 l=12 m=13 n=14 o=15 p=16"

/* @shown: of a map, and of a slice, if that differs. */
static struct label_row {
	const char *claim, *cond, *labels, *shown;
} labels[] = {
	{ "the label", "label(\"tenant\") == \"acme\"", "tenant=acme", "yes" },
	{ "another value", "label(\"tenant\") == \"acme\"", "tenant=acne", "no" },
	{ "a longer value", "label(\"tenant\") == \"acme\"", "tenant=acmes", "no" },
	{ "another key", "label(\"tenant\") == \"acme\"", "tenent=acme", "no" },
	{ "a longer key", "label(\"tenant\") == \"acme\"", "tenants=acme", "no" },
	{ "a shorter key", "label(\"tenant\") == \"acme\"", "tenan=acme", "no" },
	{ "not the label", "label(\"tenant\") != \"acme\"", "tenant=acme", "no" },
	{ "not another value", "label(\"tenant\") != \"acme\"", "tenant=acne", "yes" },
	{ "what is not there is not it", "label(\"tenant\") != \"acme\"", "a=acme", "yes" },
	{ "no label of that name", "label(\"tenant\") == \"\"", "a=1", "yes" },
	{ "some label of that name", "label(\"tenant\") != \"\"", "a=1 tenant=x", "yes" },
	{ "an empty one", "label(\"tenant\") == \"\"", "tenant= a=1", "yes" },
	{ "labels were never set", "label(\"tenant\") == \"\"", "none", "yes" },
	{ "labels were never set: not that", "label(\"tenant\") == \"x\"", "none", "no" },
	{ "no labels at all", "label(\"tenant\") == \"\"", "", "yes" },
	{ "the second", "label(\"b\") == \"2\"", "a=1 b=2", "yes" },
	{ "a prefix", "hasPrefix(label(\"tenant\"), \"ac\")", "a=b tenant=acme", "yes" },
	{ "no prefix", "hasPrefix(label(\"tenant\"), \"ac\")", "a=b tenant=abme", "no" },
	{ "a suffix", "strings.HasSuffix(label(\"tenant\"), \"me\")", "tenant=acme", "yes" },
	{ "a prefix of nothing", "hasPrefix(label(\"tenant\"), \"a\")", "none", "no" },
	{ "the length", "len(label(\"tenant\")) == 4", "a=1 tenant=acme", "yes" },
	{ "the length of nothing", "len(label(\"tenant\")) > 0", "a=1", "no" },
	{ "a byte", "label(\"tenant\")[1] == 'c'", "a=1 tenant=acme", "yes" },
	{ "a byte behind the end", "label(\"tenant\")[4] == 'c'", "a=1 tenant=acme", "?" },
	{ "two that are the same", "label(\"a\") == label(\"b\")", "a=xyz b=xyz", "yes" },
	{ "two that differ", "label(\"a\") == label(\"b\")", "a=xyz b=xyy", "no" },
	{ "two that are not there", "label(\"a\") == label(\"b\")", "c=1", "yes" },
	{ "one of two", "label(\"a\") == \"1\" || label(\"b\") == \"2\"", "b=2", "yes" },
	{ "both of two", "label(\"a\") == \"1\" && label(\"b\") == \"2\"", "b=2 a=1", "yes" },
	{ "a key of nine", "label(\"customer1\") == \"x\"", "customer2=x customer1=y", "no" },
	{ "a key of nine, the second", "label(\"customer1\") == \"x\"", "customer2=y customer1=x",
	  "yes" },
	{ "a long key", "label(\"the-name-of-the-customer\") != \"\"",
	  "the-name-of-the-customes=1 the-name-of-the-customer=2", "yes" },
	{ "a key without bytes", "label(\"\") == \"x\"", "a=y =x", "yes" },
	{ "the last of eight", "label(\"h\") == \"8\"", EIGHT, "yes" },
	{ "none of eight", "label(\"i\") == \"\"", EIGHT, "yes" },
	{ "the first of nine", "label(\"a\") == \"1\"", EIGHT " i=9", "? yes" },
	{ "the last of sixteen", "label(\"p\") == \"16\"", SIXTEEN, "? yes" },
	{ "none of sixteen", "label(\"q\") == \"\"", SIXTEEN, "? yes" },
	{ "of seventeen the sixteenth", "label(\"p\") == \"16\"", SIXTEEN " q=17", "? yes" },
	{ "of seventeen what is not among sixteen", "label(\"q\") == \"17\"", SIXTEEN " q=17",
	  "?" },
	{ "and what is not there at all", "label(\"r\") == \"\"", SIXTEEN " q=17", "?" },
};

static void check_label(struct gobin *bin, const struct label_row *row, const char *shown)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct filter_pair p;
	struct diag d = { 0 };
	char text[256];

	machine_set(m, "");
	put_labels(m, bin, row->labels);
	snprintf(text, sizeof(text), "main.Ints if %s", row->cond);
	if (compile(bin, text, &p, &d))
		fail_msg("%s", d.message);
	assert_string_equal(verdict(m, &p.call), shown);
	assert_false(p.returns);
	free(m);
}

ROWS(test_label, labels)
{
	const struct label_row *row = *state;
	char map[8], slice[8];
	int n = sscanf(row->shown, "%7s %7s", map, slice);

	check_label(newest, row, n == 2 ? slice : map);
	if (oldest)
		check_label(oldest, row, map);
}

/* A slot that was left is free, whatever it still has; an overflow bucket is not looked at. */
TEST(test_bucket, "buckets")
{
	static const char text[] = "main.Ints if label(\"a\") == \"1\"";
	static const struct {
		uint64_t hashes, flags, old, next;
		const char *shown;
	} rows[] = {
		{ 0x0605, 0, 0, 0, "yes" },	/* both slots are taken */
		{ 0x0604, 0, 0, 0, "no" },	/* what was there has moved */
		{ 0x0601, 0, 0, 0, "no" },
		{ 0x0601, 0, 0, 0x30000, "?" },	/* the rest is elsewhere */
		{ 0x0605, 0, 0, 0x30000, "yes" },
		{ 0x0605, 0, 0x30000, 0, "?" },	/* it grows */
		{ 0x0605, 0x0100, 0, 0, "?" },	/* two buckets */
	};
	struct filter_pair p;
	struct diag d = { 0 };

	if (!oldest)
		skip();
	if (compile(oldest, text, &p, &d))
		fail_msg("%s", d.message);
	for (size_t i = 0; i < N(rows); i++) {
		struct machine *m = calloc(1, sizeof(*m));

		/* The first entry is found first. */
		machine_set(m, "");
		machine_put(m, ENTRIES, rows[i].hashes);
		machine_put(m, MAP + 8, rows[i].flags);
		machine_put(m, MAP + 24, rows[i].old);
		machine_put(m, ENTRIES + 8 + 256, rows[i].next);
		put_labels(m, oldest, "a=1 b=2");
		assert_string_equal(verdict(m, &p.call), rows[i].shown);
		free(m);
	}
}

/* A hit without a goroutine has no labels; labels of an unreadable g are unknown. */
TEST(test_no_goroutine, "without a goroutine")
{
	struct machine *m = calloc(1, sizeof(*m));
	struct filter_pair p;
	struct diag d = { 0 };

	if (compile(newest, "main.Ints if label(\"a\") == \"\"", &p, &d))
		fail_msg("%s", d.message);
	machine_set(m, "g=0");
	assert_string_equal(verdict(m, &p.call), "yes");
	machine_set(m, "g=10000");
	assert_string_equal(verdict(m, &p.call), "?");
	free(m);
}

/* At the return, too. */
TEST(test_return, "where a call returns")
{
	struct machine *m = calloc(1, sizeof(*m));
	struct filter_pair p;
	struct diag d = { 0 };

	if (compile(newest, "main.Strings if err != nil || label(\"a\") == \"1\"", &p, &d))
		fail_msg("%s", d.message);
	assert_true(p.returns);
	assert_int_equal(p.call.nops, 0);
	machine_set(m, "cx=0");
	put_labels(m, newest, "a=1");
	assert_string_equal(verdict(m, &p.ret), "yes");
	machine_set(m, "cx=0");
	put_labels(m, newest, "a=2");
	assert_string_equal(verdict(m, &p.ret), "no");
	free(m);
}

/* --- keys and captures --------------------------------------------------------------- */

static void check_key(struct gobin *bin, const char *labels, uint64_t len, const char *bytes)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem, .fn = bins_func(bin, "main.Ints") };
	struct machine *m = calloc(1, sizeof(*m));
	struct group_by_exprs by = { .n = 0 };
	struct diag d = { 0 };
	struct group_by key;

	scope.sig = gobin_sig(bin, scope.fn);
	if (group_by_parse(&by, "label(\"tenant\")", &d) || group_by_compile(&scope, &by, &key, &d))
		fail_msg("%s", d.message);
	assert_false(key.params || key.results);
	assert_int_equal(key.parts[0].kind, GROUP_BY_STRING);
	machine_set(m, "");
	put_labels(m, bin, labels);
	assert_int_equal(machine_filter(m, key.ops, key.nops), MACHINE_PASSES);
	assert_int_equal(m->nkey, 1 + (len + 7) / 8);
	assert_int_equal(m->key[0], len);
	assert_memory_equal(m->key + 1, bytes, len);
	group_by_fini(&by);
	free(m);
}

TEST(test_key, "as a key")
{
	for (int i = 0; i < 2; i++) {
		struct gobin *bin = i ? oldest : newest;

		if (!bin)
			continue;
		check_key(bin, "a=1 tenant=acme", 4, "acme");
		check_key(bin, "a=1", 0, "");
		check_key(bin, "none", 0, "");
	}
}

static int capture(struct gobin *bin, const char *text, bool abi0, struct plan_capture *ret,
		   struct diag *d)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem, .abi0 = abi0 };
	struct spec s;
	int err;

	if (spec_parse(text, &s, d))
		return -1;
	scope.fn = bins_func(bin, s.pattern);
	scope.sig = gobin_sig(bin, scope.fn);
	assert_non_null(s.call);
	err = expr_compile(&scope, s.call, ret, d);
	spec_fini(&s);
	return err;
}

TEST(test_capture, "as a value")
{
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;
	struct diag d = { 0 };
	uint64_t string[2];

	if (capture(newest, "main.Ints(a, label(\"tenant\"), b)", false, &c, &d))
		fail_msg("%s", d.message);
	assert_int_equal(c.nvalues, 3);
	assert_string_equal(c.values[1].name, "label(\"tenant\")");
	assert_string_equal(c.values[1].type->name, "string");
	for (int i = 0; i < 3; i++) {
		static const char *const labels[] = { "a=1 tenant=acme", "a=1", "none" };

		machine_set(m, "ax=7 bx=8");
		put_labels(m, newest, labels[i]);
		machine_run(m, &c);
		assert_int_equal(m->failed[1], 0);
		memcpy(string, m->frame + c.values[1].offset, sizeof(string));
		assert_int_equal(string[0], i ? 0 : TEXT + 3 * 0x100);
		assert_int_equal(string[1], i ? 0 : 4);
		assert_int_equal(m->frame[c.values[0].offset], 7);
		assert_int_equal(m->frame[c.values[2].offset], 8);
	}
	machine_set(m, "ax=7 bx=8");
	put_labels(m, newest, SIXTEEN " q=1");
	machine_run(m, &c);
	assert_int_equal(m->failed[1], GOPROBE_CHUNK_RANGE);
	if (capture(newest, "main.Ints(label(\"tenant\"))", true, &c, &d))
		fail_msg("%s", d.message);
	assert_string_equal(c.values[0].unavailable, "its goroutine is not in a register");
	free(m);
}

/* --- errors ---------------------------------------------------------------------------- */

#define TEN "0123456789"

static struct error_row {
	const char *claim, *text, *message, *at;
} errors[] = {
	{ "no key", "main.Ints if label() == \"x\"", "the key of a label is a string in quotes",
	  ") == \"x\"" },
	{ "a key without quotes", "main.Ints if label(tenant) == \"x\"",
	  "the key of a label is a string in quotes", "tenant) == \"x\"" },
	{ "a key that is open", "main.Ints if label(\"a\" == \"x\"", "a ')' is missing here",
	  "== \"x\"" },
	{ "two keys", "main.Ints if label(\"a\", \"b\") == \"x\"", "a ')' is missing here",
	  ", \"b\") == \"x\"" },
	{ "alone", "main.Ints if label(\"a\")",
	  "'label(\"a\")' is of type string, and a condition is true or false", "label(\"a\")" },
	{ "an order", "main.Ints if label(\"a\") < \"x\"",
	  "strings are only compared with == and != in a condition", "< \"x\"" },
	{ "a number", "main.Ints if label(\"a\") == 5",
	  "'5' is no string, the type of 'label(\"a\")'", "5" },
	{ "a key that is too long for the limit of steps",
	  "main.Ints if label(\"" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
	  TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "\") == \"x\"",
	  "this takes more steps than a condition can", "label(" },
	{ "a capture without quotes", "main.Ints(label(a))",
	  "the key of a label is a string in quotes", "a))" },
};

ROWS(test_error, errors)
{
	const struct error_row *row = *state;
	struct plan_capture c;
	struct filter_pair p;
	struct diag d = { 0 };

	assert_int_equal(strstr(row->text, " if ") ? compile(newest, row->text, &p, &d) :
			 capture(newest, row->text, false, &c, &d), -1);
	assert_string_equal(d.message, row->message);
	assert_true(d.at <= strlen(row->text));
	assert_memory_equal(row->text + d.at, row->at, strlen(row->at));
	diag_fini(&d);
}

/* --- programs ---------------------------------------------------------------------------- */

/* A program's own type agrees with the table of its release. */
TEST(test_programs, "how programs keep labels")
{
	struct bins_each b = BINS("known", "");
	int seen = 0;

	while (bins_next(&b)) {
		assert_non_null(gobin_find_type(b.bin, "runtime/pprof.labelMap"));
		assert_int_equal(pprof_labels_of(b.bin),
				 b.minor < 24 ? PPROF_LABELS_MAP : PPROF_LABELS_SLICE);
		seen++;
	}
	assert_true(seen >= 3);
}

AROUND_ALL(conds_open, conds_close)
