// SPDX-License-Identifier: GPL-2.0
/* The order of functions that a search by words finds. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gotype/shown_name.h"
#include "plan/search.h"

/* The most words that are ranked: their sum stays below SEARCH_NO_MATCH. */
#define WORDS_MAX 1000U

static const char proc[] = "runtime/proc.go";

static bool begins(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

void search_layout_init(struct search_layout *l, const struct gofunc *f, size_t n)
{
	*l = (struct search_layout){ .goroot = "", .own = "" };
	for (size_t i = 0; i < n; i++) {
		size_t len = f[i].file ? strlen(f[i].file) : 0;

		if (!len)
			continue;
		if (strcmp(f[i].name, "main.main") == 0) {
			l->own = f[i].file;
			l->own_len = strcspn(f[i].file, "/");
		} else if (strcmp(f[i].name, "runtime.main") == 0 && len >= sizeof(proc) - 1 &&
			   strcmp(f[i].file + len - (sizeof(proc) - 1), proc) == 0) {
			l->goroot = f[i].file;
			l->goroot_len = len - (sizeof(proc) - 1);
		}
	}
}

/* With -trimpath, the standard library's paths begin with an element without a dot. */
static bool is_std(const struct search_layout *l, const char *file)
{
	size_t element = strcspn(file, "/");

	if (l->goroot_len)
		return strncmp(file, l->goroot, l->goroot_len) == 0;
	return file[0] != '/' && !memchr(file, '.', element) &&
	       !(element == l->own_len && strncmp(file, l->own, element) == 0);
}

/* Of code that the compiler made, the package says less: "reflect", "x.org/y". */
static enum search_owner owner_by_name(const char *name)
{
	size_t element = strcspn(name, "/");

	return name[element] && memchr(name, '.', element) ? SEARCH_DEPENDENCY : SEARCH_STD;
}

enum search_owner search_owner(const struct search_layout *l, const struct gofunc *fn)
{
	const char *file = fn->file ? fn->file : "";

	if (begins(fn->name, "main."))
		return SEARCH_OWN;
	if (begins(fn->name, "runtime.") || begins(fn->name, "runtime/") ||
	    begins(fn->name, "internal/runtime/"))
		return SEARCH_RUNTIME;
	if (!file[0] || file[0] == '<')
		return owner_by_name(fn->name);
	if (is_std(l, file))
		return SEARCH_STD;
	return strchr(file, '@') || strstr(file, "/vendor/") ? SEARCH_DEPENDENCY : SEARCH_OWN;
}

static const char *after_last(const char *name, char c)
{
	const char *at = strrchr(name, c);

	return at ? at + 1 : name;
}

/* "Add" of "(*Cart).Add", "HTTP" of "serveHTTP": a part begins at @at. */
static bool part_begins(const char *name, const char *at)
{
	return at == name || !isalnum((unsigned char)at[-1]) ||
	       (isupper((unsigned char)*at) && !isupper((unsigned char)at[-1]));
}

static bool has_letters(const char *name, const char *word)
{
	for (; *name && *word; name++)
		word += tolower((unsigned char)*name) == tolower((unsigned char)*word);
	return !*word;
}

static unsigned int rank_name(const char *name, const char *file, const char *word)
{
	const char *const names[] = { name, after_last(name, '/'), after_last(name, '.') };
	size_t n = strlen(word), i;
	const char *at;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcasecmp(names[i], word) == 0)
			return 0;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncasecmp(names[i], word, n) == 0)
			return 1;
	at = strcasestr(name, word);
	if (at) {
		for (const char *s = at; s; s = strcasestr(s + 1, word))
			if (part_begins(name, s))
				return 2;
		return 3;
	}
	if (file && strcasestr(file, word))
		return 4;
	return has_letters(names[1], word) ? SEARCH_SCATTERED : SEARCH_NO_MATCH;
}

static unsigned int rank_word(const struct gofunc *fn, const char *word)
{
	unsigned int rank = rank_name(fn->name, fn->file, word), shown;
	/* "caddy.load" is in no path. */
	char *brief = rank >= SEARCH_SCATTERED && strchr(word, '.') ?
		      shown_name_short(fn->name) : NULL;

	shown = brief ? rank_name(brief, NULL, word) : rank;
	free(brief);
	return shown < SEARCH_SCATTERED ? shown : rank;
}

unsigned int search_rank(const struct gofunc *fn, char *const *words, size_t n)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < n && i < WORDS_MAX; i++) {
		unsigned int rank = words[i][0] ? rank_word(fn, words[i]) : SEARCH_NO_MATCH;

		if (rank == SEARCH_NO_MATCH)
			return SEARCH_NO_MATCH;
		sum += rank;
	}
	return sum;
}
