// SPDX-License-Identifier: GPL-2.0

// types calls a function of each shape that Go's calling convention and Go's
// types know, and prints for each call and return the line that a tracer should
// print: the members "kind", "func", "goid", "args" and "results" of
// goprobectl's JSON. Values are chosen so that a wrong register, a wrong width
// or a wrong offset shows.
//
//	types [-hold]
//
// With -hold it prints "ready PID" and waits for a line on stdin first.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"time"
	"unsafe"
)

// Types of the functions below.

type Celsius float64

type Name string

type Bits uint8

type Point struct{ X, Y int }

type Inner struct {
	A int8
	S string
	B uint16
}

type Outer struct {
	F  float32
	In Inner
	G  bool
}

type Packed struct {
	A bool
	B int8
	C uint16
	D bool
	E uint32
}

type Floats struct {
	X float32
	Y float64
	C complex64
}

type Big struct {
	A, B, C, D, E, F, G, H, I, J, K int64
	S                               string
}

type Item struct {
	SKU string
	Qty int
}

type Blank struct {
	A int
	_ int
	B int
}

type WithArrays struct {
	One [1]int16
	Nil [0]int
	S   string
}

type Node struct {
	Value int
	Next  *Node
}

type Shape interface{ Area() float64 }

type Square struct{ Side float64 }

type Circle struct{ R, X float64 }

type Code int

type DetailedError struct {
	Op  string
	Err error
}

type Pair[K any, V any] struct {
	Key K
	Val V
}

type Tree struct {
	Left, Right *Tree
	Key         string
}

type Part struct {
	Names map[string]int
	Any   interface{}
}

type Job struct {
	Parts []Part
	Err   error
	Done  chan int
	Next  *Job
}

type Cart struct {
	ID    int
	Items []Item
}

type Base struct {
	N int
	M int
}

type Derived struct {
	Pad int
	*Base
}

// Every integer, both signs, with the bits above a narrow one left dirty by
// whatever was in the register before.

//go:noinline
func i8(x int8) int8 { return x + 1 }

//go:noinline
func i16(x int16) int16 { return x + 1 }

//go:noinline
func i32(x int32) int32 { return x + 1 }

//go:noinline
func i64(x int64) int64 { return x + 1 }

//go:noinline
func i(x int) int { return x + 1 }

//go:noinline
func u8(x uint8) uint8 { return x + 1 }

//go:noinline
func u16(x uint16) uint16 { return x + 1 }

//go:noinline
func u32(x uint32) uint32 { return x + 1 }

//go:noinline
func u64(x uint64) uint64 { return x + 1 }

//go:noinline
func u(x uint) uint { return x + 1 }

//go:noinline
func uptr(x uintptr) uintptr { return x + 1 }

//go:noinline
func narrow(a int8, b uint8, c int16, d uint16, e int32, f uint32, g bool) (int8, uint8, int16, uint16, int32, uint32, bool) {
	return -a, ^b, -c, ^d, -e, ^f, !g
}

//go:noinline
func boolean(a, b bool) (and, or bool) { return a && b, a || b }

//go:noinline
func f32(x float32) float32 { return x / 4 }

//go:noinline
func f64(x float64) float64 { return x / 4 }

//go:noinline
func c64(x complex64) complex64 { return x * x }

//go:noinline
func c128(x complex128) complex128 { return x * x }

// More than there are registers.

//go:noinline
func manyInts(a, b, c, d, e, f, g, h, i, j, k, l int) int {
	return a - b + c - d + e - f + g - h + i - j + k - l
}

//go:noinline
func manyFloats(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q float64) (float64, float32) {
	return a - b + c - d + e - f + g - h + i - j + k - l + m - n + o - p + q, float32(p)
}

//go:noinline
func mixed(a int8, b float32, c string, d uint16, e float64, f bool, g []byte, h int64, i complex64) (int64, float64) {
	return int64(a) + int64(len(c)) + int64(d) + int64(len(g)) + h, float64(b) + e + float64(real(i))
}

// The string does not fit in what is left of the registers; the int after it
// does.
//
//go:noinline
func spills(a, b, c, d, e, f, g, h int, s string, i int) (string, int) {
	return s, a + b + c + d + e + f + g + h + i
}

// Strings and slices.

//go:noinline
func str(s string) int { return len(s) }

//go:noinline
func strResult(n int) (s string) {
	for k := 0; k < n; k++ {
		s += string(rune('a' + k%26))
	}
	return s
}

