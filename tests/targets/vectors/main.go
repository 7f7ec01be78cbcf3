// SPDX-License-Identifier: GPL-2.0

// vectors is a program with SIMD vectors as arguments and results: built with GOEXPERIMENT=simd, by Go 1.26 or newer.
//
// It prints a line of JSON for each call and return: "kind", "func", and "values", each with its name and elements. "wide" are
// vectors of more than 128 bits that are passed in a register. Without AVX2 it prints {"kind":"none"}.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"simd/archsimd"
	"unsafe"
)

type group struct {
	N int
	V archsimd.Uint16x8
	F float32
}

type wideGroup struct {
	N int
	V archsimd.Uint16x16
}

type value struct {
	Name     string `json:"name"`
	Elements any    `json:"elements"`
	Wide     bool   `json:"wide,omitempty"`
}

func say(kind, function string, values ...value) {
	line, err := json.Marshal(map[string]any{"kind": kind, "func": function, "values": values})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}

//go:noinline
func narrow(n int, a archsimd.Int32x4, f float64, b archsimd.Float32x4, m int) (sum archsimd.Int32x4, left int) {
	return a.Add(a), n + m + int(f)
}

// The kernel places no breakpoint on its first instruction, VPADDQ.
//
//go:noinline
func refused(a archsimd.Int64x2) archsimd.Int64x2 { return a.Add(a) }

//go:noinline
func small(a archsimd.Int8x16, b archsimd.Uint8x16) (archsimd.Uint8x16, archsimd.Int8x16) {
	return b, a
}

//go:noinline
func wide(n int, a archsimd.Int32x8, b archsimd.Int64x2, c archsimd.Float64x4, f float64) (archsimd.Int32x8, float64, archsimd.Int64x2) {
	return a.Add(a), f + float64(n), b
}

//go:noinline
func many(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14 archsimd.Int32x4, s0 archsimd.Int32x4, n int, s1 archsimd.Int32x8) archsimd.Int32x4 {
	return v0.Add(v14).Add(s0)
}

//go:noinline
func grouped(g group) group {
	g.N++
	return g
}

//go:noinline
func wideGrouped(g wideGroup) int { return g.N }

//go:noinline
func masks(m archsimd.Mask32x4, n archsimd.Mask64x2) archsimd.Mask32x4 { return m.And(m) }

//go:noinline
func behind(p *archsimd.Int64x2, q *archsimd.Float32x8, r *archsimd.Uint64x8) int {
	return int(*(*byte)(unsafe.Pointer(r)))
}

//go:noinline
func listed(v []archsimd.Int64x4) int { return len(v) }

//go:noinline
func boxed(v any) bool { return v != nil }

func int64x2(v [2]int64) archsimd.Int64x2 { return *(*archsimd.Int64x2)(unsafe.Pointer(&v)) }

func int32x4(v [4]int32) archsimd.Int32x4 { return *(*archsimd.Int32x4)(unsafe.Pointer(&v)) }

func callNarrow() {
	a, b := [4]int32{1 << 20, -7, 3, 0}, [4]float32{1.5, -2.25, 1e10, 0}
	say("call", "main.narrow", value{"n", 3, false}, value{"a", a, false}, value{"f", 2.5, false}, value{"b", b, false}, value{"m", -4, false})
	narrow(3, int32x4(a), 2.5, *(*archsimd.Float32x4)(unsafe.Pointer(&b)), -4)
	say("return", "main.narrow", value{"sum", [4]int32{1 << 21, -14, 6, 0}, false}, value{"left", 1, false})
}

func callSmall() {
	var a [16]int8
	var b [16]uint8
	var shown [16]int
	for i := range a {
		a[i], b[i] = int8(-i*9), uint8(i*16+3)
		shown[i] = int(b[i])
	}
	say("call", "main.small", value{"a", a, false}, value{"b", shown, false})
	small(*(*archsimd.Int8x16)(unsafe.Pointer(&a)), *(*archsimd.Uint8x16)(unsafe.Pointer(&b)))
	say("return", "main.small", value{"~r0", shown, false}, value{"~r1", a, false})
}

