// SPDX-License-Identifier: GPL-2.0
/* Where recipes are: the user's folder, and the one that was installed. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/argument.h"
#include "base/array.h"
#include "base/safe_open.h"
#include "base/suggest.h"
#include "recipe/shelf.h"

#define SUFFIX ".recipe"
/* Files of a folder that are looked at. */
#define NAMES_MAX 1000

/* --- folders --------------------------------------------------------- */

/*
 * sudo gives root's home; the recipes are those of the user who typed the command. Only root has to
 * ask.
 */
static uid_t owner(void)
{
	const char *sudo = geteuid() ? NULL : getenv("SUDO_UID");
	uint64_t uid;

	return sudo && argument_number(sudo, 0, UINT_MAX - 1, &uid) ? (uid_t)uid : geteuid();
}

static char *join(const char *folder, const char *rest)
{
	char *path;

	return asprintf(&path, "%s%s", folder, rest) < 0 ? NULL : path;
}

static char *own_folder(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = owner() == geteuid() ? getenv("HOME") : NULL;

	/* A path that is not absolute is to be ignored, says XDG's specification. */
	if (config && *config == '/')
		return join(config, "/goprobe/recipes");
	if (!home) {
		const struct passwd *user = getpwuid(owner());

		home = user ? user->pw_dir : NULL;
	}
	return home && *home == '/' ? join(home, "/.config/goprobe/recipes") : NULL;
}

/* PREFIX/bin/goprobectl has PREFIX/share/goprobe/recipes, and so has build/tool/goprobectl. */
static char *installed_folder(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash;

	if (n < 0)
		return NULL;
	path[n] = 0;
	for (int i = 0; i < 2; i++) {
		slash = strrchr(path, '/');
		if (!slash)
			return NULL;
		*slash = 0;
	}
	return join(path, "/share/goprobe/recipes");
}

void shelf_init(struct shelf *s)
{
	s->own = own_folder();
	s->installed = installed_folder();
}

void shelf_fini(struct shelf *s)
{
	free(s->own);
	free(s->installed);
}

/* --- files ----------------------------------------------------------- */

/* What root runs, another user must not be able to write. */
static int check_owner(int fd, const char *path, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st))
		return diag_errno(d, errno, "can't read %s", path);
	if ((st.st_uid && st.st_uid != owner()) || (st.st_mode & (0022))) {
		diag_set(d, "another user can write %s", path);
		diag_hint(d, "'chmod go-w' and chown make it yours; a name with a slash is any file");
		return -1;
	}
	return 0;
}

static int read_all(int fd, const char *path, struct recipe *r, struct diag *d)
{
	char *text = malloc(RECIPE_BYTES_MAX + 1);
	size_t len = 0;
	ssize_t n = 0;
	int err;

	if (!text)
		return diag_set(d, "out of memory");
	while (len <= RECIPE_BYTES_MAX &&
	       (n = read(fd, text + len, RECIPE_BYTES_MAX + 1 - len)) > 0)
		len += (size_t)n;
	err = n < 0 ? diag_errno(d, errno, "can't read %s", path) :
	      recipe_parse(r, path, text, len, d);
	free(text);
	return err;
}

/* 1: there is no such file. */
static int read_file(const char *path, bool own, struct recipe *r, struct diag *d)
{
	int fd = safe_open(path), err;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 1;
	if (fd < 0)
		return diag_errno(d, errno, "can't read %s", path);
	err = own ? check_owner(fd, path, d) : 0;
	if (!err)
		err = read_all(fd, path, r, d);
	close(fd);
	return err;
}

static int read_from(const char *folder, const char *name, bool own, struct recipe *r,
		     struct diag *d)
{
	char *path;
	int err;

	if (!folder)
		return 1;
	if (asprintf(&path, "%s/%s" SUFFIX, folder, name) < 0)
		return diag_set(d, "out of memory");
	err = read_file(path, own, r, d);
	free(path);
	return err;
}

static bool is_name(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_')
			return false;
	return *name;
}

