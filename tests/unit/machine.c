// SPDX-License-Identifier: GPL-2.0
/*
 * A traced thread that tests make up, on which the programs of plans are run.
 *
 * The operations and their rules are written out here a second time on purpose, from
 * the protocol's description in include/uapi/goprobe.h, and share nothing with
 * kmod/program.c and kmod/verify.c: what the tool compiles is judged by them, so they
 * must not have the module's mistakes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "rows.h"

static const char *const reg_names[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11",
};

void machine_put(struct machine *m, uint64_t at, uint64_t value)
{
	assert_true(m->nwords < N(m->words));
	m->words[m->nwords++] = (struct machine_word){ at, value };
}

void machine_set(struct machine *m, const char *setup)
{
	char what[16];
	uint64_t v;
	int n;

	memset(m, 0, sizeof(*m));
	for (int i = 0; i < MACHINE_REGS; i++)
		m->regs[i] = 0xbadbadbadbad0000 + i;
	m->sp = 0x8000;
	while (sscanf(setup, " %15[^=]=%lx%n", what, &v, &n) == 2) {
		int reg = -1, x;

		setup += n;
		if (what[0] == '@') {
			machine_put(m, strtoul(what + 1, NULL, 16), v);
			continue;
		}
		if (sscanf(what, "x%d", &x) == 1)
			reg = 17 + x;
		for (size_t i = 0; i < N(reg_names); i++)
			if (strcmp(reg_names[i], what) == 0)
				reg = (int)i;
		assert_true(reg >= 0);
		m->regs[reg] = v;
	}
	assert_int_equal(*setup, 0);
}

static bool machine_read(const struct machine *m, uint64_t at, uint8_t *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t k = 0;

		while (k < m->nwords && at + i - m->words[k].at >= 8)
			k++;
		if (k == m->nwords)
			return false;
		to[i] = m->words[k].value >> (at + i - m->words[k].at) * 8;
	}
	return true;
}

static void machine_piece(struct machine *m, const struct goprobe_piece *p, uint32_t size)
{
	assert_true(p->size && p->frame + p->size <= size);
	switch (p->source) {
	case GOPROBE_FROM_INT_REG:
		assert_true(p->reg < 16 && p->size <= 8);
		memcpy(m->frame + p->frame, &m->regs[p->reg], p->size);
		return;
	case GOPROBE_FROM_FLOAT_REG:
		assert_in_range(p->reg, 17, 32);
		assert_true(p->size == 4 || p->size == 8);
		memcpy(m->frame + p->frame, &m->regs[p->reg], p->size);
		return;
	case GOPROBE_FROM_STACK:
		assert_in_range(p->offset, 0, (1 << 20) - 1);
		assert_true(machine_read(m, m->sp + p->offset, m->frame + p->frame, p->size));
		return;
	case GOPROBE_FROM_STATIC:
		assert_true(machine_read(m, p->address, m->frame + p->frame, p->size));
		return;
	}
	fail();
}

/* kmod/verify.c's rules. */
static void check_op(const struct goprobe_op *o, size_t left, uint32_t size)
{
	bool word = o->size == 1 || o->size == 2 || o->size == 4 || o->size == 8;

	assert_true(o->code > GOPROBE_OP_UNSPEC && o->code < __GOPROBE_OP_MAX);
	assert_true(o->a < 16 && o->b < 16);
	assert_true(!o->pad && !o->pad2);
	switch (o->code) {
	case GOPROBE_OP_JUMP:
	case GOPROBE_OP_JEQ:
	case GOPROBE_OP_JNE:
	case GOPROBE_OP_JLT:
	case GOPROBE_OP_JGE:
	case GOPROBE_OP_JSLT:
	case GOPROBE_OP_JSGE:
	case GOPROBE_OP_TRY:
		assert_true(o->offset <= left && !o->size);
		assert_true(o->code == GOPROBE_OP_TRY || !o->value);
		return;
	case GOPROBE_OP_STORE:
	case GOPROBE_OP_COPY:
		assert_true(o->size && o->offset + o->size <= size);
		assert_true(o->code == GOPROBE_OP_COPY ? !o->a : word && !o->b && !o->value);
		return;
	case GOPROBE_OP_LOAD:
		assert_true(word && !o->offset);
		return;
	case GOPROBE_OP_SIGN:
		assert_true(word && !o->offset && !o->value);
		return;
	case GOPROBE_OP_FAIL:
		assert_true(o->value > GOPROBE_CHUNK_OK && o->value < __GOPROBE_CHUNK_MAX);
		assert_true(!o->a && !o->b && !o->size && !o->offset);
		return;
	case GOPROBE_OP_MOVE:
	case GOPROBE_OP_ADD:
	case GOPROBE_OP_REG:
		assert_true(!o->size && !o->offset && !o->value);
		return;
	default:
		assert_true(!o->size && !o->offset && !o->b);
	}
}

