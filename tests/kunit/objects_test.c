// SPDX-License-Identifier: GPL-2.0
/*
 * What a session is given that concerns filters, and calls that are paired or held: which way
 * hits go, what does not go together, and that of a message that is refused nothing stays.
 * Files and breakpoints are the test's.
 */
#include "objects_world.h"

#define PLAN_BYTES	(48 + 16 + 64)	/* the largest record of the plan */

static int add_filters(const struct goprobe_filter *filters, u32 nfilters,
		       const struct goprobe_op *ops, u32 nops)
{
	const struct gp_request request = {
		.filters = filters, .nfilters = nfilters, .ops = ops, .nops = nops,
	};

	return gp_objects_add_filters(&s, &request, &extack);
}

/*
 * A session with a file, a plan, and filters: 1 is tests, 2 is a program, 3 is for ends; 4 is an
 * edit, 5 one that sets g.
 */
static int contents_init(struct kunit *test)
{
	static const struct goprobe_op ops[] = {
		{ .code = GOPROBE_OP_REG, .a = 1 },
		{ .code = GOPROBE_OP_JEQ_I, .a = 1, .offset = 1 },
		{ .code = GOPROBE_OP_REJECT },
		{ .code = GOPROBE_OP_NUMBER, .a = 1 },
		{ .code = GOPROBE_OP_DURATION, .a = 1 },
		{ .code = GOPROBE_OP_SET, .b = 1 },
		{ .code = GOPROBE_OP_SET, .b = 14 },
	};
	static const struct goprobe_filter filters[] = {
		{ 0, 3 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 },
	};
	static const struct goprobe_type type = { .size = 16 };
	static const struct goprobe_plan plan = { .bytes = 64, .objects = 1 };
	const struct gp_request request = {
		.types = &type, .ntypes = 1, .plans = &plan, .nplans = 1,
	};

	memset(&s, 0, sizeof(s));
	memset(&extack, 0, sizeof(extack));
	refused_point = 0;
	nadded = 0;
	mutex_init(&s.turn);
	mutex_init(&s.lock);
	gp_tallies_init(&s.tallies);
	s.limits.calls = GP_CALLS_MIN;
	s.limits.pending = (struct goprobe_pending_limit){ .calls = 10, .bytes = PLAN_BYTES + 8 };
	s.objects.files[0] = kzalloc(sizeof(*s.objects.files[0]), GFP_KERNEL);
	if (!s.objects.files[0])
		return -ENOMEM;
	s.objects.files[0]->runtime = rt;
	s.objects.nfiles = 1;
	if (gp_objects_add_types(&s, &request, &extack) ||
	    gp_objects_add_plans(&s, &request, &extack) ||
	    add_filters(filters, 5, ops, ARRAY_SIZE(ops)) != 1)
		return -EINVAL;
	return 0;
}

static void contents_exit(struct kunit *test)
{
	gp_points_del_all(&s);
	gp_objects_free(&s);
}

/* A point that nothing is wrong with. */
static struct goprobe_point a_point(u8 kind, u8 action, u8 flags, u32 filter)
{
	return (struct goprobe_point){
		.offset = 0x1000, .id = 1, .plan = GOPROBE_NO_PLAN, .kind = kind,
		.flags = flags, .code_len = 2, .code = { 0x76, 0x3b }, .action = action,
		.filter = filter,
	};
}

static int add(const struct goprobe_point *points, u32 n)
{
	const struct gp_request request = { .points = points, .npoints = n };

	extack._msg = NULL;
	return gp_points_add(&s, &request, &extack);
}

/* It is refused for that reason, and nothing has been added. */
static void expect_refused(struct kunit *test, const struct goprobe_point *p, const char *why)
{
	u32 n = s.objects.nprobes;

	KUNIT_EXPECT_EQ(test, add(p, 1), -EINVAL);
	KUNIT_EXPECT_TRUE_MSG(test, extack._msg && strstr(extack._msg, why), "%s, not %s",
			      extack._msg ?: "nothing", why);
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, n);
}

