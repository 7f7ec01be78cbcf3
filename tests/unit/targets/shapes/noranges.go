// SPDX-License-Identifier: GPL-2.0

//go:build !go1.23
// +build !go1.23

package main

func ranges() {
}
