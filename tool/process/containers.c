// SPDX-License-Identifier: GPL-2.0
/* The containers that run on a machine, by the control groups of its processes. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/plain.h"
#include "process/container_names.h"
#include "process/containers.h"
#include "process/programs.h"

/* Of /proc/PID/cgroup that is read: version 1 has some 13 lines, of a path each. */
#define GROUP_TEXT 16384

/* --- a path --------------------------------------------------------------------------- */

/* A component of a path. */
struct part {
	const char *p;
	size_t n;
};

static bool next_part(const char **at, const char *end, struct part *ret)
{
	while (*at < end && **at == '/')
		(*at)++;
	ret->p = *at;
	while (*at < end && **at != '/')
		(*at)++;
	ret->n = (size_t)(*at - ret->p);
	return ret->n;
}

static bool ends_in(const struct part *part, const char *suffix)
{
	size_t n = strlen(suffix);

	return part->n >= n && !memcmp(part->p + part->n - n, suffix, n);
}

/* Processes that watch a container, or examine it, are not in it. */
static bool is_beside(const struct part *part)
{
	return ends_in(part, ".service") || memmem(part->p, part->n, "conmon-", strlen("conmon-"));
}

/* The last run of exactly 64 digits, or NULL. */
static const char *find_id(const struct part *part)
{
	const char *found = NULL;
	size_t digits = 0;

	if (is_beside(part))
		return NULL;
	for (size_t i = 0; i <= part->n; i++) {
		if (i < part->n && isxdigit((unsigned char)part->p[i])) {
			digits++;
			continue;
		}
		if (digits == CONTAINERS_DIGITS)
			found = part->p + i - digits;
		digits = 0;
	}
	return found;
}

/* "kubepods-burstable-pod8c5b_....slice", "pod8c5b-...", "machine-libpod_pod_0123....slice" */
static bool find_pod(const struct part *part, char id[CONTAINERS_ID])
{
	static const char digits[] = "0123456789abcdef-_";
	static const char pod[] = "pod", slice[] = ".slice";
	size_t end = part->n - (ends_in(part, slice) ? strlen(slice) : 0), n;
	const char *at = NULL, *next = part->p;

	while ((next = memmem(next, (size_t)(part->p + end - next), pod, strlen(pod)))) {
		next += strlen(pod);
		at = next;
	}
	if (!at)
		return false;
	if (at < part->p + end && *at == '_')
		at++;
	n = (size_t)(part->p + end - at);
	/* Not the container "libpod-0123...". */
	if (n < 32 || n >= CONTAINERS_ID || *at == '-')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!strchr(digits, at[i]) || !at[i])
			return false;
		id[i] = at[i] == '_' ? '-' : at[i];
	}
	id[n] = 0;
	return true;
}

/* Of one path; false: no container is in it. */
static bool parse_path(const char *path, size_t len, struct containers_one *c)
{
	const char *at = path, *end = path + len, *id;
	char pod[CONTAINERS_ID];
	size_t found = 0, pod_end = 0;
	struct part part;

	while (next_part(&at, end, &part)) {
		id = find_id(&part);
		/* A pod of Podman has an id of as many digits. */
		if (find_pod(&part, pod)) {
			memcpy(c->pod_id, pod, sizeof(pod));
			pod_end = (size_t)(at - path);
		} else if (id) {
			snprintf(c->id, sizeof(c->id), "%.*s", CONTAINERS_DIGITS, id);
			c->pod_group = pod_end;
			found = (size_t)(at - path);
		}
	}
	c->group = found ? strndup(path, found) : NULL;
	return found;
}

/* The path behind "12:cpu,cpuacct:" of a line. */
static const char *path_of(const char *line)
{
	const char *colon = strchr(line, ':');

	colon = colon ? strchr(colon + 1, ':') : NULL;
	return colon && colon < line + strcspn(line, "\n") ? colon + 1 : NULL;
}

