/* SPDX-License-Identifier: GPL-2.0 */
/* Analysis of the last writes before a function returns. Pure. */
#ifndef GOPROBE_X86_RETURNED_H
#define GOPROBE_X86_RETURNED_H

#include <stddef.h>
#include <stdint.h>

/*
 * The registers that are set before a RET of the @len bytes of @code, behind the last branch or
 * call, and not used any more: 1 << N for register N of DWARF. The compiler sets nothing there
 * but what the function returns; what it has set earlier is missing.
 */
uint64_t returned_registers(const uint8_t *code, size_t len);

#endif
