// SPDX-License-Identifier: GPL-2.0
/* A session as its client sees it, and which message comes next. */
#include <string.h>

#include "model.h"

int model_groups[MODEL_GROUPS] = { -1, -1 };

void model_begin(struct model *m, struct choice *c, const struct binary *binaries,
		 uint32_t nbinaries, const int32_t *pids, uint32_t npids)
{
	memset(m, 0, sizeof(*m));
	m->binaries = binaries;
	m->nbinaries = nbinaries;
	m->pids = pids;
	m->npids = npids;
	m->places = choice_below(c, 2) == MODEL_PLACES ? choice_from(c, 1, 8) : 0;
	for (uint32_t i = 0; i < MODEL_ADDRESSES; i++) {
		const struct binary *b = &binaries[choice_below(c, nbinaries)];

		/* Code, which a closure has, or anything that the program has been loaded with. */
		if (i % 2)
			m->address[i] = b->function[choice_below(c, b->nfunctions)];
		else
			m->address[i] = 8ULL * choice_below(c, b->size / 8) + b->code_delta;
	}
}

static void some_keys(struct model *m, struct choice *c, struct wire_msg *msg)
{
	struct goprobe_key_limit keys = {
		choice_from(c, 0, choice_below(c, 16) ? 64 : 4096), choice_from(c, 1, 768),
	};

	m->new_keys = keys.number;
	wire_put(msg, GOPROBE_A_KEY_LIMIT, &keys, sizeof(keys));
}

static void some_held(struct model *m, struct choice *c, struct wire_msg *msg)
{
	struct goprobe_pending_limit held = {
		choice_from(c, 0, choice_below(c, 16) ? 16 : 512),
		choice_from(c, 56, choice_below(c, 4) ? 4096 : 24 << 10),
	};

	m->new_held = held.calls ? held.bytes : 0;
	wire_put(msg, GOPROBE_A_PENDING_LIMIT, &held, sizeof(held));
}

static void some_pids(struct model *m, struct choice *c, struct wire_msg *msg)
{
	int32_t pids[4];
	uint32_t n = choice_from(c, 1, 4), i;

	for (i = 0; i < n; i++)
		pids[i] = m->pids[choice_below(c, m->npids)];
	wire_put(msg, GOPROBE_A_PIDS, pids, n * sizeof(*pids));
}

/* Mostly one whose processes are hit; or a program, which is no control group. */
static void some_group(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint32_t which = choice_below(c, 8);

	if (which)
		wire_put_u32(msg, GOPROBE_A_FD, model_groups[which == 1]);
	else
		wire_put_u32(msg, GOPROBE_A_FD, m->binaries[0].fd);
}

void model_session(struct model *m, struct choice *c, struct wire_msg *msg)
{
	wire_begin(msg, GOPROBE_CMD_SESSION_NEW);
	m->new_held = 0;
	m->new_keys = false;
	m->new_states = 0;
	m->new_members = false;
	/* Mostly small tables: allocating large ones takes longer than the messages. */
	wire_put_u32(msg, GOPROBE_A_RING_BYTES, choice_below(c, 16) ? 65536 :
		     choice_from(c, 65536, 1 << 20));
	if (choice_below(c, 16))
		wire_put_u32(msg, GOPROBE_A_CALL_LIMIT,
			     choice_from(c, 1024, choice_below(c, 8) ? 1200 : 8192));
	if (choice_below(c, 2))
		some_keys(m, c, msg);
	if (choice_below(c, 2))
		some_held(m, c, msg);
	if (choice_once_in(c, 4)) {
		struct goprobe_breaker breaker = { choice_word(c), choice_below(c, 200) };

		wire_put(msg, GOPROBE_A_BREAKER, &breaker, sizeof(breaker));
	}
	if (choice_below(c, 2)) {
		m->new_states = choice_from(c, 1, GOPROBE_STATES_MAX);
		wire_put_u32(msg, GOPROBE_A_STATES, m->new_states);
	}
	if (choice_below(c, 2)) {
		m->new_members = true;
		wire_put_u32(msg, GOPROBE_A_GOROUTINE_SET_LIMIT, choice_from(c, 1, 256));
	}
	if (choice_once_in(c, 4))
		some_pids(m, c, msg);
	if (choice_below(c, 2)) {
		uint32_t flags = choice_below(c, GOPROBE_SESSION_F_ALL + 1);

		wire_put_u32(msg, GOPROBE_A_FLAGS, flags);
		if (flags & GOPROBE_SESSION_F_CGROUP)
			some_group(m, c, msg);
	}
}

