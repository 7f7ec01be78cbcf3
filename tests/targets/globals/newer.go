// SPDX-License-Identifier: GPL-2.0

//go:build go1.21

package main

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"sync/atomic"
	"time"
)

var Joined = keep("Joined", errors.Join(errors.New("a"), errors.New("b")))
var Cause = keep("Cause", canceled())
var SlogValue = keep("SlogValue", slog.AnyValue(&point{1, 2}))
var SlogValues = keep("SlogValues", []slog.Value{slog.IntValue(5), slog.StringValue("s"), slog.GroupValue(slog.Int("a", 1))})
var SlogAttrs = keep("SlogAttrs", []slog.Attr{slog.String("k", "v"), slog.Any("e", errors.New("in it"))})
var SlogAll = keep("SlogAll", []slog.Value{
	slog.IntValue(-5), slog.StringValue("a string that is longer than what is shown of elements, so that it is cut at sixty-four bytes"),
	slog.DurationValue(time.Second), slog.Float64Value(1.5), slog.BoolValue(true), slog.TimeValue(Time), slog.TimeValue(time.Time{}),
	slog.AnyValue(nil), slog.AnyValue([]int{1, 2}), slog.Uint64Value(1 << 63), slog.StringValue("")})
var SlogAttr = keep("SlogAttr", slog.String("key", "value"))
var SlogSecret = keep("SlogSecret", []slog.Attr{slog.String("password", "hunter2"), slog.Group("g", slog.String("token", "x"))})
var SlogRecord = keep("SlogRecord", record())
var BigNumbers = keep("BigNumbers", []any{*big.NewInt(-7), big.NewRat(1, 3), big.NewFloat(2.5), new(big.Int)})
var AtomicPointer = keep("AtomicPointer", pointerTo(&tree{Name: "t", Left: &tree{Name: "u"}}))

func canceled() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("because"))
	return ctx
}

func record() slog.Record {
	r := slog.NewRecord(Time, slog.LevelWarn, "message", 0)
	r.AddAttrs(slog.String("k", "v"), slog.Int("n", 3))
	return r
}

func pointerTo(t *tree) *atomic.Pointer[tree] {
	p := new(atomic.Pointer[tree])
	p.Store(t)
	return p
}
