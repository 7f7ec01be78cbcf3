// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of ctx.Value(key): the program goes from context to context, as Value() of package
 * context does. Programs have no loops, so the chain is bounded; the program fails if it is longer,
 * or if a context has another type than those of the standard library, whose Value() could do
 * anything. Without the key the value is nil.
 *
 * Contexts never change, but for what cancels them. A pair with place.c: the context is an operand.
 */
#include <string.h>

#include "compile/sig_parse.h"
#include "compile/jump.h"
#include "compile/place.h"
#include "compile/typed.h"

#define WORD 8U

/* The most contexts of a chain. */
#define CHAIN_MAX 20

/* context.valueCtx: the context above, the key and the value, each an interface. */
#define VALUE_KEY (2 * WORD)
#define VALUE_VALUE (4 * WORD)

static const char value_context[] = "*context.valueCtx";

/* Contexts whose first field is the one above, which they ask. */
static const char *const passing[] = {
	"*context.cancelCtx", "*context.timerCtx", "context.withoutCancelCtx",
	"*context.afterFuncCtx", "context.stopCtx",
	"*os/signal.signalCtx",
};

/* Contexts without one above: "*context.emptyCtx" up to Go 1.20. */
static const char *const last[] = {
	"context.backgroundCtx", "context.todoCtx", "*context.emptyCtx",
};

#define N(v) (sizeof(v) / sizeof(*(v)))

enum key_kind {
	KEY_TYPE,	/* it has no contents */
	KEY_TEXT,	/* a string */
	KEY_NUMBER,	/* a whole number or boolean, behind a pointer */
	KEY_POINTER,	/* the word in register @reg */
};

/* The search for a value. */
struct search {
	struct operand *c;		/* the program */
	uint64_t value;			/* descriptor of value_context */
	uint64_t passing[N(passing)];	/* descriptors of those that the program has */
	size_t npassing;		/* their number */
	uint64_t last[N(last)];		/* in the same way */
	size_t nlast;			/* their number */
	enum key_kind kind;		/* the key */
	uint64_t key;			/* descriptor of its type */
	struct constant text;		/* of KEY_TEXT and KEY_NUMBER */
	uint32_t size;			/* of KEY_NUMBER: bytes */
	uint8_t reg;			/* of KEY_POINTER */
	uint8_t itab;			/* registers: of the context at hand */
	uint8_t data;			/* its data word */
	uint8_t word;			/* what is loaded */
	uint8_t bias;			/* run-time addresses less link-time addresses */
	struct jump_label found;		/* the context at hand has it */
	struct jump_label none;		/* no context has it */
	struct jump_label unknown;	/* a context of another type */
};

static const struct gotype any = {
	.kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 2 * WORD, .align = WORD,
	.empty = true,
};

/* --- types ------------------------------------------------------------------------- */

static uint64_t descriptor(const struct job *j, const char *name)
{
	const struct gotype *t = gobin_find_type(j->scope->bin, name);

	return t ? t->rtype : 0;
}

static size_t find_types(const struct job *j, const char *const *names, size_t n, uint64_t *ret)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		ret[found] = descriptor(j, names[i]);
		found += !!ret[found];
	}
	return found;
}

static int find_contexts(struct job *j, const struct expr *e, struct search *s)
{
	s->value = descriptor(j, value_context);
	if (!s->value)
		return job_wrong_all(j, e, "no context of this program has values: it never calls context.WithValue()");
	s->npassing = find_types(j, passing, N(passing), s->passing);
	s->nlast = find_types(j, last, N(last), s->last);
	return 0;
}

/* --- the key ------------------------------------------------------------------------- */

static int key_type(struct job *j, const struct expr *e, const struct gotype *t, struct search *s)
{
	s->key = t->rtype ?: descriptor(j, t->name);
	return s->key ? 0 : job_wrong_all(j, e, "no key is of type %s: the program puts no such value into an interface",
					  t->name);
}

static int wrong_key(struct job *j, const struct expr *e)
{
	job_wrong_all(j, e, "this can't be compared with keys of contexts");
	diag_hint(j->d, "a key is a string, T{}, T(\"text\"), T(5), or a variable that is a pointer");
	return -1;
}

