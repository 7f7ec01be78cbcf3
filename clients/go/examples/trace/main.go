// SPDX-License-Identifier: GPL-2.0

// trace prints calls and returns as goprobectl attach -o json does.
//
//	trace PID PATTERN...
//	trace -plan FILE -replay RECORDING
//
// -plan takes what "goprobectl plan" has written.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	goprobe "goprobe/clients/go"
)

var out = bufio.NewWriter(os.Stdout)

func show(ev *goprobe.Event) {
	line, err := ev.MarshalJSON()
	if err != nil {
		log.Fatal(err)
	}
	out.Write(line)
	out.WriteByte('\n')
}

func replay(planPath, path string) {
	f, err := os.Open(planPath)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := goprobe.ReadPlan(f)
	if err != nil {
		log.Fatal(err)
	}
	recording, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := plan.Replay(recording, show); err != nil {
		log.Fatal(err)
	}
}

func main() {
	planPath := flag.String("plan", "", "a plan that was made before")
	recording := flag.String("replay", "", "a recording of the same functions")
	flag.Parse()
	defer out.Flush()
	if *recording != "" {
		replay(*planPath, *recording)
		return
	}
	pid, err := strconv.Atoi(flag.Arg(0))
	if err != nil || flag.NArg() < 2 {
		log.Fatal("usage: trace PID PATTERN...")
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	s, err := goprobe.Attach(ctx, goprobe.Options{PIDs: []int{pid}}, flag.Args()[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "started")
	for ev := range s.Events() {
		show(ev)
	}
	if err := s.Err(); err != nil {
		log.Fatal(err)
	}
	n := s.Counts()
	fmt.Fprintf(os.Stderr, "%d calls, %d returns, %d lost\n", n.Calls, n.Returns, n.Lost())
}
