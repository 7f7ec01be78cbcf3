// SPDX-License-Identifier: GPL-2.0
/* Recordings: a round trip, and damaged files. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bins.h"
#include "plan/select.h"
#include "recording/player.h"
#include "recording/recorder.h"
#include "rows.h"
#include "trace/replay.h"

/* --- entries --------------------------------------------------------------- */

static struct entry_row {
	const char *claim;
	struct recording_mark mark;
	size_t len;		/* bytes there are, the mark's included */
	int64_t want;
	const char *why;
} entries[] = {
	{ "no bytes: more are needed", { 0 }, 0, 0, NULL },
	{ "half a mark: more are needed", { RECORDING_SPEC, 1, 0, 0 }, 15, 0, NULL },
	{ "a mark alone: more are needed", { RECORDING_SPEC, 1, 0, 0 }, 16, 0, NULL },
	{ "padding that is missing: more are needed", { RECORDING_SPEC, 1, 0, 0 }, 23, 0, NULL },
	{ "a whole entry", { RECORDING_SPEC, 1, 0, 0 }, 24, 24, NULL },
	{ "what follows is not its", { RECORDING_SPEC, 8, 0, 0 }, 64, 24, NULL },
	{ "an entry without bytes", { RECORDING_SETTLED, 0, 0, 0 }, 16, 16, NULL },
	{ "a message without records", { RECORDING_RECORDS, 0, 3, 0 }, 16, 16, NULL },
	{ "no kind", { 0, 0, 0, 0 }, 64, -1, "unknown kind of entry" },
	{ "an unknown kind", { __RECORDING_MAX, 0, 0, 0 }, 64, -1, "unknown kind of entry" },
	{ "bits that mean nothing yet", { RECORDING_SPEC, 1, 0, 1 }, 64, -1,
	  "unknown kind of entry" },
	{ "a spec without text", { RECORDING_SPEC, 0, 0, 0 }, 64, -1,
	  "impossible size of an entry" },
	{ "a struct that is too short",
	  { RECORDING_START, sizeof(struct recording_start) - 8, 0, 0 }, 256, -1,
	  "impossible size of an entry" },
	{ "a struct that is too long",
	  { RECORDING_PASS, sizeof(struct recording_pass) + 8, 0, 0 }, 256, -1,
	  "impossible size of an entry" },
	{ "a file without a path", { RECORDING_FILE, sizeof(struct recording_file), 0, 0 }, 64,
	  sizeof(struct recording_mark) + sizeof(struct recording_file), NULL },
	{ "a longer entry than there are", { RECORDING_RECORDS, RECORDING_ENTRY_MAX + 1, 0, 0 }, 64,
	  -1, "an entry is too long" },
	{ "records without a trap, of the last CPU there can be",
	  { RECORDING_RECORDS, 0, 16383, 0 }, 16, 16, NULL },
	{ "a CPU that no machine has", { RECORDING_RECORDS, 0, 16384, 0 }, 16, -1,
	  "impossible number of a CPU" },
	{ "the longest size there is", { RECORDING_RECORDS, UINT32_MAX, 0, 0 }, 64, -1,
	  "an entry is too long" },
};

ROWS(test_entry, entries)
{
	const struct entry_row *row = *state;
	uint8_t *p = calloc(1, row->len ? row->len : 1);
	struct recording_entry e = { 0 };
	const char *why = NULL;

	memcpy(p, &row->mark, row->len < sizeof(row->mark) ? row->len : sizeof(row->mark));
	assert_int_equal(recording_parse(p, row->len, &e, &why), row->want);
	if (row->why)
		assert_string_equal(why, row->why);
	else
		assert_null(why);
	if (row->want > 0) {
		assert_int_equal(e.kind, row->mark.kind);
		assert_int_equal(e.cpu, row->mark.cpu);
		assert_int_equal(e.size, row->mark.size);
		assert_ptr_equal(e.p, p + sizeof(row->mark));
	}
	free(p);
}

