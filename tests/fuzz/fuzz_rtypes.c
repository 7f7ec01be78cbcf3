// SPDX-License-Identifier: GPL-2.0
/*
 * Run-time type descriptors. The input is the memory that they are in, behind
 * what the module data says of it (struct said).
 */
#include "fuzz.h"

#include <elf.h>
#include <unistd.h>

#include "gobin/rtype.h"
#include "said.h"
#include "synth.h"

#define PAYLOAD 0x80U
#define SEEN_MAX 200

struct seen {
	struct rtypes *t;
	unsigned int n;
};

static int open_image(const uint8_t *p, size_t n, struct elffile *ef)
{
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_phnum = 1,
		.e_phentsize = sizeof(Elf64_Phdr), .e_phoff = sizeof(eh),
	};
	Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = PAYLOAD,
		.p_vaddr = SAID_BASE, .p_filesz = n, .p_memsz = n,
	};
	struct synth_bytes file = { .p = NULL };
	struct diag d = { .message = NULL };
	int fd, err;

	synth_put(&file, &eh, sizeof(eh));
	synth_put(&file, &ph, sizeof(ph));
	synth_zero(&file, PAYLOAD - file.n);
	synth_put(&file, p, n);
	fd = synth_fd(file.p, file.n);
	synth_fini(&file);
	err = elffile_open(fd, "it", ef, &d);
	FUZZ_HOLDS(!err);
	return fd;
}

/* Invariants that users of types rely on. */
static void check(const struct gotype *t)
{
	uint64_t end = 0;

	FUZZ_HOLDS(t->name);
	switch (t->kind) {
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++) {
			const struct gofield *f = &t->fields[i];

			FUZZ_HOLDS(f->name && f->type);
			FUZZ_HOLDS(f->offset <= t->size &&
				   f->type->size <= t->size - f->offset);
		}
		break;
	case GOTYPE_ARRAY:
		FUZZ_HOLDS(t->elem);
		FUZZ_HOLDS(!__builtin_mul_overflow(t->count, t->elem->size, &end) &&
			   end == t->size);
		break;
	case GOTYPE_MAP:
		if (t->map) {
			const struct gomap *m = t->map;

			FUZZ_HOLDS(m->key_at + 7ULL * m->key_stride <= m->size);
			FUZZ_HOLDS(m->elem_at + 7ULL * m->elem_stride <= m->size);
		}
		break;
	default:
		break;
	}
}

static int see(void *ctx, uint64_t vaddr, const char *name)
{
	struct seen *s = ctx;
	const struct gotype *t = rtype_type(s->t, vaddr);

	FUZZ_HOLDS(name && *name);
	if (t) {
		check(t);
		FUZZ_HOLDS(rtype_type(s->t, vaddr) == t);
	}
	free(rtype_short_name(s->t, vaddr));
	rtype_is_direct(s->t, vaddr);
	rtype_find(s->t, name);
	return ++s->n == SEEN_MAX;
}

static int see_itab(void *ctx, uint64_t vaddr, const char *name)
{
	struct seen *s = ctx;

	(void)vaddr;
	(void)name;
	return ++s->n == SEEN_MAX;
}

int fuzz_rtypes(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	struct arena mem = { .head = NULL };
	struct moduledata l = { .version = "go1.27.1" };
	struct rtypes t;
	struct seen s = { .t = &t };
	struct elffile ef;
	struct said said;
	uint8_t *image;
	size_t n;
	int fd;

	feed_bytes(&feed, &said, sizeof(said));
	image = feed_copy(&feed, 1U << 16, &n);
	l.minor = 13 + said.minor % 16;
	l.types = SAID_BASE;
	l.etypes = SAID_BASE + n;
	l.text = 0x400000;
	l.desc_len = l.minor >= 27 ? said.desc_len : 0;
	l.typelinks = l.minor < 27 ? SAID_BASE + said.typelinks : 0;
	l.ntypelinks = said.ntypelinks;
	l.itablinks = l.minor < 27 ? SAID_BASE + said.itablinks : 0;
	l.nitablinks = said.nitablinks;
	l.itabs = l.minor >= 27 ? SAID_BASE + said.itabs : 0;
	l.itabs_len = said.itabs_len;
	fd = open_image(image, n, &ef);
	if (!rtype_init(&t, &ef, &l, &mem)) {
		rtype_each(&t, see, &s);
		s.n = 0;
		rtype_itabs(&t, 0, see_itab, &s);
		rtype_itabs(&t, SAID_BASE + said.pick, see_itab, &s);
		rtype_name(&t, SAID_BASE + said.pick);
		rtype_type(&t, SAID_BASE + said.pick);
		rtype_find(&t, "main.T");
		rtype_fini(&t);
	}
	elffile_fini(&ef);
	close(fd);
	arena_fini(&mem);
	free(image);
	return 0;
}
