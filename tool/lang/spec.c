// SPDX-License-Identifier: GPL-2.0
/* The parser of probe specs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gotype/funcname.h"
#include "lang/regex.h"
#include "lang/spec.h"

static int wrong(struct diag *d, const char *text, size_t at, size_t len, const char *message)
{
	diag_set(d, "%s", message);
	diag_span(d, text, at, len);
	return -1;
}

/* --- where the pattern ends ------------------------------------------- */

/* Is the word "if" at @at, and not only the beginning of a name? */
static bool is_if(const char *text, size_t at)
{
	char after;

	if (strncmp(text + at, "if", 2) != 0)
		return false;
	after = text[at + 2];
	return !after || strchr(" \t\n(!-^+*\"'`", after);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Does a condition or an edit begin at @at? */
static bool is_clause(const char *text, size_t at)
{
	static const char *const words[] = { "set", "delay", "on" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i]);

		if (!strncmp(text + at, words[i], n) && is_blank(text[at + n]))
			return true;
	}
	return is_if(text, at);
}

/* Is the text from @at on one or two lists, with or without conditions and edits? */
static bool is_lists(const char *text, size_t at)
{
	for (int n = 0; n < 2 && text[at] == '('; n++) {
		at = lex_close(text, at);
		if (!at)
			return false;
		at++;
		at += strspn(text + at, " ");
	}
	return !text[at] || text[at] == ':' || is_clause(text, at);
}

/*
 * The slash that ends a regular expression, which can have slashes and "/(" inside; 0: no slash
 * ends it.
 */
static size_t regex_end(const char *text)
{
	size_t len = strlen(text), last = 0;

	if (len > 1 && text[len - 1] == '/')
		return len - 1;
	for (size_t i = 1; i < len; i++) {
		size_t next = i + 1 + strspn(text + i + 1, " ");

		/* A condition can have any text. */
		if (last && is_blank(text[i]) && is_clause(text, i + 1))
			return last;
		if (text[i] != '/')
			continue;
		if (next > i + 1 && is_clause(text, next))
			return i;
		if (text[next] != '(')
			continue;
		if (is_lists(text, next))
			return i;
		last = i;
	}
	return last;
}

/* The '(' or the word behind the name; without either the end of the text. */
static size_t name_end(const char *text)
{
	size_t brackets = 0, i;

	for (i = 0; text[i]; i++) {
		brackets += text[i] == '[';
		if (text[i] == ']' && brackets)
			brackets--;
		if (brackets)
			continue;
		if (i && is_blank(text[i]) && is_clause(text, i + 1))
			break;
		if (text[i] != '(')
			continue;

		size_t close = lex_close(text, i);

		if (close && text[close + 1] == '.')
			i = close;	/* shop.(*Cart).Add */
		else if (!i || text[i - 1] != '.')
			break;
	}
	return i;
}

static int parse_regex(const char *text, struct spec *s, size_t *end, struct diag *d)
{
	size_t slash = regex_end(text);

	if (!slash)
		return wrong(d, text, strlen(text), 0, "a regular expression ends with '/'");
	if (slash == 1)
		return wrong(d, text, 0, 2, "an empty regular expression matches nothing useful");
	*end = slash + 1;
	s->end = *end;
	s->kind = SPEC_REGEX;
	s->pattern = strndup(text + 1, slash - 1);
	if (!s->pattern)
		return diag_set(d, "out of memory");

	s->regex = regex_compile(text, 1, slash - 1, d);
	return s->regex ? 0 : -1;
}

/* --- places ------------------------------------------------------------ */

/* The @mark before the number that ends the @len bytes at @text; 0: there is no such number. */
static size_t find_number(const char *text, size_t len, char mark, bool hex, uint64_t *ret)
{
	char digits[32];
	size_t at = len;
	char *end;

	while (at && text[at - 1] != mark)
		at--;
	if (at < 2 || len == at || len - at >= sizeof(digits) ||
	    text[at] < '0' || text[at] > '9')
		return 0;
	memcpy(digits, text + at, len - at);
	digits[len - at] = 0;
	errno = 0;
	*ret = strtoull(digits, &end, hex && !strncmp(digits, "0x", 2) ? 16 : 10);
	return *end || errno ? 0 : at - 1;
}

