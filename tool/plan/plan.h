/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans: functions and options become points, capture plans and the type table;
 * and a record's id leads back to names and types. Does no I/O but through gobin.
 */
#ifndef GOPROBE_PLAN_PLAN_H
#define GOPROBE_PLAN_PLAN_H

#include <goprobe.h>

#include "compile/capture.h"
#include "gobin/gobin.h"
#include "gotype/secret.h"

/* What --sample counts. */
enum plan_sample {
	PLAN_SAMPLE_CALL,	/* calls of each function */
	PLAN_SAMPLE_GOROUTINE,	/* goroutines */
	PLAN_SAMPLE_ROOT,	/* trees of calls, by the function that begins them */
};

/* Limits of a trace; 0: no limit. */
struct plan_limits {
	uint64_t sample;	/* trace one of this number */
	/* what of; with PLAN_SAMPLE_ROOT @rate and @times are about trees, too */
	enum plan_sample by;
	uint64_t rate;	/* calls of a function in a second */
	uint64_t times;	/* calls of a function */
};

/* When points become jumps, so that their hits take no trap. */
enum plan_jumps {
	PLAN_JUMPS_OFF,
	PLAN_JUMPS_AUTO,	/* when they have had many hits, if the module allows it */
	PLAN_JUMPS_ALWAYS,	/* from the beginning */
};

/* Limits of what is captured. */
struct plan_options {
	uint32_t string_limit;	/* bytes of a string */
	uint32_t elements;	/* elements of a slice */
	uint32_t objects;	/* chunks of a record */
	uint32_t bytes;	/* bytes of a record's chunks */
	uint32_t depth;	/* references followed in a row (slices count; strings only in frames) */
	/* users call @depth --follow; 0 of it shows strings and errors, and follows nothing else */
	bool brief;
	/* as @bytes, of calls that are held until they return; at most @bytes */
	uint32_t held_bytes;
	/* of what is counted, functions of each hit's stack, which it is counted by; or 0 */
	uint32_t stack;
	/*
	 * with @stack: hits are counted by the go statement that started their goroutine, too;
	 * its address, or 0 or another that is in no function, is the key's first word
	 */
	bool creator;
	/* calls are pending until they return, and are dropped then: only open ones are read */
	bool stuck;
	/* records have the time that calls spend in each state of their goroutines, too */
	bool split;
	bool errors;	/* calls that return an error are counted, too: plan_func.errors */
	bool no_return;	/* entries only */
	bool registers;	/* records have the integer registers, too: plan_frame.registers */
	/*
	 * functions of the call stack that comes with each call and place; at most
	 * PLAN_CALLERS_MAX; 0: none
	 */
	uint32_t callers;
	/* where functions were inlined they are traced as well: select_functions() */
	bool inlined;
	bool no_inlined;	/* not even where a call that is counted is sure to be one */
	bool places;	/* where functions were inlined, each place has a row of its own */
	/*
	 * calls describe their goroutine, see plan_frame.goroutine, and go statements of the
	 * one they start, see PLAN_ROLE_GO
	 */
	bool goroutine;
	enum plan_jumps jumps;	/* when points become jumps: GOPROBE_POINT_F_JUMP */
	bool dry_run;	/* what is to be changed is shown, and stays as it is */
	/*
	 * the expressions that calls are counted or timed by, or NULL; must outlive
	 * select_functions()
	 */
	const struct group_by_exprs *by;
	/*
	 * what hits do: enum goprobe_action; only GOPROBE_ACTION_RECORD captures anything, and
	 * can be recorded and replayed
	 */
	uint8_t action;
	struct plan_limits limits;	/* how much of it, of GOPROBE_ACTION_RECORD */
	/* what of it is redacted; its names must outlive the plan */
	struct secret_list secrets;
};

/* The most that may be asked for. */
#define PLAN_DEPTH_MAX 31U
#define PLAN_BYTES_MAX 16384U
#define PLAN_OBJECTS_MAX 1024U
#define PLAN_CALLERS_MAX 128U
/* plan_options.held_bytes unless the user says more: there are many such records at once. */
#define PLAN_HELD_BYTES 960U

extern const struct plan_options plan_defaults;	/* as --help has them */

/* A pattern or place of which nothing is traced, though others are. */
struct plan_missing {
	const char *spec;	/* what the user wrote */
	const char *why;	/* why, and what to do: "main.go has no ..." */
};

struct group_by;
struct edit;
struct edit_pair;
struct filter_pair;

