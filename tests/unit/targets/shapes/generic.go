// SPDX-License-Identifier: GPL-2.0

//go:build go1.18
// +build go1.18

package main

type Number interface {
	~int | ~float64
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

type List[T any] struct {
	items []T
}

//go:noinline
func Sum[T Number](first T, rest []T) T {
	for _, v := range rest {
		first += v
	}
	return first
}

//go:noinline
func Swap[K comparable, V comparable](p Pair[K, V]) Pair[V, K] {
	return Pair[V, K]{p.Val, p.Key}
}

//go:noinline
func Map[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, func(x T) U { return f(x) }(v))
	}
	return out
}

//go:noinline
func (l *List[T]) Push(v T) int {
	l.items = append(l.items, v)
	return len(l.items)
}

//go:noinline
func (p Pair[K, V]) First() K {
	return p.Key
}

type Money int

// Two types of each of two shapes, and one of a third.
//
//go:noinline
func Keep[T any](v T, n int) T {
	sink = n
	return v
}

//go:noinline
func Later[T any](l []T) func() []T {
	return func() []T { return l }
}

func generics() {
	sink = Later([]*Point{{1, 2}})
	sink = Keep(1, 2)
	sink = Keep(Money(1), 2)
	sink = Keep(&Tree{}, 3)
	sink = Keep(&Point{}, 4)
	sink = Keep(Named("x"), 5)
	sink = Sum(1, []int{2})
	sink = Sum(1.5, []float64{2})
	sink = Swap(Pair[string, int]{"a", 1})
	sink = Map([]int{1}, func(i int) string { return "x" })
	l := &List[string]{}
	l.Push("x")
	li := &List[Point]{}
	li.Push(Point{1, 2})
	sink = l
	sink = Pair[string, Point]{"a", Point{}}.First()
}
