// SPDX-License-Identifier: GPL-2.0

// counter calls main.doWork an exact number of times and says how often that
// was.
//
//	counter [-hold] [-each D] [-fork N] [-map FILE [-passes P]] [-status S] N
//
// It prints "ready PID" first. With -hold it then waits for a line on stdin, so
// that a tracer can attach before the first call, and for another one (or end
// of file) before it ends, so that a tracer can look at it afterwards. -each
// sleeps between two calls; with N of 0 it calls until it is killed. -fork has a
// child process, forked before the calls and without exec, make as many calls of
// its own. -map maps a file and calls main.see with the address of each of its
// pages, none of which is touched; -passes has it do so P times. Its last line is "counter=N"; S is its exit
// status.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

var counter int64

//go:noinline
func doWork() {
	counter++
}

// forkAndWork makes n calls in a forked child and waits for its end. Nothing but
// this thread lives in the child, so it must neither allocate nor block.
//
//go:norace
func forkAndWork(n int64) {
	pid, _, errno := syscall.RawSyscall(syscall.SYS_FORK, 0, 0, 0)
	if errno != 0 {
		fmt.Fprintln(os.Stderr, "counter: fork:", errno)
		os.Exit(1)
	}
	if pid == 0 {
		for i := int64(0); i != n; i++ {
			doWork()
		}
		status := uintptr(0)
		if counter != n {
			status = 1
		}
		for {
			syscall.RawSyscall(syscall.SYS_EXIT_GROUP, status, 0, 0)
		}
	}
	var status syscall.WaitStatus
	_, err := syscall.Wait4(int(pid), &status, 0, nil)
	fmt.Printf("child %d: %v %v\n", pid, int(status), err)
}

//go:noinline
func see(page unsafe.Pointer) unsafe.Pointer { return page }

// seePages calls see for each page of the file, in each of the passes.
func seePages(path string, passes int) {
	f, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
	st, _ := f.Stat()
	pages, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		fmt.Fprintln(os.Stderr, "counter: mmap:", err)
		os.Exit(1)
	}
	for ; passes > 0; passes-- {
		for at := 0; at < len(pages); at += 4096 {
			see(unsafe.Pointer(&pages[at]))
		}
	}
	fmt.Println("seen")
}

func main() {
	hold := flag.Bool("hold", false, "wait for a line before the first call and before the end")
	each := flag.Duration("each", 0, "sleep between calls")
	fork := flag.Int64("fork", 0, "calls of a forked child")
	file := flag.String("map", "", "file to map")
	passes := flag.Int("passes", 1, "how often its pages are seen")
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
	if *file != "" {
		seePages(*file, *passes)
	}
	if *fork > 0 {
		forkAndWork(*fork)
	}
	for i := int64(0); n == 0 || i < n; i++ {
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