func callWide() {
	a, b, c := [8]int32{1, -2, 3, -4, 5, -6, 7, -8}, [2]int64{-1, 1 << 62}, [4]float64{0.5, 1, -2, 4}
	say("call", "main.wide", value{"n", 9, false}, value{"a", a, true}, value{"b", b, false}, value{"c", c, true}, value{"f", 0.25, false})
	wide(9, *(*archsimd.Int32x8)(unsafe.Pointer(&a)), int64x2(b), *(*archsimd.Float64x4)(unsafe.Pointer(&c)), 0.25)
	say("return", "main.wide", value{"~r0", [8]int32{2, -4, 6, -8, 10, -12, 14, -16}, true}, value{"~r1", 9.25, false}, value{"~r2", b, false})
}

// Of 17 vectors the last two are on the stack.
func callMany() {
	var v [16]archsimd.Int32x4
	var values []value
	for i := range v {
		elements := [4]int32{int32(i), -int32(i), int32(i) << 20, 1}
		v[i] = int32x4(elements)
		name := fmt.Sprint("v", i)
		if i == 15 {
			name = "s0"
		}
		values = append(values, value{name, elements, false})
	}
	last := [8]int32{8, 7, 6, 5, -4, -3, -2, -1}
	values = append(values, value{"n", 77, false}, value{"s1", last, false})
	say("call", "main.many", values...)
	many(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15], 77,
		*(*archsimd.Int32x8)(unsafe.Pointer(&last)))
	say("return", "main.many", value{"~r0", [4]int32{29, -29, 29 << 20, 3}, false})
}

func callGrouped() {
	v := [8]uint16{1, 2, 3, 4, 0xffff, 6, 7, 8}
	w := [16]uint16{1, 2, 3, 4, 0xffff, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	g := group{-5, *(*archsimd.Uint16x8)(unsafe.Pointer(&v)), 1.75}
	say("call", "main.grouped", value{"g", []any{-5, v, 1.75}, false})
	grouped(g)
	say("return", "main.grouped", value{"~r0", []any{-4, v, 1.75}, false})
	say("call", "main.wideGrouped", value{"g", []any{6, w}, true})
	wideGrouped(wideGroup{6, *(*archsimd.Uint16x16)(unsafe.Pointer(&w))})
	say("return", "main.wideGrouped", value{"~r0", 6, false})
}

func callMasks() {
	m, n := [4]int32{-1, 0, 0, -1}, [2]int64{0, -1}
	say("call", "main.masks", value{"m", m, false}, value{"n", n, false})
	masks(*(*archsimd.Mask32x4)(unsafe.Pointer(&m)), *(*archsimd.Mask64x2)(unsafe.Pointer(&n)))
	say("return", "main.masks", value{"~r0", m, false})
}

func callInMemory() {
	a, b, c := new([2]int64), new([8]float32), new([8]uint64)
	*a, *b, *c = [2]int64{5, -6}, [8]float32{1, 2, 3, 4, 5, 6, 7, 8.5}, [8]uint64{11, 1 << 63, 3, 4, 5, 6, 7, 8}
	say("call", "main.behind", value{"p", a, false}, value{"q", b, false}, value{"r", c, false})
	behind((*archsimd.Int64x2)(unsafe.Pointer(a)), (*archsimd.Float32x8)(unsafe.Pointer(b)), (*archsimd.Uint64x8)(unsafe.Pointer(c)))
	say("return", "main.behind", value{"~r0", 11, false})
	elements := [][4]int64{{1, 2, 3, 4}, {-1, -2, -3, -4}}
	say("call", "main.listed", value{"v", elements, false})
	listed(unsafe.Slice((*archsimd.Int64x4)(unsafe.Pointer(&elements[0])), 2))
	say("return", "main.listed", value{"~r0", 2, false})
	say("call", "main.boxed", value{"v", elements[1], false})
	boxed(*(*archsimd.Int64x4)(unsafe.Pointer(&elements[1])))
	say("return", "main.boxed", value{"~r0", true, false})
}

func main() {
	if !archsimd.X86.AVX2() {
		fmt.Println(`{"kind":"none"}`)
		os.Exit(0)
	}
	callNarrow()
	refused(int64x2([2]int64{1, 2}))
	callSmall()
	callWide()
	callMany()
	callGrouped()
	callMasks()
	callInMemory()
}
