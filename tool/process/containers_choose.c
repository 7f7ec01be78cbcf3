// SPDX-License-Identifier: GPL-2.0
/* The container, pod or control group that a user wants: which one, and its processes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/plain.h"
#include "base/suggest.h"
#include "process/containers.h"
#include "process/control_group.h"

/* Candidates that a message lists. */
#define LISTED_MOST 10
/* Directories of control groups in each other. */
#define GROUP_DEPTH 64

/* How well something has the name that was given. */
enum match {
	MATCH_NONE,
	MATCH_ID,	/* its id begins so */
	MATCH_NAME,
};

static int append(struct target_pids *to, pid_t pid)
{
	if (grow(&to->v, to->n + 1, &to->cap, sizeof(*to->v)))
		return -1;
	to->v[to->n++] = pid;
	return 0;
}

static int add_procs(int dir, struct target_pids *to)
{
	int fd = openat(dir, "cgroup.procs", O_RDONLY | O_CLOEXEC), err = 0;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	int pid;

	if (fd >= 0 && !f)
		close(fd);
	/* 0: a process of another pid namespace. */
	while (f && !err && fscanf(f, "%d", &pid) == 1)
		err = pid > 0 ? append(to, pid) : 0;
	if (f)
		fclose(f);
	return err;
}

/* The processes of a group and of those below it. */
static int add_all_procs(int dir, struct target_pids *to, unsigned int depth)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err;
	DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *e;

	if (copy >= 0 && !entries)
		close(copy);
	err = add_procs(dir, to);
	while (entries && !err && depth < GROUP_DEPTH && (e = readdir(entries))) {
		int fd;

		if (e->d_name[0] == '.' || (e->d_type != DT_DIR && e->d_type != DT_UNKNOWN))
			continue;
		fd = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		err = add_all_procs(fd, to, depth + 1);
		close(fd);
	}
	if (entries)
		closedir(entries);
	return err;
}

static int choose_group(const struct host *h, const char *path, struct containers_choice *ret,
			struct diag *d)
{
	char full[PATH_MAX];
	int fd, err;

	host_path(h, full, sizeof(full), "%s", path);
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, "cgroup.procs", F_OK, 0)) {
		if (fd >= 0)
			close(fd);
		fd = control_group_open(h, path);
	}
	if (fd < 0 || faccessat(fd, "cgroup.procs", F_OK, 0)) {
		if (fd >= 0)
			close(fd);
		diag_set(d, "there is no control group '%s'", path);
		diag_hint(d, "it is a directory, such as /sys/fs/cgroup/system.slice/docker.service");
		return -1;
	}
	err = add_all_procs(fd, &ret->pids, 0);
	buf_str(&ret->what, "control group ");
	plain_add(&ret->what, path);
	/* Of version 1 none has it. */
	ret->follows = !faccessat(fd, "cgroup.controllers", F_OK, 0);
	ret->group = fd;
	if (!ret->follows)
		close(fd);
	return err || ret->what.failed ? diag_set(d, "out of memory") : 0;
}

bool containers_removed(int group)
{
	return faccessat(group, "cgroup.procs", F_OK, 0) && (errno == ENOENT || errno == ENODEV);
}

/* --- which one ------------------------------------------------------------------------ */

static enum match match_text(const char *wanted, const char *name, const char *id)
{
	if (name[0] && !strcmp(wanted, name))
		return MATCH_NAME;
	return wanted[0] && !strncmp(id, wanted, strlen(wanted)) ? MATCH_ID : MATCH_NONE;
}

/* "web-0", "default/web-0" */
static enum match match_pod(const struct containers_one *c, const char *wanted)
{
	const char *slash = strchr(wanted, '/');

	if (!slash)
		return match_text(wanted, c->pod, c->pod_id);
	if (strlen(c->space) != (size_t)(slash - wanted) ||
	    strncmp(c->space, wanted, strlen(c->space)))
		return MATCH_NONE;
	return c->pod[0] && !strcmp(c->pod, slash + 1) ? MATCH_NAME : MATCH_NONE;
}

static enum match match(const struct containers_one *c, const struct containers_wish *wish)
{
	enum match pod = wish->pod ? match_pod(c, wish->pod) : MATCH_NAME;
	enum match its = wish->container ? match_text(wish->container, c->name, c->id) :
					   MATCH_NAME;

	return pod < its ? pod : its;
}

static bool same_pod(const struct containers_one *a, const struct containers_one *b)
{
	if (a->pod_id[0] || b->pod_id[0])
		return !strcmp(a->pod_id, b->pod_id);
	return !strcmp(a->pod, b->pod) && !strcmp(a->space, b->space);
}

/* A pod counts once, whichever containers it has. */
struct found {
	const struct containers_one **v;
	size_t n;
	bool pods;
};

static void add_found(struct found *f, const struct containers_one *c)
{
	for (size_t i = 0; f->pods && i < f->n; i++)
		if (same_pod(f->v[i], c))
			return;
	f->v[f->n++] = c;
}

/* The best matches among those that run, or among all. @f->v has place for all. */
static void find(const struct containers *c, const struct containers_wish *wish, bool running,
		 struct found *f)
{
	enum match best = MATCH_ID;

	f->n = 0;
	for (size_t i = 0; i < c->n; i++) {
		enum match its = match(&c->v[i], wish);

		if (its < best || (running && !c->v[i].group))
			continue;
		if (its > best)
			f->n = 0;
		best = its;
		add_found(f, &c->v[i]);
	}
}

static void put_pod(const struct containers_one *c, struct buf *b)
{
	char pod[2 * CONTAINERS_NAME];

	containers_pod(c, pod);
	plain_add(b, pod[0] ? pod : c->pod_id);
}

