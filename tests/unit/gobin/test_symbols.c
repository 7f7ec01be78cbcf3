// SPDX-License-Identifier: GPL-2.0
/*
 * gobin/symbols.c against the runtime itself: targets/frames prints what runtime.CallersFrames()
 * says of thousands of its own addresses, and of its own stacks.
 */
#include <stdint.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "elf/build_id.h"
#include "gobin/symbols.h"
#include "rows.h"
#include "synth.h"

#define WANTED_MAX 64

/* A line of the program's: "main.F	/src/main.go	12	401000". */
struct wanted {
	char func[1024];
	char file[1024];
	int line;
	uint64_t entry;
};

/**
 * struct run - what one of the programs says
 * @from: where it says it
 * @path: the program
 * @syms: its places
 * @bias: what its addresses are more than those of the file
 * @nameless: the one function that it has no name for, or 0
 * @line: the line that was read last
 * @frames: how many have been compared
 * @inlined: of these, those that were inlined
 * @deepest: most of one place
 * @stacks: stacks that have been compared
 */
struct run {
	FILE *from;
	const char *path;
	struct symbols syms;
	uint64_t bias;
	uint64_t nameless;
	char line[4096];
	size_t frames;
	size_t inlined;
	size_t deepest;
	size_t stacks;
};

static bool next_line(struct run *r)
{
	if (!fgets(r->line, sizeof(r->line), r->from))
		return false;
	r->line[strcspn(r->line, "\n")] = 0;
	return true;
}

/* The frames up to the empty line. */
static size_t read_frames(struct run *r, struct wanted *v)
{
	size_t n = 0;

	while (next_line(r) && *r->line) {
		char *at = r->line, *func = strsep(&at, "\t"), *file = strsep(&at, "\t");
		char *line = strsep(&at, "\t");

		assert_true(at && n < WANTED_MAX);
		snprintf(v[n].func, sizeof(v[n].func), "%s", func);
		snprintf(v[n].file, sizeof(v[n].file), "%s", strcmp(file, "?") ? file : "");
		v[n].line = atoi(line);
		v[n++].entry = strtoull(at, NULL, 16) - r->bias;
	}
	return n;
}

/* Since 1.21 the runtime writes "main.F[...]" for "main.F[go.shape.int]". */
static bool same_name(const char *ours, const char *theirs)
{
	const char *open = strchr(ours, '['), *shut = strrchr(ours, ']');
	char shorter[1024];

	if (!strcmp(ours, theirs))
		return true;
	if (!open || !shut || shut < open)
		return false;
	snprintf(shorter, sizeof(shorter), "%.*s[...]%s", (int)(open - ours), ours, shut + 1);
	return !strcmp(shorter, theirs);
}

static void expect_frame(struct run *r, uint64_t pc, const struct gobin_frame *f,
			 uint64_t entry, const struct wanted *w)
{
	const char *file = f->file ? f->file : "";

	/* The name at offset 0 the runtime takes for none (src/runtime/symtab.go: funcname). */
	bool first = !*w->func && (!r->nameless || r->nameless == entry);

	if (first)
		r->nameless = entry;
	r->frames++;
	r->inlined += f->inlined;
	if (f->func && (first || same_name(f->func, w->func)) && !strcmp(file, w->file) &&
	    f->line == w->line && entry == w->entry)
		return;
	fail_msg("%s: %#lx: %s %s:%d of %#lx, not %s %s:%d of %#lx", r->path, (unsigned long)pc,
		 f->func ? f->func : "(none)", file, f->line, (unsigned long)entry,
		 w->func, w->file, w->line, (unsigned long)w->entry);
}

/* The line of the func keyword is in the table since 1.20. */
static void expect_start(struct run *r, uint64_t entry, const struct gobin_frame *f)
{
	const struct gofunc *fn = gobin_func_at(r->syms.bin, entry);

	assert_string_equal(f->func, fn->name);
	assert_int_equal(f->start_line, gobin_go_minor(r->syms.bin) < 20 ? 0 : fn->line);
}

