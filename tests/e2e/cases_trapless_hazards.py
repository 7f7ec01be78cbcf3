# SPDX-License-Identifier: GPL-2.0
"""Hits without a trap, while others hold the program's memory, debug it, probe it, kill it, or change its code."""

import contextlib
import ctypes
import json
import os
import random
import re
import signal
import statistics
import time
from collections import Counter

import genl
from cases_count import started
from cases_debugger import Delve, dlv
from cases_hang import Served, answering_at_last, forked, mapping_of, read_memory
from cases_storm import Events, removable, switch, tracefs
from cases_tally import runtime
from cases_trapless import (FUNCTIONS, INT3, JUMPS, MAPPING, allowed, are_jumps, armed, byte_at, cold_of, count, counted, end, is_clean, last_calls,
                            mappings, pinned, points, refuses, traps, whirl)
from cases_trapless_records import numbers
from genl import Client
from lib import Failure, Skip, case, check, module_users, nothing_probed, of_kind, parse, same, symbol, times, wait_for

CALLS = 20
TRIES = 5
MAPS_MEMORY = ("9", "10", "11", "25", "28")       # mmap, mprotect, munmap, mremap, madvise


def said_under_lock(target):
    """The program's next line; None if it waits to map memory. Go's runtime maps memory now and then."""
    def maps_memory():
        for tid in os.listdir("/proc/%d/task" % target.pid):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                with open("/proc/%d/task/%s/syscall" % (target.pid, tid), encoding="ascii") as f:
                    if f.read().split()[0] in MAPS_MEMORY:
                        return True
        return False
    for _ in range(60):
        with contextlib.suppress(Failure):
            return target.line(3)
        if maps_memory():
            return None
    raise Failure("%s printed no line, and does not map memory" % target)


def locked_once(t, served):
    """False: the program waited to map memory itself."""
    stuck, beside, other = (whirl(t) for _ in range(3))
    stuck.send("map " + served.path)
    same(stuck.line(), "mapped", "what the program says")
    both = started(t, "count", "-p", "%d,%d" % (stuck.pid, beside.pid), "-o", "json", "--trapless", "auto", "main.step")
    found = points(stuck.pid)
    # At places of its own: those that sessions share stay breakpoints.
    alone = started(t, "count", "-p", other.pid, "-o", "json", "--trapless", "auto", "main.far")
    theirs = points(other.pid)
    # Go maps memory for what it has not done before.
    for target in 5 * (stuck, beside, other):
        target.send("calls 0")
        target.line()
    served.stall(0)
    # It reads where the server does not answer, with the lock held. Who waits to change the mappings holds up all others.
    with forked(read_memory, stuck.pid, mapping_of(stuck.pid, served.path)[0]), answering_at_last(served):
        served.stalled()
        stuck.send("calls 1000")
        works = said_under_lock(stuck) is not None
        for target in beside, other:
            target.send("calls 1000")
            target.line()
        wait_for("jumps in the session's other program", lambda: are_jumps(beside, found))
        wait_for("jumps in another session's program", lambda: are_jumps(other, theirs.keys() - found.keys()))
        if works:
            stuck.send("calls 1000")
            works = said_under_lock(stuck) is not None
        same(len(genl.Client().sessions()), 2, "sessions of the list")
    if works:
        wait_for("jumps when the mappings are free", lambda: are_jumps(stuck, found))
    for process, targets, calls in (both, (stuck, beside), {"main.step": 3000}), (alone, (other,), {"main.far": 1000}):
        process.signal(signal.SIGINT)
        got = counted(process)[0]
        if works:
            same(got, calls, "calls")
        for target in targets:
            is_clean(target)
            if works:
                target.finish()
            else:
                target.kill()
    return works


@case("trapless: a program whose mappings are locked for long holds up nobody, and is not held up")
def locked(t):
    with allowed(), Served(t, t.binary("counter")) as served:
        for _ in range(TRIES):
            if locked_once(t, served):
                return
        raise Failure("the program itself waited to map memory, %d times" % TRIES)


