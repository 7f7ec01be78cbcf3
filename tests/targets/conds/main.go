// SPDX-License-Identifier: GPL-2.0

// conds calls two functions with all kinds of arguments and works out, in Go, which of these
// calls each of many conditions lets pass. A condition that panics here is undecided
// there. For each line on stdin it does all its calls and prints one line of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"
)

type node struct {
	Value  int
	Name   string
	Next   *node
	Weight float64
}

// call is one call: what it is given, what it returns, and how it was made.
type call struct {
	i  int
	b  int8
	c  uint16
	d  int32
	e  uint64
	s  string
	t  string
	x  float64
	y  float32
	ok bool

	p    *node
	list []int
	err  error
	m    map[string]int
	ch   chan int
	f    func()
	any  interface{}
	w    float64

	n        int
	failed   error
	out      string
	returned bool
	under    bool
}

var failure = errors.New("it failed")
var limit = 250

//go:noinline
func step(i int, b int8, c uint16, d int32, e uint64, s, t string, x float64, y float32, ok bool) (n int, failed error, out string) {
	if i%7 == 3 {
		panic(i)
	}
	if i%100 == 52 {
		time.Sleep(20 * time.Millisecond)
	}
	// Where ok is known before Go 1.22, as it is used.
	if i%5 == 0 && (ok || i != -1) {
		failed = failure
	}
	return i * 3, failed, s + t
}

//go:noinline
func refs(p *node, list []int, err error, m map[string]int, ch chan int, f func(), any interface{}, i int, w float64) (n int, failed error, out string) {
	if i%11 == 3 {
		panic(i)
	}
	if i%2 == 0 {
		failed = failure
	}
	return -i, failed, ""
}

//go:noinline
func outer(c *call, do func(*call)) {
	do(c)
}

//go:noinline
func deep(k int) (depth int) {
	if k == 0 {
		return 1
	}
	return deep(k-1) + 1
}

func doStep(c *call) {
	c.n, c.failed, c.out = step(c.i, c.b, c.c, c.d, c.e, c.s, c.t, c.x, c.y, c.ok)
	c.returned = true
}

func doRefs(c *call) {
	c.n, c.failed, c.out = refs(c.p, c.list, c.err, c.m, c.ch, c.f, c.any, c.i, c.w)
	c.returned = true
}

// condition is a condition, and the same in Go: what is decided at the call, and at the return.
type condition struct {
	text string
	call func(*call) bool
	ret  func(*call) bool
}

