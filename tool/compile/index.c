// SPDX-License-Identifier: GPL-2.0
/* The compiler of x[i]: elements of slices, arrays, strings, maps and channels. */
#include "compile/map_entry.h"
#include "compile/typed.h"

#define WORD 8U

static const struct gotype byte_type = {
	.kind = GOTYPE_UINT, .name = "uint8", .size = 1, .align = 1,
};

/* The number @e, if it is a constant. */
static bool constant(const struct expr *e, uint64_t *ret)
{
	*ret = e->number;
	return e->kind == EXPR_NUMBER;
}

static bool is_index(const struct gotype *t)
{
	return (t->kind == GOTYPE_INT || t->kind == GOTYPE_UINT) &&
	       (t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8);
}

int index_check(struct job *j, const struct expr *e)
{
	if (e->negative)
		return job_wrong(j, e, "an index is not negative");
	if (e->kind == EXPR_STRING || e->kind == EXPR_FLOAT || e->kind == EXPR_DURATION)
		return job_wrong(j, e, "an index is a whole number");
	if (e->kind == EXPR_BINARY && (e->op == EXPR_ADD || e->op == EXPR_SUB))
		return 0;
	return e->kind == EXPR_UNARY || e->kind == EXPR_BINARY ?
	       job_wrong(j, e, "an index has no operators but '+' and '-'") : 0;
}

/* A sum or difference; beyond 64 bits it is in no range. The register, or -1. */
static int compile_sum(struct job *j, const struct expr *e)
{
	int reg = index_load(j, e->x), other = reg < 0 ? -1 : index_load(j, e->index);

	if (other < 0)
		return -1;
	operand_op2(&j->code, e->op == EXPR_ADD ? GOPROBE_OP_ADD : GOPROBE_OP_SUB, reg, other);
	j->code.reg = reg + 1;
	return reg;
}

int index_load(struct job *j, const struct expr *e)
{
	struct operand_place p;
	uint8_t reg;

	if (index_check(j, e))
		return -1;
	if (e->kind == EXPR_BINARY)
		return compile_sum(j, e);
	if (place_compile(j, e, &p))
		return -1;
	if (p.steps.n)
		return job_wrong(j, e, "an index can't come out of a map or an interface");
	if (!is_index(p.type))
		return job_wrong_type(j, e, e, p.type, "and an index is a whole number");
	reg = p.kind == OPERAND_MEMORY || p.kind == OPERAND_REGISTER ? p.reg :
	      operand_take(&j->code);
	operand_number(&j->code, &p, reg);
	return reg;
}

/* p += index * size; the index is in a register, and in range. */
static void add_index(struct job *j, struct operand_place *p, uint8_t index,
		      const struct gotype *elem)
{
	operand_set(&j->code, GOPROBE_OP_MUL_I, index, elem->size);
	operand_op2(&j->code, GOPROBE_OP_ADD, p->reg, index);
	p->type = elem;
}

/* An element of a slice, or a byte of a string. */
static int index_slice(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct gotype *elem = p->type->kind == GOTYPE_STRING ? &byte_type : p->type->elem;
	struct operand_place base = *p;
	uint8_t reg = p->kind == OPERAND_MEMORY ? p->reg : operand_take(&j->code);
	uint8_t len = operand_take(&j->code);
	int index;

	/* The length first: @reg may be the register that finds it. */
	operand_load(&j->code, &base, WORD, WORD, len);
	operand_load(&j->code, &base, 0, WORD, reg);
	index = index_load(j, e->index);
	if (index < 0)
		return -1;
	operand_check(&j->code, index, len, GOPROBE_CHUNK_RANGE);
	*p = (struct operand_place){ .kind = OPERAND_MEMORY, .reg = reg };
	add_index(j, p, index, elem);
	j->code.reg = reg + 1;
	return 0;
}

static int index_array(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct gotype *t = p->type;
	uint8_t count;
	uint64_t n;
	int index;

	if (constant(e->index, &n)) {
		if (n >= t->count)
			return job_wrong(j, e->index, "index %s%llu is out of the range of %s",
				     e->index->negative ? "-" : "",
				     (unsigned long long)(e->index->negative ? -n : n), t->name);
		*p = operand_part(p, n * t->elem->size, t->elem);
		return 0;
	}
	/* An array in registers has one element at most. */
	if (p->kind != OPERAND_PARTS)
		*p = operand_address(&j->code, p);
	index = index_load(j, e->index);
	if (index < 0)
		return -1;
	count = operand_take(&j->code);
	operand_set(&j->code, GOPROBE_OP_IMM, count, t->count);
	operand_check(&j->code, index, count, GOPROBE_CHUNK_RANGE);
	if (p->kind == OPERAND_PARTS)
		p->type = t->elem;
	else
		add_index(j, p, index, t->elem);
	if (p->kind == OPERAND_MEMORY)
		j->code.reg = p->reg + 1;
	return 0;
}

