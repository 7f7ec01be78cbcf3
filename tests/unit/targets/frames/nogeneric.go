// SPDX-License-Identifier: GPL-2.0

//go:build !go1.18
// +build !go1.18

package main

func generic() int {
	return 0
}
