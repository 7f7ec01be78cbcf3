// SPDX-License-Identifier: GPL-2.0
/* Records made up by tests: memory at addresses, types, and what is known of the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "recs.h"

const struct gotype t_bool = TYPE(BOOL, "bool", 1);
const struct gotype t_int = TYPE(INT, "int", 8);
const struct gotype t_int32 = TYPE(INT, "int32", 4);
const struct gotype t_int64 = TYPE(INT, "int64", 8);
const struct gotype t_uint8 = TYPE(UINT, "uint8", 1);
const struct gotype t_uint32 = TYPE(UINT, "uint32", 4);
const struct gotype t_uint64 = TYPE(UINT, "uint64", 8);
const struct gotype t_float64 = TYPE(FLOAT, "float64", 8);
const struct gotype t_string = TYPE(STRING, "string", 16);
const struct gotype t_error = TYPE(INTERFACE, "error", 16);
const struct gotype t_any = TYPE(INTERFACE, "interface {}", 16, .empty = true);
const struct gotype t_bytes = TYPE(SLICE, "[]uint8", 24, .elem = &t_uint8);
const struct gotype t_ints = TYPE(SLICE, "[]int", 24, .elem = &t_int);
const struct gotype t_strings = TYPE(SLICE, "[]string", 24, .elem = &t_string);
const struct gotype t_unsafe = TYPE(POINTER, "unsafe.Pointer", 8);

static struct {
	const struct gotype *type;
	bool direct;
} types[64];
static size_t ntypes;

static struct {
	uint64_t address;
	struct value_func f;
} funcs[16];
static size_t nfuncs;
static int minor;

struct record recs_record;
struct value_ctx recs_ctx;
static char *shown;

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	uint64_t i = (address - RECS_TYPES) / 0x40;

	(void)ctx;
	if (address < RECS_TYPES || address % 0x40 || i >= ntypes)
		return false;
	*ret = (struct value_dynamic){
		.name = types[i].type->name, .type = types[i].type, .direct = types[i].direct,
	};
	return true;
}

static bool func(void *ctx, uint64_t code, struct value_func *ret)
{
	(void)ctx;
	for (size_t i = 0; i < nfuncs; i++) {
		if (funcs[i].address != code)
			continue;
		*ret = funcs[i].f;
		return true;
	}
	return false;
}

static const struct runtime_layout *layout(void *ctx)
{
	(void)ctx;
	return runtime_layout_get(minor);
}

const char *recs_unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			const struct gotype *t)
{
	(void)ctx;
	(void)c;
	(void)offset;
	(void)t;
	return recs_record.h.flags & GOPROBE_RECORD_F_BUDGET ? "record is full" : VALUE_DEEP;
}

/* Its variables: a name's word, or 0. */
uint64_t recs_z4, recs_z6noz;

static bool variable(void *ctx, const char *name, uint64_t *ret)
{
	(void)ctx;
	*ret = !strcmp(name, "net/netip.z4") ? recs_z4 :
	       !strcmp(name, "net/netip.z6noz") ? recs_z6noz : 0;
	return *ret;
}

static struct value_env env = {
	.variable = variable,
	.dynamic = dynamic, .func = func, .layout = layout, .unread = recs_unread,
};

void recs_begin(void)
{
	recs_end();
	env.secrets = NULL;
	value_init(&recs_ctx, &env);
	minor = 27;
}

void recs_redact(const struct secret_list *secrets)
{
	env.secrets = secrets;
	value_fini(&recs_ctx);
	value_init(&recs_ctx, &env);
}

void recs_end(void)
{
	for (size_t i = 0; i < recs_record.nchunks; i++)
		free((void *)recs_record.chunks[i].data);
	recs_record.nchunks = 0;
	recs_record.h.flags = 0;
	ntypes = 0;
	nfuncs = 0;
	value_fini(&recs_ctx);
	free(shown);
	shown = NULL;
}

static struct record_chunk *chunk(uint64_t address, uint32_t type)
{
	struct record_chunk *c = &recs_record.chunks[recs_record.nchunks++];

	assert_true(recs_record.nchunks <= RECORD_CHUNKS_MAX);
	*c = (struct record_chunk){ .address = address, .type = type };
	return c;
}

void recs_put(uint64_t address, const void *data, size_t size)
{
	struct record_chunk *c = chunk(address, 1);
	void *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	c->data = copy;
	c->size = size;
}

void recs_missing(uint64_t address, uint32_t type, uint32_t status)
{
	struct record_chunk *c = chunk(address, type);

	c->data = malloc(1);
	c->status = status;
}

void recs_text(uint64_t address, const char *s)
{
	recs_put(address, s, strlen(s));
}

void recs_itab(uint64_t itab, uint64_t type)
{
	PUT(itab + 8, type);
}

uint64_t recs_type(const struct gotype *t, bool direct)
{
	assert_true(ntypes < N(types));
	types[ntypes].type = t;
	types[ntypes].direct = direct;
	return RECS_TYPES + 0x40 * ntypes++;
}

void recs_func(uint64_t address, const char *name, const struct gotype *closure)
{
	assert_true(nfuncs < N(funcs));
	funcs[nfuncs].address = address;
	funcs[nfuncs++].f = (struct value_func){ .name = name, .closure = closure };
}

void recs_go(int version)
{
	minor = version;
}

const char *recs_show(const struct gotype *t, const void *p, bool json)
{
	static const char before[] = "'value':";
	uint8_t *copy = malloc(t->size ? t->size : 1);
	struct buf b = { 0 };

	memcpy(copy, p, t->size);
	recs_record.frame = copy;
	recs_record.frame_size = t->size;
	value_record(&recs_ctx, &recs_record);
	value_start(&recs_ctx, &b);
	(json ? value_json : value_text)(&recs_ctx, &b, t, copy, t->size);
	free(copy);
	recs_record.frame = NULL;
	assert_int_equal(recs_ctx.depth, 0);
	assert_int_equal(recs_ctx.nopen, 0);
	assert_int_equal(recs_ctx.flat, 0);
	assert_int_equal(recs_ctx.indent, 0);
	buf_char(&b, 0);
	assert_false(b.failed);
	free(shown);
	shown = b.p;
	for (char *s = shown; json && *s; s++)
		if (*s == '"')
			*s = '\'';
	if (json && strncmp(shown, before, strlen(before)) == 0)
		return shown + strlen(before);
	return shown;
}
