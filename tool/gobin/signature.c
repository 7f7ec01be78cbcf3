// SPDX-License-Identifier: GPL-2.0
/*
 * A function's signature from its debug information, checked against
 * the line table: _func.args is the sum of stack arguments, stack results and
 * spill area, so a parameter that is missing shows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "gobin/abi.h"
#include "dwarf/blank.h"
#include "gobin/signature.h"
#include "gotype/funcname.h"
#include "gotype/kind.h"
#include "x86/returned.h"

static const char why_disagree[] =
	"the debug information disagrees with the line table about its arguments";
static const char why_unnamed[] =
	"unnamed parameters are missing from the debug information before Go 1.22";
static const char why_unknown_type[] = "the type of an argument is not described";
static const char why_too_large[] = "its arguments are too large";
static const char why_this_unnamed[] =
	"an unnamed parameter, missing from the debug information";
static const char why_vector[] =
	"in a vector register of more than 128 bits";
static const char why_range[] =
	"results without a name may be missing from the debug information: a range loop may return";
static const char why_ambiguous[] =
	"an unnamed parameter nearby is missing from the debug information";

/* A signature that is being put together. */
struct draft {
	struct arena *mem;
	const struct signature_facts *facts;
	struct goparam *v;		/* parameters, then results */
	struct dwparam *loc;		/* what the debug information says */
	size_t nparams;
	size_t nresults;
	size_t cap;
	struct abi_value *places;
	struct gosig *sig;
};

static int draft_add(struct draft *d, const struct dwparam *p)
{
	size_t i = d->nparams + d->nresults;

	if (i == d->cap)
		return -1;
	d->loc[i] = *p;
	d->v[i].type = p->type;
	d->v[i].name = p->name;
	d->v[i].dict_word = p->dict_word;
	if (p->result)
		d->nresults++;
	else
		d->nparams++;
	return 0;
}

static void draft_publish(struct draft *d)
{
	d->sig->params = d->v;
	d->sig->nparams = d->nparams;
	d->sig->results = d->v + d->nparams;
	d->sig->nresults = d->nresults;
}

static int draft_assign(struct draft *d, struct abi_call *call)
{
	draft_publish(d);
	call->params.values = d->places;
	call->results.values = d->places + d->nparams;
	return abi_assign(d->sig, d->facts->abi0, call);
}

static bool adds_up(struct draft *d)
{
	struct abi_call call;

	if (draft_assign(d, &call))
		return false;
	return d->facts->args < 0 ||
	       call.args_bytes == (uint32_t)d->facts->args;
}

/* --- parameters that are not described ---------------------------------------------- */

/* A type of as many registers, or of @bytes on the stack. */
static struct gotype *hole(struct draft *d, unsigned int ints, unsigned int floats,
			   uint32_t bytes)
{
	static const struct gotype word = {
		.kind = GOTYPE_UINT, .name = "?", .size = 8, .align = 8,
	};
	static const struct gotype real = {
		.kind = GOTYPE_FLOAT, .name = "?", .size = 8, .align = 8,
	};
	struct gotype *t = arena_alloc(d->mem, sizeof(*t));
	struct gofield *f = arena_array(d->mem, ints + floats + 1, sizeof(*f));

	if (!t || !f)
		return NULL;
	t->name = "?";
	t->align = 1;
	t->size = bytes;
	if (!ints && !floats)
		return t;
	for (unsigned int i = 0; i < ints + floats; i++) {
		f[i].name = "_";
		f[i].type = i < floats ? &real : &word;
		f[i].offset = i * 8ULL;
	}
	t->kind = GOTYPE_STRUCT;
	t->fields = f;
	t->nfields = ints + floats;
	t->size = t->nfields * 8ULL;
	t->align = 8;
	return t;
}

/* What is passed of a type, and how. */
static int know(struct draft *d, struct blank_param *v, const struct gotype *type,
		const struct dwparam *loc)
{
	struct goparam p = { .name = "", .type = type };
	struct gosig sig = { .params = &p, .nparams = 1 };
	struct abi_value value;
	struct abi_call call = { .params.values = &value };
	struct blank_part *parts;

	*v = (struct blank_param){ .type = type, .reg = DWLOC_NONE };
	if (loc) {
		v->reg = loc->reg;
		v->stack = loc->stack;
	}
	if (abi_assign(&sig, d->facts->abi0, &call))
		return -1;
	parts = arena_array(d->mem, call.params.nparts + 1, sizeof(*parts));
	if (!parts)
		return -1;
	v->parts = parts;
	v->nparts = value.on_stack ? 0 : call.params.nparts;
	for (size_t i = 0; i < v->nparts; i++)
		parts[i] = (struct blank_part){
			call.params.parts[i].is_float, call.params.parts[i].size,
			call.params.parts[i].at,
		};
	return 0;
}

