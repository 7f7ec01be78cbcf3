// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks as a profile in the format of profile.proto: messages of numbered fields, each
 * with a wire type; whatever is 0 is left out. Samples refer to locations by number, these
 * to functions and mappings, and all of them to strings; a table is written where what
 * refers to it is complete, as the order of fields is free.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "export/pprof.h"

/* --- fields ---------------------------------------------------------- */

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE = 2, PROFILE_MAPPING = 3, PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5, PROFILE_STRING = 6, PROFILE_TIME = 9, PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11, PROFILE_PERIOD = 12, PROFILE_DEFAULT_TYPE = 14,
};

enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_STR = 2, LABEL_NUM = 3, LABEL_UNIT = 4 };
enum {
	MAPPING_ID = 1, MAPPING_START = 2, MAPPING_LIMIT = 3, MAPPING_OFFSET = 4,
	MAPPING_FILE = 5, MAPPING_BUILD_ID = 6, MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8, MAPPING_HAS_LINES = 9, MAPPING_HAS_INLINED = 10,
};

enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3, FUNCTION_FILE = 4,
	FUNCTION_START_LINE = 5,
};

static void put_varint(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_char(b, (char)(v | 0x80));
	buf_char(b, (char)v);
}

static void put_number(struct buf *b, unsigned int field, uint64_t v)
{
	if (!v)
		return;
	put_varint(b, field << 3 | WIRE_VARINT);
	put_varint(b, v);
}

static void put_bytes(struct buf *b, unsigned int field, const void *p, size_t n)
{
	put_varint(b, field << 3 | WIRE_BYTES);
	put_varint(b, n);
	buf_mem(b, p, n);
}

/* The message in @m, which is empty then. */
static void put_message(struct buf *b, unsigned int field, struct buf *m)
{
	put_bytes(b, field, m->p, m->len);
	b->failed |= m->failed;
	m->len = 0;
}

/* --- tables ---------------------------------------------------------- */

/* A mapping; @known: the names of all that was asked of it. */
struct mapping {
	const struct symbols *of;
	struct gobin_range range;
	bool known;
	uint64_t id;
};

#define PAGE 4096ULL

/* One under construction. */
struct profile {
	struct buf out;		/* finished messages */
	struct buf sample;	/* the sample in the making */
	struct buf location;	/* the location in the making */
	struct buf part;	/* a message in one of these */
	struct arena mem;	/* for what is in the tables */
	struct hmap strings;	/* numbers of strings by hash, as pointers to uint64_t */
	struct hmap functions;	/* numbers of functions by hash */
	struct hmap locations;	/* numbers of locations by the place's address in memory */
	struct hmap mappings;	/* struct mapping by file and range */
	struct mapping **order;	/* the same, by number */
	size_t order_cap;	/* allocated there */
	uint64_t nstrings;	/* strings so far */
	/* Functions so far; numbers of these and of what follows begin at 1. */
	uint64_t nfunctions;
	uint64_t nlocations;	/* locations so far */
	uint64_t nmappings;	/* mappings so far */
	uint64_t cut;		/* the location of calls that were cut off, or 0 */
};

/*
 * The number of the entry with @key. If there is no such entry, it is a new number, *@is_new is
 * set, and *@count, the number of entries, rises.
 */
static uint64_t number_of(struct profile *p, struct hmap *m, uint64_t key, uint64_t first,
			  uint64_t *count, bool *is_new)
{
	uint64_t *id = hmap_get(m, key);

	*is_new = !id;
	if (id)
		return *id;
	id = arena_alloc(&p->mem, sizeof(*id));
	if (!id || hmap_put(m, key, id)) {
		p->out.failed = true;
		return first;
	}
	*id = first + (*count)++;
	return *id;
}

static uint64_t string(struct profile *p, const char *s, size_t n)
{
	bool is_new;
	uint64_t id = number_of(p, &p->strings, hmap_hash(0, s, n), 0, &p->nstrings, &is_new);

	/* In order of their numbers, as the format wants it. */
	if (is_new)
		put_bytes(&p->out, PROFILE_STRING, s, n);
	return id;
}

/* NULL is the empty one, which is number 0. */
static uint64_t text(struct profile *p, const char *s)
{
	return s ? string(p, s, strlen(s)) : 0;
}

/* --- functions and locations ----------------------------------------- */

static uint64_t function(struct profile *p, const char *name, const char *file, int start_line)
{
	uint64_t what[3] = { text(p, name), text(p, file), (uint64_t)start_line }, id;
	bool is_new;

	id = number_of(p, &p->functions, hmap_hash(0, what, sizeof(what)), 1, &p->nfunctions,
		       &is_new);
	if (!is_new)
		return id;
	put_number(&p->part, FUNCTION_ID, id);
	put_number(&p->part, FUNCTION_NAME, what[0]);
	put_number(&p->part, FUNCTION_SYSTEM_NAME, what[0]);
	put_number(&p->part, FUNCTION_FILE, what[1]);
	put_number(&p->part, FUNCTION_START_LINE, what[2]);
	put_message(&p->out, PROFILE_FUNCTION, &p->part);
	return id;
}

