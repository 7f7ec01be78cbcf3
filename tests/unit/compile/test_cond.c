// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions compiled against real programs, held against the module's rules for
 * filters, and run on registers and memory that the rows give.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "conds.h"
#include "machine.h"
#include "rows.h"

static int compile(struct gobin *bin, const char *text, struct filter_pair *ret, struct diag *d)
{
	return conds_compile(bin, text, &mem, ret, d);
}

static const char *verdict(struct machine *m, const struct filter *f)
{
	static const char *const words[] = {
		[MACHINE_PASSES] = "yes", [MACHINE_REJECTED] = "no", [MACHINE_UNDECIDED] = "?",
	};

	return words[machine_filter(m, f->ops, f->nops)];
}

/* --- what passes ---------------------------------------- */

/* @shown: what the call's part says of it, and what the return's part does. */
static struct verdict_row {
	const char *claim, *text, *setup, *shown;
} verdicts[] = {
	{ "greater", "main.Ints if a > 5", "ax=6", "yes" },
	{ "not greater", "main.Ints if a > 5", "ax=5", "no" },
	{ "less", "main.Ints if a < 5", "ax=4", "yes" },
	{ "not less", "main.Ints if a < 5", "ax=5", "no" },
	{ "at least", "main.Ints if a >= 5", "ax=5", "yes" },
	{ "not at least", "main.Ints if a >= 5", "ax=4", "no" },
	{ "at most", "main.Ints if a <= 5", "ax=5", "yes" },
	{ "not at most", "main.Ints if a <= 5", "ax=6", "no" },
	{ "equal", "main.Ints if a == 5", "ax=5", "yes" },
	{ "not equal", "main.Ints if a == 5", "ax=6", "no" },
	{ "different", "main.Ints if a != 5", "ax=6", "yes" },
	{ "not different", "main.Ints if a != 5", "ax=5", "no" },
	{ "a constant on the left", "main.Ints if 5 < a", "ax=6", "yes" },
	{ "a constant on the left, not", "main.Ints if 5 <= a", "ax=4", "no" },
	{ "negative numbers are less", "main.Ints if a < 0", "ax=ffffffffffffffff", "yes" },
	{ "negative numbers are not greater", "main.Ints if a > 5", "ax=ffffffffffffffff", "no" },
	{ "without a sign nothing is negative", "main.Ints if e > 5", "si=ffffffffffffffff",
	  "yes" },
	{ "of a byte only the byte", "main.Ints if b == -1", "bx=12ff", "yes" },
	{ "of a byte with a sign", "main.Ints if b < 0", "bx=1280", "yes" },
	{ "of two bytes only these", "main.Ints if c == 0xffff", "cx=5ffff", "yes" },
	{ "of two bytes without a sign", "main.Ints if c > 0x7fff", "cx=5ffff", "yes" },
	{ "of four bytes with a sign", "main.Ints if d == -2", "di=55fffffffe", "yes" },
	{ "the greatest number", "main.Ints if e == 18446744073709551615",
	  "si=ffffffffffffffff", "yes" },
	{ "the least number", "main.Ints if a == -9223372036854775808", "ax=8000000000000000",
	  "yes" },
	{ "what is always so needs nothing", "main.Ints if e >= 0 && a <= 9223372036854775807", "",
	  "yes" },
	{ "what is never so lets nothing pass", "main.Ints if c < 0 && a == 1", "ax=1", "no" },
	{ "true", "main.Ints if g", "r9=5501", "yes" },
	{ "false", "main.Ints if g", "r9=5500", "no" },
	{ "not true", "main.Ints if !g", "r9=5501", "no" },
	{ "compared with true", "main.Ints if g == true", "r9=1", "yes" },
	{ "compared with false", "main.Ints if g != false", "r9=0", "no" },
	{ "compared with a comparison", "main.Ints if g == (a > 5)", "r9=1 ax=6", "yes" },
	{ "compared with another comparison", "main.Ints if (a > 5) != g", "r9=1 ax=6", "no" },
	{ "both", "main.Ints if a > 5 && e == 1", "ax=6 si=1", "yes" },
	{ "not the first", "main.Ints if a > 5 && e == 1", "ax=5 si=1", "no" },
	{ "not the second", "main.Ints if a > 5 && e == 1", "ax=6 si=2", "no" },
	{ "either", "main.Ints if a > 5 || e == 1", "ax=5 si=1", "yes" },
	{ "either, the first", "main.Ints if a > 5 || e == 1", "ax=6 si=2", "yes" },
	{ "neither", "main.Ints if a > 5 || e == 1", "ax=5 si=2", "no" },
	{ "both in one of either", "main.Ints if a > 5 && e == 1 || g", "ax=5 si=1 r9=0", "no" },
	{ "both in one of either, the other", "main.Ints if a > 5 && e == 1 || g", "ax=5 si=1 r9=1",
	  "yes" },
	{ "either in both", "main.Ints if (a > 5 || e == 1) && g", "ax=6 si=0 r9=1", "yes" },
	{ "either in both, not", "main.Ints if (a > 5 || e == 1) && g", "ax=6 si=0 r9=0", "no" },
	{ "neither, negated", "main.Ints if !(a > 5 || e == 1)", "ax=5 si=0", "yes" },
	{ "not both", "main.Ints if !(a > 5 && e == 1) && g", "ax=6 si=1 r9=1", "no" },
	{ "not both, one", "main.Ints if !(a > 5 && e == 1) && g", "ax=6 si=2 r9=1", "yes" },
	{ "two parameters", "main.Leaf if a < b", "ax=1 bx=2", "yes" },
	{ "two parameters, not", "main.Leaf if a < b", "ax=2 bx=2", "no" },
	{ "two parameters, greater", "main.Leaf if a > b", "ax=3 bx=2", "yes" },
	{ "two parameters, at most", "main.Leaf if a <= b", "ax=3 bx=2", "no" },
	{ "two parameters, equal", "main.Leaf if a == b", "ax=2 bx=2", "yes" },
	{ "sums", "main.Leaf if a + b == 7 && a + 1 == 4 && 1 + a == 4", "ax=3 bx=4", "yes" },
	{ "differences", "main.Leaf if a - b == -1 && a - 1 == 2 && 1 - a == -2", "ax=3 bx=4",
	  "yes" },
	{ "products", "main.Leaf if a * b == -12 && a * 3 == 9", "ax=3 bx=fffffffffffffffc",
	  "yes" },
	{ "quotients are cut", "main.Leaf if a / b == -1 && a / 2 == -3 && a % b == -2",
	  "ax=fffffffffffffff9 bx=5", "yes" },
	{ "quotients without a sign", "main.Ints if e / 2 == 0x7fffffffffffffff && e % 16 == 15",
	  "si=ffffffffffffffff", "yes" },
	{ "a division by zero is undecided", "main.Leaf if a / b == 1", "ax=1 bx=0", "?" },
	{ "nor can its remainder", "main.Leaf if a % b == 1", "ax=1 bx=0", "?" },
	{ "but it is not reached", "main.Leaf if b != 0 && a / b == 1", "ax=1 bx=0", "no" },
	{ "the one quotient that is too large", "main.Leaf if a / b == a && a % b == 0",
	  "ax=8000000000000000 bx=ffffffffffffffff", "yes" },
	{ "a byte wraps", "main.Ints if b + 1 == -128", "bx=7f", "yes" },
	{ "a byte's quotient wraps", "main.Ints if b / -1 == -128", "bx=80", "yes" },
	{ "two bytes wrap", "main.Ints if c + 1 == 0 && c * c == 1 && -c == 1", "cx=ffff", "yes" },
	{ "a difference wraps", "main.Ints if c - 1 == 65535", "cx=0", "yes" },
	{ "bits",
	  "main.Leaf if a & b == 8 && a | b == 14 && a ^ b == 6 && a &^ b == 4 && a & 3 == 0",
	  "ax=c bx=a", "yes" },
	{ "all bits the other way", "main.Ints if ^a == -6 && ^c == 0xfffa && c &^ 1 == 4",
	  "ax=5 cx=5", "yes" },
	{ "shifts", "main.Ints if a << 3 == 40 && a >> 1 == 2 && b >> 1 == -2 && c << 15 == 0x8000",
	  "ax=5 bx=fd cx=5", "yes" },
	{ "shifts of everything", "main.Ints if e << 64 == 0 && e >> 100 == 0 && b >> 200 == -1",
	  "si=5 bx=80", "yes" },
	{ "shifts by a parameter", "main.Ints if a << e == 20 && a >> c == 1", "ax=5 si=2 cx=2",
	  "yes" },
	{ "a shift by a negative number is undecided", "main.Leaf if a << b == 0",
	  "ax=1 bx=ffffffffffffffff", "?" },
	{ "constants are worked out", "main.Ints if a == (1 << 10 - 24) * 2 / 4 % 300 && 2 * 3 > 5",
	  "ax=c8", "yes" },
	{ "a signed constant", "main.Ints if -a == -(+5) && a == - -5", "ax=5", "yes" },
	{ "a rune", "main.Ints if d == 'x'", "di=78", "yes" },
	{ "a float that is whole", "main.Ints if a == 5.0 && a == 1e1 / 2", "ax=5", "yes" },
	{ "a duration of whole nanoseconds", "main.Ints(a int64) if a == 10ms", "ax=989680",
	  "yes" },
	{ "what is on the stack", "main.TenInts if j == 10", "@8008=a", "yes" },

	{ "floats", "main.Floats if a > 1.5", "x0=3ff9000000000000", "yes" },
	{ "floats, not", "main.Floats if a > 1.5", "x0=3ff8000000000000", "no" },
	{ "negative floats", "main.Floats if a < -1.5 && a < 0", "x0=bff9000000000000", "yes" },
	{ "negative zero is zero", "main.Floats if a == 0", "x0=8000000000000000", "yes" },
	{ "negative zero is not less", "main.Floats if a < 0", "x0=8000000000000000", "no" },
	{ "floats at most", "main.Floats if a <= 1.5", "x0=3ff8000000000000", "yes" },
	{ "floats at least", "main.Floats if a >= 1.5", "x0=3ff7000000000000", "no" },
	{ "two floats", "main.Floats if a != c", "x0=3ff8000000000000 x2=3ff8000000000000", "no" },
	{ "two floats, less", "main.Floats if a < c", "x0=3ff8000000000000 x2=4008000000000000",
	  "yes" },
	{ "small floats", "main.Floats if b == 0.1", "x1=3dcccccd", "yes" },
	{ "small floats in a register that holds more", "main.Floats if b < 3", "x1=5540400000",
	  "no" },
	{ "what is no number is not less", "main.Floats if a < 1", "x0=7ff8000000000000", "no" },
	{ "what is no number is not greater", "main.Floats if a > 1", "x0=7ff8000000000000", "no" },
	{ "what is no number is not at least", "main.Floats if a >= 1", "x0=7ff8000000000000",
	  "no" },
	{ "what is no number is not equal", "main.Floats if a == a", "x0=7ff8000000000000", "no" },
	{ "what is no number is different", "main.Floats if a != a", "x0=7ff8000000000000", "yes" },
	{ "not less: no number", "main.Floats if !(a < 1)", "x0=7ff8000000000000", "yes" },
	{ "not different: no number", "main.Floats if !(a != 1)", "x0=fff8000000000000", "no" },
	{ "infinite", "main.Floats if a > 1e308", "x0=7ff0000000000000", "yes" },

	{ "a string", "main.Strings if s == \"GET\"", "ax=20000 bx=3 @20000=5555555555544547",
	  "yes" },
	{ "another string", "main.Strings if s == \"GET\"", "ax=20000 bx=3 @20000=5555555555554547",
	  "no" },
	{ "a longer string", "main.Strings if s == \"GET\"", "ax=20000 bx=4 @20000=544547", "no" },
	{ "of another length it is not looked at", "main.Strings if s == \"GET\"", "ax=1 bx=4",
	  "no" },
	{ "a string that can't be read", "main.Strings if s == \"GET\"", "ax=20000 bx=3", "?" },
	{ "not that string", "main.Strings if s != \"GET\"", "ax=20000 bx=3 @20000=544547", "no" },
	{ "not that string, but another", "main.Strings if s != \"GET\"",
	  "ax=20000 bx=3 @20000=544546", "yes" },
	{ "no string", "main.Strings if s == \"\"", "ax=0 bx=0", "yes" },
	{ "some string", "main.Strings if s != \"\"", "ax=0 bx=1", "yes" },
	{ "a string of eight", "main.Strings if s == \"12345678\"",
	  "ax=20000 bx=8 @20000=3837363534333231", "yes" },
	{ "a string of eleven", "main.Strings if s == \"12345678abc\"",
	  "ax=20000 bx=b @20000=3837363534333231 @20008=636261", "yes" },
	{ "a string of eleven, the end of which differs", "main.Strings if s == \"12345678abc\"",
	  "ax=20000 bx=b @20000=3837363534333231 @20008=646261", "no" },
	{ "a string of seven", "main.Strings if \"1234567\" == s",
	  "ax=20000 bx=7 @20000=37363534333231", "yes" },
	{ "a string of a named type", "main.Strings if n == \"x\"", "r8=20000 r9=1 @20000=78",
	  "yes" },
	{ "two strings", "main.Strings(s, t string) if s == t",
	  "ax=20000 bx=9 cx=30000 di=9 @20000=1 @20008=2 @30000=1 @30008=2", "yes" },
	{ "two strings that differ", "main.Strings(s, t string) if s == t",
	  "ax=20000 bx=9 cx=30000 di=9 @20000=1 @20008=2 @30000=1 @30008=3", "no" },
	{ "two strings that must differ", "main.Strings(s, t string) if s != t",
	  "ax=20000 bx=9 cx=30000 di=9 @20000=1 @20008=2 @30000=1 @30008=3", "yes" },
	{ "two strings of different lengths", "main.Strings(s, t string) if s != t",
	  "ax=1 bx=2 cx=1 di=3", "yes" },
	{ "two strings without bytes", "main.Strings(s, t string) if s == t", "ax=0 bx=0 cx=0 di=0",
	  "yes" },
	{ "a beginning", "main.Strings if hasPrefix(s, \"GE\")", "ax=20000 bx=3 @20000=544547",
	  "yes" },
	{ "another beginning", "main.Strings if strings.HasPrefix(s, \"GE\")",
	  "ax=20000 bx=3 @20000=544546", "no" },
	{ "too short for a beginning", "main.Strings if hasPrefix(s, \"GET\")",
	  "ax=20000 bx=2 @20000=544547", "no" },
	{ "not that beginning", "main.Strings if !hasPrefix(s, \"GET\")",
	  "ax=20000 bx=2 @20000=544547", "yes" },
	{ "an end", "main.Strings if hasSuffix(s, \"ET\")", "ax=20000 bx=3 @20000=544547", "yes" },
	{ "another end", "main.Strings if strings.HasSuffix(s, \"EU\")",
	  "ax=20000 bx=3 @20000=544547", "no" },
	{ "no end at all", "main.Strings if hasSuffix(s, \"\")", "ax=0 bx=0", "yes" },
	{ "a text inside", "main.Strings if contains(s, \"ET\")", "ax=20000 bx=3 @20000=544547",
	  "yes" },
	{ "no such text inside", "main.Strings if contains(s, \"GT\")",
	  "ax=20000 bx=3 @20000=544547", "no" },
	{ "not behind its end", "main.Strings if strings.Contains(s, \"ETx\")",
	  "ax=20000 bx=3 @20000=78544547", "no" },
	{ "a text that must not be inside", "main.Strings if !contains(s, \"ET\")",
	  "ax=20000 bx=3 @20000=544547", "no" },
	{ "nothing is inside of nothing", "main.Strings if contains(s, \"\")", "ax=0 bx=0", "yes" },
	{ "something is not", "main.Strings if contains(s, \"a\")", "ax=0 bx=0", "no" },
	{ "a text in what can't be read", "main.Strings if contains(s, \"a\")", "ax=20000 bx=3",
	  "?" },
	{ "a regular expression", "main.Strings if matches(s, /^G.T$/)",
	  "ax=20000 bx=3 @20000=544547", "yes" },
	{ "a regular expression, not", "main.Strings if matches(s, /^G.$/)",
	  "ax=20000 bx=3 @20000=544547", "no" },
	{ "a regular expression in quotes", "main.Strings if !matches(s, \"^P\") && len(s) == 3",
	  "ax=20000 bx=3 @20000=544547", "yes" },
	{ "a slash in one", "main.Strings if matches(s, /G\\/T/)", "ax=20000 bx=3 @20000=542f47",
	  "yes" },
	{ "bytes that are a text", "main.Strings if b == \"GET\"", "cx=20000 di=3 @20000=544547",
	  "yes" },
	{ "bytes that are another", "main.Strings if \"GEU\" == b", "cx=20000 di=3 @20000=544547",
	  "no" },
	{ "bytes that are not it", "main.Strings if b != \"GET\"", "cx=20000 di=4 @20000=544547",
	  "yes" },
	{ "no bytes", "main.Strings if b == \"\"", "cx=0 di=0", "yes" },
	{ "a beginning of bytes, and a text in them",
	  "main.Strings if hasPrefix(b, \"GE\") && contains(b, \"T\") && hasSuffix(b, \"ET\")",
	  "cx=20000 di=3 @20000=544547", "yes" },
	{ "the length of a string", "main.Strings if len(s) > 2", "ax=0 bx=3", "yes" },
	{ "the length of a slice", "main.Strings if len(b) == cap(b)", "di=3 si=4", "no" },
	{ "a byte of a string", "main.Strings if s[1] == 'E'", "ax=20000 bx=3 @20000=544547",
	  "yes" },
	{ "a byte that is not there", "main.Strings if s[3] == 'E'", "ax=20000 bx=3 @20000=544547",
	  "?" },

	{ "nil", "main.Refs if p == nil", "di=0", "yes" },
	{ "not nil", "main.Refs if p != nil", "di=0", "no" },
	{ "nil on the left", "main.Refs if nil != p", "di=1", "yes" },
	{ "a nil map", "main.Refs if m == nil", "ax=0", "yes" },
	{ "a nil channel", "main.Refs if c != nil", "bx=1", "yes" },
	{ "a nil function", "main.Refs if f == nil", "cx=1", "no" },
	{ "a nil slice", "main.Slices if a == nil", "ax=0 bx=0 cx=0", "yes" },
	{ "an empty slice is not nil", "main.Slices if a == nil", "ax=20000 bx=0 cx=0", "no" },
	{ "a nil interface", "main.Interfaces if e == nil", "cx=0 di=5", "yes" },
	{ "a nil empty interface", "main.Interfaces if any != nil", "si=5 r8=0", "yes" },
	{ "behind a pointer", "main.Refs if p.Value == 7", "di=20000 @20028=7", "yes" },
	{ "behind nil it is undecided", "main.Refs if p.Value == 7", "di=0", "?" },
	{ "unless it was looked at before", "main.Refs if p != nil && p.Value == 7", "di=0", "no" },
	{ "or in the other case", "main.Refs if p == nil || p.Value == 7", "di=0", "yes" },
	{ "two pointers", "main.Refs if p.Left == p.Right", "di=20000 @20000=5 @20008=5", "yes" },
	{ "two pointers that differ", "main.Refs if p.Left == p.Right",
	  "di=20000 @20000=5 @20008=6", "no" },
	{ "what may fail is looked at, though it always holds",
	  "main.Refs if p.Value >= -9223372036854775808",
	  "di=0", "?" },
	{ "what may fail and always holds", "main.Refs if p.Value <= 9223372036854775807",
	  "di=20000 @20028=7", "yes" },
	{ "what may fail and never holds", "main.Refs if p.Value > 9223372036854775807",
	  "di=20000 @20028=7", "no" },
	{ "far behind pointers", "main.Refs if p.Left.Right.Value + p.Value == 9",
	  "di=20000 @20000=30000 @30008=40000 @40028=7 @20028=2", "yes" },
	{ "an element", "main.Slices if b[1][2] > 6",
	  "di=20000 si=2 @20018=30000 @20020=3 @30010=7", "yes" },
	{ "an element that is not there", "main.Slices if b[1][2] > 6", "di=20000 si=1", "?" },
	{ "a string behind a pointer", "main.Slices if a[1].Name == \"abcd\"",
	  "ax=20000 bx=2 @20038=30000 @20040=4 @30000=64636261", "yes" },
	{ "the length of a map", "main.Refs if len(m) == 0", "ax=0", "yes" },
	{ "the length of a channel", "main.Refs if len(c) == cap(c)",
	  "bx=20000 @20000=5 @20008=5 @20020=0", "yes" },
	{ "that of a timer's is 0", "main.Refs if len(c) == 0 && cap(c) == 0",
	  "bx=20000 @20000=1 @20008=1 @20020=40000", "yes" },
	{ "the length of an array", "main.Arrays if len(b) == 2", "", "yes" },
	{ "what an interface holds, of another type", "main.Interfaces if any.(main.Point).X == 5",
	  "si=20000 r8=30000 @30000=5", "?" },
	{ "a value of a struct in registers", "main.Structs if p.Y == 8 && m.A == -1", "r9=8 ax=ff",
	  "yes" },
	{ "a float in a struct", "main.Structs if m.B > 0.5", "x0=3ff0000000000000", "yes" },

	{ "the goroutine", "main.Ints if goid == 7", "goid=7", "yes" },
	{ "another goroutine", "main.Ints if goid == 7", "goid=8", "no" },
	{ "the thread and the process", "main.Ints if tid == 5 && pid == 4", "tid=5 pid=4", "yes" },
	{ "every tenth", "main.Ints if n % 10 == 0", "n=9", "yes" },
	{ "not every", "main.Ints if n % 10 == 0", "n=a", "no" },
	{ "a hit has one number", "main.Ints if n > 4 && n < 6", "n=4", "yes" },
	{ "a parameter of that name is meant", "main.Strings if n == \"\"", "r8=0 r9=0", "yes" },
	{ "inside a call", "main.Ints if under(main.Leaf)", "under=1", "yes" },
	{ "not inside a call", "main.Ints if under(main.Leaf)", "under=0", "no" },
	{ "negated", "main.Ints if !under(main.Leaf) && a == 1", "under=0 ax=1", "yes" },

	{ "a descendant", "main.Ints if descendant(5)", "goid=7 member=80", "yes" },
	{ "no descendant", "main.Ints if descendant(5)", "goid=7 member=40", "no" },
	{ "it itself", "main.Ints if descendant(5)", "goid=5", "yes" },
	{ "no descendant, negated", "main.Ints if !descendant(5) && a == 1", "goid=6 ax=1", "yes" },
	{ "it itself, negated", "main.Ints if !descendant(5)", "goid=5", "no" },
	{ "a descendant that is compared", "main.Ints if descendant(5) == g", "goid=7 member=80 r9=0",
	  "no" },
	{ "either", "main.Ints if a == 2 || descendant(5)", "ax=1 goid=7 member=80", "yes" },
	{ "who has started it", "main.Ints if creator == 9", "g=10000 @10118=9", "yes" },
	{ "another one has", "main.Ints if creator != 9 && creator > 7",
	  "g=10000 @10118=8", "yes" },
	{ "nobody has", "main.Ints if creator == 0", "g=0", "yes" },
	{ "who has started it can't be read", "main.Ints if creator == 0", "g=10000", "?" },
	{ "it has returned", "main.Ints if panicked", "", "yes no" },
	{ "it has returned, negated", "main.Ints if !panicked", "", "yes yes" },
	{ "a panic, and an argument", "main.Ints if panicked && a == 1", "ax=1", "yes no" },
	{ "a panic, and another argument", "main.Ints if panicked && a == 1", "ax=2", "no no" },
	{ "a panic or an error", "main.Strings if panicked || err != nil", "cx=5", "yes yes" },
	{ "neither a panic nor an error", "main.Strings if panicked || err != nil", "cx=0",
	  "yes no" },
	{ "no panic, but an error", "main.Strings if !panicked && err != nil", "cx=5", "yes yes" },
	{ "compared", "main.Strings if panicked == false", "", "yes yes" },
	{ "an error", "main.Strings if err != nil", "cx=5", "yes yes" },
	{ "no error", "main.Strings if err != nil", "cx=0", "yes no" },
	{ "an error without a name", "main.Interfaces if err != nil", "cx=5", "yes yes" },
	{ "no error without a name", "main.Interfaces if err != nil && any != nil", "cx=0 di=1",
	  "yes no" },
	{ "a parameter is meant before an error without a name",
	  "main.Ints(err int) error if err == 5", "ax=5", "yes" },
	{ "and of two parameters it is the one",
	  "main.Ints(a int, err *error) (int, error) if err == nil", "ax=5 bx=0", "yes" },
	{ "it has failed", "main.Strings if failed", "cx=5", "yes yes" },
	{ "it has not", "main.Strings if failed", "cx=0", "yes no" },
	{ "it has not failed", "main.Strings if !failed || panicked", "cx=0", "yes yes" },
	{ "a parameter, and an error", "main.Strings if len(s) == 3 && err != nil", "bx=3 cx=5",
	  "yes yes" },
	{ "in any order", "main.Strings if err != nil && len(s) == 3", "bx=4 cx=5", "no yes" },
	{ "what takes long", "main.Ints if duration > 10ms", "took=989681", "yes yes" },
	{ "what does not", "main.Ints if duration > 10ms", "took=989680", "yes no" },
	{ "between two", "main.Ints if duration >= 1us && duration < 2us", "took=3e8", "yes yes" },
	{ "a result without a name", "main.Ints if ~r0 < 0", "ax=ffffffffffffffff", "yes yes" },
	{ "a result that is a string", "main.Strings if out == \"abc\"",
	  "ax=20000 bx=3 @20000=636261", "yes yes" },
	{ "results on the stack", "main.Results if f[1] == 9 && len(d) == 1", "@8010=9 si=1",
	  "yes yes" },
	{ "a result, or how long it took", "main.Strings if err != nil || duration > 1s",
	  "cx=0 took=3b9aca01", "yes yes" },
};

