/* SPDX-License-Identifier: GPL-2.0 */
/* An opened Go binary: version, functions, signatures, runtime layout. */
#ifndef GOPROBE_GOBIN_GOBIN_H
#define GOPROBE_GOBIN_GOBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <goprobe.h>

#include "base/diag.h"
#include "gotype/type.h"

struct dwarf;
struct gobin;
struct pclntab_line;

#define GOFUNC_ASM	(1U << 0)	/* written in assembly */
#define GOFUNC_WRAPPER	(1U << 1)	/* made by the compiler, calls the real one */
#define GOFUNC_ABI0	(1U << 2)	/* arguments on the stack, g in TLS */
#define GOFUNC_INLINED	(1U << 3)	/* no code of its own: entry is 0 */
#define GOFUNC_CHECKED	(1U << 4)	/* the program checks its code when it starts */

/* A function of the binary. */
struct gofunc {
	/* Fully qualified, as in the line table: "main.foo", "shop.(*Cart).Add". */
	const char *name;
	const char *file;	/* source file, or NULL */
	int line;		/* line of the func keyword (or of the first statement), or 0 */
	uint64_t entry;		/* link-time address of the first instruction */
	uint64_t end;		/* address after the last one */
	uint32_t flags;		/* GOFUNC_* */
	uint32_t ninlined;	/* number of places it was inlined into, if known, else 0 */
};

/* A parameter or a result. */
struct goparam {
	const char *name;		/* "_" if it has none, "~r0" ... for results without one */
	const struct gotype *type;	/* its type */
	const char *unavailable;	/* why its place is not known (static string), or NULL */
	/*
	 * Its type is a shape: word @dict_word - 1 of the dictionary has the real one
	 * (gobin_real_type()); 0: it is not, or the word is unknown.
	 */
	uint32_t dict_word;
};

/* Signature of a function. */
struct gosig {
	const struct goparam *params;	/* receiver first, then parameters */
	size_t nparams;	/* their number */
	const struct goparam *results;	/* results */
	size_t nresults;	/* their number */
	bool receiver;	/* params[0] is the receiver */
	bool variadic;	/* the last parameter is "...T"; debug information does not say so */
	/*
	 * A hidden dictionary pointer is passed in the register that follows the first @dict_at
	 * params (generics).
	 */
	bool dict;
	size_t dict_at;	/* see @dict */
	const char *incomplete;	/* why arguments are unavailable (static string), or NULL */
};

/*
 * Open the ELF file behind @fd (duplicated; the caller keeps its own). @path is
 * for messages, and for the search for separate debug information. Fails with a
 * message for a file that is not ELF, not x86-64, truncated, not a Go binary, or
 * of a Go version that is too old or unknown.
 */
int gobin_open(int fd, const char *path, struct gobin **ret, struct diag *d);
/* The same for a file that process @pid has: its separate debug information may be there, too. */
int gobin_open_in(int fd, const char *path, pid_t pid, struct gobin **ret, struct diag *d);
void gobin_free(struct gobin *bin);

int gobin_fd(const struct gobin *bin);
const char *gobin_path(const struct gobin *bin);
/* The path's last element: "shop". */
const char *gobin_name(const struct gobin *bin);
/* The process that has the file, or 0: the user named its path. */
pid_t gobin_process(const struct gobin *bin);
const char *gobin_go_version(const struct gobin *bin);	/* "go1.24.4" */
int gobin_go_minor(const struct gobin *bin);		/* 24 */
bool gobin_has_types(const struct gobin *bin);		/* DWARF is there */
const char *gobin_no_types(const struct gobin *bin);	/* "the binary has ...": why not; static */
/* Why the debug information has nothing of the function's types (static string), or NULL. */
const char *gobin_no_types_of(struct gobin *bin, const struct gofunc *fn);
const char *gobin_debug_path(const struct gobin *bin);	/* of separate debug information; or NULL */
const char *gobin_unread(const struct gobin *bin);	/* as that if it has some, else NULL */
struct dwarf *gobin_dwinfo(struct gobin *bin);		/* or NULL */
const struct goprobe_runtime *gobin_runtime(const struct gobin *bin);
/* What it is read from. */
const struct elffile *gobin_file(const struct gobin *bin);

/*
 * All functions, by rising entry; inlined-away ones (entry 0) come last, once
 * gobin_load_inlined() has been called.
 */
