// SPDX-License-Identifier: GPL-2.0
/* Calls of libgoprobe in and out of order, without the module. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "libgoprobe/internal.h"
#include "recording/format.h"
#include "rows.h"

static int setup(void **state)
{
	*state = goprobe_trace_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	goprobe_trace_free(*state);
	return 0;
}

static void says(const struct goprobe_trace *t, const char *want)
{
	assert_non_null(goprobe_trace_error(t));
	assert_string_equal(goprobe_trace_error(t), want);
}

TEST(options_are_within_their_bounds)
{
	static const struct {
		unsigned int option;
		uint64_t value;
		const char *error;
	} rows[] = {
		{ GOPROBE_OPTION_DEPTH, 31, NULL },
		{ GOPROBE_OPTION_DEPTH, 32, "the value of 'depth' is from 0 to 31, not 32" },
		{ GOPROBE_OPTION_STRING_LIMIT, 16385,
		  "the value of 'string-limit' is from 0 to 16384, not 16385" },
		{ GOPROBE_OPTION_OBJECTS, 1024, NULL },
		{ GOPROBE_OPTION_OBJECTS, 1025,
		  "the value of 'objects' is from 0 to 1024, not 1025" },
		{ GOPROBE_OPTION_RING_BYTES, 1,
		  "the value of 'buffer' is from 65536 to 67108864, not 1" },
		{ GOPROBE_OPTION_LOSSLESS, 2, "the value of 'lossless' is from 0 to 1, not 2" },
		{ GOPROBE_OPTION_EVENTS, UINT64_MAX, NULL },
		{ GOPROBE_OPTION_PRETTY, 1, NULL },
		{ 0, 1, "there is no option 0" },
		{ GOPROBE_OPTION_MAX_LOAD, GOPROBE_LOAD_ANY, NULL },
		{ GOPROBE_OPTION_MAX_LOAD, 1000001,
		  "the value of 'max-load' is from 0 to 1000000, not 1000001" },
		{ GOPROBE_OPTION_SPLIT, 1, NULL },
		{ GOPROBE_OPTION_DRY_RUN, 2, "the value of 'dry-run' is from 0 to 1, not 2" },
		{ GOPROBE_OPTION_STACK, 0, NULL },
		{ GOPROBE_OPTION_STACK, 129, "the value of 'stack' is from 0 to 128, not 129" },
		{ GOPROBE_OPTION_NO_REDACT, 1, NULL },
		{ GOPROBE_OPTION_TRAPLESS, GOPROBE_TRAPLESS_ALWAYS, NULL },
		{ GOPROBE_OPTION_TRAPLESS, 3, "the value of 'trapless' is from 0 to 2, not 3" },
		{ GOPROBE_OPTION_TRAPLESS + 1, 1, "there is no option 28" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		int err = goprobe_trace_set(*state, rows[i].option, rows[i].value);

		assert_int_equal(err, rows[i].error ? -1 : 0);
		if (err)
			says(*state, rows[i].error);
	}
}

/* Options that exclude each other are refused before a program is read. */
TEST(options_that_do_not_go_together)
{
	static const struct {
		struct {
			enum goprobe_option option;
			uint64_t value;
		} set[2];
		bool record;
		const char *error;
	} rows[] = {
		{ { { GOPROBE_OPTION_SPLIT, 1 }, { GOPROBE_OPTION_NO_RETURN, 1 } }, false,
		  "--split divides durations, and --no-return leaves them out" },
		{ { { GOPROBE_OPTION_TIMES, 3 }, { 0, 0 } }, true,
		  "--times needs to look at each record, and --record does not" },
		{ { { GOPROBE_OPTION_PRETTY, 1 }, { 0, 0 } }, true,
		  "--record prints no events, so --pretty means nothing" },
		{ { { GOPROBE_OPTION_SAMPLE_BY, GOPROBE_SAMPLE_GOROUTINE }, { 0, 0 } }, false,
		  "--sample-by goroutine does not say how many" },
		{ { { GOPROBE_OPTION_SPLIT, 1 }, { GOPROBE_OPTION_TIMES, 3 } }, false,
		  "can't open /nonexistent: No such file or directory" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct goprobe_trace *t = goprobe_trace_new();

		assert_non_null(t);
		for (size_t k = 0; k < N(rows[i].set) && rows[i].set[k].option; k++)
			assert_int_equal(goprobe_trace_set(t, rows[i].set[k].option,
							   rows[i].set[k].value), 0);
		assert_int_equal(goprobe_trace_file(t, "/nonexistent"), 0);
		assert_int_equal(goprobe_trace_add(t, "main.f"), 0);
		if (rows[i].record)
			assert_int_equal(goprobe_trace_record(t, "x"), 0);
		assert_int_equal(goprobe_trace_plan(t), -1);
		says(t, rows[i].error);
		goprobe_trace_free(t);
	}
}

TEST(a_recording_is_all_that_is_said)
{
	struct goprobe_trace *t = goprobe_trace_new();

	assert_int_equal(goprobe_trace_replay(*state, "/nonexistent"), 0);
	assert_int_equal(goprobe_trace_pid(*state, 1), -1);
	says(*state, "a recording says itself what was traced");
	assert_int_equal(goprobe_trace_program(*state, "/bin/true"), 0);
	assert_int_equal(goprobe_trace_start(*state), -1);
	says(*state, "can't open /nonexistent: No such file or directory");
	assert_int_equal(goprobe_trace_fd(*state), -1);

	assert_int_equal(goprobe_trace_replay(t, "/dev/null"), 0);
	assert_int_equal(goprobe_trace_record(t, "x"), 0);
	assert_int_equal(goprobe_trace_plan(t), -1);
	says(t, "what is replayed is recorded already");
	goprobe_trace_free(t);
}

/* A recording of the option alone. */
static void write_option(const char *path, const struct recording_option *option)
{
	const struct recording_head head = {
		.magic = RECORDING_MAGIC, .order = RECORDING_ORDER, .version = RECORDING_VERSION,
	};
	const struct recording_mark mark = { .kind = RECORDING_OPTION, .size = sizeof(*option) };
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(&head, sizeof(head), 1, f), 1);
	assert_int_equal(fwrite(&mark, sizeof(mark), 1, f), 1);
	assert_int_equal(fwrite(option, sizeof(*option), 1, f), 1);
	assert_int_equal(fclose(f), 0);
}

