// SPDX-License-Identifier: GPL-2.0

// The program's profile, which a build with -pgo takes.
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

const profiled = 20 * time.Second

// repeat does the work once; if COUNTED_PROFILE names a file, the work is repeated, and its profile is written there.
func repeat(work func()) {
	name := os.Getenv("COUNTED_PROFILE")
	if name == "" {
		work()
		return
	}
	file, err := os.Create(name)
	check(err)
	check(pprof.StartCPUProfile(file))
	for end := time.Now().Add(profiled); time.Now().Before(end); {
		work()
	}
	pprof.StopCPUProfile()
	check(file.Close())
}
