/* SPDX-License-Identifier: GPL-2.0 */
/* Build ids: the notes in which linkers say which build a file is. */
#ifndef GOPROBE_ELF_BUILD_ID_H
#define GOPROBE_ELF_BUILD_ID_H

#include "elf/elffile.h"

/**
 * build_id_find() - the note of one kind. Pure.
 * @p: notes, one after the other
 * @len: their bytes
 * @owner: "GNU"; Go pads its own with more than one NUL
 * @type: NT_GNU_BUILD_ID
 * @n: set to the number of bytes in the note
 *
 * Return: the note's bytes, in @p; NULL if there is no such note before the first damaged one.
 */
const uint8_t *build_id_find(const uint8_t *p, size_t len, const char *owner, uint32_t type,
			     size_t *n);

/* The GNU build id in hexadecimal digits; to be freed; NULL if the file has none. */
char *build_id_gnu_build_id(const struct elffile *ef);

/*
 * The build id: the GNU one in hexadecimal digits, as tools compare them; else the
 * text that Go's linker leaves. To be freed; NULL if the file has neither.
 */
char *build_id_build_id(const struct elffile *ef);

#endif
