// SPDX-License-Identifier: GPL-2.0
/* Lines of "goprobectl list" with a target: a function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/printable.h"
#include "gobin/closure.h"
#include "gotype/funcname.h"
#include "output/function_list.h"
#include "plan/plan.h"

/* Names and signatures longer than this push the other columns to the right. */
#define NAME_WIDTH 60

static const char *const entries[] = {
	[PLAN_ENTRY_NONE] = "-",
	[PLAN_ENTRY_CHECK] = "check",
	[PLAN_ENTRY_PUSH] = "push",
	[PLAN_ENTRY_NOP] = "nop",
	[PLAN_ENTRY_JUMP] = "jump",
	[PLAN_ENTRY_FIRST] = "first",
};

void list_header(struct buf *b)
{
	size_t start = b->len;

	buf_str(b, "FUNCTION");
	buf_pad(b, start, NAME_WIDTH);
	buf_str(b, "ENTRY  RETS  WHERE\n");
}

/* The type of the variable that is field @i of a closure: by reference it is behind a pointer. */
static const char *type_of(const struct gotype *closure, size_t i)
{
	const struct gofield *f = &closure->fields[i];
	const struct gotype *t = f->name[0] == '&' && f->type->kind == GOTYPE_POINTER ?
				 f->type->elem : f->type;

	return !t || t->kind == GOTYPE_UNKNOWN ? "?" : t->name;
}

/* " captures n int, s string, ..." */
static void captured_text(struct buf *b, const struct gotype *closure)
{
	const char *mark = " captures ", *name;

	for (size_t i = 0; closure && i < closure->nfields; i++) {
		name = gobin_closure_variable(closure, i);
		if (!name)
			continue;
		buf_str(b, mark);
		buf_str(b, name);
		buf_char(b, ' ');
		buf_str(b, type_of(closure, i));
		mark = ", ";
	}
	if (closure && closure->more) {
		buf_str(b, mark);
		buf_str(b, "...");
	}
}

static void captured_json(struct buf *b, const struct gotype *closure)
{
	const char *mark = "", *name;

	buf_json_key(b, "captured");
	buf_char(b, '[');
	for (size_t i = 0; i < closure->nfields; i++) {
		name = gobin_closure_variable(closure, i);
		if (!name)
			continue;
		buf_str(b, mark);
		buf_str(b, "{\"name\":");
		buf_json_str(b, name);
		buf_json_key(b, "type");
		buf_json_str(b, type_of(closure, i));
		buf_char(b, '}');
		mark = ",";
	}
	buf_str(b, closure->more ? "],\"more_captured\":true" : "]");
}

static void text(struct buf *b, const struct gofunc *fn, const char *name, const char *sig,
		 const struct gotype *closure, const struct list_survey *info)
{
	size_t start = b->len;

	buf_str(b, name);
	/* "func(x int) error" */
	if (sig)
		buf_str(b, strncmp(sig, "func", 4) == 0 ? sig + 4 : sig);
	captured_text(b, closure);
	buf_pad(b, start, NAME_WIDTH);
	start = b->len;
	buf_str(b, entries[info->refused ? PLAN_ENTRY_NONE : info->entry]);
	buf_pad(b, start, 5);
	if (info->refused)
		buf_str(b, "     -");
	else
		buf_u64_right(b, info->nrets, 6);
	buf_str(b, "  ");
	buf_str(b, fn->file ? fn->file : "-");
	if (fn->line > 0) {
		buf_char(b, ':');
		buf_u64(b, fn->line);
	}
	if (info->refused) {
		buf_str(b, "  (");
		buf_str(b, info->refused);
		if (fn->flags & GOFUNC_INLINED && fn->ninlined) {
			buf_str(b, ", at ");
			buf_u64(b, fn->ninlined);
			buf_str(b, fn->ninlined == 1 ? " place" : " places");
		}
		buf_char(b, ')');
	}
	buf_char(b, '\n');
}

static void json(struct buf *b, const struct gofunc *fn, const char *sig,
		 const struct gotype *closure, const struct list_survey *info)
{
	buf_str(b, "{\"kind\":\"function\",\"func\":");
	buf_json_str(b, fn->name);
	if (sig) {
		buf_json_key(b, "signature");
		buf_json_str(b, sig);
	}
	if (closure)
		captured_json(b, closure);
	if (fn->file) {
		buf_json_key(b, "file");
		buf_json_str(b, fn->file);
		buf_json_key(b, "line");
		buf_u64(b, fn->line > 0 ? fn->line : 0);
	}
	if (info->refused) {
		buf_json_key(b, "refused");
		buf_json_str(b, info->refused);
		buf_json_key(b, "inlined");
		buf_u64(b, fn->ninlined);
	} else {
		buf_json_key(b, "entry");
		buf_json_str(b, entries[info->entry]);
		buf_json_key(b, "returns");
		buf_u64(b, info->nrets);
		buf_json_key(b, "tails");
		buf_u64(b, info->ntails);
	}
	buf_str(b, "}\n");
}

void list_survey(struct gobin *bin, const struct gofunc *fn, struct list_survey *ret)
{
	struct plan_func info;

	memset(&info, 0, sizeof(info));
	plan_survey(bin, fn, &info);
	ret->refused = info.refused;
	ret->nrets = (uint32_t)info.nrets;
	ret->ntails = (uint32_t)info.ntails;
	ret->entry = info.entry;
}

void list_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
		   const struct list_survey *info, const struct goshape_names *names)
{
	const struct gotype *closure = gofuncname_is_closure(fn->name) && fn->entry ?
				       gobin_closure_type(bin, fn->entry) : NULL;
	char *sig = gobin_sig_text(bin, fn);

	if (names)
		text(b, fn, goshape_names_get(names, fn->name), sig, closure, info);
	else
		json(b, fn, sig, closure, info);
	free(sig);
}
