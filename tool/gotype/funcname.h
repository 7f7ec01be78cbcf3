/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of a linker's name of a Go function. Pure. */
#ifndef GOPROBE_GOTYPE_FUNCNAME_H
#define GOPROBE_GOTYPE_FUNCNAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The name behind the package: "(*Cart).Add" of "my.org/shop.(*Cart).Add". Dots
 * and slashes in brackets (type arguments) do not count.
 */
const char *funcname_local(const char *name);

/* The last element of a package's path, which has @n bytes. */
const char *funcname_last_element(const char *path, size_t n);
/*
 * The name that the package with the @n bytes at @path for its path most likely has, and its
 * length: the last element, without a version, as in x/echo/v4 and gopkg.in/yaml.v3.
 */
const char *funcname_package(const char *path, size_t n, size_t *ret);

/*
 * Is it a function literal or the like ("main.F.func1", "main.T.M-fm",
 * "main.F.gowrap2", "main.F-range1")? These have no receiver, no dictionary.
 */
bool funcname_is_closure(const char *name);

/* Is it a function literal in plain code: captures it nothing but what people have declared? */
bool funcname_is_literal(const char *name);

/* Is it the body of a range loop over a function ("main.F-range1")? It returns a bool. */
bool funcname_is_range_body(const char *name);

/*
 * A method's receiver: sets @type and @len to its bare name ("Cart", or "List"
 * of "(*List[go.shape.int])"), @pointer if it is one. False: no method.
 */
bool funcname_receiver(const char *name, const char **type, size_t *len,
		       bool *pointer);

/*
 * The name as people write it, into @to: without type arguments; if @path, with the import path
 * as Go code has it, in which the linker writes some dots as %2e. False if it takes more than
 * @size bytes.
 */
bool funcname_written(const char *name, bool path, char *to, size_t size);

/*
 * What spellings of a name have in common, into @to: it has no brackets of receivers, no mark of
 * shapes and no escapes. False if it takes more than @size bytes.
 */
bool funcname_loose(const char *from, char *to, size_t size);

/* Code for shapes of type arguments: takes a dictionary unless a closure. */
bool funcname_is_shaped(const char *name);

#endif
