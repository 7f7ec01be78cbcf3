// SPDX-License-Identifier: GPL-2.0

//go:build go1.18
// +build go1.18

package main

import dotted "example.com/kinds/dotted.v2"

type List[T any] struct {
	head *node[T]
	n    int
}

type node[T any] struct {
	value T
	next  *node[T]
}

type Duo[K comparable, V any] struct {
	Key K
	Val V
}

//go:noinline
func (l *List[T]) Push(v T, n int) *List[T] {
	return &List[T]{&node[T]{v, l.head}, n}
}

//go:noinline
func (d Duo[K, V]) Swap(v V) (V, K) {
	return d.Val, d.Key
}

func generics() {
	keep((&List[int]{}).Push(1, 2), List[string]{}, List[*dotted.Node]{},
		Duo[string, []Item]{}, Duo[dotted.Node, map[Name]int]{},
		Duo[struct{ a int }, List[dotted.Open]]{}, &Duo[int, Duo[int, int]]{},
		struct{ List[int] }{})
	a, b := Duo[string, []Item]{}.Swap(nil)
	keep(a, b)
}
