// SPDX-License-Identifier: GPL-2.0
/* The stream of records: decode, merge, match, print. */
#include <string.h>

#include "gobin/closure.h"
#include "gobin/variable.h"
#include "plan/not_captured.h"
#include "plan/runtime_probe.h"
#include "process/procmem.h"
#include "trace/stream.h"

/* Maximum of remembered open calls: about 64 MB. */
#define OPEN_MAX (1 << 20)

/* The binary that the record at hand comes from. */
static struct gobin *binary(const struct stream *s)
{
	return s->plan->funcs[s->rec.h.id]->bin;
}

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	struct stream *s = ctx;
	struct gobin *bin = binary(s);
	uint64_t vaddr = address - s->rec_bias;

	if (!s->rec_bias_known)
		return false;
	ret->name = gobin_rtype_name(bin, vaddr);
	ret->type = gobin_rtype(bin, vaddr);
	ret->direct = gobin_rtype_is_direct(bin, vaddr);
	return ret->name || ret->type;
}

static bool func(void *ctx, uint64_t code, struct value_func *ret)
{
	struct stream *s = ctx;
	struct gobin *bin = binary(s);
	uint64_t entry = code - s->rec_bias;

	if (!s->rec_bias_known)
		return false;
	ret->name = gobin_func_name(bin, entry);
	if (ret->name)
		ret->closure = gobin_closure_type(bin, entry);
	return ret->name;
}

static const struct runtime_layout *layout(void *ctx)
{
	return runtime_layout_get(gobin_go_minor(binary(ctx)));
}

static const char *unread(void *ctx, const struct record_chunk *c, uint64_t offset,
			  const struct gotype *t)
{
	const struct stream *s = ctx;

	return not_captured_why(s->plan, &s->rec, c, offset, t);
}

static const char *full(void *ctx, uint64_t have)
{
	const struct stream *s = ctx;

	return not_captured_full(s->plan, &s->rec, have);
}

/* The place for this word: where it is, or that of another. */
static struct stream_word *word_at(struct stream *s, const char *name, uint32_t tgid)
{
	for (unsigned int i = 0; i < STREAM_WORDS; i++)
		if (s->words[i].name == name && s->words[i].tgid == tgid)
			return &s->words[i];
	return &s->words[s->next_word++ % STREAM_WORDS];
}

/* Read once for each process: what is asked for are variables that never change after init(). */
static bool variable(void *ctx, const char *name, uint64_t *ret)
{
	struct stream *s = ctx;
	const uint32_t tgid = s->rec.h.tgid;
	const struct procmem process = { .pid = (pid_t)tgid, .bias = s->rec_bias };
	uint64_t vaddr, word;
	struct stream_word *w;

	if (!s->live || !s->rec_bias_known)
		return false;
	w = word_at(s, name, tgid);
	if (w->name != name || w->tgid != tgid || !w->word) {
		if (gobin_variable_address(binary(s), name, &vaddr) ||
		    !procmem_read(&process, vaddr + s->rec_bias, &word, sizeof(word)))
			return false;
		*w = (struct stream_word){ .name = name, .tgid = tgid, .word = word };
	}
	*ret = w->word;
	return true;
}

int stream_init(struct stream *s, const struct plan *p, struct output *out, bool paired)
{
	memset(s, 0, sizeof(*s));
	s->plan = p;
	s->out = out;
	s->merge = merge_new();
	s->bias = load_bias_new(p);
	s->sum.inlined_left_out = p->copies.places;
	s->sum.plan = p;
	s->pair = paired ? pair_new(OPEN_MAX) : NULL;
	if (s->pair && p->unwinds)
		pair_expect_held(s->pair);
	s->env = (struct value_env){
		.ctx = s, .dynamic = dynamic, .func = func, .layout = layout, .unread = unread,
		.full = full, .variable = variable, .secrets = &p->o->secrets,
	};
	value_init(&s->values, &s->env);
	if (!call_stack_init(&s->stacks, p) && s->merge && s->bias && (s->pair || !paired))
		return 0;
	stream_fini(s);
	return -1;
}

void stream_fini(struct stream *s)
{
	merge_free(s->merge);
	pair_free(s->pair);
	load_bias_free(s->bias);
	value_fini(&s->values);
	call_stack_fini(&s->stacks);
	s->merge = NULL;
	s->pair = NULL;
	s->bias = NULL;
}

