// SPDX-License-Identifier: GPL-2.0

//go:build go1.24
// +build go1.24

package main

import (
	"log/slog"
	"weak"
)

func newest(h *holder) interface{} {
	return []interface{}{slog.Int("n", 1), weak.Make(h)}
}
