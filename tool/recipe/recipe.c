// SPDX-License-Identifier: GPL-2.0
/*
 * The reader of recipes. A line is a comment, or a command line with the quotes of a shell; nothing
 * of a shell beyond these is understood.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "recipe/recipe.h"

/* Where a recipe is being read. */
struct reader {
	struct recipe *r;	/* what it becomes */
	const char *p;		/* what is next */
	unsigned int line;	/* its line */
	char *word;		/* where the next byte of a word goes */
	struct diag *d;		/* what is wrong */
};

/* -1, with a message about the line at hand. */
static int __attribute__((format(printf, 2, 3)))
refuse(const struct reader *s, const char *fmt, ...)
{
	char what[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return diag_set(s->d, "%s:%u: %s", s->r->path, s->line, what);
}

/* What a shell does more with than to take it as it is. */
static const char outside[] = "$`;|&<>()*?[]{}!~";
static const char inside[] = "$`";

static int special(struct reader *s)
{
	return refuse(s, "'%c' means something to a shell, and a recipe is no script: put the word into single quotes",
		      *s->p);
}

/* Behind the opening quote. */
static int quoted(struct reader *s, char quote)
{
	for (; *s->p != quote; s->p++) {
		if (!*s->p || *s->p == '\n')
			return refuse(s, "a quotation has no end: a %c is missing", quote);
		if (quote == '"' && strchr(inside, *s->p))
			return special(s);
		if (quote == '"' && *s->p == '\\' && s->p[1] && strchr("\"\\$`", s->p[1]))
			s->p++;
		*s->word++ = *s->p;
	}
	s->p++;
	return 0;
}

/* A line that ends in a backslash goes on. */
static bool goes_on(struct reader *s)
{
	if (s->p[0] != '\\' || s->p[1] != '\n')
		return false;
	s->p += 2;
	s->line++;
	return true;
}

/* One word; it has at least a character or a pair of quotes. */
static int read_word(struct reader *s, struct recipe_line *line)
{
	if (line->n == RECIPE_WORDS_MAX)
		return refuse(s, "a command line has %d words at most", RECIPE_WORDS_MAX);
	line->words[line->n++] = s->word;
	while (*s->p && !strchr(" \t\n", *s->p)) {
		if (*s->p == '\'' || *s->p == '"') {
			if (quoted(s, *s->p++))
				return -1;
			continue;
		}
		if (goes_on(s))
			continue;
		if (strchr(outside, *s->p))
			return special(s);
		s->p += *s->p == '\\';
		if (!*s->p)
			return refuse(s, "nothing follows the backslash");
		*s->word++ = *s->p++;
	}
	*s->word++ = 0;
	return 0;
}

static int read_line(struct reader *s)
{
	struct recipe_line *line = &s->r->lines[s->r->nlines];

	if (s->r->nlines == RECIPE_LINES_MAX)
		return refuse(s, "a recipe has %d command lines at most", RECIPE_LINES_MAX);
	s->r->nlines++;
	line->number = s->line;
	while (*s->p && *s->p != '\n') {
		if (*s->p == ' ' || *s->p == '\t')
			s->p++;
		else if (*s->p == '#')
			s->p += strcspn(s->p, "\n");
		else if (!goes_on(s) && read_word(s, line))
			return -1;
	}
	if (line->n && !strcmp(line->words[0], "else")) {
		line->instead = true;
		memmove(line->words, line->words + 1, line->n-- * sizeof(*line->words));
	}
	return line->n ? 0 : refuse(s, "the line has no command");
}

/* Text and nothing that controls a terminal. */
static int check_text(struct reader *s, const char *text, size_t len)
{
	bool shown;

	for (size_t i = 0, n; i < len; i += n) {
		n = plain_next(text + i, len - i, &shown);
		if (!shown && text[i] != '\n' && text[i] != '\t')
			return refuse(s, "there is a byte that is no text, 0x%02x", text[i] & 0xff);
		s->line += text[i] == '\n';
	}
	s->line = 1;
	return 0;
}

int recipe_parse(struct recipe *r, const char *path, const char *text, size_t len, struct diag *d)
{
	struct reader s = { .r = r, .line = 1, .d = d };
	char *words;

	r->path = arena_strdup(&r->mem, path);
	if (!r->path)
		return diag_set(d, "out of memory");
	if (len > RECIPE_BYTES_MAX)
		return diag_set(d, "%s is too long for a recipe: %u bytes at most", r->path,
				RECIPE_BYTES_MAX);
	if (check_text(&s, text, len))
		return -1;
	/* No word is longer than what it is made of, but for the zero behind it. */
	words = arena_alloc(&r->mem, 2 * len + 2);
	r->text = arena_strndup(&r->mem, text, len);
	if (!words || !r->text)
		return diag_set(d, "out of memory");
	s.word = words;
	for (s.p = r->text; *s.p;) {
		s.p += strspn(s.p, " \t");
		if (*s.p == '#')
			s.p += strcspn(s.p, "\n");
		else if (*s.p && *s.p != '\n' && read_line(&s))
			return -1;
		s.line += *s.p == '\n';
		s.p += *s.p == '\n';
	}
	return r->nlines ? 0 : diag_set(d, "%s has no command line", r->path);
}

static const char license[] = "# SPDX-";

/* Behind the comments that are for no reader. */
static const char *begin(const struct recipe *r)
{
	const char *p = r->text;

	while (!strncmp(p, license, strlen(license)) && strchr(p, '\n'))
		p = strchr(p, '\n') + 1;
	return p;
}

void recipe_put_summary(const struct recipe *r, struct buf *b)
{
	const char *p = begin(r);

	if (*p == '#')
		buf_mem(b, p + 1 + strspn(p + 1, " \t"),
			strcspn(p + 1 + strspn(p + 1, " \t"), "\n"));
}

void recipe_put_text(const struct recipe *r, struct buf *b)
{
	for (const char *p = begin(r); *p;) {
		size_t len = strcspn(p, "\n");
		size_t mark = *p != '#' ? 0 : 1 + (p[1] == ' ');

		buf_str(b, mark || !len ? "" : "    ");
		buf_mem(b, p + mark, len - mark);
		buf_char(b, '\n');
		p += len + (p[len] == '\n');
	}
}

void recipe_fini(struct recipe *r)
{
	arena_fini(&r->mem);
}
