// SPDX-License-Identifier: GPL-2.0

// kin has goroutines of known descent, with labels of runtime/pprof, call main.work. When it
// says "ready" some run already, at three levels. For each line on stdin it does one round, in
// which each of them calls main.work, with several sets of labels, and starts others that do so
// and end; and prints one line of JSON:
//
//	{"go":"go1.27","main":1,"first":N,"second":N,"third":N,"other":N,
//	 "calls":[{"i":0,"labels":{"tenant":"acme"},"line":[N,N,1]},...]}
//
// of each call what it was given, the labels of its goroutine, and the ids of that, of the
// goroutine that started it, and so on.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"sync"
)

type call struct {
	I      int               `json:"i"`
	Labels map[string]string `json:"labels"`
	Line   []uint64          `json:"line"`
}

var (
	mutex sync.Mutex
	calls []call
	sum   int
)

// work returns i, but panics where that ends in 7: its caller recovers.
//
//go:noinline
func work(i int) int {
	if i%10 == 7 {
		panic(i)
	}
	return i
}

func goid() uint64 {
	var buf [64]byte
	id, err := strconv.ParseUint(string(bytes.Fields(buf[:runtime.Stack(buf[:], false)])[1]), 10, 64)
	if err != nil {
		panic(err)
	}
	return id
}

// gor is a goroutine, as it knows itself.
type gor struct {
	line   []uint64
	labels map[string]string
	ctx    context.Context
}

func (g *gor) call() {
	mutex.Lock()
	i := len(calls)
	calls = append(calls, call{i, g.labels, g.line})
	mutex.Unlock()
	defer func() { recover() }()
	n := work(i)
	mutex.Lock()
	sum += n
	mutex.Unlock()
}

// with calls f with n labels more: tenant, and others, which sort before and behind it.
func (g *gor) with(tenant string, n int, f func(*gor)) {
	var list []string
	set := map[string]string{}

	for k, v := range g.labels {
		set[k] = v
	}
	for i := 0; i < n; i++ {
		key := fmt.Sprint("key", i)
		if i%2 == 1 {
			key = fmt.Sprint("zone", i)
		}
		set[key] = fmt.Sprint(i)
		list = append(list, key, set[key])
	}
	if tenant != "" {
		set["tenant"] = tenant
		list = append(list, "tenant", tenant)
	}
	pprof.Do(g.ctx, pprof.Labels(list...), func(ctx context.Context) {
		f(&gor{g.line, set, ctx})
	})
}

// start has f called by a goroutine of its own, and waits for it.
func (g *gor) start(f func(*gor)) {
	done := make(chan bool)
	go func() {
		f(g.child())
		close(done)
	}()
	<-done
}

// child is called by the new goroutine.
func (g *gor) child() *gor {
	return &gor{append([]uint64{goid()}, g.line...), g.labels, g.ctx}
}

// round is what each of the lasting goroutines does.
func (g *gor) round() {
	g.call()
	g.with("acme", 0, (*gor).call)
	g.with("acne", 0, func(g *gor) {
		g.call()
		g.start(func(g *gor) {
			g.call()
			g.with("acme", 1, func(g *gor) {
				g.call()
				g.start((*gor).call)
			})
		})
	})
	for _, n := range []int{7, 8, 15, 16, 20} {
		g.with("acme", n, (*gor).call)
	}
	g.with("", 7, (*gor).call)
	g.with("", 17, (*gor).call)
	g.start(func(g *gor) {
		g.call()
		g.start(func(g *gor) {
			g.call()
			g.start((*gor).call)
		})
	})
}

// lasting starts a goroutine, names it, and makes it do a round for each channel that rounds gets.
func (g *gor) lasting(names map[string]uint64, name string, rounds *[]chan chan bool, more func(*gor)) {
	round := make(chan chan bool)
	*rounds = append(*rounds, round)
	ready := make(chan bool)
	go func() {
		g := g.child()
		names[name] = g.line[0]
		if more != nil {
			more(g)
		}
		ready <- true
		for done := range round {
			g.round()
			done <- true
		}
	}()
	<-ready
}

func main() {
	var rounds []chan chan bool
	names := map[string]uint64{}
	g := &gor{[]uint64{goid()}, map[string]string{}, context.Background()}

	names["main"] = goid()
	g.lasting(names, "first", &rounds, func(g *gor) {
		g.lasting(names, "second", &rounds, func(g *gor) {
			g.lasting(names, "third", &rounds, nil)
		})
	})
	g.lasting(names, "other", &rounds, nil)
	fmt.Println("ready kin")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		calls = nil
		done := make(chan bool)
		// All at once.
		for _, r := range rounds {
			r <- done
		}
		g.round()
		for range rounds {
			<-done
		}
		sort.Slice(calls, func(i, k int) bool { return calls[i].I < calls[k].I })
		out := map[string]interface{}{"go": runtime.Version(), "calls": calls}
		for name, id := range names {
			out[name] = id
		}
		json.NewEncoder(os.Stdout).Encode(out)
	}
}
