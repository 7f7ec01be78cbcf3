/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of OTLP spans in JSON: {"key":"thread.id","value":{"intValue":"7"}}. */
#ifndef GOPROBE_EXPORT_OTLP_ATTRIBUTE_H
#define GOPROBE_EXPORT_OTLP_ATTRIBUTE_H

#include "gobin/sched_state.h"
#include "output/format.h"

/* What the attributes of a call have that failed. */
#define OTLP_ERROR_TYPE "error.type"

void otlp_attribute_string(struct buf *b, const char *name, const char *s);
void otlp_attribute_number(struct buf *b, const char *name, uint64_t n);
/* The values of a call or a return; of the latter the type of its first error, too. */
void otlp_attribute_values(struct output *o, const struct output_event *e);
/* How the time of a call divides. */
void otlp_attribute_split(const uint64_t ns[__GOSTATES_MAX], struct buf *b);

#endif
