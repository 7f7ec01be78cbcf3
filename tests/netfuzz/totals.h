/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of the kernel's answers, over all sockets. */
#ifndef NETFUZZ_TOTALS_H
#define NETFUZZ_TOTALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "model.h"

/* Index of all unknown commands. */
#define TOTALS_OTHER	__GOPROBE_CMD_MAX

/**
 * struct totals_command - counters of one command's messages
 * @sent: messages
 * @accepted: accepted messages
 * @refused: with a message
 * @netlink: refused by generic netlink
 * @us: sum of the times of the answers, except on shared sockets
 */
struct totals_command {
	atomic_ulong sent;
	atomic_ulong accepted;
	atomic_ulong refused;
	atomic_ulong netlink;
	atomic_ulong us;
};

/**
 * struct totals - counters of a run
 * @messages: sent messages
 * @accepted: accepted messages
 * @refused: with a message
 * @netlink: refused by generic netlink, which has no message for some mistakes
 * @sessions: sessions that were made
 * @records: records that were read
 * @programs: records of plans with a program
 * @chunks: in these records
 * @tallies: rows of counters, by id or key
 * @open: calls that were open
 * @ops: accepted messages with each operation
 * @command: by command
 * @stat: sums of what sessions counted
 * @faults: claims that did not hold
 */
struct totals {
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
	struct totals_command command[TOTALS_OTHER + 1];
	atomic_ulong stat[__GOPROBE_STAT_MAX];
	atomic_ulong faults;
};

extern struct totals totals;

/* Report that a claim does not hold; only the first times. */
void totals_fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Count an answer and its time. Return: it is of a new kind. */
bool totals_answer(const struct model *m, const struct wire_msg *msg, const struct wire_answer *a,
		   unsigned long us);
/* Count an answer to another user of the socket. */
void totals_stray(uint8_t cmd, const struct wire_answer *a);
/* Number of different refusals; with @print, print one per line. */
unsigned int totals_refusals(bool print);

/* rows.c: check that the rows of dumps can be parsed to the last byte. */
void rows_records(const struct model *m, const uint8_t *at, uint32_t len);
void rows_tallies(const uint8_t *at, uint32_t len, bool keyed);
void rows_open(const struct model *m, const uint8_t *at, uint32_t len);

#endif
