// SPDX-License-Identifier: GPL-2.0
/*
 * A search for all lists of parameters that agree with what a function shows of itself: the bytes
 * of its arguments (line table), their first ten parts (FUNCDATA_ArgInfo), the registers that it
 * saves when its stack grows, and where the described ones are at its entry (debug information). A
 * place that a parameter has in all of them is certain.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hmap.h"
#include "dwarf/dwarf.h"
#include "dwarf/blank.h"

/* Bounds: of what can be packed into a key, and of the time that a search takes. */
#define PARAMS_MAX 200U
#define BYTES_MAX 60000U
#define SPILL_MAX 2000U
#define STATES_MAX 20000U

/* The first parameter is next, which the arguments' description leaves out. */
#define FIRST 1U
/* At least these bytes are taken: what is not described may end with padding, or have any size. */
#define STACK_LEAST 2U
#define SPILL_LEAST 4U

/* How far a list has been put together. */
struct state {
	unsigned int param;	/* described ones */
	unsigned int ints;	/* registers taken */
	unsigned int floats;
	unsigned int flags;
	uint32_t stack;		/* bytes taken */
	uint32_t spill;
	uint32_t at;		/* position in the arguments' description */
};

/* A place is a code of its own, or one of these. */
#define PLACE_NONE 0U
#define PLACE_UNSURE UINT32_MAX

/* What the described parameters from one on need. */
struct rest {
	bool ints, floats;	/* registers */
	/* Registers that may be taken before, by what the debug information says. */
	unsigned int ints_max, floats_max;
};

struct search {
	const struct blank_call *call;
	uint32_t *place;	/* of each parameter */
	uint32_t results_at;	/* the same for the results */
	struct rest *rest;	/* of each parameter, and behind the last */
	bool places;		/* what the debug information says of places is believed */
	uint32_t base;		/* offset of the spill area */
	uint32_t stack_bytes;	/* bytes of arguments on the stack */
	uint32_t spill_bytes;
	struct hmap seen;
	unsigned int left;	/* states that may still be looked at */
	bool failed;
	struct blank_step *steps;	/* the list that is being put together */
	size_t nsteps, cap;
	struct blank_step *first;	/* the first that was found */
	size_t nfirst;
	uint32_t first_gap;
};

static char yes, no;

static uint32_t align_up(uint32_t v, uint32_t align)
{
	return align > 1 ? (v + align - 1) / align * align : v;
}

static uint64_t key_of(const struct state *s)
{
	return s->param | (uint64_t)s->ints << 8 | (uint64_t)s->floats << 12 |
	       (uint64_t)s->flags << 16 | (uint64_t)s->at << 19 | (uint64_t)s->stack << 28 |
	       (uint64_t)s->spill << 44 | 1ULL << 62;
}

static bool reach(struct search *s, const struct state *st);

static enum arginfo_next next_of(const struct search *s, const struct state *st)
{
	const struct arginfo *a = &s->call->info;

	return !a->len || (st->flags & FIRST) ? ARGINFO_MORE : arginfo_next(a, st->at);
}

/* --- steps ------------------------------------------------------------------------- */

/*
 * Go on to @to, with a parameter at place @mine, for which @gap bytes of the stack are skipped; or,
 * if that is no place, with one that is not described.
 */
static bool go_to(struct search *s, const struct state *from, struct state to, uint32_t mine,
		  uint32_t gap)
{
	const struct rest *rest = &s->rest[to.param];
	uint32_t *place = &s->place[from->param];
	bool found;

	if (s->failed || to.stack > s->stack_bytes || to.spill > s->spill_bytes ||
	    to.ints > rest->ints_max || to.floats > rest->floats_max)
		return false;
	if (grow(&s->steps, s->nsteps + 1, &s->cap, sizeof(*s->steps))) {
		s->failed = true;
		return false;
	}
	s->steps[s->nsteps++] = (struct blank_step){
		.param = mine ? (int)from->param : -1, .ints = to.ints - from->ints,
		.floats = to.floats - from->floats, .stack = to.stack - from->stack,
		.whole = to.at != from->at, .gap = gap,
	};
	/* What nobody asks for any more does not distinguish two states. */
	if (!s->call->nsaved && !rest->ints)
		to.ints = 0;
	if (!s->call->nsaved && !rest->floats)
		to.floats = 0;
	found = reach(s, &to);
	s->nsteps--;
	if (found && mine)
		*place = *place != PLACE_NONE && *place != mine ? PLACE_UNSURE : mine;
	return found;
}

