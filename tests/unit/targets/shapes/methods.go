// SPDX-License-Identifier: GPL-2.0

//go:build go1.27
// +build go1.27

package main

type Shelf struct{ used int }

// Methods with type parameters of their own.
//
//go:noinline
func (s *Shelf) Put[K comparable, V any](k K, v V) (V, bool) {
	s.used++
	return v, s.used > 1
}

//go:noinline
func (s Shelf) Get[V any](v V) V { return v }

type Crate[T any] struct{ v T }

//go:noinline
func (c Crate[T]) Turn[U any](f func(T) U) U { return f(c.v) }

//go:noinline
func (c *Crate[T]) Fill[U any](f func(T) U, u U) T {
	f(c.v)
	return c.v
}

//go:noinline
func (c *Crate[T]) Swap(t T) T { return c.v }

func init() {
	s := &Shelf{}
	sink, _ = s.Put("k", &Tree{})
	sink, _ = s.Put(1, &Point{})
	sink = s.Get(&Tree{})
	c := &Crate[*Point]{&Point{1, 2}}
	sink = c.Turn(func(*Point) *Tree { return &Tree{} })
	sink = c.Fill(func(*Point) *Tree { return &Tree{} }, nil)
	sink = c.Swap(nil)
}
