// SPDX-License-Identifier: GPL-2.0
/* Names that a pattern matches, and places of errors. */
#include <stdint.h>
#include <string.h>

#include "base/suggest.h"
#include "lang/spec.h"
#include "rows.h"

static struct match {
	const char *claim, *pattern, *name;
	bool match;
} matches[] = {
	{ "a name is itself", "main.foo", "main.foo", true },
	{ "a name is not its beginning", "main.foo", "main.food", false },
	{ "a name is not its end", "foo", "main.foo", false },
	{ "case counts", "main.foo", "main.Foo", false },
	{ "a star is any text", "main.*", "main.foo", true },
	{ "a star is no text too", "main.foo*", "main.foo", true },
	{ "a star crosses dots and slashes", "*Get", "example.com/a/b.(*C).Get", true },
	{ "stars can be many", "*a*b*c*", "xxaxxbxxcxx", true },
	{ "stars keep the order", "*a*b*c*", "xxbxxaxxcxx", false },
	{ "a star tries again", "*ab", "aab", true },
	{ "a star tries again, later", "a*bc*d", "abbcbcxd", true },
	{ "what follows the last star ends the name", "main.*x", "main.xy", false },
	{ "a question mark is one character", "main.f?", "main.f1", true },
	{ "a question mark is not none", "main.f?", "main.f", false },
	{ "a receiver's star is a star", "shop.(*Cart).Add", "shop.(*Cart).Add", true },
	{ "a receiver's star is no wildcard", "shop.(*Cart).Add", "shop.(*BigCart).Add", false },
	{ "a receiver's star, then a wildcard", "shop.(**).Add", "shop.(*BigCart).Add", true },
	{ "a wildcard after a receiver", "shop.(*Cart).*", "shop.(*Cart).Add", true },
	{ "a generic function goes by its plain name", "main.Map", "main.Map[go.shape.int]", true },
	{ "a generic method goes by its plain name", "main.(*List).Push",
	  "main.(*List[go.shape.[]int]).Push", true },
	{ "nested type arguments are left out too", "main.F", "main.F[main.P[int],string]", true },
	{ "with brackets the whole name counts", "main.Map[go.shape.int]",
	  "main.Map[go.shape.int]", true },
	{ "with brackets another instance does not match", "main.Map[go.shape.int]",
	  "main.Map[go.shape.string]", false },
	{ "any type arguments, as tracebacks have them", "main.Map[...]",
	  "main.Map[go.shape.int,go.shape.string]", true },
	{ "any type arguments of a receiver", "main.(*List[...]).Push",
	  "main.(*List[go.shape.int]).Push", true },
	{ "arguments that a traceback leaves out", "main.(*List[...]).Push(...)",
	  "main.(*List[go.shape.int]).Push", true },
	{ "arguments of a traceback", "shop.(*Cart).Add(0xc000012345, {0x4a, 0x3})", "shop.(*Cart).Add",
	  true },
	{ "who has started a goroutine, in a traceback", "created by main.(*T).f in goroutine 7",
	  "main.(*T).f", true },
	{ "the same of older releases", "created by main.f", "main.f", true },
	{ "an empty struct of a traceback", "runtime.goexit({})", "runtime.goexit", true },
	{ "any type arguments, and a wildcard", "main.(*List[...]).*",
	  "main.(*List[go.shape.int]).Push", true },
	{ "an import path as Go code has it", "gopkg.in/yaml.v3.*",
	  "gopkg.in/yaml%2ev3.Unmarshal", true },
	{ "an import path as the linker has it", "gopkg.in/yaml%2ev3.Unmarshal",
	  "gopkg.in/yaml%2ev3.Unmarshal", true },
	{ "an import path, and a generic function", "gopkg.in/x.go.Map",
	  "gopkg.in/x%2ego.Map[go.shape.int]", true },
	{ "an import path is not another", "gopkg.in/yaml.v2.*", "gopkg.in/yaml%2ev3.Unmarshal",
	  false },
	{ "a closure", "main.main.func1", "main.main.func1", true },
	{ "a regexp is found anywhere", "/foo/", "main.foobar", true },
	{ "a regexp can be anchored", "/^foo/", "main.foobar", false },
	{ "a regexp has alternatives", "/^main\\.(a|b)$/", "main.b", true },
	{ "a regexp may hold slashes", "/example.com/shop/", "example.com/shop.Buy", true },
	{ "a regexp knows Go's class of digits", "/^main\\.f\\d+$/", "main.f12", true },
	{ "a class of digits has no letter", "/^main\\.f\\d+$/", "main.fdd", false },
	{ "classes in brackets", "/^main\\.[\\w.]+$/", "main.a_1.b", true },
	{ "a dot that is escaped in brackets", "/^a[^\\.]b$/", "a.b", false },
	{ "a class of what is no digit", "/^main\\.\\D+$/", "main.f1", false },
	{ "the end of a word", "/\\bfoo\\b/", "main.foobar", false },
	{ "a class of POSIX, and a bracket", "/^[][:alpha:]]+$/", "a]b", true },
	{ "a regexp sees generic names without type arguments", "/^main.Map$/",
	  "main.Map[go.shape.int]", true },
};

