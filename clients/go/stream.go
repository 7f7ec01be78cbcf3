// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"time"
)

// stream turns the records of passes into events.
type stream struct {
	plan   *Plan
	epoch  uint64 // what makes CLOCK_MONOTONIC a time since 1970
	emit   func(*Event)
	merge  merge
	pairs  *pairs // nil: calls and returns are not joined
	biases map[biasKey]uint64
	learn  *learner    // nil: nothing is learned
	told   func(*Plan) // of what was
	times  *times      // nil: functions are traced to the end
	counts Counts
	why    string // of the first malformed record
}

type biasKey struct {
	file int
	tgid uint32
}

const biasesMost = 4096

func newStream(p *Plan, epoch uint64, emit func(*Event)) *stream {
	s := &stream{plan: p, epoch: epoch, emit: emit, biases: make(map[biasKey]uint64)}
	if p.Paired {
		s.pairs = newPairs()
	}
	s.learn = newLearner(p)
	if p.Times > 0 {
		s.times = newTimes(p)
	}
	return s
}

func (s *stream) malformed(why string) {
	if s.counts.Malformed++; s.why == "" {
		s.why = why
	}
}

func (s *stream) add(cpu uint32, b []byte) {
	if !s.merge.add(cpu, b) {
		s.malformed("impossible record size")
	}
}

// round hands out what is not younger than until; lost: records lost when the pass ended.
func (s *stream) round(until, lost uint64) {
	if s.pairs != nil {
		s.pairs.lost(lost + s.counts.Malformed)
	}
	s.learnAll()
	for b := s.merge.next(until); b != nil; b = s.merge.next(until) {
		s.show(b)
	}
	if s.pairs != nil {
		s.counts.Open, s.counts.Forgotten = uint64(s.pairs.open), s.pairs.forgotten
	}
}

// learnAll has goprobectl say, before records are shown, what they hold that the plan does not know.
func (s *stream) learnAll() {
	if s.learn == nil {
		return
	}
	s.merge.each(func(b []byte) {
		r, err := decode(b, s.plan)
		if err != nil || r.h.kind == recordLost {
			return
		}
		s.learn.record(s.world(r))
	})
	more, err := s.learn.settle(s.plan)
	if err != nil {
		// What is not known shows as that.
		s.learn = nil
	} else if more != nil {
		s.plan = more
		if s.told != nil {
			s.told(more)
		}
	}
}

// world is where the record comes from.
func (s *stream) world(r *record) *world {
	f := &s.plan.Funcs[r.h.id]
	w := &world{r: r, plan: s.plan, file: s.plan.Files[f.File], at: f.File}
	w.bias, w.biasKnown = s.bias(&r.h, f)
	return w
}

func (s *stream) time(ns uint64) time.Time { return time.Unix(0, int64(ns+s.epoch)) }

// bias is where the record's file is loaded, less its link-time addresses: a mapping moves code by
// whole pages, so only points at the same place in a page can be the one.
func (s *stream) bias(h *header, f *planFunc) (uint64, bool) {
	key := biasKey{f.File, h.tgid}
	if b, ok := s.biases[key]; ok && h.ip-b >= f.Entry && h.ip-b < f.End {
		return b, true
	}
	n, bias := 0, uint64(0)
	for _, vaddr := range s.plan.places[place{h.id, h.kind}] {
		if (vaddr^h.ip)&0xfff == 0 {
			n++
			bias = h.ip - vaddr
		}
	}
	if n != 1 {
		return 0, false
	}
	if len(s.biases) >= biasesMost {
		s.biases = make(map[biasKey]uint64) // most of these processes have ended
	}
	s.biases[key] = bias
	return bias, true
}

func (s *stream) show(b []byte) {
	// Whoever keeps a value keeps its record, and is not to keep all that was read with it.
	r, err := decode(bytes.Clone(b), s.plan)
	if err != nil {
		s.malformed(err.Error())
		return
	}
	h := &r.h
	if h.kind == recordLost {
		e := &Event{Kind: Lost, Time: s.time(h.time), CPU: r.lost.cpu, Count: r.lost.count, Cause: "unknown"}
		switch r.lost.cause {
		case lostRingFull:
			e.Cause = "ring_full"
		case lostNoRing:
			e.Cause = "no_ring"
		}
		s.emit(e)
		return
	}
	f := &s.plan.Funcs[h.id]
	w := s.world(r)
	if f.Role == "begin" && s.pairs != nil && h.kind == recordCall {
		for c, ok := s.pairs.begin(h.tgid); ok; c, ok = s.pairs.begin(h.tgid) {
			s.times.see(c.id, false)
			// On the system stack of its first thread the program itself was on its way here.
			if !c.system {
				s.counts.Gone++
			}
		}
	}
	if !f.Hidden {
		e := s.event(r, f, w)
		if e.Kind != At {
			s.join(r, e)
		}
		s.hand(e)
		s.times.see(h.id, e.Kind != Return)
	}
	if f.Role != "" && s.pairs != nil && h.flags&flagNoG == 0 && h.kind == recordCall {
		s.role(r, f, w)
	}
}

func (s *stream) hand(e *Event) {
	switch e.Kind {
	case Call:
		s.counts.Calls++
	case Return:
		s.counts.Returns++
	case UnwoundCall:
		s.counts.Unwound++
	case At:
		s.counts.Places++
	}
	s.emit(e)
}

