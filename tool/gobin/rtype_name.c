// SPDX-License-Identifier: GPL-2.0
/*
 * Names of run-time types, put together as the compiler does for the linker
 * (LinkString(): src/cmd/compile/internal/types/fmt.go, tconv2()); debug
 * information has the same. A named type's own string form has only the name of
 * its package.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/plain.h"
#include "gobin/rtype.h"
#include "gotype/shape.h"

#define RTYPE_NAME_MAX RTNAME_MAX
#define RTYPE_NAME_DEPTH 64
/* Last release that was seen to call a blank field "_", not "main._". */
#define RTYPE_BARE_BLANK 15

/* A name that is being written. What does not fit makes it @bad. */
struct scribe {
	struct rtypes *t;
	char *text;
	size_t len;
	bool bad;
};

static void put(struct scribe *s, const char *text, size_t len)
{
	if (s->bad || len > RTYPE_NAME_MAX - s->len) {
		s->bad = true;
		return;
	}
	memcpy(s->text + s->len, text, len);
	s->len += len;
}

static void puts_to(struct scribe *s, const char *text)
{
	put(s, text, strlen(text));
}

/* @len bytes at @vaddr, which must be a name that can be shown. */
static void put_bytes(struct scribe *s, uint64_t vaddr, size_t len)
{
	char *to = s->text + s->len;

	if (s->bad || len > RTYPE_NAME_MAX - s->len ||
	    data_cache_read(s->t->src.data, vaddr, to, len)) {
		s->bad = true;
		return;
	}
	s->bad = !plain_name(to, len);
	s->len += len;
}

/*
 * An import path, with what a symbol's name can't have written as %xx: PathToPrefix(),
 * src/cmd/internal/objabi/path.go.
 */
static void put_path(struct scribe *s, uint64_t name)
{
	struct rtname n;
	size_t from = s->len, last;
	char *raw;

	if (rtype_desc_name(&s->t->src, name, &n)) {
		s->bad = true;
		return;
	}
	put_bytes(s, n.text, n.len);
	if (s->bad)
		return;
	raw = strndup(s->text + from, n.len);
	if (!raw) {
		s->bad = true;
		return;
	}
	s->len = from;
	last = strrchr(raw, '/') ? (size_t)(strrchr(raw, '/') - raw) : 0;
	for (size_t i = 0; raw[i]; i++) {
		unsigned char c = (unsigned char)raw[i];
		char hex[4];

		if (c <= ' ' || (c == '.' && i >= last) || c == '%' ||
		    c == '"' || c >= 0x7f)
			put(s, hex, (size_t)snprintf(hex, sizeof(hex), "%%%02x",
						     c));
		else
			put(s, raw + i, 1);
	}
	free(raw);
}

/* As strconv.Quote() does what struct tags have. */
static void put_quoted(struct scribe *s, uint64_t vaddr, size_t len)
{
	struct buf quoted = { 0 };
	uint8_t *text;

	if (s->bad || len > RTYPE_NAME_MAX - s->len) {
		s->bad = true;
		return;
	}
	text = malloc(len);
	if (!text || data_cache_read(s->t->src.data, vaddr, text, len)) {
		s->bad = true;
	} else {
		quote_go(&quoted, text, len);
		s->bad |= quoted.failed;
		put(s, quoted.p, quoted.len);
	}
	free(text);
	buf_fini(&quoted);
}

static void put_type(struct scribe *s, uint64_t vaddr, int depth);

/* Take the marks of shapes out of type arguments, from @from on. */
static void drop_shapes(struct scribe *s, size_t from)
{
	if (s->bad)
		return;
	s->text[s->len] = 0;
	shape_drop(s->text + from, s->t->src.minor);
	s->len = from + strlen(s->text + from);
}

/* "http.Request" and "net/http" make "net/http.Request". */
static void put_named(struct scribe *s, const struct rtype_desc *d)
{
	struct rtuncommon u = { 0 };
	size_t from = s->len, dot = 0, len;
	struct rtname n;

	if (rtype_desc_name(&s->t->src, d->str, &n) || n.len < d->extra_star) {
		s->bad = true;
		return;
	}
	len = n.len - d->extra_star;
	put_bytes(s, n.text + d->extra_star, len);
	if (s->bad || rtype_desc_uncommon(&s->t->src, d, &u) || !u.pkg)
		return;
	/* Type arguments have whole paths already. */
	for (size_t i = 0; i < len && s->text[from + i] != '['; i++) {
		if (s->text[from + i] == '.')
			dot = i;
	}
	if (!dot)
		return;
	s->len = from;
	put_path(s, u.pkg);
	if (s->len == from) {
		s->len += len;	/* of no package */
		return;
	}
	put_bytes(s, n.text + d->extra_star + dot, len - dot);
	drop_shapes(s, from);
}

