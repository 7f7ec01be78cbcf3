// SPDX-License-Identifier: GPL-2.0
/* State of a goroutine of a running process. */
#include <string.h>

#include "base/unaligned.h"
#include "gobin/variable.h"
#include "process/goroutine_state.h"

/* runtime._Gidle and so on. */
static const char *const statuses[] = {
	"idle", "runnable", "running", "in a system call", "waiting", NULL, "dead", NULL,
	"its stack is being moved", "preempted", "leaked", "dead",
};

#define STATUSES (sizeof(statuses) / sizeof(*statuses))

static void find_reasons(struct goroutine_reader *r)
{
	if (!r->reasons_known &&
	    gobin_variable_address(r->bin, "runtime.waitReasonStrings", &r->reasons))
		r->reasons = 0;
	r->reasons_known = true;
}

/* The strings of runtime.waitReasonStrings: their numbers change with each release. */
void goroutine_state_reason(struct goroutine_reader *r, uint8_t reason, char *to, size_t size)
{
	const struct procmem *m = &r->m;
	uint8_t string[16];
	uint64_t len;

	to[0] = 0;
	find_reasons(r);
	if (!r->reasons || !procmem_read(m, m->bias + r->reasons + reason * sizeof(string), string,
					 sizeof(string)))
		return;
	len = load_u64(string + 8);
	if (len >= size || !procmem_read(m, load_u64(string), to, len))
		len = 0;
	to[len] = 0;
	for (size_t i = 0; i < len; i++)
		if ((uint8_t)to[i] < ' ' || (uint8_t)to[i] >= 0x7f)
			to[i] = '?';
}

const char *goroutine_state_status(const struct goroutine *gr)
{
	return gr->status < STATUSES ? statuses[gr->status] : NULL;
}

void goroutine_state_of(struct goroutine_reader *r, const struct goroutine *gr,
			struct goroutine_state *ret)
{
	struct stack_frame frames[GOROUTINE_STATE_FRAMES];

	*ret = (struct goroutine_state){ .status = goroutine_state_status(gr) };
	/* That of the main goroutine is in the runtime's assembly. */
	if (gr->goid != 1)
		ret->creator = gr->gopc - r->m.bias;
	if (gr->status == GOROUTINE_WAITING)
		goroutine_state_reason(r, gr->reason, ret->reason, sizeof(ret->reason));
	if (!goroutine_rests(gr))
		return;
	ret->cut = goroutine_walk(r, gr, frames, GOROUTINE_STATE_FRAMES, &ret->npcs) == STACK_CUT;
	for (size_t i = 0; i < ret->npcs; i++)
		ret->pcs[i] = frames[i].pc;
}

void goroutine_state_read(struct goroutine_reader *r, uint64_t g, struct goroutine_state *ret)
{
	struct goroutine gr;

	*ret = (struct goroutine_state){ 0 };
	if (goroutine_read(r, g, &gr))
		goroutine_state_of(r, &gr, ret);
}