func (s *stream) event(r *record, f *planFunc, w *world) *Event {
	h := &r.h
	e := &Event{
		Kind: Call, Func: f.Name, PID: int(h.tgid), TID: int(h.tid), GoID: h.goid,
		NoGoroutine: h.flags&flagNoG != 0 || h.flags&flagSystem != 0 && h.goid == 0,
		System:      h.flags&flagSystem != 0, Time: s.time(h.time),
	}
	frame := &f.Call
	switch h.kind {
	case recordCall:
	case recordAt:
		e.Kind, e.Place = At, (*Place)(f.At)
	default:
		e.Kind, frame = Return, &f.Ret
	}
	e.Registers = s.registers(r, frame)
	e.Unavailable = frame.Unavailable
	if h.kind == recordTail {
		e.Unavailable = "ended by a jump to another function"
	}
	if e.Unavailable != "" {
		return e
	}
	values := make([]Value, len(frame.Values))
	for i := range frame.Values {
		values[i] = w.value(frame, i)
	}
	switch e.Kind {
	case Call:
		e.Args = values
	case At:
		e.Values = values
	default:
		e.Results = values
	}
	return e
}

// registers are those that the frame has.
func (s *stream) registers(r *record, frame *planFrame) []Register {
	names := s.plan.Registers
	if frame.Registers == nil || r.h.kind == recordTail || len(r.frame)-*frame.Registers < 8*(len(names)-1) {
		return nil
	}
	ret := make([]Register, len(names))
	for i, name := range names[:len(names)-1] {
		ret[i] = Register{name, u64At(r.frame, *frame.Registers+8*i)}
	}
	ret[len(names)-1] = Register{names[len(names)-1], r.h.ip}
	return ret
}

// value number i of the frame.
func (w *world) value(frame *planFrame, i int) Value {
	pv := &frame.Values[i]
	v := Value{name: pv.Name, w: w, t: pv.t, l: loc{chunk: nowhere}}
	if len(pv.Steps) > 0 {
		if v.shown = pv.StepsType; v.shown == "" {
			v.shown = "?"
		}
	}
	switch {
	case pv.Unavailable != "":
		v.why = pv.Unavailable
	case w.r.frame == nil || pv.Offset > len(w.r.frame):
		v.why = "impossible type"
	case pv.Stack && w.r.h.flags&flagFault != 0:
		v.why = "no readable memory"
	default:
		v.why = w.r.missed(i)
	}
	if v.why != "" {
		return v
	}
	v.l = loc{inFrame, pv.Offset, w.r.frame[pv.Offset:]}
	if v.why = refuse(v.t, v.l); v.why == "" && len(pv.Steps) > 0 {
		return v.steps(pv.Steps)
	}
	return v
}

// join finds out how a call came to its end, as far as the record tells.
func (s *stream) join(r *record, e *Event) {
	h := &r.h
	switch {
	case h.flags&flagNoG != 0:
		e.NoDuration = "no goroutine"
		return
	case s.pairs == nil:
		e.NoDuration = "calls are not joined"
		return
	}
	for c, ok := s.pairs.unwind(h); ok; c, ok = s.pairs.unwind(h) {
		s.unwound(r, c)
	}
	if e.Kind == Call {
		s.pairs.enter(h)
	} else if c, ok := s.pairs.leave(h); ok {
		e.Duration = time.Duration(h.time - c.time)
		s.divide(r, e)
	} else {
		e.NoDuration = "call not seen"
	}
}

// divide says how the call's time divides: then the kernel has measured that, without what a record takes.
func (s *stream) divide(r *record, e *Event) {
	if r.split == nil {
		return
	}
	e.Duration = 0
	for i, ns := range r.split {
		e.Split = append(e.Split, StateTime{s.plan.States[i], time.Duration(ns)})
		e.Duration += time.Duration(ns)
	}
}

func (s *stream) unwound(r *record, c openCall) {
	s.times.see(c.id, false)
	if c.system {
		return
	}
	if c.doubtful {
		s.counts.Doubtful++
		return
	}
	s.hand(&Event{
		Kind: UnwoundCall, Func: s.plan.Funcs[c.id].Name, PID: int(c.tgid), TID: int(c.tid), GoID: c.goid,
		Time: s.time(c.time), Seen: s.time(r.written), Ended: c.end, Panic: c.panic,
	})
}

// role is a call of a function of the runtime that tells of others.
func (s *stream) role(r *record, f *planFunc, w *world) {
	h := &r.h
	switch f.Role {
	case "panic":
		s.panics(r, f, w)
	case "recovery":
		// Where the frame that goes on has its stack: its end, and its stack pointer.
		if r.frame == nil || len(r.frame) < 16 || h.flags&flagFault != 0 {
			return
		}
		if hi, sp := u64At(r.frame, 0), u64At(r.frame, 8); sp != 0 && sp < hi {
			s.abandon(r, (hi-sp)/8, ByPanic)
		}
	case "fatal":
		s.abandon(r, 0, ByPanic)
	case "goexit":
		s.abandon(r, 0, ByGoexit)
	}
}

func (s *stream) panics(r *record, f *planFunc, w *world) {
	// On a system stack it is the end of the program.
	if r.h.flags&flagSystem != 0 {
		return
	}
	if f.Hidden {
		for c, ok := s.pairs.unwind(&r.h); ok; c, ok = s.pairs.unwind(&r.h) {
			s.unwound(r, c)
		}
	}
	var value *Value
	if len(f.Call.Values) > 0 {
		v := w.value(&f.Call, 0)
		value = &v
	}
	s.pairs.raise(&r.h, value)
}

// abandon ends the goroutine's calls that are deeper.
func (s *stream) abandon(r *record, depth uint64, end Ended) {
	h := r.h
	// It is the goroutine's stack, whichever was in use to leave it.
	h.flags &^= flagSystem
	if h.goid == 0 {
		return
	}
	for c, ok := s.pairs.abandon(&h, depth, end); ok; c, ok = s.pairs.abandon(&h, depth, end) {
		s.unwound(r, c)
	}
}
