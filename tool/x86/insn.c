// SPDX-License-Identifier: GPL-2.0
/*
 * Places in a function's code for breakpoints. The code is decoded from the entry
 * on, without gaps; if that fails anywhere, or if a branch lands inside an
 * instruction, nothing in the function counts as proven. (Go's amd64 compiler
 * puts no data into code.)
 */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include <arch/detour.h>
#include <arch/step.h>
#include <arch/vex.h>

#include "base/array.h"
#include "x86/length.h"
#include "x86/insn.h"
#include "x86/stack_check.h"

/* Where there is no stack check, a breakpoint is that many instructions further on. */
#define ENTRY_INSNS_MAX 8
/* INT3: what is between functions, and behind calls that do not return. */
#define PADDING 0xcc

static const char why_undecodable[] = "its code can't be decoded";
static const char why_out_of_sync[] = "a branch leads into one of its instructions";
static const char why_loop[] =
	"a jump leads back to its first instruction, where each round would count as a call";
static const char why_banned[] = "the kernel can't step over its first instruction";
static const char why_tables[] = "it has jumps whose targets are not known";

const char *const insn_why_deep = "its stack frame is larger than 1 MiB";

struct points {
	struct insn_point *v;
	size_t n;
	size_t cap;
};

static int points_add(struct points *p, struct insn_point at)
{
	if (grow(&p->v, p->n + 1, &p->cap, sizeof(*p->v)))
		return -1;
	p->v[p->n++] = at;
	return 0;
}

/*
 * What all supported kernels emulate: JMP, CALL, Jcc and NOP without a prefix, and
 * PUSH of a register (branch_setup_xol_ops() and push_setup_xol_ops() in
 * arch/x86/kernel/uprobes.c). Longer NOPs are among them since 6.18 only.
 */
static bool is_emulated(const uint8_t *p, size_t len)
{
	switch (len ? *p : 0) {
	case 0x50 ... 0x57:
	case 0x70 ... 0x7f:
	case 0x90:
	case 0xe8:
	case 0xe9:
	case 0xeb:
		return true;
	case 0x0f:
		return len > 1 && (p[1] & 0xf0) == 0x80;
	case 0x41:
		return len > 1 && (p[1] & 0xf8) == 0x50;
	}
	return false;
}

static struct insn_point point(const struct insn_code *c, size_t at, size_t len)
{
	struct gp_step step;
	enum insn_how how = INSN_HOW_STEPPED;

	if (is_emulated(c->bytes + at, len))
		how = INSN_HOW_EMULATED;
	else if (gp_step_decode(c->bytes + at, (uint32_t)len, &step))
		how = INSN_HOW_CARRIED_OUT;
	return (struct insn_point){ (uint32_t)at, (uint32_t)len, how };
}

struct sweep {
	struct points rets;
	struct points tails;
	struct points branches;		/* targets inside the function */
	uint8_t *starts;		/* bitmap of instruction starts */
	bool tables;			/* jumps whose targets are not known */
	bool synced;
};

static void mark(struct sweep *s, size_t at)
{
	s->starts[at / 8] |= 1U << (at % 8);
}

static bool is_start(const struct sweep *s, size_t at)
{
	return s->starts[at / 8] & (1U << (at % 8));
}

static bool is_padding(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] != 0xcc && p[i] != 0)
			return false;
	}
	return true;
}

/* A direct jump or a return. Returns -1 without memory. */
static int visit(const struct insn_code *c, struct sweep *s, size_t at,
		 const struct x86_jump *j)
{
	uint64_t to = at + j->len + (uint64_t)(int64_t)j->by;

	if (j->ret)
		return points_add(&s->rets, point(c, at, j->len));
	if (to < c->len)
		return points_add(&s->branches, (struct insn_point){ .at = (uint32_t)to });
	return j->always ? points_add(&s->tails, point(c, at, j->len)) : 0;
}

static bool is_indexed(const ZydisDecodedInstruction *in)
{
	return in->raw.sib.offset && in->raw.sib.index + 8U * in->raw.rex.X != 4;
}

