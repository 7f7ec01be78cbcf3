/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of capture lists: pieces of registers, stack and static memory, and a program that
 * follows pointers and checks bounds. Only the wanted bytes are copied. Entries of maps and
 * dynamic values take too many steps for the module: it captures the whole map or interface, and
 * goprobectl does the other steps (compile/deferred_step.h).
 */
#ifndef GOPROBE_COMPILE_EXPR_H
#define GOPROBE_COMPILE_EXPR_H

#include "base/arena.h"
#include "base/diag.h"
#include "compile/capture.h"
#include "compile/scope.h"
#include "gotype/secret.h"
#include "lang/expr_parse.h"

/* The scope of names. */
struct expr_scope {
	struct gobin *bin;		/* binary */
	const struct gofunc *fn;	/* the function, or NULL: package variables only */
	const struct gosig *sig;	/* its signature, or NULL */
	bool abi0;			/* everything is passed on the stack */
	bool results;			/* at its return: its results */
	/* At one of its instructions: the variables there, which @sig has, too; or NULL. */
	const struct goscope *at;
	uint64_t pc;			/* link-time address of that instruction */
	const struct secret_list *secrets;	/* what is redacted */
	struct arena *mem;		/* memory of all results */
};

/* 0, or -1 with an error that points into the list's text. */
int expr_compile(const struct expr_scope *scope, const struct expr_list *list,
		 struct plan_capture *ret, struct diag *d);

/* The variables of the scope's instruction, but for those of calls around it. 0, or -1. */
int expr_locals(const struct expr_scope *scope, struct plan_capture *ret, struct diag *d);

/*
 * The capture of a function whose arguments are unknown: the registers that can hold them, with
 * the names "$rax" and so on, as many as @args_bytes need (all if it is negative).
 */
int expr_registers(struct arena *mem, int32_t args_bytes, struct plan_capture *ret);

/*
 * Make @v[0] "err != nil", of the last result of type error, whatever its name is. The other two
 * are its operands. Return: false: no result is an error, or none is known.
 */
bool name_failed(const struct gosig *sig, struct expr v[3]);

#endif
