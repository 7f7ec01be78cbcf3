// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"github.com/mdlayher/socket"
	"golang.org/x/sys/unix"
)

// datagram is a message as it is sent.
func datagram(t *testing.T, typ netlink.HeaderType, flags netlink.HeaderFlags, seq uint32, data []byte) []byte {
	m := netlink.Message{Data: data}
	m.Header = netlink.Header{Length: uint32(16 + len(data)), Type: typ, Flags: flags, Sequence: seq}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// forge sends to the port as any process with CAP_NET_ADMIN can: a failure, an end, something of its own.
func forge(t *testing.T, port uint32) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, genetlink.Protocol)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	failed := int32(-int32(unix.EIO))
	for _, b := range [][]byte{
		datagram(t, netlink.Error, 0, 0, append(words(uint32(failed)), make([]byte, 16)...)),
		datagram(t, netlink.Done, netlink.Multi, 0, words(0)),
		datagram(t, unix.GENL_ID_CTRL, netlink.Multi, 0, words(cmdReady)),
	} {
		if err := unix.Sendto(fd, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Pid: port}); err != nil {
			return err
		}
	}
	return nil
}

const inside = "GOPROBE_TEST_INSIDE"

// TestOnlyTheKernelIsHeard runs itself where it has CAP_NET_ADMIN.
func TestOnlyTheKernelIsHeard(t *testing.T) {
	if os.Getenv(inside) == "" {
		child := exec.Command("/proc/self/exe", "-test.run=^TestOnlyTheKernelIsHeard$")
		child.Env = append(os.Environ(), inside+"=1")
		child.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		}
		out, err := child.CombinedOutput()
		if len(out) == 0 && err != nil {
			t.Skip("no user namespaces here: ", err)
		}
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	asks := func(what string, s *sock, port uint32) {
		c := genetlink.NewConn(netlink.NewConn(s, port))
		defer c.Close()
		if f, err := c.GetFamily("nlctrl"); err != nil || f.ID != unix.GENL_ID_CTRL {
			t.Errorf("%s: %v, %v", what, f, err)
		}
	}
	s, port, err := dialKernel()
	if err != nil {
		t.Fatal(err)
	}
	if err := forge(t, port); err != unix.ECONNREFUSED {
		t.Errorf("others send: %v", err)
	}
	asks("connected", s, port)

	// What came before that.
	plain, err := socket.Socket(unix.AF_NETLINK, unix.SOCK_RAW, genetlink.Protocol, "netlink", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Bind(&unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		t.Fatal(err)
	}
	name, err := plain.Getsockname()
	if err != nil {
		t.Fatal(err)
	}
	port = name.(*unix.SockaddrNetlink).Pid
	if err := forge(t, port); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Connect(context.Background(), &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		t.Fatal(err)
	}
	asks("sent before", newSock(plain), port)
}

// script is a socket on which the kernel says just this; nil: there was no room for what it said.
type script struct {
	*sock
	all [][]byte
	seq uint32 // of the request
}

func (s *script) Send(m netlink.Message) error {
	s.seq = m.Header.Sequence
	return nil
}

func (s *script) say(b []byte) (int, int, unix.Sockaddr, error) {
	if len(s.all) == 0 {
		return 0, 0, nil, errors.New("it says no more")
	}
	one := s.all[0]
	if s.all = s.all[1:]; one == nil {
		return 0, 0, nil, os.NewSyscallError("recvmsg", unix.ENOBUFS)
	}
	n := copy(b, one)
	order.PutUint32(b[8:], s.seq)
	return n, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}, nil
}

func scripted(t *testing.T, all ...[]byte) *conn {
	s, port, err := dialKernel()
	if err != nil {
		t.Fatal(err)
	}
	s.ready = readyOf(33)
	told := &script{sock: s, all: all}
	s.recvmsg = told.say
	return &conn{c: genetlink.NewConn(netlink.NewConn(told, port)), family: 33}
}

// TestNoRoom: the kernel drops what it says of its own accord if there is no room for it. That may be
// between the parts of an answer, which all come.
func TestNoRoom(t *testing.T) {
	c := scripted(t, nil)
	defer c.close()
	if err := c.await(time.Minute); err != nil {
		t.Error(err)
	}
	part := func(n byte) []byte {
		return datagram(t, 33, netlink.Multi, 0, []byte{cmdRead, 1, 0, 0, n, 0, 0, 0})
	}
	c = scripted(t, nil, part('1'), nil, part('2'), part('3'), nil, datagram(t, netlink.Done, netlink.Multi, 0, words(0)))
	defer c.close()
	got := ""
	err := c.request(cmdRead, netlink.Dump, nil, func(m genetlink.Message) error {
		got += string(m.Data[:1])
		return nil
	})
	if err != nil || got != "123" {
		t.Errorf("parts %q: %v", got, err)
	}
	if !c.ready {
		t.Error("there may be records, and nobody looks")
	}
}
