/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of functions for people: "v3rpc.(*kvServer).Put" for
 * "go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc.(*kvServer).Put". A package is called by its
 * name, with as much of its path as distinguishes it from the other packages of the programs.
 */
#ifndef GOPROBE_GOTYPE_SHOWN_NAME_H
#define GOPROBE_GOTYPE_SHOWN_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hmap.h"

/* How names are shown. */
enum shown_name_form {
	SHOWN_NAME_PATH,	/* with paths, as in libgoprobe, but without shapes */
	SHOWN_NAME_SHORT,	/* a package is called by its name */
	SHOWN_NAME_WHOLE,	/* as the linker has it */
};

/* The user's wish; packages are added unless names have paths. */
extern enum shown_name_form shown_name_form;

/*
 * A package of a program, with the @n bytes at @path as its path. It is called @name, or what its
 * path makes likely if that is NULL. Without memory its path is shown.
 */
void shown_name_add_package(const char *path, size_t n, const char *name);
bool shown_name_has_package(const char *path, size_t n);
/* Functions that may be shown in lines one after the other: see shown_name_put(). */
void shown_name_expect(const char *name);
/* Forget all of them. */
void shown_name_fini(void);

/* Append a text without the paths of the packages that are in it, whatever the user wishes. */
void shown_name_shorten(struct buf *b, const char *text);
/* The same as a string, to be freed; NULL if it is @name, or without memory. */
char *shown_name_short(const char *name);
/*
 * Call @fn with what else people may call a function: as text output has it, with the name of its
 * package alone, or with an end of the path. True if @fn says so of one of them.
 */
bool shown_name_any(const char *name, bool (*fn)(const void *ctx, const char *called),
		    const void *ctx);
/*
 * What is behind the package of a function or a variable; Go code calls the package the *@n bytes
 * at *@called. NULL: it has none.
 */
const char *shown_name_behind_package(const char *name, const char **called, size_t *n);
/* shown_name_shorten() if names are short: of a signature, say. */
void shown_name_put_text(struct buf *b, const char *text);
/*
 * Append a function's name; without its shapes as shape_put() has it, unless another one that is
 * expected would read the same.
 */
void shown_name_put(struct buf *b, const char *name);

/* Functions that are shown together. A zeroed one is empty. */
struct shown_names {
	struct hmap v;		/* short names, by whole and by short ones */
	struct arena mem;	/* where they are */
};

/* A function that is shown; without memory by its whole name. */
void shown_names_add(struct shown_names *names, const char *name);
/* As shown_name_put() has it, but with its shapes if another one of them would read the same. */
const char *shown_names_get(const struct shown_names *names, const char *name);
void shown_names_fini(struct shown_names *names);

#endif
