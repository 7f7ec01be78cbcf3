// SPDX-License-Identifier: GPL-2.0

// stress does everything that makes it hard to match returns with their
// calls: many goroutines recurse deeply on stacks that grow and are moved, they
// block and go on on another thread, panic, recover some frames further up, or
// leave by Goexit.
//
//	stress [-goroutines N] [-depth N] [-seed N] [-hold] [-stay]
//
// What it does depends on the seed only, never on the scheduler. It counts its
// own calls, and at the end prints one line of JSON:
//
//	{"functions":{"main.even":{"calls":N,"returns":N,"unwound":N},...},
//	 "goexit":N,"result":"0x..."}
//
// where unwound counts the frames that a panic or a Goexit took away, and goexit
// how many of these were left by Goexit. With -stay every goroutine stays at its
// deepest point: the line then counts open calls as unwound, and the program waits
// for a line on stdin and executes itself again, in the same process, with the
// arguments that are in it. Each traced function is given tag =
// goroutine<<16 | depth and returns tag*2+1, so a return shows which call it
// ends.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

// count is what one goroutine knows of one function.
type count struct {
	Calls   int `json:"calls"`
	Returns int `json:"returns"`
	Unwound int `json:"unwound"`
}

const (
	fnEven = iota
	fnOdd
	fnGuard
	fnNote
	nfns
)

var fnNames = [nfns]string{"main.even", "main.odd", "main.guard", "main.note"}

type end int

const (
	endReturn  end = iota // come back all the way
	endPanic              // panic at the bottom, recovered by the nearest guard
	endRepanic            // recovered by a guard, which panics again for the next
	endGoexit             // runtime.Goexit at the bottom
)

// worker is the state of one goroutine.
type worker struct {
	id     int
	bottom int // depth at which the recursion ends
	how    end
	guards map[int]bool    // depths at which a guard stands
	left   int             // how many guards will panic again
	stays  *sync.WaitGroup // notified at the bottom, if it is not to go on from there
	sum    uint64
	counts [nfns]count
}

// turnstile lets few goroutines through at a time, so that the others block and
// are woken elsewhere.
var turnstile = make(chan struct{}, 8)

func (w *worker) mix(v uint64) {
	w.sum ^= v
	w.sum *= 0x9e3779b97f4a7c15
	w.sum ^= w.sum >> 29
}

// step is what each frame does: sometimes yield, sometimes block, then go deeper.
func (w *worker) step(depth int) {
	switch {
	case depth%97 == 13:
		turnstile <- struct{}{}
		runtime.Gosched()
		<-turnstile
	case depth%31 == 7:
		runtime.Gosched()
	}
	w.mix(uint64(depth))
	if depth == w.bottom {
		if w.stays != nil {
			w.stays.Done()
			select {}
		}
		switch w.how {
		case endPanic, endRepanic:
			panic(w)
		case endGoexit:
			runtime.Goexit()
		}
		return
	}
	next := depth + 1
	switch {
	case w.guards[next]:
		w.check(guard(w, w.tag(next)), next)
	case next%2 == 0:
		w.check(even(w, w.tag(next)), next)
	default:
		w.check(odd(w, w.tag(next), "odd"), next)
	}
}

func (w *worker) tag(depth int) int { return w.id<<16 | depth }

func (w *worker) check(got, depth int) {
	if want := w.tag(depth)*2 + 1; got != want {
		fmt.Printf("stress: goroutine %d depth %d returned %d, not %d\n", w.id, depth, got, want)
		os.Exit(1)
	}
	w.mix(uint64(got))
}

// even has a small frame.
//
//go:noinline
func even(w *worker, tag int) int {
	w.counts[fnEven].Calls++
	w.step(tag & 0xffff)
	w.counts[fnEven].Returns++
	return tag*2 + 1
}

// odd has a large frame and so a different stack check.
//
//go:noinline
func odd(w *worker, tag int, name string) int {
	var space [200]byte
	w.counts[fnOdd].Calls++
	space[tag%len(space)] = name[tag%len(name)]
	w.step(tag & 0xffff)
	w.mix(uint64(space[tag%len(space)]))
	w.counts[fnOdd].Returns++
	return tag*2 + 1
}

