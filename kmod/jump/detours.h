/* SPDX-License-Identifier: GPL-2.0 */
/* Detours of a space: their landings. gp_jump_new() makes them. */
#ifndef GP_DETOURS_H
#define GP_DETOURS_H

#include <linux/types.h>

struct gp_area;
struct gp_jump_space;

/*
 * Place the breakpoint of the area's landing, if it is not there. Context: a kernel thread that
 * uses the process's memory, without the lock of its mappings. Return: 0 or an error.
 */
int gp_jump_place_landing(struct gp_area *area);
/*
 * Remove the breakpoints of all landings. Return: whether there were any: then handlers are over
 * after gp_compat_unregister_sync().
 */
bool gp_jump_remove_landings(struct gp_jump_space *space);

#endif
