// SPDX-License-Identifier: GPL-2.0
/* dwarf/blank.c: lists of parameters that agree with what is known. */
#include <stdint.h>

#include "dwarf/blank.h"
#include "rows.h"

/* Of FUNCDATA_ArgInfo: src/internal/abi/symtab.go. */
#define END 0xff
#define OPEN 0xfe
#define CLOSE 0xfd

/*
 * func(uint16, int8, map[int]int, []error, float64, ...int) (... [2]uintptr), whose parameters have
 * no names, and which saves none of them. The float could be an integer, but not all ten parts.
 */
TEST(test_registers, "undescribed parameters take no more registers than there are")
{
	static const uint8_t info[] = {
		16, 2, 18, 1, 24, 8, OPEN, 32, 8, 40, 8, 48, 8, CLOSE, 56, 8,
		OPEN, 64, 8, 72, 8, 80, 8, CLOSE, END,
	};
	struct blank_call call = {
		.args = 88, .results = 16, .results_at = -1,
		.info = { .data = info, .len = sizeof(info) },
	};
	unsigned int ints = 0, floats = 0;
	struct blank_layout layout;
	struct arena mem = { 0 };

	assert_int_equal(blank_solve(&call, &mem, &layout), 0);
	assert_true(layout.results_sure);
	assert_int_equal(layout.nsteps, 6);
	for (size_t i = 0; i < layout.nsteps; i++) {
		ints += layout.steps[i].ints;
		floats += layout.steps[i].floats;
		assert_int_equal(layout.steps[i].stack, 0);
	}
	assert_in_range(ints, 1, 9);
	assert_in_range(floats, 0, 15);
	arena_fini(&mem);
}

/* Nothing is known of the arguments but their bytes. */
TEST(test_results, "results are where the debug information has them")
{
	struct blank_call call = { .args = 24, .results = 8, .results_at = -1 };
	struct blank_layout layout;
	struct arena mem = { 0 };

	assert_int_equal(blank_solve(&call, &mem, &layout), 0);
	assert_false(layout.results_sure);
	call.results_at = 8;
	assert_int_equal(blank_solve(&call, &mem, &layout), 0);
	assert_true(layout.results_sure);
	arena_fini(&mem);
}
