// SPDX-License-Identifier: GPL-2.0
/* Locks and atomics: what their bits say (src/sync, src/internal/sync). */
#include "base/unaligned.h"
#include "value/map.h"
#include "value/std.h"

/* sync.Mutex.state */
#define MUTEX_LOCKED	1
#define MUTEX_STARVING	4
#define MUTEX_WAITERS	3	/* shift */

/* sync.RWMutex.readerCount is less by this while a writer has or awaits it. */
#define RWMUTEX_MAX_READERS	(1 << 30)

/* sync.WaitGroup.state: the counter is its upper half; since 1.25 bit 31 is a flag. */
#define WAITGROUP_WAITERS	0x7fffffff

/*
 * An integer field, also as one of the types of sync/atomic, which over time came
 * to be used in place of plain integers.
 */
static bool number(const struct value_what *w, const char *name, int64_t *ret)
{
	const struct gotype *t = w->t;
	const struct gofield *f = value_known_field(t, name, GOTYPE_STRUCT, 0);
	const uint8_t *p = w->p;

	if (f) {
		p += f->offset;
		t = f->type;
		name = "v";
	}
	f = value_known_field(t, name, GOTYPE_INT, 0) ?: value_known_field(t, name, GOTYPE_UINT, 0);
	return f && value_integer(f->type, p + f->offset, ret);
}

static void begin(struct buf *b, const struct value_what *w)
{
	if (w->place != VALUE_LIST)
		value_text_name(b, value_type_name(w->t));
	buf_char(b, '{');
}

static void count(struct buf *b, int64_t n, const char *what)
{
	buf_i64(b, n);
	buf_str(b, what);
}

static bool show_mutex(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	/* Since 1.24 the lock itself is in internal/sync. */
	const struct gofield *f = value_known_field(w->t, "mu", GOTYPE_STRUCT, 0);
	struct value_what inner = *w;
	int64_t state;

	(void)v;
	if (f) {
		inner.t = f->type;
		inner.p = w->p + f->offset;
	}
	if (!number(&inner, "state", &state))
		return false;
	begin(b, w);
	buf_str(b, state & MUTEX_LOCKED ? "locked" : "unlocked");
	if (state >> MUTEX_WAITERS) {
		buf_str(b, ", ");
		count(b, state >> MUTEX_WAITERS, " waiting");
	}
	if (state & MUTEX_STARVING)
		buf_str(b, ", starving");
	buf_char(b, '}');
	return true;
}

static bool show_rwmutex(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	int64_t readers, awaited;

	(void)v;
	if (!number(w, "readerCount", &readers) || !number(w, "readerWait", &awaited))
		return false;
	begin(b, w);
	if (readers > 0) {
		count(b, readers, readers == 1 ? " reader" : " readers");
	} else if (!readers) {
		buf_str(b, "unlocked");
	} else if (awaited > 0) {
		/* It holds off new readers and waits for those that are there. */
		count(b, awaited, awaited == 1 ? " reader" : " readers");
		buf_str(b, ", a writer waiting");
	} else {
		buf_str(b, "locked");
	}
	readers += RWMUTEX_MAX_READERS;
	if (readers < RWMUTEX_MAX_READERS && readers > awaited) {
		buf_str(b, ", ");
		count(b, readers - awaited, readers - awaited == 1 ? " reader waiting" :
		      " readers waiting");
	}
	buf_char(b, '}');
	return true;
}

/*
 * Until 1.17 the state was that part of state1, an array of three words of 32 bits,
 * which lies on a multiple of 8: this depends on the address.
 */
static bool state_before_18(struct value_ctx *v, const struct value_what *w, int64_t *ret)
{
	const struct gofield *f = value_known_field(w->t, "state1", GOTYPE_ARRAY, 12);
	const struct record_chunk *c = value_mem_holder(&v->mem, w->p);
	const uint8_t *p;

	if (!f || !c || !f->type->elem || f->type->elem->size != 4)
		return false;
	p = w->p + f->offset;
	*ret = (int64_t)load_u64(p + ((c->address + (uint64_t)(p - c->data)) % 8 ? 4 : 0));
	return true;
}

