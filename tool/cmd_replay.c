// SPDX-License-Identifier: GPL-2.0
/* goprobectl replay: a recording as lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "grow.h"
#include "hidden.h"
#include "lines.h"
#include "player.h"
#include "recorder.h"
#include "select.h"

static const char help[] =
"Usage: goprobectl replay [OPTION...] FILE\n"
"\n"
"Print what 'goprobectl attach --record FILE' has recorded: the lines that attach\n"
"would have printed. The module is not needed, but the programs that were traced are:\n"
"types and names come from them.\n"
"\n"
"  -b, --binary FILE       where a program is now, if not where it was; may be given\n"
"                          more than once\n"
"  -o, --format FORMAT     text or json\n"
"      --pretty            values that are long in several lines, indented\n"
"      --output FILE       write events to FILE instead of standard output\n"
"      --events N          end after N lines\n"
"  -q, --quiet             no header and no summary\n"
"      --strict            exit with status 3 if records were lost\n"
"\n"
"Examples:\n"
"  Record ten seconds at full speed, look at them later:\n"
"      goprobectl attach -p 4121 --record calls.rec --duration 10s 'shop.*'\n"
"      goprobectl replay calls.rec\n"
"  On another machine, which has the program elsewhere:\n"
"      goprobectl replay -b ./shop -o json calls.rec\n";

/**
 * struct replay - a run of the command
 * @lines: how events are shown
 * @path: the recording
 * @binaries: arguments of -b
 * @nbinaries: their number
 * @strict: losses are a failure
 * @player: the recording, open
 * @bins: the programs, by file id
 * @nbins: their number
 * @bins_cap: room in @bins
 * @texts: what specs they were searched for
 * @ntexts: their number
 * @texts_cap: room in @texts
 * @specs: the specs, parsed, as many; or NULL
 * @start: how tracing began
 * @options: of the plan
 * @wanted: what is captured of functions; outlives @plan
 * @plan: the plan, made anew
 * @out: where lines go
 * @stream: records on their way there
 * @last: time of the last pass
 * @whole: the recording was brought to its end
 */
struct replay {
	struct lines_opt lines;
	const char *path;
	char **binaries;
	size_t nbinaries;
	bool strict;
	struct player player;
	struct gobin **bins;
	size_t nbins;
	size_t bins_cap;
	char **texts;
	size_t ntexts;
	size_t texts_cap;
	struct spec *specs;
	struct recording_start start;
	struct plan_options options;
	struct arena wanted;
	struct plan *plan;
	struct out out;
	struct stream stream;
	uint64_t last;
	bool whole;
};

/* --- arguments ------------------------------------------------------------- */

enum { OPT_PRETTY = 256, OPT_OUTPUT, OPT_EVENTS, OPT_STRICT };

static const struct option options[] = {
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "pretty", no_argument, NULL, OPT_PRETTY },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "quiet", no_argument, NULL, 'q' },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_option(struct replay *r, int opt, char **argv, struct diag *d)
{
	switch (opt) {
	case 'h':
		return CMD_HELP;
	case 'b':
		r->binaries[r->nbinaries++] = optarg;
		return CMD_DONE;
	case 'o':
		return cmd_parse_format(optarg, &r->lines.format, d);
	case OPT_PRETTY:
		r->lines.pretty = true;
		return CMD_DONE;
	case OPT_OUTPUT:
		r->lines.output = optarg;
		return CMD_DONE;
	case OPT_EVENTS:
		if (!cmd_parse_number(optarg, 1, UINT64_MAX, &r->lines.events))
			return cmd_bad_value("--events", optarg, "a number from 1 on", d);
		return CMD_DONE;
	case 'q':
		r->lines.quiet = true;
		return CMD_DONE;
	case OPT_STRICT:
		r->strict = true;
		return CMD_DONE;
	default:
		return cmd_bad_option(argv, opt, options, d);
	}
}

static int parse(struct replay *r, int argc, char **argv, struct diag *d)
{
	int opt, code;

	r->lines.format = &out_text;
	r->binaries = calloc(argc, sizeof(*r->binaries));
	if (!r->binaries) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":b:o:qh", options, NULL)) != -1) {
		code = parse_option(r, opt, argv, d);
		if (code)
			return code;
	}
	if (argc - optind != 1) {
		diag_set(d, optind == argc ? "no FILE: which recording?" :
					     "one recording at a time");
		return CMD_USAGE;
	}
	r->path = argv[optind];
	return CMD_DONE;
}

/* --- what was traced ------------------------------------------------------- */

