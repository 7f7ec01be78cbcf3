/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options of commands and of traces. One table (option/table.c) has a row for each; command lines,
 * --help, goprobe_trace_set() and recordings use it.
 */
#ifndef GOPROBE_OPTION_OPTION_H
#define GOPROBE_OPTION_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libgoprobe.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/exit_code.h"
#include "compile/group_by.h"
#include "lang/spec.h"
#include "option/commands.h"
#include "output/goroutine_list.h"
#include "output/screen.h"
#include "plan/plan.h"
#include "process/containers.h"
#include "process/target.h"

/* Values of --format. */
enum option_format {
	OPTION_TEXT,
	OPTION_JSON,
	OPTION_FOLDED,
	OPTION_PPROF,
	OPTION_FLAMEGRAPH,
	OPTION_CHROME,
	OPTION_OTLP,
	OPTION_TIMELINE,
	OPTION_OPENMETRICS,
	OPTION_TEMPLATE,
};

/* Values of --weight. */
enum option_weight {
	OPTION_CALLS,
	OPTION_DURATIONS,
	OPTION_WAITS,
	OPTION_VALUES,	/* of an expression, options.by.value: no word of it */
};

/* An option that can be given more than once. */
struct option_texts {
	const char **v;	/* its arguments */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @v */
};

#define OPTION_ROWS_MAX 128

/* What the user asked for. options_init() begins it. What the caller stores in it lives as long. */
struct options {
	enum command command;	/* whose options they are */
	bool given[OPTION_ROWS_MAX];	/* of each row: the option was given */
	struct target_pids pids;	/* processes */
	struct containers_wish wish;	/* what they are in */
	struct containers_choice choice;	/* and what that is: option_choose() */
	const char *file;	/* a program or library, or NULL */
	struct option_texts files;	/* programs of a recording */
	char **argv;		/* a command to start, or NULL */
	struct spec *specs;	/* which functions, and what of them */
	size_t nspecs;		/* their number */
	size_t specs_cap;	/* capacity of @specs */
	char **operands;	/* the other arguments */
	size_t noperands;	/* their number */
	struct plan_options plan;	/* what is captured, and how much of it */
	uint64_t duration;	/* ns, or 0 */
	uint64_t interval;	/* ns, or 0 */
	uint64_t events;	/* lines of events, or 0 */
	uint64_t lines;		/* of watch, or 0 */
	uint64_t max_load;	/* percent; 0: by the number of processors; GOPROBE_LOAD_ANY: any */
	uint64_t longer_than;	/* ns */
	/*
	 * Calls that can be pending; 0: as many as the module allows, at most SESSION_HELD. Where
	 * calls are timed: that can be open; 0: as many as the module takes by itself.
	 */
	uint32_t held;
	uint32_t ring_bytes;	/* memory for each CPU, or 0 */
	uint32_t keys;		/* different keys */
	uint32_t top;		/* lines of a table, or 0 */
	uint32_t levels;	/* of a tree */
	uint32_t calls;		/* of a tree */
	uint32_t follow;	/* plan.depth of graph */
	uint32_t frames;	/* functions of a stack */
	enum option_weight weight;	/* of stacks */
	struct group_by_exprs by;	/* the expressions of --by, and of --sum or --hist */
	enum goroutine_list_group group;	/* enum goroutine_list_group */
	enum goroutine_list_sort sort;	/* enum goroutine_list_sort */
	const char *state;	/* a glob of states, or NULL */
	const char *with;	/* a glob of functions, or NULL */
	struct screen screen;	/* how text looks */
	enum option_format format;	/* of the output */
	const char *template;	/* of OPTION_TEMPLATE */
	const char *output;	/* file, or URL of a collector, or NULL */
	const char *listen;	/* where metrics are served, or NULL */
	bool open;		/* the picture is served, once */
	const char *record;	/* file, or NULL */
	const char *since;	/* when what is shown of a recording begins, or NULL */
	const char *until;	/* when it ends, or NULL */
	const char *diff;	/* an older recording, or NULL */
	bool lossless;		/* programs wait rather than lose records */
	bool signals;		/* signals end the trace */
	bool person;		/* a command runs, not a program with libgoprobe */
	bool quiet;		/* no header and no summary */
	bool pretty;		/* long values in several lines */
	bool no_zero;		/* text leaves out struct fields that are zero */
	bool strict;		/* losses are failures */
	bool histogram;		/* also if there are several functions */
	bool creator;		/* stacks differ by who has started their goroutine */
	bool graph;		/* replay shows call trees */
	bool merge;		/* call trees of one shape are one */
	bool flat;		/* functions in place of call trees */
	bool points;		/* list breakpoints */
	bool instructions;	/* list instructions */
	bool vars;		/* list variables */
	bool report;		/* examine what a report of a fault needs */
};

