/* SPDX-License-Identifier: GPL-2.0 */
/* Overload breaker: stops a session whose hits take too much of the programs' time. */
#ifndef GP_BREAKER_H
#define GP_BREAKER_H

struct goprobe_breaker;
struct gp_breaker;
struct gp_session;

void gp_breaker_init(struct gp_breaker *b, const struct goprobe_breaker *wish);
void gp_breaker_start(struct gp_session *s);
void gp_breaker_stop(struct gp_session *s);

#endif
