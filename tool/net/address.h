/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses of sockets: where a server listens, and where a peer is. */
#ifndef GOPROBE_NET_ADDRESS_H
#define GOPROBE_NET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/diag.h"

/**
 * union net_address - an address of IPv4 or IPv6, with its port
 * @any: for the C library
 * @v4: of AF_INET
 * @v6: of AF_INET6
 */
union net_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Longest text of net_address_text(), with its NUL. */
#define NET_ADDRESS_TEXT 64

/* Parse [ADDR:]PORT; without ADDR it is 127.0.0.1. Port 0 is a free one. 0, or -1 with @d set. */
int net_address_parse(const char *text, union net_address *ret, struct diag *d);
/* The first address of @host, by the system's resolver, which may wait. 0, or -1 with @d set. */
int net_address_find(const char *host, uint16_t port, union net_address *ret, struct diag *d);
/* "127.0.0.1:80", "[::1]:80" */
void net_address_text(const union net_address *a, char ret[NET_ADDRESS_TEXT]);
socklen_t net_address_len(const union net_address *a);
/* Can only this machine reach it? */
bool net_address_is_local(const union net_address *a);
/* Is the text of @n bytes an address of IPv4 or IPv6? */
bool net_address_is_numeric(const char *p, size_t n);

#endif
