// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Kind says what a value is underneath.
type Kind int

// Kinds of values.
const (
	KindNone Kind = iota // it is unavailable: Err says why
	KindBool
	KindInt
	KindUint
	KindFloat
	KindComplex
	KindString
	KindSlice
	KindArray
	KindStruct
	KindPointer
	KindInterface
	KindMap
	KindChan
	KindFunc
	KindNil // nil, of a type that is not known
)

// Value is an argument, a result, or something inside or behind one. It stays good for as long as it is
// kept, and can be used by several goroutines. What a value is not gives zero: Int of a string is 0. Err
// distinguishes a zero that was seen from a value that is unavailable.
type Value struct {
	name, typ string
	why       string // it is unavailable: why
	v         []byte // JSON of the value alone
	all       []byte // of the object with that and what else is known of it, or nil
}

// decodeValue is a value with what else there is, as the argument of a call.
func decodeValue(object []byte, names *interned) Value {
	v := Value{all: object}
	s := itemsOf(object)
	for key, value, ok := s.member(); ok; key, value, ok = s.member() {
		switch string(key) {
		case "name":
			v.name = names.of(value)
		case "type":
			v.typ = names.of(value)
		case "value":
			v.v = value
		case "unavailable":
			v.why = names.of(value)
		}
	}
	if v.v == nil && v.why == "" {
		v.why = "no such value"
	}
	return v
}

// isTyped: it is no struct, but an object that says what a value is.
func isTyped(b []byte) bool { return bytes.HasPrefix(b, []byte(`{"type":`)) }

// inside is a value inside or behind another. typ is its type, or "" if that is not known.
func inside(b []byte, typ string) Value {
	if !isTyped(b) {
		return Value{typ: typ, v: b}
	}
	if member(b, "address") == nil {
		return decodeValue(b, nil)
	}
	v := Value{typ: typ, v: b}
	if typ == "" && v.Kind() != KindInterface {
		v.typ = string(unquote(member(b, "type")))
	}
	return v
}

func unavailable(typ, why string) Value { return Value{typ: typ, why: why} }

// Name is that of the parameter or result, or the expression that was asked for.
func (v Value) Name() string { return v.name }

// TypeName is the type as Go writes it, with whole package paths. It is known of arguments, results, and
// what pointers, slices, maps, channels and interfaces lead to; of a field it is "" as a rule.
func (v Value) TypeName() string { return v.typ }

// Err says why the value is unavailable, or nil.
func (v Value) Err() error {
	if v.why != "" {
		return errors.New(v.why)
	}
	if v.v == nil {
		return errors.New("no such value")
	}
	return nil
}

var predeclared = map[string]Kind{
	"bool": KindBool, "int": KindInt, "int8": KindInt, "int16": KindInt, "int32": KindInt, "int64": KindInt,
	"uint": KindUint, "uint8": KindUint, "uint16": KindUint, "uint32": KindUint, "uint64": KindUint,
	"uintptr": KindUint, "float32": KindFloat, "float64": KindFloat, "complex64": KindComplex,
	"complex128": KindComplex, "string": KindString, "unsafe.Pointer": KindPointer, "register": KindPointer,
	"error": KindInterface,
}

var constructors = []struct {
	prefix string
	kind   Kind
}{
	{"*", KindPointer}, {"[]", KindSlice}, {"[", KindArray}, {"map[", KindMap}, {"chan ", KindChan},
	{"<-chan ", KindChan}, {"chan<- ", KindChan}, {"func(", KindFunc}, {"struct {", KindStruct},
	{"interface {", KindInterface},
}

// kindOf is the kind of a type by its name; KindNone: that does not say.
func kindOf(typ string) Kind {
	if k, ok := predeclared[typ]; ok {
		return k
	}
	for _, c := range constructors {
		if strings.HasPrefix(typ, c.prefix) {
			return c.kind
		}
	}
	return KindNone
}

