/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compiled into each object whose lines are counted. The compiler refers to the function that
 * adds up the counters of several runs; in the kernel nobody calls it.
 */
asm(".weak __gcov_merge_add\n\t.set __gcov_merge_add, 0");
