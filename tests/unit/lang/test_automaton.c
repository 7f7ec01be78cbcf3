// SPDX-License-Identifier: GPL-2.0
/* Automatons against what Go's regexp says of the same texts. */
#include <stdbool.h>
#include <string.h>

#include <goprobe.h>

#include "lang/automaton.h"
#include "rows.h"

/* As GOPROBE_OP_MATCH. */
static bool run(const struct automaton *a, const char *s, size_t n)
{
	unsigned int state = GOPROBE_MATCH_START;

	for (size_t i = 0; i <= n && state >= GOPROBE_MATCH_START; i++) {
		size_t at = 256 + (state - GOPROBE_MATCH_START) * (size_t)a->columns +
			    (i < n ? a->bytes[(uint8_t)s[i]] : a->columns - 1);

		assert_true(at < a->n);
		state = a->bytes[at];
	}
	return state == GOPROBE_MATCH_YES;
}

/* "+text" is one that matches, "-text" one that does not; a blank ends it, "_" is one. */
static struct match_row {
	const char *claim, *regex, *texts;
} matches[] = {
	{ "letters match anywhere", "ab", "+ab +xab +abx +aab -a -ba -" },
	{ "nothing matches everything", "", "+ +a" },
	{ "the begin", "^ab", "+ab +abc -xab -a" },
	{ "the end", "ab$", "+ab +xab -abc -" },
	{ "both", "^ab$", "+ab -abc -xab -" },
	{ "the empty text", "^$", "+ -a" },
	{ "either", "^(GET|HEAD)$", "+GET +HEAD -POST -GETHEAD" },
	{ "either, without parentheses", "^a|b$", "+ax +xb -xa -bx" },
	{ "nothing as one of either", "^(a|)b$", "+b +ab -aab" },
	{ "any number", "^ab*c$", "+ac +abc +abbbc -abb -bc" },
	{ "one or more", "^ab+c$", "+abc +abbc -ac" },
	{ "one or more of a group", "^(ab)+$", "+ab +abab -a -aba -" },
	{ "zero or one", "^ab?c$", "+ac +abc -abbc" },
	{ "as few as possible is the same", "^a.*?c$", "+ac +abc -ab" },
	{ "a count", "^a{3}$", "+aaa -aa -aaaa" },
	{ "at least", "^a{2,}$", "+aa +aaaaa -a" },
	{ "from, to", "^(ab){1,2}$", "+ab +abab -ababab -" },
	{ "from 0", "^xa{0,2}y$", "+xy +xay +xaay -xaaay" },
	{ "0 and more", "^xa{0,}y$", "+xy +xaaay -xby" },
	{ "zero times", "^xa{0}y$", "+xy -xay" },
	{ "a brace without a number", "^a{x$", "+a{x -ax" },
	{ "any byte but a newline", "^a.c$", "+abc +a_c -ac -a\nc" },
	{ "with (?s) a newline, too", "(?s)^a.c$", "+a\nc" },
	{ "brackets", "^[a-c x]+$", "+abc_x -d" },
	{ "brackets, negated", "^[^a-c]$", "+d +\n -a" },
	{ "a bracket in brackets", "^[]a]+$", "+]a] -b" },
	{ "a dash in brackets", "^[a-]+$", "+a-a -b" },
	{ "classes in brackets", "^[\\d.]+$", "+1.2 -a" },
	{ "escapes in brackets", "^[\\]\\-]+$", "+]- -a" },
	{ "named classes", "^[[:upper:][:digit:]]+$", "+A1 -a" },
	{ "digits", "^\\d+$", "+12 -1a" },
	{ "no digits", "^\\D+$", "+ab -a1" },
	{ "words", "^\\w+$", "+a1B -a-b -a_b" },
	{ "blanks", "^\\s\\S$", "+\ta -ab" },
	{ "an escaped dot", "^a\\.b$", "+a.b -axb" },
	{ "bytes by number", "^\\x41\\n$", "+A\n -a\n" },
	{ "upper and lower case", "(?i)^aB[c-d]$", "+abc +ABD +AbC -abe" },
	{ "upper and lower case, negated", "(?i)^[^a]$", "+b -a -A" },
	{ "not the letter's case otherwise", "^a$", "-A" },
	{ "other characters", "^é+$", "+é +éé -e -" },
	{ "(?: ) is a group", "^(?:ab)*$", "+ +abab -aba" },
	{ "an end in the middle", "a$b", "-ab -a$b" },
	{ "a begin in the middle", "a^b", "-ab" },
	{ "an end before a begin", "$^", "+ -a" },
	{ "a begin in a group", "(^a|b)c", "+ac +xbc -xac" },
	{ "a match that begins twice", "aab", "+aaab +aaaab -aa" },
	{ "a statement", "(?i)^\\s*select\\s.*\\sfrom\\s+orders",
	  "+SELECT\ta,b\tFROM\torders +select\t*\tfrom\t\torders\twhere -insert\tfrom\torders" },
};

