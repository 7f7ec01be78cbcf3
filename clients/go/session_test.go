// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestPassesThatWaitAreMerged: while nobody receives, the rings are looked at a hundred times a second.
func TestPassesThatWaitAreMerged(t *testing.T) {
	s := newSession(testPlan(t), nil, 0)
	record := func(time uint64) pass {
		b := rec(recordCall, 1, noPlan, time, 10, time, nil)
		return pass{records: []cpuRecords{{0, b}}, bytes: len(b), time: time}
	}
	most := 0
	put := func(p pass) {
		s.put(p)
		most = max(most, len(s.passes))
	}
	const n = 100000
	for time := uint64(1); time <= n; time++ {
		if time%10 == 0 {
			put(record(time))
		} else {
			put(pass{time: time, lost: time})
		}
	}
	put(pass{time: ^uint64(0), lost: 7, last: true})
	if limit := n/10*recordBytes/(mergeMost-recordBytes) + 2; most > limit {
		t.Errorf("%d passes wait, not %d", most, limit)
	}
	var times []int64
	st := newStream(s.plan, 0, func(e *Event) { times = append(times, e.Time.UnixNano()) })
	held := s.held
	for last := false; !last; {
		p := s.take()
		held -= p.bytes
		for _, r := range p.records {
			st.add(r.cpu, r.b)
		}
		if st.round(p.time, p.lost); p.last && p.lost != 7 {
			t.Errorf("%d were lost", p.lost)
		}
		last = p.last
	}
	if held != 0 || s.held != 0 || len(s.passes) != 0 || len(times) != n/10 {
		t.Errorf("%d, %d bytes and %d passes are left, and %d events", held, s.held, len(s.passes), len(times))
	}
	for i, time := range times {
		if time != int64(10*(i+1)) {
			t.Fatalf("event %d is of %d", i, time)
		}
	}
}

// TestPassesThatWereTakenAreGone: what has them next is not to keep their records, too.
func TestPassesThatWereTakenAreGone(t *testing.T) {
	s := newSession(testPlan(t), nil, 0)
	for i := 0; i < 3; i++ {
		s.put(pass{records: []cpuRecords{{0, make([]byte, mergeMost)}}, bytes: mergeMost})
	}
	all := s.passes
	s.take()
	s.take()
	if got := fmt.Sprint(all[0].records == nil, all[1].records == nil, all[2].records == nil); got != "true true false" {
		t.Errorf("gone: %s", got)
	}
}

// TestTheTimeOfAHitIsAskedForAgain: it was not to be had once.
func TestTheTimeOfAHitIsAskedForAgain(t *testing.T) {
	asked, busy := 0, errors.New("busy")
	hit := untilKnown(func() (time.Duration, error) {
		if asked++; asked == 1 {
			return 0, busy
		}
		return time.Duration(asked), nil
	})
	for i, want := range []time.Duration{0, 2, 2} {
		if got, err := hit(); got != want || (err == busy) != (i == 0) {
			t.Errorf("time %d: %v, %v", i, got, err)
		}
	}
}
