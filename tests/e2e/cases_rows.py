# SPDX-License-Identifier: GPL-2.0
"""The usual checklist for dynamic instrumentation of Go: a case for each row of the table, on programs that run already."""

import collections
import os
import re
import signal
import time

from cases_client import client
from cases_count import started
from cases_edit import ALL, all_of, allowed, by_value, edits, run, text
from cases_trace import compare, names, untraced
from lib import case, check, of_kind, parse, same, times

EDITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../targets/edits/main.go")
FUNCTIONS = ("main.(*conf).use", "main.pick")


def line_of(statement):
    """Where the program's source has that line first."""
    with open(EDITS, encoding="utf-8") as f:
        return next(n for n, line in enumerate(f, 1) if line.strip() == statement)


def untouched(result):
    """The program saw nothing but what it has given; a busy machine is slow at times."""
    result["seen"].pop("slow", None)
    same(result["seen"], {}, "what the program saw")


@case("row: intercept any instruction")
def any_instruction(t):
    target = edits(t)
    listed = of_kind(parse("\n".join(t.goprobectl("list", "--instructions", "-o", "json", "-b", target.argv[0], *FUNCTIONS).finish())), "point")
    insns = {"%s+%#x" % (p["func"], p["offset"]): p["instruction"] for p in listed}
    refused = [p for p in listed if "refused" in p]
    check(len(insns) > 20 and not refused, "of %d instructions these can't be intercepted: %s", len(insns), refused)
    line = "edits/main.go:%d" % line_of("return i")
    count = started(t, "count", "-p", target.pid, "-o", "json", line, *insns)
    result = run(target)
    target.finish()
    untouched(result)
    hits = {e["func"].partition(" ")[0]: e["calls"] for e in of_kind(parse("\n".join(count.finish())), "count")}
    # The others are for stacks that grow and for a garbage collection that is at work.
    met = set(hits) & set(insns)
    check(len(met) > len(insns) / 2, "only these were hit: %s", sorted(met))
    for function in FUNCTIONS:
        ends = sum(n for place, n in hits.items() if place.startswith(function + "+") and insns[place] == "ret")
        same(ends, result["calls"], "returns from %s that were met, of as many calls as the program has made" % function)
    same([n for place, n in hits.items() if place not in insns], [result["calls"]], "hits of the line, in main.slow")


@case("row: understand Go")
def understand_go(t):
    functions = {e["func"] for e in parse("\n".join(untraced(t, "types")))}
    target = t.target("types", "-hold")
    attach = t.attach("-p", target.pid, "--depth", 4, names(functions)).attached()
    target.send()
    want = parse("\n".join(target.finish()))
    got = [e for e in attach.finish().events if e["kind"] in ("call", "return")]
    same([e["kind"] for e in got], [e["kind"] for e in want], "calls and returns")
    wrong = [problem for problem in map(compare, want, got) if problem]
    check(not wrong, "%d of %d differ from what the program says: %s", len(wrong), len(want), "; ".join(wrong[:5]))
    types = " ".join(v["type"] for e in got for v in e.get("args", []) + e.get("results", []))
    for kind in ("map[", "[]", "*", "func(", "chan ", "error", "main.Outer", "interface {"):
        check(kind in types, "no value of type %s among %s", kind, types)


@case("row: read and write memory")
def memory(t):
    with allowed():
        target = edits(t)
        before = run(target)
        lines = t.goprobectl("read", "-p", target.pid, "main.limit", "main.list[1]", "(*main.conf)(%s).Name" % before["first"]).finish()
        same([line.rpartition(" = ")[2] for line in lines], [str(before["limit"]), str(before["list"][1]), '"%s"' % before["first.Name"]], "read")
        t.goprobectl("write", "-p", target.pid, "main.limit = main.limit * 3", "main.list[1] = 77",
                     "(*main.conf)(%s).Limit = -4" % before["first"]).finish()
        after = run(target)
        same((after["limit"], after["list"], after["first.Limit"]), (3 * before["limit"], [1, 77, 3, 4, 5], -4), "what the program has now")


@case("row: read and write arguments and results")
def arguments(t):
    with allowed():
        target = edits(t)
        attach = t.attach("-p", target.pid, "main.fetch(i, s)(n, out) set timeout = 5s, tag = tag + 1 on return set n = -1 if i % 7 == 3",
                          "main.pick(x)()").attached()
        seen = run(target)["seen"]
        trace = attach.interrupt()
        seen.pop("slow", None)
        mine = [i for i in ALL if i % 7 == 3]
        want = {"timeout": all_of(mine, "5s"), "tag": all_of(mine, lambda i: str((i + 1) % 256)), "n": all_of(mine, "-1")}
        same({k: by_value(v) for k, v in seen.items()}, want, "what functions and their callers saw")
        same(sorted(tuple(v["value"] for v in e["args"]) for e in trace.calls if e["func"] == "main.fetch"), [(i, text(i)) for i in mine],
             "arguments that were read")
        same(trace.lost, 0, "lost")


