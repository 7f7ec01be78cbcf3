// SPDX-License-Identifier: GPL-2.0

package main

import "strings"

type Name string

type Names []Name

type Item struct {
	SKU string
	Qty int
}

//go:noinline
func aString(s string) (n int, r string) { visits++; return len(s), s }

//go:noinline
func twoStrings(a, b string) (string, string) { visits++; return b, a }

//go:noinline
func namedStrings(n Name, m Names) (Names, Name) { visits++; return m, n }

//go:noinline
func byteSlices(a []byte, b []uint8) ([]byte, []byte) { visits++; return b, a }

//go:noinline
func intSlices(a []int, b []int8, c []uint64) ([]uint64, []int, []int8) { visits++; return c, a, b }

//go:noinline
func floatSlices(a []float32, b []complex128) ([]complex128, []float32) { visits++; return b, a }

//go:noinline
func boolSlices(a []bool) (int, []bool) { visits++; return len(a), a }

//go:noinline
func stringSlices(a []string, i int) (int, []string) { visits++; return i, a }

//go:noinline
func structSlices(a []Item) (int, []Item) { visits++; return len(a), a }

//go:noinline
func pointerSlices(a []*Item) (int, []*Item) { visits++; return len(a), a }

//go:noinline
func nestedSlices(a [][]int, b [][][]string) ([][][]string, [][]int) { visits++; return b, a }

//go:noinline
func emptyElements(a []struct{}) (int, []struct{}) { visits++; return len(a), a }

//go:noinline
func interfaceSlices(a []interface{}) (int, []interface{}) { visits++; return len(a), a }

//go:noinline
func arraySlices(a [][2]string) (int, [][2]string) { visits++; return len(a), a }

//go:noinline
func runeSlices(a []rune) (int, []rune) { visits++; return len(a), a }

func visitStrings() {
	aString("")
	aString("plain")
	aString("Größe 世界 🦓")
	aString("not\xff\xfeUTF-8 \xed\xa0\x80")
	aString("nul\x00 tab\t newline\n quote\" back\\slash \x7f\u2028")
	aString(strings.Repeat("long ", 200))
	aString(strings.Repeat("é", 128))
	twoStrings("first", "second")
	namedStrings("alone", Names{"one", "two", ""})
	namedStrings("", nil)
	byteSlices(nil, []byte{})
	byteSlices([]byte("text"), []byte{0, 1, 254, 255})
	byteSlices(make([]byte, 1000), []byte("x"))
	intSlices(nil, []int8{-1, 0, 1}, []uint64{1 << 63})
	intSlices([]int{}, nil, nil)
	many := make([]int, 200)
	for i := range many {
		many[i] = i * i
	}
	intSlices(many, nil, nil)
	intSlices(many[3:5:7], []int8{}, []uint64{})
	floatSlices([]float32{0.1, -2}, []complex128{complex(1, 2), complex(0, -1)})
	boolSlices([]bool{true, false, true})
	stringSlices([]string{"a", "", strings.Repeat("b", 300), "d"}, 3)
	stringSlices(nil, 0)
	structSlices([]Item{{"A-1", 1}, {"", 0}, {"C-3", -3}})
	pointerSlices([]*Item{{"P-1", 1}, nil, {"P-3", 3}})
	nestedSlices([][]int{{1, 2}, nil, {}, {3}}, [][][]string{{{"deep"}, nil}, nil})
	emptyElements(make([]struct{}, 5))
	interfaceSlices([]interface{}{1, "two", nil, 3.5, Item{"four", 4}, &Item{"five", 5}, []int{6}, true})
	arraySlices([][2]string{{"a", "b"}, {"c", ""}})
	runeSlices([]rune("añ世"))
}
