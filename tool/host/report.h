/* SPDX-License-Identifier: GPL-2.0 */
/* What else a report of a fault needs to know of a machine. */
#ifndef GOPROBE_HOST_REPORT_H
#define GOPROBE_HOST_REPORT_H

#include "host/findings.h"
#include "host/host.h"

/*
 * Versions, the system, its processors and clock, the module's parameters. Nothing that names
 * people, machines, programs or files of theirs.
 */
void report_examine(const struct host *h, struct findings *f);

#endif
