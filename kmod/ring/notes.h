/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes that a process leaves of its calls without a trap (arch/detour.h), and what makes records
 * of them. docs/design.md: "Records without a trap".
 *
 * A program can write into its notes what it likes: each word is read once, and only the number of
 * the point decides about anything.
 */
#ifndef GP_NOTES_H
#define GP_NOTES_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "arch/detour.h"

struct gp_ring;
struct pid_namespace;

/**
 * struct gp_note_point - what all records of a point have in common
 * @head: members of struct goprobe_record up to @depth, which is 0
 * @id: its members id and plan
 * @ip: address of the point
 * @words: of the frame, GP_DETOUR_WORDS at most
 * @size: of the record
 */
struct gp_note_point {
	u64 head;
	u64 id;
	u64 ip;
	u32 words;
	u32 size;
};

/**
 * struct gp_note_place - a note that is complete
 * @note: it
 * @time: its time
 */
struct gp_note_place {
	struct gp_detour_note *note;
	u64 time;
};

/**
 * struct gp_notes - the notes of a CPU
 * @lock: held while they are drained
 * @its: where the process writes them
 * @points: by gp_detour.id; NULL: none
 * @npoints: number of @points
 * @ns: pid namespace of the process
 * @its_tid: the last thread, as the process sees it
 * @tid: that thread in the initial namespace; with the next one as struct goprobe_record has them
 * @tgid: the process
 * @last: time of the last record
 * @place: used by a drain; the first is the record before it
 */
struct gp_notes {
	spinlock_t lock;	/* held while they are drained */
	struct gp_detour_ring *its;
	const struct gp_note_point **points;
	u32 npoints;
	struct pid_namespace *ns;
	u32 its_tid;
	u32 tid;
	u32 tgid;
	u64 last;
	struct gp_note_place place[GP_DETOUR_NOTES + 1];
};

u32 gp_notes_drain(struct gp_notes *n, struct gp_ring *ring, u64 until);

#endif
