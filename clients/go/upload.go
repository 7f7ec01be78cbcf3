// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"fmt"

	"github.com/mdlayher/netlink"
)

// An attribute's bytes, at most.
const attrMost = 65000

// batch is how many structs of a size go into one message.
func (c *conn) batch(size int) int { return min(int(c.limit(limitsBatch)), attrMost/size) }

// expect holds the id that the module gave against ours, which are indexes.
func expect(want uint32) func(*netlink.AttributeDecoder) error {
	return func(ad *netlink.AttributeDecoder) error {
		for ad.Next() {
			if t := ad.Type(); (t == aFirst || t == aFile) && ad.Uint32() != want {
				return fmt.Errorf("the module counts otherwise: not id %d", want)
			}
		}
		return nil
	}
}

// upload makes a session and gives it the plan.
func (c *conn) upload(p *Plan, o *Options) error {
	abilities, err := c.getInfo()
	if err != nil {
		return err
	}
	// Nothing would ever be sent.
	if c.limit(limitsBatch) == 0 {
		return errors.New("the module takes nothing in a message: it is broken")
	}
	if abilities&abilityUntested != 0 {
		// Without it, tracing only costs more.
		_ = selfTest()
	}
	if c.breaker, err = newBreaker(o.MaxLoad); err != nil {
		return err
	}
	if len(p.Filters) > 0 && abilities&abilityFilter == 0 {
		return errors.New("the goprobe module that is loaded knows no conditions")
	}
	for _, f := range []func() error{
		func() error { return c.newSession(p, o) },
		func() error { return c.addFiles(p, o) },
		func() error { return c.addTypes(p) },
		func() error { return c.addPlans(p) },
		func() error { return c.addFilters(p) },
		func() error { return c.addDynamic(p) },
		func() error { return c.addPoints(p) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) newSession(p *Plan, o *Options) error {
	var held []byte
	if p.HeldBytes > 0 {
		calls, most := o.Held, c.limit(limitsHeldBytes)/p.HeldBytes
		if calls == 0 {
			calls = min(16384, most)
		}
		held = order.AppendUint32(order.AppendUint32(nil, calls), p.HeldBytes)
	}
	var flags uint32
	if o.Lossless {
		flags |= sessionLossless
	}
	return c.beginSession(flags, func(ae *netlink.AttributeEncoder) {
		if o.RingBytes > 0 {
			ae.Uint32(aRingBytes, o.RingBytes)
		}
		if held != nil {
			ae.Bytes(aHeld, held)
		}
		if c.breaker.percent > 0 {
			ae.Bytes(aBreaker, order.AppendUint32(order.AppendUint32(nil, c.breaker.hitNs), c.breaker.percent))
		}
		if len(p.States) > 0 {
			ae.Uint32(aStates, uint32(len(p.States)))
		}
		var pids []byte
		for _, pid := range o.PIDs {
			pids = order.AppendUint32(pids, uint32(pid))
		}
		if pids != nil {
			ae.Bytes(aPids, pids)
		}
	})
}

func (c *conn) addFiles(p *Plan, o *Options) error {
	for i, f := range p.Files {
		file, err := f.open(o.PIDs)
		if err != nil {
			return err
		}
		err = c.do(cmdFileAdd, func(ae *netlink.AttributeEncoder) {
			ae.Uint32(aFd, uint32(file.Fd()))
			ae.Bytes(aRuntime, f.Runtime)
		}, expect(uint32(i)))
		if err != nil {
			file.Close()
			return err
		}
		f.lines.keep(file)
	}
	return nil
}

// A type and its references go together; what they refer to may come later.
func (c *conn) addTypes(p *Plan) error {
	size, refSize := p.Sizes.Type, p.Sizes.Ref
	all := len(p.Types) / size
	for c.ntypes < all {
		done := c.ntypes
		var types, refs []byte
		n := 0
		for ; n < c.batch(size) && done+n < all; n++ {
			t := p.Types[(done+n)*size : (done+n+1)*size]
			first, nrefs := int(u32At(t, 4)), int(u32At(t, 8))
			if (first+nrefs)*refSize > len(p.Refs) || len(refs)/refSize+nrefs > c.batch(refSize) {
				break
			}
			types = append(types, t...)
			order.PutUint32(types[n*size+4:], uint32(len(refs)/refSize))
			refs = append(refs, p.Refs[first*refSize:(first+nrefs)*refSize]...)
		}
		if n == 0 {
			return errors.New("a type has too many references")
		}
		if err := c.do(cmdTypesAdd, func(ae *netlink.AttributeEncoder) {
			ae.Bytes(aTypes, types)
			ae.Bytes(aRefs, refs)
		}, expect(uint32(done))); err != nil {
			return err
		}
		c.ntypes += n
	}
	return nil
}

// cut appends those of the structs at from that an object's index and number name, and rewrites its
// index; false: there is no room for them.
func (c *conn) cut(one []byte, index, number, size int, from []byte, to *[]byte) bool {
	first, n := int(u32At(one, index)), int(u32At(one, number))
	if (first+n)*size > len(from) || len(*to)/size+n > c.batch(size) {
		return false
	}
	order.PutUint32(one[index:], uint32(len(*to)/size))
	*to = append(*to, from[first*size:(first+n)*size]...)
	return true
}

func (c *conn) addPlans(p *Plan) error {
	size := p.Sizes.Plan
	all := len(p.Plans) / size
	for done := 0; done < all; {
		var plans, pieces, ops []byte
		n := 0
		for ; n < c.batch(size) && done+n < all; n++ {
			one := append([]byte(nil), p.Plans[(done+n)*size:(done+n+1)*size]...)
			had := len(pieces)
			if !c.cut(one, 4, 8, p.Sizes.Piece, p.Pieces, &pieces) {
				break
			}
			if !c.cut(one, 12, 16, p.Sizes.Op, p.Ops, &ops) {
				pieces = pieces[:had]
				break
			}
			plans = append(plans, one...)
		}
		if n == 0 {
			return errors.New("a capture plan is too large")
		}
		if err := c.do(cmdPlansAdd, func(ae *netlink.AttributeEncoder) {
			ae.Bytes(aPlans, plans)
			if len(pieces) > 0 {
				ae.Bytes(aPieces, pieces)
			}
			if len(ops) > 0 {
				ae.Bytes(aOps, ops)
			}
		}, expect(uint32(done))); err != nil {
			return err
		}
		done += n
	}
	return nil
}

func (c *conn) addFilters(p *Plan) error {
	size := p.Sizes.Filter
	all := len(p.Filters) / size
	for done := 0; done < all; {
		var filters, ops []byte
		n := 0
		for ; n < c.batch(size) && done+n < all; n++ {
			one := append([]byte(nil), p.Filters[(done+n)*size:(done+n+1)*size]...)
			if !c.cut(one, 0, 4, p.Sizes.Op, p.FilterOps, &ops) {
				break
			}
			filters = append(filters, one...)
		}
		if n == 0 {
			return errors.New("a condition is too long")
		}
		// They are counted from 1.
		if err := c.do(cmdFiltersAdd, func(ae *netlink.AttributeEncoder) {
			ae.Bytes(aFilters, filters)
			ae.Bytes(aOps, ops)
		}, expect(uint32(done+1))); err != nil {
			return err
		}
		done += n
	}
	return nil
}

// inPieces sends a table of a file, as much at a time as a message holds.
func (c *conn) inPieces(cmd uint8, attr uint16, file int, table []byte, size int) error {
	for len(table) > 0 {
		n := min(len(table), c.batch(size)*size)
		if err := c.do(cmd, func(ae *netlink.AttributeEncoder) {
			ae.Uint32(aFile, uint32(file))
			ae.Bytes(attr, table[:n])
		}, func(*netlink.AttributeDecoder) error { return nil }); err != nil {
			return err
		}
		table = table[n:]
	}
	return nil
}

func (c *conn) addDynamic(p *Plan) error {
	if c.dynamic == nil {
		c.dynamic = make([]int, len(p.Files))
	}
	for i, f := range p.Files {
		if err := c.inPieces(cmdDynamicAdd, aDynamic, i, f.Dynamic[c.dynamic[i]:], p.Sizes.Dynamic); err != nil {
			return err
		}
		c.dynamic[i] = len(f.Dynamic)
	}
	return nil
}

// uploadMore gives the session what the plan has more than the one before.
func (c *conn) uploadMore(p *Plan) error {
	if err := c.addTypes(p); err != nil {
		return err
	}
	return c.addDynamic(p)
}

func (c *conn) addPoints(p *Plan) error {
	for i, f := range p.Files {
		if err := c.inPieces(cmdPointsAdd, aPoints, i, f.Points, p.Sizes.Point); err != nil {
			return err
		}
	}
	return nil
}
