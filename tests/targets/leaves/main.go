// SPDX-License-Identifier: GPL-2.0

// leaves calls small functions without a stack check: what they begin with is
// what such functions begin with in real programs. It prints, for each, how often
// it was called and the sums of its integer arguments and results.
//
//	leaves [CALLS]
package main

import (
	"fmt"
	"os"
	"strconv"
)

type node struct {
	id   int
	next *node
	tag  byte
}

var (
	global = 5
	shared = node{id: 3}
)

// A RET is all there is: call and return are the same place.

//go:noinline
//go:nosplit
func nothing() {}

// A test of an argument and a branch.

//go:noinline
//go:nosplit
func branch(p *node, n int) int {
	if p == nil {
		return n
	}
	return p.id + n
}

//go:noinline
//go:nosplit
func choose(n int, a, b *node) *node {
	if n > 7 {
		return a
	}
	return b
}

// Loads.

//go:noinline
//go:nosplit
func load(p *node) int { return p.id }

//go:noinline
//go:nosplit
func loadByte(p *node) byte { return p.tag }

//go:noinline
//go:nosplit
func loadGlobal() int { return global }

// Constants, addresses, moves, sums.

//go:noinline
//go:nosplit
func constant() int { return 77 }

//go:noinline
//go:nosplit
func zero() int { return 0 }

//go:noinline
//go:nosplit
func address() *node { return &shared }

//go:noinline
//go:nosplit
func second(a, b int) int { return b }

//go:noinline
//go:nosplit
func sum(a, b int) int { return a + b }

//go:noinline
//go:nosplit
func less(a, b int) int { return a - b }

//go:noinline
//go:nosplit
func bits(a, b int) int { return a&b | 1 }

// A comparison with memory.

//go:noinline
//go:nosplit
func isThree(p *node) bool { return p.id == 3 }

// Stack space, and arguments that are spilled to it.

//go:noinline
//go:nosplit
func spill(n int) int {
	var a [6]int
	a[n&3] = n
	return a[(n+1)&3] + a[n&3]
}

//go:noinline
//go:nosplit
func element(s []int, n int) int {
	if n < len(s) {
		return s[n]
	}
	return -1
}

// A loop that begins right behind the entry.

//go:noinline
//go:nosplit
func count(p *node) int {
	n := 0
	for ; p != nil; p = p.next {
		n++
	}
	return n
}

// Single-stepped everywhere: a store to the heap, floating point.

//go:noinline
//go:nosplit
func store(p *node, n int) { p.id = n }

//go:noinline
//go:nosplit
func half(f float64) float64 { return f / 2 }

type sums struct {
	name                 string
	calls, args, results int
}

var all []*sums

func of(name string) *sums {
	s := &sums{name: name}
	all = append(all, s)
	return s
}

func (s *sums) call(result int, args ...int) {
	s.calls++
	s.results += result
	for _, a := range args {
		s.args += a
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func main() {
	calls := 100
	if len(os.Args) > 1 {
		n, err := strconv.Atoi(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		calls = n
	}
	sNothing, sBranch, sChoose := of("nothing"), of("branch"), of("choose")
	sLoad, sLoadByte, sLoadGlobal := of("load"), of("loadByte"), of("loadGlobal")
	sConstant, sZero, sAddress := of("constant"), of("zero"), of("address")
	sSecond, sSum, sLess, sBits := of("second"), of("sum"), of("less"), of("bits")
	sIsThree, sSpill, sElement := of("isThree"), of("spill"), of("element")
	sCount, sStore, sHalf := of("count"), of("store"), of("half")
	heap := &node{id: 3, tag: 9}
	chain := &node{next: &node{next: &node{}}}
	list := []int{10, 20, 30}
	for i := 0; i < calls; i++ {
		nothing()
		sNothing.call(0)
		p := heap
		if i%2 == 0 {
			p = nil
		}
		sBranch.call(branch(p, i), i)
		sChoose.call(truth(choose(i, heap, &shared) == nil), i)
		sLoad.call(load(heap))
		sLoadByte.call(int(loadByte(heap)))
		sLoadGlobal.call(loadGlobal())
		sConstant.call(constant())
		sZero.call(zero())
		sAddress.call(truth(address() != &shared))
		sSecond.call(second(-i, 3*i), -i, 3*i)
		sSum.call(sum(i, 1000), i, 1000)
		sLess.call(less(i, 50), i, 50)
		sBits.call(bits(i, 12), i, 12)
		sIsThree.call(truth(isThree(heap)))
		sSpill.call(spill(i), i)
		sElement.call(element(list, i%5), i%5)
		sCount.call(count(chain))
		store(heap, i)
		sStore.call(0, i)
		half(float64(i))
		sHalf.call(0)
	}
	for _, s := range all {
		fmt.Println("main."+s.name, s.calls, s.args, s.results)
	}
}
