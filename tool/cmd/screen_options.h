/* SPDX-License-Identifier: GPL-2.0 */
/* Options of how text looks, which all commands have. */
#ifndef GOPROBE_CMD_SCREEN_OPTIONS_H
#define GOPROBE_CMD_SCREEN_OPTIONS_H

#include "base/diag.h"

/*
 * Take them out of @argv, up to a "--", and find out about the terminal. CMD_DONE, or CMD_USAGE
 * with a message.
 */
int screenopt_take(int *argc, char **argv, struct diag *d);

extern const char screenopt_help[];

#endif
