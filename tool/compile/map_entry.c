// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of entries of maps. Go hashes a key with a secret of the process, so the program
 * compares the keys of all groups or buckets (internal/runtime/maps, runtime/map.go), eight with
 * each GOPROBE_OP_FIND. Programs have no loops, so their number is bounded; the program fails if a
 * map has more, and the key is not among the first.
 */
#include <string.h>

#include "compile/map_entry.h"
#include "compile/jump.h"
#include "compile/typed.h"
#include "gobin/runtime_layout.h"

#define WORD 8U

/* Groups that are searched: maps of up to 112 entries, which fill seven eighths of them. */
#define GROUPS_MAX 16
/* Buckets that are searched, and how many a chain may have: maps of up to 52 entries. */
#define BUCKETS_MAX 8
#define CHAIN_MAX 3
/* Elements of more words stay in memory. */
#define WORDS_MAX 3

/* The search for an entry. */
struct search {
	struct operand *c;		/* the program */
	const struct gomap *m;		/* the layout */
	uint64_t find;			/* value of GOPROBE_OP_FIND */
	uint8_t key[FILTER_STRING_MAX];	/* the key's bytes */
	uint32_t size;			/* their number */
	uint8_t map;			/* register: address of the map's header */
	uint8_t base;			/* register: the group or bucket at hand */
	uint8_t at;			/* register: the bucket of its chain at hand */
	uint8_t n;			/* register: number of groups or buckets */
	uint8_t slot;			/* register: a slot, and what is loaded */
	struct jump_label found;		/* it is in slot @slot of @at */
	struct jump_label none;		/* there is no such entry */
	struct jump_label more;		/* there is more than the program searches */
};

/* --- keys and layouts ------------------------------------------------------------- */

static bool is_simple(const struct gotype *t)
{
	return t->kind == GOTYPE_STRING || t->kind == GOTYPE_INT || t->kind == GOTYPE_UINT ||
	       t->kind == GOTYPE_BOOL;
}

bool mapentry_can_find(const struct job *j, const struct gotype *map,
		       const struct value_key *key)
{
	const struct runtime_layout *l = runtime_layout_get(gobin_go_minor(j->scope->bin));
	const struct gomap *m = map->map;

	if (!m || !(m->swiss ? l->swiss.size : l->hmap.size) || !map->key || !map->elem)
		return false;
	return is_simple(map->key) && !m->key_indirect &&
	       map->key->size <= 2 * WORD && m->size >= 2 * WORD &&
	       (key->kind != GOTYPE_STRING || key->n <= FILTER_STRING_MAX);
}

static void set_key(struct search *s, const struct gotype *t, const struct value_key *key)
{
	/* The bytes of taken slots. */
	uint64_t least = s->m->swiss ? 0 : RUNTIME_LAYOUT_TOPHASH_TAKEN;
	uint64_t most = s->m->swiss ? RUNTIME_LAYOUT_CONTROL_FREE - 1 : UINT8_MAX;

	s->find = s->m->key_stride | least << GOPROBE_FIND_LEAST_SHIFT |
		  most << GOPROBE_FIND_MOST_SHIFT;
	if (key->kind == GOTYPE_STRING) {
		s->find |= GOPROBE_FIND_F_STRING;
		s->size = (uint32_t)key->n;
		memcpy(s->key, key->s, key->n);
		return;
	}
	/* Little-endian: a narrow number has the low bytes. */
	s->size = (uint32_t)t->size;
	memcpy(s->key, &key->u, sizeof(key->u));
}

/* --- groups and buckets ------------------------------------------------------------- */

/* Go to @found if the key is in the eight slots at @at. */
static void search_slots(struct search *s)
{
	operand_op2(s->c, GOPROBE_OP_MOVE, s->slot, s->at);
	operand_set(s->c, GOPROBE_OP_ADD_I, s->slot, s->m->key_at);
	operand_op(s->c, (struct goprobe_op){
		.code = GOPROBE_OP_FIND, .a = s->slot, .b = s->at, .size = s->size,
		.value = s->find });
	operand_data(s->c, s->key, s->size);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->slot, GOPROBE_FIND_ELEMENTS, &s->found);
}

