// SPDX-License-Identifier: GPL-2.0
/*
 * Places to calls, by the rules that the runtime's own tracebacks follow
 * (src/runtime/traceback.go: tracebackPCs, symPC, elideWrapperCalling).
 */
#include <string.h>

#include "gobin/symbols.h"

/* Keys are addresses with SYMBOL_* below; none as high is in a file. */
#define PC_MAX (UINT64_MAX >> 2)

void symbols_init(struct symbols *s, struct gobin *bin, const char *name)
{
	memset(s, 0, sizeof(*s));
	s->bin = bin;
	s->name = name;
}

void symbols_fini(struct symbols *s)
{
	hmap_fini(&s->by_pc);
	arena_fini(&s->mem);
	memset(s, 0, sizeof(*s));
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(name, list[i]))
			return true;
	}
	return false;
}

/*
 * A wrapper that calls one of these has failed, so stacks show it. These functions are never
 * inlined.
 */
static bool is_panic(const char *func)
{
	static const char *const names[] = {
		"runtime.gopanic", "runtime.sigpanic", "runtime.panicwrap",
	};

	return is_one_of(func, names, sizeof(names) / sizeof(*names));
}

/*
 * Nobody called these: a signal handler made it look so. They return to an instruction
 * that has yet to be executed, not behind a call.
 */
static bool is_injected(const char *func)
{
	static const char *const names[] = {
		"runtime.sigpanic", "runtime.asyncPreempt", "runtime.debugCallV1",
		"runtime.debugCallV2",
	};

	return is_one_of(func, names, sizeof(names) / sizeof(*names));
}

/* The runtime does not step out of a function at whose first byte it is asked. */
static uint64_t call_of(const struct symbols *s, uint64_t pc, unsigned int how)
{
	const struct gofunc *fn;

	if (!(how & SYMBOL_RETURN) || !pc)
		return pc;
	fn = s->bin ? gobin_func_at(s->bin, pc) : NULL;
	return fn && fn->entry == pc ? pc : pc - 1;
}

/* Leave wrappers out of the @n frames at @v; how many are left. */
static size_t without_wrappers(struct gobin_frame *v, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].wrapper)
			v[left++] = v[i];
	}
	return left;
}

/* With the NUL: what follows must not look like a part of the text. */
static uint64_t hash_text(uint64_t h, const char *text)
{
	return text ? hmap_hash(h, text, strlen(text) + 1) : hmap_hash(h, "", 0);
}

static uint64_t hash_frames(const struct symbols *of, const struct gobin_frame *v, size_t n)
{
	uint64_t h = hmap_hash(n, &of, sizeof(of));

	for (size_t i = 0; i < n; i++) {
		uint64_t more[2] = { (uint64_t)v[i].line, v[i].inlined };

		h = hash_text(hash_text(h, v[i].func), v[i].file);
		h = hmap_hash(h, more, sizeof(more));
	}
	return h;
}

static int fill(struct symbol *sym, struct gobin *bin, struct arena *mem, unsigned int how)
{
	static const struct gobin_frame unknown = { .func = NULL };
	struct gobin_frame v[GOBIN_FRAMES_MAX], *copy;
	const struct gofunc *fn = bin ? gobin_func_at(bin, sym->pc) : NULL;
	size_t n = fn ? gobin_frames(bin, sym->pc, v, GOBIN_FRAMES_MAX) : 0;

	sym->caller = SYMBOL_RETURN;
	if (!n) {
		sym->frames = &unknown;
		sym->n = 1;
		sym->looks = hmap_hash(sym->pc, &sym->of, sizeof(sym->of));
		return 0;
	}
	sym->entry = fn->entry;
	if (is_injected(v[n - 1].func))
		sym->caller &= ~SYMBOL_RETURN;
	if (is_panic(v[n - 1].func))
		sym->caller |= SYMBOL_WRAPPERS;
	if (!(how & SYMBOL_WRAPPERS))
		n = without_wrappers(v, n);
	copy = arena_array(mem, n ? n : 1, sizeof(*copy));
	if (!copy)
		return -1;
	memcpy(copy, v, n * sizeof(*copy));
	sym->frames = copy;
	sym->n = n;
	sym->looks = hash_frames(sym->of, copy, n);
	return 0;
}

const struct symbol *symbols_at(struct symbols *s, uint64_t pc, unsigned int how)
{
	uint64_t key = pc << 2 | how;
	struct symbol *sym = pc <= PC_MAX ? hmap_get(&s->by_pc, key) : NULL;

	if (sym)
		return sym;
	/* Addresses outside all files need no distinction. */
	if (pc > PC_MAX)
		return symbols_at(s, 0, how & ~SYMBOL_RETURN);
	sym = arena_alloc(&s->mem, sizeof(*sym));
	if (!sym)
		return NULL;
	sym->of = s;
	sym->pc = call_of(s, pc, how);
	if (fill(sym, s->bin, &s->mem, how) || hmap_put(&s->by_pc, key, sym))
		return NULL;
	return sym;
}