static bool show_waitgroup(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	int64_t state, waiters;

	/* state1 in 1.18 and 1.19 */
	if (!number(w, "state", &state) && !number(w, "state1", &state) &&
	    !state_before_18(v, w, &state))
		return false;
	begin(b, w);
	buf_str(b, "counter: ");
	buf_i64(b, state >> 32);
	waiters = state & WAITGROUP_WAITERS;
	if (waiters) {
		buf_str(b, ", ");
		count(b, waiters, " waiting");
	}
	buf_char(b, '}');
	return true;
}

static bool show_once(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	int64_t done;

	(void)v;
	if (!number(w, "done", &done))
		return false;
	begin(b, w);
	buf_str(b, done ? "done" : "not done");
	buf_char(b, '}');
	return true;
}

static bool held(struct value_ctx *v, struct buf *b, const struct value_what *w,
		 const struct gotype *t, const struct gofield *f)
{
	bool convert = value_text_convert(b, w->t, w->place);

	value_text_put(v, b, t, w->p + f->offset, t->size, VALUE_FIELD);
	if (convert)
		buf_char(b, ')');
	return true;
}

/* What holds nothing but a "v" looks like its content. */
static bool show_atomic(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const enum gotype_kind kinds[] = { GOTYPE_INT, GOTYPE_UINT, GOTYPE_INTERFACE };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct gofield *f = value_known_field(w->t, "v", kinds[i], 0);

		if (f)
			return held(v, b, w, f->type, f);
	}
	return false;
}

static bool show_atomic_bool(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	bool convert;
	int64_t n;

	(void)v;
	if (!number(w, "v", &n))
		return false;
	convert = value_text_convert(b, w->t, w->place);
	buf_str(b, n ? "true" : "false");
	if (convert)
		buf_char(b, ')');
	return true;
}

/* It holds an unsafe.Pointer; a field without size has the type that it points to. */
static bool show_atomic_pointer(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "v", GOTYPE_POINTER, 8);
	const struct gotype *t = f ? gotype_mentioned(w->t) : NULL;

	return t && held(v, b, w, t, f);
}

/*
 * It points to a word with the object's address, which the collector clears. JSON has the state
 * alone.
 */
static bool show_weak(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "u", GOTYPE_POINTER, 8);
	const struct gotype *t = f ? gotype_mentioned(w->t) : NULL;
	const uint8_t *word = NULL;
	const char *why = NULL;
	bool convert;

	if (!t)
		return false;
	if (value_word(w->p + f->offset))
		word = value_object(v, &(struct value_from){ f->type, w->p + f->offset }, t,
				    value_word(w->p + f->offset), &why);
	if (why)
		return false;
	convert = !w->exact && value_text_convert(b, w->t, w->place);
	if (!word)
		buf_str(b, "nil");
	else if (!value_word(word))
		buf_str(b, "dead");
	else if (w->exact)
		buf_str(b, "live");
	else
		value_text_put(v, b, t, word, t->size, VALUE_FIELD);
	if (convert)
		buf_char(b, ')');
	return true;
}

bool value_sync_map(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct value_entries *e = value_map_get_sync(v, w->t, w->p);

	if (!e)
		return false;
	if (w->place != VALUE_LIST)
		value_text_name(b, value_type_name(w->t));
	value_map_sort(v, &value_sync_map_type, e);
	value_braces(v, b, &(struct value_list){
		.type = &value_sync_map_type, .entries = e, .n = e->n, .len = e->len,
		.cut = e->cut,
	});
	value_map_put(v, e);
	return true;
}

const struct value_known value_known_sync[] = {
	JSON("weak.Pointer[", GOTYPE_STRUCT, show_weak),
	{ .name = "sync.Mutex", .kind = GOTYPE_STRUCT, .text = show_mutex },
	{ .name = "sync.RWMutex", .kind = GOTYPE_STRUCT, .text = show_rwmutex },
	{ .name = "sync.WaitGroup", .kind = GOTYPE_STRUCT, .text = show_waitgroup },
	{ .name = "sync.Map", .kind = GOTYPE_STRUCT, .text = value_sync_map },
	{ .name = "sync.Once", .kind = GOTYPE_STRUCT, .text = show_once },
	{ .name = "sync/atomic.Int32", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Int64", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Uint32", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Uint64", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Uintptr", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Value", .kind = GOTYPE_STRUCT, .text = show_atomic },
	{ .name = "sync/atomic.Bool", .kind = GOTYPE_STRUCT, .text = show_atomic_bool },
	{ .name = "sync/atomic.Pointer[", .kind = GOTYPE_STRUCT, .text = show_atomic_pointer },
	{ 0 },
};
