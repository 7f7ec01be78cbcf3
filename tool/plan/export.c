// SPDX-License-Identifier: GPL-2.0
/* A plan as JSON: what the module is told as bytes, what records mean as names and types. */
#include <stdlib.h>

#include "base/json.h"
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
	json_key(b, name);
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
	json_key(b, "key");
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
	json_str(b, "step", names[s->kind]);
	if (s->kind == EXPRSTEP_FIELD || s->kind == EXPRSTEP_ASSERT)
		json_str(b, "name", s->name);
	else if (s->kind == EXPRSTEP_INDEX)
		json_u64(b, "index", s->index);
	else if (s->kind == EXPRSTEP_KEY)
		put_key(b, &s->key);
	buf_char(b, '}');
}

static void put_value(struct buf *b, const struct exporttypes *types, const struct plan_value *v)
{
	buf_char(b, '{');
	json_str(b, "name", v->name ? v->name : "_");
	json_u64(b, "type", exporttypes_id(types, v->type));
	json_u64(b, "offset", v->offset);
	json_flag(b, "stack", v->stack);
	json_flag(b, "shape", v->param && v->param->dict_word);
	if (v->unavailable)
		json_str(b, "unavailable", v->unavailable);
	if (v->steps) {
		json_raw(b, "steps", "[");
		for (size_t i = 0; i < v->steps->n; i++) {
			next(b, i);
			put_step(b, &v->steps->v[i]);
		}
		buf_char(b, ']');
		if (v->steps->type)
			json_str(b, "steps_type", value_type_name(v->steps->type));
	}
	buf_char(b, '}');
}

static void put_frame(struct buf *b, const char *name, const struct exporttypes *types,
		      const struct plan_frame *f)
{
	json_raw(b, name, "{");
	json_u64(b, "size", f->size);
	if (f->unavailable)
		json_str(b, "unavailable", f->unavailable);
	if (f->has_registers)
		json_u64(b, "registers", f->registers);
	json_raw(b, "values", "[");
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
	json_raw(b, "at", "{");
	json_u64(b, "offset", f->at->vaddr - f->fn->entry);
	if (f->at->file) {
		json_str(b, "file", f->at->file);
		json_u64(b, "line", (uint64_t)f->at->line);
	}
	if (f->at->inlined)
		json_str(b, "inlined", f->at->inlined);
	json_flag(b, "begins", f->at->begins);
	buf_char(b, '}');
}

static void put_funcs(struct buf *b, const struct plan *p, const struct exporttypes *types)
{
	json_key(b, "funcs");
	buf_str(b, "[\n");
	for (size_t i = 0; i < p->nfuncs; i++) {
		const struct plan_func *f = p->funcs[i];

		next(b, i);
		buf_char(b, '{');
		json_str(b, "name", f->fn->name);
		json_u64(b, "file", file_of(p, f->bin));
		json_u64(b, "entry", f->fn->entry);
		json_u64(b, "end", f->fn->end);
		json_flag(b, "hidden", f->hidden);
		json_flag(b, "around", f->around);
		json_flag(b, "ends", f->ends);
		if (f->at)
			put_at(b, f);
		if (f->role)
			json_str(b, "role", roles[f->role]);
		put_frame(b, "call", types, &f->call);
		put_frame(b, "ret", types, &f->ret);
		buf_char(b, '}');
	}
	buf_str(b, "]");
}

/* --- files ----------------------------------------------------------------- */