static bool go(struct search *s, const struct state *from, struct state to, uint32_t mine)
{
	return go_to(s, from, to, mine, 0);
}

static bool is_float_reg(uint8_t reg)
{
	return reg >= REGS_XMM0;
}

/* Is this what is saved as the @i-th part? @reg: -1 for any. */
static bool is_saved(const struct search *s, size_t i, int reg, uint32_t size, int64_t at)
{
	const struct insn_saved *v = &s->call->saved[i];

	return !s->call->nsaved || (i < s->call->nsaved && (reg < 0 || v->reg == reg) &&
				    v->size == size && v->at == at);
}

/* --- parameters that are described ------------------------------------------------- */

/* The offset of the next parameter, as something says it; -1: nothing does. */
static int64_t offset_of(const struct search *s, const struct state *st, bool registers)
{
	const struct blank_param *p = &s->call->params[st->param];
	struct arginfo_arg arg;
	size_t i = st->ints + st->floats;

	if (registers && s->call->nsaved)
		return i < s->call->nsaved ? s->call->saved[i].at - (int64_t)p->parts[0].at : -1;
	if (next_of(s, st) == ARGINFO_ARG && !arginfo_read(&s->call->info, st->at, &arg) &&
	    arg.nparts)
		return arg.parts[0].offset;
	return s->places && p->reg == DWLOC_STACK && p->stack >= 0 ? p->stack : -1;
}

/*
 * Where the parameter is behind @taken bytes, from @base; with @least these are the least that are
 * taken, which is corrected. -1: it does not fit.
 */
static int64_t put(const struct search *s, const struct state *st, uint32_t base, uint32_t taken,
		   bool *least)
{
	const struct blank_param *p = &s->call->params[st->param];
	uint32_t at = align_up(taken, p->type->align);
	int64_t said = *least ? offset_of(s, st, base == s->base) : -1;

	if (said >= 0) {
		if (said < (int64_t)base + at || (said - base) % (p->type->align ?: 1))
			return -1;
		at = (uint32_t)(said - base);
		*least = false;
	}
	if (s->places && p->reg == DWLOC_STACK && p->stack >= 0 && p->type->size &&
	    p->stack != (int64_t)base + at)
		return -1;
	return at;
}

/* How far the arguments' description goes if the next one is a @t at @offset; false: it is not. */
static bool describe(struct search *s, const struct state *st, struct state *to,
		     const struct gotype *t, uint32_t offset)
{
	size_t at;

	to->flags &= ~FIRST;
	switch (next_of(s, st)) {
	case ARGINFO_MORE:
		return true;
	case ARGINFO_ARG:
		at = arginfo_match(&s->call->info, st->at, t, offset);
		to->at = (uint32_t)at;
		return at;
	default:
		return false;
	}
}

static void set_flag(struct state *st, unsigned int flag, bool on)
{
	st->flags = on ? st->flags | flag : st->flags & ~flag;
}

static bool step_registers(struct search *s, const struct state *st)
{
	const struct blank_param *p = &s->call->params[st->param];
	bool least = st->flags & SPILL_LEAST;
	int64_t at = put(s, st, s->base, st->spill, &least);
	uint32_t mine = 1U << 31, offset;
	struct state to = *st;

	if (at < 0 || at + (int64_t)p->type->size > s->spill_bytes)
		return false;
	offset = s->base + (uint32_t)at;
	for (size_t i = 0; i < p->nparts; i++) {
		const struct blank_part *part = &p->parts[i];
		int reg = part->is_float ? REGS_XMM0 + (int)to.floats : goreg_int_args[to.ints];
		int64_t from = (int64_t)offset + part->at;

		if (!is_saved(s, to.ints + to.floats, reg, part->size, from) ||
		    (s->places && !i && p->reg >= 0 && p->reg != reg))
			return false;
		mine |= part->is_float ? st->floats << 8 | 1U << 16 : st->ints | 1U << 17;
		if (part->is_float)
			to.floats++;
		else
			to.ints++;
	}
	to.param++;
	to.spill = (uint32_t)at + (uint32_t)p->type->size;
	set_flag(&to, SPILL_LEAST, least);
	return describe(s, st, &to, p->type, offset) && go(s, st, to, mine);
}

