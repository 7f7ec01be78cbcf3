/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Points that become jumps. Which ones, and when: control/trapless.c. How code is changed:
 * jump/jump.c. All but gp_jumps_close_all(), gp_jumps_count_open() and gp_jumps_advance() are
 * called with the lock of the points' inode.
 */
#ifndef GP_JUMPS_H
#define GP_JUMPS_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct gp_file;
struct gp_inode;
struct gp_point;
struct gp_probe;
struct gp_session;
struct gp_tallies;
struct pid;

/*
 * Have breakpoints become jumps in a process: @n of @probes, all of @f, where they are not yet.
 * @end: when to stop, by ktime_get_ns(). Context: the session's turn; a kernel thread. May leave it
 * for next time. Return: whether some became jumps.
 */
bool gp_jumps_advance(struct gp_file *f, struct mm_struct *mm, struct pid *pid,
		      struct gp_probe **probes, u32 n, u64 end);
/*
 * Look after the file's processes: forget those that have ended, and place breakpoints where a jump
 * has disappeared. Context: as gp_jumps_advance(). Return: the number of such jumps.
 */
u32 gp_jumps_look_after(struct gp_file *f, struct gp_tallies *tallies);
/*
 * No point of the session is a jump any more. Context: its turn; breakpoints are still there.
 * Return: how many jumps turn out to have disappeared.
 */
u32 gp_jumps_close_all(struct gp_session *s);

/*
 * Count the timed calls that are open in processes, for the session's tallies. Context: the
 * session's lock, and not that of an inode.
 */
void gp_jumps_count_open(struct gp_session *s);

/* The point is a breakpoint in all processes. */
void gp_jumps_disarm(struct gp_point *point);
/*
 * Has a process of the probe's session other code at the place than @code, @len bytes of the
 * file's, or a breakpoint, or a jump of ours? Context: a kernel thread.
 */
bool gp_jumps_find_foreign(const struct gp_inode *inode, const struct gp_probe *probe,
			   const u8 *code, u32 len);
/* Is there a jump whose code a breakpoint at @offset would be in? */
bool gp_jumps_cover(const struct gp_inode *inode, u64 offset);

#endif
