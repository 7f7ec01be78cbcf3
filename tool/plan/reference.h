/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places in a Go type that refer to other memory, in the module's terms. What
 * is not worth following is decided here: docs/design/values.md. Pure.
 */
#ifndef GOPROBE_PLAN_REFERENCE_H
#define GOPROBE_PLAN_REFERENCE_H

#include <goprobe.h>

#include "gobin/runtime_layout.h"
#include "gotype/secret.h"
#include "gotype/type.h"

/* What an object in memory is: of a type, or something of the runtime's. */
enum wire_role {
	WIRE_VALUE,	/* a value of the type */
	WIRE_HMAP,	/* of a map type: runtime.hmap */
	WIRE_BUCKET,	/* ... a bucket */
	WIRE_SWISS,	/* ... maps.Map */
	WIRE_DIR,	/* ... an entry of its directory: a pointer to a table */
	WIRE_TABLE,	/* ... maps.table */
	WIRE_GROUP,	/* ... a group of slots */
	WIRE_CHAN,	/* of a channel type: runtime.hchan */
	WIRE_SUDOG,	/* ... runtime.sudog: a waiting goroutine */
	WIRE_TRIE,	/* of internal/sync.HashTrieMap: a node */
	WIRE_ERROR,	/* an error's value of the type, or what leads from it to its text */
};

/* A reference, and what it leads to. */
struct wire_ref {
	struct goprobe_ref ref;		/* but for @ref.type */
	/* The target's type; of interfaces: their own; NULL for strings and functions. */
	const struct gotype *to;
	enum wire_role role;		/* what of that type the target is */
};

/* References of one type; what is beyond is not followed. */
#define REFERENCE_MAX 512
/* Bytes that are wiped; with more, the whole object is. */
#define WIREWIPES_MAX 2048

struct wire_wipe {
	uint32_t offset;
	uint32_t size;
};

/* What the module does with an object. */
struct reference {
	const struct runtime_layout *layout;		/* of the program's runtime */
	const struct secret_list *secrets; /* what is redacted: neither copied nor followed */
	bool error;				/* what is made is of role WIRE_ERROR */
	struct wire_ref v[REFERENCE_MAX];	/* references */
	size_t n;				/* their number */
	struct wire_wipe wipes[WIREWIPES_MAX];	/* redacted bytes */
	size_t nwipes;				/* their number */
};

/* Bytes of such an object; 0: it is never followed. */
uint64_t reference_size(const struct runtime_layout *layout, const struct gotype *t,
			enum wire_role role);
/* All references and wipes of such an object, by rising offset; @r->layout is set. */
void reference_of(struct reference *r, const struct gotype *t, enum wire_role role);
/* Begin a frame. */
void reference_begin(struct reference *r);
/*
 * Add those of a value in a frame, at @offset. What its pointers lead to is
 * shown, whatever it is.
 */
void reference_add_frame(struct reference *r, const struct gotype *t, uint64_t offset);
/* Drop all but strings and errors. */
void reference_keep_texts(struct reference *r);
/*
 * Is what a value of type @t, a reference, leads to followed where it is not an
 * argument?
 */
bool reference_follows(const struct gotype *t);
/* What field @f of @t is followed as: an atomic.Pointer's unsafe pointer as its *T. */
const struct gotype *reference_field_type(const struct gotype *t, const struct gofield *f);
/* After the last one, of an object of @size bytes. */
void reference_sort(struct reference *r, uint64_t size);

#endif