ROWS(test_verdict, verdicts)
{
	const struct verdict_row *row = *state;
	struct machine *m = calloc(1, sizeof(*m));
	struct filter_pair p;
	struct diag d = { 0 };
	char shown[16];

	machine_set(m, row->setup);
	if (compile(row_bin, row->text, &p, &d))
		fail_msg("%s", d.message);
	snprintf(shown, sizeof(shown), "%s%s%s", verdict(m, &p.call), p.returns ? " " : "",
		 p.returns ? verdict(m, &p.ret) : "");
	assert_string_equal(shown, row->shown);
	free(m);
}

/* The same on the oldest: all on the stack. */
static struct verdict_row old_verdicts[] = {
	{ "before 1.17 all is on the stack", "main.Ints if b == -86 && e == 0xbb",
	  "@8010=aa @8018=bb", "yes" },
	{ "strings too", "main.Strings if s == \"GET\"", "@8008=20000 @8010=3 @20000=544547",
	  "yes" },
	{ "floats too", "main.Floats if a > 1.5", "@8008=3ff9000000000000", "yes" },
};

ROWS(test_old_verdict, old_verdicts)
{
	if (!oldest) {
		print_message("no program of Go 1.16 or older\n");
		skip();
	}
	row_bin = oldest;
	test_verdict(state);
	row_bin = newest;
}