/* The parameters that are described, the dictionary among them. Their number, or -1. */
static int know_all(struct draft *d, struct blank_param *v)
{
	int n = 0;

	for (size_t i = 0; i <= d->nparams; i++) {
		if (d->sig->dict && i == d->sig->dict_at &&
		    know(d, &v[n++], &goabi_dictionary, NULL))
			return -1;
		if (i < d->nparams && know(d, &v[n++], d->v[i].type, &d->loc[i]))
			return -1;
	}
	return n;
}

/* A new list of parameters, then the results. */
struct rebuilt {
	struct draft *d;
	struct goparam *v;
	struct dwparam *loc;
	size_t n;
	struct blank_step hole;	/* what is not described, and not yet in the list */
	bool has_hole;
	struct gotype *stack;		/* of the last hole on the stack */
	size_t dict_at;
};

static int rebuilt_hole(struct rebuilt *r, unsigned int ints, unsigned int floats, uint32_t bytes)
{
	struct gotype *t = hole(r->d, ints, floats, bytes);

	if (t && !ints && !floats)
		r->stack = t;
	r->v[r->n] = (struct goparam){ .name = "_", .type = t, .unavailable = why_this_unnamed };
	r->loc[r->n++] = (struct dwparam){ .name = "_", .type = t, .reg = DWLOC_NONE };
	return t ? 0 : -1;
}

/* What is not described takes more of the stack than is known of it. */
static void rebuilt_skip(struct rebuilt *r, uint32_t bytes)
{
	if (r->stack)
		r->stack->size += bytes;
}

static int rebuilt_flush(struct rebuilt *r)
{
	struct blank_step *h = &r->hole;
	bool registers = h->ints || h->floats;
	int err = 0;

	if (r->has_hole && registers)
		err = rebuilt_hole(r, h->ints, h->floats, 0);
	if (!err && r->has_hole && (h->stack || !registers))
		err = rebuilt_hole(r, 0, 0, h->stack);
	r->hole = (struct blank_step){ 0 };
	r->has_hole = false;
	return err;
}

static int rebuilt_step(struct rebuilt *r, const struct blank_step *step, const bool *sure)
{
	struct draft *d = r->d;
	size_t from = (size_t)step->param;

	if ((step->param >= 0 || step->whole) && rebuilt_flush(r))
		return -1;
	if (step->param < 0) {
		r->hole.ints += step->ints;
		r->hole.floats += step->floats;
		r->hole.stack += step->stack;
		r->has_hole = true;
		return step->whole ? rebuilt_flush(r) : 0;
	}
	rebuilt_skip(r, step->gap);
	if (d->sig->dict && from == d->sig->dict_at) {
		r->dict_at = r->n;
		return 0;
	}
	from -= d->sig->dict && from > d->sig->dict_at;
	r->v[r->n] = d->v[from];
	r->loc[r->n] = d->loc[from];
	if (!sure[step->param])
		r->v[r->n].unavailable = why_ambiguous;
	r->n++;
	return 0;
}

/* Put @layout into effect. */
static int rebuild(struct draft *d, const struct blank_layout *layout)
{
	/* A hole may take registers and bytes of the stack. */
	size_t cap = layout->nsteps * 2 + d->nresults + 2;
	struct rebuilt r = {
		.d = d, .v = arena_array(d->mem, cap, sizeof(*r.v)),
		.loc = calloc(cap, sizeof(*r.loc)),
	};
	struct abi_value *places = calloc(cap, sizeof(*places));
	int err = r.v && r.loc && places ? 0 : -1;

	for (size_t i = 0; i < layout->nsteps && !err; i++)
		err = rebuilt_step(&r, &layout->steps[i], layout->sure);
	if (err || rebuilt_flush(&r)) {
		free(r.loc);
		free(places);
		return -1;
	}
	rebuilt_skip(&r, layout->gap);
	memcpy(r.v + r.n, d->v + d->nparams, d->nresults * sizeof(*r.v));
	memcpy(r.loc + r.n, d->loc + d->nparams, d->nresults * sizeof(*r.loc));
	free(d->loc);
	free(d->places);
	d->loc = r.loc;
	d->places = places;
	d->v = r.v;
	d->nparams = r.n;
	d->sig->dict_at = r.dict_at;
	/* It was the first that is described: perhaps the receiver has no name. */
	if (r.n && r.v[0].unavailable == why_this_unnamed)
		d->sig->receiver = false;
	return 0;
}

