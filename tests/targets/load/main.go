// SPDX-License-Identifier: GPL-2.0

// load calls two functions without end from several goroutines, for tests that
// kill, attach and detach while breakpoints are hit all the time.
//
//	load [-goroutines N] [-pause D]
//
// It prints "ready PID". For each line on stdin it prints how many calls each
// function has had so far, as "calls handle=N inner=M"; at end of file it ends.
// A wrong result of a call ends it at once with status 1: a tracer must never
// change what a program computes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
)

var handles, inners int64

//go:noinline
func handle(id int, name string, body []byte) (n int, err error) {
	atomic.AddInt64(&handles, 1)
	n = inner(id, len(body))
	if n < 0 {
		return 0, fmt.Errorf("%s: negative", name)
	}
	return n + len(name), nil
}

//go:noinline
func inner(a, b int) int {
	atomic.AddInt64(&inners, 1)
	var pad [256]byte
	pad[a&255] = byte(b)
	return a*2 + b + int(pad[(a+1)&255])
}

func main() {
	goroutines := flag.Int("goroutines", 4, "goroutines that call")
	pause := flag.Duration("pause", 0, "sleep of each goroutine after 100 calls")
	flag.Parse()
	body := make([]byte, 64)
	for g := 0; g < *goroutines; g++ {
		go func(id int) {
			for i := 0; ; i++ {
				n, err := handle(id+i, "request", body)
				if err != nil || n != (id+i)*2+len(body)+7 {
					fmt.Printf("load: wrong result %d, %v\n", n, err)
					os.Exit(1)
				}
				if i%100 == 99 {
					runtime.Gosched()
					if *pause > 0 {
						time.Sleep(*pause)
					}
				}
			}
		}(g * 1000)
	}
	fmt.Println("ready", os.Getpid())
	in := bufio.NewReader(os.Stdin)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		fmt.Printf("calls handle=%d inner=%d\n", atomic.LoadInt64(&handles), atomic.LoadInt64(&inners))
	}
}
