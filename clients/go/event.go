// SPDX-License-Identifier: GPL-2.0

package goprobe

import "time"

// EventKind says what happened.
type EventKind int

// Kinds of events.
const (
	Call        EventKind = iota + 1 // a function was entered
	Return                           // it returned
	UnwoundCall                      // a call ended without returning
	Lost                             // records are missing here
	At                               // a place in the code was reached
	Broken                           // breakpoints took too much time, so the session has ended
)

// String is the kind as in JSON.
func (k EventKind) String() string {
	switch k {
	case Call:
		return "call"
	case Return:
		return "return"
	case UnwoundCall:
		return "unwound"
	case Lost:
		return "lost"
	case At:
		return "at"
	case Broken:
		return "broken"
	}
	return "unknown"
}

// Place is where in the code something is.
type Place struct {
	Offset  uint64 // from where the function begins
	File    string // "" if that is not known
	Line    int    // of File
	Inlined string // the function whose code it is, if that was inlined, or ""
	Begins  bool   // it is where Inlined begins
}

// Register is what an integer register held.
type Register struct {
	Name  string // "rax"; "rip" is where it happened
	Value uint64
}

// StateTime is how long a goroutine was in a state.
type StateTime struct {
	State string // "running", "runnable", "syscall", "chan", "select", "sync", "net", "sleep", "gc", "other"
	Time  time.Duration
}

// Load is what the breakpoints of a Broken session took.
type Load struct {
	HitsPerSecond uint64
	Percent       uint64        // of one processor's time that they took
	MaxPercent    uint32        // and were to take at most
	Hit           time.Duration // what one takes on this machine
}

// Ended says how a call ended that did not return.
type Ended int

// Ends of calls.
const (
	Unwound  Ended = iota // a panic or Goexit; which, was not seen
	ByPanic               // a panic
	ByGoexit              // runtime.Goexit
)

// String is what ended it as in JSON.
func (e Ended) String() string {
	return [...]string{"unwound", "panic", "goexit"}[e]
}

// Change is what a pattern sets of a call or a return.
type Change struct {
	Value       // after it
	Was   Value // before it
}

// Event is what happened at one moment. Of a Lost one only Time, CPU, Cause and Count are set, of
// a Broken one, which is the last, only Load.
type Event struct {
	Kind        EventKind
	Func        string // full name, as in the program's line table
	PID, TID    int    // in the initial pid namespace
	GoID        uint64 // goroutine
	NoGoroutine bool   // there was none
	System      bool   // on a system stack, on behalf of the goroutine
	Time        time.Time

	Duration    time.Duration // of a Return, from its call on
	NoDuration  string        // why that is not known, or ""
	Split       []StateTime   // with Options.Split: how that divides; all states, in this order
	Args        []Value       // of a Call
	Results     []Value       // of a Return
	Values      []Value       // of an At
	Unavailable string        // why there are none of these, or ""
	Registers   []Register    // with Options.Registers, of a Call, a Return or an At
	Place       *Place        // of an At

	Set        []Change      // with "set": what is changed of a Call or a Return
	Delay      time.Duration // with "delay": how long the call was held
	NotChanged string        // why nothing of that was done, or ""
	DryRun     bool          // nothing was done, as it was only to be shown

	Seen  time.Time // of an UnwoundCall: when that was proven; Time is when it was made
	Ended Ended     // and what ended it
	Panic *Value    // what the panic was given, or nil

	CPU   uint32 // of a Lost
	Cause string // "ring_full", "no_ring"
	Count uint64 // how many

	Load *Load // of a Broken

	line []byte
}

// MarshalJSON gives the line that goprobectl has printed of the event.
func (e *Event) MarshalJSON() ([]byte, error) {
	if e.line == nil {
		return []byte("null"), nil
	}
	return e.line, nil
}

func find(values []Value, name string) Value {
	for _, v := range values {
		if v.name == name {
			return v
		}
	}
	return Value{why: "no such value"}
}

// Arg returns the argument of that name, or the expression as it was typed. If there is no
// such argument, the value's Err says so.
func (e *Event) Arg(name string) Value { return find(e.Args, name) }

// Value is what is there of that name, or the expression, of an At.
func (e *Event) Value(name string) Value { return find(e.Values, name) }

// InState is how long the goroutine was in a state during the call, by Split.
func (e *Event) InState(state string) time.Duration {
	for _, s := range e.Split {
		if s.State == state {
			return s.Time
		}
	}
	return 0
}

// Register is what a register held: "rax". False: that is not known.
func (e *Event) Register(name string) (uint64, bool) {
	for _, r := range e.Registers {
		if r.Name == name {
			return r.Value, true
		}
	}
	return 0, false
}

// Result is the result of that name ("~r0" if it has none), or the expression.
func (e *Event) Result(name string) Value { return find(e.Results, name) }
