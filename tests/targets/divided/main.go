// SPDX-License-Identifier: GPL-2.0

// divided has calls that wait for known reasons, and measures itself for how long.
//
//	divided [-crowd N] [-rounds N] [-gc PERCENT]
//	divided -switch N
//
// It does all -rounds times, and prints a line of JSON, what it has measured:
//
//	{"funcs":[{"func":"main.onChan","calls":N,"state":"chan","least":NS,"most":NS,"all":NS},...]}
//
// Of each function: how long its goroutine was in a state, all calls together, for at
// least and for at most that long; and how long they took in all. What ends a wait says
// when it is about to; the waiting one looks at the clock before and after. So state lies
// in between, whatever the machine does meanwhile. With -crowd, N goroutines then do
// it all at once, below each other, with stacks that grow and panics.
//
// With -switch two goroutines take turns, N times each, on one processor, below a call of
// main.inTurns; it says how many ns a turn takes.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const nap = 20 * time.Millisecond

type fn struct {
	Func  string `json:"func"`
	Calls int64  `json:"calls"`
	State string `json:"state"`
	Least int64  `json:"least"`
	Most  int64  `json:"most"`
	All   int64  `json:"all"`
}

var (
	start = time.Now()
	list  []*fn
)

func now() int64 { return int64(time.Since(start)) }

func add(name, state string) *fn {
	f := &fn{Func: name, State: state}
	list = append(list, f)
	return f
}

// saw takes the times of one call: when it began to wait, when that was about to end, and when
// it had ended.
func (f *fn) saw(began, ending, ended int64) {
	atomic.AddInt64(&f.Calls, 1)
	atomic.AddInt64(&f.Most, ended-began)
	if ending > began {
		atomic.AddInt64(&f.Least, ending-began)
	}
}

// timed calls what is measured, and adds how long that took.
func (f *fn) timed(call func()) {
	began := now()
	call()
	atomic.AddInt64(&f.All, now()-began)
}

var (
	fChan   = add("main.onChan", "chan")
	fSend   = add("main.onSend", "chan")
	fSelect = add("main.onSelect", "select")
	fMutex  = add("main.onMutex", "sync")
	fCond   = add("main.onCond", "sync")
	fGroup  = add("main.onGroup", "sync")
	fPipe   = add("main.onPipe", "net")
	fSleep  = add("main.onSleep", "sleep")
	fCall   = add("main.onCall", "syscall")
	fYield  = add("main.onYield", "runnable")
	fSpin   = add("main.onSpin", "running")
	fOuter  = add("main.onOuter", "chan")
)

//go:noinline
func onChan() {
	c := make(chan int64)
	go func() {
		time.Sleep(nap)
		c <- now()
	}()
	began := now()
	ending := <-c
	fChan.saw(began, ending, now())
}

//go:noinline
func onSend() {
	c := make(chan int64)
	ending := make(chan int64, 1)
	go func() {
		time.Sleep(nap)
		ending <- now()
		<-c
	}()
	began := now()
	c <- 0
	ended := now()
	fSend.saw(began, <-ending, ended)
}

//go:noinline
func onSelect() {
	a, b := make(chan int64), make(chan int64)
	go func() {
		time.Sleep(nap)
		b <- now()
	}()
	var ending int64
	began := now()
	select {
	case ending = <-a:
	case ending = <-b:
	}
	fSelect.saw(began, ending, now())
}

//go:noinline
func onMutex() {
	var m sync.Mutex
	var ending int64
	m.Lock()
	go func() {
		time.Sleep(nap)
		ending = now()
		m.Unlock()
	}()
	began := now()
	m.Lock()
	fMutex.saw(began, ending, now())
	m.Unlock()
}

//go:noinline
func onCond() {
	var m sync.Mutex
	var ending int64
	c := sync.NewCond(&m)
	m.Lock()
	go func() {
		time.Sleep(nap)
		m.Lock()
		ending = now()
		m.Unlock()
		c.Signal()
	}()
	began := now()
	for ending == 0 {
		c.Wait()
	}
	fCond.saw(began, ending, now())
	m.Unlock()
}

//go:noinline
func onGroup() {
	var w sync.WaitGroup
	var ending int64
	w.Add(1)
	go func() {
		time.Sleep(nap)
		ending = now()
		w.Done()
	}()
	began := now()
	w.Wait()
	fGroup.saw(began, ending, now())
}

//go:noinline
func onPipe(r, w *os.File) {
	ending := make(chan int64, 1)
	go func() {
		time.Sleep(nap)
		ending <- now()
		w.Write([]byte{1})
	}()
	var b [1]byte
	began := now()
	r.Read(b[:])
	ended := now()
	fPipe.saw(began, <-ending, ended)
}

