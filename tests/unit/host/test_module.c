// SPDX-License-Identifier: GPL-2.0
/* Reasons for a module that is not loaded, on machines made of a few files. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/module.h"
#include "host/report.h"
#include "host/rights.h"
#include "host/sessions.h"
#include "version.h"

#define RELEASE "6.1.0-54-amd64"

static struct row {
	const char *claim, *file, *content;	/* a file besides osrelease */
	int status;				/* of modprobe -n */
	const char *plan;			/* and what it writes */
	const char *magic, *signer, *version;	/* what modinfo shows */
	enum finding_verdict verdict;
	const char *fact, *remedy;
} rows[] = {
	{ "a module that only has to be loaded", NULL, NULL, 0, "insmod goprobe.ko", RELEASE, "",
	  GOPROBECTL_VERSION,
	  FINDING_WARN, "is not loaded", "modprobe goprobe" },
	{ "the right module is loaded", "sys/module/goprobe/version", GOPROBECTL_VERSION "\n", 1,
	  "", "", "", "",
	  FINDING_OK, "version " GOPROBECTL_VERSION " is loaded", NULL },
	{ "another version is loaded", "sys/module/goprobe/version", "0.0.9\n", 1, "", "", "", "",
	  FINDING_WARN, "version 0.0.9 is loaded", "from the same version" },
	{ "another version is loaded than is installed", "sys/module/goprobe/version", "0.0.9\n", 0,
	  "", "", "", GOPROBECTL_VERSION,
	  FINDING_WARN, "version 0.0.9 is loaded", "when no trace runs: rmmod" },
	{ "no more modules", "proc/sys/kernel/modules_disabled", "1\n", 0, "", RELEASE, "",
	  GOPROBECTL_VERSION,
	  FINDING_FAIL, "modules_disabled", "reboot" },
	{ "no modprobe", NULL, NULL, -2, "", "", "", "",
	  FINDING_FAIL, "modprobe can't be run", "kmod" },
	{ "forbidden by modprobe.d", NULL, NULL, 0, "install /bin/false\x20\n", "", "", "",
	  FINDING_FAIL, "modprobe.d forbids it: install /bin/false", "install goprobe" },
	{ "not installed, on Debian", "etc/os-release", "NAME=x\nID=debian\n", 1, "", "", "", "",
	  FINDING_FAIL, "does not find it for kernel " RELEASE,
	  "apt install linux-headers-" RELEASE },
	{ "headers are installed", "lib/modules/" RELEASE "/build/Makefile", "", 1, "", "", "", "",
	  FINDING_FAIL, "does not find it", "install it for this kernel" },
	{ "installed for another kernel", "lib/modules/5.10.0/updates/goprobe.ko.xz", "", 1, "", "",
	  "", "",
	  FINDING_FAIL, "for kernel 5.10.0", "make dkms" },
	{ "not built by DKMS", "var/lib/dkms/goprobe/x", "", 1, "", "", "", "",
	  FINDING_FAIL, "DKMS has it", "dkms autoinstall" },
	{ "built for another kernel", NULL, NULL, 0, "insmod x", "6.2.0 SMP mod_unload", "",
	  GOPROBECTL_VERSION,
	  FINDING_FAIL, "built for kernel 6.2.0", "build it again" },
	{ "unsigned under lockdown", "sys/kernel/security/lockdown",
	  "none [integrity] confidentiality\n",
	  0, "insmod x", RELEASE, "", GOPROBECTL_VERSION, FINDING_FAIL, "not signed", "sign it" },
	{ "signed under lockdown", "sys/kernel/security/lockdown",
	  "none [integrity] confidentiality\n",
	  0, "insmod x", RELEASE, "me", GOPROBECTL_VERSION, FINDING_WARN, "is not loaded",
	  "modprobe goprobe" },
	{ "another version is installed", NULL, NULL, 0, "insmod x", RELEASE, "", "0.0.9",
	  FINDING_WARN, "version 0.0.9", "same version" },
	{ "another build is loaded", "sys/module/goprobe/srcversion", "ABC\n", 0, "",
	  "", "", GOPROBECTL_VERSION, FINDING_WARN, "another build", "when no trace runs: rmmod" },
	{ "the installed build is loaded", "sys/module/goprobe/srcversion", "XYZ\n", 0, "",
	  "", "", GOPROBECTL_VERSION, FINDING_OK, "is loaded", NULL },
};