static bool step_stack(struct search *s, const struct state *st)
{
	const struct blank_param *p = &s->call->params[st->param];
	bool least = st->flags & STACK_LEAST;
	int64_t at = put(s, st, 0, st->stack, &least);
	struct state to = *st;

	if (at < 0 || (s->places && p->type->size && p->reg >= 0) ||
	    !describe(s, st, &to, p->type, (uint32_t)at))
		return false;
	to.param++;
	to.stack = (uint32_t)at + (uint32_t)p->type->size;
	set_flag(&to, STACK_LEAST, least);
	return go_to(s, st, to, least && p->type->size ? PLACE_UNSURE : to.stack + 1,
		     st->flags & STACK_LEAST && !least ? (uint32_t)at - st->stack : 0);
}

static bool step_param(struct search *s, const struct state *st)
{
	const struct blank_param *p = &s->call->params[st->param];
	unsigned int ints = st->ints, floats = st->floats;

	for (size_t i = 0; i < p->nparts; i++) {
		if (p->parts[i].is_float)
			floats++;
		else
			ints++;
	}
	if (p->nparts && ints <= REGS_INT_ARGS && floats <= REGS_FLOAT_ARGS)
		return step_registers(s, st);
	return step_stack(s, st);
}

/* --- parameters that only tracebacks know -------------------------------------------- */

/*
 * @arg is in registers; those of its parts that are known are @n. If they are all, @to is behind it
 * but for its registers.
 */
static bool step_parts(struct search *s, const struct state *st, const struct arginfo_arg *arg,
		       struct state to)
{
	unsigned int either = 0, floats = 0;
	size_t first = st->ints + st->floats;
	bool found = false;

	for (size_t i = 0; i < arg->nparts; i++) {
		if (!is_saved(s, first + i, -1, arg->parts[i].size, arg->parts[i].offset))
			return false;
		either += arg->parts[i].size >= 4;
		floats += s->call->nsaved && is_float_reg(s->call->saved[first + i].reg);
	}
	for (unsigned int n = 0; n <= either; n++) {
		if (s->call->nsaved && n != floats)
			continue;
		to.floats = st->floats + n;
		to.ints = st->ints + (unsigned int)arg->nparts - n;
		found |= go(s, st, to, PLACE_NONE);
	}
	return found;
}

/* It is in registers, and has parts that are not known. */
static bool step_more_parts(struct search *s, const struct state *st, const struct arginfo_arg *arg,
			    struct state to)
{
	size_t first = st->ints + st->floats;
	bool found = false;

	for (to.ints = st->ints; to.ints <= REGS_INT_ARGS; to.ints++) {
		for (to.floats = st->floats; to.floats <= REGS_FLOAT_ARGS; to.floats++) {
			size_t end = to.ints + to.floats, floats = 0;

			if (end < first + arg->nparts)
				continue;
			for (size_t i = first; s->call->nsaved && i < end; i++)
				floats += i < s->call->nsaved &&
					  is_float_reg(s->call->saved[i].reg);
			if (s->call->nsaved && floats != to.floats - st->floats)
				continue;
			found |= go(s, st, to, PLACE_NONE);
		}
	}
	return found;
}

static bool step_described(struct search *s, const struct state *st)
{
	const struct arginfo_part *first, *last;
	struct state to = *st;
	struct arginfo_arg arg;
	bool found = false;

	if (arginfo_read(&s->call->info, st->at, &arg)) {
		s->failed = true;
		return false;
	}
	to.at = (uint32_t)arg.end;
	if (!arg.nparts && !arg.more) {
		/* It has no bytes, but it may be aligned. */
		set_flag(&to, STACK_LEAST, true);
		return go(s, st, to, PLACE_NONE);
	}
	first = &arg.parts[0];
	last = arg.nparts ? &arg.parts[arg.nparts - 1] : first;
	if (!arg.nparts || (first->offset < s->base && first->offset >= st->stack)) {
		to.stack = arg.nparts ? last->offset + last->size : st->stack;
		set_flag(&to, STACK_LEAST, true);
		found = go(s, st, to, PLACE_NONE);
		to = *st;
		to.at = (uint32_t)arg.end;
	}
	if (s->call->abi0 || (arg.nparts && first->offset < s->base + st->spill) ||
	    (arg.nparts && !st->spill && first->offset != s->base))
		return found;
	to.spill = arg.nparts ? last->offset + last->size - s->base : st->spill;
	set_flag(&to, SPILL_LEAST, true);
	return (arg.more ? step_more_parts : step_parts)(s, st, &arg, to) || found;
}