/* The chain of buckets that begins at @base. */
static void search_chain(struct search *s)
{
	struct jump_label next = { 0 };

	operand_op2(s->c, GOPROBE_OP_MOVE, s->at, s->base);
	for (unsigned int i = 0; i < CHAIN_MAX; i++) {
		search_slots(s);
		/* The pointer to the next one is last. */
		operand_load_at(s->c, s->at, s->at, s->m->size - WORD, WORD);
		jump_if(s->c, GOPROBE_OP_JEQ_I, s->at, 0, &next);
	}
	jump_always(s->c, &s->more);
	jump_here(s->c, &next);
}

/* @n groups or buckets from @base on; goes on behind them, or to @more. */
static void search_row(struct search *s, unsigned int most)
{
	struct jump_label end = { 0 };

	for (unsigned int i = 0; i < most; i++) {
		jump_if(s->c, GOPROBE_OP_JEQ_I, s->n, i, &end);
		if (s->m->swiss) {
			operand_op2(s->c, GOPROBE_OP_MOVE, s->at, s->base);
			search_slots(s);
		} else {
			search_chain(s);
		}
		operand_set(s->c, GOPROBE_OP_ADD_I, s->base, s->m->size);
	}
	jump_if(s->c, GOPROBE_OP_JNE_I, s->n, most, &s->more);
	jump_here(s->c, &end);
}

static void search_swiss(struct search *s, const struct runtime_layout_swiss *l)
{
	struct jump_label small = { 0 };

	operand_load_at(s->c, s->slot, s->map, l->used, WORD);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->slot, 0, &s->none);
	operand_load_at(s->c, s->slot, s->map, l->dir_len, WORD);
	operand_load_at(s->c, s->base, s->map, l->dir_ptr, WORD);
	operand_set(s->c, GOPROBE_OP_IMM, s->n, 1);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->slot, 0, &small);
	/* A second table is made when the first one has a thousand slots. */
	jump_if(s->c, GOPROBE_OP_JNE_I, s->slot, 1, &s->more);
	operand_load_at(s->c, s->at, s->base, 0, WORD);
	operand_load_at(s->c, s->base, s->at, l->table_groups, WORD);
	operand_load_at(s->c, s->n, s->at, l->table_mask, WORD);
	operand_set(s->c, GOPROBE_OP_ADD_I, s->n, 1);
	jump_here(s->c, &small);
	search_row(s, GROUPS_MAX);
}

/* @n = how many buckets the map has that it grows out of: see runtime_layout_oldbuckets(). */
static void count_old(struct search *s, const struct runtime_layout_hmap *l)
{
	struct jump_label same = { 0 };

	operand_load_at(s->c, s->slot, s->map, l->flags, 1);
	operand_set(s->c, GOPROBE_OP_IMM, s->at, RUNTIME_LAYOUT_SAME_SIZE_GROW);
	operand_op2(s->c, GOPROBE_OP_AND, s->slot, s->at);
	jump_if(s->c, GOPROBE_OP_JNE_I, s->slot, 0, &same);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->n, 1, &same);
	operand_set(s->c, GOPROBE_OP_IMM, s->at, 1);
	operand_op2(s->c, GOPROBE_OP_SHR, s->n, s->at);
	jump_here(s->c, &same);
}

/* What has moved out of an old bucket is free there by its hash bytes. */
static void search_buckets(struct search *s, const struct runtime_layout_hmap *l)
{
	operand_load_at(s->c, s->slot, s->map, l->count, WORD);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->slot, 0, &s->none);
	operand_load_at(s->c, s->slot, s->map, l->b, 1);
	operand_set(s->c, GOPROBE_OP_IMM, s->n, 1);
	operand_op2(s->c, GOPROBE_OP_SHL, s->n, s->slot);
	operand_load_at(s->c, s->base, s->map, l->buckets, WORD);
	search_row(s, BUCKETS_MAX);
	operand_load_at(s->c, s->base, s->map, l->oldbuckets, WORD);
	jump_if(s->c, GOPROBE_OP_JEQ_I, s->base, 0, &s->none);
	count_old(s, l);
	search_row(s, BUCKETS_MAX);
}