/*
 * Bytes of the stack that results take, and where they begin: the debug information has places of
 * the caller's stack, or else of slots in the function's frame, which are below.
 */
static int result_bytes(struct draft *d, struct blank_call *ret)
{
	struct gosig sig = { .results = d->v + d->nparams, .nresults = d->nresults };
	struct abi_call call = { .results.values = d->places };

	ret->results_at = -1;
	if (abi_assign(&sig, d->facts->abi0, &call))
		return -1;
	ret->results = call.args_bytes;
	for (size_t i = 0; i < d->nresults && ret->results_at < 0; i++) {
		const struct dwparam *loc = &d->loc[d->nparams + i];

		if (d->places[i].on_stack && sig.results[i].type->size &&
		    loc->reg == DWLOC_STACK && loc->stack >= 0)
			ret->results_at = loc->stack - ((int64_t)d->places[i].stack - 8);
	}
	return 0;
}

/* Where results on the stack are is not known: only places that are described are. */
static void doubt_results(struct draft *d)
{
	struct abi_call call;

	if (draft_assign(d, &call))
		return;
	for (size_t i = d->nparams; i < d->nparams + d->nresults; i++)
		if (d->places[i].on_stack && d->v[i].type->size &&
		    (d->loc[i].reg != DWLOC_STACK ||
		     d->loc[i].stack != (int64_t)d->places[i].stack - 8))
			d->v[i].unavailable = why_ambiguous;
}

/* Find the places of all parameters, though some may be missing. As blank_solve(). */
static int place_all(struct draft *d, const char *name)
{
	struct blank_call call = {
		.abi0 = d->facts->abi0, .args = (uint32_t)d->facts->args,
		.info = d->facts->info, .info_skips = strchr(name, '['),
		.saved = d->facts->saved, .nsaved = d->facts->nsaved,
	};
	struct blank_param *v = calloc(d->nparams + 2, sizeof(*v));
	int n = v ? know_all(d, v) : -1, err = -1;
	struct blank_layout layout;

	call.params = v;
	call.nparams = (size_t)n;
	if (n >= 0 && !result_bytes(d, &call))
		err = blank_solve(&call, d->mem, &layout);
	if (!err)
		err = rebuild(d, &layout);
	free(v);
	if (!err && !layout.results_sure)
		doubt_results(d);
	return err;
}

static bool is_receiver(const char *name, const struct dwparam *p)
{
	const char *type, *t = p->type->name;
	size_t len, n;
	bool pointer;

	if (!funcname_receiver(name, &type, &len, &pointer))
		return false;
	if (pointer && *t++ != '*')
		return false;
	t = funcname_local(t);
	n = strcspn(t, "[");
	return n == len && !memcmp(t, type, len);
}

/* Where the hidden dictionary goes: src/cmd/compile/internal/noder. */
static void place_dictionary(struct draft *d)
{
	d->sig->dict = true;
	d->sig->dict_at = 0;
	/* Since 1.20 it follows the receiver, before that it came first. */
	if (d->sig->receiver && d->facts->minor >= 20)
		d->sig->dict_at = 1;
}

/* Does the location at entry name another register than was assigned? */
static bool is_disputed(const struct draft *d, const struct abi_call *call,
			size_t i)
{
	const struct abi_value *v = &d->places[i];

	return d->loc[i].reg >= 0 && !v->on_stack && v->nparts &&
	       call->params.parts[v->part].reg != d->loc[i].reg;
}

static bool locations_agree(struct draft *d)
{
	struct abi_call call;

	if (draft_assign(d, &call))
		return false;
	for (size_t i = 0; i < d->nparams; i++) {
		if (is_disputed(d, &call, i))
			return false;
	}
	return true;
}

