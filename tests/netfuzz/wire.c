// SPDX-License-Identifier: GPL-2.0
/* Netlink, by hand: what is sent need not be well-formed. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire.h"
#include "../spec_tables.h"

#define ANSWER_MS	60000

static uint16_t family;

void wire_begin(struct wire_msg *m, uint8_t cmd)
{
	m->cmd = cmd;
	m->version = GOPROBE_GENL_VERSION;
	m->dump = cmd < __GOPROBE_CMD_MAX && spec_dumps[cmd];
	m->ack = true;
	m->damaged = false;
	m->len = 0;
}

/* Where its bytes are, which come from @data if that is not NULL; NULL: it does not fit. */
void *wire_put(struct wire_msg *m, uint16_t attr, const void *data, uint32_t len)
{
	struct nlattr *nla = (struct nlattr *)(m->body + m->len);
	uint32_t padded = NLA_ALIGN(NLA_HDRLEN + len);

	if (NLA_HDRLEN + len > UINT16_MAX || padded > WIRE_MAX - m->len)
		return NULL;
	memset(nla, 0, padded);
	nla->nla_type = attr;
	nla->nla_len = NLA_HDRLEN + len;
	if (data && len)
		memcpy(nla + 1, data, len);
	m->len += padded;
	return nla + 1;
}

void wire_put_u32(struct wire_msg *m, uint16_t attr, uint32_t v)
{
	wire_put(m, attr, &v, sizeof(v));
}

static int send_to(int fd, uint16_t type, const struct wire_msg *m, uint32_t seq)
{
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
	} head = {
		.nlh = {
			.nlmsg_len = sizeof(head) + m->len, .nlmsg_type = type, .nlmsg_seq = seq,
			.nlmsg_flags = NLM_F_REQUEST | (m->dump ? NLM_F_DUMP : 0) |
				       (m->ack && !m->dump ? NLM_F_ACK : 0),
		},
		.genl = { .cmd = m->cmd, .version = m->version },
	};
	struct iovec iov[] = { { &head, sizeof(head) }, { (void *)m->body, m->len } };
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = iov, .msg_iovlen = 2,
	};

	return sendmsg(fd, &msg, 0) < 0 ? -1 : 0;
}

int wire_send(const struct wire *w, const struct wire_msg *m, uint32_t seq)
{
	return send_to(w->fd, family, m, seq);
}

static int open_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int on = 1, bytes = 8 << 20;

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes))) {
		close(fd);
		return -1;
	}
	return fd;
}

uint16_t wire_family(void)
{
	struct wire_msg *m = malloc(sizeof(*m));
	uint8_t buffer[8192] __attribute__((aligned(8)));
	struct nlmsghdr *nlh = (void *)buffer;
	int fd = open_socket(), at;
	ssize_t n = -1;

	wire_begin(m, CTRL_CMD_GETFAMILY);
	m->ack = false;
	wire_put(m, CTRL_ATTR_FAMILY_NAME, GOPROBE_GENL_NAME, sizeof(GOPROBE_GENL_NAME));
	if (fd >= 0 && !send_to(fd, GENL_ID_CTRL, m, 1))
		n = recv(fd, buffer, sizeof(buffer), 0);
	free(m);
	close(fd);
	if (n < NLMSG_HDRLEN || nlh->nlmsg_type != GENL_ID_CTRL)
		return 0;
	for (at = NLMSG_HDRLEN + GENL_HDRLEN; at + NLA_HDRLEN <= n;) {
		const struct nlattr *nla = (void *)(buffer + at);

		if (nla->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, nla + 1, sizeof(family));
		at += NLA_ALIGN(nla->nla_len);
	}
	return family;
}

int wire_open(struct wire *w)
{
	w->seq = 0;
	w->session = -1;
	w->fd = open_socket();
	return w->fd < 0 ? -1 : 0;
}

/* A descriptor, which a session ends with. */
static void keep_session(struct wire *w, int fd)
{
	if (w->session >= 0)
		close(w->session);
	w->session = fd;
}

void wire_close(struct wire *w)
{
	close(w->fd);
	w->fd = -1;
	keep_session(w, -1);
}

