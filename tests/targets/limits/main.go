// SPDX-License-Identifier: GPL-2.0

// limits makes trees of calls on many goroutines, and counts them for itself; and it can call
// a function as fast as it goes, or now and then.
//
//	limits [-goroutines N] [-trees N] [-hot N] [-pause TIME]
//
// It prints "ready PID" and waits for a line on stdin. Then each of its goroutines makes its
// trees, whose size depends on their number only; some panic inside and recover. At the end
// it prints one line of JSON: calls of each function, by goroutine as well (all of them make as
// many), the goroutines' ids, and the number of calls in each tree:
//
//	{"calls":{"main.tree":N,...},"of_each":N,"goids":[...],"sizes":[...]}
//
// With -hot N, N goroutines then call main.hot, with -pause in between, until another line
// comes; each line until then is answered by a number that is higher than the last one if
// they go on. "end" ends it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type counts struct{ trees, branches, leaves, calls int }

//go:noinline
func tree(c *counts, id int) int {
	before := c.calls
	c.trees++
	c.calls++
	if id%5 == 4 {
		// The same function again: no tree of its own.
		tree(c, 0)
	}
	for i := 0; i < id%3; i++ {
		branch(c, id, i)
	}
	if id%7 == 6 {
		fails(c, id)
	}
	return c.calls - before
}

//go:noinline
func branch(c *counts, id, i int) {
	c.branches++
	c.calls++
	for k := 0; k <= i; k++ {
		leaf(c, id)
	}
	if id%11 == 10 {
		runtime.Gosched()
	}
}

//go:noinline
func leaf(c *counts, id int) int {
	c.leaves++
	c.calls++
	if id < 0 {
		panic(id)
	}
	return grow(id % 13)
}

// grow needs a stack that has to be moved.
//
//go:noinline
func grow(n int) int {
	var space [512]byte
	if n == 0 {
		return int(space[0])
	}
	space[n] = byte(n)
	return grow(n-1) + int(space[n])
}

//go:noinline
func fails(c *counts, id int) {
	defer func() { recover() }()
	branchOf(c, -1-id)
}

//go:noinline
func branchOf(c *counts, id int) { leaf(c, id) }

var called uint64

//go:noinline
func hot(n int) int {
	atomic.AddUint64(&called, 1)
	return n + 1
}

func goid() int {
	var text [64]byte
	n := runtime.Stack(text[:], false)
	id, _ := strconv.Atoi(string(bytes.Fields(text[:n])[1]))
	return id
}

func run(goroutines, trees int) {
	var wg sync.WaitGroup
	all := make([]counts, goroutines)
	goids := make([]int, goroutines)
	sizes := make([]int, trees)
	for g := 0; g < goroutines; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			goids[g] = goid()
			for id := 0; id < trees; id++ {
				size := tree(&all[g], id)
				if g == 0 {
					sizes[id] = size
				}
			}
		}(g)
	}
	wg.Wait()
	sum := counts{}
	for _, c := range all {
		sum.trees += c.trees
		sum.branches += c.branches
		sum.leaves += c.leaves
	}
	text, _ := json.Marshal(map[string]interface{}{
		"calls":   map[string]int{"main.tree": sum.trees, "main.branch": sum.branches, "main.leaf": sum.leaves},
		"of_each": all[0].calls, "goids": goids, "sizes": sizes,
	})
	fmt.Println(string(text))
}

func main() {
	goroutines := flag.Int("goroutines", 4, "goroutines that make trees")
	trees := flag.Int("trees", 10, "trees of each")
	hots := flag.Int("hot", 0, "goroutines that call main.hot")
	pause := flag.Duration("pause", 0, "between two calls of main.hot")
	flag.Parse()
	fmt.Printf("ready %d\n", os.Getpid())
	stdin := bufio.NewReader(os.Stdin)
	stdin.ReadString('\n')
	run(*goroutines, *trees)
	if *hots > 0 {
		stdin.ReadString('\n')
	}
	for i := 0; i < *hots; i++ {
		go func() {
			for n := 0; ; {
				n = hot(n)
				if *pause > 0 {
					time.Sleep(*pause)
				}
			}
		}()
	}
	for {
		line, err := stdin.ReadString('\n')
		if err != nil || strings.TrimSpace(line) == "end" {
			return
		}
		fmt.Println(atomic.LoadUint64(&called))
	}
}