/* --- parameters of which nothing is known ---------------------------------------------- */

/* A register of one. @to has the flags that follow. */
static bool step_register(struct search *s, const struct state *st, struct state to)
{
	const struct insn_saved *v = &s->call->saved[st->ints + st->floats];
	bool found;

	set_flag(&to, SPILL_LEAST, true);
	if (s->call->nsaved) {
		int64_t end;

		if (st->ints + st->floats >= s->call->nsaved)
			return false;
		end = v->at - (int64_t)s->base + v->size;
		if (end <= st->spill || end > SPILL_MAX)
			return false;
		if (is_float_reg(v->reg))
			to.floats++;
		else
			to.ints++;
		to.spill = (uint32_t)end;
		return go(s, st, to, PLACE_NONE);
	}
	to.ints = st->ints + 1;
	to.spill = st->spill + 1;
	found = go(s, st, to, PLACE_NONE);
	to.ints = st->ints;
	to.floats = st->floats + 1;
	to.spill = align_up(st->spill, 4) + 4;
	return go(s, st, to, PLACE_NONE) || found;
}

static bool step_unknown(struct search *s, const struct state *st)
{
	struct state to = *st;
	bool found = false;

	to.flags &= ~FIRST;
	if (!(st->flags & STACK_LEAST)) {
		to.flags |= STACK_LEAST;
		to.stack++;
		found = go(s, st, to, PLACE_NONE);
		to.flags = st->flags & ~FIRST;
		to.stack = st->stack;
	}
	if (s->call->abi0)
		return found;
	found |= step_register(s, st, to);
	if (st->flags & FIRST) {
		to.flags |= FIRST;
		found |= step_register(s, st, to);
	}
	return found;
}

/* --- the search -------------------------------------------------------------------------- */

/* Are @taken bytes, or at least these, all of @bytes? */
static bool fills(uint32_t taken, bool least, uint32_t bytes)
{
	uint32_t end = align_up(taken, 8);

	return least ? end <= bytes : end == bytes;
}

static bool is_end(struct search *s, const struct state *st)
{
	enum arginfo_next next = next_of(s, st);

	if (st->param < s->call->nparams || next == ARGINFO_ARG || next == ARGINFO_BAD ||
	    !fills(st->stack, st->flags & STACK_LEAST, s->stack_bytes) ||
	    !fills(st->spill, st->flags & SPILL_LEAST, s->spill_bytes) ||
	    (s->call->nsaved && st->ints + st->floats != s->call->nsaved))
		return false;
	if (!s->first) {
		s->first = calloc(s->nsteps + 1, sizeof(*s->first));
		s->failed |= !s->first;
		s->nfirst = s->nsteps;
		s->first_gap = st->flags & STACK_LEAST ? s->stack_bytes - st->stack : 0;
		if (s->first && s->nsteps)
			memcpy(s->first, s->steps, s->nsteps * sizeof(*s->first));
	}
	return true;
}

/* Is there a list that begins as @st, and ends as it has to? */
static bool reach(struct search *s, const struct state *st)
{
	void *known = hmap_get(&s->seen, key_of(st));
	enum arginfo_next next = next_of(s, st);
	bool found;

	if (known)
		return known == &yes;
	s->failed |= !s->left;
	if (s->failed)
		return false;
	s->left--;
	found = is_end(s, st);
	if (st->param < s->call->nparams)
		found |= step_param(s, st);
	if (next == ARGINFO_ARG)
		found |= step_described(s, st);
	else if (next == ARGINFO_MORE)
		found |= step_unknown(s, st);
	s->failed |= hmap_put(&s->seen, key_of(st), found ? &yes : &no) != 0;
	return found;
}

