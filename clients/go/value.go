// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Kind says what a value is underneath.
type Kind int

// Kinds of values.
const (
	KindNone Kind = iota // it can't be had: Err says why
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
)

// Value is an argument, a result, or something inside or behind one. It stays good for as
// long as it is kept, and can be used by several goroutines. What a value is not gives zero:
// Int of a string is 0. Err tells a zero that was seen from a value that can't be had.
type Value struct {
	name  string
	shown string // name of its type, if t is not what tells
	w     *world
	t     *gotype
	l     loc
	why   string
}

func (v Value) sub(t *gotype, l loc) Value {
	u := Value{w: v.w, t: t, l: l}
	u.why = refuse(t, l)
	return u
}

func (v Value) fail(why string) Value {
	return Value{w: v.w, t: v.t, l: loc{chunk: nowhere}, why: first(why, "cut at a limit")}
}

// Name is that of the parameter or result, or the expression that was asked for.
func (v Value) Name() string { return v.name }

// TypeName is the type as Go writes it, with whole package paths.
func (v Value) TypeName() string {
	if v.shown != "" {
		return v.shown
	}
	return v.t.name()
}

// Err says why the value can't be had, or nil.
func (v Value) Err() error {
	if v.w == nil && v.why == "" {
		return errors.New("no such value")
	}
	if v.why != "" {
		return errors.New(v.why)
	}
	return nil
}

func (v Value) ok(kinds ...gokind) bool {
	if v.w == nil || v.why != "" {
		return false
	}
	for _, k := range kinds {
		if v.t.kind == k {
			return true
		}
	}
	return len(kinds) == 0
}

// Kind says what it is underneath.
func (v Value) Kind() Kind {
	if !v.ok() {
		return KindNone
	}
	return Kind(v.t.kind)
}

// Bool is a bool's value.
func (v Value) Bool() bool { return v.ok(kindBool) && v.l.b[0] != 0 }

// Int is an integer's value, whether it is signed or not.
func (v Value) Int() int64 {
	if !v.ok(kindInt, kindUint) {
		return 0
	}
	return integer(v.t, v.l)
}

// Uint is an integer's value, or the address that a pointer, map, channel or function is.
func (v Value) Uint() uint64 {
	switch {
	case v.ok(kindPointer, kindMap, kindChan, kindFunc):
		return word(v.l)
	}
	return uint64(v.Int())
}

// Float is a floating-point number's value.
func (v Value) Float() float64 {
	if !v.ok(kindFloat) {
		return 0
	}
	return float(v.l, v.t.Size)
}

// Complex is a complex number's value.
func (v Value) Complex() complex128 {
	if !v.ok(kindComplex) {
		return 0
	}
	h := v.t.Size / 2
	return complex(float(v.l, h), float(v.l.add(h), h))
}

// Bytes are those of a string or a []byte, as many as were captured: Len tells how many there are.
func (v Value) Bytes() []byte {
	var b bytesOf
	switch {
	case v.ok(kindString):
		b = v.w.str(v.l)
	case v.ok(kindSlice) && v.t.isBytes():
		b = v.w.slice(v.t, v.l)
	default:
		return nil
	}
	return b.data.b[:b.have:b.have]
}

// String is the text of a string, as far as it was captured; of all else its JSON.
func (v Value) String() string {
	switch {
	case v.w == nil || v.why != "":
		return "<" + v.Err().Error() + ">"
	case v.t.kind == kindString:
		return string(v.Bytes())
	}
	p := printer{w: v.w}
	p.start()
	p.nested(v.t, v.l)
	return string(p.b)
}

// Len is that of a string, slice, array, map or channel.
func (v Value) Len() int {
	if !v.ok() {
		return 0
	}
	n, _ := v.w.measure(v.t, v.l, false)
	return int(n)
}

// IsNil tells whether a pointer, slice, map, channel, function or interface is nil.
func (v Value) IsNil() bool {
	return v.ok(kindPointer, kindSlice, kindMap, kindChan, kindFunc, kindInterface) && word(v.l) == 0
}

// Elem is what a pointer points to or an interface holds.
func (v Value) Elem() Value {
	switch {
	case v.ok(kindPointer) && v.t.elem != nil:
		if word(v.l) == 0 {
			return v.fail("nil pointer")
		}
		l, why, ok := v.w.object(&target{v.t, v.l}, v.t.elem, word(v.l))
		if !ok {
			return v.fail(why)
		}
		return v.sub(v.t.elem, l)
	case v.ok(kindInterface):
		i := v.w.iface(v.t, v.l)
		if i.isNil {
			return v.fail("nil interface")
		}
		if !i.ok {
			u := v.fail(i.why)
			u.shown = i.name
			return u
		}
		return v.sub(i.t, i.l)
	case v.ok():
		return v.fail("not a pointer")
	}
	return v
}

