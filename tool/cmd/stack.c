// SPDX-License-Identifier: GPL-2.0
/* goprobectl stack: how calls of functions come about, counted in the kernel by stack. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/clock.h"
#include "cmd/aggregate.h"
#include "cmd/cmd.h"
#include "output/folded.h"
#include "output/pprof.h"
#include "output/stack_print.h"

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
"      --creator           who started the goroutine is a stack's root in folded and pprof;\n"
"                          text and JSON always say so\n"
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
 * @creator: stacks are told apart by who has started their goroutine
 * @stacks: what has been counted
 * @real: when it began, ns since 1970
 */
struct stacking {
	struct counting c;
	enum format format;
	uint64_t top;
	uint64_t frames;
	uint64_t nstacks;
	bool creator;
	struct stacks stacks;
	uint64_t real;
};

enum { OPT_FRAMES = COUNTING_OPT_FREE, OPT_STACKS, OPT_TOP, OPT_CREATOR, OPT_OUTPUT };

static const struct option options[] = {
	{ "frames", required_argument, NULL, OPT_FRAMES },
	{ "stacks", required_argument, NULL, OPT_STACKS },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "creator", no_argument, NULL, OPT_CREATOR },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ NULL, 0, NULL, 0 },
};

static int parse_format(struct stacking *s, struct diag *d)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (strcmp(optarg, formats[i]) != 0)
			continue;
		s->format = (enum format)i;
		s->c.json = s->format == FORMAT_JSON;
		return CMD_DONE;
	}
	return argument_fail("--format", optarg, "text, json, folded or pprof", d);
}

static int parse_option(struct counting *c, int opt, struct diag *d)
{
	struct stacking *s = (struct stacking *)c;

	switch (opt) {
	case 'o':
		return parse_format(s, d);
	case OPT_FRAMES:
		if (!argument_number(optarg, 2, FRAMES_MAX, &s->frames))
			return argument_fail("--frames", optarg, "a number from 2 to 90", d);
		break;
	case OPT_STACKS:
		if (!argument_number(optarg, 1, 262144, &s->nstacks))
			return argument_fail("--stacks", optarg, "a number from 1 to 262144", d);
		break;
	case OPT_TOP:
		if (!argument_number(optarg, 1, UINT32_MAX, &s->top))
			return argument_fail("--top", optarg, "a number from 1 on", d);
		break;
	case OPT_CREATOR:
		s->creator = true;
		break;
	case OPT_OUTPUT:
		c->output = optarg;
		break;
	}
	return CMD_DONE;
}

/* A profile is one file, and no text. */
static int check(const struct counting *c, struct diag *d)
{
	const struct stacking *s = (const struct stacking *)c;

	if (s->format == FORMAT_PPROF && s->c.interval) {
		diag_set(d, "a profile is written once, at the end, so -i means nothing");
		return CMD_USAGE;
	}
	if (s->format == FORMAT_PPROF && !c->output && isatty(STDOUT_FILENO)) {
		diag_set(d, "a profile is not for a terminal");
		diag_hint(d, "--output FILE writes it to a file, for 'go tool pprof FILE'");
		return CMD_USAGE;
	}
	return CMD_DONE;
}

static int set_up(struct counting *c, struct diag *d)
{
	struct stacking *s = (struct stacking *)c;
	static const struct stacks_value calls = { "count", "calls", "count" };
	struct plan_options opt = plan_defaults;
	struct tracing *t = &c->tracing;

	s->creator |= s->format == FORMAT_TEXT || s->format == FORMAT_JSON;
	opt.action = GOPROBE_ACTION_COUNT;
	opt.no_return = true;
	opt.stack = (uint32_t)s->frames;
	opt.creator = s->creator;
	t->keys = (struct goprobe_keys){
		.number = (uint32_t)s->nstacks, .bytes = (uint32_t)(s->creator + 1 + s->frames) * 8,
	};
	/* Before the command is made: of a file that can't be written it must not begin. */
	if (c->output && counting_open(c, d))
		return -1;
	if (counting_set_up(c, &opt, d) || counting_name_files(c, d))
		return -1;
	stacks_init(&s->stacks, &calls, 1);
	/* go tool pprof shows instructions, too. */
	s->stacks.by_address = s->format == FORMAT_PPROF;
	s->real = clock_now(CLOCK_REALTIME);
	return 0;
}

/* A client_key_fn: who has started the goroutine, the number of addresses, and the addresses. */
static int add(void *ctx, const struct goprobe_keyed *keyed, const uint64_t *key,
	       const uint64_t *buckets)
{
	struct stacking *s = ctx;
	const struct plan *p = s->c.tracing.plan;
	struct stacks_pc pcs[FRAMES_MAX];
	struct stacks_sample sample = { .pcs = pcs };
	size_t n = keyed->key_bytes / sizeof(*key), first = s->creator;
	struct symbols *of;

	(void)buckets;
	if (n <= first || key[first] != n - first - 1 || key[first] > s->frames ||
	    keyed->tally.id >= p->nfuncs || !keyed->tally.hits)
		return 0;
	of = counting_file(&s->c, p->funcs[keyed->tally.id]);
	if (s->creator)
		sample.creator = (struct stacks_pc){ of, key[0] };
	sample.npcs = key[first];
	for (size_t i = 0; i < sample.npcs; i++)
		pcs[i] = (struct stacks_pc){ of, key[first + 1 + i] };
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

	uint64_t calls = stacks_sum(&s->stacks, 0);

	fprintf(stderr, "%llu call%s by %zu stack%s in %.1f s", (unsigned long long)calls,
		calls == 1 ? "" : "s", s->stacks.n, s->stacks.n == 1 ? "" : "s",
		(double)end->ns / 1e9);
	if (filtered)
		fprintf(stderr, "; %llu did not pass the condition", (unsigned long long)filtered);
	if (undecided)
		fprintf(stderr, "; of %llu it or the stack is unknown",
			(unsigned long long)undecided);
	if (no_key)
		fprintf(stderr, "; %llu exceeded the limit of stacks: --stacks N raises it",
			(unsigned long long)no_key);
	fputc('\n', stderr);
}

static int print(struct counting *c, const struct tallyshow_end *end, struct diag *d)
{
	struct stacking *s = (struct stacking *)c;
	struct buf b = { 0 };
	int err;

	stacks_zero(&s->stacks);
	if (client_keys(s->c.tracing.client, add, s, d))
		return -1;
	stacks_sort(&s->stacks);
	put(s, end, &b);
	err = counting_write(&s->c, &b, d);
	buf_fini(&b);
	if (!err && end)
		err = counting_close(&s->c, d);
	if (!err && end && !s->c.quiet)
		say(s, end);
	return err;
}

static int run(int argc, char **argv, struct diag *d)
{
	static const struct counting_cmd cmd = {
		.doing = "counting", .options = options, .option = parse_option,
		.check = check, .set_up = set_up, .print = print,
	};
	struct stacking s = { .frames = 64, .nstacks = 4096 };
	int code = counting_main(&s.c, &cmd, argc, argv, d);

	stacks_fini(&s.stacks);
	counting_fini(&s.c);
	return code;
}

const struct cmd cmd_stack = {
	.name = "stack",
	.summary = "who calls functions, counted by stack; flame graphs, profiles",
	.help = help,
	.run = run,
};
