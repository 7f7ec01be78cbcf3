/* SPDX-License-Identifier: GPL-2.0 */
/* Walk of the references of a record's frame. */
#ifndef GP_WALK_H
#define GP_WALK_H

struct gp_capture;

int gp_walk_run(struct gp_capture *c);

#endif
