// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

const person = `{"name":"p","type":"*main.P","value":"0xc000012340","to":{"Name":"a\u000a\"\\\udcff","Age":-3,` +
	`"Base":{"ID":18446744073709551615},"Next":{"type":"*main.P","value":"0xc0000140a0","to":{"Age":2,"Next":null}},` +
	`"Tags":["x",{"type":"string","value":"lo","truncated":true,"len":9}],"Freed":{"type":"int","unavailable":"no readable memory"}}}`

// TestValues: what each form of docs/json.md gives.
func TestValues(t *testing.T) {
	at := func(v Value, path ...interface{}) Value {
		for _, step := range path {
			switch step := step.(type) {
			case string:
				v = v.Field(step)
			case int:
				v = v.Index(step)
			default:
				v = v.Elem()
			}
		}
		return v
	}
	for _, row := range []struct {
		object string
		path   []interface{}
		want   string // kind, type, Int, Uint, Float, String, Len, IsNil, Err
	}{
		{`{"name":"n","type":"int","value":-5}`, nil, `2 int -5 18446744073709551611 -5 "-5" 0 false <nil>`},
		{`{"name":"n","type":"uint64","value":18446744073709551615}`, nil,
			`3 uint64 -1 18446744073709551615 1.8446744073709552e+19 "18446744073709551615" 0 false <nil>`},
		{`{"name":"b","type":"bool","value":true}`, nil, `1 bool 0 0 0 "true" 0 false <nil>`},
		{`{"name":"f","type":"float64","value":"NaN"}`, nil, `4 float64 0 0 NaN "\"NaN\"" 0 false <nil>`},
		{`{"name":"f","type":"main.F","value":1.5e+300}`, nil, `4 main.F 0 0 1.5e+300 "1.5e+300" 0 false <nil>`},
		{`{"name":"s","type":"string","value":"0x10"}`, nil, `6 string 0 0 0 "0x10" 4 false <nil>`},
		{`{"name":"s","type":"string","value":"ab","truncated":true,"len":400}`, nil, `6 string 0 0 0 "ab" 400 false <nil>`},
		{`{"name":"s","type":"string","unavailable":"cut at a limit","len":7}`, nil, `0 string 0 0 0 "<cut at a limit>" 7 false cut at a limit`},
		{`{"name":"b","type":"[]uint8","value":"\u0000\udc80"}`, []interface{}{1}, `3 uint8 128 128 128 "128" 0 false <nil>`},
		{`{"name":"a","type":"[2]string","value":["x","y"]}`, []interface{}{1}, `6 string 0 0 0 "y" 1 false <nil>`},
		{`{"name":"a","type":"[]int","value":[1],"truncated":true,"len":9}`, []interface{}{3}, `0 int 0 0 0 "<cut at a limit>" 0 false cut at a limit`},
		{`{"name":"a","type":"[]int","value":[1]}`, []interface{}{3}, `0 int 0 0 0 "<index out of range>" 0 false index out of range`},
		{`{"name":"p","type":"*int","value":null}`, []interface{}{nil}, `0 int 0 0 0 "<nil>" 0 false nil`},
		{`{"name":"p","type":"*int","value":"0xc000012340"}`, nil, `10 *int 0 824633795392 0 "\"0xc000012340\"" 0 false <nil>`},
		{`{"name":"p","type":"*int","value":"0xc000012340"}`, []interface{}{nil}, `0 int 0 0 0 "<not followed>" 0 false not followed`},
		{`{"name":"p","type":"*int","value":"0xc000012340","to":7}`, []interface{}{nil}, `2 int 7 7 7 "7" 0 false <nil>`},
		{`{"name":"f","type":"func(int)","value":{"type":"func(int)","address":"0x10","func":"main.f"}}`, nil,
			`14 func(int) 0 16 0 "{\"type\":\"func(int)\",\"address\":\"0x10\",\"func\":\"main.f\"}" 0 false <nil>`},
		{`{"name":"c","type":"<-chan int","value":{"type":"<-chan int","address":"0x10","len":2,"cap":4,"elements":[8]}}`,
			[]interface{}{0}, `2 int 8 8 8 "8" 0 false <nil>`},
		{`{"name":"e","type":"error","value":{"type":"main.E","address":"0x10","value":"boom","message":"boom"}}`, []interface{}{nil},
			`6 main.E 0 0 0 "boom" 4 false <nil>`},
		{`{"name":"e","type":"error","value":{"type":null,"address":"0x10","unavailable":"unknown type"}}`, []interface{}{nil},
			`0  0 0 0 "<unknown type>" 0 false unknown type`},
		{`{"name":"e","type":"error","value":null}`, nil, `11 error 0 0 0 "null" 0 true <nil>`},
		{person, []interface{}{"Name"}, `6  0 0 0 "a\n\"\\\xff" 5 false <nil>`},
		{person, []interface{}{"Age"}, `2  -3 18446744073709551613 -3 "-3" 0 false <nil>`},
		{person, []interface{}{"Base", "ID"}, `2  -1 18446744073709551615 1.8446744073709552e+19 "18446744073709551615" 0 false <nil>`},
		{person, []interface{}{"Next", "Age"}, `2  2 2 2 "2" 0 false <nil>`},
		{person, []interface{}{"Next", "Next"}, `15  0 0 0 "null" 0 true <nil>`},
		{person, []interface{}{"Next", "Next", "Age"}, `0  0 0 0 "<no such field>" 0 false no such field`},
		{person, []interface{}{"Tags", 1}, `6 string 0 0 0 "lo" 9 false <nil>`},
		{person, []interface{}{"Freed"}, `0 int 0 0 0 "<no readable memory>" 0 false no readable memory`},
		{person, []interface{}{"Nothing"}, `0  0 0 0 "<no such field>" 0 false no such field`},
	} {
		v := at(decodeValue([]byte(row.object), nil), row.path...)
		got := fmt.Sprintf("%d %s %v %v %v %q %v %v %v", v.Kind(), v.TypeName(), v.Int(), v.Uint(), v.Float(), v.String(), v.Len(), v.IsNil(), v.Err())
		if got != row.want {
			t.Errorf("%s, %v: %s, not %s", row.object, row.path, got, row.want)
		}
		if row.path == nil && string(v.JSON()) != row.object {
			t.Errorf("%s became %s", row.object, v.JSON())
		}
	}
}

