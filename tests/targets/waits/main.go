// SPDX-License-Identifier: GPL-2.0

// waits has goroutines that stay where they are, each in a function of its own, and says
// itself which they are.
//
//	waits [-busy N] [-short N] [-labels]
//
// It prints "ready PID" once all of them wait, and then a line of JSON: what each one is,
// by the runtime's own account (runtime.Stack): its id, what it waits for, and the functions
// on its stack, innermost first.
//
//	[{"kind":"channel","goid":7,"state":"chan receive","funcs":["main.onChannel",...]},...]
//
// Commands come on stdin, and each is answered with such a line: "call KIND" starts another
// goroutine of that kind, "end KIND" ends the calls of that kind, "show" does nothing. With
// -busy N, N goroutines never rest; with -short N, N goroutines make short calls all the time.
// With -labels each goroutine of a kind has labels of runtime/pprof, and "labels" are these.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// wait is a goroutine that waits.
type wait struct {
	Kind  string   `json:"kind"`
	Goid  int      `json:"goid"`
	State string   `json:"state"`
	Funcs []string `json:"funcs"`

	Labels map[string]string `json:"labels,omitempty"`
}

var (
	channel, full, inlined, deep = make(chan int), make(chan int), make(chan int), make(chan int)
	one, other, held             = make(chan int), make(chan int), make(chan int)
	mutex                        sync.Mutex
	asleep, busy                 int32 = 1, 1
	entered                      int32
	piped, polled                *os.File
	pipedEnd, polledEnd          *os.File
	pipedFd                      int
	sum                          int64
)

//go:noinline
func onChannel(id int) int { return <-channel + id }

//go:noinline
func onSend(id int) int {
	full <- id
	return id
}

//go:noinline
func onMutex(id int) int {
	mutex.Lock()
	mutex.Unlock()
	return id
}

//go:noinline
func onSelect(id int) int {
	select {
	case n := <-one:
		return n
	case n := <-other:
		return n + id
	}
}

// onSleep goes on and sleeps again until it may end.
//
//go:noinline
func onSleep(id int) int {
	for atomic.LoadInt32(&asleep) != 0 {
		time.Sleep(5 * time.Millisecond)
	}
	return id
}

// onSyscall is in a system call that the runtime's poller knows nothing of.
//
//go:noinline
func onSyscall(id int) int {
	var b [1]byte
	n, _ := syscall.Read(pipedFd, b[:])
	return n + id
}

// onPoll waits as those do that read from the network.
//
//go:noinline
func onPoll(id int) int {
	var b [1]byte
	n, _ := polled.Read(b[:])
	return n + id
}

//go:noinline
func onDeep(id, depth int) int {
	if depth == 0 {
		return <-deep
	}
	return onDeep(id, depth-1) + 1
}

// small becomes a part of onInlined; and it has code of its own, as it is a value, too.
func small(c chan int) int { return <-c }

var value = small

//go:noinline
func onInlined(id int) int { return small(inlined) + id }

// odd is of a type that no code near hold names: neither its package nor its callers.
var odd interface{} = json.Number("42")

// hold is given what packages of traced functions do not have.
//
//go:noinline
func hold(v interface{}, id int) int { return <-held + id }

//go:noinline
func onAny(id int) int { return hold(odd, id) }

//go:noinline
func onBusy(id int) int {
	n := 0
	atomic.AddInt32(&entered, 1)
	for atomic.LoadInt32(&busy) != 0 {
		n++
	}
	return n + id
}

//go:noinline
func short(id int) int {
	time.Sleep(time.Millisecond)
	return id
}

// onShort makes short calls until it may end.
//
//go:noinline
func onShort(id int) int {
	for atomic.LoadInt32(&busy) != 0 {
		atomic.AddInt64(&sum, int64(short(id)))
	}
	return id
}

const depth = 300

var kinds = map[string]struct {
	state string
	start func(id int) int
	end   func()
}{
	"channel": {"chan receive", onChannel, func() { close(channel) }},
	"send":    {"chan send", onSend, func() { <-full }},
	"mutex":   {"", onMutex, mutex.Unlock},
	"select":  {"select", onSelect, func() { close(one) }},
	"sleep":   {"sleep", onSleep, func() { atomic.StoreInt32(&asleep, 0) }},
	"syscall": {"syscall", onSyscall, func() { pipedEnd.Close() }},
	"poll":    {"IO wait", onPoll, func() { polledEnd.Close() }},
	"deep":    {"chan receive", func(id int) int { return onDeep(id, depth) }, func() { close(deep) }},
	"inlined": {"chan receive", onInlined, func() { close(inlined) }},
	"any":     {"chan receive", onAny, func() { close(held) }},
}

