// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"sort"
	"sync"
)

// header is struct goprobe_record.
type header struct {
	kind, flags   uint8
	depth         uint64
	id, plan      uint32
	tid, tgid     uint32
	time          uint64
	goid, ip      uint64
	words, unused int
}

type chunk struct {
	address uint64
	typ     uint32
	status  uint8
	level   uint8
	data    []byte
}

func (c *chunk) end() uint64 {
	if uint64(len(c.data)) > ^uint64(0)-c.address {
		return ^uint64(0)
	}
	return c.address + uint64(len(c.data))
}

// A failed item's chunk has a number for its address: it is no memory.
func (c *chunk) isMemory() bool { return c.typ != typeMissed }

// record is one decoded record.
type record struct {
	h       header // of a call that was held, time is when it was made
	written uint64
	frame   []byte
	split   []uint64 // how the time of a call divides, by state; nil: that was not asked for
	chunks  []chunk
	lost    struct {
		cpu, cause uint32
		count      uint64
	}
	// chunks by address, made by the first who looks: values may be used by several goroutines
	spans   []span
	indexed sync.Once
}

type span struct {
	address, end uint64
	chunk, far   int
}

// peek gives size and time of the record at the beginning of b.
func peek(b []byte) (size int, time uint64, ok bool) {
	if len(b) < recordBytes {
		return 0, 0, false
	}
	size = int(order.Uint16(b)) * 8
	if size < recordBytes || size > len(b) {
		return 0, 0, false
	}
	return size, u64At(b, 24), true
}

func align8(n int) int { return (n + 7) &^ 7 }

// decode trusts nothing that it reads.
func decode(b []byte, p *Plan) (*record, error) {
	size, time, ok := peek(b)
	if !ok {
		return nil, errors.New("impossible record size")
	}
	b = b[:size]
	r := &record{written: time}
	r.h = header{
		kind: b[2], flags: b[3], depth: uint64(u32At(b, 4)), id: u32At(b, 8), plan: u32At(b, 12),
		tid: u32At(b, 16), tgid: u32At(b, 20), time: time, goid: u64At(b, 32), ip: u64At(b, 40),
	}
	rest := b[recordBytes:]
	if r.h.flags&flagHeld != 0 {
		if r.h.kind != recordCall || len(rest) < 8 || u64At(rest, 0) > time {
			return nil, errors.New("impossible time of a call")
		}
		r.h.time -= u64At(rest, 0)
		rest = rest[8:]
	}
	if r.h.flags&flagSplit != 0 {
		var err error
		if rest, err = r.divide(rest, len(p.States)); err != nil {
			return nil, err
		}
	}
	switch r.h.kind {
	case recordLost:
		if len(rest) != lostBytes {
			return nil, errors.New("impossible size of a loss")
		}
		r.lost.cpu, r.lost.cause, r.lost.count = u32At(rest, 0), u32At(rest, 4), u64At(rest, 8)
		return r, nil
	case recordTail:
		if len(rest) != 0 {
			return nil, errors.New("a jump with values")
		}
	case recordCall, recordReturn, recordAt:
		if err := r.values(rest, p); err != nil {
			return nil, err
		}
	default:
		return nil, errors.New("unknown kind of record")
	}
	if uint64(r.h.id) >= uint64(len(p.Funcs)) || (p.Funcs[r.h.id].At != nil) != (r.h.kind == recordAt) {
		return nil, errors.New("unknown point")
	}
	return r, nil
}

// divide takes the times off that the end of a call has before its frame.
func (r *record) divide(b []byte, states int) ([]byte, error) {
	if r.h.kind != recordReturn && r.h.kind != recordTail || states == 0 {
		return nil, errors.New("what has its time divided is no end of a call")
	}
	if len(b) < 8*states {
		return nil, errors.New("the times of a call are cut off")
	}
	r.split = make([]uint64, states)
	all := uint64(0)
	for i := range r.split {
		r.split[i] = u64At(b, 8*i)
		// A sum of durations is one as well.
		if all += r.split[i]; r.split[i] > 1<<62 || all > 1<<62 {
			return nil, errors.New("impossible times of a call")
		}
	}
	return b[8*states:], nil
}

