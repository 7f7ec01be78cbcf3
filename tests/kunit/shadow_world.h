/* SPDX-License-Identifier: GPL-2.0 */
/* A thread with a shadow stack, as the kernel has it on a processor that knows them. */
#ifndef SHADOW_WORLD_H
#define SHADOW_WORLD_H

#include <linux/sched.h>
#include <asm/prctl.h>

/* Return: false: this kernel is built without them. */
static inline bool shadow_stack(struct task_struct *t, bool on)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	if (on)
		t->thread.features |= ARCH_SHSTK_SHSTK;
	else
		t->thread.features &= ~ARCH_SHSTK_SHSTK;
	return true;
#else
	return false;
#endif
}

#endif
