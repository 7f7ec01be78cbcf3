// SPDX-License-Identifier: GPL-2.0
/* gotype/secret.c: which names and types are redacted. */
#include "rows.h"

#include <string.h>

#include "base/diag.h"
#include "gotype/secret.h"

static const struct gotype t_bool = { .kind = GOTYPE_BOOL, .name = "bool", .size = 1 };
static const struct gotype t_int = { .kind = GOTYPE_INT, .name = "int", .size = 8 };
static const struct gotype t_float = { .kind = GOTYPE_FLOAT, .name = "float64", .size = 8 };
static const struct gotype t_byte = { .kind = GOTYPE_UINT, .name = "uint8", .size = 1 };
static const struct gotype t_rune = { .kind = GOTYPE_INT, .name = "int32", .size = 4 };
static const struct gotype t_string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };
static const struct gotype t_any = { .kind = GOTYPE_INTERFACE, .name = "interface {}",
				     .size = 16, .empty = true };
static const struct gotype t_func = { .kind = GOTYPE_FUNC, .name = "func()", .size = 8 };
static const struct gotype t_unsafe = { .kind = GOTYPE_POINTER, .name = "unsafe.Pointer",
					.size = 8 };
static const struct gotype t_unknown = { .kind = GOTYPE_UNKNOWN, .name = "T", .size = 8 };
static const struct gotype t_empty = { .kind = GOTYPE_STRUCT, .name = "struct {}" };

#define OF(k, n, of) { .kind = (k), .name = (n), .size = 24, .elem = (of) }

static const struct gotype t_bytes = OF(GOTYPE_SLICE, "[]uint8", &t_byte);
static const struct gotype t_runes = OF(GOTYPE_SLICE, "[]int32", &t_rune);
static const struct gotype t_ints = OF(GOTYPE_SLICE, "[]int", &t_int);
static const struct gotype t_strings = OF(GOTYPE_SLICE, "[]string", &t_string);
static const struct gotype t_pointer = OF(GOTYPE_POINTER, "*string", &t_string);
static const struct gotype t_int_pointer = OF(GOTYPE_POINTER, "*int", &t_int);
static const struct gotype t_signals = OF(GOTYPE_CHAN, "chan struct {}", &t_empty);
static const struct gotype t_chan = OF(GOTYPE_CHAN, "chan string", &t_string);

static const struct gotype t_map = { .kind = GOTYPE_MAP, .name = "map[string]int", .size = 8,
				     .key = &t_string, .elem = &t_int };
static const struct gofield wall[] = { { "wall", &t_int, 0 }, { "loc", &t_pointer, 8 } };
static const struct gotype t_time = { .kind = GOTYPE_STRUCT, .name = "time.Time", .size = 16,
				      .fields = wall, .nfields = 2 };
static const struct gofield sema[] = { { "state", &t_int, 0 }, { "sema", &t_int, 8 } };
static const struct gotype t_mutex = { .kind = GOTYPE_STRUCT, .name = "sync.Mutex", .size = 16,
				       .fields = sema, .nfields = 2 };
static const struct gofield link_fields[2];
static const struct gotype t_link = { .kind = GOTYPE_STRUCT, .name = "main.link", .size = 16,
				      .fields = link_fields, .nfields = 2 };
static const struct gotype t_next = OF(GOTYPE_POINTER, "*main.link", &t_link);
static const struct gofield link_fields[2] = { { "next", &t_next, 0 }, { "n", &t_int, 8 } };

/* Scanners', and others'. */
static const struct gotype t_xml_token = { GOTYPE_INTERFACE, "encoding/xml.Token", .size = 16 };
static const struct gofield data[] = { { "Data", &t_string } };
static const struct gotype t_html_token = { GOTYPE_STRUCT, "golang.org/x/net/html.Token",
					    .size = 16, .fields = data, .nfields = 1 };
static const struct gotype t_to_html_token = OF(GOTYPE_POINTER, "*golang.org/x/net/html.Token",
						&t_html_token);
static const struct gotype t_lexer_token = { GOTYPE_STRING, "lexer.Token", .size = 16 };
static const struct gotype t_lexer_tokens = OF(GOTYPE_SLICE, "[]lexer.Token", &t_lexer_token);
static const struct gotype t_raw = OF(GOTYPE_SLICE, "encoding/json.RawMessage", &t_byte);
static const struct gotype t_oauth = { GOTYPE_STRUCT, "golang.org/x/oauth2.Token", .size = 16,
				       .fields = data, .nfields = 1 };