TEST(test_head, "the head")
{
	struct recording_head h = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };

	memcpy(h.magic, RECORDING_MAGIC, sizeof(h.magic));
	assert_null(recording_check_head((uint8_t *)&h, sizeof(h)));
	assert_string_equal(recording_check_head((uint8_t *)&h, sizeof(h) - 1),
			    "it is not a recording of goprobectl");
	h.version = RECORDING_VERSION_MIN;
	assert_null(recording_check_head((uint8_t *)&h, sizeof(h)));
	h.version = RECORDING_VERSION_MIN - 1;
	assert_string_equal(recording_check_head((uint8_t *)&h, sizeof(h)),
			    "it was made by another version of goprobectl");
	h.version = RECORDING_VERSION + 1;
	assert_string_equal(recording_check_head((uint8_t *)&h, sizeof(h)),
			    "it was made by another version of goprobectl");
	h.order = __builtin_bswap32(RECORDING_ORDER);
	assert_string_equal(recording_check_head((uint8_t *)&h, sizeof(h)),
			    "it was made on a machine with another order of bytes");
	h.magic[0]++;
	assert_string_equal(recording_check_head((uint8_t *)&h, sizeof(h)),
			    "it is not a recording of goprobectl");
}

TEST(test_hash, "the hash depends on every byte and on how many there are")
{
	static const char text[] = "0123456789abcdef\0\0";
	uint64_t all = recording_hash(0, text, 16);

	/* Read in parts, as files are. */
	assert_true(recording_hash(recording_hash(0, text, 8), text + 8, 8) == all);
	assert_true(recording_hash(0, text, 15) != all);
	assert_true(recording_hash(0, text, 17) != all);
	assert_true(recording_hash(0, text, 18) != recording_hash(0, text, 17));
	assert_true(recording_hash(0, text + 1, 15) != recording_hash(0, text, 15));
	assert_true(recording_hash(0, "", 0) == 0);
}

/* --- written and read ------------------------------------------------------ */

static char path[64];

static void new_path(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/goprobe-recording-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

#define HOUR 3600000000000ULL
/* A counter at the end of the recording. */
#define STAT(i) (1000 + (i) * 7)

/* Two messages of two processors, a pass between them. */
static void write_recording(void)
{
	static const struct recording_option given[] = {
		{ GOPROBE_OPTION_NO_RETURN, 0, 1 }, { GOPROBE_OPTION_SAMPLE, 0, 100 },
		{ GOPROBE_OPTION_EVENTS, 0, 5 },
	};
	struct options options;
	struct goprobe_record r[2] = {
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_TAIL, .id = 7, .time = 1 },
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_TAIL, .id = 7, .time = 2 },
	};
	uint64_t stats[__GOPROBE_STAT_MAX] = { [GOPROBE_STAT_LOST_RING_FULL] = 3 };
	static const struct goprobe_breaker breaker = { .hit_ns = 900, .percent = 20 };
	struct output_summary sum = { .ns = 99 };
	static struct recorder rec;
	struct spec specs[2];
	struct plan *p;
	struct learn learn;
	struct diag d = { 0 };

	options_init(&options, COMMAND_ATTACH);
	for (size_t i = 0; i < N(given); i++)
		assert_int_equal(option_set(&options, given[i].key, given[i].value, &d), 0);
	assert_int_equal(secret_list_add(&options.plan.secrets, "email,zip", &d), 0);
	assert_int_equal(spec_parse("main.foo", &specs[0], &d), 0);
	assert_int_equal(spec_parse("main.*(x)", &specs[1], &d), 0);
	options.specs = specs;
	options.nspecs = N(specs);
	p = plan_new(&options.plan);
	new_path();
	learn_init(&learn, p);
	assert_int_equal(recorder_open(&rec, path, &d), 0);
	assert_int_equal(recorder_begin(&rec, &(struct recorder_source){
		.plan = p, .options = &options, .pids = true,
	}, &learn, &d), 0);
	spec_fini(&specs[0]);
	spec_fini(&specs[1]);
	assert_int_equal(recorder_start(&rec, 42, &d), 0);
	assert_int_equal(recorder_add(&rec, 1, (uint8_t *)r, sizeof(r)), 0);
	/* The clock has been set by an hour since it was looked at. */
	rec.start.epoch -= HOUR;
	rec.looked = 0;
	assert_int_equal(recorder_pass(&rec, 5, stats, &d), 0);
	assert_int_equal(recorder_add(&rec, 2, (uint8_t *)r, sizeof(*r)), 0);
	for (size_t i = 0; i < __GOPROBE_STAT_MAX; i++)
		sum.stats[i] = STAT(i);
	assert_int_equal(recorder_end(&rec, &sum, &breaker, &d), 0);
	assert_int_equal(truncate(path, (off_t)rec.bytes), 0);
	recorder_fini(&rec);
	learn_fini(&learn);
	plan_free(p);
	secret_list_fini(&options.plan.secrets);
}

