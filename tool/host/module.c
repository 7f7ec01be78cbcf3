// SPDX-License-Identifier: GPL-2.0
/* The module on a machine: is it loaded, and if not, what prevents that? */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <goprobe.h>

#include "host/kernel.h"
#include "host/module.h"
#include "version.h"

bool module_is_loaded(const struct host *h)
{
	return host_has(h, "/sys/module/goprobe");
}

/* --- files ------------------------------------------------------------------------ */

/* A field of the file that modprobe would load, "" if it has none; false without a file. */
static bool read_field(const struct host *h, const char *field, char *out, size_t size)
{
	const char *const argv[] = { "modinfo", "-F", field, "goprobe", NULL };
	bool found = h->run(argv, out, size) == 0;

	out[strcspn(out, "\n")] = 0;
	return found;
}

/* Another kernel that has the module. */
static bool find_elsewhere(const struct host *h, char *release, size_t size)
{
	static const char *const places[] = { "updates/dkms", "updates", "extra" };
	const char *const modules = "/lib/modules/";
	char pattern[PATH_MAX];
	bool found = false;
	glob_t paths;

	for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
		host_path(h, pattern, sizeof(pattern), "%s*/%s/goprobe.ko*", modules, places[i]);
		if (glob(pattern, 0, NULL, &paths))
			continue;

		const char *name = paths.gl_pathv[0] + strlen(h->root) + strlen(modules);

		snprintf(release, size, "%.*s", (int)strcspn(name, "/"), name);
		found = true;
		globfree(&paths);
	}
	return found;
}

/* --- reasons ---------------------------------------------------------------------- */

#define NOT_LOADED "the goprobe module is not loaded"

static void explain_absence(const struct host *h, const char *release, struct diag *d)
{
	char other[128], remedy[256];
	bool dkms = host_has(h, "/var/lib/dkms/goprobe");

	if (dkms)
		diag_set(d, NOT_LOADED ": DKMS has it, but not for kernel %s", release);
	else if (find_elsewhere(h, other, sizeof(other)))
		diag_set(d, NOT_LOADED ": it is installed for kernel %s; the running kernel is %s",
			 other, release);
	else
		diag_set(d, NOT_LOADED ": modprobe does not find it for kernel %s", release);
	kernel_headers_remedy(h, release, remedy, sizeof(remedy));
	diag_hint(d, "%s%s%s", kernel_has_headers(h, release) ? "" : remedy,
		  kernel_has_headers(h, release) ? "" : ", then ",
		  dkms ? "build it: dkms autoinstall" :
		  "install it for this kernel: make install, or make dkms");
}

static bool explain_file(const struct host *h, const char *release, struct diag *d)
{
	char magic[256], signer[256];

	read_field(h, "vermagic", magic, sizeof(magic));
	magic[strcspn(magic, " ")] = 0;
	if (magic[0] && strcmp(magic, release)) {
		diag_set(d, NOT_LOADED ": the installed one was built for kernel %s; the running kernel is %s",
			 magic, release);
		diag_hint(d, "build it again for this kernel: make install, or make dkms");
		return true;
	}
	if (read_field(h, "signer", signer, sizeof(signer)) && !signer[0] &&
	    kernel_wants_signature(h)) {
		diag_set(d, NOT_LOADED ": it is not signed, and the kernel loads signed modules only");
		diag_hint(d, "sign it with a key that this machine knows, as DKMS does");
		return true;
	}
	return false;
}

