// SPDX-License-Identifier: GPL-2.0
/* Grammar of lists, conditions and edits after a pattern. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/spec.h"
#include "rows.h"

/* --- trees as text ---------------------------------------- */

static void put(FILE *f, const struct expr *e);

/* Operators, and calls of predicates. */
static void put_cond(FILE *f, const struct expr *e)
{
	static const char *const ops[] = {
		[EXPR_OR] = "||", [EXPR_AND] = "&&", [EXPR_EQ] = "==", [EXPR_NE] = "!=",
		[EXPR_LT] = "<", [EXPR_LE] = "<=", [EXPR_GT] = ">", [EXPR_GE] = ">=",
		[EXPR_ADD] = "+", [EXPR_SUB] = "-", [EXPR_BIT_OR] = "|", [EXPR_XOR] = "^",
		[EXPR_MUL] = "*", [EXPR_DIV] = "/", [EXPR_MOD] = "%", [EXPR_SHL] = "<<",
		[EXPR_SHR] = ">>", [EXPR_BIT_AND] = "&", [EXPR_AND_NOT] = "&^", [EXPR_NOT] = "!",
		[EXPR_PLUS] = "+",
	};

	switch (e->kind) {
	case EXPR_FLOAT:
		fprintf(f, "%g", e->f);
		return;
	case EXPR_DURATION:
		fprintf(f, "%lluns", (unsigned long long)e->number);
		return;
	case EXPR_UNDER:
		fprintf(f, "(under %s)", e->s);
		return;
	case EXPR_PREFIX:
	case EXPR_SUFFIX:
	case EXPR_CONTAINS:
	case EXPR_MATCHES:
		fputs(e->kind == EXPR_PREFIX ? "(begins " : e->kind == EXPR_SUFFIX ? "(ends " :
		      e->kind == EXPR_CONTAINS ? "(has " : "(matches ", f);
		put(f, e->x);
		fprintf(f, " <%.*s>)", (int)e->n, e->s);
		return;
	case EXPR_UNARY:
	case EXPR_BINARY:
		fprintf(f, "(%s ", ops[e->op]);
		put(f, e->x);
		fputs(e->index ? " " : "", f);
		if (e->index)
			put(f, e->index);
		fputs(")", f);
		return;
	default:
		fail();
	}
}

static void put_bound(FILE *f, const struct expr *e)
{
	fputs(e ? " " : " _", f);
	if (e)
		put(f, e);
}

static void put(FILE *f, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NAME:
		fputs(e->s, f);
		return;
	case EXPR_VARIABLE:
		fprintf(f, "{%s}", e->s);
		return;
	case EXPR_NUMBER:
		fprintf(f, e->negative ? "-%llu" : "%llu",
			(unsigned long long)(e->negative ? -e->number : e->number));
		return;
	case EXPR_STRING:
		fprintf(f, "<%.*s>", (int)e->n, e->s);
		return;
	case EXPR_FIELD:
		fputs("(. ", f);
		put(f, e->x);
		fprintf(f, " %s)", e->s);
		return;
	case EXPR_INDEX:
		fputs("([] ", f);
		put(f, e->x);
		fputs(" ", f);
		put(f, e->index);
		fputs(")", f);
		return;
	case EXPR_SLICE:
		fputs("([:] ", f);
		put(f, e->x);
		put_bound(f, e->index);
		put_bound(f, e->high);
		fputs(")", f);
		return;
	case EXPR_ASSERT:
		fputs("(is ", f);
		put(f, e->x);
		fprintf(f, " %s)", e->type->name);
		return;
	case EXPR_DEREF:
	case EXPR_LEN:
	case EXPR_CAP:
		fputs(e->kind == EXPR_DEREF ? "(* " : e->kind == EXPR_LEN ? "(len " : "(cap ", f);
		put(f, e->x);
		fputs(")", f);
		return;
	default:
		put_cond(f, e);
	}
}