/* The linker's own, which is no function to us. */
static bool is_mark(const struct wanted *w, size_t n)
{
	return n == 1 && (!strcmp(w->func, "go.buildid") || !strncmp(w->func, "go:", 3));
}

/*
 * What the program asks keeps the function itself even if it is a wrapper, up to 1.20, and
 * where nothing is inlined. Stacks are complete without it in all releases.
 */
static void compare_outer_wrapper(struct run *r, uint64_t pc, const struct wanted *w)
{
	const struct symbol *s = symbols_at(&r->syms, pc, SYMBOL_RETURN | SYMBOL_WRAPPERS);
	const struct gobin_frame *f = &s->frames[s->n - 1];

	assert_true(f->wrapper && !f->inlined);
	expect_frame(r, pc, f, s->entry, w);
}

static void compare_place(struct run *r)
{
	uint64_t pc = strtoull(r->line + strlen("place "), NULL, 16) - r->bias;
	const struct symbol *s = symbols_at(&r->syms, pc, SYMBOL_RETURN);
	struct wanted w[WANTED_MAX];
	size_t n = read_frames(r, w);

	assert_non_null(s);
	assert_ptr_equal(symbols_at(&r->syms, pc, SYMBOL_RETURN), s);
	if (is_mark(w, n))
		return;
	if (n && n == s->n + 1)
		compare_outer_wrapper(r, pc, &w[--n]);
	if (s->n != n)
		fail_msg("%s: %#lx: %zu frames, not %zu; innermost %s, not %s", r->path,
			 (unsigned long)pc, s->n, n, s->n ? s->frames[0].func : "",
			 n ? w[0].func : "");
	assert_int_equal(s->pc, pc - 1);
	for (size_t i = 0; i < n; i++)
		expect_frame(r, pc, &s->frames[i], s->entry, &w[i]);
	if (n && !s->frames[n - 1].inlined)
		expect_start(r, s->entry, &s->frames[n - 1]);
	if (n > r->deepest)
		r->deepest = n;
}

/* "stack plain	401000 402000 ": its return addresses. */
static size_t read_addresses(struct run *r, uint64_t *pcs)
{
	char *at = strchr(r->line, '\t'), *end;
	size_t n = 0;

	assert_non_null(at);
	for (uint64_t pc; pc = strtoull(at, &end, 16), end != at; at = end) {
		assert_true(n < WANTED_MAX);
		pcs[n++] = pc - r->bias;
	}
	return n;
}

static void compare_stack(struct run *r)
{
	uint64_t pcs[WANTED_MAX];
	unsigned int how = SYMBOL_RETURN;
	struct wanted w[WANTED_MAX];
	size_t npcs = read_addresses(r, pcs), n, seen = 0;
	char what[64];

	snprintf(what, sizeof(what), "%.60s", r->line);
	n = read_frames(r, w);
	for (size_t i = 0; i < npcs; i++) {
		const struct symbol *s = symbols_at(&r->syms, pcs[i], how);

		assert_non_null(s);
		for (size_t k = 0; k < s->n; k++) {
			if (seen == n)
				fail_msg("%s: %s: %s is too much", r->path, what,
					 s->frames[k].func);
			expect_frame(r, pcs[i], &s->frames[k], s->entry, &w[seen++]);
		}
		how = s->caller;
	}
	if (seen != n)
		fail_msg("%s: %s: %s is missing", r->path, what, w[seen].func);
	r->stacks++;
}

static void compare_all(const char *path, struct gobin *bin)
{
	const struct gofunc *main_main = bins_func(bin, "main.main");
	struct run r = { .from = popen(path, "r"), .path = path };

	assert_non_null(r.from);
	symbols_init(&r.syms, bin, path);
	while (next_line(&r)) {
		if (!strncmp(r.line, "main ", 5))
			r.bias = strtoull(r.line + 5, NULL, 16) - main_main->entry;
		else if (!strncmp(r.line, "place ", 6))
			compare_place(&r);
		else if (!strncmp(r.line, "stack ", 6))
			compare_stack(&r);
		else
			fail_msg("%s says: %s", path, r.line);
	}
	assert_int_equal(pclose(r.from), 0);
	symbols_fini(&r.syms);
	print_message("# %s: %zu frames, %zu of them inlined, %zu deep at most, and %zu stacks\n",
		      path, r.frames, r.inlined, r.deepest, r.stacks);
	assert_true(r.frames > 5000 && r.inlined > 500 && r.deepest > 2);
	assert_true(r.stacks >= 12);
}

