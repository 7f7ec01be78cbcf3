/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Go's function and line table. Pure: works on a buffer that the caller keeps.
 * Every offset in it is checked; a damaged table gives NULLs and -1s.
 */
#ifndef GOPROBE_PCLNTAB_H
#define GOPROBE_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The four header formats, by the release that brought them. */
enum pclntab_format {
	PCLNTAB_GO12,		/* 1.2 to 1.15 */
	PCLNTAB_GO116,		/* 1.16, 1.17 */
	PCLNTAB_GO118,		/* 1.18, 1.19 */
	PCLNTAB_GO120,		/* 1.20 and newer */
};

#define PCLNTAB_FLAG_ASM (1U << 2)

/* PCDATA and FUNCDATA indexes. */
#define PCLNTAB_PCDATA_INLTREE 2U

/**
 * struct pclntab - a function and line table
 * @data: its bytes; @data[@len] must be 0, so that names are terminated
 * @len: their number
 * @format: enum pclntab_format
 * @nfunc: number of functions
 * @text: what entries count from; 0 if the header doesn't tell (1.26 and
 *	newer) or if there is no such thing (1.17 and older)
 * @names: offset of function names in @data
 * @cu: offset of the compilation units' file indexes
 * @files: offset of file names
 * @pc: offset of the pc-value tables
 * @funcs: offset of the function table, and what function offsets count from
 */
struct pclntab {
	const uint8_t *data;
	size_t len;
	enum pclntab_format format;
	uint32_t nfunc;
	uint64_t text;
	size_t names;
	size_t cu;
	size_t files;
	size_t pc;
	size_t funcs;
};

/**
 * struct pclntab_func - one function's entry
 * @entry: link-time address of the first instruction
 * @end: entry of the next function
 * @name: as the linker knows it
 * @args: bytes of arguments; negative if unknown
 * @deferreturn: where a recovering frame resumes, from @entry; or 0
 * @start_line: line of the func keyword, or 0
 * @funcid: special functions and wrappers
 * @flags: PCLNTAB_FLAG_*
 *
 * The rest is for this file's functions.
 */
struct pclntab_func {
	uint64_t entry;
	uint64_t end;
	const char *name;
	int32_t args;
	uint32_t deferreturn;
	int32_t start_line;
	uint8_t funcid;
	uint8_t flags;

	uint32_t pcfile;
	uint32_t pcln;
	uint32_t cuoff;
	uint32_t npcdata;
	uint32_t nfuncdata;
	size_t pcdata;
};

/* Is there a table's header at @data? Enough to look for one in a segment. */
bool pclntab_is_header(const uint8_t *data, size_t len);

/**
 * pclntab_init() - read the header
 * @t: filled
 * @data: the table; NUL behind its last byte
 * @len: its bytes; more may follow than belong to it
 *
 * Return: 0, or -1 if it is no table or its offsets make no sense.
 */
int pclntab_init(struct pclntab *t, const uint8_t *data, size_t len);

/* The @i-th function, by rising entry; 0, or -1 if its entry is damaged. */
int pclntab_func(const struct pclntab *t, uint32_t i, struct pclntab_func *ret);

/*
 * Value at @pc in the pc-value table at offset @off, and the address @until
 * (may be NULL) to which it holds. 0, or -1 if the table says nothing of @pc.
 */
int pclntab_value(const struct pclntab *t, const struct pclntab_func *f,
		  uint32_t off, uint64_t pc, int32_t *value, uint64_t *until);

/* As pclntab_value() for the PCDATA table @which. */
int pclntab_pcdata(const struct pclntab *t, const struct pclntab_func *f,
		   uint32_t which, uint64_t pc, int32_t *value,
		   uint64_t *until);

/* File and line of the function itself, not of what was inlined into it. */
const char *pclntab_file(const struct pclntab *t, const struct pclntab_func *f,
			 int *line);

/*
 * Link-time address of the function's inlining tree, or 0. @gofunc is what
 * moduledata.gofunc says (1.18 and newer; unused before).
 */
uint64_t pclntab_inltree(const struct pclntab *t, const struct pclntab_func *f,
			 uint64_t gofunc);

/**
 * struct pclntab_inlined - one entry of an inlining tree
 * @name: offset in the name table
 * @line: of the func keyword, or 0
 */
struct pclntab_inlined {
	uint32_t name;
	int32_t line;
};

/* Bytes of an entry, and what is in it. */
size_t pclntab_inlined_size(const struct pclntab *t);
void pclntab_inlined(const struct pclntab *t, const uint8_t *entry,
		     struct pclntab_inlined *ret);

/* File of what is at @pc, inlined or not, or NULL. */
const char *pclntab_file_at(const struct pclntab *t,
			    const struct pclntab_func *f, uint64_t pc);

/* Function name at @off in the name table, or NULL. */
const char *pclntab_name(const struct pclntab *t, uint32_t off);

#endif