static void put_layout(struct buf *b, const struct golayout *l)
{
	json_raw(b, "layout", "{");
	json_u64(b, "chan_qcount", l->chan.qcount);
	json_u64(b, "chan_dataqsiz", l->chan.dataqsiz);
	json_u64(b, "chan_buf", l->chan.buf);
	json_u64(b, "chan_closed", l->chan.closed);
	json_u64(b, "chan_timer", l->chan.timer);
	json_u64(b, "chan_recvx", l->chan.recvx);
	json_u64(b, "chan_recvq", l->chan.recvq);
	json_u64(b, "chan_sendq", l->chan.sendq);
	json_u64(b, "chan_size", l->chan.size);
	json_u64(b, "sudog_next", l->sudog.next);
	json_u64(b, "sudog_size", l->sudog.size);
	json_u64(b, "hmap_count", l->hmap.count);
	json_u64(b, "hmap_flags", l->hmap.flags);
	json_u64(b, "hmap_b", l->hmap.b);
	json_u64(b, "hmap_buckets", l->hmap.buckets);
	json_u64(b, "hmap_oldbuckets", l->hmap.oldbuckets);
	json_u64(b, "hmap_size", l->hmap.size);
	json_u64(b, "swiss_used", l->swiss.used);
	json_u64(b, "swiss_dir_ptr", l->swiss.dir_ptr);
	json_u64(b, "swiss_dir_len", l->swiss.dir_len);
	json_u64(b, "swiss_size", l->swiss.size);
	json_u64(b, "swiss_table_groups", l->swiss.table_groups);
	json_u64(b, "swiss_table_mask", l->swiss.table_mask);
	json_u64(b, "swiss_table_size", l->swiss.table_size);
	buf_char(b, '}');
}

static void put_address(struct buf *b, struct gobin *bin, uint64_t address,
			const struct exporttypes *types)
{
	struct exporttypes_known k;

	exporttypes_look(bin, address, &k);
	buf_char(b, '{');
	json_u64(b, "address", address);
	if (k.name)
		json_str(b, k.func ? "func" : "name", k.name);
	if (k.type)
		json_u64(b, "type", exporttypes_id(types, k.type));
	json_flag(b, "direct", k.direct);
	buf_char(b, '}');
}

/* What the addresses of a file stand for that the module is told of, or that were asked about. */
static void put_known(struct buf *b, const struct plan_points *f, const struct exporttypes *types)
{
	size_t n = 0;

	json_raw(b, "known", "[");
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
	json_key(b, "files");
	buf_str(b, "[\n");
	for (size_t i = 0; i < p->nfiles; i++) {
		const struct plan_points *f = &p->files[i];
		struct goprobe_runtime rt = plan_runtime(f);

		next(b, i);
		buf_char(b, '{');
		json_str(b, "path", gobin_path(f->bin));
		json_str(b, "go", gobin_go_version(f->bin));
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
	json_raw(b, "registers", "[");
	for (size_t i = 0; i < GOREG_INTS; i++) {
		buf_json_str(b, goreg_ints[i].name + 1);
		buf_char(b, ',');
	}
	buf_json_str(b, goreg_pc + 1);
	buf_char(b, ']');
}

static void put_states(struct buf *b)
{
	json_raw(b, "states", "[");
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
	json_str(b, "format", "goprobe plan");
	json_u64(b, "version", EXPORT_VERSION);
	json_u64(b, "protocol", GOPROBE_GENL_VERSION);
	json_flag(b, "paired", !o->no_return);
	json_u64(b, "held_bytes", p->held_bytes);
	if (o->limits.times)
		json_u64(b, "times", o->limits.times);
	if (p->split)
		put_states(b);
	if (o->registers)
		put_registers(b);
	json_raw(b, "sizes", "{");
	json_u64(b, "type", sizeof(*p->types));
	json_u64(b, "ref", sizeof(*p->refs));
	json_u64(b, "plan", sizeof(*p->plans));
	json_u64(b, "piece", sizeof(*p->pieces));
	json_u64(b, "op", sizeof(*p->ops));
	json_u64(b, "filter", sizeof(*p->filters));
	json_u64(b, "point", sizeof(struct goprobe_point));
	json_u64(b, "dynamic", sizeof(struct goprobe_dynamic));
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
	json_key(b, "gotypes");
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
