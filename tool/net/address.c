// SPDX-License-Identifier: GPL-2.0
/* Addresses of sockets. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/argument.h"
#include "net/address.h"

static bool is_v6(const union net_address *a)
{
	return a->any.sa_family == AF_INET6;
}

socklen_t net_address_len(const union net_address *a)
{
	return is_v6(a) ? sizeof(a->v6) : sizeof(a->v4);
}

static void set_port(union net_address *a, uint16_t port)
{
	if (is_v6(a))
		a->v6.sin6_port = htons(port);
	else
		a->v4.sin_port = htons(port);
}

/* Numeric, without brackets. */
static bool read_address(const char *p, size_t n, union net_address *ret)
{
	char text[INET6_ADDRSTRLEN];

	if (n >= sizeof(text))
		return false;
	memcpy(text, p, n);
	text[n] = 0;
	memset(ret, 0, sizeof(*ret));
	ret->any.sa_family = AF_INET;
	if (inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1)
		return true;
	ret->any.sa_family = AF_INET6;
	return inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1;
}

bool net_address_is_numeric(const char *p, size_t n)
{
	union net_address a;

	return read_address(p, n, &a);
}

int net_address_parse(const char *text, union net_address *ret, struct diag *d)
{
	const char *colon = strrchr(text, ':'), *from = text;
	size_t n = colon ? (size_t)(colon - text) : 0;
	bool brackets = n > 1 && *text == '[' && colon[-1] == ']';
	uint64_t port;

	if (brackets) {
		from++;
		n -= 2;
	}
	if (!colon) {
		from = "127.0.0.1";
		n = strlen(from);
	}
	/* Without brackets nobody knows where an address of IPv6 ends. */
	if (!argument_number(colon ? colon + 1 : text, 0, UINT16_MAX, &port) ||
	    !read_address(from, n, ret) ||
	    brackets != is_v6(ret)) {
		diag_set(d, "--listen '%s' is no [ADDRESS:]PORT", text);
		diag_hint(d, "an address is numeric: 9464, 0.0.0.0:9464, [::1]:9464");
		return -1;
	}
	set_port(ret, (uint16_t)port);
	return 0;
}

int net_address_find(const char *host, uint16_t port, union net_address *ret, struct diag *d)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *found;
	int err;

	if (read_address(host, strlen(host), ret)) {
		set_port(ret, port);
		return 0;
	}
	err = getaddrinfo(host, NULL, &hints, &found);
	if (err)
		return diag_set(d, "no address of the host '%s': %s", host, gai_strerror(err));
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, found->ai_addr,
	       found->ai_addrlen < sizeof(*ret) ? found->ai_addrlen : sizeof(*ret));
	freeaddrinfo(found);
	set_port(ret, port);
	return 0;
}

void net_address_text(const union net_address *a, char ret[NET_ADDRESS_TEXT])
{
	char text[INET6_ADDRSTRLEN] = "?";

	if (is_v6(a)) {
		inet_ntop(AF_INET6, &a->v6.sin6_addr, text, sizeof(text));
		snprintf(ret, NET_ADDRESS_TEXT, "[%s]:%u", text, ntohs(a->v6.sin6_port));
	} else {
		inet_ntop(AF_INET, &a->v4.sin_addr, text, sizeof(text));
		snprintf(ret, NET_ADDRESS_TEXT, "%s:%u", text, ntohs(a->v4.sin_port));
	}
}

bool net_address_is_local(const union net_address *a)
{
	if (is_v6(a))
		return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
	return ntohl(a->v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}