/* The constant @e as a key of @map; false if it cannot be one. */
static bool find_key(const struct expr *e, const struct gotype *map, struct value_key *key)
{
	struct constant c;

	if (!constant_of(e, &c))
		return false;
	if (map->key->kind == GOTYPE_INTERFACE ?
	    c.kind != CONSTANT_INT && c.kind != CONSTANT_STRING :
	    !!constant_convert(&c, map->key))
		return false;
	switch (c.kind) {
	case CONSTANT_STRING:
		*key = (struct value_key){ .kind = GOTYPE_STRING, .s = c.s, .n = c.n };
		return true;
	case CONSTANT_FLOAT:
		*key = (struct value_key){ .kind = GOTYPE_FLOAT, .f = c.f };
		return true;
	case CONSTANT_BOOL:
		*key = (struct value_key){ .kind = GOTYPE_BOOL, .u = c.b };
		return true;
	default:
		*key = c.i > INT64_MAX ?
		       (struct value_key){ .kind = GOTYPE_UINT, .u = (uint64_t)c.i } :
		       (struct value_key){ .kind = GOTYPE_INT, .i = (int64_t)c.i };
		return true;
	}
}

static int key_of(struct job *j, const struct expr *e, const struct gotype *map,
		  struct value_key *key)
{
	const struct expr *i = e->index;

	if (find_key(i, map, key))
		return 0;
	job_wrong(j, i, "this is no key of %s", map->name);
	diag_span(j->d, j->text, i->at, i->len);
	diag_hint(j->d, "a key is written out: a string in quotes, or a number");
	return -1;
}

/* The name of a secret can be a key. */
static void note_key(struct job *j, const struct value_key *key, const struct gotype *elem)
{
	j->secret |= key->kind == GOTYPE_STRING &&
		     secret_is_key(j->scope->secrets, key->s, key->n, elem);
}

static int index_map(struct job *j, const struct expr *e, struct operand_place *p,
		     const struct gotype *map)
{
	struct exprstep step = { .kind = EXPRSTEP_KEY };

	if (!map->key || !map->elem)
		return job_wrong(j, e, "the key and element types of %s are not known",
				 map->name);
	if (key_of(j, e, map, &step.key))
		return -1;
	note_key(j, &step.key, map->elem);
	/* In a list goprobectl shows the entry as it shows maps. */
	if (j->cond && !p->steps.n && mapentry_can_find(j, map, &step.key))
		return mapentry_compile(j, p, map, &step.key);
	return job_add_step(j, e, p, step, map->elem);
}

/* An index behind a map or an interface: a constant. */
static int index_later(struct job *j, const struct expr *e, struct operand_place *p,
		       const struct gotype *t)
{
	struct exprstep step = { .kind = EXPRSTEP_INDEX };
	const struct gotype *elem = !t ? NULL : t->kind == GOTYPE_STRING ? &byte_type : t->elem;

	if (!t && e->index->kind == EXPR_STRING)
		step = (struct exprstep){ .kind = EXPRSTEP_KEY, .key = {
			.kind = GOTYPE_STRING, .s = e->index->s, .n = e->index->n } };
	else if (!constant(e->index, &step.index) || e->index->negative)
		return job_wrong(j, e->index,
				 "behind a map or an interface an index is a plain number");
	note_key(j, &step.key, NULL);
	return job_add_step(j, e, p, step, elem);
}

static bool has_elements(const struct gotype *t)
{
	return t->kind == GOTYPE_SLICE || t->kind == GOTYPE_ARRAY || t->kind == GOTYPE_STRING;
}

int index_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct gotype *t;

	if (place_compile(j, e->x, p))
		return -1;
	t = job_type_of(p);
	if (t && t->kind == GOTYPE_POINTER && t->elem && t->elem->kind == GOTYPE_ARRAY) {
		if (!p->steps.n)
			*p = operand_follow(&j->code, p, t->elem);
		t = t->elem;
	}
	if (t && t->kind == GOTYPE_MAP)
		return index_map(j, e, p, t);
	if (!t || t->kind == GOTYPE_INTERFACE)
		return index_later(j, e, p, NULL);
	if (t->kind == GOTYPE_CHAN || (p->steps.n && has_elements(t)))
		return index_later(j, e, p, t);
	if (t->kind == GOTYPE_ARRAY && t->elem)
		return index_array(j, e, p);
	if ((t->kind == GOTYPE_SLICE && t->elem) || t->kind == GOTYPE_STRING)
		return index_slice(j, e, p);
	job_wrong_type(j, e, e->x, t, "which has no elements");
	if (t->kind == GOTYPE_POINTER && t->elem && (t->elem->kind == GOTYPE_SLICE ||
						     t->elem->kind == GOTYPE_MAP))
		diag_hint(j->d, "the pointer must be followed first: (*%.*s)[...]", (int)e->x->len,
			  j->text + e->x->at);
	return -1;
}
