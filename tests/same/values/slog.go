// SPDX-License-Identifier: GPL-2.0

//go:build go1.21

package main

import (
	"io"
	"log/slog"
	"time"
)

func slogs() {
	t := time.Date(2024, 5, 6, 7, 8, 9, 10, time.FixedZone("here", 3600))
	d := &device{Name: "logged"}
	for _, v := range []slog.Value{
		{}, slog.StringValue("text"), slog.StringValue(""), slog.IntValue(-3), slog.Uint64Value(1 << 63), slog.Float64Value(2.5),
		slog.BoolValue(true), slog.DurationValue(time.Minute), slog.TimeValue(t), slog.TimeValue(time.Time{}), slog.AnyValue(d),
		slog.AnyValue(io.EOF), slog.GroupValue(slog.Int("n", 1), slog.String("s", "in a group")), slog.AnyValue([]int{1, 2}),
	} {
		a := slog.Attr{Key: "key", Value: v}
		sameKeep(&v, &a)
	}
	all := []slog.Attr{slog.Group("group", slog.Any("error", &coded{8}), slog.Time("at", t)), slog.String("s", "t")}
	level := slog.LevelWarn
	r := slog.NewRecord(t, slog.LevelInfo, "message", 0)
	r.AddAttrs(all...)
	logger := slog.New(slog.NewTextHandler(io.Discard, nil)).With("a", 1)
	sameKeep(&all, &level, &r, &logger)
}
