// SPDX-License-Identifier: GPL-2.0
/* Lists of goroutines as text and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "output/goroutine_list.h"
#include "output/row.h"
#include "output/stack_print.h"

/* A goroutine. */
struct goroutine_list_row {
	uint64_t goid;			/* its id */
	uint64_t parent;		/* id of the goroutine that made it, or 0 */
	uint64_t waited;		/* ns, at least; 0: not known */
	const char *status;		/* "waiting", or NULL */
	const char *reason;		/* what it waits for, or NULL */
	const struct stack *stack;	/* its stack, labels and creator */
	bool labels_unknown;		/* it may have labels */
	bool consistent;		/* as of struct goroutine_snapshot */
};

void goroutine_list_init(struct goroutine_list *l, const struct goroutine_list_opt *opt,
			 struct symbols *of)
{
	static const enum stacks_value values[] = { STACKS_GROWN, STACKS_GOROUTINES };

	*l = (struct goroutine_list){ .opt = *opt, .of = of };
	stacks_init(&l->stacks, opt->growth ? values : values + 1, opt->growth ? 2 : 1);
}

void goroutine_list_fini(struct goroutine_list *l)
{
	stacks_fini(&l->stacks);
	hmap_fini(&l->first);
	hmap_fini(&l->wanted);
	free(l->v);
}

/* --- what is chosen --------------------------------------------------- */

static bool has_state(const struct goroutine_snapshot *s, const char *glob)
{
	return (s->status && spec_glob(glob, s->status)) ||
	       (s->reason && spec_glob(glob, s->reason));
}

/* Is one of the wanted functions at @place? Each place is compared once. -1 without memory. */
static int is_wanted(struct goroutine_list *l, const struct symbol *place)
{
	static char yes, no;
	char *known = hmap_get(&l->wanted, (uintptr_t)place);

	if (known)
		return known == &yes;
	known = &no;
	for (size_t i = 0; i < place->n && known == &no; i++)
		if (place->frames[i].func && spec_match(l->opt.with, place->frames[i].func))
			known = &yes;
	return hmap_put(&l->wanted, (uintptr_t)place, known) ? -1 : known == &yes;
}

/* Is such a function on the stack, also an inlined one? -1 without memory. */
static int has_function(struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	unsigned int how = SYMBOL_WRAPPERS | SYMBOL_RETURN;

	for (size_t i = 0; i < s->n; i++) {
		const struct symbol *place = symbols_at(l->of, s->frames[i].pc, how);
		int found = place ? is_wanted(l, place) : -1;

		if (found)
			return found;
		how = place->caller;
	}
	return 0;
}

/* The collector sees that a goroutine waits some time after that begins. */
static uint64_t waited(const struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	const struct goroutine *gr = &s->gr;

	if (gr->status != GOROUTINE_WAITING && gr->status != GOROUTINE_SYSCALL &&
	    gr->status != GOROUTINE_LEAKED)
		return 0;
	return gr->since && l->opt.now > gr->since ? l->opt.now - gr->since : 0;
}

static int choose(struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	uint64_t ns = waited(l, s);

	if (l->opt.state && !has_state(s, l->opt.state))
		return 0;
	if (l->opt.longer_than && ns < l->opt.longer_than) {
		l->undecided += !ns && (s->gr.status == GOROUTINE_WAITING ||
					s->gr.status == GOROUTINE_SYSCALL);
		return 0;
	}
	return l->opt.with ? has_function(l, s) : 1;
}

/* --- rows and groups -------------------------------------------------- */

static void put_stack(const struct goroutine_list *l, const struct goroutine_snapshot *s,
		      struct stacks_pc *pcs, struct stacks_sample *sample)
{
	for (size_t i = 0; i < s->n; i++)
		pcs[i] = (struct stacks_pc){ l->of, s->frames[i].pc };
	sample->npcs = s->n;
	sample->cut = s->cut;
}

static const char *shown(const struct goroutine_list *l, const struct gorlabel *label)
{
	return secret_is_key(l->opt.secrets, label->key, strlen(label->key), NULL) ?
	       "<redacted>" : label->value;
}