/* --- names -------------------------------------------------------------------------- */

static struct name_row {
	const char *claim, *name;
	const struct gotype *t;
	bool redacted;
} rows[] = {
	{ "a word", "password", &t_string, true },
	{ "its plural", "passwords", &t_strings, true },
	{ "with digits", "password2", &t_string, true },
	{ "with plural and digits", "tokens2", &t_strings, true },
	{ "in capitals", "PASSWORD", &t_string, true },
	{ "in camel case", "userPassword", &t_string, true },
	{ "in the middle", "userPasswordHash", &t_string, true },
	{ "in snake case", "db_password", &t_string, true },
	{ "in capitals and snake case", "DB_PASSWORD", &t_string, true },
	{ "at the end of a longer word", "dbpassword", &t_string, true },
	{ "captured by reference", "&password", &t_pointer, true },
	{ "passwd", "Passwd", &t_string, true },
	{ "passphrase", "passPhrase", &t_string, true },
	{ "secret", "clientSecret", &t_string, true },
	{ "secret in one word", "clientsecret", &t_string, true },
	{ "token", "AccessToken", &t_string, true },
	{ "token in one word", "authtoken", &t_string, true },
	{ "an initialism before it", "JWTToken", &t_string, true },
	{ "digits before it", "OAuth2Token", &t_string, true },
	{ "authorization", "Authorization", &t_string, true },
	{ "a header", "Proxy-Authorization", &t_string, true },
	{ "a header with a cookie", "Set-Cookie", &t_strings, true },
	{ "apiKey", "apiKey", &t_string, true },
	{ "APIKey", "APIKey", &t_string, true },
	{ "api_key", "x_api_key", &t_string, true },
	{ "apikey", "apikey", &t_string, true },
	{ "APIKEYS", "APIKEYS", &t_strings, true },
	{ "privateKey", "tlsPrivateKey", &t_bytes, true },
	{ "credentials", "awsCredentials", &t_string, true },
	{ "a card", "card", &t_bytes, true },
	{ "the number of a card, a number", "cardNumber", &t_int, true },
	{ "the number of a card, a float", "card_no", &t_float, true },
	{ "the same in one word", "creditcardnumber", &t_string, true },
	{ "the plural of an initialism", "SSNs", &t_strings, true },
	{ "a code", "CVV2", &t_int, true },
	{ "cvc", "cvc", &t_string, true },
	{ "ssn", "customerSSN", &t_int, true },
	{ "iban", "IBAN", &t_string, true },
	{ "pan", "PAN", &t_string, true },
	{ "jwt", "idJWT", &t_string, true },
	{ "a one-time password", "otp", &t_int, true },
	{ "an interface", "secret", &t_any, true },
	{ "runes", "password", &t_runes, true },
	{ "a pointer", "password", &t_pointer, true },
	{ "a channel of strings", "tokens", &t_chan, true },
	{ "the keys of a map", "secrets", &t_map, true },
	{ "a number", "secret", &t_int, true },
	{ "a number that is the last word", "sharedSecret", &t_int, true },
	{ "the digits of a large number", "secretKeys", &t_ints, true },
	{ "credentials in short", "grpcCreds", &t_any, true },
	{ "a token of JSON that is no scanner's", "token", &t_raw, true },
	{ "a token of a package with another name", "token", &t_oauth, true },
	{ "an unknown type", "password", NULL, true },
	{ "an opaque type", "password", &t_unknown, true },
	{ "a chain that holds numbers", "tokenList", &t_link, true },

	{ "another word", "user", &t_string, false },
	{ "no name", "", &t_string, false },
	{ "blank", "_", &t_string, false },
	{ "a result without a name", "~r0", &t_string, false },
	{ "tokenizer", "tokenizer", &t_string, false },
	{ "tokenize", "Tokenize", &t_string, false },
	{ "tokenized", "tokenizedText", &t_string, false },
	{ "discard", "discard", &t_string, false },
	{ "Discard in camel case", "doDiscard", &t_string, false },
	{ "cardinality", "cardinality", &t_int, false },
	{ "cardinal", "maxCardinal", &t_int, false },
	{ "wildcard", "wildcard", &t_string, false },
	{ "postcard", "postcards", &t_strings, false },
	{ "keyboard", "keyboard", &t_string, false },
	{ "secretary", "secretary", &t_string, false },
	{ "passwordless", "passwordless", &t_string, false },
	{ "key", "key", &t_string, false },
	{ "a public key", "publicKey", &t_bytes, false },
	{ "span", "span", &t_string, false },
	{ "panic", "panicValue", &t_string, false },
	{ "company", "company", &t_string, false },
	{ "a camera's pan", "pan", &t_float, false },
	{ "pass", "pass", &t_string, false },
	{ "urban", "urban", &t_string, false },
	{ "a number of tokens", "maxTokens", &t_int, false },
	{ "a pointer to a number", "tokenCount", &t_int_pointer, false },
	{ "tokens of a language model", "tokens", &t_ints, false },
	{ "a number of secrets", "secrets", &t_int, false },
	{ "a number of secrets, in words", "secretCount", &t_int, false },
	{ "a scanner's token", "token", &t_xml_token, false },
	{ "a pointer to a scanner's token", "nextToken", &t_to_html_token, false },
	{ "a scanner's tokens", "tokens", &t_lexer_tokens, false },
	{ "a semaphore", "tokens", &t_signals, false },
	{ "whether there is one", "hasPassword", &t_bool, false },
	{ "whether a card is there", "cardPresent", &t_bool, false },
	{ "a function", "getToken", &t_func, false },
	{ "an address", "token", &t_unsafe, false },
	{ "a time", "tokenExpiry", &t_time, false },
	{ "a lock", "tokenMu", &t_mutex, false },
	{ "the type of a token", "tokenType", &t_string, false },
	{ "the name of a cookie", "cookie_name", &t_string, false },
	{ "the path of a secret", "SecretPath", &t_string, false },
	{ "but what has such a part is redacted", "pathToken", &t_string, true },
	{ "and what says more of a card", "cardType", &t_string, true },
};

