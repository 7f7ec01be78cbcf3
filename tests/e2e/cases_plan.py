# SPDX-License-Identifier: GPL-2.0
"""Captures of plans made by hand: the protocol, without the tool's knowledge of Go."""

import contextlib
import mmap
import os
import re
import struct
import subprocess

import genl
from genl import Client, Refused
from lib import Skip, case, check, same, wait_for

PAGES = 16
FRAME = 64


def page(number):
    """{number, 3, 16 bytes of text}: what RAX of main.see points to."""
    return struct.pack("=QQ16s", number, 3, b"text of page %02d " % number).ljust(4096, b"\0")


# The frame: 0 pointer to the page, 8 main.counter, 16 result of item 1, 24 string, 40 empty interface, 56 pointer.
PIECES = [genl.piece(genl.GOPROBE_FROM_INT_REG, 0, 8, 0)]
OPS = [
    genl.op(genl.GOPROBE_OP_REG, a=1, b=0),
    # Item 1: 100 * the page's number + 3, if the number is even; else it is out of range.
    genl.op(genl.GOPROBE_OP_TRY, offset=9, value=1),
    genl.op(genl.GOPROBE_OP_LOAD, a=2, b=1, size=8),
    genl.op(genl.GOPROBE_OP_LOAD, a=3, b=1, size=4, value=8),
    genl.op(genl.GOPROBE_OP_MOVE, a=4, b=2),
    genl.op(genl.GOPROBE_OP_MUL_I, a=4, value=1 << 63),
    genl.op(genl.GOPROBE_OP_JEQ, a=4, b=15, offset=1),
    genl.op(genl.GOPROBE_OP_FAIL, value=genl.GOPROBE_CHUNK_RANGE),
    genl.op(genl.GOPROBE_OP_MUL_I, a=2, value=100),
    genl.op(genl.GOPROBE_OP_ADD, a=2, b=3),
    genl.op(genl.GOPROBE_OP_STORE, a=2, size=8, offset=16),
    # Item 2: what nil points to.
    genl.op(genl.GOPROBE_OP_TRY, offset=1, value=2),
    genl.op(genl.GOPROBE_OP_COPY, b=15, size=16, offset=24, value=64),
    # Item 3: the text, as a string of 16 bytes.
    genl.op(genl.GOPROBE_OP_TRY, offset=5, value=3),
    genl.op(genl.GOPROBE_OP_MOVE, a=5, b=1),
    genl.op(genl.GOPROBE_OP_ADD_I, a=5, value=16),
    genl.op(genl.GOPROBE_OP_STORE, a=5, size=8, offset=24),
    genl.op(genl.GOPROBE_OP_IMM, a=6, value=16),
    genl.op(genl.GOPROBE_OP_STORE, a=6, size=8, offset=32),
]


def see_pages(t, prepare):
    """Trace main.see of counter, with the plan and whatever prepare(client, address of main.counter) adds."""
    path = os.path.join(t.tmp, "pages")
    with open(path, "wb") as f:
        for number in range(PAGES):
            f.write(page(number))
    target = t.target("counter", "-hold", "-map", path, 7)
    offset, size, address = genl.elf_place(target.argv[0], "main.see")
    counter = genl.elf_place(target.argv[0], "main.counter")[2]
    with open(target.argv[0], "rb") as f:
        code = f.read()[offset:offset + size]
    with Client() as client:
        client.new_session(target.pid)
        client.add_file(target.argv[0], genl.runtime(code_delta=address - offset))
        client.add_types([genl.type_(FRAME, 0, 3)],
                         [genl.ref(24, genl.GOPROBE_REF_STRING), genl.ref(40, genl.GOPROBE_REF_EFACE),
                          genl.ref(56, genl.GOPROBE_REF_POINTER, 1)])       # type 1 is yet to come
        ops = OPS + [
            # An empty interface: its type is said to be at main.counter, its data is the page.
            genl.op(genl.GOPROBE_OP_STATIC, a=7, value=counter),
            genl.op(genl.GOPROBE_OP_STORE, a=7, size=8, offset=40),
            genl.op(genl.GOPROBE_OP_STORE, a=1, size=8, offset=48),
            genl.op(genl.GOPROBE_OP_STORE, a=1, size=8, offset=56),
        ]
        pieces = PIECES + [genl.piece(genl.GOPROBE_FROM_STATIC, 0, 8, 8, address=counter)]
        client.add_plans([genl.plan(0, npieces=len(pieces), nops=len(ops), depth=2)], pieces, ops)
        client.add_points([genl.point(offset, code[:min(size, 8)], plan=0)])
        client.call(genl.GOPROBE_CMD_START)
        prepare(client, counter)
        target.send()
        same(target.line(), "seen", "the program's output")
        client.call(genl.GOPROBE_CMD_STOP)
        records = sorted(client.records(), key=lambda r: r.time)
        same(len(records), PAGES, "records")
        return records, offset, address


def check_frame(record, number, bias, counter):
    """The words of the frame; the page's address."""
    words = struct.unpack_from("=8Q", record.body)
    expected = (words[0], 0, 0 if number % 2 else 100 * number + 3, words[0] + 16, 16, bias + counter, words[0], words[0])
    same(words, expected, "frame of page %d" % number)
    return words[0]


def check_items(found, number):
    """The items that must have failed; the other chunks."""
    failed = [(c.address, c.status, c.level, c.data) for c in found if c.type == genl.GOPROBE_TYPE_MISSED]
    expected = [(2, genl.GOPROBE_CHUNK_NIL, 0, b"")]
    if number % 2:
        expected.insert(0, (1, genl.GOPROBE_CHUNK_RANGE, 0, b""))
    same(failed, expected, "items of page %d that failed" % number)
    return [c for c in found if c.type != genl.GOPROBE_TYPE_MISSED]


