// SPDX-License-Identifier: GPL-2.0
/* The functions that a pattern is compared with. */
#include "plan/name_set.h"

const struct gofunc *name_set_next(const struct name_set *s, struct name_walk *w)
{
	if (s->only)
		return w->i < s->nonly ? s->only[w->i++] : NULL;
	for (; w->i < s->nbins; w->i++) {
		w->at = gobin_next(s->bins[w->i], w->at);
		if (w->at)
			return w->at;
	}
	return NULL;
}

int name_set_load_inlined(const struct name_set *s)
{
	/* What was chosen has been looked for there. */
	for (size_t i = 0; !s->only && i < s->nbins; i++)
		if (gobin_load_inlined(s->bins[i]))
			return -1;
	return 0;
}
