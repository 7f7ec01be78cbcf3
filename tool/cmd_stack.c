// SPDX-License-Identifier: GPL-2.0
/* goprobectl stack: how calls of functions come about, counted in the kernel by stack. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "counting.h"
#include "folded.h"
#include "pprof.h"
#include "stackshow.h"

static const char help[] =
"Usage: goprobectl stack [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl stack [OPTION...] -b FILE PATTERN...\n"
"       goprobectl stack [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Who calls the functions that a PATTERN names, and who calls these: each stack with the\n"
"number of calls that were made so. The kernel counts; calls that were inlined have their\n"
"own lines. A condition chooses calls: 'shop.query if len(rows) > 100'.\n"
COUNTING_HELP
"      --frames N          functions of a stack, 2 to 90 (default 64)\n"
"      --stacks N          different stacks (default 4096)\n"
"      --top N             show the first N stacks only\n"
"  -o, --format FORMAT     text, json, folded (for flame graphs) or pprof\n"
"      --output FILE       write to FILE instead of standard output; pprof needs it, or\n"
"                          an output that is no terminal\n"
COUNTING_QUIET_HELP
"\n"
"Examples:\n"
"  Who opens so many files?\n"
"      goprobectl stack -p 4121 --duration 10s --top 5 os.OpenFile\n"
"  A profile of what allocates large objects, for 'go tool pprof':\n"
"      goprobectl stack -p 4121 --duration 30s -o pprof --output large.pb.gz \\\n"
"          'runtime.mallocgc if size > 32768'\n";

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_FOLDED, FORMAT_PPROF };

static const char *const formats[] = { "text", "json", "folded", "pprof" };

#define FORMATS (sizeof(formats) / sizeof(*formats))

/* As the module has it: a key is at most 768 bytes. */
#define FRAMES_MAX 90

/**
 * struct stacking - a run of the command
 * @c: the session that counts
 * @format: enum format
 * @top: stacks at most, in text and JSON; or 0
 * @frames: functions of a stack
 * @nstacks: stacks that there is room for
 * @output: file to write to, or NULL
 * @files: what addresses mean, by file of the plan
 * @stacks: what has been counted
 * @real: when it began, ns since 1970
 */
struct stacking {
	struct counting c;
	enum format format;
	uint64_t top;
	uint64_t frames;
	uint64_t nstacks;
	const char *output;
	struct symbols *files;
	struct stacks stacks;
	uint64_t real;
};

enum { OPT_FRAMES = COUNTING_OPT_FREE, OPT_STACKS, OPT_TOP, OPT_OUTPUT };

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "interval", required_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, COUNTING_OPT_DURATION },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "format", required_argument, NULL, 'o' },
	{ "frames", required_argument, NULL, OPT_FRAMES },
	{ "stacks", required_argument, NULL, OPT_STACKS },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ NULL, 0, NULL, 0 },
};

static int parse_format(struct stacking *s, struct diag *d)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(optarg, formats[i]) != 0)
			continue;
		s->format = (enum format)i;
		return CMD_DONE;
	}
	return cmd_bad_value("--format", optarg, "text, json, folded or pprof", d);
}

static int parse_option(void *ctx, int opt, struct diag *d)
{
	struct stacking *s = ctx;

	switch (opt) {
	case 'o':
		return parse_format(s, d);
	case OPT_FRAMES:
		if (!cmd_parse_number(optarg, 2, FRAMES_MAX, &s->frames))
			return cmd_bad_value("--frames", optarg, "a number from 2 to 90", d);
		break;
	case OPT_STACKS:
		if (!cmd_parse_number(optarg, 1, 262144, &s->nstacks))
			return cmd_bad_value("--stacks", optarg, "a number from 1 to 262144", d);
		break;
	case OPT_TOP:
		if (!cmd_parse_number(optarg, 1, UINT32_MAX, &s->top))
			return cmd_bad_value("--top", optarg, "a number from 1 on", d);
		break;
	case OPT_OUTPUT:
		s->output = optarg;
		break;
	}
	return CMD_DONE;
}

/* A profile is one file, and no text. */
static int check(const struct stacking *s, struct diag *d)
{
	if (s->format == FORMAT_PPROF && s->c.interval) {
		diag_set(d, "a profile is written once, at the end, so -i means nothing");
		return CMD_USAGE;
	}
	if (s->format == FORMAT_PPROF && !s->output && isatty(STDOUT_FILENO)) {
		diag_set(d, "a profile is not for a terminal");
		diag_hint(d, "--output FILE writes it to a file, for 'go tool pprof FILE'");
		return CMD_USAGE;
	}
	return CMD_DONE;
}

