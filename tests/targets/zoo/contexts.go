// SPDX-License-Identifier: GPL-2.0

package main

import (
	"context"
	"time"
)

type ctxKey string

//go:noinline
func contexts(ctx context.Context, n int) (int, context.Context) { visits++; return n, ctx }

//go:noinline
func cancelled(ctx context.Context) (int, error) { visits++; return visits, ctx.Err() }

func visitContexts() {
	background := context.Background()
	contexts(nil, 0)
	contexts(background, 1)
	contexts(context.TODO(), 2)
	user := context.WithValue(background, ctxKey("user"), "ann")
	contexts(user, 3)
	contexts(context.WithValue(user, ctxKey("request"), 77), 4)
	cancellable, cancel := context.WithCancel(user)
	contexts(cancellable, 5)
	deadline, stop := context.WithDeadline(cancellable, time.Date(2126, 1, 2, 3, 4, 5, 0, time.UTC))
	contexts(context.WithValue(deadline, ctxKey("last"), Item{"in context", 1}), 6)
	cancelled(deadline)
	cancel()
	cancelled(cancellable)
	contexts(cancellable, 7)
	stop()
}
