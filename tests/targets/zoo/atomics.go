// SPDX-License-Identifier: GPL-2.0

//go:build go1.19
// +build go1.19

package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
)

type Counters struct {
	Hits  atomic.Int64
	Small atomic.Uint32
	On    atomic.Bool
	Last  atomic.Pointer[Item]
}

//go:noinline
func atomics(c *Counters, n *atomic.Int32) (*atomic.Int32, *Counters) { visits++; return n, c }

func visitAtomics() {
	c, n := new(Counters), new(atomic.Int32)
	atomics(c, n)
	c.Hits.Store(1 << 40)
	c.Small.Store(7)
	c.On.Store(true)
	c.Last.Store(&Item{"last", 9})
	n.Store(-5)
	atomics(c, n)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	errs(fmt.Errorf("both: %w", errors.Unwrap(fmt.Errorf("x: %w", ctx.Err()))))
}