// text has a blank between all.
func text(v ...interface{}) string { return strings.TrimSuffix(fmt.Sprintln(v...), "\n") }

// TestMapsAndTheRest are forms that give more than one value.
func TestMapsAndTheRest(t *testing.T) {
	m := decodeValue([]byte(`{"name":"m","type":"map[[2]string]*int","value":{"type":"map[[2]string]*int","address":"0x10","len":3,`+
		`"entries":[{"key":["a","b"],"value":null},{"key":["c","d"],"value":"0x20"}],"truncated":true}}`), nil)
	e := m.Entries()
	if got := text(m.Kind(), m.Len(), len(e), e[1].Key.Index(1), e[0].Key.TypeName(), e[0].Value.IsNil(), e[1].Value.Uint()); got != "12 3 2 d [2]string true 32" {
		t.Errorf("the map: %s", got)
	}
	c := decodeValue([]byte(`{"name":"c","type":"complex128","value":[1.5,-2]}`), nil)
	d := decodeValue([]byte(`{"name":"d","type":"time.Duration","value":1500000000,"text":"1.5s"}`), nil)
	f := decodeValue([]byte(`{"name":"f","type":"func()","value":{"type":"func()","address":"0x10","func":"main.f"}}`), nil)
	o := decodeValue([]byte(`{"name":"err","type":"error","value":{"type":"*os.PathError","address":"0x1","value":"0x1","to":{},"message":"open"}}`), nil)
	if got := text(c.Complex(), d.Text(), f.FuncName(), o.Message(), o.Elem().TypeName()); got != "(1.5-2i) 1.5s main.f open *os.PathError" {
		t.Errorf("the rest: %s", got)
	}
	var none Value
	if none.Err() == nil || none.Int() != 0 || none.Field("x").Elem().Index(1).Err() == nil || none.Entries() != nil {
		t.Error("the value of nothing")
	}
}

var lines = []string{
	`{"kind":"call","func":"shop.(*Cart).Add","pid":156,"tid":161,"goid":18,"time_ns":1795264005540427520,"args":[` + person +
		`,{"name":"qty","type":"int","value":4}],"registers":{"rax":"0x1f","rip":"0x4829e0"},` +
		`"set":[{"name":"qty","type":"int","value":5,"was":{"value":4}}],"delay_ns":50000000}`,
	`{"kind":"return","func":"main.f","pid":1,"tid":2,"goid":null,"time_ns":5,"system":true,"duration_ns":null,"duration_unavailable":"call not seen","unavailable":"why"}`,
	`{"kind":"return","func":"main.f","pid":1,"tid":2,"goid":3,"time_ns":5,"duration_ns":70,"split":{"running_ns":60,"gc_ns":10},"results":[{"name":"~r0","type":"int","value":1}]}`,
	`{"kind":"unwound","func":"main.f","pid":1,"tid":2,"goid":3,"time_ns":5,"seen_ns":9,"ended":"panic","panic":{"type":"interface {}","value":{"type":"string","address":"0x1","value":"b"}}}`,
	`{"kind":"at","func":"main.f","offset":31,"file":"/m.go","line":42,"inlined":"main.g","begins":true,"pid":1,"tid":2,"goid":3,"time_ns":5,"values":[{"name":"x","type":"int","value":1}]}`,
	`{"kind":"lost","cpu":1,"cause":"ring_full","count":7,"time_ns":6}`,
	`{"kind":"broken","hits_per_second":9,"percent":60,"max_percent":50,"hit_ns":800,"text":"it \"was\" too much"}`,
	`{"kind":"summary","events":2,"lost":3,"calls":1,"returns":2,"open":4,"waits":5,"wait_seconds":1.5,"lost_by_cause":{"ring_full":1,"no_ring":0,"no_room":2,"malformed":0}}`,
}

