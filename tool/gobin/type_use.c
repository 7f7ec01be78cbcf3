// SPDX-License-Identifier: GPL-2.0
/*
 * Types that code names. To make an interface of a value, code takes the address of the type's
 * descriptor: LEAQ type:main.T(SB), AX. Bytes that only look like such an instruction lead to
 * no descriptor, or to one that is of no use; so instructions are not decoded.
 */
#include <string.h>

#include "base/unaligned.h"
#include "gobin/type_use.h"

#define CALL 0xe8
#define CALL_BYTES 5
#define LEA 0x8dU
#define LEA_BYTES 7U

/* A function's code. */
struct used_code {
	const uint8_t *p;	/* the bytes */
	size_t n;		/* their number */
	uint64_t vaddr;		/* their link-time address */
};

/* Where the instruction of @len bytes at @at leads to, whose last four bytes are a distance. */
static uint64_t led_to(const struct used_code *c, size_t at, size_t len)
{
	return c->vaddr + at + len + (uint64_t)(int64_t)(int32_t)load_u32(c->p + at + len - 4);
}

static bool calls_any(const struct used_code *c, const struct hmap *entries)
{
	const uint8_t *end = c->p + c->n, *p;

	for (p = c->p; (p = memchr(p, CALL, (size_t)(end - p))) && end - p >= CALL_BYTES; p++)
		if (hmap_get(entries, led_to(c, (size_t)(p - c->p), CALL_BYTES)))
			return true;
	return false;
}

/* LEAQ of what is at a distance from the next instruction, into any register. */
static bool is_lea(const uint8_t *p)
{
	return (p[0] & 0xfb) == 0x48 && p[1] == LEA && (p[2] & 0xc7) == 5;
}

static int each_named(struct gobin *bin, const struct used_code *c, gobin_rtype_fn fn, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; !ret && i + LEA_BYTES <= c->n; i++) {
		uint64_t vaddr = is_lea(c->p + i) ? led_to(c, i, LEA_BYTES) : 1;
		const char *name = vaddr % 8 ? NULL : gobin_rtype_name(bin, vaddr);

		if (name)
			ret = fn(ctx, vaddr, name);
	}
	return ret;
}

int type_use_each(struct gobin *bin, const struct hmap *entries, gobin_rtype_fn fn, void *ctx)
{
	int ret = 0;

	for (const struct gofunc *f = NULL; !ret && (f = gobin_next(bin, f));) {
		struct used_code c = { .n = f->end - f->entry, .vaddr = f->entry };

		/* Those behind it have no code. */
		if (!f->entry)
			break;
		c.p = gobin_code(bin, f->entry, c.n);
		if (c.p && (hmap_get(entries, f->entry) || calls_any(&c, entries)))
			ret = each_named(bin, &c, fn, ctx);
	}
	return ret;
}
