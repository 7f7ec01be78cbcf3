/* SPDX-License-Identifier: GPL-2.0 */
/* The Go types that a plan's records can show, numbered, as JSON. */
#ifndef GOPROBE_PLAN_EXPORT_TYPE_H
#define GOPROBE_PLAN_EXPORT_TYPE_H

#include "base/buf.h"
#include "base/hmap.h"
#include "plan/export.h"
#include "plan/plan.h"

/**
 * struct exporttype - a type
 * @t: it
 * @whole: what it is made of is needed, too; else only its name and size
 * @done: that has been seen to
 */
struct exporttype {
	const struct gotype *t;
	bool whole;
	bool done;
};

/**
 * struct exporttypes - types, by number
 * @v: types
 * @n: their number
 * @cap: room
 * @ids: number of each, from 1, by its address
 * @shown: addresses whose types are among them
 * @nshown: their number
 *
 * All zero, it is empty.
 */
struct exporttypes {
	struct exporttype *v;
	size_t n;
	size_t cap;
	struct hmap ids;
	const struct export_shown *shown;
	size_t nshown;
};

/**
 * struct exporttypes_known - what an address of a binary stands for
 * @func: for code
 * @name: of the function or the type, or NULL
 * @type: the type; of a function, of what it has captured; or NULL
 * @direct: an interface's data word is the value
 */
struct exporttypes_known {
	bool func;
	const char *name;
	const struct gotype *type;
	bool direct;
};

/* All types of @p's frames, of what they lead to, of what interfaces may hold, and of e->shown. */
int exporttypes_collect(struct exporttypes *e, const struct plan *p);
void exporttypes_fini(struct exporttypes *e);
/* Its number, from 0. */
size_t exporttypes_id(const struct exporttypes *e, const struct gotype *t);
/* What link-time address @vaddr stands for. */
void exporttypes_look(struct gobin *bin, uint64_t vaddr, struct exporttypes_known *ret);
/* All of them: a JSON list. */
void exporttypes_put(const struct exporttypes *e, struct buf *b);

#endif