bool stream_full(const struct stream *s)
{
	return s->enough || (s->most && s->sum.events >= s->most);
}

static void malformed(struct stream *s, const char *why)
{
	if (!s->sum.malformed++)
		s->why_malformed = why;
}

int stream_add(struct stream *s, uint32_t cpu, const uint8_t *p, size_t len)
{
	int64_t bad = merge_add(s->merge, cpu, p, len);

	if (bad > 0)
		malformed(s, "impossible record size");
	return bad < 0 ? -1 : 0;
}

/* Is call or place @number of the function shown? */
static bool shown(const struct stream *s, uint32_t id, uint64_t number)
{
	return !s->sift || sift_shows(s->sift, id, number);
}

static void print(struct stream *s, const struct output_event *e)
{
	if (stream_full(s))
		return;
	if (!shown(s, e->fn->id, e->number)) {
		s->sum.left_out++;
		return;
	}
	s->out->format->event(s->out, e);
	switch (e->kind) {
	case OUTPUT_CALL:
		s->sum.calls++;
		s->sum.events++;
		break;
	case OUTPUT_RETURN:
	case OUTPUT_TAIL:
		s->sum.returns++;
		s->sum.events++;
		break;
	case OUTPUT_UNWOUND:
		s->sum.unwound++;
		break;
	case OUTPUT_AT:
		s->sum.places++;
		s->sum.events++;
		break;
	}
}

/* The end of the call was not seen. */
static void vanished(struct stream *s, const struct pair_call *c)
{
	if (s->out->format->vanished)
		s->out->format->vanished(s->out, c->number, s->rec.h.time);
}

static void unwound(struct stream *s, const struct pair_call *c)
{
	struct output_event e = {
		.kind = OUTPUT_UNWOUND,
		.fn = s->plan->funcs[c->id],
		.tgid = c->tgid,
		.tid = c->tid,
		.goid = c->goid,
		.time = c->time,
		.seen = s->rec.written,
		.end = c->end,
		.panic = c->panic,
		.call = c->text,
		.panic_id = c->panic_id,
		.number = c->number,
	};

	if (s->times)
		call_quota_end(s->times, c->id);
	s->over += shown(s, c->id, c->number);
	if (c->system || c->doubtful)
		vanished(s, c);
	if (c->system)
		return;
	if (c->doubtful)
		s->sum.doubtful += shown(s, c->id, c->number);
	else
		print(s, &e);
}

/* How the call's time divides: then the kernel has measured that, without what a record takes. */
static void divide(const struct record *r, struct output_event *e)
{
	if (!r->is_split)
		return;
	e->split = r->split;
	e->duration = 0;
	for (int i = 0; i < __GOSTATES_MAX; i++)
		e->duration += r->split[i];
}

/* What @write writes of @e, from malloc(); NULL if that is nothing. */
static char *text_of(struct stream *s, const struct output_event *e,
		     void (*write)(struct output *o, const struct output_event *e))
{
	struct buf *b = &s->out->buf;
	size_t at = b->len;
	char *text = NULL;

	if (write)
		write(s->out, e);
	if (!b->failed && b->len > at)
		text = strndup(b->p + at, b->len - at);
	b->len = at;
	return text;
}

static void enter(struct stream *s, const struct output_event *e)
{
	if (!pair_enter(s->pair, &s->rec.h))
		return;
	s->begun += shown(s, e->fn->id, e->number);
	pair_number(s->pair, e->number);
	if (e->dict)
		pair_note(s->pair, e->dict);
	if (s->out->format->call)
		pair_text(s->pair, text_of(s, e, s->out->format->call));
}

/* How a call ended, as far as the record at hand shows. */
static void join(struct stream *s, struct output_event *e)
{
	const struct goprobe_record *h = &s->rec.h;
	struct pair_call c;

	if (h->flags & GOPROBE_RECORD_F_NO_G) {
		e->no_duration = "no goroutine";
		return;
	}
	if (!s->pair) {
		e->no_duration = "calls are not joined";
		return;
	}
	while (pair_unwind(s->pair, h, &c))
		unwound(s, &c);
	if (e->kind == OUTPUT_CALL) {
		enter(s, e);
	} else if (pair_leave(s->pair, h, &c)) {
		s->over += shown(s, c.id, c.number);
		e->number = c.number;
		e->duration = h->time - c.time;
		e->dict = c.dict;
		e->call = c.text;
		divide(&s->rec, e);
	} else {
		e->no_duration = "call not seen";
	}
}

