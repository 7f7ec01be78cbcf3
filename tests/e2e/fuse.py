#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A file system in user space with one file, whose server stops answering on command.

    fuse.py MOUNTPOINT FILE

The file MOUNTPOINT/file has the bytes of FILE, and each read of it reaches this server. It obeys lines on its standard
input: "stall N" has it answer N more reads, and none after; "stall N headers" the same, of reads of 64 bytes at the file's
beginning, which is an ELF header; "headers" prints how many of these there have been. It prints "ready" first, and "stalled"
for each read that it has not answered; "go on" makes it answer those and all later ones. It exits when its input ends,
which ends all waits for its answers.
"""

import ctypes
import errno
import os
import selectors
import struct
import sys

# include/uapi/linux/fuse.h
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, FLUSH, INIT, OPENDIR, RELEASEDIR, INTERRUPT, BATCH_FORGET = \
    1, 2, 3, 14, 15, 17, 18, 25, 26, 27, 29, 36, 42
FOPEN_DIRECT_IO = 1
HEADER = "=IIQQIIII"        # struct fuse_in_header
TOP, FILE = 1, 2            # nodes


class Server:
    def __init__(self, mountpoint, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.answers = None         # how many more reads are answered; None: all
        self.only_headers = False   # all other reads are answered
        self.headers = 0
        self.unanswered = []
        self.fd = os.open("/dev/fuse", os.O_RDWR)
        options = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.fd
        if ctypes.CDLL(None, use_errno=True).mount(b"goprobe", mountpoint.encode(), b"fuse", 0, options.encode()):
            raise OSError(ctypes.get_errno(), "mount")

    def attributes(self, node):
        size, mode = (4096, 0o40755) if node == TOP else (len(self.data), 0o100755)
        return struct.pack("=6Q10I", node, size, (size + 511) // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def answer(self, op, node, body):
        """(errno, bytes), or None: there is no answer."""
        if op == INIT:
            return 0, struct.pack("=IIIIHHIIHHI28x", 7, 31, 1 << 17, 0, 12, 9, 1 << 17, 1, 32, 0, 0)
        if op == LOOKUP:
            if body.split(b"\0")[0] != b"file":
                return errno.ENOENT, b""
            return 0, struct.pack("=4QII", FILE, 0, 1, 1, 0, 0) + self.attributes(FILE)
        if op == GETATTR:
            return 0, struct.pack("=QII", 1, 0, 0) + self.attributes(node)
        if op in (OPEN, OPENDIR):
            return 0, struct.pack("=QII", 1, FOPEN_DIRECT_IO if op == OPEN else 0, 0)
        if op == READ:
            _, offset, size = struct.unpack_from("=QQI", body)
            header = (offset, size) == (0, 64)
            self.headers += header
            if self.answers is not None and (header or not self.only_headers):
                self.answers -= 1
                if self.answers < 0:
                    print("stalled", flush=True)
                    return None
            return 0, self.data[offset:offset + size]
        if op in (RELEASE, RELEASEDIR, FLUSH):
            return 0, b""
        if op == STATFS:
            return 0, struct.pack("=5QIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        if op in (FORGET, BATCH_FORGET, INTERRUPT):
            return None
        return errno.ENOSYS, b""

    def serve(self):
        self.reply(os.read(self.fd, 1 << 21))

    def reply(self, request):
        size, op, unique, node = struct.unpack_from(HEADER, request)[:4]
        answer = self.answer(op, node, request[struct.calcsize(HEADER):size])
        if answer:
            error, body = answer
            os.write(self.fd, struct.pack("=IiQ", 16 + len(body), -error, unique) + body)
        elif op == READ:
            self.unanswered.append(request)

    def obey(self):
        """False: there is nothing left to do."""
        lines = os.read(0, 1000).decode().splitlines()
        for words in map(str.split, lines):
            if words[0] == "go":
                self.answers = None
                while self.unanswered:
                    self.reply(self.unanswered.pop())
            elif words[0] == "stall":
                self.answers, self.only_headers = int(words[1]), words[2:] == ["headers"]
            else:
                print(self.headers, flush=True)
        return bool(lines)


def main():
    server = Server(*sys.argv[1:])
    waits = selectors.DefaultSelector()
    waits.register(server.fd, selectors.EVENT_READ, lambda: server.serve() or True)
    waits.register(0, selectors.EVENT_READ, server.obey)
    print("ready", flush=True)
    while all(key.data() for key, _ in waits.select()):
        pass


if __name__ == "__main__":
    main()
