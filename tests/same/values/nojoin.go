// SPDX-License-Identifier: GPL-2.0

//go:build !go1.20

package main

func joined() {}
