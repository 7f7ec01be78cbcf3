# SPDX-License-Identifier: GPL-2.0
"""The instruction under a breakpoint: the registers after it do not depend on whether goprobe or the processor executes it.

A file of machine code is made: for each instruction a function that loads all registers and flags, runs the
instruction, and stores them again. It is mapped here, and each function is called before there are breakpoints, and
with one on each instruction.
"""

import ctypes
import mmap
import os
import random
import struct

import genl
from lib import case, check, same, wait_for

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)
REGISTERS = range(16)

# Where registers are kept while an instruction runs: below 2 GiB, so that 32 bits are an address.
STATE = 0x10000000
REG_IN, FLAGS_IN, REG_OUT, FLAGS_OUT, SAVED_SP = 0, 128, 136, 264, 272
# The memory that instructions read and write, in the middle of plenty of stack.
DATA = STATE + 0x100000
DATA_SIZE = 0x200000
WORDS = (0, 1, 2, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
         0xffffffffffffffff, 0x123456789abcdef0)
FLAGS = 0x8d5       # OF, SF, ZF, AF, PF, CF
BASE_FLAGS = 0x202


def rex(w, reg=0, index=0, base=0):
    return bytes([0x40 | w << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3])


def reg_reg(opcode, w, reg, rm):
    return rex(w, reg, 0, rm) + opcode + bytes([0xc0 | (reg & 7) << 3 | rm & 7])


def reg_mem(opcode, w, reg, base, disp=None, index=None, shift=0):
    """With a SIB byte always: one form for every base."""
    mod, tail = (1, struct.pack("<b", disp)) if disp is not None and -128 <= disp < 128 else (2, struct.pack("<i", disp or 0))
    sib = shift << 6 | (4 if index is None else index & 7) << 3 | base & 7
    return rex(w, reg, index or 0, base) + opcode + bytes([mod << 6 | (reg & 7) << 3 | 4, sib]) + tail


def load(reg, at):
    """mov reg, [at] and mov [at], reg: both leave the flags alone."""
    return rex(1, reg) + bytes([0x8b, (reg & 7) << 3 | 4, 0x25]) + struct.pack("<I", at)


def store(reg, at):
    return rex(1, reg) + bytes([0x89, (reg & 7) << 3 | 4, 0x25]) + struct.pack("<I", at)


def function(instruction):
    """(code, where in it the instruction is)."""
    code = bytes.fromhex("53 55 41 54 41 55 41 56 41 57") + store(RSP, STATE + SAVED_SP)
    code += b"\xff\x34\x25" + struct.pack("<I", STATE + FLAGS_IN) + b"\x9d"             # push [..]; popf
    for r in REGISTERS:
        code += load(r, STATE + REG_IN + 8 * r)
    at = len(code)
    code += instruction
    for r in REGISTERS:
        code += store(r, STATE + REG_OUT + 8 * r)
    code += load(RSP, STATE + SAVED_SP) + b"\x9c\x8f\x04\x25" + struct.pack("<I", STATE + FLAGS_OUT)  # pushf; pop [..]
    return code + bytes.fromhex("41 5f 41 5e 41 5d 41 5c 5d 5b c3"), at


