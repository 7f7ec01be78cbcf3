// SPDX-License-Identifier: GPL-2.0
/* Lines of source files, as text and as JSON. */
#include "base/json.h"
#include "base/plain.h"
#include "output/source_line.h"

void source_line_text(struct buf *b, const char *path, int line)
{
	plain_add(b, path);
	buf_number(b, ":", (uint64_t)line);
}

void source_line_json(struct buf *b, const char *file, int line)
{
	if (!file)
		return;
	json_str(b, "file", file);
	json_u64(b, "line", line > 0 ? (uint64_t)line : 0);
}
