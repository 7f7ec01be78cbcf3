// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// conn is a connection to the module: a session, once it has one. All but interrupt is for one
// goroutine at a time.
type conn struct {
	c       *genetlink.Conn
	session *os.File // what the session ends with, once it has one
	family  uint16
	ready   bool // the module has said that there are records
	limits  []byte

	breaker breaker
	ntypes  int   // types that the session has
	dynamic []int // bytes of each file's dynamic types that it has

	mu          sync.Mutex
	waiting     bool // await is
	interrupted bool
	nudged      bool // await is not to wait, once
}

func dial() (*conn, error) {
	s, port, err := dialKernel()
	if err != nil {
		return nil, fmt.Errorf("can't speak netlink: %w", err)
	}
	c := genetlink.NewConn(netlink.NewConn(s, port))
	family, err := c.GetFamily(familyName)
	if err != nil {
		c.Close()
		if errors.Is(err, os.ErrNotExist) {
			return nil, errors.New("the goprobe module is not loaded: load it as root, with modprobe goprobe or goprobectl info")
		}
		return nil, err
	}
	s.ready = readyOf(family.ID)
	return &conn{c: c, family: family.ID}, nil
}

// readyOf is what the module sends when there are records.
func readyOf(family uint16) []netlink.Message {
	m := netlink.Message{Data: []byte{cmdReady, 1, 0, 0}}
	m.Header.Type, m.Header.Length = netlink.HeaderType(family), 20
	return []netlink.Message{m}
}

// close returns when the session, if it has one, has no breakpoints any more.
func (c *conn) close() {
	c.c.Close()
	if c.session != nil {
		c.session.Close()
	}
}

// beginSession makes the session, which attrs describe.
func (c *conn) beginSession(flags uint32, attrs func(*netlink.AttributeEncoder)) error {
	return c.do(cmdSessionNew, func(ae *netlink.AttributeEncoder) {
		ae.Uint32(aFlags, flags|sessionFd)
		attrs(ae)
	}, func(ad *netlink.AttributeDecoder) error {
		for ad.Next() {
			if ad.Type() == aFd {
				c.session = os.NewFile(uintptr(ad.Uint32()), "goprobe session")
			}
		}
		return nil
	})
}

// interrupt ends await, now and from now on. It leaves answers alone: part of one would be lost.
func (c *conn) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.interrupted = true
	if c.waiting {
		c.c.SetReadDeadline(time.Unix(1, 0))
	}
}

// nudge ends await, now or the next time.
func (c *conn) nudge() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nudged = true
	if c.waiting {
		c.c.SetReadDeadline(time.Unix(1, 0))
	}
}

// wait sets the time until which await waits; false: it is not to.
func (c *conn) wait(until time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = !c.interrupted && !c.nudged && !until.IsZero()
	if !c.waiting {
		until = time.Time{}
		c.nudged = false
	}
	c.c.SetReadDeadline(until)
	return c.waiting
}

// sentence is what the module says, if it says something.
func sentence(err error) error {
	var op *netlink.OpError
	if errors.As(err, &op) && op.Message != "" {
		return errors.New(op.Message)
	}
	if errors.Is(err, unix.EPERM) {
		return errors.New("tracing needs CAP_SYS_ADMIN in the initial user namespace")
	}
	return err
}

// request sends one command and hands all messages of its answer to fn. What the module says of
// its own accord may come in between.
func (c *conn) request(cmd uint8, flags netlink.HeaderFlags, attrs func(*netlink.AttributeEncoder), fn func(genetlink.Message) error) error {
	var data []byte
	if attrs != nil {
		ae := netlink.NewAttributeEncoder()
		attrs(ae)
		var err error
		if data, err = ae.Encode(); err != nil {
			return err
		}
	}
	m := genetlink.Message{Header: genetlink.Header{Command: cmd, Version: 1}, Data: data}
	req, err := c.c.Send(m, c.family, netlink.Request|flags)
	if err != nil {
		return sentence(err)
	}
	for answered := false; !answered; {
		msgs, headers, err := c.receive()
		if err != nil {
			return sentence(err)
		}
		// Of a dump nothing but its end may come.
		answered = len(msgs) == 0 && flags&netlink.Dump == netlink.Dump
		for i, msg := range msgs {
			if headers[i].Header.Sequence != req.Header.Sequence {
				continue
			}
			answered = true
			if fn == nil || headers[i].Header.Type != netlink.HeaderType(c.family) {
				continue
			}
			if err := fn(msg); err != nil {
				return err
			}
		}
	}
	return nil
}

// receive notes on the way whether there are records.
func (c *conn) receive() ([]genetlink.Message, []netlink.Message, error) {
	msgs, headers, err := c.c.Receive()
	for i, m := range msgs {
		if headers[i].Header.Type == netlink.HeaderType(c.family) && m.Header.Command == cmdReady {
			c.ready = true
		}
	}
	return msgs, headers, err
}

