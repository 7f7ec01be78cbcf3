// SPDX-License-Identifier: GPL-2.0

//go:build go1.23

package main

import "unique"

func init() {
	maker(func() unique.Handle[string] { return unique.Make(text()) })
}
