// SPDX-License-Identifier: GPL-2.0
/*
 * Real programs with other bytes in them. The input is not a file, for that would
 * be too large to be changed to good effect, but a list of changes: which of the
 * programs, then where (a part that our own parsers find: headers, the parts of
 * the line table, types, sections of debug information) and what. The programs
 * are the files in GOPROBE_FUZZ_PROGRAMS.
 */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elffile.h"
#include "explore.h"
#include "gobin/moduledata.h"
#include "gobin/release.h"
#include "synth.h"

#define PROGRAMS_MAX 64
#define PARTS_MAX 64
#define CHANGES_MAX 24

struct part {
	uint64_t off;
	uint64_t len;
};

struct program {
	uint8_t *bytes;
	size_t len;
	int fd;			/* a copy that is changed and restored */
	struct part parts[PARTS_MAX];
	size_t nparts;
};

static struct program programs[PROGRAMS_MAX];
static size_t nprograms;

static void add_part(struct program *p, uint64_t off, uint64_t len)
{
	if (len && off < p->len && p->nparts < PARTS_MAX) {
		p->parts[p->nparts++] = (struct part){
			off, len < p->len - off ? len : p->len - off,
		};
	}
}

/* Add the part that begins at a link-time address. */
static void add_vaddr(struct program *p, const struct elffile *ef,
		      uint64_t vaddr, uint64_t len)
{
	const Elf64_Phdr *s = elffile_segment(ef, vaddr, 1);

	if (s)
		add_part(p, s->p_offset + (vaddr - s->p_vaddr), len);
}

static void add_table(struct program *p, const struct elffile *ef,
		      const struct moduledata *l, uint64_t vaddr)
{
	const struct pclntab *t = &l->tab;
	size_t rows = t->rows + t->nfunc * 16ULL;

	add_vaddr(p, ef, vaddr, PCLNTAB_HEADER);
	add_vaddr(p, ef, vaddr + t->rows, 512);
	add_vaddr(p, ef, vaddr + rows, 4096);
	add_vaddr(p, ef, vaddr + t->pc, 8192);
	add_vaddr(p, ef, vaddr + t->cu, 1024);
	add_vaddr(p, ef, vaddr, t->len);
}

static void find_parts(struct program *p)
{
	static const char *const tables[] = {
		".gopclntab", ".data.rel.ro.gopclntab",
	};
	struct diag d = { .message = NULL };
	struct elffile ef;
	struct moduledata l;
	Elf_Scn *scn = NULL;
	size_t n;

	add_part(p, 0, 64);
	add_part(p, 64, 512);
	add_part(p, 0, p->len);
	if (elffile_open(p->fd, "it", &ef, &d))
		abort();
	if (elf_getshdrnum(ef.elf, &n))
		abort();
	add_part(p, p->bytes[40] | p->bytes[41] << 8 | p->bytes[42] << 16, n * 64);
	while ((scn = elf_nextscn(ef.elf, scn))) {
		const Elf64_Shdr *s = elf64_getshdr(scn);

		add_part(p, s->sh_offset, s->sh_size);
		/* Most entries of debug information are like the first. */
		if (!strncmp(elf_strptr(ef.elf, ef.names, s->sh_name), ".debug_", 7))
			add_part(p, s->sh_offset, 2048);
	}
	if (moduledata_load(&l, &ef, "it", &d))
		abort();
	for (size_t i = 0; i < 2; i++) {
		const Elf64_Shdr *s = elffile_section(&ef, tables[i]);

		if (s)
			add_table(p, &ef, &l, s->sh_addr);
	}
	add_vaddr(p, &ef, l.moduledata, release_moduledata(l.minor).size);
	add_vaddr(p, &ef, l.types, l.etypes - l.types);
	add_vaddr(p, &ef, l.types, 4096);
	moduledata_fini(&l);
	elffile_fini(&ef);
}

