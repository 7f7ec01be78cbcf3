// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluation of filters. A filter is a program without a frame. Most filters are a few comparisons
 * of arguments with constants, which need no program: gp_filter_test().
 *
 * Context: the hitting task, preemption on. Memory is read with page faults disabled. If a page is
 * absent, it is brought in, and the program runs again from the start.
 */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/string.h>

#include "capture/call_stack.h"
#include "capture/capture.h"
#include "capture/faultin.h"
#include "capture/program.h"
#include "capture/search.h"
#include "hit/edit_ops.h"
#include "hit/filter.h"
#include "hit/hit.h"
#include "ring/notes.h"
#include "session/probe.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"
#include "stats/keys.h"
#include "stats/tally.h"

/* Bytes of each side that are compared at a time; bytes that are hashed at a time. */
#define GP_FILTER_SAME	128

/**
 * struct gp_filter_hit - a filter's evaluation for a hit
 * @p: its running program
 * @c: the target's state
 * @probe: the probe that was hit
 * @filter: its filter, or its edit
 * @note: the note that the hit left, if it took no trap; or NULL
 * @duration: ns that the call took
 * @number: result of GOPROBE_OP_NUMBER, or 0: not evaluated yet
 * @quota: of GOPROBE_OP_QUOTA, without a period and with one: its result plus 1, or 0: not
 *	evaluated yet
 * @key: the key of the hit, if the filter makes one
 * @verdict: the result, unless the filter is undecided
 * @edit: collected changes, if it is an edit
 */
struct gp_filter_hit {
	struct gp_program p;
	struct gp_capture c;
	const struct gp_probe *probe;
	struct gp_filter *filter;
	const struct gp_detour_note *note;
	u64 duration;
	u64 number[GP_NUMBERS];
	u8 quota[2];
	struct gp_key *key;
	enum gp_verdict verdict;
	struct gp_edit *edit;
};

static int gp_filter_task(struct gp_filter_hit *h, const struct gp_op *op)
{
	struct gp_goroutine go;
	u64 *to = &h->p.r[op->a];

	if (h->note) {
		*to = READ_ONCE(h->note->goid);
		return GOPROBE_CHUNK_OK;
	}
	switch (op->value) {
	case GOPROBE_TASK_TGID:
		*to = current->tgid;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_TASK_TID:
		*to = current->pid;
		return GOPROBE_CHUNK_OK;
	}
	if (gp_hit_goroutine(h->probe, h->c.regs, h->c.faultin, false, &go))
		return -EAGAIN;
	*to = op->value == GOPROBE_TASK_G ? go.g : go.goid;
	return GOPROBE_CHUNK_OK;
}

/* Look at open calls. @tally: of the function; NULL: look for a tree of calls. */
static int gp_filter_ask(const struct gp_filter_hit *h, struct gp_calls_key key, u32 depth,
			 const struct gp_tally *tally)
{
	struct gp_calls *calls = h->probe->session->calls;
	int ret;

	ret = tally ? gp_calls_under(calls, key, depth, tally) : gp_calls_root(calls, key, depth);
	/*
	 * An answer can take GP_CALLS_LOOK steps, and a program can ask GP_UNDERS_MAX times. At
	 * this point a program holds nothing that belongs to this CPU.
	 */
	if (unlikely(need_resched())) {
		preempt_enable();
		cond_resched();
		preempt_disable();
	}
	return ret;
}

/* Look at the open calls further up; those of a system stack continue on the goroutine's stack. */
static int gp_filter_further_up(struct gp_filter_hit *h, const struct gp_op *op,
				const struct gp_tally *tally)
{
	struct gp_calls_key key;
	struct gp_goroutine go;
	struct gp_own_g own;
	int found;

	BUILD_BUG_ON(GOPROBE_ROOT_NONE);
	h->p.r[op->a] = 0;
	if (!gp_hit_any_g(h->probe, h->c.regs, &own))
		return own.absent ? gp_faultin_ask(h->c.faultin, own.absent) : GOPROBE_CHUNK_OK;
	key = gp_hit_key(&own);
	found = gp_filter_ask(h, key, gp_calls_depth(own.depth), tally);
	if (!found && !own.goid) {
		if (gp_hit_goroutine(h->probe, h->c.regs, h->c.faultin, false, &go))
			return -EAGAIN;
		if (go.absent)
			return gp_faultin_ask(h->c.faultin, go.absent);
		key.g = go.g;
		key.goid = go.goid;
		found = gp_filter_ask(h, key, U32_MAX, tally);
	}
	if (found < 0)
		return GOPROBE_CHUNK_RANGE;
	h->p.r[op->a] = found;
	return GOPROBE_CHUNK_OK;
}

