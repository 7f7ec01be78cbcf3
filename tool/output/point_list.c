// SPDX-License-Identifier: GPL-2.0
/* Lines of "goprobectl list --points": breakpoints, and how what they cover is executed. */
#include "plan/plan.h"
#include "base/printable.h"
#include "output/point_list.h"

#define PLACE_WIDTH 50
#define KIND_WIDTH 8
#define INSN_WIDTH 40

static const char *const hows[] = {
	[INSN_HOW_EMULATED] = "emulated",
	[INSN_HOW_CARRIED_OUT] = "carried_out",
	[INSN_HOW_STEPPED] = "stepped",
};

/**
 * struct shown - a point that is shown
 * @fn: its function
 * @kind: "call", "return", "tail", "at" or "inlined"; "insn" of any instruction
 * @place: of the last two, what is there; else NULL
 * @at: the point
 * @code: its instruction
 * @why: why that is single-stepped, if it is, or NULL
 * @refused: it can't get a breakpoint; @why
 * @alone: the function begins and ends there
 */
struct shown {
	const struct gofunc *fn;
	const char *kind;
	const struct points_place *place;
	const struct insn_point *at;
	const uint8_t *code;
	const char *why;
	bool refused;
	bool alone;
};

void points_header(struct buf *b)
{
	size_t start = b->len;

	buf_str(b, "POINT");
	buf_pad(b, start, PLACE_WIDTH);
	start = b->len;
	buf_str(b, "KIND");
	buf_pad(b, start, KIND_WIDTH);
	start = b->len;
	buf_str(b, "INSTRUCTION");
	buf_pad(b, start, INSN_WIDTH);
	buf_str(b, "EXECUTED\n");
}

static void executed(struct buf *b, const struct shown *p)
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
}

/* "; main.go:42" or "; main.add inlined in main.main main.go:42" */
static void place_text(struct buf *b, const struct points_place *p)
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
	if (p->file) {
		buf_str(b, p->file);
		buf_char(b, ':');
		buf_i64(b, p->line);
	}
}

static void text(struct buf *b, const struct shown *p)
{
	char insn[INSN_TEXT_MAX];
	size_t start = b->len;

	buf_str(b, p->fn->name);
	buf_char(b, '+');
	buf_hex(b, p->at->at);
	buf_pad(b, start, PLACE_WIDTH);
	start = b->len;
	buf_str(b, p->kind);
	buf_pad(b, start, KIND_WIDTH);
	start = b->len;
	if (p->at->len)
		insn_text(p->code, p->at->len, p->fn->entry + p->at->at, insn);
	buf_str(b, p->at->len ? insn : "-");
	buf_pad(b, start, INSN_WIDTH);
	executed(b, p);
	if (p->alone)
		buf_str(b, "; the function is this instruction alone, and can't be timed");
	place_text(b, p->place);
	buf_char(b, '\n');
}

static void place_json(struct buf *b, const struct shown *p)
{
	const struct points_place *at = p->place;

	if (!at)
		return;
	buf_json_key(b, "address");
	buf_char(b, '"');
	buf_hex(b, p->fn->entry + p->at->at);
	buf_char(b, '"');
	if (at->inlined) {
		buf_json_key(b, "inlined");
		buf_json_str(b, at->inlined);
		buf_json_key(b, "caller");
		buf_json_str(b, at->caller);
	}
	if (at->file) {
		buf_json_key(b, "file");
		buf_json_str(b, at->file);
		buf_json_key(b, "line");
		buf_i64(b, at->line);
	}
}

static void insn_json(struct buf *b, const struct shown *p)
{
	static const char digits[] = "0123456789abcdef";
	char insn[INSN_TEXT_MAX];

	buf_json_key(b, "code");
	buf_char(b, '"');
	for (size_t i = 0; i < p->at->len; i++) {
		buf_char(b, digits[p->code[i] >> 4]);
		buf_char(b, digits[p->code[i] & 15]);
	}
	buf_char(b, '"');
	buf_json_key(b, "instruction");
	insn_text(p->code, p->at->len, p->fn->entry + p->at->at, insn);
	buf_json_str(b, insn);
}

