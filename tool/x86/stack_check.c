// SPDX-License-Identifier: GPL-2.0
/*
 * The stack check that most Go functions begin with: stacksplit() in
 * src/cmd/internal/obj/x86/obj6.go. The forms, in Intel order:
 *
 *	g:	R14, as it is; in ABI0 code behind  mov r14, fs:[-8]
 *		                 or  mov r14, -8 ; mov r14, fs:[r14]
 *		                 or  mov r14, [rip + x] ; mov r14, fs:[r14]
 *		(RCX instead of R14 before 1.17)
 *	small:	cmp rsp, [g+16] ; jbe
 *	middle:	lea r, [rsp-n] ; cmp r, [g+16] ; jbe
 *	huge:	mov r, rsp ; sub r, n ; jb ; cmp r, [g+16] ; jbe
 *	huge before 1.17:
 *		mov rsi, [g+16] ; cmp rsi, -1314 ; je ; lea rax, [rsp+928] ;
 *		sub rax, rsi ; cmp rax, n ; jbe
 *
 * with r = R12 (RAX before 1.17) and g+24 for the system stack. A JBE behind
 * anything else is a bounds check. What is at the branch's target has to
 * call morestack.
 */
#include "x86/stack_check.h"

#define STACK_CHECK_INSNS_MAX 9
#define MORESTACK_INSNS_MAX 64
#define STACKGUARD0 0x10
#define STACKGUARD1 0x18

struct insn {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	size_t at;
};

struct reader {
	const struct insn_code *c;
	const ZydisDecoder *dec;
	size_t at;
	int left;
};

static bool next(struct reader *r, struct insn *i)
{
	if (!r->left || r->at >= r->c->len ||
	    ZYAN_FAILED(ZydisDecoderDecodeFull(r->dec, r->c->bytes + r->at,
					       r->c->len - r->at, &i->in,
					       i->op)))
		return false;
	i->at = r->at;
	r->at += i->in.length;
	r->left--;
	return true;
}

static bool is_reg(const struct insn *i, int n, ZydisRegister reg)
{
	return i->op[n].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       i->op[n].reg.value == reg;
}

static bool is_mem(const struct insn *i, int n, ZydisRegister base)
{
	return i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       i->op[n].mem.base == base &&
	       i->op[n].mem.index == ZYDIS_REGISTER_NONE;
}

static bool is_guard(const struct insn *i, int n, ZydisRegister g)
{
	return is_mem(i, n, g) && i->op[n].size == 64 &&
	       (i->op[n].mem.disp.value == STACKGUARD0 ||
		i->op[n].mem.disp.value == STACKGUARD1);
}

