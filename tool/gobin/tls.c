// SPDX-License-Identifier: GPL-2.0
/*
 * The place of g in thread-local storage. The psABI's variant II: an
 * executable's block ends at the thread pointer. Go's internal linker makes a
 * block of one word, so that g is at -8; with C linked in there is more.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "gobin/tls.h"
#include "x86/insn.h"

#define TLS_DEFAULT -8
#define TLS_MAX (1 << 20)

/* From an offset in the block to one from the thread pointer; 0: impossible. */
static int32_t from_block(const struct elffile *ef, int64_t at)
{
	const Elf64_Phdr *tls = NULL;
	uint64_t align;

	for (size_t i = 0; i < ef->nsegs; i++) {
		if (ef->segs[i].p_type == PT_TLS)
			tls = &ef->segs[i];
	}
	if (!tls || at < 0 || at >= TLS_MAX || tls->p_memsz > TLS_MAX ||
	    tls->p_align > 4096)
		return 0;
	align = tls->p_align ? tls->p_align : 1;
	return (int32_t)(at - (int64_t)((tls->p_memsz + align - 1) / align *
					align));
}

/* Value of the dynamic symbol @index of the table @link; 0 for no symbol. */
static int64_t symbol_value(const struct elffile *ef, uint32_t link,
			    uint32_t index)
{
	const Elf64_Shdr *sh = elf64_getshdr(elf_getscn(ef->elf, link));
	Elf64_Sym sym;

	if (!index || !sh ||
	    elffile_read(ef, sh->sh_offset + (uint64_t)index * sizeof(sym), &sym, sizeof(sym)))
		return 0;
	return (int64_t)sym.st_value;
}

/* What the dynamic linker will put into the GOT's slot at @slot. */
static int32_t from_slot(const struct elffile *ef, uint64_t slot)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(ef->elf, scn))) {
		const Elf64_Shdr *s = elf64_getshdr(scn);
		int32_t off = 0;
		uint8_t *p;

		if (!s || s->sh_type != SHT_RELA)
			continue;
		p = elffile_load(ef, s->sh_offset, s->sh_size);
		if (!p)
			continue;
		for (uint64_t at = 0; !off && at + sizeof(Elf64_Rela) <= s->sh_size;
		     at += sizeof(Elf64_Rela)) {
			Elf64_Rela r;

			memcpy(&r, p + at, sizeof(r));
			if (r.r_offset == slot &&
			    ELF64_R_TYPE(r.r_info) == R_X86_64_TPOFF64)
				off = from_block(ef, r.r_addend +
						 symbol_value(ef, s->sh_link,
							      ELF64_R_SYM(r.r_info)));
		}
		free(p);
		if (off)
			return off;
	}
	return 0;
}

/* runtime.stackcheck is assembly that reads g's stack bounds through TLS. */
static int32_t from_code(const struct moduledata *l, const struct elffile *ef)
{
	struct pclntab_func f;
	struct insn_tls tls;
	uint8_t code[128];
	size_t len;

	if (moduledata_find(l, "runtime.stackcheck", &f))
		return 0;
	len = f.end - f.entry;
	if (len > sizeof(code))
		len = sizeof(code);
	if (elffile_read_vaddr(ef, f.entry, code, len) ||
	    insn_find_tls(code, len, f.entry, &tls))
		return 0;
	return tls.slot ? from_slot(ef, tls.slot) : tls.offset;
}

int32_t tls_offset(const struct moduledata *l, const struct elffile *ef)
{
	int32_t off = l->tlsg >= 0 ? from_block(ef, l->tlsg) : 0;

	if (!off)
		off = from_code(l, ef);
	return off ? off : TLS_DEFAULT;
}