static void expect_added(struct kunit *test, const struct goprobe_point *p)
{
	u32 n = s.objects.nprobes;

	KUNIT_EXPECT_EQ(test, add(p, 1), (int)n + 1);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "accepted", "accepted");
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, n + 1);
}

/* ---- which way ---- */

#define RECORD		GOPROBE_ACTION_RECORD
#define COUNT		GOPROBE_ACTION_COUNT
#define TIME		GOPROBE_ACTION_TIME
#define CALL		GOPROBE_POINT_CALL
#define RETURN		GOPROBE_POINT_RETURN
#define TAIL		GOPROBE_POINT_TAIL
#define PAIR		GOPROBE_POINT_F_PAIRED
#define HOLD		(GOPROBE_POINT_F_PAIRED | GOPROBE_POINT_F_PENDING)
#define ABI0		GOPROBE_POINT_F_ABI0

struct way_case {
	const char *claim;
	u8 kind, action, flags;
	u32 filter;
	u8 way, then;
};

static const struct way_case way_cases[] = {
	{ "a record", CALL, RECORD, 0, 0, GP_WAY_QUICK, GP_WAY_QUICK },
	{ "a record, g in TLS", CALL, RECORD, ABI0, 0, GP_WAY_GENERAL, GP_WAY_GENERAL },
	{ "a record of a return", RETURN, RECORD, 0, 0, GP_WAY_QUICK, GP_WAY_QUICK },
	{ "a record, filtered", CALL, RECORD, 0, 1, GP_WAY_FILTER, GP_WAY_QUICK },
	{ "a record of a return, filtered", RETURN, RECORD, 0, 2, GP_WAY_FILTER, GP_WAY_QUICK },
	{ "counted", CALL, COUNT, 0, 0, GP_WAY_COUNT, GP_WAY_COUNT },
	{ "counted, filtered", CALL, COUNT, 0, 2, GP_WAY_FILTER, GP_WAY_COUNT },
	{ "a timed call", CALL, TIME, 0, 0, GP_WAY_ENTER, GP_WAY_ENTER },
	{ "a timed call, filtered", CALL, TIME, 0, 1, GP_WAY_FILTER, GP_WAY_ENTER },
	{ "its return", RETURN, TIME, 0, 0, GP_WAY_LEAVE, GP_WAY_LEAVE },
	{ "its return, filtered", RETURN, TIME, 0, 1, GP_WAY_END, GP_WAY_END },
	{ "its return, filtered by how long it took", RETURN, TIME, 0, 3, GP_WAY_END, GP_WAY_END },
	{ "a tail call, filtered by that", TAIL, TIME, 0, 3, GP_WAY_END, GP_WAY_END },
	{ "a paired call", CALL, RECORD, PAIR, 0, GP_WAY_CALL, GP_WAY_CALL },
	{ "a paired call, filtered", CALL, RECORD, PAIR, 1, GP_WAY_FILTER, GP_WAY_CALL },
	{ "its return", RETURN, RECORD, PAIR, 0, GP_WAY_END, GP_WAY_END },
	{ "its return, filtered", RETURN, RECORD, PAIR, 3, GP_WAY_END, GP_WAY_END },
	{ "a held call", CALL, RECORD, HOLD, 0, GP_WAY_CALL, GP_WAY_CALL },
	{ "a held call, filtered", CALL, RECORD, HOLD, 2, GP_WAY_FILTER, GP_WAY_CALL },
};

static void way_desc(const struct way_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, way_cases, way_desc);

