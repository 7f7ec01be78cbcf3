// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Limits of what is written of one argument or result.
const (
	valueBudget  = 20000
	valueTextMax = 1 << 20
	valueDepth   = 64
)

type opened struct {
	address uint64
	t       *gotype
}

// printer writes values as docs/json.md says.
type printer struct {
	w      *world
	b      []byte
	budget int
	depth  int
	end    int
	open   []opened
}

func (p *printer) start() {
	p.budget, p.depth, p.open, p.end = valueBudget, 0, p.open[:0], len(p.b)+valueTextMax
}

func (p *printer) str(s string)     { p.b = append(p.b, s...) }
func (p *printer) uint(v uint64)    { p.b = strconv.AppendUint(p.b, v, 10) }
func (p *printer) quote(s string)   { p.b = appendQuoted(p.b, s) }
func (p *printer) bool(v bool)      { p.b = strconv.AppendBool(p.b, v) }
func (p *printer) address(v uint64) { p.str(`"0x`); p.b = strconv.AppendUint(p.b, v, 16); p.str(`"`) }
func (p *printer) enough() bool     { return p.budget == 0 || len(p.b) > p.end }
func (p *printer) unavail(s string) { p.str(`"unavailable":`); p.quote(s) }
func (p *printer) missing(t, why string) {
	p.str(`{"type":`)
	p.quote(t)
	p.str(",")
	p.unavail(why)
	p.str("}")
}

// appendQuoted writes a JSON string. A byte that is not part of valid UTF-8 becomes \udcXX.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == utf8.RuneError && n <= 1:
			b = append(b, `\udc`...)
			b = append(b, hex[s[i]>>4], hex[s[i]&15])
			n = 1
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < 0x20 || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029:
			b = append(b, '\\', 'u', hex[c>>12&15], hex[c>>8&15], hex[c>>4&15], hex[c&15])
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '"')
}

// JSON has no NaN and no infinity: those are strings.
func (p *printer) float(v float64, size uint64) {
	odd := math.IsNaN(v) || math.IsInf(v, 0)
	if odd {
		p.str(`"`)
	}
	p.b = strconv.AppendFloat(p.b, v, 'g', -1, int(size)*8)
	if odd {
		p.str(`"`)
	}
}

func (p *printer) enter(t *gotype, address uint64) bool {
	for _, o := range p.open {
		if o.address == address && o.t == t {
			return false
		}
	}
	if len(p.open) == valueDepth {
		return false
	}
	p.open = append(p.open, opened{address, t})
	return true
}

func (p *printer) leave() { p.open = p.open[:len(p.open)-1] }

func (p *printer) truncated(why string) {
	p.str(`,"truncated":true`)
	if why != "" {
		p.str(`,"reason":`)
		p.quote(why)
	}
}

// view is a value, looked up but not written.
type view struct {
	why    string
	ref    bytesOf
	n, len uint64
	to     loc
	toOK   bool
	toWhy  string
	text   bool
}

func (p *printer) refuse(t *gotype, l loc) string {
	if why := refuse(t, l); why != "" {
		return why
	}
	if p.depth >= valueDepth {
		return "nested too deep"
	}
	if p.enough() {
		return "too many values"
	}
	p.budget--
	return ""
}

func (p *printer) look(t *gotype, l loc) (v view) {
	if v.why = p.refuse(t, l); v.why != "" {
		return v
	}
	switch t.kind {
	case kindString:
		v.ref = p.w.str(l)
	case kindSlice:
		v.ref = p.w.slice(t, l)
	case kindArray:
		v.ref = bytesOf{data: l, len: t.Count, have: t.Count}
	case kindPointer:
		p.lookBehind(t, l, &v)
		return v
	case kindStruct:
		v.text = t.known
		return v
	default:
		return v
	}
	v.why, v.len, v.n = v.ref.unavailable, v.ref.len, v.ref.have
	if t.kind != kindString && !t.isBytes() {
		v.n = min(v.n, uint64(p.budget))
	}
	return v
}

func (p *printer) lookBehind(t *gotype, l loc, v *view) {
	to := word(l)
	if to == 0 || t.elem == nil || !p.enter(t, to) {
		return
	}
	p.leave()
	var why string
	if v.to, why, v.toOK = p.w.object(&target{t, l}, t.elem, to); !v.toOK && why != deep {
		v.toWhy = why
	}
}

