/* SPDX-License-Identifier: GPL-2.0 */
/* The hot path. */
#ifndef GP_HANDLER_H
#define GP_HANDLER_H

#include "compat.h"

GP_UPROBE_HANDLER(gp_handler_hit, uc, regs);

#endif
