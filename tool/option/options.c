// SPDX-License-Identifier: GPL-2.0
/*
 * Values of options: from the command line, from programs and from recordings. A pair with table.c:
 * values go where its rows say, and its help has the defaults.
 */
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/array.h"
#include "option/option.h"
#include "export/template.h"

static void *field_of(const struct options *o, const struct option_row *row)
{
	return (char *)(uintptr_t)o + row->field.offset;
}

uint64_t option_value(const struct options *o, const struct option_row *row)
{
	uint64_t n = 0;

	memcpy(&n, field_of(o, row), row->field.size);
	return n;
}

/* The machine is little-endian. */
static void store(struct options *o, const struct option_row *row, uint64_t value)
{
	memcpy(field_of(o, row), &value, row->field.size);
}

static bool is_number(const struct option_row *row)
{
	return row->kind <= OPTION_CHOICE;
}

void options_init(struct options *o, enum command command)
{
	memset(o, 0, sizeof(*o));
	o->command = command;
	o->plan = plan_defaults;
	for (size_t i = 0; i < option_number; i++)
		if (option_is_of(&option_rows[i], command) && option_rows[i].initial)
			store(o, &option_rows[i], option_rows[i].initial);
}

void options_fini(struct options *o)
{
	for (size_t i = 0; i < o->nspecs; i++)
		spec_fini(&o->specs[i]);
	free(o->specs);
	free(o->pids.v);
	containers_choice_fini(&o->choice);
	free(o->files.v);
	group_by_fini(&o->by);
	secret_list_fini(&o->plan.secrets);
}

void options_move(struct options *to, struct options *from)
{
	*to = *from;
	from->specs = NULL;
	from->nspecs = 0;
	from->pids = (struct target_pids){ 0 };
	from->choice = (struct containers_choice){ 0 };
	from->files = (struct option_texts){ 0 };
	from->by = (struct group_by_exprs){ 0 };
	from->plan.secrets = (struct secret_list){ 0 };
}

/* --- ranges ---------------------------------------------------------- */

static uint64_t most_of(const struct option_row *row)
{
	uint64_t n = row->least;

	if (row->choices) {
		for (size_t i = 1; row->choices[i]; i++)
			n++;
		return n;
	}
	return row->most ? row->most : UINT64_MAX;
}

static bool is_within(const struct option_row *row, uint64_t value)
{
	return value >= row->least && value <= most_of(row);
}

static void put_choices(const struct option_row *row, struct buf *b)
{
	for (size_t i = 0; row->choices[i]; i++) {
		if (!*row->choices[i])
			continue;
		buf_str(b, !i ? "" : row->choices[i + 1] ? ", " : " or ");
		buf_str(b, row->choices[i]);
	}
}

static void put_range(const struct option_row *row, const char *unit, struct buf *b)
{
	buf_u64(b, row->least);
	if (!row->most) {
		buf_str(b, " on");
		return;
	}
	buf_str(b, " to ");
	buf_u64(b, row->most);
	buf_str(b, unit);
}

/* What the argument can be, for a message. */
static void put_wanted(const struct option_row *row, struct buf *b)
{
	switch (row->kind) {
	case OPTION_TIME:
		buf_str(b, row->least > 1 ? "a time from 1ms on: 5s, 200ms" :
			   "a time: 5s, 200ms, 1m");
		break;
	case OPTION_SIZE:
		buf_str(b, "a size: ");
		buf_u64(b, row->least >> 10);
		buf_str(b, "k to ");
		buf_u64(b, row->most >> 20);
		buf_char(b, 'm');
		break;
	case OPTION_SHARE:
		buf_str(b, "1/N, N from ");
		put_range(row, ": 1/100 is every hundredth", b);
		break;
	case OPTION_LOAD:
		buf_str(b, "off, or percent of one processor's time, ");
		put_range(row, "", b);
		break;
	case OPTION_CHOICE:
		put_choices(row, b);
		break;
	case OPTION_FORMAT:
		put_choices(row, b);
		buf_str(b, ", or a text with fields: '{time} {func}'");
		break;
	default:
		if (row->unit) {
			put_range(row, " ", b);
			buf_str(b, row->unit);
		} else {
			buf_str(b, "a number from ");
			put_range(row, "", b);
		}
	}
}

static int wrong_value(const struct option_row *row, const char *arg, struct diag *d)
{
	struct buf b = { 0 };

	put_wanted(row, &b);
	diag_set(d, "'%s' is no value for --%s", arg, row->name);
	diag_hint(d, "it takes %.*s", (int)b.len, b.p);
	buf_fini(&b);
	return CMD_USAGE;
}

/* --- the command line ------------------------------------------------ */

static bool read_number(const struct option_row *row, const char *arg, uint64_t *ret)
{
	size_t i = 0;

	switch (row->kind) {
	case OPTION_FLAG:
		*ret = 1;
		return true;
	case OPTION_SIZE:
		return argument_size(arg, ret);
	case OPTION_TIME:
		return argument_duration(arg, ret);
	case OPTION_SHARE:
		return !strncmp(arg, "1/", 2) &&
		       argument_number(arg + 2, row->least, row->most, ret);
	case OPTION_FORMAT:
	case OPTION_WEIGHT:
	case OPTION_CHOICE:
		while (row->choices[i] && strcmp(row->choices[i], arg) != 0)
			i++;
		*ret = row->least + i;
		return row->choices[i] && *arg;
	default:
		return argument_number(arg, row->least, most_of(row), ret);
	}
}

static int parse_number(struct options *o, const struct option_row *row, const char *arg,
			struct diag *d)
{
	uint64_t n;

