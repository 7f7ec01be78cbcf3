/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signatures of methods from the runtime's type descriptors: for binaries
 * without debug information. Only methods that reflection or an interface can
 * call are there; parameters have no names.
 */
#ifndef GOPROBE_GOBIN_RTYPE_METHOD_H
#define GOPROBE_GOBIN_RTYPE_METHOD_H

#include "base/hmap.h"
#include "gobin/gobin.h"
#include "gobin/rtype.h"

/* The methods of one binary. */
struct rtype_method {
	struct rtypes *types;	/* its types */
	struct hmap methods;	/* method by address of its code, once @ready */
	bool ready;		/* all types have been looked at */
};

/* @types outlives @s. */
void rtype_method_init(struct rtype_method *s, struct rtypes *types);
void rtype_method_fini(struct rtype_method *s);

/**
 * rtype_method_get() - signature of the method whose code is at @entry
 * @s: the methods
 * @entry: link-time address
 * @abi0: everything is passed on the stack
 * @args: bytes of arguments by the line table, which must add up; negative:
 *	unknown
 *
 * Return: the signature, whose receiver is called RTYPE_METHOD_RECEIVER, its
 * parameters p0, p1 ...; owned by @types' arena. NULL if there is no such method,
 * or if its description is inconsistent.
 */
const struct gosig *rtype_method_get(struct rtype_method *s, uint64_t entry, bool abi0,
				     int32_t args);
#define RTYPE_METHOD_RECEIVER "recv"

#endif
