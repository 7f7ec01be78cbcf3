// SPDX-License-Identifier: GPL-2.0
/* The module on a machine: is it loaded, and if not, what prevents that? */
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

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

/* Loading it would succeed, but goprobectl could not use it. */
static bool explain_version(const struct host *h, struct diag *d)
{
	char version[64];

	if (!read_field(h, "version", version, sizeof(version)) || !version[0] ||
	    !strcmp(version, GOPROBECTL_VERSION))
		return false;
	diag_fini(d);
	diag_set(d, NOT_LOADED ": the installed one is version %s, and goprobectl is "
		 GOPROBECTL_VERSION, version);
	diag_hint(d, "install the module and goprobectl from the same version");
	return true;
}

void module_examine(const struct host *h, struct findings *f)
{
	struct diag d = { 0 };
	char version[64];

	if (!module_is_loaded(h)) {
		bool prevented = module_explain(h, &d) || explain_version(h, &d);

		findings_add(f, "module", prevented ? FINDING_FAIL : FINDING_WARN, "%s", d.message);
		findings_remedy(f, "%s", d.hint);
		diag_fini(&d);
		return;
	}
	host_line(h, "/sys/module/goprobe/version", version, sizeof(version));
	if (strcmp(version, GOPROBECTL_VERSION)) {
		findings_add(f, "module", FINDING_FAIL,
			     "version %s is loaded, and goprobectl is " GOPROBECTL_VERSION,
			     version[0] ? version : "unknown");
		findings_remedy(f, "install both from one version, then: modprobe -r goprobe");
	} else {
		findings_add(f, "module", FINDING_OK, "version %s is loaded", version);
	}
}
