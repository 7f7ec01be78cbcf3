// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of types and signatures. Sizes and alignments are those of amd64
 * (cmd/compile/internal/types/size.go).
 */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "compile/sig_parse.h"
#include "gobin/abi.h"
#include "gotype/funcname.h"

#define WORD 8U
/* A value that is larger is no argument. */
#define SIZE_MOST (1ULL << 30)

#define BASIC(_kind, _name, _size, _align) \
	{ .kind = GOTYPE_##_kind, .name = (_name), .size = (_size), .align = (_align) }

/* Types that exist whether or not the binary has descriptors of them. */
static const struct gotype basic[] = {
	BASIC(BOOL, "bool", 1, 1),
	BASIC(INT, "int", 8, 8), BASIC(INT, "int8", 1, 1), BASIC(INT, "int16", 2, 2),
	BASIC(INT, "int32", 4, 4), BASIC(INT, "int64", 8, 8),
	BASIC(UINT, "uint", 8, 8), BASIC(UINT, "uint8", 1, 1), BASIC(UINT, "uint16", 2, 2),
	BASIC(UINT, "uint32", 4, 4), BASIC(UINT, "uint64", 8, 8), BASIC(UINT, "uintptr", 8, 8),
	BASIC(FLOAT, "float32", 4, 4), BASIC(FLOAT, "float64", 8, 8),
	{ .kind = GOTYPE_COMPLEX, .name = "complex64", .size = 8, .align = 4 },
	BASIC(COMPLEX, "complex128", 16, 8),
	BASIC(STRING, "string", 16, 8), BASIC(INTERFACE, "error", 16, 8),
	{ .kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 16, .align = 8, .empty = true },
	BASIC(POINTER, "unsafe.Pointer", 8, 8),
};

static const struct gotype unknown = { .kind = GOTYPE_UNKNOWN, .name = "?" };

#define N(array) (sizeof(array) / sizeof((array)[0]))

static int wrong(const struct sigparse *s, size_t at, size_t len, struct diag *d)
{
	diag_span(d, s->text, at, len);
	return -1;
}

static struct gotype *make(const struct sigparse *s, const struct typexpr *t,
			   enum gotype_kind kind, uint64_t size, struct diag *d)
{
	struct gotype *g = arena_alloc(s->mem, sizeof(*g));

	if (!g) {
		diag_set(d, "out of memory");
		return NULL;
	}
	g->kind = kind;
	g->name = arena_strdup(s->mem, t->name);
	g->size = size;
	g->align = WORD;
	if (!g->name) {
		diag_set(d, "out of memory");
		return NULL;
	}
	return g;
}

/* --- names ---------------------------------------------------------------- */

/*
 * Types whose short name is the wanted one, and names near it. Those of the
 * standard library's own packages, which programs can't import, are not meant if
 * there is another: atomic.Int32 is that of sync/atomic.
 */
struct search {
	const char *wanted;
	const char *found[4];
	size_t nfound;
	const char *internal[4];
	size_t ninternal;
	struct suggest near;
};

static const char *short_name(const char *name)
{
	const char *slash = NULL;

	for (const char *p = name; *p && *p != '['; p++)
		if (*p == '/')
			slash = p;
	return slash ? slash + 1 : name;
}

static bool is_internal(const char *name)
{
	static const char *const paths[] = { "internal/", "runtime/internal/", "vendor/" };

	for (size_t i = 0; i < N(paths); i++)
		if (strncmp(name, paths[i], strlen(paths[i])) == 0)
			return true;
	return false;
}

static void note(const char **v, size_t *n, size_t cap, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(v[i], name) == 0)
			return;
	if (*n < cap)
		v[(*n)++] = name;
}

static int look(void *ctx, uint64_t vaddr, const char *name)
{
	struct search *s = ctx;
	bool internal = is_internal(name);

	(void)vaddr;
	/* The named ones only. */
	if (strpbrk(name, "*[](){} ") == name || strchr(name, ' '))
		return 0;
	if (strcmp(short_name(name), s->wanted) == 0)
		note(internal ? s->internal : s->found, internal ? &s->ninternal : &s->nfound,
		     N(s->found), name);
	suggest_offer(&s->near, name);
	return 0;
}

static void ambiguous(const struct sigparse *s, const struct typexpr *t, const char **v, size_t n,
		      struct diag *d)
{
	const char *names = "";

