// SPDX-License-Identifier: GPL-2.0
/* The table of names that say that a value is secret, and the comparison of names with it. */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "gotype/secret.h"

const char secret_why[] =
	"redacted";

/* A row of the table. */
struct secret_word {
	/*
	 * In lower case, without "_"; it can be several words of a name: apiKey, api_key, APIKEY.
	 */
	const char *word;
	bool ends;	/* it is also the end of a longer word: dbpassword */
	bool types;	/* types have such names, too, at their end: UserPassword */
	bool number;	/* any number with it in its name is one: cardNumber int64, cvvOld int */
	bool scanned;	/* it is also what a scanner makes of a text */
};

/* goprobectl(8) lists them. */
static const struct secret_word table[] = {
	{ "password", .ends = true, .types = true },
	{ "passwd", .ends = true, .types = true },
	{ "passphrase", .ends = true, .types = true },
	{ "passcode", .ends = true, .types = true, .number = true },
	{ "secret", .ends = true, .types = true },
	/* Types with this name are mostly a scanner's: go/token.Token, encoding/json.Token. */
	{ "token", .ends = true, .scanned = true },
	{ .word = "bearer" },
	{ .word = "jwt" },
	{ "otp", .types = true, .number = true },
	{ "authorization", .ends = true, .types = true },
	{ "credential", .ends = true, .types = true },
	{ "cred", .types = true },
	{ "cookie", .ends = true, .types = true },
	{ "apikey", .ends = true, .types = true },
	{ "accesskey", .ends = true, .types = true },
	{ "privatekey", .ends = true, .types = true },
	{ "signingkey", .ends = true, .types = true },
	{ "encryptionkey", .ends = true, .types = true },
	{ "masterkey", .ends = true, .types = true },
	{ "sessionkey", .ends = true, .types = true },
	{ "card", .types = true, .number = true },
	{ "creditcard", .types = true, .number = true },
	{ "cardnumber", .ends = true, .types = true, .number = true },
	{ "cardno", .types = true, .number = true },
	{ "cvv", .types = true, .number = true },
	{ "cvc", .types = true, .number = true },
	{ "ssn", .types = true, .number = true },
	{ "iban", .types = true },
	{ "pan", .types = true },
};

/* A name that ends so is about a secret that is no number, and not the secret itself: tokenType. */
static const char *const about[] = { "kind", "mode", "name", "path", "policy", "type" };

/* Packages of scanners. A value of a type of theirs, as in token xml.Token, is no secret. */
static const char *const scanners[] = {
	"ast", "css", "html", "json", "lex", "lexer", "parser", "scanner", "syntax", "token", "xml",
};

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* --- names ----------------------------------------------------------------------------- */

/* What is behind it in a name is ignored. */
#define NAME_MAX_BYTES 256

/* A name in words. */
struct words {
	char text[NAME_MAX_BYTES];		/* letters and digits, in lower case */
	size_t n;				/* their number */
	bool begins[NAME_MAX_BYTES + 1];	/* a word begins there; the end counts */
};

/* Bytes of letters that are not ASCII are letters, too. */
static bool is_letter(unsigned char c)
{
	return isalpha(c) || c >= 0x80;
}

/* Does a word begin at @i: apiKey, APIKey, oauth2Token? */
static bool begins_word(const char *s, size_t len, size_t i)
{
	unsigned char c = s[i];

	if (!i || !(is_letter(s[i - 1]) || isdigit((unsigned char)s[i - 1])))
		return true;
	if (!isupper(c))
		return false;
	return !isupper((unsigned char)s[i - 1]) ||
	       (i + 1 < len && islower((unsigned char)s[i + 1]) &&
		!(s[i + 1] == 's' && (i + 2 == len || !is_letter(s[i + 2]))));
}

static void split(const char *s, size_t len, struct words *w)
{
	w->n = 0;
	for (size_t i = 0; i < len && w->n < NAME_MAX_BYTES; i++) {
		unsigned char c = s[i];

		if (!is_letter(c) && !isdigit(c))
			continue;
		w->begins[w->n] = begins_word(s, len, i);
		w->text[w->n++] = (char)tolower(c);
	}
	w->begins[w->n] = true;
}

/* Does a word end at @at, behind perhaps an "s" and digits: tokens, password2? */
static bool ends_word(const struct words *w, size_t *at)
{
	size_t i = *at;

	if (!w->begins[i] && w->text[i] == 's')
		i++;
	while (!w->begins[i] && isdigit((unsigned char)w->text[i]))
		i++;
	*at = i;
	return w->begins[i];
}

/*
 * Is @word, of @n bytes, one or several whole words of the name; with @ends, also the end of a
 * word? @last: the last ones.
 */
static bool has_word(const struct words *w, const char *word, size_t n, bool ends, bool last)
{
	for (size_t i = 0; i + n <= w->n; i++) {
		size_t end = i + n;

		/* Most positions are not worth a call. */
		if (w->text[i] != word[0] || (!ends && !w->begins[i]) ||
		    memcmp(w->text + i, word, n) != 0)
			continue;
		if (ends_word(w, &end) && (!last || end == w->n))
			return true;
	}
	return false;
}

