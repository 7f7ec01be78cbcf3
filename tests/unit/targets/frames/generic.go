// SPDX-License-Identifier: GPL-2.0

//go:build go1.18
// +build go1.18

package main

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p pair[K, V]) swap() pair[K, V] {
	stack("generic")
	return pair[K, V]{p.key, p.val}
}

func each[T any](v []T, f func(T)) {
	for _, t := range v {
		f(t)
	}
}

//go:noinline
func sum[T interface{ ~int | ~string }](v ...T) (r T) {
	each(v, func(t T) { r += t })
	return
}

type point struct{ x, y int }

func generic() int {
	pair[string, int]{"a", 1}.swap()
	pair[point, struct{ a, b int }]{}.swap()
	each([]point{{}}, func(point) { stack("generic") })
	return sum(1, 2) + len(sum("a", "b"))
}
