// SPDX-License-Identifier: GPL-2.0
/* Event sink: events become lines. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "export/otlp_post.h"
#include "output/screen.h"
#include "trace/sink.h"

/* How wide a line of text may become before a value is broken into several. */
static unsigned int columns(void)
{
	struct winsize w;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= 40 ? w.ws_col : 100;
}

int sink_open(struct output *o, struct stream *s, const struct plan *p, const struct sink_opt *opt,
	      struct diag *d)
{
	const struct options *options = opt->options;
	bool url = options->output && otlppost_is_url(options->output);
	int fd = STDOUT_FILENO;

	if (options->output && !url) {
		fd = open(options->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return diag_errno(d, errno, "can't write %s", options->output);
	}
	if (options->output && !url)
		screen_open(fd);
	output_init(o, opt->format, fd);
	o->owned = options->output && !url;
	if (url && otlppost_open(o, options->output, &otlppost_limits, d))
		return -1;
	o->pids = opt->pids;
	if (!options->quiet)
		opt->format->header(o);
	if (stream_init(s, p, o, opt->paired))
		return diag_set(d, "out of memory");
	s->most = options->events;
	s->values.width = options->pretty ? columns() : 0;
	s->values.no_zero = options->no_zero;
	s->values.full = options->screen.full;
	return 0;
}

struct buf *sink_json(struct output *o)
{
	return strcmp(o->format->name, "json") ? NULL : &o->buf;
}

bool sink_talk(struct output *o, const struct stream *s, bool quiet, struct buf *talk)
{
	if (o->taker) {
		int err = o->taker->finish(o->taker, quiet, talk);

		if (err == -EAGAIN)
			return false;
		o->err = o->err ? o->err : err;
	}
	if (quiet && !output_lost(&s->sum))
		return true;
	o->format->summary(o, &s->sum, talk);
	output_flush(o, true);
	if (!s->sum.malformed)
		return true;
	buf_str(talk, "goprobectl: bug: malformed record: ");
	buf_str(talk, s->why_malformed);
	buf_char(talk, '\n');
	return true;
}

int sink_close(struct output *o, struct diag *d)
{
	bool sent = o->taker;
	int err = output_close(o);

	if (!err || err == -EPIPE)
		return 0;
	return sent ? diag_set(d, "the collector did not get all spans") :
		      diag_errno(d, -err, "can't write the output");
}
