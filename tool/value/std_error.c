// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of errors. Error() can't be called from outside; for well-known types
 * this code builds the same text from the error's fields.
 */
#include <ctype.h>
#include <string.h>

#include "value/std.h"

/* Errors that wrap one another. */
#define CHAIN_MAX	8
/* Nested messages: as deep as the chain. */
#define MESSAGE_DEPTH	(VALUE_DEPTH / 2)

/* A string that was cut shows it as Go shows what it leaves out. */
static bool string(struct value_ctx *v, struct buf *b, const uint8_t *p, bool quoted)
{
	struct value_bytes s;

	value_string(v, p, &s);
	if (s.unavailable)
		return false;
	if (quoted)
		quote_go(b, s.data, s.size);
	else
		buf_mem(b, s.data, s.size);
	if (s.have < s.len)
		buf_str(b, "...");
	return true;
}

static bool message(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		    bool pointed)
{
	const struct value_known *k = value_known(v, t);
	struct value_what w = { .k = k, .t = t, .p = p, .pointed = pointed };
	bool ok;

	if (!k || !k->message || v->depth >= MESSAGE_DEPTH)
		return false;
	v->depth++;
	ok = k->message(v, b, &w);
	v->depth--;
	return ok;
}

bool value_inside(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		  struct value_inside *ret)
{
	const char *why;

	value_iface(v, t, p, &ret->i);
	ret->t = ret->i.dynamic;
	ret->p = ret->i.p;
	ret->pointed = ret->p && ret->t->kind == GOTYPE_POINTER && ret->t->elem;
	if (ret->pointed && value_type_fits(ret->t)) {
		ret->t = ret->t->elem;
		ret->p = value_behind(v, ret->i.dynamic, ret->p, &why);
	}
	return ret->p && value_type_fits(ret->t) && !value_form(v, ret->t)->redacted &&
	       !value_form(v, ret->t)->redacts;
}

bool value_error_inside(struct value_ctx *v, struct buf *b, const struct gotype *t,
			const uint8_t *p)
{
	struct value_inside e;

	return value_inside(v, t, p, &e) && message(v, b, e.t, e.p, e.pointed);
}

/*
 * A field: a string, an error's message, a type's name. One that need not be there (@optional)
 * writes nothing if it is not, or nil.
 */
static bool field(struct value_ctx *v, struct buf *b, const struct value_what *w,
		  const char *name, bool quoted, bool optional)
{
	const struct gofield *f = value_known_field(w->t, name, GOTYPE_STRING, 16);
	const char *type;

	if (f)
		return string(v, b, w->p + f->offset, quoted);
	f = value_known_field(w->t, name, GOTYPE_INTERFACE, 16);
	if (!f || !value_word(w->p + f->offset))
		return optional;
	if (strcmp(f->type->name, "reflect.Type") != 0)
		return value_error_inside(v, b, f->type, w->p + f->offset);
	type = value_type_at(v, value_word(w->p + f->offset + 8));
	if (type)
		value_text_type_string(b, type);
	return type;
}

/* What stands in braces at *@s; moves that behind it. */
static bool put_field(struct value_ctx *v, struct buf *b, const struct value_what *w,
		      const char **s, bool optional)
{
	bool quoted = (*s)[1] == '"';
	const char *at = *s + 1 + quoted;
	size_t n = strcspn(at, "\"}");
	char name[24] = "";

	if (n >= sizeof(name))
		return false;
	memcpy(name, at, n);
	*s = at + n + 1 + quoted;
	if (n)
		return field(v, b, w, name, quoted, optional);
	return w->t->kind == GOTYPE_STRING && string(v, b, w->p, quoted);
}

/* The words until @end; *@some: a field has written something. */
static bool put_words(struct value_ctx *v, struct buf *b, const struct value_what *w,
		      const char *s, const char *end, bool optional, bool *some)
{
	while (s < end) {
		const char *bracket, *bar;
		size_t start = b->len;
		bool any = false;

		if (*s == '{') {
			if (!put_field(v, b, w, &s, optional))
				return false;
			*some |= b->len > start;
			continue;
		}
		if (*s != '[') {
			buf_char(b, *s++);
			continue;
		}
		bracket = strchr(s, ']');
		bar = memchr(s, '|', bracket - s);
		if (!put_words(v, b, w, s + 1, bar ? bar : bracket, true, &any))
			return false;
		if (!any)
			b->len = start;
		if (!any && bar && !put_words(v, b, w, bar + 1, bracket, true, &any))
			return false;
		s = bracket + 1;
	}
	return true;
}

/*
 * Words with fields in them: {Name}; {"Name"} quotes it; {} is the value, a string. What is in
 * [brackets] is left out if its fields are all empty; then what is behind a | in them stands.
 */
bool value_error_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const char *s = w->k->words;
	bool some = false;

	return put_words(v, b, w, s, s + strlen(s), false, &some);
}

