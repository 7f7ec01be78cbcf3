/* SPDX-License-Identifier: GPL-2.0 */
/* Unaligned little-endian numbers in memory. */
#ifndef GOPROBE_BASE_UNALIGNED_H
#define GOPROBE_BASE_UNALIGNED_H

#include <stdint.h>
#include <string.h>

static inline uint16_t load_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t load_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif
