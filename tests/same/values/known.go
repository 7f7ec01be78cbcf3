// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// kept is what must live on.
var kept []interface{}

type device struct {
	Name string
	Mac  net.HardwareAddr
	IP   net.IP
	Addr netip.Addr
	Next *device
}

func addresses() {
	zone, mapped := netip.MustParseAddr("fe80::1%eth0"), netip.MustParseAddr("::ffff:1.2.3.4")
	mapped6 := netip.MustParseAddr("::ffff:1.2.3.4%lo")
	four, six, none := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2001:db8::1"), netip.Addr{}
	sameKeep(&zone, &mapped, &mapped6, &four, &six, &none)
	pointer, port, prefix := &zone, netip.MustParseAddrPort("[fe80::2%eth1]:80"), netip.MustParsePrefix("::ffff:1.2.3.4/104")
	keys := map[netip.Addr]*netip.Addr{zone: &mapped, four: &zone, none: nil}
	slice, ports := []netip.Addr{zone, mapped, four}, []netip.AddrPort{port, {}}
	var any interface{} = zone
	var stringer fmt.Stringer = &port
	sameKeep(&pointer, &port, &prefix, &keys, &slice, &ports, &any, &stringer)
	ip, ip4, mac := net.ParseIP("2001:db8::2"), net.IPv4(10, 0, 0, 1), net.HardwareAddr{0, 0x1b, 0x21, 0x3c, 0x9d, 0xf8}
	ips, of := []net.IP{ip, ip4, nil, {1, 2, 3}}, &net.IPNet{IP: net.IP{10, 0, 0, 0}, Mask: net.CIDRMask(8, 32)}
	d := &device{"eth0", mac, ip4, zone, &device{"eth1", nil, ip, four, &device{"eth2", mac, nil, mapped, nil}}}
	var addr net.Addr = &net.TCPAddr{IP: ip, Port: 80, Zone: "eth0"}
	sameKeep(&ip, &ip4, &mac, &ips, &of, &d, &addr)
	at, _ := url.Parse("https://user:word@example.org:8443/a/b?x=1&y=2#frag")
	query := at.Query()
	sameKeep(&at, &query)
}

func numbers() {
	large, negative, zero := new(big.Int).Lsh(big.NewInt(12345), 200), big.NewInt(-7), new(big.Int)
	var none *big.Int
	huge := new(big.Int).Lsh(big.NewInt(1), 20000)
	ratio, float := big.NewRat(-22, 7), big.NewFloat(1.5)
	value, all, any := *large, []*big.Int{large, negative, nil}, interface{}(large)
	by := map[string]*big.Rat{"r": ratio}
	held := struct{ N struct{ M *big.Int } }{struct{ M *big.Int }{negative}}
	sameKeep(&large, &negative, &zero, &none, &huge, &ratio, &float, &value, &all, &any, &by, &held)
}

func times() {
	here, utc := time.FixedZone("here", 3600), time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	t, nothing, local := utc.In(here), time.Time{}, time.Unix(1700000000, 5)
	pointer, all, any := &t, []time.Time{t, utc, nothing}, interface{}(t)
	deep := &struct {
		A *struct{ B *struct{ T time.Time } }
	}{&struct{ B *struct{ T time.Time } }{&struct{ T time.Time }{t}}}
	sameKeep(&here, &utc, &t, &nothing, &local, &pointer, &all, &any, &deep)
	d, month, day, location := 90*time.Second, time.May, time.Sunday, time.UTC
	by := map[time.Month]time.Duration{month: d, 13: 0}
	timer := time.NewTimer(100 * time.Hour)
	sameKeep(&d, &month, &day, &location, &by, &timer)
}

type wide struct {
	Name string
	N    [40]int64
	P    *int
}

type mutexed struct {
	sync.Mutex
	mu   sync.RWMutex
	once sync.Once
	wait sync.WaitGroup
	M    map[string]int
}

