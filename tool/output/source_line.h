/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of source files, as text and as JSON. The names of files are the traced program's. */
#ifndef GOPROBE_OUTPUT_SOURCE_LINE_H
#define GOPROBE_OUTPUT_SOURCE_LINE_H

#include "base/buf.h"

/* "main.go:42"; @path: as long as it is to be shown. */
void source_line_text(struct buf *b, const char *path, int line);
/* The members "file" and "line"; nothing without a file. */
void source_line_json(struct buf *b, const char *file, int line);

#endif
