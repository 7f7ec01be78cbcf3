// SPDX-License-Identifier: GPL-2.0
/* The places in a Go type that refer to other memory. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plan/reference.h"
#include "value/std.h"

#define WORD 8U
/* Elements of an array whose references are followed. */
#define ARRAY_MAX 64U
/* Types inside types; those who make them allow no more. */
#define NESTING_MAX 80
#define SLOTS 8U
/* goprobe_chunk.size is 16 bits wide. */
#define OBJECT_MAX 65528U

/*
 * A bucket or group has 8 slots, but after a map has grown only 3.25 and 3.5 of
 * them are in use, and 1.75 in a table that rounded up. With 2 slots counted
 * for each, a map that has no more entries than the limit is shown whole.
 */
#define GROUP_SHIFT 2
/* A directory has several entries only when tables have 1024 slots. */
#define DIR_SHIFT 6

/* Of these types only some fields are followed: the rest would drown what matters. */
static const struct trim {
	const char *type;
	const char *fields[4];
} trims[] = {
	/* The table of a zone's changes is long and its own. */
	{ "time.Location", { "name", "cacheZone" } },
	/* Up the tree, not down to all children. */
	{ "context.cancelCtx", { "Context", "err", "cause" } },
	{ "context.timerCtx", { "cancelCtx", "deadline" } },
	{ "context.afterFuncCtx", { "cancelCtx" } },
	/* Of a message's type, not of the message. */
	{ "google.golang.org/protobuf/internal/impl.MessageState", { NULL } },
	/* Caches and tries, by unsafe pointers for the most part. */
	{ "sync.Pool", { NULL } },
	{ "sync.Map", { "m" } },
	{ "sync.Cond", { "L" } },
	{ "internal/sync.HashTrieMap", { NULL } },
};

/*
 * Without what these fields refer to nobody can say what the value is: what an error wraps is
 * part of what it says. A name that ends in [ is a generic type's.
 */
static const struct trim parts[] = {
	{ "errors.joinError", { "errs" } },
	/* Their messages have those of what they wrap. */
	{ "fmt.wrapError", { NULL } },
	{ "fmt.wrapErrors", { NULL } },
	{ "github.com/pkg/errors.withMessage", { "cause" } },
	{ "github.com/pkg/errors.withStack", { "error" } },
	{ "io/fs.PathError", { "Err" } },
	{ "os.LinkError", { "Err" } },
	{ "os.SyscallError", { "Err" } },
	{ "os/exec.Error", { "Err" } },
	{ "net.OpError", { "Source", "Addr", "Err" } },
	{ "net/url.Error", { "Err" } },
	{ "strconv.NumError", { "Err" } },
	{ "encoding/json.MarshalerError", { "Err" } },
	{ "encoding/json.UnmarshalTypeError", { "Err" } },
	{ "net/netip.Addr", { "z" } },
	{ "internal/intern.Value", { "cmpVal" } },
	{ "unique.Handle[", { "value" } },
	{ "math/big.Int", { "abs" } },
	{ "math/big.Float", { "mant" } },
	{ "log/slog.Value", { "any" } },
};

/* Whose types are the runtime's own affair: goroutines, type descriptors ... */
static const char *const internals[] = {
	"runtime.", "internal/abi.", "internal/runtime/", "runtime/internal/", "reflect.rtype",
};

/*
 * Go aligns references. The module refuses other places, which damaged debug
 * information may have: they show as not followed.
 */
static void add(struct reference *r, struct wire_ref ref)
{
	if (r->n < REFERENCE_MAX && ref.ref.offset <= OBJECT_MAX &&
	    ref.ref.offset % WORD == 0)
		r->v[r->n++] = ref;
}

/* No record has these bytes, and nothing is followed from them. */
static void add_wipe(struct reference *r, uint64_t offset, uint64_t size)
{
	if (!size || offset > OBJECT_MAX)
		return;
	if (r->nwipes == WIREWIPES_MAX || size > OBJECT_MAX) {
		r->nwipes = 0;
		offset = 0;
		size = OBJECT_MAX;
	}
	r->wipes[r->nwipes++] = (struct wire_wipe){ (uint32_t)offset, (uint32_t)size };
}

