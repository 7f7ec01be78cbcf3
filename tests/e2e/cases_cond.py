# SPDX-License-Identifier: GPL-2.0
"""Conditions, compared with what Go itself makes of the same ones: tests/targets/conds."""

import json
import os
import re

from lib import GOPROBECTL, Skip, case, check, of_kind, parse, same, share, wait_for

STARTED = re.compile(r"^(?:counting|timing) \d+ function", re.M)
BATCH = 12                              # sessions at once


def conds(t):
    if not os.path.exists(os.path.join(t.targets, "conds")):
        raise Skip("conds was not built with this toolchain")
    return t.target("conds")


def run(target):
    """The program's report on one round of all its calls."""
    target.send()
    return json.loads(target.line())


def counters(t, command, target, specs):
    processes = [t.goprobectl(command, "-p", target.pid, "-o", "json", spec) for spec in specs]
    for p in processes:
        wait_for("%s: counting" % p, lambda p=p: p.ended() or STARTED.search(p.stderr()))
        check(not p.ended(), "%s ended: %s", p, p.stderr())
    return processes


def batches(rows):
    return [rows[i:i + BATCH] for i in range(0, len(rows), BATCH)]


def interrupt(process):
    process.signal(2)
    return parse("\n".join(process.finish()))


def counted(lines, function, kind):
    """Its line; no line is a function that was not called."""
    found = [e for e in of_kind(lines, kind) if e["func"] == function]
    return found[0] if found else None


@case("count: each condition counts the calls and returns that fulfil it in Go, under panics; others have counts of their own")
def count_conditions(t):
    target = conds(t)
    for batch in batches(share(t, run(target)["conditions"])):
        processes = counters(t, "count", target, [r["spec"] for r in batch])
        run(target)
        for row, process in zip(batch, processes):
            lines = interrupt(process)
            line, summary = counted(lines, row["func"], "count"), of_kind(lines, "summary")[0]
            same(line["calls"] if line else 0, row["calls"], row["spec"])
            # A jump to another function has no results: there are none here.
            same((summary["filtered"], summary["undecided"]), (row["filtered"], row["undecided"]), row["spec"] + ": what did not pass")
            same(summary["functions"], 1, row["spec"] + ": functions")


@case("attach: exactly the calls that fulfil a condition are shown, with their returns; the summary counts others")
def attach_conditions(t):
    target = conds(t)
    for batch in batches(share(t, run(target)["conditions"])):
        # The list of the call shows which one it is.
        attached = [t.attach("-p", target.pid, r["spec"].replace(" if ", "(i) if ", 1)).attached() for r in batch]
        run(target)
        for row, attach in zip(batch, attached):
            trace = attach.interrupt()
            same(sorted(e["args"][0]["value"] for e in trace.calls), row["passed"], row["spec"] + ": calls")
            same(len(trace.returns), row["returns"], row["spec"] + ": returns")
            same(trace.lost, 0, row["spec"] + ": lost")
            same((trace.summary["filtered"], trace.summary["undecided"]), (row["filtered"], row["undecided"]), row["spec"] + ": left out")
            check(all(e["duration_ns"] is not None and e["duration_ns"] > 0 for e in trace.returns), "%s: a return lacks its duration", row["spec"])
            if row["at_return"]:
                same(trace.summary["open"], 0, row["spec"] + ": open calls")
                same(len(trace.unwound), 0, row["spec"] + ": unwound calls")
            else:
                same(len(trace.unwound) + trace.summary["open"], row["calls"] - row["returns"], row["spec"] + ": calls that did not return")


@case("attach --no-return: conditions choose calls without their returns")
def no_return(t):
    target = conds(t)
    rows = [r for r in run(target)["conditions"] if not r["at_return"]][::7]
    attached = [t.attach("--no-return", "-p", target.pid, r["spec"].replace(" if ", "(i) if ", 1)).attached() for r in rows]
    run(target)
    for row, attach in zip(rows, attached):
        trace = attach.interrupt()
        same(sorted(e["args"][0]["value"] for e in trace.calls), row["passed"], row["spec"] + ": calls")
        same(len(trace.returns), 0, row["spec"] + ": returns")
        same((trace.summary["filtered"], trace.summary["undecided"]), (row["filtered"], row["undecided"]), row["spec"] + ": left out")


@case("conditions: failed is about the error that a call returns, of all functions that return one")
def failures(t):
    target = t.target("load", "-goroutines", 1, "-pause", "1ms")
    attach = t.attach("--events", 12, "-p", target.pid, "main.* if !failed")
    trace = attach.finish()
    same({e["func"] for e in trace.calls + trace.returns}, {"main.handle"}, "functions with an error")
    same([e["results"][-1]["value"] for e in trace.returns], [None] * len(trace.returns), "errors of calls that have not failed")
    check(trace.returns and re.search(r"left out: \d+ return no error", attach.stderr()), "it said: %s", attach.stderr())
    counted = t.goprobectl("count", "-p", target.pid, "-o", "json", "--duration", "1s", "main.* if failed")
    summary = of_kind(parse("\n".join(counted.finish())), "summary")[0]
    check(summary["calls"] == 0 and summary["filtered"] > 0, "it counted: %s", summary)


@case("latency: only calls that fulfil the condition are timed, at both ends")
def latency_conditions(t):
    target = conds(t)
    rows = run(target)["conditions"]
    chosen = [r for r in rows if r["at_return"]] + [r for r in rows if not r["at_return"]][::9]
    for batch in batches(chosen):
        processes = counters(t, "latency", target, [r["spec"] for r in batch])
        run(target)
        for row, process in zip(batch, processes):
            line = counted(interrupt(process), row["func"], "latency")
            same(line["returned"] if line else 0, row["returns"], row["spec"])