func isNilPointer(t *gotype, l loc) bool {
	return word(l) == 0 && (t.elem != nil || t.Name != "register")
}

func (p *printer) content(t *gotype, l loc, v *view) {
	p.depth++
	switch t.kind {
	case kindString:
		p.quote(string(v.ref.data.b[:v.n]))
	case kindSlice, kindArray:
		p.list(t, v)
	case kindStruct:
		p.structure(t, l, false)
	case kindInterface:
		p.iface(t, l)
	case kindPointer:
		if isNilPointer(t, l) {
			p.str("null")
		} else {
			p.address(word(l))
		}
	case kindMap, kindChan, kindFunc:
		p.described(t, l)
	case kindBool:
		p.bool(l.b[0] != 0)
	case kindInt:
		p.b = strconv.AppendInt(p.b, integer(t, l), 10)
	case kindUint:
		p.uint(uint64(integer(t, l)))
	case kindFloat:
		p.float(float(l, t.Size), t.Size)
	case kindComplex:
		h := t.Size / 2
		p.str("[")
		p.float(float(l, h), h)
		p.str(",")
		p.float(float(l.add(h), h), h)
		p.str("]")
	}
	p.depth--
}

func (p *printer) list(t *gotype, v *view) {
	switch {
	case t.kind == kindSlice && v.ref.address == 0 && v.len == 0:
		p.str("null")
	case t.isBytes():
		p.quote(string(v.ref.data.b[:v.n]))
	case t.kind == kindArray || p.enter(t, v.ref.address):
		p.str("[")
		for i := uint64(0); i < v.n && p.next(i); i++ {
			p.nested(t.elem, v.ref.data.add(i*t.elem.Size))
		}
		p.str("]")
		if t.kind == kindSlice {
			p.leave()
		}
	default:
		p.missing(t.name(), "contains itself")
	}
}

// next begins one item more in a list; false if that is enough.
func (p *printer) next(i uint64) bool {
	if i != 0 {
		p.str(",")
	}
	if !p.enough() {
		return true
	}
	p.missing("?", "too many values")
	return false
}

func (p *printer) structure(t *gotype, l loc, captured bool) {
	p.str("{")
	shown := 0
	for i := range t.Fields {
		f := &t.Fields[i]
		if f.Name == "_" || captured && f.Offset < 8 {
			continue
		}
		if shown++; shown > 1 {
			p.str(",")
		}
		p.quote(f.Name)
		p.str(":")
		if f.Offset > t.Size {
			p.missing("?", "impossible type")
		} else {
			inside := l.add(f.Offset)
			inside.b = inside.b[:min(uint64(len(inside.b)), t.Size-f.Offset)]
			p.nested(f.t, inside)
		}
	}
	p.str("}")
}

func (p *printer) iface(t *gotype, l loc) {
	i := p.w.iface(t, l)
	if i.isNil {
		p.str("null")
		return
	}
	p.str(`{"type":`)
	if i.name != "" {
		p.quote(i.name)
	} else {
		p.str("null")
		if i.typ != 0 {
			p.str(`,"type_address":`)
			p.address(i.typ)
		}
	}
	p.str(`,"address":`)
	p.address(i.data)
	p.str(",")
	if i.ok {
		p.members(i.t, i.l)
	} else {
		p.unavail(i.why)
	}
	p.str("}")
}

// described are maps, channels and functions: an object about what is there.
func (p *printer) described(t *gotype, l loc) {
	to := word(l)
	if to == 0 {
		p.str("null")
		return
	}
	p.str(`{"type":`)
	p.quote(t.name())
	p.str(`,"address":`)
	p.address(to)
	if p.enter(t, to) {
		switch t.kind {
		case kindMap:
			p.mapping(t, l)
		case kindChan:
			p.channel(t, l)
		default:
			p.function(t, l)
		}
		p.leave()
	}
	p.str("}")
}

