// SPDX-License-Identifier: GPL-2.0
/* Is a text JSON? RFC 8259 to the letter; strings must be UTF-8. */
#include "fuzz.h"

#include "base/buf.h"

/* As deep as any value nests, and some. */
#define DEPTH_MAX 1000

struct json {
	const char *p;
	const char *end;
	unsigned int depth;
};

static bool value(struct json *j);

static void blank(struct json *j)
{
	while (j->p < j->end && strchr(" \t\n\r", *j->p) && *j->p)
		j->p++;
}

static bool eat(struct json *j, char c)
{
	blank(j);
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

static bool word(struct json *j, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(j->end - j->p) < n || memcmp(j->p, w, n))
		return false;
	j->p += n;
	return true;
}

static bool digits(struct json *j)
{
	const char *from = j->p;

	while (j->p < j->end && *j->p >= '0' && *j->p <= '9')
		j->p++;
	return j->p > from;
}

static bool number(struct json *j)
{
	word(j, "-");
	if (!word(j, "0") && !digits(j))
		return false;
	if (word(j, ".") && !digits(j))
		return false;
	if (word(j, "e") || word(j, "E")) {
		if (!word(j, "+"))
			word(j, "-");
		return digits(j);
	}
	return true;
}

static bool escape(struct json *j)
{
	if (j->p == j->end)
		return false;
	if (*j->p != 'u')
		return *j->p && strchr("\"\\/bfnrt", *j->p++);
	j->p++;
	for (int i = 0; i < 4; i++, j->p++) {
		if (j->p == j->end || !*j->p ||
		    !strchr("0123456789abcdefABCDEF", *j->p))
			return false;
	}
	return true;
}

static bool string(struct json *j)
{
	if (!eat(j, '"'))
		return false;
	while (j->p < j->end && *j->p != '"') {
		size_t n;
		uint32_t c;

		if (*j->p == '\\') {
			j->p++;
			if (!escape(j))
				return false;
			continue;
		}
		n = quote_utf8((const uint8_t *)j->p, (size_t)(j->end - j->p), &c);
		if (!n || c < 0x20)
			return false;
		j->p += n;
	}
	return eat(j, '"');
}

static bool members(struct json *j, char close, bool named)
{
	if (eat(j, close))
		return true;
	do {
		blank(j);
		if (named && (!string(j) || !eat(j, ':')))
			return false;
		if (!value(j))
			return false;
	} while (eat(j, ','));
	return eat(j, close);
}

static bool value(struct json *j)
{
	bool ok;

	blank(j);
	if (j->p == j->end || ++j->depth > DEPTH_MAX)
		return false;
	switch (*j->p) {
	case '{':
		j->p++;
		ok = members(j, '}', true);
		break;
	case '[':
		j->p++;
		ok = members(j, ']', false);
		break;
	case '"':
		ok = string(j);
		break;
	case 't':
		ok = word(j, "true");
		break;
	case 'f':
		ok = word(j, "false");
		break;
	case 'n':
		ok = word(j, "null");
		break;
	default:
		ok = number(j);
		break;
	}
	j->depth--;
	return ok;
}

bool json_is_valid(const char *p, size_t n)
{
	struct json j = { .p = p, .end = p + n };

	if (!value(&j))
		return false;
	blank(&j);
	return j.p == j.end;
}