// Field is a field of a struct, or of what a pointer or an interface leads to; also one that
// an embedded struct promotes.
func (v Value) Field(name string) Value {
	t, l, why := v.w.field(v.t, v.l, name)
	if !v.ok() {
		return v
	}
	if why != "" {
		return v.fail(why)
	}
	return v.sub(t, l)
}

// Index is an element of a slice or array, a byte of a string, or what will be received i-th.
func (v Value) Index(i int) Value {
	if !v.ok() {
		return v
	}
	t, l, why := v.w.element(v.t, v.l, uint64(i))
	if why != "" {
		return v.fail(why)
	}
	return v.sub(t, l)
}

// Entry is a map's key and what it stands for.
type Entry struct{ Key, Value Value }

// Entries are those of a map that were captured, in the order of their keys.
func (v Value) Entries() []Entry {
	if !v.ok(kindMap) || word(v.l) == 0 {
		return nil
	}
	budget := valueBudget
	e := v.w.entries(v.t, v.l, &budget)
	v.w.sortEntries(v.t, e)
	var ret []Entry
	for _, one := range e.v {
		pair := Entry{v.fail(e.why), v.fail(e.why)}
		if one.key != nil {
			pair.Key = v.sub(v.t.key, *one.key)
		}
		if one.elem != nil {
			pair.Value = v.sub(v.t.elem, *one.elem)
		}
		ret = append(ret, pair)
	}
	return ret
}

// FuncName is the name of the function that a value of function type is.
func (v Value) FuncName() string {
	if !v.ok(kindFunc) || word(v.l) == 0 {
		return ""
	}
	return v.w.closure(v.t, v.l).name
}

// JSON is what the value is behind "value" in MarshalJSON, with whatever is to be said of it.
func (v Value) JSON() json.RawMessage {
	b, _ := v.MarshalJSON()
	return b
}

/* --- the rest of a capture expression ------------------------------------------ */

// behind follows a pointer to an array: Go indexes and measures both.
func (w *world) sequence(t *gotype, l loc) (*gotype, loc, string) {
	why := refuse(t, l)
	if why == "" && t.kind == kindPointer && t.elem != nil && t.elem.kind == kindArray {
		if word(l) == 0 {
			return t, l, "nil pointer"
		}
		to, why, ok := w.object(&target{t, l}, t.elem, word(l))
		if !ok {
			return t, l, why
		}
		return t.elem, to, refuse(t.elem, to)
	}
	return t, l, why
}

func (w *world) element(t *gotype, l loc, i uint64) (*gotype, loc, string) {
	t, l, why := w.sequence(t, l)
	if why != "" {
		return nil, l, why
	}
	var s bytesOf
	elem := t.elem
	switch t.kind {
	case kindString:
		s, elem = w.str(l), byteType
	case kindSlice:
		s = w.slice(t, l)
	case kindArray:
		s = bytesOf{data: l, len: t.Count, have: t.Count}
	case kindChan:
		return w.received(t, l, i)
	default:
		return nil, l, "can't be indexed"
	}
	switch {
	case i >= s.len:
		return nil, l, "index out of range"
	case s.unavailable != "":
		return nil, l, s.unavailable
	case elem.Size != 0 && i >= s.have:
		return nil, l, "cut at a limit"
	}
	return elem, s.data.add(i * elem.Size), ""
}

func (w *world) received(t *gotype, l loc, i uint64) (*gotype, loc, string) {
	if word(l) == 0 {
		return nil, l, "nil channel"
	}
	c := w.channel(t, l)
	switch {
	case c.unavailable != "":
		return nil, l, c.unavailable
	case i >= c.len:
		return nil, l, "index out of range"
	case i >= c.have:
		return nil, l, "cut at a limit"
	}
	return t.elem, c.element(t, i), ""
}

func (w *world) measure(t *gotype, l loc, capacity bool) (uint64, string) {
	t, l, why := w.sequence(t, l)
	if why != "" {
		return 0, why
	}
	switch t.kind {
	case kindSlice:
		if capacity {
			return word(l.add(16)), ""
		}
		return word(l.add(8)), ""
	case kindArray:
		return t.Count, ""
	case kindChan:
		if word(l) == 0 {
			return 0, ""
		}
		c := w.channel(t, l)
		if c.cap != 0 {
			c.unavailable = ""
		}
		if capacity {
			return c.cap, c.unavailable
		}
		return c.len, c.unavailable
	case kindString:
		if !capacity {
			return word(l.add(8)), ""
		}
	case kindMap:
		if capacity {
			break
		}
		if word(l) == 0 {
			return 0, ""
		}
		budget := valueBudget
		e := w.entries(t, l, &budget)
		if e.len != 0 {
			return e.len, ""
		}
		return 0, e.unavailable
	}
	if capacity {
		return 0, "has no capacity"
	}
	return 0, "has no length"
}

