// SPDX-License-Identifier: GPL-2.0

// Crowd calls a function from several threads at once, each on a processor of its own. The threads
// share no memory while they call. It obeys lines on its standard input,
//
//	THREADS CALLS [share]
//
// ("share": they share a counter after all) and answers each, once all threads have made their calls, with a line
//
//	NS
//
// the time from the first call to the last one, in nanoseconds. bench/sharing.c waits for begin and
// end, which each thread calls before and after its calls.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// Calls of each thread before the clock runs: each finds its page, and the tracer's.
const warm = 200

//go:noinline
func leaf(n int) int {
	return n + 1
}

// Part calls another function, so it has a stack check.
//
//go:noinline
func part(n int) int {
	return leaf(n) + 1
}

// Work is the function that is probed; a is one of eight odd numbers.
//
//go:noinline
func work(a, b int) (sum int) {
	return part(a) + b
}

//go:noinline
func begin(thread int) int {
	return thread + 1
}

//go:noinline
func end(thread int) int {
	return thread + 2
}

var (
	counter int64
	share   bool
)

//go:noinline
func loop(calls int) int {
	sum := 0
	for i := 0; i < calls; i++ {
		sum += work(2*(i%8)+1, i)
		if share {
			atomic.AddInt64(&counter, 1)
		}
	}
	return sum
}

// The sum that loop returns.
func sumOf(calls int) int {
	sum := calls * (calls - 1) / 2
	for i := 0; i < calls; i++ {
		sum += 2*(i%8) + 3
	}
	return sum
}

func fail(why ...any) {
	fmt.Fprintln(os.Stderr, append([]any{"crowd:"}, why...)...)
	os.Exit(1)
}

// processors are those that the program may use.
func processors() (list []int) {
	var set [128]uint64
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		fail("sched_getaffinity:", e)
	}
	for cpu := 0; cpu < 64*len(set); cpu++ {
		if set[cpu/64]>>(cpu%64)&1 != 0 {
			list = append(list, cpu)
		}
	}
	return list
}

func pin(cpu int) {
	var set [128]uint64
	set[cpu/64] = 1 << (cpu % 64)
	_, _, e := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if e != 0 {
		fail("sched_setaffinity:", e)
	}
}

// Times of one thread, in cache lines of its own.
type times struct {
	_           [128]byte
	first, last time.Time
	_           [128]byte
}

func run(threads, calls int, cpus []int) time.Duration {
	var ready, done sync.WaitGroup
	all := make([]times, threads)
	ready.Add(threads)
	done.Add(threads)
	for i := range all {
		go func(t *times, i int) {
			// The thread ends with the goroutine: nothing unlocks it.
			runtime.LockOSThread()
			pin(cpus[i])
			loop(warm)
			ready.Done()
			ready.Wait()
			begin(i)
			t.first = time.Now()
			sum := loop(calls)
			t.last = time.Now()
			end(i)
			if sum != sumOf(calls) {
				fail("the calls returned wrong results")
			}
			loop(warm)
			done.Done()
		}(&all[i], i)
	}
	done.Wait()
	first, last := all[0].first, all[0].last
	for _, t := range all {
		if t.first.Before(first) {
			first = t.first
		}
		if t.last.After(last) {
			last = t.last
		}
	}
	return last.Sub(first)
}

func main() {
	debug.SetGCPercent(-1)
	cpus := processors()
	runtime.GOMAXPROCS(len(cpus) + 1)
	begin(-1)
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var threads, calls int
		n, _ := fmt.Sscan(in.Text(), &threads, &calls)
		if n != 2 || threads < 1 || threads > len(cpus) {
			fail("it takes the number of threads, for at most", len(cpus), "processors, and of calls, not:", in.Text())
		}
		share = strings.HasSuffix(in.Text(), " share")
		fmt.Println(run(threads, calls, cpus).Nanoseconds())
	}
}
