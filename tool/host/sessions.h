/* SPDX-License-Identifier: GPL-2.0 */
/* Traces of others on a machine: is the process of each at work? */
#ifndef GOPROBE_HOST_SESSIONS_H
#define GOPROBE_HOST_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "host/findings.h"
#include "host/host.h"

/* The module has @n sessions, which these processes have made. */
void sessions_examine(const struct host *h, const uint32_t *owners, size_t n, struct findings *f);

#endif
