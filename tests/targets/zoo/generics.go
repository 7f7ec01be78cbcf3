// SPDX-License-Identifier: GPL-2.0

//go:build go1.18
// +build go1.18

package main

type Number interface{ ~int | ~int8 | ~float64 }

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

type Stack[T any] struct {
	items []T
	Top   *T
}

type Option[T any] struct {
	Set bool
	Val T
}

//go:noinline
func Second[T any](a, b T) (T, T) { visits++; return b, a }

//go:noinline
func SumOf[T Number](xs ...T) (sum T) {
	visits++
	for _, x := range xs {
		sum += x
	}
	return sum
}

//go:noinline
func MapOf[K comparable, V any](k K, v V) (int, map[K]V) { visits++; return 1, map[K]V{k: v} }

//go:noinline
func Slices[T any](a []T, p *T) (*T, []T) { visits++; return p, a }

//go:noinline
func Pairs[K comparable, V any](p Pair[K, V], q *Pair[K, V]) (*Pair[K, V], Pair[K, V]) {
	visits++
	return q, p
}

//go:noinline
func (p *Pair[K, V]) Put(k K, v V) (K, V) {
	visits++
	oldK, oldV := p.Key, p.Val
	p.Key, p.Val = k, v
	return oldK, oldV
}

//go:noinline
func (p Pair[K, V]) Get(n int) (int, K, V) { visits++; return n, p.Key, p.Val }

//go:noinline
func (s *Stack[T]) Push(x T) int {
	visits++
	s.items = append(s.items, x)
	s.Top = &s.items[len(s.items)-1]
	return len(s.items)
}

//go:noinline
func Apply[T, U any](xs []T, f func(T) U) (int, []U) {
	visits++
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return len(xs), out
}

//go:noinline
func Closures[T any](x T) (int, func() T) {
	visits++
	return 1, func() T { visits++; return x }
}

func visitGenerics() {
	item, other := &Item{"generic", 1}, &Item{"other", 2}
	Second(1, -2)
	Second("first", "second")
	Second(Point{1, 2}, Point{3, 4})
	Second(item, other)
	Second[error](Code(1), nil)
	Second[any](1, "any")
	Second([]int{1}, nil)
	Second(int8(-1), 1)
	Second(2.5, -0.5)
	SumOf(1, 2, 3)
	SumOf(0.5, 0.25)
	SumOf[int8]()
	SumOf(Celsius(1), 2)
	MapOf("k", 1)
	MapOf(Point{1, 2}, item)
	Slices([]string{"a", "b"}, &item.SKU)
	Slices([]*Item{item, nil}, &other)
	Pairs(Pair[string, int]{"p", 1}, &Pair[string, int]{"q", 2})
	Pairs(Pair[int, Option[string]]{1, Option[string]{true, "set"}}, nil)
	p := &Pair[string, int]{"old", 1}
	p.Put("new", 2)
	q := &Pair[int, *Item]{1, item}
	q.Put(2, other)
	p.Get(3)
	q.Get(4)
	var s Stack[string]
	s.Push("bottom")
	s.Push("top")
	var t Stack[Pair[string, *Item]]
	t.Push(Pair[string, *Item]{"pair", item})
	Apply([]int{1, 2}, func(n int) string { return keepRepeated("n", n) })
	Apply([]*Item{item}, func(i *Item) int { return i.Qty })
	_, f := Closures("closure")
	f()
	_, g := Closures(item)
	g()
	kept = []interface{}{p, q, &s, &t}
}

func keepRepeated(s string, times int) string {
	out := ""
	for ; times > 0; times-- {
		out += s
	}
	return out
}
