/* SPDX-License-Identifier: GPL-2.0 */
/* Pending records: records of calls that are written only if the call's end passes its filter. */
#ifndef GP_PENDING_H
#define GP_PENDING_H

#include <linux/sizes.h>
#include <linux/types.h>
#include <goprobe.h>

/* See struct goprobe_limits. */
#define GP_PENDING_BYTES_MAX	SZ_1G

struct gp_pending;

/* A pending record, as it will go to the ring, but for the time. */
struct gp_pending_record {
	struct goprobe_record rec;
	u64 ago;
	u8 frame[];
};

struct gp_pending *gp_pending_new(u32 calls, u32 bytes);
void gp_pending_free(struct gp_pending *held);
u32 gp_pending_take(struct gp_pending *held);
void gp_pending_give(struct gp_pending *held, u32 number);
struct gp_pending_record *gp_pending_at(const struct gp_pending *held, u32 number);
u32 gp_pending_bytes(const struct gp_pending *held);

#endif
