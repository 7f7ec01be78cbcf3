# SPDX-License-Identifier: GPL-2.0
"""Ends of sessions that count without a trap: what threads, other sessions and the machine notice (tests/targets/lingers)."""

import os
import re
import signal
import time

from cases_count import started
from cases_trapless import JUMPS, MAPPING, allowed, are_jumps, armed, byte_at, counted, is_clean, mappings, pinned, points
from cases_trapless_records import attached
from lib import Skip, case, check, cut_short, nothing_probed, same, times, wait_for

# Processes whose threads linger in a handler.
MANY = 6


def lingers(t, mode):
    if not os.path.exists(os.path.join(t.targets, "lingers")):
        raise Skip("lingers was not built with this toolchain")
    return t.target("lingers", mode, env=dict(os.environ, GODEBUG="asyncpreemptoff=1", GOGC="off"))


def ask(target, command, want):
    target.send(command)
    line = target.line()
    check(line and line.startswith(want), "%s: the program says %s", command, line)
    return int(line.split()[1]) if " " in line else None


def maps(target):
    """The program's mappings, but those whose number changes as it runs."""
    with open("/proc/%d/maps" % target.pid, encoding="utf-8") as lines:
        return sum(1 for line in lines if MAPPING in line or re.search(r" rw-p 00000000 00:00 0\s*$", line))


@case("trapless: a thread that a signal holds in generated code goes on there after the session, on whatever stack the handler runs")
def held(t):
    with allowed():
        for mode in ("alternate", "disarmed", "none", "own"):
            target = lingers(t, mode)
            process, found = armed(t, target, "main.step")
            ask(target, "catch", "caught")
            process.signal(signal.SIGINT)
            counted(process)
            check(not any(byte_at(target, o) in JUMPS for o in found), "%s: a branch is still a jump" % mode)
            check(ask(target, "go", "calls") >= 1000, "%s: the thread does not go on" % mode)
            for _ in range(2):
                process, _ = armed(t, target, "main.step")
                process.signal(signal.SIGINT)
                check(counted(process)[0]["main.step"] > 0, "%s: the next session counts nothing" % mode)
                same((mappings(target), pinned(target)), (1, 0), "%s: mappings of code, and KiB that are pinned" % mode)
            target.kill()


@case("trapless: what a session leaves in a program the next one uses, also if no thread is known to be elsewhere")
def kept(t):
    with allowed():
        for mode in ("alternate", "own"):
            target = lingers(t, mode)
            seen = []
            for _ in range(4):
                process = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", "always", "main.step")
                found = points(target.pid)
                wait_for("jumps", lambda: are_jumps(target, found))
                process.signal(signal.SIGINT)
                process.finish()
                seen.append(maps(target))
                same(pinned(target), 0, "KiB that are left pinned")
            same(seen, seen[:1] * 4, "%s: mappings after each session" % mode)
            target.kill()


def end_of(t, targets):
    """Seconds that the end of a killed session of all the programs takes, and another one that begins meanwhile."""
    process = started(t, "count", "-p", ",".join(str(p.pid) for p in targets), "-o", "json", "--trapless", "always", "main.step")
    found = points(targets[0].pid)
    wait_for("jumps", lambda: all(are_jumps(p, found) for p in targets))
    began = time.monotonic()
    process.kill()
    killed = time.monotonic() - began
    other = t.goprobectl("count", "-p", targets[0].pid, "--trapless", "off", "--duration", "10ms", "main.step")
    other.finish()
    wait_for("the session's end", nothing_probed)
    return killed, time.monotonic() - began


@case("trapless: programs whose threads stay in a handler do not delay the end of a session, nor other sessions of the file")
def ends(t):
    with allowed():
        targets = [lingers(t, "alternate") for _ in range(MANY)]
        for target in targets:
            os.setpriority(os.PRIO_PROCESS, target.pid, 19)
        free = [end_of(t, targets) for _ in range(2)]
        for target in targets:
            ask(target, "hold", "held")
        # Each program for itself could once delay it by hundreds of looks at all threads.
        slow = [max(times) for times in zip(*free)]
        took = []
        cut_short(lambda: took.append(end_of(t, targets)) or max(n - m for n, m in zip(took[-1], slow)), 0.15 * MANY)
        print("# %s: %d programs; killed, and with another session, s: free %s, held %s" % (t.label, MANY, free, took), flush=True)
        for target in targets:
            check(ask(target, "go", "calls") >= 1000, "the thread does not go on")
            target.kill()


def switches(seconds):
    def now():
        with open("/proc/stat", encoding="ascii") as f:
            return int(re.search(r"^ctxt (\d+)", f.read(), re.M).group(1))
    before = now()
    time.sleep(seconds)
    return (now() - before) / seconds


@case("trapless: a session whose program and goprobectl are stopped lets the machine sleep", slow=True)
def wakeups(t):
    with allowed():
        target = lingers(t, "alternate")
        ask(target, "hold", "held")
        target.signal(signal.SIGSTOP)
        idle = min(switches(2) for _ in range(3))
        target.signal(signal.SIGCONT)
        process = attached(t, target, "main.step(n)", npoints=2)
        ask(target, "go", "calls")
        for each in target, process:
            each.signal(signal.SIGSTOP)
        took = []
        cut_short(lambda: took.append(switches(2)) or took[-1] - idle, 60, attempts=8)
        print("# %s: context switches a second: %.0f without a session, with one %s" % (t.label, idle, took), flush=True)
        for each in target, process:
            each.signal(signal.SIGCONT)
        process.kill()
        target.kill()


@case("trapless: a child that has its parent's jumps is refused, and stays as it is")
def copy(t):
    with allowed():
        target = lingers(t, "alternate")
        process, _ = armed(t, target, "main.step")
        child = ask(target, "child", "child")
        try:
            refused = t.goprobectl("count", "-p", child, "main.step")
            refused.finish(1)
            check("has other code there than its file" in refused.stderr(), "it said: %s", refused.stderr())
            process.signal(signal.SIGINT)
            check(counted(process)[0]["main.step"] > 0, "the session of the parent counts nothing")
            is_clean(target)
        finally:
            os.kill(child, signal.SIGKILL)
        target.kill()