//go:noinline
func twoStrings(a, b string) (string, string) { return b, a }

//go:noinline
func bytesOf(b []byte) []byte {
	if len(b) > 1 {
		return b[1:]
	}
	return nil
}

//go:noinline
func ints(s []int) []int { return s[:len(s)/2] }

//go:noinline
func int16s(s []int16) int { return len(s) }

//go:noinline
func strs(s []string) (first string, rest []string) { return s[0], s[1:] }

//go:noinline
func items(s []Item) *Item { return &s[0] }

//go:noinline
func nestedSlices(s [][]int) int { return len(s) }

//go:noinline
func floats(s []float32) []float64 { return []float64{float64(s[0])} }

// Arrays and structs.

//go:noinline
func array0(a [0]int, n int) int { return n + len(a) }

//go:noinline
func array1(a [1]int) [1]int { return [1]int{a[0] * 2} }

//go:noinline
func array1String(a [1]string) int { return len(a[0]) }

//go:noinline
func array2(a [2]int, n int) [2]int { return [2]int{a[1], a[0] + n} }

//go:noinline
func arrayStrings(a [3]string) [2]string { return [2]string{a[2], a[0]} }

//go:noinline
func point(p Point) Point { return Point{p.Y, p.X} }

//go:noinline
func nested(o Outer, n int) (int, Outer) {
	o.In.S = "changed"
	return n + int(o.In.A), o
}

//go:noinline
func packed(p Packed) Packed {
	p.C++
	return p
}

//go:noinline
func floatStruct(f Floats) (Floats, int) { return Floats{f.X * 2, f.Y * 2, f.C * 2}, 7 }

//go:noinline
func big(b Big, n int) Big {
	b.A += int64(n)
	return b
}

//go:noinline
func blankField(b Blank) int { return b.A + b.B }

//go:noinline
func withArrays(w WithArrays) WithArrays { return w }

//go:noinline
func empty(e struct{}, n int) (struct{}, int) { return e, n }

//go:noinline
func nothing() {}

// Pointers and what looks like one.

//go:noinline
func ptr(p *Item) **Item {
	q := &p
	return q
}

//go:noinline
func list2(n *Node) *Node { return n.Next }

//go:noinline
func unsafePtr(p unsafe.Pointer) unsafe.Pointer { return p }

//go:noinline
func aMap(m map[string]int) int { return len(m) }

//go:noinline
func aChan(c chan int, d <-chan string) int { return cap(c) + cap(d) }

//go:noinline
func aFunc(f func(int) int) int { return f(20) }

// Interfaces.

//go:noinline
func anError(e error) error {
	if e != nil {
		return &DetailedError{"op", e}
	}
	return nil
}

//go:noinline
func anything(x interface{}) interface{} { return x }

//go:noinline
func shape(s Shape) (area float64) {
	if s != nil {
		area = s.Area()
	}
	return area
}

//go:noinline
func newShape(kind string) (Shape, error) {
	if kind == "square" {
		return Square{3}, nil
	}
	return nil, errors.New("no such shape: " + kind)
}

//go:noinline
func (s Square) Area() float64 { return s.Side * s.Side }

//go:noinline
func (c *Circle) Area() float64 { return 3 * c.R * c.R }

//go:noinline
func (c Code) Error() string { return "code" }

//go:noinline
func (e *DetailedError) Error() string { return e.Op }

// What is behind references.

//go:noinline
func tree(t *Tree, depth int) *Tree { return t.Left }

//go:noinline
func mapOfItems(m map[string]*Item) *Item { return m["b"] }

//go:noinline
func intMap(m map[int]string) (int, map[int]string) { return len(m), m }

//go:noinline
func mapOfSlices(m map[string][]string) []string { return m["Accept"] }

//go:noinline
func wideMap(m map[int][20]int64) int { return len(m) }

//go:noinline
func itemChan(c chan Item, d chan *Item) (chan Item, int) { return c, len(d) }

//go:noinline
func wrapped(err error) error { return fmt.Errorf("outer: %w", err) }

//go:noinline
func funcs(f func(int) int, m func(string, int) (int, error)) func(int) int { return f }

//go:noinline
func anySlice(x []interface{}) interface{} { return x }

//go:noinline
func job(j *Job) int { return len(j.Parts) }

// Methods.

//go:noinline
func (c *Cart) Add(sku string, qty int) (total int, err error) {
	if qty < 1 {
		return len(c.Items), errors.New("quantity")
	}
	c.Items = append(c.Items, Item{sku, qty})
	return len(c.Items), nil
}

