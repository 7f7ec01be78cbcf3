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
#include <linux/stringify.h>
#include <net/genetlink.h>

#include "arch/emulate.h"
#include "capture/dynamic_types.h"
#include "capture/plan.h"
#include "control/command.h"
#include "control/list.h"
#include "control/netlink.h"
#include "control/netlink_policy.h"
#include "control/objects.h"
#include "control/points.h"
#include "control/reader.h"
#include "control/refuse.h"
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

static_assert(sizeof(struct goprobe_limits) == 92);
static_assert(sizeof(struct goprobe_runtime) == 40);
static_assert(sizeof(struct goprobe_ref) == 20);
static_assert(sizeof(struct goprobe_type) == 12);
static_assert(sizeof(struct goprobe_dynamic) == 16);
static_assert(sizeof(struct goprobe_piece) == 24);
static_assert(sizeof(struct goprobe_op) == 24);
static_assert(sizeof(struct goprobe_plan) == 48);
static_assert(sizeof(struct goprobe_point) == 56);
static_assert(sizeof(struct goprobe_filter) == 8);
static_assert(sizeof(struct goprobe_pending_limit) == 8);
static_assert(sizeof(struct goprobe_key_limit) == 8);
static_assert(sizeof(struct goprobe_goroutine) == 16);
static_assert(sizeof(struct goprobe_key_stats) == 88);
static_assert(sizeof(struct goprobe_open_call) == 40);
static_assert(sizeof(struct goprobe_tally) == 80);
static_assert(sizeof(struct goprobe_record) == 48);
static_assert(sizeof(struct goprobe_chunk) == 16);
static_assert(sizeof(struct goprobe_lost) == 16);

/* Check an array attribute: whole elements, not too many. */
static int gp_nl_array(struct genl_info *info, int attr, size_t each,
		       const void **ret, u32 *n)
{
	const struct nlattr *nla = info->attrs[attr];

	*ret = NULL;
	*n = 0;
	if (!nla)
		return 0;
	NL_SET_BAD_ATTR(info->extack, nla);
	if (nla_len(nla) % each)
		return gp_refuse(info->extack, -EINVAL, "an array has a broken element");
	if (nla_len(nla) / each > GP_BATCH_MAX)
		return gp_refuse(info->extack, -E2BIG, "more than " __stringify(GP_BATCH_MAX) " elements in one message");
	NL_SET_BAD_ATTR(info->extack, NULL);
	*ret = nla_data(nla);
	*n = nla_len(nla) / each;
	return 0;
}

static int gp_nl_missing(struct genl_info *info, int attr, const char *why)
{
	return info->attrs[attr] ? 0 : gp_refuse(info->extack, -EINVAL, why);
}