TEST(test_events, "events are records of what is shown")
{
	struct plan_func shown = { .at = NULL }, hidden = { .hidden = true };
	struct plan_func *funcs[] = { &shown, &hidden };
	struct plan plan = { .o = &plan_defaults, .funcs = funcs, .nfuncs = 2 };
	struct goprobe_record r[] = {
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_CALL, .id = 1 },
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_CALL },
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_LOST },
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_RETURN },
		{ .words = sizeof(*r) / 8, .kind = GOPROBE_RECORD_CALL, .id = 2 },
		{ .words = sizeof(*r) / 8 + 1, .kind = GOPROBE_RECORD_CALL },
	};
	static struct recorder rec;
	struct diag d = { 0 };

	new_path();
	assert_int_equal(recorder_open(&rec, path, &d), 0);
	rec.plan = &plan;
	assert_int_equal(recorder_add(&rec, 0, (uint8_t *)r, sizeof(r)), 0);
	assert_int_equal(rec.events, 2);
	r[0].words = 1;
	assert_int_equal(recorder_add(&rec, 0, (uint8_t *)r, sizeof(r)), 0);
	assert_int_equal(rec.events, 2);
	recorder_fini(&rec);
	unlink(path);
}

static struct stat opened(const char *name, mode_t mode)
{
	static struct recorder rec;
	struct diag d = { 0 };
	struct stat st;

	if (mode)
		assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(recorder_open(&rec, name, &d), 0);
	assert_int_equal(fstat(rec.fd, &st), 0);
	recorder_fini(&rec);
	return st;
}

/* A program's memory is nobody else's business, whatever was in the file before. */
TEST(test_mode, "nobody but the owner may read a recording, new or not")
{
	mode_t mask = umask(0);
	char link[sizeof(path) + 8];
	struct stat st;

	new_path();
	assert_int_equal(unlink(path), 0);
	st = opened(path, 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);

	assert_int_equal(truncate(path, 5), 0);
	st = opened(path, 0666);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, 0);
	st = opened(path, 0740);
	assert_int_equal(st.st_mode, S_IFREG | 0700);

	/* The owner of the file can make it readable again. */
	if (geteuid() == 0) {
		struct recorder rec = { 0 };
		struct diag d = { 0 };

		assert_int_equal(truncate(path, 5), 0);
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_int_equal(recorder_open(&rec, path, &d), -1);
		assert_non_null(strstr(d.message, "belongs to another user"));
		diag_fini(&d);
		recorder_fini(&rec);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_size, 5);
		assert_int_equal(chown(path, 0, 0), 0);
	}

	/* Behind a link, too; the link stays. */
	snprintf(link, sizeof(link), "%s.link", path);
	assert_int_equal(symlink(path, link), 0);
	st = opened(link, 0644);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(unlink(path), 0);
	st = opened(link, 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(stat("/dev/null", &st), 0);
	assert_int_equal(opened("/dev/null", 0).st_mode, st.st_mode);
	umask(mask);
}

static const enum recording_kind written[] = {
	RECORDING_SPEC, RECORDING_SPEC, RECORDING_OPTION, RECORDING_OPTION, RECORDING_REDACT,
	RECORDING_REDACT, RECORDING_START,
	RECORDING_RECORDS, RECORDING_EPOCH,
	RECORDING_PASS, RECORDING_RECORDS, RECORDING_END,
};