//go:noinline
func (b Big) Method(n int) int64 { return b.K + int64(n) }

//go:noinline
func (c Celsius) Fahrenheit() Celsius { return c*9/5 + 32 }

//go:noinline
func (b *Base) Promoted(n int) int { return b.N*100 + b.M*10 + n }

// Closures.

//go:noinline
func makeAdder(a int, s string) func(int, string) (int, string) {
	return func(b int, t string) (int, string) { return a + b, s + t }
}

// Generics.

//go:noinline
func Second[T any](a, b T) T { return b }

//go:noinline
func MapKeys[K comparable, V any](m map[K]V, n V) (int, V) { return len(m), n }

//go:noinline
func (p *Pair[K, V]) Set(k K, v V) (K, V) {
	oldk, oldv := p.Key, p.Val
	p.Key, p.Val = k, v
	return oldk, oldv
}

//go:noinline
func (p Pair[K, V]) Get(n int) (V, int) { return p.Val, n }

// Ways to declare.

//go:noinline
func variadic(prefix string, xs ...int) (sum int) {
	for _, x := range xs {
		sum += x
	}
	return sum + len(prefix)
}

//go:noinline
func blanks(_ int, _ string, x int) (_ int, err error) { return x, nil }

//go:noinline
func unnamed(int, string) int { return 3 }

//go:noinline
func multi() (int, string, error) { return 1, "two", errors.New("three") }

//go:noinline
func named(x int) (q, r int, ok bool) {
	q, r = x/7, x%7
	ok = r == 0
	return
}

//go:noinline
func manyResults(n int) (a, b, c, d, e, f, g, h, i, j, k int, s string) {
	return n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, "stack"
}

//go:noinline
func recovered(x int, s string) (r int, t string) {
	defer func() {
		if p := recover(); p != nil {
			r, t = x*2, s+"!"
		}
	}()
	panic("down")
}

//go:noinline
func duration(d time.Duration) time.Duration { return d * 2 }

//go:noinline
func namedTypes(n Name, b Bits, c Celsius) (Name, Bits, Celsius) { return n + "!", b << 1, -c }

//go:noinline
func month(m time.Month) time.Weekday { return time.Weekday(m % 7) }

//go:noinline
func runes(r rune, b byte) (rune, byte) { return r + 1, b + 1 }

// half has no code of its own: the compiler puts it into its callers.
func half(x int) int { return x / 2 }

//go:noinline
func callsHalf(x int) int { return half(x) + half(x+10) }

// fails has no RET.
//
//go:noinline
func fails(x int) { panic(x) }

//go:noinline
func callsFails(x int) (r interface{}) {
	defer func() { r = recover() }()
	fails(x)
	return nil
}

// A string that nobody reads but the tracer: the middle of 256 KiB of constant,
// in pages of their own.
const (
	line64    = "the quick brown fox jumps over the lazy dog 0123456789 ABCDEFGH "
	kib1      = line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64 + line64
	kib16     = kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1 + kib1
	untouched = kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16 + kib16
)

var never = untouched