TEST(names_are_redacted)
{
	struct goprobe_trace *t = *state;
	char names[] = "email";

	assert_int_equal(goprobe_trace_redact(*state, "a.b"), -1);
	says(*state, "'a.b' can't be redacted: it is no name");
	assert_int_equal(goprobe_trace_redact(*state, names), 0);
	/* The caller's text is not needed any more. */
	memset(names, 'x', sizeof(names) - 1);
	assert_int_equal(goprobe_trace_redact(*state, "zip,city"), 0);
	assert_int_equal(goprobe_trace_set(*state, GOPROBE_OPTION_NO_REDACT, 1), 0);
	assert_int_equal(goprobe_trace_file(*state, "/nonexistent"), 0);
	assert_int_equal(goprobe_trace_add(*state, "main.f"), 0);
	assert_int_equal(goprobe_trace_plan(*state), -1);
	assert_non_null(strstr(goprobe_trace_error(t), "--no-redact redacts nothing"));
	assert_int_equal(goprobe_trace_set(*state, GOPROBE_OPTION_NO_REDACT, 0), 0);
	assert_true(secret_is_name(&t->o.plan.secrets, "email", NULL));
}

TEST(names_of_a_recording_are_checked)
{
	static const struct recording_head head = {
		.magic = RECORDING_MAGIC, .order = RECORDING_ORDER, .version = RECORDING_VERSION,
	};
	const struct recording_mark mark = { .kind = RECORDING_REDACT, .size = 8 };
	static const char *const names[] = { "customer", "a b,c.d\n", "a,,b\0\0\0\0" };
	char path[] = "/tmp/goprobe-redact.XXXXXX";

	close(mkstemp(path));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct goprobe_trace *t = goprobe_trace_new();
		FILE *f = fopen(path, "w");

		assert_int_equal(fwrite(&head, sizeof(head), 1, f), 1);
		assert_int_equal(fwrite(&mark, sizeof(mark), 1, f), 1);
		assert_int_equal(fwrite(names[i], 8, 1, f), 1);
		fclose(f);
		assert_int_equal(goprobe_trace_replay(t, path), 0);
		assert_int_equal(goprobe_trace_plan(t), -1);
		assert_non_null(strstr(goprobe_trace_error(t), i ? " is damaged: what should be" :
				       " ends before tracing began"));
		goprobe_trace_free(t);
	}
	unlink(path);
}

