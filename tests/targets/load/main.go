// SPDX-License-Identifier: GPL-2.0

// load calls two functions without end from several goroutines, for tests that
// kill, attach and detach while breakpoints are hit all the time.
//
//	load [-goroutines N] [-pause D] [-hold]
//
// It prints "ready PID". For each line on stdin it prints how many calls each
// function has had so far, as "calls handle=N inner=M"; at end of file it ends.
// With -hold the first line makes it begin, and it ends when all calls have returned:
// then it prints once more how many they were.
// A wrong result of a call ends it at once with status 1: a tracer must never
// change what a program computes.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var (
	handles, inners int64
	over            int32
)

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

// work calls until it is over.
func work(id int, pause time.Duration, body []byte) {
	for i := 0; atomic.LoadInt32(&over) == 0; i++ {
		n, err := handle(id+i, "request", body)
		if err != nil || n != (id+i)*2+len(body)+7 {
			fmt.Printf("load: wrong result %d, %v\n", n, err)
			os.Exit(1)
		}
		if i%100 == 99 {
			runtime.Gosched()
			if pause > 0 {
				time.Sleep(pause)
			}
		}
	}
}

func main() {
	goroutines := flag.Int("goroutines", 4, "goroutines that call")
	pause := flag.Duration("pause", 0, "sleep of each goroutine after 100 calls")
	hold := flag.Bool("hold", false, "begin with the first line, and end when all calls have returned")
	flag.Parse()
	body := make([]byte, 64)
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready", os.Getpid())
	if *hold {
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
	}
	var workers sync.WaitGroup
	for g := 0; g < *goroutines; g++ {
		workers.Add(1)
		go func(id int) {
			work(id, *pause, body)
			workers.Done()
		}(g * 1000)
	}
	for {
		if _, err := in.ReadString('\n'); err != nil {
			break
		}
		report()
	}
	if *hold {
		atomic.StoreInt32(&over, 1)
		workers.Wait()
		report()
	}
}

func report() {
	fmt.Printf("calls handle=%d inner=%d\n", atomic.LoadInt64(&handles), atomic.LoadInt64(&inners))
}
