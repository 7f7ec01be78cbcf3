/* SPDX-License-Identifier: GPL-2.0 */
/* Outputs of unit tests as files, for the readers of other projects: see tests/readers. */
#ifndef GOPROBE_TEST_SAMPLES_H
#define GOPROBE_TEST_SAMPLES_H

#include "base/buf.h"

/* Write @b to the file @name in the folder GOPROBE_TEST_SAMPLES, if the environment has that. */
void sample_write(const char *name, const struct buf *b);

#endif
