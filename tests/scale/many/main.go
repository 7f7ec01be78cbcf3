// SPDX-License-Identifier: GPL-2.0

// many starts N goroutines that are all in main.stay at once, each with a number of its own, and then lets them go.
//
//	many N
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
)

//go:noinline
func stay(number int, in *sync.WaitGroup, leave chan struct{}) int {
	in.Done()
	<-leave
	return 2 * number
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready", os.Getpid())
	lines.Scan()

	var in, out sync.WaitGroup
	leave := make(chan struct{})
	sums := make(chan int, 1)
	sums <- 0
	in.Add(n)
	out.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			got := stay(i, &in, leave)
			sums <- <-sums + got
			out.Done()
		}(i)
	}
	in.Wait()
	fmt.Println("in", n)
	lines.Scan()
	close(leave)
	out.Wait()
	fmt.Println("sum", <-sums)
	lines.Scan()
}