/* The extended acknowledgment behind an error. */
static void read_message(struct wire_answer *answer, const uint8_t *at, const uint8_t *end)
{
	while (end - at >= NLA_HDRLEN) {
		const struct nlattr *nla = (const void *)at;
		int len = nla->nla_len - NLA_HDRLEN;

		if (len < 0 || nla->nla_len > end - at)
			return;
		if (nla->nla_type == NLMSGERR_ATTR_MSG)
			snprintf(answer->message, sizeof(answer->message), "%.*s", len,
				 (const char *)(nla + 1));
		at += NLA_ALIGN(nla->nla_len);
	}
}

/* NLMSG_ERROR or NLMSG_DONE. */
static void read_end(const struct nlmsghdr *nlh, struct wire_answer *answer)
{
	const uint8_t *at = NLMSG_DATA(nlh), *end = (const uint8_t *)nlh + nlh->nlmsg_len;
	int error = 0;

	answer->message[0] = 0;
	if (end - at >= (int)sizeof(error))
		memcpy(&error, at, sizeof(error));
	answer->error = -error;
	at += nlh->nlmsg_type == NLMSG_ERROR ? sizeof(struct nlmsgerr) : sizeof(error);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && at < end)
		read_message(answer, at, end);
}

static void read_attrs(struct wire *w, const struct nlmsghdr *nlh, struct wire_answer *answer)
{
	const uint8_t *at = NLMSG_DATA(nlh), *end = (const uint8_t *)nlh + nlh->nlmsg_len;
	uint8_t cmd = ((const struct genlmsghdr *)at)->cmd;

	for (at += GENL_HDRLEN; end - at >= NLA_HDRLEN;) {
		const struct nlattr *nla = (const void *)at;

		if (nla->nla_len < NLA_HDRLEN || nla->nla_len > end - at)
			return;
		if (nla->nla_len == NLA_HDRLEN + 4)
			memcpy(&answer->number, nla + 1, 4);
		if (cmd == GOPROBE_CMD_SESSION_NEW &&
		    (nla->nla_type & NLA_TYPE_MASK) == GOPROBE_A_FD)
			keep_session(w, answer->number);
		w->got(w->arg, cmd, nla->nla_type & NLA_TYPE_MASK, nla + 1,
		       nla->nla_len - NLA_HDRLEN);
		at += NLA_ALIGN(nla->nla_len);
	}
}

/* Receive once. 1: the answer to @w->seq is complete; 0: not yet; -1: nothing came. */
static int receive(struct wire *w, struct wire_answer *answer, int timeout_ms)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	struct nlmsghdr *nlh = (void *)w->buffer;
	struct wire_answer other;
	int left, done = 0;

	/* Most answers are there when the message has been sent. */
	left = recv(w->fd, w->buffer, WIRE_BUFFER, MSG_DONTWAIT);
	if (left < 0 && errno == EAGAIN) {
		errno = ETIMEDOUT;
		if (poll(&p, 1, timeout_ms) <= 0)
			return -1;
		left = recv(w->fd, w->buffer, WIRE_BUFFER, 0);
	}
	/*
	 * Another user of the socket has filled it, or has ended a dump of its own in the moment
	 * in which we were to go on with it (netlink_dump()).
	 */
	if (left < 0)
		return errno == ENOBUFS || errno == EINVAL ? 0 : -1;
	for (; NLMSG_OK(nlh, (unsigned int)left); nlh = NLMSG_NEXT(nlh, left)) {
		bool end = nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE;
		bool own = nlh->nlmsg_seq == w->seq;

		if (!end) {
			read_attrs(w, nlh, own ? answer : &other);
			continue;
		}
		read_end(nlh, own ? answer : &other);
		if (own)
			done = 1;
		else
			w->stray(w->arg, nlh->nlmsg_seq, &other);
	}
	return done;
}

int wire_call(struct wire *w, const struct wire_msg *m, struct wire_answer *answer)
{
	int done = 0;

	*answer = (struct wire_answer){ 0 };
	w->seq++;
	if (wire_send(w, m, w->seq)) {
		answer->error = errno;
		return -1;
	}
	while (!done)
		done = receive(w, answer, ANSWER_MS);
	if (done > 0)
		return 0;
	answer->error = errno;
	return -1;
}

void wire_drain(struct wire *w)
{
	struct wire_answer answer;

	w->seq++;
	while (receive(w, &answer, 0) >= 0)
		;
}
