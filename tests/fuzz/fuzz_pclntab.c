// SPDX-License-Identifier: GPL-2.0
/* The function and line table; the input is the table, behind 8 bytes. */
#include "fuzz.h"

#include "gobin/pclntab.h"

/* Trees are read from the table's own bytes. */
static int read_tree(void *ctx, uint64_t vaddr, void *buf, size_t len)
{
	const struct pclntab *t = ctx;

	if (vaddr > t->len || len > t->len - vaddr)
		return -1;
	memcpy(buf, t->data + vaddr, len);
	return 0;
}

static void use_name(const char *s, size_t max)
{
	if (s)
		FUZZ_HOLDS(strlen(s) <= max);
}

static void look(struct pclntab *t, struct pclntab_func *f, uint64_t pc,
		 uint64_t gofunc)
{
	struct pclntab_frame v[16];
	struct pclntab_run run;
	uint64_t until;
	int32_t value;
	size_t n;
	int line;

	use_name(f->name, PCLNTAB_NAME_MAX);
	use_name(pclntab_file(t, f, &line), PCLNTAB_FILE_MAX);
	if (!pclntab_pcdata(t, f, PCLNTAB_PCDATA_INLTREE, pc, &value, &until))
		FUZZ_HOLDS(until > pc);
	pclntab_walk(t, f, f->pcln, &run);
	while (pclntab_next(t, f, &run))
		FUZZ_HOLDS(run.until > run.from);
	n = pclntab_frames(t, f, pc, gofunc, read_tree, t, v, 16);
	FUZZ_HOLDS(n >= 1 && n <= 16);
	for (size_t i = 0; i < n; i++) {
		use_name(v[i].func, PCLNTAB_NAME_MAX);
		use_name(v[i].file, PCLNTAB_FILE_MAX);
		FUZZ_HOLDS(v[i].line >= 0);
	}
}

int fuzz_pclntab(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	uint32_t gofunc = feed_u32(&feed), pick = feed_u32(&feed);
	struct pclntab_func f;
	struct pclntab t;
	uint8_t *table;
	size_t len;

	table = feed_copy(&feed, 1U << 20, &len);
	if (!pclntab_init(&t, table, len)) {
		for (uint32_t i = 0; i < t.nfunc && i < 64; i++) {
			if (!pclntab_func(&t, i, &f))
				look(&t, &f, f.entry + pick % 64, gofunc);
		}
		if (!pclntab_find(&t, t.text + pick, &f)) {
			FUZZ_HOLDS(f.entry <= t.text + pick);
			look(&t, &f, t.text + pick, gofunc);
		}
		use_name(pclntab_name(&t, pick), PCLNTAB_NAME_MAX);
	}
	free(table);
	return 0;
}
