/* SPDX-License-Identifier: GPL-2.0 */
/* Records made up by tests: memory at addresses, types, and what is known of the program. */
#ifndef GOPROBE_TEST_RECS_H
#define GOPROBE_TEST_RECS_H

#include <stdio.h>
#include <stdlib.h>

#include "rows.h"
#include "value/decode.h"
#include "value/path.h"

/* A type of @size bytes; more members may follow. */
#define TYPE(kind_, name_, size_, ...) \
	{ .kind = GOTYPE_##kind_, .name = (name_), .size = (size_), __VA_ARGS__ }
#define FIELDS(f) .fields = (f), .nfields = sizeof(f) / sizeof(struct gofield)

extern const struct gotype t_bool, t_int, t_int32, t_int64, t_uint8, t_uint32, t_uint64,
	t_float64, t_string, t_error, t_any, t_bytes, t_ints, t_strings, t_unsafe;

/* Run-time addresses of the type descriptors from which recs_type() counts. */
#define RECS_TYPES 0x4a0000ULL

/* Begin a record without chunks. */
void recs_begin(void);
/* Memory: @size bytes at @address, copied to a place of their own, for the sanitizer. */
void recs_put(uint64_t address, const void *data, size_t size);
#define WORDS(...) ((const uint64_t[]){ __VA_ARGS__ })
#define PUT(address, ...) recs_put(address, WORDS(__VA_ARGS__), sizeof(WORDS(__VA_ARGS__)))
/* A chunk without memory: @status says why. */
void recs_missing(uint64_t address, uint32_t type, uint32_t status);
/* The text @s at @address. */
void recs_text(uint64_t address, const char *s);
/* The itab of an interface whose dynamic type has the descriptor @type. */
void recs_itab(uint64_t itab, uint64_t type);
/* @t has a descriptor, whose address is returned. */
uint64_t recs_type(const struct gotype *t, bool direct);
/* The code at @address is function @name. */
void recs_func(uint64_t address, const char *name, const struct gotype *closure);
/* The program is of Go 1.@minor. */
void recs_go(int minor);
/* What is redacted; before, it is what always is. */
void recs_redact(const struct secret_list *secrets);
void recs_end(void);

/* The words of two variables of net/netip; 0: not known. */
extern uint64_t recs_z4, recs_z6noz;
/* For struct value_env: what a test has not put anywhere, the module has not reached. */
const char *recs_unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			const struct gotype *t);

extern struct value_ctx recs_ctx;
extern struct record recs_record;

/* The value of type @t whose bytes are @t->size ones at @p; freed with the next one. */
const char *recs_show(const struct gotype *t, const void *p, bool json);
#define SHOW(t, ...) recs_show(t, WORDS(__VA_ARGS__), false)
/* With ' for ", and without "'value':" before it. */
#define JSON(t, ...) recs_show(t, WORDS(__VA_ARGS__), true)

#endif
