// SPDX-License-Identifier: GPL-2.0
/*
 * take - write out what a module's lines have been counted to, in the virtual machine
 *
 * usage: take ADDRESS BYTES FILE
 *
 * At ADDRESS, in hexadecimal, there is a section of BYTES: pointers to what GCC 12 keeps of
 * each object (struct gcov_info). They are followed in the kernel's memory (/proc/kcore), so
 * the module needs nothing for it. FILE gets, of each object, the path of its .gcda file with
 * a NUL, the size of what is to be in it (32 bits), and that: in one file, for it is written
 * while tests wait.
 */
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Kinds of counters that GCC 12 knows; the first are those of arcs, and ours are no others. */
#define COUNTERS	8

#define DATA_MAGIC	0x67636461	/* "gcda" */
#define TAG_FUNCTION	0x01000000
#define TAG_ARCS	0x01a10000

#define BLOCK		(1UL << 14)
#define BLOCKS		4096

/* Layouts of GCC, as its gcov-io.h and libgcov.h describe them. */
struct info {
	uint32_t version;
	uint64_t next;
	uint32_t stamp;
	uint32_t checksum;
	uint64_t path;
	uint64_t merge[COUNTERS];
	uint32_t nfunctions;
	uint64_t functions;
};

struct function {
	uint64_t info;
	uint32_t ident;
	uint32_t lines;
	uint32_t graph;
	struct {
		uint32_t n;
		uint64_t at;
	} counters;
};

_Static_assert(sizeof(struct info) == 112, "as GCC 12 has it");
_Static_assert(sizeof(struct function) == 40, "as GCC 12 has it");

static int kcore;
static Elf64_Phdr *ranges;
static unsigned int nranges;
static char *blocks[BLOCKS];
static uint64_t block_at[BLOCKS];

static void kcore_open(void)
{
	Elf64_Ehdr head;
	size_t size;

	kcore = open("/proc/kcore", O_RDONLY);
	if (kcore < 0)
		err(1, "/proc/kcore");
	if (pread(kcore, &head, sizeof(head), 0) != sizeof(head))
		err(1, "/proc/kcore has no header");
	nranges = head.e_phnum;
	size = nranges * sizeof(*ranges);
	ranges = malloc(size);
	if (!ranges || pread(kcore, ranges, size, head.e_phoff) != (ssize_t)size)
		err(1, "/proc/kcore has no program headers");
}

/* The kernel's memory there: each read of the file takes long, so blocks are kept. */
static const char *block(uint64_t at)
{
	unsigned int slot = at / BLOCK % BLOCKS, i;

	if (blocks[slot] && block_at[slot] == at)
		return blocks[slot];
	for (i = 0; i < nranges; i++)
		if (ranges[i].p_type == PT_LOAD && at >= ranges[i].p_vaddr &&
		    at + BLOCK <= ranges[i].p_vaddr + ranges[i].p_memsz)
			break;
	if (!blocks[slot])
		blocks[slot] = malloc(BLOCK);
	if (i == nranges || !blocks[slot] ||
	    pread(kcore, blocks[slot], BLOCK, ranges[i].p_offset + at - ranges[i].p_vaddr) != BLOCK)
		errx(1, "the kernel's memory at %#lx can't be read", (unsigned long)at);
	block_at[slot] = at;
	return blocks[slot];
}

static void get(uint64_t at, void *to, size_t size)
{
	char *out = to;
	size_t n;

	while (size) {
		n = BLOCK - at % BLOCK;
		if (n > size)
			n = size;
		memcpy(out, block(at - at % BLOCK) + at % BLOCK, n);
		out += n;
		at += n;
		size -= n;
	}
}

static void put(FILE *out, uint32_t n)
{
	fwrite(&n, sizeof(n), 1, out);
}

static void put_function(FILE *out, const struct function *f)
{
	uint64_t counter, i;

	put(out, TAG_FUNCTION);
	put(out, 3 * sizeof(uint32_t));
	put(out, f->ident);
	put(out, f->lines);
	put(out, f->graph);
	put(out, TAG_ARCS);
	put(out, f->counters.n * sizeof(counter));
	for (i = 0; i < f->counters.n; i++) {
		get(f->counters.at + i * sizeof(counter), &counter, sizeof(counter));
		fwrite(&counter, sizeof(counter), 1, out);
	}
}

/* Return: what is to be in the .gcda file, to be freed. */
static char *object(uint64_t at, const struct info *info, size_t *size)
{
	struct function f;
	uint64_t where;
	uint32_t i;
	char *data;
	FILE *out = open_memstream(&data, size);

	if (!out)
		err(1, "memory");
	put(out, DATA_MAGIC);
	put(out, info->version);
	put(out, info->stamp);
	put(out, info->checksum);
	for (i = 0; i < info->nfunctions; i++) {
		get(info->functions + i * sizeof(where), &where, sizeof(where));
		if (!where)
			continue;
		get(where, &f, sizeof(f));
		/* Else it is another object's. */
		if (f.info == at)
			put_function(out, &f);
	}
	if (fclose(out))
		err(1, "memory");
	return data;
}

static void take(uint64_t at, FILE *out)
{
	struct info info;
	size_t size;
	char *data, c;

	get(at, &info, sizeof(info));
	/* Letters from the highest byte: the major version as a letter and a digit. */
	if (info.version >> 16 != ('B' << 8 | '2'))
		errx(1, "counters of another compiler than GCC 12: %#x", info.version);
	data = object(at, &info, &size);
	do {
		get(info.path++, &c, 1);
		putc(c, out);
	} while (c);
	put(out, size);
	fwrite(data, 1, size, out);
	free(data);
}

int main(int argc, char **argv)
{
	uint64_t section, bytes, i, at;
	FILE *out;

	if (argc != 4)
		errx(2, "usage: take ADDRESS BYTES FILE");
	section = strtoull(argv[1], NULL, 16);
	bytes = strtoull(argv[2], NULL, 0);
	kcore_open();
	out = fopen(argv[3], "w");
	if (!out)
		err(1, "%s", argv[3]);
	for (i = 0; i < bytes; i += sizeof(at)) {
		get(section + i, &at, sizeof(at));
		take(at, out);
	}
	if (fclose(out))
		err(1, "%s", argv[3]);
	return 0;
}
