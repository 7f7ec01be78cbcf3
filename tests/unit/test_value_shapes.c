// SPDX-License-Identifier: GPL-2.0
/*
 * value_known.c against the types of each toolchain: do they still have the
 * fields that the forms look for?
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "bins.h"
#include "recs.h"

/*
 * A value in which all strings are "x", and all interfaces hold an error that says
 * "x"; all else is 0.
 */
static const struct row {
	const char *type;
	int first, last;	/* Go 1.N; last 0: until now */
	const char *text;
} rows[] = {
	{ "time.Time", 15, 0, "time.Time{}" },
	{ "time.Duration", 15, 0, "0s" },
	{ "time.Weekday", 15, 0, "time.Sunday" },
	{ "time.Month", 15, 0, "time.Month(0)" },
	{ "os.FileMode", 15, 15, "----------" },
	{ "io/fs.FileMode", 16, 0, "----------" },
	{ "net.IP", 15, 0, "nil" },
	{ "errors.errorString", 15, 0, "errors.errorString(\"x\")" },
	{ "fmt.wrapError", 15, 0, "fmt.wrapError(\"x\", *errors.errorString)" },
	{ "os.PathError", 15, 15, "os.PathError(\"x x: x\", *errors.errorString)" },
	{ "io/fs.PathError", 16, 0, "fs.PathError(\"x x: x\", *errors.errorString)" },
	{ "os.SyscallError", 15, 0, "os.SyscallError(\"x: x\", *errors.errorString)" },
	{ "os.LinkError", 15, 0, "os.LinkError(\"x x x: x\", *errors.errorString)" },
	{ "os/exec.Error", 15, 0, "exec.Error(\"exec: \\\"x\\\": x\", *errors.errorString)" },
	{ "net/url.Error", 15, 0, "url.Error(\"x \\\"x\\\": x\", *errors.errorString)" },
	{ "strconv.NumError", 15, 0,
	  "strconv.NumError(\"strconv.x: parsing \\\"x\\\": x\", *errors.errorString)" },
	{ "encoding/json.SyntaxError", 15, 0, "json.SyntaxError(\"x\")" },
	{ "context.emptyCtx", 15, 20, "context.emptyCtx" },
	{ "context.backgroundCtx", 21, 0, "context.Background" },
	{ "context.todoCtx", 21, 0, "context.TODO" },
	{ "context.cancelCtx", 15, 0, "*errors.errorString(\"x\").WithCancel[x]" },
	{ "context.timerCtx", 15, 0,
	  "*errors.errorString(\"x\").WithDeadline(time.Time{})[x]" },
	{ "context.valueCtx", 15, 0,
	  "*errors.errorString(\"x\").WithValue(*errors.errorString(\"x\"), *errors.errorString(\"x\"))"
	},
	{ "sync.Mutex", 15, 0, "sync.Mutex{unlocked}" },
	{ "sync.RWMutex", 15, 0, "sync.RWMutex{unlocked}" },
	{ "sync.WaitGroup", 15, 17,
	  "sync.WaitGroup{noCopy: sync.noCopy{}, state1: [3]uint32{0, 0, 0}}" },
	{ "sync.WaitGroup", 18, 0, "sync.WaitGroup{counter: 0}" },
	{ "sync.Once", 15, 0, "sync.Once{not done}" },
	{ "sync/atomic.Value", 15, 0, "atomic.Value(*errors.errorString(\"x\"))" },
	{ "sync/atomic.Int32", 19, 0, "atomic.Int32(0)" },
	{ "sync/atomic.Int64", 19, 0, "atomic.Int64(0)" },
	{ "sync/atomic.Uint32", 19, 0, "atomic.Uint32(0)" },
	{ "sync/atomic.Uint64", 19, 0, "atomic.Uint64(0)" },
	{ "sync/atomic.Uintptr", 19, 0, "atomic.Uintptr(0x0)" },
	{ "sync/atomic.Bool", 19, 0, "atomic.Bool(false)" },
	{ "sync/atomic.Pointer[main.holder]", 19, 0, "atomic.Pointer[main.holder](nil)" },
};

#define TEXT	0x5000
#define BOOM	0x5100
#define ITAB	0x5200

static uint64_t descriptor;

static void fill(const struct gotype *t, uint8_t *p)
{
	uint64_t string[] = { TEXT, 1 }, iface[] = { t->empty ? descriptor : ITAB, BOOM };

	switch (t->kind) {
	case GOTYPE_STRING:
		memcpy(p, string, 16);
		break;
	case GOTYPE_INTERFACE:
		memcpy(p, iface, 16);
		break;
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++)
			fill(t->fields[i].type, p + t->fields[i].offset);
		break;
	default:
		break;
	}
}

static void check(struct gobin *bin, int minor, const struct row *row)
{
	const struct gotype *t = gobin_find_type(bin, row->type);
	uint8_t *p;

	if (!t)
		fail_msg("Go 1.%d: no type %s", minor, row->type);
	p = calloc(1, t->size + 1);
	fill(t, p);

	const char *text = recs_show(t, p, false);

	if (strcmp(text, row->text) != 0)
		fail_msg("Go 1.%d: %s is %s", minor, row->type, text);
	free(p);
}

static void test_shapes(void **state)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list_of("known", "", v);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct gobin *bin = bins_open(v[i].path);
		const struct gotype *error = gobin_find_type(bin, "*errors.errorString");

		assert_non_null(error);
		recs_begin();
		recs_go(v[i].minor);
		descriptor = recs_type(error, true);
		recs_text(TEXT, "x");
		PUT(BOOM, TEXT, 1);
		recs_itab(ITAB, descriptor);
		for (size_t k = 0; k < N(rows); k++)
			if (v[i].minor >= rows[k].first &&
			    (!rows[k].last || v[i].minor <= rows[k].last))
				check(bin, v[i].minor, &rows[k]);
		recs_end();
		gobin_free(bin);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "well-known types have the fields that their forms look for", test_shapes },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
