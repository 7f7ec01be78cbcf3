// SPDX-License-Identifier: GPL-2.0
/*
 * The module's commands over generic netlink. libnl builds and parses messages;
 * receiving is done here, because the messages of a pass are handed on where
 * they lie and a READY may come between any two others.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <netlink/attr.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "client.h"

/* The kernel fills its messages up to 32 KiB if it sees that there is room. */
#define RECEIVE_BYTES 65536
#define SOCKET_RECEIVE_BYTES (8 << 20)
#define SOCKET_SEND_BYTES (1 << 20)

/**
 * struct client - a connection
 * @sock: socket
 * @family: id of the generic netlink family
 * @seq: of the request that is being answered
 * @ready: a GOPROBE_CMD_READY came
 * @tb: attributes of the last reply, in @reply
 * @reply: the last reply, copied
 * @receive: what is received
 */
struct client {
	struct nl_sock *sock;
	int family;
	uint32_t seq;
	bool ready;
	struct nlattr *tb[GOPROBE_A_MAX + 1];
	uint64_t reply[RECEIVE_BYTES / 8];
	uint64_t receive[RECEIVE_BYTES / 8];
};

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

int client_open(struct client **ret, struct diag *d)
{
	struct client *c = calloc(1, sizeof(*c));

	if (!c)
		return diag_set(d, "out of memory");
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
	c->family = genl_ctrl_resolve(c->sock, GOPROBE_GENL_NAME);
	if (c->family == -NLE_OBJ_NOTFOUND) {
		diag_set(d, "the goprobe module is not loaded");
		diag_hint(d, "load it with: sudo modprobe goprobe");
		goto failed;
	}
	if (c->family < 0) {
		diag_set(d, "can't look up the goprobe module: %s", nl_geterror(c->family));
		goto failed;
	}
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
	free(c);
}

int client_fd(const struct client *c)
{
	return nl_socket_get_fd(c->sock);
}

/* --- receiving ------------------------------------------------------- */

/* The kernel's sentence in an error or at the end of a dump, or NULL. */
static const char *sentence_at(const struct nlmsghdr *h, const void *tlvs)
{
	int left = (const char *)h + h->nlmsg_len - (const char *)tlvs;

	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS) || left <= 0)
		return NULL;

	struct nlattr *msg = nla_find((struct nlattr *)tlvs, left, NLMSGERR_ATTR_MSG);

	if (!msg || !nla_len(msg) || !memchr(nla_data(msg), 0, nla_len(msg)))
		return NULL;
	return nla_get_string(msg);
}

static int refused(struct diag *d, const char *what, int err, const char *sentence)
{
	if (err == EPERM && !sentence)
		sentence = "it needs CAP_SYS_ADMIN";
	if (sentence)
		diag_set(d, "%s: %s", what, sentence);
	else
		diag_errno(d, err, "%s", what);
	if (err == EPERM)
		diag_hint(d, "run goprobectl as root");
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
		/* The request stands between the error and what tells of it. */
		if (e->msg.nlmsg_len < NLMSG_HDRLEN || e->msg.nlmsg_len > h->nlmsg_len)
			return refused(d, what, (int)-(int64_t)e->error, NULL);
		skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
	}
	return refused(d, what, (int)-(int64_t)e->error,
		       sentence_at(h, (char *)e + NLMSG_ALIGN(skip)));
}

static int handle_done(struct nlmsghdr *h, const char *what, struct diag *d)
{
	int err = 0;

	if (h->nlmsg_len >= NLMSG_HDRLEN + sizeof(err))
		memcpy(&err, nlmsg_data(h), sizeof(err));
	if (err >= 0)
		return 0;
	return refused(d, what, (int)-(int64_t)err,
		       sentence_at(h, (char *)nlmsg_data(h) + sizeof(err)));
}

/* Called for each message of an answer; other than 0 ends the exchange. */
typedef int (*message_fn)(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d);

