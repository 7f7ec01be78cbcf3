/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The containers that run on a machine: their processes by control groups, their names by the
 * files of their runtimes. No runtime is asked.
 */
#ifndef GOPROBE_PROCESS_CONTAINERS_H
#define GOPROBE_PROCESS_CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/diag.h"
#include "host/host.h"
#include "process/target.h"

/* Digits of an id, as Docker, containerd, CRI-O and Podman make it, and those that are shown. */
#define CONTAINERS_DIGITS 64
#define CONTAINERS_SHORT 12
/* Bytes of an id or a name, with the zero behind it. */
#define CONTAINERS_ID 80
#define CONTAINERS_NAME 256

/* A container. What the files of runtimes do not say is "". */
struct containers_one {
	char id[CONTAINERS_ID];		/* 64 digits, or what containerd's own client was given */
	char name[CONTAINERS_NAME];	/* its own; of Kubernetes: in its pod */
	char pod[CONTAINERS_NAME];	/* the pod's name */
	char space[CONTAINERS_NAME];	/* the pod's namespace */
	char pod_id[CONTAINERS_ID];	/* what the path of the control group says of the pod */
	char *group;		/* its path in its hierarchy; NULL: it does not run */
	size_t pod_group;	/* bytes of @group that are the pod's; 0: unknown */
	bool unified;		/* @group is one of version 2 */
	struct target_pids pids;	/* processes in @group itself, or below it */
};

/* Containers. */
struct containers {
	struct containers_one *v;	/* by their pods and names; those that do not run follow */
	size_t n;	/* their number */
	size_t cap;	/* for how many there is memory */
	struct diag unread;	/* the first file that could not be read, and why */
	bool failed;	/* there is no memory */
};

/*
 * What /proc/PID/cgroup says of a process's container: @c->id, @c->pod_id, @c->group, which is
 * to be freed, and what belongs to them. False: it is in none.
 */
bool containers_parse(const char *text, struct containers_one *c);
/* Find those that run, with their names. 0, or -1 without memory. */
int containers_find(const struct host *h, struct containers *c);
/* Add those that do not run, but have a name: @c->v[].group of those is NULL. */
int containers_add_stopped(const struct host *h, struct containers *c);
/* The container of a process, or NULL. */
const struct containers_one *containers_of(const struct containers *c, pid_t pid);
/* The container with that id, or NULL. */
struct containers_one *containers_by_id(const struct containers *c, const char *id);
/* Append one, or find the one with its id; NULL without memory. */
struct containers_one *containers_add(struct containers *c, const struct containers_one *one);
/* NAMESPACE/NAME of its pod; "" without one. */
void containers_pod(const struct containers_one *c, char ret[2 * CONTAINERS_NAME]);
/* "shop (0123456789ab)", "app (0123456789ab) of pod default/web-0" */
void containers_put(const struct containers_one *c, struct buf *b);
void containers_fini(struct containers *c);

/* Which processes a user wants, by what they are in. All NULL: any. */
struct containers_wish {
	const char *container;	/* a name, or the first digits of an id; or NULL */
	const char *pod;	/* a name, NAMESPACE/NAME, or the first digits of an id; or NULL */
	const char *group;	/* the path of a control group; or NULL */
};

/* What there is of that. */
struct containers_choice {
	bool follows;	/* @group is a descriptor of the control group, of version 2 */
	int group;
	struct target_pids pids;	/* the processes that are there now */
	/* what a person calls it: "container shop (0123456789ab)"; one of Kubernetes is in a pod */
	struct buf what;
	char container[CONTAINERS_NAME];	/* its name, or its id; or "" */
	char pod[2 * CONTAINERS_NAME];	/* NAMESPACE/NAME; or "" */
};

/*
 * Find what the user wants. 0; or -1 with a message: it does not exist, does not run, or there are
 * several of that name, whose list is the hint.
 */
int containers_choose(const struct host *h, const struct containers_wish *wish,
		      struct containers_choice *ret, struct diag *d);
/* Was the directory of the control group removed? */
bool containers_removed(int group);
void containers_choice_fini(struct containers_choice *c);

#endif
