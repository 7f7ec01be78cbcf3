// SPDX-License-Identifier: GPL-2.0

//go:build go1.24

package main

import (
	"unique"
	"weak"
)

func weaks() {
	d, n := &device{Name: "weakly held", Next: &device{Name: "next"}}, new(int)
	*n = 7
	w, x, none := weak.Make(d), weak.Make(n), weak.Pointer[device]{}
	all, by := []weak.Pointer[device]{w, none}, map[string]weak.Pointer[int]{"x": x}
	any := interface{}(w)
	in := &struct{ W *weak.Pointer[device] }{&w}
	h, i := unique.Make("unique"), unique.Make(device2{1, "in a handle"})
	kept = append(kept, d, n)
	sameKeep(&w, &x, &none, &all, &by, &any, &in, &h, &i)
}
