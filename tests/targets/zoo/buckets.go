// SPDX-License-Identifier: GPL-2.0

//go:build !go1.24
// +build !go1.24

package main

import "unsafe"

// hmap is what the runtime's begins with (src/runtime/map.go).
type hmap struct {
	count     int
	flags     uint8
	b         uint8
	noverflow uint16
}

// keepShedding makes a map of 40 entries that has begun to move to as many buckets as
// it has: most are in old ones, among them those of the second half. The runtime does so
// when there are as many overflow buckets, with the next new entry (tooManyOverflowBuckets).
func keepShedding() map[int]int {
	m := keepNumbers(40, 0)
	// No function of its own, which would be called, and traced, thousands of times.
	h := *(**hmap)(unsafe.Pointer(&m))
	for first := 1000; h.noverflow < 1<<h.b; first += 1000 {
		next := first
		for ; next < first+64 && h.noverflow < 1<<h.b; next++ {
			m[next] = next
		}
		for ; next >= first; next-- {
			delete(m, next)
		}
	}
	m[-1] = 0
	delete(m, -1)
	return m
}
