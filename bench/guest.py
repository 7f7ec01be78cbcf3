#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The part of bench/run that runs inside the guest: attach, call, detach, repeat.

Every variant is attached for its own rounds only, so that at most one breakpoint
exists at a time. With --icount one nanosecond of the guest's clock is one
instruction of its one processor, of any process: what a consumer does in a
process of its own while the target runs is in the target's time, and what it
does afterwards is added from the scheduler's accounts.
"""

import argparse
import os
import platform
import re
import select
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TRACING = "/sys/kernel/tracing"
EXECUTE = "/sys/module/goprobe/parameters/execute"
RING_HOLD = 64 << 20        # a round's records at once

sys.path.insert(0, os.path.join(HERE, "../tests/e2e"))


class Failed(Exception):
    """This variant can't be measured, and why."""


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed("%s: %s" % (argv[0], done.stdout.strip()))
    return done.stdout


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def lines_of(process, seconds):
    """Wait for a line of a process."""
    if not select.select([process.stdout], [], [], seconds)[0]:
        raise Failed("no answer in %d s" % seconds)
    line = process.stdout.readline()
    if not line:
        raise Failed("it ended")
    return line.strip()


def cpu_ns(pids):
    total = 0
    for pid in pids:
        for tid in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/schedstat" % (pid, tid)) as f:
                total += int(f.read().split()[0])
    return total


def threads():
    """The module's own kernel threads, if it has any."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % pid) as f:
                if f.read().startswith("goprobe-"):
                    found.append(int(pid))
        except FileNotFoundError:
            pass        # it has ended
    return tuple(found)


def fetched(pids):
    """Pages that these processes have waited for until they were read from a file."""
    total = 0
    for pid in pids:
        with open("/proc/%d/stat" % pid) as f:
            total += int(f.read().rpartition(")")[2].split()[9])
    return total


class Target:
    """The traced program, and where its function is."""

    def __init__(self, build):
        self.path = "/tmp/target"        # not on 9p
        shutil.copy(os.path.join(build, "target"), self.path)
        import genl
        offset, _ = genl.elf_symbol(self.path, "main.work")
        code = []
        with open(os.path.join(build, "target.dis")) as f:
            for line in f:
                match = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(\S*)", line)
                if match:
                    code.append((int(match.group(1), 16), match.group(2), match.group(3)))
        entry = code[0][0]
        ret = next(i for i, (_, name, _) in enumerate(code) if name.startswith("ret"))
        # [MOV n(RSP), RBP;] ADD n, RSP; [POP RBP;] RET
        pops = code[ret - 1][1] == "pop"
        add = code[ret - 1 - pops][2]
        self.frame = int(re.match(r"\$0x([0-9a-f]+),%rsp", add).group(1), 16) + 8 * pops
        self.vaddr = {
            "first": entry,
            "branch": next(at for at, name, _ in code if name in ("jbe", "jna")),
            "ret": code[ret][0],
            "epilogue": code[ret - 2][0],
        }
        self.vaddr["pair"] = self.vaddr["branch"]
        self.vaddr["pair-first"] = self.vaddr["first"]
        self.offset = {place: at - entry + offset for place, at in self.vaddr.items()}
        self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, GODEBUG="asyncpreemptoff=1"))
        lines_of(self.process, 60)
        self.pid = self.process.pid
        self.memory = open("/proc/%d/mem" % self.pid, "rb", 0)

    def probed(self, place, first):
        self.memory.seek(self.vaddr[place])
        return self.memory.read(1) in first

    def wait_probed(self, place, probed, first, by=None):
        end = time.monotonic() + 300
        while self.probed(place, first) != probed:
            if by and by.poll() is not None:
                return      # its detach() will report why
            if time.monotonic() > end:
                raise Failed("no breakpoint" if probed else "the breakpoint stays")
            time.sleep(0.05)

    def call(self, calls, pids=()):
        """Nanoseconds, and the processor time of the processes when it was over."""
        self.process.stdin.write(" ".join(map(str, (calls,) + tuple(pids))) + "\n")
        self.process.stdin.flush()
        took, cpu = lines_of(self.process, 3000).split()
        return int(took), int(cpu)


class Variant:
    """Something that can be attached to a place.

    attach() may return before the breakpoint is there. detach() returns how many
    hits were delivered and how many were lost, None for what there is no such
    thing. pids() are the processes that work for it."""

    def __init__(self, name, title, place, breakdown=False):
        self.name, self.title, self.place, self.breakdown = name, title, place, breakdown

    peer = False
    process = None
    first = (b"\xcc",)     # the first byte of the place while it is probed

    def missing(self):
        """Why it can't be measured here, or None."""
        return None

    def pids(self):
        return ()


