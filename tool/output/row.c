// SPDX-License-Identifier: GPL-2.0
/* Rows of tables, and facts of summaries. */
#include "base/plain.h"
#include "output/row.h"
#include "output/screen.h"

/* Columns do not get wider than this. */
#define WIDEN_MOST 160

void row_widen(struct column *c, const char *text, size_t n)
{
	size_t width = screen.columns ? 0 : plain_columns(text, n) + 1;

	if (width <= WIDEN_MOST && (int)width > c->width)
		c->width = (int)width;
}

void row_begin(struct row *r, const char *kind)
{
	r->column = NULL;
	r->start = r->b->len;
	r->name_len = 0;
	if (r->mode == ROW_JSON)
		json_line(r->b, kind);
	if (r->mode != ROW_HEADS)
		return;
	screen_follow();
	screen_style(r->b, STYLE_DIM);
}

/* A screen on which all columns have their widths; and columns that give way on others. */
#define SCREEN_WHOLE 140
#define COLUMN_WIDE 20

static int width_of(const struct column *c)
{
	if (!screen.columns || c->width < COLUMN_WIDE)
		return c->width;
	return c->width * (int)screen.columns / SCREEN_WHOLE;
}

/* The least of what follows a name: "(…)". */
#define BEHIND_MIN 3

/* Bring the current cell to @width columns at most; a name that has to stay whole may have more. */
static void shorten_cell(struct row *r, size_t width)
{
	struct buf *b = r->b;
	bool named = r->name_len && r->name >= r->cell;
	size_t end = r->name + r->name_len, before, columns;

	if (plain_columns(b->p + r->cell, b->len - r->cell) <= width || !named) {
		screen_shorten(b, r->cell, width);
		/* A name in a cell before stays too long. */
		r->name_len = named ? 0 : r->name_len;
		return;
	}
	columns = plain_columns(b->p + r->cell, end - r->cell);
	if (columns + BEHIND_MIN <= width)
		screen_shorten(b, r->cell, width);
	else
		b->len = end;
	if (columns > width) {
		before = plain_columns(b->p + r->cell, r->name - r->cell);
		r->name_len -= screen_shorten_name(b, r->name, r->name_len,
						   width > before ? width - before : 0);
	}
	if (plain_columns(b->p + r->cell, b->len - r->cell) <= width)
		r->name_len = 0;
}

/* The current cell is complete: bring it to its width. */
static void end_cell(struct row *r)
{
	int width;

	if (!r->column || r->b->failed)
		return;
	width = width_of(r->column);
	if (screen.columns && width >= COLUMN_WIDE / 2 && r->column->width >= COLUMN_WIDE)
		shorten_cell(r, width - 1);
	if (width < 0)
		plain_pad_left(r->b, r->cell, -width);
	else
		plain_pad(r->b, r->cell, width);
}

bool row_cell(struct row *r, const struct column *c)
{
	if (r->mode == ROW_JSON) {
		if (c->key)
			json_key(r->b, c->key);
		return c->key;
	}
	end_cell(r);
	if (c->width >= 0 && r->column && r->column->width < 0)
		buf_str(r->b, "  ");
	r->cell = r->b->len;
	r->column = c;
	if (r->mode == ROW_HEADS)
		buf_str(r->b, c->head);
	return r->mode == ROW_TEXT;
}

/* No blanks stand at the end of a line. */
static void end_line(struct row *r)
{
	if (r->column && r->column->width < 0)
		end_cell(r);
	r->column = NULL;
}

void row_end(struct row *r)
{
	if (r->mode == ROW_JSON) {
		json_end_line(r->b);
		return;
	}
	end_line(r);
	if (r->name_len && !r->whole)
		screen_fit_name(r->b, r->start, r->name, r->name_len);
	else if (!r->whole)
		screen_fit(r->b, r->start, NULL, 0);
	if (r->mode == ROW_HEADS)
		screen_style(r->b, STYLE_PLAIN);
	buf_char(r->b, '\n');
}

void row_u64(struct row *r, const struct column *c, uint64_t v)
{
	if (row_cell(r, c))
		buf_u64(r->b, v);
}

void row_u64_of(struct row *r, const struct column *c, uint64_t v, const char *noun)
{
	if (!row_cell(r, c))
		return;
	if (r->mode == ROW_JSON)
		buf_u64(r->b, v);
	else
		row_count(r->b, v, noun);
}

void row_text(struct row *r, const char *words)
{
	if (r->mode != ROW_TEXT)
		return;
	if (r->column && r->column->width)
		end_cell(r);
	r->column = NULL;
	buf_str(r->b, words);
}

void row_ns(struct row *r, const struct column *c, bool known, uint64_t ns)
{
	if (!known) {
		row_none(r, c);
		return;
	}
	if (!row_cell(r, c))
		return;
	if (r->mode == ROW_JSON)
		buf_u64(r->b, ns);
	else
		buf_duration(r->b, ns);
}