const struct gofunc *gobin_funcs(const struct gobin *bin, size_t *n);
/* The one behind @f, or the first one for NULL; NULL behind the last. */
const struct gofunc *gobin_next(const struct gobin *bin, const struct gofunc *f);
/*
 * Count the places that functions were inlined into (gofunc.ninlined) and find
 * those that have no code of their own; looks at the whole binary. What
 * gobin_funcs() and gobin_func_at() gave before stays as it was, but is no
 * longer part of the table: call this first. Returns 0, or -1 without memory.
 */
int gobin_load_inlined(struct gobin *bin);
/* The function that contains the link-time address, or NULL. */
const struct gofunc *gobin_func_at(const struct gobin *bin, uint64_t vaddr);
/*
 * What the function is called that begins at link-time address @entry, be it Go or C that is
 * linked in and has a symbol; NULL if none does.
 */
const char *gobin_func_name(struct gobin *bin, uint64_t entry);

/*
 * Parameters and results, from DWARF; without it, those of methods that type
 * descriptors mention, where the receiver is called "recv" and the parameters p0,
 * p1 ...; cached; never NULL (see @incomplete).
 */
const struct gosig *gobin_sig(struct gobin *bin, const struct gofunc *fn);
/*
 * The type that @p has in calls with the dictionary at link-time address @dict
 * (what was passed, less the load bias); its values look as those of @p->type.
 * NULL if it is not known, or @p->type is no shape.
 */
const struct gotype *gobin_real_type(struct gobin *bin, const struct goparam *p,
				     uint64_t dict);
/* A place in the source. */
struct goline {
	const char *func;
	const char *file;	/* or NULL */
	int line;		/* or 0 */
};

/*
 * What is executed at link-time address @vaddr (of a return address the byte before
 * it): the innermost function, were it inlined. False if there is no code.
 */
bool gobin_line(struct gobin *bin, uint64_t vaddr, struct goline *ret);
/* Bytes of arguments by the line table (_func.args); negative if unknown. */
int32_t gobin_args_bytes(const struct gobin *bin, const struct gofunc *fn);
/* "func(x int, y int) (z int)" as Go writes it, receiver left out; to be freed */
char *gobin_sig_text(struct gobin *bin, const struct gofunc *fn);

/*
 * How many bytes SP is below what it was at the entry of @fn when the instruction at @vaddr
 * is executed; 0, or -1 if that is not known.
 */
int gobin_sp(const struct gobin *bin, const struct gofunc *fn, uint64_t vaddr, int32_t *ret);
/* The first instruction behind the prologue, which makes the stack frame; @fn->entry without. */
uint64_t gobin_own_code(struct gobin *bin, const struct gofunc *fn);
/* Call @line for each run of addresses of @fn that are of one line; as pclntab_lines(). */
int gobin_lines(const struct gobin *bin, const struct gofunc *fn,
		int (*line)(void *ctx, const struct pclntab_line *line), void *ctx);
/* Which entry of the inlining tree of @fn the instruction at @vaddr is of; -1: its own code. */
int32_t gobin_inlined_at(const struct gobin *bin, const struct gofunc *fn, uint64_t vaddr);

/* A place where a function was inlined. */
struct gobin_site {
	const char *func;	/* its name */
	const struct gofunc *fn;	/* the function that has its code */
	uint64_t vaddr;		/* the first instruction of it there */
	int32_t index;		/* of its entry in the function's inlining tree */
	uint64_t mark;		/* an instruction that the compiler has marked as its call */
	const char *caller;	/* the function that calls it, which may be inlined itself */
	const char *file;	/* where it is called, or NULL */
	int line;		/* see @file */
};

/*
 * Call @site for each place of @fn where something was inlined, and has code; a value other
 * than 0 ends it, and is what it returns. -1 without memory.
 */
int gobin_sites(struct gobin *bin, const struct gofunc *fn,
		int (*site)(void *ctx, const struct gobin_site *site), void *ctx);

/* What of a function's code was inlined there. */
struct gobin_inlining {
	int32_t *of;		/* for each byte: the entry of the inlining tree, or -1 */
	size_t len;		/* bytes */
	int32_t *parent;	/* for each entry: the one that it is inlined in, or -1 */
	size_t n;		/* entries */
};