/* The dictionary that a call of a generic function was given. */
static uint64_t dictionary(const struct stream *s)
{
	const struct plan_frame *f = &s->plan->funcs[s->rec.h.id]->call;
	uint64_t address;

	if (s->rec.h.kind != GOPROBE_RECORD_CALL || !f->has_dict || !s->rec.frame ||
	    !s->rec_bias_known || s->rec.frame_size < f->dict + sizeof(address))
		return 0;
	memcpy(&address, s->rec.frame + f->dict, sizeof(address));
	return address ? address - s->rec_bias : 0;
}

/* The load bias from the record at hand: that of the previous record for the same point. */
static void look_up_bias(struct stream *s)
{
	const struct goprobe_record *h = &s->rec.h;

	if (s->rec_bias_known && h->ip == s->bias_ip && h->id == s->bias_id &&
	    h->tgid == s->bias_tgid)
		return;
	s->rec_bias_known = load_bias_of(s->bias, h, &s->rec_bias);
	s->bias_ip = h->ip;
	s->bias_id = h->id;
	s->bias_tgid = h->tgid;
}

/* The goroutine's calls that are deeper than @depth are over. */
static void abandon(struct stream *s, uint64_t depth, enum callend end)
{
	struct goprobe_record h = s->rec.h;
	struct pair_call c;

	/* It is the goroutine's stack, whichever was in use to leave it. */
	h.flags &= ~GOPROBE_RECORD_F_SYSTEM;
	while (h.goid && pair_abandon(s->pair, &h, depth, end, &c))
		unwound(s, &c);
}

static void begin_panic(struct stream *s, const struct output_event *e)
{
	const struct goprobe_record *h = &s->rec.h;
	struct pair_call c;

	/* On a system stack it is the end of the program. */
	if (e->no_g || e->system)
		return;
	/* If it is an event, join() has done so. */
	while (e->fn->hidden && pair_unwind(s->pair, h, &c))
		unwound(s, &c);
	pair_panic(s->pair, h, text_of(s, e, s->out->format->panic));
}

/* A pair_exited_fn. */
static void exited(void *ctx, const struct pair_call *c)
{
	struct stream *s = ctx;

	/* What is on a system stack may be the same program's: what led to its beginning. */
	vanished(s, c);
	s->over += shown(s, c->id, c->number);
	s->sum.gone += !c->system && shown(s, c->id, c->number);
	if (s->times)
		call_quota_end(s->times, c->id);
}

/* What is open in this process was called by another program. */
static void begin_program(struct stream *s, uint32_t tgid)
{
	if (s->pair)
		pair_begin(s->pair, tgid, exited, s);
	if (s->out->format->begun)
		s->out->format->begun(s->out, tgid);
}

/* A call of a runtime function that reports events of other calls. */
static void take_role(struct stream *s, const struct output_event *e)
{
	struct runtime_probe_go go;
	uint64_t depth;

	if (e->fn->role == PLAN_ROLE_GO && s->out->format->started && runtime_probe_go(e->rec, &go))
		s->out->format->started(s->out, e, &go);
	if (!s->pair || e->rec->h.flags & GOPROBE_RECORD_F_NO_G || e->kind != OUTPUT_CALL)
		return;
	if (e->fn->role == PLAN_ROLE_PANIC)
		begin_panic(s, e);
	else if (e->fn->role == PLAN_ROLE_RECOVERY && runtime_probe_recovery(e->rec, &depth))
		abandon(s, depth, CALLEND_PANIC);
	else if (e->fn->role == PLAN_ROLE_FATAL)
		abandon(s, 0, CALLEND_PANIC);
	else if (e->fn->role == PLAN_ROLE_GOEXIT)
		abandon(s, 0, CALLEND_GOEXIT);
}