static void put_list(FILE *f, const struct expr_list *l)
{
	fputs("[", f);
	for (size_t i = 0; i < l->n; i++) {
		fputs(i ? " | " : "", f);
		put(f, l->v[i]);
	}
	fputs("]", f);
}

static void put_params(FILE *f, const struct typexpr_param *p, size_t n)
{
	fputs("(", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s %s%s", i ? ", " : "", p[i].name ? p[i].name : "-",
			p[i].variadic ? "..." : "", p[i].type->name);
	fputs(")", f);
}

/* "pattern", then "sig", params and results, then "call" and "ret" lists */
static char *dump(const struct spec *s)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs(s->pattern, f);
	if (s->sig) {
		fputs(" sig", f);
		put_params(f, s->sig->params, s->sig->nparams);
		put_params(f, s->sig->results, s->sig->nresults);
	}
	if (s->call) {
		fputs(" call", f);
		put_list(f, s->call);
	}
	if (s->ret) {
		fputs(" ret", f);
		put_list(f, s->ret);
	}
	if (s->cond) {
		fputs(" if ", f);
		put(f, s->cond);
	}
	fclose(f);
	return text;
}

/* --- what is accepted ---------------------------------------- */

static struct accepted {
	const char *claim, *text, *tree;
} accepted[] = {
	{ "a pattern alone", "main.f", "main.f" },
	{ "a method alone", "shop.(*Cart).Add", "shop.(*Cart).Add" },
	{ "a closure alone", "main.f.func1", "main.f.func1" },
	{ "a glob of receivers alone", "*(*Cart).Add", "*(*Cart).Add" },
	{ "a bound method alone", "main.(*T).M-fm", "main.(*T).M-fm" },
	{ "a generic function alone", "main.Map[go.shape.int,func(int) string]",
	  "main.Map[go.shape.int,func(int) string]" },
	{ "parameters", "main.f(x, y)", "main.f call[x | y]" },
	{ "of a method", "shop.(*Cart).Add(sku)", "shop.(*Cart).Add call[sku]" },
	{ "of a method of a generic type", "main.(*List[int]).Push(v)",
	  "main.(*List[int]).Push call[v]" },
	{ "of a generic function", "main.Map[func(int) string](x)",
	  "main.Map[func(int) string] call[x]" },
	{ "of a closure", "main.f.func1(x)", "main.f.func1 call[x]" },
	{ "of a glob", "main.*(x)", "main.* call[x]" },
	{ "of a regular expression", "/^main\\./(x)", "^main\\. call[x]" },
	{ "a regular expression that ends in a group", "/main.(a|b)/", "main.(a|b)" },
	{ "a regular expression with a slash before a group", "/a/(b|c)/d/(x)(y)",
	  "a/(b|c)/d call[x] ret[y]" },
	{ "a string that looks like the end of one", "/f/(m[\"net/(http)\"])",
	  "f call[([] m <net/(http)>)]" },
	{ "nothing of the call", "main.f()", "main.f call[]" },
	{ "results", "main.f(x)(err, n)", "main.f call[x] ret[err | n]" },
	{ "results only", "main.f()(err)", "main.f call[] ret[err]" },
	{ "no results", "main.f(x)()", "main.f call[x] ret[]" },
	{ "an unnamed result", "main.f()(~r0)", "main.f call[] ret[~r0]" },
	{ "blanks anywhere", " main.f ( x ,y ) ( z ) " + 1, "main.f call[x | y] ret[z]" },
	{ "a comma at the end", "main.f(x, y,)", "main.f call[x | y]" },
	{ "the example of the manual",
	  "main.handle(r.Method, r.URL.Path, len(r.Header), *r.TLS, s.items[0].id, r.Header[\"Accept\"], main.counter)",
	  "main.handle call[(. r Method) | (. (. r URL) Path) | (len (. r Header)) | (* (. r TLS)) | (. ([] (. s items) 0) id) | ([] (. r Header) <Accept>) | (. main counter)]"
	},
	{ "a star binds less than a dot", "f(*a.b)", "f call[(* (. a b))]" },
	{ "parentheses bind most", "f((*a).b)", "f call[(. (* a) b)]" },
	{ "stars of stars", "f(**a)", "f call[(* (* a))]" },
	{ "an index that is an expression", "f(a[b.i])", "f call[([] a (. b i))]" },
	{ "an index that is a sum", "f(a[i + 1 - b.i])", "f call[([] a (- (+ i 1) (. b i)))]" },
	{ "an index of an index", "f(a[0][1])", "f call[([] ([] a 0) 1)]" },
	{ "a negative key", "f(m[-1])", "f call[([] m -1)]" },
	{ "the least key", "f(m[-9223372036854775808])", "f call[([] m -9223372036854775808)]" },
	{ "numbers of all bases", "f(a[0x1F], a[0b11], a[0o17], a[017], a[1_000], a['A'])",
	  "f call[([] a 31) | ([] a 3) | ([] a 15) | ([] a 15) | ([] a 1000) | ([] a 65)]" },
	{ "a rune beyond ASCII", "f(m['é'], m['\\n'], m['\\u00e9'])",
	  "f call[([] m 233) | ([] m 10) | ([] m 233)]" },
	{ "a string with escapes", "f(m[\"a\\\"b\\x41\\102\\u00e9)\"])",
	  "f call[([] m <a\"bABé)>)]" },
	{ "a raw string", "f(m[`a\\n)`])", "f call[([] m <a\\n)>)]" },
	{ "cap and len", "f(cap(a), len(a.b))", "f call[(cap a) | (len (. a b))]" },
	{ "parameters that are called len and cap", "f(len, cap.x)", "f call[len | (. cap x)]" },
	{ "a type assertion", "f(err.(*fs.PathError).Path)",
	  "f call[(. (is err *fs.PathError) Path)]" },
	{ "a type assertion to a long name", "f(e.(*io/fs.PathError))",
	  "f call[(is e *io/fs.PathError)]" },
	{ "a variable by its package's path", "f(net/http.DefaultClient.Timeout)",
	  "f call[(. {net/http.DefaultClient} Timeout)]" },
	{ "a variable by a path with dots and dashes", "f(example.com/go-shop/cart.Total)",
	  "f call[{example.com/go-shop/cart.Total}]" },
	{ "a variable by a quoted path", "f(\"net/http\".DefaultClient)",
	  "f call[{net/http.DefaultClient}]" },
	{ "letters of all languages", "f(größe.länge)", "f call[(. größe länge)]" },
	{ "a parameter called like a type, in parentheses", "f((error))", "f call[error]" },
	{ "a parameter called like a type, among others", "f(error, x)", "f call[error | x]" },

	{ "a signature", "main.f(a int, b string) (n int, err error)",
	  "main.f sig(a int, b string)(n int, err error)" },
	{ "the manual's signature",
	  "main.handle(w http.ResponseWriter, r *http.Request) (n int, err error)",
	  "main.handle sig(w http.ResponseWriter, r *http.Request)(n int, err error)" },
	{ "a signature with one result", "main.f(a int) error", "main.f sig(a int)(- error)" },
	{ "a signature with a pointer result", "main.f(a int) *T", "main.f sig(a int)(- *T)" },
	{ "a signature without parameters", "main.f() error", "main.f sig()(- error)" },
	{ "a signature with results only", "main.f() (int, error)",
	  "main.f sig()(- int, - error)" },
	{ "a signature without results", "main.f(a int)", "main.f sig(a int)()" },
	{ "grouped names", "main.f(a, b int, c, d *T)",
	  "main.f sig(a int, b int, c *T, d *T)()" },
	{ "grouped names that are types elsewhere", "main.f(byte, any, n int)",
	  "main.f sig(byte int, any int, n int)()" },
	{ "unnamed parameters", "main.f(int, string)", "main.f sig(- int, - string)()" },
	{ "unnamed parameters with a result", "main.f(T, io.Reader) error",
	  "main.f sig(- T, - io.Reader)(- error)" },
	{ "unnamed parameters of kinds", "main.f([]byte, map[string]int, func(int) error)",
	  "main.f sig(- []uint8, - map[string]int, - func(int) error)()" },
	{ "a generic parameter", "main.f(l List[int], m main.Map[string, []int])",
	  "main.f sig(l List[int], m main.Map[string,[]int])()" },
	{ "an unnamed generic parameter", "main.f(List[int], *T) error",
	  "main.f sig(- List[int], - *T)(- error)" },
	{ "arrays", "main.f(a [4]byte, b [2][3]int)", "main.f sig(a [4]uint8, b [2][3]int)()" },
	{ "an array of pointers", "main.f() (_ [2]*main.T)", "main.f sig()(_ [2]*main.T)" },
	{ "an array of arrays of pointers", "main.f(a [2][3]**T)", "main.f sig(a [2][3]**T)()" },
	{ "an element and a factor", "main.f(a[2]*b, a[2] * b)",
	  "main.f call[(* ([] a 2) b) | (* ([] a 2) b)]" },
	{ "slices of slices", "main.f(a [][]byte)", "main.f sig(a [][]uint8)()" },
	{ "a variadic parameter", "main.f(format string, args ...any)",
	  "main.f sig(format string, args ...[]interface {})()" },
	{ "an unnamed variadic parameter", "main.f(...int)", "main.f sig(- ...[]int)()" },
	{ "channels", "main.f(a chan int, b <-chan T, c chan<- T)",
	  "main.f sig(a chan int, b <-chan T, c chan<- T)()" },
	{ "functions", "main.f(a func(x, y int, z ...string) (int, error), b func())",
	  "main.f sig(a func(int, int, ...string) (int, error), b func())()" },
	{ "structs", "main.f(a struct { X, y int; T; *U; Z []int `tag` }, b struct{})",
	  "main.f sig(a struct { X int; y int; T; *U; Z []int }, b struct {})()" },
	{ "interfaces", "main.f(a interface{}, b interface { Len() int; At(i int) (T, error) })",
	  "main.f sig(a interface {}, b interface { Len() int; At(int) (T, error) })()" },
	{ "types by their packages' paths", "main.f(r *net/http.Request, x \"gopkg.in/a.b\".T)",
	  "main.f sig(r *net/http.Request, x gopkg.in/a.b.T)()" },
	{ "types in parentheses", "main.f(a *(T), b (func()))", "main.f sig(a *T, b func())()" },
	{ "blank parameters", "main.f(_ int, _ string)", "main.f sig(_ int, _ string)()" },
	{ "a signature of a method", "main.(*T).M(a int) error",
	  "main.(*T).M sig(a int)(- error)" },
	{ "a signature and values", "main.f(r *T) error : (r.x, r.y)(~r0.z)",
	  "main.f sig(r *T)(- error) call[(. r x) | (. r y)] ret[(. ~r0 z)]" },
	{ "a signature without results, and values", "main.f(r *T): (r.x)",
	  "main.f sig(r *T)() call[(. r x)]" },
	{ "a condition", "main.f if x > 5", "main.f if (> x 5)" },
	{ "the manual's condition", "main.handle if r.Method == \"POST\" && len(r.Body) > 4096",
	  "main.handle if (&& (== (. r Method) <POST>) (> (len (. r Body)) 4096))" },
	{ "of a method", "shop.(*Cart).Add if c.n > 0", "shop.(*Cart).Add if (> (. c n) 0)" },
	{ "of a generic function", "main.Map[func(int) string] if x > 0",
	  "main.Map[func(int) string] if (> x 0)" },
	{ "of a glob", "main.* if x", "main.* if x" },
	{ "of a regular expression", "/^main\\./ if x > 0", "^main\\. if (> x 0)" },
	{ "of a regular expression, with slashes", "/a/b/ if x > 0 && y / 2 == 1",
	  "a/b if (&& (> x 0) (== (/ y 2) 1))" },
	{ "of a regular expression with a list", "/f/(x) if s == \"/ (\"",
	  "f call[x] if (== s </ (>)" },
	{ "of a regular expression with a signature", "/f/(x int) error if x / (x) == 1",
	  "f sig(x int)(- error) if (== (/ x x) 1)" },
	{ "behind a list", "main.f(x) if x > 0", "main.f call[x] if (> x 0)" },
	{ "without a blank", "main.f(x)if x", "main.f call[x] if x" },
	{ "in parentheses", "main.f if(x)", "main.f if x" },
	{ "behind two lists", "main.f()(err) if err != nil",
	  "main.f call[] ret[err] if (!= err nil)" },
	{ "behind nothing of the call", "main.f() if x", "main.f call[] if x" },
	{ "behind a signature", "main.f(x int) if x > 0", "main.f sig(x int)() if (> x 0)" },
	{ "behind a signature with results", "main.f(x int) (n int, err error) if n > 0",
	  "main.f sig(x int)(n int, err error) if (> n 0)" },
	{ "behind a signature and values", "main.f(x T) error : (x.a)(~r0) if x.b",
	  "main.f sig(x T)(- error) call[(. x a)] ret[~r0] if (. x b)" },
	{ "a function whose name begins so", "main.iffy if iffy", "main.iffy if iffy" },
	{ "precedence", "f if a || b && c == d + e * g",
	  "f if (|| a (&& b (== c (+ d (* e g)))))" },
	{ "the other way around", "f if a * b + c == d && e || g",
	  "f if (|| (&& (== (+ (* a b) c) d) e) g)" },
	{ "what is alike is done from left to right", "f if a - b - c == a / b % c << d",
	  "f if (== (- (- a b) c) (<< (% (/ a b) c) d))" },
	{ "bits", "f if a & b | c ^ d &^ e >> 2 != 0",
	  "f if (!= (^ (| (& a b) c) (>> (&^ d e) 2)) 0)" },
	{ "parentheses", "f if (a || b) && !(c && d)", "f if (&& (|| a b) (! (&& c d)))" },
	{ "signs", "f if -a < ^b && +c == - -5", "f if (&& (< (- a) (^ b)) (== (+ c) (- -5)))" },
	{ "a star that is a product", "f if *a * *b == a.b * 2",
	  "f if (== (* (* a) (* b)) (* (. a b) 2))" },
	{ "no blanks", "f if a<5&&b>=-3||!c", "f if (|| (&& (< a 5) (>= b -3)) (! c))" },
	{ "floats", "f if a > 1.5 || a < 1e-3 || a == 1_0.2_5E+2",
	  "f if (|| (|| (> a 1.5) (< a 0.001)) (== a 1025))" },
	{ "durations", "f if duration > 1h3m || d == 1.5s || d < 10ms",
	  "f if (|| (|| (> duration 3780000000000ns) (== d 1500000000ns)) (< d 10000000ns))" },
	{ "short durations", "f if d < 5us || d < 7\xc2\xb5s || d < 2ns",
	  "f if (|| (|| (< d 5000ns) (< d 7000ns)) (< d 2ns))" },
	{ "beginnings and ends of strings",
	  "f if hasPrefix(s, \"a\") && hasSuffix(x.y, `b`) && strings.HasPrefix(s, \"c\") && !strings.HasSuffix(s, \"d\")",
	  "f if (&& (&& (&& (begins s <a>) (ends (. x y) <b>)) (begins s <c>)) (! (ends s <d>)))" },
	{ "inside a call of another function",
	  "f if under(net/http.(*Server).Serve) || under( main.Map[go.shape.int] )",
	  "f if (|| (under net/http.(*Server).Serve) (under main.Map[go.shape.int]))" },
	{ "parameters that are called like calls", "f if hasPrefix.x && under",
	  "f if (&& (. hasPrefix x) under)" },
	{ "operators, fractions and calls in lists", "f(a + 1, m[1.5], m[10ms], -a, under(g))",
	  "f call[(+ a 1) | ([] m 1.5) | ([] m 10000000ns) | (- a) | (under g)]" },
	{ "products", "f(a * b, a*b, 2 *a)", "f call[(* a b) | (* a b) | (* 2 a)]" },
	{ "parts", "f(a[1:i], a[:2], a[i:], a[:])",
	  "f call[([:] a 1 i) | ([:] a _ 2) | ([:] a i _) | ([:] a _ _)]" },
	{ "keys and indices are as in lists", "f if a[i.j] == m[-1]",
	  "f if (== ([] a (. i j)) ([] m -1))" },
	{ "a rune", "f if c == 'x'", "f if (== c 120)" },
	{ "a type assertion", "f if x.(*T).n > 2", "f if (> (. (is x *T) n) 2)" },
	{ "a signature of nothing, and values", "main.f(): (main.x)",
	  "main.f sig()() call[(. main x)]" },
};