TEST(test_read, "what a recorder writes a player reads")
{
	struct recording_entry e[N(written)];
	static uint8_t copies[N(written)][512];
	struct recording_option option;
	struct recording_start start;
	struct recording_epoch epoch;
	struct recording_pass pass;
	struct recording_summary end;
	struct player p = { 0 };
	struct diag d = { 0 };

	write_recording();
	assert_int_equal(player_open(&p, path, &d), 0);
	for (size_t i = 0; i < N(written); i++) {
		assert_int_equal(player_next(&p, &e[i], &d), 1);
		assert_int_equal(e[i].kind, written[i]);
		assert_true(e[i].size <= sizeof(copies[i]));
		memcpy(copies[i], e[i].p, e[i].size);
	}
	assert_int_equal(player_next(&p, &e[0], &d), 0);
	player_fini(&p);
	assert_memory_equal(copies[1], "main.*(x)", 9);
	/* In the order of the table; recordings do not have --events. */
	memcpy(&option, copies[2], sizeof(option));
	assert_int_equal(option.key, GOPROBE_OPTION_SAMPLE);
	assert_int_equal(option.value, 100);
	memcpy(&option, copies[3], sizeof(option));
	assert_int_equal(option.key, GOPROBE_OPTION_NO_RETURN);
	assert_int_equal(option.value, 1);
	assert_memory_equal(copies[4], "email", e[4].size);
	assert_memory_equal(copies[5], "zip", e[5].size);
	memcpy(&start, copies[6], sizeof(start));
	assert_int_equal(start.started, 42);
	assert_int_equal(start.pids, 1);
	assert_int_equal(e[7].cpu, 1);
	assert_int_equal(e[7].size, 2 * sizeof(struct goprobe_record));
	memcpy(&epoch, copies[8], sizeof(epoch));
	assert_in_range(epoch.epoch, start.epoch - HOUR / 60, start.epoch + HOUR / 60);
	memcpy(&pass, copies[9], sizeof(pass));
	assert_int_equal(pass.time, 5);
	assert_int_equal(pass.lost[GOPROBE_LOST_RING_FULL], 3);
	assert_int_equal(e[10].cpu, 2);
	e[11].p = copies[11];
	recording_summary(&e[11], &end);
	assert_int_equal(end.ns, 99);
	assert_int_equal(end.breaker.hit_ns, 900);
	assert_int_equal(end.breaker.percent, 20);
	assert_int_equal(end.unknown, 0);
	for (size_t i = 0; i < __GOPROBE_STAT_MAX; i++)
		assert_int_equal(end.stats[i], STAT(i));
	unlink(path);
}

/* The last entry of recordings whose writers knew other counters. */
TEST(test_other_ends, "of a recording with other counters those are read")
{
	const struct recording_end_4 old = {
		.ns = 9, .no_room = 1, .filtered = 2, .undecided = 3, .sampled = 4, .limited = 5,
		.waits = 6, .wait_ns = 7, .lost = { 0, 8, 9 },
	};
	struct { struct recording_end end; uint64_t stats[__GOPROBE_STAT_MAX + 1]; } now = {
		.end.ns = 10, .stats = { 11, 12, [__GOPROBE_STAT_MAX] = 13 },
	};
	struct recording_entry e = {
		.kind = RECORDING_END_4, .p = (const uint8_t *)&old, .size = sizeof(old),
	};
	struct recording_summary sum;

	recording_summary(&e, &sum);
	assert_int_equal(sum.ns, 9);
	assert_int_equal(sum.stats[GOPROBE_STAT_WAIT_NS], 7);
	assert_int_equal(sum.stats[GOPROBE_STAT_LOST_NO_RING], 9);
	assert_true(sum.unknown >> GOPROBE_STAT_JUMPS_LOST & 1);
	assert_false(sum.unknown >> GOPROBE_STAT_LIMITED & 1);

	e = (struct recording_entry){ .kind = RECORDING_END, .p = (const uint8_t *)&now };
	e.size = sizeof(now);
	recording_summary(&e, &sum);
	assert_int_equal(sum.unknown, 0);
	assert_int_equal(sum.stats[1], 12);
	e.size = sizeof(now.end) + 8;
	recording_summary(&e, &sum);
	assert_int_equal(sum.ns, 10);
	assert_int_equal(sum.stats[0], 11);
	assert_int_equal(sum.stats[1], 0);
	assert_true(sum.unknown == UINT64_MAX << 1);
}

