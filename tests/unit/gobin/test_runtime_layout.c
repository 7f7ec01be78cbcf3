// SPDX-License-Identifier: GPL-2.0
/* The table of runtime layouts against the debug information of each toolchain. */
#include <stdint.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"
#include "gobin/release.h"
#include "gobin/runtime_layout.h"
#include "rows.h"

#define MISSING UINT64_MAX

/* Does not go through dwinfo: another pair of eyes. */
struct debug {
	int fd;
	Dwarf *dw;
};

static void debug_open(struct debug *d, const char *path)
{
	d->fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(d->fd >= 0);
	d->dw = dwarf_begin(d->fd, DWARF_C_READ);
	assert_non_null(d->dw);
}

static void debug_close(struct debug *d)
{
	dwarf_end(d->dw);
	close(d->fd);
}

static bool find_struct(struct debug *d, const char *name, Dwarf_Die *ret)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	while (!dwarf_get_units(d->dw, cu, &cu, NULL, NULL, &unit, NULL)) {
		int end = dwarf_child(&unit, ret);

		for (; !end; end = dwarf_siblingof(ret, ret)) {
			const char *s = dwarf_diename(ret);

			if (dwarf_tag(ret) == DW_TAG_structure_type && s &&
			    !strcmp(s, name))
				return true;
		}
	}
	return false;
}

/* Offset of the member called @path ("groups.data") of @type. */
static uint64_t offset_of(struct debug *d, const char *type, const char *path)
{
	Dwarf_Die at, m;
	uint64_t sum = 0;

	if (!find_struct(d, type, &at))
		return MISSING;
	while (*path) {
		size_t n = strcspn(path, ".");
		Dwarf_Attribute a;
		Dwarf_Word off;
		int end = dwarf_child(&at, &m);

		for (; !end; end = dwarf_siblingof(&m, &m)) {
			const char *s = dwarf_diename(&m);

			if (s && strlen(s) == n && !strncmp(s, path, n))
				break;
		}
		if (end || !dwarf_attr(&m, DW_AT_data_member_location, &a) ||
		    dwarf_formudata(&a, &off))
			return MISSING;
		sum += off;
		path += n + (path[n] == '.');
		while (*path && dwarf_tag(&m) != DW_TAG_structure_type) {
			if (!dwarf_attr(&m, DW_AT_type, &a) ||
			    !dwarf_formref_die(&a, &m))
				return MISSING;
		}
		at = m;
	}
	return sum;
}

struct row {
	int from;
	int to;
	const char *type;
	const char *member;
	size_t at;		/* of the number, in the table's structure */
};

#define CHAN(m) offsetof(struct runtime_layout, chan.m)
#define SUDOG(m) offsetof(struct runtime_layout, sudog.m)
#define HMAP(m) offsetof(struct runtime_layout, hmap.m)
#define SWISS(m) offsetof(struct runtime_layout, swiss.m)
#define TRIE(m) offsetof(struct runtime_layout, trie.m)
#define SYNC(type) "internal/sync." type "[go.shape.interface {},go.shape.interface {}]"
#define MAPS "internal/runtime/maps."
#define G(m) offsetof(struct runtime_layout, g.m)

static const struct row rows[] = {
	{ 13, 99, "runtime.g", "gopc", G(gopc) },
	{ 21, 99, "runtime.g", "parentGoid", G(parent) },
	{ 13, 99, "runtime.g", "atomicstatus", G(status) },
	{ 13, 99, "runtime.g", "waitsince", G(since) },
	{ 13, 99, "runtime.g", "waitreason", G(reason) },
	{ 13, 99, "runtime.g", "sched.sp", G(sp) },
	{ 13, 99, "runtime.g", "sched.pc", G(pc) },
	{ 13, 99, "runtime.g", "_panic", G(panic) },
	{ 23, 99, "runtime.g", "coroarg", G(coroarg) },
	{ 13, 99, "runtime.g", "labels", G(labels) },
	{ 13, 99, "runtime.hchan", "qcount", CHAN(qcount) },
	{ 13, 99, "runtime.hchan", "dataqsiz", CHAN(dataqsiz) },
	{ 13, 99, "runtime.hchan", "buf", CHAN(buf) },
	{ 13, 99, "runtime.hchan", "closed", CHAN(closed) },
	{ 23, 99, "runtime.hchan", "timer", CHAN(timer) },
	{ 13, 99, "runtime.hchan", "sendx", CHAN(sendx) },
	{ 13, 99, "runtime.hchan", "recvx", CHAN(recvx) },
	{ 13, 99, "runtime.hchan", "recvq.first", CHAN(recvq) },
	{ 13, 99, "runtime.hchan", "sendq.first", CHAN(sendq) },
	{ 13, 99, "runtime.sudog", "g", SUDOG(g) },
	{ 13, 99, "runtime.sudog", "next", SUDOG(next) },
	{ 13, 23, "runtime.hmap", "count", HMAP(count) },
	{ 13, 23, "runtime.hmap", "flags", HMAP(flags) },
	{ 13, 23, "runtime.hmap", "B", HMAP(b) },
	{ 13, 23, "runtime.hmap", "buckets", HMAP(buckets) },
	{ 13, 23, "runtime.hmap", "oldbuckets", HMAP(oldbuckets) },
	{ 24, 99, MAPS "Map", "used", SWISS(used) },
	{ 24, 99, MAPS "Map", "dirPtr", SWISS(dir_ptr) },
	{ 24, 99, MAPS "Map", "dirLen", SWISS(dir_len) },
	{ 24, 99, MAPS "table", "groups.data", SWISS(table_groups) },
	{ 24, 99, MAPS "table", "groups.lengthMask", SWISS(table_mask) },
	{ 24, 99, SYNC("entry"), "node.isEntry", TRIE(is_entry) },
	{ 24, 99, SYNC("indirect"), "node.isEntry", TRIE(is_entry) },
	{ 24, 99, SYNC("entry"), "overflow.v", TRIE(overflow) },
	{ 24, 99, SYNC("entry"), "key", TRIE(key) },
	{ 24, 99, SYNC("entry"), "value", TRIE(value) },
	{ 24, 99, SYNC("indirect"), "children", TRIE(children) },
};

