// SPDX-License-Identifier: GPL-2.0
/*
 * render - how fast records become lines
 *
 * Decodes and prints made-up records, in memory, again and again, and prints for
 * each kind of record the best of several rounds, in processor time: records a
 * second and nanoseconds a record. No kernel, no program, no output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/format.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))
#define ROUNDS 7
#define RECORDS 200000

static const struct gotype t_int = { .kind = GOTYPE_INT, .name = "int", .size = 8 };
static const struct gotype t_string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };
static const struct gofield line_fields[] = { { "SKU", &t_string, 0 }, { "Qty", &t_int, 16 } };
static const struct gotype t_line = {
	.kind = GOTYPE_STRUCT, .name = "example.com/shop.Line", .size = 24,
	.fields = line_fields, .nfields = N(line_fields),
};

static const struct gotype t_lines = {
	.kind = GOTYPE_SLICE, .name = "[]example.com/shop.Line", .size = 24, .elem = &t_line,
};

static const struct gofield cart_fields[] = {
	{ "Owner", &t_string, 0 }, { "Lines", &t_lines, 16 },
};

static const struct gotype t_cart = {
	.kind = GOTYPE_STRUCT, .name = "example.com/shop.Cart", .size = 40,
	.fields = cart_fields, .nfields = N(cart_fields),
};

static const struct gotype p_cart = {
	.kind = GOTYPE_POINTER, .name = "*example.com/shop.Cart", .size = 8, .elem = &t_cart,
};

static const struct plan_value ints[] = {
	{ .name = "x", .type = &t_int }, { .name = "y", .type = &t_int, .offset = 8 },
};

static const struct plan_value text[] = {
	{ .name = "sku", .type = &t_string }, { .name = "qty", .type = &t_int, .offset = 16 },
};

static const struct plan_value cart[] = { { .name = "c", .type = &p_cart } };

static uint8_t raw[4096];
static size_t raw_len;

static void put(const void *p, size_t n)
{
	memcpy(raw + raw_len, p, n);
	raw_len += (n + 7) & ~(size_t)7;
}

static void chunk(uint64_t address, const void *p, size_t n)
{
	struct goprobe_chunk c = { .address = address, .type = 1, .size = n };

	put(&c, sizeof(c));
	put(p, n);
}

static const uint64_t ints_frame[] = { 99, 9801 }, text_frame[] = { 0x5000, 5, 4 };
static const uint64_t cart_frame[] = { 0x6000 }, the_cart[] = { 0x5000, 5, 0x7000, 3, 3 };
static const uint64_t the_lines[] = { 0x5000, 5, 1, 0x5000, 5, 2, 0x5000, 5, 3 };

static const struct shape {
	const char *name;
	const struct plan_value *values;
	size_t nvalues;
	const uint64_t *frame;
	size_t frame_size;
	bool string, cart;
} shapes[] = {
	{ "two ints", ints, N(ints), ints_frame, sizeof(ints_frame) },
	{ "a string and an int", text, N(text), text_frame, sizeof(text_frame), true },
	{ "a pointer to a struct of 8 values", cart, N(cart), cart_frame, sizeof(cart_frame),
	  true, true },
};

static void make(const struct shape *s)
{
	struct goprobe_record h = {
		.kind = GOPROBE_RECORD_CALL, .tgid = 4121, .tid = 4125, .time = 104881000,
		.goid = 37, .depth = 100,
	};

	raw_len = sizeof(h);
	put(s->frame, s->frame_size);
	if (s->string)
		chunk(0x5000, "A-119", 5);
	if (s->cart) {
		chunk(0x6000, the_cart, sizeof(the_cart));
		chunk(0x7000, the_lines, sizeof(the_lines));
	}
	h.words = raw_len / 8;
	memcpy(raw, &h, sizeof(h));
}

static int64_t frame_size(void *ctx, uint32_t plan)
{
	const struct shape *s = ctx;

	(void)plan;
	return s->frame_size;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void one(struct output *o, struct value_ctx *v, struct record *r, const struct shape *s,
		const struct plan_func *fn)
{
	struct output_event e = { .kind = OUTPUT_CALL, .fn = fn, .rec = r, .v = v };
	const char *why;

	if (record_decode(raw, raw_len, frame_size, (void *)s, r, &why) < 0) {
		fprintf(stderr, "render: %s\n", why);
		exit(1);
	}
	e.tgid = r->h.tgid;
	e.tid = r->h.tid;
	e.goid = r->h.goid;
	e.time = r->h.time;
	value_record(v, r);
	o->format->event(o, &e);
}

static void measure(const struct shape *s, const struct output_format *format, bool show)
{
	static const struct value_env env;
	static struct record rec;
	static struct value_ctx v;
	const struct gofunc fn = { .name = "example.com/shop.(*Cart).Add" };
	const struct plan_func f = {
		.fn = &fn,
		.call = { .values = s->values, .nvalues = s->nvalues, .size = s->frame_size },
	};
	double best = 1e9;
	struct output o;

	output_init(&o, format, -1);
	value_init(&v, &env);
	make(s);
	one(&o, &v, &rec, s, &f);
	if (show)
		fwrite(o.buf.p, 1, o.buf.len, stdout);
	for (int i = 0; i < ROUNDS && !show; i++) {
		double took = now();

		for (int k = 0; k < RECORDS; k++) {
			/* About as often as the real thing writes. */
			if (o.buf.len > 1 << 16)
				o.buf.len = 0;
			one(&o, &v, &rec, s, &f);
		}
		took = now() - took;
		if (took < best)
			best = took;
	}
	if (!show)
		printf("%-34s %-5s %6.2f million/s %6.0f ns\n", s->name, format->name,
		       RECORDS / best / 1e6, best / RECORDS * 1e9);
	value_fini(&v);
	output_fini(&o);
}

int main(int argc, char **argv)
{
	static const struct output_format *const formats[] = { &out_text, &out_json };
	bool show = argc > 1 && strcmp(argv[1], "--show") == 0;

	for (size_t i = 0; i < N(formats); i++)
		for (size_t k = 0; k < N(shapes); k++)
			measure(&shapes[k], formats[i], show);
	return 0;
}
