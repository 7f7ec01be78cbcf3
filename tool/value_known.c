// SPDX-License-Identifier: GPL-2.0
/*
 * Well-known types of the standard library, which have a form of their own. A
 * name is only a hint: each form looks at the fields that it uses.
 */
#include <arpa/inet.h>
#include <string.h>

#include "value_known.h"

#define ERROR(name_, words_, ...) {						\
	.name = (name_), .kind = GOTYPE_STRUCT, .text = value_error,		\
	.message = value_error_message, .words = (words_), .own_pointer = true,	\
	__VA_ARGS__								\
}

#define CONTEXT(name_, kind_, words_) {						\
	.name = (name_), .kind = (kind_), .text = value_context,		\
	.words = (words_), .own_pointer = true,					\
}

#define JSON(name_, kind_, text_) \
	{ .name = (name_), .kind = (kind_), .text = (text_), .in_json = true }

static const struct value_known table[] = {
	JSON("time.Time", GOTYPE_STRUCT, value_time),
	JSON("time.Duration", GOTYPE_INT, value_duration),
	JSON("time.Month", GOTYPE_INT, value_month),
	JSON("time.Weekday", GOTYPE_INT, value_weekday),
	JSON("io/fs.FileMode", GOTYPE_UINT, value_filemode),
	JSON("os.FileMode", GOTYPE_UINT, value_filemode),	/* until 1.15 */
	JSON("net.IP", GOTYPE_SLICE, value_ip),

	ERROR("errors.errorString", "{s}"),
	ERROR("fmt.wrapError", "{msg}", .wraps = "err"),
	ERROR("fmt.wrapErrors", "{msg}"),
	ERROR("github.com/pkg/errors.fundamental", "{msg}"),
	ERROR("github.com/pkg/errors.withMessage", "{msg}: {cause}", .wraps = "cause"),
	ERROR("github.com/pkg/errors.withStack", "{error}", .wraps = "error"),
	ERROR("io/fs.PathError", "{Op} {Path}: {Err}", .wraps = "Err"),
	ERROR("os.PathError", "{Op} {Path}: {Err}", .wraps = "Err"),	/* until 1.15 */
	ERROR("os.SyscallError", "{Syscall}: {Err}", .wraps = "Err"),
	ERROR("os.LinkError", "{Op} {Old} {New}: {Err}", .wraps = "Err"),
	ERROR("os/exec.Error", "exec: {\"Name\"}: {Err}", .wraps = "Err"),
	ERROR("net/url.Error", "{Op} {\"URL\"}: {Err}", .wraps = "Err"),
	ERROR("strconv.NumError", "strconv.{Func}: parsing {\"Num\"}: {Err}", .wraps = "Err"),
	ERROR("encoding/json.SyntaxError", "{msg}"),
	ERROR("context.deadlineExceededError", "context deadline exceeded"),
	ERROR("internal/poll.errNetClosing", "use of closed network connection"),
	ERROR("internal/poll.DeadlineExceededError", "i/o timeout"),
	{ .name = "net.OpError", .kind = GOTYPE_STRUCT, .text = value_error,
	  .message = value_operror_message, .wraps = "Err", .own_pointer = true },
	{ .name = "runtime.errorString", .kind = GOTYPE_STRING, .text = value_error,
	  .message = value_error_message, .words = "runtime error: {}", .own_pointer = true },
	{ .name = "syscall.Errno", .kind = GOTYPE_UINT, .text = value_error,
	  .message = value_errno_message, .own_pointer = true },

	CONTEXT("context.backgroundCtx", GOTYPE_STRUCT, "context.Background"),
	CONTEXT("context.todoCtx", GOTYPE_STRUCT, "context.TODO"),
	/* Until 1.20: only its address tells which. */
	CONTEXT("context.emptyCtx", GOTYPE_INT, "context.emptyCtx"),
	CONTEXT("context.cancelCtx", GOTYPE_STRUCT, ".WithCancel"),
	CONTEXT("context.timerCtx", GOTYPE_STRUCT, ".WithDeadline"),
	CONTEXT("context.valueCtx", GOTYPE_STRUCT, ".WithValue"),
	CONTEXT("context.withoutCancelCtx", GOTYPE_STRUCT, ".WithoutCancel"),

	{ .name = "sync.Mutex", .kind = GOTYPE_STRUCT, .text = value_mutex },
	{ .name = "sync.RWMutex", .kind = GOTYPE_STRUCT, .text = value_rwmutex },
	{ .name = "sync.WaitGroup", .kind = GOTYPE_STRUCT, .text = value_waitgroup },
	{ .name = "sync.Once", .kind = GOTYPE_STRUCT, .text = value_once },
	{ .name = "sync/atomic.Int32", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Int64", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Uint32", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Uint64", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Uintptr", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Value", .kind = GOTYPE_STRUCT, .text = value_atomic },
	{ .name = "sync/atomic.Bool", .kind = GOTYPE_STRUCT, .text = value_atomic_bool },
	{ .name = "sync/atomic.Pointer[", .kind = GOTYPE_STRUCT, .text = value_atomic_pointer },
};

/* With the package's path: what somebody else calls time.Duration may count seconds. */
static const struct value_known *look_up(const struct gotype *t)
{
	const char *name = t->name ? t->name : "";

	if (!strchr(name, '.'))
		return NULL;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct value_known *k = &table[i];
		size_t n = strlen(k->name);

		if (k->kind == t->kind && strncmp(k->name, name, n) == 0 &&
		    (!name[n] || k->name[n - 1] == '['))
			return k;
	}
	return NULL;
}

