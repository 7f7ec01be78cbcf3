// SPDX-License-Identifier: GPL-2.0

// known uses the types of the standard library that tool/value/std.c knows, so
// that the debug information describes them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type holder struct {
	mu    sync.Mutex
	rw    sync.RWMutex
	wg    sync.WaitGroup
	once  sync.Once
	value atomic.Value
	day   time.Weekday
	month time.Month
	mode  os.FileMode
	ip    net.IP
	mac   net.HardwareAddr
	took  time.Duration
}

// dayKey is what a context's value can be asked for with.
type dayKey struct{ name string }

func main() {
	h := new(holder)
	h.mu.Lock()
	h.rw.RLock()
	h.wg.Add(1)
	h.once.Do(h.wg.Done)
	h.value.Store(1)
	h.day, h.month = time.Now().Weekday(), time.Now().Month()
	h.took = time.Since(time.Now())
	h.ip = net.IPv4(10, 0, 0, 1)
	h.mac = net.HardwareAddr{2, 0, 0, 0, 0, 1}
	_, err := os.Open("/nowhere")
	list := []interface{}{
		h, err, fmt.Errorf("load: %w", err), errors.New("boom"), &os.LinkError{}, &exec.Error{},
		&os.SyscallError{Err: syscall.ENOENT}, &url.Error{}, &strconv.NumError{},
		&json.SyntaxError{}, &net.OpError{Addr: &net.TCPAddr{}},
	}
	ctx, cancel := context.WithCancel(context.TODO())
	ctx, stop := context.WithTimeout(context.WithValue(ctx, &dayKey{"day"}, h.month), h.took)
	list = append(list, ctx, context.Background(), newer(h), newest(h))
	list = append(list, big.NewInt(1), big.NewRat(1, 2), big.NewFloat(1.5))
	fmt.Fprintln(os.Stderr, list...)
	pprof.Do(ctx, pprof.Labels("tenant", "acme"), func(context.Context) { stop() })
	cancel()
}
