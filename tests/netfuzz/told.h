/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel has told, of all sockets together. */
#ifndef NETFUZZ_TOLD_H
#define NETFUZZ_TOLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "model.h"

/* Of commands that there are not, together. */
#define TOLD_OTHER	__GOPROBE_CMD_MAX

/**
 * struct told_command - what has become of one command's messages
 * @sent: how many
 * @accepted: of these
 * @refused: with a sentence
 * @netlink: refused by generic netlink
 * @us: how long the answers took, together, but for those of who shares a socket
 */
struct told_command {
	atomic_ulong sent;
	atomic_ulong accepted;
	atomic_ulong refused;
	atomic_ulong netlink;
	atomic_ulong us;
};

/**
 * struct told - numbers
 * @messages: that were sent
 * @accepted: of these
 * @refused: with a sentence
 * @netlink: refused by generic netlink, which has no sentence for some mistakes
 * @sessions: that were made
 * @records: that were read
 * @programs: records of plans with a program
 * @chunks: in these records
 * @tallies: rows of what was counted, by id or key
 * @open: calls that were open
 * @ops: accepted messages that had such an operation
 * @command: by command
 * @stat: sums of what sessions counted
 * @faults: claims that did not hold
 */
struct told {
	atomic_ulong messages;
	atomic_ulong accepted;
	atomic_ulong refused;
	atomic_ulong netlink;
	atomic_ulong sessions;
	atomic_ulong records;
	atomic_ulong programs;
	atomic_ulong chunks;
	atomic_ulong tallies;
	atomic_ulong open;
	atomic_ulong ops[__GOPROBE_OP_MAX];
	struct told_command command[TOLD_OTHER + 1];
	atomic_ulong stat[__GOPROBE_STAT_MAX];
	atomic_ulong faults;
};

extern struct told told;

/* A claim does not hold: says so, the first times. */
void told_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* An answer, and how long it took. Return: it is new, in kind. */
bool told_answer(const struct model *m, const struct wire_msg *msg, const struct wire_answer *a,
		 unsigned long us);
/* An answer to somebody who shares the socket. */
void told_stray(uint8_t cmd, const struct wire_answer *a);
/* Refusals that were ever seen; with @print one a line. */
unsigned int told_sentences(bool print);

/* rows.c: what dumps say can be taken apart, to the last byte. */
void rows_records(const struct model *m, const uint8_t *at, uint32_t len);
void rows_tallies(const uint8_t *at, uint32_t len, bool keyed);
void rows_open(const struct model *m, const uint8_t *at, uint32_t len);

#endif
