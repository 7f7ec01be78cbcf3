// SPDX-License-Identifier: GPL-2.0
/*
 * A record and the values in it, with types that fit nothing. The input makes
 * types (cyclic ones too), a record on the wire, what its words are: mostly
 * addresses of chunks, so that walks have somewhere to go; and a plan, so that
 * what is missing has a reason.
 */
#include "fuzz.h"

#include "gobin/runtime_layout.h"
#include "gotype/type.h"
#include "plan/not_captured.h"
#include "plan/plan.h"
#include "recording/redact.h"
#include "value/decode.h"
#include "value/path.h"

#define TYPES 16
#define FIELDS 4
#define REFS 3
#define PLANS 4
#define CHUNKS 40
#define BASE 0x1000U
#define STEP 0x40U

static const char *const type_names[] = {
	"int", "main.T", "[]uint8", "string", "time.Time", "time.Duration",
	"time.Month", "time.Weekday", "sync.Mutex", "sync.RWMutex",
	"sync.WaitGroup", "sync.Once", "sync/atomic.Int64", "sync/atomic.Bool",
	"sync/atomic.Pointer[main.T]", "sync/atomic.Value", "net.IP", "io/fs.FileMode",
	"*errors.errorString", "errors.errorString", "fmt.wrapError",
	"fmt.wrapErrors", "io/fs.PathError", "os.LinkError", "net.OpError",
	"syscall.Errno", "strconv.NumError", "context.Context",
	"*context.valueCtx", "context.valueCtx", "context.cancelCtx",
	"context.timerCtx", "context.emptyCtx", "*context.cancelCtx", "error",
	"interface {}", "map[string]int", "runtime.errorString", "", NULL,
};

static const char *const field_names[] = {
	"a", "_", "wall", "ext", "loc", "state", "sema", "mu", "w", "readerCount",
	"readerWait", "m", "done", "v", "key", "val", "Context", "cancelCtx",
	"timer", "deadline", "err", "cause", "msg", "errs", "s", "Op", "Path",
	"Err", "Old", "New", "Net", "Source", "Addr", "Func", "Num", "c", "Name",
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct world {
	struct gotype types[TYPES];
	struct gofield fields[TYPES][FIELDS];
	struct gomap maps[TYPES];
	const struct runtime_layout *layout;
	struct record record;
	int64_t frame;
	struct goprobe_type wire_types[TYPES];
	struct goprobe_ref refs[TYPES * REFS];
	struct goprobe_plan plans[PLANS];
	struct plan plan;
};

static uint64_t size_of(struct feed *f, enum gotype_kind kind)
{
	static const uint8_t usual[] = {
		[GOTYPE_UNKNOWN] = 8, [GOTYPE_BOOL] = 1, [GOTYPE_INT] = 8,
		[GOTYPE_UINT] = 8, [GOTYPE_FLOAT] = 8, [GOTYPE_COMPLEX] = 16,
		[GOTYPE_STRING] = 16, [GOTYPE_SLICE] = 24, [GOTYPE_ARRAY] = 32,
		[GOTYPE_STRUCT] = 32, [GOTYPE_POINTER] = 8,
		[GOTYPE_INTERFACE] = 16, [GOTYPE_MAP] = 8, [GOTYPE_CHAN] = 8,
		[GOTYPE_FUNC] = 8,
	};
	uint8_t how = feed_u8(f);

	if (how < 0xa0)
		return usual[kind];
	return how < 0xf8 ? how - 0xa0U : feed_u64(f);
}

static const struct gotype *some_type(struct world *w, struct feed *f)
{
	uint8_t i = feed_u8(f);

	return i % 32 < TYPES ? &w->types[i % 32] : NULL;
}

static void make_type(struct world *w, struct feed *f, size_t i)
{
	struct gotype *t = &w->types[i];

	t->kind = feed_u8(f) % (GOTYPE_FUNC + 1);
	t->name = type_names[feed_u8(f) % N(type_names)];
	t->size = size_of(f, t->kind);
	t->align = 8;
	t->empty = feed_u8(f) & 1;
	t->elem = some_type(w, f);
	t->key = some_type(w, f);
	t->count = feed_u8(f) < 0xf0 ? feed_u8(f) % 9 : feed_u64(f);
	if (t->kind == GOTYPE_STRUCT) {
		t->fields = w->fields[i];
		t->nfields = feed_u8(f) % (FIELDS + 1);
		for (size_t k = 0; k < t->nfields; k++) {
			struct gofield *field = &w->fields[i][k];

			field->name = field_names[feed_u8(f) % N(field_names)];
			field->type = some_type(w, f);
			field->offset = feed_u8(f) < 0xf0 ? feed_u8(f) % 64 : feed_u64(f);
			field->embedded = feed_u8(f) & 1;
			if (!field->type)
				field->type = &w->types[0];
		}
	}
	if (t->kind == GOTYPE_MAP && feed_u8(f) < 0xf0) {
		struct gomap *m = &w->maps[i];

		m->swiss = feed_u8(f) & 1;
		m->size = feed_u8(f) < 0xf0 ? 8U + feed_u8(f) * 2U : feed_u32(f);
		m->key_at = feed_u8(f);
		m->key_stride = feed_u8(f);
		m->elem_at = feed_u8(f) < 0xf0 ? feed_u8(f) : feed_u32(f);
		m->elem_stride = feed_u8(f);
		m->key_indirect = feed_u8(f) & 1;
		m->elem_indirect = feed_u8(f) & 1;
		t->map = m;
	}
}

/* Words of memory. */
static void make_words(struct feed *f, uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		uint8_t how = feed_u8(f);
		uint64_t v;

		if (how < 0x80)
			v = BASE + how % CHUNKS * STEP;
		else if (how < 0xe0)
			v = how & 0x3f;
		else
			v = feed_u64(f);
		memcpy(p + i, &v, sizeof(v));
	}
}

