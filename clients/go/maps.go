// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"cmp"
	"math"
	"sort"
)

const slots = 8

// entry is a key and its element; nil: it could not be had.
type entry struct{ key, elem *loc }

// entries are those of a map, as far as a record has them.
type entries struct {
	v           []entry
	len         uint64
	cut         string
	unavailable string
	why         string // why a key or an element is nil
}

type mapWalk struct {
	w      *world
	t      *gotype
	m      *gomap
	e      *entries
	why    string // the first reason for a part that is missing
	budget *int
}

func (m *mapWalk) missing(why string) {
	if m.why == "" {
		m.why = why
	}
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (m *mapWalk) mayLook() bool {
	if *m.budget == 0 {
		m.missing("too many values")
		return false
	}
	*m.budget--
	return true
}

func (m *mapWalk) slot(l loc, t *gotype, indirect bool) *loc {
	if !indirect {
		return &l
	}
	to, why, ok := m.w.object(nil, t, word(l))
	if !ok {
		m.e.why = first(m.e.why, why)
		return nil
	}
	return &to
}

func (m *mapWalk) add(group loc, i uint64) {
	m.e.v = append(m.e.v, entry{
		m.slot(group.add(m.m.KeyAt+i*m.m.KeyStride), m.t.key, m.m.KeyIndirect),
		m.slot(group.add(m.m.ElemAt+i*m.m.ElemStride), m.t.elem, m.m.ElemIndirect),
	})
}

func (m *mapWalk) groups(address, n uint64) {
	g := m.w.objects(nil, address, m.m.Size, n)
	for i := uint64(0); i < g.have && m.mayLook(); i++ {
		group := g.data.add(i * m.m.Size)
		for s := uint64(0); s < slots; s++ {
			if group.b[s]&0x80 == 0 {
				m.add(group, s)
			}
		}
	}
	if g.have < g.len {
		m.missing(first(g.unavailable, g.cut))
	}
}

// A table of which the directory is too large for stands in it several times in a row.
func (m *mapWalk) swiss(l *layout, p loc) {
	dir, n := word(p.add(l.SwissDirPtr)), word(p.add(l.SwissDirLen))
	m.e.len = word(p.add(l.SwissUsed))
	if m.e.len == 0 {
		return
	}
	if n == 0 {
		m.groups(dir, 1)
		return
	}
	d := m.w.objects(nil, dir, 8, n)
	last := uint64(0)
	for i := uint64(0); i < d.have; i++ {
		t := word(d.data.add(i * 8))
		if t == last {
			continue
		}
		if !m.mayLook() {
			return
		}
		if table, have := m.w.r.at(t); have < l.SwissTableSize {
			m.missing(m.w.why(nil, t))
		} else {
			m.groups(word(table.add(l.SwissTableGroup)), word(table.add(l.SwissTableMask))+1)
		}
		last = t
	}
	if d.have < d.len {
		m.missing(first(d.unavailable, d.cut))
	}
}

func (m *mapWalk) chain(p loc) {
	for m.mayLook() {
		for i := uint64(0); i < slots; i++ {
			if p.b[i] >= 5 {
				m.add(p, i)
			}
		}
		next := word(p.add(m.m.Size - 8))
		if next == 0 {
			return
		}
		b := m.w.objects(nil, next, m.m.Size, 1)
		if b.have == 0 {
			m.missing(b.unavailable)
			return
		}
		p = b.data
	}
}

func (m *mapWalk) buckets(address, n uint64, old bool) {
	b := m.w.objects(nil, address, m.m.Size, n)
	for i := uint64(0); i < b.have; i++ {
		p := b.data.add(i * m.m.Size)
		// What has been moved is in the new buckets, and here still.
		if !old || p.b[0] < 2 || p.b[0] > 4 {
			m.chain(p)
		}
	}
	if b.have < b.len {
		m.missing(first(b.unavailable, b.cut))
	}
}

func (m *mapWalk) hmap(l *layout, p loc) {
	old, b := word(p.add(l.HmapOldbuckets)), p.b[l.HmapB]
	m.e.len = word(p.add(l.HmapCount))
	if m.e.len == 0 {
		return
	}
	if b > 40 {
		m.missing("impossible length")
		return
	}
	m.buckets(word(p.add(l.HmapBuckets)), 1<<b, false)
	if old != 0 {
		// Half as many, unless overflow buckets are all that it is to get rid of.
		if b != 0 && p.b[l.HmapFlags]&8 == 0 {
			b--
		}
		m.buckets(old, 1<<b, true)
	}
}

func (m *mapWalk) refuse() string {
	g := m.m
	if g == nil || m.t.key == nil || m.t.elem == nil {
		return "unknown layout"
	}
	fits := func(at, stride uint64, t *gotype, indirect bool) bool {
		size := t.Size
		if indirect {
			size = 8
		}
		return at <= g.Size && stride <= g.Size && size <= g.Size && at+(slots-1)*stride+size <= g.Size
	}
	least := uint64(slots)
	if !g.Swiss {
		least += 8
	}
	if g.Size < least || g.Size > math.MaxUint32 || !fits(g.KeyAt, g.KeyStride, m.t.key, g.KeyIndirect) ||
		!fits(g.ElemAt, g.ElemStride, m.t.elem, g.ElemIndirect) {
		return "impossible type"
	}
	return ""
}

func (m *mapWalk) collect(l loc) {
	if m.why = m.refuse(); m.why != "" {
		return
	}
	lay := &m.w.file.Layout
	size := lay.HmapSize
	if m.m.Swiss {
		if size = lay.SwissSize; lay.SwissTableSize == 0 {
			size = 0
		}
	}
	address := word(l)
	p, have := m.w.r.at(address)
	switch {
	case size == 0:
		m.why = "unknown layout"
	case have < size:
		m.why = first(m.w.why(&target{m.t, l}, address), "cut at a limit")
	case m.m.Swiss:
		m.swiss(lay, p)
	default:
		m.hmap(lay, p)
	}
}

// entries of a map that is not nil.
func (w *world) entries(t *gotype, l loc, budget *int) *entries {
	m := mapWalk{w: w, t: t, m: t.Map, e: new(entries), budget: budget}
	m.collect(l)
	if len(m.e.v) == 0 {
		m.e.unavailable = m.why
	} else if uint64(len(m.e.v)) < m.e.len {
		m.e.cut = m.why
	}
	return m.e
}

func (w *world) sortEntries(t *gotype, e *entries) {
	sort.SliceStable(e.v, func(i, j int) bool {
		x, y := e.v[i].key, e.v[j].key
		if x == nil || y == nil {
			return x != nil && y == nil
		}
		return w.order(t.key, *x, *y, 0) < 0
	})
}

// order tells which of two values comes first.
func (w *world) order(t *gotype, a, b loc, depth int) int {
	if depth == 8 || refuse(t, a) != "" || refuse(t, b) != "" {
		return 0
	}
	switch t.kind {
	case kindBool:
		return cmp.Compare(a.b[0], b.b[0])
	case kindInt:
		return cmp.Compare(integer(t, a), integer(t, b))
	case kindUint:
		return cmp.Compare(uint64(integer(t, a)), uint64(integer(t, b)))
	case kindFloat:
		return cmp.Compare(float(a, t.Size), float(b, t.Size))
	case kindComplex:
		h := t.Size / 2
		if c := cmp.Compare(float(a, h), float(b, h)); c != 0 {
			return c
		}
		return cmp.Compare(float(a.add(h), h), float(b.add(h), h))
	case kindString:
		x, y := w.str(a), w.str(b)
		n := min(x.have, y.have)
		if c := bytes.Compare(x.data.b[:n], y.data.b[:n]); c != 0 {
			return c
		}
		return cmp.Compare(x.len, y.len)
	case kindPointer, kindChan:
		return cmp.Compare(word(a), word(b))
	case kindArray:
		for i := uint64(0); i < t.Count && t.elem.Size != 0; i++ {
			if c := w.order(t.elem, a.add(i*t.elem.Size), b.add(i*t.elem.Size), depth+1); c != 0 {
				return c
			}
		}
	case kindStruct:
		for i := range t.Fields {
			if f := &t.Fields[i]; f.t != nil && f.Offset <= t.Size && f.t.Size <= t.Size-f.Offset {
				if c := w.order(f.t, a.add(f.Offset), b.add(f.Offset), depth+1); c != 0 {
					return c
				}
			}
		}
	case kindInterface:
		return w.orderIfaces(w.iface(t, a), w.iface(t, b), depth+1)
	}
	return 0
}

func (w *world) orderIfaces(x, y iface, depth int) int {
	if x.isNil || y.isNil {
		if x.isNil == y.isNil {
			return 0
		} else if x.isNil {
			return -1
		}
		return 1
	}
	if c := cmp.Compare(x.name, y.name); c != 0 {
		return c
	}
	if x.typ == y.typ && x.ok && y.ok {
		return w.order(x.t, x.l, y.l, depth)
	}
	return cmp.Compare(x.data, y.data)
}

// channel is what a record has of a channel.
type channel struct {
	len, cap, have     uint64
	closed             bool
	receivers, senders int
	more               bool
	unavailable        string
	data               loc
	first              uint64
}

// waiting counts the goroutines in a list; true: there are more.
func (w *world) waiting(address uint64) (int, bool) {
	n := 0
	for address != 0 && n <= len(w.r.chunks) {
		p, have := w.r.at(address)
		n++
		if size := w.file.Layout.SudogSize; size == 0 || have < size {
			break
		}
		address = word(p.add(w.file.Layout.SudogNext))
	}
	return n, address != 0
}

// channel that is not nil.
func (w *world) channel(t *gotype, l loc) channel {
	lay := &w.file.Layout
	address := word(l)
	p, have := w.r.at(address)
	if t.elem == nil || lay.ChanSize == 0 {
		return channel{unavailable: "unknown layout"}
	}
	if have < lay.ChanSize {
		return channel{unavailable: first(w.why(&target{t, l}, address), "cut at a limit")}
	}
	c := channel{
		len: word(p.add(lay.ChanQcount)), cap: word(p.add(lay.ChanDataqsiz)),
		closed: u32At(p.b, int(lay.ChanClosed)) != 0,
	}
	if lay.ChanTimer != 0 && word(p.add(lay.ChanTimer)) != 0 {
		c.len, c.cap = 0, 0 // a timer's has a buffer, but not to the program
	}
	var moreReceivers, moreSenders bool
	c.receivers, moreReceivers = w.waiting(word(p.add(lay.ChanRecvq)))
	c.senders, moreSenders = w.waiting(word(p.add(lay.ChanSendq)))
	c.more = moreReceivers || moreSenders
	recvx := word(p.add(lay.ChanRecvx))
	if c.len > c.cap || c.len != 0 && recvx >= c.cap {
		c.unavailable = "impossible length"
	} else if c.len != 0 {
		c.buffer(w, t, word(p.add(lay.ChanBuf)), recvx)
	}
	return c
}

// buffer finds the elements in the order they will be received, up to the first that is missing.
func (c *channel) buffer(w *world, t *gotype, address, recvx uint64) {
	b := w.objects(nil, address, t.elem.Size, c.cap)
	if t.elem.Size == 0 {
		recvx = 0
	}
	c.data, c.first = b.data, recvx
	if recvx >= b.have {
		c.unavailable = b.unavailable
		return
	}
	c.have = c.len
	if b.have < c.cap {
		c.have = min(c.have, b.have-recvx)
	}
}

func (c *channel) element(t *gotype, i uint64) loc {
	return c.data.add((c.first + i) % c.cap * t.elem.Size)
}