	for (size_t i = 0; names && i < n; i++)
		names = arena_printf(s->mem, "%s%s'%s'", names,
				     !i ? "" : i + 1 < n ? ", " : " or ", v[i]);
	diag_set(d, "more than one type is called '%s'", t->name);
	wrong(s, t->at, t->len, d);
	if (names)
		diag_hint(d, "did you mean %s?", names);
}

static void unknown_name(const struct sigparse *s, const struct typexpr *t,
			 const struct search *search, struct diag *d)
{
	diag_set(d, "the binary has no type '%s'", t->name);
	wrong(s, t->at, t->len, d);
	if (suggest_set_hint(&search->near, d))
		return;
	if (!strchr(t->name, '.'))
		diag_hint(d, "types are written with their package, as in 'main.%s'; to show values of a function with a signature, write them after ':'",
			  t->name);
	else
		diag_hint(d, "write what it is made of, such as int64 for time.Duration; unsafe.Pointer stands for any pointer, uintptr for any word");
}

/* Package os calls types of io/fs its own, since 1.16. */
static const struct gotype *aliased(const struct sigparse *s, const char *name)
{
	static const char *const names[][2] = {
		{ "os.DirEntry", "io/fs.DirEntry" }, { "os.FileInfo", "io/fs.FileInfo" },
		{ "os.FileMode", "io/fs.FileMode" }, { "os.PathError", "io/fs.PathError" },
	};

	for (size_t i = 0; i < N(names); i++)
		if (strcmp(names[i][0], name) == 0)
			return gobin_find_type(s->bin, names[i][1]);
	return NULL;
}

static const struct gotype *named(const struct sigparse *s, const struct typexpr *t,
				  struct diag *d)
{
	const struct gotype *alias = aliased(s, t->name);
	struct search search = { .wanted = t->name };

	if (alias)
		return alias;

	for (size_t i = 0; i < N(basic); i++)
		if (strcmp(basic[i].name, t->name) == 0)
			return &basic[i];
	suggest_init(&search.near, t->name);
	gobin_each_rtype(s->bin, look, &search);
	if (search.nfound == 1)
		return gobin_find_type(s->bin, search.found[0]);
	if (search.nfound || search.ninternal > 1)
		ambiguous(s, t, search.nfound ? search.found : search.internal,
			  search.nfound ?: search.ninternal, d);
	else
		unknown_name(s, t, &search, d);
	return NULL;
}

/* --- structs and arrays ------------------------------------------------------ */

static uint64_t align_up(uint64_t n, uint64_t align)
{
	return align > 1 ? (n + align - 1) / align * align : n;
}

/* "Name" of "*pkg.Name[int]": what an embedded field is called. */
static const char *embedded_name(struct arena *mem, const char *type)
{
	const char *p;

	type += *type == '*';
	p = funcname_local(type);
	return arena_strndup(mem, p, strcspn(p, "["));
}

static int too_large(const struct sigparse *s, const struct typexpr *t, struct diag *d)
{
	diag_set(d, "a value of type '%.64s' is too large", t->name);
	return wrong(s, t->at, t->len, d);
}

static const struct gotype *structure(const struct sigparse *s, const struct typexpr *t,
				      struct diag *d)
{
	struct gotype *g = make(s, t, GOTYPE_STRUCT, 0, d);
	struct gofield *f = arena_array(s->mem, t->nfields + 1, sizeof(*f));

	if (!g || !f)
		return NULL;
	g->align = 1;
	g->fields = f;
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gotype *type = sigparse_type(s, t->fields[i].type, d);

		if (!type)
			return NULL;
		f[i].type = type;
		f[i].embedded = !t->fields[i].name;
		f[i].name = f[i].embedded ? embedded_name(s->mem, type->name) :
					    arena_strdup(s->mem, t->fields[i].name);
		f[i].offset = align_up(g->size, type->align);
		g->size = f[i].offset + type->size;
		if (type->align > g->align)
			g->align = type->align;
		if (!f[i].name) {
			diag_set(d, "out of memory");
			return NULL;
		}
		if (g->size > SIZE_MOST) {
			too_large(s, t, d);
			return NULL;
		}
	}
	g->nfields = t->nfields;
	/* A pointer to a last field without bytes must not leave the struct. */
	if (g->size && !f[t->nfields - 1].type->size)
		g->size++;
	g->size = align_up(g->size, g->align);
	return g;
}

