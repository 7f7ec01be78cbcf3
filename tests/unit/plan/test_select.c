// SPDX-License-Identifier: GPL-2.0
/* Messages about patterns without a match, or with functions that cannot be probed. */
#include "rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "plan/plan.h"
#include "plan/select.h"

/* A file in the current directory. */
#define FILE_THERE "main.go"

static struct wrong {
	const char *claim;
	const char *specs[3];
	const char *message;
	const char *hint;
	int least;		/* of the toolchain's version, or 0 */
	pid_t process;		/* that the program was found by, or 0 */
} wrongs[] = {
	{ "a method without a package that two packages have", { "(*Mutex).Unlock" },
	  "'(*Mutex).Unlock' can be more than one function",
	  "did you mean 'internal/sync.(*Mutex).Unlock' or 'sync.(*Mutex).Unlock'?", 27 },
	{ "two letters in the wrong order", { "main.(*Point).Poinetr" },
	  "no function of", "did you mean 'main.(*Point).Pointer'" },
	{ "a pattern in capitals", { "MAIN.*" }, "matches 'MAIN.*'", "did you mean 'main.*'?" },
	{ "a pattern with the path of vendored code", { "app/vendor/encoding/json.Mars*" },
	  "matches 'app/vendor/encoding/json.Mars*'", "did you mean 'encoding/json.Mars*'" },
	{ "a pattern with the module's path", { "example.com/app.*" },
	  "matches 'example.com/app.*'", "did you mean 'main.*'?" },
	{ "a pattern without a receiver's brackets", { "main.*point.pointer" },
	  "matches 'main.*point.pointer'", "did you mean 'main.(*Point).Pointer'?" },
	{ "a method's name without its receiver", { "main.Pointer" }, "matches 'main.Pointer'",
	  "'main.(*Point).Pointer'" },
	{ "an instance as Go code has it", { "main.Map[int]" }, "matches 'main.Map[int]'",
	  "'main.Map' matches all instances", 18 },
	{ "a pattern that was not quoted, by a file", { FILE_THERE }, "matches '" FILE_THERE "'",
	  "the shell expands a pattern that is not quoted" },
	{ "nothing near: the command that lists what there is, by the file", { "main.Nope*" },
	  "matches 'main.Nope*'", "'goprobectl list -b /" },
	{ "nothing near: the same by the process", { "main.Nope*" }, "matches 'main.Nope*'",
	  "'goprobectl list -p 77' shows what there is", 0, 77 },
	{ "a condition that was not quoted", { "main.Ints", "if", "a==1" },
	  "'if' belongs to the pattern before it", "quote them together: 'main.Ints if a==1'" },
	{ "the same with another word for it", { "main.Ints", "where", "a==1" },
	  "'where' belongs to the pattern before it", "quote them together: 'main.Ints if a==1'" },
	{ "one that can't be probed among others", { "main.Ints", "runtime.mcall", "main.Leaf" },
	  "runtime.mcall can't be probed: ", "without it the others can be traced" },
	{ "one that was inlined among others", { "main.Ints", "main.inlined" },
	  "main.inlined can't be probed: ", "; without it the others can be traced" },
	{ "one that was inlined alone", { "main.inlined" }, "main.inlined can't be probed: ",
	  "'goprobectl list --points' shows them" },
};

/* The error must be there. */
static void select_wrong(struct gobin *bin, const struct wrong *row, struct diag *d)
{
	struct plan *p = plan_new(&plan_defaults);
	struct buf skipped = { 0 };
	struct arena mem = { 0 };
	struct spec *specs = NULL;
	size_t n = 0;
	int err;

	assert_non_null(p);
	while (n < N(row->specs) && row->specs[n])
		n++;
	err = select_specs_parse((char **)(uintptr_t)row->specs, n, &specs, d);
	if (!err)
		err = select_functions(p, &bin, 1, specs, n, &mem, &skipped, d);
	assert_int_equal(err, -1);
	select_specs_free(specs, n);
	buf_fini(&skipped);
	plan_free(p);
	arena_fini(&mem);
}