/* T(constant), or a constant alone. */
static int constant_key(struct job *j, const struct expr *e, const struct gotype *t,
			struct search *s)
{
	const char *why = "is no constant";

	if (constant_of(e->index, &s->text))
		why = constant_convert(&s->text, t);
	if (why)
		return job_wrong_all(j, e->index, "'%s' %s%s%s", job_text(j, e->index), why,
				     strstr(why, "no constant") ? "" : " ",
				     strstr(why, "no constant") ? "" : t->name);
	s->kind = s->text.kind == CONSTANT_STRING ? KEY_TEXT : KEY_NUMBER;
	s->size = (uint32_t)t->size;
	if ((s->kind == KEY_NUMBER && t->kind == GOTYPE_FLOAT) || s->text.kind == CONSTANT_NIL)
		return wrong_key(j, e->index);
	if (s->kind == KEY_TEXT && s->text.n > FILTER_STRING_MAX)
		return job_wrong_all(j, e->index, "a key of a context has %d bytes at most here",
				     FILTER_STRING_MAX);
	return key_type(j, e->index, t, s);
}

/* A type, or a variable. */
static int named_key(struct job *j, const struct expr *e, struct search *s)
{
	const struct gotype *t = gobin_find_type(j->scope->bin, job_text(j, e->index));
	struct operand_place p;

	if (t && t->kind == GOTYPE_STRUCT && !t->size) {
		s->kind = KEY_TYPE;
		return key_type(j, e->index, t, s);
	}
	if (place_compile(j, e->index, &p)) {
		diag_hint(j->d, "constants have no place in the program: write the key out, as in T(\"text\") or T{}");
		return -1;
	}
	if (p.steps.n || (p.type->kind != GOTYPE_POINTER && p.type->size))
		return wrong_key(j, e->index);
	s->kind = p.type->size ? KEY_POINTER : KEY_TYPE;
	if (p.type->size) {
		s->reg = operand_take(s->c);
		operand_load(s->c, &p, 0, WORD, s->reg);
		s->c->reg = (uint8_t)(s->reg + 1);
	}
	return key_type(j, e->index, p.type, s);
}

static int find_key(struct job *j, const struct expr *e, struct search *s)
{
	struct sigparse types = { .bin = j->scope->bin, .mem = j->scope->mem, .text = j->text };
	const struct gotype *t;

	if (!e->type && e->index->kind == EXPR_STRING)
		return constant_key(j, e, &exprjob_string, s);
	if (!e->type && e->index->kind == EXPR_NUMBER)
		return constant_key(j, e, &exprjob_int, s);
	if (!e->type)
		return named_key(j, e, s);
	t = sigparse_type(&types, e->type, j->d);
	if (!t)
		return -1;
	if (e->index)
		return constant_key(j, e, t, s);
	s->kind = KEY_TYPE;
	return t->size ? job_wrong_all(j, e, "%s{} has contents, and only a key without any can be written so",
				       t->name) : key_type(j, e, t, s);
}

/* --- the chain ----------------------------------------------------------------------- */

/* Go to @differs unless the key of the context at hand, whose type is the wanted one, is it. */
static void compare_key(struct search *s, struct jump_label *differs)
{
	uint8_t len = s->c->reg;

	if (s->kind == KEY_TYPE)
		return;
	operand_load_at(s->c, s->word, s->data, VALUE_KEY + WORD, WORD);
	if (s->kind == KEY_POINTER) {
		operand_op2(s->c, GOPROBE_OP_JNE, s->word, s->reg);
		jump_to(s->c, differs);
		return;
	}
	if (s->kind == KEY_NUMBER) {
		uint64_t n = s->text.kind == CONSTANT_BOOL ? s->text.b : (uint64_t)s->text.i;

		operand_load_at(s->c, s->word, s->word, 0, s->size);
		jump_if(s->c, GOPROBE_OP_JNE_I, s->word,
			s->size < WORD ? n & ((1ULL << s->size * 8) - 1) : n, differs);
		return;
	}
	len = operand_take(s->c);
	operand_load_at(s->c, len, s->word, WORD, WORD);
	jump_if(s->c, GOPROBE_OP_JNE_I, len, s->text.n, differs);
	operand_load_at(s->c, s->word, s->word, 0, WORD);
	jump_unless_bytes(s->c, s->word, 0, s->text.s, s->text.n, differs);
	s->c->reg = len;
}

