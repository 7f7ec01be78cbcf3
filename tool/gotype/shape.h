/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of shapes, the types that generic code is compiled for: "go.shape.int". Pure.
 * Source: cmd/compile/internal/noder, shapify.
 */
#ifndef GOPROBE_GOTYPE_SHAPE_H
#define GOPROBE_GOTYPE_SHAPE_H

#include <stdbool.h>

#include "base/buf.h"

/*
 * The shape of all pointers, whatever they point to? (Where a constraint lists the types, the
 * shape of *T is "go.shape.*T".)
 */
bool shape_is_any_pointer(const char *name);
/*
 * Take the marks of shapes out of the type name @name, in place: "main.List[go.shape.int]"
 * becomes "main.List[int]". The shape of all pointers becomes "unsafe.Pointer". @minor: of the
 * binary's Go version.
 */
void shape_drop(char *name, int minor);

/*
 * Append a function's name as Go's tracebacks have it: "main.(*List[...]).Add" for
 * "main.(*List[go.shape.int]).Add". Type arguments that are no shapes stay.
 */
void shape_put(struct buf *b, const char *name);

#endif