static const struct row *now;

static int run(const char *const *argv, char *out, size_t size)
{
	bool plan = !strcmp(argv[0], "modprobe");
	const char *field = plan ? "" : argv[2];

	snprintf(out, size, "%s\n", plan ? now->plan : !strcmp(field, "vermagic") ? now->magic :
		 !strcmp(field, "signer") ? now->signer :
		 !strcmp(field, "srcversion") ? "XYZ" : now->version);
	return now->status;
}

static void put(const char *root, const char *path, const char *content)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		mkdir(full, 0755);
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(content, file);
	fclose(file);
}

static void remove_tree(const char *root)
{
	char command[256];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	assert_int_equal(system(command), 0);
}

ROWS(test_reason, rows)
{
	char root[] = "/tmp/test_module.XXXXXX";
	struct host h = { .root = root, .run = run };
	struct findings f = { 0 };

	now = *state;
	assert_non_null(mkdtemp(root));
	put(root, "proc/sys/kernel/osrelease", RELEASE "\n");
	if (now->file && strstr(now->file, "srcversion"))
		put(root, "sys/module/goprobe/version", GOPROBECTL_VERSION "\n");
	if (now->file)
		put(root, now->file, now->content);
	module_examine(&h, &f);
	remove_tree(root);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].verdict, now->verdict);
	assert_non_null(strstr(f.v[0].fact, now->fact));
	if (now->remedy)
		assert_non_null(strstr(f.v[0].remedy, now->remedy));
	else
		assert_null(f.v[0].remedy);
	findings_fini(&f);
}

#define INSTALLED "load the installed one when no trace runs: rmmod goprobe && modprobe goprobe"

/* What the message has of a module with another protocol: both versions, and the remedy. */
TEST(other_protocol)
{
	const struct row another = { .version = GOPROBECTL_VERSION };
	char root[] = "/tmp/test_module.XXXXXX";
	struct host h = { .root = root, .run = run };
	struct diag d = { 0 };

	now = &another;
	assert_non_null(mkdtemp(root));
	put(root, "sys/module/goprobe/version", "0.0.9\n");
	module_explain_protocol(&h, 1, &d);
	remove_tree(root);
	assert_string_equal(d.message, "the loaded module, version 0.0.9, speaks protocol 1; "
			    "goprobectl " GOPROBECTL_VERSION " speaks protocol 2");
	assert_string_equal(d.hint, INSTALLED);
	diag_fini(&d);
}

/* --- sessions --------------------------------------------------------------------- */

static const struct sessions {
	const char *claim, *stat;	/* of process 7, which has one; NULL: it has exited */
	size_t n;			/* sessions; the others are of process 8, which runs */
	enum finding_verdict verdict;
	const char *fact;
} sessions[] = {
	{ "no session", NULL, 0, FINDING_OK, "no trace runs" },
	{ "a session", "7 (goprobectl) S 1 7", 1, FINDING_OK, "1 trace runs, of process 7" },
	{ "two sessions", "7 (a b) R) T) R 1 7", 2, FINDING_OK, "2 traces run, the first of" },
	{ "its process was stopped", "7 (goprobectl) T 1 7", 2, FINDING_WARN, "which is stopped" },
	{ "its process has exited", NULL, 1, FINDING_WARN, "of process 7, which has exited" },
	{ "its process is a zombie", "7 (goprobectl) Z 1 7", 1, FINDING_WARN, "which has exited" },
};

