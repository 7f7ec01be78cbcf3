/* SPDX-License-Identifier: GPL-2.0 */
/* Generic netlink family of goprobe. */
#ifndef GP_NETLINK_H
#define GP_NETLINK_H

int gp_netlink_init(void);
void gp_netlink_fini(void);

#endif