/* Is the name of @len bytes a place? *@name: how many of them name the file or function. */
static bool find_place(const char *text, size_t len, struct spec *s, size_t *name)
{
	*name = find_number(text, len, ':', false, &s->number);
	if (*name && s->number && s->number <= INT32_MAX) {
		s->kind = SPEC_LINE;
		return true;
	}
	*name = find_number(text, len, '+', true, &s->number);
	if (*name) {
		s->kind = SPEC_OFFSET;
		return true;
	}
	if (strncmp(text, "*0x", 3) != 0)
		return false;

	char *end;

	s->number = strtoull(text + 1, &end, 16);
	*name = 0;
	s->kind = SPEC_ADDRESS;
	return end == text + len && len > 3;
}

/* The first ',' outside of brackets; @len: there is no such ','. */
static size_t top_level_comma(const char *text, size_t len)
{
	size_t depth = 0, i;

	for (i = 0; i < len && (text[i] != ',' || depth); i++)
		depth += text[i] == '[' ? 1 : text[i] == ']' && depth ? -1 : 0;
	return i;
}

/* Remove "[...]", which tracebacks write for any instance: "main.(*Stack[...]).Push". */
static void any_instance(char *pattern)
{
	static const char any[] = "[...]";
	char *at;

	while ((at = strstr(pattern, any)))
		memmove(at, at + sizeof(any) - 1, strlen(at + sizeof(any) - 1) + 1);
}

/*
 * The end of what a traceback writes for arguments, if that begins at @at and nothing follows:
 * "(...)", "(0xc000012345, {0x4a, 0x3})", "({})". Else @at.
 */
static size_t skip_traceback(const char *text, size_t at)
{
	size_t close = text[at] == '(' ? lex_close(text, at) : 0;
	const char *first;

	if (!close || text[close + 1])
		return at;
	first = text + at + 1 + strspn(text + at + 1, "{");
	/* "(...int)" is a variadic parameter. */
	if (!strncmp(first, "...", 3) && strchr("),}", first[3]))
		return close + 1;
	return !strncmp(first, "0x", 2) || (text[at + 1] == '{' && *first == '}') ? close + 1 : at;
}

/* The length of the @len bytes at @text without " in goroutine 7", if that ends them. */
static size_t without_goroutine(const char *text, size_t len)
{
	static const char words[] = " in goroutine ";
	size_t n = len;

	while (n && text[n - 1] >= '0' && text[n - 1] <= '9')
		n--;
	if (n == len || n < sizeof(words) || strncmp(text + n - (sizeof(words) - 1), words,
						     sizeof(words) - 1) != 0)
		return len;
	return n - (sizeof(words) - 1);
}

/* Hint at the probable meaning of a word behind the pattern. */
static void hint_at_word(struct diag *d, const char *text, size_t space, size_t len)
{
	static const char *const words[] = { "where", "when", "and", "unless" };
	const char *word = text + space + strspn(text + space, " \t\n");
	size_t n = strcspn(word, " \t\n("), i = 0;

	while (i < sizeof(words) / sizeof(*words) &&
	       (strlen(words[i]) != n || strncmp(word, words[i], n) != 0))
		i++;
	if (i < sizeof(words) / sizeof(*words))
		diag_hint(d, "a condition begins with 'if': '%.*s if %s'", (int)space, text,
			  word + n + strspn(word + n, " \t\n"));
	else if ((size_t)(word - text) < len)
		diag_hint(d, "each pattern is an argument of its own");
}

static int parse_name(const char *text, struct spec *s, size_t *end, struct diag *d)
{
	size_t len = name_end(text), name, comma;

	*end = skip_traceback(text, len);
	len = without_goroutine(text, len);
	while (len && text[len - 1] == ' ')
		len--;
	s->end = len;
	if (find_place(text, len, s, &name)) {
		s->pattern = strndup(text, name);
		return s->pattern ? 0 : diag_set(d, "out of memory");
	}
	comma = top_level_comma(text, len);

	size_t space = strcspn(text, " \t\n");

	if (!len)
		return wrong(d, text, 0, 0, "a pattern is empty");
	if (comma < len) {
		wrong(d, text, comma, 1, "a function's name has no comma");
		diag_hint(d, "patterns are separated by spaces: '%.*s' '%s'", (int)comma, text,
			  text + comma + 1 + strspn(text + comma + 1, " "));
		return -1;
	}
	if (space < len && !memchr(text, '[', len)) {
		wrong(d, text, space, 1, "a function's name has no blanks");
		hint_at_word(d, text, space, len);
		return -1;
	}
	s->kind = SPEC_NAME;
	for (size_t i = 0; i < len; i++)
		if (spec_is_star(text, i) || text[i] == '?')
			s->kind = SPEC_GLOB;
	s->pattern = strndup(text, len);
	if (!s->pattern)
		return diag_set(d, "out of memory");
	any_instance(s->pattern);
	return 0;
}

