// SPDX-License-Identifier: GPL-2.0
/*
 * Debug information. The input is the sections, each behind its length; around
 * them an ELF file is made. What libdw reads is its business, what is made of it
 * is ours.
 */
#include "fuzz.h"

#include <elf.h>
#include <unistd.h>

#include "arena.h"
#include "dwinfo.h"
#include "gosig.h"
#include "sections.h"
#include "synth.h"

static const char *const names[] = SECTIONS_NAMES;

static void put_section(struct synth_bytes *sh, struct synth_bytes *strings,
			const char *name, uint32_t type, uint64_t off, size_t n)
{
	Elf64_Shdr s = {
		.sh_name = (uint32_t)strings->n, .sh_type = type,
		.sh_offset = off, .sh_size = n, .sh_addralign = 1,
	};

	synth_str(strings, name);
	synth_put(sh, &s, sizeof(s));
}

static int make_file(struct feed *feed)
{
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = 1,
		.e_ehsize = sizeof(eh), .e_shentsize = sizeof(Elf64_Shdr),
		.e_phentsize = sizeof(Elf64_Phdr),
	};
	struct synth_bytes file = { .p = NULL }, sh = { .p = NULL },
			   strings = { .p = NULL };
	int fd;

	synth_put(&file, &eh, sizeof(eh));
	synth_zero(&sh, sizeof(Elf64_Shdr));
	synth_u8(&strings, 0);
	for (size_t i = 0; i < SECTIONS; i++) {
		size_t n;
		uint8_t *p = feed_copy(feed, feed_u16(feed), &n);

		if (n) {
			put_section(&sh, &strings, names[i], SHT_PROGBITS,
				    file.n, n);
			synth_put(&file, p, n);
		}
		free(p);
	}
	put_section(&sh, &strings, ".shstrtab", SHT_STRTAB, file.n,
		    strings.n + sizeof(".shstrtab"));
	synth_put(&file, strings.p, strings.n);
	synth_align(&file, 8);
	eh.e_shoff = file.n;
	eh.e_shnum = (uint16_t)(sh.n / sizeof(Elf64_Shdr));
	eh.e_shstrndx = (uint16_t)(eh.e_shnum - 1);
	synth_put(&file, sh.p, sh.n);
	memcpy(file.p, &eh, sizeof(eh));
	fd = synth_fd(file.p, file.n);
	synth_fini(&file);
	synth_fini(&sh);
	synth_fini(&strings);
	return fd;
}

static void see_func(struct dwinfo *dw, struct arena *mem, int minor, uint64_t at)
{
	struct gosig_facts facts = {
		.minor = minor, .abi0 = minor < 17, .args = (int32_t)(at & 0x38),
	};
	struct dwfunc f;
	struct gosig *sig;

	if (dwinfo_func(dw, at, &f))
		return;
	FUZZ_HOLDS(f.name);
	for (size_t i = 0; i < f.nparams; i++)
		FUZZ_HOLDS(f.params[i].name && f.params[i].type &&
			   f.params[i].type->name);
	sig = gosig_build(mem, &f, &facts);
	if (sig)
		free(gosig_text(sig));
}

int fuzz_dwarf(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	int minor = 13 + feed_u8(&feed) % 16, fd = make_file(&feed);
	struct arena mem = { .head = NULL };
	struct goprobe_runtime rt;
	struct dwinfo *dw = dwinfo_open(fd, minor, 0x500000, &mem);

	if (dw) {
		memset(&rt, 0, sizeof(rt));
		dwinfo_runtime(dw, &rt);
		for (uint64_t at = 0x401000; at < 0x401040; at += 8)
			see_func(dw, &mem, minor, at);
		dwinfo_free(dw);
	}
	arena_fini(&mem);
	close(fd);
	return 0;
}