@case("trapless: the mappings are locked for a moment only, however many breakpoints become jumps", slow=True)
def moments(t):
    events = os.path.join(tracefs(), "events/mmap_lock/")
    if not os.path.exists(events):
        raise Skip("this kernel does not trace that lock")
    with allowed():
        target = whirl(t)
        process = started(t, "count", "-p", target.pid, "-o", "json", "--trapless", "auto", "fmt.*", "strconv.*", "reflect.*", "main.step")
        found = points(target.pid)
        process.signal(signal.SIGINT)
        process.finish()
        with open(events + "enable", "w", encoding="ascii") as f:
            f.write("1")
        process, found = armed(t, target, "fmt.*", "strconv.*", "reflect.*", "main.step")
        with open(events + "enable", "w", encoding="ascii") as f:
            f.write("0")
        began, took = {}, []
        with open(os.path.join(tracefs(), "trace"), encoding="ascii", errors="replace") as f:
            for line in f:
                m = re.match(r"\s*(kworker\S+)\s.*\s([0-9.]+): mmap_lock_(acquire_returned|released): mm=(\S+) .*write=true", line)
                if m and m.group(3) == "released" and m.group(1) in began:
                    took.append(float(m.group(2)) - began.pop(m.group(1)))
                elif m:
                    began[m.group(1)] = float(m.group(2))
        print("# %s: %d points; the lock was held %d times, ms: median %.3f, longest %.3f" %
              (t.label, len(found), len(took), 1000 * statistics.median(took), 1000 * max(took)), flush=True)
        process.signal(signal.SIGINT)
        process.finish()
        is_clean(target)
        target.finish()


class Gdb:
    """gdb, with the commands of Delve (tests/delve/delve.py) that are needed here."""

    def __init__(self, t, target):
        self.process = t.run("gdb", "-nx", "-q", t.binary("whirl"), stderr_too=True)
        for command in ("set prompt", "set pagination off", "set confirm off", "handle SIGURG nostop noprint pass", "attach %d" % target.pid):
            self.ask(command)

    def ask(self, command):
        self.process.send(command + "\necho \\ndone\\n")
        said = []
        while not said or said[-1] != "done":
            said.append(self.process.line())
            check(said[-1] is not None, "gdb ended at %s: %s", command, said)
        return "\n".join(said)

    def stop_at(self, address):
        return re.search(r"Breakpoint (\d+) at", self.ask("break *%#x" % address)).group(1)

    def go_on(self):
        said = self.ask("continue")
        check(re.search(r"hit Breakpoint|^Breakpoint \d+, ", said, re.M), "gdb stopped elsewhere: %s", said)

    def step(self):
        self.ask("stepi")

    def go_past(self, number):
        self.ask("delete %s" % number)

    def close(self):
        self.ask("detach")
        self.process.finish()


def held(t, target, begin, found, start=None, look=None):
    """A debugger attaches, and stops at breakpoints behind stack checks, and steps, while the program does "calls"."""
    debugger = begin(target)
    first, _, offset = target.mapped_code(min(found))
    # A branch of 0x76 has two bytes, the other one six.
    stops = [debugger.stop_at(first - offset + o + (2 if target.bytes_at(o, 1)[1] == b"\x76" else 6)) for o in found]
    if start:
        start()
    target.send("calls %d" % CALLS)
    for _ in range(2):
        for _ in range(5):
            debugger.go_on()
        for _ in range(40):
            debugger.step()
    if look:
        look()
    for stop in stops:
        debugger.go_past(stop)
    debugger.close()
    return json.loads(target.line())


def debugged(t, begin):
    with allowed():
        target = whirl(t)
        process, found = count(t, target, "main.step", "main.far", when="auto")
        process.signal(signal.SIGINT)
        process.finish()
        commands = []

        def not_yet():
            wait_for("the list to say so", lambda: set(traps(t).values()) == {"debugged"})
            check(all(byte_at(target, o) == INT3 for o in found), "a jump is where a debugger may have a breakpoint")

        def leave():
            commands[0].signal(signal.SIGINT)
            commands[0].wait()
        held(t, target, begin, found, start=lambda: commands.append(count(t, target, "main.step", "main.far")[0]), look=not_yet)
        wait_for("jumps when the debugger has let go", lambda: are_jumps(target, found))
        held(t, target, begin, found, look=lambda: check(are_jumps(target, found), "they are no jumps any more"))
        want = held(t, target, begin, found, start=leave)
        calls, summary = counted(commands[0])
        same(want, dict(want, **{"main.step": 3 * CALLS, "main.far": 3 * CALLS}), "the program's own count")
        same(calls, {"main.step": 2 * CALLS, "main.far": 2 * CALLS}, "calls")
        same(summary["without_trap"] + summary["with_trap"], 4 * CALLS, "hits without and with a trap")
        check(summary["without_trap"] > CALLS, "few hits were without a trap: %s", summary)
        check(nothing_probed(), "something is still probed")
        is_clean(target)
        target.finish()


