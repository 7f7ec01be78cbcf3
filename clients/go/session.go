// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// Options say what is traced, and how.
type Options struct {
	PIDs []int  // these processes
	File string // all processes that run this file; with PIDs these of them alone

	Compiler     string   // goprobectl, if it is not in PATH
	CompilerArgs []string // options for it that say what is captured: "--depth", "3"
	NoReturn     bool     // calls only, without results and durations
	Inlined      bool     // functions also where they were inlined, as At events
	Registers    bool     // all integer registers, too
	Split        bool     // how the time of each call divides: Event.Split
	Times        uint64   // calls of each function, then its breakpoints are removed; 0: all

	RingBytes uint32 // memory for each CPU's records; 0: the module's choice
	Held      uint32 // calls that can wait for a condition on results; 0: 16384
	Lossless  bool   // when that memory is full, the program waits
	Buffer    int    // events that the channel holds; 0: 256

	// MaxLoad is how much of one processor's time breakpoints may take, in percent. When they
	// take more, the session ends with a Broken event. 0: 50 for each processor that there is;
	// less than 0: any.
	MaxLoad int
}

// Counts say what a session has seen so far, and what it has not.
type Counts struct {
	Calls, Returns uint64 // events handed out
	Places         uint64 // hits of places among them
	Unwound        uint64 // calls that ended without returning
	Open           uint64 // calls that have not returned
	Doubtful       uint64 // calls whose end was not seen after records were lost
	Forgotten      uint64 // open calls given up because there were too many
	Gone           uint64 // calls open in a process where another program began
	LostRingFull   uint64 // records lost because the reader was too slow
	LostNoRing     uint64 // because a CPU had no memory for its ring
	NoRoom         uint64 // because too many calls were open that a condition is about
	Malformed      uint64 // because they could not be decoded, which is a bug
	Filtered       uint64 // hits that did not pass their condition
	Undecided      uint64 // hits whose condition could not be told
	Sampled        uint64 // calls that were left out of a sample
	Limited        uint64 // calls beyond a limit
	Waits          uint64 // records that waited for room, with Lossless
	WaitTime       time.Duration
	Broken         uint64 // hits a second when they took more than Options.MaxLoad, or 0
	Ended          bool   // it was brought to its end
}

// Lost is how many records were not handed out.
func (c Counts) Lost() uint64 { return c.LostRingFull + c.LostNoRing + c.NoRoom + c.Malformed }

// Bytes of records that may wait to be decoded. What is beyond waits in the rings.
const heldMost = 64 << 20

// Bytes of a pass that the next one may still be added to: while nobody receives there is one every
// readHeldBack, however little it brings.
const mergeMost = 64 << 10

const (
	readAtLeast  = time.Second
	readHeldBack = 10 * time.Millisecond
	readBacklog  = 65536
)

// pass is what one pass over the rings brought.
type pass struct {
	records []cpuRecords
	bytes   int
	time    uint64
	lost    uint64
	last    bool
}

type cpuRecords struct {
	cpu uint32
	b   []byte
}

// add makes one pass of two, as if nobody had looked in between.
func (p *pass) add(later pass) {
	p.records = append(p.records, later.records...)
	p.bytes += later.bytes
	p.time, p.lost, p.last = later.time, later.lost, later.last
}

// Session traces until its context ends, Close is called, or all its processes have ended.
type Session struct {
	plan    *Plan
	c       *conn
	events  chan *Event
	wake    chan struct{} // closed: to end
	stop    sync.Once
	discard chan struct{} // closed: nobody reads events any more
	drop    sync.Once
	done    chan struct{} // closed: everything is over

	mu      sync.Mutex
	room    sync.Cond
	passes  []pass
	held    int
	more    sync.Cond
	counts  Counts
	grown   *Plan    // what it was to be told
	leaving []uint32 // functions whose breakpoints are to leave
	latency map[string]*Latency
	err     error
}

// Attach makes a plan and traces by it. The breakpoints are set when it returns.
func Attach(ctx context.Context, o Options, specs ...string) (*Session, error) {
	p, err := Compile(ctx, o, specs...)
	if err != nil {
		return nil, err
	}
	return p.Attach(ctx, o)
}

