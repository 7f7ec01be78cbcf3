// SPDX-License-Identifier: GPL-2.0
/* Go's calling convention: registers and stack slots of arguments and results (amd64). */
#include <string.h>

#include "gobin/abi.h"
#include "gotype/kind.h"

#define STACK_MAX (1U << 20)
#define PTR_SIZE 8U
#define RETURN_ADDRESS 8U

struct state {
	struct abi_side *side;
	unsigned int ints;		/* registers taken */
	unsigned int floats;
	uint64_t stack;			/* bytes taken */
	uint64_t spill;
};

static uint64_t align_up(uint64_t v, uint32_t align)
{
	return align > 1 ? (v + align - 1) / align * align : v;
}

static bool take(struct state *s, bool is_float, uint64_t size, uint64_t at)
{
	struct abi_part *p;
	unsigned int *used = is_float ? &s->floats : &s->ints;
	unsigned int have = is_float ? ABI_FLOAT_REGS : ABI_INT_REGS;

	if (*used == have)
		return false;
	p = &s->side->parts[s->side->nparts++];
	p->reg = is_float ? (unsigned int)REGS_XMM0 + *used : goreg_int_args[*used];
	p->is_float = is_float;
	p->size = (uint8_t)size;
	p->at = (uint32_t)at;
	(*used)++;
	return true;
}

static bool take_words(struct state *s, unsigned int n, uint64_t at)
{
	for (unsigned int i = 0; i < n; i++) {
		if (!take(s, false, PTR_SIZE, at + i * PTR_SIZE))
			return false;
	}
	return true;
}

/* Registers for a value of type @t at offset @at; false: it has to go on the stack. */
static bool flatten(struct state *s, const struct gotype *t, uint64_t at)
{
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_POINTER:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return take(s, false, t->size, at);
	case GOTYPE_FLOAT:
		return take(s, true, t->size, at);
	case GOTYPE_COMPLEX:
		return take(s, true, t->size / 2, at) &&
		       take(s, true, t->size / 2, at + t->size / 2);
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return take_words(s, 2, at);
	case GOTYPE_SLICE:
		return take_words(s, 3, at);
	case GOTYPE_ARRAY:
		if (t->count > 1)
			return false;
		return !t->count || flatten(s, t->elem, at);
	case GOTYPE_STRUCT:
		if (kind_is_vector(t))
			return take(s, true, t->size, at);
		for (size_t i = 0; i < t->nfields; i++) {
			if (!flatten(s, t->fields[i].type,
				     at + t->fields[i].offset))
				return false;
		}
		return true;
	case GOTYPE_UNKNOWN:
		break;
	}
	return false;
}

static int assign(struct state *s, const struct gotype *t, bool abi0,
		  struct abi_value *v)
{
	struct state before = *s;
	size_t first = s->side->nparts;

	memset(v, 0, sizeof(*v));
	if (!t || t->size >= STACK_MAX || s->stack >= STACK_MAX)
		return -1;
	if (!abi0 && t->size && flatten(s, t, 0)) {
		v->part = (uint8_t)first;
		v->nparts = (uint8_t)(s->side->nparts - first);
		s->spill = align_up(s->spill, t->align) + t->size;
		return 0;
	}
	*s = before;		/* a value is never split */
	s->side->nparts = first;
	s->stack = align_up(s->stack, t->align);
	v->on_stack = true;
	v->stack = (uint32_t)s->stack + RETURN_ADDRESS;
	s->stack += t->size;
	return 0;
}

/* The dictionary of generic code is a pointer that Go's source does not show. */
const struct gotype goabi_dictionary = {
	.kind = GOTYPE_POINTER, .name = "dictionary", .size = PTR_SIZE,
	.align = PTR_SIZE,
};

int abi_assign(const struct gosig *sig, bool abi0, struct abi_call *ret)
{
	struct state s = { .side = &ret->params };
	uint64_t spill;

	ret->params.nparts = 0;
	ret->results.nparts = 0;
	for (size_t i = 0; i < sig->nparams; i++) {
		if (sig->dict && sig->dict_at == i &&
		    assign(&s, &goabi_dictionary, abi0, &ret->dict))
			return -1;
		if (assign(&s, sig->params[i].type, abi0,
			   &ret->params.values[i]))
			return -1;
	}
	if (sig->dict && sig->dict_at >= sig->nparams &&
	    assign(&s, &goabi_dictionary, abi0, &ret->dict))
		return -1;
	spill = align_up(s.spill, PTR_SIZE);
	s.side = &ret->results;
	s.ints = 0;
	s.floats = 0;
	s.spill = 0;
	s.stack = align_up(s.stack, PTR_SIZE);
	for (size_t i = 0; i < sig->nresults; i++) {
		if (assign(&s, sig->results[i].type, abi0,
			   &ret->results.values[i]))
			return -1;
	}
	s.stack = align_up(s.stack, PTR_SIZE) + spill;
	if (s.stack >= STACK_MAX)
		return -1;
	ret->args_bytes = (uint32_t)s.stack;
	return 0;
}

uint64_t abi_result_registers(void)
{
	uint64_t all = 0;

	for (size_t i = 0; i < ABI_INT_REGS; i++)
		all |= 1ULL << goreg_int_args[i];
	for (size_t i = 0; i < ABI_FLOAT_REGS; i++)
		all |= 1ULL << ((unsigned int)REGS_XMM0 + i);
	return all;
}
