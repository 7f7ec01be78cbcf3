// SPDX-License-Identifier: GPL-2.0
/* Notes that a process leaves of its calls: making records of them, or counting them. */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <goprobe.h>

#include "ring/notes.h"
#include "ring/ring.h"

/*
 * A note that is younger than a drain by this many ticks has not the counter's time: the
 * counter has begun again since, or the program has written the time.
 */
#define GP_NOTES_YOUNGER	BIT_ULL(36)

/**
 * struct gp_notes_look - what a drain finds
 * @until: the time of the drain
 * @younger: notes that are younger by less are left
 * @now: what those get that are younger by more
 * @first: the first that is found
 * @end: behind the last
 * @left: there are notes that it leaves
 */
struct gp_notes_look {
	u64 until;
	u64 younger;
	u64 now;
	struct gp_note_place *first;
	struct gp_note_place *end;
	bool left;
};

/*
 * Find notes from @note to @end. They are mostly in order already: only a thread that was
 * interrupted is late.
 */
static __always_inline void gp_notes_find(struct gp_notes_look *l, struct gp_detour_note *note,
					  const struct gp_detour_note *end)
{
	struct gp_note_place *p;
	u32 state;
	u64 time;

	for (; note < end; note++) {
		/* The note is read after its state. */
		state = smp_load_acquire(&note->state);
		if (state <= 1) {
			l->left |= state;
			continue;
		}
		time = READ_ONCE(note->time);
		if (unlikely(time > l->until)) {
			if (time - l->until < l->younger) {
				l->left = true;
				continue;
			}
			time = l->now;
		}
		for (p = l->end++; unlikely(time < p[-1].time) && p > l->first; p--)
			*p = p[-1];
		p->note = note;
		p->time = time;
	}
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

/* A frame that is not of whole words. */
static noinline void gp_notes_put_parts(const struct gp_note_point *point,
					const struct gp_detour_note *note, u8 *frame)
{
	u32 i;
	u64 word;

	memset(frame, 0, point->size - sizeof(struct goprobe_record));
	for (i = 0; i < point->words; i++) {
		word = READ_ONCE(note->word[i]);
		memcpy(frame + point->part[i].frame, &word, point->part[i].size);
	}
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
	if (unlikely(point->in_parts)) {
		gp_notes_put_parts(point, note, (u8 *)frame);
		return;
	}
	/* A few too many cost less than a loop; what follows the record is free. */
	frame[0] = READ_ONCE(note->word[0]);
	frame[1] = READ_ONCE(note->word[1]);
	frame[2] = READ_ONCE(note->word[2]);
	frame[3] = READ_ONCE(note->word[3]);
	for (i = 4; i < point->words; i++)
		frame[i] = READ_ONCE(note->word[i]);
}

/* The note's point; NULL: a program has written the note itself. */
static __always_inline const struct gp_note_point *
gp_notes_point(const struct gp_notes *n, const struct gp_detour_note *note)
{
	u32 id = READ_ONCE(note->state) / 2;

	return id < n->npoints ? n->points[array_index_nospec(id, n->npoints)] : NULL;
}

/* Of notes that the ring has no space for, count those that need none. */
static noinline void gp_notes_count(struct gp_notes *n, const struct gp_note_place *p,
				    const struct gp_note_place *end)
{
	const struct gp_note_point *point;

	for (; p < end; p++) {
		point = gp_notes_point(n, p->note);
		if (!point || point->size)
			continue;
		point->passes(point, p->note);
		n->ring->stat[GOPROBE_STAT_JUMPED]++;
		/* As below. */
		smp_store_release(&p->note->state, 0);
	}
}

/**
 * gp_notes_drain() - make records of notes
 * @n: the notes; the caller holds their lock
 * @until: the processor's counter, read before; younger notes stay. 0: the counter is no clock any
 *	more
 * @now: the time of all records then
 * @spare: bytes of the ring that stay free
 *
 * Records are in the order of their times. A note that is committed after a drain has passed it has
 * an earlier time than the last record then, and gets that one's.
 *
 * Return: number of records.
 */
u32 gp_notes_drain(struct gp_notes *n, u64 until, u64 now, u32 spare)
{
	struct gp_notes_look l = {
		.until = until, .younger = until ? GP_NOTES_YOUNGER : 0, .now = until ?: now,
		.first = n->place + 1, .end = n->place + 1,
	};
	u32 next = READ_ONCE(n->its->next), space = gp_ring_space(n->ring), made = 0;
	struct gp_detour_note *note = n->its->note, *from;
	unsigned long head = n->ring->head, mask = n->ring->size - 1;
	const struct gp_note_point *point;
	struct gp_ring *ring = n->ring;
	struct gp_note_place *p, *end;
	u8 *data = ring->data;
	/* Less, if the counter has been set back, or is no clock any more. */
	u64 last = min(n->last, until);

	n->place[0].time = last;
	from = note + next / sizeof(*note) % GP_DETOUR_NOTES;
	gp_notes_find(&l, from, note + GP_DETOUR_NOTES);
	gp_notes_find(&l, note, from);
	space = space > spare ? (space - spare) / GP_NOTES_RECORD : 0;
	end = l.end;
	if (unlikely(l.end - l.first > space)) {
		l.end = l.first + space;
		l.left = true;
	}
	for (p = l.first; p < l.end; p++) {
		note = p->note;
		point = gp_notes_point(n, note);
		if (likely(point) && unlikely(point->passes) && !point->passes(point, note)) {
			ring->stat[GOPROBE_STAT_JUMPED]++;
		} else if (likely(point)) {
			last = max(last, p->time);
			gp_notes_put(n, point, note, last, (void *)(data + (head & mask)));
			ring->stat[point->stat]++;
			head += point->size;
			made++;
		}
		/* It has been read before the process uses it again. */
		smp_store_release(&note->state, 0);
	}
	n->last = last;
	n->idle = l.left ? next | 1 : next;
	gp_ring_commit(ring, head - ring->head);
	if (unlikely(p < end))
		gp_notes_count(n, p, end);
	return made;
}
