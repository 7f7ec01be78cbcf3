// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of regular expressions: Thompson's construction. Each part of an expression becomes
 * nodes with one way in and one way out.
 */
#include <ctype.h>
#include <string.h>

#include "lang/automaton_parse.h"

#define REPEAT_MAX 100
#define DEPTH_MAX 32

/* The nodes of a part. */
struct part {
	int in;		/* its first node */
	int out;	/* its last one, whose to[0] is free; an AUTOMATON_EMPTY */
};

/* A parser under way. */
struct parser {
	const char *s;			/* the expression */
	size_t n;			/* its bytes */
	size_t i;			/* the next one */
	bool fold;			/* (?i): letters in either case */
	bool newlines;			/* (?s): '.' is a newline, too */
	unsigned int depth;		/* of parentheses */
	struct automaton_nodes *to;	/* what is made */
	struct automaton_error *err;	/* where it is wrong */
};

static int parse_either(struct parser *p, struct part *ret);

static int wrong(struct parser *p, size_t at, size_t n, const char *why)
{
	*p->err = (struct automaton_error){ why, at, n };
	return -1;
}

static int node(struct parser *p, enum automaton_kind kind, int a, int b)
{
	struct automaton_node *v = &p->to->v[p->to->n];

	if (p->to->n == AUTOMATON_NODES_MAX)
		return wrong(p, 0, p->n, "it is too long");
	*v = (struct automaton_node){ .kind = kind, .to = { a, b } };
	return p->to->n++;
}

static bool peek(const struct parser *p, char c)
{
	return p->i < p->n && p->s[p->i] == c;
}

static bool accept(struct parser *p, char c)
{
	if (!peek(p, c))
		return false;
	p->i++;
	return true;
}

/* A node of @kind, and its way out. */
static int single(struct parser *p, enum automaton_kind kind, struct part *ret)
{
	ret->out = node(p, AUTOMATON_EMPTY, -1, -1);
	ret->in = ret->out < 0 ? -1 : node(p, kind, ret->out, -1);
	return ret->in < 0 ? -1 : 0;
}

/* --- sets of bytes ------------------------------------------------------------------ */

static void put_range(uint64_t *set, unsigned int from, unsigned int to)
{
	for (; from <= to; from++)
		automaton_put(set, from);
}

static void negate(uint64_t *set)
{
	for (int i = 0; i < 4; i++)
		set[i] = ~set[i];
}

/* The class of a letter behind a backslash, as regexp/syntax has it. */
static bool put_class(uint64_t *set, char letter)
{
	uint64_t class[4] = { 0 };

	switch (tolower((unsigned char)letter)) {
	case 'd':
		put_range(class, '0', '9');
		break;
	case 'w':
		put_range(class, '0', '9');
		put_range(class, 'a', 'z');
		put_range(class, 'A', 'Z');
		automaton_put(class, '_');
		break;
	case 's':
		put_range(class, '\t', '\n');
		put_range(class, '\f', '\r');
		automaton_put(class, ' ');
		break;
	default:
		return false;
	}
	if (isupper((unsigned char)letter))
		negate(class);
	for (int i = 0; i < 4; i++)
		set[i] |= class[i];
	return true;
}

/* [:alpha:] */
static bool put_named(struct parser *p, uint64_t *set)
{
	static const struct {
		const char *name;
		int (*is)(int c);
	} named[] = {
		{ "[:alnum:]", isalnum }, { "[:alpha:]", isalpha }, { "[:blank:]", isblank },
		{ "[:cntrl:]", iscntrl }, { "[:digit:]", isdigit }, { "[:graph:]", isgraph },
		{ "[:lower:]", islower }, { "[:print:]", isprint }, { "[:punct:]", ispunct },
		{ "[:space:]", isspace }, { "[:upper:]", isupper }, { "[:xdigit:]", isxdigit },
	};

	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
		size_t len = strlen(named[i].name);

		if (p->n - p->i < len || memcmp(p->s + p->i, named[i].name, len))
			continue;
		for (int c = 0; c < 128; c++)
			if (named[i].is(c))
				automaton_put(set, c);
		p->i += len;
		return true;
	}
	return false;
}

