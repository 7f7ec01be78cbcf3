// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"unicode/utf8"
	"unsafe"
)

// What a tracer copies by default: see plan_defaults in tool/plan/plan.h.
const (
	stringLimit  = 256
	elementLimit = 64
)

// value is an argument or a result: its name, and a pointer to it, so that its
// static type is known even if it is an interface.
type value struct {
	name string
	at   reflect.Value
}

// kept makes the compiler put its value onto the heap: addresses on a stack
// change when it grows.
var kept interface{}

func v(name string, pointer interface{}) value {
	kept = pointer
	return value{name, reflect.ValueOf(pointer).Elem()}
}

// in prints the line that a tracer should print for a call, out the one for a
// return.
func in(fn string, args ...value)     { line("call", fn, "args", args) }
func out(fn string, results ...value) { line("return", fn, "results", results) }

func line(kind, fn, list string, values []value) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":%q,"func":%s,"goid":1,%q:[`, kind, quote([]byte(fn)), list)
	for i, val := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":%s,"type":%s,`, quote([]byte(val.name)), quote([]byte(typeName(val.at.Type()))))
		member(&b, val.at)
		b.WriteByte('}')
	}
	b.WriteString("]}\n")
	fmt.Print(b.String())
}

// typeName is a type as a person would write it.
func typeName(t reflect.Type) string {
	if name := t.String(); name != "[]uint8" {
		return name
	}
	return "[]byte"
}

// member writes the members of a JSON object that describe a value: "value", what a
// cut value has besides, and "to": what is at the end of a pointer.
func member(b *bytes.Buffer, r reflect.Value) {
	r = open(r)
	b.WriteString(`"value":`)
	encode(b, r)
	if cut(r) {
		fmt.Fprintf(b, `,"truncated":true,"len":%d`, r.Len())
	}
	if leads(r) {
		b.WriteString(`,"to":`)
		within(b, r.Elem())
	}
}

// within writes a value inside another one: alone if that is all there is to say.
func within(b *bytes.Buffer, r reflect.Value) {
	r = open(r)
	if !cut(r) && !leads(r) {
		encode(b, r)
		return
	}
	fmt.Fprintf(b, `{"type":%s,`, quote([]byte(typeName(r.Type()))))
	member(b, r)
	b.WriteByte('}')
}

// open makes a value that is in memory, and in an exported field.
func open(r reflect.Value) reflect.Value {
	if !r.CanAddr() {
		n := reflect.New(r.Type())
		n.Elem().Set(r)
		return n.Elem()
	}
	return reflect.NewAt(r.Type(), unsafe.Pointer(r.UnsafeAddr())).Elem()
}

// cut says whether a tracer shows only the beginning.
func cut(r reflect.Value) bool {
	switch r.Kind() {
	case reflect.String:
		return r.Len() > stringLimit
	case reflect.Slice:
		return r.Len() > elementLimit
	}
	return false
}

// leads says whether a tracer shows what a pointer leads to.
func leads(r reflect.Value) bool {
	return r.Kind() == reflect.Ptr && !r.IsNil()
}

