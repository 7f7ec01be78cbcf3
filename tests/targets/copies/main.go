// SPDX-License-Identifier: GPL-2.0

// copies calls small functions, which the compiler inlines at some places and not at others, and
// prints how often each was called, as JSON: {"main.add": 12, ...}. Each call site counts for
// itself, before the call. Of each call the compiler leaves some instruction.
//
//	copies [-hold] [ROUNDS]	-hold: only after a line on standard input
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
)

var (
	hold  = len(os.Args) > 1 && os.Args[1] == "-hold"
	total int
	wait  sync.WaitGroup
)

// The counts. No count is in the function that it is about, which would change its code.
var (
	adds, scales, guards, sums, outers, middles, inners, eaches, locks, bigs, norms, pushes int
)

type cell struct {
	n    int
	on   bool
	next *cell
}

// It writes to memory.
func add(c *cell, n int) { c.n += n }

// It does nothing but compute.
func scale(n int) int { return n*3 + 7 }

// Most of its calls return early.
func guard(c *cell) {
	if c == nil || !c.on {
		return
	}
	c.n++
}

// It has a loop of its own.
func sum(v []int) int {
	s := 0
	for _, x := range v {
		s += x * x
	}
	return s
}

// Inlined in each other.
func inner(c *cell)  { c.n ^= 5 }
func middle(c *cell) { inner(c); c.n++ }
func outer(c *cell)  { middle(c); inner(c) }

// It calls what it is given, which is inlined as well.
func each(v []int, f func(int)) {
	for _, x := range v {
		f(x)
	}
}

type number interface{ ~int | ~float64 }

func bigger[T number](a, b T) T {
	if a > b {
		return a
	}
	return b
}

type point struct{ x, y int }

// Methods of values: only the wrapper of the pointer has the code that calls through it reach.
func (p point) norm() int { return p.x*p.x + p.y*p.y }

type normer interface{ norm() int }

type stack[T any] struct{ v []T }

func (s *stack[T]) push(x T) { s.v = append(s.v, x) }

// Where they are called by value, they are not inlined.
var (
	addByValue   = add
	scaleByValue = scale
	sumByValue   = sum
	mu           sync.Mutex
)

//go:noinline
func inLoops(c *cell, n int) {
	for i := 0; i < n; i++ {
		adds++
		add(c, i)
		scales++
		c.n += scale(i)
	}
	for i := 0; i < n; i++ {
		for k := 0; k < 3; k++ {
			adds++
			add(c, k)
		}
	}
}

//go:noinline
func inBranches(c *cell, n int) int {
	x := 0
	if n%2 == 0 {
		scales++
		x = scale(n)
	}
	switch n % 3 {
	case 0:
		adds++
		add(c, 1)
	case 1:
		scales += 2
		x += scale(n) ^ scale(n+5)
	}
	return x
}

//go:noinline
func inGuards(c *cell, n int) {
	for i := 0; i < n; i++ {
		guards++
		guard(c)
		c = c.next
	}
	if n%2 == 0 && c.on {
		guards++
		guard(c)
	}
}

//go:noinline
func inSums(v []int) {
	for i := range v {
		sums++
		total += sum(v[i:])
	}
}

//go:noinline
func inEach(v []int) {
	n := 0
	eaches++
	each(v, func(x int) {
		scales++
		n += scale(x)
	})
	total += n
}

//go:noinline
func inOuters(c *cell, n int) {
	for i := 0; i < n; i++ {
		outers++
		middles++
		inners += 2
		outer(c)
	}
	middles++
	inners++
	middle(c)
	inners++
	inner(c)
}

//go:noinline
func inDefers(c *cell, n int) {
	adds++
	defer add(c, n)
	if n%2 == 0 {
		locks++
		mu.Lock()
		defer mu.Unlock()
	}
	adds++
	defer func() { add(c, 2) }()
}

//go:noinline
func inGoroutines(c *cell, n int) {
	for i := 0; i < n; i++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			locks++
			mu.Lock()
			adds++
			add(c, n)
			mu.Unlock()
		}()
		wait.Wait()
	}
	adds++
	go add(&cell{}, n)
}

//go:noinline
func byValue(c *cell, n int) {
	for i := 0; i < n; i++ {
		adds++
		addByValue(c, i)
		scales++
		c.n += scaleByValue(i)
	}
	sums++
	total += sumByValue([]int{n, 1})
}

//go:noinline
func inGenerics(n int) {
	var ints stack[int]
	var names stack[string]

	for i := 0; i < n; i++ {
		bigs += 2
		total += bigger(i, 3) + int(bigger(float64(i), 2.5))
		pushes += 2
		ints.push(i)
		names.push("x")
	}
	total += len(names.v)
}

//go:noinline
func inNorms(v []normer, p point) {
	for _, x := range v {
		norms++
		total += x.norm()
	}
	norms++
	total += p.norm()
}

func round(n int) {
	ring := &cell{on: true}
	ring.next = &cell{next: ring}
	inLoops(ring, n)
	total += inBranches(ring, n)
	inGuards(ring, n)
	inSums([]int{n, 2, 3})
	inEach([]int{n, 5, 7, 8})
	inOuters(ring, n)
	inDefers(ring, n)
	inGoroutines(ring, n%3)
	byValue(ring, n)
	inGenerics(n)
	inNorms([]normer{point{n, 2}, &point{3, n}}, point{n, n})
	total += ring.n
}

func main() {
	args := os.Args[1:]
	if hold {
		fmt.Println("ready", os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
		args = args[1:]
	}
	rounds := 20
	if len(args) > 0 {
		rounds, _ = strconv.Atoi(args[0])
	}
	for i := 0; i < rounds; i++ {
		round(i)
	}
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	json.NewEncoder(os.Stdout).Encode(map[string]int{
		"main.add": adds, "main.scale": scales, "main.guard": guards, "main.sum": sums,
		"main.outer": outers, "main.middle": middles, "main.inner": inners,
		"main.each": eaches, "main.bigger": bigs, "main.point.norm": norms,
		"main.(*stack).push": pushes,
	})
}