func syncs() {
	m, small, none := new(sync.Map), new(sync.Map), new(sync.Map)
	for i := 0; i < 100; i++ {
		m.Store(strconv.Itoa(i), i)
	}
	small.Store("pointer", &device{Name: "in sync.Map"})
	small.Store(7, wide{Name: "wide"})
	small.Store(errors.New("key"), fmt.Errorf("wrapped: %w", io.EOF))
	small.Store("deleted", 1)
	small.Delete("deleted")
	small.Load("pointer")
	held := struct{ In *struct{ M sync.Map } }{&struct{ M sync.Map }{}}
	held.In.M.Store(1, "one")
	sameKeep(&m, &small, &none, &held)
	x := &mutexed{M: map[string]int{"one": 1}}
	x.Lock()
	x.mu.RLock()
	x.once.Do(func() {})
	x.wait.Add(3)
	cond, pool := sync.NewCond(x), &sync.Pool{New: func() interface{} { return 1 }}
	pool.Put("pooled")
	sameKeep(&x, &cond, &pool)
	var n atomic.Int64
	var v atomic.Value
	var p atomic.Pointer[device]
	var b atomic.Bool
	n.Store(-5)
	b.Store(true)
	v.Store([]string{"in atomic.Value"})
	p.Store(&device{Name: "in atomic.Pointer", Next: &device{Name: "next"}})
	pn, pv, pp := &n, &v, &p
	sameKeep(&pn, &pv, &pp, &b)
}

type status struct {
	Code   int
	Detail interface{}
}

func maps() {
	one := 1
	wides := map[string]wide{"a": {Name: "a", P: &one}, "b": {}}
	byWide := map[[20]int64]string{{1}: "one", {19: 2}: "two"}
	both := map[[20]int64]*wide{{3}: {Name: "behind", P: &one}}
	nested := map[string]map[string][]map[int]string{"a": {"b": {{1: "deep"}, nil}}, "nil": nil}
	anys := map[interface{}]interface{}{1: "one", "two": &one, status{1, "x"}: []status{{2, nil}}, nil: 3.5, [2]int{1, 2}: nil}
	large := map[int]wide{}
	for i := 0; i < 200; i++ {
		large[i] = wide{Name: strconv.Itoa(i)}
	}
	shrunk := map[int]string{}
	for i := 0; i < 5000; i++ {
		shrunk[i] = "gone"
	}
	for i := 0; i < 4998; i++ {
		delete(shrunk, i)
	}
	pointers := map[*int]*map[string]int{&one: {"x": 1}}
	functions := map[string]func(int) int{"f": func(n int) int { return n + one }, "nil": nil}
	channels := map[string]chan *device{"c": make(chan *device, 2)}
	channels["c"] <- &device{Name: "sent"}
	errs := map[string]error{"eof": io.EOF, "nil": nil, "at": &fs.PathError{Op: "open", Path: "/none", Err: syscall.ENOENT}}
	sameKeep(&wides, &byWide, &both, &nested, &anys, &large, &shrunk, &pointers, &functions, &channels, &errs)
	l := list.New()
	l.PushBack("first")
	l.PushBack(2)
	ring := &struct {
		Self interface{}
		All  []interface{}
	}{}
	ring.Self, ring.All = ring, []interface{}{ring, &ring.All}
	sameKeep(&l, &ring)
}

type ctxKey string

type request struct {
	ctx    context.Context
	Method string
	Body   io.Reader
}

func contexts() {
	ctx := context.WithValue(context.Background(), ctxKey("user"), "ann")
	deadline, stop := context.WithDeadline(ctx, time.Date(2126, 1, 2, 3, 4, 5, 6, time.UTC))
	last := context.WithValue(deadline, ctxKey("device"), &device{Name: "in a context"})
	cancelled, cancel := context.WithCancel(last)
	cancel()
	todo, long := context.TODO(), context.Background()
	for i := 0; i < 30; i++ {
		long = context.WithValue(long, ctxKey(strconv.Itoa(i)), i)
	}
	r := &request{last, "GET", strings.NewReader("body")}
	all, any := []context.Context{ctx, last, nil}, interface{}(last)
	var none context.Context
	soon, stopSoon := context.WithTimeout(ctx, 10*time.Hour)
	past, stopPast := context.WithDeadline(ctx, time.Date(2001, 1, 2, 3, 4, 5, 6, time.UTC))
	sameKeep(&soon, &past)
	sameKeep(&ctx, &deadline, &last, &cancelled, &todo, &long, &r, &all, &any, &none)
	kept = []interface{}{stop, stopSoon, stopPast}
}

