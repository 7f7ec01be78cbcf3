/* SPDX-License-Identifier: GPL-2.0 */
/* The head of an input of fuzz_rtypes: the module data, in short. */
#ifndef GOPROBE_FUZZ_SAID_H
#define GOPROBE_FUZZ_SAID_H

#include <stdint.h>

/* Address of the memory that follows. */
#define SAID_BASE 0x100000ULL

/* Offsets count from SAID_BASE. */
struct said {
	uint16_t minor;		/* less 13 */
	uint16_t ntypelinks;
	uint16_t nitablinks;
	uint16_t itabs_len;
	uint32_t desc_len;
	uint32_t typelinks;
	uint32_t itablinks;
	uint32_t itabs;
	uint32_t pick;		/* a type to ask for */
};

#endif
