# SPDX-License-Identifier: GPL-2.0
"""Samples, limits and the breaker, compared with a program that counts itself: tests/targets/limits."""

import collections
import json
import os
import signal
import time

import genl
from cases_graph import every, graph
from lib import case, check, of_kind, parse, same, symbol, wait_for

PATTERN = "/^main\\.(tree|branch|leaf)$/"
MANY = ("-goroutines", 1000, "-trees", 7)
LARGE_BUFFER = ("--buffer", "32m")


def mixed(goid):
    """The finalizer of MurmurHash3; its first step does not change small numbers."""
    goid = goid * 0xff51afd7ed558ccd % 2**64
    goid ^= goid >> 33
    goid = goid * 0xc4ceb9fe1a85ec53 % 2**64
    return goid ^ goid >> 33


def run(target):
    """The program's own counts."""
    target.send()
    return json.loads(target.line())


def end(target):
    target.send("end")
    target.finish()


def by_function(events):
    return collections.Counter(e["func"] for e in events)


def up(n, by):
    return -(-n // by)


def is_sample(shown, n, by, what):
    """A sample of n calls: of each processor's share every by-th, so each may have one more or less."""
    check(abs(shown - n / by) <= os.cpu_count(), "%s: %d of %d calls, 1/%d", what, shown, n, by)


def traced(t, *args, arguments=MANY, cpus=None):
    """The program's report, and the events of attach; cpus: where the program runs."""
    target = t.target("limits", *arguments)
    if cpus:
        for thread in os.listdir("/proc/%d/task" % target.pid):
            os.sched_setaffinity(int(thread), cpus)
    attach = t.attach(*LARGE_BUFFER, *args, "-p", target.pid, PATTERN).attached()
    truth = run(target)
    trace = attach.interrupt()
    end(target)
    same(trace.lost, 0, "records lost")
    return truth, trace


def check_ends(trace):
    """Each call that is shown has an end, and each end a call."""
    same(by_function(trace.returns) + by_function(trace.unwound), by_function(trace.calls), "ends")
    check(all(e["duration_ns"] is not None for e in trace.returns), "a return has no call")


@case("limits: of each function exactly every n-th call is shown, from 1,000 goroutines on one processor, with its end")
def by_call(t):
    truth, trace = traced(t, "--sample", "1/7", cpus={1})
    same(dict(by_function(trace.calls)), {f: up(n, 7) for f, n in truth["calls"].items()}, "calls")
    check_ends(trace)


@case("limits: of each function one of n calls is shown, at most one more or less for each processor")
def by_call_of_all(t):
    truth, trace = traced(t, "--sample", "1/7")
    for function, n in truth["calls"].items():
        is_sample(by_function(trace.calls)[function], n, 7, function)
    check_ends(trace)
    same(trace.summary["sampled"], sum(truth["calls"].values()) - len(trace.calls), "left out of the sample")
    same((trace.summary["limited"], trace.summary["filtered"]), (0, 0), "left out otherwise")


@case("limits: one of N goroutines is shown, each with all of its calls")
def by_goroutine(t):
    truth, trace = traced(t, "--sample", "1/16", "--sample-by", "goroutine")
    chosen = {g for g in truth["goids"] if mixed(g) % 16 == 0}
    check(20 < len(chosen) < 150, "%d goroutines of 1000 are chosen", len(chosen))
    same(collections.Counter(e["goid"] for e in trace.calls), {g: truth["of_each"] for g in chosen}, "calls by goroutine")
    check_ends(trace)


@case("limits: a sample counts what passes the condition, at the call or at the return")
def with_condition(t):
    target = t.target("limits", *MANY)
    at_call = t.attach(*LARGE_BUFFER, "--sample", "1/9", "-p", target.pid, "main.leaf if id == 5 && n > 0").attached()
    at_return = t.attach(*LARGE_BUFFER, "--sample", "1/9", "--held", 60000, "-p", target.pid, "main.tree if ~r0 > 1").attached()
    truth = run(target)
    call, ret = at_call.interrupt(), at_return.interrupt()
    end(target)
    leaves = 3 * 1000       # tree 5 has two branches, of one leaf and of two
    is_sample(len(call.calls), leaves, 9, "leaves")
    same(call.summary["sampled"], leaves - len(call.calls), "leaves that are left out")
    same({e["args"][1]["value"] for e in call.calls}, {5}, "their trees")
    larger = 1000 * sum(n > 1 for n in truth["sizes"])
    is_sample(len(ret.calls), larger, 9, "trees")
    same((len(ret.returns), ret.summary["sampled"]), (len(ret.calls), larger - len(ret.calls)), "trees")
    check(all(e["results"][0]["value"] > 1 for e in ret.returns), "a tree of one call is shown")


@case("limits: replay says what a recorded sample left out")
def replayed(t):
    target = t.target("limits", *MANY)
    path = os.path.join(t.tmp, "sample.rec")
    attach = t.attach(*LARGE_BUFFER, "--sample", "1/9", "--rate", 1000000, "--record", path, "-p", target.pid, PATTERN, json=False, output=False)
    attach.attached()
    truth = run(target)
    attach.interrupt()
    end(target)
    events = parse("\n".join(t.goprobectl("replay", "-o", "json", path).finish()))
    summary, calls = of_kind(events, "summary")[0], of_kind(events, "call")
    for function, n in truth["calls"].items():
        is_sample(by_function(calls)[function], n, 9, function)
    same((summary["sampled"], summary["limited"]), (sum(truth["calls"].values()) - len(calls), 0), "left out")


@case("limits: of trees of calls every n-th is shown, whole, under recursion, panics and stacks that move")
def trees(t):
    target = t.target("limits", *MANY)
    g = graph(t, *LARGE_BUFFER, "--sample", "1/10", "-p", target.pid, "main.tree(id)", "main.branch", "main.leaf").attached()
    truth = run(target)
    g.signal(2)
    shown, summary = g.trees()
    end(target)
    same(summary["lost"], 0, "records lost")
    is_sample(len(shown), 1000 * 7, 10, "trees")
    for tree in shown:
        root = tree["call"]
        same(root["func"], "main.tree", "what a tree begins with")
        same(sum(1 for _ in every(root)), truth["sizes"][root["args"][0]["value"]], "calls of tree %d" % root["args"][0]["value"])
    calls = sum(1 for tree in shown for _ in every(tree["call"]))
    same(summary["sampled"], sum(truth["calls"].values()) - calls, "left out of the sample")


@case("limits: attach shows the same trees, and at most N of them in a second")
def trees_attached(t):
    truth, trace = traced(t, "--sample", "1/10", "--sample-by", "root")
    is_sample(sum(e["func"] == "main.tree" for e in trace.calls) - by_goroutine_nested(trace), 1000 * 7, 10, "trees")
    check_ends(trace)
    for _ in range(3):
        target = t.target("limits", "-goroutines", 100, "-trees", 7)
        attach = t.attach(*LARGE_BUFFER, "--rate", 5, "--sample-by", "root", "-p", target.pid, PATTERN).attached()
        # Seconds of the clock that the module looks at: a host that is busy makes them more than one or two.
        began = int(time.monotonic())
        run(target)
        seconds = int(time.monotonic()) - began + 1
        trace = attach.interrupt()
        end(target)
        same(trace.lost, 0, "records lost")
        roots = sum(e["func"] == "main.tree" for e in trace.calls) - by_goroutine_nested(trace)
        check(5 <= roots <= 5 * seconds, "%d trees in %d seconds", roots, seconds)
        check(trace.summary["limited"] > 0 and trace.summary["sampled"] == 0, "left out: %s", trace.summary)
        if seconds == 1:
            break


def by_goroutine_nested(trace):
    """Calls of main.tree inside of another one."""
    nested, inside = 0, collections.Counter()
    for e in trace.events:
        if e.get("func") != "main.tree":
            continue
        if e["kind"] == "call":
            nested += inside[e["goid"]] > 0
            inside[e["goid"]] += 1
        else:
            inside[e["goid"]] -= 1
    return nested


def heat(target):
    """Have main.hot be called."""
    target.send()


def progress(target):
    """It goes on: its count rises."""
    def count():
        target.send()
        return int(target.line())
    first = count()
    wait_for("the program goes on", lambda: count() > first + 10)


@case("limits: never more than N calls of a function in a second, under a hot loop")
def rate(t):
    target = t.target("limits", "-goroutines", 1, "-trees", 1, "-hot", 4)
    run(target)
    attach = t.attach("--rate", 40, "-p", target.pid, "main.hot").attached()
    # Seconds of the clock that the module looks at.
    epoch = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    began = int(time.monotonic())

    def by_second(events):
        return collections.Counter((e["time_ns"] - epoch) // 1_000_000_000 for e in events)

    def written():
        with open(attach.output, encoding="utf-8") as f:
            return of_kind(parse(f.read().rpartition("\n")[0]), "call")
    heat(target)
    wait_for("as many calls as may be, in three seconds", lambda: sum(n >= 36 for n in by_second(written()).values()) >= 3)
    attach.signal(signal.SIGINT)
    attach.wait()
    most = 40 * (int(time.monotonic()) - began + 1)
    trace = attach.finish()
    progress(target)
    end(target)
    # Each thread may have one hit that was let pass in the second before it was stamped.
    seconds = by_second(trace.calls)
    check(max(seconds.values()) <= 40 + 4, "calls in a second: %s", seconds)
    check(len(trace.calls) <= most, "%d calls, and at most %d by the clock", len(trace.calls), most)
    check(trace.summary["limited"] > 100, "beyond the limit: %s", trace.summary["limited"])
    check(len(trace.returns) >= len(trace.calls) - 4, "%d calls, %d returns", len(trace.calls), len(trace.returns))


def listed(target, function):
    """Points in a function, as the module lists them."""
    begin, size = symbol(target.argv[0], function)
    with genl.Client() as client:
        parts = [s.get(genl.GOPROBE_A_POINTS, b"") for s in client.sessions()]
    return [p for part in parts for p in genl.points(part) if begin <= p.offset < begin + size]


@case("limits: after N calls of a function its breakpoints leave the process, and after the last one goprobectl ends")
def times(t):
    target = t.target("limits", *MANY, "-hot", 4)
    attach = t.attach("--times", 5, "-p", target.pid, "main.leaf", "main.hot").attached()
    check(target.probed("main.leaf") and target.probed("main.hot"), "nothing is probed")
    run(target)
    wait_for("main.leaf's breakpoints leave", lambda: not target.probed("main.leaf"))
    check(target.probed("main.hot") and not attach.ended(), "main.hot has not been called")
    check(not listed(target, "main.leaf") and listed(target, "main.hot"), "points of main.leaf are listed, or none of main.hot")
    heat(target)
    trace = attach.finish()
    same(target.patched(), 0, "bytes that are not as in the file")
    progress(target)
    end(target)
    same(dict(by_function(trace.calls)), {"main.leaf": 5, "main.hot": 5}, "calls")
    check_ends(trace)


@case("limits: with a condition, --times counts calls that pass, also if the return decides")
def times_condition(t):
    target = t.target("limits", *MANY)
    attach = t.attach("--times", 3, "-p", target.pid, "main.tree if ~r0 > 1 && id == 2").attached()
    run(target)
    trace = attach.finish()
    same(target.patched(), 0, "bytes that are not as in the file")
    end(target)
    same([e["args"][1]["value"] for e in trace.calls], [2] * 3, "ids of calls")
    check_ends(trace)


@case("limits: the breaker ends a trace that takes too much time, says so, and the program goes on", slow=True)
def broken(t):
    for command in "attach", "count", "graph", "stuck":
        target = t.target("limits", "-goroutines", 1, "-trees", 1, "-hot", 1)
        run(target)
        probe = (t.attach if command == "attach" else lambda *a: t.goprobectl(command, "-o", "json", *a))(
            "--max-load", 1, "-p", target.pid, "main.hot")
        wait_for("%s begins" % command, lambda p=probe: "Ctrl-C ends" in p.stderr())
        heat(target)
        ended = probe.finish(4)
        events = ended.events if command == "attach" else parse("\n".join(ended))
        broken = of_kind(events, "broken")
        same(len(broken), 1, "%s: number of reports" % command)
        check(broken[0]["percent"] > 1 and broken[0]["max_percent"] == 1 and broken[0]["hits_per_second"] > 0, "%s: %s", command, broken[0])
        check(broken[0]["text"] in probe.stderr() and "ended by --max-load: " in broken[0]["text"], "%s said: %s", command, probe.stderr())
        same(target.patched(), 0, "%s: bytes that are not as in the file" % command)
        progress(target)
        end(target)


@case("limits: the default breaker leaves a modest load alone")
def modest(t):
    target = t.target("limits", "-goroutines", 1, "-trees", 1, "-hot", 2, "-pause", "20ms")
    run(target)
    attach = t.attach("--max-load", 50, "--duration", "4s", "-p", target.pid, "main.hot").attached()
    heat(target)
    trace = attach.finish()
    progress(target)
    end(target)
    check(len(trace.calls) > 10 and "max-load" not in trace.stderr, "%d calls, said: %s", len(trace.calls), trace.stderr)