var steps = []condition{
	{"i > 250", func(a *call) bool { return a.i > 250 }, nil},
	{"i >= 250", func(a *call) bool { return a.i >= 250 }, nil},
	{"i < 250", func(a *call) bool { return a.i < 250 }, nil},
	{"i <= 250", func(a *call) bool { return a.i <= 250 }, nil},
	{"i == 250", func(a *call) bool { return a.i == 250 }, nil},
	{"i != 250", func(a *call) bool { return a.i != 250 }, nil},
	{"250 < i", func(a *call) bool { return 250 < a.i }, nil},
	{"b < 0", func(a *call) bool { return a.b < 0 }, nil},
	{"b == -128", func(a *call) bool { return a.b == -128 }, nil},
	{"b + 100 < 0", func(a *call) bool { return a.b+100 < 0 }, nil},
	{"c > 0x7fff", func(a *call) bool { return a.c > 0x7fff }, nil},
	{"c * c > 1000", func(a *call) bool { return a.c*a.c > 1000 }, nil},
	{"c - 1 > c", func(a *call) bool { return a.c-1 > a.c }, nil},
	{"d <= -5", func(a *call) bool { return a.d <= -5 }, nil},
	{"d == 'x'", func(a *call) bool { return a.d == 'x' }, nil},
	{"e >= 1 << 63", func(a *call) bool { return a.e >= 1<<63 }, nil},
	{"e >> 60 == 0xf", func(a *call) bool { return a.e>>60 == 0xf }, nil},
	{"e > 0", func(a *call) bool { return a.e > 0 }, nil},
	{"i % 10 == 0", func(a *call) bool { return a.i%10 == 0 }, nil},
	{"i & 3 == 1", func(a *call) bool { return a.i&3 == 1 }, nil},
	{"i | 1 == 5", func(a *call) bool { return a.i|1 == 5 }, nil},
	{"i ^ 1 == 7", func(a *call) bool { return a.i^1 == 7 }, nil},
	{"i &^ 0xff == 0", func(a *call) bool { return a.i&^0xff == 0 }, nil},
	{"^i == -8", func(a *call) bool { return ^a.i == -8 }, nil},
	{"-i + 2 * i == 9", func(a *call) bool { return -a.i+2*a.i == 9 }, nil},
	{"i << 2 == 40", func(a *call) bool { return a.i<<2 == 40 }, nil},
	{"i << c == 0", func(a *call) bool { return a.i<<a.c == 0 }, nil},
	{"100 / d == 10", func(a *call) bool { return 100/a.d == 10 }, nil},
	{"100 % d == 1", func(a *call) bool { return 100%a.d == 1 }, nil},
	{"d != 0 && 100 / d == 10", func(a *call) bool { return a.d != 0 && 100/a.d == 10 }, nil},
	{"d == 0 || 100 / d == 10", func(a *call) bool { return a.d == 0 || 100/a.d == 10 }, nil},
	{"i < 100 || i > 400", func(a *call) bool { return a.i < 100 || a.i > 400 }, nil},
	{"!(i < 100 || i > 400) && ok", func(a *call) bool { return !(a.i < 100 || a.i > 400) && a.ok }, nil},
	{"ok", func(a *call) bool { return a.ok }, nil},
	{"!ok", func(a *call) bool { return !a.ok }, nil},
	{"ok == (i > 250)", func(a *call) bool { return a.ok == (a.i > 250) }, nil},
	{`s == "POST"`, func(a *call) bool { return a.s == "POST" }, nil},
	{`s != "POST"`, func(a *call) bool { return a.s != "POST" }, nil},
	{`s == "a longer string"`, func(a *call) bool { return a.s == "a longer string" }, nil},
	{`s == ""`, func(a *call) bool { return a.s == "" }, nil},
	{"s == t", func(a *call) bool { return a.s == a.t }, nil},
	{"s != t", func(a *call) bool { return a.s != a.t }, nil},
	{`hasPrefix(s, "a ")`, func(a *call) bool { return strings.HasPrefix(a.s, "a ") }, nil},
	{`strings.HasSuffix(s, "T")`, func(a *call) bool { return strings.HasSuffix(a.s, "T") }, nil},
	{"len(s) > 4", func(a *call) bool { return len(a.s) > 4 }, nil},
	{"s[2] == 'S'", func(a *call) bool { return a.s[2] == 'S' }, nil},
	{"x > 1.5", func(a *call) bool { return a.x > 1.5 }, nil},
	{"x <= 1.5", func(a *call) bool { return a.x <= 1.5 }, nil},
	{"x == 0", func(a *call) bool { return a.x == 0 }, nil},
	{"x != 0", func(a *call) bool { return a.x != 0 }, nil},
	{"!(x < 0)", func(a *call) bool { return !(a.x < 0) }, nil},
	{"x != x", func(a *call) bool { return a.x != a.x }, nil},
	{"y == 0.1", func(a *call) bool { return a.y == 0.1 }, nil},
	{"y < -0.1", func(a *call) bool { return a.y < -0.1 }, nil},
	{"i > limit", func(a *call) bool { return a.i > limit }, nil},
	{"under(main.outer)", func(a *call) bool { return a.under }, nil},
	{"!under(main.outer) && i > 100", func(a *call) bool { return !a.under && a.i > 100 }, nil},
	{"i > 250 && b < 0 && c > 5", func(a *call) bool { return a.i > 250 && a.b < 0 && a.c > 5 }, nil},

	{"n > 750", nil, func(a *call) bool { return a.n > 750 }},
	{"failed != nil", nil, func(a *call) bool { return a.failed != nil }},
	{"failed == nil", nil, func(a *call) bool { return a.failed == nil }},
	{`out == "POSTGET"`, nil, func(a *call) bool { return a.out == "POSTGET" }},
	{`failed != nil || hasSuffix(out, "ET")`, nil, func(a *call) bool { return a.failed != nil || strings.HasSuffix(a.out, "ET") }},
	{"out[6] == 'T'", nil, func(a *call) bool { return a.out[6] == 'T' }},
	{"duration >= 0", nil, func(a *call) bool { return true }},
	{"duration < 0", nil, func(a *call) bool { return false }},
	{"i > 250 && failed != nil", func(a *call) bool { return a.i > 250 }, func(a *call) bool { return a.failed != nil }},
	{"failed != nil && 100 / d == 10", func(a *call) bool { return 100/a.d == 10 }, func(a *call) bool { return a.failed != nil }},
	{"ok && n < 900 && duration < 1h", func(a *call) bool { return a.ok }, func(a *call) bool { return a.n < 900 }},
}

