// SPDX-License-Identifier: GPL-2.0
/*
 * What a user writes, made into a request for functions of a real program; the
 * input is the spec, behind one byte. The program is one of those in
 * GOPROBE_FUZZ_PROGRAMS, with debug information or without.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "request.h"

static const char *const functions[] = {
	"main.describe", "main.(*circle).area", "main.add", "main.main",
};

/* Other than NULL once it was tried. */
static struct gobin *programs[2];

static struct gobin *program(size_t which)
{
	static const char *const names[] = { "tiny-1.27", "tiny-1.27-stripped" };
	const char *dir = getenv("GOPROBE_FUZZ_PROGRAMS");
	struct diag d = { .sentence = NULL };
	char path[4096];
	int fd;

	if (programs[which])
		return programs[which];
	snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", names[which]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || gobin_open(fd, path, &programs[which], &d)) {
		fprintf(stderr, "expr: nothing to run with: %s\n", path);
		exit(1);
	}
	close(fd);
	return programs[which];
}

static void request(const struct spec *s, struct gobin *bin, const char *name)
{
	struct diag d = { .sentence = NULL };
	struct arena mem = { .head = NULL };
	struct buf warnings = { 0 };
	struct plan_request r;
	const struct gofunc *f;
	size_t n;

	memset(&r, 0, sizeof(r));
	f = gobin_funcs(bin, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i].name, name))
			continue;
		if (request_make(s, bin, &f[i], &mem, &r, &warnings, &d))
			FUZZ_HOLDS(d.sentence);
		break;
	}
	diag_fini(&d);
	buf_fini(&warnings);
	arena_fini(&mem);
}

int fuzz_expr(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size < 4096 ? size : 4096 };
	uint8_t how = feed_u8(&feed);
	struct diag d = { .sentence = NULL };
	struct gobin *bin = program(how & 1);
	char *text = feed_line(&feed);
	struct spec s;

	/* A name is enough; what the pattern matches is of fuzz_spec. */
	if (text[0] == '/') {
		free(text);
		return 0;
	}
	if (spec_parse(text, &s, &d)) {
		FUZZ_HOLDS(d.sentence);
		diag_fini(&d);
	} else {
		request(&s, bin, functions[how / 2 % 4]);
		spec_fini(&s);
	}
	free(text);
	return 0;
}
