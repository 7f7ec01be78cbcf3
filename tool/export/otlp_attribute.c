// SPDX-License-Identifier: GPL-2.0
/* Attributes of OTLP spans in JSON. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "export/otlp_attribute.h"
#include "export/span.h"

/* {"key":"goprobe.args.n","value":{"stringValue": */
static void open_attribute(struct buf *b, const char *group, const char *name, const char *kind)
{
	size_t at;

	json_element(b);
	buf_str(b, "{\"key\":\"");
	buf_str(b, group);
	at = b->len;
	/* Names are the program's. The quote before it stands before the group already. */
	quote_json_str(b, name);
	if (!b->failed)
		memmove(b->p + at, b->p + at + 1, --b->len - at);
	buf_str(b, ",\"value\":{\"");
	buf_str(b, kind);
	buf_str(b, "\":");
}

static void put_text(struct buf *b, const char *group, const char *name, const char *s, size_t n)
{
	open_attribute(b, group, name, "stringValue");
	quote_json(b, (const uint8_t *)s, n);
	buf_str(b, "}}");
}

void otlp_attribute_string(struct buf *b, const char *name, const char *s)
{
	put_text(b, "", name, s, strlen(s));
}

/* A 64-bit number is a string there. */
void otlp_attribute_number(struct buf *b, const char *name, uint64_t n)
{
	open_attribute(b, "", name, "intValue");
	buf_number(b, "\"", n);
	buf_str(b, "\"}}");
}

/* "*fs.PathError" of what text shows of such an error. */
static void put_error_type(struct buf *b, const struct span_value *v)
{
	bool pointer = v->text[0] == '&';
	const char *from = v->text + pointer;
	size_t n = 0;

	while (n < v->len - pointer && !memchr("({ <", from[n], 4))
		n++;
	open_attribute(b, "", OTLP_ERROR_TYPE, "stringValue");
	buf_str(b, pointer ? "\"*" : "\"");
	/* It has no quotes: it ends before a bracket. */
	buf_mem(b, n ? from : "_OTHER", n ? n : 6);
	buf_str(b, "\"}}");
}

static void put_argument(struct buf *b, void *ctx, const struct span_value *v)
{
	(void)ctx;
	put_text(b, "goprobe.args.", v->name, v->text, v->len);
}

static void put_result(struct buf *b, void *ctx, const struct span_value *v)
{
	bool *failed = ctx;

	put_text(b, "goprobe.results.", v->name, v->text, v->len);
	if (v->is_error && !*failed)
		put_error_type(b, v);
	*failed |= v->is_error;
}

void otlp_attribute_values(struct output *o, const struct output_event *e)
{
	bool failed = false;

	span_values(o, e, e->kind == OUTPUT_CALL ? put_argument : put_result, &failed);
}

void otlp_attribute_split(const uint64_t ns[__GOSTATES_MAX], struct buf *b)
{
	char name[64];

	for (int i = 0; i < __GOSTATES_MAX; i++) {
		snprintf(name, sizeof(name), "goprobe.split.%s_ns", gostates_names[i]);
		otlp_attribute_number(b, name, ns[i]);
	}
}
