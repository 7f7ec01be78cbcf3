// SPDX-License-Identifier: GPL-2.0
/* A running process that is read from outside. */
#include "base/buf.h"
#include "eval/process.h"

static bool read_memory(void *ctx, uint64_t at, void *to, size_t len)
{
	return procmem_read(ctx, at, to, len);
}

static int add_target(struct eval_process *l, const struct target_pids *pid, struct diag *d)
{
	size_t older;

	if (!l->file)
		return target_add_pids(&l->target, pid, d);
	return target_set_file(&l->target, l->file, &older, d) ||
	       target_limit_pids(&l->target, pid, d) ? -1 : 0;
}

int eval_process_open(struct eval_process *l, const struct target_pids *pid, struct diag *d)
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

bool eval_process_is_clear(const struct eval_process *l, struct diag *d)
{
	struct gobin **bins = l->target.bins;
	struct buf others = { 0 };

	if (l->target.nbins < 2)
		return true;
	for (size_t i = 1; i < l->target.nbins; i++) {
		buf_str(&others, i > 1 ? ", " : "");
		buf_str(&others, gobin_path(bins[i]));
	}
	buf_char(&others, 0);
	diag_set(d, "process %d has %zu Go runtimes: that of %s is meant, and not of %s",
		 l->procmem.pid, l->target.nbins, gobin_path(bins[0]),
		 others.failed ? "others" : others.p);
	diag_hint(d, "-b FILE chooses: -b %s", gobin_path(bins[1]));
	buf_fini(&others);
	return false;
}

void eval_process_fini(struct eval_process *l)
{
	value_fini(&l->values);
	eval_fini(&l->eval);
	target_fini(&l->target);
}
