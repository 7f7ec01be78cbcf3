// SPDX-License-Identifier: GPL-2.0
/* A recording's bytes to entries. Nothing in them is trusted. */
#include <string.h>

#include "base/unaligned.h"
#include "plan/jumps.h"
#include "recording/format.h"

/*
 * No kernel is built for more CPUs than 8192. The records of each wait in two queues of their own:
 * GOPROBE_A_CPU.
 */
#define QUEUES_MAX (2 * 8192U)

const char *recording_check_head(const uint8_t *p, size_t len)
{
	struct recording_head h;

	if (len < sizeof(h) || memcmp(p, RECORDING_MAGIC, sizeof(h.magic)) != 0)
		return "it is not a recording of goprobectl";
	memcpy(&h, p, sizeof(h));
	if (h.order != RECORDING_ORDER)
		return "it was made on a machine with another order of bytes";
	if (h.version < RECORDING_VERSION_MIN || h.version > RECORDING_VERSION)
		return "it was made by another version of goprobectl";
	return NULL;
}

/* What an entry of each kind has at least, and at most if that is the same. */
static const struct {
	size_t least;
	bool exact;
} sizes[__RECORDING_MAX] = {
	[RECORDING_FILE] = { sizeof(struct recording_file), false },
	[RECORDING_SPEC] = { 1, false },
	[RECORDING_START] = { sizeof(struct recording_start), true },
	[RECORDING_RECORDS] = { 0, false },
	[RECORDING_PASS] = { sizeof(struct recording_pass), true },
	[RECORDING_LEARNED] = { sizeof(struct recording_learned), true },
	[RECORDING_SETTLED] = { 0, true },
	[RECORDING_END_4] = { sizeof(struct recording_end_4), true },
	[RECORDING_OPTION] = { sizeof(struct recording_option), true },
	[RECORDING_REDACT] = { 1, false },
	[RECORDING_END] = { sizeof(struct recording_end), false },
	[RECORDING_EPOCH] = { sizeof(struct recording_epoch), true },
};

int64_t recording_parse(const uint8_t *p, size_t len, struct recording_entry *ret,
			const char **why)
{
	struct recording_mark m;
	size_t whole;

	if (len < sizeof(m))
		return 0;
	memcpy(&m, p, sizeof(m));
	*why = NULL;
	if (m.kind == RECORDING_UNSPEC || m.kind >= __RECORDING_MAX || m.pad)
		*why = "unknown kind of entry";
	else if (m.size > RECORDING_ENTRY_MAX)
		*why = "an entry is too long";
	else if (m.size < sizes[m.kind].least ||
		 (sizes[m.kind].exact && m.size != sizes[m.kind].least))
		*why = "impossible size of an entry";
	else if (m.cpu >= QUEUES_MAX)
		*why = "impossible number of a CPU";
	if (*why)
		return -1;
	whole = sizeof(m) + m.size + recording_padding(m.size);
	if (whole > len)
		return 0;
	*ret = (struct recording_entry){
		.kind = m.kind, .cpu = m.cpu, .p = p + sizeof(m), .size = m.size,
	};
	return (int64_t)whole;
}

/* A counter of recordings up to version 4, which have no others. */
static void set_stat(struct recording_summary *ret, enum goprobe_stat stat, uint64_t n)
{
	ret->stats[stat] = n;
	ret->unknown &= ~(1ULL << stat);
}

static void summary_4(const uint8_t *p, struct recording_summary *ret)
{
	struct recording_end_4 end;

	memcpy(&end, p, sizeof(end));
	*ret = (struct recording_summary){ .ns = end.ns, .unknown = UINT64_MAX };
	set_stat(ret, GOPROBE_STAT_NO_SPACE, end.no_room);
	set_stat(ret, GOPROBE_STAT_FILTERED, end.filtered);
	set_stat(ret, GOPROBE_STAT_UNDECIDED, end.undecided);
	set_stat(ret, GOPROBE_STAT_SAMPLED, end.sampled);
	set_stat(ret, GOPROBE_STAT_LIMITED, end.limited);
	set_stat(ret, GOPROBE_STAT_WAITS, end.waits);
	set_stat(ret, GOPROBE_STAT_WAIT_NS, end.wait_ns);
	set_stat(ret, GOPROBE_STAT_LOST_RING_FULL, end.lost[GOPROBE_LOST_RING_FULL]);
	set_stat(ret, GOPROBE_STAT_LOST_NO_RING, end.lost[GOPROBE_LOST_NO_RING]);
}

void recording_summary(const struct recording_entry *e, struct recording_summary *ret)
{
	struct recording_end end;
	size_t n;

	if (e->kind == RECORDING_END_4) {
		summary_4(e->p, ret);
		return;
	}
	memcpy(&end, e->p, sizeof(end));
	*ret = (struct recording_summary){ .ns = end.ns, .breaker = end.breaker };
	n = (e->size - sizeof(end)) / sizeof(*ret->stats);
	if (n >= __GOPROBE_STAT_MAX)
		n = __GOPROBE_STAT_MAX;
	else
		ret->unknown = UINT64_MAX << n;
	memcpy(ret->stats, e->p + sizeof(end), n * sizeof(*ret->stats));
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 32;
}

uint64_t recording_hash(uint64_t h, const void *p, size_t n)
{
	const uint8_t *at = p;
	uint64_t last = 0;

	for (; n >= sizeof(last); at += sizeof(last), n -= sizeof(last))
		h = mix(h, load_u64(at));
	if (!n)
		return h;
	memcpy(&last, at, n);
	/* The bytes' number too: zeros at the end are something. */
	return mix(mix(h, last), n);
}

/* Names and offsets of what is shown are the binary's and the specs' matter. */
static uint64_t hash_frame(uint64_t h, const struct plan_frame *f)
{
	h = mix(h, (uint64_t)f->plan << 32 | f->size);
	for (size_t i = 0; i < f->nvalues; i++)
		h = mix(h, (uint64_t)f->values[i].offset << 1 | !!f->values[i].unavailable);
	return h;
}

/* Whether hits take a trap is no matter of the records. */
static uint64_t hash_point(uint64_t h, struct gobin *bin, struct goprobe_point point)
{
	plan_jumps_keep_trap(bin, &point);
	return recording_hash(h, &point, sizeof(point));
}

uint64_t recording_plan(const struct plan *p)
{
	uint64_t h = 0;

	for (size_t i = 0; i < p->nfuncs; i++) {
		h = mix(h, p->funcs[i]->fn->entry);
		h = hash_frame(hash_frame(h, &p->funcs[i]->call), &p->funcs[i]->ret);
	}
	h = recording_hash(h, p->types, p->ntypes * sizeof(*p->types));
	h = recording_hash(h, p->refs, p->nrefs * sizeof(*p->refs));
	h = recording_hash(h, p->plans, p->nplans * sizeof(*p->plans));
	h = recording_hash(h, p->pieces, p->npieces * sizeof(*p->pieces));
	h = recording_hash(h, p->ops, p->nops * sizeof(*p->ops));
	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];

		for (size_t k = 0; k < f->n; k++)
			h = hash_point(h, f->bin, f->v[k]);
		h = recording_hash(h, f->dynamic, f->ndynamic * sizeof(*f->dynamic));
	}
	return h;
}
