// SPDX-License-Identifier: GPL-2.0
/*
 * A function's code, as insn looks at it. A pair with gobin.c, which has the bytes, and needs such
 * code for signatures of old releases.
 */
#include <string.h>

#include "gobin/function_code.h"
#include "x86/stack_check.h"

static bool is_morestack(void *ctx, uint64_t vaddr)
{
	static const char prefix[] = "runtime.morestack";
	const struct gofunc *fn = gobin_func_at(ctx, vaddr);

	return fn && fn->entry == vaddr &&
	       !strncmp(fn->name, prefix, sizeof(prefix) - 1);
}

struct insn_code function_code_of(struct gobin *bin, const struct gofunc *fn)
{
	return (struct insn_code){
		.bytes = gobin_code(bin, fn->entry, fn->end - fn->entry),
		.len = fn->end - fn->entry,
		.vaddr = fn->entry,
		.wrapper = fn->flags & GOFUNC_WRAPPER,
		.is_morestack = is_morestack,
		.ctx = bin,
	};
}

uint64_t function_code_again(struct gobin *bin, const struct gofunc *fn)
{
	struct insn_code code = function_code_of(bin, fn);
	struct stack_check p;
	ZydisDecoder dec;

	if (!code.bytes ||
	    ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)) ||
	    stack_check_find(&code, &dec, &p) || !p.again)
		return 0;
	return fn->entry + p.again;
}
