// SPDX-License-Identifier: GPL-2.0

// trace prints calls and returns as goprobectl attach -o json does.
//
//	trace [OPTION...] PID PATTERN...
//	trace [OPTION...] -file FILE PATTERN...
//	trace -replay RECORDING
//
// Options are those of goprobectl attach with the same names.
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

// end prints what is left of the lines, whatever came then, and returns what went wrong.
func end(err error) error {
	if failed := out.Flush(); err == nil {
		return failed
	}
	return err
}

func replay(ctx context.Context, path string) error {
	_, err := goprobe.Replay(ctx, goprobe.Options{}, path, show)
	return end(err)
}

func main() {
	recording := flag.String("replay", "", "a recording of goprobectl attach")
	o := goprobe.Options{Notice: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	flag.StringVar(&o.File, "file", "", "all processes that run it, not one")
	flag.BoolVar(&o.Inlined, "inlined", false, "functions also where they were inlined")
	flag.BoolVar(&o.Registers, "registers", false, "all integer registers, too")
	flag.BoolVar(&o.Split, "split", false, "how each call's time divides")
	flag.Uint64Var(&o.Times, "times", 0, "calls of each function")
	flag.IntVar(&o.MaxLoad, "max-load", 0, "percent of a processor's time, or -1")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	if *recording != "" {
		if err := replay(ctx, *recording); err != nil {
			log.Fatal(err)
		}
		return
	}
	patterns := flag.Args()
	if o.File == "" && len(patterns) > 0 {
		pid, err := strconv.Atoi(patterns[0])
		if err != nil {
			log.Fatalf("%q is no PID", patterns[0])
		}
		o.PIDs, patterns = []int{pid}, patterns[1:]
	}
	if len(patterns) == 0 {
		log.Fatal("usage: trace [OPTION...] PID PATTERN...")
	}
	s, err := goprobe.Attach(ctx, o, patterns...)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(os.Stderr, "started")
	for ev := range s.Events() {
		show(ev)
		// The reader may wait for the line.
		out.Flush()
	}
	if err := end(s.Err()); err != nil {
		log.Fatal(err)
	}
	n := s.Counts()
	fmt.Fprintf(os.Stderr, "%d calls, %d returns, %d lost\n", n.Calls, n.Returns, n.Lost())
}