void model_file(struct model *m, struct choice *c, struct wire_msg *msg)
{
	uint8_t file = choice_below(c, m->nbinaries);
	const struct binary *b = &m->binaries[file];
	struct goprobe_runtime rt = {
		.g_reg = 14, .g_tls = -8, .g_stack_hi = 8, .g_goid = 0x98, .g_m = 0x30,
		.m_curg = 0xc0, .m_procid = 0x48, .code_delta = b->code_delta,
	};

	if (choice_once_in(c, 12))
		rt.g_reg = choice_below(c, 2) ? GOPROBE_REG_NONE : choice_below(c, 16);
	if (choice_once_in(c, 12))
		rt.g_stack_hi = 8 * choice_below(c, 512);
	if (choice_once_in(c, 12))
		rt.m_curg = 8 * choice_below(c, 512);
	if (choice_once_in(c, 12))
		rt.m_procid = 8 * choice_below(c, 512);
	if (choice_once_in(c, 16))
		rt.code_delta = choice_word(c);
	m->new_file = file;
	wire_begin(msg, GOPROBE_CMD_FILE_ADD);
	wire_put_u32(msg, GOPROBE_A_FD, b->fd);
	wire_put(msg, GOPROBE_A_RUNTIME, &rt, sizeof(rt));
}

static void some_members(struct model *m, struct choice *c, struct wire_msg *msg)
{
	struct goprobe_goroutine members[8] = { 0 };
	uint32_t n = choice_from(c, 1, 8), i;

	for (i = 0; i < n; i++) {
		members[i].goid = choice_once_in(c, 8) ? choice_word(c) : 1 + choice_below(c, 64);
		members[i].tgid = m->pids[choice_below(c, m->npids)];
	}
	wire_begin(msg, GOPROBE_CMD_GOROUTINES_ADD);
	wire_put(msg, GOPROBE_A_GOROUTINES, members, n * sizeof(*members));
}

/* How often, out of all. */
static const uint8_t often[] = {
	[GOPROBE_CMD_GET_INFO] = 2,
	[GOPROBE_CMD_SESSION_NEW] = 1,
	[GOPROBE_CMD_FILE_ADD] = 2,
	[GOPROBE_CMD_TYPES_ADD] = 8,
	[GOPROBE_CMD_DYNAMIC_ADD] = 7,
	[GOPROBE_CMD_PLANS_ADD] = 13,
	[GOPROBE_CMD_FILTERS_ADD] = 16,
	[GOPROBE_CMD_POINTS_ADD] = 8,
	[GOPROBE_CMD_POINTS_DEL] = 1,
	[GOPROBE_CMD_START] = 3,
	[GOPROBE_CMD_STOP] = 1,
	[GOPROBE_CMD_READ] = 8,
	[GOPROBE_CMD_TALLIES] = 3,
	[GOPROBE_CMD_KEYS] = 4,
	[GOPROBE_CMD_OPEN_CALLS] = 2,
	[GOPROBE_CMD_LIST] = 1,
	[GOPROBE_CMD_GET_STATS] = 4,
	[GOPROBE_CMD_GOROUTINES_ADD] = 4,
};

_Static_assert(sizeof(often) == __GOPROBE_CMD_MAX,
	       "a command has been added: say here how often it is to be sent");

static uint8_t some_command(struct model *m, struct choice *c)
{
	uint32_t all = 0, n;
	uint8_t cmd;

	/* In an order that makes sense, at first. */
	if (!m->session)
		return GOPROBE_CMD_SESSION_NEW;
	if (!m->nfiles)
		return GOPROBE_CMD_FILE_ADD;
	if (!m->ntypes && choice_below(c, 2))
		return GOPROBE_CMD_TYPES_ADD;
	if (!m->started && choice_once_in(c, 8))
		return GOPROBE_CMD_START;
	if (m->places && m->nplans && m->nfilters && choice_once_in(c, 4))
		return GOPROBE_CMD_POINTS_ADD;
	for (cmd = 0; cmd < sizeof(often); cmd++)
		all += often[cmd];
	n = choice_below(c, all);
	for (cmd = 0; n >= often[cmd]; cmd++)
		n -= often[cmd];
	if (cmd == GOPROBE_CMD_GOROUTINES_ADD && !m->members && choice_below(c, 4))
		return GOPROBE_CMD_READ;
	/* The messages after it have less to do. */
	if (cmd == GOPROBE_CMD_STOP && choice_below(c, 4))
		return GOPROBE_CMD_GET_STATS;
	if (cmd == GOPROBE_CMD_PLANS_ADD && !m->ntypes && choice_below(c, 8))
		return GOPROBE_CMD_TYPES_ADD;
	return cmd;
}

