// SPDX-License-Identifier: GPL-2.0
/* Goroutines of a running process. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "dwarf/dwarf.h"
#include "gobin/runtime_layout.h"
#include "gobin/variable.h"
#include "process/goroutine.h"

/* Set in a status while the garbage collector looks at the stack. */
#define SCANNED 0x1000U
/* Of a runtime.g, so much is read: more than any release needs of it. */
#define G_BYTES 512U
/* Go ends a stack at 1 GB, unless the program allows more. */
#define STACK_MAX (1ULL << 36)
#define GOROUTINE_MAX (1U << 26)

/*
 * Up to 1.23 a goroutine that enters a system call counts a turn; in 1.27 it need not
 * (src/runtime/proc.go: reentersyscall).
 */
#define QUIET_SYSCALLS 24

int goroutine_reader_init(struct goroutine_reader *r, pid_t pid, struct gobin *bin, struct diag *d)
{
	if (r->bin != bin)
		*r = (struct goroutine_reader){ .bin = bin };
	return procmem_init(&r->m, pid, bin, d);
}

int goroutine_reader_find_turns(struct goroutine_reader *r, struct diag *d)
{
	struct dwarf *dw = gobin_dwinfo(r->bin);
	uint32_t at;

	if (!dw)
		return diag_set(d, "%s: %s", gobin_path(r->bin), gobin_no_types(r->bin));
	if (dwarf_field(dw, "runtime.g", "trackingSeq", &at) || at >= G_BYTES)
		return diag_set(d, "%s is of a Go release that does not record when goroutines have run (before 1.17)",
				gobin_path(r->bin));
	r->turns = at;
	return 0;
}

bool goroutine_read(const struct goroutine_reader *r, uint64_t g, struct goroutine *ret)
{
	const struct runtime_layout_g *l = &runtime_layout_get(gobin_go_minor(r->bin))->g;
	const struct goprobe_runtime *rt = gobin_runtime(r->bin);
	size_t last = l->gopc > l->labels ? l->gopc : l->labels;
	size_t len = last + 8 > r->turns + 1 ? last + 8 : r->turns + 1;
	uint8_t p[G_BYTES];

	if (!g || g % 8 || rt->g_goid + 8 > len || rt->g_stack_hi + 8 > len ||
	    !procmem_read(&r->m, g, p, len))
		return false;
	*ret = (struct goroutine){
		.g = g,
		.goid = load_u64(p + rt->g_goid),
		.status = load_u32(p + l->status) & ~SCANNED,
		.reason = p[l->reason],
		.since = load_u64(p + l->since),
		.lo = load_u64(p + rt->g_stack_lo),
		.hi = load_u64(p + rt->g_stack_hi),
		.pc = load_u64(p + l->pc),
		.sp = load_u64(p + l->sp),
		.gopc = load_u64(p + l->gopc),
		.parent = l->parent ? load_u64(p + l->parent) : 0,
		.labels = load_u64(p + l->labels),
		.turns = r->turns ? p[r->turns] : 0,
	};
	return ret->goid && ret->status <= GOROUTINE_DEAD_EXTRA;
}

bool goroutine_rests(const struct goroutine *gr)
{
	switch (gr->status) {
	case GOROUTINE_RUNNABLE:
	case GOROUTINE_SYSCALL:
	case GOROUTINE_WAITING:
	case GOROUTINE_PREEMPTED:
	case GOROUTINE_LEAKED:
		break;
	default:
		return false;
	}
	return gr->lo < gr->hi && gr->hi - gr->lo <= STACK_MAX && gr->sp >= gr->lo &&
	       gr->sp < gr->hi;
}

static bool needs_thread(const struct goroutine_reader *r, const struct goroutine *gr)
{
	return gr->status == GOROUTINE_SYSCALL && gobin_go_minor(r->bin) >= QUIET_SYSCALLS;
}

bool goroutine_rested(const struct goroutine_reader *r, const struct goroutine *before,
		      const struct goroutine *after)
{
	if (!r->turns || before->turns != after->turns || !goroutine_rests(after) ||
	    before->g != after->g || before->goid != after->goid ||
	    before->pc != after->pc || before->sp != after->sp ||
	    before->lo != after->lo || before->hi != after->hi)
		return false;
	/* It may have become runnable, which takes no turn. */
	if (before->status != after->status &&
	    (before->status == GOROUTINE_SYSCALL || after->status == GOROUTINE_SYSCALL))
		return false;
	return !needs_thread(r, before) ||
	       (before->tid && before->tid == after->tid && before->switches == after->switches);
}

