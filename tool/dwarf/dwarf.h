/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DWARF as Go's linker writes it, versions 4 and 5, compressed or not. Only the
 * compilation units of the functions that are looked up are read.
 */
#ifndef GOPROBE_DWARF_DWARF_H
#define GOPROBE_DWARF_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/arena.h"
#include "gotype/type.h"

struct dwarf;

#define DWLOC_NONE	-1	/* unknown */
#define DWLOC_STACK	-2	/* see dwparam.stack */

/* A parameter or a result. */
struct dwparam {
	const char *name;	/* as DWARF has it: "x", "_", "~p0", ".dict" */
	const struct gotype *type;	/* its type */
	bool result;		/* it is a result */
	/* DWARF number of the first register it is in at function entry, or DWLOC_*. */
	int reg;
	int32_t stack;		/* where it is, from the first stack argument, for DWLOC_STACK */
	uint32_t dict_word;	/* goparam.dict_word */
};

/* A function that has code. */
struct dwfunc {
	const char *name;	/* with the shapes of generics: "main.Map[go.shape.int]" */
	struct dwparam *params;	/* parameters and results in their order */
	size_t nparams;		/* their number */
};

/**
 * dwarf_open() - look for debug information
 * @fd: the ELF file; must stay open
 * @minor: the binary's Go version, 1.@minor
 * @types: where its run-time types begin (moduledata.types)
 * @mem: where types and names are kept; outlives the dwinfo
 *
 * Return: NULL if no debug information describes Go code.
 */
struct dwarf *dwarf_open(int fd, int minor, uint64_t types, struct arena *mem);
void dwarf_free(struct dwarf *dw);

/* Offsets in runtime.g and runtime.m; g_reg and g_tls are left alone. 0 or -1. */
int dwarf_runtime(struct dwarf *dw, struct goprobe_runtime *rt);

/* Where the structure @name of the runtime has @field; 0, or -1 if it has none. */
int dwarf_field(struct dwarf *dw, const char *name, const char *field, uint32_t *offset);

/* The function at link-time address @entry; 0, or -1 if it is not described. */
int dwarf_func(struct dwarf *dw, uint64_t entry, struct dwfunc *ret);
/* Was the package of the function compiled with -dwarf=false? It has but a name then. */
bool dwarf_is_bare(struct dwarf *dw, uint64_t entry);

/*
 * The type called @name ("net/http.Request", or "http.Request" if only one has
 * that name); NULL: not found. Searches all units.
 */
const struct gotype *dwarf_type(struct dwarf *dw, const char *name);

/* A package variable. */
struct dwvar {
	const struct gotype *type;	/* its type */
	uint64_t vaddr;			/* link-time address */
};

/* The variable @name ("net/http.DefaultClient"); 0, or -1 if it is not found. */
int dwarf_variable(struct dwarf *dw, const char *name, struct dwvar *ret);
/* Call @fn with the path and the name of each package of which both are known. */
void dwarf_packages(const struct dwarf *dw,
		    void (*fn)(void *ctx, const char *path, const char *name), void *ctx);
/* A variable during a walk. */
struct dwvar_at {
	const char *name;		/* its name */
	uint64_t vaddr;			/* link-time address */
	struct dwarf *dw;		/* where it is described */
	const struct dwdie *die;	/* its entry there */
};

/*
 * Call @fn with each variable; a value other than 0 ends the walk, and is what it returns.
 * dwarf_variable_type() is the type of the one at hand, or NULL.
 */
int dwarf_variables(struct dwarf *dw, int (*fn)(void *ctx, const struct dwvar_at *at), void *ctx);
const struct gotype *dwarf_variable_type(const struct dwvar_at *at);

/* The first minor version of Go that describes captured variables. */
#define DWARF_CAPTURED_MINOR 23

/*
 * The type of the closure with its code at @entry: see gobin_closure_type(). NULL if
 * debug information does not describe it. @code: its first @len bytes, or NULL.
 * dwarf_closure_of() knows that the only captured variable is @name, at offset 8.
 */
const struct gotype *dwarf_closure(struct dwarf *dw, uint64_t entry, const uint8_t *code,
				   size_t len);
const struct gotype *dwarf_closure_of(struct dwarf *dw, uint64_t entry,
				      const char *name, const struct gotype *type);

#endif
