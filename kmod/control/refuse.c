// SPDX-License-Identifier: GPL-2.0
/* Refusals of commands: an error and a message with the reason. */
#include <linux/netlink.h>
#include <net/genetlink.h>

#include "control/refuse.h"
#include "session/session.h"

/**
 * gp_refuse() - refuse with a message
 * @extack: gets the message; may be NULL
 * @err: the error
 * @why: the message; as long as @extack is used
 *
 * Return: @err.
 */
int gp_refuse(struct netlink_ext_ack *extack, int err, const char *why)
{
	if (extack)
		extack->_msg = why;
	return err;
}

/**
 * gp_refuse_unprivileged() - refuse a message of a sender without CAP_SYS_ADMIN
 * @skb: the message
 * @extack: gets the message on error; may be NULL
 *
 * Return: 0, or -EPERM.
 */
int gp_refuse_unprivileged(struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	if (!netlink_capable(skb, CAP_SYS_ADMIN))
		return gp_refuse(extack, -EPERM,
				 "the command needs CAP_SYS_ADMIN in the initial user namespace");
	if (security_locked_down(LOCKDOWN_TRACEFS) || security_locked_down(LOCKDOWN_PERF))
		return gp_refuse(extack, -EPERM,
				 "the kernel's lockdown is in confidentiality mode");
	return 0;
}

/* Refuse what a session that has stopped cannot do any more. */
int gp_refuse_stopped(const struct gp_session *s, struct netlink_ext_ack *extack)
{
	return gp_refuse(extack, -ESHUTDOWN, s->breaker.broken ?
			 "the session has been stopped: its hits took too much time" :
			 "the session has been stopped");
}
