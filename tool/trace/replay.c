// SPDX-License-Identifier: GPL-2.0
/* A recording that is played. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/safe_open.h"
#include "plan/runtime_probe.h"
#include "plan/select.h"
#include "recording/writer.h"
#include "trace/replay.h"

/* --- what was traced ------------------------------------------------------- */

/* A descriptor of the file at @path if it is the one that @f is about; -1: it is not. */
static int open_same(const char *path, const struct recording_file *f)
{
	struct recording_file now;
	struct stat st;
	int fd;

	/* No program is shorter than what an ELF file begins with. */
	if (f->size < sizeof(Elf64_Ehdr))
		return -1;
	/* The path may be a stranger's. */
	fd = regular_open(path);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && (uint64_t)st.st_size == f->size && !recorder_identify(fd, &now) &&
	    now.size == f->size && now.hash == f->hash)
		return fd;
	close(fd);
	return -1;
}

static int add_binary(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	struct recording_file f;
	size_t i = 0;
	int fd, err;
	char *was;

	memcpy(&f, e->p, sizeof(f));
	if (r->nbins >= RECORDING_FILES_MAX)
		return diag_set(d, "%s is damaged: too many files", r->path);
	was = strndup((const char *)e->p + sizeof(f), e->size - sizeof(f));
	if (!was || grow(&r->bins, r->nbins + 1, &r->bins_cap, sizeof(*r->bins))) {
		free(was);
		return diag_set(d, "out of memory");
	}
	fd = open_same(was, &f);
	while (fd < 0 && i < r->nbinaries)
		fd = open_same(r->binaries[i++], &f);
	if (fd < 0 && r->nbinaries) {
		err = diag_set(d, "%s is a recording of another program than %s", r->path,
			       r->binaries[0]);
	} else if (fd < 0) {
		err = diag_set(d, "%s is not the program of this recording any more", was);
		diag_hint(d, "-b FILE says where that program is now");
	} else {
		err = gobin_open(fd, i ? r->binaries[i - 1] : was, &r->bins[r->nbins], d);
		r->nbins += !err;
	}
	if (fd >= 0)
		close(fd);
	free(was);
	return err;
}

static int add_spec(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	char *text;

	if (r->ntexts >= RECORDING_SPECS_MAX)
		return diag_set(d, "%s can't be replayed: too many specs", r->path);
	text = strndup((const char *)e->p, e->size);
	if (!text || grow(&r->texts, r->ntexts + 1, &r->texts_cap, sizeof(*r->texts))) {
		free(text);
		return diag_set(d, "out of memory");
	}
	r->texts[r->ntexts++] = text;
	return 0;
}

/* The entries before the first record. */
static int read_beginning(struct replay *r, struct diag *d)
{
	struct recording_entry e;
	int got;

	while ((got = player_next(&r->player, &e, d)) > 0) {
		switch (e.kind) {
		case RECORDING_FILE:
			if (add_binary(r, &e, d))
				return -1;
			break;
		case RECORDING_SPEC:
			if (add_spec(r, &e, d))
				return -1;
			break;
		case RECORDING_START:
			memcpy(&r->start, e.p, sizeof(r->start));
			r->last = r->start.started;
			return 0;
		default:
			return diag_set(d, "%s is damaged: records before their plan", r->path);
		}
	}
	return got ? -1 : diag_set(d, "%s ends before tracing began", r->path);
}

static bool are_possible(const struct plan_options *o)
{
	return o->string_limit <= PLAN_BYTES_MAX && o->elements <= PLAN_BYTES_MAX &&
	       o->objects <= PLAN_OBJECTS_MAX && o->bytes <= PLAN_BYTES_MAX &&
	       o->depth <= PLAN_DEPTH_MAX && o->limits.by <= PLAN_SAMPLE_ROOT;
}

/* As attach did it. */
static int make_plan(struct replay *r, struct diag *d)
{
	struct buf skipped = { 0 };
	int err;

	r->options = (struct plan_options){
		.string_limit = r->start.string_limit,
		.elements = r->start.elements,
		.objects = r->start.objects,
		.bytes = r->start.bytes,
		.depth = r->start.depth,
		.held_bytes = r->start.flags & RECORDING_F_HELD_BYTES ? r->start.bytes :
			      PLAN_HELD_BYTES,
		.no_return = r->start.flags & RECORDING_F_NO_RETURN,
		.registers = r->start.flags & RECORDING_F_REGISTERS,
		.inlined = r->start.flags & RECORDING_F_INLINED,
		.limits = {
			.sample = r->start.sample,
			.rate = r->start.rate,
			.by = (enum plan_sample)r->start.by,
		},
		.split = r->start.flags & RECORDING_F_SPLIT,
		.dry_run = r->start.flags & RECORDING_F_DRY_RUN,
	};
	if (!are_possible(&r->options))
		return diag_set(d, "%s is damaged: impossible options", r->path);
	r->plan = plan_new(&r->options);
	if (!r->plan)
		return diag_set(d, "out of memory");
	if (select_specs_parse(r->texts, r->ntexts, &r->specs, d)) {
		r->specs = NULL;
		return -1;
	}
	err = select_functions(r->plan, r->bins, r->nbins, r->specs, r->ntexts, &r->wanted,
			       &skipped, d);
	buf_fini(&skipped);
	if (err || hidden_add_all(r->plan, r->bins, r->nbins, &r->options, d) ||
	    plan_finish(r->plan, d))
		return -1;
	if (recording_plan(r->plan) != r->start.plan)
		return diag_set(d, "%s was made by another version of goprobectl", r->path);
	return 0;
}