/* Also who has started a goroutine, as tracebacks have it: "created by main.f in goroutine 7". */
static int parse_created(const char *text, struct spec *s, size_t *end, struct diag *d)
{
	static const char created[] = "created by ";
	size_t n = strncmp(text, created, sizeof(created) - 1) ? 0 : sizeof(created) - 1;

	if (parse_name(text + n, s, end, d))
		return -1;
	*end += n;
	/* The goroutine is no list. */
	s->end = n ? *end : s->end;
	return 0;
}

/* --- lists, signatures and clauses ------------------------------------- */

/* Is a signature next? See typexpr_is_params(). */
static bool is_sig(const struct lex *lx)
{
	const struct lex_token *next;
	struct lex results = *lx;
	size_t first, second;

	if (typexpr_is_params(lx, &first))
		return true;
	next = lex_peek(lx, first);
	if (lex_is(next, ':'))
		return true;
	if (typexpr_is_clause(lx, first))
		return false;
	if (!lex_is(next, '('))
		return typexpr_begins(next);
	results.i += first;
	return typexpr_is_params(&results, &second);
}

static int parse_sig(struct lex *lx, struct spec *s, struct diag *d)
{
	struct typexpr_sig *sig = arena_alloc(&s->mem, sizeof(*sig));

	if (!sig)
		return diag_set(d, "out of memory");
	s->sig = sig;
	return typexpr_parse_sig(lx, sig, d);
}

static int parse_lists(struct lex *lx, struct spec *s, struct diag *d)
{
	for (int side = 0; side < 2 && (!side || lex_is(lex_peek(lx, 0), '(')); side++) {
		struct expr_list *list = arena_alloc(&s->mem, sizeof(*list));

		if (!list)
			return diag_set(d, "out of memory");
		if (expr_parse_list(lx, list, d))
			return -1;
		*(side ? &s->ret : &s->call) = list;
	}
	return 0;
}

/* "if" and a condition. */
static int parse_if(struct lex *lx, struct spec *s, struct diag *d)
{
	const struct lex_token *t = lex_next(lx);

	if (s->cond)
		return lex_wrong(lx, t, d, "there is a condition already: '&&' joins two");
	if (lex_peek(lx, 0)->kind == LEX_END)
		return lex_wrong(lx, lex_peek(lx, 0), d, "a condition is missing after 'if'");
	return expr_parse(lx, &s->cond, d);
}

/* A place has one list: it does not return. */
static int parse_place_list(struct lex *lx, struct spec *s, struct diag *d)
{
	struct expr_list *list = arena_alloc(&s->mem, sizeof(*list));
	const struct lex_token *t;

	if (!list)
		return diag_set(d, "out of memory");
	if (expr_parse_list(lx, list, d))
		return -1;
	s->call = list;
	t = lex_peek(lx, 0);
	if (lex_is(t, '('))
		return lex_wrong(lx, t, d, "a place in the code has one list: it does not return");
	return 0;
}

/* Conditions and edits, in any order. */
static int parse_clauses(struct lex *lx, struct spec *s, struct diag *d)
{
	while (typexpr_is_clause(lx, 0))
		if (lex_is_name(lex_peek(lx, 0), "if") ? parse_if(lx, s, d) :
		    edit_parse_parse(lx, s->edit, d))
			return -1;
	return 0;
}

static int parse_values(struct lex *lx, struct spec *s, struct diag *d)
{
	if (!lex_is(lex_peek(lx, 0), '('))
		return 0;
	if (spec_is_place(s))
		return parse_place_list(lx, s, d);
	if (!is_sig(lx))
		return parse_lists(lx, s, d);
	if (parse_sig(lx, s, d))
		return -1;
	return lex_accept(lx, ':') ? parse_lists(lx, s, d) : 0;
}

static int wrong_clause(const struct lex *lx, struct diag *d)
{
	const struct lex_token *t = lex_peek(lx, 0);

	if (lex_is_name(t, "on"))
		return lex_wrong(lx, t, d, "'on return' is what 'on' can begin");
	if (lex_is_name(t, "delay"))
		return lex_wrong(lx, t, d, "a delay is a time: 'delay 50ms'");
	if (lex_is_name(t, "set"))
		return lex_wrong(lx, t, d, "what is to be set is missing: 'set x = 5'");
	return lex_wrong(lx, t, d, "only '(', 'if', 'set', 'delay' or 'on return' can follow a pattern");
}

