/* SPDX-License-Identifier: GPL-2.0 */
/* Abilities of the module that not every module has. */
#ifndef NETFUZZ_LEARN_H
#define NETFUZZ_LEARN_H

#include <stdbool.h>

void learn(void);
/* Sessions there are, of whomever. */
bool learn_nothing_is_probed(void);

#endif
