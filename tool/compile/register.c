// SPDX-License-Identifier: GPL-2.0
/* The compiler of registers: "$rax", and the names of all architectures, "$sp" and "$pc". */
#include <string.h>

#include "compile/place.h"
#include "x86/regs.h"

static const struct gotype word = {
	.kind = GOTYPE_POINTER, .name = GOTYPE_REGISTER, .size = 8, .align = 8,
};

/* The type of a register in conditions. */
static const struct gotype number = {
	.kind = GOTYPE_UINT, .name = "uint64", .size = 8, .align = 8,
};

static const struct gotype float64 = {
	.kind = GOTYPE_FLOAT, .name = "float64", .size = 8, .align = 8,
};

static int unknown(struct job *j, const struct expr *e)
{
	struct suggest near;

	suggest_init(&near, e->s);
	for (size_t i = 0; i < REGS_NAMES; i++)
		suggest_offer(&near, goreg_names[i].name);
	job_wrong(j, e, "there is no register '%s'", e->s);
	job_hint(j, "there are", "$rax to $r15, $xmm0 to $xmm15, $sp and $pc", &near);
	return -1;
}

static int compile_pc(struct job *j, const struct expr *e, struct operand_place *p)
{
	if (!j->scope->at) {
		job_wrong(j, e, "'%s' is known at single instructions only", e->s);
		diag_hint(j->d, "as in 'main.handle+0x1f(%s)'", e->s);
		return -1;
	}
	*p = (struct operand_place){ .kind = OPERAND_REGISTER, .type = j->cond ? &number : &word,
				 .reg = operand_take(&j->code) };
	operand_set(&j->code, GOPROBE_OP_STATIC, p->reg, j->scope->pc);
	return 0;
}

int register_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct regs_name *r = regs_find(e->s);
	struct abi_part *part;

	if (!r)
		return unknown(j, e);
	if (r->reg == REGS_PC)
		return compile_pc(j, e, p);
	part = arena_alloc(j->scope->mem, sizeof(*part));
	if (!part)
		return job_no_memory(j);
	*part = (struct abi_part){ .reg = r->reg, .is_float = r->reg > 16, .size = 8 };
	*p = (struct operand_place){
		.kind = OPERAND_PARTS, .parts = part, .nparts = 1,
		.type = part->is_float ? &float64 : j->cond ? &number : &word,
	};
	return 0;
}