/* The name of a field or method; unexported ones with their package. */
static void put_member(struct scribe *s, const struct rtname *n, uint64_t pkg)
{
	char c = 0;

	/* A blank field once had no package. */
	if (n->len == 1 && s->t->src.minor <= RTYPE_BARE_BLANK)
		data_cache_read(s->t->src.data, n->text, &c, 1);
	if (!n->exported && c != '_' && (n->pkg || pkg)) {
		put_path(s, n->pkg ? n->pkg : pkg);
		puts_to(s, ".");
	}
	put_bytes(s, n->text, n->len);
}

/* Is an embedded field's name that of its type? It is then left out. */
static bool is_own_name(struct rtypes *t, const struct rtname *n, uint64_t type)
{
	struct rtype_desc d;
	struct rtname str;
	char own[256], name[256];
	size_t at;

	if (rtype_desc_read(&t->src, type, &d))
		return true;
	if (d.kind == RKIND_POINTER && !d.named &&
	    rtype_desc_read(&t->src, d.elem, &d))
		return true;
	if (rtype_desc_name(&t->src, d.str, &str) || str.len < n->len ||
	    n->len > sizeof(name))
		return false;
	at = str.len - n->len;
	return !data_cache_read(t->src.data, str.text + at, own, n->len) &&
	       !data_cache_read(t->src.data, n->text, name, n->len) &&
	       !memcmp(own, name, n->len);
}

/*
 * The compiler's own structures of maps, "map.bucket[string]int", may contain
 * themselves without a name in between; nobody asks what they are called.
 */
static bool is_of_map(struct rtypes *t, const struct rtype_desc *d)
{
	static const char mark[] = "map.";
	struct rtname n;
	char head[sizeof(mark) - 1];

	return !rtype_desc_name(&t->src, d->str, &n) &&
	       n.len >= d->extra_star + sizeof(head) &&
	       !data_cache_read(t->src.data, n.text + d->extra_star, head,
				sizeof(head)) &&
	       !memcmp(head, mark, sizeof(head));
}

static void put_struct(struct scribe *s, const struct rtype_desc *d, int depth)
{
	if (is_of_map(s->t, d)) {
		put_named(s, d);
		return;
	}
	puts_to(s, "struct {");
	for (uint64_t i = 0; i < d->count && !s->bad; i++) {
		struct rtfield f;
		struct rtname n;
		bool embedded;

		if (rtype_desc_field(&s->t->src, d, i, &f) ||
		    rtype_desc_name(&s->t->src, f.name, &n)) {
			s->bad = true;
			return;
		}
		embedded = n.embedded || f.marked;
		puts_to(s, i ? "; " : " ");
		if (!embedded || !is_own_name(s->t, &n, f.type)) {
			put_member(s, &n, d->pkg);
			puts_to(s, embedded ? " = " : " ");
		}
		put_type(s, f.type, depth + 1);
		if (n.tag_len) {
			puts_to(s, " ");
			put_quoted(s, n.tag, n.tag_len);
		}
	}
	puts_to(s, d->count ? " }" : "}");
}

static void put_params(struct scribe *s, const struct rtype_desc *d,
		       unsigned int from, unsigned int n, bool variadic,
		       int depth)
{
	puts_to(s, "(");
	for (unsigned int i = 0; i < n && !s->bad; i++) {
		struct rtype_desc slice;
		uint64_t type;

		puts_to(s, i ? ", " : "");
		if (rtype_desc_param(&s->t->src, d, from + i, &type)) {
			s->bad = true;
			return;
		}
		if (variadic && i + 1 == n &&
		    !rtype_desc_read(&s->t->src, type, &slice)) {
			puts_to(s, "...");
			type = slice.elem;
		}
		put_type(s, type, depth + 1);
	}
	puts_to(s, ")");
}

/* Without the word func. */
static void put_func(struct scribe *s, const struct rtype_desc *d, int depth)
{
	uint64_t type;

	put_params(s, d, 0, d->nin, d->variadic, depth);
	if (!d->nout)
		return;
	puts_to(s, " ");
	if (d->nout > 1)
		put_params(s, d, d->nin, d->nout, false, depth);
	else if (rtype_desc_param(&s->t->src, d, d->nin, &type))
		s->bad = true;
	else
		put_type(s, type, depth + 1);
}

static void put_interface(struct scribe *s, const struct rtype_desc *d, int depth)
{
	puts_to(s, "interface {");
	for (uint64_t i = 0; i < d->count && !s->bad; i++) {
		struct rtmethod m;
		struct rtname n;
		struct rtype_desc fn;

		if (rtype_desc_wants(&s->t->src, d, i, &m) ||
		    rtype_desc_name(&s->t->src, m.name, &n) ||
		    rtype_desc_read(&s->t->src, m.type, &fn) ||
		    fn.kind != RKIND_FUNC) {
			s->bad = true;
			return;
		}
		puts_to(s, i ? "; " : " ");
		put_member(s, &n, d->pkg);
		put_func(s, &fn, depth + 1);
	}
	puts_to(s, d->count ? " }" : "}");
}

