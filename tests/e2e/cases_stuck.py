# SPDX-License-Identifier: GPL-2.0
"""goprobectl stuck, with a program that stays where it is."""

import json
import signal

from lib import case, check, nothing_probed, of_kind, parse, same, wait_for

TAGGED = ("main.even(tag)", "main.odd(tag)", "main.guard(tag)")


def started(t, *args):
    process = t.goprobectl("stuck", *args)
    wait_for("%s: watching" % process, lambda: process.ended() or "watching" in process.stderr())
    check(not process.ended(), "%s ended: %s", process, process.stderr())
    return process


@case("stuck: calls that do not return are shown once, with arguments, age, and what their goroutines wait for")
def stays(t):
    target = t.target("stress", "-hold", "-stay", "-goroutines", 3, "-depth", 16)
    process = started(t, "-p", target.pid, "--longer-than", "200ms", "-o", "json", *TAGGED)
    target.send()
    want = json.loads(target.line())["functions"]
    calls = sum(want[f.partition("(")[0]]["calls"] for f in TAGGED)
    lines = [json.loads(process.line()) for _ in range(calls)]
    process.signal(signal.SIGINT)
    rest = [e for e in parse("\n".join(process.finish())) if e["kind"] == "stuck"]
    same(rest, [], "calls that are shown twice")
    same(len({(e["goid"], e["args"][0]["value"]) for e in lines}), calls, "calls")
    for e in lines:
        same((e["kind"], e["pid"], e["status"], e["wait_reason"]), ("stuck", target.pid, "waiting", "select (no cases)"), "what is shown")
        check(200000000 <= e["open_ns"] < 60000000000, "how long it has been open: %s", e)
        names = [f["func"] for f in e["frames"]]
        check("main.(*worker).step" in names and e["func"] in names and names[-1] == "runtime.goexit", "the stack of %s: %s", e["func"], names)
    check("%d calls in" % calls in process.stderr() and "at the end %d of %d open ones" % (calls, calls) in process.stderr(),
          "the summary: %s", process.stderr())
    target.kill()
    check(nothing_probed(), "something is still probed")


@case("stuck: calls that return in time are not shown, conditions choose calls, and those about returns are refused")
def returns(t):
    target = t.target("counter", "-each", "20ms", 0)
    process = started(t, "-p", target.pid, "--longer-than", "5s", "--duration", "1s", "main.doWork", "time.Sleep")
    same(process.finish()[1:], [], "what is shown behind the header")
    check(" 0 open for long" in process.stderr(), "the summary: %s", process.stderr())
    process = t.goprobectl("stuck", "-p", target.pid, "time.Sleep if duration > 1ms")
    same(process.wait(), 1, "the exit status")
    check("calls that have not are asked for" in process.stderr(), "a condition about the return: %s", process.stderr())
    process = started(t, "-p", target.pid, "--longer-than", "1ms", "-i", "1ms", "--duration", "500ms", "-o", "json", "time.Sleep if ns < 1000")
    same(of_kind(parse("\n".join(process.finish())), "stuck"), [], "calls that do not fulfil the condition")
    process = started(t, "-p", target.pid, "--longer-than", "5ms", "-i", "1ms", "--duration", "1s", "time.Sleep(ns)")
    out = "\n".join(process.finish())
    check("time.Sleep(ns=20000000)" in out and "open for" in out and "waiting: sleep" in out and "main.main" in out, "as text: %s", out[:600])