def instructions(chance):
    """(instruction, registers that hold addresses, register that holds a small index or None)."""
    regs = [r for r in REGISTERS if r != RSP]

    def two():
        return chance.choice(regs), chance.choice(regs)

    for w in (0, 1):
        for opcode in (0x01, 0x03, 0x09, 0x0b, 0x21, 0x23, 0x29, 0x2b, 0x31, 0x33, 0x39, 0x3b, 0x85, 0x89, 0x8b):
            for _ in range(6):
                yield reg_reg(bytes([opcode]), w, *two()), (), None
        for digit in (0, 1, 4, 5, 6, 7):        # add, or, and, sub, xor, cmp
            for _ in range(4):
                rm = chance.choice(regs)
                yield reg_reg(b"\x83", w, digit, rm) + bytes([chance.randrange(256)]), (), None
                yield reg_reg(b"\x81", w, digit, rm) + chance.randbytes(4), (), None
        for _ in range(8):
            r, base = two()
            index = chance.choice([i for i in regs if i != base])
            disp = chance.choice((0, 8, -8, 127, -128, 400, -400))
            yield reg_mem(b"\x8b", w, r, base, disp), (base,), None
            yield reg_mem(b"\x8b", w, r, base, disp, index, chance.randrange(4)), (base,), index
            yield reg_mem(b"\x8d", w, r, base, disp, index, chance.randrange(4)), (), None
            yield reg_mem(b"\x0f\xb6", w, r, base, disp), (base,), None
            yield reg_mem(b"\x0f\xb7", w, r, base, disp), (base,), None
            yield reg_mem(b"\x3b", w, r, base, disp), (base,), None
            yield reg_mem(b"\x39", w, r, base, disp), (base,), None
            yield reg_mem(b"\x85", w, r, base, disp), (base,), None
            yield reg_mem(b"\x83", w, 7, base, disp) + bytes([chance.randrange(256)]), (base,), None
            yield reg_mem(b"\x80", w, 7, base, disp) + bytes([chance.randrange(256)]), (base,), None
            yield reg_mem(b"\x89", w, r, RSP, disp), (), None
            yield reg_mem(b"\xc7", w, 0, RSP, disp) + chance.randbytes(4), (), None
            yield reg_reg(b"\x0f\xb6", w, r, base), (), None
            yield reg_reg(b"\x0f\xb7", w, r, base), (), None
            yield reg_reg(b"\x84", w, r, base), (), None
            yield rex(w, 0, 0, r) + bytes([0xb8 | r & 7]) + chance.randbytes(8 if w else 4), (), None
            yield reg_reg(b"\xf7", w, 0, r) + chance.randbytes(4), (), None
            yield rex(w, r) + bytes([0x8d, (r & 7) << 3 | 5]) + chance.randbytes(4), (), None         # lea r, [rip+..]
    for nop in ("90", "66 90", "0f 1f 00", "0f 1f 40 00", "0f 1f 44 00 00", "66 0f 1f 44 00 00", "0f 1f 80 00 00 00 00",
                "0f 1f 84 00 00 00 00 00"):
        yield bytes.fromhex(nop), (), None
    # Instructions that the kernel executes must be right, too: pushes, the stack pointer, other memory.
    for _ in range(4):
        r, base = two()
        yield rex(0, 0, 0, r) + bytes([0x50 | r & 7]), (), None
        yield reg_reg(b"\x83", 1, 5, RSP) + b"\x18", (), None           # sub rsp, 24
        yield reg_mem(b"\x8d", 1, RSP, RSP, -64), (), None
        yield reg_mem(b"\x89", 1, r, base, 16), (base,), None
        yield reg_mem(b"\x03", 1, r, base, 16), (base,), None
        yield reg_reg(b"\x11", 1, r, base), (), None                    # adc
        yield reg_reg(b"\x0f\xaf", 1, r, base), (), None                # imul


