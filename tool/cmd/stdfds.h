/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has from its parent, and can't work with. */
#ifndef GOPROBE_CMD_STDFDS_H
#define GOPROBE_CMD_STDFDS_H

#include "base/diag.h"

/* Before anything else is opened or forked. */
int inherited_mend(struct diag *d);

#endif
