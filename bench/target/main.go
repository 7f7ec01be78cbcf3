// SPDX-License-Identifier: GPL-2.0

// Target calls one function as often as it is told to and says how long that
// took. It obeys lines on its standard input:
//
//	CALLS [PID...]
//
// and answers each with a line
//
//	NS CPU
//
// the time of the loop and the processor time that the processes PID had used
// when the loop ended, both in nanoseconds: what they use later is for what
// happened in the loop.
package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

//go:noinline
func leaf(n int) int {
	return n + 1
}

// The function that is probed. It calls another one, so it has a frame and a
// stack check; it is called with an odd a.
//
//go:noinline
func work(a, b int, s string) int {
	return leaf(a) + b + len(s)
}

//go:noinline
func loop(calls int, s string) (time.Duration, int) {
	sum := 0
	begin := time.Now()
	for i := 0; i < calls; i++ {
		sum += work(2*i+1, i, s)
	}
	return time.Since(begin), sum
}

// cpu is the processor time of all threads of the processes.
func cpu(pids []string) (ns int64) {
	for _, pid := range pids {
		paths, _ := filepath.Glob("/proc/" + pid + "/task/*/schedstat")
		for _, path := range paths {
			text, _ := os.ReadFile(path)
			first, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			ns += n
		}
	}
	return ns
}

func main() {
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	runtime.LockOSThread()
	s := strings.Repeat("0123456789abcdef", 1) // on the heap
	loop(1, s)
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		calls, err := strconv.Atoi(words[0])
		if err != nil {
			fmt.Fprintln(os.Stderr, "target:", err)
			os.Exit(1)
		}
		took, sum := loop(calls, s)
		if sum != calls*(calls-1)/2+calls*(calls+1)+16*calls {
			fmt.Fprintln(os.Stderr, "target: the calls returned wrong results")
			os.Exit(1)
		}
		fmt.Println(took.Nanoseconds(), cpu(words[1:]))
	}
}