static int gp_filter_under(struct gp_filter_hit *h, const struct gp_op *op)
{
	return gp_filter_further_up(h, op, (const struct gp_tally *)(unsigned long)op->value);
}

/* Compare @n bytes at @a and @b, at most GP_FILTER_SAME. Return: status; sets *@same. */
static noinline int gp_filter_compare(struct gp_filter_hit *h, u64 a, u64 b, u32 n, bool *same)
{
	u8 left[GP_FILTER_SAME] GP_UNINITIALIZED, right[GP_FILTER_SAME] GP_UNINITIALIZED;
	u32 size = n;
	int status;

	status = gp_capture_copy(&h->c, left, a, &size);
	size = n;
	if (status == GOPROBE_CHUNK_OK)
		status = gp_capture_copy(&h->c, right, b, &size);
	*same = status == GOPROBE_CHUNK_OK && !memcmp(left, right, n);
	return status;
}

static int gp_filter_same(struct gp_filter_hit *h, const struct gp_op *op)
{
	u64 a = h->p.r[op->a], b = h->p.r[op->b];
	u32 left = min_t(u64, h->p.r[op->value], op->size), n;
	int status = GOPROBE_CHUNK_OK;
	bool same = true;

	for (; same && left && status == GOPROBE_CHUNK_OK; left -= n, a += n, b += n) {
		n = min_t(u32, left, GP_FILTER_SAME);
		status = min(a, b) < GP_NIL_END ? GOPROBE_CHUNK_NIL :
			 gp_filter_compare(h, a, b, n, &same);
	}
	h->p.r[op->a] = same;
	return status;
}

/*
 * A number of this CPU's block, so that CPUs do not write one cache line at each hit. Preemption is
 * off.
 */
static u64 gp_filter_block(struct gp_filter *filter)
{
	struct gp_number_block *block = this_cpu_ptr(filter->block);

	if (block->last == block->end) {
		block->end = atomic64_add_return(GOPROBE_NUMBER_BLOCK, &filter->number[1]);
		block->last = block->end - GOPROBE_NUMBER_BLOCK;
	}
	return ++block->last;
}

/* Each hit has one number, however often its filter runs. */
static u64 gp_filter_number(struct gp_filter_hit *h, u32 counter)
{
	if (!h->number[counter])
		h->number[counter] = counter ? gp_filter_block(h->filter) :
				     atomic64_inc_return(&h->filter->number[0]);
	return h->number[counter];
}

/* Whether it is one of the first @most hits. After these, nobody writes the counter any more. */
static bool gp_filter_take(struct gp_filter *filter, u64 most)
{
	return (u64)atomic64_read(&filter->taken) < most &&
	       (u64)atomic64_inc_return(&filter->taken) <= most;
}

/*
 * Whether it is one of the first @most hits of this period. A round that fails shows that another
 * hit has been counted, so there are at most @most rounds.
 */
static bool gp_filter_take_now(struct gp_filter *filter, u64 most)
{
	u64 now = div64_u64(ktime_get_ns(), filter->period_ns), begun, n;
	s64 old = atomic64_read(&filter->period);

	do {
		begun = (u64)old >> GP_QUOTA_BITS;
			/* A late hit belongs to the period that has begun meanwhile. */
		n = begun < now ? 0 : old & GP_QUOTA_MAX;
		if (n >= most)
			return false;
	} while (!atomic64_try_cmpxchg(&filter->period, &old,
				       max(begun, now) << GP_QUOTA_BITS | (n + 1)));
	return true;
}

/* A hit counts once, however often its filter runs. */
static bool gp_filter_quota(struct gp_filter_hit *h, const struct gp_op *op)
{
	struct gp_filter *filter = h->filter;
	u8 *quota = &h->quota[op->offset];

	if (!*quota)
		*quota = 1 + (op->offset ? gp_filter_take_now(filter, op->value) :
					   gp_filter_take(filter, op->value));
	return *quota - 1;
}

