// SPDX-License-Identifier: GPL-2.0
/* Variables that can be seen at places in the code, and where they are. */
#include "compile/scope.h"
#include "gotype/shown_name.h"
#include "output/row.h"
#include "output/screen.h"
#include "output/source_line.h"
#include "output/variable_list.h"
#include "value/decode.h"
#include "x86/regs.h"

static const struct column col_name = { "name", "VARIABLE", 16 };
static const struct column col_type = { "type", "TYPE", 24 };
static const struct column col_where = { NULL, "WHERE", 44 };
static const struct column col_place = { NULL, "PLACE", 0 };

/* A variable that is shown. */
struct variable {
	const struct place *at;	/* the place in the code */
	const struct goline *line;	/* its line */
	const struct goparam *param;	/* name and type; @param->unavailable: why it is nowhere */
	const struct scope_place *place;	/* where it is */
	bool outer;		/* it is of a call that the innermost one was inlined into */
};

static const char *register_name(uint8_t reg)
{
	for (size_t i = 0; i < REGS_NAMES; i++)
		if (goreg_names[i].reg == reg)
			return goreg_names[i].name + 1;
	return "?";
}

static bool is_partly(const struct variable *v)
{
	const struct scope_place *p = v->place;

	return !p->memory && !p->moved &&
	       !scope_covers(p->parts, p->nparts, 0, v->param->type);
}

/* --- text ------------------------------------------------------------ */

/* "stack-16"; @at counts from the return address, where SP is at the function's entry. */
static void stack_text(struct buf *b, int64_t at)
{
	buf_str(b, at < 0 ? "stack" : "stack+");
	buf_i64(b, at);
}

static void parts_text(struct buf *b, const struct scope_place *p)
{
	bool any = false;

	for (size_t i = 0; i < p->nparts; i++) {
		/* The capacity of a slice; it is not there, and the length stands for it. */
		if (p->parts[i].guessed)
			continue;
		buf_str(b, any ? ", " : "");
		any = true;
		if (p->parts[i].on_stack)
			stack_text(b, p->parts[i].stack);
		else
			buf_str(b, register_name(p->parts[i].reg));
	}
}

static void where_text(struct buf *b, const struct variable *v)
{
	const struct scope_place *p = v->place;

	if (v->param->unavailable) {
		buf_str(b, v->param->unavailable);
		return;
	}
	buf_str(b, p->moved ? "heap, by a pointer in " : "");
	if (!p->memory) {
		parts_text(b, p);
	} else if (p->is_static) {
		buf_str(b, "memory at ");
		buf_hex(b, (uint64_t)p->at);
	} else {
		stack_text(b, p->at);
	}
	buf_str(b, is_partly(v) ? "; the rest is optimized out here" : "");
	buf_str(b, v->outer ? "; of a caller" : "");
}

/* main.foo+0x1f main.go:42 */
static void place_text(struct buf *b, const struct variable *v)
{
	shown_name_put(b, v->at->fn->name);
	buf_char(b, '+');
	buf_hex(b, v->at->vaddr - v->at->fn->entry);
	if (!v->line->file)
		return;
	buf_char(b, ' ');
	source_line_text(b, screen_path(v->line->file), v->line->line);
}

/* --- JSON ------------------------------------------------------------ */

static void part_json(struct buf *b, const struct abi_part *part)
{
	json_element(b);
	buf_char(b, '{');
	json_u64(b, "offset", part->at);
	json_u64(b, "size", part->size);
	if (part->on_stack) {
		json_key(b, "stack");
		buf_i64(b, part->stack);
	} else {
		json_str(b, "register", register_name(part->reg));
	}
	buf_char(b, '}');
}

static void where_json(struct buf *b, const struct variable *v)
{
	const struct scope_place *p = v->place;

	if (v->param->unavailable) {
		json_str(b, "unavailable", v->param->unavailable);
		return;
	}
	json_flag(b, "moved", p->moved);
	if (p->memory && p->is_static) {
		json_hex(b, "memory", (uint64_t)p->at);
	} else if (p->memory) {
		json_key(b, "stack");
		buf_i64(b, p->at);
	} else {
		json_raw(b, "parts", "[");
		for (size_t i = 0; i < p->nparts; i++)
			if (!p->parts[i].guessed)
				part_json(b, &p->parts[i]);
		buf_char(b, ']');
	}
	json_flag(b, "partly", is_partly(v));
}

static void place_json(struct buf *b, const struct variable *v)
{
	json_str(b, "func", v->at->fn->name);
	json_u64(b, "offset", v->at->vaddr - v->at->fn->entry);
	json_hex(b, "address", v->at->vaddr);
	source_line_json(b, v->line->file, v->line->line);
}

/* --- rows ------------------------------------------------------------ */

static void put(struct row *r, const struct variable *v)
{
	const char *name = v->param->type ? value_type_name(v->param->type) : "?";

	row_begin(r, "variable");
	if (row_is_json(r))
		place_json(r->b, v);
	row_str(r, &col_name, v->param->name);
	if (row_is_json(r))
		json_str(r->b, col_type.key, name);
	else if (row_cell(r, &col_type))
		shown_name_put_text(r->b, name);
	if (row_is_json(r)) {
		where_json(r->b, v);
		json_flag(r->b, "outer", v->outer);
	} else {
		if (row_cell(r, &col_where))
			where_text(r->b, v);
		if (row_cell(r, &col_place))
			place_text(r->b, v);
	}
	row_end(r);
}

/* Nothing is known there: a row without a variable says why. */
static void put_unknown(struct row *r, struct variable *v, const char *why)
{
	if (!row_is_json(r)) {
		v->param = &(struct goparam){ .name = "-", .unavailable = why };
		put(r, v);
		return;
	}
	row_begin(r, "variable");
	place_json(r->b, v);
	json_str(r->b, "name", NULL);
	json_str(r->b, "unavailable", why);
	row_end(r);
}

void variable_list_header(struct buf *b)
{
	static const struct goparam none = { .name = "" };

	put(&(struct row){ .b = b, .mode = ROW_HEADS }, &(struct variable){ .param = &none });
}

int variable_list_put(const struct place *place, bool json, struct buf *b)
{
	struct row r = { .b = b, .mode = row_mode(json) };
	struct arena mem = { 0 };
	const struct goscope *s = scope_make(place->bin, place->fn, place->vaddr, NULL, &mem);
	struct goline line = { 0 };
	struct variable v = { .at = place, .line = &line };

	if (s && !gobin_line(place->bin, place->vaddr, &line))
		line.file = NULL;
	if (s && s->sig.incomplete)
		put_unknown(&r, &v, s->sig.incomplete);
	else if (s && !s->sig.nparams)
		put_unknown(&r, &v, "no variable is in scope");
	for (size_t i = 0; s && !s->sig.incomplete && i < s->sig.nparams; i++) {
		v.param = &s->sig.params[i];
		v.place = &s->places[i];
		v.outer = i >= s->own;
		put(&r, &v);
	}
	arena_fini(&mem);
	return s ? 0 : -1;
}