// Kind says what it is underneath. If the type's name does not say (a named type, a field), the form of
// the value in JSON decides: an integer is then KindInt, an array KindSlice, a float without a fraction
// KindInt, an address that was not followed KindString.
func (v Value) Kind() Kind {
	if v.Err() != nil {
		return KindNone
	}
	if k := kindOf(v.typ); k != KindNone {
		return k
	}
	switch v.v[0] {
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNil
	case '"':
		if v.member("to") != nil || v.member("func") != nil {
			return KindPointer
		}
		return KindString
	case '[':
		return KindSlice
	case '{':
		return objectKind(v.v)
	}
	if strings.ContainsAny(string(v.v), ".e") {
		return KindFloat
	}
	return KindInt
}

func objectKind(b []byte) Kind {
	switch {
	case !isTyped(b):
		return KindStruct
	case member(b, "value") != nil:
		return KindInterface
	case member(b, "entries") != nil:
		return KindMap
	case member(b, "cap") != nil:
		return KindChan
	case member(b, "func") != nil:
		return KindFunc
	}
	switch k := kindOf(string(unquote(member(b, "type")))); k {
	case KindMap, KindChan, KindFunc:
		return k
	}
	return KindInterface
}

// member is something that is said beside the value.
func (v Value) member(name string) []byte { return member(v.all, name) }

// Bool is a bool's value.
func (v Value) Bool() bool { return string(v.v) == "true" }

func (v Value) isNumber() bool {
	return len(v.v) > 0 && (v.v[0] == '-' || v.v[0] >= '0' && v.v[0] <= '9')
}

// Int is an integer's value, whether it is signed or not.
func (v Value) Int() int64 {
	if !v.isNumber() {
		return 0
	}
	return int64(number(v.v))
}

// Uint is an integer's value, or the address that a pointer, map, channel or function is.
func (v Value) Uint() uint64 {
	if isTyped(v.v) {
		return number(member(v.v, "address"))
	}
	if len(v.v) == 0 || v.v[0] == '"' && v.typ == "string" {
		return 0
	}
	return number(v.v)
}

func float(b []byte) float64 {
	if len(b) > 0 && b[0] == '"' {
		b = unquote(b)
	}
	f, _ := strconv.ParseFloat(string(b), 64)
	return f
}

// Float is a floating-point number's value.
func (v Value) Float() float64 {
	if v.isNumber() || kindOf(v.typ) == KindFloat {
		return float(v.v)
	}
	return 0
}

// Complex is a complex number's value.
func (v Value) Complex() complex128 {
	if k := kindOf(v.typ); k != KindComplex && k != KindNone {
		return 0
	}
	s := itemsOf(v.v)
	re, _ := s.next()
	im, _ := s.next()
	return complex(float(re), float(im))
}

// Bytes are those of a string or a []byte, as many as were captured: Len says how many there are.
func (v Value) Bytes() []byte {
	if k := kindOf(v.typ); k == KindPointer || k == KindFloat {
		return nil
	}
	return unquote(v.v)
}

// String is the text of a string, as far as it was captured; of all else its JSON.
func (v Value) String() string {
	switch err := v.Err(); {
	case err != nil:
		return "<" + err.Error() + ">"
	case v.Kind() == KindString:
		return string(v.Bytes())
	}
	return string(v.v)
}

// Text is what goprobectl shows of a time, a duration, an address of the network and others besides the
// value; "" if there is nothing.
func (v Value) Text() string { return string(unquote(v.member("text"))) }

// Message is what Error() returns, of an error that goprobectl knows; else "".
func (v Value) Message() string {
	if isTyped(v.v) {
		return string(unquote(member(v.v, "message")))
	}
	return string(unquote(v.member("message")))
}

// Len is that of a string, slice, array, map or channel.
func (v Value) Len() int {
	if n := v.member("len"); n != nil {
		return int(number(n))
	}
	switch {
	case v.Err() != nil:
		return 0
	case isTyped(v.v):
		return int(number(member(v.v, "len")))
	case v.v[0] == '[':
		n, s := 0, itemsOf(v.v)
		for _, ok := s.next(); ok; _, ok = s.next() {
			n++
		}
		return n
	}
	return len(v.Bytes())
}

