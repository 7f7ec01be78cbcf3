// SPDX-License-Identifier: GPL-2.0
/* Opening a file as a Go program; the input is the file. */
#include "fuzz.h"

#include <unistd.h>

#include "explore.h"
#include "synth.h"

int fuzz_elf(const uint8_t *data, size_t size)
{
	int fd = synth_fd(data, size);

	explore_program(fd, size < 64 ? 0 : data[size - 1]);
	close(fd);
	return 0;
}
