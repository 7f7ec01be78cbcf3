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
	{ "a glob with a type that two packages have", { "Mutex.Unl*" },
	  "'Mutex.Unl*' can be more than one function",
	  "did you mean 'internal/sync.Mutex.Unl*' or 'sync.Mutex.Unl*'?", 27 },
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
	{ "nothing near: the command that searches for it, by the file", { "main.Nope*" },
	  "matches 'main.Nope*'", "'goprobectl search -b /" },
	{ "a package that there is not", { "nope.*" }, "matches 'nope.*'",
	  "' finds functions by parts of their names" },
	{ "nothing near: the same by the process", { "main.Nope*" }, "matches 'main.Nope*'",
	  "'goprobectl search -p 77 Nope' finds functions by parts of their names", 0, 77 },
	{ "nothing near, and no word", { "main.[?]" }, "matches 'main.[?]'",
	  "'goprobectl search -p 77 main' finds", 0, 77 },
	{ "a method of another package", { "somewhere/else.(*point).pointer" },
	  "matches 'somewhere/else.(*point).pointer'", "did you mean 'main.(*Point).Pointer'?" },
	{ "the same by a pattern", { "somewhere.(*Point).*" }, "matches 'somewhere.(*Point).*'",
	  "did you mean '*.(*Point).*'?" },
	{ "a condition that was not quoted", { "main.Ints", "if", "a==1" },
	  "'if' belongs to the pattern before it", "quote them together: 'main.Ints if a==1'" },
	{ "the same with another word for it", { "main.Ints", "where", "a==1" },
	  "'where' belongs to the pattern before it", "quote them together: 'main.Ints if a==1'" },
	{ "of several that trace nothing the first one", { "main.Itns", "runtime.mcall" },
	  "matches 'main.Itns'", "did you mean 'main.Ints'?" },
	{ "one that changes calls, among others", { "main.Ints", "main.Leaf set q = 1" },
	  "main.Leaf has no parameter and no result 'q'", "" },
	{ "a function that can't be probed, and would be changed",
	  { "main.Ints", "runtime.mcall delay 1ms" },
	  "runtime.mcall can't be probed: ", "nothing is traced, as this would change calls" },
	{ "an init function by a number that there is not", { "os.init.99" }, "matches 'os.init.99'",
	  "'os.init*' matches its init functions; they run before main.main" },
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

ROWS(test_wrong, wrongs)
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
	{ "a glob with the last element of its package", "poll.(*FD).Clos?",
	  "internal/poll.(*FD).Close; " },
	{ "a glob with a type in place of a package", "Point.Poin*", "main.(*Point).Pointer; " },
	{ "one with its package", "main.Point.Poin*", "main.(*Point).Pointer; " },
	{ "a name with the end of its path", "internal/jsonopts.(*Struct).Join",
	  "encoding/json/internal/jsonopts.(*Struct).Join; " },
	{ "a glob with it", "internal/jsonopts.(*Struct).Joi?",
	  "encoding/json/internal/jsonopts.(*Struct).Join; " },
	{ "a regular expression with the last element of its package",
	  "/^poll\\.\\(\\*FD\\)\\.Close$/",
	  "internal/poll.(*FD).Close; " },
	{ "one with the end of its path",
	  "/^internal\\/jsonopts\\.\\(\\*Struct\\)\\.Joi.$/",
	  "encoding/json/internal/jsonopts.(*Struct).Join; " },
	{ "a glob with a star in its package", "pol?.(*FD).Close", "internal/poll.(*FD).Close; " },
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

ROWS(test_spelling, spellings)
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

/* What one pattern among several traces nothing of is no reason not to trace the others. */
static struct partial {
	const char *claim;
	const char *specs[4];
	const char *funcs;
	const char *missing[3];	/* for each pattern that traces nothing, some of the reason */
} partials[] = {
	{ "a name of nothing", { "main.Ints", "main.Laef" }, "main.Ints; ",
	  { "matches 'main.Laef'; did you mean 'main.Leaf'" } },
	{ "a glob of nothing, first", { "main.Nope*", "main.Ints" }, "main.Ints; ",
	  { "matches 'main.Nope*'; 'goprobectl search" } },
	{ "a regular expression of nothing", { "/Nope/", "main.Ints" }, "main.Ints; ",
	  { "matches '/Nope/'" } },
	{ "a name of several methods", { "(*FD).Close", "main.Ints", "Mutex.Unlock" },
	  "internal/poll.(*FD).Close; main.Ints; ",
	  { "'Mutex.Unlock' can be more than one function" } },
	{ "a function that can't be probed", { "main.Ints", "runtime.mcall", "main.Leaf" },
	  "main.Ints; main.Leaf; ", { "runtime.mcall can't be probed: " } },
	{ "a function that was inlined", { "main.Ints", "main.inlined" }, "main.Ints; ",
	  { "main.inlined can't be probed: " } },
	{ "a value that the function does not have", { "main.Ints(nope)", "main.Leaf" },
	  "main.Leaf; ", { "main.Ints has no parameter 'nope'" } },
	{ "a condition on what no function has", { "main.In* if nope > 1", "main.Leaf" },
	  "main.Leaf; ", { "no parameter and no result 'nope'" } },
	{ "a line without code, a file of nothing and an offset behind the function",
	  { "shapes/main.go:1", "mian.go:3", "main.Ints", "main.Leaf+0xffff" }, "main.Ints; ",
	  { "main.go:1 has no code", "no code of a file called 'mian.go'",
	    "there is no offset 0xffff" } },
	{ "an address in no function", { "*0x10", "main.Ints" }, "main.Ints; ",
	  { "has the address 0x10" } },
};

static void check_missing(const struct plan *p, const struct partial *row)
{
	size_t n = 0;

	while (n < N(row->missing) && row->missing[n]) {
		if (n >= p->nmissing || !strstr(p->missing[n].why, row->missing[n]))
			fail_msg("%s", n < p->nmissing ? p->missing[n].why : "nothing is missing");
		n++;
	}
	assert_int_equal(p->nmissing, n);
}

ROWS(test_partial, partials)
{
	const struct partial *row = *state;
	struct plan *p = plan_new(&plan_defaults);
	struct gobin *bin = bins_newest("");
	struct buf skipped = { 0 }, funcs = { 0 };
	struct arena mem = { 0 };
	struct spec *specs = NULL;
	struct diag d = { 0 };
	size_t n = 0;

	assert_non_null(p);
	while (n < N(row->specs) && row->specs[n])
		n++;
	assert_int_equal(select_specs_parse((char **)(uintptr_t)row->specs, n, &specs, &d), 0);
	if (select_functions(p, &bin, 1, specs, n, &mem, &skipped, &d))
		fail_msg("%s", d.message);
	for (size_t i = 0; i < p->nfuncs; i++) {
		buf_str(&funcs, p->funcs[i]->fn->name);
		buf_str(&funcs, "; ");
	}
	buf_char(&funcs, '\0');
	assert_string_equal(funcs.p, row->funcs);
	check_missing(p, row);
	select_specs_free(specs, n);
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

AROUND_ALL(enter_directory, leave_directory)
