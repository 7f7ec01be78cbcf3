/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that a program compares with a checksum when it starts: Go's FIPS 140 module, by what the
 * linker notes of it (go:fipsinfo, since 1.24).
 */
#ifndef GOPROBE_GOBIN_FIPSINFO_H
#define GOPROBE_GOBIN_FIPSINFO_H

#include "elf/elffile.h"
#include "gobin/functions.h"

#define FIPSINFO_BYTES 120U

/* Code from @start to before @end, link-time addresses. */
struct fipsinfo {
	uint64_t start;
	uint64_t end;
};

/* What the note at link-time address @vaddr says; 0, or -1: there is no note. Pure. */
int fipsinfo_parse(const uint8_t note[FIPSINFO_BYTES], uint64_t vaddr, struct fipsinfo *ret);
/*
 * Set GOFUNC_CHECKED of the functions that have such code. Where a program of Go 1.@minor has no
 * note that can be read, the names of packages decide.
 */
void fipsinfo_mark(struct gofuncs *f, const struct elffile *ef, int minor);

#endif
