/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the protocol, as bytes, and a socket that they go through. */
#ifndef NETFUZZ_WIRE_H
#define NETFUZZ_WIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <goprobe.h>

/* The largest message that is made: more than 1024 points, which are too many. */
#define WIRE_MAX	65536

/* Sequence numbers for the users of a shared socket. */
#define WIRE_SIBLING	0x80000000U

/**
 * struct wire_msg - a message
 * @cmd: enum goprobe_cmd, or something else
 * @version: of the family
 * @dump: it asks for a dump
 * @ack: it asks to be acknowledged
 * @damaged: it is not as it should be
 * @len: bytes of @body
 * @body: attributes
 */
struct wire_msg {
	uint8_t cmd;
	uint8_t version;
	bool dump;
	bool ack;
	bool damaged;
	uint32_t len;
	uint8_t body[WIRE_MAX] __attribute__((aligned(8)));
};

void wire_begin(struct wire_msg *m, uint8_t cmd);
void *wire_put(struct wire_msg *m, uint16_t attr, const void *data, uint32_t len);
void wire_put_u32(struct wire_msg *m, uint16_t attr, uint32_t v);

/**
 * struct wire_answer - what the kernel says to a message
 * @error: 0 or a positive errno
 * @message: why, or ""
 * @number: the u32 of the last answer, of whatever attribute
 */
struct wire_answer {
	int error;
	char message[256];
	uint32_t number;
};

/**
 * struct wire - a socket
 * @fd: the socket
 * @seq: of the last message
 * @got: called for each answer's attribute
 * @stray: called for the answer to a message of who shares the socket
 * @arg: for these
 * @buffer: what is received
 */
struct wire {
	int fd;
	int session;	/* what it ends with, if it was asked for; or -1 */
	uint32_t seq;
	void (*got)(void *arg, uint8_t cmd, uint16_t attr, const void *data, uint32_t len);
	void (*stray)(void *arg, uint32_t seq, const struct wire_answer *answer);
	void *arg;
	uint8_t *buffer;
};

#define WIRE_BUFFER	(1U << 20)

/* The family's number; 0: not found. */
uint16_t wire_family(void);
int wire_open(struct wire *w);
void wire_close(struct wire *w);
/* -1: the socket does not take it. */
int wire_send(const struct wire *w, const struct wire_msg *m, uint32_t seq);
/* -1: no answer came within a minute. */
int wire_call(struct wire *w, const struct wire_msg *m, struct wire_answer *answer);
/* Discard the messages that have arrived already. */
void wire_drain(struct wire *w);

#endif
