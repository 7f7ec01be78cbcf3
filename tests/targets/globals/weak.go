// SPDX-License-Identifier: GPL-2.0

//go:build go1.24

package main

import (
	"runtime"
	"weak"
)

var alive = &tree{Name: "alive"}
var Weak = keep("Weak", weak.Make(alive))
var WeakDead = keep("WeakDead", dead())
var WeakNil = keep("WeakNil", weak.Pointer[tree]{})
var Weaks = keep("Weaks", []weak.Pointer[tree]{Weak, WeakDead, WeakNil})

// dead refers to an object that was collected.
func dead() weak.Pointer[tree] {
	w := weak.Make(&tree{Name: "dead"})
	for w.Value() != nil {
		runtime.GC()
	}
	return w
}
