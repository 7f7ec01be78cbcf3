// SPDX-License-Identifier: GPL-2.0

package main

import "strings"

type Handler func(string) (int, error)

type Callbacks struct {
	Name string
	F    func(int) int
	H    Handler
	All  []func()
}

//go:noinline
func functions(f func(int) int) (int, func(int) int) { visits++; return 1, f }

//go:noinline
func handlers(h Handler, s string) (string, Handler) { visits++; return s, h }

//go:noinline
func callbacks(c *Callbacks) (int, *Callbacks) { visits++; return len(c.All), c }

//go:noinline
func makeAdder(n int, prefix string) func(int) string {
	visits++
	return func(x int) string {
		visits++
		return prefix + strings.Repeat("+", n+x)
	}
}

//go:noinline
func makeCounter(start int) (next func() int, reset func(int)) {
	visits++
	n := start
	return func() int { n++; visits++; return n }, func(to int) { n = to; visits++ }
}

func handleNothing(s string) (int, error) { return len(s), nil }

func visitFunctions() {
	functions(nil)
	functions(double)
	k := 22
	functions(func(x int) int { return x + k })
	byReference := 1
	counter := func(x int) int { byReference += x; return byReference }
	counter(1)
	functions(counter)
	point := Point{5, 6}
	functions((&point).Scale)
	functions(point.Scaled)
	functions((*Point)(nil).Scale)
	var s Scaler = Point{7, 8}
	functions(s.Scaled)
	handlers(handleNothing, "top level")
	handlers(nil, "")
	text, item := "captured", &Item{"captured", 3}
	handlers(func(s string) (int, error) { return len(s) + len(text) + item.Qty, nil }, "closure")
	callbacks(&Callbacks{"both", double, handleNothing, []func(){nil, visitNothing, func() { visits += k }}})
	adder := makeAdder(2, "go")
	adder(1)
	adder(3)
	next, reset := makeCounter(40)
	next()
	next()
	reset(7)
	next()
}

func visitNothing() {}
