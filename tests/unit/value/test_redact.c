// SPDX-License-Identifier: GPL-2.0
/* Redacted values, as text and as JSON; and steps that lead to them. */
#include "compile/deferred_step.h"
#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal

static const struct gotype t_password = TYPE(STRING, "main.Password", 16);
static const struct gofield card_fields[] = {
	{ "Holder", &t_string, 0 }, { "Number", &t_int, 16 },
};

static const struct gotype t_card = TYPE(STRUCT, "main.Card", 24, FIELDS(card_fields));
static const struct gotype p_card = TYPE(POINTER, "*main.Card", 8, .elem = &t_card);
static const struct gotype t_cards = TYPE(SLICE, "[]main.Card", 24, .elem = &t_card);

static const struct gofield user_fields[] = {
	{ "Name", &t_string, 0 }, { "Password", &t_string, 16 }, { "Tries", &t_int, 32 },
	{ "CVV", &t_int, 40 }, { "Extra", &t_any, 48 },
};

static const struct gotype t_user = TYPE(STRUCT, "main.User", 64, FIELDS(user_fields));
static const struct gotype p_user = TYPE(POINTER, "*main.User", 8, .elem = &t_user);
static const struct gofield admin_fields[] = { { "User", &p_user, 0, true }, { "ID", &t_int, 8 } };
static const struct gotype t_admin = TYPE(STRUCT, "main.Admin", 16, FIELDS(admin_fields));
static const struct gotype p_string = TYPE(POINTER, "*string", 8, .elem = &t_string);
static const struct gofield captured[] = {
	{ "F", &t_uint64, 0 }, { "&token", &p_string, 8 }, { "n", &t_int, 16 },
};

static const struct gotype t_closure = TYPE(STRUCT, "struct { F uintptr; ... }", 24,
					    FIELDS(captured));
static const struct gotype t_func = TYPE(FUNC, "func()", 8);

/* map[string]string: a group is 8 control bytes and 8 slots of {key, elem}. */
static const struct gomap swiss = {
	.swiss = true, .size = 8 + 8 * 32, .key_at = 8, .key_stride = 32, .elem_at = 24,
	.elem_stride = 32,
};

static const struct gotype t_map = TYPE(MAP, "map[string]string", 8, .key = &t_string,
					.elem = &t_string, .map = &swiss);
static const struct gomap swiss_any = {
	.swiss = true, .size = 8 + 8 * 24, .key_at = 8, .key_stride = 24, .elem_at = 24,
	.elem_stride = 24,
};

static const struct gotype t_any_map = TYPE(MAP, "map[interface {}]int", 8, .key = &t_any,
					    .elem = &t_int, .map = &swiss_any);

static const struct secret_list off = { .off = true };

