/* SPDX-License-Identifier: GPL-2.0 */
/* Styles and scripts of pictures: the files of these names, which page.S has. They load nothing. */
#ifndef GOPROBE_EXPORT_PAGE_H
#define GOPROBE_EXPORT_PAGE_H

extern const char page_flame_css[];
extern const char page_flame_js[];

#endif
