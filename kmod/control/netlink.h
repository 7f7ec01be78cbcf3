/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink family of goprobe. */
#ifndef GP_NETLINK_H
#define GP_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct genl_info;

extern struct genl_family gp_netlink_family;

int gp_netlink_reply_u32(struct genl_info *info, int attr, u32 value);

int gp_netlink_init(void);
void gp_netlink_fini(void);

#endif
