// SPDX-License-Identifier: GPL-2.0
/* The module's commands: what each sends, and what is in the answers. */
#include <string.h>

#include "trace/client_msg.h"

static const void *reply_data(struct client *c, int attr, size_t size)
{
	return c->tb[attr] && (size_t)nla_len(c->tb[attr]) >= size ? nla_data(c->tb[attr]) : NULL;
}

static int reply_u32(struct client *c, int attr, const char *what, uint32_t *ret,
		     struct diag *d)
{
	const void *p = reply_data(c, attr, sizeof(*ret));

	if (!p)
		return diag_set(d, "%s: the module's reply lacks attribute %d", what, attr);
	memcpy(ret, p, sizeof(*ret));
	return 0;
}

/* Append an array; an empty one is left out. Frees @msg on failure. */
static struct nl_msg *put(struct nl_msg *msg, int attr, const void *p, size_t size)
{
	if (msg && size && nla_put(msg, attr, size, p)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int client_get_info(struct client *c, struct client_info *ret, struct diag *d)
{
	static const char what[] = "can't talk to the goprobe module";
	const struct goprobe_limits *limits;
	const uint64_t *abilities;

	memset(ret, 0, sizeof(*ret));
	if (client_command(c, client_request(c, GOPROBE_CMD_GET_INFO, NLM_F_ACK, 0), what, d))
		return -1;
	limits = reply_data(c, GOPROBE_A_LIMITS, sizeof(*limits));
	abilities = reply_data(c, GOPROBE_A_ABILITIES, sizeof(*abilities));
	const struct genlmsghdr *genl = nlmsg_data((struct nlmsghdr *)c->reply);

	if (genl->version != GOPROBE_GENL_VERSION || !limits || !abilities ||
	    !c->tb[GOPROBE_A_VERSION]) {
		diag_set(d, "the goprobe module speaks version %u of the protocol, goprobectl version %u",
			 genl->version, GOPROBE_GENL_VERSION);
		diag_hint(d, "install both of one release, and load the module again");
		return -1;
	}
	memcpy(&ret->limits, limits, sizeof(*limits));
	memcpy(&ret->abilities, abilities, sizeof(*abilities));
	c->pids = limits->pids;
	nla_strlcpy(ret->version, c->tb[GOPROBE_A_VERSION], sizeof(ret->version));
	return 0;
}

/* Also when the module is not asked: an attribute has 64 KiB at most. */
static int check_pids(const struct client *c, size_t n, struct diag *d)
{
	size_t most = CLIENT_ARRAY_MAX / sizeof(int32_t);

	if (c->pids && c->pids < most)
		most = c->pids;
	if (n <= most)
		return 0;
	diag_set(d, "these are %zu processes, and the module allows %zu", n, most);
	diag_hint(d, "-b FILE traces all that run a program");
	return -1;
}

int client_session_new(struct client *c, const int32_t *pids, size_t npids, uint32_t flags,
		       const struct goprobe_pending_limit *held,
		       const struct goprobe_key_limit *keys,
		       const struct goprobe_breaker *breaker, uint32_t nstates, uint32_t members,
		       uint32_t *ring_bytes, struct diag *d)
{
	static const char what[] = "can't begin a session";
	struct nl_msg *msg;

	if (check_pids(c, npids, d))
		return -1;
	msg = client_request(c, GOPROBE_CMD_SESSION_NEW, NLM_F_ACK, npids * sizeof(*pids));
	msg = put(msg, GOPROBE_A_RING_BYTES, ring_bytes, *ring_bytes ? sizeof(*ring_bytes) : 0);
	msg = put(msg, GOPROBE_A_PIDS, pids, npids * sizeof(*pids));
	flags |= GOPROBE_SESSION_F_LARGE | GOPROBE_SESSION_F_FD;
	msg = put(msg, GOPROBE_A_FLAGS, &flags, sizeof(flags));
	msg = put(msg, GOPROBE_A_PENDING_LIMIT, held, held ? sizeof(*held) : 0);
	msg = put(msg, GOPROBE_A_KEY_LIMIT, keys, keys ? sizeof(*keys) : 0);
	msg = put(msg, GOPROBE_A_BREAKER, breaker,
		  breaker && breaker->percent ? sizeof(*breaker) : 0);
	msg = put(msg, GOPROBE_A_STATES, &nstates, nstates ? sizeof(nstates) : 0);
	msg = put(msg, GOPROBE_A_GOROUTINE_SET_LIMIT, &members, members ? sizeof(members) : 0);
	if (client_command(c, msg, what, d))
		return -1;

	uint32_t fd = 0;

	if (reply_u32(c, GOPROBE_A_FD, what, &fd, d))
		return -1;
	c->session = fd;
	return reply_u32(c, GOPROBE_A_RING_BYTES, what, ring_bytes, d);
}

int client_file_add(struct client *c, int fd, const struct goprobe_runtime *rt,
		    uint32_t *file, struct diag *d)
{
	static const char what[] = "can't add the file";
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_FILE_ADD, NLM_F_ACK, sizeof(*rt));
	uint32_t number = fd;

	msg = put(msg, GOPROBE_A_FD, &number, sizeof(number));
	msg = put(msg, GOPROBE_A_RUNTIME, rt, sizeof(*rt));
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FILE, what, file, d);
}