static int add_row(struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	struct stacks_pc pcs[GOROUTINE_STATE_FRAMES];
	struct stacks_label labels[GOROUTINE_LABELS_MAX];
	struct stacks_sample sample = {
		.pcs = pcs, .first_returns = true, .creator = { l->of, s->creator },
		.values = { 1 }, .labels = labels, .nlabels = s->labels.n,
	};
	struct stack *stack;

	for (size_t i = 0; i < s->labels.n; i++)
		labels[i] = (struct stacks_label){
			.key = s->labels.v[i].key, .text = shown(l, &s->labels.v[i]),
		};
	put_stack(l, s, pcs, &sample);
	stack = stacks_count(&l->stacks, &sample);
	if (!stack || grow(&l->v, l->n + 1, &l->cap, sizeof(*l->v)))
		return -1;
	l->v[l->n++] = (struct goroutine_list_row){
		.goid = s->gr.goid, .parent = s->gr.parent, .waited = waited(l, s),
		.status = s->status, .reason = s->reason, .stack = stack,
		.labels_unknown = s->labels.unknown, .consistent = s->consistent,
	};
	return 0;
}

/* The group of torn rows is another one: what they have in common need not be so. */
static int add_to_group(struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	struct stacks_pc pcs[GOROUTINE_STATE_FRAMES];
	struct stacks_label labels[4];
	struct stacks_sample sample = {
		.pcs = pcs, .first_returns = true, .labels = labels,
	};

	sample.values[l->opt.growth] = 1;
	if (l->opt.group != GOROUTINE_LIST_BY_STATE)
		sample.creator = (struct stacks_pc){ l->of, s->creator };
	if (l->opt.group == GOROUTINE_LIST_BY_STACK)
		put_stack(l, s, pcs, &sample);
	if (l->opt.group == GOROUTINE_LIST_BY_STATE ||
	    (l->opt.group == GOROUTINE_LIST_BY_STACK && !s->n)) {
		labels[sample.nlabels++] = (struct stacks_label){
			.key = "status", .text = s->status ? s->status : "unknown",
		};
		if (s->reason)
			labels[sample.nlabels++] = (struct stacks_label){
				.key = "wait_reason", .text = s->reason,
			};
	}
	if (l->opt.group == GOROUTINE_LIST_BY_CREATOR && !s->creator)
		labels[sample.nlabels++] = (struct stacks_label){
			.key = "creator", .text = "none",
		};
	if (l->opt.binary && l->opt.json)
		labels[sample.nlabels++] = (struct stacks_label){
			.key = "binary", .text = l->opt.binary,
		};
	if (!s->consistent)
		labels[sample.nlabels++] = (struct stacks_label){ .key = "rows", .text = "torn" };
	return stacks_add(&l->stacks, &sample);
}

int goroutine_list_add(struct goroutine_list *l, const struct goroutine_snapshot *s)
{
	int chosen = choose(l, s);

	l->seen++;
	if (chosen <= 0)
		return chosen;
	l->chosen++;
	l->torn += !s->consistent;
	return l->opt.group == GOROUTINE_LIST_ALONE ? add_row(l, s) : add_to_group(l, s);
}

static int by_goid(const void *one, const void *other)
{
	const struct goroutine_list_row *a = one, *b = other;

	return (a->goid > b->goid) - (a->goid < b->goid);
}

static int by_wait(const void *one, const void *other)
{
	const struct goroutine_list_row *a = one, *b = other;

	if (a->waited != b->waited)
		return a->waited > b->waited ? -1 : 1;
	return by_goid(one, other);
}

void goroutine_list_again(struct goroutine_list *l)
{
	stacks_zero(&l->stacks);
	l->seen = 0;
	l->chosen = 0;
	l->torn = 0;
	l->undecided = 0;
}

/* The groups of the first look, or how much those have grown since. */
static int compare_groups(struct goroutine_list *l)
{
	struct stacks *s = &l->stacks;

	l->grown = 0;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t *grown = &s->v[i]->values[0], now = s->v[i]->values[1];
		uint64_t had = (uintptr_t)hmap_get(&l->first, (uintptr_t)s->v[i]);

		if (!l->looked && hmap_put(&l->first, (uintptr_t)s->v[i], (void *)(now + 1)))
			return -1;
		had -= !!had;
		*grown = l->looked && now > had ? now - had : 0;
		l->grown += !!*grown;
	}
	l->looked = true;
	return 0;
}

