/* SPDX-License-Identifier: GPL-2.0 */
/* Detours of a space: their landings. gp_jump_new() makes them. */
#ifndef GP_DETOURS_H
#define GP_DETOURS_H

struct gp_jump_space;

/* Remove the breakpoints of all landings, and wait for their handlers. */
void gp_jump_remove_landings(struct gp_jump_space *space);

#endif
