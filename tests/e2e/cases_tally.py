# SPDX-License-Identifier: GPL-2.0
"""Counts and times that the kernel keeps, compared with programs that count themselves."""

import json
import os
import re
import signal
import time

import genl
from genl import Client
from lib import Failure, case, check, module_users, nothing_probed, same, wait_for

STRESS = ("main.even", "main.odd", "main.guard", "main.note")
COUNT, TIME = genl.GOPROBE_ACTION_COUNT, genl.GOPROBE_ACTION_TIME
CALL = genl.GOPROBE_POINT_CALL


def points_of(t, path, *functions):
    """Where goprobectl would place its breakpoints: {function: [Point]}."""
    found = {f: [] for f in functions}
    extent = {f: genl.elf_symbol(path, f) for f in functions}
    attach = t.attach("--depth", "0", "-b", path, *functions).attached()
    with Client() as client, open(path, "rb") as file:
        for session in client.sessions():
            for p in genl.points(session.get(genl.GOPROBE_A_POINTS, b"")):
                file.seek(p.offset)
                code = file.read(16)
                for f, (offset, size) in extent.items():
                    if offset <= p.offset < offset + size:
                        found[f].append(p._replace(code=code, plan=0xffffffff))
    attach.interrupt()
    for f in functions:
        check(any(p.kind == CALL for p in found[f]) and any(p.kind != CALL for p in found[f]), "no entry, or no exit, of %s", f)
    return found


def wire(p, id_, action):
    """A point that counts or times."""
    return genl.point(p.offset, p.code, id_, p.plan, p.kind, p.skip, p.flags, p.sp_adjust, action=action)


def runtime(t):
    """Where the programs' Go keeps g and the goroutine's id."""
    minor = int(re.match(r"go1\.(\d+)", t.label).group(1))
    return genl.runtime(g_reg=14 if minor >= 17 else genl.GOPROBE_REG_NONE, g_goid=0xa0 if minor in (23, 24) else 0x98)


def begin(t, path, points, *pids, **kwargs):
    """A session that has started, with these points."""
    client = Client()
    client.new_session(*pids, **kwargs)
    client.add_file(path, runtime(t))
    client.add_points(points)
    client.call(genl.GOPROBE_CMD_START)
    return client


def timed(points):
    """All points of each function, timed; ids count from 100."""
    return [wire(p, 100 + i, TIME) for i, f in enumerate(points) for p in points[f]]


def counted(points):
    """Entries of each function by ids from 0, exits by ids from 50."""
    return [wire(p, i if p.kind == CALL else 50 + i, COUNT) for i, f in enumerate(points) for p in points[f]]


def number(tally):
    return sum(tally.buckets.values())


