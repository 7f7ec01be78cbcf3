/* SPDX-License-Identifier: GPL-2.0 */
/* Loading the module. */
#ifndef GOPROBE_TRACE_MODULE_LOAD_H
#define GOPROBE_TRACE_MODULE_LOAD_H

#include "base/diag.h"

/**
 * modload - have modprobe load the module, and report that on stderr
 * @d: why not, and what to do
 *
 * Return: 0, or -1.
 */
int modload(struct diag *d);

/* What to do about modprobe's complaint. Pure. */
const char *modload_remedy(const char *complaint);

#endif
