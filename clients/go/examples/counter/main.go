// SPDX-License-Identifier: GPL-2.0

// counter watches a variable of a running program from outside: its value, and how fast it grows.
//
//	counter [-func main.doWork] [-var main.counter] [-for 10s] PID
//
// It is read whenever the function is called, and shown once a second.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	goprobe "goprobe/clients/go"
)

func main() {
	function := flag.String("func", "main.doWork", "function whose calls change the variable")
	variable := flag.String("var", "main.counter", "the variable")
	duration := flag.Duration("for", 0, "how long; 0: until Ctrl-C")
	flag.Parse()
	pid, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		log.Fatal("usage: counter [-func NAME] [-var NAME] PID")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if *duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, *duration)
		defer cancel()
	}

	s, err := goprobe.Attach(ctx, goprobe.Options{PIDs: []int{pid}, NoReturn: true}, *function+"("+*variable+")")
	if err != nil {
		log.Fatal(err)
	}
	var prev, count int64
	second := time.NewTicker(time.Second)
	for open := true; open; {
		select {
		case ev, ok := <-s.Events():
			if open = ok; ok && ev.Kind == goprobe.Call {
				count = ev.Arg(*variable).Int()
			}
		case <-second.C:
			fmt.Printf("counter: %d\t(%d ops/s)\n", count, count-prev)
			prev = count
		}
	}
	fmt.Printf("counter: %d\n", count)
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
}