// IsNil reports whether a pointer, slice, map, channel, function or interface is nil.
func (v Value) IsNil() bool { return string(v.v) == "null" }

// elemType is the type of what a pointer, slice, array, channel or map of a type leads to, and that of a
// map's keys; "" if the name does not say.
func elemType(typ string) (key, elem string) {
	for _, prefix := range []string{"*", "[]", "chan ", "<-chan ", "chan<- "} {
		if strings.HasPrefix(typ, prefix) {
			return "", typ[len(prefix):]
		}
	}
	if !strings.HasPrefix(typ, "[") && !strings.HasPrefix(typ, "map[") {
		return "", ""
	}
	depth := 0
	for i, c := range typ {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return strings.TrimPrefix(typ[:i], "map["), typ[i+1:]
			}
		}
	}
	return "", ""
}

// Elem is what a pointer points to or an interface holds.
func (v Value) Elem() Value {
	_, elem := elemType(v.typ)
	switch {
	case v.Err() != nil:
		return v
	case v.IsNil():
		return unavailable(elem, "nil")
	case v.Kind() == KindInterface:
		held := decodeValue(v.v, nil)
		held.name = ""
		return held
	case v.member("to") != nil:
		return inside(v.member("to"), elem)
	case v.Uint() != 0:
		return unavailable(elem, "not followed")
	}
	return unavailable("", "not a pointer")
}

// Field is a field of a struct, or of what a pointer or an interface leads to. One that an embedded struct
// promotes is a field of the field that goes by the embedded type's name.
func (v Value) Field(name string) Value {
	for hops := 0; hops < 8; hops++ {
		if k := v.Kind(); k != KindPointer && k != KindInterface {
			break
		}
		v = v.Elem()
	}
	if v.Err() != nil {
		return v
	}
	if isTyped(v.v) {
		return unavailable("", "no such field")
	}
	field := member(v.v, name)
	if field == nil {
		return unavailable("", "no such field")
	}
	return inside(field, "")
}

// Index is an element of a slice or array, a byte of a string, or what will be received i-th.
func (v Value) Index(i int) Value {
	_, elem := elemType(v.typ)
	list := v.v
	switch {
	case v.Err() != nil:
		return v
	case i < 0 || i >= v.Len():
		return unavailable(elem, "index out of range")
	case v.v[0] == '"':
		if b := v.Bytes(); i < len(b) {
			return Value{typ: "uint8", v: strconv.AppendUint(nil, uint64(b[i]), 10)}
		}
		return unavailable("uint8", "cut at a limit")
	case isTyped(v.v):
		list = member(v.v, "elements")
	}
	s := itemsOf(list)
	for element, ok := s.next(); ok; element, ok = s.next() {
		if i == 0 {
			return inside(element, elem)
		}
		i--
	}
	return unavailable(elem, "cut at a limit")
}

// Entry is a map's key and what it stands for.
type Entry struct{ Key, Value Value }

// Entries are those of a map that were captured, in the order of their keys.
func (v Value) Entries() []Entry {
	var ret []Entry
	key, elem := elemType(v.typ)
	s := itemsOf(member(v.v, "entries"))
	for e, ok := s.next(); ok; e, ok = s.next() {
		ret = append(ret, Entry{inside(member(e, "key"), key), inside(member(e, "value"), elem)})
	}
	return ret
}

// FuncName is the name of the function that a value of function type is.
func (v Value) FuncName() string {
	if isTyped(v.v) {
		return string(unquote(member(v.v, "func")))
	}
	return string(unquote(v.member("func")))
}

// JSON is what goprobectl has printed of the value, with whatever there is to say of it.
func (v Value) JSON() json.RawMessage {
	switch {
	case v.all != nil:
		return v.all
	case v.v != nil:
		return v.v
	}
	return json.RawMessage("null")
}

// MarshalJSON is JSON.
func (v Value) MarshalJSON() ([]byte, error) { return v.JSON(), nil }