static void put_wish(const struct containers_wish *wish, struct buf *b)
{
	buf_str(b, wish->container ? "container '" : "pod '");
	plain_add(b, wish->container ? wish->container : wish->pod);
	buf_char(b, '\'');
	if (wish->container && wish->pod) {
		buf_str(b, " in pod '");
		plain_add(b, wish->pod);
		buf_char(b, '\'');
	}
}

static int several(const struct found *f, const struct containers_wish *wish, struct diag *d)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < f->n && i < LISTED_MOST; i++) {
		buf_str(&list, i ? "; " : "");
		if (f->pods)
			put_pod(f->v[i], &list);
		else
			containers_put(f->v[i], &list);
	}
	if (f->n > LISTED_MOST)
		buf_str(&list, "; ...");
	buf_char(&list, 0);
	diag_set(d, "%zu %s fit '%s'", f->n, f->pods ? "pods" : "containers",
		 f->pods ? wish->pod : wish->container);
	if (!list.failed)
		diag_hint(d, "choose, by %s: %s", f->pods ? "NAMESPACE/NAME" : "an id or --pod",
			  list.p);
	buf_fini(&list);
	return -1;
}

/* --- none ----------------------------------------------------------------------------- */

static bool offer_names(const struct containers *c, const struct containers_wish *wish,
			struct diag *d)
{
	struct suggest near;

	suggest_init(&near, wish->container ? wish->container : wish->pod);
	for (size_t i = 0; i < c->n; i++) {
		const char *name = wish->container ? c->v[i].name : c->v[i].pod;

		if (c->v[i].group && name[0])
			suggest_offer(&near, name);
	}
	return suggest_set_hint(&near, d);
}

/* Nothing runs under that name: is one known that does not run? */
static int none(const struct host *h, struct containers *c, const struct containers_wish *wish,
		struct diag *d)
{
	struct found f = { .pods = !wish->container };
	struct buf what = { 0 };

	if (containers_add_stopped(h, c))
		return diag_set(d, "out of memory");
	f.v = calloc(c->n + 1, sizeof(const struct containers_one *));
	put_wish(wish, &what);
	buf_char(&what, 0);
	if (!f.v || what.failed) {
		diag_set(d, "out of memory");
	} else {
		find(c, wish, false, &f);
		if (f.n)
			diag_set(d, "no process of %s runs now", what.p);
		else
			diag_set(d, "there is no %s", what.p);
		if (c->unread.message)
			diag_hint(d, "%s", c->unread.message);
		else if (f.n || !offer_names(c, wish, d))
			diag_hint(d, "'goprobectl ps' lists Go programs with their containers");
	}
	free(f.v);
	buf_fini(&what);
	return -1;
}

/* --- all of it ------------------------------------------------------------------------ */

static bool is_below(const struct containers_one *c, const char *group, size_t n, bool unified)
{
	return c->group && c->unified == unified && !strncmp(c->group, group, n) &&
	       (!c->group[n] || c->group[n] == '/');
}

static int take(const struct host *h, const struct containers *c, const struct containers_one *one,
		bool pod, struct containers_choice *ret, struct diag *d)
{
	size_t n = pod ? one->pod_group : strlen(one->group);
	char *group = strndup(one->group, n);
	int err = group ? 0 : -1;

	for (size_t i = 0; !err && i < c->n; i++) {
		const struct containers_one *its = &c->v[i];

		if (n ? !is_below(its, group, n, one->unified) : !same_pod(its, one))
			continue;
		for (size_t k = 0; !err && k < its->pids.n; k++)
			err = append(&ret->pids, its->pids.v[k]);
	}
	if (!err && n && one->unified)
		ret->group = control_group_open(h, group);
	ret->follows = !err && n && one->unified && ret->group >= 0;
	free(group);
	buf_str(&ret->what, pod ? "pod " : "container ");
	if (pod)
		put_pod(one, &ret->what);
	else
		containers_put(one, &ret->what);
	if (!pod)
		snprintf(ret->container, sizeof(ret->container), "%.*s",
			 one->name[0] ? CONTAINERS_NAME - 1 : CONTAINERS_SHORT,
			 one->name[0] ? one->name : one->id);
	containers_pod(one, ret->pod);
	return err || ret->what.failed ? diag_set(d, "out of memory") : 0;
}

static int choose(const struct host *h, struct containers *c, const struct containers_wish *wish,
		  struct containers_choice *ret, struct diag *d)
{
	struct found f = { .pods = !wish->container };
	int err;

	f.v = calloc(c->n + 1, sizeof(const struct containers_one *));
	if (!f.v)
		return diag_set(d, "out of memory");
	find(c, wish, true, &f);
	if (f.n > 1)
		err = several(&f, wish, d);
	else if (f.n)
		err = take(h, c, f.v[0], f.pods, ret, d);
	else
		err = none(h, c, wish, d);
	free(f.v);
	return err;
}

int containers_choose(const struct host *h, const struct containers_wish *wish,
		      struct containers_choice *ret, struct diag *d)
{
	struct containers c = { 0 };
	int err;

	memset(ret, 0, sizeof(*ret));
	if (wish->group)
		return choose_group(h, wish->group, ret, d);
	err = containers_find(h, &c) ? diag_set(d, "out of memory") :
	      choose(h, &c, wish, ret, d);
	containers_fini(&c);
	return err;
}

void containers_choice_fini(struct containers_choice *c)
{
	if (c->follows)
		close(c->group);
	free(c->pids.v);
	buf_fini(&c->what);
	memset(c, 0, sizeof(*c));
}
