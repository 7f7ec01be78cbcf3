// SPDX-License-Identifier: GPL-2.0
/* Layout of goroutine labels: src/runtime/pprof/label.go, src/internal/runtime/pprof/label. */
#include <stddef.h>

#include "gobin/gobin.h"
#include "gobin/pprof_labels.h"
#include "gotype/type.h"

#define STRING_SIZE 16U

static const struct gotype *only_field(const struct gotype *t)
{
	return t && t->kind == GOTYPE_STRUCT && t->nfields == 1 ? t->fields[0].type : NULL;
}

static bool is_string(const struct gotype *t)
{
	return t && t->kind == GOTYPE_STRING;
}

static bool is_pair(const struct gotype *t)
{
	return t && t->kind == GOTYPE_STRUCT && t->nfields == 2 && t->size == 2 * STRING_SIZE &&
	       is_string(t->fields[0].type) && is_string(t->fields[1].type) &&
	       !t->fields[0].offset && t->fields[1].offset == STRING_SIZE;
}

enum pprof_labels pprof_labels_of(struct gobin *bin)
{
	const struct gotype *t = gobin_find_type(bin, "runtime/pprof.labelMap"), *inner;

	if (!t)
		return gobin_go_minor(bin) < 24 ? PPROF_LABELS_MAP : PPROF_LABELS_SLICE;
	if (t->kind == GOTYPE_MAP)
		return is_string(t->key) && is_string(t->elem) && !(t->map && t->map->swiss) ?
		       PPROF_LABELS_MAP : PPROF_LABELS_UNKNOWN;
	/* A slice in a struct, or in two. */
	while ((inner = only_field(t)))
		t = inner;
	return t->kind == GOTYPE_SLICE && is_pair(t->elem) ? PPROF_LABELS_SLICE
							   : PPROF_LABELS_UNKNOWN;
}
