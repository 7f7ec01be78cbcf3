# SPDX-License-Identifier: GPL-2.0
"""goprobectl count and latency, compared with programs that count themselves."""

import json
import re
import signal

from lib import case, check, nothing_probed, of_kind, parse, same, wait_for

STRESS = ("main.even", "main.odd", "main.guard", "main.note")
STARTED = re.compile(r"^(?:counting|timing) \d+ function", re.M)


def started(t, *args):
    """A command that counts, once it does."""
    process = t.goprobectl(*args)
    wait_for("%s: counting" % process, lambda: process.ended() or STARTED.search(process.stderr()))
    check(not process.ended(), "%s ended: %s", process, process.stderr())
    return process


def stressed(t, command, *args, depth=300):
    """The output of the command for a program that counts itself, and the program's own counts."""
    target = t.target("stress", "-hold", "-goroutines", 200, "-depth", depth)
    process = started(t, command, "-p", target.pid, "-o", "json", *args)
    target.send()
    want = json.loads(target.line())["functions"]
    target.finish()
    return parse("\n".join(process.finish())), want


def summary_of(events):
    found = of_kind(events, "summary")
    check(len(found) == 1 and events[-1] == found[0], "no summary at the end: %s", events[-3:])
    return found[0]


@case("count: calls are as many as the program itself counts, most first, under panics and stack growth")
def count_exact(t):
    events, want = stressed(t, "count", *STRESS)
    lines = of_kind(events, "count")
    same({e["func"]: e["calls"] for e in lines}, {f: want[f]["calls"] for f in STRESS}, "calls")
    same([e["calls"] for e in lines], sorted((e["calls"] for e in lines), reverse=True), "their order")
    summary = summary_of(events)
    same((summary["functions"], summary["called"], summary["calls"]), (4, 4, sum(e["calls"] for e in lines)), "the summary")
    check(nothing_probed(), "something is still probed")


