/* SPDX-License-Identifier: GPL-2.0 */
/* Run a verified program of a plan. */
#ifndef GP_PROGRAM_H
#define GP_PROGRAM_H

struct gp_capture;

int gp_program_run(struct gp_capture *c);

#endif