/* Breakpoints leave when what they are for has been seen. */
static void count(struct stream *s, const struct output_event *e)
{
	if (!s->times)
		return;
	if (e->kind == OUTPUT_CALL || e->kind == OUTPUT_AT)
		call_quota_call(s->times, e->fn->id);
	else
		call_quota_end(s->times, e->fn->id);
}

static void show(struct stream *s, const uint8_t *p, size_t len)
{
	static const enum output_kind kinds[] = {
		[GOPROBE_RECORD_CALL] = OUTPUT_CALL,
		[GOPROBE_RECORD_RETURN] = OUTPUT_RETURN,
		[GOPROBE_RECORD_TAIL] = OUTPUT_TAIL,
		[GOPROBE_RECORD_AT] = OUTPUT_AT,
	};
	const struct goprobe_record *h = &s->rec.h;
	const char *why;
	bool at;

	if (record_decode(p, len, plan_frame_size, (void *)s->plan, &s->rec, &why) < 0) {
		malformed(s, why);
		return;
	}
	if (h->kind == GOPROBE_RECORD_LOST) {
		s->out->format->lost(s->out, &s->rec.lost, h->time);
		return;
	}
	at = h->kind == GOPROBE_RECORD_AT;
	if (h->id >= s->plan->nfuncs || at != !!s->plan->funcs[h->id]->at) {
		malformed(s, "unknown point");
		return;
	}

	struct output_event e = {
		.kind = kinds[h->kind],
		.fn = s->plan->funcs[h->id],
		.rec = &s->rec,
		.v = &s->values,
		.tgid = h->tgid,
		.tid = h->tid,
		.goid = h->goid,
		/* A thread at work for the scheduler has none either. */
		.no_g = h->flags & GOPROBE_RECORD_F_NO_G ||
			(h->flags & GOPROBE_RECORD_F_SYSTEM && !h->goid),
		.system = h->flags & GOPROBE_RECORD_F_SYSTEM,
		.time = h->time,
		.open = s->open,
	};

	look_up_bias(s);
	e.biased = s->rec_bias_known;
	e.bias = s->rec_bias;
	if (s->learn && s->rec_bias_known && (!s->learn_panics || e.fn->role))
		learn_record(s->learn, &s->rec, binary(s), s->rec_bias);
	e.dict = dictionary(s);
	value_record(&s->values, &s->rec);
	s->values.now = h->time + s->out->epoch;
	/* Before the call itself, if it is an event. */
	if (e.fn->role == PLAN_ROLE_BEGIN && e.kind == OUTPUT_CALL)
		begin_program(s, h->tgid);
	if (e.kind == OUTPUT_CALL || e.kind == OUTPUT_AT)
		e.stack = call_stack(&s->stacks, e.fn, &e.fn->call, &s->rec);
	if (!e.fn->hidden) {
		e.number = s->number++;
		if (e.kind != OUTPUT_AT)
			join(s, &e);
		print(s, &e);
		count(s, &e);
	}
	if (e.fn->role)
		take_role(s, &e);
}

void stream_learn(struct stream *s, const uint8_t *p, size_t len)
{
	const char *why;

	if (!s->learn ||
	    record_decode(p, len, plan_frame_size, (void *)s->plan, &s->rec, &why) < 0 ||
	    s->rec.h.kind == GOPROBE_RECORD_LOST || s->rec.h.id >= s->plan->nfuncs)
		return;
	look_up_bias(s);
	if (s->rec_bias_known)
		learn_record(s->learn, &s->rec, binary(s), s->rec_bias);
}

void stream_round(struct stream *s, uint64_t until, uint64_t lost)
{
	s->until = until;
	if (s->pair)
		pair_losses(s->pair, lost + s->sum.malformed);
}

bool stream_busy(const struct stream *s)
{
	return merge_ready(s->merge, s->until);
}

bool stream_print(struct stream *s, size_t bytes)
{
	size_t done = 0, len;
	const uint8_t *p;

	while (done < bytes && (p = merge_next(s->merge, s->until, &len))) {
		show(s, p, len);
		done += len;
	}
	if (s->pair) {
		s->sum.open = s->sift && !sift_shows_all(s->sift) ? s->begun - s->over :
			      pair_open(s->pair);
		s->sum.forgotten = pair_evicted(s->pair);
	}
	return stream_busy(s);
}
