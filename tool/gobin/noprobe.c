// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that must not be probed: code of the Go runtime that runs while the
 * stack, g or the registers are not what a handler may rely on, and code that the
 * program itself compares with a checksum.
 */
#include <stdbool.h>
#include <string.h>

#include "gobin/noprobe.h"

static const char why_stack[] = "runtime code that switches or copies stacks";
static const char why_signal[] = "runtime code that handles signals";
static const char why_asm[] = "the runtime's own assembly";
static const char why_start[] = "runtime code that starts the program or a thread";
static const char why_barrier[] = "the garbage collector's write barrier";
static const char why_foreign[] = "not Go code";
static const char why_checked[] = "code that the program checks at its start, for FIPS 140";
static const char why_inlined[] = "inlined wherever it is called";

struct rule {
	const char *prefix;
	bool whole;		/* the name, not only its beginning */
	const char *why;
};

static const struct rule rules[] = {
	{ "runtime.morestack", false, why_stack },
	{ "runtime.newstack", true, why_stack },
	{ "runtime.copystack", true, why_stack },
	{ "runtime.mcall", true, why_stack },
	{ "runtime.gogo", true, why_stack },
	{ "runtime.systemstack", false, why_stack },
	{ "runtime.asyncPreempt", false, why_stack },
	{ "runtime.goexit", true, why_stack },
	{ "runtime.debugCall", false, why_stack },
	{ "runtime.sig", false, why_signal },
	{ "runtime.gcWriteBarrier", false, why_barrier },
	{ "runtime.wbBuf", false, why_barrier },
	{ "runtime.wbMove", false, why_barrier },
	{ "runtime.wbZero", false, why_barrier },
	{ "runtime.rt0", false, why_start },
	{ "_rt0_", false, why_start },
	{ "runtime.mstart", true, why_start },
};

static bool in_runtime(const char *name)
{
	static const char *const packages[] = {
		"runtime.", "runtime/internal/", "internal/runtime/",
	};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++) {
		if (!strncmp(name, packages[i], strlen(packages[i])))
			return true;
	}
	return false;
}

/* Functions of one assembly file have names without a package: gogo, gcWriteBarrier. */
static bool local_to_runtime(const struct gofunc *fn)
{
	static const char *const directories[] = { "runtime/", "internal/runtime/" };
	const char *path = fn->file, *src;

	while ((src = strstr(path, "/src/")))
		path = src + strlen("/src/");
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++) {
		if (!strncmp(path, directories[i], strlen(directories[i])))
			return !strchr(fn->name, '.');
	}
	return false;
}

const char *noprobe_reason(const struct gofunc *fn)
{
	if (fn->flags & GOFUNC_INLINED)
		return why_inlined;
	/* A process may execute its file again, and would check it with the breakpoints in it. */
	if (fn->flags & GOFUNC_CHECKED)
		return why_checked;
	/* C that the Go linker linked in (cgo) has no file in the line table. */
	if (!fn->file)
		return why_foreign;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const struct rule *r = &rules[i];

		if (r->whole ? !strcmp(fn->name, r->prefix) :
		    !strncmp(fn->name, r->prefix, strlen(r->prefix)))
			return r->why;
	}
	if ((fn->flags & GOFUNC_ASM) && (in_runtime(fn->name) || local_to_runtime(fn)))
		return why_asm;
	return NULL;
}

const char *noprobe_hint(const char *reason)
{
	return reason != why_checked ? NULL :
	       "with a breakpoint there it ends with 'fips140: verification mismatch'; "
	       "trace what calls that code, such as 'crypto/sha256.*' or 'crypto/*'";
}