/* What x86_jump() does not know: prefixes, returns with an operand. */
static int visit_decoded(const struct insn_code *c, struct sweep *s, size_t at,
			 const ZydisDecodedInstruction *in)
{
	struct x86_jump j = {
		.len = in->length,
		.ret = in->mnemonic == ZYDIS_MNEMONIC_RET,
		.always = in->mnemonic == ZYDIS_MNEMONIC_JMP,
		.by = (int32_t)in->raw.imm[0].value.s,
	};

	if (in->mnemonic == ZYDIS_MNEMONIC_CALL)
		return 0;
	/* What else is relative is a jump. */
	if (j.ret || in->raw.imm[0].is_relative)
		return visit(c, s, at, &j);
	/* Elsewhere it may be a switch's table; with an index it is one. */
	if (j.always && c->wrapper && !is_indexed(in))
		return points_add(&s->tails, point(c, at, in->length));
	s->tables |= j.always;
	return 0;
}

/*
 * Most instructions matter by their length only, and x86_len() knows most lengths:
 * decoding them in full would take most of the time to list a large program. The
 * disassembler decodes the rest, as far as needed.
 */
static int sweep_run(const struct insn_code *c, struct sweep *s)
{
	ZydisDecoder dec;
	size_t at = 0;

	if (ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderEnableMode(&dec, ZYDIS_DECODER_MODE_MINIMAL,
					       ZYAN_TRUE)))
		return -1;
	s->starts = calloc(c->len / 8 + 1, 1);
	if (!s->starts)
		return -1;
	s->synced = true;
	while (at < c->len) {
		size_t len = x86_len(c->bytes + at, c->len - at);
		ZydisDecodedInstruction in;
		struct x86_jump j;

		if (len) {
			mark(s, at);
			at += len;
			continue;
		}
		if (x86_jump(c->bytes + at, c->len - at, &j)) {
			mark(s, at);
			if (visit(c, s, at, &j))
				return -1;
			at += j.len;
			continue;
		}
		if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&dec, NULL,
							      c->bytes + at,
							      c->len - at,
							      &in))) {
			s->synced = is_padding(c->bytes + at, c->len - at);
			return 0;
		}
		mark(s, at);
		if (visit_decoded(c, s, at, &in))
			return -1;
		at += in.length;
	}
	return 0;
}

/* Instructions on which the kernel places no breakpoint. */
static bool is_banned(const ZydisDecodedInstruction *in)
{
	const ZydisInstructionAttributes bad =
		ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_SEGMENT_CS |
		ZYDIS_ATTRIB_HAS_SEGMENT_SS | ZYDIS_ATTRIB_HAS_SEGMENT_DS |
		ZYDIS_ATTRIB_HAS_SEGMENT_ES;

	if ((in->attributes & bad) ||
	    (in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	     in->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX))
		return true;
	if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_VEX && gp_vex_is_rejected(in->opcode))
		return true;
	for (int i = 0; i < in->raw.prefix_count; i++) {
		switch (in->raw.prefixes[i].value) {
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0xf0:
			return true;
		}
	}
	switch (in->meta.category) {
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_IO:
	case ZYDIS_CATEGORY_IOSTRINGOP:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_SEGOP:
		return true;
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
		if (in->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE)
			return true;
		break;
	default:
		break;
	}
	if (in->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    in->opcode_map == ZYDIS_OPCODE_MAP_0F) {
		switch (in->opcode) {
		case 0x00: case 0x01: case 0x05: case 0x07: case 0x0b:
		case 0xa1: case 0xa9: case 0xae: case 0xb9: case 0xff:
			return true;
		}
	}
	if (in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) {
		/*
		 * 49 90 is XCHG R8,RAX; kernels before 7.2 take it for a NOP
		 * and so corrupt the program's registers.
		 */
		if (in->opcode == 0x90 && (in->raw.rex.B ||
					   in->mnemonic != ZYDIS_MNEMONIC_NOP))
			return true;
		/* HLT, CLI, STI, INT1, MOV to a segment register. */
		if (in->opcode == 0xf4 || in->opcode == 0xfa ||
		    in->opcode == 0xfb || in->opcode == 0xf1 ||
		    in->opcode == 0x8e)
			return true;
	}
	return false;
}

/* An instruction that is emulated. */
static enum insn_entry emulated_kind(uint8_t opcode)
{
	if (opcode == 0x41 || (opcode >= 0x50 && opcode <= 0x57))
		return INSN_ENTRY_PUSH;
	return opcode == 0x90 ? INSN_ENTRY_NOP : INSN_ENTRY_JUMP;
}

static bool is_target(const struct sweep *s, size_t at)
{
	for (size_t i = 0; i < s->branches.n; i++) {
		if (s->branches.v[i].at == at)
			return true;
	}
	return false;
}

