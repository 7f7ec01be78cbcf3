/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Go's function and line table. Pure: works on a buffer that the caller keeps.
 * Every offset in it is checked; a damaged table gives NULLs and -1s.
 */
#ifndef GOPROBE_GOBIN_PCLNTAB_H
#define GOPROBE_GOBIN_PCLNTAB_H

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

#define PCLNTAB_FLAG_SPWRITE (1U << 1)
#define PCLNTAB_FLAG_ASM (1U << 2)

/* Longer ones come from damaged tables only. */
#define PCLNTAB_NAME_MAX 65535U
#define PCLNTAB_FILE_MAX 4095U
/*
 * All names in a table together are no longer than this many times the table
 * itself. Names of a damaged table may overlap, and take forever to read.
 */
#define PCLNTAB_WORK 16U

/* PCDATA and FUNCDATA indexes. */
#define PCLNTAB_PCDATA_INLTREE 2U
#define PCLNTAB_FUNCDATA_ARGINFO 5U	/* since 1.17 */

/* A function and line table. */
struct pclntab {
	const uint8_t *data;	/* its bytes; @data[@len] must be 0, so that names are terminated */
	size_t len;		/* their number */
	enum pclntab_format format;	/* enum pclntab_format */
	uint32_t nfunc;		/* number of functions */
	/*
	 * What entries count from; 0 if the header lacks it (1.26 and newer) or entries are
	 * addresses (1.17 and older).
	 */
	uint64_t text;
	size_t names;		/* offset of function names in @data */
	size_t cu;		/* offset of the compilation units' file indexes */
	size_t files;		/* offset of file names */
	size_t pc;		/* offset of the pc-value tables */
	size_t funcs;		/* what function offsets count from */
	size_t rows;		/* offset of the function table */
};

/* One function's entry. The rest is for this file's functions. */
struct pclntab_func {
	uint64_t entry;		/* link-time address of the first instruction */
	uint64_t end;		/* entry of the next function */
	const char *name;	/* as the linker knows it */
	int32_t args;		/* bytes of arguments; negative if unknown */
	uint32_t deferreturn;	/* where a recovering frame resumes, from @entry; or 0 */
	int32_t start_line;	/* line of the func keyword, or 0 */
	uint8_t funcid;		/* special functions and wrappers */
	uint8_t flags;		/* PCLNTAB_FLAG_* */

	uint32_t pcsp;
	uint32_t pcfile;
	uint32_t pcln;
	uint32_t cuoff;
	uint32_t npcdata;
	uint32_t nfuncdata;
	size_t pcdata;
};

/* Bytes that a table begins with, and those of its first rows. */
#define PCLNTAB_HEADER 72U
#define PCLNTAB_ROWS 272U

/*
 * Every table begins with a word, 8-aligned, that is this but for its lowest
 * byte: the magic, two zeros, instructions of any length, pointers of 8 bytes.
 */
#define PCLNTAB_MAGIC 0x08010000ffffffULL
#define PCLNTAB_MAGIC_SHIFT 8U

/**
 * pclntab_check() - do the PCLNTAB_HEADER bytes at @header begin a table?
 * @t: filled, but for its data
 * @header: the bytes
 * @len: how many bytes the table can have at most
 *
 * Return: 0, or -1 if its offsets make no sense.
 */
int pclntab_check(struct pclntab *t, const uint8_t *header, uint64_t len);

/*
 * Do the PCLNTAB_ROWS bytes at @t->rows belong to a table? They distinguish a table
 * from bytes that look like its header. Bytes behind the table's end do not count.
 */
bool pclntab_check_rows(const struct pclntab *t, const uint8_t *rows);

/* The addresses that a function table covers. */
struct pclntab_extent {
	uint64_t lo;	/* address of the first function; counts from @t->text if that is 0 */
	uint64_t hi;	/* end of the last one */
	uint64_t bytes;	/* how long the table is at most */
};

/* Bytes of a row, and where the row of function @i is; @t->nfunc: the last. */
#define PCLNTAB_ROW_MAX 16U
size_t pclntab_row_at(const struct pclntab *t, uint32_t i);
/* From the rows of the first and the last function and the last row. */
void pclntab_extent(const struct pclntab *t, const uint8_t *first,
		    const uint8_t *last, const uint8_t *end,
		    struct pclntab_extent *ret);

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

/* The function that has the address @pc; 0, or -1 if it is not found. */
int pclntab_find(const struct pclntab *t, uint64_t pc,
		 struct pclntab_func *ret);

/* A run of addresses with the same value. */
struct pclntab_run {
	uint64_t from;	/* first one */
	uint64_t until;	/* end */
	int32_t value;	/* it */
	size_t at;	/* where the table goes on */
};

/*
 * Walk the pc-value table at offset @off: pclntab_next() gives the next run, or
 * false at the end. A walk has no more steps than the function has bytes; many
 * calls of pclntab_value() have the square of it.
 */
