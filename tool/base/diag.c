// SPDX-License-Identifier: GPL-2.0
/* Errors as values: set where the fact is known, printed once. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/plain.h"

static void replace(char **where, char *with)
{
	free(*where);
	*where = with;
}

static char *format(const char *fmt, va_list ap)
{
	char *s;

	return vasprintf(&s, fmt, ap) < 0 ? NULL : s;
}

/**
 * diag_set - say what is wrong
 * @d: where to; what it said before is forgotten
 * @fmt: the message
 *
 * Return: -1, always.
 */
int diag_set(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	/* Formatted first: an argument may be part of the old diag. */
	va_start(ap, fmt);
	char *s = format(fmt, ap);

	va_end(ap);
	diag_fini(d);
	d->message = s;
	return -1;
}

/**
 * diag_errno - as diag_set(), ending in what an errno means
 * @d: where to
 * @err: positive errno
 * @fmt: the beginning of the message
 *
 * Return: -1, always.
 */
int diag_errno(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = format(fmt, ap);

	va_end(ap);
	diag_set(d, "%s: %s", s ? s : "failed", strerror(err));
	free(s);
	return -1;
}

/**
 * diag_hint - add what to do about it
 * @d: a diag that has a message
 * @fmt: the hint
 */
void diag_hint(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	replace(&d->hint, format(fmt, ap));
	va_end(ap);
}

/**
 * diag_span - point into the user's own text
 * @d: a diag that has a message
 * @text: all of the text, copied
 * @at: first byte of the place
 * @len: bytes; 0 marks one column (something is missing there)
 */
void diag_span(struct diag *d, const char *text, size_t at, size_t len)
{
	replace(&d->text, strdup(text));
	d->at = at;
	d->len = len;
}

void diag_fini(struct diag *d)
{
	replace(&d->message, NULL);
	replace(&d->hint, NULL);
	replace(&d->text, NULL);
	d->at = 0;
	d->len = 0;
}

static char *copy(const char *s)
{
	return s ? strdup(s) : NULL;
}

void diag_copy(struct diag *to, const struct diag *from)
{
	*to = (struct diag){
		.message = copy(from->message), .hint = copy(from->hint),
		.text = copy(from->text), .at = from->at, .len = from->len,
	};
}

static const char no_memory[] = "out of memory";

bool diag_no_memory(const struct diag *d)
{
	return !d->message || !strcmp(d->message, no_memory);
}

static bool starts_column(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

static void print(void *to, const char *s, size_t n)
{
	fwrite(s, 1, n, to);
}

/*
 * Paths and what else strangers may have chosen must not talk to the terminal. There may be no
 * memory for anything.
 */
static void print_plain(const char *s, FILE *to)
{
	plain_put(s, true, print, to);
}

static void print_span(const struct diag *d, FILE *to)
{
	size_t n = strlen(d->text);

	fputs("    ", to);
	print_plain(d->text, to);
	fputs("\n    ", to);
	for (size_t i = 0; i < d->at && i < n; i++)
		if (starts_column(d->text[i]))
			fputc(d->text[i] == '\t' ? '\t' : ' ', to);
	fputc('^', to);
	for (size_t i = d->at + 1; i < d->at + d->len && i < n; i++)
		if (starts_column(d->text[i]))
			fputc('~', to);
	fputc('\n', to);
}

/**
 * diag_print_message - print an error's message, and nothing else, not even a newline
 * @d: the error
 * @to: stderr as a rule
 */
void diag_print_message(const struct diag *d, FILE *to)
{
	print_plain(d->message ? d->message : no_memory, to);
}

/**
 * diag_print - show an error to a person
 * @d: the error
 * @prog: name to begin the line with
 * @to: stderr as a rule
 */
void diag_print(const struct diag *d, const char *prog, FILE *to)
{
	fprintf(to, "%s: ", prog);
	diag_print_message(d, to);
	fputc('\n', to);
	if (d->text)
		print_span(d, to);
	if (!d->hint)
		return;
	fputs("    ", to);
	print_plain(d->hint, to);
	fputc('\n', to);
}
