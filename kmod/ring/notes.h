/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes that a process leaves of its calls without a trap (arch/detour.h), and what makes records
 * of them, or counts them. docs/design/jumps.md.
 *
 * A program can write into its notes what it likes: each word is read once, and only the number of
 * the point decides about anything.
 */
#ifndef GP_NOTES_H
#define GP_NOTES_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <goprobe.h>

#include "arch/detour.h"

struct gp_probe;
struct gp_ring;
struct pid_namespace;

/* The largest record. */
#define GP_NOTES_RECORD	(sizeof(struct goprobe_record) + GP_DETOUR_WORDS * sizeof(u64))

/* Those of all notes of a CPU. */
#define GP_NOTES_RECORDS	(GP_DETOUR_NOTES * GP_NOTES_RECORD)

/* Space of the ring that a pass leaves to the end of the process's notes. */
#define GP_NOTES_SPARE_PASS	GP_NOTES_RECORDS

/*
 * Space that others leave to a pass and to the end. A pass may have to leave a few records to the
 * next one, which has that much less: those of threads that were interrupted just before they
 * committed their notes.
 */
#define GP_NOTES_SPARE	(2 * GP_NOTES_RECORDS + 32 * GP_NOTES_RECORD)

/* The smallest ring that has space beside. */
#define GP_NOTES_RING_MIN	SZ_128K

/**
 * struct gp_note_part - part of a word that a frame has
 * @frame: where, in bytes
 * @size: its bytes: the word's low ones
 */
struct gp_note_part {
	u16 frame;
	u16 size;
};

/**
 * struct gp_note_point - what all notes of a point have in common
 * @passes: says whether a note becomes a record; if not, it has been counted as a hit of @probe.
 *	Does not sleep. NULL: all become records
 * @probe: see @passes; outlives the notes
 * @noted: number of words that notes have
 * @from: offset in struct pt_regs of each, for @passes
 * @head: members of struct goprobe_record up to @depth, which is 0
 * @id: its members id and plan
 * @ip: address of the point
 * @stat: enum goprobe_stat that counts them
 * @words: number of the first ones, which are in the frame
 * @size: of the record
 * @in_parts: the frame has @part of the words, else the words one after the other
 * @part: of each word
 */
struct gp_note_point {
	bool (*passes)(const struct gp_note_point *point, const struct gp_detour_note *note);
	const struct gp_probe *probe;
	u32 noted;
	u16 from[GP_DETOUR_WORDS];
	u64 head;
	u64 id;
	u64 ip;
	u32 stat;
	u32 words;
	u32 size;
	bool in_parts;
	struct gp_note_part part[GP_DETOUR_WORDS];
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
 * @lock: guards all of it
 * @its: where the process writes them, or NULL
 * @ring: gets their records
 * @points: by gp_detour.id; NULL: none
 * @npoints: number of @points
 * @ns: pid namespace of the process
 * @its_tid: the last thread, as the process sees it
 * @tid: that thread in the initial namespace; with the next one as struct goprobe_record has them
 * @tgid: the process
 * @last: time of the last record
 * @idle: struct gp_detour_ring.next at the last drain; odd if that has left notes
 * @place: used by a drain; the first is the record before it
 */
struct gp_notes {
	spinlock_t lock;	/* guards all of it */
	struct gp_detour_ring *its;
	struct gp_ring *ring;
	const struct gp_note_point **points;
	u32 npoints;
	struct pid_namespace *ns;
	u32 its_tid;
	u32 tid;
	u32 tgid;
	u64 last;
	u32 idle;
	struct gp_note_place place[GP_DETOUR_NOTES + 1];
};

/*
 * Are there no notes, as far as the process says? A thread that is about to leave one may not show.
 */
static inline bool gp_notes_are_idle(const struct gp_notes *n)
{
	return READ_ONCE(n->its->next) == n->idle;
}

u32 gp_notes_drain(struct gp_notes *n, u64 until, u64 now, u32 spare);

#endif
