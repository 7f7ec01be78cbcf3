// SPDX-License-Identifier: GPL-2.0
/*
 * What a goroutine of a running process does. It runs on meanwhile: what is read need not fit
 * together, so nothing of it is trusted to.
 */
#include <string.h>

#include "golayout.h"
#include "gostate.h"
#include "load.h"
#include "varname.h"

/* Set in a status while the garbage collector looks at the stack. */
#define SCANNED 0x1000U

/* runtime._Gidle and so on. */
static const char *const statuses[] = {
	"idle", "runnable", "running", "in a system call", "waiting", NULL, "dead", NULL,
	"its stack is being moved", "preempted",
};

#define STATUSES (sizeof(statuses) / sizeof(*statuses))

enum { RUNNING = 2, WAITING = 4 };

/* The strings of runtime.waitReasonStrings: their numbers change with each release. */
static void read_reason(const struct procmem *m, struct gobin *bin, uint8_t reason, char *to,
			size_t room)
{
	struct diag d = { 0 };
	struct govar v;
	uint8_t string[16];
	uint64_t len;

	to[0] = 0;
	if (varname_find(bin, "runtime.waitReasonStrings", &v, &d) <= 0) {
		diag_fini(&d);
		return;
	}
	if (!procmem_read(m, m->bias + v.vaddr + reason * sizeof(string), string, sizeof(string)))
		return;
	len = load_u64(string + 8);
	if (len >= room || !procmem_read(m, load_u64(string), to, len))
		len = 0;
	to[len] = 0;
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)to[i] < ' ' || (uint8_t)to[i] >= 0x7f)
			to[i] = '?';
}

static void read_stack(const struct procmem *m, uint64_t pc, uint64_t bp, uint64_t lo, uint64_t hi,
		       struct gostate *ret)
{
	uint8_t frame[16];

	while (pc) {
		if (ret->npcs == GOSTATE_FRAMES) {
			ret->cut = true;
			return;
		}
		ret->pcs[ret->npcs++] = pc - m->bias;
		/* A caller's frame lies higher, and on the same stack. */
		if (bp % 8 || bp <= lo || hi < sizeof(frame) || bp > hi - sizeof(frame) ||
		    !procmem_read(m, bp, frame, sizeof(frame)))
			return;
		lo = bp;
		bp = load_u64(frame);
		pc = load_u64(frame + 8);
	}
}

void gostate_read(const struct procmem *m, struct gobin *bin, uint64_t g, struct gostate *ret)
{
	const struct golayout_g *l = &golayout_get(gobin_go_minor(bin))->g;
	const struct goprobe_runtime *rt = gobin_runtime(bin);
	uint8_t bytes[512];
	uint32_t status;

	*ret = (struct gostate){ 0 };
	if (!procmem_read(m, g, bytes, l->reason + 1))
		return;
	status = load_u32(bytes + l->status) & ~SCANNED;
	if (status >= STATUSES)
		return;
	ret->status = statuses[status];
	if (status == WAITING)
		read_reason(m, bin, bytes[l->reason], ret->reason, sizeof(ret->reason));
	if (status != RUNNING)
		read_stack(m, load_u64(bytes + l->pc), load_u64(bytes + l->bp),
			   load_u64(bytes + rt->g_stack_lo), load_u64(bytes + rt->g_stack_hi), ret);
}
