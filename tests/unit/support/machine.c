// SPDX-License-Identifier: GPL-2.0
/*
 * A traced thread that tests make up, on which the programs of plans are run.
 *
 * The operations and their rules are written out here a second time on purpose, from
 * the protocol's description, and share nothing with kmod/capture/program.c and
 * kmod/control/verify.c: what the tool compiles is judged by them, so they must not have
 * the module's mistakes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../op_fields.h"
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

/* A number that is not a register. */
static uint64_t *named(struct machine *m, const char *what)
{
	return strcmp(what, "goid") == 0 ? &m->task[GOPROBE_TASK_GOID] :
	       strcmp(what, "pid") == 0 ? &m->task[GOPROBE_TASK_TGID] :
	       strcmp(what, "tid") == 0 ? &m->task[GOPROBE_TASK_TID] :
	       strcmp(what, "g") == 0 ? &m->task[GOPROBE_TASK_G] :
	       strcmp(what, "took") == 0 ? &m->duration : strcmp(what, "n") == 0 ? &m->number :
	       strcmp(what, "under") == 0 ? &m->under :
	       strcmp(what, "root") == 0 ? &m->root :

	       strcmp(what, "member") == 0 ? &m->member : NULL;
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
		if (named(m, what)) {
			*named(m, what) = v;
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

/* Small numbers, also as lengths and pointers, so that programs go on. */
static uint8_t filled(const struct machine *m, uint64_t at)
{
	uint64_t word = ((at / 8) ^ m->fill) * 0x9e3779b97f4a7c15ULL;

	return at % 8 < (word >> 61) ? (uint8_t)(word >> at % 8 * 8) : 0;
}

static bool machine_read(const struct machine *m, uint64_t at, uint8_t *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t k = 0;

		while (k < m->nwords && at + i - m->words[k].at >= 8)
			k++;
		if (k == m->nwords && !m->fill)
			return false;
		to[i] = k == m->nwords ? filled(m, at + i) :
			m->words[k].value >> (at + i - m->words[k].at) * 8;
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
		assert_true(p->offset >= -4096 && p->offset < 1 << 20);
		assert_true(machine_read(m, m->sp + p->offset, m->frame + p->frame, p->size));
		return;
	case GOPROBE_FROM_STATIC:
		assert_true(machine_read(m, p->address, m->frame + p->frame, p->size));
		return;
	}
	fail();
}

static uint32_t b_max(unsigned int has)
{
	return has & OP_B_FLOAT ? 32 : has & (OP_B | OP_B_TARGET) ? 15 : 0;
}

static void check_size(const struct goprobe_op *o, unsigned int has)
{
	bool word = o->size == 4 || o->size == 8;

	if (has & OP_SIZE_FLOAT)
		assert_true(word);
	else if (has & OP_SIZE_WORD)
		assert_true(word || o->size == 1 || o->size == 2);
	else
		assert_true(has & OP_SIZE_BYTES ? o->size : !o->size);
}

static void check_value(const struct goprobe_op *o, unsigned int has)
{
	if (has & OP_VALUE_STATUS)
		assert_in_range(o->value, GOPROBE_CHUNK_OK + 1, __GOPROBE_CHUNK_MAX - 1);
	else if (has & OP_VALUE_LENGTH)
		assert_true(o->value < 16 && o->size <= 65536);
	else if (has & OP_VALUE_NS)
		assert_in_range(o->value, 1, 1000000000);
	else if (has & OP_VALUE_TASK)
		assert_true(o->value < __GOPROBE_TASK_MAX);
	else if (has & OP_VALUE_CAUSE)
		assert_true((o->value & ~256ULL) <= GOPROBE_REJECT_MAX);
	else if (has & OP_VALUE_HASHED)
		assert_true(o->value <= 4096);
	else if (has & OP_VALUE_COUNTER)
		assert_true(o->value < 2);
	else if (has & OP_VALUE_FIND)
		assert_true(o->value < 1ULL << 49);
	else if (has & OP_OFFSET_PERIOD && o->offset)
		assert_true(o->value < 1 << 24);
	else
		assert_true(has & (OP_VALUE | OP_VALUE_ADDRESS | OP_VALUE_ID) || !o->value);
}

/* The module's rules; @size is UINT32_MAX in filters. */
static void check_op(const struct goprobe_op *o, size_t left, uint32_t size)
{
	unsigned int has = o->code < __GOPROBE_OP_MAX ? op_fields[o->code] : 0;
	bool filter = size == UINT32_MAX;

	assert_true(o->code > GOPROBE_OP_UNSPEC && o->code < __GOPROBE_OP_MAX);
	assert_true(!o->pad && !o->pad2);
	assert_false(has & (filter ? OP_FOR_PLANS : OP_FOR_FILTERS));
	assert_true(o->a < (has & OP_A ? 16 : 1));
	assert_true(o->b <= b_max(has));
	assert_true(!(has & OP_B_FLOAT) || o->b >= 17);
	if (o->code == GOPROBE_OP_SET)
		assert_true(o->b != 7 && o->b != 14);
	check_size(o, has);
	if (has & OP_OFFSET_SKIP)
		assert_true(o->offset <= left);
	else if (has & OP_OFFSET_FRAME)
		assert_true(o->offset + o->size <= size);
	else
		assert_true(has & OP_OFFSET_PERIOD || !o->offset);
	check_value(o, has);
}

/* Of operations that a filter has once, or, of quotas, one of a period and one that is not. */
static void check_once(const struct goprobe_op *ops, size_t n)
{
	unsigned int quotas[2] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (ops[i].code == GOPROBE_OP_QUOTA)
			quotas[ops[i].offset != 0]++;
	assert_true(quotas[0] <= 1 && quotas[1] <= 1);
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
	case GOPROBE_OP_JEQ_I:
		return a == o->value;
	case GOPROBE_OP_JNE_I:
		return a != o->value;
	case GOPROBE_OP_JLT_I:
		return a < o->value;
	case GOPROBE_OP_JGE_I:
		return a >= o->value;
	case GOPROBE_OP_JSLT_I:
		return (int64_t)a < (int64_t)o->value;
	case GOPROBE_OP_JSGE_I:
		return (int64_t)a >= (int64_t)o->value;
	}
	return false;
}

