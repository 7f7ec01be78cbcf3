// SPDX-License-Identifier: GPL-2.0

//go:build go1.19
// +build go1.19

package main

import "sync/atomic"

type atomics struct {
	i32     atomic.Int32
	i64     atomic.Int64
	u32     atomic.Uint32
	u64     atomic.Uint64
	uintptr atomic.Uintptr
	on      atomic.Bool
	pointer atomic.Pointer[holder]
}

func newer(h *holder) interface{} {
	a := new(atomics)
	a.i32.Add(1)
	a.i64.Add(1)
	a.u32.Add(1)
	a.u64.Add(1)
	a.uintptr.Add(1)
	a.on.Store(true)
	a.pointer.Store(h)
	return a
}
