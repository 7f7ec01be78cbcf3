// SPDX-License-Identifier: GPL-2.0
/*
 * Debug information. The input is the sections, each behind its length; around
 * them an ELF file is made. Some may say that they are compressed.
 */
#include "fuzz.h"

#include <elf.h>
#include <unistd.h>

#include "base/arena.h"
#include "dwarf/dwarf.h"
#include "dwarf/scope.h"
#include "gobin/signature.h"
#include "sections.h"
#include "synth.h"

static const char *const names[] = SECTIONS_NAMES;

static int make_file(struct feed *feed)
{
	struct synth_section v[SECTIONS];
	struct synth_bytes file = { .p = NULL };
	char text[SECTIONS][64];
	uint32_t how = feed_u32(feed);
	int fd;

	for (size_t i = 0; i < SECTIONS; i++) {
		unsigned int way = how >> 2 * i & 3;

		snprintf(text[i], sizeof(text[i]), way == 1 ? ".zdebug_%s" : ".debug_%s", names[i]);
		v[i] = (struct synth_section){ text[i], way == 2 ? SHF_COMPRESSED : 0, { 0 } };
		v[i].bytes.p = feed_copy(feed, feed_u16(feed), &v[i].bytes.n);
	}
	synth_sections(v, SECTIONS, &file);
	fd = synth_fd(file.p, file.n);
	for (size_t i = 0; i < SECTIONS; i++)
		free(v[i].bytes.p);
	synth_fini(&file);
	return fd;
}

static void see_func(struct dwarf *dw, struct arena *mem, int minor, uint64_t at)
{
	struct signature_facts facts = {
		.minor = minor, .abi0 = minor < 17, .args = (int32_t)(at & 0x38),
	};
	struct dwfunc f;
	struct gosig *sig;

	if (dwarf_func(dw, at, &f))
		return;
	FUZZ_HOLDS(f.name);
	for (size_t i = 0; i < f.nparams; i++)
		FUZZ_HOLDS(f.params[i].name && f.params[i].type &&
			   f.params[i].type->name);
	sig = signature_build(mem, &f, &facts);
	if (sig)
		free(signature_text(sig));
}

static int see_variable(void *ctx, const struct dwvar_at *at)
{
	unsigned int *n = ctx;

	FUZZ_HOLDS(at->name);
	dwarf_variable_type(at);
	return ++*n == 100;
}

static bool see_file(void *ctx, const char *dir, const char *name)
{
	(void)ctx;
	FUZZ_HOLDS(name);
	return !dir || strlen(dir) < 4096;
}

static int see_line(void *ctx, uint64_t vaddr, int line, bool prologue_end)
{
	unsigned int *n = ctx;

	(void)vaddr;
	(void)prologue_end;
	FUZZ_HOLDS(line > 0);
	return ++*n == 10000;
}

/* Where a part of a value is: what compile/scope.c can make something of. */
static void see_piece(const struct dwlocal *v, const struct dwpiece *p)
{
	FUZZ_HOLDS(p->kind <= DWPIECE_STATIC);
	FUZZ_HOLDS(p->kind != DWPIECE_REG || p->reg < 33);
	FUZZ_HOLDS(p->size <= UINT16_MAX && (p->size || v->npieces == 1));
	FUZZ_HOLDS(p == v->pieces ? !p->at : p->at == p[-1].at + p[-1].size);
}

/* Variables in scope at an instruction: those of the innermost call first. */
static void see_scope(struct dwarf *dw, uint64_t entry, uint64_t pc, int line)
{
	struct dwscope s;

	if (dwarf_scope(dw, entry, pc, line, &s))
		return;
	for (size_t i = 0; i < s.n; i++) {
		FUZZ_HOLDS(s.v[i].name && s.v[i].name[0] && s.v[i].type && s.v[i].type->name);
		FUZZ_HOLDS(!i || s.v[i - 1].level <= s.v[i].level);
		FUZZ_HOLDS(s.v[i].npieces <= DWLOCAL_PIECES_MAX);
		for (size_t k = 0; k < s.v[i].npieces; k++)
			see_piece(&s.v[i], &s.v[i].pieces[k]);
	}
}

static void see_code(struct dwarf *dw, uint64_t entry)
{
	uint64_t at = dwarf_prologue_end(dw, entry, entry + 16);

	FUZZ_HOLDS(!at || (at >= entry && at < entry + 16));
	for (uint64_t off = 0; off < 16; off += 5)
		see_scope(dw, entry, entry + off, 10 - (int)off / 2);
}

/* By name, and what func values point to. */
static void see_more(struct dwarf *dw)
{
	static const char *const wanted[] = {
		"main.T", "runtime.g", "string", "T", "main.f", "main.v",
	};
	const struct gotype *t = NULL;
	unsigned int n = 0;
	struct dwvar v;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		const struct gotype *found = dwarf_type(dw, wanted[i]);

		if (found)
			t = found;
		if (!dwarf_variable(dw, wanted[i], &v))
			FUZZ_HOLDS(v.type);
	}
	dwarf_variables(dw, see_variable, &n);
	n = 0;
	dwarf_lines(dw, see_file, see_line, &n);
	for (uint64_t at = 0x401000; at < 0x401040; at += 16) {
		see_code(dw, at);
		dwarf_closure(dw, at, NULL, 0);
		if (t)
			dwarf_closure_of(dw, at, "x", t);
	}
}

int fuzz_dwarf(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	int minor = 13 + feed_u8(&feed) % 16, fd = make_file(&feed);
	struct arena mem = { .head = NULL };
	struct goprobe_runtime rt;
	struct dwarf *dw = dwarf_open(fd, minor, 0x500000, &mem);

	if (dw) {
		memset(&rt, 0, sizeof(rt));
		dwarf_runtime(dw, &rt);
		for (uint64_t at = 0x401000; at < 0x401040; at += 8)
			see_func(dw, &mem, minor, at);
		see_more(dw);
		dwarf_free(dw);
	}
	arena_fini(&mem);
	close(fd);
	return 0;
}
