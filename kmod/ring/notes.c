// SPDX-License-Identifier: GPL-2.0
/* Notes that a process leaves of its calls: making records of them. */
#include <linux/compiler.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <goprobe.h>

#include "ring/notes.h"
#include "ring/ring.h"

#define GP_NOTES_RECORD	(sizeof(struct goprobe_record) + GP_DETOUR_WORDS * sizeof(u64))

/*
 * Complete notes from @note to @end, and no younger than @until, behind the @to - 1 found before.
 * They are mostly in order already: only a thread that was interrupted is late.
 */
static __always_inline struct gp_note_place *gp_notes_find(struct gp_detour_note *note,
							   const struct gp_detour_note *end,
							   u64 until,
							   const struct gp_note_place *first,
							   struct gp_note_place *to)
{
	struct gp_note_place *p;
	u64 time;

	for (; note < end; note++) {
		/* The note is read after its state. */
		if (smp_load_acquire(&note->state) <= 1)
			continue;
		time = READ_ONCE(note->time);
		if (unlikely(time > until))
			continue;
		for (p = to++; unlikely(time < p[-1].time) && p > first; p--)
			*p = p[-1];
		p->note = note;
		p->time = time;
	}
	return to;
}

/* Another thread than last time. */
static noinline void gp_notes_thread(struct gp_notes *n, u32 tid)
{
	n->its_tid = tid;
	n->tid = tid;
	if (n->ns == &init_pid_ns)
		return;
	rcu_read_lock();
	/* A thread that has ended has no number any more: 0. */
	n->tid = pid_nr(find_pid_ns(tid, n->ns));
	rcu_read_unlock();
}

static __always_inline void gp_notes_put(struct gp_notes *n, const struct gp_note_point *point,
					 const struct gp_detour_note *note, u64 time,
					 struct goprobe_record *rec)
{
	u64 *word = (u64 *)rec, *frame = (u64 *)(rec + 1);
	u32 i, tid = READ_ONCE(note->tid);

	if (unlikely(tid != n->its_tid))
		gp_notes_thread(n, tid);
	word[0] = point->head;
	word[1] = point->id;
	rec->depth = READ_ONCE(note->depth) / 8;
	rec->tid = n->tid;
	rec->tgid = n->tgid;
	rec->time = time;
	rec->goid = READ_ONCE(note->goid);
	rec->ip = point->ip;
	/* A few too many cost less than a loop; what follows the record is free. */
	frame[0] = READ_ONCE(note->word[0]);
	frame[1] = READ_ONCE(note->word[1]);
	frame[2] = READ_ONCE(note->word[2]);
	frame[3] = READ_ONCE(note->word[3]);
	for (i = 4; i < point->words; i++)
		frame[i] = READ_ONCE(note->word[i]);
}

/**
 * gp_notes_drain() - make records of notes
 * @n: the notes; the caller holds their lock
 * @ring: gets the records; all drains that use it hold that lock
 * @until: the processor's counter, read before; younger notes stay
 *
 * Records of @ring are in the order of their times. A note that is committed after a drain has
 * passed it has an earlier time than the last record then, and gets that one's.
 *
 * Return: number of notes that are free now.
 */
u32 gp_notes_drain(struct gp_notes *n, struct gp_ring *ring, u64 until)
{
	struct gp_detour_note *note = n->its->note;
	u32 from = READ_ONCE(n->its->next) / sizeof(*note) % GP_DETOUR_NOTES;
	struct gp_note_place *first = n->place + 1, *p, *end;
	unsigned long head = ring->head, mask = ring->size - 1;
	const struct gp_note_point *point;
	u8 *data = ring->data;
	u64 last = n->last;
	u32 id, space;

	n->place[0].time = last;
	end = gp_notes_find(note + from, note + GP_DETOUR_NOTES, until, first, first);
	end = gp_notes_find(note, note + from, until, first, end);
	space = gp_ring_space(ring) / GP_NOTES_RECORD;
	if (unlikely(end - first > space))
		end = first + space;
	for (p = first; p < end; p++) {
		note = p->note;
		id = READ_ONCE(note->state) / 2;
		point = id < n->npoints ? n->points[id] : NULL;
		/* Anything else a program has written itself. */
		if (likely(point)) {
			last = max(last, p->time);
			gp_notes_put(n, point, note, last, (void *)(data + (head & mask)));
			head += point->size;
		}
		/* It has been read before the process uses it again. */
		smp_store_release(&note->state, 0);
	}
	n->last = last;
	gp_ring_commit(ring, head - ring->head);
	return end - first;
}
