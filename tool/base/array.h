/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow. */
#ifndef GOPROBE_BASE_ARRAY_H
#define GOPROBE_BASE_ARRAY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Grow an array to hold @need elements of @size bytes. Its pointer is at @array,
 * and it holds *@cap elements now. Returns 0, or -1 without memory; then nothing
 * has changed.
 */
static inline int grow(void *array, size_t need, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap : 16;
	void *p;

	if (need <= *cap)
		return 0;
	while (n < need)
		if (__builtin_mul_overflow(n, 2, &n))
			return -1;
	memcpy(&p, array, sizeof(p));
	p = reallocarray(p, n, size);
	if (!p)
		return -1;
	memcpy(array, &p, sizeof(p));
	*cap = n;
	return 0;
}

#endif
