// SPDX-License-Identifier: GPL-2.0

//go:build !go1.21

package main

func slogs() {}
