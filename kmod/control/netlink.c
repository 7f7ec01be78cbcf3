// SPDX-License-Identifier: GPL-2.0
/*
 * Generic netlink family: conversion of messages to calls and back. No tracing logic.
 * include/uapi/goprobe.h describes the protocol.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/security.h>
#include <net/genetlink.h>

#include "arch/emulate.h"
#include "capture/dynamic_types.h"
#include "capture/plan.h"
#include "control/command.h"
#include "control/list.h"
#include "control/message.h"
#include "control/netlink.h"
#include "control/netlink_policy.h"
#include "control/objects.h"
#include "control/points.h"
#include "control/points_del.h"
#include "control/reader.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/session_run.h"
#include "control/session_stats.h"
#include "control/sessions.h"
#include "control/trapless.h"
#include "control/report.h"
#include "hit/edit.h"
#include "hit/filter.h"
#include "ring/ring.h"
#include "session/file.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"
#include "stats/keys.h"
#include "stats/pending.h"

static int gp_nl_get_info(struct sk_buff *req, struct genl_info *info)
{
	static const struct goprobe_limits limits = {
		.sessions = GP_SESSIONS_MAX,
		.points = GP_POINTS_MAX,
		.files = GP_FILES_MAX,
		.types = GP_TYPES_MAX,
		.refs = GP_REFS_MAX,
		.plans = GP_PLANS_MAX,
		.pieces = GP_PIECES_MAX,
		.pids = GP_PIDS_MAX,
		.frame_bytes = GP_FRAME_MAX,
		.record_bytes = GP_RECORD_MAX,
		.ring_bytes = GP_RING_MAX,
		.batch = GP_BATCH_MAX,
		.ops = GP_OPS_MAX,
		.dynamic = GP_DYNAMIC_MAX,
		.depth = GP_DEPTH_MAX,
		.tallies = GP_TALLIES_MAX,
		.timed = GP_TIMED_MAX,
		.calls = GP_CALLS_MAX,
		.filters = GP_FILTERS_MAX,
		.pending_bytes = GP_PENDING_BYTES_MAX,
		.keys = GP_KEYS_MAX,
		.key_bytes = GP_KEY_BYTES_MAX,
		.goroutines = GP_GOROUTINE_SET_MAX,
	};
	struct sk_buff *skb;
	void *hdr;
	int err;

	err = gp_refuse_unprivileged(req, info->extack);
	if (err)
		return err;
	if (info->genlhdr->version != GOPROBE_GENL_VERSION)
		return gp_refuse(info->extack, -EPROTO,
				 "the client speaks another version of the protocol than the module; install both of one release");
	skb = gp_message_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (nla_put_string(skb, GOPROBE_A_VERSION, THIS_MODULE->version) ||
	    nla_put_u64_64bit(skb, GOPROBE_A_ABILITIES,
			      GOPROBE_ABILITY_FAULT_IN | GOPROBE_ABILITY_FLOAT_REGS |
			      GOPROBE_ABILITY_TALLY | GOPROBE_ABILITY_FILTER |
			      GOPROBE_ABILITY_WIPE | GOPROBE_ABILITY_KEY_HASH |
			      GOPROBE_ABILITY_SEARCH |
			      (gp_edit_allowed() ? GOPROBE_ABILITY_EDIT : 0) |
			      (gp_trapless_allowed() ? GOPROBE_ABILITY_JUMP : 0) |
			      (IS_ENABLED(CONFIG_CGROUPS) ? GOPROBE_ABILITY_CGROUP : 0) |
			      gp_emulate_abilities(),
			      GOPROBE_A_PAD) ||
	    nla_put(skb, GOPROBE_A_LIMITS, sizeof(limits), &limits)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

/* Install the descriptor in the sender, whose task this is. Without @ok, close the file instead. */
static void gp_nl_give_fd(int fd, struct file *file, bool ok)
{
	if (ok) {
		fd_install(fd, file);
	} else {
		put_unused_fd(fd);
		fput(file);
	}
}