func (r *record) values(b []byte, p *Plan) error {
	if r.h.plan == noPlan {
		if len(b) != 0 {
			return errors.New("values without a plan")
		}
		return nil
	}
	n := p.frameBytes(r.h.plan)
	if n < 0 {
		return errors.New("unknown plan")
	}
	if align8(n) > len(b) {
		return errors.New("frame is cut off")
	}
	r.frame = b[:n:n]
	for b = b[align8(n):]; len(b) > 0; {
		if len(b) < chunkBytes {
			return errors.New("chunk header is cut off")
		}
		c := chunk{address: u64At(b, 0), typ: u32At(b, 8), status: b[14], level: b[15]}
		size := int(order.Uint16(b[12:]))
		if b = b[chunkBytes:]; align8(size) > len(b) {
			return errors.New("chunk is longer than its record")
		}
		c.data = b[:size:size]
		b = b[align8(size):]
		r.chunks = append(r.chunks, c)
	}
	return nil
}

// missed says why there is nothing of a capture item, or "".
func (r *record) missed(item int) string {
	for i := range r.chunks {
		if c := &r.chunks[i]; c.typ == typeMissed && c.address == uint64(item) {
			if why := statusText(c.status); why != "" {
				return why
			}
			return "unknown status"
		}
	}
	return ""
}

func statusText(status uint8) string {
	switch status {
	case 0:
		return ""
	case chunkFault:
		return "no readable memory"
	case chunkRemote:
		return "not in memory, on a remote file system"
	case chunkBad:
		return "impossible length"
	case chunkNil:
		return "nil pointer"
	case chunkRange:
		return "index out of range"
	case chunkType:
		return "another dynamic type"
	case chunkUnused:
		return "unused, and lost when the stack grew"
	case chunkLocked:
		return "not in memory, mappings locked"
	}
	return "unknown status"
}

// loc is a place in a record: in a chunk, in the frame or nowhere, and the bytes from there on.
type loc struct {
	chunk int
	off   int
	b     []byte
}

const (
	inFrame = -1
	nowhere = -2
)

func (l loc) add(n uint64) loc {
	if n > uint64(len(l.b)) {
		n = uint64(len(l.b))
	}
	return loc{l.chunk, l.off + int(n), l.b[n:]}
}

func (r *record) index() {
	for i := range r.chunks {
		if c := &r.chunks[i]; c.isMemory() {
			r.spans = append(r.spans, span{c.address, c.end(), i, i})
		}
	}
	sort.SliceStable(r.spans, func(i, j int) bool { return r.spans[i].address < r.spans[j].address })
	for i := 1; i < len(r.spans); i++ {
		if before := r.spans[i-1]; before.end > r.spans[i].end {
			r.spans[i].far, r.spans[i].end = before.far, before.end
		}
	}
}

// before is the last span that begins at the address or before it.
func (r *record) before(address uint64) *span {
	r.indexed.Do(r.index)
	i := sort.Search(len(r.spans), func(i int) bool { return r.spans[i].address > address })
	if i == 0 {
		return nil
	}
	return &r.spans[i-1]
}

// at gives the bytes at an address, as far as the record has them.
func (r *record) at(address uint64) (loc, uint64) {
	s := r.before(address)
	if s == nil || s.end <= address {
		return loc{chunk: nowhere}, 0
	}
	c := &r.chunks[s.far]
	off := address - c.address
	return loc{s.far, int(off), c.data[off:]}, uint64(len(c.data)) - off
}

// tried tells whether the kernel has tried to copy what is at the address, and what became of it.
func (r *record) tried(address uint64) (string, bool) {
	s := r.before(address)
	if s == nil || s.address != address {
		return "", false
	}
	return statusText(r.chunks[s.chunk].status), true
}
