// SPDX-License-Identifier: GPL-2.0
/* What else a report of a fault needs to know of a machine. */
#define _GNU_SOURCE
#include <dirent.h>
#include <goprobe.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "host/report.h"
#include "version.h"

#define PARAMETERS "/sys/module/goprobe/parameters"

/* Lines of a file that are a number or a word each. */
static const struct {
	const char *check, *path;
} lines[] = {
	{ "build", "/proc/sys/kernel/version" },
	{ "taint", "/proc/sys/kernel/tainted" },
	{ "clock", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
	{ "ptrace", "/proc/sys/kernel/yama/ptrace_scope" },
	{ "selinux", "/sys/fs/selinux/enforce" },
	{ "source", "/sys/module/goprobe/srcversion" },
};

/* What the module, or the tool, does otherwise with them. */
static const char *const flags[] = {
	"hypervisor", "constant_tsc", "nonstop_tsc", "user_shstk", "la57", "fsrm", "avx512f",
};

/* The value of "KEY=value" or "key : value" of the line at @line; its length. */
static const char *value_of(const char *line, const char *key, size_t *n)
{
	size_t len = strlen(key);
	const char *v = line + len;

	if (strncmp(line, key, len) != 0 || !strchr(" \t:=", *v))
		return NULL;
	v += strspn(v, " \t:=\"");
	*n = strcspn(v, "\"\n");
	return v;
}

/* The same of the first line of @text that has it. */
static const char *find_value(const char *text, const char *key, size_t *n)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *v;

		line += *line == '\n';
		v = value_of(line, key, n);
		if (v)
			return v;
	}
	return NULL;
}

static void examine_system(const struct host *h, struct findings *f)
{
	struct utsname here;
	char release[8192];
	const char *name;
	size_t n = 0;

	host_read(h, "/etc/os-release", release, sizeof(release));
	name = find_value(release, "PRETTY_NAME", &n);
	findings_add(f, "system", FINDING_OK, "%.*s, %s", name ? (int)n : 7, name ?: "unknown",
		     uname(&here) ? "?" : here.machine);
}

static bool has_flag(const char *list, size_t n, const char *flag)
{
	size_t len = strlen(flag);

	for (const char *p = list; (p = memmem(p, (size_t)(list + n - p), flag, len)); p++)
		if ((p == list || p[-1] == ' ') && (p + len == list + n || p[len] == ' '))
			return true;
	return false;
}

static void examine_processors(const struct host *h, struct findings *f)
{
	struct buf b = { 0 };
	char *text = malloc(1 << 20);
	const char *model, *list;
	size_t n = 0, nflags = 0;

	if (!text || !host_read(h, "/proc/cpuinfo", text, 1 << 20)) {
		f->failed |= !text;
		free(text);
		return;
	}
	model = find_value(text, "model name", &n);
	list = find_value(text, "flags", &nflags);
	for (size_t i = 0; list && i < sizeof(flags) / sizeof(*flags); i++)
		if (has_flag(list, nflags, flags[i])) {
			buf_str(&b, b.len ? " " : "; ");
			buf_str(&b, flags[i]);
		}
	buf_char(&b, 0);
	findings_add(f, "processor", FINDING_OK, "%.*s%s", model ? (int)n : 7, model ?: "unknown",
		     b.failed ? "" : b.p);
	if (host_line(h, "/sys/devices/system/cpu/online", text, 1 << 20))
		findings_add(f, "processors", FINDING_OK, "%s", text);
	model = host_read(h, "/proc/meminfo", text, 1 << 20) ?
		find_value(text, "MemTotal", &n) : NULL;
	if (model)
		findings_add(f, "memory", FINDING_OK, "%.*s", (int)n, model);
	buf_fini(&b);
	free(text);
}

static void examine_parameters(const struct host *h, struct findings *f)
{
	char path[PATH_MAX], value[256];
	struct buf b = { 0 };
	struct dirent **v;
	int n;

	host_path(h, path, sizeof(path), "%s", PARAMETERS);
	n = scandir(path, &v, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", PARAMETERS, v[i]->d_name);
		if (v[i]->d_name[0] != '.' && host_line(h, path, value, sizeof(value))) {
			buf_str(&b, b.len ? " " : "");
			buf_str(&b, v[i]->d_name);
			buf_char(&b, '=');
			buf_str(&b, value);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	buf_char(&b, 0);
	if (!b.failed && b.len > 1)
		findings_add(f, "parameters", FINDING_OK, "%s", b.p);
	buf_fini(&b);
}

void report_examine(const struct host *h, struct findings *f)
{
	char line[512];

	findings_add(f, "tool", FINDING_OK, "goprobectl %s, protocol %d", GOPROBECTL_VERSION,
		     GOPROBE_GENL_VERSION);
	examine_system(h, f);
	examine_processors(h, f);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (host_line(h, lines[i].path, line, sizeof(line)))
			findings_add(f, lines[i].check, FINDING_OK, "%s", line);
	examine_parameters(h, f);
}
