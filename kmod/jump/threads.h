/* SPDX-License-Identifier: GPL-2.0 */
/* Threads of processes that are on their way to a detour, or in one. */
#ifndef GP_THREADS_H
#define GP_THREADS_H

#include <linux/list.h>

/*
 * Look at the threads of all @spaces, linked by their member look, once. Sets entering and inside
 * of each. Context: may sleep; nobody else looks at these spaces, or adds areas or jumps to them.
 */
void gp_threads_look(struct list_head *spaces);

#endif