// guard recovers what panics below it; its result is named, because a recovered
// function returns what its named results hold.
//
//go:noinline
func guard(w *worker, tag int) (key int) {
	w.counts[fnGuard].Calls++
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		// A traced call in the middle of a panic, below frames that are about
		// to go away.
		w.mix(uint64(note(w, tag)))
		if w.left > 0 {
			w.left--
			panic(p)
		}
		w.counts[fnGuard].Returns++
		key = tag*2 + 1
	}()
	w.step(tag & 0xffff)
	w.counts[fnGuard].Returns++
	return tag*2 + 1
}

// note is a leaf without a stack check of its own.
//
//go:noinline
func note(w *worker, tag int) int {
	w.counts[fnNote].Calls++
	w.counts[fnNote].Returns++
	return tag*2 + 1
}

// random is a small generator with the same numbers on every Go release.
type random uint64

func (r *random) upto(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r>>11) % uint64(n))
}

func main() {
	goroutines := flag.Int("goroutines", 200, "goroutines")
	depth := flag.Int("depth", 1000, "depth of the deepest recursion")
	seed := flag.Uint64("seed", 1, "seed, not 0")
	hold := flag.Bool("hold", false, "wait for a line on stdin before starting")
	stay := flag.Bool("stay", false, "stay at the bottom; then execute itself with the arguments of a line on stdin")
	flag.Parse()
	if *depth < 16 || *depth >= 1<<16 || *seed == 0 {
		fmt.Fprintln(os.Stderr, "stress: depth 16...65535, seed not 0")
		os.Exit(2)
	}
	fmt.Println("ready", os.Getpid())
	stdin := bufio.NewReader(os.Stdin)
	if *hold {
		stdin.ReadString('\n')
	}

	r := random(*seed * 0x9e3779b97f4a7c15)
	workers := make([]*worker, *goroutines)
	for i := range workers {
		w := &worker{id: i, bottom: *depth, guards: map[int]bool{}}
		switch r.upto(10) {
		case 0, 1:
			w.how = endPanic
		case 2:
			w.how = endRepanic
		case 3:
			w.how = endGoexit
		}
		if w.how != endReturn {
			w.bottom = *depth - r.upto(*depth/2)
		}
		// The first call is a guard if the goroutine panics, so that no panic
		// ends the program; the others stand anywhere.
		if w.how == endPanic || w.how == endRepanic {
			w.guards[0] = true
		}
		for n := 2 + r.upto(4); n > 0; n-- {
			w.guards[1+r.upto(w.bottom-1)] = true
		}
		if w.how == endRepanic {
			w.left = r.upto(len(w.guards))
		}
		workers[i] = w
	}

	var all sync.WaitGroup
	all.Add(len(workers))
	for _, w := range workers {
		if *stay {
			w.stays = &all
		}
		go func(w *worker) {
			defer all.Done()
			if w.guards[0] {
				w.check(guard(w, w.tag(0)), 0)
			} else {
				w.check(even(w, w.tag(0)), 0)
			}
		}(w)
	}
	all.Wait()

	var report struct {
		Functions map[string]*count `json:"functions"`
		Goexit    int               `json:"goexit"`
		Result    string            `json:"result"`
	}
	report.Functions = map[string]*count{}
	for f, name := range fnNames {
		total := &count{}
		for _, w := range workers {
			c := w.counts[f]
			total.Calls += c.Calls
			total.Returns += c.Returns
			total.Unwound += c.Calls - c.Returns
			if w.how == endGoexit {
				report.Goexit += c.Calls - c.Returns
			}
		}
		report.Functions[name] = total
	}
	var result uint64
	for _, w := range workers {
		result = result*31 + w.sum
	}
	report.Result = fmt.Sprintf("%#x", result)
	line, err := json.Marshal(report)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
	if *stay {
		again(stdin)
	}
}

// again executes the program once more, with all its goroutines where they are.
func again(stdin *bufio.Reader) {
	args, err := stdin.ReadString('\n')
	if err != nil {
		return
	}
	path, err := os.Executable()
	if err == nil {
		err = syscall.Exec(path, append(os.Args[:1:1], strings.Fields(args)...), os.Environ())
	}
	fmt.Fprintln(os.Stderr, "stress:", err)
	os.Exit(1)
}
