// SPDX-License-Identifier: GPL-2.0
/* The module's commands: what each sends, and what is in the answers. */
#include <stdio.h>
#include <string.h>

#include "host/module.h"
#include "trace/client_msg.h"

static const char *const failures[] = {
	[GOPROBE_CMD_GET_INFO] = "can't talk to the goprobe module",
	[GOPROBE_CMD_LIST] = "can't list what is probed",
	[GOPROBE_CMD_SESSION_NEW] = "can't begin a session",
	[GOPROBE_CMD_FILE_ADD] = "can't add the file",
	[GOPROBE_CMD_TYPES_ADD] = "can't add types",
	[GOPROBE_CMD_DYNAMIC_ADD] = "can't add dynamic types",
	[GOPROBE_CMD_PLANS_ADD] = "can't add capture plans",
	[GOPROBE_CMD_FILTERS_ADD] = "can't add conditions",
	[GOPROBE_CMD_POINTS_ADD] = "can't place breakpoints",
	[GOPROBE_CMD_POINTS_DEL] = "can't take breakpoints away",
	[GOPROBE_CMD_GOROUTINES_ADD] = "can't add goroutines",
	[GOPROBE_CMD_START] = "can't start recording",
	[GOPROBE_CMD_STOP] = "can't take the breakpoints away",
	[GOPROBE_CMD_READ] = "can't read records",
	[GOPROBE_CMD_GET_STATS] = "can't read the session's counters",
	[GOPROBE_CMD_TALLIES] = "can't read what has been counted",
	[GOPROBE_CMD_KEYS] = "can't read what has been counted by key",
	[GOPROBE_CMD_OPEN_CALLS] = "can't read which calls are open",
};

/* --- attributes ------------------------------------------------------ */

/* What @row's attribute has to be, at *@p, and how many bytes: 0 if it is left out. */
static size_t attr_get(const struct attrs *a, const struct attrs_row *row, const void **p)
{
	const char *at = (const char *)a + row->offset;
	size_t n = 1;

	*p = at;
	if (row->kind == ATTRS_NOT_0 && !memcmp(at, &(uint64_t){ 0 }, row->size))
		return 0;
	if (row->kind < ATTRS_STRUCT)
		return row->size;
	memcpy(p, at, sizeof(*p));
	if (row->kind == ATTRS_ARRAY)
		memcpy(&n, at + sizeof(*p), sizeof(n));
	return *p ? n * row->size : 0;
}

/* A message with what @cmd has of @a, or NULL. */
static struct nl_msg *request(struct client *c, enum goprobe_cmd cmd, const struct attrs *a)
{
	const uint8_t *with = attrs_commands[cmd].request;
	size_t size = 0, n;
	struct nl_msg *msg;
	const void *p;

	for (size_t i = 0; with[i]; i++)
		size += attr_get(a, &attrs_rows[with[i]], &p);
	msg = client_request(c, cmd, NLM_F_ACK, size);
	for (size_t i = 0; msg && with[i]; i++) {
		n = attr_get(a, &attrs_rows[with[i]], &p);
		if (n && nla_put(msg, with[i], n, p)) {
			nlmsg_free(msg);
			msg = NULL;
		}
	}
	return msg;
}

/*
 * Set the members of @ret that the message has, and in @has which. Other than 0: it is damaged.
 * @copy: NULL, or where what they lead to is copied; attributes are 4-aligned, structs are not.
 */
static int parse(struct nlmsghdr *h, struct attrs *ret, bool has[GOPROBE_A_MAX + 1],
		 uint64_t *copy)
{
	struct nlattr *tb[GOPROBE_A_MAX + 1];

	if (nlmsg_parse(h, GENL_HDRLEN, tb, GOPROBE_A_MAX, NULL))
		return -1;
	for (int i = 1; i <= GOPROBE_A_MAX; i++) {
		const struct attrs_row *row = &attrs_rows[i];
		char *at = (char *)ret + row->offset;
		size_t len = tb[i] ? nla_len(tb[i]) : 0, n = row->size ? len / row->size : 0;
		void *p = tb[i] ? nla_data(tb[i]) : NULL;

		if (!tb[i] || (row->kind != ATTRS_ARRAY && !n))
			continue;
		has[i] = true;
		if (row->kind < ATTRS_STRUCT) {
			memcpy(at, p, row->size);
			continue;
		}
		if (copy) {
			p = memcpy(copy, p, len);
			copy += (len + sizeof(*copy) - 1) / sizeof(*copy);
		}
		memcpy(at, &p, sizeof(p));
		if (row->kind == ATTRS_ARRAY)
			memcpy(at + sizeof(p), &n, sizeof(n));
	}
	return 0;
}

/* --- commands -------------------------------------------------------- */

/* A command that is being answered. */
struct asking {
	enum goprobe_cmd cmd;		/* which */
	struct attrs *a;		/* its attributes */
	bool has[GOPROBE_A_MAX + 1];	/* which of these the reply has */
};

static int reply_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	const struct genlmsghdr *genl = nlmsg_data(h);
	struct asking *ask = ctx;

	if (genl->version != GOPROBE_GENL_VERSION) {
		module_explain_protocol(&host_here, genl->version, d);
		return -1;
	}
	if (parse(h, ask->a, ask->has, c->reply))
		return diag_set(d, "%s: the module's reply can't be understood",
				failures[ask->cmd]);
	return 0;
}

