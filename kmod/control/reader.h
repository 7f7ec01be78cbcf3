/* SPDX-License-Identifier: GPL-2.0 */
/* Delivery of records to a reader that pulls. */
#ifndef GP_READER_H
#define GP_READER_H

struct netlink_callback;
struct sk_buff;

int gp_reader_start(struct netlink_callback *cb);
int gp_reader_dump(struct sk_buff *skb, struct netlink_callback *cb);
int gp_reader_done(struct netlink_callback *cb);

#endif
