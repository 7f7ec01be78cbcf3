// SPDX-License-Identifier: GPL-2.0

// pairs is no target: it reads goprobectl's JSON of a run of stress from stdin
// and checks it call by call. It is here, and in Go, because the same in Python
// takes minutes in an emulated machine.
//
// Each traced function of stress is given a tag and returns tag*2+1. Per
// goroutine pairs keeps the open calls; an "unwound" event must name the innermost
// one, a "return" too, and must carry its result. It prints one line of JSON:
// for each function the events seen, and what was wrong.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type count struct {
	Calls   int `json:"calls"`
	Returns int `json:"returns"`
	Unwound int `json:"unwound"`
	Open    int `json:"open"`
}

type call struct {
	*count
	tag int64
	tid int64
}

var report = struct {
	Functions map[string]*count `json:"functions"`
	Events    int               `json:"events"`   // calls and returns
	Moved     int               `json:"moved"`    // returns on another thread than their call
	Lost      int64             `json:"lost"`     // by the lost events
	Disorder  int               `json:"disorder"` // events older than the one before
	Wrong     []string          `json:"wrong"`    // the first few mistakes
	Mistakes  int               `json:"mistakes"`
	Others    map[string]int    `json:"others"` // events of other kinds
}{Functions: map[string]*count{}, Others: map[string]int{}, Wrong: []string{}}

func wrong(line []byte, format string, args ...interface{}) {
	report.Mistakes++
	if len(report.Wrong) < 10 {
		report.Wrong = append(report.Wrong, fmt.Sprintf(format, args...)+": "+string(line))
	}
}

// event is what counts of a line.
type event struct {
	kind, fn    []byte
	goid, tid   int64
	time, count int64
	tag, result int64 // -1: none
	tagNext     bool  // the value that comes next is the tag
}

// parse reads a line byte by byte: library functions for searching use vector
// instructions, which are what an emulated machine does slowest.
func parse(line []byte) event {
	e := event{goid: -1, tag: -1, result: -1}
	var key []byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			start := i + 1
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			if i >= len(line) {
				return e
			}
			text := line[start:i]
			if i+1 < len(line) && line[i+1] == ':' {
				key = text
				continue
			}
			switch string(key) {
			case "kind":
				e.kind = text
			case "func":
				e.fn = text
			case "name":
				e.tagNext = string(text) == "tag"
			}
			key = nil
		case c >= '0' && c <= '9':
			n := int64(0)
			for ; i < len(line) && line[i] >= '0' && line[i] <= '9'; i++ {
				n = n*10 + int64(line[i]-'0')
			}
			switch string(key) {
			case "goid":
				e.goid = n
			case "tid":
				e.tid = n
			case "time_ns":
				e.time = n
			case "count":
				e.count = n
			case "value":
				if e.tagNext {
					e.tag = n
				}
				if e.result < 0 {
					e.result = n
				}
				e.tagNext = false
			}
			key = nil
		}
	}
	return e
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	open := map[int64][]call{}
	var last int64
	for {
		line, err := in.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			break
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "pairs:", err)
			os.Exit(1)
		}
		line = bytes.TrimRight(line, "\n")
		e := parse(line)
		kind := string(e.kind)
		if kind != "call" && kind != "return" && kind != "unwound" {
			if kind == "lost" {
				report.Lost += e.count
			}
			report.Others[kind]++
			continue
		}
		if e.goid < 0 {
			wrong(line, "no goid")
			continue
		}
		c := report.Functions[string(e.fn)]
		if c == nil {
			c = &count{}
			report.Functions[string(e.fn)] = c
		}
		if kind != "unwound" {
			if e.time < last {
				report.Disorder++
			}
			last = e.time
			report.Events++
		}
		stack := open[e.goid]
		if kind == "call" {
			c.Calls++
			if e.tag < 0 {
				wrong(line, "no tag")
			}
			open[e.goid] = append(stack, call{c, e.tag, e.tid})
			continue
		}
		if len(stack) == 0 {
			wrong(line, "no call is open")
			continue
		}
		top := stack[len(stack)-1]
		open[e.goid] = stack[:len(stack)-1]
		if top.count != c {
			wrong(line, "the innermost call is of another function, tag %d", top.tag)
		}
		if kind == "unwound" {
			c.Unwound++
			continue
		}
		c.Returns++
		if top.tid != e.tid {
			report.Moved++
		}
		if e.result != top.tag*2+1 {
			wrong(line, "does not belong to tag %d", top.tag)
		}
	}
	for _, stack := range open {
		for _, c := range stack {
			c.Open++
		}
	}
	out, err := json.Marshal(report)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
