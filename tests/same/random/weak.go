// SPDX-License-Identifier: GPL-2.0

//go:build go1.24

package main

import "weak"

// strong keeps what weak pointers point to.
var strong []interface{}

func weakly[T any](fill func(*T)) func() weak.Pointer[T] {
	return func() weak.Pointer[T] {
		if pick(4) == 0 {
			return weak.Pointer[T]{}
		}
		p := new(T)
		fill(p)
		strong = append(strong, p)
		return weak.Make(p)
	}
}

func init() {
	maker(weakly(func(p *int) { *p = int(next()) }))
	maker(weakly(func(p *[200]string) { p[pick(200)] = text() }))
}
