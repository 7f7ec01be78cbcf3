// SPDX-License-Identifier: GPL-2.0
/* Abilities and sessions of the module, asked for with sockets of our own. */
#include <stdio.h>
#include <stdlib.h>

#include "learn.h"
#include "model.h"

static unsigned int listed;

static void count_session(void *arg, uint8_t cmd, uint16_t attr, const void *data, uint32_t len)
{
	(void)arg;
	(void)data;
	(void)len;
	listed += cmd == GOPROBE_CMD_LIST && attr == GOPROBE_A_SESSION;
}

bool learn_nothing_is_probed(void)
{
	struct wire w = { .got = count_session, .buffer = malloc(WIRE_BUFFER) };
	struct wire_msg *m = malloc(sizeof(*m));
	struct wire_answer a;
	bool ok = !wire_open(&w);

	wire_begin(m, GOPROBE_CMD_LIST);
	ok = ok && !wire_call(&w, m, &a) && !a.error && !listed;
	wire_close(&w);
	free(w.buffer);
	free(m);
	return ok;
}

/* A session of its own, with whatever it needs for it; then a filter of one operation, or 0. */
static bool accepts(uint16_t attr, uint8_t code)
{
	struct wire w = { .got = count_session, .buffer = malloc(WIRE_BUFFER) };
	struct wire_msg *m = malloc(sizeof(*m));
	struct wire_answer a;
	bool ok = !wire_open(&w);

	wire_begin(m, GOPROBE_CMD_SESSION_NEW);
	if (attr)
		wire_put_u32(m, attr, 1);
	ok = ok && !wire_call(&w, m, &a) && !a.error;
	if (ok && code) {
		struct goprobe_filter filter = { .nops = 1 };
		struct goprobe_op op = { .code = code, .value = code == GOPROBE_OP_QUOTA };

		wire_begin(m, GOPROBE_CMD_FILTERS_ADD);
		wire_put(m, GOPROBE_A_FILTERS, &filter, sizeof(filter));
		wire_put(m, GOPROBE_A_OPS, &op, sizeof(op));
		ok = !wire_call(&w, m, &a) && !a.error;
	}
	wire_close(&w);
	free(w.buffer);
	free(m);
	return ok;
}

void learn(void)
{
	model_has_states = accepts(GOPROBE_A_STATES, 0);
	model_has_members = accepts(GOPROBE_A_GOROUTINE_SET_LIMIT, 0);
	for (int i = 1; i < __GOPROBE_OP_MAX; i++) {
		/* That one is for sessions with a set of goroutines. */
		uint16_t needs = i == GOPROBE_OP_IN_SET && model_has_members ?
				 GOPROBE_A_GOROUTINE_SET_LIMIT : 0;

		if (program_is_new(i) && accepts(needs, i))
			program_learn(i);
	}
	if (!model_has_states || !model_has_members)
		printf("states or members: the module does not have them\n");
}