/* "Secret" of "my.org/vault.Secret[string]", with its length; NULL: the type has no name. */
static const char *own_name(const struct gotype *t, size_t *len)
{
	const char *name = t->name, *dot = NULL;

	if (!name || strchr("*[(", name[0]) || !strncmp(name, "map[", 4) ||
	    !strncmp(name, "chan ", 5) || !strncmp(name, "struct {", 8))
		return NULL;
	*len = strcspn(name, "[");
	for (size_t i = 0; i < *len; i++)
		if (name[i] == '.')
			dot = name + i;
	if (!dot)
		return NULL;
	*len -= (size_t)(dot + 1 - name);
	return dot + 1;
}

/* --- what can hold a secret --------------------------------------------------------- */

/* Pointers that are followed, and types that are looked at: beyond that may be anything. */
#define DEEP 6
#define TYPES_MAX 256

/* The search for a type that can hold a secret. */
struct search {
	const struct secret_word *row;	/* whose secret */
	bool number;			/* a number can be one */
	/*
	 * Types that may still be looked at: damaged debug information can have types in a circle.
	 */
	unsigned int left;
};

static bool can_hold(struct search *s, const struct gotype *t, int depth);

/* []byte and []rune; the digits of a big.Int, but not []int of tokens. */
static bool is_text(const struct search *s, const struct gotype *elem)
{
	return !elem || (elem->kind == GOTYPE_UINT && (elem->size == 1 || !s->row->scanned)) ||
	       (elem->kind == GOTYPE_INT && (elem->size == 4 || !s->row->scanned));
}

static bool struct_can_hold(struct search *s, const struct gotype *t, int depth)
{
	/* It leads to the name of a zone. */
	if (t->name && !strcmp(t->name, "time.Time"))
		return false;
	for (size_t i = 0; i < t->nfields; i++)
		if (can_hold(s, t->fields[i].type, depth))
			return true;
	return t->more;
}

/* Is it a scanner's, such as *go/token.Token? Its package is not enough: json.RawMessage. */
static bool is_scanners(const struct secret_word *row, const struct gotype *t)
{
	const char *name, *package;
	size_t len, of = 0;
	struct words w;

	name = row->scanned ? own_name(t, &len) : NULL;
	if (!name)
		return false;
	for (package = name - 1; package > t->name && package[-1] != '/'; package--)
		of++;
	split(name, len, &w);
	for (size_t i = 0; i < N(scanners); i++)
		if (strlen(scanners[i]) == of && !memcmp(scanners[i], package, of))
			return has_word(&w, row->word, strlen(row->word), row->ends, false);
	return false;
}

/* A semaphore of tokens, chan struct{}, holds none; nor does a number of tokens. */
static bool can_hold(struct search *s, const struct gotype *t, int depth)
{
	if (!t || depth == DEEP || !s->left)
		return true;
	s->left--;
	if (is_scanners(s->row, t))
		return false;
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_COMPLEX:
	case GOTYPE_FUNC:
		return false;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return s->number;
	case GOTYPE_FLOAT:
		return s->row->number;
	case GOTYPE_SLICE:
	case GOTYPE_ARRAY:
		return is_text(s, t->elem) || can_hold(s, t->elem, depth + 1);
	case GOTYPE_STRUCT:
		return struct_can_hold(s, t, depth + 1);
	case GOTYPE_POINTER:
		/* unsafe.Pointer is an address. */
		return t->elem && can_hold(s, t->elem, depth + 1);
	case GOTYPE_CHAN:
		return can_hold(s, t->elem, depth + 1);
	case GOTYPE_MAP:
		return can_hold(s, t->key, depth + 1) || can_hold(s, t->elem, depth + 1);
	default:
		return true;
	}
}

/* @w: the name, which has the word. secret int is one, secretCount int and secrets int are not. */
static bool can_hold_secret(const struct gotype *t, const struct secret_word *row,
			    const struct words *w)
{
	size_t n = strlen(row->word);
	struct search s = {
		.row = row, .left = TYPES_MAX,
		.number = row->number ||
			  (!row->scanned && !memcmp(w->text + w->n - n, row->word, n)),
	};

	return can_hold(&s, t, 0);
}

/* --- what is redacted ------------------------------------------------------------------- */

/* A name that the user has added means what a row of the table means; any value can be one. */
static bool is_added(const struct secret_list *s, const struct words *w, bool last)
{
	struct words name;

	for (size_t i = 0; s && i < s->n; i++) {
		split(s->v[i].s, s->v[i].len, &name);
		if (has_word(w, name.text, name.n, false, last))
			return true;
	}
	return false;
}

static bool is_about(const struct words *w)
{
	for (size_t i = 0; i < N(about); i++)
		if (has_word(w, about[i], strlen(about[i]), false, true))
			return true;
	return false;
}