static int gp_filter_root(struct gp_filter_hit *h, const struct gp_op *op)
{
	return gp_filter_further_up(h, op, NULL);
}

static enum gp_verdict gp_filter_reject(u64 value)
{
	static const enum gp_verdict verdicts[] = {
		[GOPROBE_REJECT_FILTERED] = GP_VERDICT_REJECTS,
		[GOPROBE_REJECT_LIMITED] = GP_VERDICT_LIMITED,
		[GOPROBE_REJECT_SAMPLED] = GP_VERDICT_SAMPLED,
	};

	return verdicts[value & ~(u64)GOPROBE_REJECT_F_MUTED] |
	       (value & GOPROBE_REJECT_F_MUTED ? GP_VERDICT_F_MUTED : 0);
}

static int gp_filter_key_word(struct gp_key *key, u64 word)
{
	/* objects.c accepts such filters only where there is a key. */
	if (WARN_ON_ONCE(!key) || key->n >= key->space)
		return GOPROBE_CHUNK_RANGE;
	key->word[key->n++] = word;
	return GOPROBE_CHUNK_OK;
}

/* The hit's value, or its bucket. */
static int gp_filter_value(struct gp_key *key, const struct gp_op *op, u64 n)
{
	if (WARN_ON_ONCE(!key))
		return GOPROBE_CHUNK_RANGE;
	if (op->code == GOPROBE_OP_BUCKET)
		key->bucket = min_t(u64, n, GOPROBE_BUCKETS - 1);
	else
		key->value = n;
	return GOPROBE_CHUNK_OK;
}

/*
 * Append the hash of @len bytes, of which at most @most are read. Each block's hash is the key of
 * the next one's. The first key is a constant, so that equal strings have equal hashes in all
 * sessions.
 */
static noinline int gp_filter_key_hash(struct gp_filter_hit *h, u64 address, u64 len, u32 most)
{
	u8 part[GP_FILTER_SAME] __aligned(8) GP_UNINITIALIZED;
	u32 left = min_t(u64, len, most), n, size;
	siphash_key_t state = { { 0, len } };
	bool whole = len <= most;
	int status;

	for (; left; left -= n, address += n) {
		n = min_t(u32, left, GP_FILTER_SAME);
		size = n;
		status = gp_capture_copy(&h->c, part, address, &size);
		if (status < 0)
			return status;
		state.key[0] = siphash(part, size, &state);
		if (status != GOPROBE_CHUNK_OK) {
			whole = false;
			break;
		}
	}
	return gp_filter_key_word(h->key, (state.key[0] & ~GOPROBE_KEY_HASH_WHOLE) |
					  (whole ? GOPROBE_KEY_HASH_WHOLE : 0));
}

/* As gp_filter_key_bytes(), for more bytes than the operation copies. The length is there. */
static noinline int gp_filter_key_cut(struct gp_filter_hit *h, const struct gp_op *op)
{
	u64 address = h->p.r[op->a], len = h->p.r[op->b];
	struct gp_key *key = h->key;
	u32 size, copied;
	int status;

	if (key->n >= key->space)
		return GOPROBE_CHUNK_RANGE;
	if (address < GP_NIL_END)
		return GOPROBE_CHUNK_NIL;
	size = min(op->size, (key->space - key->n - 1) * 8);
	copied = size;
	if (size)
		key->word[key->n + ALIGN(size, 8) / 8 - 1] = 0;
	status = gp_capture_copy(&h->c, &key->word[key->n], address, &copied);
	key->n += ALIGN(size, 8) / 8;
	return status == GOPROBE_CHUNK_OK ? gp_filter_key_hash(h, address, len, op->value) : status;
}