/* What is mapped of a file of which no code is known has no addresses. */
static struct gobin_range range_of(const struct symbol *place)
{
	struct gobin_range r = { .start = 0 };
	uint64_t low;

	if (!place->of->bin || gobin_code_range(place->of->bin, place->pc, &r))
		return (struct gobin_range){ .start = 0 };
	low = r.start % PAGE;
	if (low == r.offset % PAGE) {
		r.start -= low;
		r.offset -= low;
	}
	return r;
}

static struct mapping *new_mapping(struct profile *p, const struct symbol *place,
				   const struct gobin_range *range)
{
	struct mapping *m = arena_alloc(&p->mem, sizeof(*m));

	if (!m)
		return NULL;
	*m = (struct mapping){
		.of = place->of, .range = *range, .known = true, .id = p->nmappings + 1,
	};
	return m;
}

/* The mapping that has @place; NULL if no file is known, or without memory. */
static struct mapping *mapping(struct profile *p, const struct symbol *place)
{
	struct gobin_range range = range_of(place);
	uint64_t what[2] = { (uintptr_t)place->of, range.start };
	uint64_t key = hmap_hash(0, what, sizeof(what));
	struct mapping *m;

	if (!place->of->name && !place->of->bin)
		return NULL;
	m = hmap_get(&p->mappings, key);
	if (m)
		return m;
	m = new_mapping(p, place, &range);
	if (!m || hmap_put(&p->mappings, key, m) ||
	    grow(&p->order, p->nmappings + 1, &p->order_cap, sizeof(*p->order))) {
		p->out.failed = true;
		return NULL;
	}
	p->order[p->nmappings++] = m;
	return m;
}

static void put_line(struct profile *p, uint64_t function, int line)
{
	put_number(&p->part, LINE_FUNCTION, function);
	put_number(&p->part, LINE_LINE, (uint64_t)line);
	put_message(&p->location, LOCATION_LINE, &p->part);
}

static void put_lines(struct profile *p, const struct symbol *place, struct mapping *m)
{
	for (size_t i = 0; i < place->n; i++) {
		const struct gobin_frame *f = &place->frames[i];

		if (m && !f->func)
			m->known = false;
		if (f->func)
			put_line(p, function(p, f->func, f->file, f->start_line), f->line);
	}
}

static uint64_t location(struct profile *p, const struct symbol *place)
{
	uint64_t id;
	bool is_new;
	struct mapping *m;

	id = number_of(p, &p->locations, (uintptr_t)place, 1, &p->nlocations, &is_new);
	if (!is_new)
		return id;
	m = mapping(p, place);
	put_lines(p, place, m);
	put_number(&p->location, LOCATION_ID, id);
	put_number(&p->location, LOCATION_MAPPING, m ? m->id : 0);
	put_number(&p->location, LOCATION_ADDRESS, place->pc);
	put_message(&p->out, PROFILE_LOCATION, &p->location);
	return id;
}

/* What stands for the calls that are missing in stacks that were cut. */
static uint64_t cut(struct profile *p)
{
	if (p->cut)
		return p->cut;
	p->cut = ++p->nlocations;
	put_line(p, function(p, STACKS_CUT, NULL, 0), 0);
	put_number(&p->location, LOCATION_ID, p->cut);
	put_message(&p->out, PROFILE_LOCATION, &p->location);
	return p->cut;
}

/* A root of stacks, by the go statement: "created by main.start". */
static uint64_t creator(struct profile *p, const struct stack *k)
{
	const struct gobin_frame *f = stack_creator(k);
	struct buf name = { .p = NULL };
	bool is_new;
	/* Places are aligned: no other location has this key. */
	uint64_t id = number_of(p, &p->locations, (uintptr_t)k->creator + 1, 1, &p->nlocations,
				&is_new);

	if (!is_new)
		return id;
	buf_str(&name, STACKS_CREATED);
	buf_str(&name, f->func);
	buf_char(&name, '\0');
	p->out.failed |= name.failed;
	if (!name.failed)
		put_line(p, function(p, name.p, f->file, f->start_line), f->line);
	buf_fini(&name);
	put_number(&p->location, LOCATION_ID, id);
	put_message(&p->out, PROFILE_LOCATION, &p->location);
	return id;
}

/* --- samples --------------------------------------------------------- */

static void put_label(struct profile *p, const struct stacks_label *l)
{
	uint64_t key = text(p, l->key), str = text(p, l->text), unit = text(p, l->unit);
	struct buf *b = &p->part;

	put_number(b, LABEL_KEY, key);
	put_number(b, LABEL_STR, str);
	if (!l->text)
		put_number(b, LABEL_NUM, (uint64_t)l->number);
	put_number(b, LABEL_UNIT, unit);
	put_message(&p->sample, SAMPLE_LABEL, b);
}

