/* SPDX-License-Identifier: GPL-2.0 */
/* Inputs that have led to something new, and inputs that are made from these. */
#ifndef NETFUZZ_KEPT_H
#define NETFUZZ_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_MAX	32768

struct input {
	size_t len;
	uint8_t bytes[INPUT_MAX];
};

/* The same sequence for the same seed. */
uint64_t kept_random(uint64_t *state);
void kept_next(struct input *in, uint64_t *state);
/* Its first @len bytes are worth keeping. */
void kept_add(const struct input *in, size_t len);
unsigned int kept_count(void);

/*
 * Code that the kernel has executed for this thread, if it reports it
 * (CONFIG_KCOV), as far as it is the module's.
 */
bool cover_open(void);
void cover_close(void);
/* Record coverage from now on. */
void cover_begin(void);
/* Return: it has been somewhere new. */
bool cover_end(void);
unsigned int cover_places(void);
/* Leave DIR/executed: one a line, as offsets in the module. */
void cover_leave(const char *dir);

#endif
