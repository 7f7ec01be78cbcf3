// SPDX-License-Identifier: GPL-2.0

// example is the smallest program worth tracing: one call of one function. A
// trace of main.foo shows the arguments 99 and 9801, the result 9900, and
// goroutine 1.
package main

import "fmt"

// The pragma keeps the function a function: whether the compiler would inline
// it is a matter of its release.
//
//go:noinline
func foo(x, y int) (z int) {
	fmt.Printf("x=%d, y=%d, z=%d\n", x, y, z)
	z = x + y
	return
}

func main() {
	x := 99
	y := x * x
	z := foo(x, y)
	fmt.Printf("z=%d\n", z)
}