static void load(const char *path)
{
	struct program *p = &programs[nprograms];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	p->len = (size_t)st.st_size;
	p->bytes = mmap(NULL, p->len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p->bytes == MAP_FAILED)
		abort();
	p->fd = synth_fd(p->bytes, p->len);
	find_parts(p);
	nprograms++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_tiny(const struct dirent *e)
{
	return !strncmp(e->d_name, "tiny-", 5);
}

static void load_all(void)
{
	const char *dir = getenv("GOPROBE_FUZZ_PROGRAMS");
	struct dirent **v;
	char path[4096];
	int n = dir ? scandir(dir, &v, is_tiny, by_name) : 0;

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, v[i]->d_name);
		if (nprograms < PROGRAMS_MAX)
			load(path);
		free(v[i]);
	}
	if (n > 0)
		free(v);
	if (!nprograms) {
		fprintf(stderr, "program: nothing to run with: no programs\n");
		exit(1);
	}
}

struct change {
	uint64_t off;
	uint64_t len;
};

static void put(struct program *p, struct change *c, uint64_t off,
		const void *bytes, uint64_t len)
{
	if (len > p->len - off)
		len = p->len - off;
	if (pwrite(p->fd, bytes, len, (off_t)off) != (ssize_t)len)
		abort();
	*c = (struct change){ off, len };
}

static uint64_t interesting(uint8_t which, const struct program *p)
{
	switch (which % 10) {
	case 0: return 0;
	case 1: return 1;
	case 2: return UINT64_MAX;
	case 3: return INT64_MAX;
	case 4: return UINT32_MAX;
	case 5: return INT32_MAX;
	case 6: return p->len;
	case 7: return p->len - 1;
	case 8: return 1ULL << 40;
	}
	return 0x80;
}

static void change(struct program *p, struct feed *f, struct change *c)
{
	const struct part *part = &p->parts[feed_u8(f) % p->nparts];
	uint8_t how = feed_u8(f), old[8] = { 0 };
	uint64_t off = part->off + feed_u32(f) % part->len, v = feed_u64(f), n;
	uint64_t space = p->len - off;

	memcpy(old, p->bytes + off, space < 8 ? space : 8);
	memcpy(&n, old, 8);
	switch (how % 8) {
	case 0:
		put(p, c, off, &v, 1);
		break;
	case 1:
		put(p, c, off, &v, 4);
		break;
	case 2:
		put(p, c, off & ~7ULL, &v, 8);
		break;
	case 3:
		n += (int8_t)v;
		put(p, c, off, &n, how & 8 ? 4 : 8);
		break;
	case 4:
		v = interesting((uint8_t)v, p);
		put(p, c, how & 8 ? off & ~7ULL : off & ~3ULL, &v, how & 16 ? 8 : 4);
		break;
	case 5:
		n ^= 1ULL << v % 64;
		put(p, c, off, &n, 8);
		break;
	case 6:
		/* Bytes from elsewhere in the part: headers swapped, cycles. */
		put(p, c, off, p->bytes + part->off + v % part->len,
		    part->len - v % part->len < 64 ? part->len - v % part->len : 64);
		break;
	case 7:
		if (ftruncate(p->fd, (off_t)off))
			abort();
		*c = (struct change){ off, p->len - off };
		break;
	}
}

static void restore(struct program *p, const struct change *c)
{
	if (c->len && pwrite(p->fd, p->bytes + c->off, c->len, (off_t)c->off) !=
	    (ssize_t)c->len)
		abort();
}

int fuzz_program(const uint8_t *data, size_t size)
{
	struct change changes[CHANGES_MAX] = { { 0, 0 } };
	struct feed feed = { data, size };
	struct program *p;
	uint32_t seed;
	size_t n = 0;

	if (!nprograms)
		load_all();
	p = &programs[feed_u8(&feed) % nprograms];
	seed = feed_u16(&feed);
	while (feed.n && n < CHANGES_MAX)
		change(p, &feed, &changes[n++]);
	explore_program(p->fd, seed);
	while (n)
		restore(p, &changes[--n]);
	return 0;
}
