// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of label("key"): a label that runtime/pprof has set for the goroutine of the call.
 * Programs have no loops, so the program compares a fixed number of labels; it fails if there
 * are more, and the key is not among the first. A goroutine without the label has "".
 *
 * Go never changes a set of labels, it replaces it. So all words that are read are of one set.
 */
#include "compile/jump.h"
#include "compile/place.h"
#include "gobin/pprof_labels.h"
#include "gobin/runtime_layout.h"

#define WORD 8U
#define STRING (2 * WORD)

/* The most pairs of a slice that are compared. */
#define PAIRS_MAX 16
#define PAIR_SIZE (2 * STRING)

/* A bucket (gobin/runtime_layout.h): hash bytes, keys, elements, a pointer. */
#define BUCKET_SLOTS 8
#define BUCKET_KEYS BUCKET_SLOTS
#define BUCKET_ELEMS (BUCKET_KEYS + BUCKET_SLOTS * STRING)
#define BUCKET_NEXT (BUCKET_ELEMS + BUCKET_SLOTS * STRING)

/* The search for a label. */
struct search {
	struct operand *c;	/* the program */
	const struct expr *e;	/* the expression */
	uint8_t p;		/* register: pointer to the current pair or bucket */
	uint8_t n;		/* register: a number */
	struct jump_label found;	/* it is at @p */
	struct jump_label end;	/* there is no such label */
	struct jump_label more;	/* there are more labels than the program compares */
};

static void load(struct search *s, uint8_t to, uint64_t at, uint32_t size)
{
	operand_load_at(s->c, to, s->p, at, size);
}

/* The word at @at of what @p points to; if that is nil, there is no label. */
static void follow(struct search *s, uint64_t at)
{
	load(s, s->p, at, WORD);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->p, 0, &s->end);
}

/* Go to @differs unless the string at @p + @at is the key. */
static void compare(struct search *s, uint64_t at, struct jump_label *differs)
{
	uint8_t reg = operand_take(s->c);

	load(s, reg, at + WORD, WORD);
	jump_if(s->c, GOPROBE_OP_JNE_I, reg, s->e->n, differs);
	if (s->e->n) {
		load(s, reg, at, WORD);
		jump_unless_bytes(s->c, reg, 0, s->e->s, s->e->n, differs);
	}
	s->c->reg = reg;
}

/* @p: the slice's header. */
static void search_slice(struct search *s)
{
	load(s, s->n, WORD, WORD);
	load(s, s->p, 0, WORD);
	for (unsigned int i = 0; i < PAIRS_MAX; i++) {
		struct jump_label next = { 0 };

		jump_if(s->c, GOPROBE_OP_JEQ_I, s->n, i, &s->end);
		compare(s, 0, &next);
		jump_always(s->c, &s->found);
		jump_here(s->c, &next);
		operand_set(s->c, GOPROBE_OP_ADD_I, s->p, PAIR_SIZE);
	}
	jump_if(s->c, GOPROBE_OP_JNE_I, s->n, PAIRS_MAX, &s->more);
}

/* @p: a pointer to the map, which has one bucket as long as there are 8 entries at most. */
static void search_map(struct search *s, const struct runtime_layout_hmap *l)
{
	follow(s, 0);
	load(s, s->n, l->count, WORD);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->n, 0, &s->end);
	load(s, s->n, l->b, 1);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->n, 0, &s->more);
	load(s, s->n, l->oldbuckets, WORD);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->n, 0, &s->more);
	load(s, s->p, l->buckets, WORD);
	operand_op2(s->c, GOPROBE_OP_MOVE, s->n, s->p);
	for (unsigned int i = 0; i < BUCKET_SLOTS; i++) {
		struct jump_label next = { 0 };
		uint8_t hash = operand_take(s->c);

		operand_load_at(s->c, hash, s->n, i, 1);
		jump_if(s->c, GOPROBE_OP_JLT_I, hash, RUNTIME_LAYOUT_TOPHASH_TAKEN, &next);
		s->c->reg = hash;
		compare(s, BUCKET_KEYS, &next);
		jump_always(s->c, &s->found);
		jump_here(s->c, &next);
		operand_set(s->c, GOPROBE_OP_ADD_I, s->p, STRING);
	}
	operand_load_at(s->c, s->n, s->n, BUCKET_NEXT, WORD);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->n, 0, &s->more);
}

/* Load g into @p; on a system stack the g of the goroutine that the thread works for. */
static void find_g(struct job *j, struct search *s)
{
	const struct goprobe_runtime *rt = gobin_runtime(j->scope->bin);

	if (j->cond) {
		operand_set(s->c, GOPROBE_OP_TASK, s->p, GOPROBE_TASK_G);
		jump_if(s->c, GOPROBE_OP_JEQ_I, s->p, 0, &s->end);
		return;
	}
	if (j->scope->abi0 || rt->g_reg == GOPROBE_REG_NONE) {
		j->unavailable = "its goroutine is not in a register";
		return;
	}
	operand_op2(s->c, GOPROBE_OP_REG, s->p, rt->g_reg);
	load(s, s->p, rt->g_m, WORD);
	follow(s, rt->m_curg);
}

/* The value is in two registers, both 0 without the label. */
int label_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct runtime_layout *l = runtime_layout_get(gobin_go_minor(j->scope->bin));
	enum pprof_labels kept = pprof_labels_of(j->scope->bin);
	struct operand *c = &j->code;
	struct search s = { .c = c, .e = e };
	uint8_t at, len;

	if (!j->scope->fn)
		return job_wrong(j, e, "a label is of the goroutine that makes a call");
	if (kept == PPROF_LABELS_UNKNOWN)
		return job_wrong(j, e, "it is not known how this program keeps labels");
	j->secret |= secret_is_key(j->scope->secrets, e->s, e->n, &exprjob_string);
	at = operand_take(c);
	len = operand_take(c);
	s.p = operand_take(c);
	s.n = operand_take(c);
	*p = (struct operand_place){ .kind = OPERAND_REGISTER, .type = &exprjob_string, .reg = at };
	operand_set(c, GOPROBE_OP_IMM, at, 0);
	operand_set(c, GOPROBE_OP_IMM, len, 0);
	find_g(j, &s);
	follow(&s, l->g.labels);
	if (kept == PPROF_LABELS_MAP)
		search_map(&s, &l->hmap);
	else
		search_slice(&s);
	jump_always(c, &s.end);
	jump_here(c, &s.more);
	operand_set(c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_RANGE);
	jump_here(c, &s.found);
	load(&s, len, kept == PPROF_LABELS_MAP ? BUCKET_ELEMS + WORD : STRING + WORD, WORD);
	load(&s, at, kept == PPROF_LABELS_MAP ? BUCKET_ELEMS : STRING, WORD);
	jump_here(c, &s.end);
	c->reg = len + 1;
	return 0;
}