int client_types_add(struct client *c, const struct goprobe_type *types, size_t ntypes,
		     const struct goprobe_ref *refs, size_t nrefs, uint32_t *first,
		     struct diag *d)
{
	static const char what[] = "can't add types";
	size_t size = ntypes * sizeof(*types), refs_size = nrefs * sizeof(*refs);
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_TYPES_ADD, NLM_F_ACK, size + refs_size);

	msg = put(msg, GOPROBE_A_TYPES, types, size);
	msg = put(msg, GOPROBE_A_REFS, refs, refs_size);
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FIRST, what, first, d);
}

int client_dynamic_add(struct client *c, uint32_t file, const struct goprobe_dynamic *types,
		       size_t n, uint32_t *known, struct diag *d)
{
	static const char what[] = "can't add dynamic types";
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_DYNAMIC_ADD, NLM_F_ACK,
					    n * sizeof(*types));

	msg = put(msg, GOPROBE_A_FILE, &file, sizeof(file));
	msg = put(msg, GOPROBE_A_DYNAMIC, types, n * sizeof(*types));
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_COUNT, what, known, d);
}

int client_plans_add(struct client *c, const struct goprobe_plan *plans, size_t nplans,
		     const struct goprobe_piece *pieces, size_t npieces,
		     const struct goprobe_op *ops, size_t nops, uint32_t *first,
		     struct diag *d)
{
	static const char what[] = "can't add capture plans";
	size_t size = nplans * sizeof(*plans), pieces_size = npieces * sizeof(*pieces);
	size_t ops_size = nops * sizeof(*ops);
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_PLANS_ADD, NLM_F_ACK,
					    size + pieces_size + ops_size);

	msg = put(msg, GOPROBE_A_PLANS, plans, size);
	msg = put(msg, GOPROBE_A_PIECES, pieces, pieces_size);
	msg = put(msg, GOPROBE_A_OPS, ops, ops_size);
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FIRST, what, first, d);
}

int client_filters_add(struct client *c, const struct goprobe_filter *filters, size_t n,
		       const struct goprobe_op *ops, size_t nops, uint32_t *first,
		       struct diag *d)
{
	static const char what[] = "can't add conditions";
	size_t size = n * sizeof(*filters), ops_size = nops * sizeof(*ops);
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_FILTERS_ADD, NLM_F_ACK,
					    size + ops_size);

	msg = put(msg, GOPROBE_A_FILTERS, filters, size);
	msg = put(msg, GOPROBE_A_OPS, ops, ops_size);
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_FIRST, what, first, d);
}

int client_points_add(struct client *c, uint32_t file, const struct goprobe_point *points,
		      size_t n, struct diag *d)
{
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_POINTS_ADD, NLM_F_ACK,
					    n * sizeof(*points));

	msg = put(msg, GOPROBE_A_FILE, &file, sizeof(file));
	msg = put(msg, GOPROBE_A_POINTS, points, n * sizeof(*points));
	return client_command(c, msg, "can't place breakpoints", d);
}

int client_points_del(struct client *c, const uint32_t *ids, size_t n, uint32_t *left,
		      struct diag *d)
{
	static const char what[] = "can't take breakpoints away";
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_POINTS_DEL, NLM_F_ACK,
					    n * sizeof(*ids));

	msg = put(msg, GOPROBE_A_IDS, ids, n * sizeof(*ids));
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_COUNT, what, left, d);
}

int client_members_add(struct client *c, const struct goprobe_goroutine *v, size_t n, uint32_t *ret,
		       struct diag *d)
{
	static const char what[] = "can't add goroutines";
	struct nl_msg *msg = client_request(c, GOPROBE_CMD_GOROUTINES_ADD, NLM_F_ACK,
					    n * sizeof(*v));

	msg = put(msg, GOPROBE_A_GOROUTINES, v, n * sizeof(*v));
	if (client_command(c, msg, what, d))
		return -1;
	return reply_u32(c, GOPROBE_A_COUNT, what, ret, d);
}

