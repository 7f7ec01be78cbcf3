// SPDX-License-Identifier: GPL-2.0

package main

type Node struct {
	Value int
	Next  *Node
}

type Tree struct {
	Left, Right *Tree
	Key         string
}

type Graph struct {
	Name  string
	Edges []*Graph
	By    map[string]*Graph
}

type Slot struct {
	Any  interface{}
	Self *interface{}
}

//go:noinline
func intPointers(a *int, b *int8, c *float64) (*float64, *int, *int8) { visits++; return c, a, b }

//go:noinline
func stringPointers(a, b *string) (*string, *string) { visits++; return b, a }

//go:noinline
func structPointers(a, b *Item) (*Item, *Item) { visits++; return b, a }

//go:noinline
func pointerPointers(a **Item, b ***int) (***int, **Item) { visits++; return b, a }

//go:noinline
func slicePointers(a *[]int, b *[3]string) (*[3]string, *[]int) { visits++; return b, a }

//go:noinline
func mapPointers(a *map[string]int, b *chan int) (*chan int, *map[string]int) { visits++; return b, a }

//go:noinline
func interfacePointers(a *interface{}, b *error) (*error, *interface{}) { visits++; return b, a }

//go:noinline
func emptyPointers(a *struct{}, b *[0]int) (*[0]int, *struct{}) { visits++; return b, a }

//go:noinline
func lists(n *Node) (int, *Node) { visits++; return n.Value, n.Next }

//go:noinline
func rings(n *Node) (int, *Node) { visits++; return n.Value, n }

//go:noinline
func trees(t *Tree) (int, *Tree) { visits++; return len(t.Key), t }

//go:noinline
func graphs(g *Graph) (int, *Graph) { visits++; return len(g.Edges), g }

//go:noinline
func sharedPointers(a, b, c *Item) (*Item, *Item) { visits++; return c, b }

//go:noinline
func selfReference(s *Slot) (int, *Slot) { visits++; return 1, s }

func visitPointers() {
	i, j, f := 7, int8(-7), 0.125
	intPointers(&i, &j, &f)
	intPointers(nil, nil, nil)
	s, empty := "pointed at", ""
	stringPointers(&s, &empty)
	item := &Item{"pointed", 1}
	structPointers(item, nil)
	p, pp := &i, (**int)(nil)
	pp = &p
	pointerPointers(&item, &pp)
	pointerPointers(nil, nil)
	slice, array := []int{1, 2, 3}, [3]string{"a", "b", "c"}
	slicePointers(&slice, &array)
	m, c := map[string]int{"one": 1}, make(chan int, 1)
	mapPointers(&m, &c)
	var any interface{} = 5
	err := error(errorString("pointed"))
	interfacePointers(&any, &err)
	emptyPointers(&struct{}{}, &[0]int{})
	lists(&Node{1, &Node{2, &Node{3, nil}}})
	ring := &Node{Value: 1}
	ring.Next = &Node{2, &Node{3, ring}}
	rings(ring)
	own := &Node{Value: 9}
	own.Next = own
	rings(own)
	trees(&Tree{&Tree{nil, &Tree{Key: "lr"}, "l"}, &Tree{Key: "r"}, "root"})
	a, b := &Graph{Name: "a"}, &Graph{Name: "b"}
	a.Edges, b.Edges = []*Graph{b, nil, a}, []*Graph{a}
	a.By = map[string]*Graph{"b": b}
	graphs(a)
	sharedPointers(item, item, item)
	slot := &Slot{Any: "self"}
	slot.Self = &slot.Any
	selfReference(slot)
	slot.Any = slot
	selfReference(slot)
	kept = []interface{}{&i, &j, &f, &s, &empty, &item, &pp, &slice, &array, &m, &c, &any, &err}
}
