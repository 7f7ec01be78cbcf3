/* SPDX-License-Identifier: GPL-2.0 */
/* Values of options as people write them: numbers, sizes, times. */
#ifndef GOPROBE_BASE_ARGUMENT_H
#define GOPROBE_BASE_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

/* "5s", "200ms", "1m", "1.5h", "3" (seconds); false if @s is no time, or 0. */
bool argument_duration(const char *s, uint64_t *ns);
/* "65536", "64k", "1m"; false if @s is no size. */
bool argument_size(const char *s, uint64_t *bytes);
/* A whole number from @least to @most. */
bool argument_number(const char *s, uint64_t least, uint64_t most, uint64_t *ret);

#endif
