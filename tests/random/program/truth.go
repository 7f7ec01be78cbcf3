// SPDX-License-Identifier: GPL-2.0

// The part of each random program that is the same in all: it writes for each
// call and each return one line of JSON with the values that a tracer should
// show, in the form of tests/delve/canon.py. What it knows it has from reflect,
// or noted when it made the value.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

var truth = bufio.NewWriterSize(os.Stdout, 1<<16)

// enter says that a function is about to be called; args are pointers to its arguments.
func enter(function, names string, args ...interface{}) { line("call", function, names, args) }

// leave says what it returned.
func leave(function, names string, results ...interface{}) { line("return", function, names, results) }

// left says that it returned something that nobody looks at.
func left(function string) { line("return", function, "", nil) }

// unwound says that a panic with that value ended it.
func unwound(function string, value interface{}) {
	if value != nil && reflect.TypeOf(value).String() == "*runtime.PanicNilError" {
		value = nil // which is what panic was given
	}
	line("unwound", function, "panic", []interface{}{&value})
}

func line(kind, function, names string, pointers []interface{}) {
	w := writer{b: make([]byte, 0, 4096)}
	w.raw(`{"event":"`, kind, `","func":`)
	w.text(function)
	w.raw(`,"goid":`, strconv.Itoa(goid))
	if kind != "return" || pointers != nil {
		w.raw(`,"values":[`)
		each := strings.Fields(names)
		for i, p := range pointers {
			if i > 0 {
				w.raw(",")
			}
			w.raw(`{"name":`)
			w.text(each[i])
			w.raw(`,"value":`)
			w.value(reflect.ValueOf(p).Elem())
			w.raw("}")
		}
		w.raw("]")
	}
	w.raw("}\n")
	truth.Write(w.b)
}

// goid is that of the goroutine that makes the calls; only one does at a time.
var goid int

func thisGoroutine() int {
	buf := make([]byte, 64)
	n, _ := strconv.Atoi(strings.Fields(string(buf[:runtime.Stack(buf, false)]))[1])
	return n
}

type place struct {
	at uintptr
	of reflect.Type
}

type writer struct {
	b    []byte
	path []place // pointers that are being followed: a cycle ends there
}

func (w *writer) raw(s ...string) {
	for _, s := range s {
		w.b = append(w.b, s...)
	}
}

