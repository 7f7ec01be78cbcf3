// SPDX-License-Identifier: GPL-2.0
/* Writing a recording. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/writing.h"
#include "recording/recorder.h"

/* Written when no more fits, or a pass is complete. */
#define BUFFER_BYTES (256U << 10)
/* Entries of at least this size bypass the buffer; smaller ones fit in. */
#define THROUGH_BYTES (16U << 10)
/*
 * Of each message from the module so much is looked at for types to learn: all when
 * little happens, an eighth when messages are full. What is common is seen either
 * way, and looking at everything would cost more than writing it.
 */
#define LOOK_BYTES 4096

/*
 * A file that is there already loses what lets others read it, and then what is in it. What
 * is no regular file is somebody else's matter: pipes, terminals, /dev/null.
 */
static int take_over(int fd, const char *path, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st))
		return diag_errno(d, errno, "can't write %s", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (st.st_uid != geteuid()) {
		diag_set(d, "%s belongs to another user, whom a recording is not for", path);
		diag_hint(d, "name a file that does not exist yet");
		return -1;
	}
	if (st.st_mode & 077 && fchmod(fd, st.st_mode & 07700)) {
		diag_errno(d, errno,
			   "others may use %s, which a recording is not for, and that can't be changed",
			   path);
		diag_hint(d, "name a file that does not exist yet");
		return -1;
	}
	return ftruncate(fd, 0) ? diag_errno(d, errno, "can't write %s", path) : 0;
}

int recorder_open(struct recorder *r, const char *path, struct diag *d)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	bool ours;

	r->path = path;
	/* It has the program's memory in it: nobody else's business. */
	r->fd = open(path, flags | O_EXCL, 0600);
	ours = r->fd >= 0;
	if (!ours && errno == EEXIST)
		r->fd = open(path, flags, 0600);
	if (r->fd < 0)
		return diag_errno(d, errno, "can't write %s", path);
	if (!ours && take_over(r->fd, path, d))
		return -1;
	r->buf = malloc(BUFFER_BYTES);
	return r->buf ? 0 : diag_set(d, "out of memory");
}

void recorder_fini(struct recorder *r)
{
	if (r->path && r->fd >= 0)
		close(r->fd);
	free(r->buf);
	load_bias_free(r->bias);
	memset(r, 0, sizeof(*r));
}

/* Write all of @n pieces; @v is used up. */
static void write_all(struct recorder *r, struct iovec *v, size_t n)
{
	while (n && !r->err) {
		ssize_t done = writev(r->fd, v, n);

		if (done < 0 && errno != EINTR)
			r->err = errno;
		for (; n && done >= (ssize_t)v->iov_len; v++, n--)
			done -= v->iov_len;
		if (n && done > 0) {
			v->iov_base = (uint8_t *)v->iov_base + done;
			v->iov_len -= done;
		}
	}
}

#define PIECES(v) (sizeof(v) / sizeof((v)[0]))

static void flush(struct recorder *r)
{
	struct iovec v = { .iov_base = r->buf, .iov_len = r->len };

	write_all(r, &v, r->len ? 1 : 0);
	r->len = 0;
}

/* Flush, and say if anything has failed so far. */
static int complete(struct recorder *r, struct diag *d)
{
	flush(r);
	return r->err ? diag_errno(d, r->err, "can't write %s", r->path) : 0;
}

static void append(struct recorder *r, const void *p, size_t n)
{
	if (n)
		memcpy(r->buf + r->len, p, n);
	r->len += n;
}

/*
 * An entry of @n bytes at @p and, behind them, @m at @q. Little waits in the buffer for
 * more; much is written from where it is, behind what waits.
 */
