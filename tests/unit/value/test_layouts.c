// SPDX-License-Identifier: GPL-2.0
/*
 * value/std.c against the types of each toolchain: do they still have the
 * fields that the forms look for?
 */
#include "bins.h"
#include "recs.h"
#include "rows.h"

/*
 * A value in which all strings are "x", and all interfaces hold an error that says
 * "x"; all else is 0.
 */
static const struct row {
	const char *type;
	const char *text;
	int first, last;	/* Go 1.N; 0: always, until now */
} rows[] = {
	{ "time.Time", "time.Time{}" },
	{ "time.Duration", "0s" },
	{ "time.Weekday", "time.Sunday" },
	{ "time.Month", "time.Month(0)" },
	{ "os.FileMode", "----------", 0, 15 },
	{ "io/fs.FileMode", "----------", 16 },
	{ "net.IP", "nil" },
	{ "net.HardwareAddr", "nil" },
	{ "errors.errorString", "errors.errorString(\"x\")" },
	{ "fmt.wrapError", "fmt.wrapError(\"x\", *errors.errorString)" },
	{ "os.PathError", "os.PathError(\"x x: x\", *errors.errorString)", 0, 15 },
	{ "io/fs.PathError", "fs.PathError(\"x x: x\", *errors.errorString)", 16 },
	{ "os.SyscallError", "os.SyscallError(\"x: x\", *errors.errorString)" },
	{ "os.LinkError", "os.LinkError(\"x x x: x\", *errors.errorString)" },
	{ "os/exec.Error", "exec.Error(\"exec: \\\"x\\\": x\", *errors.errorString)" },
	{ "net/url.Error", "url.Error(\"x \\\"x\\\": x\", *errors.errorString)" },
	{ "strconv.NumError",
	  "strconv.NumError(\"strconv.x: parsing \\\"x\\\": x\", *errors.errorString)" },
	{ "encoding/json.SyntaxError", "json.SyntaxError(\"x\")" },
	{ "context.emptyCtx", "context.emptyCtx", 0, 20 },
	{ "context.backgroundCtx", "context.Background", 21 },
	{ "context.todoCtx", "context.TODO", 21 },
	{ "context.cancelCtx", "ctx{x, in *errors.errorString(\"x\")}" },
	{ "context.timerCtx", "ctx{deadline time.Time{}, x, in *errors.errorString(\"x\")}" },
	{ "context.valueCtx",
	  "ctx{*errors.errorString(\"x\"): *errors.errorString(\"x\"), in *errors.errorString(\"x\")}"
	},
	{ "sync.Mutex", "sync.Mutex{unlocked}" },
	{ "sync.RWMutex", "sync.RWMutex{unlocked}" },
	{ "sync.WaitGroup",
	  "sync.WaitGroup{noCopy: sync.noCopy{}, state1: [3]uint32{0, 0, 0}}", 0, 17 },
	{ "sync.WaitGroup", "sync.WaitGroup{counter: 0}", 18 },
	{ "sync.Once", "sync.Once{not done}" },
	{ "sync/atomic.Value", "atomic.Value(*errors.errorString(\"x\"))" },
	{ "sync/atomic.Int32", "atomic.Int32(0)", 19 },
	{ "sync/atomic.Int64", "atomic.Int64(0)", 19 },
	{ "sync/atomic.Uint32", "atomic.Uint32(0)", 19 },
	{ "sync/atomic.Uint64", "atomic.Uint64(0)", 19 },
	{ "sync/atomic.Uintptr", "atomic.Uintptr(0x0)", 19 },
	{ "sync/atomic.Bool", "atomic.Bool(false)", 19 },
	{ "math/big.Int", "0" },
	{ "math/big.Rat", "0/1" },
	{ "math/big.Float", "0" },
	{ "log/slog.Value", "slog.Value(*errors.errorString(\"x\"))", 24 },
	{ "weak.Pointer[main.holder]", "weak.Pointer[main.holder](nil)", 24 },
	{ "sync/atomic.Pointer[main.holder]", "atomic.Pointer[main.holder](nil)", 19 },
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

TEST(test_shapes, "well-known types have the fields that their forms look for")
{
	struct bins_each b = BINS("known", "");

	while (bins_next(&b)) {
		const struct gotype *error = gobin_find_type(b.bin, "*errors.errorString");

		assert_non_null(error);
		recs_begin();
		recs_go(b.minor);
		descriptor = recs_type(error, true);
		recs_text(TEXT, "x");
		PUT(BOOM, TEXT, 1);
		recs_itab(ITAB, descriptor);
		for (size_t k = 0; k < N(rows); k++)
			if (b.minor >= rows[k].first &&
			    (!rows[k].last || b.minor <= rows[k].last))
				check(b.bin, b.minor, &rows[k]);
		recs_end();
	}
}