/* Each of the errors; the words stand between them. */
static bool join_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "errs", GOTYPE_SLICE, 24) ?:
				  value_known_field(w->t, "errors", GOTYPE_SLICE, 24);
	const struct gotype *elem = f ? f->type->elem : NULL;
	struct value_bytes errs;

	if (!elem || elem->kind != GOTYPE_INTERFACE || !value_type_fits(elem))
		return false;
	value_slice(v, f->type, w->p + f->offset, &errs);
	if (errs.unavailable)
		return false;
	for (uint64_t i = 0; i < errs.have; i++) {
		if (i)
			buf_str(b, w->k->words);
		if (!value_error_inside(v, b, elem, errs.data + i * elem->size))
			return false;
	}
	if (errs.have < errs.len) {
		buf_str(b, w->k->words);
		buf_str(b, "...");
	}
	return true;
}

/* Does the path end in the index of an array? */
static bool is_index(struct value_ctx *v, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "Field", GOTYPE_STRING, 16);
	struct value_bytes s;
	size_t n;

	if (!f)
		return false;
	value_string(v, w->p + f->offset, &s);
	for (n = s.size; n && isdigit(s.data[n - 1]); n--)
		;
	return n < s.size && (!n || s.data[n - 1] == '.');
}

/* With an Err it is that of encoding/json/v2, which does not call elements fields of structs. */
static bool unmarshal_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const struct value_known element = {
		.words = "json: cannot unmarshal {Value} into {Struct}.{Field} of type {Type}[: {Err}]",
	};
	struct value_what what = *w;

	if (value_known_field(w->t, "Err", GOTYPE_INTERFACE, 16) && is_index(v, w))
		what.k = &element;
	return value_error_message(v, b, &what);
}

/* As far as Go's table (zerrors_linux_amd64.go) goes; it has no texts for two in it, either. */
static bool errno_has_text(int64_t n)
{
	return n <= 132 && n != 41 && n != 58;
}

/* Go's texts are the C library's, in lower case. */
static bool errno_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const char *s;
	int64_t n = 0;

	(void)v;
	value_integer(w->t, w->p, &n);
	if (n <= 0)
		return false;
	if (!errno_has_text(n)) {
		buf_str(b, "errno ");
		buf_i64(b, n);
		return true;
	}
	s = strerror(n);
	if (isupper((unsigned char)s[0]) && islower((unsigned char)s[1]))
		buf_char(b, tolower((unsigned char)*s++));
	buf_str(b, s);
	return true;
}

/* The zone of an IPv6 address, if it has one. */
static bool put_zone(struct value_ctx *v, struct buf *b, const struct value_inside *a)
{
	const struct gofield *zone = value_known_field(a->t, "Zone", GOTYPE_STRING, 16);

	if (!zone || !value_word(a->p + zone->offset + 8))
		return true;
	buf_char(b, '%');
	return string(v, b, a->p + zone->offset, false);
}

/* net.TCPAddr, net.UDPAddr: {IP, Port, Zone}, behind a net.Addr. */
static bool address(struct value_ctx *v, struct buf *b, const struct value_what *w,
		    const char *name, const char *before)
{
	const struct gofield *f = value_known_field(w->t, name, GOTYPE_INTERFACE, 16), *ip, *port;
	struct value_inside a;
	bool six;

	if (!f)
		return false;
	if (!value_word(w->p + f->offset))
		return true;
	if (!value_inside(v, f->type, w->p + f->offset, &a))
		return false;
	ip = value_known_field(a.t, "IP", GOTYPE_SLICE, 24);
	port = value_known_field(a.t, "Port", GOTYPE_INT, 8);
	if (!ip || !port)
		return false;
	buf_str(b, before);

	struct value_what what = { .t = ip->type, .p = a.p + ip->offset, .place = VALUE_FIELD };
	size_t start = b->len;

	if ((value_word(what.p) && !value_ip(v, b, &what)) || !put_zone(v, b, &a))
		return false;
	six = b->len > start && memchr(b->p + start, ':', b->len - start);
	if (six && buf_room(b, 1)) {
		memmove(b->p + start + 1, b->p + start, b->len++ - start);
		b->p[start] = '[';
		buf_char(b, ']');
	}
	buf_char(b, ':');
	buf_u64(b, value_word(a.p + port->offset));
	return true;
}

/* (*net.OpError).Error in src/net/net.go */
static bool operror_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	size_t start;

	if (!field(v, b, w, "Op", false, false))
		return false;
	buf_char(b, ' ');
	start = b->len;
	if (!field(v, b, w, "Net", false, false))
		return false;
	if (b->len == start)
		b->len--;
	start = b->len;
	if (!address(v, b, w, "Source", " ") ||
	    !address(v, b, w, "Addr", b->len > start ? "->" : " "))
		return false;
	buf_str(b, ": ");
	return field(v, b, w, "Err", false, false);
}

