/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of hits that several kinds share: whether a hit matters, and its goroutine. */
#ifndef GP_HIT_H
#define GP_HIT_H

#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "capture/capture.h"
#include "capture/faultin.h"
#include "capture/goroutine.h"
#include "hit/filter.h"
#include "session/probe.h"
#include "session/session.h"
#include "stats/calls.h"

void gp_hit_stat(struct gp_session *s, enum goprobe_stat stat);
void gp_hit_no_space(struct gp_session *s, enum goprobe_stat stat);
int gp_hit_does_not_matter(const struct gp_probe *probe, const struct pt_regs *regs);
enum goprobe_stat gp_hit_verdict_stat(enum gp_verdict verdict);
void gp_hit_rejected(const struct gp_probe *probe, enum gp_verdict verdict);
bool gp_hit_any_g(const struct gp_probe *probe, const struct pt_regs *regs,
		  struct gp_own_g *own);
int gp_hit_call_stack(const struct gp_probe *probe, struct gp_capture *c);
bool gp_hit_await_g(const struct gp_probe *probe, const struct pt_regs *regs,
		    struct gp_own_g *own);
void gp_hit_goroutine_tls(const struct gp_probe *probe, unsigned long sp,
			  struct gp_goroutine *go);

/* SP at function entry. */
static __always_inline unsigned long gp_hit_sp(const struct gp_probe *probe,
					       const struct pt_regs *regs)
{
	return user_stack_pointer((struct pt_regs *)regs) + probe->sp_adjust;
}

/* Run-time addresses of the file minus its link-time addresses. */
static __always_inline u64 gp_hit_bias(const struct gp_probe *probe,
				       const struct pt_regs *regs)
{
	return instruction_pointer((struct pt_regs *)regs) - probe->address;
}

/* Whether a hit that leaves no record counts. */
static __always_inline bool gp_hit_matters(const struct gp_probe *probe,
					   const struct pt_regs *regs)
{
	return likely(READ_ONCE(probe->session->running)) &&
	       likely(gp_session_wants_current(probe->session)) &&
	       likely(!gp_arch_skips(probe->skip, regs));
}

/* Value of the register that has g in register-ABI code. */
static __always_inline unsigned long gp_hit_g_reg(const struct gp_probe *probe,
						  const struct pt_regs *regs)
{
	return *(const unsigned long *)((const u8 *)regs + probe->g_reg);
}

/*
 * The g that owns the stack. Return: false if no g does, or with own->absent set if memory
 * could not be read.
 */
static __always_inline bool gp_hit_own_g(const struct gp_probe *probe, unsigned long g,
					 unsigned long sp, struct gp_own_g *own)
{
	bool found;

	own->absent = 0;
	if (unlikely(g & 7))
		return false;
	pagefault_disable();
	found = gp_goroutine_own(probe->runtime, g, sp, own);
	pagefault_enable();
	return found;
}

/* Capture what the plan of the probe describes. Return: as gp_capture_run(). */
static __always_inline int gp_hit_run(const struct gp_probe *probe, struct gp_capture *c)
{
	int err = gp_capture_run(c);

	if (unlikely(probe->plan->w.nstack) && !err)
		err = gp_hit_call_stack(probe, c);
	return err;
}

/* Key of the goroutine's open calls. */
static __always_inline struct gp_calls_key gp_hit_key(const struct gp_own_g *own)
{
	return (struct gp_calls_key){
		.process = gp_arch_process(current, current->mm),
		.g = own->g,
		.goid = own->goid,
	};
}

/*
 * The goroutine of a record. Return: 0, or -EAGAIN if faultin->address is needed to decide, or
 * @quick is not possible. Context: page faults disabled.
 */
static __always_inline int gp_hit_goroutine(const struct gp_probe *probe,
					    const struct pt_regs *regs,
					    struct gp_faultin *faultin, bool quick,
					    struct gp_goroutine *go)
{
	unsigned long sp = gp_hit_sp(probe, regs);

	/* A probe for the fast path has g in a register. */
	if (quick || likely(probe->g_reg >= 0))
		gp_goroutine_find(probe->runtime, gp_hit_g_reg(probe, regs), sp, go);
	else
		gp_hit_goroutine_tls(probe, sp, go);
	if (likely(!go->absent))
		return 0;
	if (!quick && gp_faultin_ask(faultin, go->absent) != -EAGAIN)
		return 0;
	return -EAGAIN;
}

#endif
