/* SPDX-License-Identifier: GPL-2.0 */
/* Messages to the module and back. Inside of client. */
#ifndef GOPROBE_TRACE_CLIENT_MSG_H
#define GOPROBE_TRACE_CLIENT_MSG_H

#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "trace/client.h"

/* Every session is GOPROBE_SESSION_F_LARGE and _FD. */
#define CLIENT_RECEIVE_BYTES GOPROBE_LARGE_BYTES

/* A connection. */
struct client {
	struct nl_sock *sock;	/* socket */
	int session;	/* descriptor that the session ends with, or -1 */
	int family;	/* id of the generic netlink family */
	uint32_t pids;	/* most processes of a session; 0: client_get_info() has not been asked */
	uint32_t seq;	/* of the request that is being answered */
	bool ready;	/* a GOPROBE_CMD_READY came */
	/* What the members of struct attrs lead to. */
	uint64_t reply[CLIENT_RECEIVE_BYTES / 8];
	uint64_t receive[CLIENT_RECEIVE_BYTES / 8];	/* what is received */
};

/* From now on it hears nobody but the kernel. Nothing may have been asked before. */
int client_connect(struct nl_sock *sock, struct diag *d);
/* The version of the generic netlink family of that name, or -1 if it is unknown. */
int client_protocol(struct nl_sock *sock, const char *name);
/* Called for each message of an answer; other than 0 ends the exchange. */
typedef int (*client_message_fn)(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d);

/* A message that a command begins with, with @size bytes for more; or NULL. */
struct nl_msg *client_request(struct client *c, enum goprobe_cmd cmd, int flags, size_t size);
/*
 * Send @msg (NULL: there was no memory for it), free it, await the answer. 0, or -1
 * with a message that begins with @what.
 */
int client_exchange(struct client *c, struct nl_msg *msg, const char *what, client_message_fn fn,
		    void *ctx, struct diag *d);

enum attrs_kind {
	ATTRS_NUMBER,
	ATTRS_NOT_0,	/* a number that is left out if it is 0 */
	ATTRS_STRUCT,	/* a pointer, or NULL */
	ATTRS_ARRAY,	/* a pointer, and the number of elements behind it */
};

/* An attribute. */
struct attrs_row {
	enum attrs_kind kind;	/* what its member of struct attrs is */
	size_t offset;		/* where that is */
	size_t size;		/* bytes of the number, of the struct, or of an element */
};

/* A command with a reply. */
struct attrs_command {
	uint8_t request[12];	/* its attributes; a 0 ends them */
	uint8_t reply[4];	/* those of its reply */
};

extern const struct attrs_row attrs_rows[GOPROBE_A_MAX + 1];
extern const struct attrs_command attrs_commands[GOPROBE_CMD_MAX + 1];

#endif