TEST(options_of_a_recording_are_checked)
{
	static const struct {
		struct recording_option option;
		const char *error;
	} rows[] = {
		{ { .key = GOPROBE_OPTION_DEPTH, .value = 31 }, " ends before tracing began" },
		{ { .key = GOPROBE_OPTION_DEPTH, .value = 32 },
		  " is damaged: the value of 'depth' is from 0 to 31, not 32" },
		{ { .key = 0 }, " is damaged: there is no option 0" },
		{ { .key = UINT32_MAX }, " is damaged: there is no option 4294967295" },
		{ { .key = GOPROBE_OPTION_TIMES, .value = 1 },
		  " is damaged: recordings do not have the option 'times'" },
		{ { .key = GOPROBE_OPTION_SIGNALS, .value = 1 },
		  " is damaged: recordings do not have the option 'signals'" },
	};
	char path[] = "/tmp/goprobe-option.XXXXXX";

	close(mkstemp(path));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct goprobe_trace *t = goprobe_trace_new();

		write_option(path, &rows[i].option);
		assert_int_equal(goprobe_trace_replay(t, path), 0);
		assert_int_equal(goprobe_trace_plan(t), -1);
		assert_true(!strncmp(goprobe_trace_error(t), path, strlen(path)));
		assert_string_equal(goprobe_trace_error(t) + strlen(path), rows[i].error);
		goprobe_trace_free(t);
	}
	unlink(path);
}

/* The array of specs moves when it grows, and the compiled regular expressions must not. */
TEST(regular_expressions_stay_where_they_are)
{
	struct goprobe_trace *t = *state;
	const regex_t *first;

	assert_int_equal(goprobe_trace_add(t, "/^main[.]f$/"), 0);
	first = t->o.specs[0].regex;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(goprobe_trace_add(t, "/^main[.]g$/"), 0);
	assert_ptr_equal(t->o.specs[0].regex, first);
	assert_true(spec_match(&t->o.specs[0], "main.f"));
	assert_false(spec_match(&t->o.specs[0], "main.g"));
	assert_true(spec_match(&t->o.specs[1000], "main.g"));
}

TEST(targets_that_do_not_go_together)
{
	static const char *const command[] = { "true", NULL }, *const nothing[] = { NULL };

	assert_int_equal(goprobe_trace_pid(*state, -1), -1);
	assert_int_equal(goprobe_trace_command(*state, nothing), -1);
	says(*state, "the command is empty");
	assert_int_equal(goprobe_trace_pid(*state, 1), 0);
	assert_int_equal(goprobe_trace_file(*state, "/bin/true"), 0);
	assert_int_equal(goprobe_trace_pid(*state, 2), 0);
	assert_int_equal(goprobe_trace_file(*state, "/bin/false"), -1);
	says(*state, "only one file can be traced");
	assert_int_equal(goprobe_trace_command(*state, command), -1);
	says(*state, "a command, or a recording, is traced alone");
	assert_int_equal(goprobe_trace_replay(*state, "x"), -1);
	says(*state, "a command, or a recording, is traced alone");
}

