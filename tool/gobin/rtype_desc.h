/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A type descriptor of the runtime (abi.Type and what follows it) in a file. This
 * code hides all differences between releases. Nothing that is read is trusted;
 * pointers are link-time addresses that may lead anywhere.
 */
#ifndef GOPROBE_GOBIN_RTYPE_DESC_H
#define GOPROBE_GOBIN_RTYPE_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gobin/data_cache.h"
#include "gotype/kind.h"
#include "gotype/type.h"

/* Where descriptors are read from. */
struct rtsource {
	struct data_cache *data;	/* the file's memory image */
	int minor;		/* Go version, 1.@minor */
	bool swiss;		/* maps are of groups */
	uint64_t types;		/* what offsets count from */
	uint64_t etypes;	/* end of what they may lead to */
};

/* A channel's direction. */
#define RTYPE_DESC_RECV 1U
#define RTYPE_DESC_SEND 2U

/* A descriptor. */
struct rtype_desc {
	uint64_t vaddr;	/* where it is */
	uint64_t size;	/* bytes of a value */
	uint32_t align;	/* alignment */
	enum go_rkind kind;	/* what it is */
	bool direct;	/* an interface's data word is the value */
	bool named;	/* it has a name of its own */
	bool extra_star;	/* the string form has a star too many */
	uint64_t str;	/* address of the string form ("*http.Request") */
	uint64_t ptr_to;	/* address of the descriptor of the pointer to it, or 0 */
	uint64_t uncommon;	/* address of the package path and methods, or 0 */
	uint64_t length;	/* bytes of the descriptor, with what follows it (as of 1.27) */
	uint64_t elem;	/* of pointers, slices, arrays, channels and maps */
	uint64_t key;	/* of maps */
	struct gomap map;	/* of maps */
	uint64_t count;	/* elements of an array; fields of a struct; methods of an interface */
	uint64_t list;	/* address of fields, methods, or of a function's parameter types */
	uint64_t pkg;	/* address of the name of the package of a struct or interface, or 0 */
	unsigned int dir;	/* of channels: RTYPE_DESC_RECV, RTYPE_DESC_SEND */
	unsigned int nin;	/* parameters of a function */
	unsigned int nout;	/* results of it */
	bool variadic;	/* the last parameter is */
};

struct rtfield {
	uint64_t name;		/* address of an abi.Name */
	uint64_t type;
	uint64_t offset;
	bool marked;		/* embedded, by the mark of old releases */
};

/* A method of a type, or one that an interface asks for. */
struct rtmethod {
	uint64_t name;		/* address of an abi.Name */
	uint64_t type;		/* of the function without receiver; or 0 */
	uint32_t ifn;		/* code as interfaces call it, from text; or 0 */
	uint32_t tfn;		/* code of the method itself, from text; or 0 */
};

/* abi.UncommonType */
struct rtuncommon {
	uint64_t pkg;		/* address of an abi.Name, or 0 */
	unsigned int nmethods;
	uint64_t methods;
};

#define RTNAME_MAX 16384U

/* abi.Name */
struct rtname {
	bool exported;
	bool embedded;
	uint64_t text;		/* address of its bytes */
	size_t len;
	uint64_t tag;
	size_t tag_len;
	uint64_t pkg;		/* address of an abi.Name, or 0 */
};

/* All return 0, or -1: there is nothing of the kind. */
int rtype_desc_read(const struct rtsource *src, uint64_t vaddr, struct rtype_desc *ret);
int rtype_desc_field(const struct rtsource *src, const struct rtype_desc *d, uint64_t i,
		     struct rtfield *ret);
/* Parameters, then results. */
int rtype_desc_param(const struct rtsource *src, const struct rtype_desc *d,
		     unsigned int i, uint64_t *type);
/* What an interface asks for. */
int rtype_desc_wants(const struct rtsource *src, const struct rtype_desc *d, uint64_t i,
		     struct rtmethod *ret);
int rtype_desc_uncommon(const struct rtsource *src, const struct rtype_desc *d,
			struct rtuncommon *ret);
int rtype_desc_method(const struct rtsource *src, const struct rtuncommon *u,
		      unsigned int i, struct rtmethod *ret);
int rtype_desc_name(const struct rtsource *src, uint64_t vaddr, struct rtname *ret);

#endif