static void put_two(struct recorder *r, enum recording_kind kind, uint32_t cpu, const void *p,
		    size_t n, const void *q, size_t m)
{
	static const uint8_t zeros[8];
	struct recording_mark mark = { .kind = kind, .size = n + m, .cpu = cpu };
	struct iovec v[] = {
		{ r->buf, r->len },
		{ &mark, sizeof(mark) },
		{ (void *)(uintptr_t)p, n },
		{ (void *)(uintptr_t)q, m },
		{ (void *)(uintptr_t)zeros, recording_padding(mark.size) },
	};
	size_t whole = sizeof(mark) + mark.size + recording_padding(mark.size);

	if (n > RECORDING_ENTRY_MAX || m > RECORDING_ENTRY_MAX - n) {
		r->err = EFBIG;
		return;
	}
	if (mark.size >= THROUGH_BYTES) {
		write_all(r, v, PIECES(v));
		r->len = 0;
	} else {
		if (r->len + whole > BUFFER_BYTES)
			flush(r);
		for (size_t i = 1; i < PIECES(v); i++)
			append(r, v[i].iov_base, v[i].iov_len);
	}
	r->bytes += whole;
}

static void put(struct recorder *r, enum recording_kind kind, const void *p, size_t n)
{
	put_two(r, kind, 0, p, n, NULL, 0);
}

int recorder_identify(int fd, struct recording_file *ret)
{
	enum { BLOCK = 1 << 18 };	/* a multiple of 8, as the hash wants its parts */
	uint8_t *block = malloc(BLOCK);
	ssize_t n = 1;

	*ret = (struct recording_file){ 0 };
	while (block && n > 0) {
		size_t have = 0;

		do {
			n = pread(fd, block + have, BLOCK - have, ret->size + have);
			have += n > 0 ? n : 0;
		} while ((n > 0 && have < BLOCK) || (n < 0 && errno == EINTR));
		ret->hash = recording_hash(ret->hash, block, have);
		ret->size += have;
	}
	free(block);
	return block && !n ? 0 : -1;
}

static int put_file(struct recorder *r, const struct gobin *bin, struct diag *d)
{
	char real[PATH_MAX];
	const char *path = realpath(gobin_path(bin), real);
	struct recording_file f;

	if (recorder_identify(gobin_fd(bin), &f))
		return diag_errno(d, errno, "can't read %s", gobin_path(bin));
	/* Of a deleted file there is only the name it had. */
	if (!path)
		path = gobin_path(bin);
	put_two(r, RECORDING_FILE, 0, &f, sizeof(f), path, strlen(path));
	return 0;
}

static void record_learned(void *ctx, const struct gobin *bin, uint64_t vaddr, uint32_t level,
			   bool func)
{
	struct recorder *r = ctx;
	struct recording_learned l = { .address = vaddr, .level = level, .func = func };

	while (l.file < r->nbins && r->bins[l.file] != bin)
		l.file++;
	put(r, RECORDING_LEARNED, &l, sizeof(l));
}

static void put_options(struct recorder *r, const struct options *o)
{
	for (size_t i = 0; i < option_number; i++) {
		const struct option_row *row = &option_rows[i];
		struct recording_option option = { .key = row->key };

		if (!row->recorded || !option_given(o, row))
			continue;
		option.value = option_value(o, row);
		put(r, RECORDING_OPTION, &option, sizeof(option));
	}
	for (size_t i = 0; i < o->plan.secrets.n; i++)
		put(r, RECORDING_REDACT, o->plan.secrets.v[i].s, o->plan.secrets.v[i].len);
}

