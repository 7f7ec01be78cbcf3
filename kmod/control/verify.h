/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verifier: checks what user space sends, completely, before anything else uses it.
 */
#ifndef GP_VERIFY_H
#define GP_VERIFY_H

#include <linux/types.h>
#include <goprobe.h>

struct gp_types;

/* Each returns NULL, or an error message. */
const char *gp_verify_runtime(const struct goprobe_runtime *rt);
const char *gp_verify_types(const struct goprobe_type *types, u32 ntypes,
			    const struct goprobe_ref *refs, u32 nrefs);
const char *gp_verify_dynamic(const struct goprobe_dynamic *d,
			      const struct gp_types *types);
const char *gp_verify_plan(const struct goprobe_plan *plan,
			   const struct goprobe_piece *pieces, u32 npieces,
			   const struct goprobe_op *ops, u32 nops,
			   const struct gp_types *types);
const char *gp_verify_filter(const struct goprobe_filter *filter,
			     const struct goprobe_op *ops, u32 nops);
const char *gp_verify_point(const struct goprobe_point *point, u32 nplans, u32 nfilters);

#endif