// text writes bytes as characters of Latin-1.
func (w *writer) text(s string) {
	const hex = "0123456789abcdef"
	w.b = append(w.b, '"')
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			w.b = append(w.b, c)
		} else {
			w.b = append(w.b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	w.b = append(w.b, '"')
}

func (w *writer) address(at uintptr) {
	w.raw(`,"address":"0x`, strconv.FormatUint(uint64(at), 16), `"`)
}

// header is what a reflect.Value is made of.
type header struct {
	of   unsafe.Pointer
	ptr  unsafe.Pointer
	flag uintptr
}

const (
	readOnly = 1<<5 | 1<<6
	indirect = 1 << 7
)

// said writes what the value's own methods say of it, or what a Go program would call it.
func (w *writer) said(v reflect.Value) {
	if v.Kind() == reflect.Interface {
		return
	}
	defer func() { recover() }() // a method that can't bear the value
	x := v.Interface()
	var text string
	if t, ok := x.(time.Time); ok {
		text = t.UTC().Format(time.RFC3339Nano)
		if t == (time.Time{}) {
			text = "time.Time{}"
		}
	} else if t, ok := x.(time.Month); ok {
		text = "time." + t.String()
	} else if t, ok := x.(fmt.Stringer); ok {
		text = t.String()
	}
	if text != "" {
		w.raw(`,"text":`)
		w.text(text)
	}
	if e, ok := x.(error); ok {
		message := e.Error()
		w.raw(`,"message":`)
		w.text(message)
	}
}

func (w *writer) value(v reflect.Value) {
	(*header)(unsafe.Pointer(&v)).flag &^= readOnly // also what is not exported can be looked at
	t := v.Type()
	w.raw(`{"type":`)
	w.text(t.String())
	w.said(v)
	switch v.Kind() {
	case reflect.Bool:
		w.raw(`,"kind":"bool","value":`, strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		w.raw(`,"kind":"int","value":`, strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		w.raw(`,"kind":"int","value":`, strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32, reflect.Float64:
		w.raw(`,"kind":"float","bits":`, strconv.Itoa(t.Bits()), `,"value":"`, float(v.Float(), t.Bits()), `"`)
	case reflect.Complex64, reflect.Complex128:
		c, bits := v.Complex(), t.Bits()/2
		w.raw(`,"kind":"complex","bits":`, strconv.Itoa(bits), `,"value":["`, float(real(c), bits), `","`, float(imag(c), bits), `"]`)
	case reflect.String:
		w.raw(`,"kind":"string","value":`)
		w.text(v.String())
	case reflect.Slice, reflect.Array:
		w.sequence(v)
	case reflect.Struct:
		w.raw(`,"kind":"struct","fields":[`)
		for i := 0; i < v.NumField(); i++ {
			if i > 0 {
				w.raw(",")
			}
			w.raw("[")
			w.text(t.Field(i).Name)
			w.raw(",")
			w.value(v.Field(i))
			w.raw("]")
		}
		w.raw("]")
	case reflect.Ptr:
		w.pointer(v)
	case reflect.UnsafePointer:
		w.raw(`,"kind":"unsafe"`)
		w.nilOr(v.Pointer() == 0, v.Pointer())
	case reflect.Interface:
		w.raw(`,"kind":"interface"`)
		if v.IsNil() {
			w.raw(`,"nil":true`)
		} else {
			w.raw(`,"value":`)
			w.value(v.Elem())
		}
	case reflect.Map:
		w.entries(v)
	case reflect.Chan:
		w.channel(v)
	case reflect.Func:
		w.function(v)
	}
	w.raw("}")
}

func float(x float64, bits int) string { return strconv.FormatFloat(x, 'g', -1, bits) }

func (w *writer) nilOr(isNil bool, at uintptr) bool {
	if isNil {
		w.raw(`,"nil":true`)
	} else {
		w.address(at)
	}
	return isNil
}

func (w *writer) sequence(v reflect.Value) {
	if v.Kind() == reflect.Array {
		w.raw(`,"kind":"array"`)
	} else {
		w.raw(`,"kind":"slice"`)
		if v.IsNil() {
			w.raw(`,"nil":true`)
			return
		}
	}
	w.raw(`,"elements":[`)
	for i := 0; i < v.Len(); i++ {
		if i > 0 {
			w.raw(",")
		}
		w.value(v.Index(i))
	}
	w.raw("]")
}

func (w *writer) pointer(v reflect.Value) {
	w.raw(`,"kind":"pointer"`)
	if w.nilOr(v.IsNil(), v.Pointer()) {
		return
	}
	w.raw(`,"value":`)
	here := place{v.Pointer(), v.Type()}
	for _, p := range w.path {
		if p == here {
			w.raw(`{"kind":"unread","why":"cycle","type":`)
			w.text(v.Type().Elem().String())
			w.raw("}")
			return
		}
	}
	w.path = append(w.path, here)
	w.value(v.Elem())
	w.path = w.path[:len(w.path)-1]
}

func (w *writer) entries(v reflect.Value) {
	w.raw(`,"kind":"map"`)
	if w.nilOr(v.IsNil(), v.Pointer()) {
		return
	}
	w.raw(`,"entries":[`)
	first := true
	for r := v.MapRange(); r.Next(); first = false {
		if !first {
			w.raw(",")
		}
		w.raw("[")
		w.value(r.Key())
		w.raw(",")
		w.value(r.Value())
		w.raw("]")
	}
	w.raw("]")
}

// Values in the buffers of channels that fill has made: nothing else may receive them.
var buffered = map[uintptr][]reflect.Value{}
var closed = map[uintptr]bool{}

func (w *writer) channel(v reflect.Value) {
	w.raw(`,"kind":"chan"`)
	if w.nilOr(v.IsNil(), v.Pointer()) {
		return
	}
	w.raw(`,"cap":`, strconv.Itoa(v.Cap()), `,"closed":`, strconv.FormatBool(closed[v.Pointer()]), `,"receivers":0,"senders":0,"elements":[`)
	for i, x := range buffered[v.Pointer()] {
		if i > 0 {
			w.raw(",")
		}
		w.value(x)
	}
	w.raw("]")
}

// A closure's variable, and what it holds: the value, or a pointer to it.
type variable struct {
	name    string
	pointer reflect.Value
}

// Captured variables of closures, by the address of the closure.
var captured = map[uintptr][]variable{}

// capture notes what a closure has captured: name, pointer to the variable or a copy of it, and so on.
func capture(closure interface{}, what ...interface{}) {
	var list []variable
	for i := 0; i < len(what); i += 2 {
		list = append(list, variable{what[i].(string), reflect.ValueOf(what[i+1]).Elem()})
	}
	captured[object(reflect.ValueOf(closure))] = list
}

// object returns a function value's word: the address of its closure. reflect has only that of the code.
func object(v reflect.Value) uintptr {
	r := (*header)(unsafe.Pointer(&v))
	p := r.ptr
	if r.flag&indirect != 0 {
		p = *(*unsafe.Pointer)(p)
	}
	if *(*uintptr)(p) != v.Pointer() {
		panic("reflect.Value is another one than this program knows")
	}
	return uintptr(p)
}

func (w *writer) function(v reflect.Value) {
	w.raw(`,"kind":"func"`)
	if v.IsNil() {
		w.raw(`,"nil":true`)
		return
	}
	w.address(object(v))
	w.raw(`,"value":`)
	w.text(runtime.FuncForPC(v.Pointer()).Name())
	if list := captured[object(v)]; list != nil {
		w.raw(`,"captured":[`)
		for i, one := range list {
			if i > 0 {
				w.raw(",")
			}
			w.raw("[")
			w.text(one.name)
			w.raw(",")
			w.value(one.pointer)
			w.raw("]")
		}
		w.raw("]")
	}
}

// use keeps what the compiler would leave out.
//
//go:noinline
func use(...interface{}) { atomic.AddInt32(&used, 1) }

var used int32