static bool is_tail(const struct sweep *s, size_t at)
{
	for (size_t i = 0; i < s->tails.n; i++) {
		if (s->tails.v[i].at == at)
			return true;
	}
	return false;
}

/*
 * May the entry's breakpoint just as well be behind this instruction? It must not
 * read memory, for it could fault and then begin again after a signal; nor
 * write memory, which arguments may be in; nor a register other than R12 and R13:
 * all others hold arguments, the closure, g, SP or the frame pointer (ABIInternal,
 * src/cmd/compile/abi-internal.md), or what attach shows as $r10. The flags mean
 * nothing at a function's entry.
 */
static bool leaves_call_alone(const struct gp_step *step)
{
	if (step->to == GP_STEP_MEM || step->from == GP_STEP_MEM)
		return false;
	switch (step->kind) {
	case GP_STEP_RET:
		return false;
	case GP_STEP_NOP:
	case GP_STEP_CMP:
	case GP_STEP_TEST:
		return true;
	}
	return step->to_reg == 12 || step->to_reg == 13;
}

/*
 * The first instruction that kernels emulate, if every call reaches it exactly once with
 * everything as it was at the entry: the code before it is straight, and nothing jumps
 * into that. An instruction that the kernel emulates costs less than one that the module
 * emulates, and needs no ability of the module. The end of the function does not count, unless
 * it is the whole function: a call and its end must differ. False: no such place.
 */
static bool find_emulated(const struct insn_code *c, const struct sweep *s, size_t *ret)
{
	struct gp_step step;
	size_t at = 0;

	int most = c->untouched ? 1 : ENTRY_INSNS_MAX;

	for (int i = 0; i < most && at < c->len && is_start(s, at); i++) {
		if (at && (s->tables || is_target(s, at) || is_tail(s, at)))
			return false;
		if (is_emulated(c->bytes + at, c->len - at)) {
			*ret = at;
			return true;
		}
		if (!gp_step_decode(c->bytes + at, (uint32_t)(c->len - at), &step) ||
		    !leaves_call_alone(&step))
			return false;
		at += step.length;
	}
	return false;
}

static void find_entry(const struct insn_code *c, const ZydisDecoder *dec,
		       const struct sweep *s, struct insn_scan *ret)
{
	struct stack_check p;
	ZydisDecodedInstruction in;
	size_t at = 0;

	if (!stack_check_find(c, dec, &p)) {
		ret->entry = INSN_ENTRY_CHECK;
		ret->call = point(c, p.branch.at, p.branch.len);
		ret->abi0 = p.abi0;
		return;
	}
	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(dec, NULL, c->bytes,
						      c->len, &in))) {
		ret->refused = why_undecodable;
		return;
	}
	if (is_banned(&in)) {
		ret->refused = why_banned;
		return;
	}
	/* One record for each call: nothing may come back to the entry. */
	if (is_target(s, 0)) {
		ret->refused = why_loop;
		return;
	}
	ret->entry = INSN_ENTRY_FIRST;
	if (find_emulated(c, s, &at)) {
		ret->entry = emulated_kind(c->bytes[at]);
		if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(dec, NULL, c->bytes + at,
							      c->len - at, &in))) {
			ret->refused = why_undecodable;
			return;
		}
	}
	ret->call = point(c, at, in.length);
}

/* How often does a branch of the function lead to @at? */
static size_t count_branches(const struct sweep *s, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < s->branches.n; i++)
		n += s->branches.v[i].at == at;
	return n;
}

/*
 * Why the branch of the stack check can't become a jump, or NULL. All branches lead to the
 * beginning of instructions, so none leads into a long one.
 */
static const char *find_jump(const struct insn_code *c, const struct sweep *s,
			     const struct insn_scan *scan)
{
	const uint8_t *branch = c->bytes + scan->call.at;
	struct gp_detour_site site;
	const char *why;
	int64_t cold;

	if (scan->entry != INSN_ENTRY_CHECK)
		return "it has no stack check";
	cold = scan->call.at + (int64_t)gp_detour_cold_at(branch, scan->call.len);
	if (cold >= (int64_t)c->len)
		return "its stack check leads out of it";
	why = gp_detour_find(branch, scan->call.len, c->bytes + cold, (uint32_t)(c->len - cold),
			     c->vaddr + scan->call.at, &site);
	if (why || site.shape == GP_DETOUR_LONG)
		return why;
	if (s->tables)
		return why_tables;
	if (!is_start(s, cold) || !is_start(s, cold + site.cold_len))
		return why_out_of_sync;
	for (size_t i = 1; i < site.cold_len; i++)
		if (is_start(s, cold + i))
			return why_out_of_sync;
	return count_branches(s, cold) == 1 ? NULL : "other branches lead to its cold block";
}

