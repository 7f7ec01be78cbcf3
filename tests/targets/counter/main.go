// SPDX-License-Identifier: GPL-2.0

// counter calls main.doWork an exact number of times and says how often that
// was.
//
//	counter [-hold] [-each D] [-status S] N
//
// It prints "ready PID" first. With -hold it then waits for a line on stdin, so
// that a tracer can attach before the first call, and for another one (or end
// of file) before it ends, so that a tracer can look at it afterwards. -each
// sleeps between two calls; with N of -1 it calls until it is killed. Its last
// line is "counter=N"; S is its exit status.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

var counter int64

//go:noinline
func doWork() {
	counter++
}

func main() {
	hold := flag.Bool("hold", false, "wait for a line before the first call and before the end")
	each := flag.Duration("each", 0, "sleep between calls")
	status := flag.Int("status", 0, "exit status")
	flag.Parse()
	n, err := strconv.ParseInt(flag.Arg(0), 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "counter: how many calls?")
		os.Exit(2)
	}
	in := bufio.NewReader(os.Stdin)

	fmt.Println("ready", os.Getpid())
	if *hold {
		in.ReadString('\n')
	}
	for i := int64(0); i != n; i++ {
		doWork()
		if *each > 0 {
			time.Sleep(*each)
		}
	}
	fmt.Printf("counter=%d\n", counter)
	if *hold {
		in.ReadString('\n')
	}
	os.Exit(*status)
}
