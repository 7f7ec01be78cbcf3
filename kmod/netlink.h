/* SPDX-License-Identifier: GPL-2.0 */
/* The generic netlink family. */
#ifndef GP_NETLINK_H
#define GP_NETLINK_H

#include <linux/types.h>

struct genl_family;
struct sk_buff;

extern struct genl_family gp_netlink_family;

#define GP_NETLINK_MAY_NOT \
	"goprobe needs CAP_SYS_ADMIN in the initial user namespace, and a kernel that is not locked down"
#define GP_NETLINK_NO_SESSION "this socket has no session"

/* May whoever sent this use goprobe? */
bool gp_netlink_may(struct sk_buff *skb);

int gp_netlink_init(void);
void gp_netlink_fini(void);

#endif
