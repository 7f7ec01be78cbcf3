/* SPDX-License-Identifier: GPL-2.0 */
/* The lexer of numbers. Part of lex. */
#ifndef GOPROBE_LANG_LEX_NUMBER_H
#define GOPROBE_LANG_LEX_NUMBER_H

#include "lang/lex.h"

/* The value of a digit of any base up to 16; another character gives 99. */
int lex_number_digit(char c);
/*
 * The number that begins with a digit at @s: fills @t's kind, length and value. NULL, or
 * what is wrong with the first @t->len bytes.
 */
const char *lex_number_scan(const char *s, struct lex_token *t);

#endif