/* To be given to gobin_inlining_fini(). 0, or -1: without memory. */
int gobin_inlining(struct gobin *bin, const struct gofunc *fn, struct gobin_inlining *ret);
void gobin_inlining_fini(struct gobin_inlining *v);

/* File offset of executable code at @vaddr, or -1 if it is not in the file. */
int64_t gobin_code_offset(const struct gobin *bin, uint64_t vaddr);
/* Link-time address of the code at file offset @off, or 0. */
uint64_t gobin_code_vaddr(const struct gobin *bin, uint64_t off);
/*
 * Code bytes at @vaddr; NULL if [@vaddr, @vaddr + @len) is not all there. Good
 * until the next call for the same binary.
 */
const uint8_t *gobin_code(const struct gobin *bin, uint64_t vaddr, size_t len);
/* Copy these bytes, @len or what is there of them, and zeros behind. Returns how many are there. */
size_t gobin_copy_code(const struct gobin *bin, uint64_t vaddr, uint8_t *to, size_t len);

/* A call at some address. */
struct gobin_frame {
	const char *func;	/* name of the function, as in the line table */
	const char *file;	/* source file, or NULL */
	int line;		/* line in it, or 0 */
	int start_line;		/* line of the func keyword, or 0 (before 1.20) */
	bool inlined;		/* its code is part of another function */
	bool wrapper;		/* made by the compiler, calls the real one */
};

/*
 * What the instruction with the link-time address is part of (of a return address: that
 * of the byte before it), innermost first: what was inlined, then the function itself.
 * Returns how many there are, @max (at least 1) or GOBIN_FRAMES_MAX at most; 0 if no
 * function is there.
 */
#define GOBIN_FRAMES_MAX 256U
size_t gobin_frames(struct gobin *bin, uint64_t vaddr, struct gobin_frame *v, size_t max);

/* The state of the stack at an address, by the line table. */
struct gobin_place {
	uint32_t depth;	/* bytes from SP to where the function will return to */
	bool top;	/* a goroutine's stack ends with this function: nobody has called it */
	/* Its first instruction has been executed, and won't be again in this call. */
	bool begun;
};

/* At link-time address @vaddr; 0, or -1: no function is there, or it sets SP as it likes. */
int gobin_place(const struct gobin *bin, uint64_t vaddr, struct gobin_place *ret);

/* Code that is mapped in one piece. */
struct gobin_range {
	uint64_t start;		/* link-time address */
	uint64_t end;		/* address behind its last byte */
	uint64_t offset;	/* where it is in the file */
};

/* The one that has @vaddr; 0, or -1. */
int gobin_code_range(const struct gobin *bin, uint64_t vaddr, struct gobin_range *ret);

/*
 * The build id, as build_id_build_id() has it; NULL if the file has none. Owned by @bin.
 */
const char *gobin_build_id(struct gobin *bin);

/*
 * Name ("*net/http.Request") of the runtime type descriptor at link-time
 * address @vaddr; NULL: not found. Cached, owned by @bin.
 */
const char *gobin_rtype_name(struct gobin *bin, uint64_t vaddr);
/*
 * The type that the descriptor describes, with all it refers to; NULL: not
 * found. The same each time; owned by @bin.
 */
const struct gotype *gobin_rtype(struct gobin *bin, uint64_t vaddr);
/* An interface's data word is such a value itself, not a pointer to it. */
bool gobin_rtype_is_direct(struct gobin *bin, uint64_t vaddr);
/* Values of the type that the descriptor describes are errors: they have Error() string. */
bool gobin_rtype_is_error(struct gobin *bin, uint64_t vaddr);

/* A value other than 0 ends the walk, and is what it returns. */
typedef int (*gobin_rtype_fn)(void *ctx, uint64_t vaddr, const char *name);

/* All descriptors that can be found in the file. */
int gobin_each_rtype(struct gobin *bin, gobin_rtype_fn fn, void *ctx);
/*
 * The concrete types that the binary is prepared to put into the interface whose
 * descriptor is at @iface; with 0: into any that has methods.
 */
int gobin_itabs(struct gobin *bin, uint64_t iface, gobin_rtype_fn fn, void *ctx);

/*
 * The type called @name ("*net/http.Request", or "*http.Request" if only one
 * has that name); NULL: not found.
 */
const struct gotype *gobin_find_type(struct gobin *bin, const char *name);

#endif
