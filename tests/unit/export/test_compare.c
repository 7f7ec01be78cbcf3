// SPDX-License-Identifier: GPL-2.0
/* Two recordings compared: exact percentiles, the largest change first. */
#include <stdlib.h>

#include "export/compare.h"
#include "rows.h"

#define CALLS 6

/**
 * struct compare_case - calls of two recordings
 * @claim: what is compared
 * @calls: function, recording (0: the old one), duration
 * @json: in JSON; expected with ' for "
 * @want: the lines
 */
static const struct compare_case {
	const char *claim;
	struct {
		const char *func;
		enum compare_side side;
		uint64_t ns;
	} calls[CALLS];
	bool json;
	const char *want;
} cases[] = {
#define HEADS \
	" OLD CALLS  NEW CALLS   OLD SUM   NEW SUM   OLD P50   NEW P50    CHANGE   OLD P99   NEW P99    CHANGE  FUNCTION\n"
	{
		"the function that has gained most time comes first",
		{ { "main.a", 0, 1000 }, { "main.a", 1, 1500 }, { "main.b", 0, 900 },
		  { "main.b", 1, 100 } },
		.want = HEADS
		"         1          1     900ns     100ns     900ns     100ns   -88.8 %     900ns     100ns   -88.8 %  main.b\n"
		"         1          1    1.00us    1.50us    1.00us    1.50us   +50.0 %    1.00us    1.50us   +50.0 %  main.a\n",
	}, {
		"percentiles are those of the calls, in any order",
		{ { "main.a", 0, 3000 }, { "main.a", 0, 1000 }, { "main.a", 0, 2000 },
		  { "main.a", 1, 2000 }, { "main.a", 1, 90000 }, { "main.a", 1, 2000 } },
		.want = HEADS
		"         3          3    6.00us    94.0us    2.00us    2.00us    +0.0 %    3.00us    90.0us    x 30.0  main.a\n",
	}, {
		"what was called in one recording only has no change",
		{ { "main.a", 0, 1000 }, { "main.b", 1, 2000 } },
		.want = HEADS
		"         0          1         -    2.00us         -    2.00us         -         -    2.00us         -  main.b\n"
		"         1          0    1.00us         -    1.00us         -         -    1.00us         -         -  main.a\n",
	}, {
		"as JSON",
		{ { "main.a", 0, 1000 }, { "main.a", 1, 1500 }, { "main.b", 1, 1 } }, true,
		"{'kind':'latency_diff','old_calls':1,'new_calls':1,'old_sum_ns':1000,'new_sum_ns':1500,'old_p50_ns':1000,'new_p50_ns':1500,'old_p99_ns':1000,'new_p99_ns':1500,'func':'main.a'}\n"
		"{'kind':'latency_diff','old_calls':0,'new_calls':1,'new_sum_ns':1,'new_p50_ns':1,'new_p99_ns':1,'func':'main.b'}\n",
	}, {
		"no time at all, and nothing", { { "main.a", 0, 0 }, { "main.a", 1, 5 } },
		.want = HEADS
		"         1          1       0ns       5ns       0ns       5ns         -       0ns       5ns         -  main.a\n",
	}, {
		"no calls", .want = HEADS,
	},
};

ROWS(test_compare, cases)
{
	const struct compare_case *c = *state;
	struct compare compare = { 0 };
	struct buf b = { 0 };

	for (size_t i = 0; i < CALLS && c->calls[i].func; i++)
		assert_int_equal(compare_add(&compare, c->calls[i].side, c->calls[i].func,
					     c->calls[i].ns), 0);
	compare_put(&compare, c->json, &b);
	for (size_t i = 0; i < b.len; i++)
		b.p[i] = b.p[i] == '"' ? '\'' : b.p[i];
	buf_char(&b, 0);
	assert_string_equal(b.p, c->want);
	compare_fini(&compare);
	buf_fini(&b);
}
