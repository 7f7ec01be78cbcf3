// SPDX-License-Identifier: GPL-2.0
/*
 * Control groups: their directories, and the memory that their limits leave.
 *
 * Names of files: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst of Linux 6.12.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/control_group.h"

/* How a version of control groups limits memory. */
struct version {
	const char *mount;	/* its type in /proc/self/mountinfo */
	const char *controller;	/* an option of that mount, or NULL */
	const char *limit;	/* file: the most bytes, or "max" */
	const char *used;	/* file: bytes */
	const char *files[2];	/* in memory.stat: bytes of files, of the group and all below it */
};

static const struct version unified = {
	.mount = " - cgroup2 ",
	.limit = "memory.max",
	.used = "memory.current",
	.files = { "inactive_file ", "active_file " },
};

static const struct version legacy = {
	.mount = " - cgroup ",
	.controller = "memory",
	.limit = "memory.limit_in_bytes",
	.used = "memory.usage_in_bytes",
	.files = { "total_inactive_file ", "total_active_file " },
};

/* A group's directory, and how much of that is the mount's. */
struct place {
	char path[PATH_MAX];
	size_t mount;
};

/* "\040" and the like in /proc/self/mountinfo. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		unsigned int c;

		if (*s == '\\' && sscanf(s + 1, "%3o", &c) == 1 && c) {
			*to++ = (char)c;
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
}

/* Is @word one of the words between commas at the end of @line? */
static bool has_option(const char *line, const char *word)
{
	const char *at = strrchr(line, ' ');
	size_t n = strlen(word), len;

	for (at = at ? at + 1 : line; *at; at += len + (at[len] == ',')) {
		len = strcspn(at, ",\n");
		if (len == n && !strncmp(at, word, n))
			return true;
		if (at[len] == '\n')
			break;
	}
	return false;
}

static bool place_below(char *line, const struct version *v, const char *group, struct place *ret)
{
	char root[PATH_MAX], at[PATH_MAX];
	size_t n;

	if (!strstr(line, v->mount) || (v->controller && !has_option(line, v->controller)) ||
	    sscanf(line, "%*u %*u %*s %4095s %4095s", root, at) != 2)
		return false;
	unescape(root);
	unescape(at);
	n = strcmp(root, "/") ? strlen(root) : 0;
	if (strncmp(group, root, n) || (n && group[n] && group[n] != '/'))
		return false;
	ret->mount = strlen(at);
	return snprintf(ret->path, sizeof(ret->path), "%s%s%s", at,
			group[n] && group[n] != '/' ? "/" : "", group + n) < (int)sizeof(ret->path);
}

/* Where group @group is, below one of the mounts of its version. */
static bool find_place(const struct host *h, const struct version *v, const char *group,
		       struct place *ret)
{
	char path[PATH_MAX], *line = NULL;
	bool found = false;
	size_t cap = 0;
	FILE *f;

	host_path(h, path, sizeof(path), "/proc/self/mountinfo");
	f = fopen(path, "re");
	while (f && !found && getline(&line, &cap, f) > 0)
		if (place_below(line, v, group, ret)) {
			host_path(h, path, sizeof(path), "%s", ret->path);
			found = !access(path, F_OK);
		}
	free(line);
	if (f)
		fclose(f);
	return found;
}

int control_group_open(const struct host *h, const char *group)
{
	struct place p;
	char path[PATH_MAX];

	if (!find_place(h, &unified, group, &p))
		return -1;
	host_path(h, path, sizeof(path), "%s", p.path);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* --- memory ----------------------------------------------------------------------------- */

static bool read_file(const struct host *h, const struct place *p, const char *name, char *out,
		      size_t size)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", p->path, name) < (int)sizeof(path) &&
	       host_read(h, path, out, size);
}

static bool read_number(const struct host *h, const struct place *p, const char *name,
			uint64_t *ret)
{
	char text[32];

	return read_file(h, p, name, text, sizeof(text)) && sscanf(text, "%" SCNu64, ret) == 1;
}

/* Bytes of files that the group has in memory. */
static uint64_t read_files(const struct host *h, const struct version *v, const struct place *p)
{
	uint64_t sum = 0;
	char text[8192];

	if (!read_file(h, p, "memory.stat", text, sizeof(text)))
		return 0;
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		for (size_t i = 0; i < 2; i++) {
			size_t n = strlen(v->files[i]);

			if (!strncmp(line, v->files[i], n))
				sum += strtoull(line + n, NULL, 10);
		}
	}
	return sum;
}

/* The group alone. */
static void limit(const struct host *h, const struct version *v, const struct place *p,
		  struct control_group_memory *ret)
{
	uint64_t most, used, files, left;

	if (!read_number(h, p, v->limit, &most) || !read_number(h, p, v->used, &used))
		return;
	files = read_files(h, v, p);
	used -= files < used ? files : used;
	left = most - (used < most ? used : most);
	if (left >= ret->left)
		return;
	ret->left = left;
	snprintf(ret->group, sizeof(ret->group), "%s", p->path);
}

/* The group, and all above it. */
static void limits(const struct host *h, const struct version *v, const char *group,
		   struct control_group_memory *ret)
{
	struct place p;

	if (!find_place(h, v, group, &p))
		return;
	for (size_t n = strlen(p.path); n >= p.mount && n; n--) {
		if (p.path[n] && p.path[n] != '/')
			continue;
		p.path[n] = 0;
		limit(h, v, &p, ret);
	}
}

bool control_group_memory(const struct host *h, pid_t pid, struct control_group_memory *ret)
{
	char path[PATH_MAX], *line = NULL;
	size_t cap = 0;
	FILE *f;

	*ret = (struct control_group_memory){ .left = UINT64_MAX };
	host_path(h, path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	f = fopen(path, "re");
	while (f && getline(&line, &cap, f) > 0) {
		char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;

		line[strcspn(line, "\n")] = 0;
		if (!group)
			continue;
		*group++ = 0;
		if (!names[1])
			limits(h, &unified, group, ret);
		else if (has_option(names + 1, legacy.controller))
			limits(h, &legacy, group, ret);
	}
	free(line);
	if (f)
		fclose(f);
	return ret->left != UINT64_MAX;
}
