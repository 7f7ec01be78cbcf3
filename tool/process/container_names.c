// SPDX-License-Identifier: GPL-2.0
/*
 * Names of containers, as the files of runtimes and of kubelet have them. Users
 * write some of these files: those say nothing of the containers of others.
 * A pair with containers.c: it has the list, and files of runtimes name containers that are not in
 * it yet.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/safe_open.h"
#include "process/container_names.h"

#define DOCKER "/var/lib/docker"
#define KUBELET_LINKS "/var/log/containers"
#define TASKS "/run/containerd/io.containerd.runtime.v2.task"
/* Bytes of a file that is read. */
#define FILE_MAX (16U << 20)

/* A search for names. */
struct naming {
	const struct host *h;
	struct containers *c;
	bool stopped;		/* those that do not run count, too */
	const char *owner;	/* "user-1000.slice": its files are read; NULL: root's */
};

static bool is_id(const char *s)
{
	size_t n = 0;

	while (isxdigit((unsigned char)s[n]))
		n++;
	return n == CONTAINERS_DIGITS && !s[n];
}

static void set(char *to, size_t size, const char *text)
{
	if (!*to)
		snprintf(to, size, "%.*s", (int)size - 1, text);
}

/* --- files and directories ------------------------------------------------------------ */

static void note(const struct naming *n, const char *path, int err, const struct diag *why)
{
	struct diag *d = &n->c->unread;

	if (d->message || err == ENOENT || err == ENOTDIR)
		return;
	if (err)
		diag_errno(d, err, "can't read %s", path);
	else
		diag_set(d, "can't read %s: %s", path,
			 why->message ? why->message : "out of memory");
}

/* All of a regular file, to be freed, and its size; NULL: nothing. */
static char *read_file(const struct naming *n, const char *path, size_t *size)
{
	struct diag large = { 0 };
	struct stat st;
	char *text;
	ssize_t got = 0;
	int fd = safe_open(path);

	*size = 0;
	if (fd < 0 || fstat(fd, &st)) {
		note(n, path, errno, NULL);
		return NULL;
	}
	text = st.st_size <= (off_t)FILE_MAX ? malloc((size_t)st.st_size + 1) : NULL;
	if (st.st_size > (off_t)FILE_MAX) {
		diag_set(&large, "it is larger than %u MiB", FILE_MAX >> 20);
		note(n, path, 0, &large);
		diag_fini(&large);
	}
	while (text && *size < (size_t)st.st_size &&
	       (got = read(fd, text + *size, (size_t)st.st_size - *size)) > 0)
		*size += (size_t)got;
	if (got < 0)
		note(n, path, errno, NULL);
	close(fd);
	return text;
}

static void read_json(const struct naming *n, const char *path, json_read_fn *fn, void *ctx)
{
	struct diag d = { 0 };
	size_t size;
	char *text = read_file(n, path, &size);

	if (text && json_read(text, size, fn, ctx, &d))
		note(n, path, 0, &d);
	diag_fini(&d);
	free(text);
}

/* Call @fn for each entry of the directory at @path. */
static void each_entry(struct naming *n, const char *path,
		       void (*fn)(struct naming *n, const char *path, const char *entry))
{
	DIR *dir = opendir(path);
	const struct dirent *e;

	if (!dir) {
		note(n, path, errno, NULL);
		return;
	}
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			fn(n, path, e->d_name);
	closedir(dir);
}

/* The one that a file says something of; NULL: it does not matter. */
static struct containers_one *find(struct naming *n, const char *id)
{
	struct containers_one new = { .id = "" }, *one = containers_by_id(n->c, id);

	if (!one && n->stopped && strlen(id) < sizeof(new.id)) {
		memcpy(new.id, id, strlen(id));
		one = containers_add(n->c, &new);
	}
	if (one && n->owner && (!one->group || !strstr(one->group, n->owner)))
		return NULL;
	return one;
}

/* --- kubelet -------------------------------------------------------------------------- */

/* "POD_NAMESPACE_CONTAINER-ID.log": none of the names has a '_'. */
static void kubelet_link(struct naming *n, const char *path, const char *entry)
{
	static const char suffix[] = ".log";
	char text[NAME_MAX + 1], *space, *name, *id;
	struct containers_one *one;
	size_t len = strlen(entry);

	(void)path;
	if (len < CONTAINERS_DIGITS + sizeof(suffix) || len > NAME_MAX ||
	    strcmp(entry + len - strlen(suffix), suffix) != 0)
		return;
	memcpy(text, entry, len + 1);
	text[len - strlen(suffix)] = 0;
	id = text + len - strlen(suffix) - CONTAINERS_DIGITS;
	space = strchr(text, '_');
	name = space ? strchr(space + 1, '_') : NULL;
	if (!is_id(id) || id[-1] != '-' || !name || name >= id)
		return;
	id[-1] = 0;
	*space++ = 0;
	*name++ = 0;
	one = find(n, id);
	if (!one)
		return;
	set(one->name, sizeof(one->name), name);
	set(one->pod, sizeof(one->pod), text);
	set(one->space, sizeof(one->space), space);
}

