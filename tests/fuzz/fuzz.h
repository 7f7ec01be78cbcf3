/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the fuzzers. Each fuzz_NAME.c has one function fuzz_NAME(), which
 * takes any bytes and must neither crash nor leak nor take long; engine.c makes a
 * fuzzer of it, tests/unit/test_crashes.c feeds it the inputs in crashes/.
 */
#ifndef GOPROBE_FUZZ_H
#define GOPROBE_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entry points for libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int (*fuzz_fn)(const uint8_t *data, size_t size);

int fuzz_dwarf(const uint8_t *data, size_t size);
int fuzz_elf(const uint8_t *data, size_t size);
int fuzz_expr(const uint8_t *data, size_t size);
int fuzz_insn(const uint8_t *data, size_t size);
int fuzz_merge(const uint8_t *data, size_t size);
int fuzz_near(const uint8_t *data, size_t size);
int fuzz_netlink(const uint8_t *data, size_t size);
int fuzz_pair(const uint8_t *data, size_t size);
int fuzz_pclntab(const uint8_t *data, size_t size);
int fuzz_program(const uint8_t *data, size_t size);
int fuzz_quote(const uint8_t *data, size_t size);
int fuzz_recording(const uint8_t *data, size_t size);
int fuzz_rtypes(const uint8_t *data, size_t size);
int fuzz_spec(const uint8_t *data, size_t size);
int fuzz_stacks(const uint8_t *data, size_t size);
int fuzz_value(const uint8_t *data, size_t size);

/* A claim that an input has to keep. */
#define FUZZ_HOLDS(claim) \
	do { \
		if (!(claim)) { \
			fprintf(stderr, "%s:%d: does not hold: %s\n", \
				__FILE__, __LINE__, #claim); \
			abort(); \
		} \
	} while (0)

/* An input that is taken apart from its beginning; zeros follow its end. */
struct feed {
	const uint8_t *p;
	size_t n;
};

static inline void feed_bytes(struct feed *f, void *to, size_t n)
{
	size_t have = n < f->n ? n : f->n;

	if (have)
		memcpy(to, f->p, have);
	memset((uint8_t *)to + have, 0, n - have);
	f->p += have;
	f->n -= have;
}

static inline uint8_t feed_u8(struct feed *f)
{
	uint8_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint16_t feed_u16(struct feed *f)
{
	uint16_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint32_t feed_u32(struct feed *f)
{
	uint32_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

static inline uint64_t feed_u64(struct feed *f)
{
	uint64_t v;

	feed_bytes(f, &v, sizeof(v));
	return v;
}

/* At most @max bytes of what is left, to be freed, with a NUL behind them. */
static inline uint8_t *feed_copy(struct feed *f, size_t max, size_t *n)
{
	uint8_t *p;

	*n = f->n < max ? f->n : max;
	p = malloc(*n + 1);
	if (!p)
		abort();
	feed_bytes(f, p, *n);
	p[*n] = 0;
	return p;
}

/* A string that ends at a NUL or a line's end in the input; to be freed. */
static inline char *feed_line(struct feed *f)
{
	size_t n = 0, got;
	char *s;

	while (n < f->n && f->p[n] && f->p[n] != '\n')
		n++;
	s = (char *)feed_copy(f, n, &got);
	if (f->n) {
		f->p++;
		f->n--;
	}
	return s;
}

/* Strict JSON (RFC 8259), in a buffer that is not terminated. */
bool json_is_valid(const char *p, size_t n);

#endif
