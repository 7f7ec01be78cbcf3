// SPDX-License-Identifier: GPL-2.0
/* The matching of names with the patterns of probe specs. */
#include <string.h>

#include "gotype/funcname.h"
#include "gotype/shown_name.h"
#include "lang/spec.h"

bool spec_is_star(const char *pattern, size_t i)
{
	return pattern[i] == '*' && !(i && pattern[i - 1] == '(');
}

size_t spec_package_len(const char *pattern)
{
	size_t wild = strcspn(pattern, "*?[("), at = 0;

	/* It ends at the first dot behind its path. */
	for (size_t i = 0; i < wild; i++)
		at = pattern[i] == '/' ? i + 1 : at;
	at += strcspn(pattern + at, ".");
	return at < wild ? at : 0;
}

bool spec_glob(const char *pattern, const char *name)
{
	size_t p = 0, n = 0, star_p = 0, star_n = 0;
	bool star = false;

	while (name[n]) {
		if (spec_is_star(pattern, p)) {
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
	while (spec_is_star(pattern, p))
		p++;
	return !pattern[p];
}

static bool match(const struct spec *s, const char *name)
{
	switch (s->kind) {
	case SPEC_NAME:
		return strcmp(s->pattern, name) == 0;
	case SPEC_GLOB:
		return spec_glob(s->pattern, name);
	case SPEC_REGEX:
		return regexec(s->regex, name, 0, NULL, 0) == 0;
	default:
		return false;
	}
}

static bool match_called(const void *ctx, const char *called)
{
	return match(ctx, called);
}

/* Is the function of @s->package, and called so, also without the brackets of its receiver? */
static bool match_local(const struct spec *s, const char *name)
{
	char written[1024], loose[sizeof(written)];
	size_t n = strlen(s->package);

	if (!funcname_written(name, true, written, sizeof(written)) ||
	    strncmp(written, s->package, n) != 0 || written[n] != '.')
		return false;
	return spec_glob(s->pattern, written) ||
	       (funcname_loose(written + n + 1, loose, sizeof(loose)) &&
		spec_glob(s->pattern + n + 1, loose));
}

bool spec_match(const struct spec *s, const char *name)
{
	char written[1024];

	if (s->package)
		return match_local(s, name);
	if (match(s, name) || (s->shown && shown_name_any(name, match_called, s)))
		return true;
	if (spec_is_place(s) || (s->kind != SPEC_REGEX && strchr(s->pattern, '[')))
		return false;
	for (int path = 0; path < 2; path++)
		if (strchr(name, path ? '%' : '[') &&
		    funcname_written(name, path, written, sizeof(written)) && match(s, written))
			return true;
	return false;
}
