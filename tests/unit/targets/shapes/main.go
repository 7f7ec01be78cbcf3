// SPDX-License-Identifier: GPL-2.0

// Functions of every shape that the calling convention treats differently. The
// unit tests read this program; nobody runs it.
package main

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"os"
	"text/template"
	"time"
)

type Point struct {
	X, Y int
}

type Mixed struct {
	A int8
	B float64
	C string
	_ int16
	D bool
}

type Empty struct{}

type Base struct {
	ID int
}

type Item struct {
	Base
	Name string
	Tags []string
}

type Tree struct {
	Left, Right *Tree
	Kids        []Tree
	Value       int
}

type Big struct {
	W [10]uint64
}

type TenWords struct {
	A, B, C, D, E, F, G, H, I, J int
}

type NineWords struct {
	A, B, C, D, E, F, G, H, I int
}

type Named string
type Kind uint8
type Callback func(int) error

type Shape interface {
	Area() float64
}

type Square struct {
	Side float64
}

var sink interface{}
var on = len(os.Args) >= 0

//go:noinline
func Ints(a int, b int8, c uint16, d int32, e uint64, f uintptr, g bool) (int, bool) {
	return a + int(b) + int(c) + int(d) + int(e) + int(f), g
}

//go:noinline
func Floats(a float64, b float32, i int, c float64) (float64, int) {
	return a + float64(b) + c, i
}

//go:noinline
func Complexes(a complex128, b complex64) complex128 {
	return a + complex128(b)
}

//go:noinline
func Strings(s string, b []byte, n Named) (out string, err error) {
	if len(s) == 0 {
		return "", errors.New(string(b))
	}
	return s + string(b) + string(n), nil
}

//go:noinline
func TenInts(a, b, c, d, e, f, g, h, i, j int) int {
	return a + b + c + d + e + f + g + h + i + j
}

//go:noinline
func SmallAfterBig(a int, big Big, b, c int) (int, Big) {
	return a + b + c, big
}

//go:noinline
func Nine(n NineWords) int {
	return n.A + n.I
}

//go:noinline
func Ten(n TenWords, x int) int {
	return n.A + n.J + x
}

//go:noinline
func Arrays(a [1]int, b [2]int, c [0]int, d [1]Point, e [3]string) int {
	return a[0] + b[1] + len(c) + d[0].X + len(e[2])
}

//go:noinline
func Structs(m Mixed, p Point, e Empty, i Item) (Mixed, Item) {
	return m, i
}

//go:noinline
func Interfaces(s Shape, e error, any interface{}) (Shape, error) {
	sink = any
	return s, e
}

type valueKey struct{}

// WithElement puts a value into a context whose type no traced function's package mentions.
//
//go:noinline
func WithElement() context.Context {
	return context.WithValue(context.Background(), valueKey{}, &list.Element{})
}

//go:noinline
func Refs(m map[string]int, c chan int, f func(int) error, p *Tree, t Tree) Callback {
	sink = m
	sink = c
	sink = p
	sink = t.Value
	return f
}

//go:noinline
func Slices(a []Item, b [][]int, c []Tree, d []interface{}, e []Empty) int {
	return len(a) + len(b) + len(c) + len(d) + len(e)
}

//go:noinline
func Times(t time.Time, d time.Duration, k Kind) time.Time {
	sink = k
	return t.Add(d)
}

//go:noinline
func Blank(_ int, a string, _ float64, b int) (_ int, err error) {
	return len(a) + b, nil
}

//go:noinline
func Unnamed(int, string) int {
	return 1
}

//go:noinline
func BlankLast(a int, s string, _ bool) string {
	return s[a:]
}

//go:noinline
func Unused(a, b int, c string, d int) int {
	return d
}

//go:noinline
func Variadic(format string, args ...interface{}) int {
	return len(format) + len(args)
}

//go:noinline
func Results() (a int, b string, c float64, d []int, e error, f [2]int) {
	return 1, "b", 3, nil, nil, [2]int{}
}

//go:noinline
func Vast(a int, v [5000]byte, b int) int {
	return a + int(v[b])
}

//go:noinline
func ManyStrings(v [100]string) int {
	return len(v[99])
}

//go:noinline
func Leaf(a, b int) int {
	return a*b + a
}

//go:noinline
func Nothing() {
}