static const struct gotype *array(const struct sigparse *s, const struct typexpr *t,
				  struct diag *d)
{
	const struct gotype *elem = sigparse_type(s, t->elem, d);
	struct gotype *g = elem ? make(s, t, GOTYPE_ARRAY, 0, d) : NULL;

	if (!g)
		return NULL;
	g->elem = elem;
	g->count = t->count;
	g->align = elem->align;
	if (t->count > SIZE_MOST || (elem->size && t->count > SIZE_MOST / elem->size)) {
		too_large(s, t, d);
		return NULL;
	}
	g->size = t->count * elem->size;
	return g;
}

/* --- maps --------------------------------------------------------------------- */

/* Larger keys and elements are kept elsewhere (internal/abi: MapMaxKeyBytes). */
#define INLINE_MOST 128
#define SLOTS 8U

static void place_slot(const struct gotype *t, bool *indirect, uint64_t *size, uint64_t *align)
{
	*indirect = t->size > INLINE_MOST;
	*size = *indirect ? WORD : t->size;
	*align = *indirect ? WORD : t->align;
}

/*
 * cmd/compile/internal/reflectdata: map_swiss.go (a group is 8 control bytes and
 * 8 slots {key, elem}), map_noswiss.go (a bucket is 8 hash bytes, 8 keys, 8
 * elements, a pointer).
 */
static const struct gomap *map_layout(const struct sigparse *s, const struct gotype *key,
				      const struct gotype *elem)
{
	struct gomap *m = arena_alloc(s->mem, sizeof(*m));
	uint64_t key_size, key_align, elem_size, elem_align, slot, align;

	if (!m)
		return NULL;
	place_slot(key, &m->key_indirect, &key_size, &key_align);
	place_slot(elem, &m->elem_indirect, &elem_size, &elem_align);
	m->swiss = gobin_go_minor(s->bin) >= 24;
	if (!m->swiss) {
		m->key_at = SLOTS;
		m->key_stride = key_size;
		m->elem_at = align_up(m->key_at + SLOTS * key_size, elem_align);
		m->elem_stride = elem_size;
		m->size = align_up(m->elem_at + SLOTS * elem_size, WORD) + WORD;
		return m;
	}
	align = key_align > elem_align ? key_align : elem_align;
	slot = align_up(key_size, elem_align) + elem_size;
	slot += slot && !elem_size;
	slot = align_up(slot, align);
	m->key_at = WORD;
	m->key_stride = slot;
	m->elem_at = WORD + align_up(key_size, elem_align);
	m->elem_stride = slot;
	m->size = WORD + SLOTS * slot;
	return m;
}

static const struct gotype *map(const struct sigparse *s, const struct typexpr *t,
				struct diag *d)
{
	const struct gotype *key = sigparse_type(s, t->key, d);
	const struct gotype *elem = key ? sigparse_type(s, t->elem, d) : NULL;
	struct gotype *g = elem ? make(s, t, GOTYPE_MAP, WORD, d) : NULL;

	if (!g)
		return NULL;
	g->key = key;
	g->elem = elem;
	g->map = map_layout(s, key, elem);
	return g;
}

/* --- all kinds ------------------------------------------------------------------ */

/* What refers to its element by words that are alike for all types. */
static const struct gotype *reference(const struct sigparse *s, const struct typexpr *t,
				      struct diag *d)
{
	static const struct {
		enum gotype_kind kind;
		uint64_t size;
	} as[] = {
		[TYPEXPR_POINTER] = { GOTYPE_POINTER, WORD },
		[TYPEXPR_SLICE] = { GOTYPE_SLICE, 3 * WORD },
		[TYPEXPR_CHAN] = { GOTYPE_CHAN, WORD },
	};
	const struct gotype *elem = sigparse_type(s, t->elem, d);
	struct gotype *g = elem ? make(s, t, as[t->kind].kind, as[t->kind].size, d) : NULL;

	if (g)
		g->elem = elem;
	return g;
}

static const struct gotype *interface(const struct sigparse *s, const struct typexpr *t,
				      struct diag *d)
{
	struct gotype *g = make(s, t, GOTYPE_INTERFACE, 2 * WORD, d);

	if (g)
		g->empty = t->empty;
	return g;
}

const struct gotype *sigparse_type(const struct sigparse *s, const struct typexpr *t,
				   struct diag *d)
{
	const struct gotype *own = gobin_find_type(s->bin, t->name);