type coded struct{ Code int }

func (c *coded) Error() string { return "code " + strconv.Itoa(c.Code) }

type held struct{ s *stated }
type stated struct{ s *said }
type said struct {
	Code int
	Text string
}

func (h *held) Error() string { return h.s.s.Text }

type many []error

func (m many) Error() string { return "many" }

func errs() {
	_, number := strconv.Atoi("twelve")
	_, open := os.Open("/nonexistent/values")
	_, run := exec.LookPath("/nonexistent/values")
	var into struct{ N int }
	syntax, kind := json.Unmarshal([]byte("{x"), &into), json.Unmarshal([]byte(`{"N":"x"}`), &into)
	_, marshal := json.Marshal(make(chan int))
	dial := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IP{127, 0, 0, 1}, Port: 80},
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	deep := error(&held{&stated{&said{7, "over quota"}}})
	for i := 0; i < 12; i++ {
		deep = fmt.Errorf("layer %d: %w", i, deep)
	}
	all := []error{
		nil, number, open, run, syntax, kind, marshal, dial, deep, io.EOF, errors.New("plain"), errors.New("another plain"),
		&coded{1}, &coded{2}, (*coded)(nil), &held{&stated{&said{8, "again"}}}, many{&coded{3}, &coded{4}, errors.New("third")},
		syscall.Errno(2), syscall.Errno(9999), &url.Error{Op: "Get", URL: "http://x/", Err: dial}, &net.DNSError{Err: "no such host", Name: "x"},
		os.ErrDeadlineExceeded, context.DeadlineExceeded, context.Canceled, fmt.Errorf("two: %w", fmt.Errorf("one: %w", &coded{5})),
		&os.LinkError{Op: "link", Old: "a", New: "b", Err: syscall.EEXIST}, net.UnknownNetworkError("net"), &net.AddrError{Err: "bad", Addr: "x"},
		errors.New(strings.Repeat("long ", 100)),
	}
	for i := range all {
		sameKeep(&all[i])
	}
	any := interface{}(all[8])
	in := struct {
		A, B error
		C    []error
	}{all[2], all[8], all[1:4]}
	sameKeep(&all, &any, &in)
}

type account struct {
	User     string
	Password string
	Token    *string
	Card     struct{ Number string }
	Keys     map[string]string
}

func secrets() {
	token := "abc"
	s := &account{"ann", "hunter2", &token, struct{ Number string }{"4111111111111111"}, map[string]string{"password": "x", "name": "y"}}
	all, any := []*account{s, nil}, interface{}(*s)
	by := map[string]*account{"ann": s}
	sameKeep(&s, &all, &any, &by)
}

func texts() {
	long, binary := strings.Repeat("long \u20ac ", 100), string([]byte{0, 1, 0xff, 'a', '\n'})
	bytesOf, runes, raw := []byte("bytes\x00\xff"), []rune("ru\u20ac"), json.RawMessage(`{"a":1}`)
	number, mode, re := json.Number("12"), fs.FileMode(0o4755)|fs.ModeDir, regexp.MustCompile("a(b)+")
	buffer, reader := bytes.NewBufferString("in a buffer"), strings.NewReader("read")
	hash, id := [32]byte{1, 2, 31: 9}, [16]byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4}
	empty, none, several := "", []byte(nil), [][]byte{{1}, nil, []byte("x")}
	builder := &strings.Builder{}
	builder.WriteString("built")
	sameKeep(&long, &binary, &bytesOf, &runes, &raw, &number, &mode, &re, &buffer, &reader, &hash, &id, &empty, &none, &several, &builder)
	type_, value, stdout := reflect.TypeOf(device{}), reflect.ValueOf(device{Name: "reflected"}), os.Stdout
	types := []reflect.Type{reflect.TypeOf(1), reflect.TypeOf(""), type_, nil}
	sameKeep(&type_, &value, &stdout, &types)
}
