// SPDX-License-Identifier: GPL-2.0
/* Labels of goroutines, read from this process's own memory, which may show anything. */
#include "rows.h"

#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "process/goroutine_labels.h"

#define KEY(text) { (uintptr_t)(text), sizeof(text) - 1 }

struct string {
	uintptr_t p;
	uint64_t n;
};

struct pair {
	struct string key;
	struct string value;
};

struct slice {
	uintptr_t p;
	uint64_t n;
};

static char long_text[GOROUTINE_LABELS_BYTES];
static const struct pair two[] = {
	{ KEY("tenant"), KEY("acme") }, { KEY("a"), KEY("") },
};

static const struct pair wrong[] = { { KEY("tenant"), { 8, 4 } } };
static const struct pair longs[] = {
	{ KEY("tenant"), { (uintptr_t)long_text, sizeof(long_text) } },
};

static const struct pair nul[] = { { KEY("ten\0ant"), KEY("acme") } };
static const struct pair overflowing[] = {
	{ KEY("tenant"), { (uintptr_t)long_text, UINT64_MAX } },
};

static struct pair many[GOROUTINE_LABELS_MAX + 1];

static const struct row {
	const char *name;
	const struct pair *v;
	uint64_t n;
	enum pprof_labels layout;
	bool unknown;
	const char *found;
} cases[] = {
	{"labels are sorted by their keys", two, 2, PPROF_LABELS_SLICE, false, "a= tenant=acme "},
	{"a goroutine may have no labels", two, 0, PPROF_LABELS_SLICE, false, ""},
	{"a value that can't be read makes all unknown", wrong, 1, PPROF_LABELS_SLICE, true, ""},
	{"labels that are too long are unknown", longs, 1, PPROF_LABELS_SLICE, true, ""},
	{"an impossible length is unknown", overflowing, 1, PPROF_LABELS_SLICE, true, ""},
	{"a key with a NUL is not cut", nul, 1, PPROF_LABELS_SLICE, true, ""},
	{"too many labels are unknown", many, GOROUTINE_LABELS_MAX + 1, PPROF_LABELS_SLICE, true,
	 ""},
	{"an impossible number is unknown", two, UINT64_MAX / 32, PPROF_LABELS_SLICE, true, ""},
	{"an unknown layout makes labels unknown", two, 2, PPROF_LABELS_UNKNOWN, true, ""},
};

static struct goroutine_reader reader;
static struct goroutine_labels labels;

ROWS(test_row, cases)
{
	const struct row *row = *state;
	const struct slice head = { (uintptr_t)row->v, row->n };
	char found[256] = "";

	goroutine_labels_read(&reader, row->layout, (uintptr_t)&head, &labels);
	assert_int_equal(labels.unknown, row->unknown);
	for (size_t i = 0; i < labels.n; i++) {
		strcat(found, labels.v[i].key);
		strcat(found, "=");
		strcat(found, labels.v[i].value);
		strcat(found, " ");
	}
	assert_string_equal(found, row->found);
}

TEST(test_most, "as many labels as the limit are read")
{
	const struct slice head = { (uintptr_t)many, GOROUTINE_LABELS_MAX };

	goroutine_labels_read(&reader, PPROF_LABELS_SLICE, (uintptr_t)&head, &labels);
	assert_false(labels.unknown);
	assert_int_equal(labels.n, GOROUTINE_LABELS_MAX);
}

TEST(test_none, "no set is no label")
{
	for (int layout = 0; layout <= PPROF_LABELS_UNKNOWN; layout++) {
		goroutine_labels_read(&reader, layout, 0, &labels);
		assert_false(labels.unknown);
		assert_int_equal(labels.n, 0);
	}
}

/* --- maps of Go before 1.24 ------------------------------------------- */

struct bucket {
	uint8_t top[8];
	struct string keys[8];
	struct string values[8];
	uintptr_t next;
};

struct map {
	uint64_t count;
	uint8_t flags;
	uint8_t b;
	uint16_t noverflow;
	uint32_t hash0;
	uintptr_t buckets;
	uintptr_t oldbuckets;
};

static void fill(struct bucket *to, unsigned int slot, uint8_t top)
{
	to->top[slot] = top;
	to->keys[slot] = (struct string)KEY("key");
	to->values[slot] = (struct string)KEY("value");
}

static void read_map(struct map *map, bool unknown, size_t n)
{
	const uintptr_t pointer = (uintptr_t)map;

	goroutine_labels_read(&reader, PPROF_LABELS_MAP, (uintptr_t)&pointer, &labels);
	assert_int_equal(labels.unknown, unknown);
	assert_int_equal(labels.n, n);
}

/* A program of a release with such maps. */
static struct gobin *open_old(void)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list("", v), i = 0;

	while (i < n && v[i].minor > 23)
		i++;
	assert_true(i < n);
	return bins_open(v[i].path);
}

TEST(test_map, "a map that grew has labels in old and new buckets")
{
	static struct bucket b[4], old[2], over;
	struct map map = { .count = 4, .b = 2, .buckets = (uintptr_t)b };

	reader.bin = open_old();
	fill(&b[0], 0, 5);
	fill(&b[3], 7, 255);
	b[3].next = (uintptr_t)&over;
	fill(&over, 2, 100);
	fill(&old[1], 1, 77);
	/* This one has moved. */
	fill(&old[0], 1, 2);
	read_map(&map, true, 0);
	map.oldbuckets = (uintptr_t)old;
	read_map(&map, false, 4);
	map.count = 5;
	read_map(&map, true, 0);
	map.count = 4;
	map.b = 255;
	read_map(&map, true, 0);
	map.b = 2;
	over.next = (uintptr_t)&over;
	read_map(&map, true, 0);
	gobin_free(reader.bin);
}

static int set_up(void **state)
{
	(void)state;
	reader.m.pid = getpid();
	memset(long_text, 'x', sizeof(long_text));
	for (size_t i = 0; i < N(many); i++)
		many[i] = two[0];
	return 0;
}

AROUND_ALL(set_up, NULL)
