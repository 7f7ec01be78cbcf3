// SPDX-License-Identifier: GPL-2.0
/* The kernel of a machine: its release, its options, its headers, what it is locked down to. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "host/kernel.h"

/* The oldest kernel that goprobe knows. */
#define OLDEST_MAJOR 5
#define OLDEST_MINOR 10

#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
/* Four bytes of attributes, then the value. */
#define SECURE_BOOT_VALUE 4

void kernel_release(const struct host *h, char *out, size_t size)
{
	host_line(h, "/proc/sys/kernel/osrelease", out, size);
}

static void examine_release(const char *release, struct findings *f)
{
	int major = 0, minor = 0;

	if (sscanf(release, "%d.%d", &major, &minor) != 2) {
		findings_add(f, "kernel", FINDING_WARN, "the kernel's release can't be read");
		findings_remedy(f, "mount proc at /proc");
	} else if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR)) {
		findings_add(f, "kernel", FINDING_FAIL, "Linux %s is older than %d.%d", release,
			     OLDEST_MAJOR, OLDEST_MINOR);
		findings_remedy(f, "run a kernel from %d.%d on", OLDEST_MAJOR, OLDEST_MINOR);
	} else {
		findings_add(f, "kernel", FINDING_OK, "Linux %s", release);
	}
}

/* --- options ---------------------------------------------------------------------- */

static const char *const needed[] = { "CONFIG_UPROBES", "CONFIG_MODULES", "CONFIG_NET" };

#define NEEDED (sizeof(needed) / sizeof(needed[0]))

/* gzopen() reads what is not compressed, too. */
static bool read_options(const char *path, bool set[NEEDED])
{
	gzFile file = gzopen(path, "rbe");
	char line[512];

	if (!file)
		return false;
	while (gzgets(file, line, sizeof(line)))
		for (size_t i = 0; i < NEEDED; i++) {
			size_t n = strlen(needed[i]);

			if (!strncmp(line, needed[i], n) && !strncmp(line + n, "=y", 2))
				set[i] = true;
		}
	gzclose(file);
	return true;
}

static bool find_options(const struct host *h, const char *release, char *path, size_t size,
			 bool set[NEEDED])
{
	static const char *const places[] = {
		"/boot/config-%s", "/lib/modules/%s/config", "/usr/lib/modules/%s/config",
		"/lib/modules/%s/build/.config",
	};

	host_path(h, path, size, "/proc/config.gz");
	if (read_options(path, set))
		return true;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char name[PATH_MAX];

		snprintf(name, sizeof(name), "%.*s%s%s", (int)strcspn(places[i], "%"), places[i],
			 release, strchr(places[i], '%') + 2);
		host_path(h, path, size, "%s", name);
		if (read_options(path, set))
			return true;
	}
	return false;
}

static void examine_options(const struct host *h, const char *release, struct findings *f)
{
	bool set[NEEDED] = { false };
	char path[PATH_MAX], missing[128] = "";

	if (!find_options(h, release, path, sizeof(path), set)) {
		/* Perf events of uprobes need CONFIG_UPROBE_EVENTS, which needs CONFIG_UPROBES. */
		if (host_has(h, "/sys/bus/event_source/devices/uprobe")) {
			findings_add(f, "options", FINDING_OK, "the kernel has uprobes");
			return;
		}
		findings_add(f, "options", FINDING_WARN,
			     "the kernel's configuration is neither in /proc/config.gz nor in /boot");
		findings_remedy(f, "goprobe needs CONFIG_UPROBES=y and CONFIG_MODULES=y");
		return;
	}
	for (size_t i = 0; i < NEEDED; i++)
		if (!set[i])
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
				 "%s%s", missing[0] ? ", " : "", needed[i]);
	if (missing[0]) {
		findings_add(f, "options", FINDING_FAIL, "the kernel was built without %s (%s)",
			     missing, path);
		findings_remedy(f, "run a kernel that has it, such as the distribution's own");
	} else {
		findings_add(f, "options", FINDING_OK, "uprobes and modules (%s)", path);
	}
}

/* --- headers ---------------------------------------------------------------------- */

bool kernel_has_headers(const struct host *h, const char *release)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", release);
	return host_has(h, path);
}

