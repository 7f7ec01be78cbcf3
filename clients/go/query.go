// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"encoding/json"
	"strconv"
	"time"
)

// FuncCount is how often a function was called. With "--sum" or "--hist" in Options.CompilerArgs it has
// the statistics of a value, whose numbers can have a sign or be as large as uint64.
type FuncCount struct {
	Func    string      `json:"func"`
	Calls   uint64      `json:"calls"`
	Sum     json.Number `json:"sum"`  // "" if 64 bits may not hold it
	Mean    float64     `json:"mean"` // 0 then
	Min     json.Number `json:"min"`
	Max     json.Number `json:"max"`
	Buckets []Bucket    `json:"buckets"` // with "--hist"
}

// Bucket is a part of a histogram: the calls with values from From to below the next bucket's.
type Bucket struct {
	From  json.Number `json:"from"` // "" in the first one of "--linear": what is below it
	Calls uint64      `json:"calls"`
}

// FuncLatency is how long a function's calls took, as the kernel has counted it.
type FuncLatency struct {
	Func     string        `json:"func"`
	Calls    uint64        `json:"calls"`
	Returned uint64        `json:"returned"`
	Open     uint64        `json:"open"`
	Unwound  uint64        `json:"unwound"`
	Sum      time.Duration `json:"sum_ns"`
	Mean     time.Duration `json:"mean_ns"`
	Min      time.Duration `json:"min_ns"`
	P50      time.Duration `json:"p50_ns"`
	P90      time.Duration `json:"p90_ns"`
	P95      time.Duration `json:"p95_ns"`
	P99      time.Duration `json:"p99_ns"`
	P999     time.Duration `json:"p999_ns"`
	Max      time.Duration `json:"max_ns"`
}

// Frame is a call of a stack.
type Frame struct {
	Func    string `json:"func"` // "" where there is no Go function
	File    string `json:"file"`
	Line    int    `json:"line"`
	Inlined bool   `json:"inlined"`
}

// KeyPart is the value that calls have in common, of an expression of "--by".
type KeyPart struct {
	Expr  string          `json:"expr"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// Stack is where calls came from, innermost first, and how many. Options.CompilerArgs can have "--by" and
// "--weight".
type Stack struct {
	Count     uint64        `json:"count"`
	Sum       time.Duration `json:"sum_ns"`  // with "--weight" time or wait
	Wait      time.Duration `json:"wait_ns"` // of that, with "--weight" wait
	Key       []KeyPart     `json:"key"`     // with "--by"
	Frames    []Frame       `json:"frames"`
	CreatedBy *Frame        `json:"created_by"`
	Truncated bool          `json:"truncated"` // it was deeper than that
}

// Function is one of a program's.
type Function struct {
	Func      string `json:"func"`
	Signature string `json:"signature"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Refused   string `json:"refused"` // why it can't be traced, or ""
}

// objects appends what a command prints of a kind, decoded, to what add is about.
func objects(ctx context.Context, o *Options, command, kind string, args, words []string, add func(json.RawMessage) error) error {
	if err := checkWords(words); err != nil {
		return err
	}
	return Run(ctx, *o, command, append(args, words...), func(got string, object json.RawMessage) error {
		if got != kind {
			return nil
		}
		return add(object)
	})
}

// Count counts the calls of functions until ctx ends, or all of Options.PIDs have ended. Of the options
// PIDs, File, MaxLoad and those of goprobectl matter here.
func Count(ctx context.Context, o Options, specs ...string) (ret []FuncCount, err error) {
	err = objects(ctx, &o, "count", "count", append(o.target(), o.maxLoad()...), specs, func(b json.RawMessage) error {
		ret = append(ret, FuncCount{})
		return json.Unmarshal(b, &ret[len(ret)-1])
	})
	return ret, err
}

// Latencies measures, as Count counts, how long calls of functions take. It costs the program less than a
// Session, which gets an event for each call.
func Latencies(ctx context.Context, o Options, specs ...string) (ret []FuncLatency, err error) {
	err = objects(ctx, &o, "latency", "latency", append(o.target(), o.maxLoad()...), specs, func(b json.RawMessage) error {
		ret = append(ret, FuncLatency{})
		return json.Unmarshal(b, &ret[len(ret)-1])
	})
	return ret, err
}

// Stacks counts, as Count does, the stacks of calls of functions; the most frequent stack is first.
func Stacks(ctx context.Context, o Options, specs ...string) (ret []Stack, err error) {
	err = objects(ctx, &o, "stack", "stack", append(o.target(), o.maxLoad()...), specs, func(b json.RawMessage) error {
		ret = append(ret, Stack{})
		return json.Unmarshal(b, &ret[len(ret)-1])
	})
	return ret, err
}

// List lists the functions whose names the patterns match, of Options.PIDs or File. The module is not needed.
func List(ctx context.Context, o Options, patterns ...string) (ret []Function, err error) {
	err = objects(ctx, &o, "list", "function", o.target(), patterns, func(b json.RawMessage) error {
		ret = append(ret, Function{})
		return json.Unmarshal(b, &ret[len(ret)-1])
	})
	return ret, err
}

// Read reads variables, or what expressions of them give, of a running process.
func Read(ctx context.Context, o Options, pid int, exprs ...string) (ret []Value, err error) {
	err = objects(ctx, &o, "read", "read", []string{"-p", strconv.Itoa(pid)}, exprs, func(b json.RawMessage) error {
		ret = append(ret, decodeValues(member(b, "values"), nil)...)
		return nil
	})
	return ret, err
}
