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
#include "gobin/signature.h"
#include "gotype/funcname.h"
#include "x86/returned.h"

static const char why_disagree[] =
	"the debug information disagrees with the line table about its arguments";
static const char why_unnamed[] =
	"unnamed parameters are missing from the debug information before Go 1.22";
static const char why_unknown_type[] = "the type of an argument is not described";
static const char why_too_large[] = "its arguments are too large";
static const char why_this_unnamed[] =
	"an unnamed parameter, missing from the debug information";
static const char why_disputed[] =
	"the debug information says that it is elsewhere";
static const char why_range[] =
	"results without a name may be missing from the debug information: a range loop may return";
static const char why_ambiguous[] =
	"an unnamed parameter nearby is missing from the debug information";

/* A signature that is being put together. */
struct draft {
	struct arena *mem;
	const struct gosig_facts *facts;
	struct goparam *v;		/* parameters, then results */
	struct dwparam *loc;		/* what the debug information says */
	size_t nparams;
	size_t nresults;
	size_t cap;
	struct goabi_value *places;
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

/* Put a parameter that the debug information lacks before the @at-th one. */
static int draft_insert(struct draft *d, size_t at, const struct gotype *type)
{
	size_t n = d->nparams + d->nresults;

	if (n == d->cap || !type || at > d->nparams)
		return -1;
	memmove(d->v + at + 1, d->v + at, (n - at) * sizeof(*d->v));
	memmove(d->loc + at + 1, d->loc + at, (n - at) * sizeof(*d->loc));
	d->v[at] = (struct goparam){
		.name = "_", .type = type, .unavailable = why_this_unnamed,
	};
	d->loc[at] = (struct dwparam){ .name = "_", .type = type,
				       .reg = DWLOC_NONE };
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

static int draft_assign(struct draft *d, struct goabi_call *call)
{
	draft_publish(d);
	call->params.values = d->places;
	call->results.values = d->places + d->nparams;
	return goabi_assign(d->sig, d->facts->abi0, call);
}

static bool adds_up(struct draft *d)
{
	struct goabi_call call;

	if (draft_assign(d, &call))
		return false;
	return d->facts->args < 0 ||
	       call.args_bytes == (uint32_t)d->facts->args;
}

/* A type of @words registers of one class, or of @bytes on the stack. */
static const struct gotype *hole(struct draft *d, unsigned int words,
				 bool is_float, uint32_t bytes)
{
	static const struct gotype word = {
		.kind = GOTYPE_UINT, .name = "?", .size = 8, .align = 8,
	};
	static const struct gotype real = {
		.kind = GOTYPE_FLOAT, .name = "?", .size = 8, .align = 8,
	};
	static const struct gotype byte = {
		.kind = GOTYPE_UINT, .name = "?", .size = 1, .align = 1,
	};
	struct gotype *t = arena_alloc(d->mem, sizeof(*t));
	struct gofield *f;

	if (!t)
		return NULL;
	t->name = "?";
	if (bytes) {
		t->kind = GOTYPE_ARRAY;
		t->elem = &byte;
		t->count = bytes;
		t->size = bytes;
		t->align = 1;
		return t;
	}
	f = arena_array(d->mem, words, sizeof(*f));
	if (!f)
		return NULL;
	for (unsigned int i = 0; i < words; i++) {
		f[i].name = "_";
		f[i].type = is_float ? &real : &word;
		f[i].offset = i * 8ULL;
	}
	t->kind = GOTYPE_STRUCT;
	t->fields = f;
	t->nfields = words;
	t->size = words * 8ULL;
	t->align = 8;
	return t;
}

/* Position of DWARF register @reg among its class's argument registers. */
static int rank(int reg, bool *is_float)
{
	static const uint8_t ints[GOABI_INT_REGS] = {
		0, 3, 2, 5, 4, 8, 9, 10, 11,
	};

	*is_float = reg >= 17 && reg < 17 + GOABI_FLOAT_REGS;
	if (*is_float)
		return reg - 17;
	for (int i = 0; i < GOABI_INT_REGS; i++) {
		if (ints[i] == reg)
			return i;
	}
	return -1;
}

/*
 * What the line table has and the signature has not yet is a parameter behind
 * those that are @sure, or an unnamed result: then the place of results on the
 * stack is not known. @slack: bytes by which holes may have been taken for
 * larger than they are.
 */
static int append_hole(struct draft *d, size_t sure, uint32_t slack)
{
	uint32_t want = (uint32_t)d->facts->args;
	struct goabi_call call;
	size_t before = d->nparams;

	if (draft_assign(d, &call) || call.args_bytes > want + slack)
		return -1;
	if (call.args_bytes >= want)
		return 0;
	want -= call.args_bytes;
	for (size_t k = sure; k < d->nparams; k++)
		d->v[k].unavailable = why_ambiguous;
	if (draft_insert(d, before, d->facts->abi0 ? hole(d, 0, false, want) :
				    hole(d, want / 8, false, 0)))
		return -1;
	if (draft_assign(d, &call))
		return -1;
	for (size_t k = d->nparams; k < d->nparams + d->nresults; k++) {
		if (d->places[k].on_stack && d->v[k].type->size &&
		    d->loc[k].reg != DWLOC_STACK)
			d->v[k].unavailable = why_ambiguous;
	}
	return 0;
}

/*
 * Up to 1.21 blank and unnamed parameters are missing, and all that follow are
 * in other registers than they seem. Where the locations at entry of two
 * neighbours show the true registers, the missing one fits between them.
 */
static int repair_registers(struct draft *d)
{
	struct goabi_call call;
	size_t sure = 0;	/* params before this one have their place */
	uint32_t holes = 0;	/* words of them */
	bool inserted = false;

	for (size_t i = 0; i < d->nparams; i++) {
		const struct goabi_value *v = &d->places[i];
		const struct goabi_part *part;
		bool float_is, float_should;
		int is, should;

		if (draft_assign(d, &call))
			return -1;
		if (d->loc[i].reg < 0 || v->on_stack || !v->nparts)
			continue;
		part = &call.params.parts[v->part];
		should = rank(part->reg, &float_should);
		is = rank(d->loc[i].reg, &float_is);
		if (is < should || float_is != float_should)
			return -1;
		if (is == should) {
			sure = i + 1;
			continue;
		}
		for (size_t k = sure; k < i; k++)
			d->v[k].unavailable = why_ambiguous;
		if (draft_insert(d, i, hole(d, (unsigned int)(is - should),
					    float_is, 0)))
			return -1;
		inserted = true;
		holes += (uint32_t)(is - should);
		sure = i + 2;
		i++;
	}
	if (!inserted && !sure && d->nparams)
		return -1;
	return append_hole(d, sure, holes * 7);
}

/* On the stack the locations are exact: they are the calling convention. */
static int repair_stack(struct draft *d)
{
	struct goabi_call call;
	size_t sure = 0;

	for (size_t i = 0; i < d->nparams + d->nresults; i++) {
		bool result = i >= d->nparams;
		int32_t is, should;

		if (draft_assign(d, &call))
			return -1;
		if (d->loc[i].reg != DWLOC_STACK || !d->v[i].type->size)
			continue;
		is = d->loc[i].stack;
		should = (int32_t)d->places[i].stack - 8;
		if (is != should) {
			/* The first result shows where the parameters end. */
			if (is < should || (result && i > d->nparams))
				return -1;
			for (size_t k = sure; k < i; k++)
				d->v[k].unavailable = why_ambiguous;
			if (draft_insert(d, i, hole(d, 0, false,
						    (uint32_t)(is - should))))
				return -1;
			i++;
		}
		sure = i + 1;
	}
	return append_hole(d, sure < d->nparams ? sure : d->nparams, 0);
}

static bool is_receiver(const char *name, const struct dwparam *p)
{
	const char *type, *t = p->type->name;
	size_t len, n;
	bool pointer;

	if (!gofuncname_receiver(name, &type, &len, &pointer))
		return false;
	if (pointer && *t++ != '*')
		return false;
	t = gofuncname_local(t);
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
static bool is_disputed(const struct draft *d, const struct goabi_call *call,
			size_t i)
{
	const struct goabi_value *v = &d->places[i];

	return d->loc[i].reg >= 0 && !v->on_stack && v->nparts &&
	       call->params.parts[v->part].reg != d->loc[i].reg;
}

static bool locations_agree(struct draft *d)
{
	struct goabi_call call;

	if (draft_assign(d, &call))
		return false;
	for (size_t i = 0; i < d->nparams; i++) {
		if (is_disputed(d, &call, i))
			return false;
	}
	return true;
}

static void mark_disputed(struct draft *d)
{
	struct goabi_call call;

	if (draft_assign(d, &call))
		return;
	for (size_t i = 0; i < d->nparams; i++) {
		if (is_disputed(d, &call, i))
			d->v[i].unavailable = why_disputed;
	}
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
	struct goabi_call call;

	if (d->facts->abi0 || draft_assign(d, &call))
		return false;
	for (size_t i = 0; i < call.results.nparts; i++)
		want |= 1ULL << call.results.parts[i].reg;
	return (set & goabi_result_registers()) == want;
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

	if (gofuncname_is_range_body(df->name))
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

static const char *settle(struct draft *d, const struct dwfunc *df)
{
	struct goabi_call call;

	for (size_t i = 0; i < d->nparams + d->nresults; i++) {
		if (d->v[i].type->kind == GOTYPE_UNKNOWN)
			return why_unknown_type;
	}
	if (!d->facts->abi0 &&
	    (d->sig->dict || gofuncname_is_shaped(df->name)))
		place_dictionary(d);
	if (draft_assign(d, &call))
		return why_too_large;
	if (adds_up(d) && (d->facts->abi0 || locations_agree(d)))
		return NULL;
	if (!d->facts->abi0 && move_dictionary(d, df->name))
		return NULL;
	if (adds_up(d)) {
		/*
		 * Since all parameters are described, the locations are
		 * wrong (this happens). Before, a small unnamed one may
		 * have vanished in what alignment adds.
		 */
		if (d->facts->minor <= 21)
			mark_disputed(d);
		return NULL;
	}
	if (d->facts->abi0)
		return repair_stack(d) ? why_disagree : NULL;
	if (d->facts->minor > 21)
		return why_disagree;
	return repair_registers(d) ? why_unnamed : NULL;
}

struct gosig *gosig_build(struct arena *mem, const struct dwfunc *df,
			  const struct gosig_facts *facts)
{
	struct draft d = {
		.mem = mem, .facts = facts,
		/* A hole before each, and one at the end. */
		.cap = df->nparams * 2 + 2,
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

char *gosig_text(const struct gosig *sig)
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