int client_ask(struct client *c, enum goprobe_cmd cmd, struct attrs *a, struct diag *d)
{
	struct attrs none = { 0 };
	struct asking ask = { .cmd = cmd, .a = a ? a : &none };
	const uint8_t *want = attrs_commands[cmd].reply;

	if (client_exchange(c, request(c, cmd, ask.a), failures[cmd], reply_message, &ask, d))
		return -1;
	while (*want && ask.has[*want])
		want++;
	if (!*want)
		return 0;
	diag_set(d, "%s: the module's reply lacks attribute %d", failures[cmd], *want);
	diag_hint(d, "install the module and goprobectl of one release, and load the module again");
	return -1;
}

int client_get_info(struct client *c, struct client_info *ret, struct diag *d)
{
	struct attrs a = { 0 };

	if (client_ask(c, GOPROBE_CMD_GET_INFO, &a, d))
		return -1;
	*ret = (struct client_info){ .abilities = a.abilities, .limits = *a.limits };
	c->pids = a.limits->pids;
	snprintf(ret->version, sizeof(ret->version), "%.*s", (int)a.nversion, a.version);
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

int client_session_new(struct client *c, struct attrs *a, struct diag *d)
{
	a->flags |= GOPROBE_SESSION_F_LARGE | GOPROBE_SESSION_F_FD;
	if (check_pids(c, a->npids, d) || client_ask(c, GOPROBE_CMD_SESSION_NEW, a, d))
		return -1;
	c->session = a->fd;
	return 0;
}

int client_get_stats(struct client *c, uint64_t stats[__GOPROBE_STAT_MAX], struct diag *d)
{
	struct attrs a = { 0 };

	memset(stats, 0, __GOPROBE_STAT_MAX * sizeof(*stats));
	if (client_ask(c, GOPROBE_CMD_GET_STATS, &a, d))
		return -1;
	for (size_t i = 0; i < a.nstats && i < __GOPROBE_STAT_MAX; i++)
		stats[i] = a.stats[i];
	return 0;
}

/* --- dumps ----------------------------------------------------------- */

struct dump {
	enum goprobe_cmd cmd;
	client_attrs_fn fn;
	void *ctx;
};

static int dump_message(struct client *c, struct nlmsghdr *h, void *ctx, struct diag *d)
{
	const struct dump *dump = ctx;
	bool has[GOPROBE_A_MAX + 1];
	struct attrs a = { 0 };

	/* Records are not copied twice: who takes them does. */
	if (parse(h, &a, has, dump->cmd == GOPROBE_CMD_READ ? NULL : c->reply))
		return diag_set(d, "%s: the module's answer can't be understood",
				failures[dump->cmd]);
	return dump->fn(dump->ctx, &a, d);
}

int client_dump(struct client *c, enum goprobe_cmd cmd, client_attrs_fn fn, void *ctx,
		struct diag *d)
{
	struct dump dump = { .cmd = cmd, .fn = fn, .ctx = ctx };

	return client_exchange(c, client_request(c, cmd, NLM_F_DUMP, 0), failures[cmd],
			       dump_message, &dump, d);
}

struct pass {
	client_records_fn fn;
	void *ctx;
	struct client_pass *ret;
};

static int add_records(void *ctx, const struct attrs *a, struct diag *d)
{
	struct pass *pass = ctx;

	if (a->time) {
		pass->ret->time = a->time;
		pass->ret->backlog = a->backlog;
	}
	pass->ret->bytes += a->nrecords;
	return a->records && pass->fn(pass->ctx, a->cpu, a->records, a->nrecords) ?
		       diag_set(d, "out of memory") : 0;
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
	return client_dump(c, GOPROBE_CMD_READ, add_records, &pass, d);
}

struct items {
	enum goprobe_cmd cmd;
	client_item_fn fn;
	void *ctx;
};

/* Bytes that follow the struct at @p; SIZE_MAX: more than there may be. */
static size_t bytes_behind(enum goprobe_cmd cmd, const void *p)
{
	const struct goprobe_open_call *open = p;
	const struct goprobe_key_stats *keyed = p;
	const struct goprobe_tally *t = p;

	if (cmd == GOPROBE_CMD_OPEN_CALLS)
		return open->record_bytes;
	if (t->first + t->nbuckets > GOPROBE_BUCKETS || t->nstates > GOPROBE_STATES_MAX)
		return SIZE_MAX;
	return (cmd == GOPROBE_CMD_KEYS ? keyed->key_bytes : 0) +
	       ((size_t)t->nbuckets + t->nstates) * sizeof(uint64_t);
}

static int add_items(void *ctx, const struct attrs *a, struct diag *d)
{
	const struct items *all = ctx;
	bool tallies = all->cmd == GOPROBE_CMD_TALLIES, keys = all->cmd == GOPROBE_CMD_KEYS;
	uint8_t *p = tallies ? a->tallies : keys ? a->key_stats : a->open_calls;
	size_t left = tallies ? a->ntallies : keys ? a->nkey_stats : a->nopen_calls;
	size_t size = tallies ? sizeof(struct goprobe_tally) :
		      keys ? sizeof(struct goprobe_key_stats) : sizeof(struct goprobe_open_call);
	size_t rest;

	for (; left; left -= size + rest, p += size + rest) {
		rest = left < size ? SIZE_MAX : bytes_behind(all->cmd, p);
		if (rest % sizeof(uint64_t) || rest > left - size)
			return diag_set(d, "%s: the module's answer can't be understood",
					failures[all->cmd]);
		if (all->fn(all->ctx, p, (const uint64_t *)(p + size)))
			return diag_set(d, "out of memory");
	}
	return 0;
}

int client_items(struct client *c, enum goprobe_cmd cmd, client_item_fn fn, void *ctx,
		 struct diag *d)
{
	struct items all = { .cmd = cmd, .fn = fn, .ctx = ctx };

	return client_dump(c, cmd, add_items, &all, d);
}
