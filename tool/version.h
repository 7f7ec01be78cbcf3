/* SPDX-License-Identifier: GPL-2.0 */
/* The version of goprobectl and libgoprobe. */
#ifndef GOPROBE_VERSION_H
#define GOPROBE_VERSION_H

#define GOPROBECTL_VERSION "0.2.0"

#endif
