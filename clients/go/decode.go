// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bytes"
	"strings"
	"time"
)

const internedMost = 4096

// interned are strings that repeat: names of functions, parameters and types.
type interned map[string]string

func (n *interned) of(quoted []byte) string {
	if n == nil {
		return string(unquote(quoted))
	}
	if s, ok := (*n)[string(quoted)]; ok {
		return s
	}
	if *n == nil || len(*n) >= internedMost {
		*n = make(interned)
	}
	s := string(unquote(quoted))
	(*n)[string(quoted)] = s
	return s
}

var eventKinds = map[string]EventKind{
	`"call"`: Call, `"return"`: Return, `"unwound"`: UnwoundCall, `"lost"`: Lost, `"at"`: At, `"broken"`: Broken,
}

func instant(b []byte) time.Time         { return time.Unix(0, int64(number(b))) }
func nanoseconds(b []byte) time.Duration { return time.Duration(number(b)) }

// decodeEvent takes a line apart; nil: it is no event.
func decodeEvent(line []byte, names *interned) *Event {
	s := itemsOf(line)
	key, value, _ := s.member()
	kind, ok := eventKinds[string(value)]
	if string(key) != "kind" || !ok {
		return nil
	}
	e := &Event{Kind: kind, line: line}
	for key, value, ok = s.member(); ok; key, value, ok = s.member() {
		switch string(key) {
		case "func":
			e.Func = names.of(value)
		case "pid":
			e.PID = int(number(value))
		case "tid":
			e.TID = int(number(value))
		case "goid":
			e.GoID, e.NoGoroutine = number(value), string(value) == "null"
		case "time_ns":
			e.Time = instant(value)
		case "system":
			e.System = true
		case "args":
			e.Args = decodeValues(value, names)
		case "results":
			e.Results = decodeValues(value, names)
		case "values":
			e.Values = decodeValues(value, names)
		case "unavailable":
			e.Unavailable = names.of(value)
		default:
			e.more(string(key), value, names)
		}
	}
	return e
}

// more is what few events have.
func (e *Event) more(key string, value []byte, names *interned) {
	switch key {
	case "duration_ns":
		e.Duration = nanoseconds(value)
	case "duration_unavailable":
		e.NoDuration = names.of(value)
	case "split":
		s := itemsOf(value)
		for state, ns, ok := s.member(); ok; state, ns, ok = s.member() {
			e.Split = append(e.Split, StateTime{strings.TrimSuffix(string(state), "_ns"), nanoseconds(ns)})
		}
	case "registers":
		s := itemsOf(value)
		for name, v, ok := s.member(); ok; name, v, ok = s.member() {
			e.Registers = append(e.Registers, Register{string(name), number(v)})
		}
	case "set":
		s := itemsOf(value)
		for change, ok := s.next(); ok; change, ok = s.next() {
			e.Set = append(e.Set, Change{decodeValue(change, names), decodeValue(member(change, "was"), names)})
		}
	case "delay_ns":
		e.Delay = nanoseconds(value)
	case "not_changed":
		e.NotChanged = names.of(value)
	case "dry_run":
		e.DryRun = true
	case "offset", "file", "line", "inlined", "begins":
		e.place(key, value, names)
	case "hits_per_second", "percent", "max_percent", "hit_ns":
		e.load(key, value)
	default:
		e.end(key, value, names)
	}
}

func (e *Event) place(key string, value []byte, names *interned) {
	if e.Place == nil {
		e.Place = new(Place)
	}
	switch p := e.Place; key {
	case "offset":
		p.Offset = number(value)
	case "file":
		p.File = names.of(value)
	case "line":
		p.Line = int(number(value))
	case "inlined":
		p.Inlined = names.of(value)
	case "begins":
		p.Begins = true
	}
}

func (e *Event) load(key string, value []byte) {
	if e.Load == nil {
		e.Load = new(Load)
	}
	switch l := e.Load; key {
	case "hits_per_second":
		l.HitsPerSecond = number(value)
	case "percent":
		l.Percent = number(value)
	case "max_percent":
		l.MaxPercent = uint32(number(value))
	case "hit_ns":
		l.Hit = nanoseconds(value)
	}
}

// end is of how a call ended, and of records that are missing.
func (e *Event) end(key string, value []byte, names *interned) {
	switch key {
	case "seen_ns":
		e.Seen = instant(value)
	case "ended":
		for end := Unwound; end <= ByGoexit; end++ {
			if string(unquote(value)) == end.String() {
				e.Ended = end
			}
		}
	case "panic":
		v := decodeValue(value, names)
		e.Panic = &v
	case "cpu":
		e.CPU = uint32(number(value))
	case "cause":
		e.Cause = names.of(value)
	case "count":
		e.Count = number(value)
	}
}

func decodeValues(list []byte, names *interned) []Value {
	ret := make([]Value, 0, bytes.Count(list, []byte(`{"name":`)))
	s := itemsOf(list)
	for object, ok := s.next(); ok; object, ok = s.next() {
		ret = append(ret, decodeValue(object, names))
	}
	return ret
}
