// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/mdlayher/netlink"
)

// The largest session of the tests: their records fit into the smallest ring.
const (
	testRing        = 65536
	testCalls       = 100
	testRounds      = 5
	testHitsPerCall = 2
	testPointBytes  = 56
	testRuntime     = 40
	regR14          = 14 // DWARF number of the register that Go has its g in
)

// ownPoint is a breakpoint in this program's own code.
type ownPoint struct {
	address uintptr
	kind    byte
	code    string
}

// place finds the file offset of an address of this program's code.
func (p *ownPoint) place() (uint64, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return 0, err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var from, to, offset uint64
		var access string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s %x", &from, &to, &access, &offset); n < 4 {
			continue
		}
		if at := uint64(p.address); at >= from && at < to && strings.Contains(access, "x") {
			return at - from + offset, nil
		}
	}
	return 0, errors.New("the program's own code can't be found")
}

// ownSession is a session of this process alone, with points in its own code.
func ownSession(gReg byte, points []ownPoint) (*conn, error) {
	exe, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	c, err := dial()
	if err != nil {
		return nil, err
	}
	rt := make([]byte, testRuntime)
	rt[0] = gReg
	var table []byte
	for i := range points {
		at, err := points[i].place()
		if err != nil {
			c.close()
			return nil, err
		}
		b := make([]byte, testPointBytes)
		order.PutUint64(b, at)
		order.PutUint32(b[12:], noPlan)
		b[16], b[19] = points[i].kind, byte(len(points[i].code))
		copy(b[24:], points[i].code)
		table = append(table, b...)
	}
	none := func(*netlink.AttributeDecoder) error { return nil }
	for _, f := range []func() error{
		func() error {
			return c.beginSession(0, func(ae *netlink.AttributeEncoder) {
				ae.Uint32(aRingBytes, testRing)
				ae.Bytes(aPids, order.AppendUint32(nil, uint32(os.Getpid())))
			})
		},
		func() error {
			return c.do(cmdFileAdd, func(ae *netlink.AttributeEncoder) {
				ae.Uint32(aFd, uint32(exe.Fd()))
				ae.Bytes(aRuntime, rt)
			}, none)
		},
		func() error {
			return c.do(cmdPointsAdd, func(ae *netlink.AttributeEncoder) {
				ae.Uint32(aFile, 0)
				ae.Bytes(aPoints, table)
			}, none)
		},
	} {
		if err := f(); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

// selfTest has the module find out whether the kernel lets it carry out instructions: "Who executes
// the instruction" in include/uapi/goprobe.h.
func selfTest() error {
	if !haveTestCode {
		return errNoTestCode
	}
	c, err := ownSession(regNone, []ownPoint{{selfTestAddress(), pointSelfTest, selfTestCode}})
	if err != nil {
		return err
	}
	defer c.close()
	selfTestRun(selfTestRounds)
	return nil
}

var errNoTestCode = errors.New("there is no code to try breakpoints with on this architecture")

func timeCalls() time.Duration {
	best := time.Duration(math.MaxInt64)
	for round := 0; round < testRounds; round++ {
		began := time.Now()
		for i := 0; i < testCalls; i++ {
			selfTestCall()
		}
		best = min(best, time.Since(began))
	}
	return best
}

// hitTime is what a breakpoint takes on this machine, all in all: the shortest of several times, so
// rather too little.
var hitTime = untilKnown(func() (time.Duration, error) {
	if !haveTestCode {
		return 0, errNoTestCode
	}
	without := timeCalls()
	address := selfTestCallAddress()
	c, err := ownSession(regR14, []ownPoint{{address, pointCall, "\x90"}, {address + 1, pointReturn, "\xc3"}})
	if err != nil {
		return 0, err
	}
	defer c.close()
	if err := c.do(cmdStart, nil, nil); err != nil {
		return 0, err
	}
	return max((timeCalls()-without)/(testCalls*testHitsPerCall), 1), nil
})

// untilKnown remembers what fn says, but for errors: those are of a moment, and without the time of a hit
// later sessions would have no limit.
func untilKnown(fn func() (time.Duration, error)) func() (time.Duration, error) {
	var mu sync.Mutex
	var known time.Duration
	return func() (time.Duration, error) {
		mu.Lock()
		defer mu.Unlock()
		if known != 0 {
			return known, nil
		}
		var err error
		known, err = fn()
		return known, err
	}
}

// breaker is when hits are too many; percent 0: never.
type breaker struct {
	hitNs, percent uint32
}

// Percent of each processor that there is, unless something is said.
const loadDefault = 50

func newBreaker(percent int) (breaker, error) {
	if percent < 0 {
		return breaker{}, nil
	}
	if percent > 1000000 {
		return breaker{}, errors.New("MaxLoad is 1000000 percent at most")
	}
	hit, err := hitTime()
	if err != nil && percent > 0 {
		return breaker{}, fmt.Errorf("what a breakpoint takes can't be found out, for MaxLoad: %w", err)
	}
	if err != nil {
		return breaker{}, nil
	}
	if percent == 0 {
		percent = loadDefault * runtime.NumCPU()
	}
	return breaker{uint32(min(hit, math.MaxUint32)), uint32(percent)}, nil
}

func (b breaker) event(hits uint64) *Event {
	return &Event{Kind: Broken, Load: &Load{
		HitsPerSecond: hits, Percent: uint64(float64(hits)*float64(b.hitNs)/1e7 + 0.5),
		MaxPercent: b.percent, Hit: time.Duration(b.hitNs),
	}}
}
