// SPDX-License-Identifier: GPL-2.0
/* A plan as JSON: what the module is told as bytes, what records mean as names and types. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/write_all.h"
#include "compile/deferred_step.h"
#include "gobin/runtime_layout.h"
#include "gobin/sched_state.h"
#include "plan/export.h"
#include "plan/export_type.h"
#include "value/decode.h"
#include "x86/regs.h"

/* Of a function; JSON has no enums. */
static const char *const roles[__PLAN_ROLE_MAX] = {
	[PLAN_ROLE_GO] = "go",
	[PLAN_ROLE_PANIC] = "panic",
	[PLAN_ROLE_RECOVERY] = "recovery",
	[PLAN_ROLE_FATAL] = "fatal",
	[PLAN_ROLE_GOEXIT] = "goexit",
	[PLAN_ROLE_BEGIN] = "begin",
};

static void key(struct buf *b, const char *name)
{
	if (b->len && b->p[b->len - 1] != '{' && b->p[b->len - 1] != '[')
		buf_char(b, ',');
	buf_json_str(b, name);
	buf_char(b, ':');
}

static void put_number(struct buf *b, const char *name, uint64_t v)
{
	key(b, name);
	buf_u64(b, v);
}

static void put_text(struct buf *b, const char *name, const char *text)
{
	key(b, name);
	buf_json_str(b, text);
}

static void put_true(struct buf *b, const char *name, bool is)
{
	if (!is)
		return;
	key(b, name);
	buf_str(b, "true");
}

static void next(struct buf *b, size_t i)
{
	if (i)
		buf_str(b, ",\n");
}

/* @n elements of @size bytes, in base64 (RFC 4648). */
static void put_table(struct buf *b, const char *name, const void *p, size_t n, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *s = p;

	n *= size;
	key(b, name);
	buf_char(b, '"');
	for (size_t i = 0; i < n; i += 3) {
		uint32_t v = s[i] << 16 | (i + 1 < n ? s[i + 1] << 8 : 0) |
			     (i + 2 < n ? s[i + 2] : 0);

		buf_char(b, digits[v >> 18]);
		buf_char(b, digits[v >> 12 & 63]);
		buf_char(b, i + 1 < n ? digits[v >> 6 & 63] : '=');
		buf_char(b, i + 2 < n ? digits[v & 63] : '=');
	}
	buf_char(b, '"');
}

/* --- functions ------------------------------------------------------------- */

static void put_key(struct buf *b, const struct value_key *k)
{
	key(b, "key");
	switch (k->kind) {
	case GOTYPE_INT:
		buf_i64(b, k->i);
		break;
	case GOTYPE_FLOAT:
		buf_float(b, k->f, 8);
		break;
	case GOTYPE_STRING:
		buf_json(b, (const uint8_t *)k->s, k->n);
		break;
	case GOTYPE_BOOL:
		buf_str(b, k->u ? "true" : "false");
		break;
	default:
		buf_u64(b, k->u);
		break;
	}
}

static void put_step(struct buf *b, const struct exprstep *s)
{
	static const char *const names[] = {
		[EXPRSTEP_FIELD] = "field",
		[EXPRSTEP_INDEX] = "index",
		[EXPRSTEP_KEY] = "key",
		[EXPRSTEP_POINTER] = "pointer",
		[EXPRSTEP_ASSERT] = "assert",
		[EXPRSTEP_LEN] = "len",
		[EXPRSTEP_CAP] = "cap",
	};

	buf_char(b, '{');
	put_text(b, "step", names[s->kind]);
	if (s->kind == EXPRSTEP_FIELD || s->kind == EXPRSTEP_ASSERT)
		put_text(b, "name", s->name);
	else if (s->kind == EXPRSTEP_INDEX)
		put_number(b, "index", s->index);
	else if (s->kind == EXPRSTEP_KEY)
		put_key(b, &s->key);
	buf_char(b, '}');
}

static void put_value(struct buf *b, const struct exporttypes *types, const struct plan_value *v)
{
	buf_char(b, '{');
	put_text(b, "name", v->name ? v->name : "_");
	put_number(b, "type", exporttypes_id(types, v->type));
	put_number(b, "offset", v->offset);
	put_true(b, "stack", v->stack);
	put_true(b, "shape", v->param && v->param->dict_word);
	if (v->unavailable)
		put_text(b, "unavailable", v->unavailable);
	if (v->steps) {
		key(b, "steps");
		buf_char(b, '[');
		for (size_t i = 0; i < v->steps->n; i++) {
			next(b, i);
			put_step(b, &v->steps->v[i]);
		}
		buf_char(b, ']');
		if (v->steps->type)
			put_text(b, "steps_type", value_type_name(v->steps->type));
	}
	buf_char(b, '}');
}

