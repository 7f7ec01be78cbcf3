/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between Go releases: all numbers that depend on a version and
 * can't be read from the binary itself. Pure.
 */
#ifndef GOPROBE_GOVERSION_H
#define GOPROBE_GOVERSION_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

/* The releases whose tables were checked against their own debug information. */
#define GOVERSION_MIN 13
#define GOVERSION_MAX 27

/* Minor version of "go1.24.4", "devel go1.27-abc", "go1.22rc1 X:exp"; or -1. */
int goversion_parse(const char *text);

/* Arguments in registers, g in R14 (amd64: 1.17 and newer). */
bool goversion_regabi(int minor);

/* Offsets in runtime.g and runtime.m; g_tls is left alone. */
void goversion_runtime(int minor, struct goprobe_runtime *rt);

/* _func.funcID of wrappers that the compiler made. */
uint8_t goversion_funcid_wrapper(int minor);

/**
 * struct goversion_moduledata - offsets in runtime.moduledata
 * @text: text, etext follows
 * @types: types
 * @etypes: its end
 * @gofunc: what function data offsets count from; 0 if there is none
 * @size: bytes that have to be read for all these
 */
struct goversion_moduledata {
	uint32_t text;
	uint32_t types;
	uint32_t etypes;
	uint32_t gofunc;
	uint32_t size;
};

struct goversion_moduledata goversion_moduledata(int minor);

/* abi.Name lengths are varints (1.17 and newer), else two bytes, big endian. */
bool goversion_name_varint(int minor);

#endif
