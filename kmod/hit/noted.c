// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that took no trap and left a note, with a filter that no detour evaluates.
 *
 * Context: a drain of notes, under its lock, in any process: nothing sleeps, and nothing but the
 * note is read.
 */
#include "hit/filter.h"
#include "hit/hit.h"
#include "hit/keyed.h"
#include "hit/noted.h"
#include "ring/notes.h"
#include "session/probe.h"
#include "stats/keys.h"
#include "stats/tally.h"

/**
 * gp_noted_passes() - decide about a hit
 * @point: its probe has a filter that is local
 * @note: has the registers that the filter reads
 *
 * Return: whether the hit leaves a record. If not, it has been counted: by the probe, or as one
 * that does not pass.
 */
bool gp_noted_passes(const struct gp_note_point *point, const struct gp_detour_note *note)
{
	const struct gp_probe *probe = point->probe;
	struct gp_key key GP_UNINITIALIZED;
	enum gp_verdict verdict;

	if (probe->filter->keyed)
		gp_keyed_begin(probe, &key);
	verdict = gp_filter_run_note(point, note, probe->filter->keyed ? &key : NULL);
	if (verdict != GP_VERDICT_PASSES)
		gp_hit_rejected(probe, verdict);
	else if (probe->then == GP_WAY_COUNT_KEY)
		gp_keyed_add(probe, &key);
	else if (probe->then == GP_WAY_COUNT)
		gp_tally_hit(probe->tally);
	else
		return true;
	return false;
}
