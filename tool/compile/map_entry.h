/* SPDX-License-Identifier: GPL-2.0 */
/* The compiler of entries of maps, m["key"], where the module finds them: conditions and keys. */
#ifndef GOPROBE_COMPILE_MAP_ENTRY_H
#define GOPROBE_COMPILE_MAP_ENTRY_H

#include "compile/job.h"

/* Does a program find @key in a map of type @map? Its layout is known, and keys are simple. */
bool mapentry_can_find(const struct job *j, const struct gotype *map,
		       const struct value_key *key);
/* From the map @p to its element; without the entry to the zero value, as in Go. 0, or -1. */
int mapentry_compile(struct job *j, struct operand_place *p, const struct gotype *map,
		     const struct value_key *key);

#endif
