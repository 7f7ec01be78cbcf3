/* SPDX-License-Identifier: GPL-2.0 */
/* Page of a timeline: HTML before and behind trace events in JSON, which have no '<'. */
#ifndef GOPROBE_EXPORT_TIMELINE_PAGE_H
#define GOPROBE_EXPORT_TIMELINE_PAGE_H

extern const char timeline_head[];
extern const char timeline_tail[];

#endif