class Floor(Variant):
    """A uprobe consumer of bench/floor."""

    def __init__(self, name, title, place, breakdown=False, parameters=()):
        super().__init__(name, title, place, breakdown)
        self.parameters = parameters

    def attach(self, target, options):
        run("insmod", os.path.join(options.build, "kernel-" + os.environ["GOPROBE_KERNEL"], "floor.ko"),
            "path=" + target.path, "offset=%d" % target.offset[self.place], *self.parameters)

    def detach(self):
        run("rmmod", "floor")
        return None, None


def info():
    """The module's abilities. This query makes the module find out whether it may execute instructions."""
    return run("goprobectl", "info") if shutil.which("goprobectl") else ""


def load(module):
    """In place of the module that is loaded."""
    run("rmmod", "goprobe")
    run("insmod", module)
    info()


class Executing(Floor):
    """Where the kernel honours a changed instruction pointer: the module has found out."""

    def missing(self):
        return None if " execute" in info() else "this kernel does not let a handler execute instructions"


class Goprobe(Variant):
    """goprobe, with bench/reader.c for a client."""

    def __init__(self, name, title, arguments=(), place="branch", hold=False, breakdown=False):
        super().__init__(name, title, place, breakdown)
        self.hold = hold
        self.arguments = list(arguments)
        if hold:
            self.arguments += ["--hold", "--ring", str(RING_HOLD)]
        if place in ("branch", "pair"):
            self.arguments += ["--skip"]

    def attach(self, target, options):
        self.process = subprocess.Popen(
            [os.path.join(options.build, "reader"), "--pid", str(target.pid), "--file", target.path,
             "--offset", str(target.offset[self.place])] +
            self.end(target) + self.arguments,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines_of(self.process, 60)

    def end(self, target):
        return ["--return", str(target.offset["ret"])] if self.place in PAIRS else []

    def pids(self):
        return () if self.hold else (self.process.pid,)

    def detach(self):
        out, _ = self.process.communicate("end\n", timeout=300)
        if self.process.returncode:
            raise Failed("the reader failed")
        counts = dict((k, int(v)) for k, v in (word.split("=") for word in out.split()))
        for what in "not_started", "counted", "timed", "opened", "filtered", "limited":
            if counts[what]:
                return counts[what], 0
        if "sample" in self.arguments:
            return None, counts["lost"]
        return counts["records"], counts["lost"]


class Jump(Goprobe):
    """Without a trap, where the module makes jumps."""

    first = (b"\xe9", b"\xeb")

    def missing(self):
        return None if " jump" in info() else "the module was loaded without allow_jumps=1"


class JumpPair(Jump):
    """Calls timed without a trap; the jump at the end is the epilogue's."""

    def end(self, target):
        return ["--return", str(target.offset["epilogue"]), "--frame", str(target.frame)]


class Stepped(Goprobe):
    """Where the kernel single-steps: the module does not carry out instructions at points that are made now."""

    def missing(self):
        return None if " execute" in info() else "this kernel single-steps anyway"

    def attach(self, target, options):
        write(EXECUTE, "N")
        try:
            super().attach(target, options)
        finally:
            write(EXECUTE, "Y")


class Beside(Variant):
    """The same with another tree's module, tool and reader."""

    def __init__(self, variant):
        super().__init__(variant.name + "-beside", "  ... of the tree beside", variant.place)
        self.variant = variant

    def missing(self):
        return self.variant.missing()

    def attach(self, target, options):
        there = os.path.join(options.build, "beside")
        self.path, self.own = os.environ["PATH"], os.path.join(options.build, "goprobe.ko")
        os.environ["PATH"] = there + ":" + self.path
        load(os.path.join(there, "goprobe.ko"))
        try:
            self.variant.attach(target, argparse.Namespace(**dict(vars(options), build=there)))
        except Failed:
            self.leave()
            raise
        self.process = self.variant.process

    def leave(self):
        os.environ["PATH"] = self.path
        load(self.own)

    def pids(self):
        return self.variant.pids() and self.variant.pids() + threads()

    def detach(self):
        try:
            return self.variant.detach()
        finally:
            self.leave()


class Goprobectl(Variant):
    """goprobe as a person uses it, what it prints thrown away."""

    def __init__(self, name, title, arguments=(), breakdown=False):
        super().__init__(name, title, "branch", breakdown)
        self.arguments = list(arguments)

    def missing(self):
        return None if shutil.which("goprobectl") else "goprobectl has not been built"

    def attach(self, target, options):
        self.log = open("/tmp/goprobectl.log", "w+")
        self.process = subprocess.Popen(
            ["goprobectl", "attach", "--max-load", "off", "-p", str(target.pid), "--no-return"] + self.arguments + ["main.work"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log)
        # Breakpoints are there before the session is started: until then hits only count.
        end = time.monotonic() + 300
        while "Ctrl-C ends" not in self.said():
            if self.process.poll() is not None:
                raise Failed("goprobectl said: " + self.said())
            if time.monotonic() > end:
                raise Failed("goprobectl does not begin")
            time.sleep(0.05)

    def said(self):
        # Not through its own file, whose position is where it writes.
        with open(self.log.name) as f:
            return f.read().strip()

    def pids(self):
        return (self.process.pid,)

    def detach(self):
        self.process.send_signal(2)
        status = self.process.wait(300)
        text = self.said()
        # JSON has its numbers among its lines; the exit status reports losses.
        if "json" in self.arguments and status == 0:
            return None, 0
        match = re.search(r"(\d+) events?.*?(\d+) lost", text)
        if not match:
            raise Failed("goprobectl said: " + text)
        return int(match.group(1)), int(match.group(2))


class UprobeEvents(Variant):
    """The kernel's own tracer: two registers to its ring buffer."""

    peer = True
    EVENT = "goprobe_bench/work"

    def __init__(self, name, title, place, read):
        super().__init__(name, title, place)
        self.read = read

    def missing(self):
        if not os.path.exists(TRACING + "/uprobe_events"):
            subprocess.run(["mount", "-t", "tracefs", "tracefs", TRACING], stderr=subprocess.DEVNULL)
        return None if os.path.exists(TRACING + "/uprobe_events") else "this kernel has no uprobe_events"

    def attach(self, target, options):
        write(TRACING + "/trace", "")
        # If nothing reads, the buffer holds all records of a round, as with goprobe.
        write(TRACING + "/buffer_size_kb", "1408" if self.read else "16384")
        write(TRACING + "/uprobe_events", "p:%s %s:0x%x a=%%ax:s64 b=%%bx:s64\n" %
              (self.EVENT, target.path, target.offset[self.place]))
        self.process = None
        if self.read:
            self.process = subprocess.Popen(["cat", TRACING + "/trace_pipe"], stdout=subprocess.DEVNULL)
        write(TRACING + "/events/%s/enable" % self.EVENT, "1")

    def pids(self):
        return (self.process.pid,) if self.process else ()

    def detach(self):
        write(TRACING + "/events/%s/enable" % self.EVENT, "0")
        with open(TRACING + "/per_cpu/cpu0/stats") as f:
            stats = dict(re.findall(r"(.*): (\d+)", f.read()))
        if self.process:
            self.process.terminate()
            self.process.wait()
        write(TRACING + "/uprobe_events", "")
        lost = sum(int(stats[k]) for k in ("overrun", "commit overrun", "dropped events"))
        return int(stats["read events" if self.read else "entries"]), lost


class Bpftrace(Variant):
    """bpftrace with a program of one probe."""

    peer = True
    PRINT = ('printf("%llu %d %lld %lld %lld %s\\n", nsecs, tid, *(uint64 *)(reg("r14") + 152), '
             'reg("ax"), reg("bx"), str(reg("cx"), reg("di")));')

    def __init__(self, name, title, place, body):
        super().__init__(name, title, place)
        self.body = body

    def missing(self):
        return None if shutil.which("bpftrace") else "bpftrace is not installed"

    def attach(self, target, options):
        self.out = open("/tmp/bpftrace.out", "w+")
        self.log = open("/tmp/bpftrace.log", "w+")
        self.process = subprocess.Popen(
            ["bpftrace", "--unsafe", "-p", str(target.pid), "-e",
             "uprobe:%s:0x%x { %s }" % (target.path, target.vaddr[self.place], self.body)],
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.log)

    def pids(self):
        return (self.process.pid,)

    def detach(self):
        self.process.send_signal(2)
        self.process.wait(600)
        self.out.seek(0)
        self.log.seek(0)
        out, log = self.out.read(), self.log.read()
        lost = sum(int(n) for n in re.findall(r"Lost (\d+) events", out + log))
        if self.process.returncode:
            raise Failed("bpftrace said: " + log.strip())
        if "count()" in self.body:
            return int(re.search(r"@\w*: (\d+)", out).group(1)), None
        return len(re.findall(r"^\d+ \d+ ", out, re.M)), lost


def goprobe_variants():
    yield Floor("floor", "empty consumer", "branch")
    yield Floor("floor-first", "empty consumer", "first")
    yield Floor("floor-ret", "empty consumer", "ret")
    yield Executing("floor-ret-executed", "consumer that carries out the RET", "ret", False, ["ret=1"])
    yield Floor("floor-clock", "consumer that reads the clock", "branch", True, ["clock=1"])
    yield Goprobe("count", "goprobe, session not started: counts", ["--no-start"], hold=True)
    yield Goprobe("count-id", "goprobe, count", ["--count"], hold=True)
    yield Jump("jump", "goprobe, count without a trap", ["--count", "--jump"], hold=True)
    yield Jump("jump-filter", "  ... if a == 4, which is false", ["--count", "--jump", "--filter", "int"], hold=True)
    yield Goprobe("record-if", "goprobe, entry record if a != 4, which is true", ["--filter", "other"], hold=True)
    yield Jump("jump-record", "  ... without a trap if it is false", ["--jump", "--filter", "other"], hold=True)
    yield Jump("jump-reject", "  ... if a == 4, which is false", ["--jump", "--filter", "int"], hold=True)
    yield Goprobe("by", "goprobe, count by a & 15", ["--count", "--filter", "key"], hold=True)
    yield Jump("jump-by", "  ... without a trap", ["--count", "--jump", "--filter", "key"], hold=True)
    yield Goprobe("filter", "goprobe, count if a == 4, which is false", ["--count", "--filter", "int"], hold=True)
    yield Goprobe("filter-string", "goprobe, count if s == \"16 bytes\", which is false", ["--count", "--filter", "string"],
                  hold=True)
    yield Goprobe("rate", "goprobe, count while there are not too many in a second", ["--count", "--filter", "rate"], hold=True)
    yield Goprobe("rate-beyond", "  ... and there are too many", ["--count", "--filter", "beyond"], hold=True)
    yield Goprobe("time-entry", "goprobe, time: entry alone, its last call unwound", ["--time"], hold=True, breakdown=True)
    yield Goprobe("time", "goprobe, time: entry + return pair", ["--time"], place="pair", hold=True)
    yield JumpPair("jump-time", "  ... without a trap", ["--time", "--jump"], place="pair", hold=True)
    yield Stepped("time-stepped", "  ... with single-steps on both", ["--time"], place="pair-first", hold=True)
    yield Goprobe("header", "goprobe, no plan: record header, handler alone", ["--plan", "none"], hold=True)
    yield Goprobe("header-no-g", "  ... goroutine not read", ["--plan", "none", "--no-goroutine"], hold=True,
                  breakdown=True)
    yield Goprobe("ints", "  ... and 2 ints", ["--plan", "ints"], hold=True, breakdown=True)
    yield Goprobe("words", "  ... and the string's 2 words", ["--plan", "words"], hold=True, breakdown=True)
    yield Goprobe("entry", "goprobe, entry record, handler alone", hold=True)
    yield Goprobe("program", "goprobe, 3 values by 17 operations, handler alone", ["--plan", "program"],
                  hold=True)
    yield Goprobe("walk", "goprobe, walk: 10 objects, 520 bytes, handler alone", ["--plan", "walk"], hold=True)
    yield Goprobe("wide", "goprobe, walk: 32 strings, handler alone", ["--plan", "wide"], hold=True)
    yield Goprobe("ret-count", "goprobe, session not started: counts", ["--no-start"], place="ret", hold=True)
    yield Goprobe("ret", "goprobe, return record with 2 ints, handler alone", ["--plan", "ints"], place="ret", hold=True)
    yield Goprobe("entry-read", "goprobe, entry record, read and thrown away")
    yield Goprobe("entry-read-small", "  ... with a ring of 64 KiB", ["--ring", "65536"], breakdown=True)
    yield Goprobe("ints-read", "goprobe, entry record of 2 ints, read and thrown away", ["--plan", "ints"])
    yield Jump("jump-note", "  ... without a trap", ["--plan", "ints", "--jump"])
    yield Goprobe("sample", "goprobe, entry record of 2 ints of one call in 1024", ["--plan", "ints", "--filter", "sample"])
    yield Jump("jump-sample", "  ... without a trap", ["--plan", "ints", "--jump", "--filter", "sample"])
    yield Goprobectl("entry-record", "goprobe, entry record, goprobectl --record", ["--record", "/tmp/bench.rec"])
    yield Goprobectl("entry-stack", "  ... with a stack of at most 8 functions", ["--record", "/tmp/bench.rec", "--stack", "8"])
    yield Goprobectl("entry-record-null", "  ... to /dev/null", ["--record", "/dev/null"], breakdown=True)
    yield Goprobectl("entry-text", "goprobe, entry record, goprobectl's text to /dev/null")
    yield Goprobectl("entry-json", "goprobe, entry record, goprobectl's JSON to /dev/null", ["-o", "json", "--strict"])


def peer_variants():
    yield UprobeEvents("events", "uprobe_events, 2 registers, unread", "branch", False)
    yield UprobeEvents("events-read", "uprobe_events, 2 registers, trace_pipe to /dev/null", "branch", True)
    yield UprobeEvents("events-first", "uprobe_events, 2 registers, unread", "first", False)
    yield UprobeEvents("events-first-read", "uprobe_events, 2 registers, trace_pipe to /dev/null", "first", True)
    # bpftrace 0.17 takes no address inside a function.
    yield Bpftrace("bpf-count", "bpftrace count()", "first", "@calls = count();")
    yield Bpftrace("bpf-print", "bpftrace printf of the same values", "first", Bpftrace.PRINT)
    yield Bpftrace("bpf-stack", "  ... and of a stack of at most 8 functions", "first",
                   Bpftrace.PRINT.replace('%s\\n"', '%s %s\\n"').replace("));", "), ustack(8));"))


class Costs:
    """Results of a variant's rounds."""

    def __init__(self):
        self.hits, self.delivered, self.lost, self.fetched = [], 0, 0, []


def measure(variant, target, options):
    """Nanoseconds per call, delivered, lost, pages that the reader had to wait for."""
    variant.attach(target, options)
    try:
        target.wait_probed(variant.place, True, variant.first, variant.process)
        if not target.probed(variant.place, variant.first):
            raise Failed("it ended")
        pids = variant.pids()
        pages = fetched(pids)
        took, before = target.call(options.calls, pids)
        pages = fetched(pids) - pages
        if pids:
            # Until it has nothing left to do.
            after = cpu_ns(pids)
            while True:
                time.sleep(0.5)
                now = cpu_ns(pids)
                if now - after < 200000:
                    break
                after = now
            took += now - before
    finally:
        delivered, lost = variant.detach()
    target.wait_probed(variant.place, False, variant.first)
    return took / options.calls, delivered, lost, pages


def measure_all(variants, target, options):
    unprobed, costs, failed, base = [], {v.name: Costs() for v in variants}, {}, float("inf")
    for n in range(options.rounds):
        # What the machine does besides, after readers have ended too, would be taken for a part of the call.
        base = min([base] + [target.call(options.calls * 4)[0] / (options.calls * 4) for _ in range(3)])
        if n:
            unprobed.append(base)
        for v in variants:
            if v.name in failed:
                continue
            began = time.monotonic()
            try:
                hit, delivered, lost, pages = measure(v, target, options)
            except Failed as e:
                failed[v.name] = str(e)
                say("%s (%s): %s" % (v.name, v.title.strip(), e))
                continue
            say("round %d of %d: %s: %.0f (%.1f s)%s%s" %
                (n, options.rounds - 1, v.name, hit - base, time.monotonic() - began, ", %d lost" % lost if lost else "",
                 ", waited for %d pages" % pages if pages else ""))
            if n:
                c = costs[v.name]
                c.hits.append(hit - base)
                c.delivered = None if delivered is None else c.delivered + delivered
                c.lost = None if lost is None else c.lost + lost
                c.fetched += [pages] if pages else []
    return unprobed, costs, failed


PLACES = {"branch": "stack-check branch", "first": "first instruction", "ret": "RET", "pair": "branch and RET",
          "pair-first": "first and RET"}
# Two breakpoints: the entry's place.
PAIRS = {"pair": "branch", "pair-first": "first"}
# A row, what it is compared with, and what that says.
RATIOS = (("time", "time-stepped", "entry + return pair, duration in the kernel, as it is and with single-steps"),)


def show(variants, unprobed, costs, failed, options):
    unit = "ns" if options.wall else "instructions"
    rounds = options.rounds - 1
    with open("/sys/devices/system/clocksource/clocksource0/current_clocksource") as f:
        clock = f.read().strip()
    tools = [platform.release(), "Go 1.19", "clock source " + clock]
    if any(isinstance(v, Bpftrace) for v in variants):
        tools.append(run("bpftrace", "--version").strip())
    print()
    print("kernel " + ", ".join(tools))
    print("%s per hit above the unprobed call (%.1f); medians of %d interleaved rounds of %d calls, first round dropped" %
          (unit, statistics.median(unprobed), rounds, options.calls))
    print("over floor: above the empty consumer at the same place; called: %d; lost: as it says itself; unsaid: called, but "
          "neither delivered nor said to be lost (a call that is restarted to grow its stack can count twice)" %
          (rounds * options.calls))
    print()
    print("%-54s %-18s %7s %7s %11s %9s %7s %7s" % ("", "at", "cost", "spread", "over floor", "delivered", "lost", "unsaid"))
    floors = {}
    for v in variants:
        c = costs[v.name]
        if v.name in failed or not c.hits:
            print("%-54s %-18s %s" % (v.title, PLACES[v.place], failed.get(v.name, "-").split("\n")[0]))
            continue
        median = statistics.median(c.hits)
        if isinstance(v, Floor) and not v.parameters:
            floors[v.place] = median
        for pair, entry in PAIRS.items():
            if entry in floors and "ret" in floors:
                floors[pair] = floors[entry] + floors["ret"]
        over = "%.0f" % (median - floors[v.place]) if v.place in floors and not isinstance(v, Floor) else ""
        unsaid = "-"
        if c.delivered is not None:
            unsaid = max(0, rounds * options.calls - c.delivered - (c.lost or 0))
        print("%-54s %-18s %7.0f %7.0f %11s %9s %7s %7s" % (
            v.title, PLACES[v.place], median, max(c.hits) - min(c.hits), over,
            "-" if c.delivered is None else c.delivered, "-" if c.lost is None else c.lost, unsaid))
        if options.figures:
            print("figure %s %.0f" % (v.name, median))
    for v in variants:
        if costs[v.name].fetched:
            print("%s: in %d rounds the reader waited for %d pages from files" %
                  (v.name, len(costs[v.name].fetched), sum(costs[v.name].fetched)))
    for name, dear, title in RATIOS:
        if name in costs and dear in costs and costs[name].hits and costs[dear].hits:
            ratios = [b / a for a, b in zip(costs[name].hits, costs[dear].hits)]
            print()
            low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
            print("%s: %.2f times as dear (median of the rounds; half of them from %.2f to %.2f, all from %.2f to %.2f)" %
                  (title, middle, low, high, min(ratios), max(ratios)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--release")
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--breakdown", action="store_true")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--wall", action="store_true")
    parser.add_argument("--figures", action="store_true", help="for bench/check: a line \"figure NAME COST\" behind each row")
    parser.add_argument("--beside", action="store_true", help="each row of goprobe's also with what is in build/bench/beside")
    parser.add_argument("--symbols", help="for bench/where: leave the kernel's symbols in this directory")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("variants", nargs="*")
    options = parser.parse_args()

    variants = list(goprobe_variants()) + list(peer_variants())
    if options.list:
        for v in variants:
            print("%-18s %s, at the %s" % (v.name, v.title.strip(), PLACES[v.place]))
        return 0
    unknown = set(options.variants) - {v.name for v in variants}
    if unknown:
        say("no such variant: %s; --list shows them" % " ".join(unknown))
        return 2
    if options.variants:
        variants = [v for v in variants if v.name in options.variants]
    else:
        variants = [v for v in variants if (options.breakdown or not v.breakdown) and
                    not (options.no_peers and v.peer)]
    if options.beside:
        variants = [w for v in variants for w in ((v, Beside(v)) if isinstance(v, (Goprobe, Goprobectl)) else (v,))]
    absent = {v.name: v.missing() for v in variants if v.missing()}
    for name, why in absent.items():
        say("%s is left out: %s" % (name, why))
    variants = [v for v in variants if v.name not in absent]

    info()
    if options.symbols:
        with open("/proc/kallsyms") as f:
            write(os.path.join(options.symbols, "kallsyms"), f.read())
    target = Target(options.build)
    results = measure_all(variants, target, options)
    show(variants, *results, options)
    return 1 if results[2] else 0


if __name__ == "__main__":
    sys.exit(main())