static void hits_go_their_way(struct kunit *test)
{
	const struct way_case *c = test->param_value;
	struct goprobe_point p = a_point(c->kind, c->action, c->flags, c->filter);
	const struct gp_probe *probe;

	expect_added(test, &p);
	KUNIT_ASSERT_EQ(test, s.objects.nprobes, 1U);
	probe = s.objects.probes[0];
	KUNIT_EXPECT_EQ(test, (u32)probe->way, (u32)c->way);
	KUNIT_EXPECT_EQ(test, (u32)probe->then, (u32)c->then);
	KUNIT_EXPECT_EQ(test, probe->quick, !(c->flags & ABI0));
	KUNIT_EXPECT_PTR_EQ(test, probe->filter,
			    c->filter ? s.objects.filters[c->filter - 1] : NULL);
	KUNIT_EXPECT_EQ(test, !!probe->tally, c->action != RECORD || c->flags & PAIR);
	if (probe->tally)
		KUNIT_EXPECT_EQ(test, !!probe->tally->times, c->action == TIME);
	KUNIT_EXPECT_EQ(test, !!s.calls, c->action == TIME || c->flags & PAIR);
	if (s.calls)
		KUNIT_EXPECT_EQ(test, !!s.calls->held, (c->flags & HOLD) == HOLD);
}

/* ---- what does not go together ---- */

#define BOTH_WAYS	"its id is both timed and paired"
#define NO_END		"a filter uses a duration, but no timed or paired call ends"
#define NO_HOLD		"the session has no pending records; set GOPROBE_A_PENDING_LIMIT"
#define TOO_LARGE	"its plan's records can be larger than a pending record"

static void an_id_is_timed_or_paired(struct kunit *test)
{
	struct goprobe_point timed = a_point(CALL, TIME, 0, 0);
	struct goprobe_point paired = a_point(RETURN, RECORD, PAIR, 0);
	struct goprobe_point both[2] = { timed, paired };

	expect_added(test, &timed);
	expect_refused(test, &paired, BOTH_WAYS);
	paired.id = 2;
	timed.id = 2;
	expect_added(test, &paired);
	expect_refused(test, &timed, BOTH_WAYS);
	/* Not by one message either. */
	both[0].id = 3;
	both[1].id = 3;
	KUNIT_EXPECT_EQ(test, add(both, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 2U);
	/* Counted it may be as well. */
	timed.action = COUNT;
	expect_added(test, &timed);
}

/* Their number is one for all CPUs. Rejected calls look at it, unless calls were open before. */
static void open_calls_are_counted_if_the_first_call_has_a_filter(struct kunit *test)
{
	static const struct { u32 first, second; bool counts; } rows[] = {
		{ 0, 0, false }, { 0, 1, false }, { 1, 0, true }, { 1, 2, true },
	};
	struct goprobe_point p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		p = a_point(RETURN, RECORD, PAIR, 3);
		p.id = 10 + i;
		expect_added(test, &p);
		p = a_point(CALL, RECORD, PAIR, rows[i].first);
		p.id = 10 + i;
		expect_added(test, &p);
		p.filter = rows[i].second;
		expect_added(test, &p);
		KUNIT_EXPECT_EQ_MSG(test, gp_tallies_find(&s.tallies, p.id)->counts_open,
				    rows[i].counts, "row %u", i);
	}
}

static void only_ends_have_a_duration(struct kunit *test)
{
	static const struct { u8 kind, action, flags; } no[] = {
		{ CALL, RECORD, 0 }, { RETURN, RECORD, 0 }, { TAIL, RECORD, 0 },
		{ CALL, COUNT, 0 }, { RETURN, COUNT, 0 }, { CALL, TIME, 0 },
		{ CALL, RECORD, PAIR }, { CALL, RECORD, HOLD },
	};
	struct goprobe_point p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(no); i++) {
		p = a_point(no[i].kind, no[i].action, no[i].flags, 3);
		expect_refused(test, &p, NO_END);
	}
	p = a_point(CALL, RECORD, 0, 6);
	expect_refused(test, &p, "a point names a filter that does not exist");
}

static void held_calls_have_space(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, RECORD, HOLD, 0);

	s.limits.pending.bytes = sizeof(struct gp_pending_record) - 1;
	expect_refused(test, &p, TOO_LARGE);
	s.limits.pending.bytes++;
	expect_added(test, &p);
	p.plan = 0;
	KUNIT_ASSERT_EQ(test, s.objects.plans[0]->record_bytes, (u32)PLAN_BYTES);
	s.limits.pending.bytes = PLAN_BYTES + 7;
	expect_refused(test, &p, TOO_LARGE);
	s.limits.pending.bytes++;
	expect_added(test, &p);
	s.limits.pending.calls = 0;
	expect_refused(test, &p, NO_HOLD);
	/* Those that are paired only need none. */
	p = a_point(CALL, RECORD, PAIR, 0);
	expect_added(test, &p);
}