/* How an option's argument is written. */
enum option_kind {
	OPTION_FLAG,	/* without an argument */
	OPTION_NUMBER,
	OPTION_SIZE,	/* 64k */
	OPTION_TIME,	/* 5s */
	OPTION_SHARE,	/* 1/100 */
	OPTION_LOAD,	/* a number, or off */
	OPTION_FORMAT,	/* one of some words, or the text of options.template */
	OPTION_WEIGHT,	/* one of some words, or an expression: options.by.value */
	OPTION_CHOICE,	/* one of some words */
	OPTION_STRING,
	OPTION_STRINGS,
	OPTION_NAMES,	/* separated by commas, for struct secret_list */
	OPTION_PIDS,
	OPTION_PID,	/* exactly one */
	OPTION_BY,	/* an expression of bykey_exprs */
	OPTION_SUM,	/* its value */
	OPTION_HIST,	/* the same, with options.histogram */
	OPTION_RANGE,	/* of its histogram */
	OPTION_COMMAND,	/* "--" and what follows */
};

/* Paragraphs of --help. */
enum option_group {
	OPTIONS_TARGET,
	OPTIONS_LONG,
	OPTIONS_END,
	OPTIONS_AMOUNT,
	OPTIONS_CHANGE,
	OPTIONS_CAPTURE,
	OPTIONS_OUTPUT,
	OPTIONS_SCREEN,
	OPTIONS_GROUPS,
};

/* An option of some commands. */
struct option_row {
	const char *name;	/* its long name */
	char letter;	/* its short name, or 0 */
	uint32_t commands;	/* bit C: enum command C has it */
	enum option_group group;	/* where --help shows it */
	enum option_kind kind;	/* how its argument is written */
	const char *arg;	/* what --help calls the argument */
	struct {
		size_t offset;
		size_t size;
	} field;	/* the member of struct options: offset and size */
	/* what it does; lines are separated by '\n'. A number's default is put behind it */
	const char *help;
	uint64_t least;	/* the smallest value */
	uint64_t most;	/* the largest value; 0: any */
	uint64_t initial;	/* the default; 0: what plan_defaults has */
	const char *unit;	/* what a number counts, for messages, or NULL */
	/*
	 * of OPTION_CHOICE, OPTION_FORMAT and OPTION_WEIGHT the words, the first of which is
	 * @least; ends with NULL. "" stands for a value that other commands have
	 */
	const char *const *choices;
	enum goprobe_option key;	/* what libgoprobe calls it, or 0 */
	bool recorded;	/* a recording has it */
};

extern const struct option_row option_rows[];
extern const size_t option_number;

/* The row of option @name of @command, or NULL. */
const struct option_row *option_find(enum command command, const char *name);
/* The row that libgoprobe calls @key, or NULL. */
const struct option_row *option_of_key(unsigned int key);
static inline bool option_is_of(const struct option_row *row, enum command command)
{
	return row->commands & 1U << command;
}

static inline bool option_given(const struct options *o, const struct option_row *row)
{
	return o->given[row - option_rows];
}

/* The value of a number, flag or choice. */
uint64_t option_value(const struct options *o, const struct option_row *row);

/* Defaults of @command. */
void options_init(struct options *o, enum command command);
void options_fini(struct options *o);
/* Copy all; @to owns what @from owned. */
void options_move(struct options *to, struct options *from);
/* Store argument @arg of an option. CMD_DONE; or CMD_USAGE with a message, CMD_FAILED. */
int option_parse(struct options *o, const struct option_row *row, const char *arg, struct diag *d);
/* Store a value for a program: 0, or -1 with a message. */
int option_set(struct options *o, unsigned int key, uint64_t value, struct diag *d);
/* Do the options go together? CMD_DONE, or CMD_USAGE with a message. */
int exclusion_check(const struct options *o, struct diag *d);
/*
 * Find what --container, --pod or --cgroup names, if one is given, and add its Go programs to
 * @o->pids. CMD_DONE; or CMD_FAILED with a message.
 */
int option_choose(struct options *o, struct diag *d);
/* Is one of them given? */
static inline bool option_wishes(const struct options *o)
{
	return o->wish.container || o->wish.pod || o->wish.group;
}

/* Limits of what is captured follow from each other, unless they are given. */
void options_settle(struct options *o);

/* The lines of --help about a group of options of @command; nothing if there are none. */
void option_help(enum command command, enum option_group group, struct buf *b);

#endif