static void check(const struct automaton *a, const char *texts)
{
	for (const char *at = texts; *at;) {
		size_t n = strcspn(at, " ");
		char text[64];

		assert_true(n && n < sizeof(text));
		for (size_t i = 1; i < n; i++)
			text[i - 1] = at[i] == '_' ? ' ' : at[i];
		if (run(a, text, n - 1) != (*at == '+')) {
			print_message("'%.*s'\n", (int)n, at);
			fail();
		}
		at += n + (at[n] == ' ');
	}
}

ROWS(test_match, matches)
{
	const struct match_row *r = *state;
	struct arena mem = { 0 };
	struct automaton_error err;
	struct automaton a;

	assert_int_equal(automaton_of_regex(&mem, r->regex, strlen(r->regex), &a, &err), 0);
	check(&a, r->texts);
	arena_fini(&mem);
}

static struct refused_row {
	const char *claim, *regex, *why;
	size_t at, n;
} refused[] = {
	{ "a group without an end", "a(b", "a ')' is missing", 1, 1 },
	{ "a ')' too many", "ab)", "a '(' is missing before this", 2, 1 },
	{ "brackets without an end", "a[b", "a ']' is missing", 1, 1 },
	{ "a star alone", "a|*", "there is nothing that this could repeat", 2, 1 },
	{ "two stars' group", "(+)", "there is nothing that this could repeat", 1, 1 },
	{ "a backslash alone", "a\\", "a '\\' ends it", 1, 1 },
	{ "an unknown escape", "a\\pL", "this escape is not known", 1, 2 },
	{ "words' ends", "a\\b", "this escape is not known", 1, 2 },
	{ "a range the other way", "[z-a]", "this range ends before it begins", 1, 3 },
	{ "too many times", "a{101}", "repetitions are", 1, 1 },
	{ "fewer than at least", "a{3,2}", "repetitions are", 1, 1 },
	{ "named groups", "(?P<x>a)", "of groups with '?' only '(?:' is known", 0, 2 },
	{ "other characters in brackets", "[é]", "brackets hold ASCII", 1, 1 },
	{ "too many states", "[ab]*a[ab]{12}", "it needs too many states", 0, 14 },
	{ "too many nodes", "(((a{100}){100}){100})", "it is too long", 0, 22 },
	{ "too deep",
	  "((((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))))",
	  "it nests too deeply", 32, 1 },
};

ROWS(test_refused, refused)
{
	const struct refused_row *r = *state;
	struct arena mem = { 0 };
	struct automaton_error err;
	struct automaton a;

	assert_int_equal(automaton_of_regex(&mem, r->regex, strlen(r->regex), &a, &err), -1);
	if (strncmp(err.why, r->why, strlen(r->why)) || err.at != r->at || err.n != r->n) {
		print_message("'%s' at %zu, %zu\n", err.why, err.at, err.n);
		fail();
	}
	arena_fini(&mem);
}

/* All texts of up to 7 of two letters against memmem(). */
TEST(test_texts, "a text is found wherever it is")
{
	static const char *const wanted[] = { "", "a", "ab", "aab", "abab", "aaba", "bbb", "a.b" };

	for (size_t k = 0; k < N(wanted); k++) {
		const char *s = wanted[k];
		struct arena mem = { 0 };
		struct automaton_error err;
		struct automaton a;

		assert_int_equal(automaton_of_text(&mem, s, strlen(s), &a, &err), 0);
		for (size_t n = 0; n <= 7; n++)
			for (unsigned int bits = 0; bits < 1U << n; bits++) {
				char text[8] = "";

				for (size_t i = 0; i < n; i++)
					text[i] = bits >> i & 1 ? 'b' : 'a';
				assert_int_equal(run(&a, text, n), !!strstr(text, s));
			}
		arena_fini(&mem);
	}
}