int client_start(struct client *c, struct diag *d)
{
	return client_command(c, client_request(c, GOPROBE_CMD_START, NLM_F_ACK, 0),
			      "can't start recording", d);
}

int client_stop(struct client *c, struct diag *d)
{
	return client_command(c, client_request(c, GOPROBE_CMD_STOP, NLM_F_ACK, 0),
			      "can't take the breakpoints away", d);
}

int client_get_stats(struct client *c, uint64_t stats[__GOPROBE_STAT_MAX], struct diag *d)
{
	static const char what[] = "can't read the session's counters";
	size_t size = __GOPROBE_STAT_MAX * sizeof(*stats);

	memset(stats, 0, size);
	if (client_command(c, client_request(c, GOPROBE_CMD_GET_STATS, NLM_F_ACK, 0), what, d))
		return -1;

	struct nlattr *a = c->tb[GOPROBE_A_STATS];

	if (!a)
		return diag_set(d, "%s: the module's reply lacks them", what);
	memcpy(stats, nla_data(a), (size_t)nla_len(a) < size ? (size_t)nla_len(a) : size);
	return 0;
}

/* --- dumps ----------------------------------------------------------- */

struct pass {
	client_records_fn fn;
	void *ctx;
	struct client_pass *ret;
};

static uint64_t attr_u64(struct nlattr *a)
{
	uint64_t v = 0;

	if (a && nla_len(a) >= (int)sizeof(v))
		memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

static uint32_t attr_u32(struct nlattr *a)
{
	uint32_t v = 0;

	if (a && nla_len(a) >= (int)sizeof(v))
		memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

static int pass_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	struct pass *pass = ctx;

	if (client_parse(c, h))
		return diag_set(d, "the module's records can't be understood");
	if (c->tb[GOPROBE_A_TIME]) {
		pass->ret->time = attr_u64(c->tb[GOPROBE_A_TIME]);
		pass->ret->backlog = attr_u64(c->tb[GOPROBE_A_BACKLOG]);
	}

	struct nlattr *records = c->tb[GOPROBE_A_RECORDS];

	if (!records)
		return 0;
	pass->ret->bytes += nla_len(records);
	if (pass->fn(pass->ctx, attr_u32(c->tb[GOPROBE_A_CPU]), nla_data(records),
		     nla_len(records)))
		return diag_set(d, "out of memory");
	return 0;
}

/**
 * client_read - one pass over the rings
 * @c: client with a session
 * @fn: gets the records, which are valid until it returns
 * @ctx: its first argument
 * @ret: results of the pass
 * @d: for errors
 *
 * Return: 0 or -1.
 */
int client_read(struct client *c, client_records_fn fn, void *ctx, struct client_pass *ret,
		struct diag *d)
{
	struct pass pass = { .fn = fn, .ctx = ctx, .ret = ret };

	memset(ret, 0, sizeof(*ret));
	/* A READY from before the pass says nothing about what it leaves behind. */
	c->ready = false;
	return client_exchange(c, client_request(c, GOPROBE_CMD_READ, NLM_F_DUMP, 0),
			       "can't read records", pass_message, &pass, d);
}

struct tallies {
	client_tally_fn fn;
	void *ctx;
};

static int tallies_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	static const char what[] = "what the module has counted can't be understood";
	struct tallies *all = ctx;

	if (client_parse(c, h) || !c->tb[GOPROBE_A_TALLIES])
		return diag_set(d, "%s", what);

	/* Attributes are 4-aligned, tallies are not. */
	size_t left = nla_len(c->tb[GOPROBE_A_TALLIES]), size;
	const char *at = memcpy(c->reply, nla_data(c->tb[GOPROBE_A_TALLIES]), left);

	for (; left; left -= size, at += size) {
		const struct goprobe_tally *t = (const void *)at;

		size = sizeof(*t);
		if (left >= size)
			size += ((size_t)t->nbuckets + t->nstates) * sizeof(uint64_t);
		if (left < size || t->first + t->nbuckets > GOPROBE_BUCKETS ||
		    t->nstates > GOPROBE_STATES_MAX)
			return diag_set(d, "%s", what);
		if (all->fn(all->ctx, t, (const uint64_t *)(t + 1)))
			return diag_set(d, "out of memory");
	}
	return 0;
}

int client_tallies(struct client *c, client_tally_fn fn, void *ctx, struct diag *d)
{
	struct tallies all = { .fn = fn, .ctx = ctx };

	return client_exchange(c, client_request(c, GOPROBE_CMD_TALLIES, NLM_F_DUMP, 0),
			       "can't read what has been counted", tallies_message, &all, d);
}

struct keys {
	client_key_fn fn;
	void *ctx;
};