TEST(a_command_is_traced_alone)
{
	static const char *const command[] = { "true", NULL };

	assert_int_equal(goprobe_trace_command(*state, command), 0);
	assert_int_equal(goprobe_trace_pid(*state, 1), -1);
	says(*state, "a command excludes processes and a file");
	assert_int_equal(goprobe_trace_file(*state, "/bin/true"), -1);
	says(*state, "a command excludes processes and a file");
}

TEST(events_go_one_way)
{
	assert_int_equal(goprobe_trace_output(*state, 3, NULL), -1);
	says(*state, "there is no format 3");
	assert_int_equal(goprobe_trace_record(*state, "x"), 0);
	assert_int_equal(goprobe_trace_output(*state, GOPROBE_FORMAT_JSON, NULL), -1);
	says(*state, "events go one way only: it has been said which");
}

TEST(a_message_points_into_an_invalid_spec)
{
	size_t at, len;
	const char *place;

	assert_int_equal(goprobe_trace_add(*state, "main.f(n)"), 0);
	assert_int_equal(goprobe_trace_add(*state, "main.f if"), -1);
	place = goprobe_trace_place(*state, &at, &len);
	assert_non_null(place);
	assert_string_equal(place, "main.f if");
	assert_true(at <= strlen(place));
}

TEST(what_is_missing_is_said)
{
	struct goprobe_counts n;

	memset(&n, 0xff, sizeof(n));
	goprobe_trace_counts(*state, &n, sizeof(n));
	assert_int_equal(n.events, 0);
	assert_int_equal(goprobe_trace_poll(*state, 0), -1);
	says(*state, "it is not being traced");
	assert_int_equal(goprobe_trace_plan(*state), -1);
	says(*state, "nothing to trace: no process, no file, no command");
	assert_int_equal(goprobe_trace_file(*state, "/nonexistent"), 0);
	assert_int_equal(goprobe_trace_plan(*state), -1);
	says(*state, "no spec: which functions?");
	assert_int_equal(goprobe_trace_add(*state, "main.f"), 0);
	assert_int_equal(goprobe_trace_start(*state), -1);
	assert_non_null(strstr(goprobe_trace_error(*state), "/nonexistent"));
	assert_int_equal(goprobe_trace_exit_status(*state), 0);
}

/* There may be nothing that could end: also of a recording. */
TEST(without_a_command_the_status_is_0)
{
	assert_int_equal(goprobe_trace_exit_status(*state), 0);
	assert_int_equal(goprobe_trace_replay(*state, "/dev/null"), 0);
	assert_int_equal(goprobe_trace_exit_status(*state), 0);
}

/**
 * struct handed - what a callback is to do, and has seen
 * @calls: how often it was called
 * @stop: it wants no more
 */
struct handed {
	unsigned int calls;
	int stop;
};

static const struct gotype an_int = { .kind = GOTYPE_INT, .name = "int", .size = 8 };
static const struct plan_value args[] = {
	{ .name = "n", .type = &an_int, .unavailable = "its place is not known" },
	{ .name = "m", .type = &an_int, .unavailable = "optimized out here" },
};

static const struct gofunc f_fn = { .name = "main.f" };
static const struct plan_func f = {
	.fn = &f_fn, .call = { .values = args, .nvalues = 2, .plan = GOPROBE_NO_PLAN },
};

/* One call of main.f(n, m), of which nothing is known. */
static void hand_out_a_call(struct goprobe_trace *t)
{
	static const struct value_env env;
	struct record rec = { .h = { .kind = GOPROBE_RECORD_CALL } };
	struct value_ctx values;
	const struct output_event e = {
		.kind = OUTPUT_CALL, .fn = &f, .rec = &rec, .v = &values, .tgid = 1, .tid = 1,
	};

	if (!t->json.format) {
		output_init(&t->graph.out, &libgoprobe_events, -1);
		output_init(&t->json, &out_json, -1);
	}
	value_init(&values, &env);
	value_record(&values, &rec);
	libgoprobe_events.event(&t->graph.out, &e);
	value_fini(&values);
}