static void json(struct buf *b, const struct shown *p)
{
	buf_str(b, "{\"kind\":\"point\",\"func\":");
	buf_json_str(b, p->fn->name);
	buf_json_key(b, "point");
	buf_json_str(b, p->kind);
	buf_json_key(b, "offset");
	buf_u64(b, p->at->at);
	if (p->at->len)
		insn_json(b, p);
	if (!p->refused) {
		buf_json_key(b, "executed");
		buf_json_str(b, hows[p->why ? INSN_HOW_STEPPED : p->at->how]);
	}
	if (p->why) {
		buf_json_key(b, p->refused ? "refused" : "why");
		buf_json_str(b, p->why);
	}
	if (p->alone) {
		buf_json_key(b, "alone");
		buf_str(b, "true");
	}
	place_json(b, p);
	buf_str(b, "}\n");
}

/**
 * struct lister - what is the same for all points of a function
 * @b: where lines go
 * @fn: the function
 * @code: its code
 * @ability: of the module
 * @total: what is counted
 * @json: in JSON
 * @alone: insn_is_alone()
 */
struct lister {
	struct buf *b;
	const struct gofunc *fn;
	const uint8_t *code;
	enum points_ability ability;
	struct points_total *total;
	bool json;
	bool alone;
};

static void one(const struct lister *l, const char *kind, const struct points_place *place,
		const struct insn_point *at)
{
	struct shown p = { l->fn, kind, place, at, l->code + at->at, NULL, false, l->alone };

	l->total->n[at->how]++;
	if (at->how == INSN_HOW_STEPPED)
		p.why = insn_why_stepped(p.code, at->len);
	else if (at->how == INSN_HOW_CARRIED_OUT && l->ability == POINTS_UNABLE)
		p.why = "goprobe can't carry it out on this kernel";
	if (l->json)
		json(l->b, &p);
	else
		text(l->b, &p);
}

void points_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
		     enum points_ability ability, struct points_total *total, bool json)
{
	struct lister l = { b, fn, NULL, ability, total, json, false };
	struct plan_func info;
	struct insn_scan scan;

	plan_survey_points(bin, fn, &info, &scan);
	l.alone = insn_is_alone(&scan);
	if (!info.refused)
		l.code = gobin_code(bin, fn->entry, fn->end - fn->entry);
	if (l.code) {
		total->funcs++;
		one(&l, "call", NULL, &scan.call);
		for (size_t i = 0; i < scan.nrets; i++)
			one(&l, "return", NULL, &scan.rets[i]);
		for (size_t i = 0; i < scan.ntails; i++)
			one(&l, "tail", NULL, &scan.tails[i]);
	} else {
		total->refused++;
	}
	insn_scan_fini(&scan);
}

const char *points_place(struct buf *b, const struct points_place *place,
			 enum points_ability ability, struct points_total *total, bool json)
{
	const struct gofunc *fn = place->at.fn;
	struct points_total none = { 0 };
	struct lister l = { b, fn, NULL, ability, place->inlined ? &none : total, json, false };
	struct insn_point at;
	const char *why = plan_survey_at(&place->at, &at);

	if (!why)
		l.code = gobin_code(place->at.bin, fn->entry, fn->end - fn->entry);
	if (l.code)
		one(&l, place->inlined ? "inlined" : "at", place, &at);
	return why;
}

/**
 * struct insns - the instructions of a function being listed
 * @l: how
 * @bin: its binary
 */
struct insns {
	struct lister l;
	struct gobin *bin;
};