/* The map in a sync.Map, since 1.24. */
static const char sync_map[] = "internal/sync.HashTrieMap[interface {},interface {}]";

/* Its keys and values. */
static const struct gotype any = {
	.kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 2 * WORD, .align = WORD,
	.empty = true,
};

static bool is_internal(const struct gotype *t)
{
	for (size_t i = 0; i < sizeof(internals) / sizeof(*internals); i++) {
		size_t n = strlen(internals[i]);

		if (strncmp(t->name, internals[i], n) != 0)
			continue;
		/* runtime.TypeAssertionError and the like are for everybody. */
		return internals[i][n - 1] != '.' || !isupper((unsigned char)t->name[n]);
	}
	return false;
}

bool reference_follows(const struct gotype *t)
{
	return t->kind != GOTYPE_POINTER || (t->elem && !is_internal(t->elem));
}

static const struct trim *trim_of(const struct gotype *t)
{
	for (size_t i = 0; i < sizeof(trims) / sizeof(*trims); i++)
		if (strcmp(t->name, trims[i].type) == 0)
			return &trims[i];
	return NULL;
}

static bool is_followed(const struct trim *trim, const char *field)
{
	if (!trim)
		return true;
	for (size_t i = 0; i < sizeof(trim->fields) / sizeof(*trim->fields); i++)
		if (trim->fields[i] && strcmp(trim->fields[i], field) == 0)
			return true;
	return false;
}

static bool is_swiss(const struct reference *r)
{
	return r->layout->minor >= 24;
}

uint64_t reference_size(const struct runtime_layout *layout, const struct gotype *t,
			enum wire_role role)
{
	const uint64_t sizes[] = {
		[WIRE_VALUE] = t ? t->size : 0, [WIRE_HMAP] = layout->hmap.size,
		[WIRE_SWISS] = layout->swiss.size, [WIRE_BUCKET] = t && t->map ? t->map->size : 0,
		[WIRE_GROUP] = t && t->map ? t->map->size : 0, [WIRE_DIR] = WORD,
		[WIRE_TABLE] = layout->swiss.table_size, [WIRE_CHAN] = layout->chan.size,
		[WIRE_SUDOG] = layout->sudog.size, [WIRE_TRIE] = layout->trie.size,
		[WIRE_ERROR] = t ? t->size : 0,
	};
	uint64_t size = sizes[role];

	return size <= OBJECT_MAX ? size : 0;
}

static void add_pointer(struct reference *r, uint64_t offset, const struct gotype *to,
			enum wire_role role, uint8_t flags)
{
	add(r, (struct wire_ref){
		.ref = {
			.offset = (uint32_t)offset,
			.kind = GOPROBE_REF_POINTER,
			.flags = flags,
		},
		.to = to,
		.role = role,
	});
}

static void add_array(struct reference *r, struct goprobe_ref ref, const struct gotype *to,
		      enum wire_role role)
{
	ref.kind = GOPROBE_REF_ARRAY;
	ref.flags = GOPROBE_REF_F_SAME_LEVEL;
	add(r, (struct wire_ref){ .ref = ref, .to = to, .role = role });
}

static void add_kind(struct reference *r, uint64_t offset, uint8_t kind,
		     const struct gotype *to, uint8_t flags)
{
	add(r, (struct wire_ref){
		.ref = { .offset = (uint32_t)offset, .kind = kind, .flags = flags },
		.to = to,
	});
}

/* --- errors ------------------------------------------------------------------------ */

/* Pointers between an error and its text that are part of the error. */
#define TEXT_STEPS 3

/* Is a string in the value itself? */
static bool has_text(const struct gotype *t, int depth)
{
	if (t->kind == GOTYPE_STRING)
		return true;
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && depth < NESTING_MAX && i < t->nfields; i++)
		if (has_text(t->fields[i].type, depth + 1))
			return true;
	return false;
}