// reach follows pointers and interfaces to the struct that a selector applies to.
func (w *world) reach(t *gotype, l loc) (*gotype, loc, string) {
	for hops := 0; hops < 8; hops++ {
		if why := refuse(t, l); why != "" {
			return t, l, why
		}
		var why string
		var ok bool
		from := &target{t, l}
		switch t.kind {
		case kindStruct:
			return t, l, ""
		case kindPointer:
			if word(l) == 0 {
				return t, l, "nil pointer"
			}
			if t.elem == nil {
				return t, l, "unknown type"
			}
			if l, why, ok = w.object(from, t.elem, word(l)); !ok {
				return t, l, why
			}
			t = t.elem
		case kindInterface:
			i := w.iface(t, l)
			if i.isNil {
				return t, l, "nil interface"
			}
			if !i.ok {
				return t, l, i.why
			}
			t, l = i.t, i.l
		default:
			return t, l, "no such field"
		}
	}
	return t, l, "no such field"
}

// field finds the one that is embedded least deep: one level at a time.
func (w *world) field(t *gotype, l loc, name string) (*gotype, loc, string) {
	if w == nil {
		return t, l, "no such value"
	}
	t, l, why := w.reach(t, l)
	if why != "" {
		return t, l, why
	}
	found := "no such field"
	for level := 0; level < 5; level++ {
		ft, fl, why := w.fieldAt(t, l, name, level)
		if why == "" {
			return ft, fl, ""
		}
		if found == "no such field" {
			found = why
		}
	}
	return t, l, found
}

func (w *world) fieldAt(t *gotype, l loc, name string, level int) (*gotype, loc, string) {
	why := "no such field"
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.t == nil || f.Offset > t.Size || f.t.Size > t.Size-f.Offset {
			continue
		}
		inside := l.add(f.Offset)
		if level == 0 {
			if f.Name == name {
				return f.t, inside, ""
			}
			continue
		}
		if !f.Embedded || f.t.kind == kindInterface {
			continue
		}
		st, sl, no := w.reach(f.t, inside)
		if no == "" {
			if st, sl, no = w.fieldAt(st, sl, name, level-1); no == "" {
				return st, sl, ""
			}
		}
		if no != "no such field" {
			why = no
		}
	}
	return t, l, why
}

// steps goes what is left of an expression from what the module has captured.
func (v Value) steps(all []step) Value {
	for _, s := range all {
		name, shown := v.name, v.shown
		switch s.Step {
		case "field":
			v = v.Field(s.Name)
		case "index":
			v = v.Index(int(s.Index))
		case "pointer":
			v = v.Elem()
		case "assert":
			if v = v.Elem(); v.why == "" && s.Name != v.t.Name {
				v = v.fail("another dynamic type")
			}
		case "key":
			v = v.key(s.Key)
		case "len", "cap":
			n, why := v.w.measure(v.t, v.l, s.Step == "cap")
			if why != "" {
				v = v.fail(why)
			} else {
				v = v.sub(intType, loc{nowhere, 0, order.AppendUint64(nil, n)})
			}
		default:
			v = v.fail("this package does not know the step " + s.Step)
		}
		v.name = name
		if v.why != "" {
			if v.shown = shown; shown == "" {
				v.shown = "?"
			}
			return v
		}
	}
	v.shown = ""
	return v
}

// key finds the entry of a map.
func (v Value) key(raw json.RawMessage) Value {
	if !v.ok(kindMap) {
		return v.fail("not a map")
	}
	if word(v.l) == 0 {
		return v.fail("no such key")
	}
	budget := valueBudget
	e := v.w.entries(v.t, v.l, &budget)
	for _, one := range e.v {
		if one.key == nil || !v.w.hasKey(v.t.key, *one.key, raw) {
			continue
		}
		if one.elem == nil {
			return v.fail(e.why)
		}
		return v.sub(v.t.elem, *one.elem)
	}
	if e.unavailable != "" {
		return v.fail(e.unavailable)
	}
	if uint64(len(e.v)) < e.len {
		return v.fail("not among the entries that were captured")
	}
	return v.fail("no such key")
}

func (w *world) hasKey(t *gotype, l loc, raw json.RawMessage) bool {
	if refuse(t, l) == "" && t.kind == kindInterface {
		i := w.iface(t, l)
		if !i.ok {
			return false
		}
		t, l = i.t, i.l
	}
	if refuse(t, l) != "" {
		return false
	}
	switch t.kind {
	case kindString:
		s := w.str(l)
		return s.have == s.len && string(appendQuoted(nil, string(s.data.b[:s.have]))) == string(raw)
	case kindBool:
		return fmt.Sprint(l.b[0] != 0) == string(raw)
	case kindInt:
		return fmt.Sprint(integer(t, l)) == string(raw)
	case kindUint:
		return fmt.Sprint(uint64(integer(t, l))) == string(raw)
	case kindFloat:
		var f float64
		return json.Unmarshal(raw, &f) == nil && f == float(l, t.Size)
	}
	return false
}