/* How often the thread has waited; false if it is no more. */
static bool read_switches(pid_t pid, const char *tid, uint64_t *switches)
{
	char path[300], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/status", pid, tid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "voluntary_ctxt_switches: %" SCNu64, switches) == 1;
	if (f)
		fclose(f);
	return found;
}

/* SP of a thread that waits in a system call: "0 0x3 0x.. SP PC". False if it does not. */
static bool read_sp(pid_t pid, const char *tid, uint64_t *sp)
{
	char path[300], line[256], *at;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/syscall", pid, tid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f)) {
		at = strrchr(line, ' ');
		if (at)
			*at = 0;
		at = at ? strrchr(line, ' ') : NULL;
		found = at && sscanf(at + 1, "%" SCNx64, sp) == 1;
	}
	if (f)
		fclose(f);
	return found;
}

/*
 * By SP, as ids of threads are others in another pid namespace. What is in C code is on another
 * stack: not found. That a thread has waited as often before and after SP was read says that
 * SP is of this wait.
 */
void goroutine_find_thread(const struct goroutine_reader *r, struct goroutine *gr)
{
	struct dirent *e;
	char path[64];
	DIR *dir;

	if (!needs_thread(r, gr))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", r->m.pid);
	dir = opendir(path);
	while (dir && !gr->tid && (e = readdir(dir))) {
		uint64_t switches, after, sp;

		if (e->d_name[0] == '.' || !read_switches(r->m.pid, e->d_name, &switches) ||
		    !read_sp(r->m.pid, e->d_name, &sp) || sp < gr->lo || sp >= gr->hi ||
		    !read_switches(r->m.pid, e->d_name, &after) || after != switches)
			continue;
		gr->tid = (pid_t)atoi(e->d_name);
		gr->switches = switches;
	}
	if (dir)
		closedir(dir);
}

static bool walk_read(void *ctx, uint64_t at, void *to, size_t len)
{
	const struct goroutine_reader *r = ctx;

	return procmem_read(&r->m, at, to, len);
}

static bool walk_place(void *ctx, uint64_t vaddr, struct gobin_place *ret)
{
	const struct goroutine_reader *r = ctx;

	return !gobin_place(r->bin, vaddr, ret);
}

enum stack_end goroutine_walk(const struct goroutine_reader *r, const struct goroutine *gr,
			      struct stack_frame *v, size_t max, size_t *n)
{
	const struct gostack s = {
		.lo = gr->lo, .hi = gr->hi, .pc = gr->pc, .sp = gr->sp, .bias = r->m.bias,
		.read = walk_read, .place = walk_place, .ctx = (void *)(uintptr_t)r,
	};

	return stack_walk(&s, v, max, n);
}

/*
 * The slice's words, pointer and length. It grows meanwhile: the pointer is the same before
 * and after the length has been read.
 */
static bool read_slice(const struct goroutine_reader *r, uint64_t at, uint64_t *v, uint64_t *n)
{
	for (int i = 0; i < 16; i++) {
		uint8_t first[16], again[16];

		if (!procmem_read(&r->m, at, first, sizeof(first)) ||
		    !procmem_read(&r->m, at, again, sizeof(again)))
			return false;
		*v = load_u64(again);
		*n = load_u64(first + 8);
		if (load_u64(first) == *v)
			return *n <= GOROUTINE_MAX;
	}
	return false;
}

int goroutine_all(const struct goroutine_reader *r, uint64_t **ret, size_t *n, struct diag *d)
{
	uint64_t at, len, vaddr;

	*n = 0;
	*ret = NULL;
	if (gobin_variable_address(r->bin, "runtime.allgs", &vaddr))
		return diag_set(d, "%s has no symbols that say where its goroutines are",
				gobin_path(r->bin));
	if (!read_slice(r, r->m.bias + vaddr, &at, &len))
		return diag_set(d, "the goroutines of process %d can't be read", r->m.pid);
	*ret = malloc((len + 1) * sizeof(**ret));
	if (!*ret)
		return diag_set(d, "out of memory");
	if (!procmem_read(&r->m, at, *ret, len * sizeof(**ret))) {
		free(*ret);
		*ret = NULL;
		return diag_set(d, "the goroutines of process %d can't be read", r->m.pid);
	}
	*n = len;
	return 0;
}
