/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is there since a client asks for it. */
#ifndef GP_CHARGE_H
#define GP_CHARGE_H

#include <linux/gfp.h>

/*
 * Charged to the control group of whoever asks. If there is not so much he is told, and that is no
 * reason to print anything, nor, without __GFP_RETRY_MAYFAIL, to kill a program in that group.
 */
#define GP_GFP_CHARGED	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#endif
