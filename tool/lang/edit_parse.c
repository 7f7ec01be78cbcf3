// SPDX-License-Identifier: GPL-2.0
/* The parser of edits: "set", "delay" and "on return" clauses. */
#include <goprobe.h>

#include "lang/edit_parse.h"

static int parse_set(struct lex *lx, struct editexpr *ret, struct diag *d)
{
	const struct lex_token *t = lex_peek(lx, 0), *equals;
	struct edit_parse_set *set = &ret->v[ret->n];

	if (ret->n == EDIT_PARSE_MAX)
		return lex_wrong(lx, t, d, "more than %d things are set", EDIT_PARSE_MAX);
	if (expr_parse_operand(lx, &set->to, d))
		return -1;
	equals = lex_peek(lx, 0);
	if (lex_expect(lx, '=', "a '=' and a value are missing here", d))
		return -1;
	t = lex_peek(lx, 0);
	if (lex_is(t, '=') && t->at == equals->at + 1)
		return lex_wrong(lx, t, d, "'==' compares: a value is set with '='");
	if (expr_parse(lx, &set->value, d))
		return -1;
	ret->n++;
	return 0;
}

int edit_parse_parse_sets(struct lex *lx, struct editexpr *ret, struct diag *d)
{
	do {
		if (parse_set(lx, ret, d))
			return -1;
	} while (lex_accept(lx, ','));
	return 0;
}

static int parse_delay(struct lex *lx, struct editexpr *ret, struct diag *d)
{
	const struct lex_token *t = lex_next(lx);

	if (t->kind != LEX_DURATION)
		return lex_wrong(lx, t, d, "a delay has a unit: 'delay 50ms'");
	if (ret->delay)
		return lex_wrong(lx, t, d, "there is a delay already");
	if (!t->number || t->number > GOPROBE_DELAY_NS_MAX) {
		lex_wrong(lx, t, d, "a delay is between 1ns and 1s");
		diag_hint(d, "the thread is held meanwhile, and what stops the world waits for it");
		return -1;
	}
	ret->delay = t->number;
	return 0;
}

int edit_parse_parse(struct lex *lx, struct editexpr ret[2], struct diag *d)
{
	const struct lex_token *t = lex_next(lx);
	struct editexpr *side = ret;

	if (lex_is_name(t, "on")) {
		lex_next(lx);
		side = &ret[1];
		t = lex_next(lx);
	}
	if (lex_is_name(t, "set"))
		return edit_parse_parse_sets(lx, side, d);
	if (lex_is_name(t, "delay"))
		return parse_delay(lx, side, d);
	return lex_wrong(lx, t, d, "only 'set' or 'delay' can follow 'on return'");
}
