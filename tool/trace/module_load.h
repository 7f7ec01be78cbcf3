/* SPDX-License-Identifier: GPL-2.0 */
/* Loading the module. */
#ifndef GOPROBE_TRACE_MODULE_LOAD_H
#define GOPROBE_TRACE_MODULE_LOAD_H

#include "base/diag.h"

/**
 * module_load - have modprobe load the module, and report that on stderr
 * @d: why not, and what to do
 *
 * Return: 0, or -1.
 */
int module_load(struct diag *d);

/* What to do about modprobe's complaint. Pure. */
const char *module_load_remedy(const char *complaint);

#endif