/* Values are signed. */
static uint64_t clamp(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : v;
}

static void put_sample(struct profile *p, const struct stacks *s, const struct stack *k)
{
	struct buf ids = { .p = NULL };

	for (size_t i = 0; i < k->n; i++) {
		if (k->places[i]->n)
			put_varint(&ids, location(p, k->places[i]));
	}
	if (k->cut)
		put_varint(&ids, cut(p));
	if (k->creator)
		put_varint(&ids, creator(p, k));
	put_message(&p->sample, SAMPLE_LOCATIONS, &ids);
	for (size_t i = 0; i < s->ntypes; i++)
		put_varint(&ids, clamp(k->values[i]));
	put_message(&p->sample, SAMPLE_VALUES, &ids);
	for (size_t i = 0; i < k->nlabels; i++)
		put_label(p, &k->labels[i]);
	put_message(&p->out, PROFILE_SAMPLE, &p->sample);
	buf_fini(&ids);
}

/* --- the whole ------------------------------------------------------- */

static void put_mapping(struct profile *p, const struct mapping *m)
{
	uint64_t file = text(p, m->of->name ? m->of->name : gobin_path(m->of->bin));
	uint64_t build_id = text(p, m->of->bin ? gobin_build_id(m->of->bin) : NULL);
	struct buf *b = &p->part;

	put_number(b, MAPPING_ID, m->id);
	put_number(b, MAPPING_START, m->range.start);
	put_number(b, MAPPING_LIMIT, m->range.end);
	put_number(b, MAPPING_OFFSET, m->range.offset);
	put_number(b, MAPPING_FILE, file);
	put_number(b, MAPPING_BUILD_ID, build_id);
	/* Without these flags a reader looks for names itself. */
	put_number(b, MAPPING_HAS_FUNCTIONS, m->known);
	put_number(b, MAPPING_HAS_FILES, m->known);
	put_number(b, MAPPING_HAS_LINES, m->known);
	put_number(b, MAPPING_HAS_INLINED, m->known);
	put_message(&p->out, PROFILE_MAPPING, b);
}

static void put_type(struct profile *p, unsigned int field, const struct stacks *s, size_t which)
{
	const struct stacks_words words = stacks_words(s, which);
	uint64_t type = text(p, words.type), unit = text(p, words.unit);

	put_number(&p->part, TYPE_TYPE, type);
	put_number(&p->part, TYPE_UNIT, unit);
	put_message(&p->out, field, &p->part);
}

static void fini(struct profile *p)
{
	struct buf *bufs[] = { &p->out, &p->sample, &p->location, &p->part };
	struct hmap *maps[] = { &p->strings, &p->functions, &p->locations, &p->mappings };

	for (size_t i = 0; i < 4; i++) {
		buf_fini(bufs[i]);
		hmap_fini(maps[i]);
	}
	arena_fini(&p->mem);
	free(p->order);
}

static void build(struct profile *p, const struct stacks *s, const struct pprof_about *about)
{
	string(p, "", 0);
	for (size_t i = 0; i < s->ntypes; i++)
		put_type(p, PROFILE_SAMPLE_TYPE, s, i);
	for (size_t i = 0; i < s->n; i++)
		put_sample(p, s, s->v[i]);
	for (size_t i = 0; i < p->nmappings; i++)
		put_mapping(p, p->order[i]);
	put_number(&p->out, PROFILE_TIME, about->time_ns);
	put_number(&p->out, PROFILE_DURATION, about->duration_ns);
	/* Each call was counted: it is not a sample. */
	put_type(p, PROFILE_PERIOD_TYPE, s, 0);
	put_number(&p->out, PROFILE_PERIOD, 1);
	/* Readers show the last type otherwise. */
	put_number(&p->out, PROFILE_DEFAULT_TYPE, text(p, stacks_words(s, 0).type));
}

static bool compress_into(struct buf *b, const struct buf *from)
{
	z_stream z = { .next_in = (Bytef *)from->p };
	uLong most;
	bool done;

	if (from->len > UINT32_MAX / 2 ||
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY))
		return false;
	most = deflateBound(&z, from->len);
	z.avail_in = from->len;
	done = buf_room(b, most);
	if (done) {
		z.next_out = (Bytef *)b->p + b->len;
		z.avail_out = most;
		done = deflate(&z, Z_FINISH) == Z_STREAM_END;
		b->len += z.total_out;
	}
	deflateEnd(&z);
	return done;
}

void pprof_put(const struct stacks *s, const struct pprof_about *about, struct buf *b)
{
	struct profile p = { .nstrings = 0 };

	build(&p, s, about);
	if (p.out.failed || !compress_into(b, &p.out))
		b->failed = true;
	fini(&p);
}