//go:noinline
func onSleep() {
	began := now()
	time.Sleep(nap)
	fSleep.saw(began, began+int64(nap), now())
}

// onCall is in the kernel for so long.
//
//go:noinline
func onCall() {
	t := syscall.NsecToTimespec(int64(nap))
	began := now()
	err := syscall.Nanosleep(&t, nil)
	ended := now()
	// A signal of the runtime's can end it.
	if err != nil {
		fCall.saw(began, began, ended)
	} else {
		fCall.saw(began, began+int64(nap), ended)
	}
}

func spin(d time.Duration) {
	for end := now() + int64(d); now() < end; {
	}
}

// onYield lets another one go first, which works for so long: there must be one processor.
//
//go:noinline
func onYield() {
	var worked int64
	go func() {
		began := now()
		for t := began; t-began < int64(nap/4); t = now() {
			atomic.StoreInt64(&worked, t-began)
		}
	}()
	began := now()
	runtime.Gosched()
	ended := now()
	fYield.saw(began, began+atomic.LoadInt64(&worked), ended)
}

//go:noinline
func onSpin() {
	began := now()
	spin(nap / 4)
	ended := now()
	fSpin.saw(began, ended, ended)
}

// onOuter waits itself, and in the call that it makes: both waits are its own.
//
//go:noinline
func onOuter() {
	c := make(chan int64)
	go func() {
		time.Sleep(nap / 2)
		c <- now()
	}()
	before, least := atomic.LoadInt64(&fChan.Most), atomic.LoadInt64(&fChan.Least)
	began := now()
	ending := <-c
	ended := now()
	fChan.timed(onChan)
	fOuter.saw(began, ending, ended)
	atomic.AddInt64(&fOuter.Most, fChan.Most-before)
	atomic.AddInt64(&fOuter.Least, fChan.Least-least)
}

var crowdCalls int64

// inCrowd has stacks that grow, calls that are ended by panics, and waits below them.
//
//go:noinline
func inCrowd(depth int) (n int) {
	var space [256]byte
	space[depth%256] = byte(depth)
	atomic.AddInt64(&crowdCalls, 1)
	if depth == 0 {
		onSleep()
		onChan()
		return int(space[0])
	}
	defer func() {
		if recover() != nil {
			n = depth
		}
	}()
	n = inCrowd(depth - 1)
	if depth%7 == 3 {
		panics(depth)
	}
	return n + int(space[depth%256])
}

//go:noinline
func panics(depth int) {
	onMutex()
	panic(depth)
}

func crowd(n int) {
	var w sync.WaitGroup
	w.Add(n)
	for i := 0; i < n; i++ {
		go func(i int) {
			defer w.Done()
			inCrowd(10 + i%40)
		}(i)
	}
	w.Wait()
}

//go:noinline
func inTurns(n int) int64 {
	runtime.GOMAXPROCS(1)
	done := make(chan bool)
	go func() {
		for i := 0; i < n; i++ {
			runtime.Gosched()
		}
		close(done)
	}()
	began := now()
	for i := 0; i < n; i++ {
		runtime.Gosched()
	}
	took := now() - began
	<-done
	return took
}

func main() {
	people := flag.Int("crowd", 0, "goroutines at once")
	rounds := flag.Int("rounds", 10, "how often")
	gc := flag.Int("gc", 100, "GOGC")
	turns := flag.Int("switch", 0, "turns of two goroutines")
	flag.Parse()
	if *turns > 0 {
		fmt.Println("ns a turn:", inTurns(*turns)/int64(*turns)/2)
		return
	}
	debug.SetGCPercent(*gc)
	// Before its first collection a heap grows to some MB, whatever the percentage.
	if *gc > 0 {
		runtime.GC()
	}

	r, w, err := os.Pipe()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for i := 0; i < *rounds; i++ {
		fChan.timed(onChan)
		fSend.timed(onSend)
		fSelect.timed(onSelect)
		fMutex.timed(onMutex)
		fCond.timed(onCond)
		fGroup.timed(onGroup)
		fPipe.timed(func() { onPipe(r, w) })
		fSleep.timed(onSleep)
		fCall.timed(onCall)
		fSpin.timed(onSpin)
		fOuter.timed(onOuter)
		more()
		before := runtime.GOMAXPROCS(1)
		fYield.timed(onYield)
		runtime.GOMAXPROCS(before)
	}
	if *people > 0 {
		crowd(*people)
	}
	out, _ := json.Marshal(map[string]interface{}{
		"funcs": list, "crowd": crowdCalls,
	})
	fmt.Println(string(out))
}
