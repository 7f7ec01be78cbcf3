// SPDX-License-Identifier: GPL-2.0

package main

import (
	"math"
	"unsafe"
)

type Celsius float64

type Bits uint8

type Weekday int

type Letter rune

//go:noinline
func int8s(a, b int8) (int8, int8) { visits++; return b, a }

//go:noinline
func int16s(a, b int16) (int16, int16) { visits++; return b, a }

//go:noinline
func int32s(a, b int32) (int32, int32) { visits++; return b, a }

//go:noinline
func int64s(a, b int64) (int64, int64) { visits++; return b, a }

//go:noinline
func uint8s(a, b uint8) (uint8, uint8) { visits++; return b, a }

//go:noinline
func uint16s(a, b uint16) (uint16, uint16) { visits++; return b, a }

//go:noinline
func uint32s(a, b uint32) (uint32, uint32) { visits++; return b, a }

//go:noinline
func uint64s(a, b uint64) (uint64, uint64) { visits++; return b, a }

//go:noinline
func words(a int, b uint, c uintptr) (uintptr, int, uint) { visits++; return c, a, b }

//go:noinline
func narrowMix(a int8, b uint64, c int16, d bool, e uint8, f int32, g uint16, h bool) (bool, int8, uint64, int16, uint8, int32, uint16) {
	visits++
	return d != h, a, b, c, e, f, g
}

//go:noinline
func bools(a, b bool) (or, and bool) { visits++; return a || b, a && b }

//go:noinline
func floats(a float32, b float64) (float64, float32) { visits++; return b, a }

//go:noinline
func manyFloats(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q float64) (float64, float32, float64) {
	visits++
	return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q, float32(p), q
}

//go:noinline
func complexes(a complex64, b complex128) (complex128, complex64) { visits++; return b, a }

//go:noinline
func floatsBetween(a int, x float32, b string, y float64, c bool, z complex64) (float64, int, string, float32, bool, complex64) {
	visits++
	return y, a, b, x, c, z
}

//go:noinline
func manyInts(a, b, c, d, e, f, g, h, i, j, k, l int) (int, int) {
	visits++
	return l, a + b + c + d + e + f + g + h + i + j + k
}

//go:noinline
func manyMixed(a int8, b float32, c int16, d string, e uint32, f float64, g []byte, h int64, i bool, j uint16) (uint16, string, int64, []byte) {
	visits += int(a) + int(b) + int(c) + int(e) + int(f)
	if i {
		visits++
	}
	return j, d, h, g
}

//go:noinline
func runes(a rune, b byte, c Letter) (Letter, rune, byte) { visits++; return c, a, b }

//go:noinline
func namedScalars(c Celsius, b Bits, w Weekday) (Weekday, Celsius, Bits) { visits++; return w, c, b }

//go:noinline
func rawPointers(p unsafe.Pointer, u uintptr) (uintptr, unsafe.Pointer) { visits++; return u, p }

func visitScalars() {
	int8s(-128, 127)
	int8s(-1, 0)
	int16s(math.MinInt16, math.MaxInt16)
	int32s(math.MinInt32, math.MaxInt32)
	int64s(math.MinInt64, math.MaxInt64)
	uint8s(0, 255)
	uint16s(1, math.MaxUint16)
	uint32s(0x80000000, math.MaxUint32)
	uint64s(1<<63, math.MaxUint64)
	words(-7, 7, 0xdeadbeefcafe)
	narrowMix(-3, 1<<40, -300, true, 200, -70000, 65000, false)
	bools(true, false)
	bools(true, true)
	floats(1.5, -0.1)
	floats(math.SmallestNonzeroFloat32, math.MaxFloat64)
	floats(float32(math.Inf(1)), math.Inf(-1))
	floats(float32(math.NaN()), math.NaN())
	floats(0.1, math.Copysign(0, -1))
	manyFloats(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.25)
	complexes(complex(1, -2), complex(-0.25, 1e100))
	floatsBetween(1, 2.5, "three", -4.5, true, complex(6, 7))
	manyInts(1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12)
	manyMixed(-1, 2.5, -3, "four", 5, 6.5, []byte("seven"), -8, true, 10)
	runes('世', 'z', 'é')
	runes(-1, 0, 0x10ffff)
	namedScalars(-40.5, 0x81, 5)
	rawPointers(nil, 1)
	rawPointers(unsafe.Pointer(&visits), math.MaxUint64)
}
