/* SPDX-License-Identifier: GPL-2.0 */
/* The module on a machine: is it loaded, and if not, what prevents that? */
#ifndef GOPROBE_HOST_MODULE_H
#define GOPROBE_HOST_MODULE_H

#include "base/diag.h"
#include "host/findings.h"
#include "host/host.h"

bool module_is_loaded(const struct host *h);

/**
 * module_explain - say why the module is not loaded
 * @h: the machine
 * @d: gets "the goprobe module is not loaded: REASON", and the remedy as its hint
 *
 * Return: true if something prevents loading it; false if it only has to be loaded. The message
 * then has no reason.
 */
bool module_explain(const struct host *h, struct diag *d);

/*
 * Say that the loaded module speaks @protocol, which is not goprobectl's, with both versions, and
 * how to replace it.
 */
void module_explain_protocol(const struct host *h, unsigned int protocol, struct diag *d);

/* Is it loaded, and is it the tool's version? Else: what prevents that? */
void module_examine(const struct host *h, struct findings *f);

#endif
