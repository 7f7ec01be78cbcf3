// SPDX-License-Identifier: GPL-2.0
/* A running process that is read from outside. */
#include "eval/process.h"

static bool read_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	return procmem_read(ctx, at, to, len);
}

static int add_target(struct proclook *l, const struct target_pids *pid, struct diag *d)
{
	size_t older;

	if (!l->file)
		return target_add_pids(&l->target, pid, d);
	return target_set_file(&l->target, l->file, &older, d) ||
	       target_limit_pids(&l->target, pid, d) ? -1 : 0;
}

int proclook_open(struct proclook *l, const struct target_pids *pid, struct diag *d)
{
	struct eval *g = &l->eval;

	if (add_target(l, pid, d))
		return -1;
	g->bin = l->target.bins[0];
	g->read = read_memory;
	g->read_ctx = &l->procmem;
	g->limits = plan_defaults;
	if (procmem_init(&l->procmem, l->target.processes[0].pid, g->bin, d))
		return -1;
	g->bias = l->procmem.bias;
	eval_init(g);
	value_init(&l->values, &g->env);
	return 0;
}

void proclook_fini(struct proclook *l)
{
	value_fini(&l->values);
	eval_fini(&l->eval);
	target_fini(&l->target);
}