TEST(test_runtime, "places and stacks are named as the runtime itself names them")
{
	struct bins_each b = BINS("frames", "", "-pie", "-stripped", "-pie-stripped");

	while (bins_next(&b))
		compare_all(b.path, b.bin);
}

TEST(test_unknown, "what is in no function has no name")
{
	static const uint64_t pcs[] = { 0, 1, 0x1000, UINT64_MAX >> 2, UINT64_MAX };
	struct gobin *bin = bins_newest("");
	struct symbols s[2];

	symbols_init(&s[0], bin, "/bin/shop");
	symbols_init(&s[1], NULL, NULL);
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof(pcs) / sizeof(*pcs); k++) {
			const struct symbol *p = symbols_at(&s[i], pcs[k], SYMBOL_RETURN);

			assert_int_equal(p->n, 1);
			assert_null(p->frames[0].func);
			assert_int_equal(p->entry, 0);
			assert_int_equal(p->caller, SYMBOL_RETURN);
			assert_ptr_equal(p->of, &s[i]);
		}
		symbols_fini(&s[i]);
	}
	gobin_free(bin);
}

/* At its first byte a function has not been left by a call. */
TEST(test_entry, "an entry is never looked for in the function before")
{
	struct gobin *bin = bins_newest("");
	const struct gofunc *fn = bins_func(bin, "main.Ints");
	struct symbols s;

	symbols_init(&s, bin, NULL);
	for (unsigned int how = 0; how <= SYMBOL_RETURN; how++) {
		const struct symbol *p = symbols_at(&s, fn->entry, how);

		assert_int_equal(p->pc, fn->entry);
		assert_int_equal(p->entry, fn->entry);
		assert_int_equal(p->n, 1);
		assert_string_equal(p->frames[0].func, "main.Ints");
	}
	symbols_fini(&s);
	gobin_free(bin);
}

/* The innermost wrapper is reported on request. */
TEST(test_wrapper, "wrappers are reported on request")
{
	struct gobin *bin = bins_newest("");
	const struct gofunc *f;
	struct symbols s;
	size_t n, seen = 0, jumps = 0;

	f = gobin_funcs(bin, &n);
	symbols_init(&s, bin, NULL);
	for (size_t i = 0; i < n; i++) {
		const struct symbol *p;

		if (!(f[i].flags & GOFUNC_WRAPPER))
			continue;
		p = symbols_at(&s, f[i].entry, SYMBOL_WRAPPERS);
		assert_int_equal(p->n, 1);
		assert_string_equal(p->frames[0].func, f[i].name);
		/* What jumps to the real function never is on a stack, and is not marked. */
		if (!p->frames[0].wrapper) {
			assert_string_equal(f[i].file, "<autogenerated>");
			jumps++;
			continue;
		}
		assert_int_equal(symbols_at(&s, f[i].entry, 0)->n, 0);
		seen++;
	}
	assert_true(seen > 10 && jumps < seen);
	symbols_fini(&s);
	gobin_free(bin);
}