/*
 * The rule fails for some: a closure that is called where it is made gets the
 * dictionary as a parameter. The line table and the locations decide.
 */
static bool move_dictionary(struct draft *d, const char *name)
{
	bool was = d->sig->dict;
	size_t at = d->sig->dict_at;

	if (!strstr(name, "[go.shape."))
		return false;
	d->sig->dict = false;
	if (adds_up(d) && locations_agree(d))
		return true;
	d->sig->dict = true;
	for (d->sig->dict_at = 0; d->sig->dict_at <= d->nparams;
	     d->sig->dict_at++) {
		if (adds_up(d) && locations_agree(d))
			return true;
	}
	d->sig->dict = was;
	d->sig->dict_at = at;
	return false;
}

/*
 * Are all results among those that are described? The compiler leaves out blank ones ("_") that a
 * range loop's body sets. Then more registers are set before a RET than the others take, and if
 * just these are, none is missing. (adds_up() checks results on the stack.)
 */
static bool has_all_results(struct draft *d)
{
	uint64_t set = returned_registers(d->facts->code, d->facts->len), want = 0;
	struct abi_call call;

	if (d->facts->abi0 || draft_assign(d, &call))
		return false;
	for (size_t i = 0; i < call.results.nparts; i++)
		want |= 1ULL << call.results.parts[i].reg;
	return (set & abi_result_registers()) == want;
}

/*
 * The body of a range loop over a function is a function that returns whether to go on, which is
 * not described. If the body returns from the function around it, results of that without a name
 * are not described, either: where the others are is not known then.
 */
static int add_undescribed(struct draft *d, const struct dwfunc *df)
{
	static const struct gotype boolean = {
		.kind = GOTYPE_BOOL, .name = "bool", .size = 1, .align = 1,
	};
	static const struct gotype any = { .kind = GOTYPE_STRUCT, .name = "?", .align = 1 };
	struct dwparam p = { .name = "~r0", .type = &boolean, .result = true, .reg = DWLOC_NONE };

	if (funcname_is_range_body(df->name))
		return d->nresults ? 0 : draft_add(d, &p);
	if (!d->facts->ranges || (d->nresults && has_all_results(d)))
		return 0;
	p.type = &any;
	if (!d->nresults && draft_add(d, &p))
		return -1;
	for (size_t i = d->nparams; i < d->nparams + d->nresults; i++)
		d->v[i].unavailable = why_range;
	return 0;
}

/* Of a wide vector only the first bytes can be read. */
static void mark_vectors(struct draft *d)
{
	struct abi_call call;

	if (draft_assign(d, &call))
		return;
	for (size_t i = 0; i < d->nparams + d->nresults; i++)
		if (!d->places[i].on_stack && kind_has_wide_vector(d->v[i].type))
			d->v[i].unavailable = why_vector;
}

static int fill(struct draft *d, const struct dwfunc *df)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < df->nparams; i++) {
			struct dwparam p = df->params[i];

			if (p.result ? !pass : pass)
				continue;
			/*
			 * 1.27; its place in the list means nothing: copies
			 * of inlinable functions have it at the end.
			 */
			if (!p.result && !strcmp(p.name, ".dict")) {
				d->sig->dict = true;
				continue;
			}
			if (!strncmp(p.name, "~p", 2) ||
			    (p.result && !strncmp(p.name, "~b", 2)))
				p.name = "_";
			if (!p.result && !d->nparams)
				d->sig->receiver = is_receiver(df->name, &p);
			if (draft_add(d, &p))
				return -1;
		}
	}
	return add_undescribed(d, df);
}

/*
 * Is each parameter where the debug information has it, and is nothing left in which another one
 * could be?
 */
static bool is_confirmed(struct draft *d)
{
	struct abi_call call;

	if (d->sig->dict || !adds_up(d) || draft_assign(d, &call))
		return false;
	for (size_t i = 0; i < d->nparams; i++) {
		const struct abi_value *v = &d->places[i];
		const struct dwparam *loc = &d->loc[i];

		if (!d->v[i].type->size)
			continue;
		if (d->v[i].type->size % 8)
			return false;
		if (v->on_stack ? loc->reg != DWLOC_STACK || loc->stack != (int64_t)v->stack - 8 :
				  loc->reg < 0 || is_disputed(d, &call, i))
			return false;
	}
	return true;
}

