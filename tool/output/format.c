// SPDX-License-Identifier: GPL-2.0
/* Events to lines: what the formats have in common. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/unaligned.h"
#include "base/writing.h"
#include "compile/deferred_step.h"
#include "output/fast_value.h"
#include "output/format.h"
#include "output/screen.h"

const char *const output_kinds[] = {
	[OUTPUT_CALL] = "call",
	[OUTPUT_RETURN] = "return",
	[OUTPUT_TAIL] = "return",
	[OUTPUT_UNWOUND] = "unwound",
	[OUTPUT_AT] = "at",
};

/* A pipe, a socket or a terminal has a reader. */
static bool waits_for_reader(mode_t mode, int fd)
{
	return S_ISFIFO(mode) || S_ISSOCK(mode) || isatty(fd);
}

void output_init(struct output *o, const struct output_format *format, int fd)
{
	struct stat st;

	memset(o, 0, sizeof(*o));
	o->file = fstat(fd, &st) == 0 && !waits_for_reader(st.st_mode, fd);
	o->format = format;
	o->fd = fd;
	o->second = UINT64_MAX / 2;
	o->epoch = clock_epoch();
	o->looked = clock_now(CLOCK_MONOTONIC);
}

void output_fini(struct output *o)
{
	if (o->owned)
		close(o->fd);
	o->owned = false;
	if (o->taker)
		o->taker->fini(o->taker);
	o->taker = NULL;
	buf_fini(&o->buf);
	fast_value_fini(o);
}

static bool takes_more(const struct output *o)
{
	struct pollfd fd = { .fd = o->fd, .events = POLLOUT };

	return o->file || poll(&fd, 1, 0) == 1;
}

int output_flush(struct output *o, bool wait)
{
	int err = 0;

	if (o->taker) {
		o->taker->take(o->taker, o->buf.p + o->written, output_pending(o), wait);
		o->written = o->buf.len;
	}
	while (output_pending(o)) {
		bool must = wait || output_pending(o) > OUTPUT_PENDING_MAX;
		size_t most = output_pending(o);

		if (!must && !takes_more(o))
			break;
		/* A pipe that takes anything takes this much without blocking. */
		if (!must && !o->file && most > PIPE_BUF)
			most = PIPE_BUF;

		ssize_t n = write(o->fd, o->buf.p + o->written, most);

		if (n < 0 && errno == EINTR)
			continue;
		/* Another process that shares the pipe has switched blocking off. */
		if (n < 0 && errno == EAGAIN) {
			if (!must)
				break;
			writing_await(o->fd);
		} else if (n < 0) {
			err = -errno;
			o->err = o->err ? o->err : err;
			o->written = o->buf.len;
		} else {
			o->written += n;
		}
	}
	if (!output_pending(o)) {
		screen_follow();
		o->buf.len = 0;
		o->written = 0;
		if (o->buf.cap > OUTPUT_KEEP && !o->buf.failed)
			buf_fini(&o->buf);
	} else if (o->written > o->buf.cap / 2) {
		/* Free the beginning rather than let the buffer grow. */
		o->buf.len -= o->written;
		memmove(o->buf.p, o->buf.p + o->written, o->buf.len);
		o->written = 0;
	}
	return o->buf.failed ? -ENOMEM : err;
}

int output_poll(const struct output *o, struct pollfd *fd)
{
	if (o->taker)
		return o->taker->poll(o->taker, fd);
	/* poll() reports a closed output without being asked. */
	*fd = (struct pollfd){ .fd = o->fd, .events = output_pending(o) ? POLLOUT : 0 };
	return -1;
}

int output_close(struct output *o)
{
	int err = output_flush(o, true), closed = o->owned ? writing_close(o->fd) : 0;

	o->owned = false;
	return o->err ? o->err : err ? err : closed;
}

