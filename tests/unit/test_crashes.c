// SPDX-License-Identifier: GPL-2.0
/*
 * Inputs that fuzzers failed on once: tests/fuzz/crashes/FUZZER-what-it-was. Each
 * must do no harm now; sanitizers look on.
 */
#include <dirent.h>
#include <stdint.h>
#include <time.h>

#include "fuzz.h"
#include "rows.h"

/* Tests run in their own directory. */
#define CRASHES "../fuzz/crashes"
#define INPUT_MAX (1U << 20)
/* Some took for ever. */
#define SECONDS_MAX 5

static const struct {
	const char *name;
	fuzz_fn run;
} fuzzers[] = {
	{ "dwarf", fuzz_dwarf }, { "elf", fuzz_elf }, { "insn", fuzz_insn },
	{ "merge", fuzz_merge },
	{ "near", fuzz_near }, { "netlink", fuzz_netlink }, { "pair", fuzz_pair },
	{ "pclntab", fuzz_pclntab }, { "quote", fuzz_quote },
	{ "recording", fuzz_recording }, { "rtypes", fuzz_rtypes }, { "spec", fuzz_spec },
	{ "stacks", fuzz_stacks }, { "value", fuzz_value },
};

static fuzz_fn fuzzer_of(const char *file)
{
	for (size_t i = 0; i < sizeof(fuzzers) / sizeof(*fuzzers); i++) {
		size_t n = strlen(fuzzers[i].name);

		if (!strncmp(file, fuzzers[i].name, n) && file[n] == '-')
			return fuzzers[i].run;
	}
	return NULL;
}

static void test_input(void **state)
{
	const char *file = *state;
	fuzz_fn run = fuzzer_of(file);
	char path[512];
	clock_t from;
	uint8_t *data;
	size_t n;
	FILE *f;

	if (!run)
		fail_msg("there is no fuzzer for %s", file);
	snprintf(path, sizeof(path), "%s/%s", CRASHES, file);
	f = fopen(path, "re");
	assert_non_null(f);
	data = malloc(INPUT_MAX);
	n = fread(data, 1, INPUT_MAX, f);
	fclose(f);
	data = realloc(data, n ? n : 1);	/* so that reads behind it show */
	from = clock();
	assert_int_equal(run(data, n), 0);
	assert_true((clock() - from) / CLOCKS_PER_SEC < SECONDS_MAX);
	free(data);
}

static int is_input(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Rows have their names. */
static struct dirent **inputs;

static void __attribute__((constructor)) add_inputs(void)
{
	int n = scandir(CRASHES, &inputs, is_input, alphasort);

	for (int i = 0; i < n; i++)
		rows_add(__LINE__, inputs[i]->d_name, test_input, inputs[i]->d_name);
}