// await waits until there are records, for that long at most, or until it is interrupted.
func (c *conn) await(d time.Duration) error {
	defer c.wait(time.Time{})
	for until := time.Now().Add(d); !c.ready && c.wait(until); {
		_, _, err := c.receive()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return sentence(err)
		}
	}
	c.ready = false
	return nil
}

// do is a command that is answered by attributes, which fn gets, or by nothing.
func (c *conn) do(cmd uint8, attrs func(*netlink.AttributeEncoder), fn func(*netlink.AttributeDecoder) error) error {
	flags := netlink.HeaderFlags(0)
	if fn == nil {
		flags = netlink.Acknowledge
	}
	return c.request(cmd, flags, attrs, func(m genetlink.Message) error {
		if fn == nil {
			return nil
		}
		return decodeAttrs(m, fn)
	})
}

func decodeAttrs(m genetlink.Message, fn func(*netlink.AttributeDecoder) error) error {
	ad, err := netlink.NewAttributeDecoder(m.Data)
	if err != nil {
		return err
	}
	if err := fn(ad); err != nil {
		return err
	}
	return ad.Err()
}

func (c *conn) getInfo() (abilities uint64, err error) {
	err = c.do(cmdGetInfo, nil, func(ad *netlink.AttributeDecoder) error {
		for ad.Next() {
			switch ad.Type() {
			case aAbilities:
				abilities = ad.Uint64()
			case aLimits:
				c.limits = ad.Bytes()
			}
		}
		return nil
	})
	if err == nil && len(c.limits) < limitsHeldBytes+4 {
		err = errors.New("the module is older than this package")
	}
	return abilities, err
}

func (c *conn) limit(at int) uint32 { return u32At(c.limits, at) }

// removePoints takes the breakpoints of functions away.
func (c *conn) removePoints(ids []uint32) error {
	for len(ids) > 0 {
		n := min(len(ids), 1024)
		var b []byte
		for _, id := range ids[:n] {
			b = order.AppendUint32(b, id)
		}
		if err := c.do(cmdPointsDel, func(ae *netlink.AttributeEncoder) {
			ae.Bytes(aIDs, b)
		}, func(*netlink.AttributeDecoder) error { return nil }); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// stats are the session's counters; those that the module does not have are 0.
func (c *conn) stats() (ret [statMost]uint64, err error) {
	err = c.do(cmdGetStats, nil, func(ad *netlink.AttributeDecoder) error {
		for ad.Next() {
			if ad.Type() != aStats {
				continue
			}
			b := ad.Bytes()
			for i := 0; i < statMost && len(b) >= 8; i, b = i+1, b[8:] {
				ret[i] = u64At(b, 0)
			}
		}
		return nil
	})
	return ret, err
}

// read is one pass over the rings.
func (c *conn) read(fn func(cpu uint32, b []byte)) (passTime, backlog uint64, err error) {
	err = c.request(cmdRead, netlink.Dump, nil, func(m genetlink.Message) error {
		return decodeAttrs(m, func(ad *netlink.AttributeDecoder) error {
			var cpu uint32
			var records []byte
			for ad.Next() {
				switch ad.Type() {
				case aCPU:
					cpu = ad.Uint32()
				case aRecords:
					records = ad.Bytes()
				case aTime:
					passTime = ad.Uint64()
				case aBacklog:
					backlog = ad.Uint64()
				}
			}
			if len(records) > 0 {
				fn(cpu, records)
			}
			return nil
		})
	})
	return passTime, backlog, err
}

// epoch is what makes CLOCK_MONOTONIC a time since 1970.
func epoch() uint64 {
	var before, real, after unix.Timespec
	var ret int64
	// The tightest of some tries: we may be interrupted between the clocks.
	for i, best := 0, int64(math.MaxInt64); i < 5; i++ {
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &before)
		unix.ClockGettime(unix.CLOCK_REALTIME, &real)
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &after)
		if took := after.Nano() - before.Nano(); took < best {
			best = took
			ret = real.Nano() - (before.Nano() + took/2)
		}
	}
	return uint64(ret)
}

// epochNow is what epoch says, unless that is e, but for how exactly it can be measured.
func epochNow(e uint64) uint64 {
	now := epoch()
	if d := time.Duration(now - e); d.Abs() < time.Millisecond {
		return e
	}
	return now
}

// awaitEnd waits until all processes have ended, or done is closed.
func awaitEnd(pids []int, done <-chan struct{}) error {
	var fds []unix.PollFd
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err == unix.ESRCH {
			continue
		}
		if err != nil {
			for _, f := range fds {
				unix.Close(int(f.Fd))
			}
			return fmt.Errorf("can't wait for process %d to end: %w", pid, err)
		}
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	for over := false; len(fds) > 0 && !over; {
		select {
		case <-done:
			over = true
		default:
		}
		unix.Poll(fds, 100)
		left := fds[:0]
		for _, f := range fds {
			if f.Revents == 0 && !over {
				left = append(left, f)
			} else {
				unix.Close(int(f.Fd))
			}
		}
		fds = left
	}
	return nil
}
