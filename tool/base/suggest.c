// SPDX-License-Identifier: GPL-2.0
/*
 * Names that a mistyped one may have meant: equal but for case, the same last
 * part, or a few edits away.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

#define LONGEST 200

void suggest_init(struct suggest *near, const char *wanted)
{
	memset(near, 0, sizeof(*near));
	near->wanted = wanted;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edits (insert, drop, change, swap of neighbours) from @a to @b, case apart;
 * anything above @most is as good as @most + 1.
 */
static size_t distance(const char *a, const char *b, size_t most)
{
	size_t na = strlen(a), nb = strlen(b);
	size_t rows[3][LONGEST + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	if (na > LONGEST || nb > LONGEST || (na > nb ? na - nb : nb - na) > most)
		return most + 1;
	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		int ca = tolower((unsigned char)a[i - 1]);
		size_t best;

		row[0] = i;
		best = i;
		for (size_t j = 1; j <= nb; j++) {
			int cb = tolower((unsigned char)b[j - 1]);

			row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
			best = least(best, row[j]);
		}
		if (best > most)
			return most + 1;

		size_t *oldest = before;

		before = last;
		last = row;
		row = oldest;
	}
	return last[nb];
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

static const char *after_path(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* "shop.Cart.Add" for "shop.(*Cart).Add" */
static bool same_method(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "(*)");
		b += strspn(b, "(*)");
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return false;
		if (!*a)
			return true;
	}
}

/* "main.handle" for "main.(*Server).handle", "shop.Add" for "my.org/shop.Cart.Add" */
static bool same_package_and_last(const char *wanted, const char *name)
{
	const char *path = after_path(name), *dot = strchr(path, '.');
	const char *last = strrchr(wanted, '.');
	size_t n = last ? (size_t)(last - wanted) : 0;

	if (!dot || !n || strcasecmp(last + 1, last_part(name)) != 0)
		return false;
	return ((size_t)(dot - name) == n && !strncasecmp(wanted, name, n)) ||
	       ((size_t)(dot - path) == n && !strncasecmp(wanted, path, n));
}

/* "my.org/app.run": the linker calls the package of a program main, whatever its path is. */
static bool is_of_main(const char *wanted, const char *name)
{
	const char *tail = after_path(wanted), *dot = strchr(tail, '.');

	return dot && !strncmp(name, "main.", 5) && same_method(dot + 1, name + 5);
}

/* How far off @name is; SIZE_MAX: too far to be meant. */
static size_t score(const char *wanted, const char *name)
{
	/* A third of what names the function itself may be wrong. */
	size_t most = least((strlen(last_part(wanted)) + 1) / 3, 4);
	const char *tail = after_path(name), *dot = strchr(tail, '.');
	size_t d;

	if (strcasecmp(wanted, name) == 0)
		return 0;
	/* "foo" for "main.foo": people leave the package out */
	if (strcasecmp(wanted, last_part(name)) == 0)
		return strncmp(name, "main.", 5) == 0 ? 1 : 2;
	if (strcasecmp(wanted, tail) == 0 || same_method(wanted, name) ||
	    (dot && strchr(wanted, '.') && same_method(wanted, dot + 1)) ||
	    same_package_and_last(wanted, name))
		return 1;
	if (is_of_main(wanted, name))
		return 2;
	d = distance(wanted, name, most);
	if (d > most && tail != name)
		d = distance(wanted, tail, most);
	if (d <= most)
		return 2 + d;
	/* Without its package more names come near: be stricter. */
	most = least(strlen(wanted) / 3, 4);
	d = distance(wanted, last_part(name), most);
	return d <= most ? 4 + d : SIZE_MAX;
}

void suggest_offer(struct suggest *near, const char *name)
{
	size_t s = score(near->wanted, name), i = near->n;

	if (s == SIZE_MAX || (near->n == SUGGEST_MAX && s >= near->score[SUGGEST_MAX - 1]))
		return;
	for (size_t k = 0; k < near->n; k++)
		if (strcmp(near->name[k], name) == 0)
			return;
	if (near->n < SUGGEST_MAX)
		near->n++;
	else
		i--;
	for (; i && s < near->score[i - 1]; i--) {
		near->score[i] = near->score[i - 1];
		near->name[i] = near->name[i - 1];
	}
	near->score[i] = s;
	near->name[i] = name;
}

char *suggest_hint(const struct suggest *near)
{
	const char *const *n = near->name;
	char *s = NULL;
	int err = -1;

	if (near->n == 1)
		err = asprintf(&s, "did you mean '%s'?", n[0]);
	else if (near->n == 2)
		err = asprintf(&s, "did you mean '%s' or '%s'?", n[0], n[1]);
	else if (near->n >= 3)
		err = asprintf(&s, "did you mean '%s', '%s' or '%s'?", n[0], n[1], n[2]);
	return err < 0 ? NULL : s;
}

bool suggest_set_hint(const struct suggest *near, struct diag *d)
{
	char *hint = suggest_hint(near);
	bool any = hint;

	if (hint)
		diag_hint(d, "%s", hint);
	free(hint);
	return any;
}
