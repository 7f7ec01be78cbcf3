/* SPDX-License-Identifier: GPL-2.0 */
/* Removal of open calls and goroutines of exited processes. */
#ifndef GP_REAP_H
#define GP_REAP_H

#include <linux/types.h>

#include "arch/arch.h"

struct gp_session;

/* A process's number in the initial namespace. */
static inline pid_t gp_reap_tgid(u64 process)
{
	return process & ((1 << GP_ARCH_PID_BITS) - 1);
}

void gp_reap_open(struct gp_session *s);
void gp_reap_close(struct gp_session *s);
void gp_reap(struct gp_session *s);
void gp_reap_soon(struct gp_session *s);

#endif
