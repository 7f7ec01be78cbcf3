// SPDX-License-Identifier: GPL-2.0
/*
 * The connection to the module, over generic netlink. libnl builds and parses
 * messages; receiving is done here, because the messages of a pass are handed on
 * where they lie and a READY may come between any two others.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/family.h>

#include "host/module.h"
#include "trace/client_msg.h"

#define SOCKET_RECEIVE_BYTES (8 << 20)
#define SOCKET_SEND_BYTES (1 << 20)

static void socket_buffers(struct nl_sock *sock)
{
	int fd = nl_socket_get_fd(sock);
	int receive = SOCKET_RECEIVE_BYTES, send = SOCKET_SEND_BYTES, on = 1;

	/* Without the right to exceed the system's limit, get as much as it allows. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive, sizeof(receive)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive, sizeof(receive));
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &send, sizeof(send)))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send, sizeof(send));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
}

/*
 * The kernel takes no other's messages for it any more, which would fill its buffer. What came
 * before is dropped: nothing has been asked yet.
 */
int client_connect(struct nl_sock *sock, struct diag *d)
{
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (connect(nl_socket_get_fd(sock), (const struct sockaddr *)&kernel, sizeof(kernel)))
		return diag_errno(d, errno, "can't connect a netlink socket");
	while (recv(nl_socket_get_fd(sock), NULL, 0, MSG_DONTWAIT | MSG_TRUNC) >= 0 ||
	       errno == EINTR || errno == ENOBUFS)
		;
	return 0;
}

int (*client_load)(struct diag *d);

int client_protocol(struct nl_sock *sock, const char *name)
{
	struct genl_family *family;
	struct nl_cache *all;
	int version = -1;

	if (genl_ctrl_alloc_cache(sock, &all))
		return -1;
	family = genl_ctrl_search_by_name(all, name);
	if (family) {
		version = (int)genl_family_get_version(family);
		genl_family_put(family);
	}
	nl_cache_free(all);
	return version;
}

/* The family's number, or -1. It is in the initial network namespace only; sysfs is everywhere. */
static int resolve(struct nl_sock *sock, struct diag *d)
{
	int family = genl_ctrl_resolve(sock, GOPROBE_GENL_NAME);
	bool loaded = !access("/sys/module/goprobe", F_OK);

	if (family == -NLE_OBJ_NOTFOUND && !loaded && client_load) {
		if (client_load(d))
			return -1;
		loaded = true;
		family = genl_ctrl_resolve(sock, GOPROBE_GENL_NAME);
	}
	if (family >= 0) {
		int protocol = client_protocol(sock, GOPROBE_GENL_NAME);

		if (protocol < 0 || protocol == GOPROBE_GENL_VERSION)
			return family;
		module_explain_protocol(&host_here, (unsigned int)protocol, d);
		return -1;
	}
	if (family != -NLE_OBJ_NOTFOUND) {
		diag_set(d, "can't look up the goprobe module: %s", nl_geterror(family));
	} else if (!loaded) {
		diag_set(d, "the goprobe module is not loaded");
		diag_hint(d, "load it with: sudo modprobe goprobe");
	} else {
		diag_set(d, "the goprobe module can't be reached from this network namespace");
		diag_hint(d, "run goprobectl in the host's: sudo nsenter -t 1 -n goprobectl ...");
	}
	return -1;
}

int client_open(struct client **ret, struct diag *d)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return diag_set(d, "out of memory");
	c->session = -1;
	c->sock = nl_socket_alloc();
	if (!c->sock) {
		free(c);
		return diag_set(d, "out of memory");
	}

	int err = genl_connect(c->sock);

	if (err) {
		diag_set(d, "can't open a netlink socket: %s", nl_geterror(err));
		goto failed;
	}
	if (client_connect(c->sock, d))
		goto failed;
	c->family = resolve(c->sock, d);
	if (c->family < 0)
		goto failed;
	socket_buffers(c->sock);
	*ret = c;
	return 0;
failed:
	client_close(c);
	return -1;
}

void client_close(struct client *c)
{
	if (!c)
		return;
	nl_socket_free(c->sock);
	/* Waits until the last breakpoint is removed. */
	if (c->session >= 0)
		close(c->session);
	free(c);
}

int client_fd(const struct client *c)
{
	return nl_socket_get_fd(c->sock);
}

/* --- receiving ------------------------------------------------------- */

/* The kernel's message in an error or at the end of a dump, or NULL. */
static const char *message_at(const struct nlmsghdr *h, const void *tlvs)
{
	int left = (const char *)h + h->nlmsg_len - (const char *)tlvs;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || left <= 0)
		return NULL;

	struct nlattr *msg = nla_find((struct nlattr *)tlvs, left, NLMSGERR_ATTR_MSG);

	if (!msg || !nla_len(msg) || !memchr(nla_data(msg), 0, nla_len(msg)))
		return NULL;
	return nla_get_string(msg);
}

