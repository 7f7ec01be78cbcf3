// SPDX-License-Identifier: GPL-2.0
/* The processes of a machine, and the Go programs among them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hmap.h"
#include "dwarf/sections.h"
#include "elf/debug_file.h"
#include "gobin/buildinfo.h"
#include "gobin/release.h"
#include "process/procmem.h"
#include "process/programs.h"
#include "process/target.h"

int process_each_of(const struct host *h, int (*fn)(void *ctx, pid_t pid), void *ctx)
{
	char path[PATH_MAX];
	struct dirent *e;
	int ret = 0;
	DIR *proc;

	host_path(h, path, sizeof(path), "/proc");
	proc = opendir(path);

	while (proc && !ret && (e = readdir(proc))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);

		if (pid > 0 && pid <= INT_MAX && !*end)
			ret = fn(ctx, (pid_t)pid);
	}
	if (proc)
		closedir(proc);
	return ret;
}

int process_each(int (*fn)(void *ctx, pid_t pid), void *ctx)
{
	return process_each_of(&host_here, fn, ctx);
}

bool process_executable(pid_t pid, char path[PATH_MAX])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* --- a program ---------------------------------------------------------------------- */

/* Value @field, from 1 on, of the line of @word: "mod\tPATH\tVERSION"; to be freed, NULL: none. */
static char *module_value(const char *text, const char *word, int field)
{
	size_t n = strlen(word);
	const char *line = text;

	while (line && (strncmp(line, word, n) || line[n] != '\t')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (; line && field; field--) {
		line += strcspn(line, "\t\n");
		line = *line == '\t' ? line + 1 : NULL;
	}
	return line && *line ? strndup(line, strcspn(line, "\t\n")) : NULL;
}

static bool is_go(const struct elffile *ef)
{
	return elffile_section(ef, ".go.buildinfo") || elffile_section(ef, ".gopclntab") ||
	       elffile_section(ef, ".data.rel.ro.gopclntab");
}

/* The file alone; the process may have ended. false: not Go. */
static bool examine(const struct elffile *ef, struct program *ret)
{
	char *modules;

	if (!is_go(ef))
		return false;
	ret->go = buildinfo_version(ef, RELEASE_OLDEST, RELEASE_NEWEST);
	modules = buildinfo_modules(ef);
	ret->path = module_value(modules, "path", 1);
	ret->version = module_value(modules, "mod", 2);
	free(modules);
	return true;
}

static int open_process(pid_t pid, const char *path, struct elffile *ef)
{
	struct diag d = { 0 };
	char link[64];
	int fd, err;

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	fd = open(link, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = elffile_open(fd, path, ef, &d);
	close(fd);
	diag_fini(&d);
	return err;
}

static void free_program(struct program *p)
{
	free(p->executable);
	free(p->library);
	free(p->go);
	free(p->path);
	free(p->version);
}

/* A search. */
struct finding {
	struct programs *p;	/* what was found */
	struct hmap foreign;	/* files that are not Go, by inode: most are in many processes */
	pid_t pid;		/* the process at hand */
	const char *path;	/* of its executable */
	bool failed;		/* there is no memory */
};

/* Add the process at hand, for what @ef is; @library: NULL for its executable. False: not Go. */
static bool add_if_go(struct finding *f, struct elffile *ef, const char *library)
{
	struct program found = { .pid = f->pid };
	struct programs *p = f->p;

	if (!examine(ef, &found))
		return false;
	found.typed = sections_present(ef) ||
		      !debugfile_open_local(ef, library ? library : f->path, f->pid);
	found.executable = strdup(f->path);
	found.library = library ? strdup(library) : NULL;
	if (!found.executable || (library && !found.library) ||
	    grow(&p->v, p->n + 1, &p->cap, sizeof(*p->v))) {
		free_program(&found);
		f->failed = true;
		return true;
	}
	p->v[p->n++] = found;
	return true;
}

/* A procmem_file_fn. */
static void add_library(void *ctx, int fd, const char *path)
{
	struct elffile ef = { .fd = -1 };
	struct finding *f = ctx;
	struct diag d = { 0 };
	struct stat st;
	uint64_t key;
	bool go;

	if (fstat(fd, &st))
		return;
	key = hmap_hash(st.st_ino, &st.st_dev, sizeof(st.st_dev));
	if (hmap_get(&f->foreign, key))
		return;
	go = !elffile_open(fd, path, &ef, &d) && add_if_go(f, &ef, path);
	if (!go && hmap_put(&f->foreign, key, f))
		f->failed = true;
	elffile_fini(&ef);
	diag_fini(&d);
}

static void note_denied(struct programs *p, pid_t pid, int err)
{
	if (err != EACCES && err != EPERM)
		return;
	p->denied++;
	p->denied_pid = pid;
}

static int add_process(void *ctx, pid_t pid)
{
	struct elffile ef = { .fd = -1 };
	struct finding *f = ctx;
	char path[PATH_MAX];
	bool go;
	int err;

	if (!process_executable(pid, path)) {
		note_denied(f->p, pid, errno);
		return 0;
	}
	f->pid = pid;
	f->path = path;
	err = open_process(pid, path, &ef);
	note_denied(f->p, pid, -err);
	go = !err && add_if_go(f, &ef, NULL);
	if (!err)
		elffile_fini(&ef);
	if (!err && !go)
		procmem_each_file(pid, add_library, f);
	return f->failed ? -1 : 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct program *pa = a, *pb = b;

	return pa->pid < pb->pid ? -1 : pa->pid > pb->pid;
}

int programs_find(struct programs *p, const struct target_pids *of)
{
	struct finding f = { .p = p };
	int err = 0;

	if (!of)
		err = process_each(add_process, &f);
	for (size_t i = 0; of && !err && i < of->n; i++)
		err = add_process(&f, of->v[i]);

	hmap_fini(&f.foreign);
	if (err)
		return -1;
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_pid);
	return 0;
}

void programs_fini(struct programs *p)
{
	for (size_t i = 0; i < p->n; i++)
		free_program(&p->v[i]);
	free(p->v);
	memset(p, 0, sizeof(*p));
}
