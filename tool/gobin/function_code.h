/* SPDX-License-Identifier: GPL-2.0 */
/* A function's code, as insn looks at it. */
#ifndef GOPROBE_GOBIN_FUNCTION_CODE_H
#define GOPROBE_GOBIN_FUNCTION_CODE_H

#include "gobin/gobin.h"
#include "x86/insn.h"

/* All but what @untouched says. Without code @bytes is NULL. */
struct insn_code function_code_of(struct gobin *bin, const struct gofunc *fn);

/*
 * Where @fn goes on after its stack has grown, or after it has been preempted at its entry, if it
 * then starts again without the arguments that registers had; a link-time address, or 0. RBX is
 * that address then (runtime.gogo), if it is no argument, and all other registers are lost.
 */
uint64_t function_code_again(struct gobin *bin, const struct gofunc *fn);

#endif
