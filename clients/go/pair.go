// SPDX-License-Identifier: GPL-2.0

package goprobe

import "container/list"

// Ended says how a call ended that did not return.
type Ended int

// What ended a call.
const (
	Unwound   Ended     = iota // a panic or Goexit; which, was not seen
	ByPanic                    // a panic
	ByGoexit                   // runtime.Goexit
	openCalls = 1 << 20        // that are remembered, together with panics at work
)

// String is what ended it as in JSON.
func (e Ended) String() string {
	return [...]string{"unwound", "panic", "goexit"}[e]
}

// Panics of a goroutine, each raised while those before it are at work, that are remembered.
const thrownMost = 64

// openCall is a call that has not ended.
type openCall struct {
	depth, goid, time, losses uint64
	id, tid, tgid             uint32
	system, doubtful          bool
	end                       Ended
	panic                     *Value
}

// thrown is a panic at work.
type thrown struct {
	depth, time uint64
	value       *Value
}

type stackKey struct {
	tgid uint32
	key  uint64
}

// callStack has the open calls of a goroutine, or of a thread's system stack, the deepest last.
type callStack struct {
	calls  []openCall
	thrown []thrown
	used   *list.Element
	key    stackKey
}

// pairs joins calls with returns: (goroutine, depth) names a call.
type pairs struct {
	stacks              map[stackKey]*callStack
	processes           map[uint32]map[*callStack]struct{}
	used                *list.List // of *callStack, the one used last in front
	open, thrown        int
	forgotten           uint64
	losses, lossesPrior uint64
}

func newPairs() *pairs {
	return &pairs{
		stacks: make(map[stackKey]*callStack), processes: make(map[uint32]map[*callStack]struct{}), used: list.New(),
	}
}

// Depth is counted from the top of the stack in use; on a system stack that is the thread's.
func keyOf(h *header) stackKey {
	if h.flags&flagSystem != 0 {
		return stackKey{h.tgid, uint64(h.tid) | 1<<63}
	}
	return stackKey{h.tgid, h.goid}
}

func (s *callStack) top() *openCall { return &s.calls[len(s.calls)-1] }

// over ends the panics at that depth and deeper.
func (p *pairs) over(s *callStack, depth uint64) {
	for n := len(s.thrown); n > 0 && s.thrown[n-1].depth >= depth; n-- {
		s.thrown[n-1] = thrown{}
		s.thrown = s.thrown[:n-1]
		p.thrown--
	}
}

func (p *pairs) pop(s *callStack) openCall {
	c := *s.top()
	if n := len(s.thrown); n > 0 && s.thrown[n-1].depth >= c.depth && s.thrown[n-1].time >= c.time {
		c.end, c.panic = ByPanic, s.thrown[n-1].value
	}
	c.tgid, c.system = s.key.tgid, s.key.key>>63 != 0
	c.doubtful = c.losses != p.losses
	s.calls = s.calls[:len(s.calls)-1]
	p.open--
	if len(s.calls) == 0 {
		delete(p.stacks, s.key)
		p.used.Remove(s.used)
		p.thrown -= len(s.thrown)
		if mates := p.processes[s.key.tgid]; len(mates) > 1 {
			delete(mates, s)
		} else {
			delete(p.processes, s.key.tgid)
		}
	}
	return c
}

// unwind takes away, one by one, calls that the record proves to be over.
func (p *pairs) unwind(h *header) (openCall, bool) {
	s := p.stacks[keyOf(h)]
	if s == nil {
		return openCall{}, false
	}
	top := s.top()
	over := top.depth > h.depth
	if top.depth == h.depth {
		over = h.kind == recordCall || top.id != h.id
	}
	if !over {
		p.over(s, h.depth)
		return openCall{}, false
	}
	return p.pop(s), true
}

func (p *pairs) enter(h *header) {
	s := p.stacks[keyOf(h)]
	if s != nil {
		p.used.MoveToFront(s.used)
	}
	if p.open+p.thrown >= openCalls {
		oldest := p.used.Back().Value.(*callStack)
		if oldest == s {
			s = nil
		}
		for last := false; !last; {
			last = len(oldest.calls) == 1
			p.pop(oldest)
			p.forgotten++
		}
	}
	if s == nil {
		s = &callStack{key: keyOf(h)}
		s.used = p.used.PushFront(s)
		p.stacks[s.key] = s
		if p.processes[h.tgid] == nil {
			p.processes[h.tgid] = make(map[*callStack]struct{})
		}
		p.processes[h.tgid][s] = struct{}{}
	}
	s.calls = append(s.calls, openCall{
		depth: h.depth, goid: h.goid, time: h.time, losses: p.lossesPrior, id: h.id, tid: h.tid,
	})
	p.open++
}

func (p *pairs) leave(h *header) (openCall, bool) {
	s := p.stacks[keyOf(h)]
	if s == nil || s.top().depth != h.depth || s.top().id != h.id {
		return openCall{}, false
	}
	return p.pop(s), true
}

// raise tells of a panic: the record is of runtime.gopanic. The youngest is always known, as it is what
// ends the calls that end next: where there are too many, it takes the place of the one before it.
func (p *pairs) raise(h *header, value *Value) {
	s := p.stacks[keyOf(h)]
	if s == nil {
		return
	}
	if len(s.thrown) == thrownMost {
		s.thrown = s.thrown[:thrownMost-1]
		p.thrown--
	}
	s.thrown = append(s.thrown, thrown{h.depth, h.time, value})
	p.thrown++
}

// abandon takes away, one by one, the goroutine's calls that are deeper.
func (p *pairs) abandon(h *header, depth uint64, end Ended) (openCall, bool) {
	s := p.stacks[keyOf(h)]
	if s == nil {
		return openCall{}, false
	}
	if s.top().depth <= depth {
		p.over(s, depth+1)
		return openCall{}, false
	}
	c := p.pop(s)
	if c.end = end; end != ByPanic {
		c.panic = nil
	}
	return c, true
}

// begin takes away, one by one, the calls that are open in a process where a program begins: they were another one's.
func (p *pairs) begin(tgid uint32) (openCall, bool) {
	for s := range p.processes[tgid] {
		return p.pop(s), true
	}
	return openCall{}, false
}

// lost tells, before the records of a pass, how many had been lost when it ended.
func (p *pairs) lost(total uint64) {
	p.lossesPrior, p.losses = p.losses, total
}