/* --- Docker --------------------------------------------------------------------------- */

/* The name that Docker has; Kubernetes may have another one. */
struct docker {
	struct containers_one *one;
	char name[CONTAINERS_NAME];
};

/* Is it @names, and of these a name of Kubernetes that has a place in @one? */
static void set_label(struct containers_one *one, const char *key, const char *string)
{
	if (!strcmp(key, "io.kubernetes.container.name") ||
	    !strcmp(key, "io.kubernetes.cri.container-name") || !strcmp(key, "nerdctl/name"))
		set(one->name, sizeof(one->name), string);
	if (!strcmp(key, "io.kubernetes.pod.name") ||
	    !strcmp(key, "io.kubernetes.cri.sandbox-name"))
		set(one->pod, sizeof(one->pod), string);
	if (!strcmp(key, "io.kubernetes.pod.namespace") ||
	    !strcmp(key, "io.kubernetes.cri.sandbox-namespace"))
		set(one->space, sizeof(one->space), string);
}

static void docker_string(void *ctx, const struct json_read_place *at, const char *string)
{
	static const char *const name[] = { "Name", NULL };
	struct docker *docker = ctx;

	if (json_read_is(at, 0, name))
		set(docker->name, sizeof(docker->name), string + (*string == '/'));
	else if (at->depth == 3 && !strcmp(at->key[0], "Config") &&
		 !strcmp(at->key[1], "Labels"))
		set_label(docker->one, at->key[2], string);
}

static void docker_container(struct naming *n, const char *path, const char *id)
{
	struct docker docker = { .one = is_id(id) ? find(n, id) : NULL };
	char file[PATH_MAX];

	if (!docker.one || docker.one->name[0])
		return;
	snprintf(file, sizeof(file), "%s/%s/config.v2.json", path, id);
	read_json(n, file, docker_string, &docker);
	set(docker.one->name, sizeof(docker.one->name), docker.name);
}

static void docker_root(void *ctx, const struct json_read_place *at, const char *string)
{
	static const char *const root[] = { "data-root", NULL };

	if (json_read_is(at, 0, root) && string[0] == '/')
		snprintf(ctx, PATH_MAX, "%s", string);
}

/* Below @data of Docker, whose files lie in a directory of the container's id. */
static void name_docker(struct naming *n, const char *data)
{
	char path[PATH_MAX];

	host_path(n->h, path, sizeof(path), "%s/containers", data);
	if (n->stopped)
		each_entry(n, path, docker_container);
	for (size_t i = 0; !n->stopped && i < n->c->n; i++)
		docker_container(n, path, n->c->v[i].id);
}

/* --- containerd, CRI-O, Podman -------------------------------------------------------- */

static void annotation(void *ctx, const struct json_read_place *at, const char *string)
{
	if (at->depth == 2 && !strcmp(at->key[0], "annotations"))
		set_label(ctx, at->key[1], string);
}

/* What the OCI's description of a container says, at @path/ID/@file. */
static void read_annotations(struct naming *n, const char *path, const char *file)
{
	char full[PATH_MAX];

	for (size_t i = 0; i < n->c->n; i++) {
		struct containers_one *one = &n->c->v[i];

		if ((one->name[0] && one->pod[0]) || (n->owner && !find(n, one->id)))
			continue;
		snprintf(full, sizeof(full), "%s/%s/%s", path, one->id, file);
		read_json(n, full, annotation, one);
	}
}

static void containerd_namespace(struct naming *n, const char *path, const char *entry)
{
	char full[PATH_MAX + NAME_MAX + 2];

	snprintf(full, sizeof(full), "%s/%s", path, entry);
	read_annotations(n, full, "config.json");
}

/* An element of a list of containers, whose members come in any order. */
struct podman {
	struct naming *n;
	size_t element;		/* its number */
	char id[CONTAINERS_ID];
	char name[CONTAINERS_NAME];
};

static void podman_end(struct podman *p)
{
	struct containers_one *one = is_id(p->id) ? find(p->n, p->id) : NULL;

	if (one)
		set(one->name, sizeof(one->name), p->name);
	p->id[0] = 0;
	p->name[0] = 0;
}

static void podman_string(void *ctx, const struct json_read_place *at, const char *string)
{
	static const char *const id[] = { "id", NULL };
	struct podman *p = ctx;

	if (!at->depth)
		return;
	if (at->index[0] != p->element)
		podman_end(p);
	p->element = at->index[0];
	if (json_read_is(at, 1, id))
		set(p->id, sizeof(p->id), string);
	else if (at->depth == 3 && !strcmp(at->key[1], "names") && !at->index[2])
		set(p->name, sizeof(p->name), string);
}