#define NO_KEY		"its filter makes no key, so it notifies of nothing"
#define NO_STATES	"it notifies of states, and the session has none"
#define NO_DIVISION	"its records have times by state, and the session has no states"
#define DIVIDED		(GOPROBE_POINT_F_PAIRED | GOPROBE_POINT_F_SPLIT)
#define STATE		GOPROBE_ACTION_STATE

/* A filter that makes a key. Return: its id. */
static int add_keyed(void)
{
	static const struct goprobe_op ops[] = { { .code = GOPROBE_OP_KEY } };
	static const struct goprobe_filter keyed = { 0, 1 };

	return add_filters(&keyed, 1, ops, 1);
}

static void a_state_notification_needs_a_key_and_states(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, STATE, 0, 0);
	int keyed = add_keyed();

	KUNIT_ASSERT_GT(test, keyed, 0);
	expect_refused(test, &p, NO_KEY);
	p.filter = 1;
	expect_refused(test, &p, NO_KEY);
	p.filter = keyed;
	expect_refused(test, &p, NO_STATES);
	s.limits.states = 3;
	/* That takes no space for keys. */
	expect_added(test, &p);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[0]->way, (u32)GP_WAY_NOTIFY);
	KUNIT_EXPECT_NULL(test, s.keys);
	KUNIT_EXPECT_NULL(test, s.objects.probes[0]->tally);
	KUNIT_ASSERT_NOT_NULL(test, s.calls);
	KUNIT_EXPECT_NOT_NULL(test, s.calls->states);
	/* Counting by key needs it. */
	p = a_point(CALL, COUNT, 0, keyed);
	expect_refused(test, &p, "the session has no keys; set GOPROBE_A_KEY_LIMIT");
	s.limits.keys = (struct goprobe_key_limit){ .number = 10, .bytes = 8 };
	expect_added(test, &p);
	KUNIT_EXPECT_NOT_NULL(test, s.keys);
}

/* The key may be another point's: of the call, whose end this is. */
static void who_times_by_key_has_a_filter_that_makes_one(struct kunit *test)
{
	struct goprobe_point p = a_point(RETURN, TIME, GOPROBE_POINT_F_KEYED, 0);
	int keyed;

	s.limits.keys = (struct goprobe_key_limit){ .number = 10, .bytes = 8 };
	KUNIT_EXPECT_EQ(test, add(&p, 1), -ENOENT);
	KUNIT_EXPECT_TRUE(test, extack._msg &&
			  strstr(extack._msg, "no filter of the session makes keys"));
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 0U);
	keyed = add_keyed();
	KUNIT_ASSERT_GT(test, keyed, 0);
	expect_added(test, &p);
	KUNIT_EXPECT_NOT_NULL(test, s.keys);
}

#define NO_VALUE	"a filter makes a value, but the point neither counts nor ends timed calls"
#define OTHER_VALUES	"its id is both timed and counted with values"

/* A filter that makes a value. Return: its id. */
static int add_valued(void)
{
	static const struct goprobe_op ops[] = { { .code = GOPROBE_OP_SVALUE } };
	static const struct goprobe_filter valued = { 0, 1 };

	return add_filters(&valued, 1, ops, 1);
}