/* Why what the plan has at its offset is not there, or NULL. */
static const char *absent(const struct output_event *e, const struct plan_frame *f,
			  const struct plan_value *val)
{
	/* Nothing is captured where no value has a byte. */
	if (val->offset > e->rec->frame_size || (!e->rec->frame && val->type->size))
		return "impossible type";
	if (val->stack && e->rec->h.flags & GOPROBE_RECORD_F_FAULT)
		return "no readable memory";
	return value_missed(e->rec, (uint64_t)(val - f->values));
}

/* Its type; for a shape the real one, if the dictionary is known. */
static const struct gotype *type_of(const struct output_event *e, const struct plan_value *val)
{
	const struct gotype *real = NULL;

	if (val->param && e->dict)
		real = gobin_real_type(e->fn->bin, val->param, e->dict);
	return real && real->size == val->type->size ? real : val->type;
}

void output_value(const struct output_event *e, const struct plan_frame *f,
		  const struct plan_value *val, struct output_shown *ret)
{
	static const uint8_t nothing[8];
	const struct gotype *type = type_of(e, val);

	ret->type = val->steps ? val->steps->type : type;
	ret->why = val->unavailable ?: absent(e, f, val);
	ret->has_length = val->length && !absent(e, f, val) && e->rec->frame &&
			  e->rec->frame_size - val->offset >= sizeof(ret->length);
	if (ret->has_length)
		ret->length = load_u64(e->rec->frame + val->offset);
	if (ret->why)
		return;
	ret->at = (struct value_at){
		.type = type,
		.p = e->rec->frame ? e->rec->frame + val->offset : nothing,
		.len = e->rec->frame_size - val->offset,
	};
	if (val->steps)
		ret->why = deferred_step_go(val->steps, e->v, &ret->at, ret->number);
	if (!ret->why)
		ret->type = ret->at.type;
}

bool output_register(const struct output_event *e, size_t i, uint64_t *ret)
{
	const struct plan_frame *f = output_frame(e);
	uint64_t at = f->registers + i * sizeof(*ret);

	if (!f->has_registers || !e->rec->frame || e->rec->frame_size < at + sizeof(*ret))
		return false;
	*ret = load_u64(e->rec->frame + at);
	return true;
}

uint64_t output_lost(const struct output_summary *s)
{
	return s->malformed + counters_lost(s->stats);
}

unsigned int output_about(const struct output_summary *s)
{
	return COUNTERS_EVENTS | (s->edits ? COUNTERS_EDITS : 0);
}

size_t output_facts(const struct output_summary *s, struct fact ret[OUTPUT_FACTS])
{
	const struct fact own[OUTPUT_OWN_FACTS] = {
		{ "unwound", s->unwound, "call",
		  "ended without returning (panic or Goexit)", FACT_ALWAYS },
		{ "open", s->open, "call", "had not returned", FACT_ALWAYS },
		{ "doubtful", s->doubtful, "call",
		  "with an end that was not seen: records were lost", FACT_ALWAYS },
		{ "forgotten", s->forgotten, "open call", "forgotten: too many at once",
		  FACT_ALWAYS },
		{ "gone", s->gone, "call",
		  "ended when their process exited, or executed another program", 0 },
		{ "inlined_left_out", s->inlined_left_out, "inlined place",
		  "of these functions not traced", 0 },
		{ "left_out", s->left_out, "recorded event",
		  "not shown: not asked for", 0 },
	};

	memcpy(ret, own, sizeof(own));
	return OUTPUT_OWN_FACTS +
	       counters_facts(s->stats, s->unknown, output_about(s), ret + OUTPUT_OWN_FACTS);
}

size_t output_lost_facts(const struct output_summary *s, struct fact ret[OUTPUT_FACTS])
{
	size_t n = counters_facts(s->stats, s->unknown, COUNTERS_LOST, ret);

	ret[n++] = (struct fact){ "malformed", s->malformed, NULL, "malformed", FACT_ALWAYS };
	return n;
}