/* One context: to @found, to @none, or behind it to the one above. */
static void ask(struct search *s)
{
	struct jump_label other = { 0 }, above = { 0 };

	jump_if(s->c, GOPROBE_OP_JEQ_I, s->itab, 0, &s->none);
	/* An itab's second word is the type: internal/abi.ITab. */
	operand_load_at(s->c, s->word, s->itab, WORD, WORD);
	operand_op2(s->c, GOPROBE_OP_SUB, s->word, s->bias);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->word, s->value, &other);
	operand_load_at(s->c, s->word, s->data, VALUE_KEY, WORD);
	operand_op2(s->c, GOPROBE_OP_SUB, s->word, s->bias);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->word, s->key, &above);
	compare_key(s, &above);
	jump_always(s->c, &s->found);
	jump_here(s->c, &other);
	for (size_t i = 0; i < s->npassing; i++)
		jump_if(s->c, GOPROBE_OP_JEQ_I, s->word, s->passing[i], &above);
	for (size_t i = 0; i < s->nlast; i++)
		jump_if(s->c, GOPROBE_OP_JEQ_I, s->word, s->last[i], &s->none);
	jump_always(s->c, &s->unknown);
	jump_here(s->c, &above);
	operand_load_at(s->c, s->itab, s->data, 0, WORD);
	operand_load_at(s->c, s->data, s->data, WORD, WORD);
}

static void search(struct search *s, uint8_t reg)
{
	struct jump_label end = { 0 };

	for (unsigned int i = 0; i < CHAIN_MAX; i++)
		ask(s);
	operand_set(s->c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_RANGE);
	jump_here(s->c, &s->unknown);
	operand_set(s->c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_TYPE);
	jump_here(s->c, &s->none);
	operand_set(s->c, GOPROBE_OP_IMM, reg, 0);
	operand_set(s->c, GOPROBE_OP_IMM, (uint8_t)(reg + 1), 0);
	jump_always(s->c, &end);
	jump_here(s->c, &s->found);
	operand_load_at(s->c, reg, s->data, VALUE_VALUE, WORD);
	operand_load_at(s->c, (uint8_t)(reg + 1), s->data, VALUE_VALUE + WORD, WORD);
	jump_here(s->c, &end);
}

int contextvalue_compile(struct job *j, const struct expr *e, struct operand_place *p)
{
	struct operand *c = &j->code;
	struct search s = { .c = c };
	uint8_t reg;

	if (place_compile(j, e->x, p))
		return -1;
	if (p->steps.n || p->type->kind != GOTYPE_INTERFACE || p->type->empty)
		return job_wrong_all(j, e->x, "'%s' is no context.Context: of other values nothing can be called",
				     job_text(j, e->x));
	if (find_contexts(j, e, &s))
		return -1;
	reg = p->kind == OPERAND_MEMORY ? p->reg : operand_take(c);
	while (!c->full && c->reg < reg + 2)
		operand_take(c);
	s.itab = operand_take(c);
	s.data = operand_take(c);
	operand_load(c, p, 0, WORD, s.itab);
	operand_load(c, p, WORD, WORD, s.data);
	s.word = operand_take(c);
	s.bias = operand_take(c);
	operand_set(c, GOPROBE_OP_STATIC, s.bias, 0);
	if (find_key(j, e, &s))
		return -1;
	if (s.kind == KEY_TEXT)
		j->secret |= secret_is_key(j->scope->secrets, s.text.s, s.text.n, &any);
	search(&s, reg);
	*p = (struct operand_place){ .kind = OPERAND_REGISTER, .type = &any, .reg = reg };
	c->reg = (uint8_t)(reg + 2);
	return 0;
}