ROWS(test_accepted, accepted)
{
	const struct accepted *row = *state;
	struct diag d = { 0 };
	struct spec s;
	char *tree;

	if (spec_parse(row->text, &s, &d))
		fail_msg("%s", d.message);
	tree = dump(&s);
	assert_string_equal(tree, row->tree);
	free(tree);
	spec_fini(&s);
}

/* --- what is refused ---------------------------------------- */

/* @mark is the line under the text: a caret, and tildes. */
static struct refused {
	const char *claim, *text, *mark, *message;
} refused[] = {
	{ "no end of a list", "main.f(x", "        ^", "',' or ')' is missing" },
	{ "no comma", "main.f(x.y z)", "           ^", "',' or ')' is missing" },
	{ "two commas", "main.f(x,,y)", "         ^", "an expression is missing" },
	{ "no expression", "main.f(x, *)", "           ^", "an expression is missing" },
	{ "no field", "main.f(x.)", "         ^", "the name of a field is missing" },
	{ "a number for a field", "main.f(x.5)", "         ^", "the name of a field is missing" },
	{ "no index", "main.f(x[])", "         ^", "a type is missing" },
	{ "no end of an index", "main.f(x[1, y)", "          ^", "']' is missing" },
	{ "a call", "main.f(size(x))", "       ^~~~", "'size' can't be called" },
	{ "a conversion", "main.f(string(x))", "       ^~~~~~", "'string' can't be called" },
	{ "a method call", "main.f(x.Len())", "            ^", "',' or ')' is missing" },
	{ "an address", "main.f(&x)", "       ^", "no '&'" },
	{ "a string without an end", "main.f(m[\"x)", "         ^~~", "no end" },
	{ "an unknown escape", "main.f(m[\"a\\qb\"])", "           ^~", "no such escape" },
	{ "a rune of two", "main.f(m['ab'])", "         ^", "one character" },
	{ "a digit too large", "main.f(m[08])", "         ^~", "not a whole number" },
	{ "a number with letters", "main.f(m[1a])", "         ^~", "not a whole number" },
	{ "a number too large", "main.f(m[18446744073709551616])",
	  "         ^~~~~~~~~~~~~~~~~~~~", "does not fit" },
	{ "a character that means nothing", "main.f(x#y)", "        ^", "',' or ')' is missing" },
	{ "a path without a variable", "main.f(net/http)", "       ^~~~~~~~",
	  "variable is missing" },
	{ "no condition", "main.f if", "         ^", "a condition is missing" },
	{ "no condition behind a list", "main.f(x) if ", "             ^",
	  "a condition is missing" },
	{ "no operand", "main.f if x >", "             ^", "an expression is missing" },
	{ "no operator", "main.f if x y", "            ^", "nothing can follow" },
	{ "a list behind a condition", "main.f if (x) (y)", "              ^",
	  "nothing can follow" },
	{ "an assignment", "main.f if x = 5", "            ^", "nothing is assigned here" },
	{ "an arrow", "main.f if x <-5", "            ^~", "no comparison" },
	{ "no end of parentheses", "main.f if (x > 5", "                ^", "')' is missing" },
	{ "a call in a condition", "main.f if size(x) > 5", "          ^~~~",
	  "'size' can't be called" },
	{ "a prefix that is no string", "main.f if hasPrefix(x, y)", "                       ^",
	  "only a string" },
	{ "a prefix without a string", "main.f if hasPrefix(x)", "                     ^",
	  "a string in quotes are missing" },
	{ "no function to be under", "main.f if under()", "                ^",
	  "the name of a function is missing" },
	{ "no end of a function", "main.f if under(main.g", "                      ^",
	  "')' is missing" },
	{ "no blanks around a slash", "main.f if x/2 == 1", "          ^~~",
	  "variable is missing" },
	{ "a number that is too large", "main.f if x > 1e999", "              ^~~~~", "too large" },
	{ "a duration that is too long", "main.f if x > 9999999h", "              ^~~~~~~~",
	  "292 years" },
	{ "something behind the lists", "main.f(x)(y)(z)", "            ^", "nothing can follow" },
	{ "something behind the list", "main.f(x) & y", "          ^", "nothing can follow" },
	{ "something behind a regular expression", "/f/ x/(y)/z", "         ^",
	  "nothing can follow" },
	{ "values behind a signature without ':'", "main.f(x int)(n int)(n)",
	  "                    ^", "nothing can follow" },
	{ "no list behind ':'", "main.f(x int): x", "               ^", "'(' is missing" },
	{ "no type", "main.f(x int, y *)", "                 ^", "a type is missing" },
	{ "a parameter without a name", "main.f(x int, []byte)", "              ^~~~~~",
	  "this one has none" },
	{ "no length of an array", "main.f(x [n]int)", "          ^", "a number" },
	{ "a variadic parameter that is not the last", "main.f(x ...int, y int)",
	  "                 ^", "only the last" },
	{ "no brace of a struct", "main.f(x struct int)", "                ^~~", "'{' is missing" },
	{ "a list without an end behind a receiver", "main.(*T).f(x", "             ^",
	  "',' or ')' is missing" },
};

