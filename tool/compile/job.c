// SPDX-License-Identifier: GPL-2.0
/* A list of capture expressions while it is compiled: errors, and steps left to do. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "compile/job.h"

const struct gotype exprjob_int = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

const struct gotype exprjob_string = {
	.kind = GOTYPE_STRING, .name = "string", .size = 16, .align = 8,
};

/* --- errors ------------------------------------------------------------------ */

int exprjob_no_memory(struct exprjob *j)
{
	return diag_set(j->d, "out of memory");
}

/* An error about a name or an operator. */
int exprjob_wrong(struct exprjob *j, const struct expr *e, const char *fmt, ...)
{
	char sentence[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	diag_set(j->d, "%s", sentence);
	diag_span(j->d, j->text, e->word, e->word_len);
	return -1;
}

/* As exprjob_wrong(), about the operand: "'x' is of type int, ..." */
int exprjob_wrong_type(struct exprjob *j, const struct expr *e, const struct expr *operand,
		       const struct gotype *t, const char *what)
{
	char sentence[512];

	snprintf(sentence, sizeof(sentence), "'%.*s' is of type %s, %s", (int)operand->len,
		 j->text + operand->at, t->name, what);
	exprjob_wrong(j, e, "%s", sentence);
	return -1;
}

/* "it has a, b, c; did you mean 'a'?" from near names and all names. */
void exprjob_hint(struct exprjob *j, const char *it, const char *names, const struct near *near)
{
	char *meant = near->n ? near_hint(near) : NULL;

	if (names && *names)
		diag_hint(j->d, "%s %s%s%s", it, names, meant ? "; " : "", meant ? meant : "");
	else if (meant)
		diag_hint(j->d, "%s", meant);
	free(meant);
}

/* --- the rest is left to the other side -------------------------------------------- */

/* The type that is known of the value after all steps, or NULL. */
const struct gotype *exprjob_type_of(const struct exprplace *p)
{
	return p->steps.n ? p->steps.type : p->type;
}

int exprjob_add_step(struct exprjob *j, const struct expr *e, struct exprplace *p,
		     struct exprstep step, const struct gotype *inner)
{
	if (p->steps.n == EXPRJOB_STEPS_MAX)
		return exprjob_wrong(j, e, "this is too long");
	j->steps[p->steps.n++] = step;
	p->steps.type = inner;
	return 0;
}