static void make(struct model *m, struct choice *c, struct wire_msg *msg, uint8_t cmd)
{
	m->more = 0;
	switch (cmd) {
	case GOPROBE_CMD_SESSION_NEW:
		model_session(m, c, msg);
		return;
	case GOPROBE_CMD_FILE_ADD:
		model_file(m, c, msg);
		return;
	case GOPROBE_CMD_TYPES_ADD:
		model_types(m, c, msg);
		return;
	case GOPROBE_CMD_DYNAMIC_ADD:
		model_dynamic(m, c, msg);
		return;
	case GOPROBE_CMD_PLANS_ADD:
		model_plans(m, c, msg);
		return;
	case GOPROBE_CMD_FILTERS_ADD:
		model_filters(m, c, msg);
		return;
	case GOPROBE_CMD_POINTS_ADD:
		model_points(m, c, msg);
		return;
	case GOPROBE_CMD_POINTS_DEL:
		model_points_del(m, c, msg);
		return;
	case GOPROBE_CMD_GOROUTINES_ADD:
		some_members(m, c, msg);
		return;
	}
	wire_begin(msg, cmd);
}

void model_message(struct model *m, struct choice *c, struct wire_msg *msg)
{
	make(m, c, msg, some_command(m, c));
	damage(m, c, msg);
}

static void add(uint32_t *n, uint32_t cap, uint32_t *to, const uint32_t *from, uint32_t more)
{
	for (uint32_t i = 0; i < more && *n + i < cap; i++)
		to[*n + i] = from[i];
}

static void more_plans(struct model *m, uint32_t first)
{
	uint32_t n = first;

	add(&n, MODEL_PLANS, m->plan_bytes, m->more_bytes, m->more);
	add(&n, MODEL_PLANS, m->plan_type, m->more_value, m->more);
	m->nplans = first + m->more < MODEL_PLANS ? first + m->more : MODEL_PLANS;
}

static void more_filters(struct model *m, uint32_t first)
{
	for (uint32_t i = 0; i < m->more && first + i < MODEL_FILTERS; i++)
		m->filter_kind[first + i] = m->more_value[i];
	m->nfilters = first + m->more < MODEL_FILTERS ? first + m->more : MODEL_FILTERS;
}

void model_accepted(struct model *m, const struct wire_msg *msg, uint32_t number)
{
	m->blurred |= msg->damaged;
	switch (msg->cmd) {
	case GOPROBE_CMD_SESSION_NEW:
		m->session = true;
		m->held = m->new_held;
		m->keys = m->new_keys;
		m->states = m->new_states;
		m->members = m->new_members;
		return;
	case GOPROBE_CMD_FILE_ADD:
		m->file[number % 256] = m->new_file;
		m->nfiles = number + 1;
		return;
	case GOPROBE_CMD_POINTS_ADD:
		m->placed = true;
		return;
	case GOPROBE_CMD_START:
		m->started = true;
		return;
	case GOPROBE_CMD_STOP:
		m->stopped = true;
		return;
	case GOPROBE_CMD_TYPES_ADD:
		add(&number, MODEL_TYPES, m->type_size, m->more_value, m->more);
		m->ntypes = number + m->more < MODEL_TYPES ? number + m->more : MODEL_TYPES;
		return;
	case GOPROBE_CMD_PLANS_ADD:
		more_plans(m, number);
		return;
	case GOPROBE_CMD_FILTERS_ADD:
		more_filters(m, number - 1);
	}
}

bool model_is_right(const struct model *m, const struct wire_msg *msg)
{
	if (msg->damaged || m->blurred || !m->session)
		return false;
	switch (msg->cmd) {
	case GOPROBE_CMD_TYPES_ADD:
		return m->ntypes + m->more < MODEL_TYPES;
	case GOPROBE_CMD_PLANS_ADD:
		for (uint32_t i = 0; i < m->more; i++)
			if (m->more_value[i] >= m->ntypes ||
			    m->type_size[m->more_value[i]] > 4096 || m->more_bytes[i] > 24 << 10)
				return false;
		return m->nplans + m->more < MODEL_PLANS;
	case GOPROBE_CMD_FILTERS_ADD:
		return m->nfilters + m->more < MODEL_FILTERS;
	case GOPROBE_CMD_GET_INFO:
	case GOPROBE_CMD_GET_STATS:
	case GOPROBE_CMD_STOP:
		return true;
	}
	return false;
}
