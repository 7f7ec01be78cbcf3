/* SPDX-License-Identifier: GPL-2.0 */
/* The code in assembly of the tests of detours: the beginning of a function, and its ends. */
#ifndef GOPROBE_TEST_DETOUR_H
#define GOPROBE_TEST_DETOUR_H

void detour_run(void);
void detour_next(void);
void detour_cold(void);
void detour_morestack(void);

#endif
