/* SPDX-License-Identifier: GPL-2.0 */
/* Landings: the breakpoint of an area, at which detours hand hits over to the handler. */
#ifndef GP_LANDING_H
#define GP_LANDING_H

#include <linux/types.h>

struct gp_area;
struct gp_jump_space;

/*
 * Place the breakpoint of the area's landing, if it is not there. Context: a kernel thread that
 * uses the process's memory, without the lock of its mappings. Return: 0 or an error.
 */
int gp_landing_place(struct gp_area *area);
/*
 * Remove the breakpoints of all landings. Return: whether there were any: then handlers are over
 * after gp_compat_unregister_sync().
 */
bool gp_landing_remove_all(struct gp_jump_space *space);

#endif
