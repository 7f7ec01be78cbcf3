// SPDX-License-Identifier: GPL-2.0
/* Call stacks of records: addresses become places in code. */
#include <stdlib.h>
#include <string.h>

#include "output/call_stack.h"

static const enum stacks_value calls = STACKS_CALLS;

int call_stack_init(struct call_stack *s, const struct plan *plan)
{
	*s = (struct call_stack){ .plan = plan };
	stacks_init(&s->stacks, &calls, 1);
	s->files = calloc(plan->nfiles + 1, sizeof(*s->files));
	if (!s->files)
		return -1;
	for (size_t i = 0; i < plan->nfiles; i++)
		symbols_init(&s->files[i], plan->files[i].bin, gobin_path(plan->files[i].bin));
	return 0;
}

void call_stack_fini(struct call_stack *s)
{
	stacks_fini(&s->stacks);
	for (size_t i = 0; s->files && i < s->plan->nfiles; i++)
		symbols_fini(&s->files[i]);
	free(s->files);
	s->files = NULL;
}

const struct stack *call_stack(struct call_stack *s, const struct plan_func *pf,
			       const struct plan_frame *f, const struct record *rec)
{
	uint64_t word[1 + PLAN_CALLERS_MAX], n;
	struct stacks_pc pcs[PLAN_CALLERS_MAX];
	struct stacks_sample sample = { .pcs = pcs, .values = { 1 } };
	size_t file = 0, most = f->nstack;

	if (!most || !s->files || !rec->frame || rec->frame_size < f->stack + (1 + most) * 8)
		return NULL;
	memcpy(word, rec->frame + f->stack, (1 + most) * 8);
	n = word[0];
	if (!n || n > most)
		return NULL;
	while (file < s->plan->nfiles && s->plan->files[file].bin != pf->bin)
		file++;
	for (size_t i = 0; i < n; i++)
		pcs[i] = (struct stacks_pc){ &s->files[file], word[1 + i] };
	sample.npcs = n;
	sample.cut = n == most;
	return stacks_count(&s->stacks, &sample);
}
