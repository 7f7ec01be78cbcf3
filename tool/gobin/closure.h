/* SPDX-License-Identifier: GPL-2.0 */
/* Closures, the objects behind func values: the code's address and the captured variables. */
#ifndef GOPROBE_GOBIN_CLOSURE_H
#define GOPROBE_GOBIN_CLOSURE_H

#include "gobin/gobin.h"

/*
 * The object that a func value points to if its first word is @entry: a struct
 * called as the function, with the field "F" for the word, and a field for each
 * captured variable: of its type if it was captured by value, called "&x" and a
 * pointer if by reference, and of unknown type if neither is proven. A method
 * value ("main.T.M-fm") has one, "recv".
 *
 * Return: NULL if it is not known what is behind the first word. Cached.
 */
const struct gotype *gobin_closure_type(struct gobin *bin, uint64_t entry);
/*
 * What the function calls the variable that is field @i of its closure, "x" also if it is captured
 * by reference; NULL if it is the code's address, blank, or the compiler's own.
 */
const char *gobin_closure_variable(const struct gotype *closure, size_t i);

#endif