static void put_frame(struct buf *b, const char *name, const struct exporttypes *types,
		      const struct plan_frame *f)
{
	key(b, name);
	buf_char(b, '{');
	put_number(b, "size", f->size);
	if (f->unavailable)
		put_text(b, "unavailable", f->unavailable);
	if (f->has_registers)
		put_number(b, "registers", f->registers);
	key(b, "values");
	buf_char(b, '[');
	for (size_t i = 0; i < f->nvalues; i++) {
		next(b, i);
		put_value(b, types, &f->values[i]);
	}
	buf_str(b, "]}");
}

static size_t file_of(const struct plan *p, const struct gobin *bin)
{
	size_t i = 0;

	while (i < p->nfiles && p->files[i].bin != bin)
		i++;
	return i;
}

static void put_at(struct buf *b, const struct plan_func *f)
{
	key(b, "at");
	buf_char(b, '{');
	put_number(b, "offset", f->at->vaddr - f->fn->entry);
	if (f->at->file) {
		put_text(b, "file", f->at->file);
		put_number(b, "line", (uint64_t)f->at->line);
	}
	if (f->at->inlined)
		put_text(b, "inlined", f->at->inlined);
	put_true(b, "begins", f->at->begins);
	buf_char(b, '}');
}

static void put_funcs(struct buf *b, const struct plan *p, const struct exporttypes *types)
{
	key(b, "funcs");
	buf_str(b, "[\n");
	for (size_t i = 0; i < p->nfuncs; i++) {
		const struct plan_func *f = p->funcs[i];

		next(b, i);
		buf_char(b, '{');
		put_text(b, "name", f->fn->name);
		put_number(b, "file", file_of(p, f->bin));
		put_number(b, "entry", f->fn->entry);
		put_number(b, "end", f->fn->end);
		put_true(b, "hidden", f->hidden);
		put_true(b, "around", f->around);
		put_true(b, "ends", f->ends);
		if (f->at)
			put_at(b, f);
		if (f->role)
			put_text(b, "role", roles[f->role]);
		put_frame(b, "call", types, &f->call);
		put_frame(b, "ret", types, &f->ret);
		buf_char(b, '}');
	}
	buf_str(b, "]");
}

/* --- files ----------------------------------------------------------------- */

static void put_layout(struct buf *b, const struct golayout *l)
{
	key(b, "layout");
	buf_char(b, '{');
	put_number(b, "chan_qcount", l->chan.qcount);
	put_number(b, "chan_dataqsiz", l->chan.dataqsiz);
	put_number(b, "chan_buf", l->chan.buf);
	put_number(b, "chan_closed", l->chan.closed);
	put_number(b, "chan_timer", l->chan.timer);
	put_number(b, "chan_recvx", l->chan.recvx);
	put_number(b, "chan_recvq", l->chan.recvq);
	put_number(b, "chan_sendq", l->chan.sendq);
	put_number(b, "chan_size", l->chan.size);
	put_number(b, "sudog_next", l->sudog.next);
	put_number(b, "sudog_size", l->sudog.size);
	put_number(b, "hmap_count", l->hmap.count);
	put_number(b, "hmap_flags", l->hmap.flags);
	put_number(b, "hmap_b", l->hmap.b);
	put_number(b, "hmap_buckets", l->hmap.buckets);
	put_number(b, "hmap_oldbuckets", l->hmap.oldbuckets);
	put_number(b, "hmap_size", l->hmap.size);
	put_number(b, "swiss_used", l->swiss.used);
	put_number(b, "swiss_dir_ptr", l->swiss.dir_ptr);
	put_number(b, "swiss_dir_len", l->swiss.dir_len);
	put_number(b, "swiss_size", l->swiss.size);
	put_number(b, "swiss_table_groups", l->swiss.table_groups);
	put_number(b, "swiss_table_mask", l->swiss.table_mask);
	put_number(b, "swiss_table_size", l->swiss.table_size);
	buf_char(b, '}');
}

static void put_address(struct buf *b, struct gobin *bin, uint64_t address,
			const struct exporttypes *types)
{
	struct exporttypes_known k;

	exporttypes_look(bin, address, &k);
	buf_char(b, '{');
	put_number(b, "address", address);
	if (k.name)
		put_text(b, k.func ? "func" : "name", k.name);
	if (k.type)
		put_number(b, "type", exporttypes_id(types, k.type));
	put_true(b, "direct", k.direct);
	buf_char(b, '}');
}

