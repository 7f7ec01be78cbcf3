// SPDX-License-Identifier: GPL-2.0

package main

import "errors"

//go:noinline
func noParameters() (int, string, error) { visits++; return 42, "answer", nil }

//go:noinline
func noResults(a int, s string) { visits += a + len(s) }

//go:noinline
func nothing() { visits++ }

//go:noinline
func variadic(prefix string, xs ...int) (sum int) {
	visits += len(prefix)
	for _, x := range xs {
		sum += x
	}
	return sum
}

//go:noinline
func variadicAny(format string, args ...interface{}) (int, string) {
	visits++
	return len(args), format
}

//go:noinline
func blanks(_ int, _ string, x int) (_ int, err error) { visits++; return x, nil }

//go:noinline
func unnamed(int, string) int { visits++; return 6 }

//go:noinline
func named(x int) (q, r int, ok bool) { visits++; return x / 4, x % 4, x%4 == 0 }

//go:noinline
func manyResults(n int) (a, b, c, d, e, f, g, h, i, j, k int, s string) {
	visits++
	return n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, "many"
}

//go:noinline
func mixedResults(x float64) (int8, float32, string, float64, []byte, complex64, bool) {
	visits++
	return -1, float32(x), "mixed", x * 2, []byte("bytes"), complex(float32(x), 1), true
}

//go:noinline
func changed(n int, s string) (int, string) {
	visits++
	n, s = n*2, s+"!"
	return n, s
}

//go:noinline
func deferred(x int) (r int, err error) {
	visits++
	defer func() {
		r *= 2
		if p := recover(); p != nil {
			err = errors.New(p.(string))
		}
	}()
	if x > 2 {
		panic("too large")
	}
	return x + 1, nil
}

//go:noinline
func recursive(n int, s string) (depth int) {
	visits++
	if n == 0 {
		return 0
	}
	return 1 + recursive(n-1, s+".")
}

// deep needs more stack than there is: it is entered twice and called once.
//
//go:noinline
func deep(n int, s string) (int, string) {
	var space [40000]byte
	visits++
	space[n] = byte(len(s))
	return int(space[n+1]), s
}

func visitDeclarations() {
	noParameters()
	noResults(3, "results")
	nothing()
	variadic("none")
	variadic("one", 1)
	variadic("three", 1, 2, 3)
	variadicAny("%d %s", 1, "two", nil, 3.5)
	variadicAny("")
	blanks(1, "unseen", 3)
	unnamed(1, "unseen")
	named(14)
	named(16)
	manyResults(100)
	mixedResults(0.5)
	changed(21, "shout")
	deferred(1)
	deferred(3)
	recursive(3, "r")
	deep(5, "stack")
}