static int parse_rest(const char *text, size_t from, struct spec *s, struct diag *d)
{
	const struct lex_token *t;
	struct lex lx;

	if (lex_scan(&lx, &s->mem, text, from, d))
		return -1;
	t = lex_peek(&lx, 0);
	if (t->kind != LEX_END && !lex_is(t, '(') && !typexpr_is_clause(&lx, 0))
		return wrong_clause(&lx, d);
	if (parse_values(&lx, s, d) || parse_clauses(&lx, s, d))
		return -1;
	/* A variable has a known place there, but a change of it may have no effect. */
	if (spec_is_place(s) && spec_edits(s))
		return spec_no_place(s, "only calls and returns can be changed, not a place in the code",
				     d);
	t = lex_peek(&lx, 0);
	if (t->kind == LEX_END)
		return 0;
	if (lex_is_name(t, "on") || lex_is_name(t, "delay") || lex_is_name(t, "set"))
		return wrong_clause(&lx, d);
	lex_wrong(&lx, t, d, "nothing can follow here");
	if (s->sig && !s->cond && lex_is(t, '('))
		diag_hint(d, "what is to be shown follows a signature after ':'");
	return -1;
}

int spec_parse(const char *text, struct spec *ret, struct diag *d)
{
	size_t end = 0;
	int err;

	*ret = (struct spec){ .text = strdup(text) };
	if (!ret->text)
		return diag_set(d, "out of memory");
	err = text[0] == '/' ? parse_regex(ret->text, ret, &end, d) :
			       parse_created(ret->text, ret, &end, d);
	if (!err)
		err = parse_rest(ret->text, end, ret, d);
	if (err)
		spec_fini(ret);
	return err;
}

/* The end of the pattern. */
static size_t pattern_end(const struct spec *s)
{
	return s->kind == SPEC_REGEX ? strlen(s->pattern) + 2 : name_end(s->text);
}

static int only_a_pattern(struct spec *s, const char *message, struct diag *d)
{
	size_t end = pattern_end(s);

	wrong(d, s->text, end, strlen(s->text) - end, message);
	diag_hint(d, "write '%.*s'", (int)end, s->text);
	spec_fini(s);
	return -1;
}

int spec_no_place(const struct spec *s, const char *message, struct diag *d)
{
	wrong(d, s->text, 0, s->end, message);
	return -1;
}

static const char no_edits[] = "nothing is changed here: that is for 'goprobectl attach'";

int spec_parse_pattern(const char *text, struct spec *ret, struct diag *d)
{
	static const char no_place[] = "functions are wanted here, not a place in their code";

	if (spec_parse_place(text, ret, d))
		return -1;
	if (!spec_is_place(ret))
		return 0;
	spec_no_place(ret, no_place, d);
	spec_fini(ret);
	return -1;
}

int spec_parse_place(const char *text, struct spec *ret, struct diag *d)
{
	if (spec_parse(text, ret, d))
		return -1;
	if (spec_edits(ret))
		return only_a_pattern(ret, no_edits, d);
	if (ret->cond && !ret->sig && !ret->call)
		return only_a_pattern(ret, "there are no calls here that 'if' could choose from",
				      d);
	if (ret->sig || ret->call)
		return only_a_pattern(ret, "a pattern names functions here, nothing of them", d);
	return 0;
}

static int parse_no_lists(const char *text, bool sig, struct spec *ret, struct diag *d)
{
	if (spec_parse(text, ret, d))
		return -1;
	if (spec_edits(ret))
		return only_a_pattern(ret, no_edits, d);
	if (ret->call && ret->cond)
		return only_a_pattern(ret, "nothing of calls is shown here: only 'if' can follow",
				      d);
	if (ret->call || (ret->sig && !ret->cond && !sig))
		return only_a_pattern(ret, "a pattern names functions here, nothing of them", d);
	return 0;
}

int spec_parse_condition(const char *text, struct spec *ret, struct diag *d)
{
	return parse_no_lists(text, false, ret, d);
}

int spec_parse_signature(const char *text, struct spec *ret, struct diag *d)
{
	return parse_no_lists(text, true, ret, d);
}

void spec_fini(struct spec *s)
{
	if (s->regex)
		regfree(s->regex);
	free(s->regex);
	free(s->pattern);
	free(s->text);
	arena_fini(&s->mem);
	memset(s, 0, sizeof(*s));
}

/* Only the last star needs backtracking. */