/* Append the number of bytes, and the bytes; if these are not all, perhaps the hash of all. */
static int gp_filter_key_bytes(struct gp_filter_hit *h, const struct gp_op *op)
{
	u64 address = h->p.r[op->a], len = h->p.r[op->b];
	struct gp_key *key = h->key;
	u32 size, padded, copied;
	int status;

	if (gp_filter_key_word(key, len) != GOPROBE_CHUNK_OK)
		return GOPROBE_CHUNK_RANGE;
	size = min3(len, (u64)op->size, (key->space - key->n) * 8ULL);
	if (unlikely(size < len) && op->value)
		return gp_filter_key_cut(h, op);
	if (!size)
		return GOPROBE_CHUNK_OK;
	padded = ALIGN(size, 8);
	key->word[key->n + padded / 8 - 1] = 0;
	copied = size;
	status = address < GP_NIL_END ? GOPROBE_CHUNK_NIL :
		 gp_capture_copy(&h->c, &key->word[key->n], address, &copied);
	key->n += padded / 8;
	return status;
}

/* Append the number of addresses of the call stack, and these. */
static int gp_filter_key_stack(struct gp_filter_hit *h, const struct gp_op *op)
{
	struct gp_key *key = h->key;
	struct gp_own_g own;
	u32 most, n;
	int status;

	if (!gp_hit_any_g(h->probe, h->c.regs, &own))
		return own.absent ? gp_faultin_ask(h->c.faultin, own.absent) : GOPROBE_CHUNK_FAULT;
	if (WARN_ON_ONCE(!key) || key->space - key->n < 2)
		return GOPROBE_CHUNK_RANGE;
	most = min_t(u64, op->value, key->space - key->n - 1);
	status = gp_call_stack(&h->c, h->c.sp + own.depth, &key->word[key->n + 1], most, &n);
	if (status)
		return status;
	key->word[key->n] = n;
	key->n += n + 1;
	return GOPROBE_CHUNK_OK;
}

/* Run an operation that only filters have. Return: the next operation. */
static __always_inline const struct gp_op *gp_filter_step(struct gp_filter_hit *h,
							  const struct gp_op *op)
{
	const struct gp_op *next = op + 1;
	int status = GOPROBE_CHUNK_OK;

	switch (op->code) {
	case GOPROBE_OP_REJECT:
		h->verdict = gp_filter_reject(op->value);
		return h->p.end;
	case GOPROBE_OP_TASK:
		status = gp_filter_task(h, op);
		break;
	case GOPROBE_OP_DURATION:
		h->p.r[op->a] = h->duration;
		break;
	case GOPROBE_OP_NUMBER:
		h->p.r[op->a] = gp_filter_number(h, op->value);
		break;
	case GOPROBE_OP_QUOTA:
		h->p.r[op->a] = gp_filter_quota(h, op);
		break;
	case GOPROBE_OP_ROOT:
		status = gp_filter_root(h, op);
		break;
	case GOPROBE_OP_UNDER:
		status = gp_filter_under(h, op);
		break;
	case GOPROBE_OP_SAME:
		status = gp_filter_same(h, op);
		break;
	case GOPROBE_OP_MATCH:
		status = gp_search_match(&h->c, op, h->p.r);
		next += op->offset;
		break;
	case GOPROBE_OP_FIND:
		status = gp_search_find(&h->c, op, h->p.r);
		next += op->offset;
		break;
	case GOPROBE_OP_IN_SET:
		h->p.r[op->a] = gp_goroutine_set_has(h->probe->session->members,
						     gp_arch_process(current, current->mm),
						     h->p.r[op->b]);
		break;
	case GOPROBE_OP_KEY:
		status = gp_filter_key_word(h->key, h->p.r[op->a]);
		break;
	case GOPROBE_OP_KEY_BYTES:
		status = gp_filter_key_bytes(h, op);
		break;
	case GOPROBE_OP_KEY_STACK:
		status = gp_filter_key_stack(h, op);
		break;
	case GOPROBE_OP_VALUE:
	case GOPROBE_OP_SVALUE:
	case GOPROBE_OP_BUCKET:
		status = gp_filter_value(h->key, op, h->p.r[op->a]);
		break;
	case GOPROBE_OP_SET:
	case GOPROBE_OP_SET_FLOAT:
	case GOPROBE_OP_WRITE:
	case GOPROBE_OP_DELAY:
		status = gp_edit_collect(h->edit, op, h->p.r);
		break;
	}
	if (likely(status == GOPROBE_CHUNK_OK))
		return next;
	if (status < 0)
		h->p.err = status;
	else
		h->p.status = status;
	return h->p.end;
}

/*
 * Context: preemption off, page faults disabled. Return: 0, or -EAGAIN. In line for filters and for
 * edits, so that filters do not pay for edits.
 */
