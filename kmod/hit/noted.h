/* SPDX-License-Identifier: GPL-2.0 */
/* Hits that took no trap and left a note, with a filter that no detour evaluates. */
#ifndef GP_NOTED_H
#define GP_NOTED_H

#include <linux/types.h>

struct gp_detour_note;
struct gp_note_point;

bool gp_noted_passes(const struct gp_note_point *point, const struct gp_detour_note *note);

#endif
