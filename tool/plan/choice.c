// SPDX-License-Identifier: GPL-2.0
/* Functions and places being chosen, and what of them is left out. */
#include <string.h>

#include "plan/choice.h"

void choice_leave_out(struct choice *c, const char *why)
{
	struct reasons *r = &c->reasons;
	size_t i = 0;

	r->total++;
	while (i < r->n && strcmp(r->why[i], why) != 0)
		i++;
	if (i == REASONS_MAX)
		return;
	if (i == r->n) {
		r->why[r->n++] = why;
		r->count[i] = 0;
	}
	r->count[i]++;
}

void choice_describe(const struct reasons *r, struct buf *b)
{
	if (!r->total)
		return;
	buf_u64(b, r->total);
	buf_str(b, r->total == 1 ? " function or place left out: " :
				   " functions or places left out: ");
	for (size_t i = 0; i < r->n; i++) {
		if (i)
			buf_str(b, ", ");
		buf_u64(b, r->count[i]);
		buf_char(b, ' ');
		buf_str(b, r->why[i]);
	}
}

const char *choice_lack(const struct choice *c, const struct diag *d)
{
	static const char unknown[] = "lack what is asked for", error[] = "return no error";
	bool absent = strstr(d->message ?: "", " has no ");
	const char *lack;

	if (strstr(d->message ?: "", " returns no error"))
		return error;
	if (!d->text || d->at + d->len > strlen(d->text))
		return unknown;
	lack = arena_printf(c->mem, "%s '%.*s'", absent ? "have no" : "do not allow", (int)d->len,
			    d->text + d->at);
	return lack ? lack : unknown;
}

int choice_failed(struct choice *c, size_t i, struct diag *d)
{
	if (diag_no_memory(d))
		return -1;
	if (c->why[i].message)
		diag_fini(d);
	else
		c->why[i] = *d;
	return 0;
}