static void put_chan(struct scribe *s, const struct rtype_desc *d, int depth)
{
	struct rtype_desc of;
	bool paren;

	if (d->dir == RTYPE_DESC_RECV) {
		puts_to(s, "<-chan ");
	} else if (d->dir == RTYPE_DESC_SEND) {
		puts_to(s, "chan<- ");
	} else {
		puts_to(s, "chan ");
		paren = !rtype_desc_read(&s->t->src, d->elem, &of) &&
			of.kind == RKIND_CHAN && !of.named &&
			of.dir == RTYPE_DESC_RECV;
		if (paren) {
			puts_to(s, "(");
			put_type(s, d->elem, depth + 1);
			puts_to(s, ")");
			return;
		}
	}
	put_type(s, d->elem, depth + 1);
}

/*
 * Shapes, of the package go.shape, are what generic code is compiled for; they
 * are called like the type that they have underneath.
 */
static bool is_shape(struct rtypes *t, const struct rtype_desc *d)
{
	static const char shape[] = "go.shape";
	char path[sizeof(shape) - 1];
	struct rtuncommon u;
	struct rtname n;

	return !rtype_desc_uncommon(&t->src, d, &u) && u.pkg &&
	       !rtype_desc_name(&t->src, u.pkg, &n) && n.len == sizeof(path) &&
	       !data_cache_read(t->src.data, n.text, path, sizeof(path)) &&
	       !memcmp(path, shape, sizeof(path));
}

/* A pointer that is named is a shape. */
static bool is_any_pointer(struct scribe *s, const struct rtype_desc *d)
{
	struct rtype_desc elem;

	return d->named && !rtype_desc_read(&s->t->src, d->elem, &elem) && elem.kind == RKIND_UINT8;
}

static void put_basic(struct scribe *s, const struct rtype_desc *d)
{
	static const char *const names[] = {
		[RKIND_BOOL] = "bool", [RKIND_INT] = "int", "int8", "int16",
		"int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
		"uintptr", "float32", "float64", "complex64", "complex128",
		[RKIND_STRING] = "string",
		[RKIND_UNSAFE_POINTER] = "unsafe.Pointer",
	};

	if (names[d->kind])
		puts_to(s, names[d->kind]);
	else
		s->bad = true;
}

static void put_type(struct scribe *s, uint64_t vaddr, int depth)
{
	const char *known = hmap_get(&s->t->names, vaddr);
	struct rtype_desc d;
	char num[32];

	if (known) {
		puts_to(s, known);
		return;
	}
	if (s->bad || depth > RTYPE_NAME_DEPTH ||
	    rtype_desc_read(&s->t->src, vaddr, &d)) {
		s->bad = true;
		return;
	}
	if (d.named && !is_shape(s->t, &d)) {
		put_named(s, &d);
		return;
	}
	switch (d.kind) {
	case RKIND_POINTER:
		if (is_any_pointer(s, &d)) {
			puts_to(s, "unsafe.Pointer");
			return;
		}
		puts_to(s, "*");
		break;
	case RKIND_SLICE:
		puts_to(s, "[]");
		break;
	case RKIND_ARRAY:
		snprintf(num, sizeof(num), "[%llu]", (unsigned long long)d.count);
		puts_to(s, num);
		break;
	case RKIND_MAP:
		puts_to(s, "map[");
		put_type(s, d.key, depth + 1);
		puts_to(s, "]");
		break;
	case RKIND_CHAN:
		put_chan(s, &d, depth);
		return;
	case RKIND_FUNC:
		puts_to(s, "func");
		put_func(s, &d, depth);
		return;
	case RKIND_INTERFACE:
		put_interface(s, &d, depth);
		return;
	case RKIND_STRUCT:
		put_struct(s, &d, depth);
		return;
	default:
		put_basic(s, &d);
		return;
	}
	put_type(s, d.elem, depth + 1);
}

const char *rtype_name(struct rtypes *t, uint64_t vaddr)
{
	char text[RTYPE_NAME_MAX + 1], *kept = hmap_get(&t->names, vaddr);
	struct scribe s = { .t = t, .text = text };

	if (kept)
		return kept;
	put_type(&s, vaddr, 0);
	if (s.bad || !s.len)
		return NULL;
	kept = rtype_alloc(t, s.len + 1);
	if (!kept)
		return NULL;
	memcpy(kept, text, s.len);
	hmap_put(&t->names, vaddr, kept);
	return kept;
}

char *rtype_short_name(struct rtypes *t, uint64_t vaddr)
{
	struct rtype_desc d;
	struct rtname n;
	char *s;

	if (rtype_desc_read(&t->src, vaddr, &d) ||
	    rtype_desc_name(&t->src, d.str, &n) || n.len <= d.extra_star)
		return NULL;
	s = calloc(1, n.len - d.extra_star + 1);
	if (s && data_cache_read(t->src.data, n.text + d.extra_star, s,
				 n.len - d.extra_star)) {
		free(s);
		return NULL;
	}
	return s;
}