/* Where the clock was set, records get other times from then on. */
TEST(test_epoch, "a replay's times follow the clock of the recording")
{
	struct recording_head head = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };
	const struct recording_mark mark = {
		.kind = RECORDING_EPOCH, .size = sizeof(struct recording_epoch),
	};
	const struct recording_epoch epoch = { .epoch = 77 };
	static struct replay r;
	struct output o = { .epoch = 5 };
	struct stream s = { .out = &o };
	struct diag d = { 0 };
	FILE *f;

	memcpy(head.magic, RECORDING_MAGIC, sizeof(head.magic));
	new_path();
	f = fopen(path, "we");
	assert_non_null(f);
	fwrite(&head, sizeof(head), 1, f);
	fwrite(&mark, sizeof(mark), 1, f);
	fwrite(&epoch, sizeof(epoch), 1, f);
	fclose(f);
	assert_int_equal(player_open(&r.player, path, &d), 0);
	assert_int_equal(replay_step(&r, &s, &d), 1);
	assert_int_equal(o.epoch, 77);
	assert_int_equal(replay_step(&r, &s, &d), 0);
	player_fini(&r.player);
	unlink(path);
}

/* Wherever the file ends: the entries that are whole, then no more. */
TEST(test_cut, "a file that is cut anywhere is read as far as it goes")
{
	struct diag d = { 0 };
	size_t before = N(written);
	long size;
	FILE *f;

	write_recording();
	f = fopen(path, "re");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fclose(f);
	while (size-- > (long)sizeof(struct recording_head)) {
		struct recording_entry e;
		struct player p = { 0 };
		size_t n = 0;

		assert_int_equal(truncate(path, size), 0);
		assert_int_equal(player_open(&p, path, &d), 0);
		while (player_next(&p, &e, &d) == 1)
			assert_int_equal(e.kind, written[n++]);
		assert_null(d.message);
		assert_true(n <= before && n + 1 >= before);
		before = n;
		player_fini(&p);
	}
	assert_int_equal(before, 0);
	unlink(path);
}

/* Messages of any size, one after the other: each is an entry, in order, with its own bytes. */
TEST(test_sizes, "messages of all sizes are whole, and in order")
{
	static const size_t sizes[] = { 8, 60000, 65472, 16, 16384, 16376, 20001, 1, 40000 };
	static uint8_t bytes[N(sizes)][65536];
	struct plan *p = plan_new(&plan_defaults);
	static struct recorder rec;
	struct recording_entry e;
	struct player player = { 0 };
	struct learn learn;
	struct diag d = { 0 };
	size_t whole;
	struct stat st;

	new_path();
	learn_init(&learn, p);
	assert_int_equal(recorder_open(&rec, path, &d), 0);
	assert_int_equal(recorder_begin(&rec, &(struct recorder_source){
		.plan = p, .options = &(struct options){ 0 },
	}, &learn, &d), 0);
	for (size_t i = 0; i < N(sizes); i++) {
		for (size_t k = 0; k < sizes[i]; k++)
			bytes[i][k] = k * 7 + i;
		assert_int_equal(recorder_add(&rec, i, bytes[i], sizes[i]), 0);
	}
	assert_int_equal(recorder_end(&rec, &(struct output_summary){ 0 }, NULL, &d), 0);
	whole = rec.bytes;
	recorder_fini(&rec);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, whole);
	assert_int_equal(player_open(&player, path, &d), 0);
	for (size_t i = 0; i < N(sizes); i++) {
		assert_int_equal(player_next(&player, &e, &d), 1);
		assert_int_equal(e.kind, RECORDING_RECORDS);
		assert_int_equal(e.cpu, i);
		assert_int_equal(e.size, sizes[i]);
		assert_memory_equal(e.p, bytes[i], sizes[i]);
	}
	assert_int_equal(player_next(&player, &e, &d), 1);
	assert_int_equal(e.kind, RECORDING_END);
	player_fini(&player);
	learn_fini(&learn);
	plan_free(p);
	unlink(path);
}

