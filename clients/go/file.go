// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openRegular opens a regular file to read it. Anything else is not even opened: a FIFO would wait for
// its writer, and a device may do something. What is looked at is what is opened, whatever its path
// means by then.
func openRegular(path string) (*os.File, error) {
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return nil, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", at), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}
