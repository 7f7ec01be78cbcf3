// SPDX-License-Identifier: GPL-2.0
/*
 * Goroutines that run already. The process runs on while its list of them is read, so
 * nothing of it is trusted to fit together.
 */
#include <stdlib.h>

#include "base/unaligned.h"
#include "compile/varname.h"
#include "gobin/gobin.h"
#include "gobin/runtime_layout.h"
#include "process/kin.h"

/* More than any program has; each takes a read of its memory. */
#define GORS_MAX (1U << 22)
#define BATCH 512U

/* runtime._Gdead, without the bit that the garbage collector sets. */
#define DEAD 6U
#define SCANNED 0x1000U

static int by_goid(const void *a, const void *b)
{
	const struct kin_gor *x = a, *y = b;

	return x->goid < y->goid ? -1 : x->goid > y->goid;
}

static struct kin_gor *find_gor(struct kin_gor *v, size_t n, uint64_t goid)
{
	const struct kin_gor key = { .goid = goid };

	return bsearch(&key, v, n, sizeof(*v), by_goid);
}

/*
 * Decide for @g and for those of its ancestors that are undecided, so that no goroutine is
 * visited more than twice. A process may show a circle of ancestors: no goroutine in it descends
 * from @of.
 */
static void decide_line(struct kin_gor *v, size_t n, struct kin_gor *g, uint64_t of)
{
	enum kin_verdict verdict = KIN_OTHER;
	struct kin_gor *at = g;

	for (; at && at->verdict == KIN_UNDECIDED; at = find_gor(v, n, at->parent)) {
		at->verdict = KIN_VISITED;
		if (at->goid == of)
			break;
		if (at->parent == of) {
			verdict = KIN_DESCENDS;
			break;
		}
	}
	if (at && at->verdict == KIN_DESCENDS)
		verdict = KIN_DESCENDS;
	for (at = g; at && at->verdict == KIN_VISITED; at = find_gor(v, n, at->parent))
		at->verdict = verdict;
}

size_t kin_descendants(struct kin_gor *v, size_t n, uint64_t of)
{
	size_t found = 0;

	/* Each processor gives ids from a block of its own: a parent may have the higher id. */
	qsort(v, n, sizeof(*v), by_goid);
	for (size_t i = 0; i < n; i++)
		v[i].verdict = KIN_UNDECIDED;
	for (size_t i = 0; i < n; i++)
		decide_line(v, n, &v[i], of);
	for (size_t i = 0; i < n; i++)
		if (v[i].verdict == KIN_DESCENDS)
			v[found++] = v[i];
	return found;
}

bool kin_gor_read(const struct procmem *m, const struct runtime_layout_g *l,
		  const struct goprobe_runtime *rt, uint64_t g, struct kin_gor *ret)
{
	uint8_t bytes[512];
	uint32_t status;

	/* The file's debug information may put goid anywhere. */
	if (rt->g_goid > l->parent || !procmem_read(m, g, bytes, l->parent + 8))
		return false;
	status = load_u32(bytes + l->status) & ~SCANNED;
	*ret = (struct kin_gor){
		.goid = load_u64(bytes + rt->g_goid), .parent = load_u64(bytes + l->parent),
	};
	return status != DEAD && ret->goid;
}

/* runtime.allgs: a slice of pointers. 0, or -1 if it can't be read. */
static int read_all(const struct procmem *m, struct gobin *bin, uint64_t allgs,
		    struct kin_gor **ret, size_t *n)
{
	const struct runtime_layout_g *l = &runtime_layout_get(gobin_go_minor(bin))->g;
	uint8_t head[16], pointers[BATCH * 8];
	uint64_t at, len;

	if (!procmem_read(m, m->bias + allgs, head, sizeof(head)))
		return -1;
	at = load_u64(head);
	len = load_u64(head + 8);
	if (len > GORS_MAX)
		return -1;
	*ret = calloc(len + 1, sizeof(**ret));
	if (!*ret)
		return -1;
	for (uint64_t i = 0, some; i < len; i += some) {
		some = len - i < BATCH ? len - i : BATCH;
		if (!procmem_read(m, at + i * 8, pointers, some * 8))
			return -1;
		for (uint64_t k = 0; k < some; k++)
			*n += kin_gor_read(m, l, gobin_runtime(bin), load_u64(pointers + k * 8),
					   &(*ret)[*n]);
	}
	return 0;
}

int kin_read(const struct procmem *m, struct gobin *bin, uint64_t of, struct kin_gor **ret,
	     size_t *n, struct diag *d)
{
	int minor = gobin_go_minor(bin);
	struct gobin_variable allgs;
	int found;

	*ret = NULL;
	*n = 0;
	if (!runtime_layout_get(minor)->g.parent) {
		diag_set(d, "Go 1.%d does not record which goroutine has started another", minor);
		return 1;
	}
	found = varname_find(bin, "runtime.allgs", &allgs, d);
	if (!found)
		diag_set(d, "%s does not say where its goroutines are", gobin_path(bin));
	if (found <= 0)
		return 1;
	if (read_all(m, bin, allgs.vaddr, ret, n))
		return diag_set(d, "the goroutines of process %d can't be read", (int)m->pid);
	*n = kin_descendants(*ret, *n, of);
	return 0;
}
