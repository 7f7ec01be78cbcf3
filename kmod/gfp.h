/* SPDX-License-Identifier: GPL-2.0 */
/* GFP flags for allocations on behalf of a client. */
#ifndef GP_CHARGE_H
#define GP_CHARGE_H

#include <linux/gfp.h>

/*
 * Charged to the caller's memory cgroup. A failure is reported to the caller, without a kernel
 * warning. __GFP_RETRY_MAYFAIL keeps the OOM killer from killing a program in that cgroup.
 */
#define GP_GFP_CHARGED	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#endif
