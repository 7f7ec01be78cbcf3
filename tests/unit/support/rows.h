/* SPDX-License-Identifier: GPL-2.0 */
/* Tests that register themselves, and tables whose rows are tests. */
#ifndef GOPROBE_TEST_ROWS_H
#define GOPROBE_TEST_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct diag;

#define N(array) (sizeof(array) / sizeof((array)[0]))

/*
 * TEST(func, "claim") or TEST(func): the head of a test, whose braces follow. The test's name is
 * the claim, or the function's. A program runs its tests in the order of its file.
 */
#define TEST(func, ...) \
	TEST_HEAD(func); \
	AT_START(func, rows_add(__LINE__, CLAIM("" __VA_ARGS__, #func), func, NULL)) \
	TEST_HEAD(func)

/*
 * The head of a test of each row of a table, which is *state. A row begins with its claim, a
 * const char *. MORE_ROWS() gives the same function another table.
 */
#define ROWS(func, rows) \
	TEST_HEAD(func); \
	MORE_ROWS(func, rows) \
	TEST_HEAD(func)
#define MORE_ROWS(func, rows) \
	AT_START(func##_##rows, \
		 rows_add_all(__LINE__, rows, sizeof(rows), sizeof((rows)[0]), func))

/*
 * What runs before and after all tests of the program, and each of them that is not of a row.
 * NULL: nothing.
 */
#define AROUND_ALL(set_up, tear_down) AT_START(all, rows_around_all(set_up, tear_down))
#define AROUND_EACH(set_up, tear_down) AT_START(each, rows_around_each(set_up, tear_down))

#define CLAIM(claim, name) (sizeof(claim) > 1 ? (claim) : (name))
#define TEST_HEAD(func) static void func(void **state __attribute__((unused)))
/* Before main(). */
#define AT_START(name, ...) \
	static void __attribute__((constructor)) name##_at_start(void) \
	{ \
		__VA_ARGS__; \
	}

void rows_add(int line, const char *claim, CMUnitTestFunction func, const void *state);
void rows_add_all(int line, const void *rows, size_t bytes, size_t row_bytes,
		  CMUnitTestFunction func);
void rows_around_all(CMFixtureFunction set_up, CMFixtureFunction tear_down);
void rows_around_each(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* @d says @message of part @at of @text, with @hint ("(none)": without). NULL: not checked. */
void rows_expect_diag(const struct diag *d, const char *message, const char *text, const char *at,
		      const char *hint);

#endif
