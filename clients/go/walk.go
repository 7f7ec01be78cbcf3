// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"math"
)

// world is a record and what is known of the program that it is from.
type world struct {
	r         *record
	plan      *Plan
	file      *planFile
	at        int // its index
	bias      uint64
	biasKnown bool
}

// deep is the usual reason: where an address stands for the value it needs no words.
const deep = "beyond --depth"

// target is a reference: its type and its place.
type target struct {
	t *gotype
	l loc
}

// bytesOf is what a string or a slice refers to.
type bytesOf struct {
	data        loc
	len         uint64
	have        uint64 // of that, what was captured
	address     uint64
	cut         string
	unavailable string
}

var wordType = &gotype{kind: kindUint, Name: "uintptr", Size: 8}
var stringType = &gotype{kind: kindString, Name: "string", Size: 16}
var byteType = &gotype{kind: kindUint, Name: "uint8", Size: 1}
var intType = &gotype{kind: kindInt, Name: "int", Size: 8}

func word(l loc) uint64 { return u64At(l.b, 0) }

// fits tells whether the sizes in the type are those of its kind.
func (t *gotype) fits() bool {
	switch t.kind {
	case kindBool:
		return t.Size == 1
	case kindInt, kindUint:
		return t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8
	case kindFloat:
		return t.Size == 4 || t.Size == 8
	case kindComplex:
		return t.Size == 8 || t.Size == 16
	case kindString, kindInterface:
		return t.Size == 16
	case kindSlice:
		return t.Size == 24
	case kindPointer, kindMap, kindChan, kindFunc:
		return t.Size == 8
	case kindArray:
		return t.elem != nil && (t.elem.Size == 0 || t.Count <= t.Size/t.elem.Size)
	}
	return true
}

func (t *gotype) isBytes() bool {
	return t.kind == kindSlice && t.elem != nil && t.elem.kind == kindUint && t.elem.Size == 1
}

func (t *gotype) name() string {
	if t == nil || t.Name == "" {
		return "?"
	}
	return t.Name
}

// refuse says why what is there is no value of the type.
func refuse(t *gotype, l loc) string {
	if t == nil || t.kind == kindUnknown || t.Partial && (t.kind == kindStruct || t.kind == kindArray) {
		return "unknown type"
	}
	if !t.fits() || t.Size > uint64(len(l.b)) {
		return "impossible type"
	}
	return ""
}

func integer(t *gotype, l loc) int64 {
	signed := t.kind == kindInt
	switch t.Size {
	case 1:
		if signed {
			return int64(int8(l.b[0]))
		}
		return int64(l.b[0])
	case 2:
		if v := order.Uint16(l.b); signed {
			return int64(int16(v))
		} else {
			return int64(v)
		}
	case 4:
		if v := order.Uint32(l.b); signed {
			return int64(int32(v))
		} else {
			return int64(v)
		}
	case 8:
		return int64(order.Uint64(l.b))
	}
	return 0
}

func float(l loc, size uint64) float64 {
	if size == 4 {
		return float64(math.Float32frombits(order.Uint32(l.b)))
	}
	return math.Float64frombits(order.Uint64(l.b))
}

// reference finds the reference at an offset of an object; the data word of an interface may
// be one, too.
func (p *Plan) reference(typ uint32, offset uint64) (kind, flags uint8, ok, direct bool) {
	t := p.Types[int(typ)*p.Sizes.Type:]
	if size := uint64(u32At(t, 0)); size != 0 {
		offset %= size
	}
	find := func(offset uint64) (uint8, uint8, bool) {
		first, n := u32At(t, 4), u32At(t, 8)
		for i := first; i < first+n && int(i+1)*p.Sizes.Ref <= len(p.Refs); i++ {
			if r := p.Refs[int(i)*p.Sizes.Ref:]; uint64(u32At(r, 0)) == offset {
				return r[12], r[13], true
			}
		}
		return 0, 0, false
	}
	if kind, flags, ok = find(offset); ok || offset < 8 {
		return kind, flags, ok, false
	}
	kind, flags, ok = find(offset - 8)
	direct = ok && (kind == refIface || kind == refEface)
	return kind, flags, direct, direct
}

// unread says why the module has not copied what a reference leads to, as the plan tells.
func (w *world) unread(from target) string {
	if from.l.chunk == nowhere || from.l.chunk == inFrame && w.r.frame == nil || w.r.h.plan == noPlan {
		return ""
	}
	plan := w.plan.Plans[int(w.r.h.plan)*w.plan.Sizes.Plan:]
	typ, level := u32At(plan, 0), uint32(0)
	if from.l.chunk >= 0 {
		c := &w.r.chunks[from.l.chunk]
		typ, level = c.typ, uint32(c.level)
	}
	if uint64(typ)*uint64(w.plan.Sizes.Type) >= uint64(len(w.plan.Types)) {
		return ""
	}
	kind, flags, ok, direct := w.plan.reference(typ, uint64(from.l.off))
	step := uint32(1)
	if ok && flags&refFlagSameLevel != 0 {
		step = 0
	}
	if level+step > u32At(plan, 36) {
		return deep
	}
	if !ok || direct && from.t.Unfollowed {
		return "not followed"
	}
	if w.r.h.flags&flagBudget != 0 {
		return "record is full"
	}
	if kind == refIface || kind == refEface {
		return "type not known yet"
	}
	return "not followed"
}

