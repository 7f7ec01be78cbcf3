/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints that become jumps. A *jump* is one point in one process: its branch is a breakpoint
 * or a jump to a detour (arch/detour.h). A *space* holds the jumps of one session in one process
 * and one file, with their memory.
 */
#ifndef GP_JUMP_H
#define GP_JUMP_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/types.h>
#include <linux/uprobes.h>

#include "arch/detour.h"
#include "compat.h"
#include "jump/spare.h"
#include "ring/notes.h"
#include "stats/remote.h"

struct gp_jump_batch;
struct gp_notebook;
struct gp_probe;
struct gp_slots;
struct gp_tallies;
struct gp_tally;
struct inode;

/* Jumps that are changed together: a batch holds the lock of the process's mappings. */
#define GP_JUMP_BATCH	32

/**
 * struct gp_kept_notes - notes that a session has left in a process
 * @at: address of CPU 0's, or 0: none
 * @npoints: numbers below it have been given to points
 * @cpu_shift: as of struct gp_spare
 */
struct gp_kept_notes {
	unsigned long at;
	u32 npoints;
	u8 cpu_shift;
};

/**
 * struct gp_jump_space - what jumps need in a process
 * @node: link in its file's, or in those that are kept
 * @look: link while threads are looked at
 * @mm: the process's memory; kept as a structure, not alive
 * @inode: the file; not to be followed after the session
 * @areas: struct gp_area: detours and their numbers
 * @jumps: struct gp_jump
 * @stale: struct gp_jump of earlier sessions whose cold blocks still lead to detours
 * @slots: open calls, if any are timed
 * @kept_slots: address of the table of slots of an earlier session, or 0
 * @kept_notes: the same of notes
 * @times: struct gp_jump_times
 * @notebook: has notes of calls here, or NULL
 * @pid: the process
 * @spare: what they take of its memory
 * @batch: changes of its code
 * @full: there is no space for more detours, or none may be made there
 * @no_pop: nor for detours of GP_DETOUR_EXIT_POP
 * @no_notes: nor for those that leave notes, which are out of reach
 * @busy: code that we do not know may lead to detours: they are never overwritten
 * @alive: its memory has a reference, while its session ends
 * @inside: a thread may be in a detour: gp_threads_look()
 * @entering: a thread may be before a cold block that leads to one
 * @quiet: looks in a row that have found none inside or entering
 * @clear: ... none entering
 * @tries: how often the worker has looked since the session's end
 */
struct gp_jump_space {
	struct list_head node;
	struct list_head look;
	struct mm_struct *mm;
	const struct inode *inode;
	struct list_head areas;
	struct list_head jumps;
	struct list_head stale;
	struct gp_slots *slots;
	unsigned long kept_slots;
	struct gp_kept_notes kept_notes;
	struct list_head times;
	struct gp_notebook *notebook;
	struct pid *pid;
	struct gp_spare spare;
	struct gp_jump_batch *batch;
	bool full;
	bool no_pop;
	bool no_notes;
	bool busy;
	bool alive;
	bool inside;
	bool entering;
	u32 quiet;
	u32 clear;
	u32 tries;
};

/**
 * struct gp_jump_times - times of a function in a process: struct gp_detour_times
 * @node: link in its space
 * @tally: of the function
 * @at: address of CPU 0's
 * @counter: where the kernel reads them
 * @seen: of @counter
 */
struct gp_jump_times {
	struct list_head node;
	const struct gp_tally *tally;
	unsigned long at;
	struct gp_remote_counter counter;
	u64 seen[GP_DETOUR_BUCKETS + 1];
};

/**
 * struct gp_jump_plan - how a probe counts hits without breakpoints, or times or records calls
 * @site: of its branch or epilogue
 * @ntests: number of @test
 * @test: which hits count
 * @timed: tally of the function whose calls begin or end here, or NULL
 * @slots: struct gp_slots of its file
 * @id: of the function
 * @runtime: offsets in the Go runtime of its file
 * @rate: ns of a tick, times 2^63
 * @notebook: gets notes of hits, or NULL
 * @note: what their records have in common, but the address
 * @note_id: number of the last point that was added to @notebook, or 0
 * @word: registers that a note gets, by hardware number
 * @hits: counts them, or NULL. If there is neither that nor @notebook, they land, and take a trap
 * @rejected: counts the others, if there are tests
 * @jumps: its struct gp_jump, one in each process
 */
struct gp_jump_plan {
	struct gp_detour_site site;
	u32 ntests;
	struct gp_detour_test test[GP_DETOUR_TESTS];
	const struct gp_tally *timed;
	struct list_head *slots;
	u32 id;
	const struct goprobe_runtime *runtime;
	u64 rate;
	struct gp_notebook *notebook;
	struct gp_note_point note;
	u32 note_id;
	u8 word[GP_DETOUR_WORDS];
	struct gp_remote *hits;
	struct gp_remote *rejected;
	struct list_head jumps;
};

