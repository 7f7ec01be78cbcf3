/* SPDX-License-Identifier: GPL-2.0 */
/* Choice of the points of a session that become jumps. */
#ifndef GP_TRAPLESS_H
#define GP_TRAPLESS_H

#include <linux/types.h>

struct gp_probe;
struct gp_session;
struct goprobe_point;

/* The parameter allow_jumps of the module. */
bool gp_trapless_allowed(void);

void gp_trapless_init(struct gp_session *s, u32 flags);
/* The session has points, or runs. Any number of times. Context: its turn. */
void gp_trapless_start(struct gp_session *s);
/* All its points are breakpoints again. Context: its turn. */
void gp_trapless_pause(struct gp_session *s);
/* The session has stopped, for good. Context: not its turn. */
void gp_trapless_stop(struct gp_session *s);

/* These points, verified, of a file will be added. Context: the session's turn, no other lock. */
void gp_trapless_prepare(struct gp_session *s, u32 file, const struct goprobe_point *points, u32 n);
/*
 * Prepare a probe for becoming a jump, if its point @p, verified, may be one, and it can. @cold:
 * @cold_len bytes of the file's at its cold block. Return: 0 or -ENOMEM.
 */
int gp_trapless_plan(struct gp_probe *probe, const struct goprobe_point *p, const u8 *cold,
		     u32 cold_len);

#endif