class Machine:
    """The file, mapped, and the memory that it works on."""

    def __init__(self, path, chance):
        self.made = list(instructions(chance))
        code, self.entries, self.places = b"", [], []
        for instruction, _, _ in self.made:
            body, at = function(instruction)
            self.entries.append(len(code))
            self.places.append(4096 + len(code) + at)
            code += body + b"\xcc" * (-len(body) % 16)
        header = struct.pack("=16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
        header += struct.pack("=IIQQQQQQ", 1, 5, 4096, 4096, 4096, len(code), len(code), 4096)
        with open(path, "wb") as f:
            f.write(header.ljust(4096, b"\0") + code)
        self.path, self.code = path, code
        with open(path, "rb") as f:
            self.text = mmap.mmap(f.fileno(), len(code), mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC, offset=4096)
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100000        # MAP_FIXED_NOREPLACE
        size = DATA + DATA_SIZE - STATE
        got = libc.mmap(STATE, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
        check(got == STATE, "no memory at 0x%x", STATE)
        self.munmap = lambda: libc.munmap(ctypes.c_void_p(STATE), ctypes.c_size_t(size))
        base = self.find()
        self.calls = [ctypes.CFUNCTYPE(None)(base + entry) for entry in self.entries]

    def find(self):
        with open("/proc/self/maps") as maps:
            return next(int(line.split("-")[0], 16) for line in maps if self.path in line and "r-xp" in line)

    def inputs(self, n, chance):
        """Registers and flags for instruction n."""
        _, addresses, index = self.made[n]
        middle = DATA + DATA_SIZE // 2 + 2048
        regs = [chance.choice(WORDS) if chance.random() < 0.7 else chance.getrandbits(64) for _ in REGISTERS]
        for r in addresses:
            regs[r] = middle + 8 * chance.randrange(-8, 8)
        if index is not None:
            regs[index] = chance.randrange(16)
        regs[RSP] = middle
        return regs, BASE_FLAGS | chance.getrandbits(12) & FLAGS

    def run(self, n, regs, flags):
        """Registers, flags and data after it."""
        ctypes.memmove(DATA + DATA_SIZE // 2, PATTERN, len(PATTERN))
        ctypes.memmove(STATE + REG_IN, struct.pack("=17Q", *regs, flags), 136)
        self.calls[n]()
        *after, flags = struct.unpack("=17Q", ctypes.string_at(STATE + REG_OUT, 136))
        return after, flags & FLAGS, ctypes.string_at(DATA + DATA_SIZE // 2, len(PATTERN))


PATTERN = bytes(i * 7 & 0xff for i in range(4096))
ROUNDS = 5


def abilities():
    with genl.Client() as client:
        return struct.unpack("=Q", client.call(genl.GOPROBE_CMD_GET_INFO)[0][genl.GOPROBE_A_ABILITIES])[0]


@case("an instruction does the same with a breakpoint on it, emulated or single-stepped", per="boot")
def same_registers(t):
    t.goprobectl("info").finish()               # has the module find out who may
    chance = random.Random(2)
    machine = Machine(os.path.join(t.tmp, "instructions"), chance)
    work = [(n, *machine.inputs(n, chance)) for n in range(len(machine.made)) for _ in range(ROUNDS)]
    want = [machine.run(*w) for w in work]
    with genl.Client() as client:
        client.new_session(os.getpid())
        client.add_file(machine.path, genl.runtime(g_reg=genl.GOPROBE_REG_NONE))
        points = [genl.point(at, machine.code[at - 4096:][:16], id=n, flags=genl.GOPROBE_POINT_F_ABI0)
                  for n, at in enumerate(machine.places)]
        for first in range(0, len(points), 500):
            client.add_points(points[first:first + 500])
        check(bytes(machine.text[machine.places[0] - 4096:][:1]) == b"\xcc", "there is no breakpoint")
        for w, before in zip(work, want):
            after = machine.run(*w)
            check(after == before, "%s with %s: %s, expected %s", machine.made[w[0]][0].hex(), w[1:], after[:2], before[:2])
        same(client.stats()[genl.GOPROBE_STAT_NOT_STARTED], len(work), "hits")
    machine.munmap()


@case("a module that may not execute instructions single-steps them", per="boot")
def ability(t):
    text = "\n".join(t.goprobectl("info").finish())
    kernel = os.environ.get("GOPROBE_KERNEL", "")
    if abilities() & genl.GOPROBE_ABILITY_EMULATE:
        check(kernel != "5.10", "5.10 does not honour a changed instruction pointer")
        check(" execute" in text, "info does not show the ability: %s", text)
    else:
        check(kernel not in ("6.1", "6.12", "7.3"), "%s honours a changed instruction pointer", kernel)
        check(" execute" not in text, "info shows an ability that the kernel does not have: %s", text)
    check(not abilities() & genl.GOPROBE_ABILITY_UNTESTED, "it has not been tried")


PARAMETER = "/sys/module/goprobe/parameters/execute"


def allow(answer):
    """Y or N; returns what it was."""
    with open(PARAMETER, "r+") as f:
        was = f.read().strip()
        f.seek(0)
        f.write(answer)
    return was


def single_stepped(pid):
    """Has the kernel single-stepped an instruction of the process? It makes the page for that when it first needs it."""
    with open("/proc/%d/maps" % pid) as maps:
        return any(line.rstrip().endswith("[uprobes]") for line in maps)


@case("the module's parameter decides how new points execute, and does not change old ones", per="boot")
def parameter(t):
    was = allow("Y")
    t.goprobectl("info").finish()               # has the module find out who may
    able = abilities() & genl.GOPROBE_ABILITY_EMULATE
    target = t.target("load", "-goroutines", 1, "-pause", "1ms")

    def called():
        target.send()
        return int(target.line().split("=")[1].split()[0])

    def more_calls():
        until = called() + 500
        wait_for("500 calls", lambda: called() > until)

    try:
        attach = t.attach("-p", target.pid, "main.handle").attached()
        more_calls()
        allow("N")
        same(abilities() & (genl.GOPROBE_ABILITY_EMULATE | genl.GOPROBE_ABILITY_UNTESTED), 0, "abilities to execute")
        more_calls()
        same(single_stepped(target.pid), not able, "single-steps at points that were made before")
        check(attach.interrupt().returns, "no returns")
        attach = t.attach("-p", target.pid, "main.handle").attached()
        allow("Y")
        same(abilities() & genl.GOPROBE_ABILITY_EMULATE, able, "ability to execute, allowed again")
        more_calls()
        check(single_stepped(target.pid), "a RET was not single-stepped")
        check(attach.interrupt().returns, "no returns")
    finally:
        allow(was)
    same(target.finish(), [], "the program's output")
