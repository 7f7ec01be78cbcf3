// SPDX-License-Identifier: GPL-2.0
/* Messages of gRPC's status errors: a code and a text, behind two pointers. */
#include "value/std.h"

/* As codes.Code's String() (google.golang.org/grpc/codes/code_string.go). */
static const char *const codes[] = {
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound",
	"AlreadyExists", "PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted",
	"OutOfRange", "Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
};

static void put_code(struct buf *b, uint64_t n)
{
	if (n < sizeof(codes) / sizeof(*codes)) {
		buf_str(b, codes[n]);
		return;
	}
	buf_str(b, "Code(");
	buf_u64(b, n);
	buf_char(b, ')');
}

/* What field s of @w, a pointer to a struct that redacts nothing, points to. */
static bool follow(struct value_ctx *v, struct value_what *w)
{
	const struct gofield *s = value_known_field(w->t, "s", GOTYPE_POINTER, 8);
	const char *why;

	if (!s || !s->type->elem || !value_word(w->p + s->offset))
		return false;
	w->p = value_behind(v, s->type, w->p + s->offset, &why);
	w->t = s->type->elem;
	return w->p && value_type_fits(w->t) && !value_form(v, w->t)->redacted &&
	       !value_form(v, w->t)->redacts;
}

/* (*status.Error).Error: the error has a status, and that has the message of the protocol. */
static bool status_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const struct value_known text = { .words = " desc = {Message}" };
	struct value_what to = { .k = &text, .t = w->t, .p = w->p };
	const struct gofield *code;
	int64_t n;

	if (!follow(v, &to) || !follow(v, &to))
		return false;
	code = value_known_field(to.t, "Code", GOTYPE_INT, 4);
	if (!code || !value_integer(code->type, to.p + code->offset, &n))
		return false;
	buf_str(b, "rpc error: code = ");
	put_code(b, (uint32_t)n);
	return value_error_message(v, b, &to);
}

const struct value_known value_known_status[] = {
	MESSAGE("google.golang.org/grpc/internal/status.Error", GOTYPE_STRUCT,
		status_message, NULL),
	{ 0 },
};