static int keys_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	static const char what[] = "what the module has counted by key can't be understood";
	struct keys *all = ctx;

	if (client_parse(c, h) || !c->tb[GOPROBE_A_KEY_STATS])
		return diag_set(d, "%s", what);

	/* Attributes are 4-aligned, keys are not. */
	size_t left = nla_len(c->tb[GOPROBE_A_KEY_STATS]), size;
	const char *at = memcpy(c->reply, nla_data(c->tb[GOPROBE_A_KEY_STATS]), left);

	for (; left; left -= size, at += size) {
		const struct goprobe_key_stats *k = (const void *)at;
		const uint64_t *key = (const uint64_t *)(k + 1);

		size = sizeof(*k);
		if (left < size || k->key_bytes % sizeof(*key) || k->key_bytes > left - size ||
		    k->tally.first + k->tally.nbuckets > GOPROBE_BUCKETS ||
		    k->tally.nstates > GOPROBE_STATES_MAX)
			return diag_set(d, "%s", what);
		size += k->key_bytes + ((size_t)k->tally.nbuckets + k->tally.nstates) *
				       sizeof(uint64_t);
		if (left < size)
			return diag_set(d, "%s", what);
		if (all->fn(all->ctx, k, key, key + k->key_bytes / sizeof(*key)))
			return diag_set(d, "out of memory");
	}
	return 0;
}

int client_keys(struct client *c, client_key_fn fn, void *ctx, struct diag *d)
{
	struct keys all = { .fn = fn, .ctx = ctx };

	return client_exchange(c, client_request(c, GOPROBE_CMD_KEYS, NLM_F_DUMP, 0),
			       "can't read what has been counted by key", keys_message, &all, d);
}

struct open_calls {
	client_opened_fn fn;
	void *ctx;
};

static int opened_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	static const char what[] = "the module's open calls can't be understood";
	struct open_calls *all = ctx;

	if (client_parse(c, h) || !c->tb[GOPROBE_A_OPEN_CALLS])
		return diag_set(d, "%s", what);

	/* Attributes are 4-aligned, open calls are not. */
	size_t left = nla_len(c->tb[GOPROBE_A_OPEN_CALLS]), size;
	char *at = memcpy(c->reply, nla_data(c->tb[GOPROBE_A_OPEN_CALLS]), left);

	for (; left; left -= size, at += size) {
		const struct goprobe_open_call *o = (const void *)at;

		size = sizeof(*o);
		if (left < size || o->record_bytes % 8 || o->record_bytes > left - size)
			return diag_set(d, "%s", what);
		size += o->record_bytes;
		if (all->fn(all->ctx, o, (uint8_t *)at + sizeof(*o)))
			return diag_set(d, "out of memory");
	}
	return 0;
}

int client_opened(struct client *c, client_opened_fn fn, void *ctx, struct diag *d)
{
	struct open_calls all = { .fn = fn, .ctx = ctx };

	return client_exchange(c, client_request(c, GOPROBE_CMD_OPEN_CALLS, NLM_F_DUMP, 0),
			       "can't read which calls are open", opened_message, &all, d);
}

struct listing {
	client_session_fn fn;
	void *ctx;
};

static int list_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	struct listing *l = ctx;

	if (client_parse(c, h))
		return diag_set(d, "the module's list can't be understood");

	struct nlattr *pids = c->tb[GOPROBE_A_PIDS];
	struct nlattr *points = c->tb[GOPROBE_A_POINTS];
	struct nlattr *path = c->tb[GOPROBE_A_PATH];
	struct client_session s = {
		.session = attr_u32(c->tb[GOPROBE_A_SESSION]),
		.owner = attr_u32(c->tb[GOPROBE_A_OWNER]),
		.file = attr_u32(c->tb[GOPROBE_A_FILE]),
		.path = "",
	};

	if (path && memchr(nla_data(path), 0, nla_len(path)))
		s.path = nla_get_string(path);
	if (pids) {
		s.pids = nla_data(pids);
		s.npids = nla_len(pids) / sizeof(*s.pids);
	}
	if (points) {
		/* Attributes are 4-aligned, points are not. */
		memcpy(c->reply, nla_data(points), nla_len(points));
		s.points = (struct goprobe_point *)c->reply;
		s.npoints = nla_len(points) / sizeof(*s.points);
	}
	return l->fn(l->ctx, &s) ? diag_set(d, "out of memory") : 0;
}

int client_list(struct client *c, client_session_fn fn, void *ctx, struct diag *d)
{
	struct listing l = { .fn = fn, .ctx = ctx };

	return client_exchange(c, client_request(c, GOPROBE_CMD_LIST, NLM_F_DUMP, 0),
			       "can't list what is probed", list_message, &l, d);
}