static int gp_nl_session_new(struct sk_buff *req, struct genl_info *info)
{
	struct gp_request r = {
		.ring_bytes = GP_RING_DEFAULT,
		.call_limit = GP_CALLS_DEFAULT,
	};
	struct file *file = NULL;
	struct gp_session *s;
	struct sk_buff *skb;
	int err, fd = 0;
	void *hdr;

	err = gp_refuse_unprivileged(req, info->extack);
	if (!err)
		err = gp_request_parse(&r, info);
	if (err)
		return err;
	skb = gp_message_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	s = gp_session_new(NETLINK_CB(req).sk, info->snd_portid, &r, info->extack);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return PTR_ERR(s);
	}
	if (r.flags & GOPROBE_SESSION_F_FD)
		fd = gp_session_open_fd(s, &file);
	nla_put_u32(skb, GOPROBE_A_SESSION, s->id);
	nla_put_u32(skb, GOPROBE_A_RING_BYTES, s->ring_bytes);
	if (file)
		nla_put_u32(skb, GOPROBE_A_FD, fd);
	gp_session_put(s);
	if (fd < 0) {
		nlmsg_free(skb);
		return gp_refuse(info->extack, fd, "there is no descriptor for the session");
	}
	genlmsg_end(skb, hdr);
	err = genlmsg_reply(skb, info);
	if (file)
		gp_nl_give_fd(fd, file, !err);
	return err;
}

static int gp_run_file_add(struct gp_session *s, struct gp_command *c)
{
	return gp_objects_add_file(s, c->file, &c->request.runtime, &c->extack);
}

static int gp_run_goroutines_add(struct gp_session *s, struct gp_command *c)
{
	return gp_objects_add_goroutines(s, ns_of_pid(c->caller), c->request.goroutines,
					 c->request.ngoroutines, &c->extack);
}

static int gp_run_start(struct gp_session *s, struct gp_command *c)
{
	return gp_session_start(s, &c->extack);
}

static int gp_run_stop(struct gp_session *s, struct gp_command *c)
{
	gp_session_stop(s);
	return 0;
}

