// SPDX-License-Identifier: GPL-2.0
/* Lines of "goprobectl list" without a target: the functions of each session. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/safe_open.h"
#include "gobin/gobin.h"
#include "output/row.h"
#include "trace/session_list.h"

/* Names longer than this push the other columns to the right. */
#define NAME_WIDTH 60

static struct list_session *session_of(struct session_list_print *l, const struct attrs *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].session == s->session && l->v[i].file == s->file)
			return &l->v[i];

	struct list_session *v = realloc(l->v, (l->n + 1) * sizeof(*v));

	if (!v)
		return NULL;
	l->v = v;
	v += l->n;
	*v = (struct list_session){
		.session = s->session,
		.owner = s->owner,
		.file = s->file,
		.path = strndup(s->path ? s->path : "", s->npath),
		.pids = calloc(s->npids + 1, sizeof(*v->pids)),
		.npids = s->npids,
		.group = s->flags & GOPROBE_SESSION_F_CGROUP,
	};
	l->n++;
	if (!v->path || !v->pids)
		return NULL;
	for (size_t i = 0; i < s->npids; i++)
		v->pids[i] = s->pids[i];
	return v;
}

int session_list_add(void *ctx, const struct attrs *s, struct diag *d)
{
	struct list_session *l = session_of(ctx, s);

	struct list_point *points = l ? realloc(l->points, (l->npoints + s->npoints + 1) *
							   sizeof(*points)) : NULL;

	if (!points)
		return diag_set(d, "out of memory");
	l->points = points;
	for (size_t i = 0; i < s->npoints; i++)
		points[l->npoints++] = (struct list_point){ s->points[i].offset,
							    s->points[i].trap };
	return 0;
}

void session_list_fini(struct session_list_print *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].path);
		free(l->v[i].pids);
		free(l->v[i].points);
	}
	free(l->v);
	memset(l, 0, sizeof(*l));
}

/* Where the link /proc/PID/@what leads, as text; of ourselves for a @pid of 0. False if unknown. */
static bool leads_to(int32_t pid, const char *what, char to[PATH_MAX])
{
	char link[64];
	ssize_t n;

	if (pid)
		snprintf(link, sizeof(link), "/proc/%d/%s", pid, what);
	else
		snprintf(link, sizeof(link), "/proc/self/%s", what);
	n = readlink(link, to, PATH_MAX - 1);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Has the process other mounts than we? Then what is at a path is another matter there. */
static bool has_other_mounts(int32_t pid)
{
	char its[PATH_MAX], ours[PATH_MAX];

	return leads_to(pid, "ns/mnt", its) && leads_to(0, "ns/mnt", ours) && strcmp(its, ours);
}

/*
 * The module reports the path of the session's file, not its inode. The executable of
 * a traced process is the file if the kernel calls it the same: for links of /proc it makes
 * paths as the module does. So its own link is good when it was replaced, or lies in a
 * container. Else the path counts, among the mounts of the processes: by now anything may be
 * there.
 */
static int open_file(const struct list_session *s)
{
	char path[PATH_MAX + 64], exe[PATH_MAX];
	int fd;

	for (size_t i = 0; i < s->npids; i++) {
		if (!leads_to(s->pids[i], "exe", exe) || strcmp(exe, s->path))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/exe", s->pids[i]);
		return safe_open(path);
	}
	for (size_t i = 0; i < s->npids; i++) {
		if (!has_other_mounts(s->pids[i]))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/root%s", s->pids[i], s->path);
		fd = safe_open(path);
		/* Not there: the client may have opened it among ours. */
		if (fd >= 0)
			return fd;
	}
	return safe_open(s->path);
}

/* The session's binary, if it is still there and we can read it. */
static struct gobin *open_binary(const struct list_session *s)
{
	int fd = open_file(s);
	struct diag ignored = { 0 };
	struct gobin *bin;
	int err;

	if (fd < 0)
		return NULL;
	err = gobin_open(fd, s->path, &bin, &ignored);
	close(fd);
	diag_fini(&ignored);
	return err ? NULL : bin;
}

/* Name of the process, for people; the process may have exited. */
static void command_name(uint32_t pid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);

	FILE *f = fopen(path, "re");

	if (!f || !fgets(name, size, f))
		snprintf(name, size, "?");
	if (f)
		fclose(f);
	name[strcspn(name, "\n")] = 0;
}

/* A function of a session. */
struct probed {
	const struct gofunc *fn;	/* the function, or NULL if it is unknown */
	uint64_t offset;	/* file offset of its first point */
	size_t n;	/* points in it */
	/* enum goprobe_trap of those that may become jumps, the highest; 0: none may */
	uint8_t trap;
};

/* Why hits of a point take a trap. */
struct trap_words {
	const char *text;	/* for people */
	const char *json;	/* in JSON */
};