#define MODULE(m) offsetof(struct release_moduledata, m)

static const struct row module_rows[] = {
	{ 13, 99, "runtime.moduledata", "text", MODULE(text) },
	{ 13, 99, "runtime.moduledata", "types", MODULE(types) },
	{ 27, 99, "runtime.moduledata", "typedesclen", MODULE(desc_len) },
	{ 13, 99, "runtime.moduledata", "etypes", MODULE(etypes) },
	{ 27, 99, "runtime.moduledata", "itaboffset", MODULE(itabs) },
	{ 18, 99, "runtime.moduledata", "gofunc", MODULE(gofunc) },
	{ 13, 26, "runtime.moduledata", "typelinks", MODULE(typelinks) },
	{ 13, 26, "runtime.moduledata", "itablinks", MODULE(itablinks) },
};

static void check(struct debug *d, int minor, const void *table, const struct row *rows,
		  size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		bool there = minor >= r->from && minor <= r->to;
		uint32_t have;
		uint64_t want;

		memcpy(&have, (const char *)table + r->at, sizeof(have));
		want = offset_of(d, r->type, r->member);
		if (there ? want != have : want != MISSING)
			fail_msg("1.%d: %s.%s is at %#llx, the table has %#x", minor,
				 r->type, r->member, (unsigned long long)want,
				 there ? have : 0);
	}
}

TEST(test_offsets, "each offset is where the toolchain's debug information has it")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		struct release_moduledata md = release_moduledata(b.minor);
		struct debug d;

		debug_open(&d, b.path);
		check(&d, b.minor, runtime_layout_get(b.minor), rows, N(rows));
		check(&d, b.minor, &md, module_rows, N(module_rows));
		debug_close(&d);
	}
}

/* One of the two holds where a frame continues after a panic; the other may exist, too. */
TEST(test_recovery, "where a frame goes on behind a panic")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		const struct runtime_layout_g *l = &runtime_layout_get(b.minor)->g;
		struct debug d;

		debug_open(&d, b.path);
		if (b.minor <= 21) {
			assert_int_equal(l->sigcode0, offset_of(&d, "runtime.g", "sigcode0"));
			assert_int_equal(l->panic_sp, 0);
		} else {
			assert_int_equal(l->panic_sp, offset_of(&d, "runtime._panic", "sp"));
			assert_int_equal(l->sigcode0, 0);
		}
		debug_close(&d);
	}
}

/* The bytes read of a structure hold all members that are used. */
TEST(test_sizes, "enough of each structure is read")
{
	for (int minor = 13; minor < 40; minor++) {
		const struct runtime_layout *l = runtime_layout_get(minor);

		assert_non_null(l);
		assert_true(l->chan.size >= l->chan.sendq + 16);
		assert_true(l->chan.size >= l->chan.recvq + 16);
		assert_true(l->sudog.size >= l->sudog.next + 8);
		if (minor <= 23) {
			assert_true(l->hmap.size >= l->hmap.oldbuckets + 8);
			/* The kernel reads both as one number. */
			assert_int_equal(l->hmap.b, l->hmap.flags + 1);
		}
		if (minor < 24)
			continue;
		assert_true(l->swiss.size >= l->swiss.dir_len + 8);
		assert_true(l->swiss.table_size >= l->swiss.table_mask + 8);
		assert_true(l->trie.size >= l->trie.children + l->trie.nchildren * 8);
		assert_true(l->trie.size >= l->trie.value + 16);
	}
}
