/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that say that a value is secret: which values are redacted. Pure.
 *
 * Capture and output ask the same questions about the same types. So what the module clears, and
 * what is shown as redacted, is the same.
 */
#ifndef GOPROBE_GOTYPE_SECRET_H
#define GOPROBE_GOTYPE_SECRET_H

#include "base/diag.h"
#include "gotype/type.h"

/* A type with more redacted fields is redacted as a whole. Fields of array elements count. */
#define SECRET_FIELDS_MAX 64

/* A longer key of a map is no name. One that is cut before may be one. */
#define SECRET_KEY_BYTES 64

/* A struct with a key, a string or an interface, and the value under it. */
struct secret_pair {
	const char *type;	/* its name */
	const char *key;	/* the field of the key */
	const char *value;	/* the field of the value */
};

/* A part of a text: a name that the user has added. */
struct secret_name {
	const char *s;
	size_t len;
};

/* What is redacted. A pointer to it can be NULL: then the names of the table are redacted. */
struct secret_list {
	bool off;		/* nothing */
	struct secret_name *v;	/* names that the user has added to those of the table */
	size_t n;		/* their number */
	size_t cap;		/* capacity of @v */
};

/* Why a redacted value is unavailable. */
extern const char secret_why[];

/**
 * secret_list_add() - add the names in "email,customerNumber"
 * @s: what is redacted
 * @text: outlives @s
 *
 * Return: 0, or -1 with @d set: a name has other characters than letters, digits, "_" and "-".
 */
int secret_list_add(struct secret_list *s, const char *text, struct diag *d);
void secret_list_fini(struct secret_list *s);

/* Is a parameter, result or variable @name of type @t (NULL: unknown) redacted by its name? */
bool secret_is_name(const struct secret_list *s, const char *name, const struct gotype *t);
/* Is the value of type @t under a key of a map, the @len bytes at @key, redacted? */
bool secret_is_key(const struct secret_list *s, const void *key, size_t len,
		   const struct gotype *t);
/* What type @t is, if it is such a struct; or NULL. */
const struct secret_pair *secret_pair_of(const struct gotype *t);
/* Is each value of type @t redacted, whatever its name is? */
bool secret_is_type(const struct secret_list *s, const struct gotype *t);
/* Is field @f of a struct redacted by its name? */
bool secret_is_field(const struct secret_list *s, const struct gofield *f);

#endif
