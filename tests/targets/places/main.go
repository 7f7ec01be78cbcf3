// SPDX-License-Identifier: GPL-2.0

// places prints what its variables are at lines that are marked "// at NAME", each time it
// comes there: "NAME x=1 y=2". Tracers should see the same. The lines follow a call, and what
// is printed is needed after them: so nothing of it is elsewhere, or has yet to be computed.
//
//	places [ROUNDS]
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
)

type pair struct {
	id   int
	name string
	next *pair
}

var (
	out   = os.Stdout
	kept  *pair
	total int
)

// Whatever it is given has to be there still.
//
//go:noinline
func use(values ...interface{}) {
	total += len(values)
}

//go:noinline
func say(format string, values ...interface{}) {
	fmt.Fprintf(out, format+"\n", values...)
}

// Arguments and variables, in registers and on the stack, over calls.

//go:noinline
func loop(n int, name string, list []int) int {
	sum := 0
	for i, v := range list {
		x := v*n + i
		sum += x
		say("loop i=%d x=%d sum=%d n=%d name=%q", i, x, sum, n, name)
		total += x // at loop
		use(i, x, sum, n, name, list)
	}
	return sum
}

// A variable that hides another one, and one that is not there any more.

//go:noinline
func hide(n int) int {
	x := len(strconv.Itoa(n))
	for i := 0; i < n; i++ {
		x += i * n
	}
	if n%2 == 1 {
		x := strconv.Itoa(x + 1)
		say("hide x=%q", x)
		total += len(x) // at hide
		use(x)
	}
	say("bare x=%d", x)
	total += x // at bare
	use(x)
	return x
}

// What was moved to the heap, and a pointer to it.

//go:noinline
func moved(n int) *pair {
	p := pair{id: n, name: "p" + strconv.Itoa(n), next: kept}
	q := &p
	kept = q
	q.id++
	say("moved p.id=%d q.name=%q", p.id, q.name)
	total += q.id // at moved
	use(p.id, q)
	return q
}

// Floats and small integers.

//go:noinline
func tiny(n int) (int8, uint16) { return int8(-n), uint16(n * 300) }

//go:noinline
func small(n int) float64 {
	a, b := tiny(n)
	f := math.Sqrt(float64(n))
	say("small a=%d b=%d f=%v", a, b, f)
	total += int(b) // at small
	use(a, b, f)
	return f * float64(a)
}

// A stack frame that is larger than a page.

//go:noinline
func large(n int) int {
	var block [2048]int
	for i := range block {
		block[i] = n + i
	}
	say("large block[7]=%d n=%d", block[7], n)
	total += n // at large
	use(n)
	for i := range block {
		n += block[(i*n)&2047]
	}
	return n
}

// What a closure has captured.

//go:noinline
func capture(n int) func(int) int {
	step := n * 10
	return func(k int) int {
		say("closure k=%d step=%d n=%d", k, step, n)
		total += k // at closure
		use(k, step)
		step += k
		return step + n
	}
}

// Inlined in several places.

func double(d int) int {
	if d&3 == 1 { // at double
		d *= 5
	}
	return d*2 + total&1
}

//go:noinline
func first(n int) int { return double(n) + 1 }

//go:noinline
func second(n int) int { return double(n+7) - 1 }

func main() {
	rounds := 20
	if len(os.Args) > 1 {
		rounds, _ = strconv.Atoi(os.Args[1])
	}
	sum := 0
	for n := 1; n <= rounds; n++ {
		sum += loop(n, "n"+strconv.Itoa(n), []int{n, 2 * n, 40})
		sum += hide(n)
		sum += moved(n).id
		sum += int(small(n))
		sum += large(n)
		f := capture(n)
		sum += f(1) + f(2)
		total &^= 1
		say("double d=%d", n)
		sum += first(n)
		say("double d=%d", n+7)
		sum += second(n)
		sum += half(1, 2, 3, 4, 5, 6, 7, 8, 9, n, make([]int8, n))
		sum += cap(reset(spare)) + part(n)
	}
	say("end %d", sum)
}

// Of what is passed here, only parts are used.

var spare = make([]byte, 3, 8)

//go:noinline
func half(a, b, c, d, e, f, g, h, i, j int, t []int8) int {
	return a + b + c + d + e + f + g + h + i + j + len(t) // only half
}

//go:noinline
func reset(b []byte) []byte {
	total &= 0xffffff // only reset
	return b[:0]
}

//go:noinline
func part(n int) int {
	c := reset(spare)
	total |= 2 // only part
	spare = c[:0]
	return n
}