//go:noinline
func HugeFrame(n int) int {
	var buf [100000]byte
	for i := range buf {
		buf[i] = byte(n + i)
	}
	return int(buf[n]) + touch(buf[:])
}

//go:noinline
func MiddleFrame(n int) int {
	var buf [1000]byte
	buf[n] = 1
	return touch(buf[:])
}

//go:noinline
func touch(b []byte) int {
	sink = &b[0]
	return len(b)
}

//go:noinline
func Recovers(n int) (result int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("recovered")
		}
	}()
	if n > 3 {
		panic("too much")
	}
	return n, nil
}

//go:noinline
func Loop(p *int) {
	for *p != 0 {
	}
}

//go:noinline
func Deep(n int) int {
	if n == 0 {
		return 0
	}
	return Deep(n-1) + 1
}

//go:noinline
func Switch(n int, s string) int {
	switch n {
	case 0:
		return 3
	case 1:
		return len(s)
	case 2:
		return 17
	case 3:
		return touch([]byte(s))
	case 4:
		return 4
	case 5:
		return 99
	case 6:
		return Leaf(n, n)
	case 7:
		return 7
	case 8:
		return -1
	}
	return 5
}

func inlined(a int) int {
	return a*a + len(os.Args)
}

//go:noinline
func CallsInlined(a int) int {
	return inlined(a) + inlined(a*2) + touch(nil2())
}

func nil2() []byte {
	return make([]byte, 1)
}

//go:noinline
func (p Point) Value(k int) int {
	return p.X*k + p.Y
}

//go:noinline
func (p *Point) Pointer(k int) int {
	p.X += k
	return p.X
}

//go:noinline
func (Point) NoReceiverName(k int) int {
	return k
}

//go:noinline
func (s Square) Area() float64 {
	return s.Side * s.Side
}

type Wrapper struct {
	*Point
	Extra int
}

//go:noinline
func MakeClosure(a int, s string) func(int, string) int {
	return func(b int, t string) int {
		return a + b + len(s) + len(t)
	}
}

// A closure that is called where it is made.
//
//go:noinline
func Direct(n int) (shared int) {
	shared = n
	func(k int) {
		defer func() { shared *= 2 }()
		shared += k
	}(3)
	return shared
}

//go:noinline
func apply(f func(int) int, n int) int {
	return f(n)
}

func main() {
	if !on {
		return
	}
	p := Point{1, 2}
	// For more of the library's code to be looked at.
	sink, _ = json.Marshal(p)
	sink, _ = template.New("").Parse("")
	sink = TenInts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	Ints(1, 2, 3, 4, 5, 6, true)
	Floats(1, 2, 3, 4)
	Complexes(1, 2)
	Strings("a", nil, "n")
	SmallAfterBig(1, Big{}, 2, 3)
	Nine(NineWords{})
	Ten(TenWords{}, 1)
	Arrays([1]int{}, [2]int{}, [0]int{}, [1]Point{}, [3]string{})
	Structs(Mixed{}, p, Empty{}, Item{})
	Interfaces(Square{2}, nil, 3)
	Interfaces(nil, nil, &list.List{})
	sink = WithElement()
	Refs(nil, nil, nil, nil, Tree{})
	Slices(nil, nil, nil, nil, nil)
	Times(time.Now(), time.Second, 3)
	Blank(1, "a", 2, 3)
	Unnamed(1, "b")
	BlankLast(0, "s", true)
	Unused(1, 2, "3", 4)
	Variadic("x", 1, 2)
	Results()
	Vast(1, [5000]byte{}, 2)
	ManyStrings([100]string{})
	Leaf(1, 2)
	Nothing()
	HugeFrame(1)
	MiddleFrame(1)
	Recovers(5)
	zero := 0
	Loop(&zero)
	Deep(10)
	Switch(len(os.Args), "s")
	CallsInlined(1)
	sink = apply(p.Value, 1)
	sink = apply((&p).Pointer, 1)
	p.NoReceiverName(1)
	sink = MakeClosure(1, "x")(2, "y")
	sink = Direct(1)
	sink = Wrapper{&p, 1}
	sink = interface{ Pointer(int) int }(Wrapper{&p, 1}).Pointer(2)
	generics()
	ranges()
}

// MakePair captures an array, which is in memory however small it is.
//
//go:noinline
func MakePair(pair [2]*int) func(int) int {
	return func(k int) int { return *pair[k] }
}

var paired = MakePair([2]*int{new(int), new(int)})(1)
