// SPDX-License-Identifier: GPL-2.0
/* Breakpoints, and how the instructions below them are executed: lines of "list --points". */
#include <stdio.h>

#include "output/point_list.h"
#include "output/row.h"
#include "output/source_line.h"
#include "plan/survey.h"

static const struct column col_place = { NULL, "BREAKPOINT", 50 };
static const struct column col_kind = { "point", "KIND", 8 };
static const struct column col_insn = { "instruction", "INSTRUCTION", 40 };
static const struct column col_executed = { NULL, "HOW IT IS EXECUTED", 0 };

/* Bytes of an instruction. */
#define CODE_MAX 15

static const char *const hows[] = {
	[INSN_HOW_EMULATED] = "emulated",
	[INSN_HOW_CARRIED_OUT] = "carried_out",
	[INSN_HOW_STEPPED] = "stepped",
};

/* A point that is shown. */
struct reported {
	const struct gofunc *fn;	/* its function */
	/* "call", "return", "tail", "at" or "inlined"; "insn" of any instruction */
	const char *kind;
	const struct point_list_place *place;	/* of the last two, what is there; else NULL */
	const struct insn_point *at;	/* the point */
	const uint8_t *code;	/* its instruction */
	const char *why;	/* why that is single-stepped, if it is, or NULL */
	bool refused;	/* it can't get a breakpoint; @why */
	bool alone;	/* the function begins and ends there */
	const char *jumps;	/* what a jump can replace, or NULL: that is not shown */
	const char *no_jump;	/* why it can't, or NULL */
	const char *no_time;	/* of a call: why jumps can't time it, or NULL */
};

/* "; main.go:42" or "; main.add inlined in main.main main.go:42" */
static void place_text(struct buf *b, const struct point_list_place *p)
{
	if (!p)
		return;
	buf_str(b, "; ");
	if (p->inlined) {
		buf_str(b, p->inlined);
		buf_str(b, " inlined in ");
		buf_str(b, p->caller);
		buf_char(b, ' ');
	}
	if (p->file)
		source_line_text(b, p->file, p->line);
}

static void executed_text(struct buf *b, const struct reported *p)
{
	if (p->refused) {
		buf_str(b, "can't be probed: ");
		buf_str(b, p->why);
	} else if (p->at->how == INSN_HOW_EMULATED) {
		buf_str(b, "emulated by the kernel");
	} else if (!p->why) {
		buf_str(b, "carried out by goprobe");
	} else {
		buf_str(b, "single-stepped: ");
		buf_str(b, p->why);
	}
	if (p->alone)
		buf_str(b, "; the function is this instruction alone, and can't be timed");
	if (p->jumps) {
		buf_str(b, p->no_jump ? "; always a trap: " : "; --trapless makes ");
		buf_str(b, p->no_jump ? p->no_jump : p->jumps);
		buf_str(b, p->no_jump ? "" : " a jump");
	}
	if (p->no_time && p->no_time != p->no_jump) {
		buf_str(b, "; timed with traps: ");
		buf_str(b, p->no_time);
	}
	place_text(b, p->place);
}

static void place_json(struct buf *b, const struct reported *p)
{
	const struct point_list_place *at = p->place;

	json_hex(b, "address", p->fn->entry + p->at->at);
	if (at->inlined) {
		json_str(b, "inlined", at->inlined);
		json_str(b, "caller", at->caller);
	}
	source_line_json(b, at->file, at->line);
}

static void executed_json(struct buf *b, const struct reported *p)
{
	if (!p->refused)
		json_str(b, "executed", hows[p->why ? INSN_HOW_STEPPED : p->at->how]);
	if (p->why)
		json_str(b, p->refused ? "refused" : "why", p->why);
	json_flag(b, "alone", p->alone);
	json_flag(b, "jump", p->jumps && !p->no_jump);
	if (p->no_jump)
		json_str(b, "no_jump", p->no_jump);
	if (p->no_time)
		json_str(b, "no_time", p->no_time);
	if (p->place)
		place_json(b, p);
}

static void code_json(struct buf *b, const struct reported *p)
{
	char hex[2 * CODE_MAX + 1] = "";

	json_u64(b, "offset", p->at->at);
	for (size_t i = 0; i < p->at->len; i++)
		snprintf(hex + 2 * i, 3, "%02x", p->code[i]);
	if (p->at->len)
		json_str(b, "code", hex);
}

