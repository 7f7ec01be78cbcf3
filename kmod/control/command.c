// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of sessions' commands by workers.
 *
 * While the kernel delivers a message, it holds locks that all of generic netlink needs, and for
 * which the loading of any module with a netlink family waits. So nothing slow is done then. A
 * command is queued, and the message's handler returns -EINTR, so that netlink sends no answer
 * (netlink_rcv_skb(); dumps rely on that too). A worker runs the commands of a session one after
 * the other, and answers as netlink would have. Meanwhile the client waits for its answer, where
 * any signal reaches it.
 *
 * The worker also ends the session, after the current command. The remaining commands are dropped:
 * nobody waits for their answers.
 *
 * Lifetime: the worker holds a reference to the session while it is queued or runs.
 *
 * A pair with sessions.c, which queues the end of a session; the worker then calls it to end the
 * session.
 */
#include <linux/file.h>
#include <linux/memcontrol.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "compat.h"
#include "control/command.h"
#include "control/message.h"
#include "control/refuse.h"
#include "control/request.h"
#include "control/sessions.h"
#include "gfp.h"
#include "session/session.h"

/* Most queued commands of a session. Clients wait for each answer, so usually there is one. */
#define GP_COMMANDS_MAX	16

static struct workqueue_struct *gp_command_wq;

static void gp_command_free(struct gp_command *c)
{
	if (c->file)
		fput(c->file);
	put_pid(c->caller);
	mem_cgroup_put(c->memcg);
	kfree_skb(c->skb);
	kfree(c);
}

/* Take over the message and the sender's objects. */
static int gp_command_take(struct gp_command *c, struct sk_buff *req, struct genl_info *info)
{
	int err;

	c->info = *info;
	c->info.attrs = c->attrs;
	c->info.extack = &c->extack;
	/* The command's policy has validated the message. */
	err = nlmsg_parse_deprecated(info->nlhdr, GENL_HDRLEN, c->attrs, GOPROBE_A_MAX, NULL, NULL);
	if (err)
		return err;
	if (c->attrs[GOPROBE_A_FD]) {
		c->file = fget(nla_get_u32(c->attrs[GOPROBE_A_FD]));
		if (!c->file)
			return gp_refuse(info->extack, -EBADF, "the file descriptor is not open");
	}
	c->kernel = req->sk;
	c->caller = get_pid(task_tgid(current));
	c->memcg = get_mem_cgroup_from_mm(current->mm);
	return 0;
}

static int gp_command_append(struct gp_session *s, struct gp_command *c,
			     struct netlink_ext_ack *extack)
{
	int err = 0;

	spin_lock(&s->commands.lock);
	if (s->commands.ending)
		err = gp_refuse(extack, -ENOENT, GP_REFUSE_NO_SESSION);
	else if (s->commands.n == GP_COMMANDS_MAX)
		err = gp_refuse(extack, -EBUSY, "too many commands of the session have no answer yet");
	else
		list_add_tail(&c->node, &s->commands.list);
	s->commands.n += !err;
	spin_unlock(&s->commands.lock);
	return err;
}

static void gp_command_work_on(struct gp_session *s)
{
	kref_get(&s->ref);
	if (!queue_work(gp_command_wq, &s->commands.worker))
		gp_session_put(s);
}

/**
 * gp_command_queue() - queue a command for the session's worker
 * @s: the session
 * @kind: what it does
 * @req: the message
 * @info: from doit()
 *
 * Context: doit(), the sender's task.
 *
 * Return: -EINTR: the worker will answer; or another error.
 */
int gp_command_queue(struct gp_session *s, const struct gp_command_kind *kind,
		     struct sk_buff *req, struct genl_info *info)
{
	struct gp_command *c = kzalloc(sizeof(*c), GP_GFP_CHARGED);
	int err;

	if (!c)
		return gp_refuse(info->extack, -ENOMEM, "out of memory");
	c->kind = kind;
	c->skb = netlink_skb_clone(req, GFP_KERNEL);
	if (c->skb)
		err = gp_command_take(c, req, info);
	else
		err = gp_refuse(info->extack, -ENOMEM, "out of memory");
	if (!err)
		err = gp_command_append(s, c, info->extack);
	if (err) {
		gp_command_free(c);
		return err;
	}
	if (kind->ends)
		gp_reads_end(&s->reads);
	gp_command_work_on(s);
	return -EINTR;
}