static int gp_run_get_stats(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	u64 stats[__GOPROBE_STAT_MAX];
	struct sk_buff *skb;
	void *hdr;

	gp_session_stats(s, stats);
	skb = gp_message_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (nla_put(skb, GOPROBE_A_STATS, sizeof(stats), stats)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

static const struct gp_command_kind gp_nl_kinds[__GOPROBE_CMD_MAX] = {
	[GOPROBE_CMD_FILE_ADD] = {
		.run = gp_run_file_add,
		.reply = GOPROBE_A_FILE,
		.locks = GP_COMMAND_LOCK_NONE,
	},
	[GOPROBE_CMD_TYPES_ADD] = { .apply = gp_objects_add_types, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_DYNAMIC_ADD] = { .apply = gp_objects_add_dynamic, .reply = GOPROBE_A_COUNT },
	[GOPROBE_CMD_PLANS_ADD] = { .apply = gp_objects_add_plans, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_FILTERS_ADD] = { .apply = gp_objects_add_filters, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_POINTS_ADD] = {
		.apply = gp_points_add,
		.reply = GOPROBE_A_COUNT,
		.locks = GP_COMMAND_LOCK_NONE,
	},
	[GOPROBE_CMD_POINTS_DEL] = {
		.apply = gp_points_del,
		.reply = GOPROBE_A_COUNT,
		.locks = GP_COMMAND_LOCK_TURN,
	},
	[GOPROBE_CMD_GOROUTINES_ADD] = { .run = gp_run_goroutines_add, .reply = GOPROBE_A_COUNT },
	[GOPROBE_CMD_START] = { .run = gp_run_start },
	[GOPROBE_CMD_STOP] = {
		.run = gp_run_stop,
		.locks = GP_COMMAND_LOCK_TURN,
		.ends = true,
	},
	[GOPROBE_CMD_GET_STATS] = { .run = gp_run_get_stats },
};

/* Run a command on the sender's session. */
static int gp_nl_command(struct sk_buff *req, struct genl_info *info)
{
	struct gp_session *s;
	int ret;

	ret = gp_refuse_unprivileged(req, info->extack);
	if (ret)
		return ret;
	s = gp_session_get(NETLINK_CB(req).sk);
	if (!s)
		return gp_refuse(info->extack, -ENOENT, GP_REFUSE_NO_SESSION);
	ret = gp_command_queue(s, &gp_nl_kinds[info->genlhdr->cmd], req, info);
	gp_session_put(s);
	return ret;
}

#define GP_NL_DO(_cmd, _policy, _doit) {		\
	.cmd = GOPROBE_CMD_##_cmd,			\
	.doit = _doit,					\
	.policy = gp_policy_##_policy,			\
	.maxattr = ARRAY_SIZE(gp_policy_##_policy) - 1,	\
}

#define GP_NL_DUMP(_cmd, _start, _dumpit, _done) {	\
	.cmd = GOPROBE_CMD_##_cmd,			\
	.start = _start,				\
	.dumpit = _dumpit,				\
	.done = _done,					\
	.policy = gp_policy_none,			\
	.maxattr = ARRAY_SIZE(gp_policy_none) - 1,	\
}

static const struct genl_ops gp_netlink_ops[] = {
	GP_NL_DO(GET_INFO, none, gp_nl_get_info),
	GP_NL_DUMP(LIST, gp_list_start, gp_list_dump, NULL),
	GP_NL_DO(SESSION_NEW, session_new, gp_nl_session_new),
	GP_NL_DO(FILE_ADD, file_add, gp_nl_command),
	GP_NL_DO(TYPES_ADD, types_add, gp_nl_command),
	GP_NL_DO(DYNAMIC_ADD, dynamic_add, gp_nl_command),
	GP_NL_DO(PLANS_ADD, plans_add, gp_nl_command),
	GP_NL_DO(FILTERS_ADD, filters_add, gp_nl_command),
	GP_NL_DO(POINTS_ADD, points_add, gp_nl_command),
	GP_NL_DO(POINTS_DEL, points_del, gp_nl_command),
	GP_NL_DO(GOROUTINES_ADD, goroutines_add, gp_nl_command),
	GP_NL_DO(START, none, gp_nl_command),
	GP_NL_DO(STOP, none, gp_nl_command),
	GP_NL_DUMP(READ, gp_reader_start, gp_reader_dump, gp_reader_done),
	GP_NL_DO(GET_STATS, none, gp_nl_command),
	GP_NL_DUMP(TALLIES, gp_report_start, gp_report_dump, NULL),
	GP_NL_DUMP(KEYS, gp_report_start, gp_report_dump_keys, NULL),
	GP_NL_DUMP(OPEN_CALLS, gp_report_start, gp_report_dump_open, NULL),
};

/*
 * A socket was closed: by its owner, by exit or by SIGKILL. The closing task may have to wait until
 * this returns.
 */
static int gp_netlink_event(struct notifier_block *nb, unsigned long event,
			    void *data)
{
	const struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC &&
	    net_eq(notify->net, &init_net))
		gp_session_socket_closed(notify->portid);
	return NOTIFY_DONE;
}

static struct notifier_block gp_netlink_notifier = {
	.notifier_call = gp_netlink_event,
};

int __init gp_netlink_init(void)
{
	int err = netlink_register_notifier(&gp_netlink_notifier);

	if (err)
		return err;
	gp_message_family.ops = gp_netlink_ops;
	gp_message_family.n_ops = ARRAY_SIZE(gp_netlink_ops);
	err = genl_register_family(&gp_message_family);
	if (err)
		netlink_unregister_notifier(&gp_netlink_notifier);
	return err;
}

void gp_netlink_fini(void)
{
	genl_unregister_family(&gp_message_family);
	netlink_unregister_notifier(&gp_netlink_notifier);
}