func main() {
	hold := flag.Bool("hold", false, "wait for a line on stdin first")
	flag.Parse()
	if *hold {
		fmt.Println("ready", os.Getpid())
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
	scalars()
	stringsAndSlices()
	aggregates()
	pointers()
	interfaces()
	references()
	methods()
	generics()
	declarations()
}

func scalars() {
	for _, x := range []int8{-128, -1, 0, 127} {
		in("main.i8", v("x", &x))
		r := i8(x)
		out("main.i8", v("~r0", &r))
	}
	for _, x := range []int16{-32768, -2, 32767} {
		in("main.i16", v("x", &x))
		r := i16(x)
		out("main.i16", v("~r0", &r))
	}
	for _, x := range []int32{-2147483648, -2, 2147483647} {
		in("main.i32", v("x", &x))
		r := i32(x)
		out("main.i32", v("~r0", &r))
	}
	for _, x := range []int64{-9223372036854775808, -2, 9223372036854775807} {
		in("main.i64", v("x", &x))
		r := i64(x)
		out("main.i64", v("~r0", &r))
	}
	for _, x := range []int{-9007199254740993, 0, 9007199254740993} {
		in("main.i", v("x", &x))
		r := i(x)
		out("main.i", v("~r0", &r))
	}
	for _, x := range []uint8{0, 128, 255} {
		in("main.u8", v("x", &x))
		r := u8(x)
		out("main.u8", v("~r0", &r))
	}
	for _, x := range []uint16{0, 65535} {
		in("main.u16", v("x", &x))
		r := u16(x)
		out("main.u16", v("~r0", &r))
	}
	for _, x := range []uint32{0, 4294967295} {
		in("main.u32", v("x", &x))
		r := u32(x)
		out("main.u32", v("~r0", &r))
	}
	for _, x := range []uint64{0, 18446744073709551614} {
		in("main.u64", v("x", &x))
		r := u64(x)
		out("main.u64", v("~r0", &r))
	}
	for _, x := range []uint{0, 9223372036854775808} {
		in("main.u", v("x", &x))
		r := u(x)
		out("main.u", v("~r0", &r))
	}
	for _, x := range []uintptr{0, 0xdeadbeefcafe} {
		in("main.uptr", v("x", &x))
		r := uptr(x)
		out("main.uptr", v("~r0", &r))
	}
	{
		a, b, c, d, e, f, g := int8(-3), uint8(200), int16(-300), uint16(60000), int32(-70000), uint32(4000000000), true
		in("main.narrow", v("a", &a), v("b", &b), v("c", &c), v("d", &d), v("e", &e), v("f", &f), v("g", &g))
		r, s, t, u, w, x, y := narrow(a, b, c, d, e, f, g)
		out("main.narrow", v("~r0", &r), v("~r1", &s), v("~r2", &t), v("~r3", &u), v("~r4", &w), v("~r5", &x), v("~r6", &y))
	}
	for _, x := range [][2]bool{{true, false}, {false, false}, {true, true}} {
		in("main.boolean", v("a", &x[0]), v("b", &x[1]))
		and, or := boolean(x[0], x[1])
		out("main.boolean", v("and", &and), v("or", &or))
	}
	for _, x := range []float32{0, 0.1, -1.5e30, 3} {
		in("main.f32", v("x", &x))
		r := f32(x)
		out("main.f32", v("~r0", &r))
	}
	for _, x := range []float64{0, 0.1, -1.5e300, 3, 1e21, 5e-324} {
		in("main.f64", v("x", &x))
		r := f64(x)
		out("main.f64", v("~r0", &r))
	}
	{
		x := complex64(complex(0.5, -2))
		in("main.c64", v("x", &x))
		r := c64(x)
		out("main.c64", v("~r0", &r))
	}
	{
		x := complex(1.25, 0.1)
		in("main.c128", v("x", &x))
		r := c128(x)
		out("main.c128", v("~r0", &r))
	}
	{
		x := []int{11, 12, 13, 14, 15, 16, 17, 18, 19, -20, 21, 22}
		in("main.manyInts", v("a", &x[0]), v("b", &x[1]), v("c", &x[2]), v("d", &x[3]), v("e", &x[4]), v("f", &x[5]),
			v("g", &x[6]), v("h", &x[7]), v("i", &x[8]), v("j", &x[9]), v("k", &x[10]), v("l", &x[11]))
		r := manyInts(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11])
		out("main.manyInts", v("~r0", &r))
	}
	{
		x := []float64{1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, -17.5}
		in("main.manyFloats", v("a", &x[0]), v("b", &x[1]), v("c", &x[2]), v("d", &x[3]), v("e", &x[4]), v("f", &x[5]),
			v("g", &x[6]), v("h", &x[7]), v("i", &x[8]), v("j", &x[9]), v("k", &x[10]), v("l", &x[11]), v("m", &x[12]),
			v("n", &x[13]), v("o", &x[14]), v("p", &x[15]), v("q", &x[16]))
		r, s := manyFloats(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15], x[16])
		out("main.manyFloats", v("~r0", &r), v("~r1", &s))
	}
	{
		a, b, c, d, e, f, g, h, i := int8(-7), float32(2.5), "mixed", uint16(65000), 1e-3, true, []byte{1, 2, 3}, int64(-1<<40), complex64(complex(1, -1))
		in("main.mixed", v("a", &a), v("b", &b), v("c", &c), v("d", &d), v("e", &e), v("f", &f), v("g", &g), v("h", &h), v("i", &i))
		r, s := mixed(a, b, c, d, e, f, g, h, i)
		out("main.mixed", v("~r0", &r), v("~r1", &s))
	}
	{
		x := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
		s := "on the stack"
		in("main.spills", v("a", &x[0]), v("b", &x[1]), v("c", &x[2]), v("d", &x[3]), v("e", &x[4]), v("f", &x[5]),
			v("g", &x[6]), v("h", &x[7]), v("s", &s), v("i", &x[8]))
		r, n := spills(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], s, x[8])
		out("main.spills", v("~r0", &r), v("~r1", &n))
	}
}