/* The types of what it wraps, outermost first: they are what errors.As() looks for. */
static void chain(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct value_known *k = w->k;
	const struct gotype *t = w->t;
	const uint8_t *p = w->p;

	for (int i = 0; i < CHAIN_MAX && k && k->wraps; i++) {
		const struct gofield *f = value_known_field(t, k->wraps, GOTYPE_INTERFACE, 16);
		struct value_inside e;
		bool more;

		if (!f)
			return;
		more = value_inside(v, f->type, p + f->offset, &e);
		if (!e.i.name)
			return;
		buf_str(b, ", ");
		value_text_name(b, e.i.name);
		if (!more)
			return;
		t = e.t;
		p = e.p;
		k = value_known(v, t);
	}
}

bool value_error(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct buf said = { 0 };
	bool ok = message(v, &said, w->t, w->p, w->pointed);

	if (ok) {
		if (w->pointed)
			buf_char(b, '*');
		value_text_name(b, value_type_name(w->t));
		buf_char(b, '(');
		quote_go(b, (uint8_t *)said.p, said.len);
		chain(v, b, w);
		buf_char(b, ')');
	}
	buf_fini(&said);
	return ok;
}

/* What json.UnmarshalTypeError says of the place. */
#define INTO "[Go struct field {Struct}.{Field}|Go value]"

const struct value_known value_known_error[] = {
	ERROR("errors.errorString", "{s}"),
	ERROR("fmt.wrapError", "{msg}", .wraps = "err"),
	ERROR("fmt.wrapErrors", "{msg}"),
	MESSAGE("errors.joinError", GOTYPE_STRUCT, join_message, "\n"),
	ERROR("github.com/pkg/errors.fundamental", "{msg}"),
	ERROR("github.com/pkg/errors.withMessage", "{msg}: {cause}", .wraps = "cause"),
	ERROR("github.com/pkg/errors.withStack", "{error}", .wraps = "error"),
	MESSAGE("go.uber.org/multierr.multiError", GOTYPE_STRUCT, join_message, "; "),
	ERROR("golang.org/x/xerrors.errorString", "{s}"),
	ERROR("golang.org/x/xerrors.wrapError", "{msg}: {err}", .wraps = "err"),
	ERROR("github.com/jackc/pgconn.PgError", "{Severity}: {Message} (SQLSTATE {Code})"),
	ERROR("github.com/jackc/pgx/v5/pgconn.PgError",
	      "{Severity}: {Message} (SQLSTATE {Code})"),
	ERROR("io/fs.PathError", "{Op} {Path}: {Err}", .wraps = "Err"),
	ERROR("os.PathError", "{Op} {Path}: {Err}", .wraps = "Err"),	/* until 1.15 */
	ERROR("os.SyscallError", "{Syscall}: {Err}", .wraps = "Err"),
	ERROR("os.LinkError", "{Op} {Old} {New}: {Err}", .wraps = "Err"),
	ERROR("os/exec.Error", "exec: {\"Name\"}: {Err}", .wraps = "Err"),
	ERROR("net/url.Error", "{Op} {\"URL\"}: {Err}", .wraps = "Err"),
	ERROR("strconv.NumError", "strconv.{Func}: parsing {\"Num\"}: {Err}", .wraps = "Err"),
	ERROR("encoding/json.SyntaxError", "{msg}"),
	ERROR("encoding/json.UnsupportedTypeError", "json: unsupported type: {Type}"),
	ERROR("encoding/json.MarshalerError",
	      "json: error calling [{sourceFunc}|MarshalJSON] for type {Type}: {Err}",
	      .wraps = "Err"),
	MESSAGE("encoding/json.UnmarshalTypeError", GOTYPE_STRUCT, unmarshal_message,
		"json: cannot unmarshal {Value} into " INTO " of type {Type}[: {Err}]"),
	ERROR("context.deadlineExceededError", "context deadline exceeded"),
	ERROR("internal/poll.errNetClosing", "use of closed network connection"),
	ERROR("internal/poll.DeadlineExceededError", "i/o timeout"),
	ERROR("net.DNSError", "lookup {Name}[ on {Server}]: {Err}"),
	ERROR("net.AddrError", "[address {Addr}: ]{Err}"),
	ERROR("net.ParseError", "invalid {Type}: {Text}"),
	ERROR("net.timeoutError", "i/o timeout"),
	ERROR("net.canceledError", "operation was canceled"),
	MESSAGE("net.OpError", GOTYPE_STRUCT, operror_message, NULL, .wraps = "Err"),
	MESSAGE("net.UnknownNetworkError", GOTYPE_STRING, value_error_message,
		"unknown network {}"),
	MESSAGE("syscall.Errno", GOTYPE_UINT, errno_message, NULL),
	{ 0 },
};