static __always_inline int gp_filter_attempt(struct gp_filter_hit *h)
{
	const struct gp_filter *filter = h->filter;
	const struct gp_op *op = filter->ops;

	memset(&h->p, 0, sizeof(h->p));
	if (h->key)
		h->key->n = 0;
	h->p.c = &h->c;
	h->p.end = op + filter->nops;
	h->p.filters = true;
	while ((op = gp_program_go(&h->p, op)) < h->p.end)
		op = gp_filter_step(h, op);
	return h->p.err;
}

/* Run the program of @h->filter; fills in the rest of @h. */
static __always_inline enum gp_verdict gp_filter_decide(struct gp_filter_hit *h,
							const struct gp_probe *probe,
							const struct pt_regs *regs,
							struct gp_edit *edit)
{
	struct gp_faultin faultin GP_UNINITIALIZED;
	int err;

	gp_faultin_init(&faultin);
	h->c.regs = regs;
	h->c.sp = gp_hit_sp(probe, regs);
	h->c.bias = gp_hit_bias(probe, regs);
	h->c.faultin = &faultin;
	h->probe = probe;
	h->edit = edit;
	memset(h->number, 0, sizeof(h->number));
	memset(h->quota, 0, sizeof(h->quota));
	h->verdict = GP_VERDICT_PASSES;
	do {
		if (edit) {
			edit->n = 0;
			edit->delay = 0;
		}
		preempt_disable();
		pagefault_disable();
		err = gp_filter_attempt(h);
		pagefault_enable();
		preempt_enable();
		if (err)
			gp_faultin_serve(&faultin);
	} while (err);
	return h->p.status ? GP_VERDICT_UNDECIDED : h->verdict;
}

/**
 * gp_filter_run() - evaluate a filter by its program
 * @probe: has a filter
 * @regs: the target's registers
 * @duration: ns that the call took, at its end
 * @key: set to the key; not NULL if the filter makes one; the caller sets @key->space
 *
 * Context: a handler, preemption on; may sleep.
 *
 * Return: enum gp_verdict, possibly with GP_VERDICT_F_MUTED.
 */
noinline enum gp_verdict gp_filter_run(const struct gp_probe *probe, const struct pt_regs *regs,
				       u64 duration, struct gp_key *key)
{
	struct gp_filter_hit h GP_UNINITIALIZED;

	h.filter = probe->filter;
	h.note = NULL;
	h.duration = duration;
	h.key = key;
	return gp_filter_decide(&h, probe, regs, NULL);
}

/**
 * gp_filter_run_note() - evaluate a filter that is local
 * @point: its probe has the filter
 * @note: a hit of that
 * @key: as of gp_filter_run()
 *
 * Return: as gp_filter_run().
 */
enum gp_verdict gp_filter_run_note(const struct gp_note_point *point,
				   const struct gp_detour_note *note, struct gp_key *key)
{
	struct gp_filter_hit h GP_UNINITIALIZED;
	struct pt_regs regs GP_UNINITIALIZED;
	u32 i;

	/* The filter reads no others. */
	regs.ip = 0;
	regs.sp = 0;
	for (i = 0; i < point->noted; i++)
		*(u64 *)((u8 *)&regs + point->from[i]) = READ_ONCE(note->word[i]);
	h.filter = point->probe->filter;
	h.note = note;
	h.duration = 0;
	h.key = key;
	return gp_filter_decide(&h, point->probe, &regs, NULL);
}

/**
 * gp_filter_run_edit() - collect the changes of an edit
 * @probe: has an edit
 * @regs: the target's registers
 * @edit: set to the changes
 *
 * Context: a handler, preemption on; may sleep.
 *
 * Return: GP_VERDICT_PASSES; GP_VERDICT_UNDECIDED: the program failed; else: no changes.
 */
noinline enum gp_verdict gp_filter_run_edit(const struct gp_probe *probe,
					    const struct pt_regs *regs, struct gp_edit *edit)
{
	struct gp_filter_hit h GP_UNINITIALIZED;

	h.filter = probe->edit;
	h.note = NULL;
	h.duration = 0;
	h.key = NULL;
	return gp_filter_decide(&h, probe, regs, edit);
}
