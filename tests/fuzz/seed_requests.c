// SPDX-License-Identifier: GPL-2.0
/* Requests of every kind, for fuzz_expr. */
#include "fuzz.h"
#include "seed.h"
#include "synth.h"

/*
 * Of the functions in tiny, whose number is times 2; without debug information + 1; timed + 0x10,
 * counted + 0x18, limited + 0x40 and 0x80. What else is asked for is in @more.
 */
static const struct {
	uint8_t kind;
	uint8_t more;
	const char *text;
} expressions[] = {
	{ 0, 0, "f(s, c.r, len(c.tags), c.next.name, c.notes[\"a\"].x)(err, n)" },
	{ 0, 0, "f(*c.next, c.any.(int), c.tags[0], cap(more), c.hook)(n)" },
	{ 0, 0x18, "f(more[1].(string), s.(*main.circle).point.x, main.x, len(c.name))" },
	{ 2, 4, "f(c.done, c.x, c.next.next.r)(~r0)" }, { 4, 8, "f(a, b)(~r0)" },
	{ 1, 0, "f(s shape, c *main.circle, more ...interface{}) (n int, err error) : (c.r)(n)" },
	{ 3, 0x40, "f() float64" }, { 5, 0, "f(a, b int) int : (a)(~r0)" },
	{ 6, 0x10, "f(runtime.ncpu)" }, { 4, 0, "main.twice(a)" },
	{ 0, 0, "f if s != nil && c.r > 1.5 && len(c.tags) == 2 && err == nil" },
	{ 0, 0, "f if hasPrefix(c.name, \"ab\") || !c.done && c.next.x != -3" },
	{ 2, 0, "f if c.x << 2 &^ 1 == 1 << 4 % 9 && n % 10 == 0 && goid == 7" },
	{ 2, 0, "f if duration > 1.5s && ~r0 < 2e3 || ~r0 != ~r0" },
	{ 4, 0, "f if a / b == 7 || a ^ b >= 'x' && under(main.main)" },
	{ 5, 0, "f(a, b int) int if a * b - 1 == 3 && ~r0 > 0" },
	{ 4, 0, "f if a == 10ms || b | a == 0x7fffffffffffffff" },
	/* Places. */
	{ 0, 0, "main.go:45(more, len(c.notes), *c, n) if n > 3" }, { 0, 0, "main.go:53" },
	{ 0, 8, "tiny/main.go:37(a) if a != 0" }, { 1, 0, "main.go:47" },
	{ 0, 0, "main.go:35(a, b)" },
	{ 0, 0, "main.add+0x0(a)" }, { 1, 8, "main.add+0($rax, $rbx) if $rax > 5" },
	{ 0, 0, "main.main+20" }, { 0, 0, "*0x4829e0($rsp)" }, { 1, 0, "*0x401000($rax)" },
	/* Edits. */
	{ 4, 0, "f set a = 5, b = a * 2 + 1 if a > 3 && b != 0" },
	{ 4, 0, "f if a > 3 set a = b, b = a delay 50ms on return set ~r0 = -1" },
	{ 0, 0x20, "f set c.r = 1.5, c.name = \"x\", c.x = c.y on return set n = 0, err = nil" },
	{ 0, 0, "f set c.tags = c.tags[:1], more = nil, c.done = nil" },
	{ 0, 0, "f set c.name = c.name[1:], c.next.r = 2 on return delay 1s" },
	{ 2, 0, "f on return set ~r0 = 2.5 if ~r0 < 0" }, { 4, 0, "f delay 10us if goid == 18" },
	{ 5, 0, "f(a, b int) int set a = 7 on return set ~r0 = a" },
	{ 0, 0, "f if c != nil set c.next = nil, c.tags[0] = \"\", c.notes = nil" },
	/* Goroutines, and how calls end. */
	{ 0, 0x10, "f(label(\"k\")) if label(\"k\") == \"v\" && creator == 1" },
	{ 4, 0, "f if descendant(18) && !panicked" }, { 4, 0, "f if panicked && a < b" },
	{ 4, 0, "f if under(main.describe) && hasSuffix(label(\"a/b\"), \"x\")" },
	/* Limits. */
	{ 0x44, 1, "f if a > 1" }, { 0xe4, 2, "f if ~r0 > 1" }, { 0xc0, 0x81, "f" },
	{ 0xe4, 0x83, "f if n < 5 && under(main.main)" },
	/* Counted, timed, and by what. */
	{ 0x1c, 0, "f if a > 5\na" }, { 0x14, 4, "f if duration > 1ms\nlabel(\"k\")" },
	{ 0x10, 0, "f\nc.name" }, { 0x10, 0, "f if err != nil\nerr" }, { 0x18, 0, "f\ns" },
	{ 0x18, 1, "f" }, { 0x1c, 3, "f if a == 1" },
	{ 0x18, 0, "main.go:47 if n > 1\nlen(c.tags)" },
	/* Values, with steps + 0x10. */
	{ 0x1c, 8, "f\na - b" }, { 0x1c, 0x18, "f if a > 1\n~r0" },
	{ 0x18, 0x18, "f if err == nil\nlen(c.tags)" }, { 0x18, 8, "main.go:47\nlen(c.tags)" },
	{ 0x12, 0, "f\ncreator" }, { 0x1c, 0, "f\na % 10" }, { 0x12, 0, "f\n~r0" },
};

void seed_requests(void)
{
	for (unsigned int i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		struct synth_bytes seed = { .p = NULL };

		synth_u8(&seed, expressions[i].kind);
		synth_u8(&seed, expressions[i].more);
		synth_put(&seed, expressions[i].text, strlen(expressions[i].text));
		seed_save("expr", i, seed.p, seed.n);
		synth_fini(&seed);
	}
}
