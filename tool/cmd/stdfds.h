/* SPDX-License-Identifier: GPL-2.0 */
/* Standard descriptors that a parent left closed, or cannot be used. */
#ifndef GOPROBE_CMD_STDFDS_H
#define GOPROBE_CMD_STDFDS_H

#include "base/diag.h"

/* Before anything else is opened or forked. */
int stdfds_fix(struct diag *d);

#endif
