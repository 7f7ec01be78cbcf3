// SPDX-License-Identifier: GPL-2.0

// Package dotted has a dot in the last part of its path, which symbols escape.
package dotted

type Node struct {
	Next  *Node
	value int
}

type hidden struct {
	Depth int8
}

// Open has a field of another package's unexported type.
type Open struct {
	hidden
	*Node
	Plain struct {
		a, B int
	}
}

type Walker interface {
	Walk(n *Node) (int, error)
	step() int
}

//go:noinline
func (n *Node) Walk(m *Node) (int, error) {
	return n.value, nil
}

//go:noinline
func (n *Node) step() int {
	return n.value
}
