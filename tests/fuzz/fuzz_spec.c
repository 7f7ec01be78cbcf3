// SPDX-License-Identifier: GPL-2.0
/* Fuzzer of specs; the input's lines are a spec and names to match. */
#include "fuzz.h"

#include "base/diag.h"
#include "lang/spec.h"

/*
 * glibc's regcomp() takes as much time and memory for nested repetitions as one
 * likes. The pattern is the user's own, who has to wait or to press ^C.
 */
static bool is_monster(const char *text)
{
	return text[0] == '/' && strpbrk(text, "{*+?\\");
}

typedef int (*parse_fn)(const char *text, struct spec *ret, struct diag *d);

/* An expression is somewhere in the text, and so is all that it is made of. */
static void inside(const struct spec *s, const struct expr *e)
{
	size_t n = strlen(s->text);

	if (!e)
		return;
	FUZZ_HOLDS(e->at <= n && e->len <= n - e->at);
	FUZZ_HOLDS(e->word <= n && e->word_len <= n - e->word);
	inside(s, e->x);
	inside(s, e->index);
	inside(s, e->high);
}

static void inside_list(const struct spec *s, const struct expr_list *v)
{
	FUZZ_HOLDS(!v || (v->n <= EXPR_LIST_MAX && s->text[v->at] == '('));
	for (size_t i = 0; v && i < v->n; i++)
		inside(s, v->v[i]);
}

static void inside_edit(const struct spec *s, const struct editexpr *e)
{
	FUZZ_HOLDS(e->n <= EDIT_PARSE_MAX);
	for (size_t i = 0; i < e->n; i++) {
		FUZZ_HOLDS(e->v[i].to && e->v[i].value);
		inside(s, e->v[i].to);
		inside(s, e->v[i].value);
	}
}

static void refused(struct diag *d, const char *text)
{
	FUZZ_HOLDS(d->message);
	if (d->text)
		FUZZ_HOLDS(d->at <= strlen(text) && d->len <= strlen(text) - d->at);
	diag_fini(d);
}

/* attach understands every spec that another command understands, in the same way. */
static void narrower(const struct spec *all, parse_fn parse)
{
	struct diag d = { .message = NULL };
	struct spec s;

	if (parse(all->text, &s, &d)) {
		refused(&d, all->text);
		return;
	}
	FUZZ_HOLDS(s.kind == all->kind && s.number == all->number && s.end == all->end);
	FUZZ_HOLDS(!strcmp(s.pattern, all->pattern) && !s.call && !s.ret && !spec_edits(&s));
	FUZZ_HOLDS(!s.cond == !all->cond);
	spec_fini(&s);
}

int fuzz_spec(const uint8_t *data, size_t size)
{
	static const parse_fn others[] = {
		spec_parse_pattern, spec_parse_condition, spec_parse_signature, spec_parse_place,
	};
	struct feed feed = { data, size < 4096 ? size : 4096 };
	struct diag d = { .message = NULL };
	char *text = feed_line(&feed);
	struct spec s;

	if (is_monster(text)) {
		/* nothing to see */
	} else if (spec_parse(text, &s, &d)) {
		refused(&d, text);
	} else {
		FUZZ_HOLDS(s.end <= strlen(text) && !strcmp(s.text, text));
		inside_list(&s, s.call);
		inside_list(&s, s.ret);
		inside(&s, s.cond);
		inside_edit(&s, &s.edit[0]);
		inside_edit(&s, &s.edit[1]);
		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
			narrower(&s, others[i]);
		while (feed.n) {
			char *name = feed_line(&feed);

			FUZZ_HOLDS(!spec_match(&s, name) || !spec_is_place(&s));
			free(name);
		}
		spec_fini(&s);
	}
	free(text);
	return 0;
}
