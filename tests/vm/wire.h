/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire.h - what agent (in the guest) says to relay (on the host), over one virtio port
 *
 * One port for everything keeps the order of the two streams and makes the end of them certain:
 * once the exit frame is there, so is all output before it.
 */
#ifndef GOPROBE_VM_WIRE_H
#define GOPROBE_VM_WIRE_H

#include <stdint.h>

enum frame_type {
	FRAME_START = 'S',	/* the command is about to run */
	FRAME_STDOUT = 'O',
	FRAME_STDERR = 'E',
	FRAME_EXIT = 'X',	/* payload: struct exit_report; the last frame */
};

/* Both ends run on the same machine: host byte order. */
struct frame {
	uint32_t type;
	uint32_t length;	/* of the payload that follows */
};

#define FRAME_MAX (16 * 1024)

struct exit_report {
	uint32_t status;	/* as a shell would say it: exit code, or 128 + signal */
	uint32_t unload_errno;	/* why goprobe would not be unloaded; 0 if all is well */
};

/* The last line agent writes to the kernel's log: once on the console, the console is complete. */
#define END_OF_LOG "goprobe-vm: end of log"

#endif
