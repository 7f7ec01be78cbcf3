/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of sessions' commands by workers. */
#ifndef GP_COMMAND_H
#define GP_COMMAND_H

#include <linux/list.h>
#include <linux/netlink.h>
#include <linux/types.h>
#include <net/genetlink.h>
#include <goprobe.h>

#include "control/request_attrs.h"

struct file;
struct gp_command;
struct gp_session;
struct mem_cgroup;
struct pid;

/* Locks of the session that a command is run with. */
enum gp_command_locks {
	GP_COMMAND_LOCK_ALL,
	GP_COMMAND_LOCK_TURN,	/* it waits for handlers */
	GP_COMMAND_LOCK_NONE,	/* it reads a file */
};

/**
 * struct gp_command_kind - a kind of command
 * @apply: runs it; returns an error, or a result >= 0
 * @run: the same of a command that needs more than the attributes of its request
 * @reply: attribute that carries the result, or 0
 * @locks: enum gp_command_locks
 * @ends: callers that wait for a read give up
 */
struct gp_command_kind {
	int (*apply)(struct gp_session *s, const struct gp_request *r,
		     struct netlink_ext_ack *extack);
	int (*run)(struct gp_session *s, struct gp_command *c);
	u16 reply;
	u8 locks;
	bool ends;
};

/**
 * struct gp_command - a queued or running command
 * @node: in gp_session.commands
 * @kind: what it does
 * @skb: the message
 * @kernel: the kernel's socket, which received it
 * @file: of GOPROBE_A_FD, or NULL
 * @caller: process that has sent it
 * @memcg: charged for its memory
 * @extack: gets the error message
 * @info: of the message, as for a doit()
 * @attrs: of the message
 * @request: their contents
 */
struct gp_command {
	struct list_head node;
	const struct gp_command_kind *kind;
	struct sk_buff *skb;
	struct sock *kernel;
	struct file *file;
	struct pid *caller;
	struct mem_cgroup *memcg;
	struct netlink_ext_ack extack;
	struct genl_info info;
	struct nlattr *attrs[GOPROBE_A_MAX + 1];
	struct gp_request request;
};

int gp_command_queue(struct gp_session *s, const struct gp_command_kind *kind,
		     struct sk_buff *req, struct genl_info *info);
void gp_command_queue_end(struct gp_session *s);
void gp_command_wait_end(struct gp_session *s);
void gp_command_open(struct gp_session *s);
int gp_command_init(void);
void gp_command_fini(void);

#endif