ROWS(test_match, matches)
{
	const struct match *row = *state;
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse(row->pattern, &s, &d), 0);
	assert_int_equal(spec_match(&s, row->name), row->match);
	spec_fini(&s);
}

static const struct {
	const char *pattern;
	enum spec_kind kind;
} kinds[] = {
	{ "main.foo", SPEC_NAME },	     { "shop.(*Cart).Add", SPEC_NAME },
	{ "main.Map[go.shape.*uint8]", SPEC_GLOB }, { "main.*", SPEC_GLOB },
	{ "main.fo?", SPEC_GLOB },	     { "/main/", SPEC_REGEX },
};

TEST(test_kinds, "names, globs and regexps are distinguished")
{
	for (size_t i = 0; i < N(kinds); i++) {
		struct diag d = { 0 };
		struct spec s;

		assert_int_equal(spec_parse(kinds[i].pattern, &s, &d), 0);
		assert_int_equal(s.kind, kinds[i].kind);
		spec_fini(&s);
	}
}

static struct error {
	const char *claim, *text, *message;
	size_t at, len;
	const char *hint;
} errors[] = {
	{ "refused: nothing", "", "empty", 0, 0 },
	{ "refused: a regexp without an end", "/main", "ends with '/'", 5, 0 },
	{ "refused: a slash", "/", "ends with '/'", 1, 0 },
	{ "refused: an empty regexp", "//", "empty regular expression", 0, 2 },
	{ "refused: a broken regexp", "/a(b/", "bad regular expression", 1, 3 },
	{ "refused: a letter that would mean itself", "/a\\pLb/",
	  "a regular expression has no '\\p' here", 2, 2 },
	{ "refused: an end that is no letter", "/ab\\z/",
	  "a regular expression has no '\\z' here", 3, 2 },
	{ "refused: an opposite in brackets", "/a[\\W]/",
	  "a regular expression has no '\\W' in brackets", 3, 2 },
	{ "refused: a flag", "/(?i)a/", "bad regular expression", 1, 5 },
	{ "refused: a blank", "main.foo bar", "no blanks", 8, 1, "argument of its own" },
	{ "refused: where", "main.foo where n == 1", "no blanks", 8, 1,
	  "a condition begins with 'if': 'main.foo if n == 1'" },
	{ "refused: a comma", "main.foo,main.bar", "no comma", 8, 1, "'main.foo' 'main.bar'" },
};

ROWS(test_error, errors)
{
	const struct error *row = *state;
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse(row->text, &s, &d), -1);
	assert_non_null(strstr(d.message, row->message));
	assert_string_equal(d.text, row->text);
	assert_int_equal(d.at, row->at);
	assert_int_equal(d.len, row->len);
	if (row->hint)
		assert_non_null(strstr(d.hint ? d.hint : "", row->hint));
	diag_fini(&d);
}

