// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"os"
	"testing"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// TestNotWaitedFor: a process that can't be waited for has not ended.
func TestNotWaitedFor(t *testing.T) {
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	close(done)
	err := awaitEnd([]int{os.Getpid()}, done)
	if e := unix.Setrlimit(unix.RLIMIT_NOFILE, &before); e != nil {
		t.Fatal(e)
	}
	if !errors.Is(err, unix.EMFILE) {
		t.Errorf("%v, and not EMFILE", err)
	}
	if err := awaitEnd([]int{1 << 22}, done); err != nil {
		t.Errorf("of a process that is no more: %v", err)
	}
}

// TestNothingInAMessage: of a module that takes nothing, batches would be sent for ever.
func TestNothingInAMessage(t *testing.T) {
	// Answers that are made so have no family.
	c := &conn{c: genltest.Dial(func(m genetlink.Message, req netlink.Message) ([]genetlink.Message, error) {
		ae := netlink.NewAttributeEncoder()
		ae.Uint64(aAbilities, 0)
		ae.Bytes(aLimits, make([]byte, limitsHeldBytes+4))
		b, err := ae.Encode()
		return []genetlink.Message{{Header: genetlink.Header{Command: cmdGetInfo}, Data: b}}, err
	})}
	defer c.close()
	p := &Plan{}
	p.Sizes.Type, p.Sizes.Ref, p.Sizes.Plan, p.Sizes.Filter = 16, 16, 40, 16
	err := c.upload(p, &Options{MaxLoad: -1})
	if err == nil || err.Error() != "the module takes nothing in a message: it is broken" {
		t.Error(err)
	}
}