/* Begin a reply; sets *@hdr. */
static struct sk_buff *gp_nl_reply(struct genl_info *info, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_put_reply(skb, info, &gp_netlink_family, 0,
				 info->genlhdr->cmd);
	if (!*hdr) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

/* Send a reply of one number. */
int gp_netlink_reply_u32(struct genl_info *info, int attr, u32 value)
{
	struct sk_buff *skb;
	void *hdr;

	skb = gp_nl_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (nla_put_u32(skb, attr, value)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

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
	skb = gp_nl_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (nla_put_string(skb, GOPROBE_A_VERSION, THIS_MODULE->version) ||
	    nla_put_u64_64bit(skb, GOPROBE_A_ABILITIES,
			      GOPROBE_ABILITY_FAULT_IN | GOPROBE_ABILITY_FLOAT_REGS |
			      GOPROBE_ABILITY_TALLY | GOPROBE_ABILITY_FILTER |
			      GOPROBE_ABILITY_WIPE | GOPROBE_ABILITY_KEY_HASH |
			      (gp_edit_allowed() ? GOPROBE_ABILITY_EDIT : 0) |
			      (gp_trapless_allowed() ? GOPROBE_ABILITY_JUMP : 0) |
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
	struct gp_session_wish wish = {
		.ring_bytes = GP_RING_DEFAULT, .ncalls = GP_CALLS_DEFAULT,
	};
	struct file *file = NULL;
	struct gp_session *s;
	struct sk_buff *skb;
	const void *pids;
	int err, fd = 0;
	void *hdr;

	err = gp_refuse_unprivileged(req, info->extack);
	if (err)
		return err;
	err = gp_nl_array(info, GOPROBE_A_PIDS, sizeof(s32), &pids, &wish.npids);
	if (err)
		return err;
	/* No list means every process; an empty list is a mistake. */
	if (pids && !wish.npids)
		return gp_refuse(info->extack, -EINVAL, "the list of processes is empty");
	if (info->attrs[GOPROBE_A_RING_BYTES])
		wish.ring_bytes = nla_get_u32(info->attrs[GOPROBE_A_RING_BYTES]);
	if (info->attrs[GOPROBE_A_FLAGS])
		wish.flags = nla_get_u32(info->attrs[GOPROBE_A_FLAGS]);
	if (info->attrs[GOPROBE_A_CALL_LIMIT])
		wish.ncalls = nla_get_u32(info->attrs[GOPROBE_A_CALL_LIMIT]);
	if (info->attrs[GOPROBE_A_PENDING_LIMIT])
		nla_memcpy(&wish.hold, info->attrs[GOPROBE_A_PENDING_LIMIT], sizeof(wish.hold));
	if (info->attrs[GOPROBE_A_KEY_LIMIT])
		nla_memcpy(&wish.keys, info->attrs[GOPROBE_A_KEY_LIMIT], sizeof(wish.keys));
	if (info->attrs[GOPROBE_A_BREAKER])
		nla_memcpy(&wish.breaker, info->attrs[GOPROBE_A_BREAKER], sizeof(wish.breaker));
	if (info->attrs[GOPROBE_A_STATES])
		wish.nstates = nla_get_u32(info->attrs[GOPROBE_A_STATES]);
	if (info->attrs[GOPROBE_A_GOROUTINE_SET_LIMIT])
		wish.nmembers = nla_get_u32(info->attrs[GOPROBE_A_GOROUTINE_SET_LIMIT]);
	wish.pids = pids;
	skb = gp_nl_reply(info, &hdr);
	if (!skb)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	s = gp_session_new(NETLINK_CB(req).sk, info->snd_portid, &wish, info->extack);
	if (IS_ERR(s)) {
		nlmsg_free(skb);
		return PTR_ERR(s);
	}
	if (wish.flags & GOPROBE_SESSION_F_FD)
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
	struct genl_info *info = &c->info;
	int err = gp_nl_missing(info, GOPROBE_A_FD, "FILE_ADD needs FD");

	if (!err)
		err = gp_nl_missing(info, GOPROBE_A_RUNTIME, "FILE_ADD needs RUNTIME");
	if (err)
		return err;
	return gp_objects_add_file(s, c->file, nla_data(info->attrs[GOPROBE_A_RUNTIME]),
				   info->extack);
}

static int gp_run_types_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *types, *refs;
	u32 ntypes, nrefs;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_TYPES, "TYPES_ADD needs TYPES");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_TYPES, sizeof(struct goprobe_type),
				  &types, &ntypes);
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_REFS, sizeof(struct goprobe_ref),
				  &refs, &nrefs);
	if (err)
		return err;
	return gp_objects_add_types(s, types, ntypes, refs, nrefs, info->extack);
}

static int gp_run_dynamic_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *add;
	u32 n;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_FILE, "DYNAMIC_ADD needs FILE");
	if (!err)
		err = gp_nl_missing(info, GOPROBE_A_DYNAMIC, "DYNAMIC_ADD needs DYNAMIC");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_DYNAMIC, sizeof(struct goprobe_dynamic),
				  &add, &n);
	if (err)
		return err;
	return gp_objects_add_dynamic(s, nla_get_u32(info->attrs[GOPROBE_A_FILE]),
				      add, n, info->extack);
}

