/* SPDX-License-Identifier: GPL-2.0 */
/* The set of goroutines that GOPROBE_OP_MEMBER asks about. */
#ifndef GP_MEMBERS_H
#define GP_MEMBERS_H

#include <linux/types.h>

/* See struct goprobe_limits. Each takes 32 to 64 bytes. */
#define GP_MEMBERS_MAX	(1024U << 10)

struct gp_members;

struct gp_members *gp_members_new(u32 n);
void gp_members_free(struct gp_members *members);
u32 gp_members_number(const struct gp_members *members);
bool gp_members_has(const struct gp_members *members, u64 process, u64 goid);
int gp_members_join(struct gp_members *members, u64 process, u64 goid);
void gp_members_part(struct gp_members *members, u64 process, u64 goid);
u32 gp_members_reap(struct gp_members *members, bool (*alive)(u64 process));

#endif