/* Does the code at @at do no more than end the function at @ret? */
static bool is_epilogue(const struct insn_code *c, const struct sweep *s, size_t at, size_t ret)
{
	struct gp_detour_site site;

	/* The sweep has decoded the same bytes, so it has the other instructions as well. */
	return at < ret && is_start(s, at) &&
	       !gp_detour_find_exit(c->bytes + at, (uint32_t)(ret - at) + 1, 0, &site) &&
	       site.branch_len == ret - at;
}

/* Where the epilogue begins that ends with the RET at @ret; there, if no jump can replace it. */
static size_t find_epilogue(const struct insn_code *c, const struct sweep *s, size_t ret)
{
	for (size_t len = GP_DETOUR_JUMP; len <= GP_DETOUR_BRANCH; len++)
		if (len <= ret && is_epilogue(c, s, ret - len, ret))
			return ret - len;
	return ret;
}

/* Does a branch lead behind @from, and not behind @to? */
static bool is_led_into(const struct sweep *s, size_t from, size_t to)
{
	for (size_t i = 0; i < s->branches.n; i++)
		if (s->branches.v[i].at > from && s->branches.v[i].at <= to)
			return true;
	return false;
}

static struct insn_exit find_exit(const struct insn_code *c, const struct sweep *s, size_t ret)
{
	size_t at = find_epilogue(c, s, ret), len = 1;
	struct gp_detour_site site;
	const char *why = gp_detour_find_exit(c->bytes + at, (uint32_t)(ret - at) + 1,
					      c->vaddr + at, &site);

	if (!why && s->tables)
		why = why_tables;
	else if (!why && is_led_into(s, at, ret))
		why = "branches lead into an epilogue of it";
	else if (!why && site.frame > INSN_FRAME_MAX)
		why = insn_why_deep;
	if (why)
		return (struct insn_exit){ .no_jump = why };
	while (!is_start(s, at + len))
		len++;
	return (struct insn_exit){ .begin = point(c, at, len), .frame = site.frame };
}

/* The epilogues of all returns. 0, or -1 without memory. */
static int find_exits(const struct insn_code *c, const struct sweep *s, struct insn_scan *scan)
{
	scan->no_time = scan->no_jump;
	if (!scan->no_time && scan->ntails)
		scan->no_time = "a jump to another function ends it";
	scan->exits = calloc(scan->nrets + 1, sizeof(*scan->exits));
	if (!scan->exits)
		return -1;
	for (size_t i = 0; i < scan->nrets; i++) {
		scan->exits[i] = find_exit(c, s, scan->rets[i].at);
		if (!scan->no_time)
			scan->no_time = scan->exits[i].no_jump;
	}
	return 0;
}

static bool branches_in_sync(const struct sweep *s)
{
	for (size_t i = 0; i < s->branches.n; i++)
		if (!is_start(s, s->branches.v[i].at))
			return false;
	return true;
}

static void sweep_fini(struct sweep *s)
{
	free(s->rets.v);
	free(s->tails.v);
	free(s->branches.v);
	free(s->starts);
}

int insn_scan(const struct insn_code *code, struct insn_scan *ret)
{
	struct sweep s = { .synced = false };
	ZydisDecoder dec;
	int err = -1;

	memset(ret, 0, sizeof(*ret));
	if (ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)))
		return -1;
	if (sweep_run(code, &s))
		goto out;
	err = 0;
	if (!s.synced) {
		ret->refused = why_undecodable;
		goto out;
	}
	if (!branches_in_sync(&s)) {
		ret->refused = why_out_of_sync;
		goto out;
	}
	find_entry(code, &dec, &s, ret);
	if (ret->refused)
		goto out;
	ret->no_jump = find_jump(code, &s, ret);
	ret->rets = s.rets.v;
	ret->nrets = s.rets.n;
	ret->tails = s.tails.v;
	ret->ntails = s.tails.n;
	err = code->exits ? find_exits(code, &s, ret) : 0;
	s.rets.v = NULL;
	s.tails.v = NULL;