@case("latency: calls, returns and what ended otherwise are what the program itself counts, and quantiles fit")
def latency_exact(t):
    events, want = stressed(t, "latency", "--histogram", *STRESS)
    lines = of_kind(events, "latency")
    same({e["func"]: (e["calls"], e["returned"], e["unwound"] + e["gone"] + e["open"]) for e in lines},
         {f: (want[f]["calls"], want[f]["returns"], want[f]["unwound"]) for f in STRESS}, "calls and their ends")
    same([e["sum_ns"] for e in lines], sorted((e["sum_ns"] for e in lines), reverse=True), "their order")
    for e in lines:
        marks = [e[k] for k in ("min_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")]
        same(marks, sorted(marks), "quantiles of " + e["func"])
        same(e["mean_ns"], e["sum_ns"] // e["returned"], "the mean of " + e["func"])
        same(sum(b["calls"] for b in e["buckets"]), e["returned"], "calls in the buckets of " + e["func"])
        starts = [b["from_ns"] for b in e["buckets"]]
        check(starts == sorted(set(starts)) and starts[0] <= e["min_ns"] and starts[-1] <= e["max_ns"] <= e["sum_ns"],
              "buckets of %s: %s", e["func"], e)
        check(e["min_ns"] * e["returned"] <= e["sum_ns"] <= e["max_ns"] * e["returned"], "the sum of %s: %s", e["func"], e)
    summary = summary_of(events)
    same((summary["no_room"], summary["no_call"], summary["no_goroutine"]), (0, 0, 0), "what was not timed")


@case("latency --held: calls beyond the limit of open calls are counted, and a larger limit times all")
def latency_held(t):
    for held, beyond in ((1024, True), (1 << 20, False)):
        events, want = stressed(t, "latency", "--held", held, *STRESS, depth=1500)
        missing, summary = {f: want[f]["calls"] for f in STRESS}, summary_of(events)
        for e in of_kind(events, "latency"):
            missing[e["func"]] -= e["calls"]
        same(sum(missing.values()), summary["no_room"], "calls that were not timed, with --held %d" % held)
        same(summary["no_room"] > 0, beyond, "calls beyond --held %d" % held)


@case("latency: a function that sleeps takes as long as it sleeps, and its histogram says so")
def latency_of_sleep(t):
    target = t.target("counter", "-each", "20ms", 0)
    process = started(t, "latency", "-p", target.pid, "time.Sleep")
    # Where the host is busy calls take longer than they sleep: this is how long.
    durations = sorted(e["duration_ns"] for e in t.attach("--events", 81, "-p", target.pid, "time.Sleep").finish().returns[1:])
    process.signal(signal.SIGINT)
    text = "\n".join(process.finish())
    row = re.search(r"^ *(\d+) +\S+ +\S+ +(\S+)ms +\S+ +\S+ +\S+  time\.Sleep$", text, re.M)
    check(row and int(row.group(1)) >= len(durations), "no line of some calls of 20 ms: %s", text)
    # Both saw these calls; the table has some more of them, and quantiles are good to a quarter.
    low, high = (durations[len(durations) * i // 4] for i in (1, 3))
    check(20e6 <= float(row.group(2)) * 1e6 and low * 0.75 < float(row.group(2)) * 1e6 < high * 1.3, "half of them were from %d to %d ns: %s",
          low, high, text)
    bars = re.findall(r"^ +(\S+) +(\d+) \|(@*) *\|$", text, re.M)
    check(bars, "no histogram: %s", text)
    tallest = float(max(bars, key=lambda b: len(b[2]))[0].removesuffix("ms")) * 1e6
    check(sum(0.99 * tallest < d < 2.01 * tallest for d in durations) >= len(durations) // 4, "the tallest bar has few of %s: %s", durations, text)


@case("count -i: new calls of the tables add up to all calls, and --top limits the rows")
def intervals(t):
    target = t.target("counter", "-each", "1ms", 0)
    process = started(t, "count", "-p", target.pid, "-i", "300ms", "-o", "json", "--top", "1", "main.doWork", "time.Sleep")
    lines = [json.loads(process.line()) for _ in range(4)]
    process.signal(signal.SIGINT)
    rest = parse("\n".join(process.finish()))
    last, summary = rest[-2], summary_of(rest)
    lines += rest[:-2]
    # Tables are due at fixed times: after one that came late, because the host was busy, the next comes sooner, and may have
    # nothing that is new.
    for e in lines:
        check(e["kind"] == "count" and e["new_ns"] > 0, "an interval: %s", e)
    check(sum(e["new"] > 0 for e in lines) > 1, "nothing is new: %s", lines)
    check(sum(e["new_ns"] for e in lines) >= (len(lines) - 1) * 300000000, "%d intervals: %s", len(lines), lines)
    for f in {e["func"] for e in lines}:
        mine = [e for e in lines if e["func"] == f]
        for before, after in zip(mine, mine[1:]):
            check(after["calls"] >= before["calls"] + after["new"], "%s after %s", after, before)
    check("new" not in last and last["calls"] >= max(e["calls"] for e in lines), "the end: %s", last)
    same((summary["functions"], summary["called"]), (2, 2), "the summary")


@case("count with a command: from its first call to its last, and its exit status is passed on")
def command(t):
    process = t.goprobectl("count", "-o", "json", "main.doWork", "--", t.binary("counter"), "-status", "7", "500")
    lines = process.finish(7)
    counted = [json.loads(line) for line in lines if line.startswith("{")]
    same([(e["func"], e["calls"]) for e in of_kind(counted, "count")], [("main.doWork", 500)], "calls")
    check("counter=500" in lines, "the command's own output: %s", lines)


@case("count: all functions of a program at once, and the program does what it did")
def everything(t):
    target = t.target("counter", "-hold", 1000)
    process = started(t, "count", "-p", target.pid, "--top", "5", "*")
    target.send()
    same(target.line(), "counter=1000", "the program's result")
    target.finish()
    text = "\n".join(process.finish())
    rows = [(int(n), f) for n, f in re.findall(r"^ *(\d+)  (\S+)$", text, re.M)]
    check(len(rows) == 5 and rows == sorted(rows, key=lambda r: -r[0]), "the table: %s", text)
    check(re.search(r"^counting \d{3,} functions at \d{3,} breakpoints", process.stderr(), re.M) and
          re.search(r"^\d{4,} calls of \d+ functions in .*; \d+ not called(; \d+ not called here, but perhaps where inlined)?; \d+ not shown$", process.stderr(), re.M),
          "what was said: %s", process.stderr())