/* A record as the kernel sends it; the number of its bytes. */
static size_t make_record(struct world *w, struct feed *f, uint8_t *p, size_t space)
{
	struct goprobe_record h = {
		.kind = GOPROBE_RECORD_CALL, .flags = feed_u8(f),
	};
	size_t n = sizeof(h), chunks = feed_u8(f) % CHUNKS;

	w->frame = feed_u8(f);
	make_words(f, p + n, (size_t)(w->frame + 7) & ~7ULL);
	n += (size_t)(w->frame + 7) & ~7ULL;
	for (size_t i = 0; i < chunks; i++) {
		uint8_t how = feed_u8(f);
		struct goprobe_chunk c = {
			.address = BASE + i * STEP + (how & 7) * 8,
			.type = how & 8 ? GOPROBE_TYPE_BYTES : how & 16 ?
				GOPROBE_TYPE_ITAB : how & 32 ? GOPROBE_TYPE_CODE :
				how & 64 ? GOPROBE_TYPE_MISSED : how % TYPES,
			.size = feed_u8(f), .status = how & 128 ? feed_u8(f) : 0,
			.level = 1,
		};
		size_t size = (c.size + 7U) & ~7U;

		if (n + sizeof(c) + size > space)
			break;
		memcpy(p + n, &c, sizeof(c));
		n += sizeof(c);
		make_words(f, p + n, size);
		n += size;
	}
	h.words = n / 8;
	memcpy(p, &h, sizeof(h));
	return n;
}

/* The tables are the tool's own, so they are in order; they need not fit the types. */
static void make_plan(struct world *w, struct feed *f)
{
	for (uint32_t i = 0; i < TYPES; i++) {
		w->wire_types[i] = (struct goprobe_type){
			.size = feed_u8(f), .ref = i * REFS,
			.nrefs = feed_u8(f) % (REFS + 1),
		};
		for (uint32_t k = 0; k < w->wire_types[i].nrefs; k++)
			w->refs[i * REFS + k] = (struct goprobe_ref){
				.offset = feed_u8(f) % 8 * 8,
				.kind = 1 + feed_u8(f) % GOPROBE_REF_MAX,
				.flags = feed_u8(f) & GOPROBE_REF_F_ALL,
			};
	}
	for (uint32_t i = 0; i < PLANS; i++)
		w->plans[i] = (struct goprobe_plan){
			.type = feed_u8(f) % (TYPES + 2), .depth = feed_u8(f) % 4,
		};
	w->plan = (struct plan){
		.o = &plan_defaults,
		.types = w->wire_types, .ntypes = TYPES, .refs = w->refs,
		.nrefs = TYPES * REFS, .plans = w->plans, .nplans = feed_u8(f) % (PLANS + 1),
	};
}

static int64_t frame_size(void *ctx, uint32_t plan)
{
	const struct world *w = ctx;

	return plan > 3 ? -1 : w->frame;
}

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	struct world *w = ctx;

	if (address % 3 == 1)
		return false;
	ret->type = address % 3 ? &w->types[address / STEP % TYPES] : NULL;
	ret->name = type_names[address / STEP % (N(type_names) - 1)];
	ret->direct = address & 8;
	return true;
}

static bool func(void *ctx, uint64_t code, struct value_func *ret)
{
	struct world *w = ctx;

	if (code & 8)
		return false;
	ret->name = code & 16 ? "main.f.func1" : NULL;
	ret->closure = code & 32 ? &w->types[code / STEP % TYPES] : NULL;
	return true;
}

static const char *unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			  const struct gotype *t)
{
	struct world *w = ctx;
	const char *why;

	/* Other than here, each type has a name. */
	if (t->elem && !t->elem->name)
		return NULL;
	why = not_captured_why(&w->plan, &w->record, c, offset, t);
	FUZZ_HOLDS(!why || why == VALUE_DEEP || why[0]);
	return why;
}

