/* SPDX-License-Identifier: GPL-2.0 */
/* The unwind of a goroutine's call stack, for keys and for records. */
#ifndef GP_CALL_STACK_H
#define GP_CALL_STACK_H

#include <linux/types.h>
#include <goprobe.h>

#include "arch/arch.h"
#include "capture/capture.h"

/**
 * gp_call_stack() - unwind by frame pointers, which Go keeps in every frame
 * @c: where the hit is: regs, sp, bias, faultin
 * @end: of the goroutine's stack: g.stack.hi
 * @word: gets link-time addresses: that of the hit, then return addresses
 * @most: words available at @word, at least 1
 * @n: number of words written
 *
 * At the entry of a function and at its RET, the frame pointer is the caller's. A valid frame is
 * above the frame that it has called, and in the goroutine's stack.
 *
 * Return: GOPROBE_CHUNK_OK; as gp_capture_copy(), if a frame could not be read.
 */
static __always_inline int gp_call_stack(struct gp_capture *c, u64 end, u64 *word, u32 most,
					 u32 *n)
{
	u64 frame[2] = { gp_arch_frame_pointer(c->regs) }, at = c->sp;
	int status;

	word[0] = instruction_pointer((struct pt_regs *)c->regs) - c->bias;
	*n = 1;
	while (*n < most && at + 8 <= end) {
		u32 size = *n == 1 ? 8 : 16;

		/* Of the first frame, only the return address, below the frame pointer. */
		status = gp_capture_copy(c, *n == 1 ? &frame[1] : frame, at, &size);
		if (status)
			return status;
		if (!frame[1])
			break;
		word[(*n)++] = frame[1] - c->bias;
		if (frame[0] <= at || frame[0] % 8 || end < 16 || frame[0] > end - 16)
			break;
		at = frame[0];
	}
	return GOPROBE_CHUNK_OK;
}

#endif
