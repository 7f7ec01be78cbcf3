// SPDX-License-Identifier: GPL-2.0
/* The options and arguments that say what is traced. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "cmd/target_options.h"
#include "plan/select.h"
#include "process/target.h"

int targetopt_begin(struct target_spec *t, int *argc, char **argv, struct diag *d)
{
	t->pids = calloc(*argc, sizeof(*t->pids));
	if (!t->pids) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (!argv[i + 1]) {
			diag_set(d, "there is no command after '--'");
			return CMD_USAGE;
		}
		t->command = argv + i + 1;
		argv[i] = NULL;
		*argc = i;
	}
	return CMD_DONE;
}

int targetopt_option(struct target_spec *t, int opt, char *arg, struct diag *d)
{
	if (opt == 'p') {
		if (target_check_pids(arg, d))
			return CMD_USAGE;
		t->pids[t->npids++] = arg;
		return CMD_DONE;
	}
	if (t->file) {
		diag_set(d, "-b can be given only once");
		return CMD_USAGE;
	}
	t->file = arg;
	return CMD_DONE;
}

static int no_calls(const struct spec *s, struct diag *d)
{
	spec_no_place(s, "a place in the code is no call: it has no end, and nothing is called in it",
		      d);
	diag_hint(d, "attach shows places, and count counts them");
	return -1;
}

static int check_edits(const struct target_spec *t, struct diag *d)
{
	for (size_t i = 0; !t->edits && i < t->nspecs; i++)
		if (spec_edits(&t->specs[i]))
			return diag_set(d, "nothing is changed here, as '%s' wants: that is for 'goprobectl attach'",
					t->specs[i].text);
	return 0;
}

int targetopt_end(struct target_spec *t, int argc, char **argv, bool counts, struct diag *d)
{
	int (*parse)(char **texts, size_t n, struct spec **ret, struct diag *d) =
		t->sigs ? select_signatures_parse : select_conditions_parse;
	bool given = t->npids || t->file;
	int err = 0;

	if (given && t->command)
		err = diag_set(d, "-p and -b choose what runs already: they exclude a command");
	else if (!given && !t->command)
		err = diag_set(d, "nothing to trace: give -p PID, -b FILE or -- COMMAND");
	else if (optind >= argc)
		err = diag_set(d, "no PATTERN: which functions?");
	if (err)
		return CMD_USAGE;
	t->nspecs = argc - optind;
	err = counts ? parse(argv + optind, t->nspecs, &t->specs, d) :
		       select_specs_parse(argv + optind, t->nspecs, &t->specs, d);
	if (err)
		t->nspecs = 0;
	for (size_t i = 0; !err && !t->places && i < t->nspecs; i++)
		if (spec_is_place(&t->specs[i]))
			err = no_calls(&t->specs[i], d);
	if (!err)
		err = check_edits(t, d);
	return err ? CMD_USAGE : CMD_DONE;
}

void targetopt_fini(struct target_spec *t)
{
	select_specs_free(t->specs, t->nspecs);
	free(t->pids);
}
