/* SPDX-License-Identifier: GPL-2.0 */
/* Go binaries, and places in them where a breakpoint does no harm. */
#ifndef NETFUZZ_PLACES_H
#define NETFUZZ_PLACES_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#define PLACES_MAX	512
#define FILES_MAX	4

/**
 * struct place - where there may be a breakpoint
 * @offset: in the file
 * @function: number of its function
 * @kind: enum goprobe_point_kind
 * @code_len: bytes of @code
 * @code: the instruction
 */
struct place {
	uint64_t offset;
	uint32_t function;
	uint8_t kind;
	uint8_t code_len;
	uint8_t code[GOPROBE_CODE_MAX];
};

/**
 * struct binary - a Go program
 * @path: where it is
 * @fd: opened for reading
 * @data: its bytes
 * @size: how many
 * @code_delta: struct goprobe_runtime
 * @places: its places, those of one function together
 * @nplaces: how many
 * @nfunctions: how many functions they are of
 * @function: link-time addresses of these
 */
struct binary {
	const char *path;
	int fd;
	const uint8_t *data;
	uint64_t size;
	int64_t code_delta;
	struct place places[PLACES_MAX];
	uint32_t nplaces;
	uint32_t nfunctions;
	uint64_t function[PLACES_MAX];
};

/*
 * Open a program and read its places, lines of
 * "FUNCTION-ADDRESS OFFSET-IN-FUNCTION call|return|tail CODE". NULL, or what is wrong.
 */
const char *places_read(struct binary *b, const char *path, const char *list);
bool places_has(const struct binary *b, uint64_t offset);
/* Would a breakpoint there be in the middle of an instruction, as far as is known? */
bool places_harm(const struct binary *b, const struct goprobe_point *p);

#endif