static void values_are_of_hits_that_count_or_of_ends(struct kunit *test)
{
	static const struct { u8 kind, action, flags; } no[] = {
		{ CALL, RECORD, 0 }, { RETURN, RECORD, 0 }, { CALL, STATE, 0 }, { CALL, TIME, 0 },
		{ CALL, TIME, GOPROBE_POINT_F_KEYED }, { CALL, RECORD, PAIR },
		{ RETURN, RECORD, PAIR },
	};
	struct goprobe_point p;
	int valued = add_valued();
	u32 i;

	KUNIT_ASSERT_GT(test, valued, 0);
	s.limits.states = 3;
	for (i = 0; i < ARRAY_SIZE(no); i++) {
		p = a_point(no[i].kind, no[i].action, no[i].flags, valued);
		expect_refused(test, &p, NO_VALUE);
	}
	p = a_point(CALL, COUNT, 0, valued);
	expect_refused(test, &p, "the session has no keys; set GOPROBE_A_KEY_LIMIT");
	s.limits.keys = (struct goprobe_key_limit){ .number = 1, .bytes = 8 };
	expect_added(test, &p);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[0]->way, (u32)GP_WAY_COUNT_KEY);
	KUNIT_EXPECT_TRUE(test, s.objects.probes[0]->tally->valued);
	KUNIT_EXPECT_TRUE(test, !!s.objects.probes[0]->tally->times);
	/* Its other hits count; calls of the id can be neither timed nor paired. */
	p.filter = 0;
	expect_added(test, &p);
	p.action = TIME;
	expect_refused(test, &p, OTHER_VALUES);
	p = a_point(CALL, RECORD, PAIR, 0);
	expect_refused(test, &p, BOTH_WAYS);
	/* Nor has a timed id hits with values; its ends may have. */
	p = a_point(RETURN, TIME, 0, valued);
	p.id = 2;
	expect_refused(test, &p, "the point neither counts nor times by key");
	p.flags = GOPROBE_POINT_F_KEYED;
	expect_added(test, &p);
	p = a_point(CALL, COUNT, 0, valued);
	p.id = 2;
	expect_refused(test, &p, OTHER_VALUES);
	p = a_point(RETURN, RECORD, PAIR, 0);
	p.id = 3;
	expect_added(test, &p);
	p = a_point(CALL, COUNT, 0, valued);
	p.id = 3;
	expect_refused(test, &p, BOTH_WAYS);
}

static void divided_calls_need_states_and_space(struct kunit *test)
{
	struct goprobe_point p = a_point(RETURN, RECORD, DIVIDED, 0);

	expect_refused(test, &p, NO_DIVISION);
	s.limits.states = GOPROBE_STATES_MAX;
	expect_added(test, &p);
	p.plan = 0;
	s.objects.plans[0]->record_bytes = GP_RECORD_MAX - 8 * GOPROBE_STATES_MAX;
	expect_added(test, &p);
	s.objects.plans[0]->record_bytes += 8;
	expect_refused(test, &p, "can be larger than 24 KiB");
}

static void what_is_timed_goes_the_general_way_if_there_are_states(struct kunit *test)
{
	struct goprobe_point call = a_point(CALL, TIME, 0, 0), ret = a_point(RETURN, TIME, 0, 0);

	s.limits.states = 3;
	s.tallies.nstates = 3;
	expect_added(test, &call);
	expect_added(test, &ret);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[0]->way, (u32)GP_WAY_TIME);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[1]->way, (u32)GP_WAY_TIME);
	KUNIT_EXPECT_NOT_NULL(test, s.calls->states);
	KUNIT_EXPECT_TRUE(test, !!s.objects.probes[0]->tally->states);
}

static void edits_need_consent(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, RECORD, 0, 1);

	p.edit = 4;
	gp_edit_param = false;
	KUNIT_EXPECT_EQ(test, add(&p, 1), -EPERM);
	KUNIT_EXPECT_TRUE(test, strstr(extack._msg, "without allow_writes=1"));
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 0U);
	gp_edit_param = true;
	expect_added(test, &p);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[0]->way, (u32)GP_WAY_EDIT);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[0]->then, (u32)GP_WAY_QUICK);
	KUNIT_EXPECT_PTR_EQ(test, s.objects.probes[0]->edit, s.objects.filters[3]);
	p.flags = HOLD;
	expect_added(test, &p);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[1]->way, (u32)GP_WAY_EDIT);
	KUNIT_EXPECT_EQ(test, (u32)s.objects.probes[1]->then, (u32)GP_WAY_CALL);
}