static int set_up(struct stacking *s, struct diag *d)
{
	static const struct stacks_value calls = { "count", "calls", "count" };
	struct plan_options opt = plan_defaults;
	struct tracing *t = &s->c.tracing;

	opt.action = GOPROBE_ACTION_COUNT;
	opt.no_return = true;
	opt.stack = (uint32_t)s->frames;
	t->keys = (struct goprobe_keys){
		.number = (uint32_t)s->nstacks, .bytes = (uint32_t)(1 + s->frames) * 8,
	};
	if (s->output && !freopen(s->output, "w", stdout))
		return diag_errno(d, errno, "can't write to %s", s->output);
	if (counting_set_up(&s->c, &opt, d))
		return -1;
	s->files = calloc(t->plan->nfiles + 1, sizeof(*s->files));
	if (!s->files)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < t->plan->nfiles; i++) {
		struct gobin *bin = t->plan->files[i].bin;

		symbols_init(&s->files[i], bin, gobin_path(bin));
	}
	stacks_init(&s->stacks, &calls, 1);
	s->real = clock_now(CLOCK_REALTIME);
	return 0;
}

static struct symbols *file_of(struct stacking *s, const struct plan_func *pf)
{
	const struct plan *p = s->c.tracing.plan;
	size_t i = 0;

	while (p->files[i].bin != pf->bin)
		i++;
	return &s->files[i];
}

/* A client_key_fn: the number of addresses, and the addresses. */
static int add(void *ctx, const struct goprobe_keyed *keyed, const uint64_t *key,
	       const uint64_t *buckets)
{
	struct stacking *s = ctx;
	const struct plan *p = s->c.tracing.plan;
	struct stacks_pc pcs[FRAMES_MAX];
	struct stacks_sample sample = { .pcs = pcs };
	size_t n = keyed->key_bytes / sizeof(*key);
	struct symbols *of;

	(void)buckets;
	if (!n || key[0] != n - 1 || n - 1 > s->frames || keyed->tally.id >= p->nfuncs ||
	    !keyed->tally.hits)
		return 0;
	of = file_of(s, p->funcs[keyed->tally.id]);
	for (size_t i = 1; i < n; i++)
		pcs[i - 1] = (struct stacks_pc){ of, key[i] };
	sample.npcs = n - 1;
	sample.cut = sample.npcs == s->frames;
	sample.values[0] = keyed->tally.hits;
	return stacks_add(&s->stacks, &sample);
}

static void put(struct stacking *s, const struct tallyshow_end *end, struct buf *b)
{
	const struct pprof_about about = {
		.time_ns = s->real, .duration_ns = end ? end->ns : 0,
	};

	switch (s->format) {
	case FORMAT_TEXT:
		stackshow_text(&s->stacks, s->top, b);
		break;
	case FORMAT_JSON:
		stackshow_json(&s->stacks, s->top, b);
		break;
	case FORMAT_FOLDED:
		folded_put(&s->stacks, 0, b);
		break;
	case FORMAT_PPROF:
		pprof_put(&s->stacks, &about, b);
		break;
	}
}

static void say(const struct stacking *s, const struct tallyshow_end *end)
{
	uint64_t no_key = end->stats[GOPROBE_STAT_NO_KEY];
	uint64_t filtered = end->stats[GOPROBE_STAT_FILTERED];
	uint64_t undecided = end->stats[GOPROBE_STAT_UNDECIDED];

	fprintf(stderr, "%llu calls by %zu stacks in %.1f s",
		(unsigned long long)stacks_sum(&s->stacks, 0), s->stacks.n,
		(double)end->ns / 1e9);
	if (filtered)
		fprintf(stderr, "; %llu did not pass the condition", (unsigned long long)filtered);
	if (undecided)
		fprintf(stderr, "; of %llu it or the stack could not be told",
			(unsigned long long)undecided);
	if (no_key)
		fprintf(stderr, "; %llu found no room: --stacks N makes more",
			(unsigned long long)no_key);
	fputc('\n', stderr);
}

static int print(void *ctx, const struct tallyshow_end *end, struct diag *d)
{
	struct stacking *s = ctx;
	struct buf b = { 0 };
	int err;

	stacks_zero(&s->stacks);
	if (client_keys(s->c.tracing.client, add, s, d))
		return -1;
	stacks_sort(&s->stacks);
	put(s, end, &b);
	err = counting_write(&s->c, &b, d);
	buf_fini(&b);
	if (!err && end && !s->c.quiet)
		say(s, end);
	return err;
}

static void clean_up(struct stacking *s)
{
	const struct plan *p = s->c.tracing.plan;

	if (s->files)
		stacks_fini(&s->stacks);
	for (size_t i = 0; s->files && i < p->nfiles; i++)
		symbols_fini(&s->files[i]);
	free(s->files);
	counting_fini(&s->c);
	free(s);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct stacking *s = calloc(1, sizeof(*s));
	int code;

	if (!s) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	s->frames = 64;
	s->nstacks = 4096;
	s->c.print = print;
	s->c.ctx = s;
	code = counting_parse(&s->c, argc, argv, options, parse_option, d);
	if (!code)
		code = check(s, d);
	if (code == CMD_DONE)
		code = set_up(s, d) ? CMD_FAILED : counting_run(&s->c, "counting", d);
	clean_up(s);
	return code;
}

const struct cmd cmd_stack = {
	.name = "stack",
	.summary = "who calls functions, counted by stack; flame graphs, profiles",
	.help = help,
	.run = run,
};