static int gp_command_run_unlocked(struct gp_session *s, struct gp_command *c)
{
	return c->kind->run ? c->kind->run(s, c) : c->kind->apply(s, &c->request, &c->extack);
}

static int gp_command_run(struct gp_session *s, struct gp_command *c)
{
	int ret = gp_request_parse(&c->request, &c->info);

	if (ret)
		return ret;
	if (c->kind->locks == GP_COMMAND_LOCK_NONE)
		return gp_command_run_unlocked(s, c);
	mutex_lock(&s->turn);
	if (c->kind->locks == GP_COMMAND_LOCK_ALL)
		mutex_lock(&s->lock);
	ret = gp_command_run_unlocked(s, c);
	if (c->kind->locks == GP_COMMAND_LOCK_ALL)
		mutex_unlock(&s->lock);
	mutex_unlock(&s->turn);
	return ret;
}

/* Answer as netlink_rcv_skb() would have. */
static void gp_command_answer(struct gp_command *c, int ret)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)c->info.nlhdr;

	if (ret >= 0 && c->kind->reply)
		ret = gp_message_reply_u32(&c->info, c->kind->reply, ret);
	if (ret >= 0 && !(nlh->nlmsg_flags & NLM_F_ACK))
		return;
	/* The kernel's socket sends the answer; a clone belongs to no socket when it is freed. */
	c->skb->sk = c->kernel;
	netlink_ack(c->skb, nlh, min(ret, 0), &c->extack);
	c->skb->sk = NULL;
}

static void gp_command_do(struct gp_session *s, struct gp_command *c)
{
	struct mem_cgroup *before = gp_compat_set_active_memcg(c->memcg);
	int ret = -ECONNRESET;

	/* The port of a socket that is being closed may belong to another socket. */
	if (!sock_flag(s->sk, SOCK_DEAD))
		ret = gp_command_run(s, c);
	if (!sock_flag(s->sk, SOCK_DEAD))
		gp_command_answer(c, ret);
	gp_compat_set_active_memcg(before);
}

/* The next command, or NULL. *@drop: the session ends. */
static struct gp_command *gp_command_next(struct gp_session *s, bool *drop)
{
	struct gp_command *c;

	spin_lock(&s->commands.lock);
	c = list_first_entry_or_null(&s->commands.list, struct gp_command, node);
	if (c) {
		list_del(&c->node);
		s->commands.n--;
	}
	*drop = s->commands.ending;
	spin_unlock(&s->commands.lock);
	return c;
}

static void gp_command_work(struct work_struct *work)
{
	struct gp_session *s = container_of(work, struct gp_session, commands.worker);
	struct gp_command *c;
	bool drop;

	while ((c = gp_command_next(s, &drop))) {
		if (!drop)
			gp_command_do(s, c);
		gp_command_free(c);
		cond_resched();
	}
	if (drop)
		gp_session_finish(s);
	gp_session_put(s);
}

/* End the session after the current command, which will end soon. */
void gp_command_queue_end(struct gp_session *s)
{
	spin_lock(&s->commands.lock);
	WRITE_ONCE(s->commands.ending, true);
	spin_unlock(&s->commands.lock);
	gp_reads_end(&s->reads);
	gp_command_work_on(s);
}

/* Wait until the session has ended, after gp_command_queue_end(). */
void gp_command_wait_end(struct gp_session *s)
{
	flush_work(&s->commands.worker);
}

void gp_command_open(struct gp_session *s)
{
	spin_lock_init(&s->commands.lock);
	INIT_LIST_HEAD(&s->commands.list);
	INIT_WORK(&s->commands.worker, gp_command_work);
}

int gp_command_init(void)
{
	gp_command_wq = alloc_workqueue("goprobe-command", WQ_UNBOUND, GP_SESSIONS_MAX);
	return gp_command_wq ? 0 : -ENOMEM;
}

/* Context: no session is left. */
void gp_command_fini(void)
{
	destroy_workqueue(gp_command_wq);
}