out:
	sweep_fini(&s);
	return err;
}

/* Why an instruction that the kernel would step over is left alone, or NULL. */
static const char *why_no_point(const ZydisDecodedInstruction *in)
{
	static const char repeated[] =
		"a repeated string instruction would be met once for each round";
	const ZydisInstructionAttributes rep = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
					       ZYDIS_ATTRIB_HAS_REPNE;

	if (is_banned(in))
		return "the kernel can't step over this instruction";
	if (in->meta.category == ZYDIS_CATEGORY_STRINGOP && in->attributes & rep)
		return repeated;
	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return "single-stepped, it would push the flag of single-steps";
	case ZYDIS_MNEMONIC_XBEGIN:
		return "a transaction can't be single-stepped";
	default:
		return NULL;
	}
}

/* All of the function's instructions; NULL, or why it is not understood. */
static const char *sweep_all(const struct insn_code *code, struct sweep *s, ZydisDecoder *dec)
{
	if (sweep_run(code, s) ||
	    ZYAN_FAILED(ZydisDecoderInit(dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)))
		return "out of memory";
	if (!s->synced)
		return why_undecodable;
	return branches_in_sync(s) ? NULL : why_out_of_sync;
}

/* The instruction at @at, where one begins. */
static const char *look_at(const struct insn_code *code, const ZydisDecoder *dec, size_t at,
			   struct insn_point *ret)
{
	ZydisDecodedInstruction in;

	if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(dec, NULL, code->bytes + at,
						      code->len - at, &in)))
		return why_undecodable;
	*ret = point(code, at, in.length);
	return why_no_point(&in);
}

const char *insn_at(const struct insn_code *code, uint64_t at, struct insn_point *ret)
{
	struct sweep s = { .synced = false };
	ZydisDecoder dec;
	const char *why;

	if (at >= code->len)
		return "it is outside of its function";
	why = sweep_all(code, &s, &dec);
	if (!why && (!is_start(&s, at) || code->bytes[at] == PADDING))
		why = "it is inside of an instruction, or in what follows the last one";
	sweep_fini(&s);
	return why ? why : look_at(code, &dec, at, ret);
}

const char *insn_each(const struct insn_code *code, insn_fn fn, void *ctx)
{
	struct sweep s = { .synced = false };
	ZydisDecoder dec;
	const char *why = sweep_all(code, &s, &dec);

	for (size_t at = 0; !why && at < code->len; at++) {
		struct insn_point p;
		const char *refused;

		if (!is_start(&s, at) || code->bytes[at] == PADDING)
			continue;
		refused = look_at(code, &dec, at, &p);
		if (fn(ctx, &p, refused))
			break;
	}
	sweep_fini(&s);
	return why;
}

bool insn_is_alone(const struct insn_scan *s)
{
	for (size_t i = 0; i < s->nrets; i++)
		if (s->rets[i].at == s->call.at)
			return true;
	for (size_t i = 0; i < s->ntails; i++)
		if (s->tails[i].at == s->call.at)
			return true;
	return false;
}

void insn_scan_fini(struct insn_scan *s)
{
	free(s->rets);
	free(s->exits);
	free(s->tails);
	memset(s, 0, sizeof(*s));
}

int insn_find_tls(const uint8_t *bytes, size_t len, uint64_t vaddr,
		  struct insn_tls *ret)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisDecoder dec;

	memset(ret, 0, sizeof(*ret));
	if (ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)))
		return -1;
	for (size_t at = 0; at < len; at += in.length) {
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&dec, bytes + at,
						       len - at, &in, op)))
			return -1;
		if (in.mnemonic != ZYDIS_MNEMONIC_MOV)
			continue;
		if (op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			ret->offset = (int32_t)op[1].imm.value.s;
			ret->slot = 0;
		}
		if (op[1].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (op[1].mem.base == ZYDIS_REGISTER_RIP)
			ret->slot = vaddr + at + in.length +
				    (uint64_t)op[1].mem.disp.value;
		if (op[1].mem.segment != ZYDIS_REGISTER_FS)
			continue;
		if (op[1].mem.base == ZYDIS_REGISTER_NONE) {
			ret->offset = (int32_t)op[1].mem.disp.value;
			ret->slot = 0;
		}
		return 0;
	}
	return -1;
}
