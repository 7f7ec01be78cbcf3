// SPDX-License-Identifier: GPL-2.0
/* Remedies for errors of modprobe, in the words of kmod 30 and 34. */
#include "rows.h"

#include <string.h>

#include "trace/module_load.h"

static struct row {
	const char *claim, *complaint, *remedy;
} rows[] = {
	{ "no module for this kernel",
	  "FATAL: Module goprobe not found in directory /lib/modules/6.1.0-54-amd64",
	  "install it for this kernel" },
	{ "lockdown", "ERROR: could not insert 'goprobe': Operation not permitted",
	  "it must be signed" },
	{ "a signature that is refused", "ERROR: could not insert 'goprobe': Key was rejected by service",
	  "sign it with a key that this machine knows" },
	{ "built for another kernel", "ERROR: could not insert 'goprobe': Exec format error",
	  "build it again for this kernel" },
	{ "forbidden", "ERROR: Error running install command '/bin/false' for module goprobe: retcode 1",
	  "modprobe.d forbids it" },
	{ "anything else", "ERROR: could not insert 'goprobe': Cannot allocate memory",
	  "dmesg may say more" },
};

ROWS(test_remedy, rows)
{
	const struct row *row = *state;

	assert_non_null(strstr(module_load_remedy(row->complaint), row->remedy));
}
