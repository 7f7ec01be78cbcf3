// SPDX-License-Identifier: GPL-2.0

// trees makes calls whose tree is known: what is called in what, on which goroutine,
// and where that was started. Where a goroutine is started a comment says so, for
// who looks for the line.
//
//	trees [-hold] N
//
// It prints "ready PID". With -hold it then waits for a line on stdin, after it has
// started a goroutine that will call served; and for another one before it ends. It
// does all N times, one after the other.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"
)

var sum int

//go:noinline
func leaf(n int) int { sum += n; return n + 1 }

//go:noinline
func slow(n int) int { time.Sleep(2 * time.Millisecond); return n }

// fib recurses: 1 + the calls of both.
//
//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func boom(n int) { panic(n) }

//go:noinline
func risky(n int) int { boom(leaf(n)); return n }

//go:noinline
func guard(n int) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("recovered: %v", e)
		}
	}()
	risky(n)
	return nil
}

//go:noinline
func inner(n int) int { return leaf(n) }

//go:noinline
func worker(n int) {
	done := make(chan bool)
	go func() { deeper(n); done <- true }() // deeper starts
	<-done
	inner(n)
}

//go:noinline
func deeper(n int) int { return leaf(n) }

// tardy begins when what started it has returned.
//
//go:noinline
func tardy(n int) int { return leaf(n) }

//go:noinline
func root(n int, begin <-chan int, done chan int) int {
	leaf(n)
	slow(n)
	fib(3)
	guard(n)
	go func() { worker(n); done <- 0 }() // worker starts
	<-done
	go func() { done <- tardy(<-begin) }() // tardy starts
	return leaf(n)
}

//go:noinline
func served(n int) int { return leaf(n) }

func main() {
	hold := flag.Bool("hold", false, "wait for a line before the calls, and before the end")
	flag.Parse()
	n, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: trees [-hold] N")
		os.Exit(2)
	}
	begin, done := make(chan int), make(chan int)
	serve := make(chan int)
	go func() { // served starts
		for i := range serve {
			done <- served(i)
		}
	}()
	fmt.Printf("ready %d\n", os.Getpid())
	stdin := bufio.NewReader(os.Stdin)
	if *hold {
		stdin.ReadString('\n')
	}
	for i := 0; i < n; i++ {
		root(i, begin, done)
		begin <- i
		<-done
		serve <- i
		<-done
	}
	fmt.Printf("sum=%d\n", sum)
	if *hold {
		stdin.ReadString('\n')
	}
}