static const struct runtime_layout *layout(void *ctx)
{
	struct world *w = ctx;

	return w->layout;
}

/* Text that any terminal may show, on one line unless lines were asked for. */
static void check_text(const struct buf *b, bool lines)
{
	for (size_t i = 0, len; i < b->len; i += len) {
		uint32_t c;

		len = quote_utf8((uint8_t *)b->p + i, b->len - i, &c);
		FUZZ_HOLDS(len && (c >= 0x20 || (lines && c == '\n')) &&
			   (c < 0x7f || c > 0x9f));
	}
}

static void show(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 size_t len, unsigned int width)
{
	struct buf b = { 0 };

	v->width = width;
	value_start(v, &b);
	value_text(v, &b, t, p, len);
	FUZZ_HOLDS(b.len < 4 * VALUE_TEXT_MAX);
	check_text(&b, width);
	b.len = 0;
	buf_str(&b, "{\"type\":\"T\",");
	value_start(v, &b);
	value_json(v, &b, t, p, len);
	buf_char(&b, '}');
	FUZZ_HOLDS(b.len < 8 * VALUE_TEXT_MAX);
	FUZZ_HOLDS(json_is_valid(b.p, b.len));
	buf_fini(&b);
}

static void step(struct value_ctx *v, struct feed *f, struct value_at at)
{
	struct value_key key = { .kind = GOTYPE_STRING, .s = "key", .n = 3 };
	uint64_t n;

	for (int i = 0; i < 6; i++) {
		uint8_t how = feed_u8(f);

		value_step_len(v, &at, &n);
		value_step_cap(v, &at, &n);
		switch (how % 5) {
		case 0:
			value_step_field(v, &at, field_names[how % N(field_names)]);
			break;
		case 1:
			value_step_index(v, &at, how / 5);
			break;
		case 2:
			if (how & 64)
				key = (struct value_key){ .kind = GOTYPE_INT, .i = how };
			value_step_key(v, &at, &key);
			break;
		case 3:
			value_step_pointer(v, &at);
			break;
		case 4:
			value_step_dynamic(v, &at);
			break;
		}
	}
}

/* Values of maps are cleared within the record, whatever the types are. */
static void redact(struct world *w, const uint8_t *wire, size_t n)
{
	static struct redactor r;
	const struct gotype *gotypes[TYPES];
	uint8_t *copy = malloc(n);

	if (n && !copy)
		abort();
	if (n)
		memcpy(copy, wire, n);
	for (size_t i = 0; i < TYPES; i++) {
		gotypes[i] = &w->types[i];
		if (w->types[i].map)
			w->wire_types[i].size = w->types[i].map->size;
	}
	w->plan.gotypes = gotypes;
	memset(&r, 0, sizeof(r));
	redact_records(&r, &w->plan, copy, n);
	w->plan.gotypes = NULL;
	free(copy);
}

int fuzz_value(const uint8_t *data, size_t size)
{
	static struct value_ctx v;
	static struct world w;
	static uint8_t wire[sizeof(struct goprobe_record) + 256 +
			    CHUNKS * (sizeof(struct goprobe_chunk) + 256)]
		__attribute__((aligned(8)));
	struct feed feed = { data, size };
	struct value_env env = {
		.ctx = &w, .dynamic = dynamic, .func = func, .layout = layout,
		.unread = unread,
	};
	uint8_t how = feed_u8(&feed);
	const char *why;
	uint8_t *copy;
	size_t n;

	memset(&w, 0, sizeof(w));
	w.layout = how & 64 ? NULL : runtime_layout_get(13 + how % 16);
	for (size_t i = 0; i < TYPES; i++)
		make_type(&w, &feed, i);
	if (how & 128) {
		/* The rest as it is. */
		w.frame = feed_u8(&feed);
		n = feed.n < sizeof(wire) ? feed.n : sizeof(wire);
		feed_bytes(&feed, wire, n);
	} else {
		n = make_record(&w, &feed, wire, sizeof(wire));
	}
	make_plan(&w, &feed);
	/* So that what is read behind the end is seen. */
	copy = malloc(n);
	if (n && !copy)
		abort();
	if (n)
		memcpy(copy, wire, n);
	if (record_decode(copy, n, frame_size, &w, &w.record, &why) >= 0 &&
	    w.record.frame) {
		value_init(&v, &env);
		value_record(&v, &w.record);
		for (size_t i = 0, at = 0; i < 4 && at < w.record.frame_size; i++) {
			const struct gotype *t = &w.types[i];
			struct value_at from = {
				t, w.record.frame + at, w.record.frame_size - at,
			};

			show(&v, t, from.p, from.len, i & 1 ? 60 : 0);
			step(&v, &feed, from);
			at += t->size < 256 ? (t->size + 7) & ~7ULL : 8;
		}
		value_missed(&w.record, how % 4);
		value_fini(&v);
	}
	free(copy);
	redact(&w, wire, n);
	return 0;
}
