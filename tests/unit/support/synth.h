/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small Go programs made by hand: a line table in each of its formats, and an
 * ELF file around it with all that the tool looks for in a binary. For tests of
 * what no toolchain makes, and as seeds of the fuzzers.
 */
#ifndef GOPROBE_TEST_SYNTH_H
#define GOPROBE_TEST_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gobin/pclntab.h"

/* A growing string of bytes; the test fails without memory. */
struct synth_bytes {
	uint8_t *p;
	size_t n;
};

void synth_put(struct synth_bytes *b, const void *p, size_t n);
void synth_zero(struct synth_bytes *b, size_t n);
void synth_align(struct synth_bytes *b, size_t align);
void synth_u8(struct synth_bytes *b, uint8_t v);
void synth_u32(struct synth_bytes *b, uint32_t v);
void synth_u64(struct synth_bytes *b, uint64_t v);
void synth_str(struct synth_bytes *b, const char *s);
/* Overwrite what is there. */
void synth_set32(struct synth_bytes *b, size_t at, uint32_t v);
void synth_set64(struct synth_bytes *b, size_t at, uint64_t v);
void synth_fini(struct synth_bytes *b);

/* Part of a function's code with one value. */
struct synth_run {
	uint32_t bytes;
	int32_t value;
};

#define SYNTH_RUNS 8

/* One entry of an inlining tree. */
struct synth_inlined {
	const char *name;
	uint32_t parent_pc;
	int32_t line;		/* of the func keyword */
};

/**
 * struct synth_func - a function
 * @name: as the linker names it; the same pointer as that of the one before: at
 *	the same place of the table
 * @size: bytes of code
 * @start_line: of the func keyword
 * @args: _func.args
 * @flag: _func.flag
 * @lines: line of each part
 * @files: number of the file of each part, from 1, see synth_table.files
 * @tree: inlining tree
 * @ntree: its entries
 * @inlined: index in the tree of each part, or -1
 */
struct synth_func {
	const char *name;
	uint32_t size;
	int32_t start_line;
	int32_t args;
	uint8_t flag;
	struct synth_run lines[SYNTH_RUNS];
	struct synth_run files[SYNTH_RUNS];
	const struct synth_inlined *tree;
	size_t ntree;
	struct synth_run inlined[SYNTH_RUNS];
};

/**
 * struct synth_table - a line table
 * @format: which
 * @text: address of the first function
 * @text_unsaid: the header leaves it out, as since 1.26
 * @gofunc: address that inlining trees will be at
 * @funcs: functions
 * @nfuncs: their number
 * @files: source files, the last one is NULL
 */
struct synth_table {
	enum pclntab_format format;
	uint64_t text;
	bool text_unsaid;
	uint64_t gofunc;
	const struct synth_func *funcs;
	size_t nfuncs;
	const char *const *files;
};

/* Append the table to @tab and the inlining trees to @trees. */
void synth_table(const struct synth_table *t, struct synth_bytes *tab,
		 struct synth_bytes *trees);

/* A table with two files, inlining two levels deep; of the package "main". */
extern const struct synth_func synth_funcs[];
extern const size_t synth_nfuncs;
extern const char *const synth_files[];

/**
 * struct synth_program - an ELF file
 * @minor: Go version, 1.@minor; gives the table's format
 * @pie: position independent, to be loaded anywhere
 * @lld: pointers are left to the dynamic linker
 * @sections: there are section headers
 * @decoy: a table that nothing points to comes first
 * @shift: bytes of the file before the first segment
 */
struct synth_program {
	int minor;
	bool pie;
	bool lld;
	bool sections;
	bool decoy;
	unsigned int shift;
};

/* Append the whole file. */
void synth_program(const struct synth_program *p, struct synth_bytes *file);

/* A section of a file without code. */
struct synth_section {
	const char *name;
	uint64_t flags;
	struct synth_bytes bytes;
};

/* Append a whole file with these sections, of which those without bytes are left out. */
void synth_sections(const struct synth_section *v, size_t n, struct synth_bytes *file);

/* A descriptor of an unnamed file with these bytes. */
int synth_fd(const void *p, size_t n);

#endif
