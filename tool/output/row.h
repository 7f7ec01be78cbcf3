/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of tables, and facts of summaries. A caller names each value once: text shows the values in
 * columns, or between words; JSON as members of one object a line. A row can have lists, and lines
 * below it. docs/json.md has the keys.
 */
#ifndef GOPROBE_OUTPUT_ROW_H
#define GOPROBE_OUTPUT_ROW_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/json.h"

/* A column of a table. */
struct column {
	const char *key;	/* its key in JSON, or NULL: text alone shows it */
	const char *head;	/* its head in text */
	/*
	 * Columns of a terminal that it takes at least; negative: its cells stand at the right. On
	 * a terminal a wide one takes its share of the line, and longer cells are shortened.
	 */
	int width;
};

enum row_mode {
	ROW_TEXT,
	ROW_JSON,
	ROW_HEADS,	/* in text: heads of columns in place of cells */
};

/* A row under construction. */
struct row {
	struct buf *b;			/* where it goes */
	enum row_mode mode;		/* what is written */
	size_t start;			/* where the line begins in @b */
	size_t cell;			/* where the current cell begins */
	const struct column *column;	/* of the current cell, or NULL */
	bool whole;			/* a terminal shows all of it */
	size_t name;			/* where a name begins in @b, of row_name() */
	size_t name_len;		/* its length, or 0 */
};

static inline enum row_mode row_mode(bool json)
{
	return json ? ROW_JSON : ROW_TEXT;
}

/* Members that JSON alone has go to the buffer, with json_u64() and the like. */
static inline bool row_is_json(const struct row *r)
{
	return r->mode == ROW_JSON;
}

/*
 * Widen a column for a cell with the @n bytes at @text that a later row has, unless lines are cut
 * to a terminal; up to a limit, so that one long cell does not move all others away.
 */
void row_widen(struct column *c, const char *text, size_t n);
void row_begin(struct row *r, const char *kind);
void row_end(struct row *r);
/*
 * Begin a cell: true if the caller is to append its text, or its JSON value; false if this mode
 * does not show it. Text cells come in the order of these calls.
 */
bool row_cell(struct row *r, const struct column *c);
void row_u64(struct row *r, const struct column *c, uint64_t v);
/* "3 calls" in text. */
void row_u64_of(struct row *r, const struct column *c, uint64_t v, const char *noun);
/* Words that text alone has; the cell before is complete. */
void row_text(struct row *r, const char *words);
/* A duration, if it is @known. */
void row_ns(struct row *r, const struct column *c, bool known, uint64_t ns);
/* A text, without what controls a terminal. */
void row_str(struct row *r, const struct column *c, const char *s);
/* The same; without a text it is null in JSON, and absent in text. */
void row_str_or_null(struct row *r, const struct column *c, const char *s);
/* One value in other words: @text, @json. */
void row_words(struct row *r, const struct column *c, const char *text, const char *json);
/* True or false in JSON; @yes or @no in text. */
void row_flag(struct row *r, const struct column *c, bool set, const char *yes, const char *no);
/*
 * Append a name to a text cell. Where the line is too wide for a terminal, it is shortened in its
 * middle, after what follows it in the cell.
 */
void row_name(struct row *r, const char *name);
/* A function: the whole name in JSON, in text as row_name() has it. */
void row_func(struct row *r, const struct column *c, const char *name);
/* A number that is not known: "-" in text, absent in JSON. */
void row_none(struct row *r, const struct column *c);

/* --- lists, members and lines of a row --- */

/* A list; its elements follow, in text each behind a blank. */
void row_list(struct row *r, const char *key);
void row_element_i64(struct row *r, int64_t v);
void row_element_str(struct row *r, const char *s);
void row_list_end(struct row *r);
/* An object of numbers; they follow, in text each in a line with its name, @width wide. */
void row_members(struct row *r, const char *key);
void row_member_u64(struct row *r, const char *name, int width, uint64_t v);
void row_members_end(struct row *r);
/* Lines below the row: a list of objects. Cells follow each row_line(). */
void row_lines(struct row *r, const char *key);
void row_line(struct row *r);
void row_line_end(struct row *r);
void row_lines_end(struct row *r);

enum {
	FACT_ALWAYS = 1 << 0,	/* JSON has it even if it is 0 */
	FACT_SAID = 1 << 1,	/* text has it even if it is 0 */
	/* The sum over the fact before, in ns: ", 0.3s in all" there, seconds in JSON. */
	FACT_NS = 1 << 2,
};

/* A counter of a summary. Text leaves out facts without @noun, and JSON those without a key. */
struct fact {
	const char *key;	/* in JSON */
	uint64_t n;		/* it */
	const char *noun;	/* what is counted, "call"; text adds an "s" if it is not 1 */
	const char *text;	/* the rest of its line */
	unsigned int flags;	/* FACT_*; without, it is shown if it is not 0 */
};

void row_facts_json(struct buf *b, const struct fact *f, size_t n);
/* A line for each. */
void row_facts_text(struct buf *b, const struct fact *f, size_t n);
/* "3.1s" */
void row_tenths(struct buf *b, uint64_t ns);
/* "1 call", "2 calls" */
void row_count(struct buf *b, uint64_t n, const char *noun);
/* "80.1 %" of @all, rounded down: 100.0 is all of it. */
void row_share(struct buf *b, uint64_t part, uint64_t all);

#endif