/* What the addresses of a file stand for that the module is told of, or that were asked about. */
static void put_known(struct buf *b, const struct plan_points *f, const struct exporttypes *types)
{
	size_t n = 0;

	key(b, "known");
	buf_char(b, '[');
	for (size_t i = 0; i < f->ndynamic; i++) {
		next(b, n++);
		put_address(b, f->bin, f->dynamic[i].address, types);
	}
	for (size_t i = 0; i < types->nshown; i++) {
		if (types->shown[i].bin != f->bin)
			continue;
		next(b, n++);
		put_address(b, f->bin, types->shown[i].address, types);
	}
	buf_char(b, ']');
}

static void put_files(struct buf *b, const struct plan *p, const struct exporttypes *types)
{
	key(b, "files");
	buf_str(b, "[\n");
	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];
		struct goprobe_runtime rt = plan_runtime(f);

		next(b, i);
		buf_char(b, '{');
		put_text(b, "path", gobin_path(f->bin));
		put_text(b, "go", gobin_go_version(f->bin));
		put_table(b, "runtime", &rt, 1, sizeof(rt));
		put_table(b, "points", f->v, f->n, sizeof(*f->v));
		put_table(b, "dynamic", f->dynamic, f->ndynamic, sizeof(*f->dynamic));
		put_layout(b, golayout_get(gobin_go_minor(f->bin)));
		put_known(b, f, types);
		buf_char(b, '}');
	}
	buf_str(b, "]");
}

static int write_out(int fd, const struct buf *b, struct diag *d)
{
	int err;

	if (b->failed)
		return diag_set(d, "out of memory");
	err = writing_all(fd, b->p, b->len);
	return err ? diag_errno(d, -err, "can't write the plan") : 0;
}

/* What registers are called, in the order in which a frame has them; the last is not in it. */
static void put_registers(struct buf *b)
{
	key(b, "registers");
	buf_char(b, '[');
	for (size_t i = 0; i < GOREG_INTS; i++) {
		buf_json_str(b, goreg_ints[i].name + 1);
		buf_char(b, ',');
	}
	buf_json_str(b, goreg_pc + 1);
	buf_char(b, ']');
}

static void put_states(struct buf *b)
{
	key(b, "states");
	buf_char(b, '[');
	for (size_t i = 0; i < __GOSTATES_MAX; i++) {
		buf_str(b, i ? "," : "");
		buf_json_str(b, gostates_names[i]);
	}
	buf_char(b, ']');
}

static void put_plan(struct buf *b, const struct plan *p, const struct plan_options *o,
		     const struct exporttypes *types)
{
	buf_char(b, '{');
	put_text(b, "format", "goprobe plan");
	put_number(b, "version", EXPORT_VERSION);
	put_number(b, "protocol", GOPROBE_GENL_VERSION);
	put_true(b, "paired", !o->no_return);
	put_number(b, "held_bytes", p->held_bytes);
	if (o->limits.times)
		put_number(b, "times", o->limits.times);
	if (p->split)
		put_states(b);
	if (o->registers)
		put_registers(b);
	key(b, "sizes");
	buf_char(b, '{');
	put_number(b, "type", sizeof(*p->types));
	put_number(b, "ref", sizeof(*p->refs));
	put_number(b, "plan", sizeof(*p->plans));
	put_number(b, "piece", sizeof(*p->pieces));
	put_number(b, "op", sizeof(*p->ops));
	put_number(b, "filter", sizeof(*p->filters));
	put_number(b, "point", sizeof(struct goprobe_point));
	put_number(b, "dynamic", sizeof(struct goprobe_dynamic));
	buf_char(b, '}');
	put_table(b, "types", p->types, p->ntypes, sizeof(*p->types));
	put_table(b, "refs", p->refs, p->nrefs, sizeof(*p->refs));
	put_table(b, "plans", p->plans, p->nplans, sizeof(*p->plans));
	put_table(b, "pieces", p->pieces, p->npieces, sizeof(*p->pieces));
	put_table(b, "ops", p->ops, p->nops, sizeof(*p->ops));
	put_table(b, "filters", p->filters, p->nfilters, sizeof(*p->filters));
	put_table(b, "filter_ops", p->filter_ops, p->nfilter_ops, sizeof(*p->filter_ops));
	put_files(b, p, types);
	put_funcs(b, p, types);
	key(b, "gotypes");
	exporttypes_put(types, b);
	buf_str(b, "}\n");
}

int export_plan(const struct plan *p, const struct plan_options *o,
		const struct export_shown *shown, size_t nshown, int fd, struct diag *d)
{
	struct exporttypes types = { .shown = shown, .nshown = nshown };
	struct buf b = { 0 };
	int err;

	err = exporttypes_collect(&types, p) ? diag_set(d, "out of memory") : 0;
	if (!err) {
		put_plan(&b, p, o, &types);
		err = write_out(fd, &b, d);
	}
	exporttypes_fini(&types);
	buf_fini(&b);
	return err;
}
