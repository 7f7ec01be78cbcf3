# SPDX-License-Identifier: GPL-2.0
"""Records without a trap: calls and returns whose values are in registers, of a program that counts its calls (tests/targets/numbers)."""

import contextlib
import json
import os
import re
import select
import signal
import time

import genl
from cases_tally import CALL, begin, points_of
from cases_trapless import JUMPS, Guest, allowed, are_jumps, byte_at, is_clean, points, traps
from lib import Skip, case, check, nothing_probed, of_kind, parse, same, times, wait_for


def numbers(t):
    """The program, if records of its calls need no trap here."""
    if int(re.match(r"go1\.(\d+)", t.label).group(1)) < 17:
        raise Skip("arguments are not in registers")
    with open("/proc/cpuinfo", encoding="ascii") as f:
        if "rdpid" not in f.read().split():
            raise Skip("this processor has no RDPID")
    if not os.path.exists(os.path.join(t.targets, "numbers")):
        raise Skip("numbers was not built with this toolchain")
    return t.target("numbers")


@contextlib.contextmanager
def program(t):
    """The program, while the module makes jumps; at the end nothing of a trace is left in it."""
    with allowed():
        target = numbers(t)
        yield target
        check(nothing_probed(), "something is still probed")
        is_clean(target)
        target.finish()


def attached(t, target, *args, npoints=1, when="always"):
    """A trace, once its points are jumps."""
    trace = t.attach("-p", target.pid, "--trapless", when, *args).attached()
    if when == "always":
        found = points(target.pid)
        same(len(found), npoints, "points that may become jumps")
        wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
    return trace


def ask(target, command):
    target.send(command)
    return json.loads(target.line())


def traced(t, target, command, *args, **how):
    """A trace of what the program does by the command, and its answer."""
    trace = attached(t, target, *args, **how)
    answer = ask(target, command)
    return trace.interrupt(), answer


def args_of(n, i):
    """What main.add is given by call n of goroutine i."""
    return [n, n - i, n & 255, n & 1 == 1, (1 << 64) - 1 - n]


def results_of(n, i):
    small = -n & 0xffff
    return [n + (n - i) + (n & 255) + 15, small - (1 << 16) if small >= 1 << 15 else small, n & 1 == 0]


def values(items):
    return [item["value"] for item in items]


def all_same(got, want, what):
    """Two lists; of long ones the first difference is shown."""
    for i, (a, b) in enumerate(zip(got, want)):
        same(a, b, "%s, number %d of %d" % (what, i, len(got)))
    same(len(got), len(want), what + ", their number")


def by_goroutine(events):
    found = {}
    for e in events:
        found.setdefault(e["goid"], []).append(e)
    return found


def complete(trace, callers, wanted=lambda n: True):
    """Each goroutine's calls, as the program has counted them, are in the trace, in order, and no others."""
    same(trace.lost, 0, "lost records")
    found = by_goroutine(trace.calls)
    same(set(found), {c["goid"] for c in callers if c["calls"]}, "goroutines")
    for i, c in enumerate(callers):
        calls = found.get(c["goid"], [])
        want = [args_of(n, i) for n in range(c["calls"]) if wanted(n)]
        all_same([values(e["args"]) for e in calls], want, "arguments of goroutine %d" % i)
        same({e["tid"] for e in calls}, {c["tid"]} if calls else set(), "threads of goroutine %d" % i)
    stamps = [e["time_ns"] for e in trace.events if "time_ns" in e]
    same(stamps, sorted(stamps), "times")


def work_through_changes(t, target, least, work):
    """The program calls main.add while its jumps become breakpoints and jumps again, @least times: its callers, and how many changes."""
    found = points(target.pid)
    guest = Guest(t, target, found)
    target.send(work)
    for _ in range(least):
        guest.visit()
    callers = ask(target, "stop")
    guest.client.close()
    return callers, least * len(found)


