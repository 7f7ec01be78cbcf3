/* SPDX-License-Identifier: GPL-2.0 */
/* Telling a person how far the placing of breakpoints has come. */
#ifndef GOPROBE_PROGRESS_H
#define GOPROBE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* On a terminal; elsewhere only if it takes long. *@said: when it was last told, ns; 0 first. */
void progress_show(uint64_t *said, size_t placed, size_t all);

#endif