/* "overlay-containers": of a driver of storage. */
static void storage_driver(struct naming *n, const char *path, const char *entry)
{
	static const char *const lists[] = { "containers.json", "volatile-containers.json" };
	static const char suffix[] = "-containers";
	size_t len = strlen(entry);
	char full[PATH_MAX];

	if (len < strlen(suffix) || strcmp(entry + len - strlen(suffix), suffix) != 0)
		return;
	snprintf(full, sizeof(full), "%s/%s", path, entry);
	read_annotations(n, full, "userdata/config.json");
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct podman p = { .n = n };

		snprintf(full, sizeof(full), "%s/%s/%s", path, entry, lists[i]);
		read_json(n, full, podman_string, &p);
		podman_end(&p);
	}
}

static void name_storage(struct naming *n, const char *fmt, const char *of)
{
	char path[PATH_MAX];

	host_path(n->h, path, sizeof(path), fmt, of);
	each_entry(n, path, storage_driver);
}

/* --- users ---------------------------------------------------------------------------- */

/* The container runs in the control group of a user: which one? 0: none. */
static unsigned int owner_of(const struct containers_one *c)
{
	const char *slice = c->group ? strstr(c->group, "/user-") : NULL;
	unsigned int uid = 0;

	return slice && sscanf(slice, "/user-%u.slice", &uid) == 1 ? uid : 0;
}

/* The home of a user, by /etc/passwd. */
static bool find_home(const struct host *h, unsigned int user, char home[PATH_MAX])
{
	const struct passwd *entry;
	char path[PATH_MAX];
	bool found = false;
	FILE *f;

	host_path(h, path, sizeof(path), "/etc/passwd");
	f = fopen(path, "re");
	while (f && !found && (entry = fgetpwent(f))) {
		found = entry->pw_uid == user && entry->pw_dir[0] == '/';
		if (found)
			snprintf(home, PATH_MAX, "%s", entry->pw_dir);
	}
	if (f)
		fclose(f);
	return found;
}

static void name_users(struct naming *n, unsigned int uid)
{
	char home[PATH_MAX], data[PATH_MAX + 32], owner[32], run[16];

	snprintf(owner, sizeof(owner), "/user-%u.slice/", uid);
	snprintf(run, sizeof(run), "%u", uid);
	n->owner = owner;
	name_storage(n, "/run/user/%s/containers", run);
	if (find_home(n->h, uid, home)) {
		name_storage(n, "%s/.local/share/containers/storage", home);
		snprintf(data, sizeof(data), "%s/.local/share/docker", home);
		name_docker(n, data);
	}
	n->owner = NULL;
}

/* --- all of it ------------------------------------------------------------------------ */

void container_names_find(const struct host *h, struct containers *c, bool stopped)
{
	struct naming n = { .h = h, .c = c, .stopped = stopped };
	char path[PATH_MAX], docker[PATH_MAX] = DOCKER;

	host_path(h, path, sizeof(path), KUBELET_LINKS);
	each_entry(&n, path, kubelet_link);
	host_path(h, path, sizeof(path), "/etc/docker/daemon.json");
	read_json(&n, path, docker_root, docker);
	name_docker(&n, docker);
	host_path(h, path, sizeof(path), TASKS);
	each_entry(&n, path, containerd_namespace);
	name_storage(&n, "/var/lib/containers/%s", "storage");
	name_storage(&n, "/run/containers/%s", "storage");
	/* A user's files name that user's containers; each user's are read once. */
	n.stopped = false;
	for (size_t i = 0; i < c->n; i++) {
		unsigned int uid = owner_of(&c->v[i]);
		size_t k = 0;

		while (k < i && owner_of(&c->v[k]) != uid)
			k++;
		if (uid && k == i)
			name_users(&n, uid);
	}
}

bool container_names_task(const struct host *h, const char *text, struct containers_one *c)
{
	char path[PATH_MAX], space[CONTAINERS_NAME], id[CONTAINERS_ID];

	memset(c, 0, sizeof(*c));
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		int end = 0;

		if (sscanf(line, "%*[0-9]:%*[^:]:/%255[^/\n]/%79[^/\n]%n", space, id, &end) != 2 &&
		    sscanf(line, "0::/%255[^/\n]/%79[^/\n]%n", space, id, &end) != 2)
			continue;
		if (!end || space[0] == '.' || id[0] == '.')
			continue;
		snprintf(path, sizeof(path), TASKS "/%s/%s/config.json", space, id);
		if (!host_has(h, path))
			continue;
		free(c->group);
		memcpy(c->id, id, sizeof(c->id));
		c->unified = !strncmp(line, "0::", 3);
		c->group = strndup(strchr(line, '/'), strlen(space) + strlen(id) + 2);
		if (c->unified)
			break;
	}
	return c->group;
}