static void test_wrong(void **state)
{
	const struct wrong *row = *state;
	struct bins_each b = BINS("shapes", "");
	size_t seen = 0;

	while (bins_next_path(&b)) {
		struct diag d = { 0 };
		struct gobin *bin;
		int fd;

		if (b.minor < row->least)
			continue;
		fd = open(b.path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(gobin_open_in(fd, b.path, row->process, &bin, &d), 0);
		close(fd);
		select_wrong(bin, row, &d);
		gobin_free(bin);
		if (!strstr(d.message, row->message) || !d.hint || !strstr(d.hint, row->hint))
			print_message("%s: %s\n    %s\n", b.path, d.message,
				      d.hint ? d.hint : "(no hint)");
		assert_non_null(strstr(d.message, row->message));
		assert_non_null(d.hint);
		assert_non_null(strstr(d.hint, row->hint));
		diag_fini(&d);
		seen++;
	}
	assert_true(seen);
}

/* Spellings of one function, or of the instances of one. */
static struct spelling {
	const char *claim;
	const char *spec;
	const char *funcs;
} spellings[] = {
	{ "a method without the brackets of its receiver", "main.Point.Pointer",
	  "main.(*Point).Pointer; " },
	{ "a method without its package", "(*Point).Pointer", "main.(*Point).Pointer; " },
	{ "a method without package and brackets, as Delve takes it", "Point.Pointer",
	  "main.(*Point).Pointer; " },
	{ "a method with the last element of its package", "poll.(*FD).Close",
	  "internal/poll.(*FD).Close; " },
	{ "the whole package goes first", "sync.Mutex.Unlock", "sync.(*Mutex).Unlock; " },
	{ "all instances of a method", "main.List.Push", "main.(*List[go.shape.struct { X int; Y int }]).Push; "
	  "main.(*List[go.shape.string]).Push; " },
	{ "one instance of a method", "main.(*List[string]).Push",
	  "main.(*List[go.shape.string]).Push; " },
	{ "one instance of a function", "main.Keep[int]", "main.Keep[go.shape.int]; " },
	{ "a name of a traceback", "created by main.(*Point).Pointer in goroutine 7",
	  "main.(*Point).Pointer; " },
	{ "a call of a traceback", "main.List.Push(0xc000012345, {0x4a, 0x3})",
	  "main.(*List[go.shape.struct { X int; Y int }]).Push; "
	  "main.(*List[go.shape.string]).Push; " },
};

static void test_spelling(void **state)
{
	const struct spelling *row = *state;
	char *const texts[] = { (char *)(uintptr_t)row->spec };
	struct plan *p = plan_new(&plan_defaults);
	struct gobin *bin = bins_newest("");
	struct buf skipped = { 0 }, funcs = { 0 };
	struct arena mem = { 0 };
	struct spec *specs = NULL;
	struct diag d = { 0 };

	assert_non_null(p);
	assert_int_equal(select_specs_parse((char **)(uintptr_t)texts, 1, &specs, &d), 0);
	if (select_functions(p, &bin, 1, specs, 1, &mem, &skipped, &d))
		fail_msg("%s", d.message);
	for (size_t i = 0; i < p->nfuncs; i++) {
		buf_str(&funcs, p->funcs[i]->fn->name);
		buf_str(&funcs, "; ");
	}
	buf_char(&funcs, '\0');
	assert_string_equal(funcs.p, row->funcs);
	select_specs_free(specs, 1);
	buf_fini(&skipped);
	buf_fini(&funcs);
	plan_free(p);
	arena_fini(&mem);
	gobin_free(bin);
}

static char dir[32];

static int enter_directory(void **state)
{
	int fd;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test_select.XXXXXX");
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	fd = open(FILE_THERE, O_CREAT | O_WRONLY, 0600);
	close(fd);
	return fd < 0;
}

static int leave_directory(void **state)
{
	(void)state;
	return unlink(FILE_THERE) || rmdir(dir);
}

int main(void)
{
	struct CMUnitTest tests[N(wrongs) + N(spellings)];
	struct CMUnitTest *end = ROWS(tests, wrongs, test_wrong);

	end = ROWS(end, spellings, test_spelling);

	return _cmocka_run_group_tests("tests", tests, end - tests, enter_directory,
				       leave_directory);
}