/* A descriptor of the file at @path if it is the one that @f is about; -1: it is not. */
static int open_same(const char *path, const struct recording_file *f)
{
	struct recording_file now;
	struct stat st = { 0 };
	int fd;

	/* The path may be a stranger's: opening a device does things to it. */
	if (stat(path, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != f->size)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (!recorder_identify(fd, &now) && now.size == f->size && now.hash == f->hash)
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
		diag_hint(d, "-b FILE tells where that program is now");
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
	char *text = strndup((const char *)e->p, e->size);

	if (!text || r->ntexts >= RECORDING_SPECS_MAX ||
	    grow(&r->texts, r->ntexts + 1, &r->texts_cap, sizeof(*r->texts))) {
		free(text);
		return diag_set(d, "%s can't be replayed: too many specs", r->path);
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

static int print_round(struct replay *r, uint64_t until, struct diag *d)
{
	uint64_t lost = 0;
	bool more;

	for (size_t i = 0; i < __GOPROBE_LOST_MAX; i++)
		lost += r->stream.sum.lost[i];
	stream_round(&r->stream, until, lost);
	do {
		int err;

		more = stream_print(&r->stream, SLICE);
		err = out_flush(&r->out, true);
		if (err)
			return diag_errno(d, -err, "can't write the output");
	} while (more && !stream_full(&r->stream));
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

static int take(struct replay *r, const struct recording_entry *e, struct diag *d)
{
	struct recording_learned l;
	struct recording_pass pass;
	struct recording_end end;

	switch (e->kind) {
	case RECORDING_RECORDS:
		return stream_add(&r->stream, e->cpu, e->p, e->size) ?
		       diag_set(d, "out of memory") : 0;
	case RECORDING_PASS:
		memcpy(&pass, e->p, sizeof(pass));
		memcpy(r->stream.sum.lost, pass.lost, sizeof(pass.lost));
		r->last = pass.time;
		return print_round(r, pass.time, d);
	case RECORDING_LEARNED:
		memcpy(&l, e->p, sizeof(l));
		learned(r, &l);
		return 0;
	case RECORDING_SETTLED:
		return plan_finish(r->plan, d);
	case RECORDING_END:
		memcpy(&end, e->p, sizeof(end));
		memcpy(r->stream.sum.lost, end.lost, sizeof(end.lost));
		r->stream.sum.ns = end.ns;
		r->stream.sum.no_room = end.no_room;
		r->stream.sum.filtered = end.filtered;
		r->stream.sum.undecided = end.undecided;
		r->stream.sum.sampled = end.sampled;
		r->stream.sum.limited = end.limited;
		r->stream.sum.waits = end.waits;
		r->stream.sum.wait_ns = end.wait_ns;
		r->whole = true;
		return 0;
	default:
		return diag_set(d, "%s is damaged: its plan changes", r->path);
	}
}

static int play(struct replay *r, struct diag *d)
{
	struct recording_entry e;
	int got;

	while (!r->whole && !stream_full(&r->stream)) {
		got = player_next(&r->player, &e, d);
		if (got < 0 || (got && take(r, &e, d)))
			return -1;
		if (!got)
			break;
	}
	if (!r->whole)
		r->stream.sum.ns = r->last > r->start.started ? r->last - r->start.started : 0;
	return print_round(r, UINT64_MAX, d);
}

static int show(struct replay *r, struct diag *d)
{
	if (player_open(&r->player, r->path, d) || read_beginning(r, d) || make_plan(r, d))
		return CMD_FAILED;
	r->lines.paired = !r->options.no_return;
	r->lines.pids = r->start.flags & RECORDING_F_PIDS;
	if (lines_open(&r->out, &r->stream, r->plan, &r->lines, d))
		return CMD_FAILED;
	r->out.epoch = r->start.epoch;
	if (play(r, d))
		return CMD_FAILED;
	lines_summary(&r->out, &r->stream, r->lines.quiet);
	if (!r->whole && !stream_full(&r->stream))
		fprintf(stderr, "goprobectl: warning: %s was cut short: this is what there is\n",
			r->path);
	return r->strict && out_lost(&r->stream.sum) ? CMD_LOST : CMD_DONE;
}

static void clean_up(struct replay *r)
{
	stream_fini(&r->stream);
	out_fini(&r->out);
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
	free(r->binaries);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct replay *r = calloc(1, sizeof(*r));
	int code;

	if (!r) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	code = parse(r, argc, argv, d);
	if (code == CMD_DONE)
		code = show(r, d);
	clean_up(r);
	free(r);
	return code;
}

const struct cmd cmd_replay = {
	.name = "replay",
	.summary = "print what attach --record has recorded",
	.help = help,
	.run = run,
};