/* Arguments or results of a function as they come in a record. */
struct plan_frame {
	/* what is in it; the item that operation GOPROBE_OP_TRY begins is an index of it */
	const struct plan_value *values;
	size_t nvalues;	/* their number */
	uint32_t size;	/* bytes in the record, before padding to 8 */
	uint32_t plan;	/* index in plan.plans, or GOPROBE_NO_PLAN */
	/* why there are no values at all (static string), or NULL */
	const char *unavailable;
	bool has_dict;	/* a generic function's dictionary pointer is in it too, at @dict */
	uint32_t dict;	/* see @has_dict */
	/* what is changed, or NULL; its values are behind the others, from @first_edit on */
	const struct edit *edit;
	size_t first_edit;	/* see @edit */
	bool dry_run;	/* it is not changed, only shown */
	bool has_goroutine;	/* a struct plan_goroutine is in it too, at @goroutine */
	uint32_t goroutine;	/* see @has_goroutine */
	/* the integer registers are in it too, as goreg_names has them, at @registers */
	bool has_registers;
	uint32_t registers;	/* see @has_registers */
	uint32_t stack;	/* where the call stack is: goprobe_plan.stack */
	uint32_t nstack;	/* the most addresses of it; 0: no call stack */
	bool receiver;	/* @values begin with the receiver, which nobody asked for by name */
	bool context;	/* a context.Context is next, or first: nobody asked for it, either */
};

/* Where the goroutine comes from; zeros: that is not known. */
struct plan_goroutine {
	uint64_t parent;	/* id of the goroutine that started it */
	uint64_t pc;	/* run-time address behind the call of the go statement */
};

/* How a function's entry is probed; see docs/design/points.md. */
enum plan_entry {
	PLAN_ENTRY_NONE,	/* it is not: see plan_func.refused */
	PLAN_ENTRY_CHECK,	/* at the branch of the stack check */
	PLAN_ENTRY_PUSH,	/* at a PUSH that the kernel emulates */
	PLAN_ENTRY_NOP,		/* at a NOP */
	PLAN_ENTRY_JUMP,	/* at a jump or call */
	PLAN_ENTRY_FIRST,	/* at the first instruction, which the kernel does not emulate */
};

/* The role of a function: users see its calls, or its calls notify of something else. */
enum plan_role {
	PLAN_ROLE_NONE,
	PLAN_ROLE_GO,		/* runtime.newproc1, where it returns: a goroutine was made */
	PLAN_ROLE_PANIC,	/* runtime.gopanic: values[0] of the call is the panic's */
	PLAN_ROLE_RECOVERY,	/* runtime.recovery: a frame goes on behind a panic */
	PLAN_ROLE_FATAL,	/* runtime.fatalpanic: nobody has recovered */
	PLAN_ROLE_GOEXIT,	/* runtime.Goexit */
	PLAN_ROLE_BEGIN,	/* runtime.main: a program begins */
	PLAN_ROLE_ERROR,	/* where any function returns: plan_func.errors */
	__PLAN_ROLE_MAX,
};

/* A single instruction that is traced. */
struct plan_at {
	uint64_t vaddr;	/* its link-time address */
	const char *file;	/* its source file, or NULL */
	int line;	/* its line, or 0 */
	/* the innermost function that it is code of, if that was inlined, or NULL */
	const char *inlined;
	bool begins;	/* it is meant as the beginning of that function: a call of it */
	bool unsure;	/* a call of that may be missed there, or come there twice */
	const char *name;	/* "main.foo+0x1f main.go:42" */
};

/* Places that functions were inlined into, and that are not traced. */
struct plan_copies {
	size_t functions;	/* how many functions have such places */
	uint64_t places;	/* all of these */
	const char *name;	/* of the first function */
	bool coded;	/* it has code of its own */
	/* places that are traced, and where a call may be missed, or come twice */
	uint64_t unsure;
};

