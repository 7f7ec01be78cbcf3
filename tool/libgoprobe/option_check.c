// SPDX-License-Identifier: GPL-2.0
/* Which options of a trace exclude each other. */
#include "libgoprobe/option_check.h"

int optcheck_recorded(const char *option, struct diag *d)
{
	if (!option)
		return CMD_DONE;
	diag_set(d, "--record prints no events, so %s means nothing", option);
	diag_hint(d, "record without it, and give it to goprobectl replay");
	return CMD_USAGE;
}

int optcheck_together(const struct optcheck *c, struct diag *d)
{
	int code = limitopt_end(c->limit, c->no_return, d);

	if (code)
		return code;
	if (c->record && c->limit->limits.times) {
		diag_set(d, "--times needs to look at each record, and --record does not");
		diag_hint(d, "--rate N, or --events N, limits what is recorded");
		return CMD_USAGE;
	}
	if (c->split && c->no_return) {
		diag_set(d, "--split divides durations, and --no-return leaves them out");
		return CMD_USAGE;
	}
	return optcheck_recorded(c->record && c->pretty ? "--pretty" : NULL, d);
}