static void put(struct row *r, const struct reported *p)
{
	char insn[INSN_TEXT_MAX];

	row_begin(r, "point");
	if (row_is_json(r)) {
		json_str(r->b, "func", p->fn->name);
	} else if (row_cell(r, &col_place)) {
		buf_str(r->b, p->fn->name);
		buf_char(r->b, '+');
		buf_hex(r->b, p->at->at);
	}
	row_str(r, &col_kind, p->kind);
	if (row_is_json(r))
		code_json(r->b, p);
	if (p->at->len) {
		insn_text(p->code, p->at->len, p->fn->entry + p->at->at, insn);
		row_str(r, &col_insn, insn);
	} else {
		row_none(r, &col_insn);
	}
	if (row_is_json(r))
		executed_json(r->b, p);
	else if (row_cell(r, &col_executed))
		executed_text(r->b, p);
	row_end(r);
}

void point_list_header(struct buf *b)
{
	static const struct gofunc no_fn = { .name = "" };
	static const struct insn_point none;
	struct row r = { .b = b, .mode = ROW_HEADS };

	put(&r, &(struct reported){ .fn = &no_fn, .kind = "", .at = &none });
}

/* What is the same for all points of a function. */
struct lister {
	struct row row;	/* where lines go */
	const struct gofunc *fn;	/* the function */
	const uint8_t *code;	/* its code */
	enum point_list_ability ability;	/* of the module */
	struct point_list_total *total;	/* what is counted */
	bool alone;	/* insn_is_alone() */
};

static struct lister lister(struct buf *b, const struct gofunc *fn, enum point_list_ability ability,
			    struct point_list_total *total, bool json)
{
	return (struct lister){
		.row = { .b = b, .mode = row_mode(json) }, .fn = fn, .ability = ability,
		.total = total,
	};
}

static void put_one(struct lister *l, struct reported *p)
{
	const struct insn_point *at = p->at;

	l->total->n[at->how]++;
	if (at->how == INSN_HOW_STEPPED)
		p->why = insn_why_stepped(p->code, at->len);
	else if (at->how == INSN_HOW_CARRIED_OUT && l->ability == POINT_LIST_UNABLE)
		p->why = "goprobe can't carry it out on this kernel";
	put(&l->row, p);
}

static void one(struct lister *l, const char *kind, const struct point_list_place *place,
		const struct insn_point *at)
{
	struct reported p = {
		.fn = l->fn, .kind = kind, .place = place, .at = at, .code = l->code + at->at,
		.alone = l->alone,
	};

	put_one(l, &p);
}

static void put_call(struct lister *l, const struct insn_scan *scan)
{
	struct reported p = {
		.fn = l->fn, .kind = "call", .at = &scan->call, .code = l->code + scan->call.at,
		.alone = l->alone, .jumps = "it", .no_jump = scan->no_jump,
		.no_time = scan->no_time,
	};

	put_one(l, &p);
}

static void put_return(struct lister *l, const struct insn_scan *scan, size_t i)
{
	struct reported p = {
		.fn = l->fn, .kind = "return", .at = &scan->rets[i],
		.code = l->code + scan->rets[i].at, .alone = l->alone,
		.jumps = "its epilogue", .no_jump = scan->exits[i].no_jump,
	};

	put_one(l, &p);
}

void point_list_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			 enum point_list_ability ability, struct point_list_total *total, bool json)
{
	struct lister l = lister(b, fn, ability, total, json);
	struct plan_func info;
	struct insn_scan scan;

	plan_survey_points(bin, fn, &info, &scan);
	l.alone = insn_is_alone(&scan);
	if (!info.refused)
		l.code = gobin_code(bin, fn->entry, fn->end - fn->entry);
	if (l.code) {
		total->funcs++;
		put_call(&l, &scan);
		for (size_t i = 0; i < scan.nrets; i++)
			put_return(&l, &scan, i);
		for (size_t i = 0; i < scan.ntails; i++)
			one(&l, "tail", NULL, &scan.tails[i]);
	} else {
		total->refused++;
	}
	insn_scan_fini(&scan);
}

const char *point_list_place(struct buf *b, const struct point_list_place *place,
			     enum point_list_ability ability, struct point_list_total *total,
			     bool json)
{
	const struct gofunc *fn = place->at.fn;
	struct point_list_total none = { 0 };
	struct lister l = lister(b, fn, ability, place->inlined ? &none : total, json);
	struct insn_point at;
	const char *why = plan_survey_at(&place->at, &at);

	if (!why)
		l.code = gobin_code(place->at.bin, fn->entry, fn->end - fn->entry);
	if (l.code)
		one(&l, place->inlined ? "inlined" : "at", place, &at);
	return why;
}

