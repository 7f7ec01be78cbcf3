// SPDX-License-Identifier: GPL-2.0

// numbers calls functions whose arguments are in integer registers, and counts these calls.
//
//	numbers
//
// It says "ready PID", then does what each line of its input says, and answers with a line:
//
//	calls G N    G goroutines, each locked to a thread of its own, call main.add N times at once: each says
//	             which it was: [{"goid":G,"tid":T,"calls":N},...], in the order of the argument who
//	slow N MS    N calls of main.add with that time between them; a line "called" after each
//	names N      N calls of main.name
//	forever G US as calls, with a pause of US microseconds after each eighth, until the next line of input arrives, and answers then
//	exit N       N calls of main.add, and the process exits at once
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// add has arguments and results of several sizes.
//
//go:noinline
func add(n int, who int32, low uint8, odd bool, big uint64) (sum int, small int16, even bool) {
	if n < 0 {
		runtime.Gosched()
	}
	return n + int(who) + int(low) + int(big>>60), int16(-n), !odd
}

//go:noinline
func name(s string, n int) string {
	if n < 0 {
		runtime.Gosched()
	}
	return s[n%len(s):]
}

func call(n, who int) {
	// The registers have more than the small arguments.
	wide := uint64(n) | 0xabcd<<32
	add(n, int32(uint32(wide))-int32(who), uint8(wide), wide&1 != 0, ^uint64(n))
}

func goid() int {
	var b [64]byte
	id, _ := strconv.Atoi(strings.Fields(string(b[:runtime.Stack(b[:], false)]))[1])
	return id
}

type caller struct {
	Goid  int `json:"goid"`
	Tid   int `json:"tid"`
	Calls int `json:"calls"`
}

// Each of the goroutines calls @n times, or until @stop.
func calls(goroutines, n int, pause time.Duration, stop *int32) []caller {
	who := make([]caller, goroutines)
	var all sync.WaitGroup
	for i := range who {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			// The thread ends with its goroutine.
			runtime.LockOSThread()
			who[i].Goid, who[i].Tid = goid(), syscall.Gettid()
			for k := 0; k < n && atomic.LoadInt32(stop) == 0; k++ {
				call(k, i)
				who[i].Calls++
				if pause > 0 && k%8 == 7 {
					time.Sleep(pause)
				}
			}
		}(i)
	}
	all.Wait()
	return who
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	for input.Scan() {
		var a, b int
		var verb string
		var never int32

		fmt.Sscan(input.Text()+" 0 0", &verb, &a, &b)
		switch verb {
		case "calls":
			answer(calls(a, b, 0, &never))
		case "slow":
			for n := 0; n < a; n++ {
				time.Sleep(time.Duration(b) * time.Millisecond)
				call(n, 0)
				fmt.Println("called")
			}
		case "names":
			for n := 0; n < a; n++ {
				name("abcdefg", n)
			}
			fmt.Println("named")
		case "forever":
			var stop int32
			done := make(chan []caller)
			go func() { done <- calls(a, int(^uint(0)>>1), time.Duration(b)*time.Microsecond, &stop) }()
			input.Scan()
			atomic.StoreInt32(&stop, 1)
			answer(<-done)
		case "exit":
			for n := 0; n < a; n++ {
				call(n, 0)
			}
			os.Exit(0)
		}
	}
}

func answer(who []caller) {
	line, _ := json.Marshal(who)
	fmt.Println(string(line))
}