void pclntab_walk(const struct pclntab *t, const struct pclntab_func *f,
		  uint32_t off, struct pclntab_run *run);
bool pclntab_next(const struct pclntab *t, const struct pclntab_func *f,
		  struct pclntab_run *run);
/* Where the PCDATA table @which is, or 0. */
uint32_t pclntab_pcdata_at(const struct pclntab *t, const struct pclntab_func *f,
			   uint32_t which);

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

/*
 * Bytes between SP at @pc and the address that the function returns to. 0, or -1 if the
 * table says nothing of @pc, or the function sets SP as it likes.
 */
int pclntab_depth(const struct pclntab *t, const struct pclntab_func *f, uint64_t pc,
		  uint32_t *depth);

/*
 * How many bytes SP is below what it was at the function's entry when the instruction at
 * @pc is executed: 0, or -1 if the table says nothing of it, or the function sets SP as it likes.
 */
int pclntab_sp(const struct pclntab *t, const struct pclntab_func *f, uint64_t pc,
	       int32_t *ret);

/*
 * Where SP is as low as it gets for the first time: behind the prologue, for what Go's
 * compiler makes moves it nowhere else. The entry, if it never moves.
 */
uint64_t pclntab_deepest(const struct pclntab *t, const struct pclntab_func *f);

/* A run of addresses that belong to one line. */
struct pclntab_line {
	uint64_t from;		/* first one */
	uint64_t until;		/* end */
	const char *file;	/* source file, or NULL */
	int line;		/* line in it */
};

/* A value other than 0 ends the walk, and is what it returns. */
typedef int (*pclntab_line_fn)(void *ctx, const struct pclntab_line *line);

/* Call @fn for each run of the function, by rising address. */
int pclntab_lines(const struct pclntab *t, const struct pclntab_func *f, pclntab_line_fn fn,
		  void *ctx);

/* File and line of the function itself, not of what was inlined into it. */
const char *pclntab_file(const struct pclntab *t, const struct pclntab_func *f,
			 int *line);

/*
 * Link-time address of the function's FUNCDATA @which, or 0. @gofunc is what moduledata.gofunc says
 * (1.18 and newer; unused before).
 */
uint64_t pclntab_funcdata(const struct pclntab *t, const struct pclntab_func *f, uint32_t which,
			  uint64_t gofunc);
/* That of the function's inlining tree. */
uint64_t pclntab_inltree(const struct pclntab *t, const struct pclntab_func *f,
			 uint64_t gofunc);

/* One entry of an inlining tree. */
struct pclntab_inlined {
	uint32_t name;		/* offset in the name table */
	int32_t line;		/* of the func keyword, or 0 */
	uint32_t parent_pc;	/* where it was called, from the function's entry */
	uint8_t funcid;		/* as pclntab_func.funcid */
};

/* Bytes of an entry (at most PCLNTAB_INLINED_MAX), and what is in it. */
#define PCLNTAB_INLINED_MAX 20U
size_t pclntab_inlined_size(const struct pclntab *t);
void pclntab_inlined(const struct pclntab *t, const uint8_t *entry,
		     struct pclntab_inlined *ret);

/* File of what is at @pc, inlined or not, or NULL. */
const char *pclntab_file_at(const struct pclntab *t,
			    const struct pclntab_func *f, uint64_t pc);

/* Function name at @off in the name table, or NULL. */
const char *pclntab_name(const struct pclntab *t, uint32_t off);

/* A call at one address. */
struct pclntab_frame {
	const char *func;	/* name of the function */
	const char *file;	/* source file, or NULL */
	int line;		/* line in it, or 0 */
	int start_line;		/* line of the func keyword, or 0 */
	uint8_t funcid;		/* as pclntab_func.funcid */
	bool inlined;		/* its code is part of another function */
};

/* Read @len bytes of the program at link-time address @vaddr; 0, or -1. */
typedef int (*pclntab_read_fn)(void *ctx, uint64_t vaddr, void *buf,
			       size_t len);

/**
 * pclntab_frames() - what is executed at an address
 * @t: the table
 * @f: the function that has @pc
 * @pc: the address; of a return address the byte before it
 * @gofunc: as for pclntab_inltree()
 * @read: reads inlining trees
 * @ctx: its first argument
 * @v: filled: what was inlined, innermost first, then the function itself
 * @max: capacity of @v, at least 1
 *
 * Return: their number. If the inlining tree is damaged, the function alone
 * stands for what is missing. File and line are both there or neither is, as
 * for the runtime itself.
 */
size_t pclntab_frames(const struct pclntab *t, const struct pclntab_func *f,
		      uint64_t pc, uint64_t gofunc, pclntab_read_fn read,
		      void *ctx, struct pclntab_frame *v, size_t max);

#endif