/* The instructions of a function being listed. */
struct insns {
	struct lister l;	/* how */
	struct gobin *bin;	/* its binary */
};

static int list_insn(void *ctx, const struct insn_point *at, const char *why)
{
	struct insns *i = ctx;
	struct lister *l = &i->l;
	struct point_list_place place = { .at = { .fn = l->fn } };
	struct reported p = {
		.fn = l->fn, .kind = "insn", .place = &place, .at = at, .code = l->code + at->at,
		.why = why, .refused = true,
	};
	struct goline line;

	if (gobin_line(i->bin, l->fn->entry + at->at, &line)) {
		place.file = line.file;
		place.line = line.line;
	}
	if (!why) {
		one(l, "insn", &place, at);
		return 0;
	}
	l->total->no_insns++;
	put(&l->row, &p);
	return 0;
}

void point_list_instructions(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			     enum point_list_ability ability, struct point_list_total *total,
			     bool json)
{
	struct insns i = {
		.l = lister(b, fn, ability, total, json), .bin = bin,
	};

	i.l.code = gobin_code(bin, fn->entry, fn->end - fn->entry);
	if (!i.l.code || plan_survey_insns(bin, fn, list_insn, &i))
		total->refused++;
	else
		total->funcs++;
}

void point_list_instruction(struct buf *b, const struct point_list_place *place,
			    enum point_list_ability ability, struct point_list_total *total,
			    bool json)
{
	const struct gofunc *fn = place->at.fn;
	struct lister l = lister(b, fn, ability, total, json);
	struct insn_point at;
	const char *why = plan_survey_at(&place->at, &at);
	struct reported p = {
		.fn = fn, .kind = "insn", .place = place, .at = &at, .refused = true,
	};

	l.code = gobin_code(place->at.bin, fn->entry, fn->end - fn->entry);
	if (!l.code) {
		why = why ? why : "its code can't be read";
		at.len = 0;
	} else if (!why) {
		one(&l, "insn", place, &at);
		return;
	}
	/* Nothing may begin there: no instruction is shown then. */
	at.at = (uint32_t)(place->at.vaddr - fn->entry);
	p.code = at.len ? l.code + at.at : NULL;
	p.why = why;
	total->no_insns++;
	put(&l.row, &p);
}

static void end_json(struct buf *b, const struct point_list_total *t,
		     enum point_list_ability ability)
{
	static const char *const able[] = {
		[POINT_LIST_NOT_ASKED] = "null",
		[POINT_LIST_UNABLE] = "false",
		[POINT_LIST_ABLE] = "true",
	};

	json_line(b, "points");
	json_u64(b, "functions", t->funcs);
	json_u64(b, "refused", t->refused);
	for (size_t i = 0; i <= INSN_HOW_EMULATED; i++)
		json_u64(b, hows[INSN_HOW_EMULATED - i], t->n[INSN_HOW_EMULATED - i]);
	json_raw(b, "able", able[ability]);
	json_end_line(b);
}

/* @part of @all; all of none is 100 %. */
static void share(struct buf *b, size_t part, size_t all)
{
	row_share(b, all ? part : 1, all ? all : 1);
}

void point_list_end(struct buf *b, const struct point_list_total *t,
		    enum point_list_ability ability, bool json)
{
	size_t emulated = t->n[INSN_HOW_EMULATED];
	size_t able = emulated + t->n[INSN_HOW_CARRIED_OUT];
	size_t all = able + t->n[INSN_HOW_STEPPED];

	if (json) {
		end_json(b, t, ability);
		return;
	}
	row_count(b, all, "point");
	/* Single places are of no function. */
	if (t->funcs || !all) {
		buf_str(b, " in ");
		row_count(b, t->funcs, "function");
	}
	if (t->refused) {
		buf_number(b, " (", t->refused);
		buf_str(b, " more can't be probed)");
	}
	buf_number(b, ": ", emulated);
	buf_number(b, " emulated by the kernel, ", t->n[INSN_HOW_CARRIED_OUT]);
	buf_number(b, ability == POINT_LIST_UNABLE ? " that goprobe could carry out, " :
		   " carried out by goprobe, ", t->n[INSN_HOW_STEPPED]);
	buf_str(b, " single-stepped\nwithout a single-step: ");
	share(b, ability == POINT_LIST_UNABLE ? emulated : able, all);
	buf_str(b, ability == POINT_LIST_UNABLE ? "; where goprobe carries out instructions " :
		"; where goprobe can't carry out instructions ");
	share(b, ability == POINT_LIST_UNABLE ? able : emulated, all);
	buf_char(b, '\n');
}
