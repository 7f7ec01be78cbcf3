/* SPDX-License-Identifier: GPL-2.0 */
/* Topics of goprobectl help: sections of docs/expressions.md. */
#ifndef GOPROBE_CMD_TOPIC_H
#define GOPROBE_CMD_TOPIC_H

#include <stdbool.h>

#include "base/buf.h"

/* docs/expressions.md: topic_text.S. */
extern const char topic_text[];
/* "patterns, places, ...", in lines that all but the first begin with @indent spaces. */
void topic_names(size_t indent, struct buf *b);
/* Call @fn with the name of each topic. */
void topic_each(void (*fn)(void *ctx, const char *name), void *ctx);
/* Append the text of a topic. Return: false if the topic is unknown. */
bool topic_put(const char *name, struct buf *b);

#endif
