// SPDX-License-Identifier: GPL-2.0

// The part of each random program that gives package variables their values: of types that tests/random/program has no words for, too.
package main

import (
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"sync"
)

// sameFill gives each variable a value.
func sameFill(seed uint64) {
	state = seed
	for _, v := range sameVariables {
		start()
		fillAll(v.pointer)
	}
	sameKept = len(sameVariables)
}

type coded struct{ Code int }

func (c *coded) Error() string { return "code " + strconv.Itoa(c.Code) }

type layered struct {
	Op  string
	Err error
}

func (l layered) Error() string { return l.Op + ": " + l.Err.Error() }

func address() netip.Addr {
	var bytes [16]byte
	for i := range bytes {
		bytes[i] = byte(next())
	}
	switch pick(6) {
	case 0:
		return netip.Addr{}
	case 1:
		return netip.AddrFrom4([4]byte{10, 0, bytes[0], bytes[1]})
	case 2:
		return netip.AddrFrom16(bytes).WithZone("eth" + strconv.Itoa(pick(3)))
	case 3:
		copy(bytes[:], []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})
		return netip.AddrFrom16(bytes)
	}
	return netip.AddrFrom16(bytes)
}

func integerOf() *big.Int {
	n := new(big.Int).SetUint64(next())
	return n.Lsh(n, uint(pick(300))).Neg(n)
}

// A value for any interface.
func anything() interface{} {
	var x interface{}
	inside(reflect.ValueOf(&x).Elem(), false, maxDepth)
	return x
}

func init() {
	maker(address)
	maker(func() netip.AddrPort { return netip.AddrPortFrom(address(), uint16(next())) })
	maker(func() netip.Prefix { return netip.PrefixFrom(address(), pick(33)) })
	maker(
		func() *big.Int { return nil },
		integerOf,
		func() *big.Int { return big.NewInt(int64(int8(next()))) },
	)
	maker(func() *big.Rat { return new(big.Rat).SetFrac(integerOf(), big.NewInt(int64(1+pick(1000)))) })
	maker(func() *big.Float { return big.NewFloat(float64(int32(next())) / 8) })
	maker(func() *sync.Map {
		m := new(sync.Map)
		for i := few(); i > 0; i-- {
			m.Store(pick(50), anything())
			m.Store(text(), &coded{i})
		}
		m.Delete(pick(50))
		return m
	})
	maker(func() *url.URL {
		return &url.URL{Scheme: "https", Host: "example.org", Path: "/" + text(), User: url.UserPassword("u", text())}
	})
	maker(func() net.HardwareAddr { return net.HardwareAddr{0, 1, 2, 3, 4, byte(next())} })
	maker(func() reflect.Type { return dynamic[pick(len(dynamic))] })
	maker(
		func() error { return &coded{pick(100)} },
		func() error { return (*coded)(nil) },
		func() error { return layered{text(), &coded{pick(100)}} },
		func() error { return layered{text(), fmt.Errorf("%w", errors.New(text()))} },
		func() error {
			return &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: pick(9)}, Err: &coded{1}}
		},
	)
}
