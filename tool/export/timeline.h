/* SPDX-License-Identifier: GPL-2.0 */
/* Page of a timeline: HTML before and behind trace events in JSON, which have no '<'. */
#ifndef GOPROBE_EXPORT_TIMELINE_H
#define GOPROBE_EXPORT_TIMELINE_H

#include "base/buf.h"

/* Append what stands before the events. */
void timeline_begin(struct buf *b);
/* Make JSON from @from on, the events, unable to end the page's element. */
void timeline_escape(struct buf *b, size_t from);
/* Append what stands behind the events. */
void timeline_end(struct buf *b);

#endif
