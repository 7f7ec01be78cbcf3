/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The commands of goprobectl, in the order of --help: each is a line here and a struct cmd in
 * tool/cmd.
 */
#ifndef GOPROBE_OPTION_COMMANDS_H
#define GOPROBE_OPTION_COMMANDS_H

/* X(NAME, name) for each. */
#define COMMANDS(X) \
	X(ATTACH, attach) \
	X(COUNT, count) \
	X(LATENCY, latency) \
	X(TOP, top) \
	X(STACK, stack) \
	X(GRAPH, graph) \
	X(STUCK, stuck) \
	X(GOROUTINES, goroutines) \
	X(RUN, run) \
	X(REPLAY, replay) \
	X(WATCH, watch) \
	X(READ, read) \
	X(WRITE, write) \
	X(LIST, list) \
	X(SEARCH, search) \
	X(PS, ps) \
	X(INFO, info) \
	X(DOCTOR, doctor)

#define COMMANDS_ENUM(upper, lower) COMMAND_##upper,

enum command {
	COMMANDS(COMMANDS_ENUM)
};

#endif