static int keep_texts(void *ctx, const struct goprobe_event *e)
{
	struct handed *h = ctx;
	const char *text = goprobe_event_json(e), *n = goprobe_event_value_json(e, 0);
	const char *m = goprobe_event_value_json(e, 1);
	struct goprobe_value value;

	h->calls++;
	assert_int_equal(goprobe_event_value(e, 0, &value, sizeof(value)), 0);
	assert_non_null(text);
	assert_non_null(strstr(text, "\"func\":\"main.f\""));
	assert_non_null(strstr(n, "\"name\":\"n\",\"type\":\"int\""));
	assert_non_null(strstr(n, "\"unavailable\":\"its place is not known\"}"));
	assert_non_null(strstr(m, "\"name\":\"m\",\"type\":\"int\""));
	assert_non_null(strstr(m, "\"unavailable\":\"optimized out here\"}"));
	return h->stop;
}

/* All that is had of an event is good until the function returns, not until the next call. */
TEST(texts_of_an_event_stay)
{
	struct handed h = { 0 };

	assert_int_equal(goprobe_trace_on_event(*state, keep_texts, &h), 0);
	hand_out_a_call(*state);
	assert_int_equal(h.calls, 1);
	assert_int_equal(((struct goprobe_trace *)*state)->ntexts, 0);
}

/* Also of a recording, which is not read on then, and nothing more is counted. */
TEST(who_wants_no_more_gets_no_more)
{
	struct goprobe_trace *t = *state;
	struct handed h = { .stop = 1 };

	assert_int_equal(goprobe_trace_on_event(t, keep_texts, &h), 0);
	assert_false(stream_full(&t->stream));
	hand_out_a_call(t);
	assert_true(stream_full(&t->stream));
	hand_out_a_call(t);
	assert_int_equal(h.calls, 1);
}

/* How many descriptors are open. */
static size_t descriptors(void)
{
	size_t n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* A program may make one trace after the other. */
TEST(nothing_stays_open)
{
	struct options o = { .output = "/dev/null" };
	struct sink_opt opt = { .options = &o, .format = &out_text };
	struct goprobe_trace *t = goprobe_trace_new();
	size_t before = descriptors();
	struct plan plan = { .o = &plan_defaults };
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	assert_int_equal(goprobe_trace_set(t, GOPROBE_OPTION_SIGNALS, 1), 0);
	assert_int_equal(goprobe_trace_file(t, "/nonexistent"), 0);
	assert_int_equal(goprobe_trace_add(t, "main.f"), 0);
	assert_int_equal(goprobe_trace_plan(t), -1);
	assert_int_equal(sink_open(&t->graph.out, &t->stream, &plan, &opt, &t->diag), 0);
	assert_int_equal(descriptors(), before + 2);
	goprobe_trace_free(t);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	assert_int_equal(descriptors(), before);
}

static void keep_notice(void *ctx, const char *text)
{
	char **kept = ctx;

	free(*kept);
	*kept = strdup(text);
}

/* The library prints nothing: what there is to say is a notice. */
TEST(warnings_are_notices)
{
	struct goprobe_trace *t = *state;
	struct plan plan = { .o = &plan_defaults, .descendant = 34 };
	char *kept = NULL;

	t->watch.run.session.ctx = &kept;
	t->watch.run.session.say = keep_notice;
	t->watch.run.session.plan = &plan;
	diag_set(&t->diag, "no process is named");
	session_say_unknown(&t->watch.run.session, &t->diag);
	t->watch.run.session.plan = NULL;
	assert_non_null(kept);
	assert_non_null(strstr(kept, "warning: no process is named: of those that run already "));
	assert_non_null(strstr(kept, " is taken for a descendant of goroutine 34"));
	free(kept);
}

/* A caller that was compiled with a smaller struct. */
TEST(counts_are_no_larger_than_the_caller_says)
{
	uint64_t some[2] = { 7, 7 };

	goprobe_trace_counts(*state, (struct goprobe_counts *)some, sizeof(some[0]));
	assert_int_equal(some[0], 0);
	assert_int_equal(some[1], 7);
}

AROUND_EACH(setup, teardown)
