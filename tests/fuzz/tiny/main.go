// SPDX-License-Identifier: GPL-2.0

// tiny is a small program with types of all kinds; fuzz_program damages it.
package main

import "errors"

type shape interface {
	area() float64
}

type point struct {
	x, y int32
}

type circle struct {
	point
	r     float64
	name  string
	tags  []string
	next  *circle
	notes map[string]*point
	done  chan struct{}
	hook  func(int) error
	any   interface{}
}

type grid [3][2]point

func (c *circle) area() float64 { return c.r * c.r * 3 }

func (g grid) area() float64 { return float64(len(g)) }

//go:noinline
func add(a, b int) int { return twice(a) + b }

func twice(a int) int { return a + a }

//go:noinline
func describe(s shape, c *circle, more ...interface{}) (n int, err error) {
	if s.area() < 0 {
		return 0, errors.New("negative")
	}
	for k := range c.notes {
		n += len(k) + len(more)
	}
	return add(n, len(c.tags)), nil
}

func main() {
	c := &circle{r: 2, name: "c", notes: map[string]*point{"a": {1, 2}}}
	c.hook = func(i int) error { c.r++; return nil }
	n, err := describe(c, c, 1, "two", grid{}, c.hook)
	println(n, err == nil)
}
