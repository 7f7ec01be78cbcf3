// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of methods from the runtime's type descriptors. A type's method
 * table (abi.Method) has, for each method that the linker kept, the type of the
 * function without receiver and the code: Tfn takes the receiver as it is, Ifn
 * what an interface's data word is, which for most types is a pointer to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gobin/abi.h"
#include "gobin/rtype_method.h"

/* Maximum of examined methods: slightly above the capacity of the tables. */
#define RTYPE_METHOD_VISITS_SPARE (1ULL << 20)
/* Limits against hostile files; real files stay far below. */
#define RTYPE_METHOD_PARAMS_MAX 512U

/* Code of a method: its receiver's type, and the function without. */
struct rtype_method_method {
	uint64_t receiver;
	uint64_t func;
};

struct rtype_method_walk {
	struct rtype_method *s;
	uint64_t visits;	/* that are left */
};

void rtype_method_init(struct rtype_method *s, struct rtypes *types)
{
	memset(s, 0, sizeof(*s));
	s->types = types;
}

void rtype_method_fini(struct rtype_method *s)
{
	hmap_fini(&s->methods);
}

static int note(struct rtype_method *s, uint32_t code, uint64_t receiver, uint64_t func)
{
	uint64_t entry = s->types->link->text + code;
	struct rtype_method_method *m;

	if (!code || !receiver || hmap_get(&s->methods, entry))
		return 0;
	m = rtype_alloc(s->types, sizeof(*m));
	if (!m)
		return -1;
	m->receiver = receiver;
	m->func = func;
	return hmap_put(&s->methods, entry, m);
}

/* All methods of one type. Returns 0, or -1: enough. */
static int note_type(struct rtype_method_walk *w, uint64_t vaddr)
{
	const struct rtsource *src = &w->s->types->src;
	struct rtuncommon u;
	struct rtmethod m;
	struct rtype_desc d;

	if (rtype_desc_read(src, vaddr, &d) || rtype_desc_uncommon(src, &d, &u))
		return 0;
	for (unsigned int i = 0; i < u.nmethods; i++) {
		if (!w->visits-- || rtype_desc_method(src, &u, i, &m))
			return -1;
		if (note(w->s, m.tfn, vaddr, m.type) ||
		    note(w->s, m.ifn, d.direct ? vaddr : d.ptr_to, m.type))
			return -1;
	}
	return 0;
}

static const struct rtype_method_method *method_at(struct rtype_method *s, uint64_t entry)
{
	const struct rtsource *src = &s->types->src;
	struct rtype_method_walk w = {
		.s = s,
		.visits = RTYPE_METHOD_VISITS_SPARE + (src->etypes - src->types) / 8,
	};

	if (!s->ready) {
		size_t n;
		const uint64_t *v = rtype_all(s->types, &n);

		s->ready = true;
		for (size_t i = 0; i < n && !note_type(&w, v[i]); i++)
			;
	}
	return hmap_get(&s->methods, entry);
}

static int set_param(struct rtypes *t, struct goparam *p, uint64_t type,
		     const char *prefix, unsigned int i)
{
	char name[16];
	char *kept;
	int n = snprintf(name, sizeof(name), "%s%u", prefix, i);

	p->type = rtype_type(t, type);
	kept = rtype_alloc(t, (size_t)n + 1);
	if (!kept || !p->type || p->type->kind == GOTYPE_UNKNOWN)
		return -1;
	memcpy(kept, name, (size_t)n);
	p->name = kept;
	return 0;
}

static int fill(struct rtypes *t, struct gosig *sig, struct goparam *v,
		uint64_t receiver, const struct rtype_desc *fn)
{
	uint64_t type;

	v[0].name = RTYPE_METHOD_RECEIVER;
	v[0].type = rtype_type(t, receiver);
	if (!v[0].type || v[0].type->kind == GOTYPE_UNKNOWN)
		return -1;
	for (unsigned int i = 0; i < fn->nin + fn->nout; i++) {
		bool in = i < fn->nin;

		if (rtype_desc_param(&t->src, fn, i, &type) ||
		    set_param(t, &v[i + 1], type, in ? "p" : "~r",
			      in ? i : i - fn->nin))
			return -1;
	}
	sig->params = v;
	sig->nparams = fn->nin + 1;
	sig->receiver = true;
	sig->variadic = fn->variadic && fn->nin;
	sig->results = v + fn->nin + 1;
	sig->nresults = fn->nout;
	return 0;
}

/* Does the signature ask for as many bytes as the line table says? */
static bool adds_up(const struct gosig *sig, bool abi0, int32_t args)
{
	size_t n = sig->nparams + sig->nresults;
	struct abi_value *places = calloc(n, sizeof(*places));
	struct abi_call call;
	bool ok;

	if (!places)
		return false;
	call.params.values = places;
	call.results.values = places + sig->nparams;
	ok = !abi_assign(sig, abi0, &call) &&
	     (args < 0 || call.args_bytes == (uint32_t)args);
	free(places);
	return ok;
}

const struct gosig *rtype_method_get(struct rtype_method *s, uint64_t entry, bool abi0,
				     int32_t args)
{
	const struct rtype_method_method *m = method_at(s, entry);
	struct rtypes *t = s->types;
	struct goparam *v;
	struct gosig *sig;
	struct rtype_desc fn;

	if (!m || rtype_desc_read(&t->src, m->func, &fn) || fn.kind != RKIND_FUNC ||
	    fn.nin + fn.nout > RTYPE_METHOD_PARAMS_MAX)
		return NULL;
	sig = rtype_alloc(t, sizeof(*sig));
	v = rtype_alloc(t, (fn.nin + fn.nout + 1) * sizeof(*v));
	if (!sig || !v || fill(t, sig, v, m->receiver, &fn) ||
	    !adds_up(sig, abi0, args))
		return NULL;
	return sig;
}