func stringsAndSlices() {
	long := []byte{}
	for len(long) < 1000 {
		long = append(long, fmt.Sprintf("%03d,", len(long))...)
	}
	for _, s := range []string{"", "short", "naïve 世界 🙂", "quote\"back\\slash\tnew\nline\x00nul\x7f<&>", "\xff\xfe not \xc3( utf8 \xed\xa0\x80",
		string(long[:256]), string(long[:257]), string(long)} {
		in("main.str", v("s", &s))
		n := str(s)
		out("main.str", v("~r0", &n))
	}
	{
		// The expected line is printed after the call: printing it reads the page.
		s := never[100000:100040]
		n := str(s)
		in("main.str", v("s", &s))
		out("main.str", v("~r0", &n))
	}
	for _, n := range []int{0, 5, 300} {
		in("main.strResult", v("n", &n))
		s := strResult(n)
		out("main.strResult", v("s", &s))
	}
	{
		a, b := "left", "right"
		in("main.twoStrings", v("a", &a), v("b", &b))
		c, d := twoStrings(a, b)
		out("main.twoStrings", v("~r0", &c), v("~r1", &d))
	}
	for _, b := range [][]byte{nil, {}, {0, 255}, long[:65], long[:300]} {
		in("main.bytesOf", v("b", &b))
		r := bytesOf(b)
		out("main.bytesOf", v("~r0", &r))
	}
	manyInts := make([]int, 100)
	for k := range manyInts {
		manyInts[k] = k * -1000
	}
	for _, s := range [][]int{nil, {}, {1, -2, 3}, manyInts[:64], manyInts} {
		in("main.ints", v("s", &s))
		r := ints(s)
		out("main.ints", v("~r0", &r))
	}
	{
		s := []int16{-1, 2, -32768}
		in("main.int16s", v("s", &s))
		n := int16s(s)
		out("main.int16s", v("~r0", &n))
	}
	{
		s := []string{"a", "", "three"}
		in("main.strs", v("s", &s))
		first, rest := strs(s)
		out("main.strs", v("first", &first), v("rest", &rest))
	}
	{
		s := []Item{{"A-119", 2}, {"B-7", -1}}
		in("main.items", v("s", &s))
		r := items(s)
		out("main.items", v("~r0", &r))
	}
	{
		s := [][]int{{1, 2}, nil, {}, {3}}
		in("main.nestedSlices", v("s", &s))
		n := nestedSlices(s)
		out("main.nestedSlices", v("~r0", &n))
	}
	{
		s := []float32{0.5, 0.1}
		in("main.floats", v("s", &s))
		r := floats(s)
		out("main.floats", v("~r0", &r))
	}
}

func aggregates() {
	{
		a, n := [0]int{}, 4
		in("main.array0", v("a", &a), v("n", &n))
		r := array0(a, n)
		out("main.array0", v("~r0", &r))
	}
	{
		a := [1]int{21}
		in("main.array1", v("a", &a))
		r := array1(a)
		out("main.array1", v("~r0", &r))
	}
	{
		a := [1]string{"single"}
		in("main.array1String", v("a", &a))
		r := array1String(a)
		out("main.array1String", v("~r0", &r))
	}
	{
		a, n := [2]int{-5, 6}, 100
		in("main.array2", v("a", &a), v("n", &n))
		r := array2(a, n)
		out("main.array2", v("~r0", &r))
	}
	{
		a := [3]string{"x", "", "zz"}
		in("main.arrayStrings", v("a", &a))
		r := arrayStrings(a)
		out("main.arrayStrings", v("~r0", &r))
	}
	{
		p := Point{3, -4}
		in("main.point", v("p", &p))
		r := point(p)
		out("main.point", v("~r0", &r))
	}
	{
		o, n := Outer{1.5, Inner{-8, "inner", 65535}, true}, 50
		in("main.nested", v("o", &o), v("n", &n))
		r, s := nested(o, n)
		out("main.nested", v("~r0", &r), v("~r1", &s))
	}
	{
		p := Packed{true, -1, 0xbeef, true, 0xdeadbeef}
		in("main.packed", v("p", &p))
		r := packed(p)
		out("main.packed", v("~r0", &r))
	}
	{
		f := Floats{0.25, -2.5, complex(8, 9)}
		in("main.floatStruct", v("f", &f))
		r, n := floatStruct(f)
		out("main.floatStruct", v("~r0", &r), v("~r1", &n))
	}
	{
		b, n := Big{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "big"}, 1000
		in("main.big", v("b", &b), v("n", &n))
		r := big(b, n)
		out("main.big", v("~r0", &r))
	}
	{
		b := Blank{A: 1, B: 2}
		in("main.blankField", v("b", &b))
		r := blankField(b)
		out("main.blankField", v("~r0", &r))
	}
	{
		w := WithArrays{One: [1]int16{-9}, S: "arrays"}
		in("main.withArrays", v("w", &w))
		r := withArrays(w)
		out("main.withArrays", v("~r0", &r))
	}
	{
		e, n := struct{}{}, 12
		in("main.empty", v("e", &e), v("n", &n))
		r, m := empty(e, n)
		out("main.empty", v("~r0", &r), v("~r1", &m))
	}
	in("main.nothing")
	nothing()
	out("main.nothing")
}

