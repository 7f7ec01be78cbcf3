# SPDX-License-Identifier: GPL-2.0
"""Disturbances on a host while a program is traced. In all cases: the program's results are the same, every call is
counted, and nothing is left behind. `stress` counts its own calls while each storm lasts."""

import collections
import contextlib
import ctypes
import json
import mmap
import os
import random
import re
import signal
import subprocess
import threading
import time

import genl
from cases_count import started
from cases_files import machine_only, mounted
from cases_tally import begin, counted, points_of
from lib import (DEADLINE, KMEMLEAK, Skip, case, check, lost_memory, module_users, nothing_probed, of_kind, parse, same, short, times,
                 wait_for)

STRESS = ("main.even", "main.odd", "main.guard", "main.note")
BREAKPOINT = 0xcc
CYCLES = int(os.environ.get("GOPROBE_CYCLES", "0"))


@contextlib.contextmanager
def storm(blow):
    """blow() again and again on a thread of its own; yields how often that was."""
    over, problems, n = threading.Event(), [], [0]

    def run():
        try:
            while not over.is_set():
                blow()
                n[0] += 1
        except Exception as e:          # reported by the case
            problems.append("%s: %s" % (type(e).__name__, e))
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield n
    finally:
        over.set()
        thread.join(DEADLINE)
    check(not thread.is_alive(), "what disturbs the program hangs")
    same(problems, [], "what happened to the one who disturbs")