static bool is_in_table(const struct words *w, const struct gotype *t)
{
	for (size_t i = 0; i < N(table); i++) {
		const struct secret_word *r = &table[i];

		if (has_word(w, r->word, strlen(r->word), r->ends, false) &&
		    (r->number || !is_about(w)) && can_hold_secret(t, r, w))
			return true;
	}
	return false;
}

static bool is_named(const struct secret_list *s, const char *name, size_t len,
		     const struct gotype *t)
{
	struct words w;

	if (s && s->off)
		return false;
	split(name, len, &w);
	return is_added(s, &w, false) || is_in_table(&w, t);
}

bool secret_is_name(const struct secret_list *s, const char *name, const struct gotype *t)
{
	/* The variable x has the name "&x" where a closure has captured it by reference. */
	return name && is_named(s, name, strlen(name), t);
}

bool secret_is_field(const struct secret_list *s, const struct gofield *f)
{
	return secret_is_name(s, f->name, f->type);
}

const struct secret_pair *secret_pair_of(const struct gotype *t)
{
	static const struct secret_pair pairs[] = {
		{ "context.valueCtx", "key", "val" },
		{ "log/slog.Attr", "Key", "Value" },
	};

	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < sizeof(pairs) / sizeof(*pairs); i++)
		if (t->name && !strcmp(t->name, pairs[i].type))
			return &pairs[i];
	return NULL;
}

bool secret_is_key(const struct secret_list *s, const void *key, size_t len, const struct gotype *t)
{
	const char *p = key;

	/* A text is no name. */
	for (size_t i = 0; i < len; i++)
		if (isspace((unsigned char)p[i]))
			return false;
	return is_named(s, p, len, t);
}

/* --- types ------------------------------------------------------------------------------- */

static bool is_named_type(const struct secret_list *s, const struct gotype *t)
{
	size_t len;
	const char *name = own_name(t, &len);
	struct words w;

	if (!name)
		return false;
	split(name, len, &w);
	if (is_added(s, &w, true))
		return true;
	for (size_t i = 0; i < N(table); i++) {
		const struct secret_word *r = &table[i];

		if (r->types && has_word(&w, r->word, strlen(r->word), r->ends, true) &&
		    can_hold_secret(t, r, &w))
			return true;
	}
	return false;
}

/* Types inside types, and fields of one type, that are looked at. Others are not counted. */
#define NESTING 16
#define FIELDS_MAX 4096

/* The number of redacted values in a value. */
struct count {
	const struct secret_list *secrets;	/* what is redacted */
	uint64_t n;			/* so far */
	/* Fields that may still be looked at, for the reason of struct search. */
	unsigned int left;
};

static void count(struct count *c, const struct gotype *t, int nesting);

static void count_fields(struct count *c, const struct gotype *t, int nesting)
{
	for (size_t i = 0; i < t->nfields && c->left && c->n <= SECRET_FIELDS_MAX; i++) {
		c->left--;
		if (secret_is_field(c->secrets, &t->fields[i]))
			c->n++;
		else
			count(c, t->fields[i].type, nesting);
	}
}

static void count(struct count *c, const struct gotype *t, int nesting)
{
	uint64_t before = c->n;

	if (!t || nesting == NESTING)
		return;
	if (is_named_type(c->secrets, t)) {
		c->n++;
	} else if (t->kind == GOTYPE_STRUCT) {
		count_fields(c, t, nesting + 1);
	} else if (t->kind == GOTYPE_ARRAY) {
		count(c, t->elem, nesting + 1);
		if (c->n > before && t->count > SECRET_FIELDS_MAX)
			c->n = SECRET_FIELDS_MAX + 1;
		else
			c->n = before + (c->n - before) * t->count;
	}
}

bool secret_is_type(const struct secret_list *s, const struct gotype *t)
{
	struct count c = { .secrets = s, .left = FIELDS_MAX };

	if (!t || (s && s->off))
		return false;
	if (t->kind == GOTYPE_STRUCT || t->kind == GOTYPE_ARRAY)
		count(&c, t, 0);
	return c.n > SECRET_FIELDS_MAX || is_named_type(s, t);
}

/* --- names of the user ------------------------------------------------------------------ */

static bool is_name(const char *s, size_t len)
{
	bool letters = false;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = s[i];

		if (!is_letter(c) && !isdigit(c) && c != '_' && c != '-')
			return false;
		letters |= is_letter(c);
	}
	return letters && len <= NAME_MAX_BYTES;
}

int secret_list_add(struct secret_list *s, const char *text, struct diag *d)
{
	for (;; text++) {
		size_t len = strcspn(text, ",");

		if (!is_name(text, len)) {
			diag_set(d, "'%.*s' can't be redacted: it is no name", (int)len, text);
			diag_hint(d, "names of parameters, results, fields and keys are redacted, such as email,customerNumber");
			return -1;
		}
		if (grow(&s->v, s->n + 1, &s->cap, sizeof(*s->v)))
			return diag_set(d, "out of memory");
		s->v[s->n++] = (struct secret_name){ text, len };
		text += len;
		if (!*text)
			return 0;
	}
}

void secret_list_fini(struct secret_list *s)
{
	free(s->v);
	*s = (struct secret_list){ .off = s->off };
}