static const struct trap_words traps[] = {
	[GOPROBE_TRAP_NONE] = { "a jump", "none" },
	[GOPROBE_TRAP_RARE] = { "a trap: it has had few hits", "rare" },
	[GOPROBE_TRAP_FILTER] = {
		"a trap: no jump can evaluate its condition, key or value", "condition",
	},
	[GOPROBE_TRAP_SHARED] = { "a trap: there are other breakpoints", "shared" },
	[GOPROBE_TRAP_CHANGED] = { "a trap: the program's code has changed", "changed" },
	[GOPROBE_TRAP_MEMORY] = {
		"a trap: the process has no memory to spare for a jump, or none nearby", "memory",
	},
	[GOPROBE_TRAP_DEBUGGED] = { "a trap: a debugger holds the process", "debugged" },
	[GOPROBE_TRAP_CLOCK] = {
		"a trap: this processor or its clock can't time calls in the process", "clock",
	},
	[GOPROBE_TRAP_RECORD] = {
		"a trap: its record has more than integers in registers", "record",
	},
	[GOPROBE_TRAP_SHADOW_STACK] = { "a trap: the process has shadow stacks", "shadow-stack" },
};

static const struct trap_words *trap_words(const struct probed *p)
{
	return p->trap && p->trap < sizeof(traps) / sizeof(*traps) ? &traps[p->trap] : NULL;
}

static int by_offset(const void *a, const void *b)
{
	const struct list_point *pa = a, *pb = b;

	return pa->offset < pb->offset ? -1 : pa->offset > pb->offset;
}

static size_t probed_functions(const struct list_session *s, const struct gobin *bin,
			       struct probed *v)
{
	size_t n = 0;

	qsort(s->points, s->npoints, sizeof(*s->points), by_offset);
	for (size_t i = 0; i < s->npoints; i++) {
		const struct list_point *p = &s->points[i];
		uint64_t vaddr = bin ? gobin_code_vaddr(bin, p->offset) : 0;
		const struct gofunc *fn = vaddr ? gobin_func_at(bin, vaddr) : NULL;

		if (!fn || !n || v[n - 1].fn != fn)
			v[n++] = (struct probed){ .fn = fn, .offset = p->offset };
		v[n - 1].n++;
		/* A reason, rather than that others take none. */
		if (p->trap > v[n - 1].trap)
			v[n - 1].trap = p->trap;
	}
	return n;
}

static const struct column columns[] = {
	{ "session", NULL, 0 }, { "owner_name", NULL, 0 }, { "owner", NULL, 0 },
	{ "path", NULL, 0 },
};

static const struct column function_columns[] = {
	{ "func", NULL, NAME_WIDTH }, { "points", NULL, 0 }, { "trap", NULL, 0 },
};

static void put_pids(const struct list_session *s, struct row *r)
{
	if (row_is_json(r))
		json_flag(r->b, "cgroup", s->group);
	else if (s->group)
		row_text(r, ", processes of a control group");
	if (!s->npids) {
		row_text(r, s->group ? "" : ", all processes");
		if (row_is_json(r))
			json_raw(r->b, "pids", "null");
		return;
	}
	row_text(r, s->npids == 1 ? ", process" : ", processes");
	row_list(r, "pids");
	for (size_t i = 0; i < s->npids; i++)
		row_element_i64(r, s->pids[i]);
	row_list_end(r);
}

static void put_function(const struct probed *p, struct row *r)
{
	row_line(r);
	if (p->fn) {
		row_str(r, &function_columns[0], p->fn->name);
	} else if (row_cell(r, &function_columns[0])) {
		buf_str(r->b, row_is_json(r) ? "null" : "at file offset ");
		if (!row_is_json(r))
			buf_hex(r->b, p->offset);
	}
	if (row_is_json(r))
		json_u64(r->b, "offset", p->offset);
	row_u64_of(r, &function_columns[1], p->n, "breakpoint");
	if (trap_words(p)) {
		row_text(r, ", ");
		row_words(r, &function_columns[2], trap_words(p)->text, trap_words(p)->json);
	}
	row_line_end(r);
}

static void put_session(const struct list_session *s, const char *comm, const struct probed *v,
			size_t n, struct row *r)
{
	row_begin(r, "session");
	row_text(r, "session ");
	row_u64(r, &columns[0], s->session);
	row_text(r, " of ");
	row_str(r, &columns[1], comm);
	row_text(r, " (pid ");
	row_u64(r, &columns[2], s->owner);
	row_text(r, "): ");
	row_str(r, &columns[3], s->path);
	put_pids(s, r);
	row_lines(r, "functions");
	for (size_t i = 0; i < n; i++)
		put_function(&v[i], r);
	row_lines_end(r);
	row_end(r);
}

void session_list_print(struct buf *b, const struct session_list_print *l, bool as_json)
{
	struct row r = { .b = b, .mode = row_mode(as_json), .whole = true };
	char comm[64];

	if (!l->n && !as_json)
		buf_str(b, "nothing is probed\n");
	for (size_t i = 0; i < l->n; i++) {
		const struct list_session *s = &l->v[i];
		struct probed *v = calloc(s->npoints + 1, sizeof(*v));
		struct gobin *bin = open_binary(s);

		if (!v)
			b->failed = true;

		size_t n = v ? probed_functions(s, bin, v) : 0;

		command_name(s->owner, comm, sizeof(comm));
		put_session(s, comm, v, n, &r);
		free(v);
		gobin_free(bin);
	}
}
