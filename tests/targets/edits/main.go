// SPDX-License-Identifier: GPL-2.0

// edits calls functions from many goroutines, with arguments that it knows, and finds out what these
// functions saw, and what their callers got. For each line on stdin it does all its calls and prints
// one line of JSON: for each thing that can be changed, which calls saw another value, and which.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

type conf struct {
	Limit int64
	Ratio float64
	On    bool
	Small int8
	Name  string
	Buf   []byte
	Next  *conf
	Fixed [4]uint16
}

var switched bool
var limit int64 = 100
var weight float32 = 1.5
var name = "package"
var list = []int{1, 2, 3, 4, 5}
var first = &conf{Limit: 11, Name: "first"}
var failure = errors.New("it failed")

const (
	workers = 8
	rounds  = 100
)

// notes are what was not as it should be: by what it is, by what it was, which calls.
type notes struct {
	mu sync.Mutex
	m  map[string]map[string][]int
}

func (n *notes) note(what string, i int, got, want interface{}) {
	a, b := fmt.Sprint(got), fmt.Sprint(want)
	if a == b {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.m[what] == nil {
		n.m[what] = map[string][]int{}
	}
	n.m[what][a] = append(n.m[what][a], i)
}

var seen = &notes{m: map[string]map[string][]int{}}
var garbage [workers][]byte

// fetch has arguments of all kinds, in registers and on the stack, and so are its results.
//
//go:noinline
func fetch(i int, timeout time.Duration, ok bool, tag uint8, s string, b []byte, ratio float64, err error, p *conf) (n int, failed error, out string, part []byte, f float32) {
	seen.note("timeout", i, timeout, time.Second)
	seen.note("ok", i, ok, false)
	seen.note("tag", i, tag, uint8(i))
	seen.note("s", i, s, text(i))
	seen.note("b", i, string(b), text(i))
	seen.note("ratio", i, ratio, float64(i)/2)
	seen.note("err", i, err, failure)
	seen.note("p", i, p != nil, true)
	// A shorter slice can still be appended to, and is where it was.
	seen.note("cap", i, cap(b) >= len(b), true)
	return i * 2, failure, text(i), []byte(text(i)), 0.25
}

func text(i int) string {
	return "text " + fmt.Sprint(i)
}

//go:noinline
func (c *conf) use(i int) int64 {
	garbage[i%workers] = make([]byte, 512)
	return c.Limit
}

// pick has no stack check: its first instruction looks at its argument.
//
//go:noinline
func pick(x int) int {
	if x == 0 {
		return 1
	}
	return 2
}

// deep makes stacks grow at its entry.
//
//go:noinline
func deep(depth, x int) int {
	var pad [128]int
	pad[depth%128] = x
	if depth == 0 {
		return pad[depth%128]
	}
	return deep(depth-1, 1) + pad[depth%128]
}

//go:noinline
func refs(i int, m map[string]int, ch chan int, f func(), a interface{}, p *conf, list []string) {
	seen.note("m", i, m == nil, false)
	seen.note("ch", i, ch == nil, false)
	seen.note("f", i, f == nil, false)
	seen.note("a", i, a == nil, false)
	seen.note("refs.p", i, p == nil, false)
	seen.note("list", i, strings.Join(list, " "), "a b c")
}

//go:noinline
func slow(i int) int {
	garbage[i%workers] = make([]byte, 64)
	return i
}

func call(i int) {
	n, failed, out, part, f := fetch(i, time.Second, false, uint8(i), text(i), []byte(text(i)), float64(i)/2, failure, first)
	seen.note("n", i, n, i*2)
	seen.note("failed", i, failed, failure)
	seen.note("out", i, out, text(i))
	seen.note("part", i, string(part), text(i))
	seen.note("result", i, f, float32(0.25))

	c := &conf{Limit: int64(i), Ratio: 1.5, Name: text(i), Buf: []byte(text(i)), Next: first}
	seen.note("used", i, c.use(i), int64(i))
	seen.note("c.Limit", i, c.Limit, int64(i))
	seen.note("c.Ratio", i, c.Ratio, 1.5)
	seen.note("c.On", i, c.On, false)
	seen.note("c.Small", i, c.Small, int8(0))
	seen.note("c.Name", i, c.Name, text(i))
	seen.note("c.Buf", i, string(c.Buf), text(i))
	seen.note("c.Next", i, c.Next == first, true)
	seen.note("c.Fixed", i, c.Fixed, [4]uint16{})

	seen.note("pick", i, pick(i%2+1), 2)
	refs(i, map[string]int{"a": i}, make(chan int, 1), func() { _ = i }, i, first, []string{"a", "b", "c"})
	before := time.Now()
	slow(i)
	if d := time.Since(before); d > 45*time.Millisecond {
		seen.note("slow", i, d/time.Millisecond >= 45, false)
	}
	if i%rounds < 4 {
		got := make(chan int)
		go func() { got <- deep(200, 1) }()
		seen.note("deep", i, <-got, 201)
	}
}

func run() {
	var wg sync.WaitGroup

	for g := 0; g < workers; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for k := 0; k < rounds; k++ {
				call(g*rounds + k)
			}
		}(g)
	}
	wg.Wait()
}

func main() {
	runtime.GOMAXPROCS(4)
	if len(os.Args) > 1 && os.Args[1] == "gc" {
		debug.SetGCPercent(1)
	}
	fmt.Println("ready", os.Getpid())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		before := time.Now()
		switch in.Text() {
		case "slow":
			slow(0)
		case "":
			run()
		}
		runtime.GC()
		out, err := json.Marshal(map[string]interface{}{
			"calls": workers * rounds, "seen": seen.m, "first": fmt.Sprintf("%p", first), "ms": time.Since(before) / time.Millisecond,
			"switched": switched, "limit": limit, "weight": weight, "name": name, "list": list,
			"first.Limit": first.Limit, "first.Name": first.Name, "first.On": first.On, "first.Fixed": first.Fixed,
		})
		if err != nil {
			panic(err)
		}
		seen.m = map[string]map[string][]int{}
		fmt.Println(string(out))
	}
}