/* A number that orders like the float; false: not a number. */
static bool order(uint64_t bits, uint32_t size, uint64_t *to)
{
	uint32_t low = (uint32_t)bits;
	int64_t key;
	double d;
	float f;

	memcpy(&d, &bits, sizeof(d));
	memcpy(&f, &low, sizeof(f));
	if (size == sizeof(f))
		d = f;
	if (d != d)
		return false;
	d += 0.0;
	memcpy(&key, &d, sizeof(key));
	/* What is negative is ordered by its size, the other way around. */
	if (d < 0)
		key = -(key & INT64_MAX);
	*to = d == 0 ? 0 : (uint64_t)key;
	return true;
}

static int same(struct machine *m, uint64_t *a, uint64_t b, uint64_t n)
{
	uint8_t x, y;

	for (uint64_t i = 0; i < n; i++) {
		if (!machine_read(m, *a + i, &x, 1) || !machine_read(m, b + i, &y, 1))
			return GOPROBE_CHUNK_FAULT;
		if (x != y) {
			*a = 0;
			return GOPROBE_CHUNK_OK;
		}
	}
	*a = 1;
	return GOPROBE_CHUNK_OK;
}

/* Any hash will do: which one it is, only the module knows. */
static uint64_t key_hash(struct machine *m, uint64_t at, uint64_t len, uint64_t most)
{
	uint64_t hash = len * 31, n = len < most ? len : most;
	bool whole = len <= most;
	uint8_t byte;

	for (uint64_t i = 0; i < n; i++) {
		if (!machine_read(m, at + i, &byte, 1)) {
			whole = false;
			break;
		}
		hash = (hash ^ byte) * 0x100000001b3;
	}
	return (hash & ~GOPROBE_KEY_HASH_WHOLE) | (whole ? GOPROBE_KEY_HASH_WHOLE : 0);
}

/* As much of a string as a key has of it. */
static int key_bytes(struct machine *m, uint64_t at, uint64_t len, const struct goprobe_op *o)
{
	uint32_t size = o->size;
	uint64_t n = len < size ? len : size, words = (n + 7) / 8;

	assert_true(m->nkey + 2 + words <= N(m->key));
	m->key[m->nkey++] = len;
	memset(m->key + m->nkey, 0, words * 8);
	for (uint64_t i = 0; i < n; i++)
		if (!machine_read(m, at + i, (uint8_t *)(m->key + m->nkey) + i, 1))
			return GOPROBE_CHUNK_FAULT;
	m->nkey += words;
	if (len > size && o->value)
		m->key[m->nkey++] = key_hash(m, at, len, o->value);
	return GOPROBE_CHUNK_OK;
}

/* Byte @at of the data of a search. */
static uint8_t data(const struct goprobe_op *o, uint64_t at)
{
	return at / 8 < o->offset ? (uint8_t)(o[1 + at / 8].value >> at % 8 * 8) : 0;
}