static int hex(char c)
{
	return isdigit((unsigned char)c) ? c - '0' :
	       isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* The byte of the escape behind a backslash; -1 with an error. */
static int escaped(struct parser *p)
{
	static const char from[] = "afnrtv", to[] = "\a\f\n\r\t\v";
	size_t at = p->i - 1;
	char c = p->i < p->n ? p->s[p->i] : 0;
	const char *simple = c ? strchr(from, c) : NULL;

	if (!c)
		return wrong(p, at, 1, "a '\\' ends it");
	p->i++;
	if (simple)
		return to[simple - from];
	if (c == 'x' && p->n - p->i >= 2 && hex(p->s[p->i]) >= 0 && hex(p->s[p->i + 1]) >= 0) {
		p->i += 2;
		return hex(p->s[p->i - 2]) << 4 | hex(p->s[p->i - 1]);
	}
	if (!isalnum((unsigned char)c))
		return (unsigned char)c;
	return wrong(p, at, 2,
		     "this escape is not known: \\d, \\w, \\s, their opposites, \\n, \\t and \\xHH are");
}

/* One byte of a range, in brackets; -1 with an error. */
static int range_end(struct parser *p)
{
	if (accept(p, '\\'))
		return escaped(p);
	if (p->s[p->i] & 0x80)
		return wrong(p, p->i, 1, "brackets hold ASCII: write other characters as '(é|x)'");
	return (unsigned char)p->s[p->i++];
}

/* "a", "a-z", "\d" or "[:alpha:]" */
static int parse_range(struct parser *p, uint64_t *set)
{
	size_t at = p->i;
	int from, to;

	if (peek(p, '[') && put_named(p, set))
		return 0;
	if (peek(p, '\\') && p->i + 1 < p->n && put_class(set, p->s[p->i + 1])) {
		p->i += 2;
		return 0;
	}
	from = range_end(p);
	to = from;
	if (from >= 0 && peek(p, '-') && p->i + 1 < p->n && p->s[p->i + 1] != ']') {
		p->i++;
		to = range_end(p);
	}
	if (from < 0 || to < 0)
		return -1;
	if (from > to)
		return wrong(p, at, p->i - at, "this range ends before it begins");
	put_range(set, from, to);
	return 0;
}

static void fold(uint64_t *set)
{
	for (int c = 'a'; c <= 'z'; c++) {
		int upper = c - 'a' + 'A';

		if (automaton_has(set, c) || automaton_has(set, upper)) {
			automaton_put(set, c);
			automaton_put(set, upper);
		}
	}
}

/* Behind '['. */
static int parse_brackets(struct parser *p, uint64_t *set)
{
	size_t at = p->i - 1, first;
	bool not = accept(p, '^');

	for (first = p->i; p->i == first || !peek(p, ']');) {
		if (p->i >= p->n)
			return wrong(p, at, 1, "a ']' is missing");
		if (parse_range(p, set))
			return -1;
	}
	p->i++;
	if (p->fold)
		fold(set);
	if (not)
		negate(set);
	return 0;
}

static int put_set(struct parser *p, const uint64_t *set, struct part *ret)
{
	if (single(p, AUTOMATON_BYTES, ret))
		return -1;
	memcpy(p->to->v[ret->in].set, set, sizeof(p->to->v[ret->in].set));
	return 0;
}

/* A character of several bytes: what repeats it repeats all of them. */
static int parse_character(struct parser *p, struct part *ret)
{
	uint64_t set[4] = { 0 };
	struct part next;

	automaton_put(set, (unsigned char)p->s[p->i++]);
	if (put_set(p, set, ret))
		return -1;
	while (p->i < p->n && (p->s[p->i] & 0xc0) == 0x80) {
		memset(set, 0, sizeof(set));
		automaton_put(set, (unsigned char)p->s[p->i++]);
		if (put_set(p, set, &next))
			return -1;
		p->to->v[ret->out].to[0] = next.in;
		ret->out = next.out;
	}
	return 0;
}

static int parse_set(struct parser *p, struct part *ret)
{
	uint64_t set[4] = { 0 };
	int c;

	if (accept(p, '[')) {
		/* What they leave out stays out. */
		if (parse_brackets(p, set))
			return -1;
	} else if (accept(p, '.')) {
		negate(set);
		if (!p->newlines)
			set[0] &= ~(1ULL << '\n');
	} else if (accept(p, '\\')) {
		if (p->i < p->n && put_class(set, p->s[p->i])) {
			p->i++;
		} else {
			c = escaped(p);
			if (c < 0)
				return -1;
			automaton_put(set, c);
			if (p->fold)
				fold(set);
		}
	} else {
		automaton_put(set, (unsigned char)p->s[p->i++]);
		if (p->fold)
			fold(set);
	}
	return put_set(p, set, ret);
}

/* --- parts ---------------------------------------------------------------------------- */

static int parse_group(struct parser *p, struct part *ret)
{
	size_t at = p->i - 1;

	if (p->n - p->i >= 2 && !memcmp(p->s + p->i, "?:", 2))
		p->i += 2;
	else if (peek(p, '?'))
		return wrong(p, at, 2, "of groups with '?' only '(?:' is known, and '(?i)' and '(?s)' at the begin");
	if (++p->depth > DEPTH_MAX)
		return wrong(p, at, 1, "it nests too deeply");
	if (parse_either(p, ret))
		return -1;
	p->depth--;
	return accept(p, ')') ? 0 : wrong(p, at, 1, "a ')' is missing");
}

static int parse_atom(struct parser *p, struct part *ret)
{
	char c = p->s[p->i];

	if (c == '*' || c == '+' || c == '?')
		return wrong(p, p->i, 1, "there is nothing that this could repeat");
	if (accept(p, '('))
		return parse_group(p, ret);
	if (accept(p, '^'))
		return single(p, AUTOMATON_BEGIN, ret);
	if (accept(p, '$'))
		return single(p, AUTOMATON_END, ret);
	return c & 0x80 ? parse_character(p, ret) : parse_set(p, ret);
}

/* The atom that is parsed again at @at, behind @ret. */
static int again(struct parser *p, size_t at, struct part *ret)
{
	size_t behind = p->i;
	struct part copy;
	int err;

	p->i = at;
	err = parse_atom(p, &copy);
	p->i = behind;
	if (err)
		return -1;
	p->to->v[ret->out].to[0] = copy.in;
	ret->out = copy.out;
	return 0;
}

/* Zero or one, and with @loop more. */
static int optional(struct parser *p, bool loop, struct part *ret)
{
	int out = node(p, AUTOMATON_EMPTY, -1, -1);
	int in = out < 0 ? -1 : node(p, AUTOMATON_EMPTY, ret->in, out);

	if (in < 0)
		return -1;
	p->to->v[ret->out].to[0] = loop ? in : out;
	*ret = (struct part){ in, out };
	return 0;
}

/* Behind @ret: the atom at @at, zero or one time, or with @loop more often. */
static int again_optional(struct parser *p, size_t at, bool loop, struct part *ret)
{
	int empty = node(p, AUTOMATON_EMPTY, -1, -1);
	struct part more = { empty, empty };

	if (empty < 0 || again(p, at, &more) || optional(p, loop, &more))
		return -1;
	p->to->v[ret->out].to[0] = more.in;
	ret->out = more.out;
	return 0;
}

/* The digits that come next as a number; -1: no digit comes. */
static int number(struct parser *p)
{
	int n = -1;

	while (p->i < p->n && isdigit((unsigned char)p->s[p->i]) && n <= REPEAT_MAX)
		n = (n < 0 ? 0 : n * 10) + (p->s[p->i++] - '0');
	return n;
}

/* Behind an atom that began at @at, and '{': "m}", "m,}" or "m,n}" */
static int parse_times(struct parser *p, size_t at, struct part *ret)
{
	size_t open = p->i - 1;
	int least = number(p), most = least, empty;
	bool comma = accept(p, ',');

	if (comma)
		most = number(p);
	if (!accept(p, '}') || least < 0 || least > REPEAT_MAX || most > REPEAT_MAX ||
	    (most >= 0 && most < least))
		return wrong(p, open, 1, "repetitions are '{m}', '{m,}' or '{m,n}', up to 100");
	if (!least) {
		/* The atom that is there is left aside. */
		empty = node(p, AUTOMATON_EMPTY, -1, -1);
		if (empty < 0)
			return -1;
		*ret = (struct part){ empty, empty };
	}
	for (int i = 1; i < least; i++)
		if (again(p, at, ret))
			return -1;
	if (comma && most < 0)
		return again_optional(p, at, true, ret);
	for (int i = least; i < most; i++)
		if (again_optional(p, at, false, ret))
			return -1;
	return 0;
}

static int parse_repeated(struct parser *p, struct part *ret)
{
	size_t at = p->i;
	int err = parse_atom(p, ret);

	if (!err && peek(p, '{') && p->i + 1 < p->n && isdigit((unsigned char)p->s[p->i + 1])) {
		p->i++;
		err = parse_times(p, at, ret);
	}
	/* "a*?" prefers a shorter match: it is the same question. */
	while (!err && (peek(p, '*') || peek(p, '+') || peek(p, '?'))) {
		char c = p->s[p->i++];
		struct part once = *ret;

		err = optional(p, c != '?', ret);
		if (c == '+' && !err)
			ret->in = once.in;
	}
	return err;
}

static int parse_row(struct parser *p, struct part *ret)
{
	int empty = node(p, AUTOMATON_EMPTY, -1, -1);

	if (empty < 0)
		return -1;
	*ret = (struct part){ empty, empty };
	while (p->i < p->n && !peek(p, '|') && !peek(p, ')')) {
		struct part next;

		if (parse_repeated(p, &next))
			return -1;
		p->to->v[ret->out].to[0] = next.in;
		ret->out = next.out;
	}
	return 0;
}

static int parse_either(struct parser *p, struct part *ret)
{
	if (parse_row(p, ret))
		return -1;
	while (accept(p, '|')) {
		int out = node(p, AUTOMATON_EMPTY, -1, -1), in;
		struct part other;

		if (out < 0 || parse_row(p, &other))
			return -1;
		in = node(p, AUTOMATON_EMPTY, ret->in, other.in);
		if (in < 0)
			return -1;
		p->to->v[ret->out].to[0] = out;
		p->to->v[other.out].to[0] = out;
		*ret = (struct part){ in, out };
	}
	return 0;
}

static int parse_literal(struct parser *p, struct part *ret)
{
	int empty = node(p, AUTOMATON_EMPTY, -1, -1);

	if (empty < 0)
		return -1;
	*ret = (struct part){ empty, empty };
	while (p->i < p->n) {
		struct part next;

		if (single(p, AUTOMATON_BYTES, &next))
			return -1;
		automaton_put(p->to->v[next.in].set, (unsigned char)p->s[p->i++]);
		p->to->v[ret->out].to[0] = next.in;
		ret->out = next.out;
	}
	return 0;
}

static void parse_flags(struct parser *p)
{
	while (p->n - p->i >= 4 && !memcmp(p->s + p->i, "(?", 2) && p->s[p->i + 3] == ')' &&
	       (p->s[p->i + 2] == 'i' || p->s[p->i + 2] == 's')) {
		p->fold |= p->s[p->i + 2] == 'i';
		p->newlines |= p->s[p->i + 2] == 's';
		p->i += 4;
	}
}

int automaton_parse(struct arena *mem, const char *regex, size_t n, bool literal,
		    struct automaton_nodes *ret, struct automaton_error *err)
{
	struct parser p = { .s = regex, .n = n, .to = ret, .err = err };
	struct part all;
	int accepts;

	*ret = (struct automaton_nodes){ .v = arena_array(mem, AUTOMATON_NODES_MAX,
							  sizeof(*ret->v)) };
	if (!ret->v)
		return wrong(&p, 0, n, "out of memory");
	if (!literal)
		parse_flags(&p);
	if (literal ? parse_literal(&p, &all) : parse_either(&p, &all))
		return -1;
	if (p.i < n)
		return wrong(&p, p.i, 1, "a '(' is missing before this");
	accepts = node(&p, AUTOMATON_ACCEPT, -1, -1);
	if (accepts < 0)
		return -1;
	ret->v[all.out].to[0] = accepts;
	ret->first = all.in;
	return 0;
}
