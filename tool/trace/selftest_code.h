/* SPDX-License-Identifier: GPL-2.0 */
/* The code of the module's self-test. Inside of selftest. */
#ifndef GOPROBE_TRACE_SELFTEST_CODE_H
#define GOPROBE_TRACE_SELFTEST_CODE_H

#include <stdint.h>

/* Calls what is at selftest_code with @rounds in ecx and in edx. */
void selftest_run(uint32_t rounds);
/* GOPROBE_SELF_TEST_CODE */
extern const uint8_t selftest_code[];

/* A function of two instructions: a NOP, and at selftest_ret a RET. */
void selftest_call(void);
extern const uint8_t selftest_ret[];

#endif
