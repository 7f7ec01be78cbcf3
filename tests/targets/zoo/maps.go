// SPDX-License-Identifier: GPL-2.0

package main

import (
	"net/textproto"
	"strconv"
)

type Key struct {
	A int8
	S string
}

type WideKey [17]uint64

type WideElem struct {
	N [16]int64
	S string
}

type Set map[string]struct{}

//go:noinline
func stringMaps(m map[string]int) (int, map[string]int) { visits++; return len(m), m }

//go:noinline
func intMaps(m map[int]string) (int, map[int]string) { visits++; return len(m), m }

//go:noinline
func narrowMaps(a map[uint8]bool, b map[int32]int32, c map[bool]string) (map[bool]string, map[uint8]bool, map[int32]int32) {
	visits++
	return c, a, b
}

//go:noinline
func headers(h textproto.MIMEHeader, m map[string][]string) (map[string][]string, textproto.MIMEHeader) {
	visits++
	return m, h
}

//go:noinline
func structKeys(m map[Key]Point) (int, map[Key]Point) { visits++; return len(m), m }

//go:noinline
func interfaceKeys(m map[interface{}]interface{}) (int, map[interface{}]interface{}) {
	visits++
	return len(m), m
}

//go:noinline
func arrayKeys(m map[[2]int]string) (int, map[[2]int]string) { visits++; return len(m), m }

//go:noinline
func wideKeys(m map[WideKey]int) (int, map[WideKey]int) { visits++; return len(m), m }

//go:noinline
func wideElems(m map[string]WideElem) (int, map[string]WideElem) { visits++; return len(m), m }

//go:noinline
func wideBoth(m map[WideKey]WideElem) (int, map[WideKey]WideElem) { visits++; return len(m), m }

//go:noinline
func edgeKeys(m map[[128]byte]int8, n map[[129]byte]int8) (map[[129]byte]int8, map[[128]byte]int8) {
	visits++
	return n, m
}

//go:noinline
func sets(s Set, t map[struct{}]int, u map[struct{}]struct{}) (map[struct{}]struct{}, Set, map[struct{}]int) {
	visits++
	return u, s, t
}

//go:noinline
func pointerElems(m map[string]*Item) (int, map[string]*Item) { visits++; return len(m), m }

//go:noinline
func floatKeys(m map[float64]string) (int, map[float64]string) { visits++; return len(m), m }

//go:noinline
func mapsOfMaps(m map[string]map[int]string) (int, map[string]map[int]string) {
	visits++
	return len(m), m
}

//go:noinline
func errorMaps(m map[error]error) (int, map[error]error) { visits++; return len(m), m }

//go:noinline
func growing(m map[int]int) (int, map[int]int) { visits++; return len(m), m }

//go:noinline
func shedding(m map[int]int) (int, map[int]int) { visits++; return len(m), m }

//go:noinline
func deleted(m map[int]int) (int, map[int]int) { visits++; return len(m), m }

// keepNumbers makes a map of n entries, and deletes those that drop divides.
func keepNumbers(n, drop int) map[int]int {
	m := map[int]int{}
	for i := 0; i < n; i++ {
		m[i] = i * i
	}
	for i := 0; drop > 0 && i < n; i += drop {
		delete(m, i)
	}
	return m
}

func keepWords(n int) map[string]int {
	m := map[string]int{}
	for i := 0; i < n; i++ {
		m["key-"+strconv.Itoa(i)] = i
	}
	return m
}

func visitMaps() {
	stringMaps(nil)
	stringMaps(map[string]int{})
	stringMaps(map[string]int{"one": 1})
	stringMaps(keepWords(8))
	stringMaps(keepWords(9))
	stringMaps(keepWords(30))
	stringMaps(keepWords(1000))
	stringMaps(make(map[string]int, 100))
	intMaps(map[int]string{1: "one", -2: "minus two", 1 << 40: ""})
	narrowMaps(map[uint8]bool{1: true, 255: false}, map[int32]int32{-1: 1, 7: -7}, map[bool]string{true: "t", false: "f"})
	narrowMaps(nil, map[int32]int32{}, nil)
	h := map[string][]string{"Accept": {"text/html", "*/*"}, "Host": {"example.org"}, "X-Empty": nil}
	headers(textproto.MIMEHeader(h), h)
	structKeys(map[Key]Point{{1, "a"}: {1, 2}, {-2, ""}: {3, 4}})
	interfaceKeys(map[interface{}]interface{}{1: "one", "two": 2, 3.5: nil, Key{1, "k"}: Point{5, 6}, nil: true})
	arrayKeys(map[[2]int]string{{1, 2}: "a", {-3, 4}: "b"})
	wideKeys(map[WideKey]int{{1}: 1, {16: 2}: 2})
	wide := WideElem{S: "wide"}
	wide.N[15] = 15
	wideElems(map[string]WideElem{"w": wide, "z": {}})
	wideBoth(map[WideKey]WideElem{{3}: wide})
	edgeKeys(map[[128]byte]int8{{127: 1}: 1}, map[[129]byte]int8{{128: 2}: 2})
	sets(Set{"in": {}, "too": {}}, map[struct{}]int{{}: 5}, map[struct{}]struct{}{})
	pointerElems(map[string]*Item{"nil": nil, "item": {"M-1", 1}})
	floatKeys(map[float64]string{0.5: "half", -1: "minus one"})
	mapsOfMaps(map[string]map[int]string{"a": {1: "x"}, "nil": nil, "empty": {}})
	errorMaps(map[error]error{Code(1): errorString("one"), errorString("two"): nil})
	for n := 12; n <= 15; n++ {
		growing(keepNumbers(n, 0))
	}
	// Old buckets that are not all moved yet: the 105th entry began to grow the map.
	growing(keepNumbers(105, 0))
	growing(keepNumbers(110, 0))
	growing(keepNumbers(900, 0))
	shedding(keepShedding())
	deleted(keepNumbers(8, 2))
	deleted(keepNumbers(100, 3))
	deleted(keepNumbers(8, 1))
}
