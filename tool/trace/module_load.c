// SPDX-License-Identifier: GPL-2.0
/*
 * Loading the module, by modprobe. The kernel does not do so by itself when its
 * netlink family is looked up, as anybody may do that.
 */
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/module.h"
#include "trace/module_load.h"

static bool may_load(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, data) &&
	       data[0].effective & 1U << CAP_SYS_MODULE;
}

const char *module_load_remedy(const char *complaint)
{
	static const struct {
		const char *part, *remedy;
	} known[] = {
		{ "not found in directory",
		  "install it for this kernel: make install, or make dkms" },
		{ "Key was rejected", "sign it with a key that this machine knows, as DKMS does" },
		{ "Operation not permitted",
		  "with Secure Boot or lockdown it must be signed, as DKMS does; dmesg says more" },
		{ "Exec format error", "build it again for this kernel; dmesg says more" },
		{ "install command", "the configuration in modprobe.d forbids it" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(complaint, known[i].part))
			return known[i].remedy;
	return "dmesg may say more";
}

/* Its first line, without modprobe's name. */
static void shorten_complaint(char *text)
{
	static const char name[] = "modprobe: ";

	text[strcspn(text, "\n")] = 0;
	if (!strncmp(text, name, strlen(name)))
		memmove(text, text + strlen(name), strlen(text + strlen(name)) + 1);
}

int module_load(struct diag *d)
{
	static const char *const argv[] = { "modprobe", "goprobe", NULL };
	char complaint[512];

	if (!may_load()) {
		module_explain(&host_here, d);
		return -1;
	}
	if (host_run(argv, complaint, sizeof(complaint))) {
		shorten_complaint(complaint);
		if (module_explain(&host_here, d))
			return -1;
		diag_set(d, "the goprobe module is not loaded, and modprobe can't load it: %s",
			 complaint[0] ? complaint : "it does not say why");
		diag_hint(d, "%s", module_load_remedy(complaint));
		return -1;
	}
	fprintf(stderr, "goprobectl: loaded the module goprobe\n");
	return 0;
}