ROWS(test_sessions, sessions)
{
	static const uint32_t owners[] = { 7, 8 };
	const struct sessions *row = *state;
	char root[] = "/tmp/test_module.XXXXXX";
	struct host h = { .root = root, .run = run };
	struct findings f = { 0 };

	assert_non_null(mkdtemp(root));
	put(root, "proc/8/stat", "8 (goprobectl) S 1 8");
	if (row->stat)
		put(root, "proc/7/stat", row->stat);
	sessions_examine(&h, owners, row->n, &f);
	remove_tree(root);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.v[0].verdict, row->verdict);
	if (!strstr(f.v[0].fact, row->fact))
		fail_msg("%s", f.v[0].fact);
	assert_int_equal(!!f.v[0].remedy, row->verdict == FINDING_WARN);
	findings_fini(&f);
}

/* --- rights ----------------------------------------------------------------------- */

static struct right {
	const char *claim, *map, *effective;
	enum finding_verdict verdict;
	const char *fact;
} rights[] = {
	{ "root", "0 0 4294967295\n", "000001ffffffffff", FINDING_OK, "CAP_SYS_ADMIN" },
	{ "a user", "0 0 4294967295\n", "0000000000000000", FINDING_FAIL, "lacks CAP_SYS_ADMIN" },
	{ "root who can't load", "0 0 4294967295\n", "0000000000200000", FINDING_FAIL,
	  "CAP_SYS_MODULE" },
	{ "root of a user namespace", "0 1000 1\n", "000001ffffffffff", FINDING_FAIL,
	  "user namespace" },
};

ROWS(test_rights, rights)
{
	char root[] = "/tmp/test_module.XXXXXX", status[128];
	const struct right *row = *state;
	struct host h = { .root = root, .run = run };
	struct findings f = { 0 };

	assert_non_null(mkdtemp(root));
	snprintf(status, sizeof(status), "Name:\tx\nCapEff:\t%s\n", row->effective);
	put(root, "proc/self/status", status);
	put(root, "proc/self/uid_map", row->map);
	rights_examine(&h, &f);
	remove_tree(root);
	assert_true(f.n >= 1);
	assert_int_equal(f.v[0].verdict, row->verdict);
	assert_non_null(strstr(f.v[0].fact, row->fact));
	findings_fini(&f);
}

/* A machine that a report is about, and the fact that each file leads to. */
static const struct {
	const char *file, *content;
	const char *check, *fact;	/* NULL: nobody learns of it */
} reported[] = {
	{ "etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n", "system",
	  "Debian GNU/Linux 12, " },
	{ "proc/cpuinfo",
	  "processor : 0\nmodel name\t: A CPU\nflags\t\t: fpu la57 hypervisor fsrmx\n", "processor",
	  "A CPU; hypervisor la57" },
	{ "proc/sys/kernel/tainted", "4096\n", "taint", "4096" },
	{ "sys/module/goprobe/srcversion", "0123ABC\n", "source", "0123ABC" },
	{ "sys/module/goprobe/parameters/allow_jumps", "Y\n", "parameters", "allow_jumps=Y" },
	{ "etc/hostname", "secret-host\n", NULL, "secret" },
	{ "proc/sys/kernel/hostname", "secret-host\n", NULL, "secret" },
	{ "proc/cmdline", "root=/dev/sda1 token=secret\n", NULL, "secret" },
	{ "proc/version", "Linux version 6.1 (secret@builder)\n", NULL, "secret" },
};

TEST(a_report_has_facts_and_no_secrets)
{
	char root[] = "/tmp/goprobe-report-XXXXXX";
	const struct host h = { .root = root, .run = run };
	struct findings f = { 0 };

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < N(reported); i++)
		put(root, reported[i].file, reported[i].content);
	report_examine(&h, &f);
	remove_tree(root);
	assert_false(f.failed);
	for (size_t i = 0; i < N(reported); i++) {
		const struct finding *found = findings_get(&f, reported[i].check, FINDING_OK);

		for (size_t k = 0; !reported[i].check && k < f.n; k++)
			assert_null(strstr(f.v[k].fact, reported[i].fact));
		if (reported[i].check && (!found || !strstr(found->fact, reported[i].fact)))
			fail_msg("%s: %s", reported[i].check, found ? found->fact : "nothing");
	}
	findings_fini(&f);
}