@case("row: read registers")
def registers(t):
    target = edits(t)
    attach = t.attach("-p", target.pid, "--registers", "main.pick(x, $rax, $sp)").attached()
    result = run(target)
    trace = attach.interrupt()
    same(len(trace.calls), result["calls"], "calls")
    same(len(trace.returns), result["calls"], "returns")
    for call in trace.calls:
        same(len(call["registers"]), 17, "registers of %s" % call)
        listed = {v["name"]: v["value"] for v in call["args"]}
        same(int(str(listed["$sp"]), 0), int(call["registers"]["rsp"], 16), "two ways to ask for the stack pointer")
    if "go1.15" not in t.label:     # its arguments are on the stack
        same(collections.Counter(int(e["registers"]["rax"], 16) for e in trace.calls), {1: result["calls"] // 2, 2: result["calls"] // 2},
             "the register that has the argument")
        same({int(e["registers"]["rax"], 16) for e in trace.returns}, {2}, "the register that has the result")


@case("row: compute latencies")
def latencies(t):
    calls, each = 100, 10000000
    target = t.target("counter", "-hold", "-each", "%dns" % each, calls)
    latency = started(t, "latency", "-p", target.pid, "-o", "json", "main.doWork", "time.Sleep")
    attach = t.attach("-p", target.pid, "time.Sleep").attached()
    began = time.monotonic()
    target.send()
    same(target.line(), "counter=%d" % calls, "the program's result")
    took = (time.monotonic() - began) * 1e9
    target.finish()
    rows = {e["func"]: e for e in of_kind(parse("\n".join(latency.finish())), "latency")}
    durations = [e["duration_ns"] for e in attach.finish().returns]
    same([(rows[f]["calls"], rows[f]["returned"]) for f in ("main.doWork", "time.Sleep")], [(calls, calls)] * 2, "calls and returns")
    same(len(durations), calls, "durations of single calls")
    slept, work = rows["time.Sleep"], rows["main.doWork"]
    check(min(durations) >= each and slept["min_ns"] >= each, "less than it has slept: %s, %s", min(durations), slept)
    check(sum(durations) <= took and slept["sum_ns"] <= took, "longer than the program ran, %d ns: %d, %s", took, sum(durations), slept)
    # Both look at the same hits, one behind the other: a host that is busy may stop the processor in between, but not each
    # time. Quantiles are good to a quarter.
    middle = sorted(durations)[calls // 2]
    check(0.75 < slept["p50_ns"] / middle < 1.3, "half of them took less than %s ns, and than %s", slept["p50_ns"], middle)
    check(work["p50_ns"] < slept["p50_ns"], "main.doWork, which adds one, takes as long as a sleep: %s", rows)


@case("row: use from Go")
def from_go(t):
    target = t.target("counter", "-each", "1ms", 0)

    def number(line):
        found = re.match(r"counter: (\d+)", line or "")
        check(found, "it printed: %s", line)
        return int(found[1])

    def counted():
        return int(t.goprobectl("read", "-p", target.pid, "main.counter").finish()[0].rpartition(" = ")[2])
    before = counted()
    watcher = client(t, "counter", target.pid)
    shown = [0]
    while not shown[-1]:
        shown.append(number(watcher.line()))
    watcher.signal(signal.SIGINT)
    shown += map(number, watcher.finish())
    after = counted()
    check(shown == sorted(shown) and before < shown[-1] <= after, "the Go program shows %s, between %d and %d", shown, before, after)


@case("row: high-frequency events")
def high_frequency(t):
    calls = times(20000, 10000, 2000)
    target = t.target("counter", "-hold", calls)
    count = started(t, "count", "-p", target.pid, "-o", "json", "main.doWork")
    target.send()
    same(target.line(), "counter=%d" % calls, "the program's result")
    target.finish()
    same([e["calls"] for e in of_kind(parse("\n".join(count.finish())), "count")], [calls], "calls, counted in the kernel")
    calls = 2000
    target = t.target("counter", "-hold", calls)
    attach = t.attach("-p", target.pid, "--no-return", "main.doWork(main.counter)").attached()
    target.send()
    same(target.line(), "counter=%d" % calls, "the program's result")
    target.finish()
    trace = attach.finish()
    same(trace.lost, 0, "lost")
    same([e["args"][0]["value"] for e in trace.calls], list(range(calls)), "calls that were delivered, with the value of the counter")