func (p *printer) mapping(t *gotype, l loc) {
	e := p.w.entries(t, l, &p.budget)
	if e.len != 0 || e.unavailable == "" {
		p.str(`,"len":`)
		p.uint(e.len)
	}
	if e.unavailable != "" {
		p.str(",")
		p.unavail(e.unavailable)
		return
	}
	p.w.sortEntries(t, e)
	p.str(`,"entries":[`)
	for i, one := range e.v {
		if !p.next(uint64(i)) {
			break
		}
		p.str(`{"key":`)
		p.inner(t.key, one.key, e.why)
		p.str(`,"value":`)
		p.inner(t.elem, one.elem, e.why)
		p.str("}")
	}
	p.str("]")
	if uint64(len(e.v)) < e.len {
		p.truncated(e.cut)
	}
}

func (p *printer) inner(t *gotype, l *loc, why string) {
	if l != nil {
		p.nested(t, *l)
	} else {
		p.missing(t.name(), why)
	}
}

func (p *printer) channel(t *gotype, l loc) {
	c := p.w.channel(t, l)
	if c.unavailable == "" || c.cap != 0 {
		p.str(`,"len":`)
		p.uint(c.len)
		p.str(`,"cap":`)
		p.uint(c.cap)
		p.str(`,"closed":`)
		p.bool(c.closed)
		p.str(`,"receivers":`)
		p.uint(uint64(c.receivers))
		p.str(`,"senders":`)
		p.uint(uint64(c.senders))
		if c.more {
			p.str(`,"more_waiting":true`)
		}
	}
	if c.unavailable != "" {
		p.str(",")
		p.unavail(c.unavailable)
		return
	}
	p.str(`,"elements":[`)
	for i := uint64(0); i < c.have && p.next(i); i++ {
		p.nested(t.elem, c.element(t, i))
	}
	p.str("]")
	if c.have < c.len {
		p.truncated("")
	}
}

func (p *printer) function(t *gotype, l loc) {
	c := p.w.closure(t, l)
	if c.name == "" {
		p.str(",")
		p.unavail(c.why)
		return
	}
	p.str(`,"func":`)
	p.quote(c.name)
	if c.ok {
		p.str(`,"captured":`)
		p.structure(c.t, c.l, true)
		if c.t.More {
			p.str(`,"more_captured":true`)
		}
	}
}

func (p *printer) putMembers(t *gotype, l loc, v *view) {
	if v.why != "" {
		p.unavail(v.why)
	} else {
		p.str(`"value":`)
		p.content(t, l, v)
		if v.toOK || v.toWhy != "" {
			p.behind(t, l, v)
		}
		if v.n < v.len {
			p.truncated(v.ref.cut)
		}
	}
	if v.n < v.len {
		p.str(`,"len":`)
		p.uint(v.len)
	}
}

func (p *printer) behind(t *gotype, l loc, v *view) {
	p.str(`,"to":`)
	if !v.toOK {
		p.missing(t.elem.name(), v.toWhy)
		return
	}
	p.enter(t, word(l))
	p.depth++
	p.nested(t.elem, v.to)
	p.depth--
	p.leave()
}

func (p *printer) members(t *gotype, l loc) {
	v := p.look(t, l)
	p.putMembers(t, l, &v)
}

// nested is a value inside another one: alone if that is all there is to say.
func (p *printer) nested(t *gotype, l loc) {
	v := p.look(t, l)
	if v.why == "" && v.n >= v.len && !v.toOK && v.toWhy == "" && !v.text {
		p.content(t, l, &v)
		return
	}
	p.str(`{"type":`)
	p.quote(t.name())
	p.str(",")
	p.putMembers(t, l, &v)
	p.str("}")
}

// typed writes "type" and what else there is to say of a value.
func (p *printer) typed(v *Value) {
	p.w = v.w
	p.start()
	p.str(`"type":`)
	p.quote(v.TypeName())
	p.str(",")
	if v.why != "" {
		p.unavail(v.why)
	} else {
		p.members(v.t, v.l)
	}
}

func (p *printer) number(key string, v uint64) {
	p.str(key)
	p.uint(v)
}

// MarshalJSON gives what goprobectl prints of the value: name, type and value.
func (v Value) MarshalJSON() ([]byte, error) {
	var p printer
	p.str(`{"name":`)
	p.quote(v.name)
	p.str(",")
	p.typed(&v)
	p.str("}")
	return p.b, nil
}

