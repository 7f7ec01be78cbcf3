// SPDX-License-Identifier: GPL-2.0
/*
 * Well-known types of the standard library, which have a form of their own. A
 * name is only a hint: each form looks at the fields that it uses.
 *
 * A value holds values: text.c asks here for a form, and forms write what they hold by text.c. What
 * both read values with, decode.c, map.c, chan.c and compare.c, knows neither.
 */
#include <string.h>

#include "value/std.h"

#define MESSAGE(name_, kind_, message_, words_, ...) {				\
	.name = (name_), .kind = (kind_), .text = value_error,			\
	.message = (message_), .words = (words_), .own_pointer = true,		\
	__VA_ARGS__								\
}

#define ERROR(name_, ...) \
	MESSAGE(name_, GOTYPE_STRUCT, value_error_message, __VA_ARGS__)

#define CONTEXT(name_, kind_, words_) {						\
	.name = (name_), .kind = (kind_), .text = value_context,		\
	.words = (words_), .own_pointer = true,					\
}

#define JSON(name_, kind_, text_) \
	{ .name = (name_), .kind = (kind_), .text = (text_), .in_json = true }

/* What json.UnmarshalTypeError says of the place. */
#define INTO "[Go struct field {Struct}.{Field}|Go value]"

static const struct value_known table[] = {
	JSON("time.Time", GOTYPE_STRUCT, value_time),
	JSON("time.Duration", GOTYPE_INT, value_duration),
	JSON("time.Month", GOTYPE_INT, value_month),
	JSON("time.Weekday", GOTYPE_INT, value_weekday),
	JSON("io/fs.FileMode", GOTYPE_UINT, value_filemode),
	JSON("os.FileMode", GOTYPE_UINT, value_filemode),	/* until 1.15 */
	JSON("net.IP", GOTYPE_SLICE, value_ip),
	JSON("net/netip.Addr", GOTYPE_STRUCT, value_addr),
	JSON("net/netip.AddrPort", GOTYPE_STRUCT, value_addrport),
	JSON("net/netip.Prefix", GOTYPE_STRUCT, value_prefix),
	JSON("reflect.Value", GOTYPE_STRUCT, value_reflect),
	JSON("*reflect.rtype", GOTYPE_POINTER, value_rtype),
	JSON("math/big.Int", GOTYPE_STRUCT, value_big_int),
	JSON("math/big.Rat", GOTYPE_STRUCT, value_big_rat),
	JSON("math/big.Float", GOTYPE_STRUCT, value_big_float),
	JSON("log/slog.Value", GOTYPE_STRUCT, value_slog),
	JSON("weak.Pointer[", GOTYPE_STRUCT, value_weak),

	ERROR("errors.errorString", "{s}"),
	ERROR("fmt.wrapError", "{msg}", .wraps = "err"),
	ERROR("fmt.wrapErrors", "{msg}"),
	MESSAGE("errors.joinError", GOTYPE_STRUCT, value_join_message, "\n"),
	ERROR("github.com/pkg/errors.fundamental", "{msg}"),
	ERROR("github.com/pkg/errors.withMessage", "{msg}: {cause}", .wraps = "cause"),
	ERROR("github.com/pkg/errors.withStack", "{error}", .wraps = "error"),
	MESSAGE("go.uber.org/multierr.multiError", GOTYPE_STRUCT, value_join_message, "; "),
	ERROR("golang.org/x/xerrors.errorString", "{s}"),
	ERROR("golang.org/x/xerrors.wrapError", "{msg}: {err}", .wraps = "err"),
	MESSAGE("google.golang.org/grpc/internal/status.Error", GOTYPE_STRUCT,
		value_status_message, NULL),
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
	MESSAGE("encoding/json.UnmarshalTypeError", GOTYPE_STRUCT, value_unmarshal_message,
		"json: cannot unmarshal {Value} into " INTO " of type {Type}[: {Err}]"),
	ERROR("context.deadlineExceededError", "context deadline exceeded"),
	ERROR("internal/poll.errNetClosing", "use of closed network connection"),
	ERROR("internal/poll.DeadlineExceededError", "i/o timeout"),
	ERROR("net.DNSError", "lookup {Name}[ on {Server}]: {Err}"),
	ERROR("net.AddrError", "[address {Addr}: ]{Err}"),
	ERROR("net.ParseError", "invalid {Type}: {Text}"),
	ERROR("net.timeoutError", "i/o timeout"),
	ERROR("net.canceledError", "operation was canceled"),
	MESSAGE("net.OpError", GOTYPE_STRUCT, value_operror_message, NULL, .wraps = "Err"),
	MESSAGE("net.UnknownNetworkError", GOTYPE_STRING, value_error_message,
		"unknown network {}"),
	MESSAGE("runtime.errorString", GOTYPE_STRING, value_error_message, "runtime error: {}"),
	MESSAGE("runtime.plainError", GOTYPE_STRING, value_error_message, "{}"),
	ERROR("runtime.errorAddressString", "runtime error: {msg}"),
	ERROR("runtime.PanicNilError",
	      "panic called with nil argument (use GODEBUG=panicnil=1 to disable)"),
	MESSAGE("runtime.boundsError", GOTYPE_STRUCT, value_bounds_message, NULL),
	MESSAGE("runtime.TypeAssertionError", GOTYPE_STRUCT, value_assertion_message, NULL),
	MESSAGE("syscall.Errno", GOTYPE_UINT, value_errno_message, NULL),

	CONTEXT("context.backgroundCtx", GOTYPE_STRUCT, "context.Background"),
	CONTEXT("context.todoCtx", GOTYPE_STRUCT, "context.TODO"),
	/* Until 1.20: only its address identifies it. */
	CONTEXT("context.emptyCtx", GOTYPE_INT, "context.emptyCtx"),
	/* Those with a parent. */
	CONTEXT("context.cancelCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.timerCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.valueCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.withoutCancelCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.afterFuncCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.stopCtx", GOTYPE_STRUCT, NULL),

	{ .name = "sync.Mutex", .kind = GOTYPE_STRUCT, .text = value_mutex },
	{ .name = "sync.RWMutex", .kind = GOTYPE_STRUCT, .text = value_rwmutex },
	{ .name = "sync.WaitGroup", .kind = GOTYPE_STRUCT, .text = value_waitgroup },
	{ .name = "sync.Map", .kind = GOTYPE_STRUCT, .text = value_sync_map },
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

/* Of these the bytes are addresses, ids, checksums, and not numbers. */
#define HEX_MIN 8

static const struct value_known byte_array = {
	.kind = GOTYPE_ARRAY, .text = value_hex, .in_json = true,
};

/* With the package's path: what somebody else calls time.Duration may count seconds. */
static const struct value_known *look_up(const struct gotype *t)
{
	const char *name = t->name ? t->name : "";

	if (t->kind == GOTYPE_ARRAY && t->count >= HEX_MIN && t->elem &&
	    t->elem->kind == GOTYPE_UINT && t->elem->size == 1)
		return &byte_array;
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

const struct value_form *value_form(struct value_ctx *v, const struct gotype *t)
{
	/* The lowest bits of addresses are all the same. */
	struct value_form *f = &v->forms[((uintptr_t)t >> 4 ^ (uintptr_t)t >> 12) %
					 VALUE_FORMS];

	if (f->type != t) {
		f->type = t;
		value_find_redacted(v, f);
		/* A form has values of fields in its text. */
		f->known = f->redacted || f->redacts ? NULL : look_up(t);
	}
	return f;
}

const struct value_known *value_known(struct value_ctx *v, const struct gotype *t)
{
	return value_form(v, t)->known;
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

/* For places where the type is not printed. */
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
		quote_json(b, (uint8_t *)said.p, said.len);
	}
	buf_fini(&said);
}

void value_known_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_what w = { .t = t, .p = p, .place = VALUE_FIELD, .exact = true };
	const char *why;

	/* A *reflect.rtype has a text, and not what it points to. */
	if (p && t->kind == GOTYPE_POINTER && t->elem && value_word(p) && !value_known(v, t)) {
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

/* Of 16 bytes: the bits that say so, and which version (RFC 9562). */
static bool is_uuid(const struct gotype *t, const uint8_t *p)
{
	return t->count == 16 && (p[8] & 0xc0) == 0x80 && p[6] >> 4 >= 1 && p[6] >> 4 <= 8;
}

/* [32]byte(0x9f86d081...), main.ID(6ba7b810-9dad-11d1-80b4-00c04fd430c8) */
bool value_hex(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const char digits[] = "0123456789abcdef";
	bool typed = w->place == VALUE_TOP || w->place == VALUE_IFACE, uuid = is_uuid(w->t, w->p);

	if (typed) {
		value_text_name(b, value_type_name(w->t));
		buf_char(b, '(');
	}
	buf_str(b, uuid ? "" : "0x");
	for (uint64_t i = 0; i < w->t->count && !value_enough(v, b); i++) {
		if (uuid && (i == 4 || i == 6 || i == 8 || i == 10))
			buf_char(b, '-');
		buf_char(b, digits[w->p[i] >> 4]);
		buf_char(b, digits[w->p[i] & 15]);
	}
	if (typed)
		buf_char(b, ')');
	return true;
}
