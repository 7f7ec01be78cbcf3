// SPDX-License-Identifier: GPL-2.0
/* Rows and facts look right as text and as JSON, and so do the tables of count and latency. */
#include <stdlib.h>
#include <string.h>

#include "output/row.h"
#include "output/screen.h"
#include "output/stats_print.h"
#include "rows.h"

static struct buf text;

static int setup(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	text.len = 0;
	return 0;
}

static void says(const char *want)
{
	buf_char(&text, 0);
	assert_false(text.failed);
	assert_string_equal(text.p, want);
	text.len = 0;
}

/* --- rows ---------------------------------------------------------------- */

static const struct column name = { "name", "NAME", 6 };
static const struct column size = { "size", "SIZE", -6 };
static const struct column took = { "took_ns", "TOOK", -8 };
static const struct column note = { NULL, "NOTE", 0 };

static void table(enum row_mode mode)
{
	static const struct {
		const char *name;
		uint64_t size, took;
		const char *note;
	} rows[] = {
		{ "a", 7, 1500, "x" },
		{ "世界", 123456, 0, "wide characters take two columns" },
		{ "longer than it", 1234567, 2000000000, "a blank stands between" },
		{ "b\033[2J", 0, 1, "a terminal is not controlled" },
	};
	struct row r = { .b = &text, .mode = mode };

	for (size_t i = 0; i < (mode == ROW_HEADS ? 1 : 4); i++) {
		row_begin(&r, "thing");
		row_str(&r, &name, rows[i].name);
		row_u64(&r, &size, rows[i].size);
		row_ns(&r, &took, rows[i].took, rows[i].took);
		row_str(&r, &note, rows[i].note);
		row_end(&r);
	}
}

TEST(test_text)
{
	table(ROW_HEADS);
	table(ROW_TEXT);
	says("NAME    SIZE    TOOK  NOTE\n"
	     "a          7  1.50us  x\n"
	     "世界   123456       -  wide characters take two columns\n"
	     "longer than it  1234567   2.00s  a blank stands between\n"
	     "b?[2J      0     1ns  a terminal is not controlled\n");
}

TEST(test_json)
{
	table(ROW_JSON);
	says("{\"kind\":\"thing\",\"name\":\"a\",\"size\":7,\"took_ns\":1500}\n"
	     "{\"kind\":\"thing\",\"name\":\"世界\",\"size\":123456}\n"
	     "{\"kind\":\"thing\",\"name\":\"longer than it\",\"size\":1234567,\"took_ns\":2000000000}\n"
	     "{\"kind\":\"thing\",\"name\":\"b\\u001b[2J\",\"size\":0,\"took_ns\":1}\n");
}

TEST(test_members)
{
	json_line(&text, "k");
	json_raw(&text, "list", "[");
	for (int i = 0; i < 2; i++) {
		json_element(&text);
		buf_char(&text, '{');
		json_name(&text, "\"{");
		buf_str(&text, "\"[\"");
		json_hex(&text, "at", 255);
		buf_char(&text, '}');
	}
	buf_char(&text, ']');
	json_flag(&text, "absent", false);
	json_flag(&text, "there", true);
	json_known(&text, "unknown", false, 3);
	json_str(&text, "null", NULL);
	json_end_line(&text);
	says("{\"kind\":\"k\",\"list\":[{\"\\\"{\":\"[\",\"at\":\"0xff\"},{\"\\\"{\":\"[\",\"at\":\"0xff\"}],\"there\":true,\"unknown\":null,\"null\":null}\n");
}

TEST(test_facts)
{
	static const struct fact facts[] = {
		{ "one", 1, "call", "left out", FACT_ALWAYS },
		{ "two", 2, "call", "left out", 0 },
		{ "always", 0, "call", "that text leaves out", FACT_ALWAYS },
		{ "absent", 0, "call", "that both leave out", 0 },
		{ "data", 5, NULL, NULL, 0 },
		{ "said", 0, "change", "made", FACT_SAID },
		{ "waits", 3, "record", "waited", 0 },
		{ "seconds", 250000000, NULL, NULL, FACT_NS },
	};

	row_facts_text(&text, facts, N(facts));
	says("1 call left out\n2 calls left out\n0 changes made\n3 records waited, 0.3s in all\n");
	buf_char(&text, '{');
	row_facts_json(&text, facts, N(facts));
	says("{\"one\":1,\"two\":2,\"always\":0,\"data\":5,\"waits\":3,\"seconds\":0.250000");
}

