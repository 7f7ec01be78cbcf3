// SPDX-License-Identifier: GPL-2.0
/*
 * record - a recording as attach --record writes them, of calls that were made up
 *
 *	record BINARY FILE RECORDS
 *
 * BINARY is bench/target. The records are its "entry record": two ints and a 16-byte
 * string of func work(a, b int, s string) int.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/select.h"
#include "recording/recorder.h"

/* As many bytes as the module puts into one message, about, and into one pass. */
#define MESSAGE_BYTES 32000
#define PASS_BYTES 262144

struct entry {
	struct goprobe_record h;
	uint64_t frame[4];
	struct goprobe_chunk chunk;
	char text[16];
};

static int make_plan(struct plan *p, struct gobin *bin, struct options *o, struct diag *d)
{
	static struct arena wanted;
	struct buf skipped = { 0 };
	static struct spec spec;
	int err = spec_parse("main.work", &spec, d);

	o->specs = &spec;
	o->nspecs = 1;
	if (!err)
		err = select_functions(p, &bin, 1, &spec, 1, &wanted, &skipped, d);
	return err || plan_finish(p, d) ? -1 : 0;
}

static void next(struct entry *e, uint64_t n)
{
	e->h.time += 900 + n % 7 * 50;
	e->frame[0] = n;
	e->frame[1] = n * n;
}

static int write_records(struct recorder *r, const struct plan *p, uint64_t records,
			 struct diag *d)
{
	static struct entry batch[MESSAGE_BYTES / sizeof(struct entry)];
	static const uint64_t stats[__GOPROBE_STAT_MAX];
	const size_t most = sizeof(batch) / sizeof(*batch);
	const struct plan_points *f = &p->files[0];
	struct entry e = {
		.h = {
			.words = sizeof(e) / 8, .kind = GOPROBE_RECORD_CALL, .plan = f->v[0].plan,
			.tgid = 4121, .tid = 4125, .time = 1000000000, .goid = 18,
			.depth = 200, .ip = gobin_code_vaddr(f->bin, f->v[0].offset),
		},
		.frame = { 0, 0, 0xc000012340, sizeof(e.text) },
		.chunk = {
			.address = 0xc000012340, .type = GOPROBE_TYPE_BYTES,
			.size = sizeof(e.text), .level = 1,
		},
		.text = "0123456789abcde",
	};
	size_t bytes = 0;

	e.text[15] = 'f';
	for (uint64_t done = 0; done < records;) {
		size_t n = 0;

		for (; n < most && done < records; n++) {
			next(&e, done++);
			batch[n] = e;
		}
		recorder_add(r, 0, (uint8_t *)batch, n * sizeof(*batch));
		bytes += n * sizeof(*batch);
		if (bytes >= PASS_BYTES || done == records) {
			if (recorder_pass(r, e.h.time - 1, stats, d))
				return -1;
			bytes = 0;
		}
	}
	return recorder_end(r, &(struct output_summary){ .ns = e.h.time - 1000000000 }, NULL, d);
}

int main(int argc, char **argv)
{
	static struct recorder recorder;
	struct options options;
	struct learn learn;
	struct diag d = { 0 };
	struct gobin *bin;
	struct plan *p;
	int fd, err;

	if (argc != 4) {
		fprintf(stderr, "usage: record BINARY FILE RECORDS\n");
		return 2;
	}
	options_init(&options, COMMAND_ATTACH);
	option_set(&options, GOPROBE_OPTION_NO_RETURN, 1, &d);
	fd = open(argv[1], O_RDONLY);
	p = plan_new(&options.plan);
	err = fd < 0 || !p ? diag_set(&d, "can't open %s", argv[1]) :
			     gobin_open(fd, argv[1], &bin, &d);
	if (!err)
		err = make_plan(p, bin, &options, &d);
	if (!err) {
		learn_init(&learn, p);
		err = recorder_open(&recorder, argv[2], &d) ||
		      recorder_begin(&recorder, &(struct recorder_source){
			.plan = p, .options = &options, .bins = &bin, .nbins = 1,
		      }, &learn, &d) ||
		      recorder_start(&recorder, 1000000000, &d) ||
		      write_records(&recorder, p, strtoull(argv[3], NULL, 10), &d);
	}
	if (err)
		diag_print(&d, "record", stderr);
	return err ? 1 : 0;
}
