/* SPDX-License-Identifier: GPL-2.0 */
/* Styles and scripts of pictures: the files of these names, which page.S has. They load nothing. */
#ifndef GOPROBE_EXPORT_PAGE_H
#define GOPROBE_EXPORT_PAGE_H

/* What both scripts need, before them. */
extern const char page_js[];
extern const char page_flame_css[];
extern const char page_flame_js[];
extern const char page_timeline_css[];
extern const char page_timeline_js[];

#endif
