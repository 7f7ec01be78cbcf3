// SPDX-License-Identifier: GPL-2.0
/* Numbers that are worth trying. */
#include "choice.h"

uint64_t choice_word(struct choice *c)
{
	static const uint64_t edges[] = {
		0, 1, 7, 8, 15, 16, 63, 64, 255, 4095, 4096, 65535, 65536, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, INT64_MAX, 1ULL << 63, UINT64_MAX, UINT64_MAX - 7,
		0x00007ffffffff000, 0xffff800000000000, 0xffffffff81000000,
	};

	switch (choice_below(c, 8)) {
	case 0:
		return edges[choice_below(c, sizeof(edges) / sizeof(*edges))];
	case 1:
		return choice_bytes(c, 8);
	case 2:
		return -(uint64_t)choice_below(c, 256);
	case 3:
		return choice_bytes(c, 3);
	default:
		return choice_below(c, 128);
	}
}