static bool is_scratch(const struct insn *i, int n, ZydisRegister *reg)
{
	if (i->op[n].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	*reg = i->op[n].reg.value;
	return *reg == ZYDIS_REGISTER_R12 || *reg == ZYDIS_REGISTER_RAX;
}

static bool is_fs(const struct insn *i, int n)
{
	return i->op[n].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       i->op[n].mem.segment == ZYDIS_REGISTER_FS;
}

/* Step over the load of g from TLS, if there is one, to the next instruction. */
static bool skip_g_load(struct reader *r, struct insn *i, ZydisRegister *g, bool *abi0)
{
	const ZydisRegister r14 = ZYDIS_REGISTER_R14, rcx = ZYDIS_REGISTER_RCX;

	*g = r14;
	*abi0 = i->in.mnemonic == ZYDIS_MNEMONIC_MOV && (is_reg(i, 0, r14) || is_reg(i, 0, rcx));
	if (!*abi0)
		return true;
	*g = i->op[0].reg.value;
	if (!is_fs(i, 1)) {
		if (i->op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    !is_mem(i, 1, ZYDIS_REGISTER_RIP))
			return false;
		if (!next(r, i) || i->in.mnemonic != ZYDIS_MNEMONIC_MOV ||
		    !is_reg(i, 0, *g) || !is_fs(i, 1) || !is_mem(i, 1, *g))
			return false;
	}
	return next(r, i);
}

/* From "mov rsi, [g+16]" on. */
static bool huge_before_117(struct reader *r, struct insn *i, ZydisRegister g)
{
	const ZydisRegister rax = ZYDIS_REGISTER_RAX, rsi = ZYDIS_REGISTER_RSI;

	return i->in.mnemonic == ZYDIS_MNEMONIC_MOV && is_reg(i, 0, rsi) &&
	       is_guard(i, 1, g) && next(r, i) &&
	       i->in.mnemonic == ZYDIS_MNEMONIC_CMP && is_reg(i, 0, rsi) &&
	       next(r, i) && i->in.mnemonic == ZYDIS_MNEMONIC_JZ &&
	       next(r, i) && i->in.mnemonic == ZYDIS_MNEMONIC_LEA &&
	       is_reg(i, 0, rax) && is_mem(i, 1, ZYDIS_REGISTER_RSP) &&
	       next(r, i) && i->in.mnemonic == ZYDIS_MNEMONIC_SUB &&
	       is_reg(i, 0, rax) && is_reg(i, 1, rsi) && next(r, i) &&
	       i->in.mnemonic == ZYDIS_MNEMONIC_CMP && is_reg(i, 0, rax);
}

/* Step to the compare of the other forms; @i is then a CMP with @sp. */
static bool compare(struct reader *r, struct insn *i, ZydisRegister g)
{
	const ZydisRegister rsp = ZYDIS_REGISTER_RSP;
	ZydisRegister sp = rsp;

	if (i->in.mnemonic == ZYDIS_MNEMONIC_LEA) {
		if (!is_scratch(i, 0, &sp) || !is_mem(i, 1, rsp) ||
		    !next(r, i))
			return false;
	} else if (i->in.mnemonic == ZYDIS_MNEMONIC_MOV) {
		if (!is_scratch(i, 0, &sp) || !is_reg(i, 1, rsp) ||
		    !next(r, i) || i->in.mnemonic != ZYDIS_MNEMONIC_SUB ||
		    !is_reg(i, 0, sp) ||
		    i->op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		    !next(r, i) || i->in.mnemonic != ZYDIS_MNEMONIC_JB ||
		    !next(r, i))
			return false;
	}
	return i->in.mnemonic == ZYDIS_MNEMONIC_CMP && is_reg(i, 0, sp) &&
	       is_guard(i, 1, g);
}

static bool calls_morestack(const struct insn_code *c, const ZydisDecoder *dec,
			    size_t at, uint32_t *again)
{
	struct reader r = { c, dec, at, MORESTACK_INSNS_MAX };
	struct insn i;
	bool keeps = false;

	while (next(&r, &i)) {
		if (i.in.meta.category == ZYDIS_CATEGORY_CALL) {
			*again = keeps ? 0 : (uint32_t)r.at;
			return i.in.raw.imm[0].is_relative &&
			       c->is_morestack(c->ctx, c->vaddr + r.at +
					       (uint64_t)i.in.raw.imm[0].value.s);
		}
		if (i.in.mnemonic != ZYDIS_MNEMONIC_MOV &&
		    i.in.mnemonic != ZYDIS_MNEMONIC_MOVSS &&
		    i.in.mnemonic != ZYDIS_MNEMONIC_MOVSD &&
		    i.in.mnemonic != ZYDIS_MNEMONIC_MOVUPS &&
		    i.in.mnemonic != ZYDIS_MNEMONIC_NOP)
			return false;
		keeps |= i.in.mnemonic != ZYDIS_MNEMONIC_NOP;
	}
	return false;
}

int stack_check_find(const struct insn_code *c, const ZydisDecoder *dec,
		     struct stack_check *ret)
{
	struct reader r = { c, dec, 0, STACK_CHECK_INSNS_MAX }, again;
	struct insn i, first;
	ZydisRegister g;
	uint64_t to;

	if (!next(&r, &i) || !skip_g_load(&r, &i, &g, &ret->abi0))
		return -1;
	again = r;
	first = i;
	if (!huge_before_117(&r, &i, g)) {
		r = again;
		i = first;
		if (!compare(&r, &i, g))
			return -1;
	}
	if (!next(&r, &i) || i.in.mnemonic != ZYDIS_MNEMONIC_JBE)
		return -1;
	to = r.at + (uint64_t)i.in.raw.imm[0].value.s;
	if (to >= c->len || !calls_morestack(c, dec, to, &ret->again))
		return -1;
	ret->grows = (uint32_t)to;
	ret->branch = (struct insn_point){ .at = (uint32_t)i.at, .len = i.in.length };
	return 0;
}