/* Is there a string at most @steps pointers behind the pointer type @t? */
static bool leads_to_text(const struct gotype *t, int steps)
{
	if (!steps || t->kind != GOTYPE_POINTER || !t->elem || is_internal(t->elem))
		return false;
	if (has_text(t->elem, 0))
		return true;
	for (size_t i = 0; t->elem->kind == GOTYPE_STRUCT && i < t->elem->nfields; i++)
		if (leads_to_text(t->elem->fields[i].type, steps - 1))
			return true;
	return false;
}

static bool is_error(const struct gotype *t)
{
	return t && t->kind == GOTYPE_INTERFACE && strcmp(t->name, "error") == 0;
}

/*
 * Does field @f of @t, an error or what leads from it to its text, say what the error says? What it
 * wraps does. Where it has no text of its own, what leads to text does.
 */
static bool says(const struct gotype *t, const struct gofield *f)
{
	switch (f->type->kind) {
	case GOTYPE_INTERFACE:
		return is_error(f->type);
	case GOTYPE_SLICE:
		return is_error(f->type->elem);
	default:
		return !has_text(t, 0) && leads_to_text(f->type, TEXT_STEPS);
	}
}

/* A slice that is an error, or what an error wraps: the errors in it are part of it. */
static bool is_errors(const struct reference *r, const struct gotype *t, int depth)
{
	return r->error && t->elem->kind == GOTYPE_INTERFACE && !t->elem->empty &&
	       (!depth || is_error(t->elem));
}

/* --- values ------------------------------------------------------------------------ */

static void add_value(struct reference *r, const struct gotype *t, uint64_t offset, bool top,
		      int depth);

static void add_elements(struct reference *r, const struct gotype *t, uint64_t offset, bool top,
			 int depth)
{
	uint64_t n = t->count < ARRAY_MAX ? t->count : ARRAY_MAX;

	for (uint64_t i = 0; i < n; i++) {
		size_t before = r->n + r->nwipes;

		add_value(r, t->elem, offset + i * t->elem->size, top, depth);
		if (r->n + r->nwipes == before)
			break;
	}
}

static bool is_instance(const struct gotype *t, const char *generic)
{
	return !strncmp(t->name, generic, strlen(generic));
}

const struct gotype *reference_field_type(const struct gotype *t, const struct gofield *f)
{
	if (f->type->kind != GOTYPE_POINTER || !is_instance(t, "sync/atomic.Pointer["))
		return f->type;
	return gotype_mentioned(t) ?: f->type;
}

/* A weak.Pointer[T] points to a word with the address of the T, or 0: that of a *T. */
static bool add_weak(struct reference *r, const struct gotype *t, const struct gofield *f,
		     uint64_t offset)
{
	const struct gotype *to = gotype_mentioned(t);

	if (f->type->kind != GOTYPE_POINTER || !to || !is_instance(t, "weak.Pointer["))
		return false;
	add_pointer(r, offset, to, WIRE_VALUE, GOPROBE_REF_F_SAME_LEVEL);
	return true;
}

/*
 * If the interface of a slog.Value stands for a string, its data word is where that is, and the
 * number is its length. Otherwise a few bytes too many are copied.
 */
static void add_slog(struct reference *r, const struct gotype *t, const struct gofield *any,
		     uint64_t offset)
{
	static const struct gotype byte = { .kind = GOTYPE_UINT, .name = "uint8", .size = 1 };
	const struct gofield *num = NULL;

	if (strcmp(t->name, "log/slog.Value") != 0 || any->type->kind != GOTYPE_INTERFACE)
		return;
	for (size_t i = 0; i < t->nfields; i++)
		if (!strcmp(t->fields[i].name, "num") && t->fields[i].type->size == WORD)
			num = &t->fields[i];
	if (num)
		add_array(r, (struct goprobe_ref){
			.offset = (uint32_t)(offset + any->offset + WORD),
			.count_offset = (uint32_t)(offset + num->offset),
			.count_size = WORD,
			.count = GOPROBE_COUNT_N,
		}, &byte, WIRE_VALUE);
}

