/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to clients. */
#ifndef GP_MESSAGE_H
#define GP_MESSAGE_H

#include <linux/types.h>

struct genl_family;
struct genl_info;
struct sk_buff;
struct work_struct;

extern struct genl_family gp_message_family;

struct sk_buff *gp_message_reply(struct genl_info *info, void **hdr);
int gp_message_reply_u32(struct genl_info *info, int attr, u32 value);
void gp_message_send_ready(struct work_struct *work);

#endif