ROWS(test_name, rows)
{
	const struct name_row *row = *state;
	static const struct secret_list off = { .off = true };

	assert_int_equal(secret_is_name(NULL, row->name, row->t), row->redacted);
	assert_false(secret_is_name(&off, row->name, row->t));
	assert_int_equal(secret_is_field(NULL, &(struct gofield){ row->name, row->t }),
			 row->redacted);
	/* As a key, with a value of that type. */
	assert_int_equal(secret_is_key(NULL, row->name, strlen(row->name), row->t),
			 row->redacted);
}

TEST(test_text_is_no_key, "a text is no name of a key")
{
	static const char text[] = "my password";

	assert_false(secret_is_key(NULL, text, strlen(text), &t_string));
	assert_true(secret_is_key(NULL, text + 3, strlen(text) - 3, &t_string));
	assert_true(secret_is_key(NULL, "passwordless", 8, &t_string));
}

TEST(test_long_name, "a name of any length is looked at")
{
	char name[2000];

	memset(name, 'A', sizeof(name));
	name[sizeof(name) - 1] = 0;
	assert_false(secret_is_name(NULL, name, &t_string));
	memcpy(name + 1, "Password_", 9);
	assert_true(secret_is_name(NULL, name, &t_string));
}

/* --- types ---------------------------------------------------------------------------- */

static struct type_row {
	const char *claim;
	struct gotype t;
	bool redacted;
} types[] = {
	{ "a string type", { GOTYPE_STRING, "main.Password" }, true },
	{ "a type with more words", { GOTYPE_STRING, "main.UserPassword" }, true },
	{ "in one word", { GOTYPE_STRING, "main.userpassword" }, true },
	{ "a struct", { GOTYPE_STRUCT, "k8s.io/core/v1.Secret", .fields = wall + 1, .nfields = 1 },
	  true },
	{ "a generic type", { GOTYPE_STRING, "my.org/vault.Secret[main.Name]" }, true },
	{ "a number of a card", { GOTYPE_INT, "main.CardNumber", .size = 8 }, true },
	{ "an interface", { GOTYPE_INTERFACE, "main.Credentials" }, true },
	{ "a cookie", { GOTYPE_STRUCT, "net/http.Cookie", .fields = wall + 1, .nfields = 1 },
	  true },
	{ "a scanner's token", { GOTYPE_STRING, "encoding/xml.Token" }, false },
	{ "what has to do with one", { GOTYPE_STRING, "main.PasswordHasher" }, false },
	{ "a type argument", { GOTYPE_STRING, "main.List[main.Password]" }, false },
	{ "a package", { GOTYPE_STRING, "my.org/password.Strength" }, false },
	{ "a number", { GOTYPE_INT, "main.Secret", .size = 8 }, true },
	{ "a number of secrets", { GOTYPE_INT, "main.Secrets", .size = 8 }, false },
	{ "a function", { GOTYPE_FUNC, "main.Secret" }, false },
	{ "a pointer to one", { GOTYPE_POINTER, "*main.Password", .elem = &t_string }, false },
	{ "a slice of them", { GOTYPE_SLICE, "[]main.Password", .elem = &t_string }, false },
	{ "a map to them", { GOTYPE_MAP, "map[string]main.Password", .key = &t_string,
			     .elem = &t_string }, false },
	{ "a literal with one", { GOTYPE_STRUCT, "struct { P main.Password }" }, false },
	{ "a type without a package", { GOTYPE_STRING, "password" }, false },
	{ "no name", { GOTYPE_STRING, NULL }, false },
};

