// SPDX-License-Identifier: GPL-2.0
/* Separate files with the debug information of an ELF file. */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/safe_open.h"
#include "base/unaligned.h"
#include "elf/build_id.h"
#include "elf/debug_file.h"

#define DEBUG_ROOT "/usr/lib/debug"
/* A file's name, its padding, and the checksum. */
#define LINK_MAX 4096U
#define CRC_BYTES 4U
#define BLOCK (256U << 10)
/* A larger file, which may be a sparse one, takes too long to read. */
#define CRC_FILE_MAX (4ULL << 30)

/* A search for debug information. */
struct search {
	struct elffile *ef;	/* the file that lacks it */
	char *dir;		/* the folder that @ef is in, without a "/" at its end */
	char *id;		/* the GNU build id in hexadecimal digits, or NULL */
	char *link;		/* name in .gnu_debuglink, or NULL */
	uint32_t crc;		/* checksum of the file of that name */
};

/* The section is a name, padded with NULs to a multiple of 4, and a checksum. */
static void load_link(struct search *s)
{
	const Elf64_Shdr *sh = elffile_section(s->ef, ".gnu_debuglink");
	uint8_t *p;

	if (!sh || sh->sh_type == SHT_NOBITS || sh->sh_size <= CRC_BYTES || sh->sh_size > LINK_MAX)
		return;
	p = elffile_load(s->ef, sh->sh_offset, sh->sh_size);
	if (!p)
		return;
	s->crc = load_u32(p + sh->sh_size - CRC_BYTES);
	p[sh->sh_size - CRC_BYTES] = 0;
	s->link = (char *)p;
	/* The name of a file, not a path to anywhere. */
	if (!*s->link || strchr(s->link, '/')) {
		free(s->link);
		s->link = NULL;
	}
}

static bool has_crc(const struct elffile *ef, uint32_t want)
{
	uint8_t *block = malloc(BLOCK);
	uLong crc = crc32(0, NULL, 0);
	uint64_t at = 0, n;

	for (; block && at < ef->size && ef->size <= CRC_FILE_MAX; at += n) {
		n = ef->size - at < BLOCK ? ef->size - at : BLOCK;
		if (elffile_read(ef, at, block, n))
			break;
		crc = crc32(crc, block, (uInt)n);
	}
	free(block);
	return at == ef->size && crc == want;
}

static bool has_id(const struct elffile *ef, const char *want)
{
	char *id = build_id_gnu_build_id(ef);
	bool same = id && want && !strcmp(id, want);

	free(id);
	return same;
}

/* Take the file behind @fd, which is closed, if it belongs to the one that lacks it. */
static int take(struct search *s, int fd, const char *path)
{
	struct elffile *debug = calloc(1, sizeof(*debug));
	struct diag ignored = { .message = NULL };
	bool ok = debug && !elffile_open_debug(fd, path, debug, &ignored);

	close(fd);
	diag_fini(&ignored);
	if (ok && (has_id(debug, s->id) || (s->link && has_crc(debug, s->crc)))) {
		s->ef->debug = debug;
		s->ef->debug_path = strdup(path);
		if (s->ef->debug_path)
			return 0;
		s->ef->debug = NULL;
	}
	if (ok)
		elffile_fini(debug);
	free(debug);
	return -1;
}

static int try(struct search *s, struct buf *path)
{
	int fd;

	buf_char(path, '\0');
	fd = path->failed ? -1 : safe_open(path->p);
	return fd < 0 ? -1 : take(s, fd, path->p);
}

static int try_id(struct search *s, const char *root, struct buf *path)
{
	path->len = 0;
	buf_str(path, root);
	buf_str(path, DEBUG_ROOT "/.build-id/");
	buf_mem(path, s->id, 2);
	buf_char(path, '/');
	buf_str(path, s->id + 2);
	buf_str(path, ".debug");
	return try(s, path);
}

static int try_link(struct search *s, const char *root, const char *top, const char *below,
		    struct buf *path)
{
	path->len = 0;
	buf_str(path, root);
	buf_str(path, top);
	buf_str(path, s->dir);
	buf_str(path, below);
	buf_str(path, s->link);
	return try(s, path);
}

/* Search the file system whose root is at @root, "" for ours. */
static int search_in(struct search *s, const char *root)
{
	struct buf path = { .p = NULL };
	int err = -1;

	if (s->id && strlen(s->id) > 2)
		err = try_id(s, root, &path);
	if (err && s->link)
		err = try_link(s, root, "", "/", &path) &&
		      try_link(s, root, "", "/.debug/", &path) &&
		      try_link(s, root, DEBUG_ROOT, "/", &path) ? -1 : 0;
	buf_fini(&path);
	return err;
}

/* elfutils' debuginfod.h; the library is no dependency. */
static int download(struct search *s)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	int (*find)(void *client, const unsigned char *id, int len, char **path);
	void *lib, *client, *(*begin)(void);
	void (*end)(void *client);
	char *path = NULL;
	int fd = -1;

	if (!s->id || !urls || !*urls)
		return -1;
	lib = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return -1;
	*(void **)&begin = dlsym(lib, "debuginfod_begin");
	*(void **)&find = dlsym(lib, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(lib, "debuginfod_end");
	client = begin && find && end ? begin() : NULL;
	if (client) {
		/* A length of 0: the id is text. */
		fd = find(client, (const unsigned char *)s->id, 0, &path);
		end(client);
	}
	/* The library stays: it may have threads. */
	fd = fd < 0 ? -1 : take(s, fd, path ? path : "debuginfod");
	free(path);
	return fd;
}

/* As search_in(), for a file at @path below @root. */
static int search_beside(struct search *s, const char *root, const char *path)
{
	const char *slash = strrchr(path, '/');
	int err;

	s->dir = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
	err = s->dir ? search_in(s, root) : -1;
	free(s->dir);
	return err;
}

/* In the file system of a process, which may be a container's. */
static int search_process(struct search *s, pid_t pid, const char *path)
{
	char root[64], top[PATH_MAX];
	ssize_t n;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	n = readlink(root, top, sizeof(top));
	/* With chroot() @path is ours; in a container's mounts it is the process's own already. */
	if (n > 1 && (size_t)n < sizeof(top) && !strncmp(path, top, (size_t)n) && path[n] == '/')
		path += n;
	return search_beside(s, root, path);
}

/* In our file system: beside @path, or beside the file that a link there names. */
static int search_here(struct search *s, const char *path)
{
	char *real = realpath(path, NULL);
	int err = search_beside(s, "", path);

	if (err && real && strcmp(real, path) != 0)
		err = search_beside(s, "", real);
	free(real);
	return err;
}

static int find(struct elffile *ef, const char *path, pid_t pid, bool remote)
{
	struct search s = { .ef = ef, .id = build_id_gnu_build_id(ef) };
	int err = -1;

	load_link(&s);
	if (pid)
		err = search_process(&s, pid, path);
	if (err)
		err = search_here(&s, path);
	if (err && remote)
		err = download(&s);
	free(s.link);
	free(s.id);
	return err;
}

int debugfile_open(struct elffile *ef, const char *path, pid_t pid)
{
	return find(ef, path, pid, true);
}

int debugfile_open_local(struct elffile *ef, const char *path, pid_t pid)
{
	return find(ef, path, pid, false);
}