enum gp_jump_state {
	GP_JUMP_TRAP,	/* the branch is a breakpoint */
	GP_JUMP_ARMED,	/* it is a jump */
	GP_JUMP_OVER,	/* it is a breakpoint, or the program's own, for good */
};

/**
 * struct gp_jump - a point in a process
 * @node: link in @space
 * @peer: link in its plan, or in those that are stale
 * @place: link in the table of its inode
 * @space: the process
 * @inode: the file
 * @probe: the probe; outlives the jump
 * @offset: the branch's or epilogue's, in that
 * @at: its address
 * @site: of the branch or epilogue
 * @state: enum gp_jump_state
 * @cold: the cold block has been changed
 * @lost: the jump has disappeared
 * @reported: and that has been counted
 * @branch_jump: what the branch becomes
 * @cold_jump: what the cold block becomes
 * @cold_now: what it is, as far as we know: the file's, or a jump
 * @hits: its counter, as long as @counts
 * @rejected: counter of rejected hits, if it has tests
 * @counts: counters are added up
 * @times: of an epilogue: where its calls' durations are added
 * @to: who adds them up: hits, rejected or NULL
 */
struct gp_jump {
	struct list_head node;
	struct list_head peer;
	struct hlist_node place;
	struct gp_jump_space *space;
	const struct inode *inode;
	const struct gp_probe *probe;
	u64 offset;
	unsigned long at;
	struct gp_detour_site site;
	u8 state;
	bool cold;
	bool lost;
	bool reported;
	u8 branch_jump[GP_DETOUR_JUMP];
	u8 cold_jump[GP_DETOUR_JUMP];
	u8 cold_now[GP_DETOUR_COLD];
	struct gp_remote_counter hits;
	struct gp_remote_counter rejected;
	bool counts;
	struct gp_jump_times *times;
	struct gp_remote *to[2];
};

/*
 * Context of all: a kernel thread, the lock of the points of the file. Where it says "in use" the
 * thread uses the process's memory (kthread_use_mm()); where it says "alive" the caller has a
 * reference to that (mmget()).
 */
/*
 * A space for jumps of @inode: one that an earlier session has left in the process, or a new one.
 * @taken: pages that all jumps of the session have taken. Alive. NULL: there is no memory, or not
 * yet.
 */
struct gp_jump_space *gp_jump_space_get(struct mm_struct *mm, struct pid *pid,
					const struct inode *inode, atomic_long_t *taken);
/*
 * Leave @spaces, linked by their member look, of one session, with all jumps disarmed: wait for
 * threads for a short time, restore cold blocks, remove landings. Alive. Context: not the lock of
 * the points.
 */
void gp_jump_spaces_leave(struct list_head *spaces);
/*
 * End all jumps of a space, which has been left if it is alive. What the process needs is kept for
 * the next session. @tallies: of the session; they get the calls that are open.
 */
void gp_jump_space_close(struct gp_jump_space *space, struct gp_tallies *tallies);
/* Forgets what is kept; it stays in the processes. */
void gp_jump_spaces_fini(void);
int gp_jump_spaces_init(void);

/* In use. An ERR_PTR() on error. */
struct gp_jump *gp_jump_new(struct gp_jump_plan *plan, struct gp_jump_space *space,
			    const struct inode *inode, const struct gp_probe *probe,
			    u64 offset);
/*
 * Alive. Each returns how many of @n jumps, all of one space, it has dealt with: at least one, but
 * gp_jump_arm() none if the lock of the mappings would have to be waited for too long.
 */
u32 gp_jump_arm(struct gp_jump **jumps, u32 n);
u32 gp_jump_disarm(struct gp_jump **jumps, u32 n);
void gp_jump_disarm_all(struct gp_jump_space *space);
/*
 * Alive. Give the cold blocks of all jumps of the list @jumps their instructions back; no thread is
 * before them. @patient: however long the lock of the mappings takes; else some may stay.
 */
void gp_jump_restore_all(struct gp_jump_space *space, struct list_head *jumps, bool patient);
/* Alive. How many jumps have become the file's code again, without us? */
u32 gp_jump_find_lost(struct gp_jump_space *space);

/* Would a breakpoint at that place of the file be in what the jump has changed, or may change? */
bool gp_jump_covers(const struct gp_jump *jump, u64 offset);
/* Would it be in a cold block that leads to a detour of an earlier session? Any context. */
bool gp_jump_stale_covers(const struct inode *inode, u64 offset);
/* The cold block is the program's own again, or another jump's. Any context. */
void gp_jump_forget_stale(struct gp_jump *jump);

/* Context: may sleep. NULL: there is no memory. */
struct gp_jump_batch *gp_jump_batch_new(struct mm_struct *mm);
void gp_jump_batch_free(struct gp_jump_batch *batch);

/* hit/handler.c */
GP_UPROBE_HANDLER(gp_handler_landed, uc, regs);

#endif