	if (row->kind == OPTION_LOAD && strcmp(arg, "off") == 0)
		n = GOPROBE_LOAD_ANY;
	else if (!read_number(row, arg, &n) || !is_within(row, n))
		return wrong_value(row, arg, d);
	store(o, row, n);
	return CMD_DONE;
}

static int out_of_memory(struct diag *d)
{
	diag_set(d, "out of memory");
	return CMD_FAILED;
}

static int parse_pids(struct options *o, const struct option_row *row, const char *arg,
		      struct diag *d)
{
	size_t most = row->kind == OPTION_PID ? 1 : SIZE_MAX;

	if (target_parse_pids(&o->pids, arg, d))
		return CMD_USAGE;
	if (o->pids.n <= most)
		return CMD_DONE;
	diag_set(d, "--%s takes one process here", row->name);
	return CMD_USAGE;
}

static int parse_string(struct options *o, const struct option_row *row, const char *arg,
			struct diag *d)
{
	if (option_given(o, row)) {
		diag_set(d, "--%s can be given only once", row->name);
		return CMD_USAGE;
	}
	memcpy(field_of(o, row), &arg, sizeof(arg));
	return CMD_DONE;
}

/* A word; or a template, which has a brace. */
static int parse_format(struct options *o, const struct option_row *row, const char *arg,
			struct diag *d)
{
	struct template t = { 0 };
	int err;

	if (!strchr(arg, '{'))
		return parse_number(o, row, arg, d);
	err = template_parse(&t, arg, d);
	template_fini(&t);
	o->template = arg;
	store(o, row, OPTION_TEMPLATE);
	return err ? CMD_USAGE : CMD_DONE;
}

/* A word; or an expression, whose sum is the weight. */
static int parse_weight(struct options *o, const struct option_row *row, const char *arg,
			struct diag *d)
{
	uint64_t n;

	o->by.value = NULL;
	if (read_number(row, arg, &n))
		return parse_number(o, row, arg, d);
	store(o, row, OPTION_VALUES);
	return group_by_parse_value(&o->by, arg, d) ? CMD_USAGE : CMD_DONE;
}

static int parse(struct options *o, const struct option_row *row, const char *arg, struct diag *d)
{
	struct option_texts *texts;

	switch (row->kind) {
	case OPTION_FORMAT:
		return parse_format(o, row, arg, d);
	case OPTION_WEIGHT:
		return parse_weight(o, row, arg, d);
	case OPTION_STRING:
		return parse_string(o, row, arg, d);
	case OPTION_STRINGS:
		texts = field_of(o, row);
		if (grow(&texts->v, texts->n + 1, &texts->cap, sizeof(*texts->v)))
			return out_of_memory(d);
		texts->v[texts->n++] = arg;
		return CMD_DONE;
	case OPTION_NAMES:
		return secret_list_add(field_of(o, row), arg, d) ? CMD_USAGE : CMD_DONE;
	case OPTION_PIDS:
	case OPTION_PID:
		return parse_pids(o, row, arg, d);
	case OPTION_BY:
		return group_by_parse(&o->by, arg, d) ? CMD_USAGE : CMD_DONE;
	case OPTION_HIST:
		o->histogram = true;
		__attribute__((fallthrough));
	case OPTION_SUM:
		return group_by_parse_value(&o->by, arg, d) ? CMD_USAGE : CMD_DONE;
	case OPTION_RANGE:
		return group_by_parse_range(&o->by, arg, d) ? CMD_USAGE : CMD_DONE;
	default:
		return parse_number(o, row, arg, d);
	}
}

int option_parse(struct options *o, const struct option_row *row, const char *arg, struct diag *d)
{
	int code = parse(o, row, arg, d);

	if (!code)
		o->given[row - option_rows] = true;
	return code;
}

/* --- programs and recordings ----------------------------------------- */

/* For most options 0 means "not set", even if it is below the least value. */
static bool is_allowed(const struct option_row *row, uint64_t value)
{
	return is_within(row, value) || (!value && row->kind != OPTION_SIZE) ||
	       (row->kind == OPTION_LOAD && value == GOPROBE_LOAD_ANY);
}

int option_set(struct options *o, unsigned int key, uint64_t value, struct diag *d)
{
	const struct option_row *row = option_of_key(key);

	if (!row || !is_number(row))
		return diag_set(d, "there is no option %u", key);
	if (!is_allowed(row, value))
		return diag_set(d, "the value of '%s' is from %llu to %llu, not %llu", row->name,
				(unsigned long long)(row->kind == OPTION_SIZE ? row->least : 0),
				(unsigned long long)most_of(row), (unsigned long long)value);
	store(o, row, value);
	/* The first word of a choice is the default. */
	o->given[row - option_rows] = value || row->kind != OPTION_CHOICE;
	return 0;
}

void options_settle(struct options *o)
{
	bool bytes = option_given(o, option_of_key(GOPROBE_OPTION_BYTES));
	bool objects = option_given(o, option_of_key(GOPROBE_OPTION_OBJECTS));
	struct plan_options *p = &o->plan;
	bool many = p->elements > plan_defaults.elements;

	/* Strings and elements within their limits should not fail because of the bytes. */
	if (!bytes && many)
		p->bytes = PLAN_BYTES_MAX;
	else if (!bytes && p->bytes < p->string_limit * 2)
		p->bytes = p->string_limit * 2 < PLAN_BYTES_MAX ? p->string_limit * 2 :
								  PLAN_BYTES_MAX;
	if (!objects && many)
		p->objects = p->elements < PLAN_OBJECTS_MAX / 4 ? p->elements * 4 :
								  PLAN_OBJECTS_MAX;
	if (bytes)
		p->held_bytes = p->bytes;
}