TEST(test_share)
{
	static const struct { uint64_t part, all; const char *want; } rows[] = {
		{ 0, 0, "0.0 %" }, { 1, 3, "33.3 %" }, { 999999, 1000000, "99.9 %" },
		{ UINT64_MAX, UINT64_MAX, "100.0 %" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		row_share(&text, rows[i].part, rows[i].all);
		says(rows[i].want);
	}
}

/* --- tables of count and latency ------------------------------------------- */

static const struct gofunc fns[] = { { .name = "main.slow" }, { .name = "main.fast" } };
static struct plan_func funcs[] = { { .fn = &fns[0] }, { .fn = &fns[1], .id = 1 } };
static struct plan_func *list[] = { &funcs[0], &funcs[1] };
static const struct plan plan = { .o = &plan_defaults, .funcs = list, .nfuncs = 2 };
static uint64_t stats[__GOPROBE_STAT_MAX] = {
	[GOPROBE_STAT_FILTERED] = 3, [GOPROBE_STAT_NO_CALL] = 1,
};

/* Two functions, of which one has no duration. */
static void show(bool timed, bool json, uint64_t ns)
{
	const struct stats_print s = { .plan = &plan, .timed = timed, .json = json };
	const struct stats_print_when when = { 1000000000, ns };
	const struct stats_print_end end = { 2500000000, stats };
	const uint64_t buckets[] = { 2 };
	struct tallies t;

	assert_int_equal(tallies_init(&t, 2), 0);
	tallies_add(&t, &(struct goprobe_tally){
		.id = 0, .calls = 3, .first = 40, .nbuckets = 1, .sum = 5000, .min = 2000,
		.max = 3000, .unwound = 1,
	}, buckets);
	tallies_add(&t, &(struct goprobe_tally){ .id = 1, .hits = 24 }, NULL);
	tallies_sort(&t, TALLIES_BY_TIME);
	stats_print_table(&s, &t, &when, &text);
	if (json)
		stats_print_summary(&s, &t, &end, &text);
	else
		stats_print_say(&s, &t, &end, &text);
	tallies_fini(&t);
}

static const struct table_case {
	const char *claim;
	bool timed, json;
	uint64_t ns;
	const char *want;
	bool wide;
} tables[] = {
	{
		"count", false, false, 0,
		"     CALLS  FUNCTION\n"
		"         3  main.slow\n"
		"        24  main.fast\n"
		"27 calls of 2 functions in 2.50s\n"
		"3 calls did not pass the condition\n"
	}, {
		"count -i", false, false, 500000000,
		"00:00:01.000\n"
		"     CALLS  PER SECOND         ALL  FUNCTION\n"
		"         3           6           3  main.slow\n"
		"        24          48          24  main.fast\n"
		"\n"
		"27 calls of 2 functions in 2.50s\n"
		"3 calls did not pass the condition\n"
	}, {
		"count -o json -i", false, true, 500000000,
		"{\"kind\":\"count\",\"func\":\"main.slow\",\"time_ns\":1000000000,\"new\":3,\"calls\":3,\"new_ns\":500000000}\n"
		"{\"kind\":\"count\",\"func\":\"main.fast\",\"time_ns\":1000000000,\"new\":24,\"calls\":24,\"new_ns\":500000000}\n"
		"{\"kind\":\"summary\",\"functions\":2,\"called\":2,\"calls\":27,\"seconds\":2.500000,\"filtered\":3,\"undecided\":0}\n"
	}, {
		"latency", true, false, 0,
		"     CALLS       SUM      MEAN       P50       P90       P99       MAX  FUNCTION\n"
		"         3    5.00us    2.50us    2.30us    2.55us    2.55us    3.00us  main.slow\n"
		"        24         -         -         -         -         -         -  main.fast\n"
		"27 calls of 2 functions in 2.50s\n"
		"1 return of calls that began before tracing, or did not count\n"
		"3 calls did not pass the condition\n"
	}, {
		"latency --wide", true, false, 0,
		"     CALLS       SUM      MEAN       P50       P90       P95       P99     P99.9       MAX  FUNCTION\n"
		"         3    5.00us    2.50us    2.30us    2.55us    2.55us    2.55us    2.55us    3.00us  main.slow\n"
		"        24         -         -         -         -         -         -         -         -  main.fast\n"
		"27 calls of 2 functions in 2.50s\n"
		"1 return of calls that began before tracing, or did not count\n"
		"3 calls did not pass the condition\n",
		.wide = true,
	}, {
		"latency -o json", true, true, 0,
		"{\"kind\":\"latency\",\"func\":\"main.slow\",\"time_ns\":1000000000,\"calls\":3,\"returned\":2,\"open\":0,\"unwound\":1,\"gone\":0,\"sum_ns\":5000,\"mean_ns\":2500,\"min_ns\":2000,\"p50_ns\":2303,\"p90_ns\":2559,\"p95_ns\":2559,\"p99_ns\":2559,\"p999_ns\":2559,\"max_ns\":3000}\n"
		"{\"kind\":\"latency\",\"func\":\"main.fast\",\"time_ns\":1000000000,\"calls\":24,\"returned\":0,\"open\":24,\"unwound\":0,\"gone\":0}\n"
		"{\"kind\":\"summary\",\"functions\":2,\"called\":2,\"calls\":27,\"seconds\":2.500000,\"no_room\":0,\"no_call\":1,\"no_goroutine\":0,\"filtered\":3,\"undecided\":0}\n"
	},
};

ROWS(test_table, tables)
{
	const struct table_case *c = *state;

	text.len = 0;
	screen.wide = c->wide;
	show(c->timed, c->json, c->ns);
	screen.wide = false;
	says(c->want);
}

/* --- what has words, lists and lines --- */

static void put_thing(enum row_mode mode, const char *remark)
{
	static const struct column what = { "name", NULL, 0 }, n = { "calls", NULL, 8 },
		good = { "good", NULL, 0 }, said = { "remark", NULL, 0 };
	struct row r = { .b = &text, .mode = mode, .whole = true };

	row_begin(&r, "thing");
	row_text(&r, "thing ");
	row_str(&r, &what, "a\033b");
	row_text(&r, " of ");
	row_list(&r, "ids");
	row_element_i64(&r, -4);
	row_element_str(&r, "x\"");
	row_list_end(&r);
	row_text(&r, ", sizes");
	row_members(&r, "sizes");
	row_member_u64(&r, "all", 6, 17);
	row_member_u64(&r, "one", 6, 0);
	row_members_end(&r);
	row_lines(&r, "functions");
	for (uint64_t i = 0; i < 2; i++) {
		row_line(&r);
		row_u64_of(&r, &n, i, "call");
		row_flag(&r, &good, i, "good", "bad");
		if (remark)
			row_text(&r, ": ");
		row_str_or_null(&r, &said, remark);
		row_line_end(&r);
	}
	row_lines_end(&r);
	row_end(&r);
}

TEST(test_lines)
{
	screen.columns = 10;
	put_thing(ROW_TEXT, "why");
	says("thing a?b of  -4 x\", sizes\n  all   17\n  one   0\n  0 calls bad: why\n  1 call  good: why\n");
	screen.columns = 0;
	put_thing(ROW_TEXT, NULL);
	says("thing a?b of  -4 x\", sizes\n  all   17\n  one   0\n  0 calls bad\n  1 call  good\n");
	put_thing(ROW_JSON, NULL);
	says("{\"kind\":\"thing\",\"name\":\"a\\u001bb\",\"ids\":[-4,\"x\\\"\"],\"sizes\":{\"all\":17,\"one\":0},\"functions\":[{\"calls\":0,\"good\":false,\"remark\":null},{\"calls\":1,\"good\":true,\"remark\":null}]}\n");
}

/* Columns are as wide as their cells, within bounds; a terminal divides its own width. */
TEST(test_widen)
{
	struct column c = { "name", "NAME", 6 };
	char wide[400];

	memset(wide, 'x', sizeof(wide));
	row_widen(&c, wide, 3);
	assert_int_equal(c.width, 6);
	row_widen(&c, "世界世界", strlen("世界世界"));
	assert_int_equal(c.width, 9);
	row_widen(&c, wide, 50);
	assert_int_equal(c.width, 51);
	row_widen(&c, wide, sizeof(wide));
	row_widen(&c, wide, 20);
	assert_int_equal(c.width, 51);
	screen.columns = 80;
	row_widen(&c, wide, 100);
	screen.columns = 0;
	assert_int_equal(c.width, 51);
}

AROUND_EACH(setup, NULL)