ROWS(test_type, types)
{
	const struct type_row *row = *state;
	static const struct secret_list off = { .off = true };

	assert_int_equal(secret_is_type(NULL, &row->t), row->redacted);
	assert_false(secret_is_type(&off, &row->t));
}

TEST(test_many_fields, "a type with many redacted fields is redacted as a whole")
{
	static const struct gotype password = { GOTYPE_STRING, "main.Password", .size = 16 };
	static struct gofield fields[3] = { { "a", &password }, { "token", &t_string, 16 },
					    { "b", &t_string, 32 } };
	static struct gotype one = { GOTYPE_STRUCT, "main.T", .size = 48, .fields = fields,
				     .nfields = 3 };
	static struct gotype array = { GOTYPE_ARRAY, "[32]main.T", .elem = &one, .count = 32 };
	static const struct gofield inner[] = { { "array", &array } };
	static const struct gotype outer = { GOTYPE_STRUCT, "main.O", .fields = inner,
					     .nfields = 1 };

	assert_false(secret_is_type(NULL, &one));
	/* 64 fields, and 66. */
	assert_false(secret_is_type(NULL, &array));
	assert_false(secret_is_type(NULL, &outer));
	array.count = 33;
	assert_true(secret_is_type(NULL, &array));
	assert_true(secret_is_type(NULL, &outer));
	array.count = UINT64_MAX / 2 + 1;
	assert_true(secret_is_type(NULL, &array));
	one.nfields = 0;
	assert_false(secret_is_type(NULL, &array));
}

/* --- names of the user -------------------------------------------------------------------- */

static struct added_row {
	const char *claim, *added, *name;
	bool redacted;
} added[] = {
	{ "a name", "email", "email", true },
	{ "as a word", "email", "userEmail", true },
	{ "the plural", "email", "EMAILS", true },
	{ "no part of a word", "email", "emailer", false },
	{ "no end of a word", "email", "useremail", false },
	{ "the second of several", "zip,e_mail,city", "eMail", true },
	{ "given by the header's name", "X-Customer", "x_customer", true },
	{ "two words", "customerNumber", "customer_number", true },
	{ "one of two words", "customerNumber", "customer", false },
	{ "names of the table stay", "email", "password", true },
};

ROWS(test_added, added)
{
	const struct added_row *row = *state;
	struct secret_list s = { 0 };
	struct diag d = { 0 };

	assert_int_equal(secret_list_add(&s, row->added, &d), 0);
	assert_int_equal(secret_is_name(&s, row->name, &t_string), row->redacted);
	secret_list_fini(&s);
}

TEST(test_added_any_type, "a name of the user holds for all types")
{
	static const struct gotype number = { GOTYPE_INT, "main.Age", .size = 8 };
	static const struct gotype other = { GOTYPE_INT, "main.AgeGroup", .size = 8 };
	struct secret_list s = { 0 };
	struct diag d = { 0 };

	assert_int_equal(secret_list_add(&s, "age", &d), 0);
	assert_true(secret_is_name(&s, "age", &t_int));
	assert_true(secret_is_name(&s, "ageKnown", &t_bool));
	assert_true(secret_is_type(&s, &number));
	assert_false(secret_is_type(&s, &other));
	s.off = true;
	assert_false(secret_is_name(&s, "age", &t_int));
	assert_false(secret_is_type(&s, &number));
	secret_list_fini(&s);
}

TEST(test_no_names, "what is no name can't be added")
{
	static const char *const wrong[] = {
		"", ",", "a,", ",a", "a,,b", "a.b", "a b", "7", "_", "-",
	};
	struct secret_list s = { 0 };

	for (size_t i = 0; i < N(wrong); i++) {
		struct diag d = { 0 };

		assert_int_equal(secret_list_add(&s, wrong[i], &d), -1);
		assert_non_null(strstr(d.message, "is no name"));
		diag_fini(&d);
	}
	secret_list_fini(&s);
}