func pointers() {
	{
		p := &Item{"ptr", 1}
		in("main.ptr", v("p", &p))
		r := ptr(p)
		out("main.ptr", v("~r0", &r))
		p = nil
		in("main.ptr", v("p", &p))
		r = ptr(p)
		out("main.ptr", v("~r0", &r))
	}
	{
		n := &Node{1, &Node{2, nil}}
		in("main.list2", v("n", &n))
		r := list2(n)
		out("main.list2", v("~r0", &r))
	}
	{
		p := unsafe.Pointer(&never)
		in("main.unsafePtr", v("p", &p))
		r := unsafePtr(p)
		out("main.unsafePtr", v("~r0", &r))
	}
	for _, m := range []map[string]int{nil, {"a": 1}} {
		in("main.aMap", v("m", &m))
		r := aMap(m)
		out("main.aMap", v("~r0", &r))
	}
	{
		c, d := make(chan int, 3), (<-chan string)(nil)
		in("main.aChan", v("c", &c), v("d", &d))
		r := aChan(c, d)
		out("main.aChan", v("~r0", &r))
	}
	{
		k := 22
		f := func(x int) int { return x + k }
		in("main.aFunc", v("f", &f))
		r := aFunc(f)
		out("main.aFunc", v("~r0", &r))
	}
}

func interfaces() {
	for _, e := range []error{nil, errors.New("plain"), Code(7), &DetailedError{"read", nil}} {
		in("main.anError", v("e", &e))
		r := anError(e)
		out("main.anError", v("~r0", &r))
	}
	for _, x := range []interface{}{nil, 7, 70000, "text", 2.5, Point{1, 2}, &Point{3, 4}, []int{1}, Celsius(3), func() {}, map[string]bool{}} {
		in("main.anything", v("x", &x))
		r := anything(x)
		out("main.anything", v("~r0", &r))
	}
	for _, s := range []Shape{Square{2}, &Circle{2, 0}, nil} {
		in("main.shape", v("s", &s))
		// A direct call through the interface: of a value receiver it goes
		// through a wrapper that takes a pointer.
		switch x := s.(type) {
		case Square:
			in("main.Square.Area", v("s", &x))
			r := x.Side * x.Side
			out("main.Square.Area", v("~r0", &r))
		case *Circle:
			in("main.(*Circle).Area", v("c", &x))
			r := 3 * x.R * x.R
			out("main.(*Circle).Area", v("~r0", &r))
		}
		r := shape(s)
		out("main.shape", v("area", &r))
	}
	for _, kind := range []string{"square", "blob"} {
		in("main.newShape", v("kind", &kind))
		s, err := newShape(kind)
		out("main.newShape", v("~r0", &s), v("~r1", &err))
	}
}

// full makes a channel with elements.
func full(c, elements interface{}) interface{} {
	v, e := reflect.ValueOf(c), reflect.ValueOf(elements)
	for k := 0; k < e.Len(); k++ {
		v.Send(e.Index(k))
	}
	inside[v.Pointer()] = e
	return c
}

