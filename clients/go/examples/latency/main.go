// SPDX-License-Identifier: GPL-2.0

// latency computes how long functions of a running program take.
//
//	latency [-for 10s] PID PATTERN...
//
// With expressions and conditions of goprobectl attach: 'main.query if err != nil'.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sort"
	"strconv"
	"syscall"
	"text/tabwriter"
	"time"

	goprobe "goprobe/clients/go"
)

func main() {
	duration := flag.Duration("for", 10*time.Second, "how long; 0: until Ctrl-C")
	flag.Parse()
	pid, err := strconv.Atoi(flag.Arg(0))
	if err != nil || flag.NArg() < 2 {
		log.Fatal("usage: latency [-for TIME] PID PATTERN...")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if *duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, *duration)
		defer cancel()
	}

	// Without arguments and results records are small.
	s, err := goprobe.Attach(ctx, goprobe.Options{
		PIDs: []int{pid}, CompilerArgs: []string{"--depth", "0", "--string-limit", "0"},
	}, flag.Args()[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "started")
	for range s.Events() {
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}

	latency := s.Latency()
	names := make([]string, 0, len(latency))
	for name := range latency {
		names = append(names, name)
	}
	sort.Strings(names)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "calls\tmean\tp50\tp99\tmax\t  function")
	for _, name := range names {
		l := latency[name]
		fmt.Fprintf(out, "%d\t%v\t%v\t%v\t%v\t  %s\n", l.Count, l.Mean(), l.Quantile(0.5), l.Quantile(0.99), l.Max, name)
	}
	out.Flush()
	if lost := s.Counts().Lost(); lost > 0 {
		fmt.Printf("%d records lost\n", lost)
	}
}