static const struct trim *parts_of(const struct gotype *t)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		size_t n = strlen(parts[i].type);

		if (strncmp(t->name, parts[i].type, n) == 0 &&
		    (!t->name[n] || parts[i].type[n - 1] == '['))
			return &parts[i];
	}
	return NULL;
}

/*
 * Is what the field refers to part of @t, and no further away than @t itself? @error: a value of @t
 * is an error, or leads from one to its text.
 */
static bool is_part(const struct gotype *t, const struct gofield *f, bool error)
{
	const struct trim *known = parts_of(t);

	/* A chain of contexts is one thing, however long. */
	if (f->embedded && strcmp(f->type->name, "context.Context") == 0)
		return true;
	return known ? is_followed(known, f->name) : error && says(t, f);
}

/* The reference @ref is part of what it stands in, and with that of an error. */
static void make_part(struct reference *r, struct wire_ref *ref)
{
	ref->ref.flags |= GOPROBE_REF_F_SAME_LEVEL;
	if (r->error && ref->ref.kind == GOPROBE_REF_POINTER && ref->role == WIRE_VALUE)
		ref->role = WIRE_ERROR;
}

/* Its nodes are as near as the map is. */
static void add_trie(struct reference *r, const struct gotype *t, uint64_t offset)
{
	for (size_t i = 0; i < t->nfields && r->layout->trie.size; i++)
		if (strcmp(t->fields[i].name, "root") == 0)
			add_pointer(r, offset + t->fields[i].offset, t, WIRE_TRIE,
				    GOPROBE_REF_F_SAME_LEVEL);
}

static void add_fields(struct reference *r, const struct gotype *t, uint64_t offset, bool top,
		       int depth)
{
	const struct trim *trim = trim_of(t);

	if (strcmp(t->name, sync_map) == 0)
		add_trie(r, t, offset);
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];
		size_t before = r->n;

		if (secret_is_field(r->secrets, f)) {
			add_wipe(r, offset + f->offset, f->type->size);
			continue;
		}
		if (!is_followed(trim, f->name) || add_weak(r, t, f, offset + f->offset))
			continue;
		add_value(r, reference_field_type(t, f), offset + f->offset, top, depth);
		if (r->n == before + 1 && is_part(t, f, r->error))
			make_part(r, &r->v[before]);
		add_slog(r, t, f, offset);
	}
}

static void add_slice(struct reference *r, const struct gotype *t, uint64_t offset, bool top,
		      int depth)
{
	bool errors = is_errors(r, t, depth);
	bool part = errors || (!top && value_known_is_part(t));

	add(r, (struct wire_ref){
		.ref = {
			.offset = (uint32_t)offset,
			.kind = GOPROBE_REF_SLICE,
			.flags = part ? GOPROBE_REF_F_SAME_LEVEL : 0,
		},
		.to = t->elem,
		.role = errors ? WIRE_ERROR : WIRE_VALUE,
	});
}

static void add_value(struct reference *r, const struct gotype *t, uint64_t offset, bool top,
		      int depth)
{
	if (depth == NESTING_MAX)
		return;
	if (secret_is_type(r->secrets, t)) {
		add_wipe(r, offset, t->size);
		return;
	}
	switch (t->kind) {
	case GOTYPE_STRING:
		/*
		 * Its bytes are part of what it stands in. In a frame it costs
		 * nothing to count them, and the kernel's shorter way takes no flags.
		 */
		add_kind(r, offset, GOPROBE_REF_STRING, NULL,
			 top ? 0 : GOPROBE_REF_F_SAME_LEVEL);
		break;
	case GOTYPE_SLICE:
		if (t->elem)
			add_slice(r, t, offset, top, depth);
		break;
	case GOTYPE_INTERFACE:
		/* As an object of an error it is an error among several. */
		add_kind(r, offset, t->empty ? GOPROBE_REF_EFACE : GOPROBE_REF_IFACE, t,
			 r->error && !depth ? GOPROBE_REF_F_SAME_LEVEL : 0);
		break;
	case GOTYPE_FUNC:
		add_kind(r, offset, GOPROBE_REF_FUNC, NULL, 0);
		break;
	case GOTYPE_POINTER:
		/* A time is incomplete without its zone. */
		if (t->elem && (top || reference_follows(t)))
			add_pointer(r, offset, t->elem,
				    r->error && !depth ? WIRE_ERROR : WIRE_VALUE,
				    strcmp(t->elem->name, "time.Location") == 0 ?
				    GOPROBE_REF_F_SAME_LEVEL : 0);
		break;
	case GOTYPE_MAP:
		add_pointer(r, offset, t, is_swiss(r) ? WIRE_SWISS : WIRE_HMAP, 0);
		break;
	case GOTYPE_CHAN:
		add_pointer(r, offset, t, WIRE_CHAN, 0);
		break;
	case GOTYPE_ARRAY:
		add_elements(r, t, offset, top, depth + 1);
		break;
	case GOTYPE_STRUCT:
		add_fields(r, t, offset, top, depth + 1);
		break;
	default:
		break;
	}
}

