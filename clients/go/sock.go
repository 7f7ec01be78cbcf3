// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"context"
	"errors"
	"iter"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"github.com/mdlayher/socket"
	"golang.org/x/sys/unix"
)

// An answer at most: an error repeats its request, of three tables at most.
const sockMost = 4 * 65536

// sock is a netlink socket on which nobody but the kernel is heard. Whoever has CAP_NET_ADMIN can
// send to any, and need not have more. Others are refused as soon as it is connected to the kernel;
// what they have sent before is told by its sender.
type sock struct {
	*socket.Conn
	b []byte
	// ready stands for messages that the kernel has dropped, as there was no room: those can only
	// have said that there are records. Answers can be in the middle of a dump, so it is no error.
	ready []netlink.Message
	// recvmsg is the Conn's, but for tests.
	recvmsg func(b []byte) (n, flags int, from unix.Sockaddr, err error)
}

func newSock(c *socket.Conn) *sock {
	s := &sock{Conn: c, b: make([]byte, sockMost)}
	s.recvmsg = func(b []byte) (n, flags int, from unix.Sockaddr, err error) {
		n, _, flags, from, err = c.Recvmsg(context.Background(), b, nil, 0)
		return n, flags, from, err
	}
	return s
}

// dialKernel gives a connection of generic netlink, and the port that it has.
func dialKernel() (*sock, uint32, error) {
	c, err := socket.Socket(unix.AF_NETLINK, unix.SOCK_RAW, genetlink.Protocol, "netlink", nil)
	if err != nil {
		return nil, 0, err
	}
	if _, err = c.Connect(context.Background(), &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		c.Close()
		return nil, 0, err
	}
	// Sentences in place of errno.
	if err = c.SetsockoptInt(unix.SOL_NETLINK, unix.NETLINK_EXT_ACK, 1); err != nil {
		c.Close()
		return nil, 0, err
	}
	name, err := c.Getsockname()
	if err != nil {
		c.Close()
		return nil, 0, err
	}
	return newSock(c), name.(*unix.SockaddrNetlink).Pid, nil
}

func (s *sock) Send(m netlink.Message) error {
	b, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	return s.Sendto(context.Background(), b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK})
}

func (s *sock) SendMessages(all []netlink.Message) error {
	for _, m := range all {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return nil
}

func isKernel(from unix.Sockaddr) bool {
	a, ok := from.(*unix.SockaddrNetlink)
	return ok && a.Pid == 0
}

// Receive gives the messages of one datagram of the kernel's.
func (s *sock) Receive() ([]netlink.Message, error) {
	for {
		n, flags, from, err := s.recvmsg(s.b)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ENOBUFS):
			if len(s.ready) > 0 {
				return s.ready, nil
			}
		case err != nil:
			return nil, err
		case !isKernel(from):
			// Whatever it says.
		case flags&unix.MSG_TRUNC != 0:
			return nil, errors.New("a message of the kernel's is too long")
		default:
			return messages(append([]byte(nil), s.b[:n]...))
		}
	}
}

// ReceiveIter is Receive, message by message.
func (s *sock) ReceiveIter() iter.Seq2[netlink.Message, error] {
	return func(yield func(netlink.Message, error) bool) {
		all, err := s.Receive()
		if err != nil {
			yield(netlink.Message{}, err)
			return
		}
		for _, m := range all {
			if !yield(m, nil) {
				return
			}
		}
	}
}

func messages(b []byte) (ret []netlink.Message, err error) {
	const header = 16
	// The last one need not be padded.
	for b = append(b, make([]byte, -len(b)&3)...); len(b) >= header; {
		size := (int(u32At(b, 0)) + 3) &^ 3
		if size < header || size > len(b) {
			return nil, errors.New("a message of the kernel's is damaged")
		}
		var m netlink.Message
		if err := m.UnmarshalBinary(b[:size:size]); err != nil {
			return nil, err
		}
		ret, b = append(ret, m), b[size:]
	}
	return ret, nil
}
