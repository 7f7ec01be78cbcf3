// SPDX-License-Identifier: GPL-2.0
/* Messages of the runtime's own errors (src/runtime/error.go), with which a program panics. */
#include <string.h>

#include "value/std.h"

/* Since 1.20 a slice can be converted to an array, too. */
#define MINOR_TO_ARRAY 20

/* By boundsError.code; %x and %y are its fields; behind the '|': where x is negative. */
static const char *const bounds[] = {
	"index out of range [%x] with length %y|index out of range [%x]",
	"slice bounds out of range [:%x] with length %y|slice bounds out of range [:%x]",
	"slice bounds out of range [:%x] with capacity %y|slice bounds out of range [:%x]",
	"slice bounds out of range [%x:%y]|slice bounds out of range [%x:]",
	"slice bounds out of range [::%x] with length %y|slice bounds out of range [::%x]",
	"slice bounds out of range [::%x] with capacity %y|slice bounds out of range [::%x]",
	"slice bounds out of range [:%x:%y]|slice bounds out of range [:%x:]",
	"slice bounds out of range [%x:%y:]|slice bounds out of range [%x::]",
	"cannot convert slice with length %y to array or pointer to array with length %x|",
};

static const char to_pointer[] =
	"cannot convert slice with length %y to pointer to array with length %x|";

#define CODE_CONVERT 8

static int minor(struct value_ctx *v)
{
	const struct runtime_layout *l =
		v->env && v->env->layout ? v->env->layout(v->env->ctx) : NULL;

	return l ? l->minor : MINOR_TO_ARRAY;
}

static bool bounds_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *x = value_known_field(w->t, "x", GOTYPE_INT, 8);
	const struct gofield *y = value_known_field(w->t, "y", GOTYPE_INT, 8);
	const struct gofield *is_signed = value_known_field(w->t, "signed", GOTYPE_BOOL, 1);
	const struct gofield *code = value_known_field(w->t, "code", GOTYPE_UINT, 1);
	const char *s;
	bool negative;

	if (!x || !y || !is_signed || !code)
		return false;
	if (w->p[code->offset] >= sizeof(bounds) / sizeof(bounds[0]))
		return false;
	s = w->p[code->offset] == CODE_CONVERT && minor(v) < MINOR_TO_ARRAY ? to_pointer :
	    bounds[w->p[code->offset]];
	negative = w->p[is_signed->offset] && (int64_t)value_word(w->p + x->offset) < 0;
	if (negative)
		s = strchr(s, '|') + 1;
	buf_str(b, "runtime error: ");
	for (; *s && *s != '|'; s++) {
		if (*s != '%')
			buf_char(b, *s);
		else if (*++s == 'y' || negative)
			buf_i64(b, value_word(w->p + (*s == 'y' ? y : x)->offset));
		else
			buf_u64(b, value_word(w->p + x->offset));
	}
	return true;
}

/* The type that the field points to: its name; "" if it is nil; NULL if that is unknown. */
static const char *type_in(struct value_ctx *v, const struct value_what *w, const char *field)
{
	const struct gofield *f = value_known_field(w->t, field, GOTYPE_POINTER, 8);

	if (!f)
		return NULL;
	return value_word(w->p + f->offset) ? value_type_at(v, value_word(w->p + f->offset)) : "";
}

static bool same_text(const char *s, const char *t)
{
	struct buf a = { 0 }, b = { 0 };
	bool same;

	value_text_type_string(&a, s);
	value_text_type_string(&b, t);
	same = a.len == b.len && (!a.len || memcmp(a.p, b.p, a.len) == 0);
	buf_fini(&a);
	buf_fini(&b);
	return same;
}

static bool assertion_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const char *inter = type_in(v, w, "_interface"), *is = type_in(v, w, "concrete");
	const char *not = type_in(v, w, "asserted");
	const struct gofield *f = value_known_field(w->t, "missingMethod", GOTYPE_STRING, 16);
	struct value_bytes method;

	if (!inter || !is || !not || !*not || !f)
		return false;
	value_string(v, w->p + f->offset, &method);
	if (method.unavailable)
		return false;
	buf_str(b, "interface conversion: ");
	if (*is && method.len) {
		value_text_type_string(b, is);
		buf_str(b, " is not ");
		value_text_type_string(b, not);
		buf_str(b, ": missing method ");
		buf_mem(b, method.data, method.size);
		return true;
	}
	value_text_type_string(b, *inter ? inter : "interface");
	buf_str(b, " is ");
	value_text_type_string(b, *is ? is : "nil");
	buf_str(b, ", not ");
	value_text_type_string(b, not);
	if (*is && same_text(is, not))
		buf_str(b, strcmp(is, not) == 0 ? " (types from different scopes)" :
						  " (types from different packages)");
	return true;
}

const struct value_known value_known_panic[] = {
	MESSAGE("runtime.errorString", GOTYPE_STRING, value_error_message, "runtime error: {}"),
	MESSAGE("runtime.plainError", GOTYPE_STRING, value_error_message, "{}"),
	ERROR("runtime.errorAddressString", "runtime error: {msg}"),
	ERROR("runtime.PanicNilError",
	      "panic called with nil argument (use GODEBUG=panicnil=1 to disable)"),
	MESSAGE("runtime.boundsError", GOTYPE_STRUCT, bounds_message, NULL),
	MESSAGE("runtime.TypeAssertionError", GOTYPE_STRUCT, assertion_message, NULL),
	{ 0 },
};
