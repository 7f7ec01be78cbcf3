// SPDX-License-Identifier: GPL-2.0

package main

import (
	"time"
	"unsafe"
)

type Event struct {
	Name string
	At   time.Time
	Took time.Duration
	Day  time.Weekday
}

//go:noinline
func durations(a, b time.Duration) (time.Duration, time.Duration) { visits++; return b, a }

//go:noinline
func times(t time.Time) (int, time.Time) { visits++; return visits, t }

//go:noinline
func timePointers(t *time.Time, d *time.Duration) (*time.Duration, *time.Time) { visits++; return d, t }

//go:noinline
func locations(l *time.Location) (int, *time.Location) { visits++; return visits, l }

//go:noinline
func months(m time.Month, d time.Weekday) (time.Weekday, time.Month) { visits++; return d, m }

//go:noinline
func events(e Event, all []Event) (int, Event) { visits++; return len(all), e }

// keepMonotonic is a time as time.Now gives it: the wall clock since 1885, and the
// monotonic clock (src/time/time.go).
func keepMonotonic(seconds, nanoseconds uint64, monotonic int64) time.Time {
	var t time.Time
	words := (*[2]uint64)(unsafe.Pointer(&t))
	words[0] = 1<<63 | seconds<<30 | nanoseconds
	words[1] = uint64(monotonic)
	return t
}

func visitTimes() {
	durations(0, 1500*time.Millisecond)
	durations(-time.Nanosecond, 100*time.Hour)
	plain := time.Date(2026, 11, 21, 14, 3, 22, 104881000, time.UTC)
	east := time.FixedZone("EAST", 3*3600)
	times(time.Time{})
	times(plain)
	times(plain.In(east))
	times(time.Date(1969, 7, 20, 20, 17, 40, 1, time.FixedZone("", -4*3600-1800)))
	times(time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC))
	times(keepMonotonic(4470000000, 123456789, 987654321))
	took := 3 * time.Second
	timePointers(&plain, &took)
	timePointers(nil, nil)
	locations(nil)
	locations(time.UTC)
	locations(east)
	months(time.November, time.Saturday)
	event := Event{"start", plain, took, time.Saturday}
	events(event, []Event{event, {}})
	kept = []interface{}{&plain, &took}
}
