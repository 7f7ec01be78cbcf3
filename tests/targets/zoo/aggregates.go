// SPDX-License-Identifier: GPL-2.0

package main

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
	P  Point
}

type Packed struct {
	A bool
	B int8
	C uint16
	D bool
	E uint32
	F uint8
}

type FloatFields struct {
	X float32
	Y float64
	C complex64
}

// Block has 128 bytes: too many fields for registers.
type Block struct {
	A, B, C, D, E, F, G, H, I, J, K, L, M, N int64
	S                                        string
}

type Blank struct {
	A int
	_ int32
	_ int32
	B int
}

type Embedding struct {
	Point
	*Item
	Name
	N int
}

type Level1 struct{ L2 Level2 }
type Level2 struct{ L3 Level3 }
type Level3 struct {
	L4 Level4
	N  int
}
type Level4 struct{ S []string }

type Arrays struct {
	One  [1]int16
	None [0]int
	Grid [2][3]uint8
	Text [2]string
}

type Everything struct {
	B    bool
	I    int
	S    string
	Bs   []byte
	P    *Point
	E    error
	Any  interface{}
	M    map[string]int
	C    chan int
	F    func(int) int
	Arr  [2]Point
	Anon struct {
		X int
		Y string
	}
	Tail struct{}
}

type Tagged struct {
	Name string `json:"name"`
	Age  int    `json:"age,omitempty"`
}

//go:noinline
func emptyStruct(e struct{}, n int) (int, struct{}) { visits++; return n, e }

//go:noinline
func onlyEmpty(e struct{}) { visits++ }

//go:noinline
func returnsEmpty() [0]int { visits++; return [0]int{} }

//go:noinline
func points(a, b Point) (Point, Point) { visits++; return b, a }

//go:noinline
func outers(o Outer, n int) (int, Outer) { visits++; return n, o }

//go:noinline
func packed(p Packed) (int, Packed) { visits++; return int(p.B), p }

//go:noinline
func floatFields(f FloatFields) (int, FloatFields) { visits++; return 1, f }

//go:noinline
func blocks(b Block, n int) (int, Block) { visits++; return n, b }

//go:noinline
func afterBlock(n int8, b Block, f float64, s string) (string, float64, int8) {
	visits += int(b.N)
	return s, f, n
}

//go:noinline
func blankFields(b Blank) (int, Blank) { visits++; return b.A, b }

//go:noinline
func embedding(e Embedding) (int, Embedding) { visits++; return e.N, e }

//go:noinline
func embeddingPointer(e *Embedding) (int, *Embedding) { visits++; return e.N, e }

//go:noinline
func levels(l Level1) (int, Level1) { visits++; return l.L2.L3.N, l }

//go:noinline
func arrays(a [1]int, b [2]string, c [0]string, n int) (int, [1]int, [2]string, [0]string) {
	visits++
	return n, a, b, c
}

//go:noinline
func largeArray(a [40]int32, n int) (int, [40]int32) { visits++; return n, a }

//go:noinline
func arrayFields(a Arrays) (int, Arrays) { visits++; return len(a.Text[0]), a }

//go:noinline
func byteArrays(a [4]byte, b [16]byte) ([16]byte, [4]byte) { visits++; return b, a }

//go:noinline
func pointArrays(a [2]Point, b [1]Point) ([1]Point, [2]Point) { visits++; return b, a }

//go:noinline
func everything(e Everything) (int, Everything) { visits++; return e.I, e }

//go:noinline
func everythingPointer(e *Everything) (int, *Everything) { visits++; return e.I, e }

//go:noinline
func anonymous(a struct {
	X int
	S string
}, n int) (int, struct {
	X int
	S string
}) {
	visits++
	return n, a
}

//go:noinline
func tagged(t Tagged, u *Tagged) (*Tagged, Tagged) { visits++; return u, t }

func double(x int) int { return 2 * x }

func visitAggregates() {
	emptyStruct(struct{}{}, 12)
	onlyEmpty(struct{}{})
	returnsEmpty()
	points(Point{1, -2}, Point{3, 4})
	outers(Outer{1.5, Inner{-8, "inner", 65535}, true, Point{-1, 1}}, 50)
	packed(Packed{true, -1, 0xbeef, true, 0xdeadbeef, 7})
	floatFields(FloatFields{0.25, -2.5, complex(8, 9)})
	block := Block{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -14, "block"}
	blocks(block, 1000)
	afterBlock(-5, block, 0.5, "after")
	blankFields(Blank{A: 1, B: 2})
	e := Embedding{Point{1, 2}, &Item{"embedded", 3}, "name", 4}
	embedding(e)
	kept = &e
	embeddingPointer(&e)
	levels(Level1{Level2{Level3{Level4{[]string{"bottom", ""}}, 3}}})
	arrays([1]int{21}, [2]string{"x", "yy"}, [0]string{}, 4)
	var large [40]int32
	for i := range large {
		large[i] = int32(-i)
	}
	largeArray(large, 5)
	arrayFields(Arrays{[1]int16{-9}, [0]int{}, [2][3]uint8{{1, 2, 3}, {4, 5, 6}}, [2]string{"s", "tt"}})
	byteArrays([4]byte{'G', 'o', 0, 255}, [16]byte{15: 9})
	pointArrays([2]Point{{1, 2}, {3, 4}}, [1]Point{{5, 6}})
	all := Everything{
		B: true, I: 42, S: "all", Bs: []byte{1, 2}, P: &Point{7, 8}, E: errorString("broken"), Any: Item{"any", 1},
		M: map[string]int{"k": 1}, C: make(chan int, 2), F: double, Arr: [2]Point{{9, 10}, {11, 12}},
	}
	all.Anon.X, all.Anon.Y = 13, "fourteen"
	everything(all)
	kept = &all
	everythingPointer(&all)
	everything(Everything{})
	anonymous(struct {
		X int
		S string
	}{1, "anonymous"}, 2)
	t := &Tagged{"Ann", 30}
	kept = t
	tagged(Tagged{"Bob", 31}, t)
}
