// SPDX-License-Identifier: GPL-2.0
/* Names of functions for people, with short names of packages. */
#define _GNU_SOURCE
#include <string.h>

#include "gotype/funcname.h"
#include "gotype/shape.h"
#include "gotype/shown_name.h"

#define PATH_MOST 1024

/* A package. What it can be called: its name, the last elements of its path, the whole path. */
struct package {
	const char *path;	/* it, as Go code has it */
	size_t len;		/* its length */
	const char *name;	/* what Go code calls it */
	size_t name_len;	/* its length */
};

enum shown_name_form shown_name_form;

/* The packages of all programs. */
static struct {
	struct hmap packages;	/* by path */
	struct hmap called;	/* number of packages that can be called so */
	struct shown_names expected;
	struct arena mem;
} known;

/* --- packages ----------------------------------------------------------------- */

static uint64_t key_of(uint64_t kind, const char *s, size_t n)
{
	return hmap_hash(kind, s, n);
}

/* The path as Go code has it; @to has PATH_MOST bytes. Returns its length; 0: it is too long. */
static size_t written(const char *path, size_t n, char *to)
{
	char from[PATH_MOST];

	if (n >= sizeof(from))
		return 0;
	memcpy(from, path, n);
	from[n] = 0;
	return funcname_written(from, true, to, PATH_MOST) ? strlen(to) : 0;
}

static void count(const char *s, size_t n)
{
	uint64_t key = key_of(0, s, n);
	uintptr_t before = (uintptr_t)hmap_get(&known.called, key);

	hmap_put(&known.called, key, (void *)(before + 1));
}

static bool is_only(const char *s, size_t n)
{
	return (uintptr_t)hmap_get(&known.called, key_of(0, s, n)) == 1;
}

/* The end of @p's path with one element more than the @n bytes at its end; its length. */
static size_t longer(const struct package *p, size_t n)
{
	n += n < p->len;
	while (n < p->len && p->path[p->len - n - 1] != '/')
		n++;
	return n;
}

static bool ends_so(const struct package *p)
{
	return p->name_len <= p->len &&
	       !memcmp(p->path + p->len - p->name_len, p->name, p->name_len) &&
	       (p->name_len == p->len || p->path[p->len - p->name_len - 1] == '/');
}

void shown_name_add_package(const char *path, size_t n, const char *name)
{
	char to[PATH_MOST];
	struct package *p;
	uint64_t key;

	n = written(path, n, to);
	key = key_of(0, to, n);
	if (!n || hmap_get(&known.packages, key))
		return;
	p = arena_alloc(&known.mem, sizeof(*p));
	if (!p)
		return;
	p->path = arena_strndup(&known.mem, to, n);
	p->len = n;
	p->name = name ? arena_strdup(&known.mem, name) : NULL;
	p->name_len = name ? strlen(name) : 0;
	if (!p->path || (name && !p->name))
		return;
	if (!name)
		p->name = funcname_package(p->path, n, &p->name_len);
	if (hmap_put(&known.packages, key, p))
		return;
	if (!ends_so(p))
		count(p->name, p->name_len);
	for (size_t len = longer(p, 0), before = 0; len != before;) {
		count(p->path + n - len, len);
		before = len;
		len = longer(p, len);
	}
}

bool shown_name_has_package(const char *path, size_t n)
{
	char to[PATH_MOST];

	n = written(path, n, to);
	return n && hmap_get(&known.packages, key_of(0, to, n));
}

void shown_name_fini(void)
{
	hmap_fini(&known.packages);
	hmap_fini(&known.called);
	shown_names_fini(&known.expected);
	arena_fini(&known.mem);
	memset(&known, 0, sizeof(known));
}

static void put_package(struct buf *b, const struct package *p)
{
	size_t len = longer(p, 0);

	if (is_only(p->name, p->name_len)) {
		buf_mem(b, p->name, p->name_len);
		return;
	}
	while (len < p->len && !is_only(p->path + p->len - len, len))
		len = longer(p, len);
	buf_mem(b, p->path + p->len - len, len);
}

/* --- text --------------------------------------------------------------------- */

/* What no path has in it. */
static const char name_ends[] = " ()[]{},*;\"&<>|=`\t\n";

/* The package whose path is the beginning of the @n bytes at @s, and the length of that. */
static const struct package *find(const char *s, size_t n, size_t *ret)
{
	const char *slash = memchr(s, '/', n), *dot = slash;
	char path[PATH_MOST];

	while (dot && (dot = memchr(dot + 1, '.', (size_t)(s + n - dot - 1)))) {
		const struct package *p;
		size_t len = written(s, (size_t)(dot - s), path);

		p = len ? hmap_get(&known.packages, key_of(0, path, len)) : NULL;
		*ret = (size_t)(dot - s);
		if (p)
			return p;
	}
	return NULL;
}

/* What the compiler makes of a type: "type:.eq.my.org/shop.Cart". */
static size_t made_of(const char *s)
{
	static const char *const begins[] = { "type:.eq.", "type:.hash.", "type..eq.",
					      "type..hash." };

	/* A method that another package does not see: "(*Cart).my.org/shop.add" is promoted. */
	if (*s == '.')
		return 1;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (!strncmp(s, begins[i], strlen(begins[i])))
			return strlen(begins[i]);
	return 0;
}

void shown_name_shorten(struct buf *b, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, name_ends), made = made_of(text), used = 0;
		const struct package *p = find(text + made, n - made, &used);

		buf_mem(b, text, made);
		if (p)
			put_package(b, p);
		n += !!text[n];
		buf_mem(b, text + made + used * !!p, n - made - used * !!p);
		text += n;
	}
}