/*
 * Up to 1.21, blank parameters and those without a name are missing. A small one may vanish in what
 * alignment adds, so the sum is not enough.
 */
static const char *place_undescribed(struct draft *d, const char *name)
{
	bool dict = d->sig->dict;
	int err = place_all(d, name);

	if (!err)
		return NULL;
	if (err > 0 && is_confirmed(d)) {
		doubt_results(d);
		return NULL;
	}
	if (!d->facts->abi0 && move_dictionary(d, name) && !place_all(d, name))
		return NULL;
	d->sig->dict = !dict && strstr(name, "[go.shape.");
	if (d->sig->dict != dict && !d->facts->abi0) {
		d->sig->dict_at = 0;
		if (!place_all(d, name))
			return NULL;
	}
	d->sig->dict = dict;
	return d->facts->abi0 ? why_disagree : why_unnamed;
}

static const char *settle(struct draft *d, const struct dwfunc *df)
{
	struct abi_call call;

	for (size_t i = 0; i < d->nparams + d->nresults; i++) {
		if (d->v[i].type->kind == GOTYPE_UNKNOWN)
			return why_unknown_type;
	}
	if (!d->facts->abi0 &&
	    (d->sig->dict || funcname_is_shaped(df->name)))
		place_dictionary(d);
	if (draft_assign(d, &call))
		return why_too_large;
	if (d->facts->minor <= 21 && d->facts->args >= 0)
		return place_undescribed(d, df->name);
	if (adds_up(d) && (d->facts->abi0 || locations_agree(d)))
		return NULL;
	if (!d->facts->abi0 && move_dictionary(d, df->name))
		return NULL;
	/* Since all parameters are described, the locations may be wrong (this happens). */
	return adds_up(d) ? NULL : why_disagree;
}

struct gosig *signature_build(struct arena *mem, const struct dwfunc *df,
			      const struct signature_facts *facts)
{
	struct draft d = {
		.mem = mem, .facts = facts,
		/* And one that no debug information has. */
		.cap = df->nparams + 1,
	};

	d.sig = arena_alloc(mem, sizeof(*d.sig));
	d.v = arena_array(mem, d.cap, sizeof(*d.v));
	d.loc = calloc(d.cap, sizeof(*d.loc));
	d.places = calloc(d.cap, sizeof(*d.places));
	if (!d.sig || !d.v || !d.loc || !d.places || fill(&d, df)) {
		d.sig = NULL;
		goto out;
	}
	d.sig->incomplete = settle(&d, df);
	if (!d.sig->incomplete)
		mark_vectors(&d);
	draft_publish(&d);
out:
	free(d.loc);
	free(d.places);
	return d.sig;
}

/* The compiler writes byte's other name; people write []byte. */
static const char *type_name(const struct gotype *t)
{
	return strcmp(t->name, "[]uint8") ? t->name : "[]byte";
}

/* @variadic: the last one is. */
static void put_list(struct buf *b, const struct goparam *p, size_t n, bool variadic)
{
	bool named = false;

	for (size_t i = 0; i < n; i++)
		named |= p[i].name[0] != '~';
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_str(b, ", ");
		if (named) {
			buf_str(b, p[i].name[0] == '~' ? "_" : p[i].name);
			buf_char(b, ' ');
		}
		if (variadic && i + 1 == n && p[i].type->kind == GOTYPE_SLICE && p[i].type->elem) {
			buf_str(b, "...");
			buf_str(b, p[i].type->elem->name);
		} else {
			buf_str(b, type_name(p[i].type));
		}
	}
}

char *signature_text(const struct gosig *sig)
{
	bool skip = sig->receiver && sig->nparams;
	bool bare = sig->nresults == 1 && sig->results[0].name[0] == '~';
	struct buf b = { .p = NULL };

	buf_str(&b, "func(");
	if (sig->incomplete && !sig->nparams && !sig->nresults)
		buf_char(&b, '?');
	else
		put_list(&b, skip ? sig->params + 1 : sig->params, sig->nparams - skip,
			 sig->variadic);
	buf_char(&b, ')');
	if (sig->nresults) {
		buf_str(&b, bare ? " " : " (");
		put_list(&b, sig->results, sig->nresults, false);
		if (!bare)
			buf_char(&b, ')');
	}
	buf_char(&b, 0);
	if (b.failed) {
		buf_fini(&b);
		return NULL;
	}
	return b.p;
}