/* A function that is traced. */
struct plan_func {
	struct gobin *bin;	/* binary */
	const struct gofunc *fn;	/* function */
	/* only this instruction of it, and its values are in @call; or NULL */
	const struct plan_at *at;
	const struct gosig *sig;	/* its signature */
	uint32_t id;	/* index in plan.funcs; goprobe_point.id of all its points */
	struct plan_frame call;	/* arguments */
	struct plan_frame ret;	/* results */
	bool abi0;	/* its arguments are on the stack */
	bool in_tls;	/* g is at its points not in its register */
	enum plan_entry entry;	/* how its entry is probed */
	uint32_t nrets;	/* RET instructions */
	uint32_t ntails;	/* jumps out of it */
	const char *refused;	/* why it can't be probed (static string), or NULL */
	uint8_t action;	/* enum goprobe_action of its points */
	bool ends;	/* where it ends is probed */
	bool only_ends;	/* and where it begins is not */
	/* it is counted by its durations: calls that ended as was asked for */
	bool count_ends;
	bool paired;	/* GOPROBE_POINT_F_PAIRED */
	bool held;	/* GOPROBE_POINT_F_PENDING */
	bool unwound;	/* GOPROBE_POINT_F_UNWOUND */
	const struct group_by *key;	/* what it is counted or timed by, or NULL */
	bool keyed;	/* it is counted or timed by @key, by stack, or by both */
	bool around;	/* nobody asked for it, but for what is called while it runs */
	uint32_t call_filter;	/* id of the filter of its call; 0: none */
	uint32_t ret_filter;	/* of its returns */
	uint32_t tail_filter;	/* of jumps out of it */
	uint32_t call_edit;	/* id of the filter that changes its calls; 0: none */
	uint32_t ret_edit;	/* of its returns */
	/* which of its calls return an error; NULL: it returns none, or nobody asked */
	const struct filter_pair *failed;
	uint32_t errors;	/* id of the hidden function that counts these; 0: none */
	enum plan_role role;	/* what its calls notify of */
	bool hidden;	/* it is traced for that alone: its calls are no events */
	uint32_t copies;	/* places that it was inlined into, and that are not traced */
	/*
	 * it is a wrapper that has the code of the method of this name, which was asked for, or
	 * NULL
	 */
	const char *wraps;
	/*
	 * id of the function in whose row it is counted: its own, or of an inlined place that
	 * of the function that was inlined, or of the first place of that; copies_find() sets
	 * it
	 */
	uint32_t row;
};

/* Points and dynamic types of one binary. */
struct plan_points {
	struct gobin *bin;	/* binary */
	struct goprobe_point *v;	/* its points, in the order they are to be added */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @v */
	/* which wire types its descriptors and closures stand for */
	struct goprobe_dynamic *dynamic;
	size_t ndynamic;	/* their number */
	size_t dynamic_cap;	/* capacity of @dynamic */
};

/* All that is to be traced. */
struct plan {
	const struct plan_options *o;	/* what was asked for */
	/*
	 * calls are counted alone, so what a plain name names is counted where it was inlined,
	 * too, as far as that is sure to be right
	 */
	bool sure_inlined;
	bool rows;	/* inlined places are in the row of their function: plan_func.row */
	struct plan_func **funcs;	/* by id */
	size_t nfuncs;
	size_t naround;	/* of them, those that nobody asked for */
	size_t nhidden;	/* of them, those that are hidden */
	size_t nshared;	/* of them, those that are counted in the row of another one */
	bool texts;	/* only strings and errors are followed of what nobody asked for */
	bool wipes;	/* the module wipes bytes of records: GOPROBE_REF_WIPE */
	bool key_hashes;	/* keys have strings, of which long ones are hashed */
	bool searches;		/* programs search texts or maps */
	struct goprobe_type *types;	/* wire type table; index is the session type id */
	/* for each wire type, the Go type it stands for, or NULL (frames) */
	const struct gotype **gotypes;
	size_t ntypes;
	struct goprobe_ref *refs;	/* references of @types */
	size_t nrefs;
	/*
	 * wire plans; index is the session plan id; goprobe_plan.piece counts from the start of
	 * @pieces
	 */
	struct goprobe_plan *plans;
	size_t nplans;
	struct goprobe_piece *pieces;	/* pieces of @plans */
	size_t npieces;
	/* operations of @plans; goprobe_plan.op counts from the start of it */
	struct goprobe_op *ops;
	size_t nops;
	/* which hits count; index is the session filter id less 1 */
	struct goprobe_filter *filters;
	size_t nfilters;
	/* operations of @filters; goprobe_filter.op counts from the start of it */
	struct goprobe_op *filter_ops;
	size_t nfilter_ops;
	bool edits;	/* something is changed */
	bool delays;	/* calls are delayed */
	/*
	 * goprobe_pending_limit.bytes: of the largest record of a call that is held; 0: no
	 * calls are held
	 */
	uint32_t held_bytes;
	uint64_t descendant;	/* goroutine whose descendants are asked for; 0: none is */
	bool unwinds;	/* calls that panics end are reported */
	/* what of the functions that were asked for is not traced; copies_find() sets it */
	struct plan_copies copies;
	/* patterns of which nothing is traced; select_functions() sets it */
	struct plan_missing *missing;
	size_t nmissing;	/* their number */
	struct plan_points *files;	/* points by binary; index is the session's file id */
	size_t nfiles;
	void *priv;
};

/* What it is called: the function, or the place. */
static inline const char *plan_func_name(const struct plan_func *pf)
{
	return pf->at ? pf->at->name : pf->fn->name;
}

