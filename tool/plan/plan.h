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

/**
 * struct plan_limits - limits of a trace; 0: no limit
 * @sample: trace one of this number
 * @by: what of; with PLAN_SAMPLE_ROOT @rate and @times are about trees, too
 * @rate: calls of a function in a second
 * @times: calls of a function
 */
struct plan_limits {
	uint64_t sample;
	enum plan_sample by;
	uint64_t rate;
	uint64_t times;
};

/* When points become jumps, so that their hits take no trap. */
enum plan_jumps {
	PLAN_JUMPS_OFF,
	PLAN_JUMPS_AUTO,	/* when they have had many hits, if the module allows it */
	PLAN_JUMPS_ALWAYS,	/* from the beginning */
};

/**
 * struct plan_options - limits of what is captured
 * @string_limit: bytes of a string
 * @elements: elements of a slice
 * @objects: chunks of a record
 * @bytes: bytes of a record's chunks
 * @depth: references followed in a row (slices count; strings only in frames)
 * @brief: users call @depth --follow; 0 of it shows strings and errors, and follows nothing else
 * @held_bytes: as @bytes, of calls that are held until they return; at most @bytes
 * @stack: of what is counted, functions of each hit's stack, which it is counted by; or 0
 * @creator: with @stack: hits are counted by the go statement that started their goroutine, too;
 *	its address, or 0 or another that is in no function, is the key's first word
 * @stuck: calls are pending until they return, and are dropped then: only open ones are read
 * @split: records have the time that calls spend in each state of their goroutines, too
 * @errors: calls that return an error are counted, too: plan_func.errors
 * @no_return: entries only
 * @registers: records have the integer registers, too: plan_frame.registers
 * @callers: functions of the call stack that comes with each call and place; at most
 *	PLAN_CALLERS_MAX; 0: none
 * @inlined: where functions were inlined they are traced as well: select_functions()
 * @no_inlined: not even where a call that is counted is sure to be one
 * @places: where functions were inlined, each place has a row of its own
 * @goroutine: calls describe their goroutine, see plan_frame.goroutine, and go
 *	statements of the one they start, see PLAN_ROLE_GO
 * @jumps: when points become jumps: GOPROBE_POINT_F_JUMP
 * @dry_run: what is to be changed is shown, and stays as it is
 * @by: the expressions that calls are counted or timed by, or NULL; must outlive select_functions()
 * @action: what hits do: enum goprobe_action; only GOPROBE_ACTION_RECORD captures
 *	anything, and can be recorded and replayed
 * @limits: how much of it, of GOPROBE_ACTION_RECORD
 * @secrets: what of it is redacted; its names must outlive the plan
 */
struct plan_options {
	uint32_t string_limit;
	uint32_t elements;
	uint32_t objects;
	uint32_t bytes;
	uint32_t depth;
	bool brief;
	uint32_t held_bytes;
	uint32_t stack;
	bool creator;
	bool stuck;
	bool split;
	bool errors;
	bool no_return;
	bool registers;
	uint32_t callers;
	bool inlined;
	bool no_inlined;
	bool places;
	bool goroutine;
	enum plan_jumps jumps;
	bool dry_run;
	const struct group_by_exprs *by;
	uint8_t action;
	struct plan_limits limits;
	struct secret_list secrets;
};

/* The most that may be asked for. */
#define PLAN_DEPTH_MAX 31U
#define PLAN_BYTES_MAX 16384U
#define PLAN_OBJECTS_MAX 1024U
#define PLAN_CALLERS_MAX 128U
/* plan_options.held_bytes unless the user says more: there are many such records at once. */
#define PLAN_HELD_BYTES 960U

extern const struct plan_options plan_defaults;	/* 256, 64, 256, 12288, 4 */

/**
 * struct plan_missing - a pattern or place of which nothing is traced, though others are
 * @spec: what the user wrote
 * @why: why, and what to do: "main.go has no ..."
 */
struct plan_missing {
	const char *spec;
	const char *why;
};

struct group_by;
struct edit;
struct edit_pair;
struct filter_pair;

/**
 * struct plan_frame - arguments or results of a function as they come in a record
 * @values: what is in it; the item that operation GOPROBE_OP_TRY begins is an
 *	index of it
 * @nvalues: their number
 * @size: bytes in the record, before padding to 8
 * @plan: index in plan.plans, or GOPROBE_NO_PLAN
 * @unavailable: why there are no values at all (static string), or NULL
 * @has_dict: a generic function's dictionary pointer is in it too, at @dict
 * @dict: see @has_dict
 * @edit: what is changed, or NULL; its values are behind the others, from @first_edit on
 * @first_edit: see @edit
 * @dry_run: it is not changed, only shown
 * @has_goroutine: a struct plan_goroutine is in it too, at @goroutine
 * @goroutine: see @has_goroutine
 * @has_registers: the integer registers are in it too, as goreg_names has them, at @registers
 * @registers: see @has_registers
 * @stack: where the call stack is: goprobe_plan.stack
 * @nstack: the most addresses of it; 0: no call stack
 * @receiver: @values begin with the receiver, which nobody asked for by name
 */
