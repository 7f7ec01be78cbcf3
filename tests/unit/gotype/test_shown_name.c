// SPDX-License-Identifier: GPL-2.0
/* gotype/shown_name.c: packages by their names, functions that do not read the same. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "gotype/shown_name.h"

#define V3RPC "go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc"

static const struct {
	const char *path, *name;
} packages[] = {
	{ V3RPC, "v3rpc" }, { "github.com/caddyserver/caddy/v2", "caddy" },
	{ "github.com/mattn/go-sqlite3", "sqlite3" }, { "gopkg.in/yaml%2ev3", NULL },
	{ "github.com/labstack/echo/v4", NULL }, { "net/http", NULL },
	{ "a.org/one/store", NULL }, { "a.org/two/store", NULL },
	{ "math/rand", NULL }, { "math/rand/v2", NULL }, { "crypto/rand", NULL },
	{ "errors", NULL }, { "github.com/pkg/errors", NULL },
	{ "vendor/golang.org/x/net/idna", NULL }, { "golang.org/x/net/idna", NULL },
	{ "b.org/go-redis", "redis" }, { "c.org/redis", NULL },
	{ "d.org/v9/ants", NULL }, { "main", NULL },
};

static struct name_row {
	const char *claim, *name, *text;
} rows[] = {
	{ "a package has its last element", V3RPC ".(*kvServer).Put", "v3rpc.(*kvServer).Put" },
	{ "a standard package, too", "net/http.(*conn).serve", "http.(*conn).serve" },
	{ "its name, and no version", "github.com/caddyserver/caddy/v2.Load", "caddy.Load" },
	{ "the name that the path makes likely", "github.com/labstack/echo/v4.(*Echo).ServeHTTP",
	  "echo.(*Echo).ServeHTTP" },
	{ "a version behind a dot", "gopkg.in/yaml%2ev3.Unmarshal", "yaml.Unmarshal" },
	{ "a name that the path has not", "github.com/mattn/go-sqlite3.(*SQLiteConn).exec",
	  "sqlite3.(*SQLiteConn).exec" },
	{ "an element like a version in the middle", "d.org/v9/ants.Submit", "ants.Submit" },
	{ "two packages with one name have their paths", "a.org/one/store.Get", "one/store.Get" },
	{ "so has the other", "a.org/two/store.Get", "two/store.Get" },
	{ "the name of two that is in one's path only", "b.org/go-redis.Get", "go-redis.Get" },
	{ "and the other", "c.org/redis.Get", "c.org/redis.Get" },
	{ "three of a name", "math/rand.Intn", "math/rand.Intn" },
	{ "one with a version", "math/rand/v2.IntN", "rand/v2.IntN" },
	{ "a path that ends another one", "errors.New", "errors.New" },
	{ "the other one", "github.com/pkg/errors.New", "pkg/errors.New" },
	{ "a long path that ends another one", "golang.org/x/net/idna.ToASCII",
	  "golang.org/x/net/idna.ToASCII" },
	{ "its vendored copy", "vendor/golang.org/x/net/idna.ToASCII",
	  "vendor/golang.org/x/net/idna.ToASCII" },
	{ "a package that is not known", "z.org/other/store.Get", "z.org/other/store.Get" },
	{ "no path", "main.main", "main.main" },
	{ "a closure", V3RPC ".(*kvServer).Put.func1.2", "v3rpc.(*kvServer).Put.func1.2" },
	{ "a method value", V3RPC ".(*kvServer).Put-fm", "v3rpc.(*kvServer).Put-fm" },
	{ "shapes", V3RPC ".Map[go.shape.int]", "v3rpc.Map[...]" },
	{ "paths of type arguments", "main.Map[net/http.Header,*" V3RPC ".T]",
	  "main.Map[http.Header,*v3rpc.T]" },
	{ "one that another package sees only", "net/http.(*T)." V3RPC ".hidden",
	  "http.(*T).v3rpc.hidden" },
	{ "what is made for a type", "type:.eq." V3RPC ".T", "type:.eq.v3rpc.T" },
	{ "a method of an unnamed type", "go.(*struct { net/http.Handler }).ServeHTTP",
	  "go.(*struct { http.Handler }).ServeHTTP" },
	{ "a place", "net/http.Get+0x1f /src/net/http/client.go:3",
	  "http.Get+0x1f /src/net/http/client.go:3" },
	{ "nothing", "", "" },
};

static void add_packages(void)
{
	shown_name_form = SHOWN_NAME_SHORT;
	for (size_t i = 0; i < N(packages); i++)
		for (int twice = 0; twice < 2; twice++)
			shown_name_add_package(packages[i].path, strlen(packages[i].path),
					       packages[i].name);
}

static void forget(void)
{
	shown_name_fini();
	shown_name_form = SHOWN_NAME_PATH;
}

static void says(const char *name, const char *want)
{
	struct buf b = { 0 };

	shown_name_put(&b, name);
	buf_char(&b, 0);
	assert_false(b.failed);
	assert_string_equal(b.p, want);
	buf_fini(&b);
}

ROWS(test_name, rows)
{
	const struct name_row *row = *state;

	add_packages();
	says(row->name, row->text);
	shown_name_form = SHOWN_NAME_WHOLE;
	says(row->name, row->name);
	forget();
}

static struct called_row {
	const char *claim, *name, *called;
	bool any;
} called_rows[] = {
	{ "a function is called as it is shown", V3RPC ".(*kvServer).Put", "v3rpc.(*kvServer).Put",
	  true },
	{ "by the name of its package, which others have, too", "a.org/two/store.Get", "store.Get",
	  true },
	{ "by an end of the path", V3RPC ".F", "etcdserver/api/v3rpc.F", true },
	{ "by the last element, a version", "github.com/caddyserver/caddy/v2.Load", "v2.Load",
	  true },
	{ "not by half an element", V3RPC ".F", "rpc.F", false },
	{ "not by another package", "net/http.Get", "https.Get", false },
	{ "by the likely name of a package that is not known", "z.org/other/store/v3.Get",
	  "store.Get", true },
	{ "not by what no package has", "notes", "notes", false },
};

static bool is_same(const void *ctx, const char *called)
{
	return !strcmp(ctx, called);
}

ROWS(test_called, called_rows)
{
	const struct called_row *row = *state;

	add_packages();
	assert_int_equal(shown_name_any(row->name, is_same, row->called), row->any);
	forget();
}

TEST(paths_stay_unless_short_names_are_wanted)
{
	says("net/http.Map[go.shape.int]", "net/http.Map[...]");
}

TEST(a_signature_has_short_names)
{
	struct buf b = { 0 };

	add_packages();
	shown_name_put_text(&b, "(r *" V3RPC ".R, m map[string]net/http.Header) error");
	buf_char(&b, 0);
	assert_string_equal(b.p,
			    "(r *v3rpc.R, m map[string]http.Header) error");
	buf_fini(&b);
	forget();
}

/* All names of the table, and instances of one function, as one output has them. */
TEST(no_two_functions_read_the_same)
{
	static const char *const instances[] = {
		V3RPC ".Map[go.shape.int]", V3RPC ".Map[go.shape.string]",
		V3RPC ".Map[go.shape.struct { net/http.Header }]", "main.Map[go.shape.int]",
	};
	const char *names[N(rows) + N(instances)];
	struct shown_names shown = { 0 };
	size_t n = 0;

	add_packages();
	for (size_t i = 0; i < N(rows); i++)
		if (!strstr(rows[i].name, "shape"))
			names[n++] = rows[i].name;
	for (size_t i = 0; i < N(instances); i++)
		names[n++] = instances[i];
	for (size_t i = 0; i < n; i++) {
		shown_names_add(&shown, names[i]);
		shown_names_add(&shown, names[i]);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(shown_names_get(&shown, names[i]),
						shown_names_get(&shown, names[k]));
	assert_string_equal(shown_names_get(&shown, instances[0]), "v3rpc.Map[go.shape.int]");
	assert_string_equal(shown_names_get(&shown, instances[3]), "main.Map[...]");
	shown_names_fini(&shown);
	forget();
}

TEST(functions_without_paths_are_distinguished_too)
{
	static const char *const names[] = {
		"main.Map[go.shape.int]", "main.Map[go.shape.string]", "main.Set[go.shape.int]",
		"main.main",
	};
	struct shown_names shown = { 0 };

	assert_string_equal(shown_names_get(&shown, names[0]), names[0]);
	for (size_t i = 0; i < N(names); i++)
		shown_names_add(&shown, names[i]);
	assert_string_equal(shown_names_get(&shown, names[0]), names[0]);
	assert_string_equal(shown_names_get(&shown, names[1]), names[1]);
	assert_string_equal(shown_names_get(&shown, names[2]), "main.Set[...]");
	assert_string_equal(shown_names_get(&shown, names[3]), names[3]);
	shown_names_fini(&shown);
}

TEST(lines_of_expected_functions_do_not_read_the_same)
{
	add_packages();
	shown_name_expect("net/http.Map[go.shape.int]");
	says("net/http.Map[go.shape.int]", "http.Map[...]");
	shown_name_expect("net/http.Map[go.shape.string]");
	says("net/http.Map[go.shape.int]", "http.Map[go.shape.int]");
	says("net/http.Map[go.shape.string]", "http.Map[go.shape.string]");
	forget();
}

/* A package of a program that is found later. */
TEST(a_name_gets_longer_when_another_package_has_it)
{
	static const char late[] = "late.org/v3rpc";

	add_packages();
	says(V3RPC ".F", "v3rpc.F");
	shown_name_add_package(late, strlen(late), NULL);
	says(V3RPC ".F", "api/v3rpc.F");
	says("late.org/v3rpc.F", "late.org/v3rpc.F");
	forget();
}