var refsConditions = []condition{
	{"p == nil", func(a *call) bool { return a.p == nil }, nil},
	{"p != nil", func(a *call) bool { return a.p != nil }, nil},
	{"p.Value > 3", func(a *call) bool { return a.p.Value > 3 }, nil},
	{"p != nil && p.Value > 3", func(a *call) bool { return a.p != nil && a.p.Value > 3 }, nil},
	{`p.Next.Name == "next"`, func(a *call) bool { return a.p.Next.Name == "next" }, nil},
	{"w != p.Weight", func(a *call) bool { return a.w != a.p.Weight }, nil},
	{"p.Weight != w", func(a *call) bool { return a.p.Weight != a.w }, nil},
	{"!(w < p.Weight)", func(a *call) bool { return !(a.w < a.p.Weight) }, nil},
	{"w == p.Weight || i > 100", func(a *call) bool { return a.w == a.p.Weight || a.i > 100 }, nil},
	{"p.Next == p", func(a *call) bool { return a.p.Next == a.p }, nil},
	{"list == nil", func(a *call) bool { return a.list == nil }, nil},
	{"len(list) == cap(list)", func(a *call) bool { return len(a.list) == cap(a.list) }, nil},
	{"list[3] == 6", func(a *call) bool { return a.list[3] == 6 }, nil},
	{"err != nil", func(a *call) bool { return a.err != nil }, nil},
	{"m == nil", func(a *call) bool { return a.m == nil }, nil},
	{"len(m) == 1", func(a *call) bool { return len(a.m) == 1 }, nil},
	{"ch != nil && len(ch) > 0", func(a *call) bool { return a.ch != nil && len(a.ch) > 0 }, nil},
	{"f != nil", func(a *call) bool { return a.f != nil }, nil},
	{"any == nil", func(a *call) bool { return a.any == nil }, nil},
	{"any.(*main.node).Value == 2", func(a *call) bool { return a.any.(*node).Value == 2 }, nil},
	{"any.(int) > 100", func(a *call) bool { return a.any.(int) > 100 }, nil},
	{"p.Value > 3 && failed != nil", func(a *call) bool { return a.p.Value > 3 }, func(a *call) bool { return a.failed != nil }},
}

// decides is whether a condition holds, and whether it is decided.
func decides(holds func(*call) bool, a *call) (yes, decided bool) {
	if holds == nil {
		return true, true
	}
	defer func() { recover() }()
	yes = holds(a)
	return yes, true
}

// result is what a condition makes of all calls.
type result struct {
	Spec      string `json:"spec"`
	Func      string `json:"func"`
	Returns   bool   `json:"at_return"`
	Calls     int    `json:"calls"`
	Ended     int    `json:"returns"`
	Filtered  int    `json:"filtered"`
	Undecided int    `json:"undecided"`
	Passed    []int  `json:"passed"`
}