char *shown_name_short(const char *name)
{
	struct buf b = { 0 };

	/* Only packages with a path are called otherwise. */
	if (!strchr(name, '/'))
		return NULL;
	shown_name_shorten(&b, name);
	buf_char(&b, 0);
	if (!b.failed && strcmp(b.p, name) != 0)
		return b.p;
	buf_fini(&b);
	return NULL;
}

static bool is_called(struct buf *b, bool (*fn)(const void *ctx, const char *called),
		      const void *ctx)
{
	buf_char(b, 0);
	return !b->failed && fn(ctx, b->p);
}

/* What is behind the name of the function's package; sets *@p: the package, also an unknown one. */
static const char *behind_package(const char *name, struct package *p)
{
	size_t used = 0;
	const struct package *seen = find(name, strcspn(name, name_ends), &used);

	if (seen) {
		*p = *seen;
		return name + used;
	}
	used = (size_t)(funcname_local(name) - name);
	/* What is made for types is of no package: "go:struct { x/y.T }.F". */
	if (!used || strcspn(name, name_ends) < used - 1)
		return NULL;
	*p = (struct package){ .path = name, .len = used - 1 };
	p->name = funcname_package(name, p->len, &p->name_len);
	return name + p->len;
}

bool shown_name_any(const char *name, bool (*fn)(const void *ctx, const char *called),
		    const void *ctx)
{
	struct package p;
	const char *behind = behind_package(name, &p);
	struct buf b = { 0 };
	bool any;

	if (!behind)
		return false;
	shown_name_shorten(&b, name);
	any = is_called(&b, fn, ctx);
	b.len = 0;
	buf_mem(&b, p.name, p.name_len);
	buf_str(&b, behind);
	any = any || is_called(&b, fn, ctx);
	for (size_t n = longer(&p, 0); !any && n < p.len; n = longer(&p, n)) {
		b.len = 0;
		buf_mem(&b, p.path + p.len - n, n);
		buf_str(&b, behind);
		any = is_called(&b, fn, ctx);
	}
	buf_fini(&b);
	return any;
}

const char *shown_name_behind_package(const char *name, const char **called, size_t *n)
{
	struct package p;
	const char *behind = behind_package(name, &p);

	if (behind) {
		*called = p.name;
		*n = p.name_len;
	}
	return behind;
}

void shown_name_put_text(struct buf *b, const char *text)
{
	if (shown_name_form == SHOWN_NAME_SHORT && strchr(text, '/'))
		shown_name_shorten(b, text);
	else
		buf_str(b, text);
}

/* --- functions ---------------------------------------------------------------- */

/* A function. */
struct shown {
	const char *name;	/* the whole one */
	const char *text;	/* what is shown */
};

enum { WHOLE_NAME = 1, SHORT_NAME };

static bool has_shapes(const char *name)
{
	return strstr(name, "go.shape.");
}

static bool is_plain(const char *name)
{
	return shown_name_form == SHOWN_NAME_WHOLE ||
	       (!has_shapes(name) &&
		(shown_name_form == SHOWN_NAME_PATH || !strchr(name, '/')));
}

static void put_short(struct buf *b, const char *name, bool shapes)
{
	struct buf without = { 0 };

	if (shapes || !has_shapes(name)) {
		shown_name_put_text(b, name);
		return;
	}
	shape_put(&without, name);
	buf_char(&without, 0);
	shown_name_put_text(b, without.failed ? name : without.p);
	buf_fini(&without);
}

/* A text with or without shapes; NULL without memory. */
static char *text_of(struct shown_names *names, const char *name, bool shapes)
{
	struct buf b = { 0 };
	char *text;

	put_short(&b, name, shapes);
	text = b.failed ? NULL : arena_strndup(&names->mem, b.p ?: "", b.len);
	buf_fini(&b);
	return text;
}

/* Another function would read the same. */
static void distinguish(struct shown_names *names, struct shown *s)
{
	const char *text = has_shapes(s->name) ? text_of(names, s->name, true) : s->name;

	s->text = text ?: s->name;
}

void shown_names_add(struct shown_names *names, const char *name)
{
	struct shown *s, *first;
	uint64_t whole, brief;

	if (is_plain(name))
		return;
	whole = key_of(WHOLE_NAME, name, strlen(name));
	if (hmap_get(&names->v, whole))
		return;
	s = arena_alloc(&names->mem, sizeof(*s));
	if (!s)
		return;
	s->name = arena_strdup(&names->mem, name);
	s->text = text_of(names, name, false);
	if (!s->name || !s->text)
		return;
	brief = key_of(SHORT_NAME, s->text, strlen(s->text));
	first = hmap_get(&names->v, brief);
	if (first) {
		distinguish(names, first);
		distinguish(names, s);
	} else if (hmap_put(&names->v, brief, s)) {
		return;
	}
	hmap_put(&names->v, whole, s);
}

const char *shown_names_get(const struct shown_names *names, const char *name)
{
	const struct shown *s = is_plain(name) ? NULL :
				hmap_get(&names->v, key_of(WHOLE_NAME, name, strlen(name)));

	return s ? s->text : name;
}

void shown_names_fini(struct shown_names *names)
{
	hmap_fini(&names->v);
	arena_fini(&names->mem);
}

void shown_name_expect(const char *name)
{
	if (shown_name_form == SHOWN_NAME_SHORT && has_shapes(name))
		shown_names_add(&known.expected, name);
}

void shown_name_put(struct buf *b, const char *name)
{
	const char *text = shown_names_get(&known.expected, name);

	if (text != name)
		buf_str(b, text);
	else if (shown_name_form == SHOWN_NAME_WHOLE)
		buf_str(b, name);
	else
		put_short(b, name, false);
}