ROWS(test_refused, refused)
{
	const struct refused *row = *state;
	struct diag d = { 0 };
	struct spec s;
	char mark[256];
	size_t at, len;

	if (!spec_parse(row->text, &s, &d))
		fail_msg("accepted: %s", row->text);
	if (!strstr(d.message, row->message))
		fail_msg("%s", d.message);
	assert_string_equal(d.text, row->text);
	at = strlen(row->mark) - strlen(strchr(row->mark, '^'));
	len = strlen(row->mark) - at;
	memset(mark, ' ', sizeof(mark));
	snprintf(mark + d.at, sizeof(mark) - d.at, "^");
	for (size_t i = 1; i < d.len; i++)
		strcat(mark, "~");
	if (d.at != at || (d.len ? d.len : 1) != len)
		fail_msg("\n%s\n%s instead of\n%s", row->text, mark, row->mark);
	diag_fini(&d);
}

/* --- what is large or broken ---------------------------------------- */

static char *repeat(const char *before, const char *what, size_t n, const char *after)
{
	char *text = malloc(strlen(before) + strlen(what) * n + strlen(after) + 1), *to = text;

	to = stpcpy(to, before);
	while (n--)
		to = stpcpy(to, what);
	stpcpy(to, after);
	return text;
}

static const struct {
	const char *before, *what;
	size_t n;
	const char *after;
	const char *message;	/* NULL: accepted */
} larges[] = {
	{ "f(", "*", 20, "x)", NULL },
	{ "f(", "*", 1000, "x)", "too deeply" },
	{ "f(", "(", 1000, "x", "too deeply" },
	{ "f(x", ".a", 30, ")", NULL },
	{ "f(x", ".a", 1000, ")", "too deeply" },
	{ "f(", "a[", 1000, "0", "too deeply" },
	{ "f(", "len(", 1000, "x", "too deeply" },
	{ "f(x ", "[]", 1000, "int)", "too deeply" },
	{ "f(x ", "func(", 700, "int", "too deeply" },
	{ "f(x ", "struct{a ", 400, "int", "too deeply" },
	{ "f(", "x,", 64, ")", NULL },
	{ "f(", "x,", 65, ")", "more than 64 values" },
	{ "f(", "x,", 3000, ")", "longer than 4096 bytes" },
	{ "f if ", "x+", 127, "x == 1", NULL },
	{ "f if ", "x+", 128, "x == 1", "128 operators at most" },
	{ "f if ", "(", 1000, "x", "too deeply" },
	{ "f if ", "!", 20, "x", NULL },
	{ "f if ", "!", 1000, "x", "too deeply" },
	{ "f if x == 1", "0", 1000, "", "does not fit" },
	{ "f if x == 1.", "0", 1000, "", "too many digits" },
	{ "f(x struct{", "a int;", 600, "})", NULL },
};

