/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks for people, and as JSON. Pure. */
#ifndef GOPROBE_OUTPUT_STACK_PRINT_H
#define GOPROBE_OUTPUT_STACK_PRINT_H

#include "output/stacks.h"

/*
 * Append the stacks in their order (stacks_sort()), @top of them at most, or all if that
 * is 0: for people, with each one's share, and how many are left out; or as JSON, an
 * object a line, as docs/json.md has it.
 */
void stack_print_text(const struct stacks *s, size_t top, struct buf *b);
void stack_print_json(const struct stacks *s, size_t top, struct buf *b);

/*
 * Append the frames of one, whether it has more, and who has created its goroutine: for people, a
 * line each; or as JSON members, ,"frames":[...],"created_by":{...},"truncated":true
 */
void stack_print_frames_text(const struct stack *k, struct buf *b);
void stack_print_frames_json(const struct stack *k, struct buf *b);
/* Append its labels, {"pid":12,...}. */
void stack_print_labels_json(const struct stack *k, struct buf *b);

#endif