const struct value_known *value_known(struct value_ctx *v, const struct gotype *t)
{
	/* The lowest bits of addresses are all the same. */
	struct value_form *f = &v->forms[((uintptr_t)t >> 4 ^ (uintptr_t)t >> 12) %
					 VALUE_FORMS];

	if (f->type != t) {
		f->known = look_up(t);
		f->type = t;
	}
	return f->known;
}

bool value_known_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, enum value_place place, bool pointed)
{
	struct value_what w = { .t = t, .p = p, .place = place, .pointed = pointed };
	size_t start = b->len;

	w.k = value_known(v, t);
	if (!w.k || !value_type_fits(t))
		return false;
	if (pointed && !w.k->own_pointer)
		buf_char(b, '&');
	if (w.k->text(v, b, &w))
		return true;
	b->len = start;
	return false;
}

/* In a place where the type need not be told. */
static bool write_text(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	return w->k->in_json && w->k->text(v, b, w);
}

static bool write_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	return w->k->message && w->k->message(v, b, w);
}

static void member(struct value_ctx *v, struct buf *b, const char *key, value_form_fn write,
		   const struct value_what *w)
{
	struct buf said = { 0 };

	if (write(v, &said, w)) {
		buf_str(b, key);
		buf_json(b, (uint8_t *)said.p, said.len);
	}
	buf_fini(&said);
}

void value_known_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_what w = { .t = t, .p = p, .place = VALUE_FIELD };
	const char *why;

	if (p && t->kind == GOTYPE_POINTER && t->elem && value_word(p)) {
		w.t = t->elem;
		w.p = value_behind(v, t, p, &why);
		w.pointed = true;
	}
	w.k = w.p ? value_known(v, w.t) : NULL;
	if (!w.k || !value_type_fits(w.t))
		return;
	if (!w.pointed)
		member(v, b, ",\"text\":", write_text, &w);
	member(v, b, ",\"message\":", write_message, &w);
}

const struct gofield *value_known_field(const struct gotype *t, const char *name,
					enum gotype_kind kind, uint64_t size)
{
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (!f->type || f->type->kind != kind || strcmp(f->name, name) != 0)
			continue;
		return (!size || f->type->size == size) && value_type_fits(f->type) &&
		       f->offset <= t->size && f->type->size <= t->size - f->offset ? f : NULL;
	}
	return NULL;
}

bool value_ip(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	char text[INET6_ADDRSTRLEN];
	struct value_bytes s;
	const uint8_t *ip;
	bool convert, four;

	if (!value_is_bytes(w->t))
		return false;
	value_slice(v, w->t, w->p, &s);
	if (s.have != s.len || (s.len != 4 && s.len != 16))
		return false;
	/* Also in 16 bytes it can be a version 4 address, and is shown as one. */
	ip = s.data;
	four = s.len == 4 || memcmp(ip, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12) == 0;
	if (four && s.len == 16)
		ip += 12;
	if (!inet_ntop(four ? AF_INET : AF_INET6, ip, text, sizeof(text)))
		return false;
	convert = value_convert(b, w);
	buf_str(b, text);
	if (convert)
		buf_char(b, ')');
	return true;
}

/* As fs.FileMode's String(). */
bool value_filemode(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const char high[] = "dalTLDpSugct?", low[] = "rwxrwxrwx";
	size_t start;
	int64_t mode;

	(void)v;
	if (w->t->size != 4 || !value_integer(w->t, w->p, &mode))
		return false;

	bool convert = value_convert(b, w);

	start = b->len;
	for (int i = 0; high[i]; i++)
		if (mode >> (31 - i) & 1)
			buf_char(b, high[i]);
	if (b->len == start)
		buf_char(b, '-');
	for (int i = 0; low[i]; i++)
		buf_char(b, mode >> (8 - i) & 1 ? low[i] : '-');
	if (convert)
		buf_char(b, ')');
	return true;
}
