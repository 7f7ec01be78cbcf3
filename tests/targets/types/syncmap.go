// SPDX-License-Identifier: GPL-2.0

//go:build go1.24

package main

import (
	"sync"
	"unsafe"
)

//go:noinline
func syncMap(m *sync.Map, n int) int { return n }

// callSyncMap calls with a map that is empty, one of few entries, and one that has
// lost some.
func callSyncMap() {
	for _, n := range []int{0, 1, 3, 12} {
		m := new(sync.Map)
		var pairs [][2]interface{}
		for i := 0; i < n; i++ {
			pair := [2]interface{}{i * 7, 'a' + i}
			m.Store(pair[0], pair[1])
			pairs = append(pairs, pair)
		}
		if n > 3 {
			for _, pair := range pairs[8:] {
				m.Delete(pair[0])
			}
			pairs = pairs[:8]
		}
		stored[uintptr(unsafe.Pointer(m))] = pairs
		in("main.syncMap", v("m", &m), v("n", &n))
		r := syncMap(m, n)
		out("main.syncMap", v("~r0", &r))
	}
}
