// SPDX-License-Identifier: GPL-2.0
/* A session's life: messages one after the other; now and then somebody else sends some, too. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "life.h"
#include "totals.h"

#define MESSAGES_MAX	1000

/**
 * struct sibling - another thread that sends through the same socket
 * @wire: the socket
 * @commands: what it has sent, for those who get the answers
 * @c: its part of the input
 * @model: of the session, as it was when it began
 * @msg: its message
 * @sent: how many
 */
struct sibling {
	const struct wire *wire;
	uint8_t *commands;
	struct choice c;
	struct model model;
	struct wire_msg msg;
	uint32_t sent;
};

static void got(void *arg, uint8_t cmd, uint16_t attr, const void *data, uint32_t len)
{
	struct life *l = arg;

	switch (attr) {
	case GOPROBE_A_RECORDS:
		rows_records(&l->model, data, len);
		return;
	case GOPROBE_A_TALLIES:
		rows_tallies(data, len, false);
		return;
	case GOPROBE_A_KEY_STATS:
		rows_tallies(data, len, true);
		return;
	case GOPROBE_A_OPEN_CALLS:
		rows_open(&l->model, data, len);
		return;
	case GOPROBE_A_STATS:
		if (len == sizeof(l->stats))
			memcpy(l->stats, data, len);
		else
			totals_fault("statistics have another size");
	}
	(void)cmd;
}

static void stray(void *arg, uint32_t seq, const struct wire_answer *answer)
{
	const struct life *l = arg;
	uint32_t n = seq - WIRE_SIBLING;

	if (n < LIFE_SHARED)
		totals_stray(l->shared[n], answer);
	else
		totals_fault("an answer to what nobody has sent");
}

/* Messages of the sibling must not change the numbers of plans and filters. */
static void *sibling_run(void *arg)
{
	static const uint8_t commands[] = {
		GOPROBE_CMD_POINTS_ADD, GOPROBE_CMD_POINTS_ADD, GOPROBE_CMD_POINTS_DEL,
		GOPROBE_CMD_START, GOPROBE_CMD_GET_STATS, GOPROBE_CMD_STOP, GOPROBE_CMD_TALLIES,
		GOPROBE_CMD_READ,
	};
	struct sibling *s = arg;

	while (s->c.left && s->sent < LIFE_SHARED) {
		uint8_t cmd = commands[choice_below(&s->c, sizeof(commands))];

		/* The messages after it have less to do. */
		if (cmd == GOPROBE_CMD_STOP && choice_below(&s->c, 16))
			cmd = GOPROBE_CMD_READ;
		if (cmd == GOPROBE_CMD_POINTS_ADD)
			model_points(&s->model, &s->c, &s->msg);
		else if (cmd == GOPROBE_CMD_POINTS_DEL)
			model_points_del(&s->model, &s->c, &s->msg);
		else
			wire_begin(&s->msg, cmd);
		damage(&s->model, &s->c, &s->msg);
		if (s->msg.cmd == GOPROBE_CMD_TYPES_ADD || s->msg.cmd == GOPROBE_CMD_PLANS_ADD ||
		    s->msg.cmd == GOPROBE_CMD_FILTERS_ADD || s->msg.cmd == GOPROBE_CMD_FILE_ADD)
			continue;
		s->commands[s->sent] = s->msg.cmd;
		wire_send(s->wire, &s->msg, WIRE_SIBLING + s->sent++);
	}
	return NULL;
}

static struct sibling *sibling_begin(struct life *l, struct choice *c, pthread_t *thread)
{
	struct sibling *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	s->wire = &l->wire;
	s->commands = l->shared;
	s->model = l->model;
	s->sent = 0;
	/* Every other byte of what comes, so that both have some. */
	s->c = (struct choice){ c->at + c->left / 2, c->left - c->left / 2 };
	c->left /= 2;
	if (!pthread_create(thread, NULL, sibling_run, s))
		return s;
	free(s);
	return NULL;
}

static unsigned long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000UL + now.tv_nsec / 1000;
}

/* -1: the socket is dead. */
static int call(struct life *l)
{
	unsigned long began = now_us();
	struct wire_answer answer;
	bool dead;

	cover_begin();
	dead = wire_call(&l->wire, &l->msg, &answer);
	l->fresh = cover_end();
	if (dead) {
		totals_fault("command %u has no answer: %s", l->msg.cmd, strerror(answer.error));
		return -1;
	}
	l->fresh |= totals_answer(&l->model, &l->msg, &answer, now_us() - began);
	if (!answer.error)
		model_accepted(&l->model, &l->msg, answer.number);
	return 0;
}

static int ask(struct life *l, uint8_t cmd)
{
	wire_begin(&l->msg, cmd);
	return call(l);
}

/* The input up to here has led to this state. */
static void is_new(struct life *l, const struct choice *c)
{
	if (l->fresh)
		l->new = c->at - l->in->bytes;
	l->fresh = false;
}

/* Look at everything once more. */
static void look(struct life *l, const struct choice *c)
{
	static const uint8_t all[] = {
		GOPROBE_CMD_READ, GOPROBE_CMD_TALLIES, GOPROBE_CMD_KEYS, GOPROBE_CMD_OPEN_CALLS,
		GOPROBE_CMD_GET_STATS,
	};

	for (unsigned int i = 0; i < sizeof(all) && !ask(l, all[i]); i++)
		is_new(l, c);
	for (unsigned int i = 0; i < __GOPROBE_STAT_MAX; i++) {
		l->fresh |= l->stats[i] && !atomic_load(&totals.stat[i]);
		atomic_fetch_add(&totals.stat[i], l->stats[i]);
	}
	is_new(l, c);
}

/* How it is with breakpoints: the programs are to get somewhere. */
static void rest(const struct life *l, struct choice *c)
{
	uint32_t ms = choice_once_in(c, 8) ? choice_below(c, 8) : 0;

	if (l->model.placed && l->model.started)
		usleep(1000 * ms);
}

static void messages(struct life *l, struct choice *c, struct sibling **s, pthread_t *thread)
{
	for (uint32_t n = 0; c->left && n < MESSAGES_MAX; n++) {
		rest(l, c);
		if (l->model.started && !*s && choice_once_in(c, 24))
			*s = sibling_begin(l, c, thread);
		model_message(&l->model, c, &l->msg);
		if (call(l))
			return;
		is_new(l, c);
	}
}

size_t life_live(struct life *l, const struct input *in)
{
	struct choice c = { in->bytes, in->len };
	struct sibling *sibling = NULL;
	pthread_t thread;

	l->in = in;
	l->new = 0;
	l->fresh = false;
	memset(l->stats, 0, sizeof(l->stats));
	l->wire.got = got;
	l->wire.stray = stray;
	l->wire.arg = l;
	if (wire_open(&l->wire)) {
		totals_fault("no socket: %s", strerror(errno));
		return 0;
	}
	model_begin(&l->model, &c, l->binaries, l->nbinaries, l->pids, l->npids);
	messages(l, &c, &sibling, &thread);
	if (sibling) {
		pthread_join(thread, NULL);
		wire_drain(&l->wire);
		free(sibling);
	}
	if (l->model.session) {
		atomic_fetch_add(&totals.sessions, 1);
		/* Let it be hit, but not if it is to end in the middle of all. */
		if (l->model.placed && l->model.started && in->len % 4) {
			target_wait(l->target);
			look(l, &c);
		}
	}
	wire_close(&l->wire);
	return l->new;
}
