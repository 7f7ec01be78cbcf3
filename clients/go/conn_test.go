// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/genetlink/genltest"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// TestNoRoom: the kernel drops what it says of its own accord if there is no room for it.
func TestNoRoom(t *testing.T) {
	dropped := true
	c := &conn{family: 33, c: genltest.Dial(func(m genetlink.Message, req netlink.Message) ([]genetlink.Message, error) {
		if dropped {
			dropped = false
			return nil, os.NewSyscallError("recvmsg", unix.ENOBUFS)
		}
		return []genetlink.Message{{Header: genetlink.Header{Command: cmdGetInfo}}}, nil
	})}
	defer c.close()
	if _, _, err := c.receive(); err != nil {
		t.Error(err)
	}
	if !c.ready {
		t.Error("there may be records, and nobody looks")
	}
	c.ready, dropped = false, true
	if err := c.await(time.Second); err != nil {
		t.Error(err)
	}
}

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
