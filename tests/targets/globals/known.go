// SPDX-License-Identifier: GPL-2.0

package main

import (
	"container/list"
	"context"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"sync"
	"time"
)

type device struct {
	Name string
	Mac  net.HardwareAddr
	IP   net.IP
	Next *device
}

type key string

type event struct {
	At   time.Time
	Took time.Duration
	Next *event
}

var Zone = keep("Zone", netip.MustParseAddr("fe80::1%eth0"))
var Four = keep("Four", netip.MustParseAddr("1.2.3.4"))
var Six = keep("Six", netip.MustParseAddr("2001:db8::1"))
var Mapped = keep("Mapped", netip.MustParseAddr("::ffff:1.2.3.4"))
var NoAddr = keep("NoAddr", netip.Addr{})
var Ports = keep("Ports", []netip.AddrPort{
	netip.MustParseAddrPort("[::ffff:1.2.3.4]:80"), netip.MustParseAddrPort("1.2.3.4:80"),
	netip.MustParseAddrPort("[fe80::1%eth1]:80"),
})
var Prefix = keep("Prefix", netip.MustParsePrefix("::ffff:1.2.3.4/104"))
var AddrMap = keep("AddrMap", map[netip.Addr]*netip.Addr{Zone: &Mapped, Four: &Zone})
var Device = keep("Device", &device{"eth0", net.HardwareAddr{0, 0x1b, 0x21, 0x3c, 0x9d, 0xf8}, net.IPv4(10, 0, 0, 1),
	&device{"eth1", net.HardwareAddr{1, 2, 3, 4, 5, 6}, net.ParseIP("2001:db8::2"), &device{"eth2", nil, net.IP{10, 0, 0, 3}, nil}}})
var IP = keep("IP", net.IPv4(10, 0, 0, 9))
var Net = keep("Net", &net.IPNet{IP: net.IP{10, 0, 0, 0}, Mask: net.CIDRMask(8, 32)})
var OpErr = keep[error]("OpErr", &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IP{127, 0, 0, 1}, Port: 80},
	Err: os.NewSyscallError("connect", os.ErrPermission)})
var Time = keep("Time", time.Date(2024, 5, 6, 7, 8, 9, 10, time.FixedZone("here", 3600)))
var Events = keep("Events", &event{Time, time.Second, &event{Time.UTC(), time.Hour, &event{Time, 0, nil}}})
var Location = keep("Location", time.FixedZone("there", 7200))
var Type = keep("Type", reflect.TypeOf(device{}))
var Types = keep("Types", []reflect.Type{reflect.TypeOf(1), reflect.TypeOf(""), reflect.TypeOf(&Type)})
var Value = keep("Value", reflect.ValueOf(point{1, 2}))
var Context = keep("Context", chain())
var URL = keep("URL", parsed("https://u:p@example.org:8443/a/b?x=1&y=2#frag"))
var Query = keep("Query", URL.Query())
var BigInt = keep("BigInt", new(big.Int).Lsh(big.NewInt(12345), 200))
var BigRat = keep("BigRat", big.NewRat(22, 7))
var BigFloat = keep("BigFloat", big.NewFloat(1.5))
var List = keep("List", listed())
var Chan = keep("Chan", buffered())
var ChanOfPointers = keep("ChanOfPointers", pointers())
var PathErr = keep[error]("PathErr", &os.PathError{Op: "open", Path: "/none", Err: os.ErrNotExist})

var SyncMap sync.Map
var SyncMapPointer = keep("SyncMapPointer", new(sync.Map))
var SyncMapLarge = keep("SyncMapLarge", new(sync.Map))
var SyncMapEmpty = keep("SyncMapEmpty", new(sync.Map))
var SyncMapBelow = keep("SyncMapBelow", &struct{ M *struct{ M sync.Map } }{&struct{ M sync.Map }{}})
var Mutex = keep("Mutex", new(sync.Mutex))
var Once = keep("Once", new(sync.Once))

func init() {
	names = append(names, "SyncMap")
	for i := 0; i < 5; i++ {
		k := "k" + string(rune('0'+i))
		SyncMap.Store(k, i)
		SyncMapPointer.Store(i, &point{i, i})
		SyncMapBelow.M.M.Store(k, i)
	}
	for i := 0; i < 40; i++ {
		SyncMapLarge.Store(i, i*i)
	}
	for _, m := range []*sync.Map{&SyncMap, SyncMapPointer, SyncMapLarge, &SyncMapBelow.M.M} {
		m.Range(func(k, v any) bool { return true })
	}
}

func chain() context.Context {
	ctx := context.WithValue(context.Background(), key("user"), "ann")
	ctx, _ = context.WithCancel(ctx)
	ctx = context.WithValue(ctx, key("trace"), &point{1, 2})
	ctx, _ = context.WithDeadline(ctx, time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC))
	return ctx
}

func parsed(s string) *url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

func listed() *list.List {
	l := list.New()
	for i := 0; i < 4; i++ {
		l.PushBack(i)
	}
	return l
}

func buffered() chan string {
	c := make(chan string, 4)
	c <- "one"
	c <- "two"
	return c
}

func pointers() chan *tree {
	c := make(chan *tree, 2)
	c <- &tree{Name: "in a channel", Left: &tree{Name: "below"}}
	return c
}
