// SPDX-License-Identifier: GPL-2.0

//go:build !go1.19
// +build !go1.19

package main

func newer(h *holder) interface{} {
	return h
}
