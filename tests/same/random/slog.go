// SPDX-License-Identifier: GPL-2.0

//go:build go1.21

package main

import (
	"log/slog"
	"time"
)

func value() slog.Value {
	switch pick(8) {
	case 0:
		return slog.StringValue(text())
	case 1:
		return slog.IntValue(int(next()))
	case 2:
		return slog.DurationValue(time.Duration(next()))
	case 3:
		return slog.TimeValue(time.Unix(int64(next()>>30), 0).UTC())
	case 4:
		return slog.GroupValue(slog.Int("n", pick(9)), slog.String("s", text()))
	case 5:
		return slog.BoolValue(pick(2) == 0)
	}
	return slog.AnyValue(anything())
}

func init() {
	maker(value)
	maker(func() slog.Attr { return slog.Attr{Key: text(), Value: value()} })
}