int recorder_begin(struct recorder *r, const struct recorder_source *s, struct learn *learn,
		   struct diag *d)
{
	struct recording_head head = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };

	r->plan = s->plan;
	r->bins = s->bins;
	r->nbins = s->nbins;
	r->bias = load_bias_new(s->plan);
	if (!r->bias)
		return diag_set(d, "out of memory");
	r->learn = learn;
	learn->learned = record_learned;
	learn->ctx = r;
	r->looks = learn_possible(s->plan);
	r->looked = clock_now(CLOCK_MONOTONIC);
	memcpy(head.magic, RECORDING_MAGIC, sizeof(head.magic));
	append(r, &head, sizeof(head));
	r->bytes = sizeof(head);
	for (size_t i = 0; i < s->nbins; i++)
		if (put_file(r, s->bins[i], d))
			return -1;
	for (size_t i = 0; i < s->options->nspecs; i++)
		put(r, RECORDING_SPEC, s->options->specs[i].text,
		    strlen(s->options->specs[i].text));
	put_options(r, s->options);
	r->start = (struct recording_start){
		.plan = recording_plan(s->plan),
		.epoch = clock_epoch(),
		.pids = s->pids,
	};
	return complete(r, d);
}

int recorder_start(struct recorder *r, uint64_t started, struct diag *d)
{
	r->start.started = started;
	put(r, RECORDING_START, &r->start, sizeof(r->start));
	return complete(r, d);
}

static void look(struct recorder *r, const uint8_t *p, size_t len)
{
	const struct goprobe_record *h = &r->rec.h;
	const char *why;
	uint64_t bias;

	for (size_t at = 0; at < len && at < LOOK_BYTES;) {
		int64_t n = record_decode(p + at, len - at, plan_frame_size, r->plan, &r->rec,
					  &why);

		if (n < 0)
			return;		/* replay says so */
		if (h->kind != GOPROBE_RECORD_LOST && h->id < r->plan->nfuncs &&
		    load_bias_of(r->bias, h, &bias))
			learn_record(r->learn, &r->rec, r->plan->funcs[h->id]->bin, bias);
		at += n;
	}
}

/* Records of hidden functions are none. What is wrong with the others, replay says. */
static void count_events(struct recorder *r, const uint8_t *p, size_t len)
{
	struct goprobe_record h;

	for (size_t size; len >= sizeof(h); p += size, len -= size) {
		memcpy(&h, p, sizeof(h));
		size = h.words * 8ULL;
		if (size < sizeof(h) || size > len)
			return;
		if (h.kind != GOPROBE_RECORD_LOST && h.id < r->plan->nfuncs &&
		    !r->plan->funcs[h.id]->hidden)
			r->events++;
	}
}

int recorder_add(struct recorder *r, uint32_t cpu, uint8_t *p, size_t len)
{
	count_events(r, p, len);
	redact_records(&r->redactor, r->plan, p, len);
	put_two(r, RECORDING_RECORDS, cpu, p, len, NULL, 0);
	if (r->looks)
		look(r, p, len);
	return 0;
}

int recorder_pass(struct recorder *r, uint64_t time, const uint64_t *stats, struct diag *d)
{
	struct recording_pass pass = { .time = time };

	if (clock_follow(&r->start.epoch, &r->looked)) {
		struct recording_epoch epoch = { .epoch = r->start.epoch };

		put(r, RECORDING_EPOCH, &epoch, sizeof(epoch));
	}
	for (uint32_t i = GOPROBE_LOST_UNSPEC + 1; i < __GOPROBE_LOST_MAX; i++)
		pass.lost[i] = stats[counters_of_cause(i)];
	put(r, RECORDING_PASS, &pass, sizeof(pass));
	return complete(r, d);
}

void recorder_settled(struct recorder *r)
{
	put(r, RECORDING_SETTLED, NULL, 0);
	r->looks = learn_possible(r->plan);
}

int recorder_end(struct recorder *r, const struct output_summary *sum,
		 const struct goprobe_breaker *breaker, struct diag *d)
{
	struct recording_end end = { .ns = sum->ns };
	int err;

	if (breaker)
		end.breaker = *breaker;
	put_two(r, RECORDING_END, 0, &end, sizeof(end), sum->stats, sizeof(sum->stats));
	flush(r);
	err = writing_close(r->fd);
	r->fd = -1;
	if (err && !r->err)
		r->err = -err;
	return complete(r, d);
}
