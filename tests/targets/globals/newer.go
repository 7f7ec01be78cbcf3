// SPDX-License-Identifier: GPL-2.0

//go:build go1.21

package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
)

var Joined = keep("Joined", errors.Join(errors.New("a"), errors.New("b")))
var Cause = keep("Cause", canceled())
var SlogValue = keep("SlogValue", slog.AnyValue(&point{1, 2}))
var SlogValues = keep("SlogValues", []slog.Value{slog.IntValue(5), slog.StringValue("s"), slog.GroupValue(slog.Int("a", 1))})
var SlogAttrs = keep("SlogAttrs", []slog.Attr{slog.String("k", "v"), slog.Any("e", errors.New("in it"))})
var AtomicPointer = keep("AtomicPointer", pointerTo(&tree{Name: "t", Left: &tree{Name: "u"}}))

func canceled() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("because"))
	return ctx
}

func pointerTo(t *tree) *atomic.Pointer[tree] {
	p := new(atomic.Pointer[tree])
	p.Store(t)
	return p
}