func pipe() (*os.File, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, "waits:", err)
		os.Exit(1)
	}
	return r, w
}

var (
	header = regexp.MustCompile(`^goroutine (\d+) \[([^\],]+)`)
	call   = regexp.MustCompile(`^([^\s(]+(?:\(\*[^)]*\))?[^\s(]*)\(`)
	mine   = regexp.MustCompile(`^main\.on([A-Z][a-z]+)$`)
)

// waits returns what the goroutines do, as the runtime reports it.
func waits() []wait {
	text := make([]byte, 4<<20)
	text = text[:runtime.Stack(text, true)]
	all := []wait{}
	for _, part := range strings.Split(string(text), "\n\n") {
		w := wait{}
		for _, line := range strings.Split(part, "\n") {
			if m := header.FindStringSubmatch(line); m != nil {
				w.Goid, _ = strconv.Atoi(m[1])
				w.State = m[2]
			} else if m := call.FindStringSubmatch(line); m != nil {
				w.Funcs = append(w.Funcs, m[1])
				if m := mine.FindStringSubmatch(m[1]); m != nil {
					w.Kind = strings.ToLower(m[1])
				}
			}
		}
		if w.Kind != "" {
			if set, ok := labels.Load(w.Goid); ok {
				w.Labels = set.(map[string]string)
			}
			all = append(all, w)
		}
	}
	sort.Slice(all, func(i, k int) bool { return all[i].Goid < all[k].Goid })
	return all
}

// counts says how many of a kind there are, and how many of these wait.
func counts(kind string) (n, waiting int) {
	for _, w := range waits() {
		if w.Kind != kind {
			continue
		}
		n++
		want := kinds[kind].state
		if w.State == want || want == "" && w.State != "runnable" && w.State != "running" {
			waiting++
		}
	}
	return n, waiting
}

// until waits for n goroutines of a kind that wait.
func until(kind string, n int) {
	for {
		if have, waiting := counts(kind); have == n && (waiting == n || kind == "sleep") {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

var (
	last    = 0
	labeled = flag.Bool("labels", false, "goroutines have labels")
	labels  sync.Map // by id of the goroutine
)

// setLabels gives this goroutine labels, from 1 to 20 of them: a map of Go before 1.24 grows twice.
func setLabels(kind string, id int) {
	set := map[string]string{"kind": kind}
	list := []string{"kind", kind}
	for i := 0; i < id*2%21; i++ {
		key, value := fmt.Sprint("key", i), fmt.Sprint(kind, "=", i)
		set[key] = value
		list = append(list, key, value)
	}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(list...)))
	text := make([]byte, 64)
	goid, _ := strconv.Atoi(strings.Fields(string(text[:runtime.Stack(text, false)]))[1])
	labels.Store(goid, set)
}

func start(kind string) {
	last++
	id := last
	f := kinds[kind].start
	n, _ := counts(kind)
	go func() {
		if *labeled {
			setLabels(kind, id)
		}
		atomic.AddInt64(&sum, int64(f(id)))
	}()
	until(kind, n+1)
}

func main() {
	busies := flag.Int("busy", 0, "goroutines that never rest")
	shorts := flag.Int("short", 0, "goroutines that make short calls")
	flag.Parse()
	piped, pipedEnd = pipe()
	polled, polledEnd = pipe()
	pipedFd = int(piped.Fd()) // from here on it blocks
	mutex.Lock()
	if *shorts < 0 {
		value(nil)
	}
	for kind := range kinds {
		start(kind)
	}
	for i := 0; i < *shorts; i++ {
		go onShort(i)
	}
	for i := 0; i < *busies; i++ {
		go onBusy(i)
	}
	for atomic.LoadInt32(&entered) < int32(*busies) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready", os.Getpid())
	out := json.NewEncoder(os.Stdout)
	out.Encode(waits())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch {
		case len(words) == 2 && words[0] == "call":
			start(words[1])
		case len(words) == 2 && words[0] == "end":
			kinds[words[1]].end()
			until(words[1], 0)
		}
		out.Encode(waits())
	}
}
