// SPDX-License-Identifier: GPL-2.0
/* Formats of graph that show many call trees as one. */
#include <stdlib.h>

#include "base/json.h"
#include "gotype/shown_name.h"
#include "output/folded.h"
#include "output/profile_print.h"
#include "output/row.h"
#include "output/screen.h"

static const struct column col_self = { "self_ns", "SELF", -10 };
static const struct column col_share = { NULL, "SELF %", -9 };
static const struct column col_total = { "sum_ns", "TOTAL", -10 };
static const struct column col_calls = { "calls", "CALLS", -10 };
static const struct column col_func = { "func", "FUNCTION", 0 };

void profile_tree(struct graph *g, const struct calltree_root *r)
{
	profile_add(&g->profile, r->call);
}

static const char *name_of(const struct graph *g, uint32_t fn)
{
	return g->plan->funcs[fn]->fn->name;
}

/* --- one tree -------------------------------------------------------- */

/* Lines from the first column to the function: "│  ├─ ". */
static void put_lines(struct buf *b, const struct profile_node *node, bool innermost)
{
	/* First calls stand below no other. */
	if (!node->parent || !node->parent->parent)
		return;
	put_lines(b, node->parent, false);
	screen_branch(b, innermost, node->next);
}

/* "main.root","main.leaf": outermost first. */
static void put_path(const struct graph *g, const struct profile_node *node, struct buf *b)
{
	if (!node->parent)
		return;
	put_path(g, node->parent, b);
	json_element(b);
	quote_json_str(b, name_of(g, node->fn));
}

static void put_function(const struct graph *g, const struct profile_node *node, struct row *r)
{
	struct buf *b = r->b, name = { 0 };

	if (row_is_json(r)) {
		json_raw(b, "path", "[");
		put_path(g, node, b);
		buf_char(b, ']');
		json_flag(b, "started", node->started);
	} else if (row_cell(r, &col_func)) {
		put_lines(b, node, true);
		buf_str(b, node->started ? "go " : "");
		shown_name_put(&name, name_of(g, node->fn));
		buf_char(&name, 0);
		row_name(r, name.failed ? name_of(g, node->fn) : name.p);
		buf_fini(&name);
	}
}

static void put_node(const struct graph *g, const struct profile_node *node, struct row *r)
{
	bool timed = node->untimed < node->calls;

	row_begin(r, "call_path");
	row_ns(r, &col_total, timed, node->total_ns);
	row_ns(r, &col_self, timed, node->self_ns);
	row_u64(r, &col_calls, node->calls);
	if (row_is_json(r) && node->untimed)
		json_u64(r->b, "untimed", node->untimed);
	put_function(g, node, r);
	row_end(r);
}

static void merged_header(struct output *o)
{
	static const struct profile_node none;

	put_node(graph_of(o), &none, &(struct row){ .b = &o->buf, .mode = ROW_HEADS });
}

static void put_nodes(struct graph *g, enum row_mode mode)
{
	struct row r = { .b = &g->out.buf, .mode = mode };

	profile_sort(&g->profile);
	for (const struct profile_node *node = g->profile.top.child; node;
	     node = profile_next(node))
		put_node(g, node, &r);
}

static void merged_text_finish(struct graph *g)
{
	put_nodes(g, ROW_TEXT);
}

static void merged_json_finish(struct graph *g)
{
	put_nodes(g, ROW_JSON);
}

/* --- functions ------------------------------------------------------- */

static void put_func(const struct profile_func *f, uint64_t self, const char *name, struct row *r)
{
	bool timed = f->untimed < f->calls;

	row_begin(r, "function_time");
	row_ns(r, &col_self, timed, f->self_ns);
	if (row_cell(r, &col_share))
		row_share(r->b, f->self_ns, self);
	row_ns(r, &col_total, timed, f->total_ns);
	row_u64(r, &col_calls, f->calls);
	if (row_is_json(r) && f->untimed)
		json_u64(r->b, "untimed", f->untimed);
	row_func(r, &col_func, name);
	row_end(r);
}

static void flat_header(struct output *o)
{
	put_func(&(struct profile_func){ 0 }, 0, "",
		 &(struct row){ .b = &o->buf, .mode = ROW_HEADS });
}

static void put_funcs(struct graph *g, enum row_mode mode)
{
	struct row r = { .b = &g->out.buf, .mode = mode };
	struct shown_names names = { 0 };
	struct profile_func *v;
	uint64_t self = 0;
	size_t n;

	v = profile_flat(&g->profile, g->plan->nfuncs, &n);
	g->out.buf.failed |= !v;
	for (size_t i = 0; i < n; i++) {
		self += v[i].self_ns;
		shown_names_add(&names, name_of(g, v[i].fn));
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = name_of(g, v[i].fn);

		put_func(&v[i], self, row_is_json(&r) ? name : shown_names_get(&names, name), &r);
	}
	shown_names_fini(&names);
	free(v);
}

static void flat_text_finish(struct graph *g)
{
	put_funcs(g, ROW_TEXT);
}

static void flat_json_finish(struct graph *g)
{
	put_funcs(g, ROW_JSON);
}

/* --- stacks ---------------------------------------------------------- */

static void put_stack(const struct graph *g, const struct profile_node *node, struct buf *b)
{
	size_t at;

	if (!node->parent)
		return;
	put_stack(g, node->parent, b);
	if (node->parent->parent)
		buf_char(b, ';');
	at = b->len;
	buf_str(b, name_of(g, node->fn));
	folded_clean(b, at);
}

void profile_folded(const struct graph *g, struct buf *b)
{
	for (const struct profile_node *node = g->profile.top.child; node;
	     node = profile_next(node)) {
		if (!node->self_ns)
			continue;
		put_stack(g, node, b);
		buf_number(b, " ", node->self_ns);
		buf_char(b, '\n');
	}
}

static void folded_finish(struct graph *g)
{
	profile_folded(g, &g->out.buf);
}

#define TEXT_FORMAT \
	.name = "text", GRAPH_EVENTS, .lost = graph_text_lost, .summary = graph_text_summary
#define JSON_FORMAT \
	.name = "json", GRAPH_EVENTS, .header = graph_no_header, .lost = graph_json_lost, \
	.summary = graph_json_summary

const struct graph_format merged_text = {
	.out = { TEXT_FORMAT, .header = merged_header },
	.tree = profile_tree, .finish = merged_text_finish,
};

const struct graph_format merged_json = {
	.out = { JSON_FORMAT }, .tree = profile_tree, .finish = merged_json_finish,
};

const struct graph_format flat_text = {
	.out = { TEXT_FORMAT, .header = flat_header },
	.tree = profile_tree, .finish = flat_text_finish,
};

const struct graph_format flat_json = {
	.out = { JSON_FORMAT }, .tree = profile_tree, .finish = flat_json_finish,
};

const struct graph_format graph_folded = {
	.out = {
		.name = "folded", GRAPH_EVENTS, .header = graph_no_header,
		.lost = graph_no_lost, .summary = graph_text_summary,
	},
	.tree = profile_tree, .finish = folded_finish,
};