TEST(test_large, "what is large is accepted or refused, not suffered")
{
	for (size_t i = 0; i < N(larges); i++) {
		char *text = repeat(larges[i].before, larges[i].what, larges[i].n, larges[i].after);
		struct diag d = { 0 };
		struct spec s;
		int err = spec_parse(text, &s, &d);

		assert_int_equal(err, larges[i].message ? -1 : 0);
		if (err)
			assert_non_null(strstr(d.message, larges[i].message));
		else
			spec_fini(&s);
		diag_fini(&d);
		free(text);
	}
}

/* Parse, and let a name of each reading be made; errors must lie in the text. */
static void try(const char *text)
{
	struct diag d = { 0 };
	struct spec s;

	if (!spec_parse(text, &s, &d)) {
		free(dump(&s));
		spec_fini(&s);
	} else {
		assert_non_null(d.message);
		assert_true(!d.text || d.at + d.len <= strlen(text));
	}
	diag_fini(&d);
}

static uint32_t random_next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Every beginning and end of what is accepted, and pieces of it in any order. */
TEST(test_broken, "what is broken is refused, with a place in the text")
{
	static const char alphabet[] = "()[]{}.,*:;/\"`'<-~0x9aZ_ \\\xc3\xa9&";
	uint32_t x = 1;
	char text[400];

	for (size_t i = 0; i < N(accepted); i++) {
		size_t len = strlen(accepted[i].text);

		for (size_t n = 0; n < len; n++) {
			snprintf(text, sizeof(text), "%.*s", (int)n, accepted[i].text);
			try(text);
			snprintf(text, sizeof(text), "f(%s", accepted[i].text + n);
			try(text);
		}
		for (int round = 0; round < 200; round++) {
			snprintf(text, sizeof(text), "%s", accepted[i].text);
			for (int k = random_next(&x) % 4; k >= 0; k--) {
				size_t at = random_next(&x) % len;
				const char *from = accepted[random_next(&x) % N(accepted)].text;

				if (random_next(&x) % 2)
					text[at] = alphabet[random_next(&x) % (N(alphabet) - 1)];
				else
					memmove(text + at, from, strlen(from) < len - at ?
						strlen(from) : len - at);
			}
			try(text);
		}
	}
}

/* A span covers the expression, in bytes. */
TEST(test_text, "an expression is shown as it was written")
{
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse("f( r.Header[ \"A\" ] , *p.q, (len(x)))", &s, &d), 0);
	assert_string_equal(expr_text(&mem, s.text, s.call->v[0]), "r.Header[ \"A\" ]");
	assert_string_equal(expr_text(&mem, s.text, s.call->v[1]), "*p.q");
	assert_string_equal(expr_text(&mem, s.text, s.call->v[2]), "len(x)");
	spec_fini(&s);

	/* It may come from a recording, and that from a stranger. */
	assert_int_equal(spec_parse("f(m[\"\x1b[2J \xc2\x9b\x9b gr\xc3\xbc\xc3\x9f\"],\tm[\t1\n])",
				    &s, &d), 0);
	assert_string_equal(expr_text(&mem, s.text, s.call->v[0]),
			    "m[\"?[2J ?? gr\xc3\xbc\xc3\x9f\"]");
	assert_string_equal(expr_text(&mem, s.text, s.call->v[1]), "m[ 1 ]");
	spec_fini(&s);
	arena_fini(&mem);
}