static void edits_and_filters_are_distinguished(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, RECORD, 0, 4);

	gp_edit_param = true;
	expect_refused(test, &p, "a filter that is no edit sets, writes or delays");
	p = a_point(CALL, RECORD, 0, 0);
	p.edit = 1;
	expect_refused(test, &p, "its edit neither sets nor writes nor delays anything");
	p.edit = 5;
	expect_refused(test, &p, "its edit sets the register of g");
	/* Where g is in none, that is any register. */
	s.objects.files[0]->runtime.g_reg = GOPROBE_REG_NONE;
	expect_added(test, &p);
	p = a_point(CALL, COUNT, 0, add_keyed());
	p.edit = 4;
	s.limits.keys = (struct goprobe_key_limit){ .number = 10, .bytes = 8 };
	expect_refused(test, &p, "a point that counts by key cannot have an edit");
}

/* ---- limits ---- */

static void a_session_holds_no_more_than_its_limits(struct kunit *test)
{
	static const struct goprobe_type type = { .size = 8, .nrefs = 1 };
	static const struct goprobe_ref ref = { .kind = GOPROBE_REF_FUNC };
	const struct gp_request request = {
		.types = &type, .ntypes = 1, .refs = &ref, .nrefs = 1, .nplans = 1,
	};
	struct goprobe_point p = a_point(CALL, COUNT, 0, 0);

	s.objects.nfiles = GP_FILES_MAX;
	KUNIT_EXPECT_EQ(test, gp_objects_add_file(&s, NULL, &rt, &extack), -E2BIG);
	s.objects.nfiles = 1;
	s.objects.types.nrefs = GP_REFS_MAX;
	KUNIT_EXPECT_EQ(test, gp_objects_add_types(&s, &request, &extack), -E2BIG);
	s.objects.types.nrefs = 0;
	s.objects.nplans = GP_PLANS_MAX;
	KUNIT_EXPECT_EQ(test, gp_objects_add_plans(&s, &request, &extack), -E2BIG);
	s.objects.nplans = 1;
	s.objects.nprobes = GP_POINTS_MAX;
	KUNIT_EXPECT_EQ(test, add(&p, 1), -E2BIG);
	s.objects.nprobes = 0;
	s.tallies.n = GP_TALLIES_MAX;
	KUNIT_EXPECT_EQ(test, add(&p, 1), -E2BIG);
	s.tallies.n = 0;
	expect_added(test, &p);
}

static void a_session_that_is_stopped_takes_no_files_and_points(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, RECORD, 0, 0);

	s.stopped = true;
	KUNIT_EXPECT_EQ(test, gp_objects_add_file(&s, 0, &rt, &extack), -ESHUTDOWN);
	KUNIT_EXPECT_EQ(test, add(&p, 1), -ESHUTDOWN);
}

static void a_refused_breakpoint_is_reported_as_other_points(struct kunit *test)
{
	struct goprobe_point p = a_point(CALL, RECORD, 0, 0);

	refused_point = nadded + 1;
	KUNIT_EXPECT_EQ(test, add(&p, 1), -EEXIST);
	KUNIT_EXPECT_STREQ(test, extack._msg,
			   "point 1 at file offset 0x1000: the session already times or pairs this place");
	p.filter = 99;
	KUNIT_EXPECT_EQ(test, add(&p, 1), -EINVAL);
	KUNIT_EXPECT_STREQ(test, extack._msg,
			   "point 1 at file offset 0x1000: a point names a filter that does not exist");
}

/* ---- all or none ---- */

