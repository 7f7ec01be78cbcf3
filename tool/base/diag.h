/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors as values: one message, perhaps a hint, perhaps a place in the user's
 * own text. Made where the fact is known, printed once, by main.c.
 */
#ifndef GOPROBE_BASE_DIAG_H
#define GOPROBE_BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* An error for a person. Owned strings; diag_fini() frees them. A zeroed diag is "no error". */
struct diag {
	char *message;	/* what is wrong; no capital, no full stop ("no process 4121") */
	char *hint;	/* what to do, or NULL; starts a line of its own */
	char *text;	/* the user's text that the error points into, or NULL */
	size_t at;	/* first byte of the place in @text */
	size_t len;	/* its length */
};

/* Set the message; always returns -1, so that callers can return it. */
int diag_set(struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* As diag_set(), with ": " and strerror(err) at the end. */
int diag_errno(struct diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_hint(struct diag *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void diag_span(struct diag *d, const char *text, size_t at, size_t len);
void diag_fini(struct diag *d);
/* @to, which says nothing yet, says what @from says. */
void diag_copy(struct diag *to, const struct diag *from);
/* Is there no memory for what was to be done? Such an error says nothing of what the user wrote. */
bool diag_no_memory(const struct diag *d);

/* Print the message alone, for a line that says more; to stderr as a rule. */
void diag_print_message(const struct diag *d, FILE *to);
/* Print "goprobectl: message", the marked text, the hint; to stderr as a rule. */
void diag_print(const struct diag *d, const char *prog, FILE *to);

#endif