def plausible(name, tally, ns):
    """Sum, extremes and buckets of durations fit each other, and none is longer than the program ran."""
    def bounds(i):
        return (i, i + 1) if i < 4 else ((4 + i % 4) << (i // 4 - 1), (5 + i % 4) << (i // 4 - 1))
    if not tally.buckets:
        return
    low = sum(n * bounds(i)[0] for i, n in tally.buckets.items())
    high = sum(n * bounds(i)[1] for i, n in tally.buckets.items())
    check(low <= tally.sum < high, "%s: sum %d is not from %d to %d", name, tally.sum, low, high)
    for what, value, i in (("min", tally.min, min(tally.buckets)), ("max", tally.max, max(tally.buckets))):
        begin, end = bounds(i)
        check(begin <= value < end, "%s: %s %d is not in bucket %d", name, what, value, i)
    check(0 < tally.min and tally.max <= ns, "%s: from %d to %d ns, of %d", name, tally.min, tally.max, ns)


@case("netlink: counts and durations are exact under panics, Goexit, stack growth and goroutines that move")
def stress(t):
    path = t.binary("stress")
    points = points_of(t, path, *STRESS)
    target = t.target("stress", "-hold", "-goroutines", 200, "-depth", 400)
    with begin(t, path, counted(points), target.pid) as counts, begin(t, path, timed(points), target.pid) as times:
        began = time.monotonic()
        target.send()
        want = json.loads(target.line())["functions"]
        ns = int((time.monotonic() - began) * 1e9)
        target.finish()
        for client in counts, times:
            client.call(genl.GOPROBE_CMD_STOP)
        tallies = counts.tallies()
        for i, f in enumerate(STRESS):
            same((tallies[i].hits, tallies[50 + i].hits), (want[f]["calls"], want[f]["returns"]), "counted calls and returns of " + f)
        calls, returns = (sum(want[f][k] for f in STRESS) for k in ("calls", "returns"))
        stats = counts.stats()
        same(stats[genl.GOPROBE_STAT_COUNTED], calls + returns, "all that was counted")

        tallies, stats = times.tallies(), times.stats()
        for i, f in enumerate(STRESS):
            got = tallies[100 + i]
            same((got.calls, number(got)), (want[f]["calls"], want[f]["returns"]), "timed calls and durations of " + f)
            # Calls that Goexit ended are seen when a goroutine uses the same g again, if ever.
            same(got.unwound + got.exited, want[f]["unwound"], "unwound calls of %s, %d of them left open" % (f, got.exited))
            plausible(f, got, ns)
        check(sum(tallies[100 + i].unwound for i in range(len(STRESS))) > 0, "nothing was unwound: no test of that")
        same({name: stats[getattr(genl, "GOPROBE_STAT_" + name)] for name in ("OPENED", "TIMED", "NO_SPACE", "NO_CALL", "NO_GOROUTINE")},
             {"OPENED": calls, "TIMED": returns, "NO_SPACE": 0, "NO_CALL": 0, "NO_GOROUTINE": 0}, "the session's counters")


@case("netlink: recursion deeper than the limit of open calls is counted, and costs no other call its duration")
def too_deep(t):
    path = t.binary("stress")
    points = points_of(t, path, *STRESS)
    target = t.target("stress", "-hold", "-goroutines", 3, "-depth", 4000)
    with begin(t, path, timed(points), target.pid, calls=1024) as client:
        target.send()
        want = json.loads(target.line())["functions"]
        target.finish()
        client.call(genl.GOPROBE_CMD_STOP)
        stats, tallies = client.stats(), client.tallies()
        calls, returns = (sum(want[f][k] for f in STRESS) for k in ("calls", "returns"))
        opened, timed_, no_room, no_call = (stats[getattr(genl, "GOPROBE_STAT_" + n)] for n in ("OPENED", "TIMED", "NO_SPACE", "NO_CALL"))
        check(no_room > 0 and no_call > 0, "everything had room: no test of that")
        same((opened + no_room, timed_ + no_call), (calls, returns), "calls and returns")
        same(sum(number(a) + a.unwound + a.exited for a in tallies.values()), opened, "how the remembered calls ended")


# Each hit counts in exactly one of these.
HITS = ("CALLS", "RETURNS", "LOST_RING_FULL", "LOST_NO_RING", "RESTARTS", "OTHER_PROCESS", "NOT_STARTED", "COUNTED", "OPENED", "TIMED",
        "NO_SPACE", "NO_CALL", "NO_GOROUTINE")


def hits(client):
    """{counter: hits}, of those that have any."""
    stats = client.stats()
    found = {name: stats[getattr(genl, "GOPROBE_STAT_" + name)] for name in HITS}
    return {name: n for name, n in found.items() if n}


def stay(target):
    """Have a program that holds go as deep as it goes: what it has called, all of which is open."""
    target.send()
    functions = json.loads(target.line())["functions"]
    check(all(f["returns"] == 0 for f in functions.values()) and functions["main.even"]["calls"] > 100, "not all calls are open: %s", functions)
    return functions


def same_tallies(client, runs, what, left=(), stays=None):
    """A session that times has seen these runs of the program, of which some were left with all calls open, and one stays so."""
    tallies = client.tallies()
    for i, f in enumerate(STRESS):
        got = tallies[100 + i]
        same((got.calls, number(got)), tuple(sum(r[f][k] for r in runs) for k in ("calls", "returns")), "%s: calls and durations of %s" % (what, f))
        dropped = sum(r[f]["unwound"] for r in left)
        # The calls that Goexit ended in a run that has exited are in this count, too, if no goroutine got their g.
        check(got.exited >= dropped, "%s: %d calls of %s were dropped, expected %d and more", what, got.exited, f, dropped)
        same(got.unwound + got.exited, sum(r[f]["unwound"] for r in runs if r is not stays), "%s: calls of %s without a return" % (what, f))
    return tallies


@case("netlink: calls that are open when a process executes a program are dropped, and end no call of that program")
def executes(t):
    path = t.binary("stress")
    points = points_of(t, path, *STRESS)
    size = "-goroutines 20 -depth 100"
    target = t.target("stress", "-hold", "-stay", *size.split())
    # One is asked for what it has at each step, the others at the end only.
    with begin(t, path, timed(points), target.pid) as asked, begin(t, path, timed(points), target.pid) as silent, \
            begin(t, path, timed(points)) as everyone, begin(t, path, counted(points), target.pid) as counts:
        runs = []
        for arguments in "-hold -stay " + size, "-hold " + size:
            runs.append(stay(target))
            for got in same_tallies(asked, runs, "before it executes", left=runs[:-1], stays=runs[-1]).values():
                same(got.unwound, 0, "unwound calls of a program that has unwound none")
            target.send(arguments)
            same(target.line(), "ready %d" % target.pid, "what the program says that is executed")
            for i, got in asked.tallies().items():
                same((got.unwound, got.exited), (0, sum(r[STRESS[i - 100]]["calls"] for r in runs)), "unwound and dropped calls of " + STRESS[i - 100])
        target.send()
        runs.append(json.loads(target.line())["functions"])
        target.finish()
        for client in asked, silent, everyone, counts:
            client.call(genl.GOPROBE_CMD_STOP)
        calls, returns = (sum(r[f][k] for r in runs for f in STRESS) for k in ("calls", "returns"))
        for client, what in (asked, "asked"), (silent, "silent"), (everyone, "everyone"):
            same_tallies(client, runs, what, left=runs[:-1])
            got = hits(client)
            got.pop("RESTARTS", None)
            same(got, {"OPENED": calls, "TIMED": returns}, what + ": hits")
        tallies = counts.tallies()
        for i, f in enumerate(STRESS):
            same((tallies[i].hits, tallies[50 + i].hits), tuple(sum(r[f][k] for r in runs) for k in ("calls", "returns")), "counted calls and returns of " + f)


def target_with_pid(t, pid, *args):
    """A held stress whose process has that number, which must be free."""
    for _ in range(50):
        # proc(5): the next process gets the next number, unless somebody else is faster.
        with open("/proc/sys/kernel/ns_last_pid", "w") as f:
            f.write(str(pid - 1))
        target = t.target("stress", "-hold", *args)
        if target.pid == pid:
            return target
        target.kill()
    raise Failure("no program got the process id %d" % pid)


@case("netlink: calls that are open when a process is killed are dropped, and end no call of another one with its id")
def same_id(t):
    path = t.binary("stress")
    points = points_of(t, path, *STRESS)
    size = ("-goroutines", 20, "-depth", 100)
    first = t.target("stress", "-hold", "-stay", *size)
    with begin(t, path, timed(points)) as everyone, begin(t, path, timed(points)) as silent, begin(t, path, timed(points), first.pid) as listed:
        runs = [stay(first)]
        first.kill()
        second = target_with_pid(t, first.pid, *size)
        same_tallies(everyone, runs, "with the next one there", left=runs)
        second.send()
        runs.append(json.loads(second.line())["functions"])
        second.finish()
        for client in everyone, silent, listed:
            client.call(genl.GOPROBE_CMD_STOP)
        opened, returned = (sum(r[f][k] for r in runs for f in STRESS) for k in ("calls", "returns"))
        for client, what in (everyone, "everyone"), (silent, "silent"):
            same_tallies(client, runs, what, left=runs[:1])
            got = hits(client)
            restarts = got.pop("RESTARTS", 0)
            same(got, {"OPENED": opened, "TIMED": returned}, what + ": hits")
        # A session that has listed the first one has nothing to do with the second, which has breakpoints for the sake of the others.
        same_tallies(listed, runs[:1], "the first one's", left=runs[:1])
        got = hits(listed)
        same(got.get("OPENED"), sum(runs[0][f]["calls"] for f in STRESS), "calls of the first one")
        same(sum(got.values()), opened + returned + restarts, "hits, all together")
        same(sorted(set(got) - {"RESTARTS"}), ["OPENED", "OTHER_PROCESS"], "hits of a session that has listed the first one")


@case("netlink: counts and durations can be read while the program runs, and only grow", per="boot")
def while_running(t):
    path = t.binary("load")
    points = points_of(t, path, "main.handle")
    target = t.target("load")
    with begin(t, path, timed(points), target.pid) as client:
        before = None
        for _ in range(50):
            tally = client.tallies()[100]
            if before:
                check(tally.calls >= before.calls and number(tally) >= number(before), "fewer than before: %s, %s", before, tally)
                check(all(tally.buckets.get(i, 0) >= n for i, n in before.buckets.items()), "a bucket has fewer")
            before = tally
        wait_for("durations", lambda: number(client.tallies()[100]) > 1000)
        client.call(genl.GOPROBE_CMD_STOP)
        last = client.tallies()[100]
        same(client.tallies()[100], last, "the tally after STOP, read again")


@case("netlink: after SIGKILL of a client that times under load nothing is left", per="boot")
def killed_client(t):
    path = t.binary("load")
    points = points_of(t, path, "main.handle")
    target = t.target("load")
    for _ in range(10):
        pid = os.fork()
        if not pid:
            try:
                client = begin(t, path, timed(points) + counted(points), target.pid)
                while not number(client.tallies()[100]):
                    pass
                os.kill(os.getpid(), signal.SIGKILL)
            finally:
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        same(status, signal.SIGKILL, "how the client ended")
        check(not target.probed("main.handle"), "a breakpoint is left in the target")
    wait_for("the last session ending", nothing_probed)
    same(module_users(), 0, "users of the module")
    check(not target.ended(), "the target ended")