@case("trapless: gdb at the same functions, before they are jumps, while they are, and when they are no more", slow=True)
def gdb(t):
    debugged(t, lambda target: Gdb(t, target))


@case("trapless: Delve at the same functions, before they are jumps, while they are, and when they are no more", slow=True)
def delve(t):
    path = dlv()
    debugged(t, lambda target: Delve(path, target.pid))


@case("trapless: the kernel's own uprobe events before and behind a jump count every hit")
def events(t):
    with allowed():
        target = whirl(t)
        path = target.argv[0]
        begin = symbol(path, "main.far")[0]
        process, found = count(t, target, "main.far", when="auto")
        process.signal(signal.SIGINT)
        process.finish()
        behind = min(found) + 6
        theirs = Events(path, {begin, behind})
        with contextlib.closing(theirs):
            theirs.enable(True)
            process, _ = armed(t, target, "main.far")
            target.send("calls 500")
            target.line()
            theirs.enable(False)
            theirs.enable(True)
            check(are_jumps(target, found), "they are no jumps any more")
            target.send("calls 500")
            want = json.loads(target.line())
            hits = theirs.hits()
        same((hits[begin] >= 1000, hits[behind]), (True, 1000), "hits before and behind it: %s" % hits)
        summary = end(process, target, want)
        same((summary["calls"], summary["without_trap"]), (1000, 1000), "calls, and those without a trap")
        target.finish()


@case("trapless: where a signal's handler runs on the thread's own stack, code that may be returned to is not changed, and used again")
def own_stack(t):
    with allowed():
        target = whirl(t)
        target.send("plain")
        same(target.line(), "plain", "what the program says")
        made = 0
        for conditions in ("", "", " if n >= 0", " if n >= 0", ""):
            process, found = armed(t, target, "main.step" + conditions, "main.far")
            target.send("calls 500")
            want = json.loads(target.line())
            process.signal(signal.SIGINT)
            calls, summary = counted(process)
            made += 500
            same((calls["main.step"], calls["main.far"], summary["without_trap"]), (500, 500, 1000), "calls, and hits without a trap")
            same(want["main.step"], made, "the program's own count")
            same((mappings(target), pinned(target)), (1, 0), "mappings of code that are left, and KiB that are pinned")
            check(not any(byte_at(target, o) in JUMPS for o in found), "a branch is still a jump")
        colds = [c for c in map(lambda o: cold_of(target, o), found) if c]
        check(colds and all(byte_at(target, c) in JUMPS for c in colds), "what branches lead to is the program's own code again")
        with Client() as client:
            client.new_session(target.pid)
            client.add_file(target.argv[0], runtime(t))
            refuses(client, target, colds)
        target.finish()


@case("trapless: where the program maps its code again a breakpoint is in the jump's place at once")
def remapped(t):
    with allowed():
        target = whirl(t)
        process, _ = armed(t, target, "main.step")
        target.send("calls 1000")
        target.line()
        target.send("remap")
        same(target.line(), "remapped", "what the program says")
        calls, summary = last_calls(process, target)
        same((calls, summary["without_trap"], summary["jumps_lost"]), (1500, 1000, 0), "calls and what is lost")


@case("trapless: where a jump disappears in one program, the same one in another program is a jump again")
def dropped_beside(t):
    with allowed():
        targets = target, beside = whirl(t), whirl(t)
        process = started(t, "count", "-p", "%d,%d" % (target.pid, beside.pid), "-o", "json", "--trapless", "always", "main.step")
        found = points(target.pid)
        wait_for("jumps", lambda: all(are_jumps(p, found) for p in targets))
        target.send("drop")
        same(target.line(), "dropped", "what the program says")
        wait_for("a breakpoint", lambda: all(byte_at(target, o) == INT3 for o in found))
        # The kernel looks at all programs for that.
        time.sleep(0.5)
        wait_for("jumps in the other program", lambda: are_jumps(beside, found))
        for p in targets:
            p.send("calls 1000")
            p.line()
        process.signal(signal.SIGINT)
        calls, summary = counted(process)
        same((calls["main.step"], summary["without_trap"], summary["jumps_lost"]), (2000, 1000, 1), "calls and what is lost")
        for p in targets:
            is_clean(p)
            p.finish()


