// SPDX-License-Identifier: GPL-2.0
/* goprobectl info: what the loaded module is and can do. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/writing.h"
#include "cmd/cmd.h"
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

static void text(const struct client_info *info, struct buf *b)
{
	buf_str(b, "goprobectl  " GOPROBECTL_VERSION "\nmodule      ");
	buf_str(b, info->version);
	buf_str(b, " (protocol ");
	buf_u64(b, GOPROBE_GENL_VERSION);
	buf_str(b, ")\nabilities  ");
	for (size_t i = 0; i < N(abilities); i++) {
		if (!(info->abilities & abilities[i].bit))
			continue;
		buf_char(b, ' ');
		buf_str(b, abilities[i].name);
	}
	buf_str(b, "\nlimits\n");
	for (size_t i = 0; i < N(limits); i++) {
		buf_str(b, "  ");
		buf_str(b, limits[i].name);
		buf_fill(b, ' ', 15 - strlen(limits[i].name));
		buf_u64(b, limit(info, i));
		buf_char(b, '\n');
	}
}

static void json(const struct client_info *info, struct buf *b)
{
	json_line(b, "info");
	json_str(b, "tool_version", GOPROBECTL_VERSION);
	json_str(b, "module_version", info->version);
	json_u64(b, "protocol", GOPROBE_GENL_VERSION);
	json_raw(b, "abilities", "[");
	for (size_t i = 0; i < N(abilities); i++) {
		if (!(info->abilities & abilities[i].bit))
			continue;
		json_element(b);
		quote_json_str(b, abilities[i].name);
	}
	buf_char(b, ']');
	json_raw(b, "limits", "{");
	for (size_t i = 0; i < N(limits); i++)
		json_u64(b, limits[i].name, limit(info, i));
	buf_char(b, '}');
	json_end_line(b);
}

static int run(struct options *o, struct diag *d)
{
	struct client *c;
	struct client_info info;
	struct buf b = { 0 };

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
	if (o->format == OPTION_JSON)
		json(&info, &b);
	else
		text(&info, &b);
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
