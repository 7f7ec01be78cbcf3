/* SPDX-License-Identifier: GPL-2.0 */
/* Rights of the process on the machine, and other tracers there. */
#ifndef GOPROBE_HOST_RIGHTS_H
#define GOPROBE_HOST_RIGHTS_H

#include "host/findings.h"
#include "host/host.h"

/* Capabilities and namespaces of the process itself. */
void rights_examine(const struct host *h, struct findings *f);
/* Uprobes that others have placed with tracefs. */
void rights_examine_tracers(const struct host *h, struct findings *f);

#endif
