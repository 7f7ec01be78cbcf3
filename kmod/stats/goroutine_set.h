/* SPDX-License-Identifier: GPL-2.0 */
/* Set of goroutines for GOPROBE_OP_IN_SET. */
#ifndef GP_GOROUTINE_SET_H
#define GP_GOROUTINE_SET_H

#include <linux/types.h>

/* See struct goprobe_limits. Each member takes 32 to 64 bytes. */
#define GP_GOROUTINE_SET_MAX	(1024U << 10)

struct gp_goroutine_set;

struct gp_goroutine_set *gp_goroutine_set_new(u32 n);
void gp_goroutine_set_free(struct gp_goroutine_set *members);
u32 gp_goroutine_set_number(const struct gp_goroutine_set *members);
bool gp_goroutine_set_has(const struct gp_goroutine_set *members, u64 process, u64 goid);
int gp_goroutine_set_join(struct gp_goroutine_set *members, u64 process, u64 goid);
void gp_goroutine_set_part(struct gp_goroutine_set *members, u64 process, u64 goid);
u32 gp_goroutine_set_reap(struct gp_goroutine_set *members, bool (*alive)(u64 process));

#endif
