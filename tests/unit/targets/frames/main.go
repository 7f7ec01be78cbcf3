// SPDX-License-Identifier: GPL-2.0

// What the runtime says is executed at many of the program's own addresses, and on some of
// its own stacks. gobin/test_symbols compares.
package main

import (
	"bufio"
	"fmt"
	"io/ioutil"
	"os"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// What runtime/pprof asks: the pc is a return address, and becomes one for each call that
// was inlined there. Wrappers are left out.
//
//go:linkname expand runtime/pprof.runtime_expandFinalInlineFrame
func expand(pcs []uintptr) []uintptr

// The frame pointer of the caller.
func framePointer() uintptr

var out = bufio.NewWriter(os.Stdout)

func say(pcs []uintptr) {
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		fmt.Fprintf(out, "%s\t%s\t%d\t%x\n", f.Function, f.File, f.Line, f.Entry)
	}
	fmt.Fprintln(out)
}

// The addresses in this executable where instructions are.
func code() (lo, hi uintptr) {
	maps, err := ioutil.ReadFile("/proc/self/maps")
	if err != nil {
		panic(err)
	}
	exe, err := os.Readlink("/proc/self/exe")
	if err != nil {
		panic(err)
	}
	for _, line := range strings.Split(string(maps), "\n") {
		if strings.Contains(line, "r-xp") && strings.HasSuffix(line, exe) {
			fmt.Sscanf(line, "%x-%x", &lo, &hi)
			return
		}
	}
	panic("no code is mapped")
}

// Addresses at intervals in all code, and all in this package.
func everywhere() {
	lo, hi := code()
	step := (hi - lo) / 6000
	for pc := lo; pc < hi; pc++ {
		f := runtime.FuncForPC(pc)
		if f == nil || pc <= f.Entry() {
			continue
		}
		if (pc-lo)%step == 0 || strings.HasPrefix(f.Name(), "main.") {
			fmt.Fprintf(out, "place %x\n", pc)
			say(expand([]uintptr{pc}))
		}
	}
}

// The caller's stack, as somebody from outside sees it and as the runtime does.
//
//go:noinline
func stack(why string) {
	var pcs [64]uintptr
	fmt.Fprintf(out, "stack %s\t", why)
	for fp, n := framePointer(), 0; fp != 0 && n < 64; n++ {
		up := *(*uintptr)(unsafe.Pointer(fp))
		fmt.Fprintf(out, "%x ", *(*uintptr)(unsafe.Pointer(fp + 8)))
		if up <= fp {
			break
		}
		fp = up
	}
	fmt.Fprintln(out)
	say(pcs[:runtime.Callers(2, pcs[:])])
}

type inner struct{ n int }

func (i inner) show(why string)  { stack(why) }
func (i *inner) count(n int) int { i.n += n; return third(i.n) }

type outer struct {
	pad int
	*inner
}

type shower interface{ show(string) }

//go:noinline
func through(s shower, why string) { s.show(why) }

func third(n int) int {
	if n > 100 {
		return sink / n
	}
	return n + 1
}

func second(n int) int {
	a := third(n)
	return a + third(a)
}

func first(n int) int {
	return second(n) +
		second(n+1)
}

func caught(f func()) {
	defer func() {
		recover()
		stack("recovered")
	}()
	f()
}

func inlined() { stack("inlined") }
func twice()   { inlined(); inlined() }

//go:noinline
func divide(a, b int) int { return a/b + len(fmt.Sprint(a)) }

//go:noinline
func load(p *inner) int { return p.n + len(fmt.Sprint(p)) }

var sink = 7

func main() {
	fmt.Fprintf(out, "main %x\n", reflect.ValueOf(main).Pointer())
	everywhere()
	o := outer{1, &inner{2}}
	sink += first(len(os.Args)) + o.count(3) + generic()
	stack("plain")
	twice()
	through(o, "wrapper")
	through(&o, "wrapper")
	func() { stack("literal") }()
	show := o.show
	show("method")
	caught(func() { sink = divide(sink, len(os.Args)-len(os.Args)) })
	caught(func() { load(nil) })
	caught(func() { through((*inner)(nil), "panicwrap") })
	caught(func() { through(outer{}, "wrapper that fails") })
	caught(func() { panic("of its own accord") })
	done := make(chan int)
	go func() {
		stack("goroutine")
		done <- 1
	}()
	<-done
	out.Flush()
}
