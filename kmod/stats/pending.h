/* SPDX-License-Identifier: GPL-2.0 */
/* Records of calls that wait until it is known whether anybody wants them. */
#ifndef GP_HELD_H
#define GP_HELD_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <goprobe.h>

/* See struct goprobe_limits. */
#define GP_HELD_BYTES_MAX	SZ_1G

struct gp_held;

/* A record that is held: as it goes to the ring, but for when that will be. */
struct gp_held_record {
	struct goprobe_record rec;
	u64 ago;
	u8 frame[];
};

struct gp_held *gp_held_new(u32 calls, u32 bytes);
void gp_held_free(struct gp_held *held);
u32 gp_held_take(struct gp_held *held);
void gp_held_give(struct gp_held *held, u32 number);
struct gp_held_record *gp_held_at(const struct gp_held *held, u32 number);
u32 gp_held_bytes(const struct gp_held *held);

#endif