static int refused(struct diag *d, const char *what, int err, const char *message)
{
	if (err == EPERM) {
		if (!message)
			message = "it needs CAP_SYS_ADMIN";
		diag_set(d, "%s: %s", what, message);
		if (!strstr(message, "lockdown"))
			diag_hint(d, "run goprobectl as root");
	} else if (message) {
		diag_set(d, "%s: %s", what, message);
	} else {
		diag_errno(d, err, "%s", what);
	}
	return -1;
}

static int handle_error(struct nlmsghdr *h, const char *what, struct diag *d)
{
	const struct nlmsgerr *e = nlmsg_data(h);

	if (h->nlmsg_len < NLMSG_HDRLEN + sizeof(*e))
		return diag_set(d, "%s: the kernel's answer is cut off", what);
	if (!e->error)
		return 0;

	size_t skip = sizeof(*e);

	if (!(h->nlmsg_flags & NLM_F_CAPPED)) {
		/* The request stands between the error and its message. */
		if (e->msg.nlmsg_len < NLMSG_HDRLEN || e->msg.nlmsg_len > h->nlmsg_len)
			return refused(d, what, (int)-(int64_t)e->error, NULL);
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	}
	return refused(d, what, (int)-(int64_t)e->error,
		       message_at(h, (char *)e + NLMSG_ALIGN(skip)));
}

static int handle_done(struct nlmsghdr *h, const char *what, struct diag *d)
{
	int err = 0;

	if (h->nlmsg_len >= NLMSG_HDRLEN + sizeof(err))
		memcpy(&err, nlmsg_data(h), sizeof(err));
	if (err >= 0)
		return 0;
	return refused(d, what, (int)-(int64_t)err,
		       message_at(h, (char *)nlmsg_data(h) + sizeof(err)));
}

/* 1: go on; 0: the answer is complete; -1: failed. */
static int handle(struct client *c, struct nlmsghdr *h, const char *what, client_message_fn fn,
		  void *ctx, struct diag *d)
{
	if (h->nlmsg_type == c->family && h->nlmsg_len >= NLMSG_HDRLEN + GENL_HDRLEN &&
	    genlmsg_hdr(h)->cmd == GOPROBE_CMD_READY) {
		c->ready = true;
		return 1;
	}
	if (h->nlmsg_seq != c->seq)
		return 1;	/* rest of an exchange that was given up */
	if (h->nlmsg_type == NLMSG_ERROR)
		return handle_error(h, what, d);
	if (h->nlmsg_type == NLMSG_DONE)
		return handle_done(h, what, d);
	if (h->nlmsg_type != c->family || h->nlmsg_len < NLMSG_HDRLEN + GENL_HDRLEN)
		return 1;
	return fn && fn(c, h, ctx, d) ? -1 : 1;
}

/*
 * Bytes received from the kernel, or -errno: any process with CAP_NET_ADMIN can send here,
 * without further privileges. ENOBUFS: a READY was dropped; that loses nothing.
 */
static ssize_t receive(struct client *c, int flags)
{
	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(client_fd(c), c->receive, sizeof(c->receive), flags,
				     (struct sockaddr *)&from, &len);

		if (n >= 0 && from.nl_pid)
			continue;
		if (n >= 0)
			return n;
		if (errno == ENOBUFS)
			c->ready = true;
		else if (errno != EINTR)
			return -errno;
	}
}

/* Receive until the request is answered. */
static int answer(struct client *c, const char *what, client_message_fn fn, void *ctx,
		  struct diag *d)
{
	for (;;) {
		ssize_t n = receive(c, 0);

		if (n < 0)
			return diag_errno(d, -n, "%s", what);

		struct nlmsghdr *h = (struct nlmsghdr *)c->receive;

		for (int left = n; nlmsg_ok(h, left); h = nlmsg_next(h, &left)) {
			int ret = handle(c, h, what, fn, ctx, d);

			if (ret <= 0)
				return ret;
		}
	}
}

bool client_notified(const struct client *c)
{
	return c->ready;
}

bool client_ready(struct client *c)
{
	ssize_t n;

	while ((n = receive(c, MSG_DONTWAIT)) > 0) {
		struct nlmsghdr *h = (struct nlmsghdr *)c->receive;
		struct diag ignored = { 0 };

		for (int left = n; nlmsg_ok(h, left); h = nlmsg_next(h, &left))
			handle(c, h, "", NULL, NULL, &ignored);
		diag_fini(&ignored);
	}

	bool ready = c->ready;

	c->ready = false;
	return ready;
}

/* --- requests -------------------------------------------------------- */

struct nl_msg *client_request(struct client *c, enum goprobe_cmd cmd, int flags, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_size(size + 512);

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, c->family, 0, flags, cmd,
			 GOPROBE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int client_exchange(struct client *c, struct nl_msg *msg, const char *what, client_message_fn fn,
		    void *ctx, struct diag *d)
{
	if (!msg)
		return diag_set(d, "out of memory");
	nl_complete_msg(c->sock, msg);
	c->seq = nlmsg_hdr(msg)->nlmsg_seq;

	int err = nl_send(c->sock, msg);

	nlmsg_free(msg);
	if (err < 0)
		return diag_set(d, "%s: %s", what, nl_geterror(err));
	return answer(c, what, fn, ctx, d);
}