// Attach traces by the plan. Of the options those count that do not concern its making, and PIDs.
func (p *Plan) Attach(ctx context.Context, o Options) (*Session, error) {
	c, err := dial()
	if err != nil {
		return nil, err
	}
	if err := c.upload(p, &o); err != nil {
		c.close()
		return nil, err
	}
	s := newSession(p, c, o.Buffer)
	if err := c.do(cmdStart, nil, nil); err != nil {
		c.close()
		return nil, err
	}
	go s.read()
	go s.decode()
	go s.watch(ctx, o.PIDs)
	return s, nil
}

func newSession(p *Plan, c *conn, buffer int) *Session {
	if buffer <= 0 {
		buffer = 256
	}
	s := &Session{
		plan: p, c: c, events: make(chan *Event, buffer), wake: make(chan struct{}),
		discard: make(chan struct{}), done: make(chan struct{}), latency: make(map[string]*Latency),
	}
	s.room.L, s.more.L = &s.mu, &s.mu
	return s
}

// Events hands out what happens, in the order of time, and is closed at the end. While nobody
// receives, records wait in memory, up to 64 MiB, then in the rings; then they are lost, which
// is an event, too.
func (s *Session) Events() <-chan *Event { return s.events }

// Stop takes the breakpoints away. The events that are left are still handed out.
func (s *Session) Stop() {
	s.stop.Do(func() {
		close(s.wake)
		s.c.interrupt()
		s.mu.Lock()
		s.room.Broadcast()
		s.mu.Unlock()
	})
}

