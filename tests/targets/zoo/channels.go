// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"runtime"
)

//go:noinline
func intChannels(a chan int, b <-chan int, c chan<- int) (chan<- int, chan int, <-chan int) {
	visits++
	return c, a, b
}

//go:noinline
func structChannels(a chan Item, b chan *Item, c chan struct{}) (chan struct{}, chan Item, chan *Item) {
	visits++
	return c, a, b
}

//go:noinline
func anyChannels(a chan interface{}, b chan error, c chan string) (chan string, chan interface{}, chan error) {
	visits++
	return c, a, b
}

//go:noinline
func channelChannels(a chan chan int, b chan func(int) int) (chan func(int) int, chan chan int) {
	visits++
	return b, a
}

//go:noinline
func wrapped(c chan int) (int, chan int) { visits++; return len(c), c }

//go:noinline
func receiversWait(c chan int) (int, chan int) { visits++; return cap(c), c }

//go:noinline
func sendersWait(c chan string) (int, chan string) { visits++; return len(c), c }

// awaitBlocked returns when as many goroutines are blocked as are said to be.
func awaitBlocked(state string, n int) {
	buf := make([]byte, 1<<18)
	for {
		if bytes.Count(buf[:runtime.Stack(buf, true)], []byte(state)) >= n {
			return
		}
		runtime.Gosched()
	}
}

func visitChannels() {
	buffered := make(chan int, 4)
	buffered <- 11
	buffered <- -22
	full := make(chan int, 2)
	full <- 1
	full <- 2
	intChannels(nil, nil, nil)
	intChannels(make(chan int), buffered, full)
	closed := make(chan int, 3)
	closed <- 5
	close(closed)
	intChannels(closed, closed, make(chan int, 1))
	items, pointers := make(chan Item, 2), make(chan *Item, 2)
	items <- Item{"sent", 1}
	pointers <- nil
	pointers <- &Item{"by pointer", 2}
	done := make(chan struct{}, 3)
	done <- struct{}{}
	done <- struct{}{}
	structChannels(items, pointers, done)
	structChannels(nil, nil, make(chan struct{}))
	anys, errors, strings := make(chan interface{}, 3), make(chan error, 2), make(chan string, 2)
	anys <- 1
	anys <- "two"
	anys <- nil
	errors <- Code(3)
	strings <- ""
	strings <- "second"
	anyChannels(anys, errors, strings)
	channels, functions := make(chan chan int, 1), make(chan func(int) int, 1)
	channels <- buffered
	functions <- double
	channelChannels(channels, functions)
	around := make(chan int, 3)
	for i := 0; i < 5; i++ {
		around <- i
		if i < 2 || i == 2 {
			<-around
		}
	}
	wrapped(around)
	receivers := make(chan int, 1)
	for i := 0; i < 3; i++ {
		go func() { <-receivers }()
	}
	awaitBlocked("[chan receive", 3)
	receiversWait(receivers)
	senders := make(chan string, 1)
	senders <- "in the buffer"
	for i := 0; i < 2; i++ {
		go func() { senders <- "waiting" }()
	}
	awaitBlocked("[chan send", 2)
	sendersWait(senders)
	close(receivers)
	for i := 0; i < 3; i++ {
		<-senders
	}
	awaitEnd()
}

// awaitEnd returns when the other goroutines have ended.
func awaitEnd() {
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
}