/* Where only a pattern makes sense. */
static struct error alone[] = {
	{ "a pattern alone: no arguments", "main.foo(x, y)", "names functions", 8, 6 },
	{ "a pattern alone: no arguments of a method", "shop.(*Cart).Add(sku)", "names functions",
	  16, 5 },
	{ "a pattern alone: no empty list", "main.foo()", "names functions", 8, 2 },
	{ "a pattern alone: no signature", "main.foo(int) error", "names functions", 8, 11 },
	{ "a pattern alone: no arguments of a regexp", "/foo/(x)", "names functions", 5, 3 },
	{ "a pattern alone: no condition", "main.foo if x > 5", "no calls here", 8, 9 },
	{ "a pattern alone: no signature and condition", "main.foo(x int) if x > 5",
	  "names functions", 8, 16 },
};

ROWS(test_alone, alone)
{
	const struct error *row = *state;
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse_pattern(row->text, &s, &d), -1);
	assert_non_null(strstr(d.message, row->message));
	assert_int_equal(d.at, row->at);
	assert_int_equal(d.len, row->len);
	diag_fini(&d);
	assert_int_equal(spec_parse_pattern("main.foo", &s, &d), 0);
	assert_string_equal(s.pattern, "main.foo");
	spec_fini(&s);
}

/* Where a condition makes sense, too. */
static struct error counted[] = {
	{ "a condition: no list", "main.foo(x) if x > 5", "only 'if' can follow", 8, 12 },
	{ "a condition: no list behind a signature", "main.foo(x int) : (x) if x > 5",
	  "only 'if' can follow", 8, 22 },
	{ "a condition: no list alone", "main.foo(x)", "names functions", 8, 3 },
	{ "a condition: no signature alone", "main.foo(x int)", "names functions", 8, 7 },
};

ROWS(test_counted, counted)
{
	static const char *const good[] = {
		"main.foo", "main.foo if x > 5", "main.foo(x int) if x > 5",
		"main.foo() error if ~r0 != nil", "/foo/ if x > 5",
	};
	const struct error *row = *state;
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse_condition(row->text, &s, &d), -1);
	assert_non_null(strstr(d.message, row->message));
	assert_int_equal(d.at, row->at);
	assert_int_equal(d.len, row->len);
	diag_fini(&d);
	for (size_t i = 0; i < N(good); i++) {
		assert_int_equal(spec_parse_condition(good[i], &s, &d), 0);
		spec_fini(&s);
	}
}

static const char *const names[] = {
	"main.foo", "main.main", "main.doWork", "main.half", "main.(*Cart).Add",
	"example.com/shop.(*Cart).Total", "example.com/shop.New", "runtime.gopark", "errors.Is",
};

static struct near_row {
	const char *claim, *wanted, *first;	/* first: NULL if nothing is near */
} nears[] = {
	{ "near: the package is missing", "foo", "main.foo" },
	{ "near: the package and the case are wrong", "Foo", "main.foo" },
	{ "near: two letters are swapped", "main.doWrok", "main.doWork" },
	{ "near: a letter is missing", "main.fo", "main.foo" },
	{ "near: the receiver's star is missing", "main.Cart.Add", "main.(*Cart).Add" },
	{ "near: package and star are missing", "Cart.Total", "example.com/shop.(*Cart).Total" },
	{ "near: the path is missing", "shop.New", "example.com/shop.New" },
	{ "near: the receiver is missing", "main.Add", "main.(*Cart).Add" },
	{ "near: the receiver is missing, and the path", "shop.Total",
	  "example.com/shop.(*Cart).Total" },
	{ "near: the module's path for main", "example.com/app.half", "main.half" },
	{ "near: short names are not near everything", "i8", NULL },
	{ "near: what is far is not near", "main.configure", NULL },
};

ROWS(test_near, nears)
{
	const struct near_row *row = *state;
	struct suggest near;

	suggest_init(&near, row->wanted);
	for (size_t k = 0; k < N(names); k++)
		suggest_offer(&near, names[k]);
	if (row->first)
		assert_string_equal(near.n ? near.name[0] : "nothing", row->first);
	else
		assert_int_equal(near.n, 0);
}