// why says why there are not more bytes at an address; "": limits did not allow more.
func (w *world) why(from *target, address uint64) string {
	if why, tried := w.r.tried(address); tried {
		return why
	}
	if from != nil {
		if why := w.unread(*from); why != "" {
			return why
		}
	}
	if w.r.h.flags&flagBudget != 0 {
		return "record is full"
	}
	return "not followed"
}

// objects gives n objects of a size at an address, or as many as there are.
func (w *world) objects(from *target, address, size, n uint64) bytesOf {
	ret := bytesOf{address: address, len: n, data: loc{chunk: nowhere}}
	if n > math.MaxInt64/max(size, 1) {
		ret.unavailable = "impossible length"
		return ret
	}
	if size == 0 {
		ret.have = min(n, 64)
		return ret
	}
	if n == 0 {
		return ret
	}
	data, have := w.r.at(address)
	ret.have = min(have/size, n)
	ret.data = data
	if ret.have == 0 {
		ret.unavailable = w.why(from, address)
	} else if ret.have < n {
		ret.cut, _ = w.r.tried(address)
	}
	return ret
}

// object gives one object; false, and why, if it was not captured.
func (w *world) object(from *target, t *gotype, address uint64) (loc, string, bool) {
	if t.Size == 0 {
		return loc{chunk: nowhere}, "", true
	}
	o := w.objects(from, address, t.Size, 1)
	if o.have != 0 {
		return o.data, "", true
	}
	if o.unavailable == "" {
		o.unavailable = "cut at a limit"
	}
	return loc{chunk: nowhere}, o.unavailable, false
}

func (w *world) str(l loc) bytesOf {
	return w.objects(&target{stringType, l}, word(l), 1, word(l.add(8)))
}

func (w *world) slice(t *gotype, l loc) bytesOf {
	address, n := word(l), word(l.add(8))
	ret := bytesOf{address: address, len: n, data: loc{chunk: nowhere}}
	if t.elem == nil {
		ret.unavailable = "unknown element type"
	} else if n > word(l.add(16)) {
		ret.unavailable = "impossible length"
	} else {
		ret = w.objects(&target{t, l}, address, t.elem.Size, n)
	}
	return ret
}

// iface is an interface's dynamic type and value.
type iface struct {
	isNil bool
	name  string
	typ   uint64 // run-time address of its descriptor, or 0
	data  uint64
	t     *gotype
	l     loc
	ok    bool
	why   string
}

func (w *world) iface(t *gotype, l loc) iface {
	from := &target{t, l}
	tab := word(l)
	i := iface{isNil: tab == 0, data: word(l.add(8)), l: loc{chunk: nowhere}}
	if i.isNil {
		return i
	}
	if t.Empty {
		i.typ = tab
	} else {
		typ, why, ok := w.object(from, wordType, tab+8)
		if !ok {
			i.why = why
			return i
		}
		i.typ = word(typ)
	}
	i.why = "unknown type"
	if !w.biasKnown {
		return i
	}
	k := w.file.byAddress[i.typ-w.bias]
	if k == nil || k.Func != "" {
		return i
	}
	i.name, i.t = k.Name, k.t
	if i.t == nil {
		return i
	}
	if i.name == "" {
		i.name = i.t.name()
	}
	if !k.Direct {
		i.l, i.why, i.ok = w.object(from, i.t, i.data)
	} else if i.t.Size == 8 {
		i.l, i.ok = l.add(8), true
	} else {
		i.why = "impossible type"
	}
	return i
}

// closure is what a value of function type leads to.
type closure struct {
	name string
	t    *gotype // a struct of what is captured
	l    loc
	ok   bool
	why  string
}

func (w *world) closure(t *gotype, l loc) (c closure) {
	from := &target{t, l}
	address := word(l)
	code, why, ok := w.object(from, wordType, address)
	if !ok {
		c.why = why
		return c
	}
	if !w.biasKnown {
		c.why = "unknown function"
		return c
	}
	at := word(code) - w.bias
	if c.name = w.file.funcName(at); c.name == "" {
		c.why = "unknown function"
	}
	if k := w.file.byAddress[at]; k != nil && k.t != nil && k.t.kind == kindStruct {
		c.t = k.t
		c.l, _, c.ok = w.object(from, k.t, address)
	}
	return c
}