// MarshalJSON gives the line that "goprobectl attach -o json" prints of the event.
func (e *Event) MarshalJSON() ([]byte, error) {
	var p printer
	p.str(`{"kind":"` + e.Kind.String() + `"`)
	if e.Kind == Lost {
		p.number(`,"cpu":`, uint64(e.CPU))
		p.str(`,"cause":`)
		p.quote(e.Cause)
		p.number(`,"count":`, e.Count)
		p.number(`,"time_ns":`, uint64(e.Time.UnixNano()))
		p.str("}")
		return p.b, nil
	}
	if e.Kind == Broken {
		p.load(e.Load)
		return p.b, nil
	}
	p.str(`,"func":`)
	p.quote(e.Func)
	if e.Place != nil {
		p.place(e.Place)
	}
	p.number(`,"pid":`, uint64(e.PID))
	p.number(`,"tid":`, uint64(e.TID))
	p.str(`,"goid":`)
	if e.NoGoroutine {
		p.str("null")
	} else {
		p.uint(e.GoID)
	}
	p.number(`,"time_ns":`, uint64(e.Time.UnixNano()))
	if e.System {
		p.str(`,"system":true`)
	}
	switch e.Kind {
	case At:
		p.values(`,"values":[`, e.Values, e.Unavailable)
		p.registers(e.Registers)
	case Call:
		p.values(`,"args":[`, e.Args, e.Unavailable)
		p.registers(e.Registers)
	case Return:
		if e.NoDuration != "" {
			p.str(`,"duration_ns":null,"duration_unavailable":`)
			p.quote(e.NoDuration)
		} else {
			p.number(`,"duration_ns":`, uint64(e.Duration))
		}
		p.split(e.Split)
		p.values(`,"results":[`, e.Results, e.Unavailable)
		p.registers(e.Registers)
	case UnwoundCall:
		p.number(`,"seen_ns":`, uint64(e.Seen.UnixNano()))
		p.str(`,"ended":"` + e.Ended.String() + `"`)
		if e.Panic != nil {
			p.str(`,"panic":{`)
			p.typed(e.Panic)
			p.str("}")
		}
	}
	p.str("}")
	return p.b, nil
}

func (p *printer) place(at *Place) {
	p.number(`,"offset":`, at.Offset)
	if at.File != "" {
		p.str(`,"file":`)
		p.quote(at.File)
		p.number(`,"line":`, uint64(at.Line))
	}
	if at.Inlined != "" {
		p.str(`,"inlined":`)
		p.quote(at.Inlined)
		if at.Begins {
			p.str(`,"begins":true`)
		}
	}
}

// Numbers of 64 bits, which JSON's readers may round, as text.
func (p *printer) registers(registers []Register) {
	for i, r := range registers {
		if i == 0 {
			p.str(`,"registers":{`)
		} else {
			p.str(",")
		}
		p.quote(r.Name)
		p.str(":")
		p.address(r.Value)
	}
	if len(registers) > 0 {
		p.str("}")
	}
}

func (p *printer) split(states []StateTime) {
	for i, s := range states {
		if i == 0 {
			p.str(`,"split":{"`)
		} else {
			p.str(`,"`)
		}
		p.str(s.State)
		p.number(`_ns":`, uint64(s.Time))
	}
	if len(states) > 0 {
		p.str("}")
	}
}

func (p *printer) load(l *Load) {
	p.number(`,"hits_per_second":`, l.HitsPerSecond)
	p.number(`,"percent":`, l.Percent)
	p.number(`,"max_percent":`, uint64(l.MaxPercent))
	p.number(`,"hit_ns":`, uint64(l.Hit))
	p.str(`,"text":`)
	why := fmt.Sprintf("take %d %% of a processor's time, more than", l.Percent)
	if l.Percent <= uint64(l.MaxPercent) {
		why = "wait for each other: the programs spend more of a processor's time in the kernel than"
	}
	p.quote(fmt.Sprintf("ended by --max-load: %d hits a second %s %d %%; the breakpoints are gone and the program goes on; trace functions that are called less often, or allow more",
		l.HitsPerSecond, why, l.MaxPercent))
	p.str("}")
}

func (p *printer) values(key string, values []Value, why string) {
	if why != "" {
		p.str(",")
		p.unavail(why)
		return
	}
	p.str(key)
	for i := range values {
		if i > 0 {
			p.str(",")
		}
		p.str(`{"name":`)
		p.quote(values[i].name)
		p.str(",")
		p.typed(&values[i])
		p.str("}")
	}
	p.str("]")
}