static void add_slots(struct reference *r, const struct gotype *t, uint32_t at, uint32_t stride,
		      bool indirect)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		if (indirect)
			add_pointer(r, at + i * stride, t, WIRE_VALUE,
				    GOPROBE_REF_F_SAME_LEVEL);
		else
			add_value(r, t, at + i * stride, false, 0);
	}
}

static void add_hmap(struct reference *r, const struct gotype *t)
{
	const struct runtime_layout_hmap *l = &r->layout->hmap;
	struct goprobe_ref ref = {
		.offset = l->buckets,
		.count_offset = l->b,
		.count_size = 1,
		.count = GOPROBE_COUNT_LOG2,
		.elements_shift = GROUP_SHIFT,
	};

	add_array(r, ref, t, WIRE_BUCKET);
	ref.offset = l->oldbuckets;
	ref.count_offset = l->flags;
	ref.count_size = 2;
	ref.count = GOPROBE_COUNT_FLAGS_LOG2;
	add_array(r, ref, t, WIRE_BUCKET);
}

static void add_swiss(struct reference *r, const struct gotype *t)
{
	const struct runtime_layout_swiss *l = &r->layout->swiss;
	struct goprobe_ref ref = {
		.offset = l->dir_ptr,
		.count_offset = l->dir_len,
		.count_size = WORD,
		.count = GOPROBE_COUNT_N,
		.elements_shift = DIR_SHIFT,
	};

	add_array(r, ref, t, WIRE_DIR);
	ref.count = GOPROBE_COUNT_IF_0;
	add_array(r, ref, t, WIRE_GROUP);
}

static void add_table(struct reference *r, const struct gotype *t)
{
	const struct runtime_layout_swiss *l = &r->layout->swiss;

	add_array(r, (struct goprobe_ref){
		.offset = l->table_groups,
		.count_offset = l->table_mask,
		.count_size = WORD,
		.count = GOPROBE_COUNT_PLUS_1,
		.elements_shift = GROUP_SHIFT,
	}, t, WIRE_GROUP);
}

static void add_group(struct reference *r, const struct gotype *t)
{
	const struct gomap *m = t->map;

	if (!m)
		return;
	add_slots(r, t->key, m->key_at, m->key_stride, m->key_indirect);
	add_slots(r, t->elem, m->elem_at, m->elem_stride, m->elem_indirect);
	/* A bucket ends in a pointer to its overflow bucket. */
	if (!m->swiss && m->size >= WORD)
		add_pointer(r, m->size - WORD, t, WIRE_BUCKET, GOPROBE_REF_F_SAME_LEVEL);
}

static void add_chan(struct reference *r, const struct gotype *t)
{
	const struct runtime_layout_chan *l = &r->layout->chan;

	if (t->elem)
		add_array(r, (struct goprobe_ref){
			.offset = l->buf,
			.count_offset = l->dataqsiz,
			.count_size = WORD,
			.count = GOPROBE_COUNT_N,
		}, t->elem, WIRE_VALUE);
	add_pointer(r, l->recvq, t, WIRE_SUDOG, GOPROBE_REF_F_SAME_LEVEL);
	add_pointer(r, l->sendq, t, WIRE_SUDOG, GOPROBE_REF_F_SAME_LEVEL);
}

