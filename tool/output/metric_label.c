// SPDX-License-Identifier: GPL-2.0
/* Labels of metrics, as OpenMetrics writes them. */
#include "base/plain.h"
#include "output/metric_label.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void put_name(struct buf *b, const char *name)
{
	if (!is_letter(*name))
		buf_char(b, '_');
	for (; *name; name++)
		buf_char(b, is_letter(*name) || (*name >= '0' && *name <= '9') ? *name : '_');
}

/* As text: other values stay others. */
static void put_bytes(struct buf *b, const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		buf_str(b, "\\\\x");
		buf_hex_byte(b, s[i]);
	}
}

void metriclabel_put(struct buf *b, const char *name, const char *value, size_t n)
{
	bool shown;

	put_name(b, name);
	buf_str(b, "=\"");
	for (size_t i = 0, len; i < n; i += len) {
		len = plain_next(value + i, n - i, &shown);
		if (value[i] == '"' || value[i] == '\\' || value[i] == '\n')
			buf_char(b, '\\');
		if (value[i] == '\n')
			buf_char(b, 'n');
		else if (shown)
			buf_mem(b, value + i, len);
		else
			put_bytes(b, (const uint8_t *)value + i, len);
	}
	buf_char(b, '"');
}
