/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel of a machine: its release, its options, its headers, what it is locked down to. */
#ifndef GOPROBE_HOST_KERNEL_H
#define GOPROBE_HOST_KERNEL_H

#include "host/findings.h"
#include "host/host.h"

enum lockdown {
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,
	LOCKDOWN_CONFIDENTIALITY,
};

/* The release, "6.1.0-54-amd64"; "" if it can't be read. */
void kernel_release(const struct host *h, char *out, size_t size);
/* Under Secure Boot, by the firmware's variable. */
bool kernel_secure_boot(const struct host *h);
enum lockdown kernel_lockdown(const struct host *h);
/* Does the kernel load modules that are signed with a key that it knows, and no other? */
bool kernel_wants_signature(const struct host *h);
/* Are the headers here that a module is built with? */
bool kernel_has_headers(const struct host *h, const char *release);
/* How this distribution installs them: a command, or another hint. */
void kernel_headers_remedy(const struct host *h, const char *release, char *out, size_t size);

/* Release, options and headers; lockdown and Secure Boot. */
void kernel_examine(const struct host *h, struct findings *f);

#endif
