/* SPDX-License-Identifier: GPL-2.0 */
/* What a process has from its parent, and can't work with. */
#ifndef GOPROBE_INHERITED_H
#define GOPROBE_INHERITED_H

#include "base/diag.h"

/* Before anything else is opened or forked. */
int inherited_mend(struct diag *d);

#endif
