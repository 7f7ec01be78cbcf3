// SPDX-License-Identifier: GPL-2.0
/* Functions whose calls have been seen as often as they should be. */
#include <stdlib.h>

#include "trace/call_quota.h"

/* What has been seen of a function. */
struct call_quota_func {
	uint64_t calls;		/* calls */
	uint64_t ends;		/* ends of calls, as far as they matter */
	bool waits;		/* it is to be seen more often */
	bool ends_matter;	/* its calls are to be seen to end, too */
};

int call_quota_init(struct call_quota *t, const struct plan *p, uint64_t most)
{
	*t = (struct call_quota){
		.most = most,
		.v = calloc(p->nfuncs + 1, sizeof(*t->v)),
		.n = p->nfuncs,
		.done = calloc(p->nfuncs + 1, sizeof(*t->done)),
	};
	if (!t->v || !t->done)
		return -1;
	for (size_t i = 0; i < t->n; i++) {
		const struct plan_func *pf = p->funcs[i];

		t->v[i].waits = !pf->hidden && !pf->around;
		t->v[i].ends_matter = pf->ends;
		t->left += t->v[i].waits;
	}
	return 0;
}

void call_quota_fini(struct call_quota *t)
{
	free(t->v);
	free(t->done);
	*t = (struct call_quota){ 0 };
}

static void look(struct call_quota *t, uint32_t id)
{
	struct call_quota_func *f = &t->v[id];

	if (!f->waits || f->calls < t->most || (f->ends_matter && f->ends < t->most))
		return;
	f->waits = false;
	t->left--;
	t->done[t->ndone++] = id;
}

void call_quota_call(struct call_quota *t, uint32_t id)
{
	if (id >= t->n)
		return;
	t->v[id].calls++;
	look(t, id);
}

void call_quota_end(struct call_quota *t, uint32_t id)
{
	if (id >= t->n)
		return;
	t->v[id].ends++;
	look(t, id);
}