void row_str(struct row *r, const struct column *c, const char *s)
{
	if (!row_cell(r, c))
		return;
	if (r->mode == ROW_JSON)
		quote_json_str(r->b, s);
	else
		plain_add(r->b, s);
}

void row_str_or_null(struct row *r, const struct column *c, const char *s)
{
	if (s)
		row_str(r, c, s);
	else if (r->mode == ROW_JSON && row_cell(r, c))
		buf_str(r->b, "null");
}

void row_words(struct row *r, const struct column *c, const char *text, const char *json)
{
	row_str(r, c, r->mode == ROW_JSON ? json : text);
}

void row_flag(struct row *r, const struct column *c, bool set, const char *yes, const char *no)
{
	if (!row_cell(r, c))
		return;
	if (r->mode == ROW_JSON)
		buf_str(r->b, set ? "true" : "false");
	else
		buf_str(r->b, set ? yes : no);
}

void row_name(struct row *r, const char *name)
{
	r->name = r->b->len;
	plain_add(r->b, name);
	r->name_len = r->b->len - r->name;
}

void row_func(struct row *r, const struct column *c, const char *name)
{
	if (r->mode == ROW_JSON)
		row_str(r, c, name);
	else if (row_cell(r, c))
		row_name(r, name);
}

void row_none(struct row *r, const struct column *c)
{
	if (r->mode != ROW_JSON && row_cell(r, c))
		buf_char(r->b, '-');
}

/* --- lists, members and lines of a row --- */

static void open_list(const struct row *r, const char *key, const char *open)
{
	if (r->mode == ROW_JSON)
		json_raw(r->b, key, open);
}

static void close_list(const struct row *r, char close)
{
	if (r->mode == ROW_JSON)
		buf_char(r->b, close);
}

void row_list(struct row *r, const char *key)
{
	open_list(r, key, "[");
}

static void begin_element(struct row *r)
{
	if (r->mode == ROW_JSON)
		json_element(r->b);
	else
		buf_char(r->b, ' ');
}

void row_element_i64(struct row *r, int64_t v)
{
	begin_element(r);
	buf_i64(r->b, v);
}

void row_element_str(struct row *r, const char *s)
{
	begin_element(r);
	if (r->mode == ROW_JSON)
		quote_json_str(r->b, s);
	else
		plain_add(r->b, s);
}

void row_list_end(struct row *r)
{
	close_list(r, ']');
}

void row_members(struct row *r, const char *key)
{
	open_list(r, key, "{");
}

void row_member_u64(struct row *r, const char *name, int width, uint64_t v)
{
	size_t start;

	if (r->mode == ROW_JSON) {
		json_u64(r->b, name, v);
		return;
	}
	buf_str(r->b, "\n  ");
	start = r->b->len;
	buf_str(r->b, name);
	plain_pad(r->b, start, width);
	buf_u64(r->b, v);
}

void row_members_end(struct row *r)
{
	close_list(r, '}');
}

void row_lines(struct row *r, const char *key)
{
	end_line(r);
	open_list(r, key, "[");
}

void row_line(struct row *r)
{
	if (r->mode == ROW_JSON) {
		json_element(r->b);
		buf_char(r->b, '{');
	} else {
		buf_str(r->b, "\n  ");
	}
}

void row_line_end(struct row *r)
{
	end_line(r);
	close_list(r, '}');
}

void row_lines_end(struct row *r)
{
	close_list(r, ']');
}

void row_facts_json(struct buf *b, const struct fact *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!f[i].key || (!f[i].n && !(f[i].flags & FACT_ALWAYS)))
			continue;
		if (!(f[i].flags & FACT_NS)) {
			json_u64(b, f[i].key, f[i].n);
			continue;
		}
		json_key(b, f[i].key);
		buf_seconds(b, f[i].n);
	}
}

void row_tenths(struct buf *b, uint64_t ns)
{
	uint64_t tenths = (ns + 50000000) / 100000000;

	buf_u64(b, tenths / 10);
	buf_char(b, '.');
	buf_u64(b, tenths % 10);
	buf_char(b, 's');
}

void row_count(struct buf *b, uint64_t n, const char *noun)
{
	buf_u64(b, n);
	buf_char(b, ' ');
	buf_str(b, noun);
	if (n != 1)
		buf_char(b, 's');
}

void row_facts_text(struct buf *b, const struct fact *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((!f[i].n && !(f[i].flags & FACT_SAID)) || !f[i].noun)
			continue;
		row_count(b, f[i].n, f[i].noun);
		buf_char(b, ' ');
		buf_str(b, f[i].text);
		if (i + 1 < n && f[i + 1].flags & FACT_NS) {
			buf_str(b, ", ");
			row_tenths(b, f[i + 1].n);
			buf_str(b, " in all");
		}
		buf_char(b, '\n');
	}
}

void row_share(struct buf *b, uint64_t part, uint64_t all)
{
	uint64_t permille = all ? (uint64_t)((long double)part / all * 1000) : 0;

	buf_u64(b, permille / 10);
	buf_char(b, '.');
	buf_u64(b, permille % 10);
	buf_str(b, " %");
}
