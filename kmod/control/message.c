// SPDX-License-Identifier: GPL-2.0
/* Messages to clients: the family they belong to, replies, and GOPROBE_CMD_READY. */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/workqueue.h>
#include <net/genetlink.h>
#include <net/sock.h>
#include <goprobe.h>

#include "control/message.h"
#include "control/refuse.h"
#include "session/session.h"
#include "session/stream.h"

/*
 * parallel_ops: allocating a new session can take a while, which must not block every other family;
 * workers do what takes longer. netnsok is false: the initial network namespace only. Who registers
 * it adds the commands (netlink.c).
 */
struct genl_family gp_message_family __ro_after_init = {
	.name = GOPROBE_GENL_NAME,
	.version = GOPROBE_GENL_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
};

/* Begin a reply; sets *@hdr. */
struct sk_buff *gp_message_reply(struct genl_info *info, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &gp_message_family, 0,
				 info->genlhdr->cmd);
	if (!*hdr) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/* Send a reply of one number. */
int gp_message_reply_u32(struct genl_info *info, int attr, u32 value)
{
	struct sk_buff *skb;
	void *hdr;

	skb = gp_message_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (nla_put_u32(skb, attr, value)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* The work that sends GOPROBE_CMD_READY. */
void gp_message_send_ready(struct work_struct *work)
{
	struct gp_session *s = container_of(to_delayed_work(work),
					    struct gp_session, ready);
	struct sk_buff *skb = NULL;

	/* The port of a socket that is being closed may already belong to another socket. */
	if (!sock_flag(s->sk, SOCK_DEAD))
		skb = genlmsg_new(0, GFP_KERNEL);
	atomic_set(&s->armed, GP_STREAM_READING);
	if (!skb)
		return;
	if (!genlmsg_put(skb, 0, 0, &gp_message_family, 0, GOPROBE_CMD_READY)) {
		nlmsg_free(skb);
		return;
	}
	/* A reader with a full buffer wakes up anyway. */
	genlmsg_unicast(&init_net, skb, s->portid);
}