/* --- records to lines ------------------------------------------------------ */

/* Text is written when it is about as much. */
#define SLICE 65536

static int print_round(struct stream *s, uint64_t until, struct diag *d)
{
	uint64_t lost = 0;
	bool more;

	for (size_t i = 0; i < __GOPROBE_LOST_MAX; i++)
		lost += s->sum.lost[i];
	stream_round(s, until, lost);
	do {
		int err;

		more = stream_print(s, SLICE);
		err = out_flush(s->out, true);
		if (err)
			return diag_errno(d, -err, "can't write the output");
	} while (more && !stream_full(s));
	return 0;
}

static void learned(struct replay *r, const struct recording_learned *l)
{
	if (l->file >= r->nbins)
		return;
	if (l->func)
		plan_learn_func(r->plan, r->bins[l->file], l->address, l->level);
	else
		plan_learn_type(r->plan, r->bins[l->file], l->address, l->level);
}

/* The numbers that only the module knew. */
static void end(struct replay *r, struct stream *s, const struct recording_entry *e)
{
	struct recording_end end;

	memcpy(&end, e->p, sizeof(end));
	memcpy(s->sum.lost, end.lost, sizeof(end.lost));
	s->sum.ns = end.ns;
	s->sum.no_room = end.no_room;
	s->sum.filtered = end.filtered;
	s->sum.undecided = end.undecided;
	s->sum.sampled = end.sampled;
	s->sum.limited = end.limited;
	s->sum.waits = end.waits;
	s->sum.wait_ns = end.wait_ns;
	r->whole = true;
}

static int take(struct replay *r, struct stream *s, const struct recording_entry *e,
		struct diag *d)
{
	struct recording_learned l;
	struct recording_epoch epoch;
	struct recording_pass pass;

	switch (e->kind) {
	case RECORDING_RECORDS:
		return stream_add(s, e->cpu, e->p, e->size) ? diag_set(d, "out of memory") : 0;
	case RECORDING_PASS:
		memcpy(&pass, e->p, sizeof(pass));
		memcpy(s->sum.lost, pass.lost, sizeof(pass.lost));
		r->last = pass.time;
		return print_round(s, pass.time, d);
	case RECORDING_LEARNED:
		memcpy(&l, e->p, sizeof(l));
		learned(r, &l);
		return 0;
	case RECORDING_EPOCH:
		memcpy(&epoch, e->p, sizeof(epoch));
		s->out->epoch = epoch.epoch;
		return 0;
	case RECORDING_SETTLED:
		return plan_finish(r->plan, d);
	case RECORDING_END:
		end(r, s, e);
		return 0;
	default:
		return diag_set(d, "%s is damaged: its plan changes", r->path);
	}
}

int replay_open(struct replay *r, struct diag *d)
{
	return player_open(&r->player, r->path, d) || read_beginning(r, d) || make_plan(r, d) ?
	       -1 : 0;
}

int replay_step(struct replay *r, struct stream *s, struct diag *d)
{
	struct recording_entry e;
	int got;

	if (r->whole || stream_full(s))
		return 0;
	got = player_next(&r->player, &e, d);
	return got > 0 && take(r, s, &e, d) ? -1 : got;
}

int replay_finish(struct replay *r, struct stream *s, struct diag *d)
{
	if (!r->whole)
		s->sum.ns = r->last > r->start.started ? r->last - r->start.started : 0;
	return print_round(s, UINT64_MAX, d);
}

void replay_fini(struct replay *r)
{
	plan_free(r->plan);
	arena_fini(&r->wanted);
	if (r->specs)
		select_specs_free(r->specs, r->ntexts);
	for (size_t i = 0; i < r->ntexts; i++)
		free(r->texts[i]);
	free(r->texts);
	for (size_t i = 0; i < r->nbins; i++)
		gobin_free(r->bins[i]);
	free(r->bins);
	player_fini(&r->player);
	for (size_t i = 0; i < r->nbinaries; i++)
		free(r->binaries[i]);
	free(r->binaries);
	free(r->path);
}