int goroutine_list_sort(struct goroutine_list *l)
{
	if (l->opt.growth && compare_groups(l))
		return -1;
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v),
		      l->opt.sort == GOROUTINE_LIST_BY_WAIT ? by_wait : by_goid);
	stacks_sort(&l->stacks);
	return 0;
}

/* --- output ----------------------------------------------------------- */

static void put_state(struct row *r, const struct goroutine_list_row *g)
{
	static const struct column state = { NULL, "STATE", 32 };

	if (row_is_json(r)) {
		json_str(r->b, "status", g->status);
		if (g->reason)
			json_str(r->b, "wait_reason", g->reason);
	}
	if (!row_cell(r, &state))
		return;
	plain_add(r->b, g->status ? g->status : "?");
	if (g->reason) {
		buf_str(r->b, ": ");
		plain_add(r->b, g->reason);
	}
	if (!g->consistent && r->mode == ROW_TEXT)
		buf_str(r->b, " (torn)");
}

static void put_labels(struct row *r, const struct goroutine_list_row *g)
{
	static const struct column column = { "labels", "LABELS", 1 };
	const struct stack *k = g->stack;

	if (row_is_json(r) && !g->labels_unknown && !k->nlabels)
		return;
	if (!row_cell(r, &column))
		return;
	if (g->labels_unknown) {
		buf_str(r->b, row_is_json(r) ? "null" : "?");
		return;
	}
	if (row_is_json(r)) {
		stack_print_labels_json(k, r->b);
		return;
	}
	for (size_t i = 0; i < k->nlabels; i++) {
		const struct stacks_label *l = &k->labels[i];

		buf_str(r->b, i ? " " : "");
		plain_add(r->b, l->key);
		buf_char(r->b, '=');
		plain_add(r->b, l->text);
	}
	if (!k->nlabels)
		buf_char(r->b, '-');
}

static void put_row(const struct goroutine_list *l, enum row_mode mode,
		    const struct goroutine_list_row *g, struct buf *b)
{
	static const struct column goid = { "goid", "GOID", -9 };
	static const struct column since = { "waited_ns", "WAITS AT LEAST", -15 };
	static const struct column parent = { "parent", "PARENT", -9 };
	struct row r = { .b = b, .mode = mode };

	row_begin(&r, "goroutine");
	if (mode == ROW_JSON && l->opt.binary)
		json_str(b, "binary", l->opt.binary);
	row_u64(&r, &goid, g->goid);
	put_state(&r, g);
	row_ns(&r, &since, g->waited, g->waited);
	if (g->parent)
		row_u64(&r, &parent, g->parent);
	else
		row_none(&r, &parent);
	if (mode == ROW_JSON)
		json_raw(b, "consistent", g->consistent ? "true" : "false");
	put_labels(&r, g);
	if (mode == ROW_JSON)
		stack_print_frames_json(g->stack, b);
	row_end(&r);
	if (mode == ROW_TEXT)
		stack_print_frames_text(g->stack, b);
}

bool goroutine_list_print(struct goroutine_list *l, size_t *at, size_t bytes, struct buf *b)
{
	static const struct stack nothing;
	static const struct goroutine_list_row head = { .stack = &nothing };
	size_t n = l->opt.top && l->opt.top < l->n ? l->opt.top : l->n;

	if (!*at && l->opt.binary && !l->opt.json) {
		buf_str(b, "in ");
		plain_add(b, l->opt.binary);
		buf_str(b, ":\n");
	}
	if (l->opt.group != GOROUTINE_LIST_ALONE) {
		struct stacks shown = l->stacks;

		shown.n = l->opt.growth ? l->grown : shown.n;
		(l->opt.json ? stack_print_json : stack_print_text)(&shown, l->opt.top, b);
		return false;
	}
	if (!*at && n && !l->opt.json)
		put_row(l, ROW_HEADS, &head, b);
	while (*at < n && b->len < bytes)
		put_row(l, row_mode(l->opt.json), &l->v[(*at)++], b);
	return *at < n;
}
