// SPDX-License-Identifier: GPL-2.0

// allocs allocates memory in several functions, and says how many bytes by its own profile of all allocations.
//
//	allocs
//
// It says "ready PID". After each line of its input it allocates, and answers with a line: {FUNCTION: BYTES, ...},
// of all that it has allocated since its first line. All sizes are those of size classes.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
)

type record struct{ a, b, c uint64 }

type node struct {
	next *node
	pad  [5]uint64
}

var (
	records []*record
	texts   [][]byte
	list    *node
)

//go:noinline
func newRecords(n int) {
	for i := 0; i < n; i++ {
		records[i%len(records)] = new(record)
	}
}

//go:noinline
func newTexts(n, size int) {
	for i := 0; i < n; i++ {
		texts[i%len(texts)] = make([]byte, size)
	}
}

//go:noinline
func newNodes(n int) {
	list = nil
	for i := 0; i < n; i++ {
		list = &node{next: list}
	}
}

//go:noinline
func small() { newTexts(1000, 64) }

//go:noinline
func large() { newTexts(40, 1<<20) }

//go:noinline
func work() {
	newRecords(3000)
	newNodes(2000)
	small()
	newTexts(300, 8192)
	large()
}

// allocates says whether it is a function that allocates for its caller. Others of the runtime may have sizes of no class.
func allocates(name string) bool {
	return name == "runtime.makeslice" || name == "runtime.newobject" || strings.HasPrefix(name, "runtime.mallocgc")
}

// profile sums the bytes by the function of this package that has asked for them.
func profile() map[string]int64 {
	// What is allocated is in the profile two collections later.
	runtime.GC()
	runtime.GC()
	all := make([]runtime.MemProfileRecord, 4096)
	n, _ := runtime.MemProfile(all, true)
	sums := map[string]int64{}
	for _, r := range all[:n] {
		frames := runtime.CallersFrames(r.Stack())
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "main.new") {
				sums[f.Function] += r.AllocBytes
			}
			if !more || !allocates(f.Function) {
				break
			}
		}
	}
	return sums
}

func main() {
	runtime.MemProfileRate = 1
	records = make([]*record, 100)
	texts = make([][]byte, 8)
	fmt.Println("ready", os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		work()
		json.NewEncoder(os.Stdout).Encode(profile())
	}
}
