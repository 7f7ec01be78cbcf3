// SPDX-License-Identifier: GPL-2.0
/*
 * Pictures of what standard input has: flame graphs of folded stacks, "draw call" and "draw time";
 * a timeline of trace events, "draw timeline".
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "export/flame.h"
#include "export/timeline.h"
#include "gotype/shown_name.h"

/* The packages of a line's functions: each ends at the first dot behind its last slash. */
static void add_packages(const char *at, const char *end)
{
	while (at < end) {
		const char *stop = memchr(at, ';', end - at), *slash = NULL, *dot;

		stop = stop ? stop : end;
		for (const char *p = at; p < stop && !strchr("([", *p); p++)
			slash = *p == '/' ? p : slash;
		dot = slash ? memchr(slash, '.', stop - slash) : NULL;
		if (dot)
			shown_name_add_package(at, dot - at, NULL);
		at = stop + 1;
	}
}

static void read_all(struct buf *b)
{
	char part[65536];
	ssize_t n;

	while ((n = read(STDIN_FILENO, part, sizeof(part))) > 0)
		buf_mem(b, part, n);
}

static void draw_flame(const struct buf *in, const char *unit, struct buf *out)
{
	const char *at = in->p, *end = at + in->len;

	shown_name_form = SHOWN_NAME_SHORT;
	while (at < end) {
		const char *stop = memchr(at, '\n', end - at);

		stop = stop ? stop : end;
		add_packages(at, stop);
		at = stop + 1;
	}
	flame_put(in, &(struct flame_about){ "calls by stack", unit }, out);
}

static void draw_timeline(const struct buf *in, struct buf *out)
{
	size_t from;

	timeline_begin(out);
	from = out->len;
	buf_mem(out, in->p, in->len);
	timeline_escape(out, from);
	timeline_end(out);
}

int main(int argc, char **argv)
{
	struct buf in = { 0 }, out = { 0 };

	if (argc != 2)
		return 2;
	read_all(&in);
	if (!in.failed && !strcmp(argv[1], "timeline"))
		draw_timeline(&in, &out);
	else if (!in.failed)
		draw_flame(&in, strcmp(argv[1], "time") ? argv[1] : NULL, &out);
	if (in.failed || out.failed || fwrite(out.p, 1, out.len, stdout) != out.len)
		return 1;
	buf_fini(&in);
	buf_fini(&out);
	return 0;
}