/* A recording of a program that is said to be at @of, of that many bytes with that hash. */
static void write_about(const char *of, uint64_t size, uint64_t hash)
{
	struct recording_head head = { .order = RECORDING_ORDER, .version = RECORDING_VERSION };
	const struct recording_file file = { .size = size, .hash = hash };
	const struct recording_mark mark = {
		.kind = RECORDING_FILE, .size = sizeof(file) + strlen(of),
	};
	FILE *f;

	memcpy(head.magic, RECORDING_MAGIC, sizeof(head.magic));
	new_path();
	f = fopen(path, "we");
	assert_non_null(f);
	fwrite(&head, sizeof(head), 1, f);
	fwrite(&mark, sizeof(mark), 1, f);
	fwrite(&file, sizeof(file), 1, f);
	fwrite(of, strlen(of), 1, f);
	for (size_t i = 0; i < recording_padding(mark.size); i++)
		fputc(0, f);
	fclose(f);
}

static void refuses(const char *of, uint64_t size, uint64_t hash)
{
	static const struct option_texts nowhere;
	static struct replay r;
	struct diag d = { 0 };
	char want[128];

	write_about(of, size, hash);
	memset(&r, 0, sizeof(r));
	r.path = path;
	r.files = &nowhere;
	snprintf(want, sizeof(want), "%s is not the program of this recording any more", of);
	assert_int_equal(replay_open(&r, &d), -1);
	assert_string_equal(d.message, want);
	diag_fini(&d);
	replay_fini(&r);
	unlink(path);
}

/* Size and hash may be right: it is no program all the same, and is not read as one. */
TEST(test_strangers, "what is no program is not opened, though a recording names it")
{
	static const char notes[] = "/sys/kernel/notes", short_one[] = "/tmp/goprobe-short";
	struct recording_file f;
	FILE *file;
	int fd;

	refuses("/proc/kmsg", 0, 0);
	file = fopen(short_one, "we");
	assert_non_null(file);
	fclose(file);
	refuses(short_one, 0, 0);
	unlink(short_one);
	fd = open(notes, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		skip();
	assert_int_equal(recorder_identify(fd, &f), 0);
	close(fd);
	refuses(notes, f.size, f.hash);
}

/* --- plans ----------------------------------------------------------------- */

static uint64_t hash_of(struct gobin *bin, const struct plan_options *o, const char *spec)
{
	struct plan *p = plan_new(o);
	struct buf skipped = { 0 };
	struct arena mem = { 0 };
	struct diag d = { 0 };
	char *text = (char *)spec;
	struct spec *specs;
	uint64_t h;

	assert_int_equal(select_specs_parse(&text, 1, &specs, &d), 0);
	assert_int_equal(select_functions(p, &bin, 1, specs, 1, &mem, &skipped, &d), 0);
	assert_int_equal(plan_finish(p, &d), 0);
	h = recording_plan(p);
	select_specs_free(specs, 1);
	buf_fini(&skipped);
	plan_free(p);
	arena_fini(&mem);
	return h;
}

/* Invariants that replay relies on. */
TEST(test_plan, "the same binary, specs and options make the same plan")
{
	struct plan_options other = plan_defaults;
	struct gobin *bin = bins_newest(""), *again = bins_newest("");
	uint64_t h = hash_of(bin, &plan_defaults, "main.*");

	assert_true(h == hash_of(again, &plan_defaults, "main.*"));
	assert_true(h != hash_of(bin, &plan_defaults, "main.I*"));
	other.no_return = true;
	assert_true(h != hash_of(bin, &other, "main.*"));
	other = plan_defaults;
	other.string_limit--;
	assert_true(h != hash_of(bin, &other, "main.*"));
	gobin_free(bin);
	gobin_free(again);
}
