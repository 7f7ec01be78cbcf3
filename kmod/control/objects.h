/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session is given. Context of all: the session's turn and its lock; of _del_points() and
 * _del_ids(), which wait for handlers, the turn alone; of _add_file() and _add_points(),
 * which read files, neither; of _free(), nobody else has the session.
 */
#ifndef GP_CONTENTS_H
#define GP_CONTENTS_H

#include <linux/types.h>
#include <goprobe.h>

struct file;
struct gp_session;
struct netlink_ext_ack;
struct pid_namespace;

/* What GOPROBE_CMD_PLANS_ADD brings. */
struct gp_plans_wire {
	const struct goprobe_plan *plans;
	u32 nplans;
	const struct goprobe_piece *pieces;
	u32 npieces;
	const struct goprobe_op *ops;
	u32 nops;
};

int gp_contents_add_file(struct gp_session *s, struct file *file,
			 const struct goprobe_runtime *rt,
			 struct netlink_ext_ack *extack);
int gp_contents_add_types(struct gp_session *s, const struct goprobe_type *types,
			  u32 ntypes, const struct goprobe_ref *refs, u32 nrefs,
			  struct netlink_ext_ack *extack);
int gp_contents_add_dynamic(struct gp_session *s, u32 file,
			    const struct goprobe_dynamic *add, u32 n,
			    struct netlink_ext_ack *extack);
int gp_contents_add_plans(struct gp_session *s, const struct gp_plans_wire *w,
			  struct netlink_ext_ack *extack);
int gp_contents_add_filters(struct gp_session *s, const struct goprobe_filter *add, u32 n,
			    const struct goprobe_op *ops, u32 nops,
			    struct netlink_ext_ack *extack);
int gp_contents_add_points(struct gp_session *s, u32 file,
			   const struct goprobe_point *points, u32 n,
			   struct netlink_ext_ack *extack);
void gp_contents_del_points(struct gp_session *s);
int gp_contents_add_members(struct gp_session *s, struct pid_namespace *ns,
			    const struct goprobe_member *add, u32 n,
			    struct netlink_ext_ack *extack);
int gp_contents_del_ids(struct gp_session *s, const u32 *ids, u32 n);
void gp_contents_free(struct gp_session *s);

#endif
