// SPDX-License-Identifier: GPL-2.0

//go:build go1.23
// +build go1.23

package main

import (
	"iter"
	"sync/atomic"
)

var (
	fPull = add("main.onPull", "other")
	fBody = add("main.inBody", "running")
)

//go:noinline
func inBody() (worked int64) {
	began := now()
	spin(nap / 8)
	worked = now() - began
	fBody.saw(began, began+worked, began+worked)
	return worked
}

// onPull waits for a coroutine, which works for so long.
//
//go:noinline
func onPull() {
	next, stop := iter.Pull(func(yield func(int64) bool) {
		for yield(inBody()) {
		}
	})
	var least, most int64
	for i := 0; i < 4; i++ {
		began := now()
		worked, _ := next()
		most += now() - began
		least += worked
	}
	atomic.AddInt64(&fPull.Calls, 1)
	atomic.AddInt64(&fPull.Least, least)
	began := now()
	stop()
	atomic.AddInt64(&fPull.Most, most+now()-began)
}

func more() { fPull.timed(onPull) }
