// SPDX-License-Identifier: GPL-2.0

package main

type pair[K comparable, V any] struct {
	Key  K
	Val  V
	Next *pair[K, V]
}

type tree[T any] struct {
	Left, Right *tree[T]
	Val         T
	Visit       func(T) bool
}

type set[T comparable] map[T]struct{}

func closure[T any](x T) func() T { return func() T { return x } }

func generics() {
	n, d := 7, &device{Name: "generic"}
	p := pair[string, int]{"one", 1, &pair[string, int]{Key: "two", Val: 2}}
	q, r := &pair[string, *device]{"device", d, nil}, pair[device2, []error]{Key: device2{1, "x"}, Val: []error{&coded{6}, nil}}
	t := &tree[*int]{Left: &tree[*int]{Val: &n}, Val: nil, Visit: func(*int) bool { return n > 0 }}
	u := tree[pair[string, int]]{Val: p}
	s, v := set[string]{"a": {}, "b": {}}, set[device2]{{2, "y"}: {}}
	f, g := closure(7), closure(d)
	all := []interface{}{p, &p, q, r, t, u, s, f, g, pair[int, interface{}]{1, d, nil}}
	c := make(chan pair[int, *device], 2)
	c <- pair[int, *device]{1, d, nil}
	sameKeep(&p, &q, &r, &t, &u, &s, &v, &f, &g, &all, &c)
}

type device2 struct {
	N int
	S string
}