func references() {
	{
		t := &Tree{&Tree{nil, &Tree{Key: "lr"}, "l"}, &Tree{Key: "r"}, "root"}
		n := 3
		in("main.tree", v("t", &t), v("depth", &n))
		r := tree(t, n)
		out("main.tree", v("~r0", &r))
	}
	for _, m := range []map[string]*Item{nil, {}, {"a": {"A-1", 1}, "b": {"B-2", -2}, "none": nil}} {
		in("main.mapOfItems", v("m", &m))
		r := mapOfItems(m)
		out("main.mapOfItems", v("~r0", &r))
	}
	for _, n := range []int{8, 9, 50, 64} {
		m := map[int]string{}
		for k := 0; k < n; k++ {
			m[k*k-100] = fmt.Sprint("v", k)
		}
		in("main.intMap", v("m", &m))
		r, s := intMap(m)
		out("main.intMap", v("~r0", &r), v("~r1", &s))
	}
	{
		m := map[string][]string{"Accept": {"text/html", "*/*"}, "Host": {"example.org"}, "X-Empty": nil}
		in("main.mapOfSlices", v("m", &m))
		r := mapOfSlices(m)
		out("main.mapOfSlices", v("~r0", &r))
	}
	{
		// Elements of more than 128 bytes are kept elsewhere.
		m := map[int][20]int64{1: {19: -1}, 2: {2}}
		in("main.wideMap", v("m", &m))
		r := wideMap(m)
		out("main.wideMap", v("~r0", &r))
	}
	{
		c := full(make(chan Item, 3), []Item{{"first", 1}, {"second", 2}}).(chan Item)
		d := full(make(chan *Item, 2), []*Item{nil, {"by pointer", 3}}).(chan *Item)
		in("main.itemChan", v("c", &c), v("d", &d))
		r, n := itemChan(c, d)
		out("main.itemChan", v("~r0", &r), v("~r1", &n))
	}
	{
		err := error(&DetailedError{"read", Code(5)})
		in("main.wrapped", v("err", &err))
		r := wrapped(err)
		out("main.wrapped", v("~r0", &r))
	}
	{
		k, c := 1, &Cart{ID: 1}
		f := func(x int) int { k += x; return k }
		m := c.Add
		in("main.funcs", v("f", &f), v("m", &m))
		r := funcs(f, m)
		out("main.funcs", v("~r0", &r))
	}
	{
		x := []interface{}{1, "two", nil, 3.5, Item{"four", 4}, &Item{"five", 5}, []int{6}, map[string]int{"seven": 7}, [1]*Item{{"eight", 8}}}
		in("main.anySlice", v("x", &x))
		r := anySlice(x)
		out("main.anySlice", v("~r0", &r))
	}
	{
		j := &Job{
			Parts: []Part{{Names: map[string]int{"n": 1}}, {Any: Point{1, 2}}},
			Err:   errors.New("late"),
			Done:  make(chan int, 1),
			Next:  &Job{},
		}
		in("main.job", v("j", &j))
		r := job(j)
		out("main.job", v("~r0", &r))
	}
}

func methods() {
	{
		c := &Cart{ID: 88}
		for _, x := range []Item{{"A-119", 2}, {"B-7", 0}} {
			in("main.(*Cart).Add", v("c", &c), v("sku", &x.SKU), v("qty", &x.Qty))
			total, err := c.Add(x.SKU, x.Qty)
			out("main.(*Cart).Add", v("total", &total), v("err", &err))
		}
		add, sku, qty := c.Add, "C-1", 9
		in("main.(*Cart).Add", v("c", &c), v("sku", &sku), v("qty", &qty))
		total, err := add(sku, qty)
		out("main.(*Cart).Add", v("total", &total), v("err", &err))
	}
	{
		b, n := Big{K: 40, S: "receiver"}, 2
		in("main.Big.Method", v("b", &b), v("n", &n))
		r := b.Method(n)
		out("main.Big.Method", v("~r0", &r))
	}
	{
		c := Celsius(100)
		in("main.Celsius.Fahrenheit", v("c", &c))
		r := c.Fahrenheit()
		out("main.Celsius.Fahrenheit", v("~r0", &r))
	}
	{
		d, n := Derived{1, &Base{2, 3}}, 4
		in("main.(*Base).Promoted", v("b", &d.Base), v("n", &n))
		r := d.Promoted(n)
		out("main.(*Base).Promoted", v("~r0", &r))
		f := d.Promoted
		in("main.(*Base).Promoted", v("b", &d.Base), v("n", &n))
		r = f(n)
		out("main.(*Base).Promoted", v("~r0", &r))
	}
	{
		a, s := 40, "captured "
		in("main.makeAdder", v("a", &a), v("s", &s))
		f := makeAdder(a, s)
		out("main.makeAdder", v("~r0", &f))
		b, t := 2, "own"
		in("main.makeAdder.func1", v("b", &b), v("t", &t))
		r, q := f(b, t)
		out("main.makeAdder.func1", v("~r0", &r), v("~r1", &q))
	}
}

