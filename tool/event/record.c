// SPDX-License-Identifier: GPL-2.0
/*
 * The decoder of records. It trusts nothing in the bytes: it compares each length with the
 * remaining bytes first.
 */
#include <string.h>

#include "base/unaligned.h"
#include "event/record.h"

#define ALIGN8(n) (((n) + 7) & ~(size_t)7)

static inline bool peek(const uint8_t *buf, size_t len, size_t *size, uint64_t *time)
{
	uint32_t n;

	if (len < sizeof(struct goprobe_record))
		return false;
	n = load_u16(buf + offsetof(struct goprobe_record, words)) * 8;
	if (n < sizeof(struct goprobe_record) || n > len)
		return false;
	*size = n;
	*time = load_u64(buf + offsetof(struct goprobe_record, time));
	return true;
}

bool record_peek(const uint8_t *buf, size_t len, size_t *size, uint64_t *time)
{
	return peek(buf, len, size, time);
}

static int64_t malformed(const char **why, const char *how)
{
	*why = how;
	return -1;
}

static const char *decode_chunks(const uint8_t *p, size_t left, struct record *r)
{
	while (left) {
		struct record_chunk *c = &r->chunks[r->nchunks];
		struct goprobe_chunk wire;

		if (left < sizeof(wire))
			return "chunk header is cut off";
		if (r->nchunks == RECORD_CHUNKS_MAX)
			return "too many chunks";
		memcpy(&wire, p, sizeof(wire));
		p += sizeof(wire);
		left -= sizeof(wire);
		if (ALIGN8(wire.size) > left)
			return "chunk is longer than its record";
		c->address = wire.address;
		c->type = wire.type;
		c->size = wire.size;
		c->status = wire.status;
		c->level = wire.level;
		c->data = p;
		r->nchunks++;
		p += ALIGN8(wire.size);
		left -= ALIGN8(wire.size);
	}
	return NULL;
}

/*
 * The number before the frame of a call that was held: how long before the record it was
 * made. Returns its size in bytes, 0 if absent, or -1.
 */
static int64_t decode_held(const uint8_t *p, size_t left, struct record *r, const char **why)
{
	uint64_t ago;

	if (!(r->h.flags & GOPROBE_RECORD_F_PENDING))
		return 0;
	if (r->h.kind != GOPROBE_RECORD_CALL)
		return malformed(why, "what was held is no call");
	if (left < sizeof(ago))
		return malformed(why, "the time of a call is cut off");
	ago = load_u64(p);
	if (ago > r->h.time)
		return malformed(why, "impossible time of a call");
	r->h.time -= ago;
	return sizeof(ago);
}

/*
 * The numbers before the frame of a call's end: how its time divides. Their bytes, 0 if there
 * are none, or -1.
 */
static int64_t decode_split(const uint8_t *p, size_t left, struct record *r, const char **why)
{
	uint64_t all = 0;

	if (!(r->h.flags & GOPROBE_RECORD_F_SPLIT))
		return 0;
	if (r->h.kind != GOPROBE_RECORD_RETURN && r->h.kind != GOPROBE_RECORD_TAIL)
		return malformed(why, "what has its time divided is no end of a call");
	if (left < sizeof(r->split))
		return malformed(why, "the times of a call are cut off");
	memcpy(r->split, p, sizeof(r->split));
	for (int i = 0; i < __GOSTATES_MAX; i++)
		if (__builtin_add_overflow(all, r->split[i], &all))
			return malformed(why, "impossible times of a call");
	r->is_split = true;
	return sizeof(r->split);
}

int64_t record_decode(const uint8_t *buf, size_t len,
		      record_frame_size_fn frame_size, void *ctx,
		      struct record *ret, const char **why)
{
	uint64_t time;
	size_t size;

	ret->frame = NULL;
	ret->frame_size = 0;
	ret->nchunks = 0;
	ret->is_split = false;
	if (!peek(buf, len, &size, &time))
		return malformed(why, "impossible record size");
	memcpy(&ret->h, buf, sizeof(ret->h));
	ret->written = time;

	const uint8_t *p = buf + sizeof(ret->h);
	size_t left = size - sizeof(ret->h);
	int64_t held = decode_held(p, left, ret, why), split;

	if (held < 0)
		return -1;
	p += held;
	left -= held;
	split = decode_split(p, left, ret, why);
	if (split < 0)
		return -1;
	p += split;
	left -= split;
	switch (ret->h.kind) {
	case GOPROBE_RECORD_LOST:
		if (left != sizeof(ret->lost))
			return malformed(why, "impossible size of a loss");
		memcpy(&ret->lost, p, sizeof(ret->lost));
		return size;
	case GOPROBE_RECORD_TAIL:
		return left ? malformed(why, "a jump with values") : (int64_t)size;
	case GOPROBE_RECORD_CALL:
	case GOPROBE_RECORD_RETURN:
	case GOPROBE_RECORD_AT:
		break;
	default:
		return malformed(why, "unknown kind of record");
	}
	if (ret->h.plan == GOPROBE_NO_PLAN)
		return left ? malformed(why, "values without a plan") : (int64_t)size;

	int64_t frame = frame_size(ctx, ret->h.plan);

	if (frame < 0)
		return malformed(why, "unknown plan");
	if ((uint64_t)frame > left || ALIGN8((size_t)frame) > left)
		return malformed(why, "frame is cut off");
	ret->frame = p;
	ret->frame_size = frame;
	p += ALIGN8((size_t)frame);
	left -= ALIGN8((size_t)frame);

	const char *bad = decode_chunks(p, left, ret);

	return bad ? malformed(why, bad) : (int64_t)size;
}
