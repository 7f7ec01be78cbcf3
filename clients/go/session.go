// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options say what is traced, and how.
type Options struct {
	PIDs []int  // these processes
	File string // all processes that run this file; with PIDs these of them alone

	Compiler     string       // goprobectl, if it is not in PATH
	CompilerArgs []string     // more options for it: "--depth", "3"
	Notice       func(string) // called with each line that it writes for a person; nil: they are dropped

	NoReturn  bool   // calls only, without results and durations
	Inlined   bool   // functions also where they were inlined, as At events
	Registers bool   // all integer registers, too
	Split     bool   // how the time of each call divides: Event.Split
	Times     uint64 // calls of each function, whose breakpoints then leave; 0: all

	RingBytes uint32 // memory for each CPU's records; 0: the module's choice
	Held      uint32 // calls that can wait for a condition on results; 0: 16384
	Lossless  bool   // when that memory is full, the program waits
	Buffer    int    // events that the channel holds; 0: 256

	// MaxLoad is how much of one processor's time breakpoints may take, in percent. When they
	// take more, the session ends with a Broken event. 0: 50 for each processor that there is;
	// less than 0: any.
	MaxLoad int
}

// target are the arguments that say what is traced, and at which cost at most.
func (o *Options) target() []string {
	var args []string
	for _, pid := range o.PIDs {
		args = append(args, "-p", strconv.Itoa(pid))
	}
	if o.File != "" {
		args = append(args, "-b", o.File)
	}
	return args
}

func (o *Options) maxLoad() []string {
	switch {
	case o.MaxLoad > 0:
		return []string{"--max-load", strconv.Itoa(o.MaxLoad)}
	case o.MaxLoad < 0:
		return []string{"--max-load", "off"}
	}
	return nil
}

// attach are the arguments of goprobectl attach.
func (o *Options) attach() []string {
	args := append(o.target(), o.maxLoad()...)
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"--no-return", o.NoReturn}, {"--inlined", o.Inlined}, {"--registers", o.Registers},
		{"--split", o.Split}, {"--lossless", o.Lossless},
	} {
		if flag.set {
			args = append(args, flag.name)
		}
	}
	for _, option := range []struct {
		name  string
		value uint64
	}{{"--times", o.Times}, {"--buffer", uint64(o.RingBytes)}, {"--held", uint64(o.Held)}} {
		if option.value != 0 {
			args = append(args, option.name, strconv.FormatUint(option.value, 10))
		}
	}
	return args
}

// Counts say what a session has seen so far, and what it has not. Those of events and losses are
// up to date; the others are 0 until the session has ended.
type Counts struct {
	Calls, Returns uint64 // events handed out
	Places         uint64 // hits of places among them
	Unwound        uint64 // calls that ended without returning
	Open           uint64 // calls that have not returned
	Doubtful       uint64 // calls whose end was not seen after records were lost
	Forgotten      uint64 // open calls given up because there were too many
	Gone           uint64 // open calls that ended when their process executed another program
	LostRingFull   uint64 // records lost because the reader was too slow
	LostNoRing     uint64 // because there was no memory for a CPU's ring
	NoRoom         uint64 // because too many calls were open that a condition is about
	Malformed      uint64 // because they could not be decoded, which is a bug
	Filtered       uint64 // hits that did not pass their condition
	Undecided      uint64 // hits whose condition could not be decided
	Sampled        uint64 // calls that were left out of a sample
	Limited        uint64 // calls beyond a limit
	Waits          uint64 // records that waited for space, with Lossless
	WaitTime       time.Duration
	Broken         uint64 // hits a second when they took more than Options.MaxLoad, or 0
	Ended          bool   // it has ended in order, and the numbers are exact
}

// Lost is how many records were not handed out.
func (c Counts) Lost() uint64 { return c.LostRingFull + c.LostNoRing + c.NoRoom + c.Malformed }

// add counts an event.
func (c *Counts) add(e *Event) {
	switch e.Kind {
	case Call:
		c.Calls++
	case Return:
		c.Returns++
	case UnwoundCall:
		c.Unwound++
	case At:
		c.Places++
	case Lost:
		if e.Cause == "no_ring" {
			c.LostNoRing += e.Count
		} else {
			c.LostRingFull += e.Count
		}
	case Broken:
		if e.Load != nil {
			c.Broken = e.Load.HitsPerSecond
		}
	}
}