@case("netlink: a plan's program and its static data, in pages that are absent")
def program(t):
    counters = []
    records, offset, address = see_pages(t, lambda client, counter: counters.append(counter))
    for number, record in enumerate(records):
        at = check_frame(record, number, record.ip - address, counters[0])
        rest = check_items(genl.chunks(record, FRAME), number)
        same([(c.address, c.type, c.status, c.level, c.data) for c in rest],
             [(at + 16, genl.GOPROBE_TYPE_BYTES, 0, 1, page(number)[16:32])], "chunks of page %d" % number)
        same(record.flags & ~genl.GOPROBE_RECORD_F_NO_G, 0, "flags")


@contextlib.contextmanager
def swap():
    """64 MB of compressed memory to swap to."""
    if subprocess.run(["modprobe", "zram", "num_devices=1"], stderr=subprocess.DEVNULL).returncode:
        raise Skip("this kernel has no zram to swap to")
    try:
        with open("/sys/block/zram0/disksize", "w") as f:
            f.write("64M")
        subprocess.run(["mkswap", "/dev/zram0"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["swapon", "/dev/zram0"], check=True)
        yield
    finally:
        subprocess.run(["swapoff", "/dev/zram0"], check=False)
        subprocess.run(["rmmod", "zram"], check=True)


def swap_out(mine, path):
    """Have the pages of the mapped file swapped out; bytes of it that are."""
    same(len(bytes(mine)), PAGES * 4096, "the file, all of it in memory")
    with open("/proc/sys/vm/compact_memory", "w") as compact:
        compact.write("1")      # moves what processors hold back to the lists that pages leave from
    mine.madvise(21)            # MADV_PAGEOUT, which Python has no name for
    with open("/proc/self/smaps") as f:
        after = f.read().partition(path)[2]
    return int(re.search(r"^Swap:\s+(\d+) kB", after, re.M).group(1)) << 10


@case("netlink: values in pages that have been swapped out are read whole")
def swapped(t):
    path = os.path.join(t.tmp, "pages")
    counters = []

    def prepare(client, counter):
        counters.append(counter)
        with open(path, "r+b") as f, mmap.mmap(f.fileno(), 0) as mine:
            wait_for("all pages being swapped out", lambda: swap_out(mine, path) == PAGES * 4096)

    with swap():
        records, _, address = see_pages(t, prepare)
    for number, record in enumerate(records):
        at = check_frame(record, number, record.ip - address, counters[0])
        rest = check_items(genl.chunks(record, FRAME), number)
        same([(c.address, c.status, c.data) for c in rest], [(at + 16, 0, page(number)[16:32])], "chunks of page %d" % number)


@case("netlink: types and run-time types that come after START are followed")
def late_types(t):
    def prepare(client, counter):
        client.add_types([genl.type_(24, 0, 1), genl.type_(32)], [genl.ref(0, genl.GOPROBE_REF_FUNC)])
        same(client.add_dynamic([genl.dynamic(counter, 1), genl.dynamic(5, 1)]), 2, "known addresses")
        same(client.add_dynamic([genl.dynamic(counter, 2)]), 2, "known addresses")
    records, _, _ = see_pages(t, prepare)
    for number, record in enumerate(records):
        at, = struct.unpack_from("=Q", record.body)
        rest = check_items(genl.chunks(record, FRAME), number)
        text = page(number)
        expected = [(at + 16, genl.GOPROBE_TYPE_BYTES, 0, 1, text[16:32]), (at, 2, 0, 1, text[:32]), (at, 1, 0, 1, text[:24])]
        if number:      # what stands for a func is the page's number
            expected.append((number, genl.GOPROBE_TYPE_CODE, genl.GOPROBE_CHUNK_FAULT, 2, b""))
        same([(c.address, c.type, c.status, c.level, c.data) for c in rest], expected, "chunks of page %d" % number)
        check(not record.flags & genl.GOPROBE_RECORD_F_BUDGET, "a budget was spent")


@case("netlink: a message of run-time types that is refused leaves none behind")
def refused_types(t):
    def refuse(client, what, types):
        try:
            client.add_dynamic(types)
        except Refused:
            return
        check(False, "%s was accepted", what)

    def prepare(client, counter):
        client.add_types([genl.type_(24), genl.type_(32)])
        same(client.add_dynamic([genl.dynamic(counter, 2)]), 1, "known addresses")
        others = [genl.dynamic(counter, 1), genl.dynamic(5, 1)]
        refuse(client, "a type that does not exist", others + [genl.dynamic(6, 3)])
        refuse(client, "no address", others + [genl.dynamic(0, 1)])
        same(client.add_dynamic([genl.dynamic(7, 1)]), 2, "known addresses")
        # One less than the limit; then two that are new.
        limits = client.limits()
        many = [genl.dynamic(1000 + 8 * i, 1) for i in range(limits["dynamic"] - 3)]
        for i in range(0, len(many), limits["batch"]):
            known = client.add_dynamic(many[i:i + limits["batch"]])
        same(known, limits["dynamic"] - 1, "known addresses")
        refuse(client, "more than a file may have", others + [genl.dynamic(6, 1)])
        same(client.add_dynamic([genl.dynamic(7, 1)]), limits["dynamic"] - 1, "known addresses")
    records, _, _ = see_pages(t, prepare)
    for number, record in enumerate(records):
        at, = struct.unpack_from("=Q", record.body)
        rest = check_items(genl.chunks(record, FRAME), number)
        text = page(number)
        same([(c.address, c.type, c.data) for c in rest],
             [(at + 16, genl.GOPROBE_TYPE_BYTES, text[16:32]), (at, 2, text[:32]), (at, 1, text[:24])],
             "chunks of page %d" % number)