def poke(pid, at):
    """Write a word of the process's code as a debugger does, the same as before: it gets a page of its own."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes, ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long
    peektext, poketext, attach, detach = 1, 4, 16, 17
    same(ptrace(attach, pid, 0, 0), 0, "result of attaching")
    os.waitpid(pid, 0)
    same(ptrace(poketext, pid, at, ptrace(peektext, pid, at, 0)), 0, "result of writing")
    same(ptrace(detach, pid, 0, 0), 0, "result of detaching")


@case("trapless: where a debugger has changed generated code, no more code is generated")
def poked(t):
    with allowed():
        target = whirl(t)
        process, found = count(t, target, "main.step", "main.deep", when="auto")
        target.send("calls 1000")
        target.line()
        wait_for("a jump", lambda: any(byte_at(target, o) in JUMPS for o in found))
        poke(target.pid, mapping_of(target.pid, MAPPING)[0])
        target.send("work 1s")
        want = json.loads(target.line() or "{}")
        check(want, "the program has ended: %s", target.stderr())
        wait_for("the list to say so", lambda: traps(t) == {"main.step": "none", "main.deep": "memory"})
        end(process, target, want)
        target.finish()


def under_switches(cpus, target, work, end):
    """The program does that, and then the other, while processors go away and come back: what it answers."""
    target.send(work)
    for cpu in times(5, 2) * cpus:
        switch(cpu, False)
        time.sleep(0.1)
        switch(cpu, True)
    target.send(end)
    return json.loads(target.line())


@case("trapless: processors that go away and come back lose no call, record or duration", per="boot")
def hotplug(t):
    cpus = removable()
    with allowed():
        target, counter = whirl(t), numbers(t)
        # Sessions that begin with a processor missing have no notes there.
        switch(cpus[-1], False)
        try:
            process, found = armed(t, target, "main.step", "main.far")
            times_of = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", "always", "main.deep")
            timed = points(target.pid)
            trace = t.attach("-p", counter.pid, "--trapless", "always", "--no-return", "--lossless", "main.add if n % 1024 == 0").attached()
            wait_for("breakpoints becoming jumps", lambda: are_jumps(target, timed.keys() - found.keys()) and
                     are_jumps(counter, points(counter.pid).keys() - timed.keys()))
        finally:
            switch(cpus[-1], True)
        callers = under_switches(cpus, counter, "forever 2", "stop")
        trace = trace.interrupt()
        same((trace.lost, Counter(e["goid"] for e in trace.calls)), (0, {c["goid"]: (c["calls"] + 1023) // 1024 for c in callers}),
             "lost records, and recorded calls of each goroutine")
        check(trace.summary["without_trap"] > 0, "no hit without a trap")
        under_switches(cpus, target, "work 2s", "calls 1000")
        want = json.loads(target.line())
        times_of.signal(signal.SIGINT)
        lines = of_kind(parse("\n".join(times_of.finish())), "latency")
        same([(e["calls"], e["returned"]) for e in lines], [2 * (want["main.deep"],)], "calls and returns")
        end(process, target, want, others=True)
        process = started(t, "count", "-p", counter.pid, "-o", "json", "--trapless", "always", "--by", "low", "main.add")
        callers = under_switches(cpus, counter, "forever 2", "stop")
        process.signal(signal.SIGINT)
        lines = of_kind(parse("\n".join(process.finish())), "count_key")
        same(sum(e["calls"] for e in lines), sum(c["calls"] for c in callers), "calls by key")
        for each in target, counter:
            is_clean(each)
            each.finish()


@case("trapless: programs are killed at any moment of becoming jumps", slow=True)
def killed_early(t):
    chance = random.Random(7)
    with allowed():
        for _ in range(times(30, 6)):
            target = whirl(t, "-goroutines", 20)
            target.send("work 60s")
            process = t.goprobectl("count", "-p", target.pid, "--trapless", "always", "runtime.g*", "fmt.*", *FUNCTIONS)
            if chance.random() < 0.8:
                wait_for("counting", lambda p=process: p.ended() or "counting" in p.stderr())
            time.sleep(chance.random() / 10)
            target.kill()
            process.wait()
        wait_for("the module being unused", lambda: module_users() == 0)
