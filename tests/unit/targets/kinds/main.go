// SPDX-License-Identifier: GPL-2.0

// Types of every kind that a run-time descriptor can describe, and methods of
// every shape. The unit tests read this program; nobody runs it.
package main

import (
	"fmt"
	"os"
	"reflect"
	"time"
	"unsafe"

	dotted "example.com/kinds/dotted.v2"
	"example.com/kinds/other/kinds"
	sub "example.com/kinds/sub/kinds"
)

type Name string
type Code uint16
type Ratio float32
type Wave complex64
type Flag bool
type Op func(a int, rest ...string) (n int, err error)
type Table map[Name][]Code
type Stream chan *Item
type Grid [3][4]int16
type Raw unsafe.Pointer

type Item struct {
	ID   int64 `json:"id,omitempty" db:"the \"id\""`
	Next *Item
	kids []Item
	_    [3]byte
	Open dotted.Open
}

type Embeds struct {
	Item
	*dotted.Node
	fmt.Stringer
	error
	Name
	int
	Last struct{}
}

type Loop []Loop
type LoopMap map[string]LoopMap
type LoopFunc func(LoopFunc) LoopFunc
type LoopPtr *LoopPtr

type Large struct {
	W [200]byte
}

type Narrow struct {
	P *int
}

// Methods.

//go:noinline
func (i Item) Sum(a int8, s string, f float64) (int, error) {
	return int(i.ID) + int(a) + len(s) + int(f), nil
}

//go:noinline
func (i *Item) Grow(by ...int) {
	i.ID += int64(len(by))
}

//go:noinline
func (n Name) Join(with []Name, sep rune) Name {
	return n + with[0] + Name(sep)
}

//go:noinline
func (c Code) Both(x complex128, y interface{}) (a, b uint8, e error) {
	return uint8(c), uint8(real(x)), nil
}

//go:noinline
func (n Narrow) At(i int) *int {
	return n.P
}

//go:noinline
func (l Large) Byte(i int) byte {
	return l.W[i]
}

//go:noinline
func (Flag) None() {
}

//go:noinline
func (t Table) unexported(k Name) []Code {
	return t[k]
}

type Summer interface {
	Sum(a int8, s string, f float64) (int, error)
}

var sink []interface{}
var summer Summer
var walker dotted.Walker
var never = len(os.Args) < 0

func keep(v ...interface{}) {
	sink = append(sink, v...)
}

func local() {
	type Inner struct {
		A int
	}
	keep(Inner{}, &Inner{})
}

func local2() {
	type Inner struct {
		B string
	}
	keep(Inner{}, &Inner{})
}

func composites() {
	keep(Grid{}, [0]int{}, [5]string{}, [2][2]Item{})
	keep([]byte{}, []rune{}, [][]Name{}, []*Item{}, []interface{}{}, []error{})
	keep(map[string]int{}, map[Item2]bool{}, map[int8]Large{}, map[Large]int8{},
		map[Name]Item{}, map[string]struct{}{}, map[interface{}]error{},
		map[[2]string]func() error{}, map[uint64]uint64{}, map[bool]*Item{})
	keep(make(chan int), make(<-chan string), make(chan<- Item), make(chan (<-chan int)),
		make(chan<- chan int), make(chan struct{}))
	keep(func() {}, func(int, ...string) error { return nil },
		func(a struct{ X int }) (int, string) { return 0, "" },
		func(func(int) int) func() { return nil }, Op(nil))
	keep(struct{}{}, struct {
		a int
		B string `x:"y"`
		_ int
	}{}, struct {
		Item
		*dotted.Node
	}{}, [1]struct{ p *int }{})
	var a interface {
		A(int) (string, error)
		b()
	}
	var b interface{ fmt.Stringer }
	var c dotted.Walker
	keep(&a, &b, &c, new(error), new(interface{}))
	var d **int
	var e ***Item
	keep(d, e, unsafe.Pointer(nil), uintptr(1), Raw(nil))
}

// Item2 can be a map's key.
type Item2 struct {
	A int32
	B string
	C interface{}
}

func main() {
	if !never {
		return
	}
	composites()
	local()
	local2()
	keep(true, int8(1), int16(1), int32(1), int64(1), 1, uint8(1), uint16(1), uint32(1),
		uint64(1), uint(1), float32(1), 1.0, complex64(1), complex128(1), "")
	keep(Name(""), Code(1), Ratio(1), Wave(1), Flag(true), Table{}, Stream(nil), Item{},
		&Item{}, Embeds{}, Loop{}, LoopMap{}, LoopFunc(nil), LoopPtr(nil), Large{},
		Narrow{}, time.Time{}, time.Second, kinds.Pair{}, kinds.Only{}, sub.Pair{}, dotted.Open{})
	summer = Item{}
	walker = &dotted.Node{}
	keep(&summer, &walker)
	summer.Sum(1, "", 1)
	walker.Walk(nil)
	// A name that is not constant: all exported methods stay.
	m := reflect.ValueOf(sink[0]).MethodByName(os.Args[1])
	m.Call(nil)
	keep(Table(nil).unexported(""))
	generics()
}
