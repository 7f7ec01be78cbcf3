/* SPDX-License-Identifier: GPL-2.0 */
/* Reads profiles in the format of profile.proto: what export/pprof.c wrote, taken apart. */
#ifndef GOPROBE_TEST_UNPPROF_H
#define GOPROBE_TEST_UNPPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Append what is in the profile of @n bytes at @p, which is not compressed: types, samples
 * with their frames and labels, and mappings, a line each. False, and why at the end of @to, if
 * it is damaged: ids that are none's or taken twice, strings that are not there, and so on.
 */
bool unpprof(const uint8_t *p, size_t n, struct buf *to);

/* Append the bytes that gzip made @n bytes at @p of; false if it did not. */
bool unpprof_gunzip(const uint8_t *p, size_t n, struct buf *to);

#endif
