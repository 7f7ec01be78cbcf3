// SPDX-License-Identifier: GPL-2.0

// panics has calls end in every way but by returning: by panics of all kinds, nested,
// raised again and by signals, recovered near and far, and by Goexit.
//
//	panics [-die] N
//
// It does all N times, and prints a line of JSON, what it has counted itself:
//
//	{"calls":{"main.f":N,...},"returns":{...},
//	 "ended":[{"func":"main.f","ended":"panic","type":"int","value":1,"count":N},...]}
//
// value is there for integers and strings, message for errors. With -die it ends by a
// panic of a goroutine while main.wait is called.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"sync"
)

type end struct {
	Func    string      `json:"func"`
	Ended   string      `json:"ended"`
	Type    string      `json:"type,omitempty"`
	Value   interface{} `json:"value,omitempty"`
	Message string      `json:"message,omitempty"`
}

var (
	mutex   sync.Mutex
	calls   = map[string]int{}
	returns = map[string]int{}
	ended   = map[end]int{}
)

// called counts a call of a function; what it returns, its return.
func called(name string) func() {
	mutex.Lock()
	calls["main."+name]++
	mutex.Unlock()
	return func() {
		mutex.Lock()
		returns["main."+name]++
		mutex.Unlock()
	}
}

func describe(ended string, v interface{}) end {
	e := end{Ended: ended}
	if ended != "panic" {
		return e
	}
	e.Type = reflect.TypeOf(v).String()
	switch v := v.(type) {
	case int, string:
		e.Value = v
	case error:
		e.Message = v.Error()
	}
	return e
}

// lost counts calls that do not return.
func lost(e end, names ...string) {
	mutex.Lock()
	for _, name := range names {
		e.Func = "main." + name
		ended[e]++
	}
	mutex.Unlock()
}

type failure struct{ Code int }

func (f *failure) Error() string { return "failure " + strconv.Itoa(f.Code) }

var (
	numbers []int
	nothing *failure
	nomap   map[string]int
	text    interface{} = "text"
	broken              = errors.New("broken")
)

// raise panics in its own way; its caller counts it. The runtime's panics are raised by instructions and signals.
//
//go:noinline
func raise(how int) {
	switch how {
	case 0:
		panic(how + 100)
	case 1:
		panic("words")
	case 2:
		panic(broken)
	case 3:
		panic(&failure{7})
	case 4:
		numbers[how] = 1
	case 5:
		nothing.Code++
	case 6:
		nomap["x"] = 1
	case 7:
		fmt.Println(text.(error))
	case 8:
		panic(failure{8})
	}
}

//go:noinline
func between(how int) { called("between"); raise(how) }

// catch recovers what raise raises.
//
//go:noinline
func catch(how int) {
	back := called("catch")
	defer func() {
		lost(describe("panic", recover()), "raise", "between")
		back()
	}()
	called("raise")
	between(how)
}

// deep panics at the bottom of n calls, on a stack that grows.
//
//go:noinline
func deep(n int) int {
	called("deep")
	var space [64]int
	space[n%64] = n
	if n == 1 {
		panic(n)
	}
	return deep(n-1) + space[n%64]
}

//go:noinline
func bottom(n int) {
	back := called("bottom")
	defer func() {
		e := describe("panic", recover())
		for i := 0; i < n; i++ {
			lost(e, "deep")
		}
		back()
	}()
	deep(n)
}

//go:noinline
func inner() { called("inner"); panic("b") }

// shield recovers what inner panics with.
//
//go:noinline
func shield() {
	back := called("shield")
	defer func() {
		lost(describe("panic", recover()), "inner")
		back()
	}()
	inner()
}

// nested panics, and has another panic be raised and recovered meanwhile.
//
//go:noinline
func nested() {
	called("nested")
	defer shield()
	panic("a")
}

// again panics, and has another panic raised meanwhile, which ends both.
//
//go:noinline
func again() {
	called("again")
	defer inner()
	panic("a")
}

// rethrow recovers and panics again.
//
//go:noinline
func rethrow() {
	called("rethrow")
	defer func() { panic(recover()) }()
	inner()
}

//go:noinline
func outer(f func(), names ...string) {
	back := called("outer")
	defer func() {
		lost(describe("panic", recover()), names...)
		back()
	}()
	f()
}

//go:noinline
func cleanup() { called("cleanup")() }

//go:noinline
func leave() {
	called("leave")
	defer cleanup()
	runtime.Goexit()
}

// leaveTwice leaves while it panics.
//
//go:noinline
func leaveTwice() {
	called("leaveTwice")
	defer leave()
	panic("a")
}

// leavePanic panics while it leaves.
//
//go:noinline
func leavePanic() {
	called("leavePanic")
	defer inner()
	runtime.Goexit()
}

// thread is what a goroutine calls first.
//
//go:noinline
func thread(f func()) {
	called("thread")
	defer func() { recover() }()
	f()
}

func exits(f func(), names ...string) {
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		thread(f)
	}()
	done.Wait()
	lost(end{Ended: "goexit"}, append(names, "thread")...)
}

// wait is still called when the program ends, as it lets die be called.
//
//go:noinline
func wait(mortal chan struct{}) { called("wait"); close(mortal); select {} }

//go:noinline
func die() { called("die"); panic(fmt.Sprint("the", " end")) }

func all() {
	for how := 0; how < 9; how++ {
		catch(how)
	}
	bottom(300)
	outer(nested, "nested")
	outer(again, "again", "inner")
	outer(rethrow, "rethrow", "inner")
	exits(leave, "leave")
	exits(leaveTwice, "leave", "leaveTwice")
	lost(describe("panic", "b"), "inner")
	exits(leavePanic, "leavePanic")
}

func report() {
	type counted struct {
		end
		Count int `json:"count"`
	}
	out := struct {
		Calls   map[string]int `json:"calls"`
		Returns map[string]int `json:"returns"`
		Ended   []counted      `json:"ended"`
	}{Calls: calls, Returns: returns}
	for e, n := range ended {
		out.Ended = append(out.Ended, counted{e, n})
	}
	json.NewEncoder(os.Stdout).Encode(out)
}

func main() {
	mortal := flag.Bool("die", false, "end by a panic")
	flag.Parse()
	n, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: panics [-die] N")
		os.Exit(2)
	}
	for i := 0; i < n; i++ {
		all()
	}
	report()
	if *mortal {
		mortal := make(chan struct{})
		go func() {
			<-mortal
			die()
		}()
		wait(mortal)
	}
}