bool module_explain(const struct host *h, struct diag *d)
{
	static const char *const argv[] = { "modprobe", "-n", "-v", "goprobe", NULL };
	char release[128], disabled[8], out[1024];
	int status;

	kernel_release(h, release, sizeof(release));
	host_line(h, "/proc/sys/kernel/modules_disabled", disabled, sizeof(disabled));
	if (disabled[0] == '1') {
		diag_set(d, NOT_LOADED ": this machine loads no more modules (kernel.modules_disabled)");
		diag_hint(d, "load it before that is set; only a reboot resets it");
		return true;
	}
	status = h->run(argv, out, sizeof(out));
	if (status < 0) {
		diag_errno(d, -status, NOT_LOADED ", and modprobe can't be run");
		diag_hint(d, "install the package kmod, or load goprobe.ko with insmod");
		return true;
	}
	if (status) {
		explain_absence(h, release, d);
		return true;
	}
	if (!strncmp(out, "install ", strlen("install "))) {
		diag_set(d, NOT_LOADED ": the configuration in modprobe.d forbids it: %.*s",
			 (int)strcspn(out, "\n"), out);
		diag_hint(d, "remove its line 'install goprobe'");
		return true;
	}
	if (explain_file(h, release, d))
		return true;
	diag_set(d, NOT_LOADED);
	diag_hint(d, "run goprobectl as root, which loads it, or: sudo modprobe goprobe");
	return false;
}

/* --- versions --------------------------------------------------------------------- */

#define REPLACE "when no trace runs: rmmod goprobe && modprobe goprobe"

/* What to do about a loaded module that is not goprobectl's: is the right one installed? */
static const char *replacement(const struct host *h)
{
	char version[64];

	return read_field(h, "version", version, sizeof(version)) &&
	       !strcmp(version, GOPROBECTL_VERSION) ? "load the installed one " REPLACE :
	       "install the module and goprobectl from the same version, then load it " REPLACE;
}

void module_explain_protocol(const struct host *h, unsigned int protocol, struct diag *d)
{
	char version[64];

	host_line(h, "/sys/module/goprobe/version", version, sizeof(version));
	diag_set(d, "the loaded module, version %s, speaks protocol %u; goprobectl "
		 GOPROBECTL_VERSION " speaks protocol %u", version[0] ? version : "unknown",
		 protocol, GOPROBE_GENL_VERSION);
	diag_hint(d, "%s", replacement(h));
}

/* Is the file that modprobe would load another build of the loaded module's version? */
static bool is_other_build(const struct host *h)
{
	char is[64], would[64];

	return host_line(h, "/sys/module/goprobe/srcversion", is, sizeof(is)) && is[0] &&
	       read_field(h, "srcversion", would, sizeof(would)) && would[0] && strcmp(is, would);
}

static void examine_loaded(const struct host *h, struct findings *f)
{
	char version[64];

	host_line(h, "/sys/module/goprobe/version", version, sizeof(version));
	if (strcmp(version, GOPROBECTL_VERSION)) {
		findings_add(f, "module", FINDING_WARN,
			     "version %s is loaded, and goprobectl is " GOPROBECTL_VERSION,
			     version[0] ? version : "unknown");
		findings_remedy(f, "%s", replacement(h));
	} else if (is_other_build(h)) {
		findings_add(f, "module", FINDING_WARN,
			     "version %s is loaded, and another build of it is installed", version);
		findings_remedy(f, "load the installed one " REPLACE);
	} else {
		findings_add(f, "module", FINDING_OK, "version %s is loaded", version);
	}
}

/* Loading it would succeed, but its version is another. */
static void explain_version(const struct host *h, struct diag *d)
{
	char version[64];

	if (!read_field(h, "version", version, sizeof(version)) || !version[0] ||
	    !strcmp(version, GOPROBECTL_VERSION))
		return;
	diag_fini(d);
	diag_set(d, NOT_LOADED ": the installed one is version %s, and goprobectl is "
		 GOPROBECTL_VERSION, version);
	diag_hint(d, "install the module and goprobectl from the same version");
}

void module_examine(const struct host *h, struct findings *f)
{
	struct diag d = { 0 };
	bool prevented;

	if (module_is_loaded(h)) {
		examine_loaded(h, f);
		return;
	}
	prevented = module_explain(h, &d);
	if (!prevented)
		explain_version(h, &d);
	findings_add(f, "module", prevented ? FINDING_FAIL : FINDING_WARN, "%s", d.message);
	findings_remedy(f, "%s", d.hint);
	diag_fini(&d);
}
