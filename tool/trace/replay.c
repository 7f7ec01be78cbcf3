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
#include "recording/recorder.h"
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
	fd = safe_open(path);
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
	while (fd < 0 && i < r->files->n)
		fd = open_same(r->files->v[i++], &f);
	if (fd < 0 && r->files->n) {
		err = diag_set(d, "%s is a recording of another program than %s", r->path,
			       r->files->v[0]);
	} else if (fd < 0) {
		err = diag_set(d, "%s is not the program of this recording any more", was);
		diag_hint(d, "-b FILE says where that program is now");
	} else {
		err = gobin_open(fd, i ? r->files->v[i - 1] : was, &r->bins[r->nbins], d);
		r->nbins += !err;
	}
	if (fd >= 0)
		close(fd);
	free(was);
	return err;
}

static int add_spec(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	struct options *o = &r->options;
	char *text;
	int err;

	if (o->nspecs >= RECORDING_SPECS_MAX)
		return diag_set(d, "%s can't be replayed: too many specs", r->path);
	text = strndup((const char *)e->p, e->size);
	if (!text || grow(&o->specs, o->nspecs + 1, &o->specs_cap, sizeof(*o->specs))) {
		free(text);
		return diag_set(d, "out of memory");
	}
	memset(&o->specs[o->nspecs], 0, sizeof(*o->specs));
	err = spec_parse(text, &o->specs[o->nspecs], d);
	o->nspecs += !err;
	free(text);
	return err;
}

static int add_option(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	const struct option_row *row;
	struct recording_option option;
	struct diag why = { 0 };
	int err;

	memcpy(&option, e->p, sizeof(option));
	row = option_of_key(option.key);
	if (row && !row->recorded)
		return diag_set(d, "%s is damaged: recordings do not have the option '%s'",
				r->path, row->name);
	err = option_set(&r->options, option.key, option.value, &why);
	if (err)
		diag_set(d, "%s is damaged: %s", r->path,
			 why.message ? why.message : "out of memory");
	diag_fini(&why);
	return err;
}

static int add_name(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	char *name = arena_printf(&r->wanted, "%.*s", (int)e->size, (const char *)e->p);
	struct diag why = { 0 };
	int err;

	if (!name)
		return diag_set(d, "out of memory");
	err = secret_list_add(&r->options.plan.secrets, name, &why);
	if (err)
		diag_set(d, "%s is damaged: what should be redacted is no name", r->path);
	diag_fini(&why);
	return err;
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
		case RECORDING_OPTION:
			if (add_option(r, &e, d))
				return -1;
			break;
		case RECORDING_REDACT:
			if (add_name(r, &e, d))
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

/* As attach did it. */
static int make_plan(struct replay *r, struct diag *d)
{
	struct buf skipped = { 0 };
	int err;

	options_settle(&r->options);
	r->plan = plan_new(&r->options.plan);
	if (!r->plan)
		return diag_set(d, "out of memory");
	err = select_functions(r->plan, r->bins, r->nbins, r->options.specs,
			       r->options.nspecs, &r->wanted, &skipped, d);
	buf_fini(&skipped);
	if (err || runtime_probe_add_all(r->plan, r->bins, r->nbins, &r->options.plan, d) ||
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

	for (uint32_t i = GOPROBE_LOST_UNSPEC + 1; i < __GOPROBE_LOST_MAX; i++)
		lost += s->sum.stats[counters_of_cause(i)];
	stream_round(s, until, lost);
	do {
		int err;

		more = stream_print(s, SLICE);
		err = output_flush(s->out, true);
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
	struct recording_summary sum;

	recording_summary(e, &sum);
	s->sum.ns = sum.ns;
	s->sum.unknown = sum.unknown;
	memcpy(s->sum.stats, sum.stats, sizeof(sum.stats));
	r->breaker = sum.breaker;
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
		for (uint32_t i = GOPROBE_LOST_UNSPEC + 1; i < __GOPROBE_LOST_MAX; i++)
			s->sum.stats[counters_of_cause(i)] = pass.lost[i];
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
	case RECORDING_END_4:
		end(r, s, e);
		return 0;
	default:
		return diag_set(d, "%s is damaged: its plan changes", r->path);
	}
}

int replay_open(struct replay *r, struct diag *d)
{
	options_init(&r->options, COMMAND_ATTACH);
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
	s->sum.edits = r->plan->edits;
	if (!r->whole)
		s->sum.ns = r->last > r->start.started ? r->last - r->start.started : 0;
	return print_round(s, UINT64_MAX, d);
}

void replay_fini(struct replay *r)
{
	sift_fini(&r->sift);
	plan_free(r->plan);
	arena_fini(&r->wanted);
	for (size_t i = 0; i < r->nbins; i++)
		gobin_free(r->bins[i]);
	free(r->bins);
	player_fini(&r->player);
	options_fini(&r->options);
}
