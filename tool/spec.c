// SPDX-License-Identifier: GPL-2.0
/* Probe specs: parsing, with errors that point into the text; matching. */
#include <stdlib.h>
#include <string.h>

#include "spec.h"

static int wrong(struct diag *d, const char *text, size_t at, size_t len, const char *sentence)
{
	diag_set(d, "%s", sentence);
	diag_span(d, text, at, len);
	return -1;
}

static int parse_regex(const char *text, struct spec *s, struct diag *d)
{
	size_t len = strlen(text);

	if (len < 2 || text[len - 1] != '/')
		return wrong(d, text, len, 0, "a regular expression ends with '/'");
	if (len == 2)
		return wrong(d, text, 0, 2, "an empty regular expression matches nothing useful");
	s->kind = SPEC_REGEX;
	s->pattern = strndup(text + 1, len - 2);
	if (!s->pattern)
		return diag_set(d, "out of memory");

	int err = regcomp(&s->regex, s->pattern, REG_EXTENDED | REG_NOSUB);

	if (!err)
		return 0;

	char why[128];

	regerror(err, &s->regex, why, sizeof(why));
	free(s->pattern);
	diag_set(d, "bad regular expression: %s", why);
	diag_span(d, text, 1, len - 2);
	return -1;
}

static bool is_star(const char *pattern, size_t i)
{
	return pattern[i] == '*' && !(i && pattern[i - 1] == '(');
}

/* Where the text of a name stops: at a list of arguments, which has no dot before it. */
static const char *argument_list(const char *text)
{
	size_t len = strlen(text), depth = 0;

	if (!len || text[len - 1] != ')')
		return NULL;
	for (size_t i = len; i--;) {
		depth += text[i] == ')';
		depth -= text[i] == '(';
		if (!depth)
			return i && text[i - 1] != '.' ? text + i : NULL;
	}
	return NULL;
}

static int parse_name(const char *text, struct spec *s, struct diag *d)
{
	size_t len = strlen(text);
	size_t space = strcspn(text, " \t\n");
	const char *args = argument_list(text);

	if (!len)
		return wrong(d, text, 0, 0, "a pattern is empty");
	if (args) {
		wrong(d, text, args - text, len - (args - text),
		      "a pattern names functions, without arguments");
		diag_hint(d, "write '%.*s': all arguments are shown", (int)(args - text), text);
		return -1;
	}
	if (space < len && !strchr(text, '['))
		return wrong(d, text, space, 1, "a function's name has no blanks");
	s->kind = SPEC_NAME;
	for (size_t i = 0; i < len; i++)
		if (is_star(text, i) || text[i] == '?')
			s->kind = SPEC_GLOB;
	s->pattern = strdup(text);
	return s->pattern ? 0 : diag_set(d, "out of memory");
}

int spec_parse(const char *text, struct spec *ret, struct diag *d)
{
	struct spec s = { 0 };

	if (text[0] == '/' ? parse_regex(text, &s, d) : parse_name(text, &s, d))
		return -1;
	s.text = strdup(text);
	*ret = s;
	if (s.text)
		return 0;
	spec_fini(ret);
	return diag_set(d, "out of memory");
}

void spec_fini(struct spec *s)
{
	if (s->kind == SPEC_REGEX && s->pattern)
		regfree(&s->regex);
	free(s->pattern);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

/* One star remembered is enough: a later one can always take over. */
static bool glob(const char *pattern, const char *name)
{
	size_t p = 0, n = 0, star_p = 0, star_n = 0;
	bool star = false;

	while (name[n]) {
		if (is_star(pattern, p)) {
			star = true;
			star_p = ++p;
			star_n = n;
		} else if (pattern[p] && (pattern[p] == '?' || pattern[p] == name[n])) {
			p++;
			n++;
		} else if (star) {
			p = star_p;
			n = ++star_n;
		} else {
			return false;
		}
	}
	while (is_star(pattern, p))
		p++;
	return !pattern[p];
}

static bool match(const struct spec *s, const char *name)
{
	switch (s->kind) {
	case SPEC_NAME:
		return strcmp(s->pattern, name) == 0;
	case SPEC_GLOB:
		return glob(s->pattern, name);
	case SPEC_REGEX:
		return regexec(&s->regex, name, 0, NULL, 0) == 0;
	}
	return false;
}

/* "main.(*List[go.shape.int]).Push" to "main.(*List).Push" */
static bool without_type_arguments(const char *name, char *to, size_t room)
{
	size_t depth = 0, n = 0;

	for (; *name; name++) {
		depth += *name == '[';
		if (!depth) {
			if (n + 1 >= room)
				return false;
			to[n++] = *name;
		}
		if (*name == ']' && depth)
			depth--;
	}
	to[n] = 0;
	return true;
}

bool spec_match(const struct spec *s, const char *name)
{
	char plain[1024];

	if (match(s, name))
		return true;
	return strchr(name, '[') && (s->kind == SPEC_REGEX || !strchr(s->pattern, '[')) &&
	       without_type_arguments(name, plain, sizeof(plain)) && match(s, plain);
}