@case("attach: a call that is held keeps its own values, and the moment when it was made")
def held_calls(t):
    target = conds(t)
    row = [r for r in run(target)["conditions"] if r["spec"] == "main.step if failed != nil"][0]
    attach = t.attach("-p", target.pid, "main.step(i, s)(n) if failed != nil").attached()
    slow = t.attach("-p", target.pid, "main.step(i) if duration > 15ms").attached()
    run(target)
    trace, slow = attach.interrupt(), slow.interrupt()
    same(sorted(e["args"][0]["value"] for e in trace.calls), row["passed"], "calls")
    same(sorted(e["results"][0]["value"] for e in trace.returns), sorted(3 * i for i in row["passed"]), "results")
    # By goroutine: what several do at the same time is shown as it comes.
    shown = sorted((e for e in trace.events if e["kind"] in ("call", "return")), key=lambda e: e["goid"])
    for call, back in zip(shown[::2], shown[1::2]):
        same((call["kind"], back["kind"], call["goid"]), ("call", "return", back["goid"]), "a call and its return")
        same(back["results"][0]["value"], 3 * call["args"][0]["value"], "a call's return")
        same(back["time_ns"] - call["time_ns"], back["duration_ns"], "a duration")
    found = {e["args"][0]["value"] for e in slow.calls}
    wanted = {i for i in range(500) if i % 100 == 52 and i % 7 != 3}
    check(wanted <= found, "slow calls: %s lack some of %s", sorted(found), sorted(wanted))
    check(all(e["duration_ns"] > 15000000 for e in slow.returns), "a call that was too quick: %s", slow.returns[:3])


@case("attach --held: calls beyond the limit are lost and counted, and the others are whole")
def no_room(t):
    target = conds(t)
    attach = t.attach("--held", 4, "-p", target.pid, "main.deep if depth > 0").attached()
    deep = run(target)["deep"]
    trace = interrupted(attach)
    lost = trace["summary"]["lost_by_cause"]["no_room"]
    check(lost > 0, "nothing was lost: the buffer is too large for this test")
    same(len(of_kind(trace["events"], "call")) + lost, deep, "calls shown and lost")
    same(len(of_kind(trace["events"], "return")), len(of_kind(trace["events"], "call")), "returns")


def interrupted(attach):
    """As Attach.interrupt(), where losses have no event of their own."""
    attach.signal(2)
    check(attach.wait() == 0, "%s: exit status %s: %s", attach, attach.popen.returncode, attach.stderr())
    with open(attach.output, encoding="utf-8") as f:
        events = parse(f.read())
    return {"events": events, "summary": of_kind(events, "summary")[0]}


@case("conditions on the goroutine, the process, and every tenth of all hits")
def words(t):
    target = conds(t)
    first = run(target)
    total = first["number"]
    specs = {
        "main.step if goid == %d" % first["goid"]: total // 2,
        "main.step if goid != %d" % first["goid"]: total // 2,
        "main.step if pid == %d" % target.pid: total,
        "main.step if pid != %d" % target.pid: 0,
        "main.refs if i < 100 && tid > 0": 100,
        # With that signature nothing is called n.
        "main.step(i int) if n % 10 == 0": total // 10,
        "main.deep if n <= 5": 5,
        "main.deep if n > 5 && n < 8": 2,
        "main.deep if k > 10 && n % 5 == 0": 2,
    }
    processes = counters(t, "count", target, list(specs))
    run(target)
    for (spec, want), process in zip(specs.items(), processes):
        line = counted(interrupt(process), spec.split(" ")[0].split("(")[0], "count")
        same(line["calls"] if line else 0, want, spec)


@case("attach: under() does not change the trace of the function that it names")
def under_traced(t):
    target = conds(t)
    rows = {r["spec"]: r for r in run(target)["conditions"]}
    row = rows["main.step if under(main.outer)"]
    attach = t.attach("-p", target.pid, "main.step(i) if under(main.outer)", "main.outer()()").attached()
    run(target)
    trace = attach.interrupt()
    calls = {f: [e for e in trace.calls if e["func"] == f] for f in ("main.step", "main.outer")}
    same(sorted(e["args"][0]["value"] for e in calls["main.step"]), row["passed"], "calls inside")
    same(len(calls["main.outer"]), row["calls"], "calls around")
    check(len([e for e in trace.returns if e["func"] == "main.outer"]) == row["calls"], "calls around lack their returns")


@case("record and replay: a recording with conditions prints what attach would have printed")
def replayed(t):
    target = conds(t)
    rows = {r["spec"]: r for r in run(target)["conditions"]}
    path = os.path.join(t.tmp, "calls.rec")
    attach = t.attach("--record", path, "-p", target.pid, "main.step(i) if i > 250 && failed != nil", "main.refs(i) if p.Value > 3",
                      json=False, output=False).attached()
    run(target)
    attach.interrupt()
    replay = t.run(GOPROBECTL, "replay", "-o", "json", path)
    events = parse("\n".join(replay.finish()))
    for spec in "main.step if i > 250 && failed != nil", "main.refs if p.Value > 3":
        row = rows[spec]
        shown = [e for e in of_kind(events, "call") if e["func"] == row["func"]]
        same(sorted(e["args"][0]["value"] for e in shown), row["passed"], spec)
        same(len([e for e in of_kind(events, "return") if e["func"] == row["func"]]), row["returns"], spec + ": returns")
    summary = of_kind(events, "summary")[0]
    both = [rows["main.step if i > 250 && failed != nil"], rows["main.refs if p.Value > 3"]]
    same((summary["filtered"], summary["undecided"]), (sum(r["filtered"] for r in both), sum(r["undecided"] for r in both)), "left out")
