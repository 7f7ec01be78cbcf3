// SPDX-License-Identifier: GPL-2.0

package goprobe

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Of linux/configfs.h, which is not for user space.
const configfsMagic = 0x62656570

// holdsFiles tells whether the file system has files. What the kernel makes up may be called a regular
// file, and is none: to read /proc/kmsg takes from others what they wait for. These file systems always
// tell what they are, others may not.
func holdsFiles(fd int) bool {
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil {
		return true
	}
	switch uint32(fs.Type) {
	case unix.BINFMTFS_MAGIC, unix.BPF_FS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, configfsMagic,
		unix.DEBUGFS_MAGIC, unix.EFIVARFS_MAGIC, unix.NSFS_MAGIC, unix.PROC_SUPER_MAGIC, unix.PSTOREFS_MAGIC,
		unix.RDTGROUP_SUPER_MAGIC, unix.SECURITYFS_MAGIC, unix.SELINUX_MAGIC, unix.SMACK_MAGIC, unix.SYSFS_MAGIC,
		unix.TRACEFS_MAGIC, unix.XENFS_SUPER_MAGIC:
		return false
	}
	return true
}

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
	if st.Mode&unix.S_IFMT != unix.S_IFREG || !holdsFiles(at) {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	// Whoever has a lease of it is not waited for.
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", at), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), path), nil
}
