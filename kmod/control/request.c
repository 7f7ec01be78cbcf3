// SPDX-License-Identifier: GPL-2.0
/* Requests of commands: attributes of a message as members of a struct. */
#include <linux/netlink.h>
#include <linux/stringify.h>
#include <net/genetlink.h>

#include "control/refuse.h"
#include "control/request.h"
#include "control/sessions.h"

static int gp_request_refuse(const struct genl_info *info, const struct nlattr *nla, int err,
			     const char *why)
{
	NL_SET_BAD_ATTR(info->extack, nla);
	return gp_refuse(info->extack, err, why);
}

static int gp_request_array(const struct gp_request_row *row, void *member,
			    const struct genl_info *info, const struct nlattr *nla)
{
	struct {
		const void *elements;
		u32 n;
	} *array = member;

	if (nla_len(nla) % row->size)
		return gp_request_refuse(info, nla, -EINVAL, "an array has a broken element");
	if (row->filled && !nla_len(nla))
		return gp_request_refuse(info, nla, -EINVAL, "an array has no elements");
	if (nla_len(nla) / row->size > GP_BATCH_MAX)
		return gp_request_refuse(info, nla, -E2BIG,
					 "more than " __stringify(GP_BATCH_MAX) " elements in one message");
	array->elements = nla_data(nla);
	array->n = nla_len(nla) / row->size;
	return 0;
}

/* The command's policy has checked the lengths of values. */
static int gp_request_take(struct gp_request *r, u8 attr, const struct genl_info *info)
{
	const struct gp_request_row *row = &gp_request_rows[attr];
	const struct nlattr *nla = info->attrs[attr];
	void *member = (u8 *)r + row->offset;

	if (row->kind == GP_REQUEST_ARRAY)
		return gp_request_array(row, member, info, nla);
	memcpy(member, nla_data(nla), row->size);
	return 0;
}

/**
 * gp_request_parse() - take the attributes of a command from its message
 * @r: gets those that the message has; the other members stay as they are
 * @info: of the message, which its policy has validated
 *
 * Return: 0, or an error with a message: an attribute is missing, or an array is not right.
 */
int gp_request_parse(struct gp_request *r, const struct genl_info *info)
{
	const struct gp_request_need *need;
	int err = 0;

	for (need = gp_request_needs[info->genlhdr->cmd]; !err && need->attr; need++) {
		if (info->attrs[need->attr])
			err = gp_request_take(r, need->attr, info);
		else if (need->missing)
			err = gp_refuse(info->extack, -EINVAL, need->missing);
	}
	return err;
}
