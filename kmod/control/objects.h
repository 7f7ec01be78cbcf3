/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects of a session. Context of all: the session's turn and its lock; gp_objects_add_file(),
 * which reads the file: neither; gp_objects_free(): nobody else uses the session.
 */
#ifndef GP_OBJECTS_H
#define GP_OBJECTS_H

#include <linux/types.h>
#include <goprobe.h>

struct file;
struct gp_request;
struct gp_session;
struct netlink_ext_ack;
struct pid_namespace;

int gp_objects_add_file(struct gp_session *s, struct file *file,
			const struct goprobe_runtime *rt,
			struct netlink_ext_ack *extack);
int gp_objects_add_types(struct gp_session *s, const struct gp_request *r,
			 struct netlink_ext_ack *extack);
int gp_objects_add_dynamic(struct gp_session *s, const struct gp_request *r,
			   struct netlink_ext_ack *extack);
int gp_objects_add_plans(struct gp_session *s, const struct gp_request *r,
			 struct netlink_ext_ack *extack);
int gp_objects_add_filters(struct gp_session *s, const struct gp_request *r,
			   struct netlink_ext_ack *extack);
int gp_objects_make_calls(struct gp_session *s, bool held, struct netlink_ext_ack *extack);
int gp_objects_make_set(struct gp_session *s, struct netlink_ext_ack *extack);
int gp_objects_make_keys(struct gp_session *s, struct netlink_ext_ack *extack);
int gp_objects_grow(void ***table, u32 *space, u32 n, u32 more);
int gp_objects_add_goroutines(struct gp_session *s, struct pid_namespace *ns,
			      const struct goprobe_goroutine *add, u32 n,
			      struct netlink_ext_ack *extack);
void gp_objects_free(struct gp_session *s);

#endif