static int match(struct machine *m, const struct goprobe_op *o, uint64_t *a, uint64_t len)
{
	uint64_t state = 2, i = 0;
	uint8_t byte;

	for (; i < len && i < o->size && state > 1; i++) {
		if (!machine_read(m, *a + i, &byte, 1))
			return GOPROBE_CHUNK_FAULT;
		state = data(o, 256 + (state - 2) * o->value + data(o, byte));
	}
	if (state > 1 && i < len)
		return GOPROBE_CHUNK_BAD;
	if (state > 1)
		state = data(o, 256 + (state - 1) * o->value - 1);
	*a = state == 1;
	return GOPROBE_CHUNK_OK;
}

/* Whether the element at @at is the key; -1: it can't be read. */
static int is_key(struct machine *m, const struct goprobe_op *o, uint64_t at)
{
	uint64_t header[2];
	uint8_t byte;

	if (o->value >> 48) {
		if (!machine_read(m, at, (uint8_t *)header, sizeof(header)))
			return -1;
		if (header[1] != o->size)
			return 0;
		at = header[0];
	}
	for (uint32_t i = 0; i < o->size; i++) {
		if (!machine_read(m, at + i, &byte, 1))
			return -1;
		if (byte != data(o, i))
			return 0;
	}
	return 1;
}

static int find(struct machine *m, const struct goprobe_op *o, uint64_t *a, uint64_t b)
{
	uint64_t i;
	uint8_t byte;

	for (i = 0; i < 8; i++) {
		int is = 0;

		if (!machine_read(m, b + i, &byte, 1))
			return GOPROBE_CHUNK_FAULT;
		if (byte >= (o->value >> 32 & 255) && byte <= (o->value >> 40 & 255))
			is = is_key(m, o, *a + i * (uint32_t)o->value);
		if (is < 0)
			return GOPROBE_CHUNK_FAULT;
		if (is)
			break;
	}
	*a = i;
	return GOPROBE_CHUNK_OK;
}

static int collect(struct machine *m, const struct goprobe_op *o, uint64_t a, uint64_t b)
{
	struct machine_edit *e = &m->edits[m->nedits];

	assert_true(m->nedits < N(m->edits));
	*e = (struct machine_edit){ .code = o->code, .to = o->b, .value = a, .size = o->size };
	if (o->code == GOPROBE_OP_WRITE) {
		if (b < 4096 || b + o->value < 4096)
			return GOPROBE_CHUNK_NIL;
		e->to = b + o->value;
	}
	m->nedits++;
	return GOPROBE_CHUNK_OK;
}

static int divide(uint64_t *a, uint64_t b, uint8_t code)
{
	int64_t x = (int64_t)*a, y = (int64_t)b;
	bool overflows = x == INT64_MIN && y == -1;

	if (!b)
		return GOPROBE_CHUNK_RANGE;
	switch (code) {
	case GOPROBE_OP_DIV:
		*a /= b;
		break;
	case GOPROBE_OP_MOD:
		*a %= b;
		break;
	case GOPROBE_OP_SDIV:
		*a = overflows ? *a : (uint64_t)(x / y);
		break;
	default:
		*a = overflows ? 0 : (uint64_t)(x % y);
	}
	return GOPROBE_CHUNK_OK;
}

static void calculate(uint64_t *a, uint64_t b, uint8_t code)
{
	switch (code) {
	case GOPROBE_OP_ADD:
		*a += b;
		break;
	case GOPROBE_OP_SUB:
		*a -= b;
		break;
	case GOPROBE_OP_MUL:
		*a *= b;
		break;
	case GOPROBE_OP_AND:
		*a &= b;
		break;
	case GOPROBE_OP_OR:
		*a |= b;
		break;
	case GOPROBE_OP_XOR:
		*a ^= b;
		break;
	case GOPROBE_OP_SHL:
		*a = b < 64 ? *a << b : 0;
		break;
	case GOPROBE_OP_SHR:
		*a = b < 64 ? *a >> b : 0;
		break;
	case GOPROBE_OP_SAR:
		*a = (uint64_t)((int64_t)*a >> (b < 64 ? b : 63));
		break;
	}
}