static int no_recipe(const struct shelf *s, const char *name, struct diag *d)
{
	struct shelf_names names = { 0 };
	struct suggest near;

	diag_set(d, "there is no recipe '%s' in %s or %s", name, s->own ?: "a home directory",
		 s->installed ?: "an installed folder");
	suggest_init(&near, name);
	shelf_names(s, &names);
	for (size_t i = 0; i < names.n; i++)
		suggest_offer(&near, names.v[i]);
	if (!suggest_set_hint(&near, d))
		diag_hint(d, "'goprobectl run' lists the recipes");
	shelf_names_fini(&names);
	return -1;
}

int shelf_read(const struct shelf *s, const char *name, struct recipe *r, struct diag *d)
{
	int err;

	if (strchr(name, '/')) {
		err = read_file(name, false, r, d);
		return err > 0 ? diag_set(d, "there is no file %s", name) : err;
	}
	if (!is_name(name)) {
		diag_set(d, "'%s' is no name of a recipe", name);
		diag_hint(d, "a name has letters, digits, '-' and '_'; a file has a slash");
		return -1;
	}
	err = read_from(s->own, name, true, r, d);
	if (err > 0)
		err = read_from(s->installed, name, false, r, d);
	return err > 0 ? no_recipe(s, name, d) : err;
}

/* --- lists ----------------------------------------------------------- */

static int add_name(struct shelf_names *names, const char *file)
{
	size_t len = strlen(file);
	char *name;

	if (len <= strlen(SUFFIX) || strcmp(file + len - strlen(SUFFIX), SUFFIX) != 0)
		return 0;
	name = strndup(file, len - strlen(SUFFIX));
	if (!name || grow(&names->v, names->n + 1, &names->cap, sizeof(*names->v))) {
		free(name);
		return -1;
	}
	/* Others can't be typed. */
	if (is_name(name))
		names->v[names->n++] = name;
	else
		free(name);
	return 0;
}

static int add_folder(struct shelf_names *names, const char *folder)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;
	int err = 0;

	if (!dir)
		return 0;
	for (size_t i = 0; !err && i < NAMES_MAX && (entry = readdir(dir)); i++)
		err = add_name(names, entry->d_name);
	closedir(dir);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int shelf_names(const struct shelf *s, struct shelf_names *ret)
{
	size_t n = 0;
	int err;

	*ret = (struct shelf_names){ 0 };
	err = add_folder(ret, s->own) || add_folder(ret, s->installed) ? -1 : 0;
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_name);
	for (size_t i = 0; i < ret->n; i++) {
		if (n && !strcmp(ret->v[n - 1], ret->v[i]))
			free(ret->v[i]);
		else
			ret->v[n++] = ret->v[i];
	}
	ret->n = n;
	return err;
}

void shelf_names_fini(struct shelf_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

/* Columns of a name. */
#define NAME_WIDTH 16

static void put_one(const struct shelf *s, const char *name, struct buf *b)
{
	struct recipe r = { 0 };
	struct diag why = { 0 };
	size_t len = strlen(name);

	buf_str(b, "  ");
	buf_str(b, name);
	buf_fill(b, ' ', len < NAME_WIDTH - 1 ? NAME_WIDTH - len : 1);
	if (!shelf_read(s, name, &r, &why))
		recipe_put_summary(&r, b);
	else
		buf_str(b, why.message ?: "can't be read");
	buf_char(b, '\n');
	diag_fini(&why);
	recipe_fini(&r);
}

void shelf_put_list(struct buf *b)
{
	struct shelf_names names;
	struct shelf s;

	shelf_init(&s);
	buf_str(b, "Recipes, each a command that answers a question: goprobectl run RECIPE -p PID\n\n");
	shelf_names(&s, &names);
	for (size_t i = 0; i < names.n; i++)
		put_one(&s, names.v[i], b);
	if (!names.n)
		buf_str(b, "  none\n");
	buf_str(b, "\nThey are files NAME" SUFFIX " in ");
	buf_str(b, s.own ?: "no home directory");
	buf_str(b, " (your own, which win)\nand ");
	buf_str(b, s.installed ?: "no installed folder");
	buf_str(b, ". goprobectl-run(8) says how to write one.\n");
	shelf_names_fini(&names);
	shelf_fini(&s);
}