bool containers_parse(const char *text, struct containers_one *c)
{
	static const char unified[] = "0::";
	bool found = false;

	memset(c, 0, sizeof(*c));
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *path = path_of(line);
		bool is_unified = !strncmp(line, unified, strlen(unified));
		struct containers_one its = { .unified = is_unified };

		if (!path || (found && !is_unified) ||
		    !parse_path(path, strcspn(path, "\n"), &its))
			continue;
		free(c->group);
		*c = its;
		found = true;
	}
	return found && c->group;
}

/* --- all of them ---------------------------------------------------------------------- */

struct containers_one *containers_by_id(const struct containers *c, const char *id)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].id, id))
			return &c->v[i];
	return NULL;
}

struct containers_one *containers_add(struct containers *c, const struct containers_one *one)
{
	struct containers_one *there = containers_by_id(c, one->id);

	if (there)
		return there;
	if (grow(&c->v, c->n + 1, &c->cap, sizeof(*c->v))) {
		c->failed = true;
		return NULL;
	}
	c->v[c->n] = *one;
	if (one->group) {
		c->v[c->n].group = strdup(one->group);
		c->failed |= !c->v[c->n].group;
	}
	return &c->v[c->n++];
}

struct finding {
	const struct host *h;
	struct containers *c;
	char *text;	/* GROUP_TEXT bytes */
};

static int add_process(void *ctx, pid_t pid)
{
	struct finding *f = ctx;
	struct containers_one its, *one;
	struct target_pids *pids;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	host_read(f->h, path, f->text, GROUP_TEXT);
	if (!containers_parse(f->text, &its) && !container_names_task(f->h, f->text, &its))
		return 0;
	one = containers_add(f->c, &its);
	free(its.group);
	if (!one)
		return -1;
	pids = &one->pids;
	if (grow(&pids->v, pids->n + 1, &pids->cap, sizeof(*pids->v))) {
		f->c->failed = true;
		return -1;
	}
	pids->v[pids->n++] = pid;
	return 0;
}

static int by_names(const void *a, const void *b)
{
	const struct containers_one *one = a, *other = b;
	int order = strcmp(one->space, other->space);

	if (!order)
		order = strcmp(one->pod, other->pod);
	if (!order)
		order = strcmp(one->name, other->name);
	return order ? order : strcmp(one->id, other->id);
}

int containers_find(const struct host *h, struct containers *c)
{
	struct finding f = { .h = h, .c = c, .text = malloc(GROUP_TEXT) };

	if (!f.text)
		return -1;
	process_each_of(h, add_process, &f);
	free(f.text);
	if (c->n)
		container_names_find(h, c, false);
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_names);
	return c->failed ? -1 : 0;
}

int containers_add_stopped(const struct host *h, struct containers *c)
{
	container_names_find(h, c, true);
	return c->failed ? -1 : 0;
}

const struct containers_one *containers_of(const struct containers *c, pid_t pid)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->v[i].pids.n; k++)
			if (c->v[i].pids.v[k] == pid)
				return &c->v[i];
	return NULL;
}

void containers_pod(const struct containers_one *c, char ret[2 * CONTAINERS_NAME])
{
	ret[0] = 0;
	if (c->pod[0])
		snprintf(ret, 2 * CONTAINERS_NAME, "%s/%s", c->space, c->pod);
}

void containers_put(const struct containers_one *c, struct buf *b)
{
	char id[CONTAINERS_SHORT + 1], pod[2 * CONTAINERS_NAME];

	snprintf(id, sizeof(id), "%.*s", CONTAINERS_SHORT, c->id);
	if (c->name[0]) {
		plain_add(b, c->name);
		buf_str(b, " (");
	}
	plain_add(b, id);
	if (c->name[0])
		buf_char(b, ')');
	containers_pod(c, pod);
	buf_str(b, pod[0] ? " of pod " : "");
	plain_add(b, pod);
}

void containers_fini(struct containers *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].group);
		free(c->v[i].pids.v);
	}
	free(c->v);
	diag_fini(&c->unread);
	memset(c, 0, sizeof(*c));
}