/* Does the line @key of os-release have @word in its value? */
static bool os_is(const char *os, const char *key, const char *word)
{
	const char *line = os;

	while (line && *line) {
		size_t n = strcspn(line, "\n"), at = strlen(key);
		char value[256];

		if (!strncmp(line, key, at) && line[at] == '=') {
			snprintf(value, sizeof(value), "%.*s", (int)(n - at), line + at);
			if (strstr(value, word))
				return true;
		}
		line += n + (line[n] == '\n');
	}
	return false;
}

void kernel_headers_remedy(const struct host *h, const char *release, char *out, size_t size)
{
	static const struct {
		const char *os, *command;
		bool release;
	} commands[] = {
		{ "debian", "apt install linux-headers-", true },
		{ "ubuntu", "apt install linux-headers-", true },
		{ "fedora", "dnf install kernel-devel-", true },
		{ "rhel", "dnf install kernel-devel-", true },
		{ "suse", "zypper install kernel-default-devel", false },
		{ "arch", "pacman -S linux-headers", false },
		{ "alpine", "apk add linux-lts-dev", false },
	};
	char os[4096];

	if (!host_read(h, "/etc/os-release", os, sizeof(os)))
		host_read(h, "/usr/lib/os-release", os, sizeof(os));
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!os_is(os, "ID", commands[i].os) && !os_is(os, "ID_LIKE", commands[i].os))
			continue;
		snprintf(out, size, "%s%s", commands[i].command,
			 commands[i].release ? release : "");
		return;
	}
	snprintf(out, size, "install the headers of kernel %s", release);
}

/* Without them a trace works as long as the module is there. */
static void examine_headers(const struct host *h, const char *release, struct findings *f)
{
	char remedy[256];

	if (kernel_has_headers(h, release)) {
		findings_add(f, "headers", FINDING_OK, "of %s", release);
		return;
	}
	kernel_headers_remedy(h, release, remedy, sizeof(remedy));
	findings_add(f, "headers", FINDING_WARN,
		     "the headers of %s are not installed: no module can be built for it here",
		     release);
	findings_remedy(f, "%s", remedy);
}

/* --- what is allowed -------------------------------------------------------------- */

bool kernel_secure_boot(const struct host *h)
{
	char bytes[SECURE_BOOT_VALUE + 2];

	return host_read(h, SECURE_BOOT, bytes, sizeof(bytes)) && bytes[SECURE_BOOT_VALUE] == 1;
}

enum lockdown kernel_lockdown(const struct host *h)
{
	char modes[128];

	host_line(h, "/sys/kernel/security/lockdown", modes, sizeof(modes));
	return strstr(modes, "[confidentiality]") ? LOCKDOWN_CONFIDENTIALITY :
	       strstr(modes, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}

bool kernel_wants_signature(const struct host *h)
{
	char enforce[8];

	host_line(h, "/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	return enforce[0] == 'Y' || enforce[0] == '1' || kernel_lockdown(h) != LOCKDOWN_NONE;
}

static void examine_lockdown(const struct host *h, struct findings *f)
{
	switch (kernel_lockdown(h)) {
	case LOCKDOWN_CONFIDENTIALITY:
		findings_add(f, "lockdown", FINDING_FAIL,
			     "the kernel is locked down to confidentiality, which forbids tracing");
		findings_remedy(f, "boot with lockdown=integrity; only a reboot changes it");
		break;
	case LOCKDOWN_INTEGRITY:
		findings_add(f, "lockdown", FINDING_OK,
			     "integrity%s: the module must be signed with a key that the machine knows",
			     kernel_secure_boot(h) ? ", with Secure Boot" : "");
		break;
	default:
		findings_add(f, "lockdown", FINDING_OK, "none%s%s",
			     kernel_secure_boot(h) ? ", though Secure Boot is on" : "",
			     kernel_wants_signature(h) ? "; the kernel loads signed modules only" :
			     "");
	}
}

void kernel_examine(const struct host *h, struct findings *f)
{
	char release[128];

	kernel_release(h, release, sizeof(release));
	examine_release(release, f);
	examine_options(h, release, f);
	examine_headers(h, release, f);
	examine_lockdown(h, f);
}