struct plan_frame {
	const struct plan_value *values;
	size_t nvalues;
	uint32_t size;
	uint32_t plan;
	const char *unavailable;
	bool has_dict;
	uint32_t dict;
	const struct edit *edit;
	size_t first_edit;
	bool dry_run;
	bool has_goroutine;
	uint32_t goroutine;
	bool has_registers;
	uint32_t registers;
	uint32_t stack;
	uint32_t nstack;
	bool receiver;
};

/**
 * struct plan_goroutine - where the goroutine comes from; zeros: that is not known
 * @parent: id of the goroutine that started it
 * @pc: run-time address behind the call of the go statement
 */
struct plan_goroutine {
	uint64_t parent;
	uint64_t pc;
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

/**
 * struct plan_at - a single instruction that is traced
 * @vaddr: its link-time address
 * @file: its source file, or NULL
 * @line: its line, or 0
 * @inlined: the innermost function that it is code of, if that was inlined, or NULL
 * @begins: it is meant as the beginning of that function: a call of it
 * @unsure: a call of that may be missed there, or come there twice
 * @name: "main.foo+0x1f main.go:42"
 */
struct plan_at {
	uint64_t vaddr;
	const char *file;
	int line;
	const char *inlined;
	bool begins;
	bool unsure;
	const char *name;
};

/**
 * struct plan_copies - places that functions were inlined into, and that are not traced
 * @functions: how many functions have such places
 * @places: all of these
 * @name: of the first function
 * @coded: it has code of its own
 * @unsure: places that are traced, and where a call may be missed, or come twice
 */
struct plan_copies {
	size_t functions;
	uint64_t places;
	const char *name;
	bool coded;
	uint64_t unsure;
};

/**
 * struct plan_func - a function that is traced
 * @bin: binary
 * @fn: function
 * @at: only this instruction of it, and its values are in @call; or NULL
 * @sig: its signature
 * @id: index in plan.funcs; goprobe_point.id of all its points
 * @call: arguments
 * @ret: results
 * @abi0: its arguments are on the stack
 * @in_tls: g is at its points not in its register
 * @entry: how its entry is probed
 * @nrets: RET instructions
 * @ntails: jumps out of it
 * @refused: why it can't be probed (static string), or NULL
 * @action: enum goprobe_action of its points
 * @ends: where it ends is probed
 * @only_ends: and where it begins is not
 * @count_ends: it is counted by its durations: calls that ended as was asked for
 * @paired: GOPROBE_POINT_F_PAIRED
 * @held: GOPROBE_POINT_F_PENDING
 * @unwound: GOPROBE_POINT_F_UNWOUND
 * @key: what it is counted or timed by, or NULL
 * @keyed: it is counted or timed by @key, by stack, or by both
 * @around: nobody asked for it, but for what is called while it runs
 * @call_filter: id of the filter of its call; 0: none
 * @ret_filter: of its returns
 * @tail_filter: of jumps out of it
 * @call_edit: id of the filter that changes its calls; 0: none
 * @ret_edit: of its returns
 * @failed: which of its calls return an error; NULL: it returns none, or nobody asked
 * @errors: id of the hidden function that counts these; 0: none
 * @role: what its calls notify of
 * @hidden: it is traced for that alone: its calls are no events
 * @copies: places that it was inlined into, and that are not traced
 * @wraps: it is a wrapper that has the code of the method of this name, which was asked for,
 *	or NULL
 * @row: id of the function in whose row it is counted: its own, or of an inlined place that of the
 *	function that was inlined, or of the first place of that; copies_find() sets it
 */
struct plan_func {
	struct gobin *bin;
	const struct gofunc *fn;
	const struct plan_at *at;
	const struct gosig *sig;
	uint32_t id;
	struct plan_frame call;
	struct plan_frame ret;
	bool abi0;
	bool in_tls;
	enum plan_entry entry;
	uint32_t nrets;
	uint32_t ntails;
	const char *refused;
	uint8_t action;
	bool ends;
	bool only_ends;
	bool count_ends;
	bool paired;
	bool held;
	bool unwound;
	const struct group_by *key;
	bool keyed;
	bool around;
	uint32_t call_filter;
	uint32_t ret_filter;
	uint32_t tail_filter;
	uint32_t call_edit;
	uint32_t ret_edit;
	const struct filter_pair *failed;
	uint32_t errors;
	enum plan_role role;
	bool hidden;
	uint32_t copies;
	const char *wraps;
	uint32_t row;
};

/**
 * struct plan_points - points and dynamic types of one binary
 * @bin: binary
 * @v: its points, in the order they are to be added
 * @n: their number
 * @cap: capacity of @v
 * @dynamic: which wire types its descriptors and closures stand for
 * @ndynamic: their number
 * @dynamic_cap: capacity of @dynamic
 */
struct plan_points {
	struct gobin *bin;
	struct goprobe_point *v;
	size_t n;
	size_t cap;
	struct goprobe_dynamic *dynamic;
	size_t ndynamic;
	size_t dynamic_cap;
};

/**
 * struct plan - all that is to be traced
 * @action: plan_options.action
 * @inlined: plan_options.inlined
 * @sure_inlined: calls are counted alone, so what a plain name names is counted where it was
 *	inlined, too, as far as that is sure to be right
 * @rows: inlined places are in the row of their function: plan_func.row
 * @by: plan_options.by
 * @funcs: by id
 * @naround: of them, those that nobody asked for
 * @nhidden: of them, those that are hidden
 * @nshared: of them, those that are counted in the row of another one
 * @split: plan_options.split
 * @errors: plan_options.errors
 * @brief: plan_options.brief
 * @texts: of frames only strings and errors are followed
 * @secrets: plan_options.secrets
 * @wipes: the module wipes bytes of records: GOPROBE_REF_WIPE
 * @key_hashes: keys have strings, of which long ones are hashed
 * @types: wire type table; index is the session type id
 * @gotypes: for each wire type, the Go type it stands for, or NULL (frames)
 * @refs: references of @types
 * @plans: wire plans; index is the session plan id; goprobe_plan.piece counts
 *	from the start of @pieces
 * @pieces: pieces of @plans
 * @ops: operations of @plans; goprobe_plan.op counts from the start of it
 * @filters: which hits count; index is the session filter id less 1
 * @filter_ops: operations of @filters; goprobe_filter.op counts from the start of it
 * @edits: something is changed
 * @delays: calls are delayed
 * @held_bytes: goprobe_pending_limit.bytes: of the largest record of a call that is held; 0: no
 *	calls are held
 * @descendant: goroutine whose descendants are asked for; 0: none is
 * @unwinds: calls that panics end are reported
 * @copies: what of the functions that were asked for is not traced; copies_find() sets it
 * @missing: patterns of which nothing is traced; select_functions() sets it
 * @nmissing: their number
 * @files: points by binary; index is the session's file id
 */
struct plan {
	uint8_t action;
	bool inlined;
	bool sure_inlined;
	bool rows;
	const struct group_by_exprs *by;
	struct plan_func **funcs;
	size_t nfuncs;
	size_t naround;
	size_t nhidden;
	size_t nshared;
	bool split;
	bool errors;
	bool brief;
	bool texts;
	struct secret_list secrets;
	bool wipes;
	bool key_hashes;
	struct goprobe_type *types;
	const struct gotype **gotypes;
	size_t ntypes;
	struct goprobe_ref *refs;
	size_t nrefs;
	struct goprobe_plan *plans;
	size_t nplans;
	struct goprobe_piece *pieces;
	size_t npieces;
	struct goprobe_op *ops;
	size_t nops;
	struct goprobe_filter *filters;
	size_t nfilters;
	struct goprobe_op *filter_ops;
	size_t nfilter_ops;
	bool edits;
	bool delays;
	uint32_t held_bytes;
	uint64_t descendant;
	bool unwinds;
	struct plan_copies copies;
	struct plan_missing *missing;
	size_t nmissing;
	struct plan_points *files;
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

/**
 * struct plan_request - what is wanted of a function
 * @sig: its signature if the binary's own (gobin_sig()) is not to be used;
 *	must outlive the plan; or NULL
 * @call: what to capture when it is called; NULL: all arguments
 * @ret: what to capture when it returns; NULL: all results
 * @filter: which calls; NULL: all. Must outlive plan_finish()
 * @failed: which of these return an error; NULL: this is not counted. Must outlive the plan
 * @key: what they are counted or timed by, or NULL; must outlive the plan
 * @edit: what is changed of them, or NULL; must outlive the plan
 * @role: what it is traced for; then only at the points that the role needs
 * @wraps: plan_func.wraps
 * @why: of a single instruction: why it has no values (static string), if @call is NULL
 */
struct plan_request {
	const struct gosig *sig;
	const struct plan_capture *call;
	const struct plan_capture *ret;
	const struct filter_pair *filter;
	const struct filter_pair *failed;
	const struct group_by *key;
	const struct edit_pair *edit;
	enum plan_role role;
	const char *wraps;
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

/**
 * struct plan_notification - points with hits that notify the module of goroutines
 * @action: GOPROBE_ACTION_STATE, _JOIN, _PART or _UNWIND
 * @ret: where the function returns, not where it is called
 * @first: before what other points at these places do
 * @ops: they make the key
 * @nops: their number
 */
struct plan_notification {
	uint8_t action;
	bool ret;
	bool first;
	const struct goprobe_op *ops;
	size_t nops;
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