static void of_filters_that_are_refused_none_stays(struct kunit *test)
{
	static const struct goprobe_op ops[] = {
		{ .code = GOPROBE_OP_END },
		{ .code = GOPROBE_OP_UNDER, .value = 9 },
		{ .code = GOPROBE_OP_TRY },
	};
	static const struct goprobe_filter bad[] = { { 0, 1 }, { 2, 1 } };
	static const struct goprobe_filter good[] = { { 0, 1 }, { 1, 1 } };

	KUNIT_EXPECT_EQ(test, add_filters(bad, 2, ops, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, s.objects.nfilters, 5U);
	/* There can't be any more ids. */
	s.tallies.n = GP_TALLIES_MAX;
	KUNIT_EXPECT_EQ(test, add_filters(good, 2, ops, 3), -E2BIG);
	KUNIT_EXPECT_EQ(test, s.objects.nfilters, 5U);
	s.tallies.n = 0;
	KUNIT_EXPECT_TRUE(test, !s.calls);
	KUNIT_EXPECT_EQ(test, add_filters(good, 2, ops, 3), 6);
	KUNIT_EXPECT_EQ(test, s.objects.nfilters, 7U);
	/* A request for open calls has an answer, although there are none yet. */
	KUNIT_EXPECT_TRUE(test, s.calls);
	KUNIT_EXPECT_TRUE(test, s.objects.filters[6]->under);
	s.objects.nfilters = GP_FILTERS_MAX - 1;
	KUNIT_EXPECT_EQ(test, add_filters(good, 2, ops, 3), -E2BIG);
	s.objects.nfilters = 7;
}

static void of_points_that_are_refused_none_stays(struct kunit *test)
{
	struct goprobe_point points[3] = {
		a_point(CALL, RECORD, HOLD, 1), a_point(RETURN, RECORD, PAIR, 3),
		a_point(TAIL, RECORD, PAIR, 3),
	};

	refused_point = 3;
	nguarded = 0;
	KUNIT_EXPECT_EQ(test, add(points, 3), -EEXIST);
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 0U);
	KUNIT_EXPECT_EQ(test, nguarded, 0U);
	KUNIT_EXPECT_EQ(test, add(points, 3), 3);
	/* The breaker looks from the first ones on. */
	KUNIT_EXPECT_EQ(test, nguarded, 1U);
	/* The last one is looked at before the first is set. */
	points[2].filter = 99;
	nadded = 0;
	KUNIT_EXPECT_EQ(test, add(points, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, nadded, 0U);
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 3U);
}

static void a_session_that_ends_adds_no_more_and_leaves_none(struct kunit *test)
{
	struct goprobe_point points[3] = {
		a_point(CALL, RECORD, 0, 0), a_point(CALL, RECORD, 0, 0),
		a_point(CALL, RECORD, 0, 0),
	};

	expect_added(test, &points[0]);
	nadded = 0;
	s.commands.ending = true;
	KUNIT_EXPECT_EQ(test, add(points, 3), -ESHUTDOWN);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "accepted", "stopped");
	KUNIT_EXPECT_EQ(test, nadded, 1U);
	KUNIT_EXPECT_EQ(test, s.objects.nprobes, 1U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(hits_go_their_way, way_gen_params),
	KUNIT_CASE(an_id_is_timed_or_paired),
	KUNIT_CASE(open_calls_are_counted_if_the_first_call_has_a_filter),
	KUNIT_CASE(only_ends_have_a_duration),
	KUNIT_CASE(held_calls_have_space),
	KUNIT_CASE(a_state_notification_needs_a_key_and_states),
	KUNIT_CASE(who_times_by_key_has_a_filter_that_makes_one),
	KUNIT_CASE(values_are_of_hits_that_count_or_of_ends),
	KUNIT_CASE(divided_calls_need_states_and_space),
	KUNIT_CASE(what_is_timed_goes_the_general_way_if_there_are_states),
	KUNIT_CASE(edits_need_consent),
	KUNIT_CASE(edits_and_filters_are_distinguished),
	KUNIT_CASE(a_session_holds_no_more_than_its_limits),
	KUNIT_CASE(a_session_that_is_stopped_takes_no_files_and_points),
	KUNIT_CASE(a_refused_breakpoint_is_reported_as_other_points),
	KUNIT_CASE(of_filters_that_are_refused_none_stays),
	KUNIT_CASE(of_points_that_are_refused_none_stays),
	KUNIT_CASE(a_session_that_ends_adds_no_more_and_leaves_none),
	{}
};

static struct kunit_suite suite = {
	.name = "contents",
	.init = contents_init,
	.exit = contents_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What a session is given: KUnit suite");
