// SPDX-License-Identifier: GPL-2.0
/*
 * The Go version that debug information names: a unit's producer is
 * "Go cmd/compile go1.24.4; regabi".
 */
#include <string.h>

#include "dwarf/constants.h"
#include "dwarf/die.h"
#include "gobin/producer.h"
#include "gobin/release.h"

#define DWVERSION_MAX 128U

static char *from_producer(const char *text)
{
	const char *at = strstr(text, " go1.");
	size_t n;

	if (!at || strncmp(text, "Go cmd/compile ", 15))
		return NULL;
	n = strcspn(++at, "; ");
	return n <= DWVERSION_MAX && goversion_parse(at) >= 0 ? strndup(at, n) : NULL;
}

char *dwversion_get(const struct elffile *ef)
{
	struct dwread r;
	char *ret = NULL;

	if (dwread_open(&r, ef))
		return NULL;
	for (size_t i = 0; i < r.nunits && !ret; i++) {
		struct dwdie root;
		struct dwval v;

		if (r.units[i].is_go && dwread_root(&r, &r.units[i], &root) &&
		    dwread_attr(&r, &root, DW_AT_producer, &v) &&
		    v.class == DWVAL_STRING)
			ret = from_producer((const char *)v.p);
	}
	dwread_close(&r);
	return ret;
}