static int list_insn(void *ctx, const struct insn_point *at, const char *why)
{
	struct insns *i = ctx;
	struct lister *l = &i->l;
	struct points_place place = { .at = { .fn = l->fn } };
	struct shown p = { l->fn, "insn", &place, at, l->code + at->at, why, true, false };
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
	if (l->json)
		json(l->b, &p);
	else
		text(l->b, &p);
	return 0;
}

void points_instructions(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			 enum points_ability ability, struct points_total *total, bool json)
{
	struct insns i = {
		.l = { b, fn, NULL, ability, total, json, false }, .bin = bin,
	};

	i.l.code = gobin_code(bin, fn->entry, fn->end - fn->entry);
	if (!i.l.code || plan_survey_insns(bin, fn, list_insn, &i))
		total->refused++;
	else
		total->funcs++;
}

void points_instruction(struct buf *b, const struct points_place *place,
			enum points_ability ability, struct points_total *total, bool in_json)
{
	const struct gofunc *fn = place->at.fn;
	struct lister l = { b, fn, NULL, ability, total, in_json, false };
	struct insn_point at;
	const char *why = plan_survey_at(&place->at, &at);
	struct shown p = { fn, "insn", place, &at, NULL, NULL, true, false };

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
	if (in_json)
		json(b, &p);
	else
		text(b, &p);
}

/* "97.3 %" of @all, rounded down: 100.0 is all of them. */
static void share(struct buf *b, size_t part, size_t all)
{
	size_t tenths = all ? part * 1000 / all : 1000;

	buf_u64(b, tenths / 10);
	buf_char(b, '.');
	buf_u64(b, tenths % 10);
	buf_str(b, " %");
}

static void counted(struct buf *b, size_t n, const char *what)
{
	buf_u64(b, n);
	buf_char(b, ' ');
	buf_str(b, what);
}

static void end_json(struct buf *b, const struct points_total *t, enum points_ability ability)
{
	static const char *const able[] = {
		[POINTS_NOT_ASKED] = "null", [POINTS_UNABLE] = "false", [POINTS_ABLE] = "true",
	};

	buf_str(b, "{\"kind\":\"points\",\"functions\":");
	buf_u64(b, t->funcs);
	buf_json_key(b, "refused");
	buf_u64(b, t->refused);
	for (size_t i = 0; i <= INSN_HOW_EMULATED; i++) {
		buf_json_key(b, hows[INSN_HOW_EMULATED - i]);
		buf_u64(b, t->n[INSN_HOW_EMULATED - i]);
	}
	buf_json_key(b, "able");
	buf_str(b, able[ability]);
	buf_str(b, "}\n");
}

void points_end(struct buf *b, const struct points_total *t, enum points_ability ability,
		bool json)
{
	size_t emulated = t->n[INSN_HOW_EMULATED];
	size_t able = emulated + t->n[INSN_HOW_CARRIED_OUT];
	size_t all = able + t->n[INSN_HOW_STEPPED];

	if (json) {
		end_json(b, t, ability);
		return;
	}
	counted(b, all, all == 1 ? "point" : "points");
	/* Single places are of no function. */
	if (t->funcs || !all) {
		buf_str(b, " in ");
		counted(b, t->funcs, t->funcs == 1 ? "function" : "functions");
	}
	if (t->refused) {
		buf_str(b, " (");
		counted(b, t->refused, "more can't be probed)");
	}
	buf_str(b, ": ");
	counted(b, emulated, "emulated by the kernel, ");
	counted(b, t->n[INSN_HOW_CARRIED_OUT], ability == POINTS_UNABLE ?
		"that goprobe could carry out, " : "carried out by goprobe, ");
	counted(b, t->n[INSN_HOW_STEPPED], "single-stepped\nwithout a single-step: ");
	share(b, ability == POINTS_UNABLE ? emulated : able, all);
	buf_str(b, ability == POINTS_UNABLE ? "; where goprobe carries out instructions " :
		"; where goprobe can't carry out instructions ");
	share(b, ability == POINTS_UNABLE ? able : emulated, all);
	buf_char(b, '\n');
}
