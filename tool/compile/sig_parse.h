/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of types and signatures that a user wrote: it makes types of the model, and looks
 * names up in the binary.
 */
#ifndef GOPROBE_COMPILE_SIG_PARSE_H
#define GOPROBE_COMPILE_SIG_PARSE_H

#include "base/arena.h"
#include "base/diag.h"
#include "gobin/gobin.h"
#include "lang/typexpr_parse.h"

/* What is needed to make types. */
struct sigparse {
	struct gobin *bin;	/* the binary that has them */
	struct arena *mem;	/* where they are kept */
	const char *text;	/* the user's text, for errors */
};

/*
 * The type that @t describes: the binary's own if it has one of that name, else
 * made from its parts. NULL with @d set: a name that the binary does not have, or
 * has more than once.
 */
const struct gotype *sigparse_type(const struct sigparse *s, const struct typexpr *t,
				   struct diag *d);

/*
 * The signature of @fn; a method's receiver, which is not written, is called
 * SIGPARSE_RECEIVER. NULL with @d set.
 */
const struct gosig *sigparse_sig(const struct sigparse *s, const struct typexpr_sig *sig,
				 const struct gofunc *fn, struct diag *d);
#define SIGPARSE_RECEIVER "recv"

/*
 * Bytes of arguments, results and spill area that @sig asks for, to be compared
 * with gobin_args_bytes(); negative if it is unknown.
 */
int32_t sigparse_args_bytes(const struct gosig *sig, bool abi0);

#endif
