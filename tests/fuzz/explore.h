/* SPDX-License-Identifier: GPL-2.0 */
/* Everything that the tool does with a program that it has opened. */
#ifndef GOPROBE_FUZZ_EXPLORE_H
#define GOPROBE_FUZZ_EXPLORE_H

#include <stdint.h>

/* Open it, look at it; @seed says where to look. A refusal has to say why. */
void explore_program(int fd, uint32_t seed);

#endif
