# SPDX-License-Identifier: GPL-2.0
"""Durations without a trap: calls that begin and end in jumps, in programs that count their own calls (tests/targets/whirl)."""

import json
import signal

import genl
from cases_count import started, summary_of
from cases_trapless import FUNCTIONS, INT3, allowed, are_jumps, byte_at, is_clean, points, results_alone, whirl, work_through_changes
from lib import Skip, case, check, nothing_probed, of_kind, parse, same, times, wait_for


def latency(t, target, *patterns, when="always"):
    """A command that times, once all its points that may be jumps are; with these."""
    with open("/proc/cpuinfo", encoding="ascii") as f:
        if "rdpid" not in f.read().split():
            raise Skip("this processor has no RDPID")
    process = started(t, "latency", "-p", target.pid, "-o", "json", "--histogram", "--trapless", when, *patterns)
    found = points(target.pid)
    check(len(found) >= 2, "the points of no function may all be jumps: %s", found)
    if when == "always":
        wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
    return process, found


def finish(process):
    """What a command that has ended says: {function: its line}, and its summary."""
    events = parse("\n".join(process.finish()))
    return {e["func"]: e for e in of_kind(events, "latency")}, summary_of(events)


def plausible(e):
    """Sum, extremes, quantiles and buckets of a line fit each other."""
    if not e["returned"]:
        return
    same(sum(b["calls"] for b in e["buckets"]), e["returned"], "calls in the buckets of " + e["func"])
    check(e["min_ns"] * e["returned"] <= e["sum_ns"] <= e["max_ns"] * e["returned"], "the sum of %s: %s", e["func"], e)
    starts = [b["from_ns"] for b in e["buckets"]]
    check(starts[0] <= e["min_ns"] <= 2 * starts[0] and starts[-1] <= e["max_ns"] <= 2 * starts[-1], "the extremes of %s: %s", e["func"], e)
    # Buckets begin with quarters of powers of two.
    low = sum(b["calls"] * b["from_ns"] for b in e["buckets"])
    check(low <= e["sum_ns"] <= 1.34 * low, "the sum of %s: %s", e["func"], e)


def end(process, target, want):
    """It has timed what the program has called, and leaves nothing behind. Its summary."""
    process.signal(signal.SIGINT)
    lines, summary = finish(process)
    returns = {f: 0 if f == "main.risky" else want[f] for f in lines}
    same({f: (e["calls"], e["returned"]) for f, e in lines.items()}, {f: (want[f], returns[f]) for f in lines}, "calls and returns")
    same({f: e["unwound"] + e["gone"] + e["open"] for f, e in lines.items()}, {f: want[f] - returns[f] for f in lines}, "other ends")
    for e in lines.values():
        plausible(e)
    same({k: summary[k] for k in ("jumps_lost", "no_call", "no_room", "no_goroutine")},
         {"jumps_lost": 0, "no_call": 0, "no_room": 0, "no_goroutine": 0}, "what is missing")
    same(summary["without_trap"] + summary["with_trap"], sum(want[f] + returns[f] for f in lines), "hits without and with a trap")
    check(nothing_probed(), "something is still probed")
    is_clean(target)
    return summary