func generics() {
	{
		a, b := 1, -2
		in("main.Second[...]", v("a", &a), v("b", &b))
		r := Second(a, b)
		out("main.Second[...]", v("~r0", &r))
	}
	{
		a, b := "first", "second"
		in("main.Second[...]", v("a", &a), v("b", &b))
		r := Second(a, b)
		out("main.Second[...]", v("~r0", &r))
	}
	{
		m, n := map[string]float64{"x": 1}, 2.5
		in("main.MapKeys[...]", v("m", &m), v("n", &n))
		k, r := MapKeys(m, n)
		out("main.MapKeys[...]", v("~r0", &k), v("~r1", &r))
	}
	{
		p, k, n := &Pair[string, int]{"old", 1}, "new", 2
		in("main.(*Pair[...]).Set", v("p", &p), v("k", &k), v("v", &n))
		ok, on := p.Set(k, n)
		out("main.(*Pair[...]).Set", v("~r0", &ok), v("~r1", &on))
	}
	{
		p, n := Pair[int, string]{5, "five"}, 6
		in("main.Pair[...].Get", v("p", &p), v("n", &n))
		r, m := p.Get(n)
		out("main.Pair[...].Get", v("~r0", &r), v("~r1", &m))
	}
}

func declarations() {
	{
		s := "sum"
		for _, xs := range [][]int{nil, {1}, {1, 2, 3}} {
			in("main.variadic", v("prefix", &s), v("xs", &xs))
			r := variadic(s, xs...)
			out("main.variadic", v("sum", &r))
		}
	}
	{
		a, s, x := 1, "unseen", 3
		in("main.blanks", v("_", &a), v("_", &s), v("x", &x))
		r, err := blanks(a, s, x)
		out("main.blanks", v("~r0", &r), v("err", &err))
	}
	{
		a, s := 1, "unseen"
		in("main.unnamed", v("_", &a), v("_", &s))
		r := unnamed(a, s)
		out("main.unnamed", v("~r0", &r))
	}
	{
		in("main.multi")
		a, b, c := multi()
		out("main.multi", v("~r0", &a), v("~r1", &b), v("~r2", &c))
	}
	for _, x := range []int{14, 15} {
		in("main.named", v("x", &x))
		q, r, ok := named(x)
		out("main.named", v("q", &q), v("r", &r), v("ok", &ok))
	}
	{
		n := 100
		in("main.manyResults", v("n", &n))
		a, b, c, d, e, f, g, h, i, j, k, s := manyResults(n)
		out("main.manyResults", v("a", &a), v("b", &b), v("c", &c), v("d", &d), v("e", &e), v("f", &f), v("g", &g), v("h", &h),
			v("i", &i), v("j", &j), v("k", &k), v("s", &s))
	}
	{
		x, s := 8, "up"
		in("main.recovered", v("x", &x), v("s", &s))
		r, t := recovered(x, s)
		out("main.recovered", v("r", &r), v("t", &t))
	}
	{
		d := 1500 * time.Millisecond
		in("main.duration", v("d", &d))
		r := duration(d)
		out("main.duration", v("~r0", &r))
	}
	{
		n, b, c := Name("named"), Bits(0x81), Celsius(-40.5)
		in("main.namedTypes", v("n", &n), v("b", &b), v("c", &c))
		r, s, t := namedTypes(n, b, c)
		out("main.namedTypes", v("~r0", &r), v("~r1", &s), v("~r2", &t))
	}
	callSyncMap()
	{
		m := time.November
		in("main.month", v("m", &m))
		r := month(m)
		out("main.month", v("~r0", &r))
	}
	{
		r, b := '世', byte('z')
		in("main.runes", v("r", &r), v("b", &b))
		s, c := runes(r, b)
		out("main.runes", v("~r0", &s), v("~r1", &c))
	}
	{
		x := 30
		in("main.callsHalf", v("x", &x))
		r := callsHalf(x)
		out("main.callsHalf", v("~r0", &r))
	}
	{
		x := 13
		in("main.callsFails", v("x", &x))
		in("main.fails", v("x", &x))
		r := callsFails(x)
		out("main.callsFails", v("r", &r))
	}
}