TEST(test_caller, "the function determines how its caller is looked up")
{
	static const struct {
		const char *func;
		unsigned int caller;
	} v[] = {
		{ "main.main", SYMBOL_RETURN },
		{ "runtime.gopanic", SYMBOL_RETURN | SYMBOL_WRAPPERS },
		{ "runtime.panicwrap", SYMBOL_RETURN | SYMBOL_WRAPPERS },
		{ "runtime.sigpanic", SYMBOL_WRAPPERS },
		{ "runtime.asyncPreempt", 0 },
		{ "runtime.debugCallV1", 0 },
		{ "runtime.debugCallV2", 0 },
	};
	struct bins_each b = BINS("frames", "", "-stripped");

	while (bins_next(&b)) {
		struct symbols s;

		symbols_init(&s, b.bin, NULL);
		for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
			const struct gofunc *f = bins_func(b.bin, v[i].func);

			const struct symbol *p = f ? symbols_at(&s, f->end - 1, 0) : NULL;

			if (p)
				assert_int_equal(p->caller, v[i].caller);
			else
				assert_non_null(strstr(v[i].func, "debugCall"));
		}
		symbols_fini(&s);
	}
}

/* --- build ids ------------------------------------------------------- */

static void put_note(struct synth_bytes *b, const char *owner, uint32_t type, const char *says)
{
	synth_u32(b, strlen(owner) + 1);
	synth_u32(b, strlen(says));
	synth_u32(b, type);
	synth_str(b, owner);
	synth_align(b, 4);
	synth_put(b, says, strlen(says));
	synth_align(b, 4);
}

TEST(test_notes, "a note is found among others, whole or cut")
{
	struct synth_bytes b = { .p = NULL };
	const uint8_t *found;
	size_t n = 0;

	put_note(&b, "Go", 4, "a/b/c");
	put_note(&b, "GNU", NT_GNU_ABI_TAG, "another");
	put_note(&b, "GNU", NT_GNU_BUILD_ID, "wanted");
	found = build_id_find(b.p, b.n, "GNU", NT_GNU_BUILD_ID, &n);
	assert_int_equal(n, 6);
	assert_memory_equal(found, "wanted", 6);
	found = build_id_find(b.p, b.n, "Go", 4, &n);
	assert_int_equal(n, 5);
	assert_memory_equal(found, "a/b/c", 5);
	assert_null(build_id_find(b.p, b.n, "Go", 5, &n));
	assert_null(build_id_find(b.p, b.n, "G", 4, &n));
	/* Cut anywhere, in memory that has no more; padding may be missing at the end. */
	for (size_t len = 0; len < b.n; len++) {
		uint8_t *p = malloc(len + 1);

		memcpy(p, b.p, len);
		found = build_id_find(p, len, "GNU", NT_GNU_BUILD_ID, &n);
		assert_int_equal(!!found, len + 2 >= b.n);
		free(p);
	}
	synth_set32(&b, 0, UINT32_MAX);
	assert_null(build_id_find(b.p, b.n, "GNU", NT_GNU_BUILD_ID, &n));
	synth_set32(&b, 0, 3);
	synth_set32(&b, 4, UINT32_MAX);
	assert_null(build_id_find(b.p, b.n, "Go", 4, &n));
	assert_null(build_id_find(b.p, b.n, "GNU", NT_GNU_BUILD_ID, &n));
	synth_fini(&b);
}

/* Since 1.24 there is a GNU one, outside the segment that has the notes. */
TEST(test_build_id, "every Go program says which build it is")
{
	struct bins_each b = BINS("frames", "");

	while (bins_next(&b)) {
		const char *id = gobin_build_id(b.bin);

		assert_non_null(id);
		assert_ptr_equal(gobin_build_id(b.bin), id);
		if (b.minor >= 24) {
			assert_int_equal(strlen(id), 40);
			assert_int_equal(strspn(id, "0123456789abcdef"), 40);
		} else {
			assert_non_null(strchr(id, '/'));
		}
	}
}

TEST(test_range, "code is mapped in one piece")
{
	struct bins_each b = BINS("frames", "", "-pie");
	struct gobin_range r;

	while (bins_next(&b)) {
		uint64_t entry = bins_func(b.bin, "main.main")->entry;

		assert_int_equal(gobin_code_range(b.bin, entry, &r), 0);
		assert_true(r.start <= entry && entry < r.end);
		assert_int_equal(gobin_code_offset(b.bin, entry), r.offset + (entry - r.start));
		assert_int_equal(gobin_code_range(b.bin, UINT64_MAX, &r), -1);
	}
}
