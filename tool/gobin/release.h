/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between Go releases: all numbers that depend on a version and that
 * the binary itself does not contain. Pure.
 */
#ifndef GOPROBE_GOBIN_RELEASE_H
#define GOPROBE_GOBIN_RELEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

/* The releases whose tables were checked against their own debug information. */
#define RELEASE_OLDEST 13
#define RELEASE_NEWEST 27

/* Minor version of "go1.24.4", "devel go1.27-abc", "go1.22rc1 X:exp"; or -1. */
int release_parse(const char *text);

/* Arguments in registers, g in R14 (amd64: 1.17 and newer). */
bool release_regabi(int minor);

/* Offsets in runtime.g and runtime.m; g_tls is left alone. */
void release_runtime(int minor, struct goprobe_runtime *rt);

/* _func.funcID of wrappers that the compiler made. */
uint8_t release_funcid_wrapper(int minor);

/* Offsets in runtime.moduledata. */
struct release_moduledata {
	uint32_t text;		/* text, etext follows */
	uint32_t types;		/* types */
	/* Bytes of the descriptors that typelinks listed before 1.27; 0 before. */
	uint32_t desc_len;
	uint32_t etypes;	/* end of types */
	uint32_t itabs;		/* itaboffset, from types, itabsize follows; 0 before 1.27 */
	uint32_t gofunc;	/* base of function data offsets; 0: absent */
	uint32_t typelinks;	/* slice of offsets from types; 0 since 1.27 */
	uint32_t itablinks;	/* slice of pointers to itabs; 0 since 1.27 */
	uint32_t size;		/* bytes that have to be read for all these */
};

struct release_moduledata release_moduledata(int minor);

/* abi.Name lengths are varints (1.17 and newer), else two bytes, big endian. */
bool release_name_varint(int minor);

/*
 * abi.Type.Kind_ has the mark of types that an interface holds directly (1.25
 * and older), else TFlag has it. Both are bit 5.
 */
bool release_direct_in_kind(int minor);

/* The offset of a field is kept times two, with a mark in bit 0 (to 1.18). */
bool release_field_marked(int minor);

/*
 * Do maps consist of groups with control bytes? @version is the whole text: it
 * names the experiment that turns them off (1.24 and 1.25).
 */
bool release_swiss_maps(int minor, const char *version);

#endif
