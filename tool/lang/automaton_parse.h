/* SPDX-License-Identifier: GPL-2.0 */
/* The parser of regular expressions, which makes the nodes of an automaton. */
#ifndef GOPROBE_LANG_AUTOMATON_PARSE_H
#define GOPROBE_LANG_AUTOMATON_PARSE_H

#include <stdbool.h>

#include "lang/automaton.h"

#define AUTOMATON_NODES_MAX 1024
#define AUTOMATON_WORDS (AUTOMATON_NODES_MAX / 64)

enum automaton_kind {
	AUTOMATON_EMPTY,	/* goes on at once, to one node or two */
	AUTOMATON_BYTES,	/* reads a byte of a set */
	AUTOMATON_BEGIN,	/* goes on at the text's begin */
	AUTOMATON_END,		/* goes on at the text's end */
	AUTOMATON_ACCEPT,
};

/* A node. */
struct automaton_node {
	enum automaton_kind kind;	/* what it does */
	uint64_t set[4];		/* of AUTOMATON_BYTES */
	int to[2];			/* the nodes behind it; -1: none */
};

/* Nodes of a regular expression. */
struct automaton_nodes {
	struct automaton_node *v;	/* nodes */
	int n;				/* their number */
	int first;			/* where it begins */
};

/* As automaton_of_regex(); with @literal the bytes are themselves. */
int automaton_parse(struct arena *mem, const char *regex, size_t n, bool literal,
		    struct automaton_nodes *ret, struct automaton_error *err);

static inline bool automaton_has(const uint64_t *set, unsigned int i)
{
	return set[i / 64] >> i % 64 & 1;
}

static inline void automaton_put(uint64_t *set, unsigned int i)
{
	set[i / 64] |= 1ULL << i % 64;
}

#endif