static int step(struct machine *m, uint64_t *r, const struct goprobe_op *o)
{
	uint64_t *a = &r[o->a], b = o->b < 16 ? r[o->b] : 0;
	unsigned int unused = 64 - o->size * 8;

	switch (o->code) {
	case GOPROBE_OP_IMM:
	case GOPROBE_OP_STATIC:
		*a = o->value;
		break;
	case GOPROBE_OP_REG:
		*a = m->regs[o->b];
		break;
	case GOPROBE_OP_FLOAT:
		*a = o->size == 4 ? (uint32_t)m->regs[o->b] : m->regs[o->b];
		break;
	case GOPROBE_OP_TASK:
		*a = m->task[o->value];
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
		*a = (int64_t)(b << unused) >> unused;
		break;
	case GOPROBE_OP_LOW:
		*a = b << unused >> unused;
		break;
	case GOPROBE_OP_MOVE:
		*a = b;
		break;
	case GOPROBE_OP_DIV:
	case GOPROBE_OP_MOD:
	case GOPROBE_OP_SDIV:
	case GOPROBE_OP_SMOD:
		return divide(a, b, o->code);
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
	case GOPROBE_OP_DURATION:
		*a = m->duration;
		break;
	case GOPROBE_OP_NUMBER:
		*a = o->value ? ++m->counter : ++m->number;
		break;
	case GOPROBE_OP_QUOTA:
		*a = ++m->taken[o->offset != 0] <= o->value;
		break;
	case GOPROBE_OP_ROOT:
		*a = m->root;
		break;
	case GOPROBE_OP_UNDER:
		*a = m->under >> o->value & 1;
		break;
	case GOPROBE_OP_IN_SET:
		*a = b < 64 && m->member >> b & 1;
		break;
	case GOPROBE_OP_KEY:
		assert_true(m->nkey < N(m->key));
		m->key[m->nkey++] = *a;
		break;
	case GOPROBE_OP_VALUE:
	case GOPROBE_OP_SVALUE:
		m->value = *a;
		m->is_signed = o->code == GOPROBE_OP_SVALUE;
		m->bucket = GOPROBE_BUCKETS;
		break;
	case GOPROBE_OP_BUCKET:
		m->bucket = *a;
		break;
	case GOPROBE_OP_SET:
	case GOPROBE_OP_SET_FLOAT:
	case GOPROBE_OP_WRITE:
		return collect(m, o, *a, b);
	case GOPROBE_OP_DELAY:
		m->delay += o->value;
		break;
	case GOPROBE_OP_KEY_BYTES:
		return key_bytes(m, *a, b, o);
	case GOPROBE_OP_MATCH:
		return match(m, o, a, b);
	case GOPROBE_OP_FIND:
		return find(m, o, a, b);
	case GOPROBE_OP_DATA:
		break;
	case GOPROBE_OP_SAME:
		return same(m, a, b, r[o->value] < o->size ? r[o->value] : o->size);
	default:
		calculate(a, b, o->code);
	}
	return GOPROBE_CHUNK_OK;
}

static enum machine_verdict reject(struct machine *m, uint64_t value)
{
	m->muted = value & 256;
	switch (value & 255) {
	case GOPROBE_REJECT_LIMITED:
		return MACHINE_LIMITED;
	case GOPROBE_REJECT_SAMPLED:
		return MACHINE_SAMPLED;
	}
	return MACHINE_REJECTED;
}

enum machine_verdict machine_filter(struct machine *m, const struct goprobe_op *ops, size_t n)
{
	uint64_t r[16] = { 0 };

	for (size_t i = 0; i < n; i++)
		check_op(&ops[i], n - i - 1, UINT32_MAX);
	check_once(ops, n);
	m->muted = false;
	for (size_t i = 0; i < n; i++) {
		const struct goprobe_op *o = &ops[i];

		if (o->code == GOPROBE_OP_END)
			return MACHINE_PASSES;
		if (o->code == GOPROBE_OP_REJECT)
			return reject(m, o->value);
		if (o->code == GOPROBE_OP_ORDER ? !order(r[o->b], o->size, &r[o->a]) :
		    jumps(o, r[o->a], r[o->b < 16 ? o->b : 0]))
			i += o->offset;
		else if (o->code != GOPROBE_OP_ORDER && step(m, r, o) != GOPROBE_CHUNK_OK)
			return MACHINE_UNDECIDED;
		else if (o->code == GOPROBE_OP_MATCH || o->code == GOPROBE_OP_FIND)
			i += o->offset;
	}
	return MACHINE_PASSES;
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
		if (jumps(o, r[o->a], r[o->b < 16 ? o->b : 0])) {
			i += 1 + o->offset;
			continue;
		}
		status = step(m, r, o);
		i++;
		if (status == GOPROBE_CHUNK_OK)
			continue;
		if (i > resume && m->may_end)
			return;
		assert_true(i <= resume);
		m->failed[item] = status;
		i = resume;
	}
}