static int load(struct machine *m, uint64_t base, const struct goprobe_op *o, uint8_t *to)
{
	uint64_t at = base + o->value;

	if (base < 4096 || at < 4096)
		return GOPROBE_CHUNK_NIL;
	return machine_read(m, at, to, o->size) ? GOPROBE_CHUNK_OK : GOPROBE_CHUNK_FAULT;
}

static bool jumps(const struct goprobe_op *o, uint64_t a, uint64_t b)
{
	switch (o->code) {
	case GOPROBE_OP_JUMP:
		return true;
	case GOPROBE_OP_JEQ:
		return a == b;
	case GOPROBE_OP_JNE:
		return a != b;
	case GOPROBE_OP_JLT:
		return a < b;
	case GOPROBE_OP_JGE:
		return a >= b;
	case GOPROBE_OP_JSLT:
		return (int64_t)a < (int64_t)b;
	case GOPROBE_OP_JSGE:
		return (int64_t)a >= (int64_t)b;
	}
	return false;
}

static int step(struct machine *m, uint64_t *r, const struct goprobe_op *o)
{
	uint64_t *a = &r[o->a], b = r[o->b];

	switch (o->code) {
	case GOPROBE_OP_IMM:
	case GOPROBE_OP_STATIC:
		*a = o->value;
		break;
	case GOPROBE_OP_REG:
		*a = m->regs[o->b];
		break;
	case GOPROBE_OP_SP:
		*a = m->sp + o->value;
		break;
	case GOPROBE_OP_LOAD:
		*a = 0;
		return load(m, b, o, (uint8_t *)a);
	case GOPROBE_OP_COPY:
		return load(m, b, o, m->frame + o->offset);
	case GOPROBE_OP_SIGN:
		*a = (int64_t)(b << (64 - o->size * 8)) >> (64 - o->size * 8);
		break;
	case GOPROBE_OP_MOVE:
		*a = b;
		break;
	case GOPROBE_OP_ADD:
		*a += b;
		break;
	case GOPROBE_OP_ADD_I:
		*a += o->value;
		break;
	case GOPROBE_OP_MUL_I:
		*a *= o->value;
		break;
	case GOPROBE_OP_STORE:
		memcpy(m->frame + o->offset, a, o->size);
		break;
	case GOPROBE_OP_FAIL:
		return (int)o->value;
	}
	return GOPROBE_CHUNK_OK;
}

void machine_run(struct machine *m, const struct plan_capture *c)
{
	uint64_t r[16] = { 0 };
	size_t item = 0, resume = 0;

	for (size_t i = 0; i < c->npieces; i++)
		machine_piece(m, &c->pieces[i], c->size);
	for (size_t i = 0; i < c->nops; i++)
		check_op(&c->ops[i], c->nops - i - 1, c->size);
	for (size_t i = 0; i < c->nops;) {
		const struct goprobe_op *o = &c->ops[i];
		int status;

		if (o->code == GOPROBE_OP_TRY) {
			assert_true(o->value < c->nvalues);
			item = o->value;
			resume = i + 1 + o->offset;
			i++;
			continue;
		}
		if (jumps(o, r[o->a], r[o->b])) {
			i += 1 + o->offset;
			continue;
		}
		status = step(m, r, o);
		i++;
		if (status == GOPROBE_CHUNK_OK)
			continue;
		assert_true(i <= resume);
		m->failed[item] = status;
		i = resume;
	}
}
