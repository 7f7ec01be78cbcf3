// SPDX-License-Identifier: GPL-2.0

// Example does what the program does that Delve's two ways of tracing are
// explained with ("How debugging Go programs with Delve and eBPF is faster"):
// it calls foo, which prints, and prints what that returns. It does so once, for
// everything to be in memory, then CALLS times, and writes how long these took.
//
//	example CALLS RESULT
//
// RESULT gets one line, nanoseconds. Standard output has two lines for each call.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// Not inlined, whatever a compiler thinks of it.
//
//go:noinline
func foo(x, y int) (z int) {
	fmt.Printf("x=%d, y=%d, z=%d\n", x, y, z)
	z = x + y
	return
}

func work(calls int) time.Duration {
	begin := time.Now()
	for i := 0; i < calls; i++ {
		x := 99
		y := x * x
		fmt.Printf("z=%d\n", foo(x, y))
	}
	return time.Since(begin)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: example CALLS RESULT")
		os.Exit(2)
	}
	calls, err := strconv.Atoi(os.Args[1])
	if err == nil {
		work(1)
		took := work(calls)
		err = os.WriteFile(os.Args[2], []byte(fmt.Sprintln(took.Nanoseconds())), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}