/* The secret is where the module would have cleared it: output must not need that. */
static void begin(void)
{
	recs_begin();
	recs_text(0x5000, "ann");
	recs_text(0x5100, "hunter2");
	recs_text(0x5200, "Authorization");
	recs_text(0x5300, "Accept");
	recs_text(0x5400, "a very long name of a key, 64 bytes of which have been captured .......");
	PUT(0x6000, 0x5000, 3, 0x5100, 7, 2, 321, 0, 0);
	PUT(0x6100, 0x5000, 3, 4242);
	/* {"Authorization": "hunter2", "Accept": "ann", and one that was cut: "ann"} */
	PUT(0x7000, 3, 0, 0x7100, 0);
	PUT(0x7100, 0x8080808080101010, 0x5200, 13, 0x5100, 7, 0x5300, 6, 0x5000, 3,
	    0x5000, 200, 0x5000, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

TEST(test_field, "a field is redacted by its name")
{
	begin();
	SAYS(SHOW(&t_user, 0x5000, 3, 0x5100, 7, 2, 321, 0, 0),
	     "main.User{Name: \"ann\", Password: <redacted>, Tries: 2, CVV: <redacted>, Extra: nil}");
	SAYS(JSON(&t_user, 0x5000, 3, 0x5100, 7, 2, 321, 0, 0),
	     "{'Name':'ann','Password':{'type':'string','unavailable':'redacted'},'Tries':2,'CVV':{'type':'int','unavailable':'redacted'},'Extra':null}");
	SAYS(SHOW(&p_user, 0x6000),
	     "&main.User{Name: \"ann\", Password: <redacted>, Tries: 2, CVV: <redacted>, Extra: nil}");
	/* Where the module has cleared it, it reads the same, also without fields that are 0. */
	recs_ctx.no_zero = true;
	SAYS(SHOW(&t_user, 0x5000, 3, 0, 0, 0, 0, 0, 0),
	     "main.User{Name: \"ann\", Password: <redacted>, CVV: <redacted>}");
	recs_ctx.no_zero = false;
	recs_redact(&off);
	SAYS(SHOW(&t_user, 0x5000, 3, 0x5100, 7, 2, 321, 0, 0),
	     "main.User{Name: \"ann\", Password: \"hunter2\", Tries: 2, CVV: 321, Extra: nil}");
	recs_end();
}

TEST(test_type, "a value is redacted by its type")
{
	uint64_t password;

	begin();
	SAYS(SHOW(&t_password, 0x5100, 7), "<redacted>");
	SAYS(JSON(&t_password, 0x5100, 7), "'unavailable':'redacted'");
	SAYS(SHOW(&p_card, 0x6100), "&<redacted>");
	SAYS(JSON(&p_card, 0x6100), "'0x6100','to':{'type':'main.Card','unavailable':'redacted'}");
	SAYS(SHOW(&t_cards, 0x6100, 1, 1), "[]main.Card{<redacted>}");
	SAYS(JSON(&t_cards, 0x6100, 1, 1), "[{'type':'main.Card','unavailable':'redacted'}]");
	password = recs_type(&t_password, false);
	PUT(0x6200, 0x5100, 7);
	SAYS(SHOW(&t_any, password, 0x6200), "<redacted>");
	SAYS(JSON(&t_any, password, 0x6200),
	     "{'type':'main.Password','address':'0x6200','unavailable':'redacted'}");
	recs_redact(&off);
	SAYS(SHOW(&p_card, 0x6100), "&main.Card{Holder: \"ann\", Number: 4242}");
	SAYS(SHOW(&t_any, password, 0x6200), "main.Password(\"hunter2\")");
	recs_end();
}

TEST(test_key, "an entry of a map is redacted by its key")
{
	begin();
	SAYS(SHOW(&t_map, 0x7000),
	     "map[string]string{\"Accept\": \"ann\", \"Authorization\": <redacted>, \"ann\"... (len 200): <redacted>}");
	SAYS(JSON(&t_map, 0x7000),
	     "{'type':'map[string]string','address':'0x7000','len':3,'entries':[{'key':'Accept','value':'ann'},{'key':'Authorization','value':{'type':'string','unavailable':'redacted'}},{'key':{'type':'string','value':'ann','truncated':true,'len':200},'value':{'type':'string','unavailable':'redacted'}}]}");
	recs_redact(&off);
	SAYS(SHOW(&t_map, 0x7000),
	     "map[string]string{\"Accept\": \"ann\", \"Authorization\": \"hunter2\", \"ann\"... (len 200): \"ann\"}");
	recs_end();
}

TEST(test_other_keys, "keys that hold strings count, and others do not")
{
	uint64_t string, number;

	begin();
	string = recs_type(&t_string, false);
	number = recs_type(&t_int, false);
	recs_text(0x5500, "cvv");
	PUT(0x5600, 0x5500, 3);
	PUT(0x5700, 0x5300, 6);
	PUT(0x5800, 5);
	PUT(0x7200, 3, 0, 0x7300, 0);
	PUT(0x7300, 0x8080808080101010, string, 0x5600, 321, string, 0x5700, 7, number, 0x5800, 9,
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	SAYS(SHOW(&t_any_map, 0x7200),
	     "map[any]int{5: 9, \"Accept\": 7, \"cvv\": <redacted>}");
	/* nil, a string that was not captured, and a type that is not known. */
	PUT(0x7200, 3, 0, 0x7600, 0);
	PUT(0x7600, 0x8080808080101010, 0, 0, 6, string, 0x9000, 7, 0x10, 0x5800, 9,
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	SAYS(SHOW(&t_any_map, 0x7200),
	     "map[any]int{nil: 6, any(type 0x10, 0x5800): <redacted>, string(<beyond --depth>): <redacted>}");
	/* Of a key that is so long it does not matter whether all of it is there. */
	PUT(0x7400, 1, 0, 0x7500, 0);
	PUT(0x7500, 0x8080808080808010, 0x5400, 200, 0x5000, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	assert_non_null(strstr(SHOW(&t_map, 0x7400), " (len 200): \"ann\"}"));
	recs_end();
}

TEST(test_captured, "a captured variable is redacted by its name")
{
	begin();
	recs_func(0x401000, "main.f.func1", &t_closure);
	PUT(0x6300, 0x401000, 0x6400, 5);
	PUT(0x6400, 0x5100, 7);
	SAYS(SHOW(&t_func, 0x6300), "main.f.func1{token: <redacted>, n: 5}");
	assert_non_null(strstr(JSON(&t_func, 0x6300),
			       "{'&token':{'type':'*string','unavailable':'redacted'},'n':5}"));
	recs_redact(&off);
	SAYS(SHOW(&t_func, 0x6300), "main.f.func1{token: \"hunter2\", n: 5}");
	recs_end();
}

/* Error() has the values of fields in its text. */
TEST(test_known, "a form with a redacted field is not used")
{
	static const struct gotype number = TYPE(UINT, "syscall.Errno", 8);
	static const struct gofield path_fields[] = {
		{ "Op", &t_string, 0 }, { "Path", &t_string, 16 }, { "Err", &t_error, 32 },
	};
	static const struct gotype path = TYPE(STRUCT, "io/fs.PathError", 48, FIELDS(path_fields));
	static const struct gotype p_path = TYPE(POINTER, "*io/fs.PathError", 8, .elem = &path);
	static const struct gofield outer_fields[] = {
		{ "cause", &t_error, 0 }, { "msg", &t_string, 16 },
	};
	static const struct gotype outer = TYPE(STRUCT, "github.com/pkg/errors.withMessage", 32,
						FIELDS(outer_fields));
	struct secret_list more = { 0 };
	struct diag d = { 0 };

	assert_int_equal(secret_list_add(&more, "path", &d), 0);
	begin();
	recs_itab(0x1000, recs_type(&p_path, true));
	recs_itab(0x1100, recs_type(&number, false));
	PUT(0x6500, 0x5300, 6, 0x5100, 7, 0x1100, 0x6600);
	PUT(0x6600, 2);
	SAYS(SHOW(&outer, 0x1000, 0x6500, 0x5000, 3),
	     "errors.withMessage(\"ann: Accept hunter2: no such file or directory\", *fs.PathError, syscall.Errno)");
	recs_redact(&more);
	SAYS(SHOW(&t_error, 0x1000, 0x6500),
	     "&fs.PathError{Op: \"Accept\", Path: <redacted>, Err: syscall.Errno(\"no such file or directory\")}");
	SAYS(JSON(&t_error, 0x1000, 0x6500),
	     "{'type':'*io/fs.PathError','address':'0x6500','value':'0x6500','to':{'Op':'Accept','Path':{'type':'string','unavailable':'redacted'},'Err':{'type':'syscall.Errno','address':'0x6600','value':2,'message':'no such file or directory'}}}");
	SAYS(SHOW(&outer, 0x1000, 0x6500, 0x5000, 3),
	     "errors.withMessage{cause: &fs.PathError{Op: \"Accept\", Path: <redacted>, Err: syscall.Errno(\"no such file or directory\")}, msg: \"ann\"}");
	recs_end();
	secret_list_fini(&more);
}

TEST(test_context, "the value of a context is redacted by its key")
{
	static const struct gotype t_key = TYPE(STRING, "main.ctxKey", 16);
	static const struct gofield fields[] = {
		{ "Context", &t_error, 0, true }, { "key", &t_any, 16 }, { "val", &t_any, 32 },
	};
	static const struct gotype t_context = TYPE(STRUCT, "context.valueCtx", 48, FIELDS(fields));
	uint64_t key, string;

	begin();
	key = recs_type(&t_key, false);
	string = recs_type(&t_string, false);
	recs_text(0x5500, "authToken");
	PUT(0x5600, 0x5500, 9);
	PUT(0x5700, 0x5300, 6);
	PUT(0x5800, 0x5100, 7);
	SAYS(SHOW(&t_context, 0, 0, key, 0x5600, string, 0x5800),
	     "ctx{authToken: <redacted>, in nil}");
	SAYS(JSON(&t_context, 0, 0, key, 0x5600, string, 0x5800),
	     "{'Context':null,'key':{'type':'main.ctxKey','address':'0x5600','value':'authToken'},'val':{'type':'interface {}','unavailable':'redacted'}}");
	SAYS(SHOW(&t_context, 0, 0, key, 0x5700, string, 0x5800),
	     "ctx{Accept: \"hunter2\", in nil}");
	SAYS(SHOW(&t_context, 0, 0, 0x10, 0x5700, string, 0x5800),
	     "ctx{any(type 0x10, 0x5700): \"hunter2\", in nil}");
	recs_redact(&off);
	SAYS(SHOW(&t_context, 0, 0, key, 0x5600, string, 0x5800),
	     "ctx{authToken: \"hunter2\", in nil}");
	recs_end();
}

static struct step_row {
	const char *claim;
	const struct gotype *t;
	uint64_t words[8];
	struct exprstep steps[2];
	size_t n;
	bool redacted;
} steps[] = {
	{ "a field", &t_user, { 0x5000, 3, 0x5100, 7 }, { { .name = "Password" } }, 1, true },
	{ "another field", &t_user, { 0x5000, 3, 0x5100, 7 }, { { .name = "Name" } }, 1, false },
	{ "a field behind a pointer", &p_user, { 0x6000 }, { { .name = "Password" } }, 1, true },
	{ "a promoted field", &t_admin, { 0x6000 }, { { .name = "CVV" } }, 1, true },
	{ "a field of a redacted type", &p_card, { 0x6100 }, { { .name = "Holder" } }, 1, true },
	{ "what a pointer to a redacted type leads to", &p_card, { 0x6100 },
	  { { EXPRSTEP_POINTER } }, 1, true },
	{ "an element", &t_cards, { 0x6100, 1, 1 }, { { EXPRSTEP_INDEX } }, 1, true },
	{ "a field of an element", &t_cards, { 0x6100, 1, 1 },
	  { { EXPRSTEP_INDEX }, { .name = "Number" } }, 2, true },
	{ "the value under a key", &t_map, { 0x7000 },
	  { { EXPRSTEP_KEY, .key = { .kind = GOTYPE_STRING, .s = "Authorization", .n = 13 } } }, 1,
	  true },
	{ "the value under another key", &t_map, { 0x7000 },
	  { { EXPRSTEP_KEY, .key = { .kind = GOTYPE_STRING, .s = "Accept", .n = 6 } } }, 1, false },
};

ROWS(test_step, steps)
{
	const struct step_row *row = *state;
	struct deferred_step s = { .v = row->steps, .n = row->n };
	struct value_at at = { row->t, (const uint8_t *)row->words, row->t->size };
	uint8_t number[8];
	const char *why;

	begin();
	value_record(&recs_ctx, &recs_record);
	why = deferred_step_go(&s, &recs_ctx, &at, number);
	if (row->redacted)
		assert_ptr_equal(why, secret_why);
	else
		assert_null(why);
	recs_redact(&off);
	at = (struct value_at){ row->t, (const uint8_t *)row->words, row->t->size };
	value_record(&recs_ctx, &recs_record);
	assert_null(deferred_step_go(&s, &recs_ctx, &at, number));
	recs_end();
}