func TestEvents(t *testing.T) {
	var names interned
	var c Counts
	got := make([]string, 0, len(lines))
	for _, line := range lines {
		e := decodeEvent([]byte(line), &names)
		if e == nil {
			continue
		}
		c.add(e)
		if b, err := json.Marshal(e); err != nil || !json.Valid(b) || len(b) != len(line) {
			t.Errorf("%s became %s, %v", line, b, err)
		}
		got = append(got, text(e.Kind, e.Func, e.PID, e.TID, e.GoID, e.NoGoroutine, e.System, e.Time.UnixNano(), e.Duration, e.NoDuration, e.Split,
			e.Unavailable, len(e.Args), len(e.Results), len(e.Values), e.Registers, len(e.Set), e.Delay, e.Ended, e.CPU, e.Cause, e.Count))
	}
	want := []string{
		"call shop.(*Cart).Add 156 161 18 false false 1795264005540427520 0s  []  2 0 0 [{rax 31} {rip 4729312}] 1 50ms unwound 0  0",
		"return main.f 1 2 0 true true 5 0s call not seen [] why 0 0 0 [] 0 0s unwound 0  0",
		"return main.f 1 2 3 false false 5 70ns  [{running 60ns} {gc 10ns}]  0 1 0 [] 0 0s unwound 0  0",
		"unwound main.f 1 2 3 false false 5 0s  []  0 0 0 [] 0 0s panic 0  0",
		"at main.f 1 2 3 false false 5 0s  []  0 0 1 [] 0 0s unwound 0  0",
		"lost  0 0 0 false false 6 0s  []  0 0 0 [] 0 0s unwound 1 ring_full 7",
		"broken  0 0 0 false false -6795364578871345152 0s  []  0 0 0 [] 0 0s unwound 0  0",
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%d of %d: %q, not %q", i, len(got), got, want[i])
		}
	}
	call, at, broken := decodeEvent([]byte(lines[0]), nil), decodeEvent([]byte(lines[4]), nil), decodeEvent([]byte(lines[6]), nil)
	rax, _ := call.Register("rax")
	if got := text(call.Arg("qty").Int(), call.Set[0].Int(), call.Set[0].Was.Int(), rax, *at.Place, at.Value("x"), *broken.Load, call.Arg("no").Err()); got !=
		"4 5 4 31 {31 /m.go 42 main.g true} 1 {9 60 50 800ns} no such value" {
		t.Errorf("details: %s", got)
	}
	if got := text(c.Calls, c.Returns, c.Places, c.Unwound, c.Lost(), c.Broken, c.Ended); got != "1 2 1 1 7 9 false" {
		t.Errorf("while it runs: %s", got)
	}
	c.summary([]byte(lines[7]))
	if got := text(c.Calls, c.Returns, c.Open, c.Lost(), c.NoRoom, c.Waits, c.WaitTime, c.Ended); got != "1 2 4 3 2 5 1.5s true" {
		t.Errorf("at the end: %s", got)
	}
}

// TestDamagedLines: whatever is changed of a line, it is taken apart without a panic.
func TestDamagedLines(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	var walk func(v Value, depth int)
	walk = func(v Value, depth int) {
		_ = fmt.Sprint(v.Kind(), v.Int(), v.Uint(), v.Float(), v.Complex(), v.String(), v.Len(), v.IsNil(), v.FuncName(), v.Text(), v.Message())
		if depth > 0 {
			walk(v.Elem(), depth-1)
			walk(v.Index(0), depth-1)
			walk(v.Field("Next"), depth-1)
			for _, e := range v.Entries() {
				walk(e.Key, depth-1)
			}
		}
	}
	for i := 0; i < 20000; i++ {
		b := []byte(lines[r.Intn(len(lines))])
		for n := r.Intn(3) + 1; n > 0; n-- {
			if at := r.Intn(len(b)); r.Intn(3) == 0 {
				b = b[:at+1]
			} else {
				b[at] = `{}[]",:\u0n-`[r.Intn(12)]
			}
		}
		var c Counts
		c.summary(b)
		if e := decodeEvent(b, nil); e != nil {
			for _, v := range append(e.Args, e.Results...) {
				walk(v, 3)
			}
		}
	}
}

// BenchmarkEvent is what a call with five values takes.
func BenchmarkEvent(b *testing.B) {
	var names interned
	b.SetBytes(int64(len(lines[0])))
	for i := 0; i < b.N; i++ {
		e := decodeEvent([]byte(lines[0]), &names)
		if e.Arg("qty").Int() != 4 || !strings.HasPrefix(e.Func, "shop") {
			b.Fatal("wrong")
		}
	}
}
