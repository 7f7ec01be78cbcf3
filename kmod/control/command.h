/* SPDX-License-Identifier: GPL-2.0 */
/* Commands of sessions, carried out by a worker. */
#ifndef GP_COMMAND_H
#define GP_COMMAND_H

#include <linux/list.h>
#include <linux/netlink.h>
#include <linux/types.h>
#include <net/genetlink.h>
#include <goprobe.h>

struct file;
struct gp_command;
struct gp_session;
struct mem_cgroup;
struct pid;

/* Which of a session's locks are held while a command is carried out. */
enum gp_command_locks {
	GP_COMMAND_LOCK_ALL,
	GP_COMMAND_LOCK_TURN,	/* it waits for handlers */
	GP_COMMAND_LOCK_NONE,	/* it reads a file */
};

/**
 * struct gp_command_kind - what a command does
 * @run: carries it out; returns an error, or a result >= 0
 * @reply: attribute that carries the result, or 0
 * @locks: enum gp_command_locks
 * @ends: who waits for a read is to leave
 */
struct gp_command_kind {
	int (*run)(struct gp_session *s, struct gp_command *c);
	u16 reply;
	u8 locks;
	bool ends;
};

/**
 * struct gp_command - a command that is under way
 * @node: in gp_session.commands
 * @kind: what it does
 * @skb: the message
 * @kernel: the kernel's socket, which got it
 * @file: of GOPROBE_A_FD, or NULL
 * @caller: process that has sent it
 * @memcg: who pays for the memory
 * @extack: for the sentence on error
 * @info: of the message, as a doit() gets it
 * @attrs: the message's
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
};

int gp_command_queue(struct gp_session *s, const struct gp_command_kind *kind,
		     struct sk_buff *req, struct genl_info *info);
void gp_command_queue_end(struct gp_session *s);
void gp_command_wait_end(struct gp_session *s);
void gp_command_open(struct gp_session *s);
int gp_command_init(void);
void gp_command_fini(void);

#endif
