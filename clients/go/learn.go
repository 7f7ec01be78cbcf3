// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"errors"
	"fmt"
)

// Questions to goprobectl in one session: a program has only so many types, and what records
// hold is not trusted.
const learnMost = 4096

// shown is an address that a record has shown: of a type's descriptor, or of a function's code.
type shown struct {
	file    int
	fn      bool
	address uint64 // link-time
	level   int    // references from the frame
}

func (s shown) String() string {
	kind := "type"
	if s.fn {
		kind = "func"
	}
	return fmt.Sprintf("%d %s %x %d", s.file, kind, s.address, s.level)
}

// eface is an empty interface in a wire type.
type eface struct {
	offset int
	level  int // that it adds
}

// learner finds what records show and the plan does not know, and has goprobectl tell.
type learner struct {
	again  func(lines []byte) (*Plan, error) // the plan, with what is learned
	efaces map[uint32][]eface
	nearer map[shown]int // of an address: at which level it was asked for
	lines  bytes.Buffer
	batch  int // questions behind the last empty line
	all    int
}

func newLearner(p *Plan) *learner {
	if p.again == nil {
		return nil
	}
	return &learner{again: p.again, efaces: make(map[uint32][]eface), nearer: make(map[shown]int)}
}

// efacesOf are those that an object of a wire type has.
func (l *learner) efacesOf(p *Plan, id uint32) []eface {
	if found, ok := l.efaces[id]; ok {
		return found
	}
	var found []eface
	t := p.Types[int(id)*p.Sizes.Type:]
	first, n := int(u32At(t, 4)), int(u32At(t, 8))
	for i := first; i < first+n && (i+1)*p.Sizes.Ref <= len(p.Refs); i++ {
		r := p.Refs[i*p.Sizes.Ref:]
		if r[12] != refEface {
			continue
		}
		e := eface{int(u32At(r, 0)), 1}
		if r[13]&refFlagSameLevel != 0 {
			e.level = 0
		}
		found = append(found, e)
	}
	l.efaces[id] = found
	return found
}

// ask notes an address, unless the plan knew it from the beginning, or it was asked for as near. Nobody
// can say anything of types that package reflect has made: their descriptors are not in the file.
func (l *learner) ask(p *Plan, s shown) {
	if l.all >= learnMost || !p.Files[s.file].lines.has(s.address, s.fn) {
		return
	}
	at := s
	at.level = 0
	level, asked := l.nearer[at]
	if asked && level <= s.level || !asked && p.Files[s.file].byAddress[s.address] != nil {
		return
	}
	l.nearer[at] = s.level
	fmt.Fprintln(&l.lines, s)
	l.batch++
	l.all++
}

func (l *learner) object(w *world, id uint32, b []byte, level int) {
	p := w.plan
	if uint64(id)*uint64(p.Sizes.Type) >= uint64(len(p.Types)) {
		return
	}
	efaces := l.efacesOf(p, id)
	size := int(u32At(p.Types, int(id)*p.Sizes.Type))
	if len(efaces) == 0 || size == 0 {
		return
	}
	for ; len(b) >= size; b = b[size:] {
		for _, e := range efaces {
			if e.offset+8 > size {
				continue
			}
			if address := u64At(b, e.offset); address != 0 {
				l.ask(p, shown{w.at, false, address - w.bias, level + e.level})
			}
		}
	}
}

// record looks for what it shows.
func (l *learner) record(w *world) {
	r := w.r
	if r.frame == nil || !w.biasKnown {
		return
	}
	l.object(w, u32At(w.plan.Plans, int(r.h.plan)*w.plan.Sizes.Plan), r.frame, 0)
	for i := range r.chunks {
		c := &r.chunks[i]
		switch {
		case c.typ == typeItab && len(c.data) == 8:
			if address := u64At(c.data, 0); address != 0 {
				l.ask(w.plan, shown{w.at, false, address - w.bias, int(c.level)})
			}
		case c.typ == typeCode && len(c.data) == 8:
			l.ask(w.plan, shown{w.at, true, u64At(c.data, 0) - w.bias, int(c.level)})
		default:
			l.object(w, c.typ, c.data, int(c.level))
		}
	}
}

// settle has goprobectl say what was asked; nil: nothing was, or it can't.
func (l *learner) settle(p *Plan) (*Plan, error) {
	if l.batch == 0 {
		return nil, nil
	}
	l.batch = 0
	l.lines.WriteByte('\n')
	more, err := l.again(l.lines.Bytes())
	if err != nil {
		return nil, err
	}
	if err := more.continues(p); err != nil {
		return nil, err
	}
	return more, nil
}

// continues tells whether the plan is the other one, and perhaps more.
func (p *Plan) continues(old *Plan) error {
	same := len(p.Files) == len(old.Files) && len(p.Funcs) == len(old.Funcs) && bytes.Equal(p.Plans, old.Plans) &&
		bytes.HasPrefix(p.Types, old.Types) && bytes.HasPrefix(p.Refs, old.Refs)
	for i := 0; same && i < len(p.Files); i++ {
		f, was := p.Files[i], old.Files[i]
		same = bytes.Equal(f.Points, was.Points) && bytes.HasPrefix(f.Dynamic, was.Dynamic)
		f.lines = was.lines
	}
	if !same {
		return errors.New("the program's file has changed, or goprobectl has: nothing can be learned any more")
	}
	return nil
}
