/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of commands: attributes of a message as members of a struct. */
#ifndef GP_REQUEST_H
#define GP_REQUEST_H

#include "control/request_attrs.h"

struct genl_info;

enum gp_request_kind {
	GP_REQUEST_VALUE,	/* a number or a struct */
	GP_REQUEST_ARRAY,	/* a pointer into the message, and its number of elements */
};

/**
 * struct gp_request_row - how an attribute becomes a member of struct gp_request
 * @kind: enum gp_request_kind
 * @offset: of the member
 * @size: bytes of the value, or of an element
 * @filled: an array without elements is refused
 */
struct gp_request_row {
	u8 kind;
	u16 offset;
	u16 size;
	bool filled;
};

/**
 * struct gp_request_need - an attribute of a command
 * @attr: enum goprobe_attr; 0: the list ends
 * @missing: message where the attribute is missing; NULL: it is optional
 */
struct gp_request_need {
	u8 attr;
	const char *missing;
};

/* Most attributes of a command, and the end of the list. */
#define GP_REQUEST_NEEDS_MAX	12

extern const struct gp_request_row gp_request_rows[GOPROBE_A_MAX + 1];
extern const struct gp_request_need
gp_request_needs[GOPROBE_CMD_MAX + 1][GP_REQUEST_NEEDS_MAX];

int gp_request_parse(struct gp_request *r, const struct genl_info *info);

#endif
