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
	"strconv"
)

type count struct {
	Calls   int `json:"calls"`
	Returns int `json:"returns"`
	Unwound int `json:"unwound"`
	Open    int `json:"open"`
}

type call struct {
	fn  string
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

// after is what follows text in the line, or nil.
func after(line []byte, text string) []byte {
	at := bytes.Index(line, []byte(text))
	if at < 0 {
		return nil
	}
	return line[at+len(text):]
}

// text is the first string member called key; number, the first number.
func text(line []byte, key string) string {
	rest := after(line, `"`+key+`":"`)
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return ""
	}
	return string(rest[:end])
}

func number(line []byte, key string) (int64, bool) {
	rest := after(line, `"`+key+`":`)
	end := bytes.IndexAny(rest, ",}]")
	if end < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	return n, err == nil
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
		kind := text(line, "kind")
		if kind != "call" && kind != "return" && kind != "unwound" {
			if kind == "lost" {
				n, _ := number(line, "count")
				report.Lost += n
			}
			report.Others[kind]++
			continue
		}
		fn := text(line, "func")
		goid, ok := number(line, "goid")
		tid, _ := number(line, "tid")
		if !ok {
			wrong(line, "no goid")
			continue
		}
		c := report.Functions[fn]
		if c == nil {
			c = &count{}
			report.Functions[fn] = c
		}
		if kind != "unwound" {
			now, ok := number(line, "time_ns")
			if !ok || now < last {
				report.Disorder++
			}
			last = now
			report.Events++
		}
		stack := open[goid]
		if kind == "call" {
			c.Calls++
			tag, ok := number(after(line, `"name":"tag"`), "value")
			if !ok {
				wrong(line, "no tag")
			}
			open[goid] = append(stack, call{fn, tag, tid})
			continue
		}
		if len(stack) == 0 {
			wrong(line, "no call is open")
			continue
		}
		top := stack[len(stack)-1]
		open[goid] = stack[:len(stack)-1]
		if top.fn != fn {
			wrong(line, "the innermost call is of %s, tag %d", top.fn, top.tag)
		}
		if kind == "unwound" {
			c.Unwound++
			continue
		}
		c.Returns++
		if top.tid != tid {
			report.Moved++
		}
		value, ok := number(after(line, `"results":[`), "value")
		if !ok || value != top.tag*2+1 {
			wrong(line, "does not belong to tag %d", top.tag)
		}
	}
	for _, stack := range open {
		for _, c := range stack {
			report.Functions[c.fn].Open++
		}
	}
	out, err := json.Marshal(report)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out))
}