/* The function of which it is an inlined copy: a place, or a wrapper; NULL: it is no copy. */
static inline const char *plan_func_copies(const struct plan_func *pf)
{
	return pf->at && pf->at->begins ? pf->at->inlined : pf->wraps;
}

/* What its row is called in tables: that of inlined places has the function's name. */
static inline const char *plan_row_name(const struct plan *p, const struct plan_func *pf)
{
	const char *inlined = plan_func_copies(pf);

	return p->rows && inlined ? inlined : plan_func_name(pf);
}

struct plan *plan_new(const struct plan_options *opt);
void plan_free(struct plan *p);

/*
 * Add a function. Returns 0, or -1 with @d set if it can't be probed
 * (inlined away, no entry that can be proven, runtime code that must not be).
 */
int plan_add(struct plan *p, struct gobin *bin, const struct gofunc *fn,
	     struct diag *d);

/* What is wanted of a function. */
struct plan_request {
	/*
	 * its signature if the binary's own (gobin_sig()) is not to be used; must outlive the
	 * plan; or NULL
	 */
	const struct gosig *sig;
	/* what to capture when it is called; NULL: all arguments */
	const struct plan_capture *call;
	const struct plan_capture *ret;	/* what to capture when it returns; NULL: all results */
	/* which calls; NULL: all. Must outlive plan_finish() */
	const struct filter_pair *filter;
	/* which of these return an error; NULL: this is not counted. Must outlive the plan */
	const struct filter_pair *failed;
	/* what they are counted or timed by, or NULL; must outlive the plan */
	const struct group_by *key;
	/* what is changed of them, or NULL; must outlive the plan */
	const struct edit_pair *edit;
	/* what it is traced for; then only at the points that the role needs */
	enum plan_role role;
	const char *wraps;	/* plan_func.wraps */
	/* of a single instruction: why it has no values (static string), if @call is NULL */
	const char *why;
};

/*
 * As plan_add(), with wishes. A function is added once, and once more with PLAN_ROLE_ERROR: what
 * a further request wants is ignored.
 */
int plan_add_request(struct plan *p, struct gobin *bin, const struct gofunc *fn,
		     const struct plan_request *req, struct diag *d);

/*
 * Why plan_add_request() failed for the last function, in words that fit several functions
 * (static string); NULL: because of something in the request, or for lack of memory.
 */
const char *plan_refused(const struct plan *p);

/*
 * Add the hidden functions that count the errors of all functions so far, by plan_func.failed. 0,
 * or -1 with @d set.
 */
int plan_add_errors(struct plan *p, struct diag *d);

struct place;

/*
 * Add a single instruction, once. Returns 0, or -1 with @d set if it can't be probed.
 */
int plan_add_at(struct plan *p, const struct place *place, const struct plan_request *req,
		struct diag *d);

/* Points with hits that notify the module of goroutines. */
struct plan_notification {
	uint8_t action;	/* GOPROBE_ACTION_STATE, _JOIN, _PART or _UNWIND */
	bool ret;	/* where the function returns, not where it is called */
	bool first;	/* before what other points at these places do */
	const struct goprobe_op *ops;	/* they make the key */
	size_t nops;	/* their number */
};

/* Points at @fn, whether it is traced otherwise or not. 0, or -1 with @d set. */
int plan_add_notification(struct plan *p, struct gobin *bin, const struct gofunc *fn,
			  const struct plan_notification *note, struct diag *d);

/*
 * After the last function: find the functions that others' conditions name, and the types
 * of all that can be reached from the frames. Returns 0, or -1 with @d set.
 */
int plan_finish(struct plan *p, struct diag *d);

/*
 * After plan_finish(): an interface whose value is @level references from a frame
 * holds the type whose descriptor is at link-time address @vaddr; or a function
 * has its code there. Returns 1 if the plan will have more of it after another
 * plan_finish(), 0 if there is nothing new, -1 without memory.
 */
int plan_learn_type(struct plan *p, struct gobin *bin, uint64_t vaddr, uint32_t level);
int plan_learn_func(struct plan *p, struct gobin *bin, uint64_t vaddr, uint32_t level);

/* No point becomes a jump: all are as without plan_options.jumps. */
void plan_keep_traps(struct plan *p);

/* The bytes of a frame with that wire plan, or -1; a record_frame_size_fn with a struct plan. */
int64_t plan_frame_size(void *plan, uint32_t id);
/* Where the binary's runtime keeps things, as the module wants to know it. */
struct goprobe_runtime plan_runtime(const struct plan_points *f);

#endif