def time_through_changes(t, least):
    """Jumps become breakpoints and jumps again, at least @least times, while the program works: how often they did, and the summary."""
    alone = results_alone(t)
    target = whirl(t)
    process, found = latency(t, target, *FUNCTIONS)
    rounds, want = work_through_changes(t, target, found, least, "work 3s")
    same(want["results"], alone, "what the program computes")
    summary = end(process, target, want)
    check(summary["without_trap"] > summary["with_trap"] // 100, "nearly no hit was without a trap: %s", summary)
    target.finish()
    return rounds * len(found), summary


@case("trapless: calls, returns and calls that panic are timed exactly through changes of jumps, while stacks grow, and collections and a "
      "profile go on", slow=True)
def changes(t):
    with allowed():
        again, summary = time_through_changes(t, times(250, 20))
        print("# %s: %d times a jump became a breakpoint and a jump again; %d hits without a trap, %d with one" %
              (t.label, again, summary["without_trap"], summary["with_trap"]), flush=True)


@case("trapless: what is timed takes few traps, and its shortest call is shorter than with traps")
def few_traps(t):
    with allowed():
        shortest = {}
        for when in "off", "always":
            target = whirl(t)
            process = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", when, "main.step")
            if when == "always":
                found = points(target.pid)
                wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
            target.send("calls 20000")
            target.line()
            process.signal(signal.SIGINT)
            lines, summary = finish(process)
            same((lines["main.step"]["calls"], lines["main.step"]["returned"]), (20000, 20000), "calls and returns")
            shortest[when] = lines["main.step"]["min_ns"]
            target.finish()
        check(summary["with_trap"] < 1000, "traps: %s", summary)
        check(shortest["always"] < shortest["off"], "the shortest calls: %s ns", shortest)


@case("trapless: a function that sleeps takes as long as it sleeps, with jumps")
def sleeps(t):
    with allowed():
        target = t.target("counter", "-hold", "-each", "20ms", 50)
        process, _ = latency(t, target, "time.Sleep")
        target.send()
        same(target.line(), "counter=50", "the program's result")
        process.signal(signal.SIGINT)
        lines, summary = finish(process)
        line = lines["time.Sleep"]
        check(line["returned"] == 50 and line["min_ns"] >= 20e6 and line["p50_ns"] < 200e6, "durations: %s", line)
        plausible(line)
        check(summary["without_trap"] > 0, "no hit was without a trap: %s", summary)


def stacks_with(t, target, function):
    """The goroutines that are in a call of the function now."""
    lines = t.goprobectl("goroutines", "-p", target.pid, "-o", "json", "--with", function).finish()
    return of_kind(parse("\n".join(lines)), "goroutine")


@case("trapless: a program that is killed while calls are open loses none, and a child forked alone times none")
def processes(t):
    with allowed():
        target = whirl(t)
        process, _ = latency(t, target, *FUNCTIONS)
        target.send("fork")
        same(target.line(), "7", "how the child ended")
        target.send("calls 1000")
        target.line()
        target.send("work 60s")
        wait_for("an open call", lambda: stacks_with(t, target, "main.deep"))
        target.kill()
        lines, summary = finish(process)
        for e in lines.values():
            same(e["calls"], e["returned"] + e["unwound"] + e["gone"] + e["open"], "calls and ends of " + e["func"])
            plausible(e)
        check(sum(e["gone"] for e in lines.values()) > 0 and lines["main.step"]["returned"] >= 1000, "lines: %s", lines)
        same(summary["no_room"], 0, "calls without space")


@case("trapless: with auto calls are timed with traps at first")
def auto(t):
    with allowed():
        target = whirl(t)
        process, found = latency(t, target, "main.step", when="auto")
        same({byte_at(target, o) for o in found}, {INT3}, "first bytes before the first call")
        target.send("calls 300")
        target.line()
        wait_for("breakpoints becoming jumps", lambda: are_jumps(target, found))
        target.send("calls 500")
        want = json.loads(target.line())
        summary = end(process, target, want)
        check(summary["with_trap"] >= 600 and summary["without_trap"] >= 900, "hits: %s", summary)
        target.finish()


@case("trapless: calls are timed whose entry is a jump, and whose ends are not all")
def ends(t):
    with allowed():
        target = whirl(t)
        # A switch with a table keeps the breakpoints at all ends, a RET behind a NOP that at one.
        process, _ = latency(t, target, "main.step", "main.answer", "fmt.(*pp).printArg")
        for _ in range(20):
            target.send("calls 10")
            target.line()
        # Its answer comes after the end of the last call.
        target.send("drop")
        same(target.line(), "dropped", "what the program says")
        process.signal(signal.SIGINT)
        lines, summary = finish(process)
        same({f: (e["calls"], e["returned"]) for f, e in lines.items()},
             {"main.step": (200, 200), "main.answer": (20, 20), "fmt.(*pp).printArg": (21, 21)}, "calls and returns")
        for e in lines.values():
            plausible(e)
        same(summary["no_call"], 0, "returns whose call is not known")
        check(summary["without_trap"] >= 300, "hits without a trap: %s", summary)
        target.finish()


@case("trapless: ends whose jumps disappear with the pages of the code are noticed")
def dropped(t):
    with allowed():
        target = whirl(t)
        process, found = latency(t, target, "main.step")
        target.send("calls 1000")
        target.line()
        target.send("drop")
        same(target.line(), "dropped", "what the program says")
        wait_for("a breakpoint", lambda: all(byte_at(target, o) == INT3 for o in found))
        target.send("calls 500")
        want = json.loads(target.line())
        process.signal(signal.SIGINT)
        lines, summary = finish(process)
        same(summary["jumps_lost"], len(found), "jumps that are lost")
        same((lines["main.step"]["calls"], lines["main.step"]["returned"]), (want["main.step"],) * 2, "calls and returns")
        is_clean(target)
        target.finish()


@case("trapless: calls are timed with traps where a thread may not read the processor's counter")
def no_ticks(t):
    with allowed():
        target = whirl(t)
        target.send("noticks")
        same(target.line(), "noticks", "what the program says")
        process, found = latency(t, target, "main.step", when="auto")
        target.send("calls 500")
        target.line()
        wait_for("the reason", lambda: {p.trap for p in points(target.pid).values()} == {genl.GOPROBE_TRAP_CLOCK})
        same({byte_at(target, o) for o in found}, {INT3}, "first bytes")
        process.signal(signal.SIGINT)
        lines, _ = finish(process)
        same((lines["main.step"]["calls"], lines["main.step"]["returned"]), (500, 500), "calls and returns")
        target.finish()


@case("trapless: conditions, keys and states keep the trap of timed calls")
def keep(t):
    with allowed():
        target = whirl(t)
        for arguments in ("main.step if n > 3",), ("main.step", "--by", "n"), ("main.step", "--split"):
            process = started(t, "latency", "-p", target.pid, "-o", "json", "--trapless", "auto", *arguments)
            target.send("calls 1000")
            target.line()
            same(points(target.pid), {}, "points that may be jumps, with %s" % " ".join(arguments))
            process.signal(signal.SIGINT)
            lines, summary = finish(process)
            check(lines["main.step"]["returned"] in (996, 1000), "returns: %s", lines)
            same(summary.get("without_trap", 0), 0, "hits without a trap")
        target.finish()