/* --- the rest ---------------------------------------- */

TEST(test_assertion, "type assertions are compared where it happens")
{
	const struct gotype *square = gobin_find_type(newest, "main.Square");
	struct machine *m = calloc(1, sizeof(*m));
	struct filter_pair p;
	struct diag d = { 0 };

	if (compile(newest, "main.Interfaces if s.(main.Square).Side > 1.5", &p, &d))
		fail_msg("%s", d.message);
	machine_set(m, "ax=20000 bx=30000 @30000=3ff9000000000000");
	machine_put(m, 0x20008, square->rtype);
	assert_string_equal(verdict(m, &p.call), "yes");
	machine_set(m, "ax=20000 bx=30000 @30000=3ff7000000000000");
	machine_put(m, 0x20008, square->rtype);
	assert_string_equal(verdict(m, &p.call), "no");
	free(m);
}

/* Long strings are compared in pieces, and the rest of even longer ones is ignored. */
TEST(test_long, "long strings")
{
	struct machine *m = calloc(1, sizeof(*m));
	char text[512] = "main.Strings if s == \"";
	struct filter_pair p;
	struct diag d = { 0 };

	for (int i = 0; i < 256; i++)
		strcat(text, "x");
	strcat(text, "\"");
	if (compile(newest, text, &p, &d))
		fail_msg("%s", d.message);
	text[strlen(text) - 1] = 0;
	strcat(text, "y\"");
	assert_int_equal(compile(newest, text, &p, &d), -1);
	assert_string_equal(d.message, "a string in a condition has 256 bytes at most");
	diag_fini(&d);

	if (compile(newest, "main.Strings(s, t string) if s == t", &p, &d))
		fail_msg("%s", d.message);
	assert_int_equal(p.call.nunders, 0);
	machine_set(m, "ax=20000 bx=2000 cx=20000 di=2000");
	assert_string_equal(verdict(m, &p.call), "?");
	free(m);
}

AROUND_ALL(conds_open, conds_close)
