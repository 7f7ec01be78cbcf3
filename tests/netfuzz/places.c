// SPDX-License-Identifier: GPL-2.0
/* Places for breakpoints, which the tool has found (tests/netfuzz/run). */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "places.h"

static const char *map(struct binary *b)
{
	struct stat st;

	b->fd = open(b->path, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0 || fstat(b->fd, &st))
		return "can't open the program";
	b->size = st.st_size;
	b->data = mmap(NULL, b->size, PROT_READ, MAP_PRIVATE, b->fd, 0);
	return b->data == MAP_FAILED ? "can't map the program" : NULL;
}

/* Our own binaries: made by our own toolchain a moment ago. */
static const char *find_code(struct binary *b)
{
	const Elf64_Ehdr *ehdr = (const void *)b->data;
	const Elf64_Phdr *ph = (const void *)(b->data + ehdr->e_phoff);

	for (int i = 0; i < ehdr->e_phnum; i++, ph++) {
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		b->code_delta = ph->p_vaddr - ph->p_offset;
		return NULL;
	}
	return "the program has no code";
}

static int read_kind(const char *kind)
{
	return !strcmp(kind, "call") ? GOPROBE_POINT_CALL :
	       !strcmp(kind, "return") ? GOPROBE_POINT_RETURN : GOPROBE_POINT_TAIL;
}

static const char *read_line(struct binary *b, const char *line)
{
	unsigned long long function, at;
	struct place *p = &b->places[b->nplaces];
	char kind[8], code[64];
	unsigned int byte;

	if (sscanf(line, "%llx %llx %7s %63s", &function, &at, kind, code) != 4)
		return "a place is no place";
	if (b->nplaces == PLACES_MAX)
		return "there are too many places";
	if (!b->nfunctions || b->function[b->nfunctions - 1] != function)
		b->function[b->nfunctions++] = function;
	*p = (struct place){
		.offset = function + at - b->code_delta, .function = b->nfunctions - 1,
		.kind = read_kind(kind),
	};
	for (const char *c = code; sscanf(c, "%2x", &byte) == 1; c += 2)
		p->code[p->code_len++] = byte;
	if (p->offset + p->code_len > b->size ||
	    memcmp(b->data + p->offset, p->code, p->code_len))
		return "a place has other code than is said";
	b->nplaces++;
	return NULL;
}

const char *places_read(struct binary *b, const char *path, const char *list)
{
	const char *why;
	char line[256];
	FILE *f;

	b->path = path;
	why = map(b);
	if (!why)
		why = find_code(b);
	f = fopen(list, "r");
	if (!f)
		return "can't open the list of places";
	while (!why && fgets(line, sizeof(line), f))
		why = read_line(b, line);
	fclose(f);
	return why ?: b->nplaces ? NULL : "there are no places";
}

bool places_has(const struct binary *b, uint64_t offset)
{
	for (uint32_t i = 0; i < b->nplaces; i++)
		if (b->places[i].offset == offset)
			return true;
	return false;
}

bool places_harm(const struct binary *b, const struct goprobe_point *p)
{
	if (places_has(b, p->offset))
		return false;
	return p->code_len && p->code_len <= GOPROBE_CODE_MAX && p->offset < b->size &&
	       p->code_len <= b->size - p->offset &&
	       !memcmp(b->data + p->offset, p->code, p->code_len);
}
