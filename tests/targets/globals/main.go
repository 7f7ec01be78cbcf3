// SPDX-License-Identifier: GPL-2.0

// globals has package variables of many types, whose values do not change. It prints "ready PID",
// then the names of the variables. For each line on stdin it calls show000, show001 ... once, and
// prints "done": at these calls a tracer can show the variables.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

var names []string

// keep gives a variable its value, and keeps it in the program.
//
//go:noinline
func keep[T any](name string, v T) T {
	names = append(names, name)
	return v
}

func main() {
	fmt.Println("ready", os.Getpid())
	fmt.Println(strings.Join(names, " "))
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		for _, show := range shows {
			show()
		}
		fmt.Println("done")
	}
}