func encode(b *bytes.Buffer, r reflect.Value) {
	switch r.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(r.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.WriteString(strconv.FormatInt(r.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		b.WriteString(strconv.FormatUint(r.Uint(), 10))
	case reflect.Float32:
		float(b, r.Float(), 32)
	case reflect.Float64:
		float(b, r.Float(), 64)
	case reflect.Complex64, reflect.Complex128:
		bits := r.Type().Bits() / 2
		b.WriteByte('[')
		float(b, real(r.Complex()), bits)
		b.WriteByte(',')
		float(b, imag(r.Complex()), bits)
		b.WriteByte(']')
	case reflect.String:
		s := r.String()
		if len(s) > stringLimit {
			s = s[:stringLimit]
		}
		b.WriteString(quote([]byte(s)))
	case reflect.Slice:
		if r.IsNil() {
			b.WriteString("null")
			return
		}
		n := r.Len()
		if n > elementLimit {
			n = elementLimit
		}
		if r.Type().Elem().Kind() == reflect.Uint8 {
			b.WriteString(quote(r.Bytes()[:n]))
			return
		}
		list(b, r, n)
	case reflect.Array:
		list(b, r, r.Len())
	case reflect.Struct:
		if pairs, ok := stored[r.UnsafeAddr()]; ok {
			storedPairs(b, pairs)
			return
		}
		b.WriteByte('{')
		shown := 0
		for i := 0; i < r.NumField(); i++ {
			if r.Type().Field(i).Name == "_" {
				continue
			}
			if shown++; shown > 1 {
				b.WriteByte(',')
			}
			b.WriteString(quote([]byte(r.Type().Field(i).Name)))
			b.WriteByte(':')
			within(b, r.Field(i))
		}
		b.WriteByte('}')
	case reflect.Interface:
		if r.IsNil() {
			b.WriteString("null")
			return
		}
		words := (*[2]uintptr)(r.Addr().UnsafePointer())
		fmt.Fprintf(b, `{"type":%s,"address":"%#x",`, quote([]byte(typeName(r.Elem().Type()))), words[1])
		member(b, r.Elem())
		b.WriteByte('}')
	default:
		// What is a pointer in memory. A function's address here is that of its
		// closure, not of its code.
		p := *(*uintptr)(r.Addr().UnsafePointer())
		switch {
		case p == 0:
			b.WriteString("null")
		case r.Kind() == reflect.Ptr || r.Kind() == reflect.UnsafePointer:
			fmt.Fprintf(b, `"%#x"`, p)
		default:
			fmt.Fprintf(b, `{"type":%s,"address":"%#x"`, quote([]byte(typeName(r.Type()))), p)
			behind(b, r)
			b.WriteByte('}')
		}
	}
}

// behind writes what there is of a map, a channel or a function.
func behind(b *bytes.Buffer, r reflect.Value) {
	switch r.Kind() {
	case reflect.Map:
		fmt.Fprintf(b, `,"len":%d,"entries":[`, r.Len())
		for i, key := range sorted(r) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"key":`)
			within(b, key)
			b.WriteString(`,"value":`)
			within(b, r.MapIndex(key))
			b.WriteByte('}')
		}
		b.WriteByte(']')
	case reflect.Chan:
		fmt.Fprintf(b, `,"len":%d,"cap":%d`, r.Len(), r.Cap())
		if elements, ok := inside[r.Pointer()]; ok {
			b.WriteString(`,"elements":`)
			list(b, elements, elements.Len())
		}
	case reflect.Func:
		fmt.Fprintf(b, `,"func":%s`, quote([]byte(runtime.FuncForPC(r.Pointer()).Name())))
	}
}

// inside has the elements of channels: only their maker knows them.
var inside = map[uintptr]reflect.Value{}

// stored has what was stored in maps of type sync.Map, in the order of keys: the
// interfaces themselves, which a map copies.
var stored = map[uintptr][][2]interface{}{}

func storedPairs(b *bytes.Buffer, pairs [][2]interface{}) {
	b.WriteString(`{"entries":[`)
	for i := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"key":`)
		within(b, reflect.ValueOf(&pairs[i][0]).Elem())
		b.WriteString(`,"value":`)
		within(b, reflect.ValueOf(&pairs[i][1]).Elem())
		b.WriteByte('}')
	}
	b.WriteString("]}")
}

// sorted has the keys of a map with strings or integers for keys.
func sorted(r reflect.Value) []reflect.Value {
	keys := r.MapKeys()
	sort.Slice(keys, func(i, j int) bool {
		if keys[i].Kind() == reflect.String {
			return keys[i].String() < keys[j].String()
		}
		return keys[i].Int() < keys[j].Int()
	})
	return keys
}

func list(b *bytes.Buffer, r reflect.Value, n int) {
	b.WriteByte('[')
	for i := 0; i < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		within(b, r.Index(i))
	}
	b.WriteByte(']')
}

func float(b *bytes.Buffer, f float64, bits int) {
	switch {
	case math.IsNaN(f):
		b.WriteString(`"NaN"`)
	case math.IsInf(f, 1):
		b.WriteString(`"+Inf"`)
	case math.IsInf(f, -1):
		b.WriteString(`"-Inf"`)
	default:
		b.WriteString(strconv.FormatFloat(f, 'g', -1, bits))
	}
}

// quote writes a JSON string; a byte that is not part of UTF-8 becomes \udcXX, a
// lone surrogate, from which it can be had back.
func quote(s []byte) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\udc%02x`, s[0])
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(s[0])
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.Write(s[:n])
		}
		s = s[n:]
	}
	b.WriteByte('"')
	return b.String()
}
