// SPDX-License-Identifier: GPL-2.0
/* Functions of the runtime that are traced for what they tell of others. */
#include <stddef.h>
#include <string.h>

#include "golayout.h"
#include "goversion.h"
#include "hidden.h"

#define WORD 8U

/* DWARF number of the register that the first result is in. */
#define REG_RAX 0U

/* Nothing of it is shown. */
static const struct gosig no_sig = { 0 };
static const struct plan_capture no_values = { 0 };

/*
 * newproc1 returns the new g, on the caller's stack before 1.17, behind 40 bytes of
 * arguments. Not in an item: what fails is told by GOPROBE_RECORD_F_FAULT.
 */
static size_t make_go(const struct gobin *bin, struct goprobe_op *ops)
{
	int minor = gobin_go_minor(bin);
	const struct golayout *l = golayout_get(minor);
	size_t n = 0;

	if (goversion_regabi(minor)) {
		ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_REG, .b = REG_RAX };
	} else {
		ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_SP, .value = WORD + 40 };
		ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_LOAD, .size = WORD };
	}
	ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_LOAD, .a = 1, .size = WORD,
					.value = gobin_runtime(bin)->g_goid };
	ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_STORE, .a = 1, .size = WORD,
					.offset = offsetof(struct hidden_go, goid) };
	ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_LOAD, .a = 1, .size = WORD,
					.value = l->g.gopc };
	ops[n++] = (struct goprobe_op){ .code = GOPROBE_OP_STORE, .a = 1, .size = WORD,
					.offset = offsetof(struct hidden_go, pc) };
	return n;
}

/* What the roles need: a function, and how its frame is filled. */
static const struct role {
	const char *func;
	uint32_t size;
	size_t (*make)(const struct gobin *bin, struct goprobe_op *ops);
} roles[] = {
	[PLAN_ROLE_GO] = { "runtime.newproc1", sizeof(struct hidden_go), make_go },
};

#define OPS_MAX 8

static const struct gofunc *find(const struct gobin *bin, const char *name)
{
	size_t n;
	const struct gofunc *f = gobin_funcs(bin, &n);

	for (size_t i = 0; i < n; i++)
		if (f[i].entry && !strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

static int add(struct plan *p, struct gobin *bin, enum plan_role role, struct diag *d)
{
	const struct gofunc *fn = find(bin, roles[role].func);
	struct goprobe_op ops[OPS_MAX];
	struct plan_capture capture = { .ops = ops, .size = roles[role].size };
	struct plan_func info;

	if (!fn)
		return 0;
	plan_survey(bin, fn, &info);
	if (info.refused)
		return 0;
	capture.nops = roles[role].make(bin, ops);
	return plan_add_request(p, bin, fn, &(struct plan_request){
		.sig = &no_sig, .call = &no_values, .ret = &capture, .role = role,
	}, d);
}

int hidden_add(struct plan *p, struct gobin *const *bins, size_t nbins, enum plan_role role,
	       struct diag *d)
{
	for (size_t i = 0; i < nbins; i++)
		if (add(p, bins[i], role, d))
			return -1;
	return 0;
}

bool hidden_go(const struct record *r, struct hidden_go *ret)
{
	if (!r->frame || r->frame_size < sizeof(*ret) || r->h.flags & GOPROBE_RECORD_F_FAULT)
		return false;
	memcpy(ret, r->frame, sizeof(*ret));
	return ret->goid;
}

size_t hidden_count(const struct plan *p, size_t *points)
{
	size_t n = 0;

	*points = 0;
	for (size_t i = 0; i < p->nfuncs; i++)
		n += p->funcs[i]->role != PLAN_ROLE_NONE;
	for (size_t i = 0; n && i < p->nfiles; i++)
		for (size_t k = 0; k < p->files[i].n; k++)
			*points += p->funcs[p->files[i].v[k].id]->role != PLAN_ROLE_NONE;
	return n;
}