/* 1: go on; 0: the answer is complete; -1: failed. */
static int handle(struct client *c, struct nlmsghdr *h, const char *what, message_fn fn,
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

/* Bytes received, or -errno. ENOBUFS: a READY was dropped; that loses nothing. */
static ssize_t receive(struct client *c, int flags)
{
	for (;;) {
		ssize_t n = recv(client_fd(c), c->receive, sizeof(c->receive), flags);

		if (n >= 0)
			return n;
		if (errno == ENOBUFS)
			c->ready = true;
		else if (errno != EINTR)
			return -errno;
	}
}

/* Receive until the request is answered. */
static int answer(struct client *c, const char *what, message_fn fn, void *ctx, struct diag *d)
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

/* --- requests -------------------------------------------------------- */

static struct nl_msg *request(struct client *c, enum goprobe_cmd cmd, int flags, size_t room)
{
	struct nl_msg *msg = nlmsg_alloc_size(room + 512);

	if (!msg)
		return NULL;
	if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, c->family, 0, flags, cmd,
			 GOPROBE_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

/* Send @msg (NULL: there was no memory for it), free it, await the answer. */
static int exchange(struct client *c, struct nl_msg *msg, const char *what, message_fn fn,
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

static int parse(struct client *c, struct nlmsghdr *h)
{
	return nlmsg_parse(h, GENL_HDRLEN, c->tb, GOPROBE_A_MAX, NULL);
}

/* Keep the reply's attributes in c->tb. */
static int keep(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	(void)ctx;
	memcpy(c->reply, h, h->nlmsg_len);
	if (parse(c, (struct nlmsghdr *)c->reply))
		return diag_set(d, "the module's reply can't be understood");
	return 0;
}

/* A command with an answer of at most one message, which is then in c->tb. */
static int command(struct client *c, struct nl_msg *msg, const char *what, struct diag *d)
{
	memset(c->tb, 0, sizeof(c->tb));
	return exchange(c, msg, what, keep, NULL, d);
}

static const void *reply_data(struct client *c, int attr, size_t size)
{
	return c->tb[attr] && (size_t)nla_len(c->tb[attr]) >= size ? nla_data(c->tb[attr]) : NULL;
}

static int reply_u32(struct client *c, int attr, const char *what, uint32_t *ret,
		     struct diag *d)
{
	const void *p = reply_data(c, attr, sizeof(*ret));

	if (!p)
		return diag_set(d, "%s: the module's reply lacks attribute %d", what, attr);
	memcpy(ret, p, sizeof(*ret));
	return 0;
}

/* Append an array; an empty one is left out. Frees @msg on failure. */
static struct nl_msg *put(struct nl_msg *msg, int attr, const void *p, size_t size)
{
	if (msg && size && nla_put(msg, attr, size, p)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int client_get_info(struct client *c, struct client_info *ret, struct diag *d)
{
	static const char what[] = "can't talk to the goprobe module";
	const struct goprobe_limits *limits;
	const uint64_t *abilities;

	memset(ret, 0, sizeof(*ret));
	if (command(c, request(c, GOPROBE_CMD_GET_INFO, NLM_F_ACK, 0), what, d))
		return -1;
	limits = reply_data(c, GOPROBE_A_LIMITS, sizeof(*limits));
	abilities = reply_data(c, GOPROBE_A_ABILITIES, sizeof(*abilities));
	if (!limits || !abilities || !c->tb[GOPROBE_A_VERSION])
		return diag_set(d, "%s: it speaks another version of the protocol", what);
	memcpy(&ret->limits, limits, sizeof(*limits));
	memcpy(&ret->abilities, abilities, sizeof(*abilities));
	nla_strlcpy(ret->version, c->tb[GOPROBE_A_VERSION], sizeof(ret->version));
	return 0;
}

int client_session_new(struct client *c, const int32_t *pids, size_t npids,
		       uint32_t *ring_bytes, struct diag *d)
{
	static const char what[] = "can't begin a session";
	struct nl_msg *msg = request(c, GOPROBE_CMD_SESSION_NEW, NLM_F_ACK,
				     npids * sizeof(*pids));

	msg = put(msg, GOPROBE_A_RING_BYTES, ring_bytes, *ring_bytes ? sizeof(*ring_bytes) : 0);
	msg = put(msg, GOPROBE_A_PIDS, pids, npids * sizeof(*pids));
	if (command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_RING_BYTES, what, ring_bytes, d);
}

int client_file_add(struct client *c, int fd, const struct goprobe_runtime *rt,
		    uint32_t *file, struct diag *d)
{
	static const char what[] = "can't add the file";
	struct nl_msg *msg = request(c, GOPROBE_CMD_FILE_ADD, NLM_F_ACK, sizeof(*rt));
	uint32_t number = fd;

	msg = put(msg, GOPROBE_A_FD, &number, sizeof(number));
	msg = put(msg, GOPROBE_A_RUNTIME, rt, sizeof(*rt));
	if (command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FILE, what, file, d);
}

int client_types_add(struct client *c, const struct goprobe_type *types, size_t ntypes,
		     const struct goprobe_ref *refs, size_t nrefs, uint32_t *first,
		     struct diag *d)
{
	static const char what[] = "can't add types";
	size_t size = ntypes * sizeof(*types), refs_size = nrefs * sizeof(*refs);
	struct nl_msg *msg = request(c, GOPROBE_CMD_TYPES_ADD, NLM_F_ACK, size + refs_size);

	msg = put(msg, GOPROBE_A_TYPES, types, size);
	msg = put(msg, GOPROBE_A_REFS, refs, refs_size);
	if (command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FIRST, what, first, d);
}

int client_dynamic_add(struct client *c, uint32_t file, const struct goprobe_dynamic *types,
		       size_t n, uint32_t *known, struct diag *d)
{
	static const char what[] = "can't add dynamic types";
	struct nl_msg *msg = request(c, GOPROBE_CMD_DYNAMIC_ADD, NLM_F_ACK, n * sizeof(*types));

	msg = put(msg, GOPROBE_A_FILE, &file, sizeof(file));
	msg = put(msg, GOPROBE_A_DYNAMIC, types, n * sizeof(*types));
	if (command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_COUNT, what, known, d);
}

int client_plans_add(struct client *c, const struct goprobe_plan *plans, size_t nplans,
		     const struct goprobe_piece *pieces, size_t npieces,
		     const struct goprobe_op *ops, size_t nops, uint32_t *first,
		     struct diag *d)
{
	static const char what[] = "can't add capture plans";
	size_t size = nplans * sizeof(*plans), pieces_size = npieces * sizeof(*pieces);
	size_t ops_size = nops * sizeof(*ops);
	struct nl_msg *msg = request(c, GOPROBE_CMD_PLANS_ADD, NLM_F_ACK,
				     size + pieces_size + ops_size);

	msg = put(msg, GOPROBE_A_PLANS, plans, size);
	msg = put(msg, GOPROBE_A_PIECES, pieces, pieces_size);
	msg = put(msg, GOPROBE_A_OPS, ops, ops_size);
	if (command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FIRST, what, first, d);
}

int client_points_add(struct client *c, uint32_t file, const struct goprobe_point *points,
		      size_t n, struct diag *d)
{
	struct nl_msg *msg = request(c, GOPROBE_CMD_POINTS_ADD, NLM_F_ACK, n * sizeof(*points));

	msg = put(msg, GOPROBE_A_FILE, &file, sizeof(file));
	msg = put(msg, GOPROBE_A_POINTS, points, n * sizeof(*points));
	return command(c, msg, "can't place breakpoints", d);
}

int client_start(struct client *c, struct diag *d)
{
	return command(c, request(c, GOPROBE_CMD_START, NLM_F_ACK, 0), "can't start recording", d);
}

int client_stop(struct client *c, struct diag *d)
{
	return command(c, request(c, GOPROBE_CMD_STOP, NLM_F_ACK, 0),
		       "can't take the breakpoints away", d);
}

int client_get_stats(struct client *c, uint64_t stats[__GOPROBE_STAT_MAX], struct diag *d)
{
	static const char what[] = "can't read the session's counters";
	size_t size = __GOPROBE_STAT_MAX * sizeof(*stats);

	memset(stats, 0, size);
	if (command(c, request(c, GOPROBE_CMD_GET_STATS, NLM_F_ACK, 0), what, d))
		return -1;

	struct nlattr *a = c->tb[GOPROBE_A_STATS];

	if (!a)
		return diag_set(d, "%s: the module's reply lacks them", what);
	memcpy(stats, nla_data(a), (size_t)nla_len(a) < size ? (size_t)nla_len(a) : size);
	return 0;
}

/* --- dumps ----------------------------------------------------------- */

struct pass {
	client_records_fn fn;
	void *ctx;
	struct client_pass *ret;
};

static uint64_t attr_u64(struct nlattr *a)
{
	uint64_t v = 0;

	if (a && nla_len(a) >= (int)sizeof(v))
		memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

static uint32_t attr_u32(struct nlattr *a)
{
	uint32_t v = 0;

	if (a && nla_len(a) >= (int)sizeof(v))
		memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

static int pass_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	struct pass *pass = ctx;

	if (parse(c, h))
		return diag_set(d, "the module's records can't be understood");
	if (c->tb[GOPROBE_A_TIME]) {
		pass->ret->time = attr_u64(c->tb[GOPROBE_A_TIME]);
		pass->ret->backlog = attr_u64(c->tb[GOPROBE_A_BACKLOG]);
	}

	struct nlattr *records = c->tb[GOPROBE_A_RECORDS];

	if (!records)
		return 0;
	pass->ret->bytes += nla_len(records);
	if (pass->fn(pass->ctx, attr_u32(c->tb[GOPROBE_A_CPU]), nla_data(records),
		     nla_len(records)))
		return diag_set(d, "out of memory");
	return 0;
}

/**
 * client_read - one pass over the rings
 * @c: client with a session
 * @fn: gets the records, which are valid until it returns
 * @ctx: its first argument
 * @ret: what the pass told
 * @d: for errors
 *
 * Return: 0 or -1.
 */
int client_read(struct client *c, client_records_fn fn, void *ctx, struct client_pass *ret,
		struct diag *d)
{
	struct pass pass = { .fn = fn, .ctx = ctx, .ret = ret };

	memset(ret, 0, sizeof(*ret));
	/* A READY from before the pass says nothing about what it leaves behind. */
	c->ready = false;
	return exchange(c, request(c, GOPROBE_CMD_READ, NLM_F_DUMP, 0), "can't read records",
			pass_message, &pass, d);
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

struct listing {
	client_session_fn fn;
	void *ctx;
};

static int list_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	struct listing *l = ctx;

	if (parse(c, h))
		return diag_set(d, "the module's list can't be understood");

	struct nlattr *pids = c->tb[GOPROBE_A_PIDS];
	struct nlattr *points = c->tb[GOPROBE_A_POINTS];
	struct nlattr *path = c->tb[GOPROBE_A_PATH];
	struct client_session s = {
		.session = attr_u32(c->tb[GOPROBE_A_SESSION]),
		.owner = attr_u32(c->tb[GOPROBE_A_OWNER]),
		.file = attr_u32(c->tb[GOPROBE_A_FILE]),
		.path = "",
	};

	if (path && memchr(nla_data(path), 0, nla_len(path)))
		s.path = nla_get_string(path);
	if (pids) {
		s.pids = nla_data(pids);
		s.npids = nla_len(pids) / sizeof(*s.pids);
	}
	if (points) {
		/* Attributes are 4-aligned, points are not. */
		memcpy(c->reply, nla_data(points), nla_len(points));
		s.points = (struct goprobe_point *)c->reply;
		s.npoints = nla_len(points) / sizeof(*s.points);
	}
	return l->fn(l->ctx, &s) ? diag_set(d, "out of memory") : 0;
}

int client_list(struct client *c, client_session_fn fn, void *ctx, struct diag *d)
{
	struct listing l = { .fn = fn, .ctx = ctx };

	return exchange(c, request(c, GOPROBE_CMD_LIST, NLM_F_DUMP, 0),
			"can't list what is probed", list_message, &l, d);
}