/* --- elements ------------------------------------------------------------------------- */

static bool fits_registers(const struct gotype *t)
{
	return t->kind != GOTYPE_STRUCT && t->kind != GOTYPE_ARRAY && t->kind != GOTYPE_COMPLEX &&
	       (t->size <= WORD || t->size % WORD == 0) && t->size <= WORDS_MAX * WORD;
}

/* @slot = the element's address. */
static void find_element(struct search *s)
{
	operand_set(s->c, GOPROBE_OP_MUL_I, s->slot, s->m->elem_stride);
	operand_op2(s->c, GOPROBE_OP_ADD, s->slot, s->at);
	operand_set(s->c, GOPROBE_OP_ADD_I, s->slot, s->m->elem_at);
	if (s->m->elem_indirect)
		operand_load_at(s->c, s->slot, s->slot, 0, WORD);
}

static void load_words(struct search *s, const struct gotype *t, uint8_t reg, unsigned int words)
{
	for (unsigned int i = 0; i < words; i++)
		operand_load_at(s->c, (uint8_t)(reg + i), s->slot, i * WORD,
				t->size < WORD ? (uint32_t)t->size : WORD);
}

/*
 * Here the entry is found or not. Without it the words are 0, as they were set at first; what is
 * in memory has no address then.
 */
static void end(struct search *s, const struct gotype *t, uint8_t reg, unsigned int words)
{
	jump_always(s->c, &s->none);
	jump_here(s->c, &s->more);
	operand_set(s->c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_RANGE);
	if (!words) {
		jump_here(s->c, &s->none);
		operand_set(s->c, GOPROBE_OP_FAIL, 0, GOPROBE_CHUNK_NIL);
	}
	jump_here(s->c, &s->found);
	find_element(s);
	if (words)
		load_words(s, t, reg, words);
	else
		operand_op2(s->c, GOPROBE_OP_MOVE, reg, s->slot);
	if (words)
		jump_here(s->c, &s->none);
}

int mapentry_compile(struct job *j, struct operand_place *p, const struct gotype *map,
		     const struct value_key *key)
{
	const struct runtime_layout *l = runtime_layout_get(gobin_go_minor(j->scope->bin));
	unsigned int words = fits_registers(map->elem) ? (map->elem->size + WORD - 1) / WORD : 0;
	struct search s = { .c = &j->code, .m = map->map };
	struct operand *c = &j->code;
	uint8_t reg = p->kind == OPERAND_MEMORY ? p->reg : operand_take(c), others;

	/* The result begins in the register that led to the map. */
	for (others = c->reg; others < reg + words; others++)
		operand_take(c);
	s.map = operand_take(c);
	operand_load(c, p, 0, WORD, s.map);
	for (unsigned int i = 0; i < words; i++)
		operand_set(c, GOPROBE_OP_IMM, (uint8_t)(reg + i), 0);
	s.base = operand_take(c);
	s.at = operand_take(c);
	s.n = operand_take(c);
	s.slot = operand_take(c);
	set_key(&s, map->key, key);
	jump_if(c, GOPROBE_OP_JEQ_I, s.map, 0, &s.none);
	if (s.m->swiss)
		search_swiss(&s, &l->swiss);
	else
		search_buckets(&s, &l->hmap);
	end(&s, map->elem, reg, words);
	*p = (struct operand_place){ .kind = words ? OPERAND_REGISTER : OPERAND_MEMORY,
				     .type = map->elem, .reg = reg };
	c->reg = (uint8_t)(reg + (words ? words : 1));
	return 0;
}
