// SPDX-License-Identifier: GPL-2.0

// lingers: a thread that a signal holds in the middle of a function, until it is released.
//
//	lingers MODE   MODE says on which stack the handler runs:
//	  alternate    the thread's alternate stack
//	  disarmed     the same, with SS_AUTODISARM: the kernel forgets it while the handler runs
//	  none         its own, as it has no alternate stack
//	  own          its own, as the handler does not ask for another one
//
// It prints "ready PID". One thread calls main.step all the time. Commands on stdin:
//
//	catch   hold the thread where code is that Go does not know: "caught", or "free" if that does not succeed
//	hold    hold it anywhere: "held"
//	go      let it go on: "calls N", what it has called since
//	child   a child made by fork() alone, which waits: "child PID"
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

const (
	siginfo, restorer, onStack = 4, 0x04000000, 0x08000000
	disable, autodisarm        = 2, 1 << 31
)

var (
	interrupted       uint64
	lingers, released uint32
	calls             uint64
	thread            int64
	space             [1 << 16]byte
)

func entries() (linger, restore uintptr)

// Called by the kernel alone. Go 1.19 links no assembler function that is not declared.
func linger()
func restore()

//go:noinline
func step(c *uint64, n int) int {
	*c++
	if n < 0 {
		runtime.Gosched()
	}
	return n + 1
}

func raw(nr, a, b, c, d uintptr) uintptr {
	r, _, e := syscall.RawSyscall6(nr, a, b, c, d, 0, 0)
	if e != 0 {
		panic(e)
	}
	return r
}

func handle(mode string) {
	action := new(struct {
		handler  uintptr
		flags    uint64
		restorer uintptr
		mask     uint64
	})
	action.handler, action.restorer = entries()
	action.flags, action.mask = siginfo|restorer|onStack, ^uint64(0)
	if mode == "own" {
		action.flags &^= onStack
	}
	raw(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGUSR1), uintptr(unsafe.Pointer(action)), 0, 8)
}

// work blocks all other signals: Go's handlers need the alternate stack.
func work(mode string) {
	runtime.LockOSThread()
	blocked := ^(uint64(1) << (uint(syscall.SIGUSR1) - 1))
	raw(syscall.SYS_RT_SIGPROCMASK, 2, uintptr(unsafe.Pointer(&blocked)), 0, 8)
	stack := &struct {
		at    uintptr
		flags uint32
		_     uint32
		size  uintptr
	}{uintptr(unsafe.Pointer(&space[0])), 0, 0, uintptr(len(space))}
	if mode == "disarmed" {
		stack.flags = autodisarm
	} else if mode == "none" {
		stack.flags = disable
	}
	if stack.flags != 0 {
		raw(syscall.SYS_SIGALTSTACK, uintptr(unsafe.Pointer(stack)), 0, 0, 0)
	}
	atomic.StoreInt64(&thread, int64(syscall.Gettid()))
	for i := 0; ; {
		i = step(&calls, i&0xffff)
	}
}

// known says whether code of the program is there, or of the kernel's page.
func known(at uint64) bool {
	maps, _ := os.ReadFile("/proc/self/maps")
	for _, line := range strings.Split(string(maps), "\n") {
		var from, to uint64
		fmt.Sscanf(line, "%x-%x", &from, &to)
		if from <= at && at < to {
			return !strings.Contains(line, "/goprobe")
		}
	}
	return true
}

func hold() {
	atomic.StoreUint32(&released, 0)
	syscall.RawSyscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(atomic.LoadInt64(&thread)), uintptr(syscall.SIGUSR1))
	for atomic.LoadUint32(&lingers) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
}

func release() {
	atomic.StoreUint32(&released, 1)
	for atomic.LoadUint32(&lingers) != 0 {
		time.Sleep(100 * time.Microsecond)
	}
}

func catch() string {
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); release() {
		hold()
		if !known(atomic.LoadUint64(&interrupted)) {
			return "caught"
		}
	}
	return "free"
}

// child calls nothing of Go's runtime in the child.
func child() {
	pid, _, _ := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	for pid == 0 {
		syscall.RawSyscall(syscall.SYS_PAUSE, 0, 0, 0)
	}
	fmt.Println("child", pid)
}

func main() {
	mode := os.Args[1]
	handle(mode)
	go work(mode)
	for atomic.LoadInt64(&thread) == 0 {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "catch":
			fmt.Println(catch())
		case "hold":
			hold()
			fmt.Println("held")
		case "go":
			before := atomic.LoadUint64(&calls)
			release()
			for end := time.Now().Add(10 * time.Second); atomic.LoadUint64(&calls) < before+1000 && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			fmt.Println("calls", atomic.LoadUint64(&calls)-before)
		case "child":
			child()
		}
	}
}