def record_through_changes(t, target, least):
    trace = attached(t, target, "--buffer", "4m", "main.add", npoints=2)
    # With pauses, as the reader is slower than the program.
    callers, again = work_through_changes(t, target, least, "forever 2 5000")
    trace = trace.interrupt()
    complete(trace, callers)
    for goid, events in by_goroutine(e for e in trace.events if e["kind"] in ("call", "return")).items():
        all_same([e["kind"] for e in events], len(events) // 2 * ["call", "return"], "kinds of goroutine %d" % goid)
    calls = by_goroutine(trace.calls)
    for i, c in enumerate(callers):
        returns = [values(e["results"]) for e in trace.returns if e["goid"] == c["goid"]]
        all_same(returns, [results_of(n, i) for n in range(len(calls.get(c["goid"], [])))], "results of goroutine %d" % i)
    without = trace.summary["without_trap"]
    check(0 < without < 2 * len(trace.calls), "hits without a trap: %s", trace.summary)
    return again, {"without_trap": without, "with_trap": 2 * len(trace.calls) - without}


def few_traps(trace, hits):
    """All hits are in the trace, and few of them took a trap: those that find no free note."""
    without = trace.summary.get("without_trap", 0)
    check(hits - hits // 50 - 20 <= without <= hits, "%d of %d hits were without a trap", without, hits)


@case("trapless: records without a trap have each call once, in order, with its arguments, goroutine and thread, as records with one have")
def calls(t):
    for when in "off", "always":
        with program(t) as target:
            trace, callers = traced(t, target, "calls 1 3000", "--no-return", "main.add", when=when)
            complete(trace, callers)
            if when == "always":
                few_traps(trace, 3000)
            else:
                check("without_trap" not in trace.summary, "hits without a trap: %s", trace.summary)


@case("trapless: calls of several goroutines at once are recorded in the order of each, without a trap")
def several(t):
    with program(t) as target:
        trace, callers = traced(t, target, "calls 8 2000", "--no-return", "--buffer", "4m", "main.add")
        complete(trace, callers)
        check(trace.summary["without_trap"] > 8 * 2000 // 2, "hits without a trap: %s", trace.summary)


@case("trapless: calls and returns are recorded exactly through changes of jumps", slow=True)
def changes(t):
    with program(t) as target:
        again, summary = record_through_changes(t, target, times(40, 10))
        print("# %s: %d times a jump became a breakpoint and a jump again; %d hits without a trap, %d with one" %
              (t.label, again, summary["without_trap"], summary["with_trap"]), flush=True)


@case("trapless: calls that pass a condition on registers are recorded without a trap, and the others take none")
def condition(t):
    with program(t) as target:
        for text, holds in ("n >= 0", lambda n: True), ("n % 2 == 0 && n < 1000", lambda n: n % 2 == 0 and n < 1000):
            trace, callers = traced(t, target, "calls 1 2000", "--no-return", "main.add if " + text)
            complete(trace, callers, holds)
            same(trace.summary["filtered"], sum(not holds(n) for n in range(2000)), "calls that do not pass")
            few_traps(trace, 2000)


@case("trapless: a call and its return are recorded without a trap, with results and duration, and belong together")
def returns(t):
    with program(t) as target:
        trace, callers = traced(t, target, "calls 1 3000", "main.add", npoints=2)
        complete(trace, callers)
        all_same([values(e["results"]) for e in trace.returns], [results_of(n, 0) for n in range(3000)], "results")
        all_same([e["kind"] for e in trace.events if e["kind"] != "summary"], 3000 * ["call", "return"], "kinds")
        same({e["tid"] for e in trace.returns}, {callers[0]["tid"]}, "threads of returns")
        for call, ret in zip(trace.calls, trace.returns):
            same(ret["duration_ns"], ret["time_ns"] - call["time_ns"], "duration")
        shortest = min(e["duration_ns"] for e in trace.returns)
        check(shortest < 1000000, "the shortest call took %d ns", shortest)
        same([trace.summary[k] for k in ("unwound", "open", "doubtful", "forgotten")], [0, 0, 0, 0], "other ends")
        few_traps(trace, 6000)


@case("trapless: a call and its return belong together if only one of them takes a trap")
def halves(t):
    with program(t) as target:
        # A string takes one.
        for spec in "main.name(s)()", "main.name(n)":
            trace = t.attach("-p", target.pid, "--trapless", "always", spec).attached()
            wait_for("a jump", lambda: sum(byte_at(target, o) in JUMPS for o in points(target.pid)) == 1)
            target.send("names 500")
            target.line()
            trace = trace.interrupt()
            all_same([e["kind"] for e in trace.events if e["kind"] != "summary"], 500 * ["call", "return"], "kinds of " + spec)
            check(all(e["duration_ns"] > 0 for e in trace.returns), "a duration of %s is missing", spec)
            few_traps(trace, 500)


@case("trapless: a record without a trap is shown soon, however few there are")
def slow(t):
    with program(t) as target:
        attach = t.attach("-p", target.pid, "--no-return", "--trapless", "always", "main.add", output=False).attached()
        wait_for("a jump", lambda: are_jumps(target, points(target.pid)))
        same(json.loads(attach.line())["kind"], "start", "the first line")
        # goprobectl looks once a second anyway, so these moments are spread over seconds.
        target.send("slow 9 630")
        late = []
        for n in range(9):
            same(target.line(), "called", "what the program says")
            called = time.monotonic()
            e = json.loads(attach.line())
            late.append(time.monotonic() - called)
            same(e["args"][0]["value"], n, "n")
        # A busy host makes some late, but not most of them.
        check(sorted(late)[4] < 0.25, "seconds after which calls were shown: %s", late)
        attach.signal(signal.SIGINT)
        summary = of_kind(parse("\n".join(attach.drain())), "summary")[0]
        same((summary["calls"], summary["without_trap"]), (9, 9), "calls, and those without a trap")


@contextlib.contextmanager
def session(t, target, *operations):
    """One that records main.add without a trap, if these operations let a call pass."""
    path = target.argv[0]
    entry = next(p for p in points_of(t, path, "main.add")["main.add"] if p.kind == CALL)
    with begin(t, path, [], target.pid, flags=genl.GOPROBE_SESSION_F_JUMPS | genl.GOPROBE_SESSION_F_JUMPS_AT_ONCE) as client:
        number = client.add_filters(operations) if operations else 0
        client.add_points([genl.point(entry.offset, entry.code, 1, skip=entry.skip, flags=genl.GOPROBE_POINT_F_JUMP, filter=number)])
        wait_for("a jump", lambda: are_jumps(target, [entry.offset]))
        client.records()
        yield client


def announced(client):
    """Has the kernel announced records since the last ones were read?"""
    return client.ready or select.select([client.sock], [], [], 0)[0]


@case("trapless: a record without a trap that is made when counters are read is announced to its reader soon")
def soon(t):
    with program(t) as target, session(t, target) as client:
        for n in range(10):
            client.ready = 0
            ask(target, "calls 1 1")
            same(client.stats()[genl.GOPROBE_STAT_JUMPED], n + 1, "records without a trap")
            wait_for("its announcement", lambda: announced(client), 5)
            same(len(client.records()), 1, "records")


@case("trapless: calls without a trap that are found not to pass are announced to nobody")
def nobody(t):
    square_is_2 = (genl.op(genl.GOPROBE_OP_REG, a=1), genl.op(genl.GOPROBE_OP_MUL, a=1, b=1),
                   genl.op(genl.GOPROBE_OP_JEQ_I, a=1, offset=1, value=2), genl.op(genl.GOPROBE_OP_REJECT))
    with program(t) as target, session(t, target, *square_is_2) as client:
        ask(target, "calls 1 2000")
        time.sleep(0.2)
        stats = client.stats()
        same((stats[genl.GOPROBE_STAT_FILTERED], stats[genl.GOPROBE_STAT_CALLS]), (2000, 0), "calls that do not pass, and records")
        check(not announced(client), "there is nothing to read, but an announcement")


@case("trapless: a trace that ends by itself has all records up to its end")
def ends(t):
    with program(t) as target:
        trace = attached(t, target, "--no-return", "--duration", "3s", "main.add")
        callers = ask(target, "calls 1 1000")
        complete(trace.finish(), callers)


@case("trapless: a trace that is ended under load has each goroutine's calls up to one of them, with --lossless", slow=True)
def interrupted(t):
    with program(t) as target:
        # A small buffer, so that calls wait for space.
        trace = attached(t, target, "--no-return", "--lossless", "--buffer", "128k", "main.add")
        target.send("forever 2")
        wait_for("thousands of calls", lambda: os.path.getsize(trace.output) > 1 << 19)
        trace.signal(signal.SIGINT)
        trace.wait()
        callers = ask(target, "stop")
        trace = trace.finish()
        found = by_goroutine(trace.calls)
        for i, c in enumerate(callers):
            got = [values(e["args"]) for e in found.get(c["goid"], [])]
            check(len(got) <= c["calls"], "goroutine %d: %d calls of %d", i, len(got), c["calls"])
            all_same(got, [args_of(n, i) for n in range(len(got))], "arguments of goroutine %d" % i)
        check(trace.summary["without_trap"] > 0 and len(trace.calls) > 1000, "summary: %s", trace.summary)
        same(trace.lost, 0, "lost records")


@case("trapless: of a program that exits right after its calls, all of them are recorded without a trap")
def exits(t):
    with allowed():
        # Less than what has the reader read at once.
        for n in 3, 100, 1000:
            target = numbers(t)
            trace = attached(t, target, "--no-return", "main.add")
            target.send("exit %d" % n)
            trace = trace.finish()
            all_same([values(e["args"]) for e in trace.calls], [args_of(k, 0) for k in range(n)], "arguments")
            target.finish()
            check(nothing_probed(), "something is still probed")


@case("trapless: a string keeps the trap of its call or return, and the list says so")
def strings(t):
    with program(t) as target:
        trace = t.attach("-p", target.pid, "--trapless", "always", "main.name", "main.add").attached()
        wait_for("the list to say so", lambda: {"main.name": "record", "main.add": "none"}.items() <= traps(t).items())
        target.send("names 100")
        target.line()
        trace = trace.interrupt()
        same([values(e["args"]) for e in trace.calls], [["abcdefg", n] for n in range(100)], "arguments")
        same([values(e["results"]) for e in trace.returns], [["abcdefg"[n % 7:]] for n in range(100)], "results")
        same(trace.summary.get("without_trap", 0), 0, "hits without a trap")


@case("trapless: auto makes recorded calls jumps when there are many, and a recording of them is replayed as it was")
def recorded(t):
    with program(t) as target:
        path = os.path.join(t.tmp, "recording")
        trace = t.attach("-p", target.pid, "--trapless", "auto", "--record", path, "main.add", json=False, output=False).attached()
        found = points(target.pid)
        callers = [ask(target, "calls 1 1000")]
        wait_for("jumps", lambda: are_jumps(target, found))
        callers.append(ask(target, "calls 1 1000"))
        trace.signal(signal.SIGINT)
        trace.wait()
        events = parse("\n".join(t.goprobectl("replay", "-o", "json", path).finish()))
        for kind, key, want in ("call", "args", args_of), ("return", "results", results_of):
            got = by_goroutine(of_kind(events, kind))
            for callers_of_run in callers:
                all_same([values(e[key]) for e in got[callers_of_run[0]["goid"]]], [want(n, 0) for n in range(1000)], key)
