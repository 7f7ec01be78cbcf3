/* SPDX-License-Identifier: GPL-2.0 */
/* Names of containers, as the files of runtimes and of kubelet have them. */
#ifndef GOPROBE_PROCESS_CONTAINER_NAMES_H
#define GOPROBE_PROCESS_CONTAINER_NAMES_H

#include <stdbool.h>

#include "process/containers.h"

/* Find names of those in @c that have none; @stopped: and add those that do not run. */
void container_names_find(const struct host *h, struct containers *c, bool stopped);
/*
 * A container that containerd's own client was given a name for, not an id of 64 digits: the path
 * of its control group is /NAMESPACE/NAME. As containers_parse().
 */
bool container_names_task(const struct host *h, const char *text, struct containers_one *c);

#endif
