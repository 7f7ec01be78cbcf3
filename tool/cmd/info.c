// SPDX-License-Identifier: GPL-2.0
/* goprobectl info: what the loaded module is and can do. */
#include <stdio.h>
#include <string.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "output/row.h"
#include "trace/client.h"
#include "trace/selftest.h"

static const char about[] =
"Usage: goprobectl info [-o text|json]\n"
"\n"
"Show the module's version, its abilities on this kernel, and its limits.\n";

static const char examples[] =
"Example:\n"
"      goprobectl info -o json\n";

static const struct {
	uint64_t bit;
	const char *name;
} abilities[] = {
	{ GOPROBE_ABILITY_FAULT_IN, "fault_in" },
	{ GOPROBE_ABILITY_FLOAT_REGS, "float_regs" },
	{ GOPROBE_ABILITY_EMULATE, "execute" },
	{ GOPROBE_ABILITY_UNTESTED, "untested" },
	{ GOPROBE_ABILITY_TALLY, "tally" },
	{ GOPROBE_ABILITY_FILTER, "filter" },
	{ GOPROBE_ABILITY_EDIT, "edit" },
	{ GOPROBE_ABILITY_JUMP, "jump" },
	{ GOPROBE_ABILITY_WIPE, "wipe" },
};

static const struct {
	size_t offset;
	const char *name;
} limits[] = {
#define LIMIT(field) { offsetof(struct goprobe_limits, field), #field }
	LIMIT(sessions), LIMIT(points), LIMIT(files), LIMIT(types), LIMIT(refs),
	LIMIT(plans), LIMIT(pieces), LIMIT(pids), LIMIT(frame_bytes),
	LIMIT(record_bytes), LIMIT(ring_bytes), LIMIT(batch), LIMIT(ops),
	LIMIT(dynamic), LIMIT(depth), LIMIT(tallies), LIMIT(timed), LIMIT(calls),
	LIMIT(filters), LIMIT(pending_bytes), LIMIT(keys), LIMIT(key_bytes), LIMIT(goroutines),
#undef LIMIT
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t limit(const struct client_info *info, size_t i)
{
	uint32_t v;

	memcpy(&v, (const char *)&info->limits + limits[i].offset, sizeof(v));
	return v;
}

static const struct column tool_version = { "tool_version", NULL, 0 };
static const struct column module_version = { "module_version", NULL, 0 };
static const struct column protocol = { "protocol", NULL, 0 };

/* Columns of the names of limits. */
#define LIMIT_WIDTH 15

static void put(const struct client_info *info, struct row *r)
{
	row_begin(r, "info");
	row_text(r, "goprobectl  ");
	row_str(r, &tool_version, GOPROBECTL_VERSION);
	row_text(r, "\nmodule      ");
	row_str(r, &module_version, info->version);
	row_text(r, " (protocol ");
	row_u64(r, &protocol, GOPROBE_GENL_VERSION);
	row_text(r, ")\nabilities  ");
	row_list(r, "abilities");
	for (size_t i = 0; i < N(abilities); i++)
		if (info->abilities & abilities[i].bit)
			row_element_str(r, abilities[i].name);
	row_list_end(r);
	row_text(r, "\nlimits");
	row_members(r, "limits");
	for (size_t i = 0; i < N(limits); i++)
		row_member_u64(r, limits[i].name, LIMIT_WIDTH, limit(info, i));
	row_members_end(r);
	row_end(r);
}

static int run(struct options *o, struct diag *d)
{
	struct client *c;
	struct client_info info;
	struct buf b = { 0 };
	struct row r = { .b = &b, .mode = row_mode(o->format == OPTION_JSON), .whole = true };

	if (client_open(&c, d))
		return CMD_FAILED;

	struct diag why = { 0 };
	int err = selftest_get_info(c, &info, &why, d);

	client_close(c);
	if (why.message) {
		fputs("goprobectl: the module's self-test failed: ", stderr);
		diag_print_message(&why, stderr);
		fputc('\n', stderr);
	}
	diag_fini(&why);
	if (err)
		return CMD_FAILED;
	put(&info, &r);
	err = writing_print(&b, d);
	buf_fini(&b);
	return err ? CMD_FAILED : CMD_DONE;
}

const struct cmd cmd_info = {
	.name = "info",
	.summary = "show the module's version, abilities and limits",
	.command = COMMAND_INFO,
	.about = about,
	.examples = examples,
	.run = run,
};