func (r *result) left(decided bool) {
	if decided {
		r.Filtered++
	} else {
		r.Undecided++
	}
}

func (r *result) add(c *condition, a *call) {
	if yes, decided := decides(c.call, a); !yes || !decided {
		r.left(decided)
		return
	}
	if c.ret != nil {
		if !a.returned {
			return
		}
		if yes, decided := decides(c.ret, a); !yes || !decided {
			r.left(decided)
			return
		}
	}
	r.Calls++
	if a.returned {
		r.Ended++
	}
	r.Passed = append(r.Passed, a.i)
}

func judge(fn string, all []condition, calls []*call) []*result {
	found := []*result{}
	for i := range all {
		c := &all[i]
		r := &result{Spec: "main." + fn + " if " + c.text, Func: "main." + fn, Returns: c.ret != nil, Passed: []int{}}
		for _, a := range calls {
			r.add(c, a)
		}
		found = append(found, r)
	}
	return found
}

func goid() (id int64) {
	var buf [64]byte
	fmt.Sscanf(string(buf[:runtime.Stack(buf[:], false)]), "goroutine %d ", &id)
	return id
}

func attempt(c *call, do func(*call)) {
	defer func() { recover() }()
	if c.under {
		outer(c, do)
	} else {
		do(c)
	}
}

const number = 500

func makeSteps() []*call {
	texts := []string{"POST", "GET", "", "a longer string", "a longer strinG", "POSU", "PO", "a longer string still"}
	zero := 0.0
	floats := []float64{1.5, 1.6, 0, -zero, -3, zero / zero, 1 / zero, 1e-300}
	calls := []*call{}
	for i := 0; i < number; i++ {
		calls = append(calls, &call{
			i: i, b: int8(i), c: uint16(i*131 - 1), d: int32(i%41) - 20, e: uint64(i) * 0x0123456789abcdef,
			s: texts[i%8], t: string([]byte(texts[i/8%8])), x: floats[i%8], y: float32(i%5-2) / 10, ok: i%3 == 0,
			// A panic through outer leaves it open, as far as goprobe sees.
			under: (i%4 == 1 || i%6 == 0) && i%7 != 3,
		})
	}
	calls[120].d = 'x'
	calls[8].c = 0
	return calls
}

func makeRefs() []*call {
	loop := &node{Value: 5}
	loop.Next = loop
	nodes := []*node{nil, {Value: 2, Weight: 1.5}, {Value: 4, Next: &node{Name: "next"}}, loop}
	lists := [][]int{nil, {}, {0, 2, 4, 6}, make([]int, 3, 9), {1, 2, 3, 4, 5}}
	full := make(chan int, 2)
	full <- 1
	calls := []*call{}
	for i := 0; i < number; i++ {
		c := &call{i: i, p: nodes[i%4], list: lists[i%5], w: []float64{1.5, math.NaN(), 0}[i%3]}
		if i%3 == 0 {
			c.err, c.m, c.ch, c.f = failure, map[string]int{"a": 1}, full, func() {}
		}
		if i%6 == 0 {
			c.m, c.ch = map[string]int{}, make(chan int)
		}
		switch i % 4 {
		case 1:
			c.any = nodes[1+i/4%3]
		case 2:
			c.any = i
		case 3:
			c.any = "text"
		}
		calls = append(calls, c)
	}
	return calls
}

// half of the calls are another goroutine's.
func all(calls []*call, do func(*call)) {
	done := make(chan bool)
	go func() {
		for i := 0; i < len(calls); i += 2 {
			attempt(calls[i], do)
		}
		done <- true
	}()
	for i := 1; i < len(calls); i += 2 {
		attempt(calls[i], do)
	}
	<-done
}

func main() {
	fmt.Printf("ready %d\n", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		first, second := makeSteps(), makeRefs()
		all(first, doStep)
		all(second, doRefs)
		json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
			"conditions": append(judge("step", steps, first), judge("refs", refsConditions, second)...),
			"goid":       goid(),
			"number":     number,
			"deep":       deep(20),
		})
	}
}
