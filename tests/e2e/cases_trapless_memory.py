# SPDX-License-Identifier: GPL-2.0
"""Hits without a trap: what jumps take of the program's memory, and what a program can do to the memory they have."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import tempfile

from cases_count import started
from cases_trapless import (JUMPS, allowed, are_jumps, armed, count, counted, end, first_bytes, is_clean, last_calls, mappings, pinned, points,
                            traps, whirl)
from cases_trapless_times import finish
from lib import Skip, case, check, nothing_probed, same, wait_for

MIB = 1 << 20
GROUP = "/sys/fs/cgroup/goprobe-memory"
MANY = "fmt.*", "strconv.*", "os.*", "main.*", "reflect.*"


def status_of(target, name):
    """KiB that the kernel shows."""
    with open("/proc/%d/status" % target.pid, encoding="ascii") as status:
        return int(re.search(r"^%s:\s*(\d+) kB" % name, status.read(), re.M).group(1))


def limited(target, limit, kib):
    """The program may have so much more of that than now."""
    used = status_of(target, {resource.RLIMIT_AS: "VmSize", resource.RLIMIT_DATA: "VmData"}[limit])
    resource.prlimit(target.pid, limit, ((used + kib) << 10,) * 2)


def has_none(t, target, process):
    """The breakpoint does not become a jump for want of memory; calls count, and list and summary say why they take a trap."""
    found = points(target.pid)
    target.send("calls 1000")
    target.line()
    wait_for("the list to say so", lambda: set(traps(t).values()) == {"memory"})
    check(not any(byte in JUMPS for byte in first_bytes(target, found)), "there is a jump")
    same((mappings(target), pinned(target)), (0, 0), "mappings and pinned KiB")
    calls, summary = last_calls(process, target)
    same((calls, summary["jumps_no_memory"], summary["without_trap"]), (1500, 1, 0), "calls, breakpoints without memory, and hits without a trap")


@case("trapless: what a program's limits on its memory leave stays its own: breakpoints stay, and list and summary say so")
def limits(t):
    with allowed():
        for limit in resource.RLIMIT_AS, resource.RLIMIT_DATA:
            target = whirl(t)
            limited(target, limit, 1024)
            process, _ = count(t, target, "main.step")
            has_none(t, target, process)
        # With what is enough jumps are made, and the program keeps most of it.
        target = whirl(t)
        limited(target, resource.RLIMIT_AS, 512 << 10)
        process, _ = armed(t, target, "main.step")
        target.send("calls 1000")
        summary = end(process, target, json.loads(target.line()))
        same(summary["jumps_no_memory"], 0, "breakpoints without memory")
        target.finish()


@case("trapless: a program that locks all that it maps gets no mappings")
def locks(t):
    with allowed():
        target = whirl(t)
        target.send("lock")
        same(target.line(), "locked", "what the program says")
        process, _ = count(t, target, "main.step")
        has_none(t, target, process)


@contextlib.contextmanager
def group():
    """A control group of its own for memory."""
    if not os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        subprocess.run(["mount", "-t", "cgroup2", "none", "/sys/fs/cgroup"], check=True)
    with open("/sys/fs/cgroup/cgroup.controllers", encoding="ascii") as f:
        if "memory" not in f.read().split():
            raise Skip("there is no memory controller for control groups")
    with open("/sys/fs/cgroup/cgroup.subtree_control", "w", encoding="ascii") as f:
        f.write("+memory")
    os.makedirs(GROUP, exist_ok=True)
    try:
        yield
    finally:
        wait_for("the group's end", lambda: not read("cgroup.procs").strip())
        os.rmdir(GROUP)


def read(name):
    with open(os.path.join(GROUP, name), encoding="ascii") as f:
        return f.read()


def kills():
    return int(re.search(r"^oom_kill (\d+)$", read("memory.events"), re.M).group(1))


def limit(spare):
    """Leave the group this many bytes."""
    with open(GROUP + "/memory.max", "w", encoding="ascii") as f:
        f.write(str(int(read("memory.current")) + spare))


def unlimited():
    with open(GROUP + "/memory.max", "w", encoding="ascii") as f:
        f.write("max")


def in_group(t):
    """A program all of whose memory is charged to the group."""
    def enter():
        with open(os.path.join(GROUP, "cgroup.procs"), "w", encoding="ascii") as f:
            f.write("0")
    if not os.path.exists(t.binary("whirl")):
        raise Skip("whirl was not built with this toolchain")
    target = t.target("whirl", preexec_fn=enter)
    target.send("calls 100")
    target.line()
    return target


@case("trapless: timing many functions never has a program killed whose control group has little memory to spare")
def no_kill(t):
    with allowed(), group():
        for spare in MIB, 8 * MIB:
            target = in_group(t)
            limit(spare)
            before = kills()
            process = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", "always", *MANY)
            found = points(target.pid)
            check(len(found) > 100, "functions: %s", found)
            wait_for("jumps, or the reason why not", lambda: "rare" not in traps(t).values())
            said = traps(t)
            target.send("calls 1000")
            want = json.loads(target.line())
            process.signal(signal.SIGINT)
            lines, summary = finish(process)
            jumps, none = (sum(v == kind for v in said.values()) for kind in ("none", "memory"))
            print("# %s: %d KiB to spare: %d functions are jumps, %d have no memory" % (t.label, spare >> 10, jumps, none), flush=True)
            same(kills(), before, "processes that were killed")
            check(not target.ended(), "the program has ended")
            same(lines["main.step"]["calls"], want["main.step"] - 100, "calls")
            if spare == MIB:
                check(none and summary["jumps_no_memory"], "nothing says that there is no memory: %s, %s", said, summary)
            else:
                check(jumps > 10, "jumps: %s", said)
            check(nothing_probed(), "something is still probed")
            target.finish()
            unlimited()


@case("trapless: breakpoints for which a control group has no memory are refused")
def too_many(t):
    with group():
        target = in_group(t)
        limit(64 << 10)
        before = kills()
        process = t.goprobectl("count", "--max-load", "off", "-p", target.pid, *MANY)
        process.finish(1)
        said = process.stderr()
        check(re.search(r"process %d could be killed: breakpoints take [\d.]+ MiB of its memory, and the limit of control group %s leaves 0\.[01] MiB"
                        % (target.pid, GROUP), said), "what is said: %s", said)
        same(kills(), before, "processes that were killed")
        check(nothing_probed(), "something is probed")
        # One page is enough for one function.
        process = started(t, "count", "-p", target.pid, "-o", "json", "main.step")
        target.send("calls 50")
        want = json.loads(target.line())
        process.signal(signal.SIGINT)
        same(counted(process)[0], {"main.step": want["main.step"] - 100}, "calls")
        unlimited()
        target.finish()


@case("trapless: a program that writes into its own counters takes no call away from another one")
def forges(t):
    with allowed():
        honest, other = whirl(t), whirl(t)
        process = started(t, "count", "-p", "%d,%d" % (honest.pid, other.pid), "-o", "json", "--trapless", "always", "main.step")
        found = points(honest.pid)
        for target in honest, other:
            wait_for("jumps", lambda target=target: are_jumps(target, found))
        honest.send("calls 1000")
        honest.line()
        for n in -600, 1 << 62, 600 - (1 << 62) - 300:
            other.send("forge %d" % n)
            check(int(other.line()) > 0, "the program has found no counter")
        process.signal(signal.SIGINT)
        same(counted(process)[0], {"main.step": 1000}, "calls")
        for target in honest, other:
            is_clean(target)
            target.finish()


@case("trapless: so it is with durations")
def forges_times(t):
    with allowed():
        honest, other = whirl(t), whirl(t)
        process = started(t, "latency", "-p", "%d,%d" % (honest.pid, other.pid), "-o", "json", "--histogram", "--trapless", "always", "main.step")
        found = points(honest.pid)
        for target in honest, other:
            wait_for("jumps", lambda target=target: are_jumps(target, found))
        honest.send("calls 1000")
        honest.line()
        # The first four buckets, and the same of the next numbers.
        other.send("forge -600")
        check(int(other.line()) > 0, "the program has found no times")
        process.signal(signal.SIGINT)
        line = finish(process)[0]["main.step"]
        same((line["calls"], line["returned"], sum(b["calls"] for b in line["buckets"])), (1000, 1000, 1000), "calls")
        for target in honest, other:
            is_clean(target)
            target.finish()


@case("trapless: nothing is written into a file that the program maps where its numbers were, nor is it pinned")
def replaced(t):
    with allowed(), tempfile.NamedTemporaryFile(dir="/dev/shm") as f:
        f.truncate(MIB)
        # On flat stacks: each call takes traps as long as its function is no jump.
        target = whirl(t, "-depth", 100)
        # The first row of numbers has space for one function of each page; the others are pinned later.
        process = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", "auto", "main.step", "main.far", "main.deep", "main.wide",
                          "main.risky", "main.turn")
        target.send("calls 1000")
        target.line()
        wait_for("a jump", lambda: mappings(target) > 0 and "none" in traps(t).values())
        target.send("replace " + f.name)
        check(int(target.line()) > 0, "the program has found no numbers")
        before = pinned(target)
        target.send("work 500ms")
        target.line()
        wait_for("jumps, or the reason why not", lambda: "rare" not in traps(t).values())
        same(set(traps(t).values()), {"none", "memory"}, "what the list says")
        same(pinned(target), before, "KiB that are pinned")
        with open(f.name, "rb") as mapped:
            same(mapped.read().strip(b"\0"), b"", "what the file has")
        process.signal(signal.SIGINT)
        lines, summary = finish(process)
        check(lines["main.step"]["calls"] >= 1000, "calls: %s", lines)
        check(summary["jumps_no_memory"] > 0, "the summary does not say so: %s", summary)
        target.finish()


def may_run_on(target, cpus):
    for tid, _ in target.threads():
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(tid, cpus)


@case("trapless: a program that may use more processors than when its jumps were made is counted and timed exactly")
def affinity(t):
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 3:
        raise Skip("there are fewer than three processors")
    with allowed():
        for command in "count", "latency":
            sizes = {}
            for first in cpus, {min(cpus)}:
                target = whirl(t)
                may_run_on(target, first)
                process = started(t, command, "-p", target.pid, "-o", "json", "--trapless", "always", "main.step")
                found = points(target.pid)
                wait_for("jumps", lambda target=target, found=found: are_jumps(target, found))
                sizes[len(first)] = pinned(target)
                may_run_on(target, cpus)
                target.send("work 500ms")
                want = json.loads(target.line())["main.step"]
                process.signal(signal.SIGINT)
                calls = finish(process)[0]["main.step"]["calls"] if command == "latency" else counted(process)[0]["main.step"]
                same(calls, want, "%s: calls" % command)
                is_clean(target)
                target.finish()
            check(sizes[1] < sizes[len(cpus)], "%s: KiB that are pinned, by processors: %s", command, sizes)
