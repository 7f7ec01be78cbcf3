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

/**
 * struct rtsource - where descriptors are read from
 * @data: the file's memory image
 * @minor: Go version, 1.@minor
 * @swiss: maps are of groups
 * @types: what offsets count from
 * @etypes: end of what they may lead to
 */
struct rtsource {
	struct datawin *data;
	int minor;
	bool swiss;
	uint64_t types;
	uint64_t etypes;
};

/* A channel's direction. */
#define RTDESC_RECV 1U
#define RTDESC_SEND 2U

/**
 * struct rtdesc - a descriptor
 * @vaddr: where it is
 * @size: bytes of a value
 * @align: alignment
 * @kind: what it is
 * @direct: an interface's data word is the value
 * @named: it has a name of its own
 * @extra_star: the string form has a star too many
 * @str: address of the string form ("*http.Request")
 * @ptr_to: address of the descriptor of the pointer to it, or 0
 * @uncommon: address of the package path and methods, or 0
 * @length: bytes of the descriptor, with what follows it (as of 1.27)
 * @elem: of pointers, slices, arrays, channels and maps
 * @key: of maps
 * @map: of maps
 * @count: elements of an array; fields of a struct; methods of an interface
 * @list: address of fields, methods, or of a function's parameter types
 * @pkg: address of the name of the package of a struct or interface, or 0
 * @dir: of channels: RTDESC_RECV, RTDESC_SEND
 * @nin: parameters of a function
 * @nout: results of it
 * @variadic: the last parameter is
 */
struct rtdesc {
	uint64_t vaddr;
	uint64_t size;
	uint32_t align;
	enum go_rkind kind;
	bool direct;
	bool named;
	bool extra_star;
	uint64_t str;
	uint64_t ptr_to;
	uint64_t uncommon;
	uint64_t length;
	uint64_t elem;
	uint64_t key;
	struct gomap map;
	uint64_t count;
	uint64_t list;
	uint64_t pkg;
	unsigned int dir;
	unsigned int nin;
	unsigned int nout;
	bool variadic;
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
int rtdesc_read(const struct rtsource *src, uint64_t vaddr, struct rtdesc *ret);
int rtdesc_field(const struct rtsource *src, const struct rtdesc *d, uint64_t i,
		 struct rtfield *ret);
/* Parameters, then results. */
int rtdesc_param(const struct rtsource *src, const struct rtdesc *d,
		 unsigned int i, uint64_t *type);
/* What an interface asks for. */
int rtdesc_wants(const struct rtsource *src, const struct rtdesc *d, uint64_t i,
		 struct rtmethod *ret);
int rtdesc_uncommon(const struct rtsource *src, const struct rtdesc *d,
		    struct rtuncommon *ret);
int rtdesc_method(const struct rtsource *src, const struct rtuncommon *u,
		  unsigned int i, struct rtmethod *ret);
int rtdesc_name(const struct rtsource *src, uint64_t vaddr, struct rtname *ret);

#endif
