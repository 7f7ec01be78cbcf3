// SPDX-License-Identifier: GPL-2.0

package goprobe

// seen is what has been seen of a function.
type seen struct {
	calls, ends uint64
	waits       bool // it is to be seen more often
	endsMatter  bool // its calls are to be seen to end, too
}

// times finds functions whose calls have been seen as often as they should be: then their
// breakpoints are of no more use.
type times struct {
	most uint64
	of   []seen
	left int
	done []uint32 // ids, since it was last asked
}

func newTimes(p *Plan) *times {
	t := &times{most: p.Times, of: make([]seen, len(p.Funcs))}
	for i := range t.of {
		f := &p.Funcs[i]
		t.of[i] = seen{waits: !f.Hidden && !f.Around, endsMatter: f.Ends}
		if t.of[i].waits {
			t.left++
		}
	}
	return t
}

// see counts a call, or a hit of a place, or else the end of a call, whichever way.
func (t *times) see(id uint32, call bool) {
	if t == nil {
		return
	}
	f := &t.of[id]
	if call {
		f.calls++
	} else {
		f.ends++
	}
	if !f.waits || f.calls < t.most || f.endsMatter && f.ends < t.most {
		return
	}
	f.waits = false
	t.left--
	t.done = append(t.done, id)
}

// take hands out the functions that are done, and tells whether there are others.
func (t *times) take() (done []uint32, more bool) {
	if t == nil {
		return nil, true
	}
	done, t.done = t.done, nil
	return done, t.left > 0
}