	if (own)
		return own;
	switch (t->kind) {
	case TYPEXPR_NAME:
		return named(s, t, d);
	case TYPEXPR_POINTER:
	case TYPEXPR_SLICE:
	case TYPEXPR_CHAN:
		return reference(s, t, d);
	case TYPEXPR_ARRAY:
		return array(s, t, d);
	case TYPEXPR_MAP:
		return map(s, t, d);
	case TYPEXPR_FUNC:
		return make(s, t, GOTYPE_FUNC, WORD, d);
	case TYPEXPR_STRUCT:
		return structure(s, t, d);
	case TYPEXPR_INTERFACE:
		return interface(s, t, d);
	}
	return NULL;
}

/* --- signatures -------------------------------------------------------------------- */

/*
 * The receiver's type, from the method's name: "main.(*T).M", "main.T.M". What
 * the binary does not know can still be pointed to. NULL with @d set.
 */
static const struct gotype *receiver(const struct sigparse *s, const struct gofunc *fn,
				     const char *name, size_t len, bool pointer, struct diag *d)
{
	int package = (int)(funcname_local(fn->name) - fn->name);
	const char *full = arena_printf(s->mem, "%s%.*s%.*s", pointer ? "*" : "", package,
					fn->name, (int)len, name);
	const struct gotype *t = full ? gobin_find_type(s->bin, full) : NULL;
	struct typexpr text = { .name = full };
	struct gotype *g;

	if (t)
		return t;
	if (full && !pointer) {
		diag_set(d, "the binary does not know '%s', the receiver of %s", full, fn->name);
		return NULL;
	}
	g = full ? make(s, &text, GOTYPE_POINTER, WORD, d) : NULL;
	if (g)
		g->elem = &unknown;
	return g;
}

static int add(const struct sigparse *s, const struct typexpr_param *from, size_t n,
	       struct goparam *to, bool results, struct diag *d)
{
	for (size_t i = 0; i < n; i++) {
		to[i].type = sigparse_type(s, from[i].type, d);
		if (!to[i].type)
			return -1;
		if (from[i].name)
			to[i].name = arena_strdup(s->mem, from[i].name);
		else
			to[i].name = results ? arena_printf(s->mem, "~r%zu", i) : "_";
		if (!to[i].name)
			return diag_set(d, "out of memory");
	}
	return 0;
}

const struct gosig *sigparse_sig(const struct sigparse *s, const struct typexpr_sig *sig,
				 const struct gofunc *fn, struct diag *d)
{
	struct gosig *ret = arena_alloc(s->mem, sizeof(*ret));
	struct goparam *params = arena_array(s->mem, sig->nparams + 1, sizeof(*params));
	struct goparam *results = arena_array(s->mem, sig->nresults + 1, sizeof(*results));
	const char *type;
	bool pointer;
	size_t len;

	if (!ret || !params || !results) {
		diag_set(d, "out of memory");
		return NULL;
	}
	ret->receiver = funcname_receiver(fn->name, &type, &len, &pointer);
	if (ret->receiver) {
		params[0].name = SIGPARSE_RECEIVER;
		params[0].type = receiver(s, fn, type, len, pointer, d);
		if (!params[0].type)
			return NULL;
	}
	/* The dictionary's place: cmd/compile/internal/noder/reader.go. */
	ret->dict = funcname_is_shaped(fn->name);
	ret->dict_at = ret->receiver && gobin_go_minor(s->bin) >= 20;
	ret->params = params;
	ret->nparams = sig->nparams + ret->receiver;
	ret->results = results;
	ret->nresults = sig->nresults;
	if (add(s, sig->params, sig->nparams, params + ret->receiver, false, d) ||
	    add(s, sig->results, sig->nresults, results, true, d))
		return NULL;
	return ret;
}

int32_t sigparse_args_bytes(const struct gosig *sig, bool abi0)
{
	struct abi_value *v = calloc(sig->nparams + sig->nresults + 1, sizeof(*v));
	struct abi_call call;
	int32_t n = -1;

	if (!v)
		return -1;
	call.params.values = v;
	call.results.values = v + sig->nparams;
	if (!abi_assign(sig, abi0, &call) && call.args_bytes <= INT32_MAX)
		n = (int32_t)call.args_bytes;
	free(v);
	return n;
}
