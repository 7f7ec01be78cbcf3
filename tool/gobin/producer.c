// SPDX-License-Identifier: GPL-2.0
/*
 * What made a binary. The Go version that debug information names: a unit's producer is
 * "Go cmd/compile go1.24.4; regabi". And what is recognised of files that have no Go line table:
 * other compilers of Go, packers, obfuscators.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "dwarf/constants.h"
#include "dwarf/die.h"
#include "gobin/producer.h"
#include "gobin/release.h"

#define PRODUCER_MAX 128U

static char *from_producer(const char *text)
{
	const char *at = strstr(text, " go1.");
	size_t n;

	if (!at || strncmp(text, "Go cmd/compile ", 15))
		return NULL;
	n = strcspn(++at, "; ");
	return n <= PRODUCER_MAX && release_parse(at) >= 0 ? strndup(at, n) : NULL;
}

char *producer_get(const struct elffile *ef)
{
	struct die r;
	char *ret = NULL;

	if (die_open(&r, ef))
		return NULL;
	for (size_t i = 0; i < r.nunits && !ret; i++) {
		struct dwdie root;
		struct dwval v;

		if (r.units[i].is_go && die_root(&r, &r.units[i], &root) &&
		    die_attr(&r, &root, DW_AT_producer, &v) &&
		    v.class == DWVAL_STRING)
			ret = from_producer((const char *)v.p);
	}
	die_close(&r);
	return ret;
}

/* --- files without a line table ------------------------------------------- */

/* UPX writes "UPX!" behind the program headers and at the end of the file. */
#define UPX_HEAD 4096U
#define UPX_TAIL 64U

static bool has_upx_mark(const struct elffile *ef, uint64_t off, uint64_t len)
{
	static const char mark[] = "UPX!";
	uint8_t bytes[UPX_HEAD];

	return !elffile_read(ef, off, bytes, len) &&
	       memmem(bytes, len, mark, sizeof(mark) - 1);
}

static bool is_upx(const struct elffile *ef)
{
	uint64_t head = ef->size < UPX_HEAD ? ef->size : UPX_HEAD;
	uint64_t tail = ef->size < UPX_TAIL ? ef->size : UPX_TAIL;

	return has_upx_mark(ef, 0, head) || has_upx_mark(ef, ef->size - tail, tail);
}

/* The start of a library's name among what the dynamic linker is to load. */
static bool needs(const struct elffile *ef, const char *name)
{
	Elf_Scn *scn = elffile_scn(ef, ".dynamic");
	const Elf64_Shdr *sh = elf64_getshdr(scn);
	Elf_Data *data = sh && sh->sh_type == SHT_DYNAMIC && sh->sh_size < ef->size ?
			 elf_getdata(scn, NULL) : NULL;
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *s = dyn.d_tag == DT_NEEDED ?
				elf_strptr(ef->elf, sh->sh_link, dyn.d_un.d_val) : NULL;

		if (s && !strncmp(s, name, strlen(name)))
			return true;
	}
	return false;
}

/* Compilers by the names that their runtimes give to functions. */
struct compiler {
	const char *prefix;	/* of symbols */
	const char *name;	/* what it is called */
};

static int find_compiler(void *ctx, const char *name, uint64_t value, uint64_t size,
			 unsigned int type)
{
	static const struct compiler compilers[] = {
		{ "__go_init_main", "gccgo" },
		{ "__go_register_gc_roots", "gccgo" },
		{ "tinygo_", "TinyGo" },
	};
	const char **ret = ctx;

	(void)value;
	(void)size;
	(void)type;
	for (size_t i = 0; !*ret && i < sizeof(compilers) / sizeof(*compilers); i++)
		if (!strncmp(name, compilers[i].prefix, strlen(compilers[i].prefix)))
			*ret = compilers[i].name;
	return *ret ? 1 : 0;
}

/* A compiler of Go that makes no line table; NULL: none is known by what is there. */
static const char *other_compiler(const struct elffile *ef)
{
	const char *name = NULL;

	if (needs(ef, "libgo.so."))
		return "gccgo";
	elffile_symbols(ef, find_compiler, &name);
	return name;
}

/* What the Go linker writes, whatever happens to the line table. */
static bool is_gc(const struct elffile *ef)
{
	return elffile_section(ef, ".gopclntab") || elffile_section(ef, ".go.buildinfo") ||
	       elffile_section(ef, ".data.rel.ro.gopclntab");
}

int producer_explain(const struct elffile *ef, const char *path, struct diag *d)
{
	const char *compiler;

	if (is_upx(ef)) {
		diag_set(d, "%s is packed by UPX: its code is in no file while it runs", path);
		diag_hint(d, "unpack it with 'upx -d', and run that");
		return -1;
	}
	if (is_gc(ef)) {
		diag_set(d, "%s is a Go program, but goprobe does not know its line table: it is obfuscated, as by garble, damaged, or of a newer Go release",
			 path);
		diag_hint(d, "a build without obfuscation can be traced");
		return -1;
	}
	compiler = other_compiler(ef);
	if (compiler) {
		diag_set(d, "%s was built by %s, which makes no Go line table", path, compiler);
		diag_hint(d, "goprobe traces what Go's own compiler builds ('go build')");
		return -1;
	}
	diag_set(d, "%s is not a Go program: it has no Go line table", path);
	if (!ef->names)
		diag_hint(d, "it has no sections: if it is packed, run it unpacked");
	return -1;
}