static void search_from(struct search *s, uint32_t base)
{
	struct state st = { .flags = s->call->info_skips && s->call->info.len ? FIRST : 0 };
	uint32_t mine;

	if (base < s->call->results || s->call->args < base || s->call->args - base > SPILL_MAX)
		return;
	s->base = base;
	s->stack_bytes = base - s->call->results;
	if (s->places && s->call->results_at >= 0 && s->stack_bytes != s->call->results_at)
		return;
	s->spill_bytes = s->call->args - base;
	mine = s->stack_bytes + 1;
	if (reach(s, &st))
		s->results_at = s->results_at != PLACE_NONE && s->results_at != mine ?
				PLACE_UNSURE : mine;
	hmap_fini(&s->seen);
	s->seen = (struct hmap){ 0 };
}

/* What of the registers each parameter leaves to those before it. */
static void look_ahead(struct search *s)
{
	const struct blank_param *p = s->call->params;
	struct rest rest = { .ints_max = REGS_INT_ARGS, .floats_max = REGS_FLOAT_ARGS };

	for (size_t i = s->call->nparams; ; i--) {
		s->rest[i] = rest;
		if (!i)
			return;
		for (size_t k = 0; k < p[i - 1].nparts; k++) {
			rest.floats |= p[i - 1].parts[k].is_float;
			rest.ints |= !p[i - 1].parts[k].is_float;
		}
		for (unsigned int k = 0; s->places && k < REGS_INT_ARGS && k < rest.ints_max; k++)
			if (goreg_int_args[k] == p[i - 1].reg)
				rest.ints_max = k;
		for (int k = 0; s->places && k < REGS_FLOAT_ARGS; k++)
			if (REGS_XMM0 + k == p[i - 1].reg && (unsigned int)k < rest.floats_max)
				rest.floats_max = (unsigned int)k;
	}
}

/* Whether there is a list. */
static bool search(struct search *s, bool places)
{
	const struct blank_call *call = s->call;

	s->places = places;
	s->left = STATES_MAX;
	look_ahead(s);
	if (call->abi0)
		search_from(s, call->args);
	else if (call->nsaved)
		search_from(s, (uint32_t)call->saved[0].at);
	else
		for (uint32_t base = 0; base <= call->args && !s->failed; base += 8)
			search_from(s, base);
	return s->first && !s->failed;
}

/*
 * Where nobody asks for registers any more they were not counted: undescribed parameters take no
 * more than there are.
 */
static void limit_registers(struct blank_step *steps, size_t n)
{
	unsigned int ints = REGS_INT_ARGS, floats = REGS_FLOAT_ARGS;

	for (size_t i = 0; i < n; i++) {
		if (steps[i].ints > ints)
			steps[i].ints = ints;
		if (steps[i].floats > floats)
			steps[i].floats = floats;
		ints -= steps[i].ints;
		floats -= steps[i].floats;
	}
}

static int publish(const struct search *s, struct arena *mem, struct blank_layout *ret)
{
	struct blank_step *steps = arena_array(mem, s->nfirst + 1, sizeof(*steps));
	bool *sure = arena_array(mem, s->call->nparams + 1, sizeof(*sure));

	if (!steps || !sure)
		return -1;
	memcpy(steps, s->first, s->nfirst * sizeof(*steps));
	limit_registers(steps, s->nfirst);
	for (size_t i = 0; i < s->call->nparams; i++)
		sure[i] = s->place[i] != PLACE_UNSURE;
	*ret = (struct blank_layout){
		.steps = steps, .nsteps = s->nfirst, .sure = sure,
		.gap = s->first_gap,
		.results_sure = s->results_at != PLACE_UNSURE,
	};
	return 0;
}

int blank_solve(const struct blank_call *call, struct arena *mem, struct blank_layout *ret)
{
	struct search s = { .call = call };
	size_t n = call->nparams;
	int err = -1;

	if (n > PARAMS_MAX || call->args > BYTES_MAX || call->args % 8)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (call->params[i].type->size > BYTES_MAX)
			return -1;
	s.place = calloc(n + 1, sizeof(*s.place));
	s.rest = calloc(n + 1, sizeof(*s.rest));
	/* What the debug information says is wrong at times: then no list agrees with it. */
	if (s.place && s.rest && (search(&s, true) || (!s.failed && search(&s, false))))
		err = publish(&s, mem, ret);
	else if (s.failed && !s.left)
		err = 1;
	hmap_fini(&s.seen);
	free(s.steps);
	free(s.first);
	free(s.place);
	free(s.rest);
	return err;
}