def plain(path, *args):
    """The program's output without a tracer."""
    p = subprocess.run([path, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return json.loads(p.stdout.decode().splitlines()[-1])


ARGS = ("-goroutines", "100", "-depth", "200")
FEW = ("-goroutines", "30", "-depth", "200")


def weathered(t, blow, path=None, least=1, args=ARGS):
    """Count a program's calls while it blows: blow(target), of a target that has not yet begun."""
    path = path or t.binary("stress")
    want = plain(path, *args)
    target = t.target(path, "-hold", *args)
    process = started(t, "count", "-p", target.pid, "-o", "json", *STRESS)
    with storm(lambda: blow(target)) as n:
        target.send()
        # Nothing here may wait() for the target: that would take a stop from the debugger on another thread.
        wait_for("%d gusts" % least, lambda: n[0] >= least)
        got = json.loads(target.line())
    same(got, want, "what the program computes")
    target.finish()
    lines = parse("\n".join(process.finish()))
    same({e["func"]: e["calls"] for e in of_kind(lines, "count")}, {f: want["functions"][f]["calls"] for f in STRESS}, "calls")
    check(nothing_probed(), "something is still probed")
    return n[0]


# --- other tracers ----------------------------------------------------------------

PTRACE_CONT, PTRACE_SINGLESTEP, PTRACE_DETACH = 7, 9, 17
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000


class Debugger:
    """Enough of one: it stops threads, steps through what they do, and lets them go on."""

    def __init__(self):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
        self.steps = 0

    def ask(self, request, tid, data=0):
        return self.libc.ptrace(request, tid, None, data) == 0

    def wait(self, tid, patience=None):
        """The signal that it has stopped with; None if it has exited; TimeoutError if it goes on for longer than that."""
        late = patience and time.monotonic() + patience
        with contextlib.suppress(ChildProcessError):
            while True:
                found, status = os.waitpid(tid, WALL | (os.WNOHANG if patience else 0))
                if found:
                    return os.WSTOPSIG(status) if os.WIFSTOPPED(status) else None
                if time.monotonic() > late:
                    raise TimeoutError
        return None

    def step(self, tid, deliver):
        """As wait(); and whether that was the end of its visit, since it waits for something in the kernel."""
        if not self.ask(PTRACE_SINGLESTEP, tid, deliver):
            return None, True
        try:
            stopped = self.wait(tid, patience=0.02)
        except TimeoutError:
            self.ask(PTRACE_INTERRUPT, tid)
            stopped = self.wait(tid)
            # It may have been late with its step: that trap is nobody else's, and would be the end of the program.
            if stopped is not None and self.trap_pending(tid) and self.ask(PTRACE_CONT, tid):
                stopped = self.wait(tid)
            return stopped, True
        self.steps += stopped == signal.SIGTRAP
        return stopped, False

    @staticmethod
    def trap_pending(tid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open("/proc/%d/status" % tid) as f:
            return any(int(line.split()[1], 16) & 1 << signal.SIGTRAP - 1 for line in f if line.startswith("SigPnd"))
        return False

    def visit(self, tid, steps):
        if not self.ask(PTRACE_SEIZE, tid):
            return              # it has ended meanwhile
        self.ask(PTRACE_INTERRUPT, tid)
        stopped, parked = self.wait(tid), False
        while steps and stopped is not None and not parked:
            # Its own signals are handed on: Go preempts goroutines with them.
            stopped, parked = self.step(tid, stopped if stopped not in (signal.SIGTRAP, signal.SIGSTOP) else 0)
            steps -= 1
        if stopped is not None:
            self.ask(PTRACE_DETACH, tid, stopped if stopped not in (signal.SIGTRAP, signal.SIGSTOP) else 0)


@case("storm: a debugger stops threads, and steps through breakpoints")
def debugger(t):
    debugger, chance = Debugger(), random.Random(1)

    def blow(target):
        for tid, state in target.threads():
            # One that waits in the kernel makes no step before somebody wakes it.
            debugger.visit(tid, chance.randrange(400 if state == "R" else 2))
        time.sleep(0.01)                        # the program is to get on, too
    weathered(t, blow, least=3, args=("-goroutines", "1000", "-depth", "200"))
    check(debugger.steps > 50, "only %d steps were made", debugger.steps)


def tracefs():
    top = "/sys/kernel/tracing"
    if not os.path.exists(top + "/uprobe_events"):
        subprocess.run(["mount", "-t", "tracefs", "tracefs", top], check=False, stderr=subprocess.DEVNULL)
    if not os.path.exists(top + "/uprobe_events"):
        raise Skip("this kernel has no uprobe events")
    return top


class Events:
    """The kernel's own uprobe events, at given offsets of a file."""

    def __init__(self, path, offsets):
        self.top, self.names = tracefs(), {"at_%x" % o: o for o in offsets}
        for name, offset in self.names.items():
            self.write("uprobe_events", "p:goprobe_test/%s %s:%#x\n" % (name, path, offset))

    def write(self, file, text):
        # Not open(..., "a"), which asks where the end is.
        fd = os.open(os.path.join(self.top, file), os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def enable(self, on):
        with open(self.top + "/events/goprobe_test/enable", "w", encoding="ascii") as f:
            f.write("1" if on else "0")

    def hits(self):
        with open(self.top + "/uprobe_profile", encoding="ascii") as f:
            found = {line.split()[-2]: int(line.split()[-1]) for line in f}
        return {offset: found.get(name, 0) for name, offset in self.names.items()}

    def close(self):
        self.enable(False)
        for name in self.names:
            self.write("uprobe_events", "-:goprobe_test/%s\n" % name)


@case("storm: the kernel's own uprobe events at the same instructions, there before or after: both count every hit")
def uprobe_events(t):
    path = t.binary("stress")
    points = [p for of in points_of(t, path, *STRESS).values() for p in of]
    want = plain(path, *ARGS)
    for first in (True, False):
        target = t.target(path, "-hold", *ARGS)
        events = Events(path, {p.offset for p in points})
        with contextlib.closing(events):
            if first:
                events.enable(True)
            with begin(t, path, counted({str(p.offset): [p] for p in points}), target.pid) as client:
                events.enable(True)
                target.send()
                same(json.loads(target.line()), want, "what the program computes")
                client.call(genl.GOPROBE_CMD_STOP)
                tallies = client.tallies()
            theirs = events.hits()
        # Hits that a point does not count are those of a stack that has to grow first: then the function begins again.
        for i, p in enumerate(points):
            tally = tallies.get(i) or tallies[50 + i]
            check(tally.hits <= theirs[p.offset], "at %#x: %d hits, and the kernel's own events %d", p.offset, tally.hits, theirs[p.offset])
        calls = sum(want["functions"][f]["calls"] for f in STRESS)
        same(sum(tallies[i].hits for i, p in enumerate(points) if p.kind == genl.GOPROBE_POINT_CALL), calls, "calls")
        target.finish()


@case("storm: the kernel's own uprobe events come and go all the time")
def events_come_and_go(t):
    path = t.binary("stress")
    events = Events(path, {genl.elf_symbol(path, f)[0] for f in STRESS[:2]} | {p.offset for p in points_of(t, path, *STRESS[:2])[STRESS[0]]})

    def blow(target):
        events.enable(True)
        events.enable(False)
    with contextlib.closing(events):
        weathered(t, blow, path, least=3)


# --- processes --------------------------------------------------------------------

@case("storm: clients and programs are killed at any moment, both at once, as well", per="boot", slow=True)
def kill_both(t):
    chance = random.Random(3)
    for round_ in range(times(20, 8, 3)):
        target = t.target("load", "-goroutines", 4)
        attached = [t.attach("--depth", "0", "-p", target.pid, "main.handle", "main.inner") for _ in range(2)]
        attached.append(t.goprobectl("latency", "-p", target.pid, "main.*"))
        if round_ % 2:
            attached[0].attached()
        time.sleep(chance.random() / 4)         # any moment is a good one
        victims = attached + [target]
        chance.shuffle(victims)
        for victim in victims[:chance.randrange(1, 5)]:
            victim.signal(signal.SIGKILL)
        target.signal(signal.SIGKILL)
        target.wait()
        for p in attached:
            p.wait()                            # by itself: there is nothing to trace any more
        for p in victims:
            p.kill()
            t.started.remove(p)
    wait_for("the last session ending", nothing_probed)


@case("storm: a frozen program is attached to and let go; thawed, it goes on with the same results", per="boot")
def frozen(t):
    with mounted(t, "cgroup2", "rw", "cgroup") as top:
        group = top + "/goprobe-test"
        os.mkdir(group)

        def write(file, text):
            with open(os.path.join(group, file), "w", encoding="ascii") as f:
                f.write(text)

        def is_frozen():
            with open(group + "/cgroup.events", encoding="ascii") as f:
                return "frozen 1" in f.read()
        want = plain(t.binary("stress"), *FEW)
        # At work, so that any of its threads may be anywhere; and before it has begun: then every call is seen.
        for at_work in (True, False):
            target = t.target("stress", "-hold", *FEW)
            write("cgroup.procs", str(target.pid))
            if at_work:
                target.send()
            write("cgroup.freeze", "1")
            wait_for("the freezer", is_frozen)
            first = started(t, "count", "-p", target.pid, "-o", "json", *STRESS)
            check(target.probed(STRESS[0]), "a frozen program has no breakpoint")
            first.signal(signal.SIGINT)
            same(of_kind(parse("\n".join(first.finish())), "summary")[0]["calls"], 0, "calls of a frozen program")
            same(target.patched(), 0, "changed bytes")
            stays = t.attach("--depth", "0", "--lossless", "-p", target.pid, *STRESS).attached()
            if not at_work:
                target.send()
            write("cgroup.freeze", "0")
            same(json.loads(target.line()), want, "what the program computes")
            target.finish()
            trace = stays.finish()
            same(trace.lost, 0, "losses")
            calls = collections.Counter(e["func"] for e in trace.calls)
            wanted = {f: want["functions"][f]["calls"] for f in STRESS}
            if at_work:
                check(all(calls[f] <= wanted[f] for f in STRESS), "calls since it was thawed: %s, of %s", calls, wanted)
            else:
                same(dict(calls), wanted, "calls")
        with open(group + "/cgroup.events", encoding="ascii") as f:
            wait_for("an empty group", lambda: "populated 0" in os.pread(f.fileno(), 4096, 0).decode())
        os.rmdir(group)


@case("storm: somebody maps the traced file and unmaps it all the time: breakpoints come with each mapping, and go")
def mappings(t):
    path = t.binary("load")
    points = points_of(t, path, "main.handle", "main.inner")
    at = [p.offset for of in points.values() for p in of]
    with open(path, "rb") as f:
        original = f.read()
    seen = set()

    def mapped():
        """The bytes at all points of a new mapping."""
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC) as m:
            return [m[o] for o in at]

    def blow(_):
        for o, byte in zip(at, mapped()):
            check(byte in (original[o], BREAKPOINT), "at %#x there is %#x", o, byte)
            seen.add(byte == BREAKPOINT)
    target = t.target("load", "-goroutines", 2, "-pause", "1ms")
    with storm(lambda: blow(target)) as n:
        for _ in range(times(100, 20, 5)):
            before = n[0]
            with begin(t, path, counted(points)):
                same(mapped(), [BREAKPOINT] * len(at), "a new mapping under a session")
                wait_for("some mappings more", lambda: n[0] > before + 2)
            same(mapped(), [original[o] for o in at], "a new mapping after it")
            before = n[0]
            wait_for("some mappings without a session", lambda: n[0] > before + 1)
    same(seen, {False, True}, "whether mappings had breakpoints")
    same(target.patched(), 0, "changed bytes")
    target.send()
    check(target.line().startswith("calls handle="), "the program does not go on")


# --- the machine ------------------------------------------------------------------

def switch(cpu, on):
    """Take a processor away, or bring it back."""
    with open("/sys/devices/system/cpu/cpu%d/online" % cpu, "w", encoding="ascii") as f:
        f.write("1" if on else "0")


def removable():
    """Processors that can be taken away."""
    machine_only()
    cpus = [c for c in range(1, os.cpu_count()) if os.path.exists("/sys/devices/system/cpu/cpu%d/online" % c)]
    if not cpus:
        raise Skip("no processor of this machine can be taken away")
    return cpus


@case("storm: processors go away and come back", per="boot")
def hotplug(t):
    cpus = removable()
    chance = random.Random(4)

    def blow(target):
        cpu = chance.choice(cpus)
        switch(cpu, False)
        switch(cpu, True)
    # A session that begins with processors missing gets their records, too, when they are back.
    path = t.binary("counter")
    for cpu in cpus:
        switch(cpu, False)
    try:
        target = t.target(path, "-hold", 2000)
        attach = t.attach("--buffer", "4m", "-p", target.pid, "main.doWork").attached()
    finally:
        for cpu in cpus:
            switch(cpu, True)
    os.sched_setaffinity(target.pid, {cpus[-1]})
    for tid, _ in target.threads():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(tid, {cpus[-1]})
    target.send()
    same(target.line(), "counter=2000", "the program's result")
    trace = attach.interrupt()
    same((len(trace.calls), len(trace.returns), trace.lost), (2000, 2000, 0), "calls, returns, lost")
    check(weathered(t, blow, least=3) >= 3, "no processor went away")


def clock_offset():
    """CLOCK_REALTIME less CLOCK_MONOTONIC, by the tightest of some tries."""
    tries = []
    for _ in range(5):
        before = time.monotonic_ns()
        real = time.time_ns()
        tries.append((time.monotonic_ns() - before, real - before))
    return min(tries)[1]


def check_follows(times, began, ended, offsets):
    """Each time is that of a clock with one of these offsets, and events are in order by the clock that nobody set.

    To set the clock by an hour takes time, so it is off by some ms of an hour then, each time by others.
    """
    before = began, None
    for time_ns in times:
        shown = [(time_ns - o, o) for o in offsets if began - 1e9 < time_ns - o < ended + 1e9]
        check(shown, "no clock showed %d from %d to %d", time_ns, began, ended)
        # The tool measures the offset again after each change.
        fits = [(real, o) for real, o in shown if real >= before[0] - (0 if o == before[1] else 20_000_000)]
        check(fits, "an event is %d ns before the one above it", before[0] - max(shown)[0])
        before = min(fits)


@case("storm: somebody sets the clock: durations are as long as they were, and times are of a clock that was seen", per="boot")
def clock(t):
    machine_only()
    jumps = [3600, -7200, 86400, -82800]
    offsets = [clock_offset()]
    began = time.monotonic_ns()

    def blow(target):
        jump = jumps.pop(0)
        jumps.append(jump)
        time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME) + jump)
        offsets.append(clock_offset())
        time.sleep(0.02)
    target = t.target("counter", "-each", "2ms", 0)
    attach = t.attach("-p", target.pid, "main.doWork").attached()
    with storm(lambda: blow(target)) as n:
        wait_for("events, and 8 changes of the clock", lambda: n[0] >= 8 and os.path.getsize(attach.output) > 20000)
    while jumps[0] != 3600:             # as late as it was
        blow(target)
    trace = attach.interrupt()
    # The first one may return from a call that was made before.
    took = [e["duration_ns"] for e in trace.returns[bool(trace.returns[0]["duration_ns"] is None):]]
    check(min(took) > 0 and max(took) < 60e9, "calls of a few instructions took from %d to %d ns", min(took), max(took))
    # The tool looks at the clock once a second, so it may see it at any of its times, or only at the last.
    check_follows([e["time_ns"] for e in trace.events if "time_ns" in e], began, time.monotonic_ns(), offsets)


# --- for long ---------------------------------------------------------------------

def memory():
    """Bytes of the kernel's that are in use: slabs, per-CPU and vmalloc memory."""
    with open("/proc/meminfo", encoding="ascii") as f:
        found = dict(re.findall(r"^(\w+):\s+(\d+)", f.read(), re.M))
    return 1024 * sum(int(found[k]) for k in ("SUnreclaim", "Percpu", "KernelStack", "PageTables"))


@case("storm: attached to and let go again and again, 10,000 times or if quick 300, memory stays what it was", per="boot", slow=True)
def cycles(t):
    path = t.binary("load")
    points = points_of(t, path, "main.handle", "main.inner")
    target = t.target("load", "-goroutines", 2, "-pause", "1ms")

    def cycle():
        with begin(t, path, counted(points), target.pid):
            pass
    rounds = CYCLES or times(10000, 300, 60)
    t.may_take(300 + rounds)
    for _ in range(rounds // 10):
        cycle()
    before = memory()
    for _ in range(rounds):
        cycle()
    wait_for("the last session ending", nothing_probed)
    if os.path.exists(KMEMLEAK):
        # KASAN keeps what has been freed, but here is who knows.
        same(lost_memory(), "", "what kmemleak says")
    else:
        # Memory that RCU and the kernel's caches keep for a while is no leak; 40 bytes for each of 10,000 would be one.
        wait_for("kernel memory as it was, %d bytes, but for 400 kB; now it is %d" % (before, memory()),
                 lambda: memory() < before + 400_000)
    same(target.patched(), 0, "changed bytes")
    check(not target.ended(), "the target ended: %s", short(target.rest))
    wait_for("the module's reference count becoming 0", lambda: module_users() == 0)