// summary is what goprobectl says at the end.
func (c *Counts) summary(line []byte) {
	c.Ended = true
	numbers := map[string]*uint64{
		"calls": &c.Calls, "returns": &c.Returns, "places": &c.Places, "unwound": &c.Unwound, "open": &c.Open,
		"doubtful": &c.Doubtful, "forgotten": &c.Forgotten, "gone": &c.Gone, "filtered": &c.Filtered,
		"undecided": &c.Undecided, "sampled": &c.Sampled, "limited": &c.Limited, "waits": &c.Waits,
		"ring_full": &c.LostRingFull, "no_ring": &c.LostNoRing, "no_room": &c.NoRoom, "malformed": &c.Malformed,
	}
	for _, object := range [][]byte{line, member(line, "lost_by_cause")} {
		s := itemsOf(object)
		for key, value, ok := s.member(); ok; key, value, ok = s.member() {
			if n := numbers[string(key)]; n != nil {
				*n = number(value)
			}
		}
	}
	c.WaitTime = time.Duration(float(member(line, "wait_seconds")) * float64(time.Second))
}

// Session traces until its context ends, Close is called, or all its processes have ended.
type Session struct {
	run     *run
	events  chan *Event
	started chan struct{} // closed: calls are recorded
	discard chan struct{} // closed: nobody reads events any more
	drop    sync.Once
	done    chan struct{} // closed: everything is over

	mu      sync.Mutex
	counts  Counts
	latency map[string]*Latency
	err     error
}

// Attach traces the functions and places that the patterns name. The breakpoints are set when it returns.
func Attach(ctx context.Context, o Options, specs ...string) (*Session, error) {
	if err := checkWords(specs); err != nil {
		return nil, err
	}
	r, err := start(&o, "attach", append(o.attach(), specs...))
	if err != nil {
		return nil, err
	}
	if o.Buffer <= 0 {
		o.Buffer = 256
	}
	s := &Session{
		run: r, events: make(chan *Event, o.Buffer), started: make(chan struct{}), discard: make(chan struct{}),
		done: make(chan struct{}), latency: make(map[string]*Latency),
	}
	go s.read()
	select {
	case <-s.started:
	case <-s.done:
		select {
		case <-s.started:
		default:
			if s.err == nil {
				s.err = errEnded
			}
			return nil, s.err
		}
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
	go r.endWith(ctx)
	return s, nil
}

// Events hands out what happens, in the order of time, and is closed at the end. While nobody
// receives, goprobectl holds 64 MiB of them, and the rings hold records; then records are lost, which
// is an event, too.
func (s *Session) Events() <-chan *Event { return s.events }

// Stop removes the breakpoints. The events that are left are still handed out.
func (s *Session) Stop() { s.run.end() }

// Close ends the session, drops the events that were not received, and returns what went wrong.
func (s *Session) Close() error {
	s.drop.Do(func() { close(s.discard) })
	s.run.kill()
	<-s.done
	return s.Err()
}

// Err says what ended the session, or nil; once Events is closed.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Counts are exact once Events is closed.
func (s *Session) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Latency is how long the calls took that have returned so far, by function.
func (s *Session) Latency() map[string]Latency {
	s.mu.Lock()
	defer s.mu.Unlock()
	ret := make(map[string]Latency, len(s.latency))
	for name, l := range s.latency {
		ret[name] = *l
	}
	return ret
}

// read hands out what goprobectl prints.
func (s *Session) read() {
	started := func() { close(s.started) }
	err := s.run.events(started, func(e *Event) {
		s.mu.Lock()
		s.counts.add(e)
		if e.Kind == Return && e.NoDuration == "" {
			s.took(e)
		}
		s.mu.Unlock()
		select {
		case s.events <- e:
		case <-s.discard:
		}
	}, func(line []byte) {
		s.mu.Lock()
		s.counts.summary(line)
		s.mu.Unlock()
	})
	s.mu.Lock()
	s.err = err
	s.mu.Unlock()
	close(s.done)
	close(s.events)
}

func (s *Session) took(e *Event) {
	l := s.latency[e.Func]
	if l == nil {
		l = new(Latency)
		s.latency[e.Func] = l
	}
	l.Add(e.Duration)
}

// events calls functions with what it prints, to the end.
func (r *run) events(started func(), event func(*Event), summary func([]byte)) error {
	names := make(interned)
	for line := r.line(); line != nil; line = r.line() {
		if e := decodeEvent(line, &names); e != nil {
			event(e)
			continue
		}
		switch string(member(line, "kind")) {
		case `"start"`:
			started()
		case `"summary"`:
			summary(line)
		}
	}
	return r.err
}

// Replay reads what "goprobectl attach --record" has written and calls fn with each event.
func Replay(ctx context.Context, o Options, path string, fn func(*Event)) (Counts, error) {
	var c Counts
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	args := []string{path}
	if o.File != "" {
		args = []string{"-b", o.File, path}
	}
	r, err := start(&o, "replay", args)
	if err != nil {
		return c, err
	}
	go r.endWith(ctx)
	err = r.events(func() {}, func(e *Event) {
		c.add(e)
		fn(e)
	}, c.summary)
	return c, err
}