// Close ends the session, drops the events that were not received, and tells what went wrong.
func (s *Session) Close() error {
	s.Stop()
	s.drop.Do(func() { close(s.discard) })
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

func (s *Session) fail(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
}

func (s *Session) stopped() bool {
	select {
	case <-s.wake:
		return true
	default:
		return false
	}
}

// watch ends the session with its context, or its processes.
func (s *Session) watch(ctx context.Context, pids []int) {
	ended := make(chan struct{})
	if len(pids) > 0 {
		go func() {
			if err := awaitEnd(pids, s.wake); err != nil {
				s.fail(err)
			}
			close(ended)
		}()
	}
	select {
	case <-ctx.Done():
	case <-ended:
	case <-s.wake:
	}
	s.Stop()
}

// read empties the rings; what it takes can't be lost any more.
func (s *Session) read() {
	err := s.readUntilStop()
	if err == nil {
		err = s.readRest()
	}
	if err != nil {
		s.fail(err)
	}
	s.c.close()
	s.put(pass{time: ^uint64(0), lost: s.lostSoFar(), last: true})
	s.Stop()
}

func (s *Session) readUntilStop() error {
	for !s.stopped() {
		p, backlog, err := s.pass()
		if err != nil {
			return err
		}
		held := s.put(p)
		if s.Counts().Broken > 0 {
			return nil
		}
		if err := s.tell(); err != nil {
			return err
		}
		next := readAtLeast
		if backlog >= readBacklog {
			continue
		} else if backlog > 0 || held > 0 {
			next = readHeldBack
		}
		if err := s.c.await(next); err != nil {
			return err
		}
	}
	return nil
}

// tell gives the module what was learned, and takes breakpoints away whose functions have been seen
// often enough.
func (s *Session) tell() error {
	s.mu.Lock()
	ids, grown := s.leaving, s.grown
	s.leaving, s.grown = nil, nil
	s.mu.Unlock()
	if grown != nil {
		if err := s.c.uploadMore(grown); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return s.c.removePoints(ids)
}

// learned has read tell the module.
func (s *Session) learned(p *Plan) {
	s.mu.Lock()
	s.grown = p
	s.mu.Unlock()
	s.c.nudge()
}

func (s *Session) readRest() error {
	if err := s.c.do(cmdStop, nil, nil); err != nil {
		return err
	}
	for {
		p, _, err := s.pass()
		if err != nil {
			return err
		}
		s.put(p)
		if p.bytes == 0 {
			s.mu.Lock()
			s.counts.Ended = true
			s.mu.Unlock()
			return nil
		}
	}
}

func (s *Session) pass() (p pass, backlog uint64, err error) {
	p.time, backlog, err = s.c.read(func(cpu uint32, b []byte) {
		p.records = append(p.records, cpuRecords{cpu, b})
		p.bytes += len(b)
	})
	if err != nil {
		return p, 0, err
	}
	stats, err := s.c.stats()
	if err != nil {
		return p, 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &s.counts
	c.LostRingFull, c.LostNoRing, c.NoRoom = stats[statLostRingFull], stats[statLostNoRing], stats[statNoRoom]
	c.Filtered, c.Undecided = stats[statFiltered], stats[statUndecided]
	c.Sampled, c.Limited, c.Broken = stats[statSampled], stats[statLimited], stats[statBroken]
	c.Waits, c.WaitTime = stats[statWaits], time.Duration(stats[statWaitNs])
	p.lost = c.LostRingFull + c.LostNoRing + c.NoRoom
	return p, backlog, nil
}

func (s *Session) lostSoFar() uint64 {
	c := s.Counts()
	return c.Lost() - c.Malformed
}

// put hands a pass to decode, and waits while too much is held; bytes that are.
func (s *Session) put(p pass) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += p.bytes
	if n := len(s.passes); n > 0 && s.passes[n-1].bytes+p.bytes <= mergeMost {
		s.passes[n-1].add(p)
	} else {
		s.passes = append(s.passes, p)
	}
	s.more.Signal()
	for s.held > heldMost && !s.stopped() {
		s.room.Wait()
	}
	return s.held
}

func (s *Session) take() pass {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.passes) == 0 {
		s.more.Wait()
	}
	p := s.passes[0]
	s.passes[0] = pass{} // its records are not to stay
	s.passes = s.passes[1:]
	s.held -= p.bytes
	s.room.Signal()
	return p
}

func (s *Session) emit(e *Event) {
	if e.Kind == Return && e.NoDuration == "" {
		s.mu.Lock()
		l := s.latency[e.Func]
		if l == nil {
			l = new(Latency)
			s.latency[e.Func] = l
		}
		l.Add(e.Duration)
		s.mu.Unlock()
	}
	select {
	case s.events <- e:
	case <-s.discard:
	}
}

// decode turns passes into events.
func (s *Session) decode() {
	st := newStream(s.plan, epoch(), s.emit)
	st.told = s.learned
	looked := time.Now()
	for last := false; !last; {
		p := s.take()
		for _, r := range p.records {
			st.add(r.cpu, r.b)
		}
		// The clock may be set, and CLOCK_MONOTONIC does not count while the system is suspended.
		if time.Since(looked) >= time.Second {
			looked, st.epoch = time.Now(), epochNow(st.epoch)
		}
		st.round(p.time, p.lost)
		last = p.last
		done, more := st.times.take()
		s.mu.Lock()
		s.leaving = append(s.leaving, done...)
		c := &s.counts
		c.Calls, c.Returns, c.Unwound = st.counts.Calls, st.counts.Returns, st.counts.Unwound
		c.Places = st.counts.Places
		c.Open, c.Doubtful, c.Forgotten = st.counts.Open, st.counts.Doubtful, st.counts.Forgotten
		c.Gone = st.counts.Gone
		c.Malformed = st.counts.Malformed
		s.mu.Unlock()
		if !more {
			s.Stop()
		} else if len(done) > 0 {
			s.c.nudge()
		}
	}
	if n := s.Counts().Broken; n > 0 {
		s.emit(s.c.breaker.event(n))
	}
	if st.why != "" {
		s.fail(errors.New("a bug: malformed record: " + st.why))
	}
	close(s.done)
	close(s.events)
}

// open opens the file. What a process runs is opened through that: its path may mean another file
// here, or none.
func (f *planFile) open(pids []int) (*os.File, error) {
	path := f.Path
	for _, pid := range pids {
		link := fmt.Sprintf("/proc/%d/exe", pid)
		if to, err := os.Readlink(link); err == nil && to == f.Path {
			path = link
			break
		}
	}
	file, err := openRegular(path)
	if err != nil {
		return nil, fmt.Errorf("can't open the program of the plan: %w", err)
	}
	return file, nil
}
