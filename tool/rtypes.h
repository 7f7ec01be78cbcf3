/* SPDX-License-Identifier: GPL-2.0 */
/* The runtime's own type descriptors (abi.Type), and where they are. */
#ifndef GOPROBE_RTYPES_H
#define GOPROBE_RTYPES_H

#include "arena.h"
#include "elffile.h"
#include "hmap.h"

/**
 * struct rtypes - the type descriptors of one binary
 * @ef: the file
 * @mem: where names are kept
 * @minor: Go version, 1.@minor
 * @types: link-time address of the first descriptor; name offsets count from it
 * @etypes: end; 0 if nothing is known
 * @names: by address
 */
struct rtypes {
	const struct elffile *ef;
	struct arena *mem;
	int minor;
	uint64_t types;
	uint64_t etypes;
	struct hmap names;
};

void rtypes_fini(struct rtypes *t);

/* "*errors.errorString": name of the descriptor at @vaddr, or NULL. */
const char *rtypes_name(struct rtypes *t, uint64_t vaddr);

#endif