static int gp_run_plans_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *plans, *pieces, *ops;
	struct gp_plans_wire w;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_PLANS, "PLANS_ADD needs PLANS");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_PLANS, sizeof(struct goprobe_plan),
				  &plans, &w.nplans);
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_PIECES, sizeof(struct goprobe_piece),
				  &pieces, &w.npieces);
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_OPS, sizeof(struct goprobe_op),
				  &ops, &w.nops);
	if (err)
		return err;
	w.plans = plans;
	w.pieces = pieces;
	w.ops = ops;
	return gp_objects_add_plans(s, &w, info->extack);
}

static int gp_run_filters_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *filters, *ops;
	u32 nfilters, nops;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_FILTERS, "FILTERS_ADD needs FILTERS");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_FILTERS, sizeof(struct goprobe_filter),
				  &filters, &nfilters);
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_OPS, sizeof(struct goprobe_op),
				  &ops, &nops);
	if (err)
		return err;
	return gp_objects_add_filters(s, filters, nfilters, ops, nops, info->extack);
}

static int gp_run_points_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *points;
	u32 n;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_FILE, "POINTS_ADD needs FILE");
	if (!err)
		err = gp_nl_missing(info, GOPROBE_A_POINTS, "POINTS_ADD needs POINTS");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_POINTS, sizeof(struct goprobe_point),
				  &points, &n);
	if (err)
		return err;
	return gp_points_add(s, nla_get_u32(info->attrs[GOPROBE_A_FILE]),
				      points, n, info->extack);
}

static int gp_run_points_del(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *ids;
	u32 n;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_IDS, "POINTS_DEL needs IDS");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_IDS, sizeof(u32), &ids, &n);
	if (!err && !n)
		return gp_refuse(info->extack, -EINVAL, "the list of ids is empty");
	if (err)
		return err;
	err = gp_points_del(s, ids, n);
	return err < 0 ? gp_refuse(info->extack, err, "out of memory") : err;
}

static int gp_run_goroutines_add(struct gp_session *s, struct gp_command *c)
{
	struct genl_info *info = &c->info;
	const void *add;
	u32 n;
	int err;

	err = gp_nl_missing(info, GOPROBE_A_GOROUTINES, "GOROUTINES_ADD needs GOROUTINES");
	if (!err)
		err = gp_nl_array(info, GOPROBE_A_GOROUTINES, sizeof(struct goprobe_goroutine),
				  &add, &n);
	if (!err && !n)
		return gp_refuse(info->extack, -EINVAL, "the list of goroutines is empty");
	return err ? err : gp_objects_add_goroutines(s, ns_of_pid(c->caller), add, n, info->extack);
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
	skb = gp_nl_reply(info, &hdr);
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
	[GOPROBE_CMD_TYPES_ADD] = { .run = gp_run_types_add, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_DYNAMIC_ADD] = { .run = gp_run_dynamic_add, .reply = GOPROBE_A_COUNT },
	[GOPROBE_CMD_PLANS_ADD] = { .run = gp_run_plans_add, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_FILTERS_ADD] = { .run = gp_run_filters_add, .reply = GOPROBE_A_FIRST },
	[GOPROBE_CMD_POINTS_ADD] = {
		.run = gp_run_points_add,
		.reply = GOPROBE_A_COUNT,
		.locks = GP_COMMAND_LOCK_NONE,
	},
	[GOPROBE_CMD_POINTS_DEL] = {
		.run = gp_run_points_del,
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
 * parallel_ops: allocating a new session can take a while, which must not block every other family;
 * workers do what takes longer. netnsok is false: the initial network namespace only.
 */
struct genl_family gp_netlink_family __ro_after_init = {
	.name = GOPROBE_GENL_NAME,
	.version = GOPROBE_GENL_VERSION,
	.module = THIS_MODULE,
	.parallel_ops = true,
	.ops = gp_netlink_ops,
	.n_ops = ARRAY_SIZE(gp_netlink_ops),
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
	err = genl_register_family(&gp_netlink_family);
	if (err)
		netlink_unregister_notifier(&gp_netlink_notifier);
	return err;
}

void gp_netlink_fini(void)
{
	genl_unregister_family(&gp_netlink_family);
	netlink_unregister_notifier(&gp_netlink_notifier);
}
