// SPDX-License-Identifier: GPL-2.0
/* Senders that the netlink client accepts, without the module. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/genetlink.h>

#include "rows.h"
#include "trace/client_msg.h"

/* A client of the kernel's own family, which is there without a module. */
static struct client *connected(void)
{
	struct client *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	c->sock = nl_socket_alloc();
	assert_non_null(c->sock);
	assert_int_equal(nl_connect(c->sock, NETLINK_GENERIC), 0);
	c->family = GENL_ID_CTRL;
	return c;
}

/* Send "there are records" to @c as a process would; false: it may not. */
static bool forge_ready(struct client *c)
{
	struct {
		struct nlmsghdr h;
		struct genlmsghdr g;
	} m = {
		.h = { .nlmsg_len = sizeof(m), .nlmsg_type = GENL_ID_CTRL },
		.g = { .cmd = GOPROBE_CMD_READY },
	};
	struct sockaddr_nl to = {
		.nl_family = AF_NETLINK, .nl_pid = nl_socket_get_local_port(c->sock),
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	ssize_t n = sendto(fd, &m, sizeof(m), 0, (struct sockaddr *)&to, sizeof(to));

	close(fd);
	return n == sizeof(m);
}

/* Linux has had one version of its own family since 2006. */
TEST(a_family_has_a_version)
{
	struct client *c = connected();

	assert_int_equal(client_protocol(c->sock, "nlctrl"), 2);
	assert_int_equal(client_protocol(c->sock, "nobody has this"), -1);
	client_close(c);
}

/* With CAP_NET_ADMIN any process can send to the socket: a container that has no more than that. */
TEST(only_the_kernel_is_listened_to)
{
	struct diag d = { 0 };
	struct client *c;

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		skip();
	c = connected();
	if (!forge_ready(c)) {
		client_close(c);
		skip();
	}
	assert_false(client_ready(c));
	assert_int_equal(client_exchange(c, client_request(c, (enum goprobe_cmd)CTRL_CMD_GETFAMILY,
							   NLM_F_DUMP, 0),
					 "can't list families", NULL, NULL, &d), 0);
	client_close(c);
	diag_fini(&d);
}

/* Older messages are ignored, too: those sent before the socket was the kernel's only. */
TEST(what_was_sent_before_is_dropped)
{
	struct diag d = { 0 };
	struct client *c;
	bool sent;

	c = connected();
	sent = forge_ready(c) && forge_ready(c);
	if (!sent) {
		client_close(c);
		skip();
	}
	assert_int_equal(client_connect(c->sock, &d), 0);
	assert_int_equal(recv(nl_socket_get_fd(c->sock), NULL, 0, MSG_DONTWAIT | MSG_PEEK), -1);
	assert_false(forge_ready(c));
	assert_int_equal(recv(nl_socket_get_fd(c->sock), NULL, 0, MSG_DONTWAIT | MSG_PEEK), -1);
	client_close(c);
	diag_fini(&d);
}

/* Values that do not fit into an attribute are not sent. */
TEST(more_processes_than_there_may_be)
{
	static const int32_t pids[20000];
	static const struct {
		uint32_t most;
		size_t n;
		const char *error;
	} rows[] = {
		{ 1024, 1025, "these are 1025 processes, and the module allows 1024" },
		{ 0, 20000, "these are 20000 processes, and the module allows 16250" },
		{ 1U << 20, 20000, "these are 20000 processes, and the module allows 16250" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct client *c = connected();
		struct attrs a = { .pids = pids, .npids = rows[i].n };
		struct diag d = { 0 };

		c->pids = rows[i].most;
		assert_int_equal(client_session_new(c, &a, &d), -1);
		assert_string_equal(d.message, rows[i].error);
		diag_fini(&d);
		client_close(c);
	}
}
