/* SPDX-License-Identifier: GPL-2.0 */
/* Requests: one probe spec applied to one function that it names. */
#ifndef GOPROBE_PLAN_REQUEST_H
#define GOPROBE_PLAN_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "lang/spec.h"
#include "plan/plan.h"

/**
 * request_make() - compile a spec for a function
 * @spec: the spec
 * @p: the plan that it is for: how calls are counted or timed, and what is redacted
 * @bin: binary
 * @fn: the function
 * @mem: where the request lives; must outlive the plan
 * @ret: filled
 * @warnings: what a person should know, one line each
 * @d: why not; points into the spec's text
 *
 * A function whose arguments are not known shows registers.
 *
 * Return: 0, or -1 with @d set.
 */
int request_make(const struct spec *spec, const struct plan *p, struct gobin *bin,
		 const struct gofunc *fn, struct arena *mem, struct plan_request *ret,
		 struct buf *warnings, struct diag *d);

struct place;

/*
 * As request_make(), for a single instruction: @spec's list and condition are about the variables
 * that can be seen there.
 */
int request_make_at(const struct spec *spec, const struct plan *p,
		    const struct place *place, struct arena *mem, struct plan_request *ret,
		    struct diag *d);

/* Does the spec want anything but the whole call? */
static inline bool request_is_special(const struct spec *spec)
{
	return spec->sig || spec->call || spec->ret || spec->cond || spec_edits(spec);
}

#endif
