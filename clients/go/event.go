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
)

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
	}
	return "unknown"
}

// Event is what happened at one moment. Of a Lost one only Time, CPU, Cause and Count are set.
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
	Args        []Value       // of a Call
	Results     []Value       // of a Return
	Unavailable string        // why there are neither, or ""

	Seen  time.Time // of an UnwoundCall: when that was proven; Time is when it was made
	Ended Ended     // and what ended it
	Panic *Value    // what the panic was given, or nil

	CPU   uint32 // of a Lost
	Cause string // "ring_full", "no_ring"
	Count uint64 // how many
}

func find(values []Value, name string) Value {
	for _, v := range values {
		if v.name == name {
			return v
		}
	}
	return Value{why: "no such value"}
}

// Arg is the argument of that name, or the expression as it was typed; its Err tells if there
// is none.
func (e *Event) Arg(name string) Value { return find(e.Args, name) }

// Result is the result of that name ("~r0" if it has none), or the expression.
func (e *Event) Result(name string) Value { return find(e.Results, name) }