/*
 * The first byte distinguishes entries from inner nodes. Both are read as the larger one, and
 * lead to other nodes only as what they are: an inner node if that is 0, the next entry if it
 * is 1. What would be the key and the value of an inner node are addresses of nodes, which stand
 * for no type.
 */
static void add_node(struct reference *r, const struct gotype *t)
{
	const struct runtime_layout_trie *l = &r->layout->trie;
	struct goprobe_ref ref = {
		.offset = l->overflow,
		.count_offset = l->is_entry,
		.count_size = 1,
		.count = GOPROBE_COUNT_N,
	};

	add_array(r, ref, t, WIRE_TRIE);
	add_value(r, &any, l->key, false, 0);
	add_value(r, &any, l->value, false, 0);
	ref.count = GOPROBE_COUNT_IF_0;
	for (uint32_t i = 0; i < l->nchildren; i++) {
		ref.offset = l->children + i * WORD;
		add_array(r, ref, t, WIRE_TRIE);
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct wire_ref *x = a, *y = b;

	if (x->ref.offset != y->ref.offset)
		return x->ref.offset < y->ref.offset ? -1 : 1;
	return x->ref.count < y->ref.count ? -1 : x->ref.count > y->ref.count;
}

static int wipe_by_offset(const void *a, const void *b)
{
	const struct wire_wipe *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The module wants them in order and apart; damaged debug information may have others. */
static void join_wipes(struct reference *r, uint64_t size)
{
	size_t n = 0;

	qsort(r->wipes, r->nwipes, sizeof(*r->wipes), wipe_by_offset);
	for (size_t i = 0; i < r->nwipes; i++) {
		struct wire_wipe w = r->wipes[i], *last = n ? &r->wipes[n - 1] : NULL;
		uint64_t end = (uint64_t)w.offset + w.size;

		if (w.offset >= size)
			continue;
		if (end > size)
			end = size;
		if (!last || last->offset + last->size < w.offset)
			r->wipes[n++] = (struct wire_wipe){ w.offset, (uint32_t)end - w.offset };
		else if (last->offset + last->size < end)
			last->size = (uint32_t)end - last->offset;
	}
	r->nwipes = n;
}

void reference_sort(struct reference *r, uint64_t size)
{
	qsort(r->v, r->n, sizeof(*r->v), by_offset);
	join_wipes(r, size);
}

void reference_begin(struct reference *r)
{
	r->n = 0;
	r->nwipes = 0;
	r->error = false;
}

void reference_add_frame(struct reference *r, const struct gotype *t, uint64_t offset)
{
	add_value(r, t, offset, true, 0);
}

void reference_keep_texts(struct reference *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].ref.kind == GOPROBE_REF_STRING ||
		    (r->v[i].ref.kind == GOPROBE_REF_IFACE && !strcmp(r->v[i].to->name, "error")))
			r->v[n++] = r->v[i];
	r->n = n;
}

void reference_of(struct reference *r, const struct gotype *t, enum wire_role role)
{
	reference_begin(r);
	r->error = role == WIRE_ERROR;
	switch (role) {
	case WIRE_VALUE:
	case WIRE_ERROR:
		add_value(r, t, 0, false, 0);
		break;
	case WIRE_HMAP:
		add_hmap(r, t);
		break;
	case WIRE_BUCKET:
	case WIRE_GROUP:
		add_group(r, t);
		break;
	case WIRE_SWISS:
		add_swiss(r, t);
		break;
	case WIRE_DIR:
		add_pointer(r, 0, t, WIRE_TABLE, GOPROBE_REF_F_SAME_LEVEL);
		break;
	case WIRE_TABLE:
		add_table(r, t);
		break;
	case WIRE_CHAN:
		add_chan(r, t);
		break;
	case WIRE_SUDOG:
		add_pointer(r, r->layout->sudog.next, t, WIRE_SUDOG,
			    GOPROBE_REF_F_SAME_LEVEL);
		break;
	case WIRE_TRIE:
		add_node(r, t);
		break;
	}
	reference_sort(r, reference_size(r->layout, t, role));
}
