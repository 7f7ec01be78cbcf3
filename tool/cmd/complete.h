/* SPDX-License-Identifier: GPL-2.0 */
/* Completion of command lines, for shells. */
#ifndef GOPROBE_CMD_COMPLETE_H
#define GOPROBE_CMD_COMPLETE_H

#include "cmd/cmd.h"

/**
 * complete() - print what the last word of an unfinished command line can become
 * @commands: all commands; NULL is behind the last
 * @words: the words behind "goprobectl", as the user typed them, with quotes; the last one is
 *	incomplete, and may be ""
 * @n: their number
 * @b: gets a line for each candidate, with a tab and a description behind it if there is one
 *
 * Nothing is printed where file names are wanted, or where the line makes no sense. Names
 * of functions come from the program that -p or -b names.
 */
void complete(const struct cmd *const *commands, char **words, size_t n, struct buf *b);

#endif
